//! The service as a value: what it knows, how a request goes through it, and how a stream is read.

use crate::agent::Agent;
use crate::control::RunPlan;
use crate::endpoint::{Endpoint, Route, route};
use crate::error::{ApiError, SimulatorError};
use crate::http::{Body, Reply, Request, Response, StreamId};
use crate::json::{fields, read};
use crate::knobs::Knobs;
use crate::log::{Counters, Log, LoggedRequest, Outcome};
use crate::rng::Rng;
use crate::routes;
use crate::rules::ActiveRule;
use crate::run::Run;
use crate::scenario::{Scenario, Shape};
use crate::script::Script;
use crate::service::Service;
use crate::stream::{Poll, Stream};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// What a simulator is made with.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Where all ids and all variety come from.
    pub seed: u64,
    /// What a run created by a request plays.
    pub plan: RunPlan,
    /// Keys, CORS, the wording of errors.
    pub service: Service,
    /// How streams and records are served.
    pub knobs: Knobs,
    /// How many requests the log keeps.
    pub log_limit: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            seed: 1,
            plan: RunPlan::default(),
            service: Service::default(),
            knobs: Knobs::default(),
            log_limit: 10_000,
        }
    }
}

impl Config {
    /// Reads a configuration; what is not named is as by default.
    pub fn from_json(config: &serde_json::Value) -> Result<Self, SimulatorError> {
        read(config)
    }
}

/// The simulated service.
///
/// *Requests:* [`request`](Self::request), then, if the body is a stream, [`poll_stream`](Self::poll_stream) until its
/// end and [`close_stream`](Self::close_stream) when the reader goes away.
/// *Control:* [`start_run`](Self::start_run), [`set_knobs`](Self::set_knobs), [`add_rule`](Self::add_rule),
/// [`cut`](Self::cut) and the rest of that block; [`command`](Self::command) does the same from JSON.
/// *Looking:* [`requests`](Self::requests), [`counters`](Self::counters), [`expected`](Self::expected).
///
/// Times are milliseconds; they should not go back.
#[derive(Debug)]
pub struct Simulator {
    pub(crate) seed: u64,
    pub(crate) rng: Rng,
    pub(crate) plan: RunPlan,
    pub(crate) planned: VecDeque<RunPlan>,
    pub(crate) service: Service,
    pub(crate) knobs: Arc<Knobs>,
    pub(crate) rules: Vec<ActiveRule>,
    pub(crate) agents: BTreeMap<String, Agent>,
    /// The ids of the agents, oldest first.
    pub(crate) agent_order: Vec<String>,
    pub(crate) runs: BTreeMap<String, Run>,
    pub(crate) streams: BTreeMap<StreamId, Stream>,
    pub(crate) next_stream: StreamId,
    pub(crate) next_rule: u32,
    /// Sub-tokens and when they end.
    pub(crate) tokens: BTreeMap<String, f64>,
    /// Answers by endpoint, agent and idempotency key.
    pub(crate) answered: BTreeMap<(String, String), Response>,
    /// When `GET /v1/repositories` was called in the last minute.
    pub(crate) repository_calls: VecDeque<f64>,
    /// Scripts that runs of the same kind share.
    pub(crate) scripts: Vec<(Scenario, Shape, Arc<Script>)>,
    pub(crate) log: Log,
    pub(crate) counters: Counters,
    pub(crate) generation: u64,
}

impl Simulator {
    /// A service without agents.
    pub fn new(config: Config) -> Self {
        Self {
            seed: config.seed,
            rng: Rng::new(config.seed),
            plan: config.plan,
            planned: VecDeque::new(),
            service: config.service,
            knobs: Arc::new(config.knobs),
            rules: Vec::new(),
            agents: BTreeMap::new(),
            agent_order: Vec::new(),
            runs: BTreeMap::new(),
            streams: BTreeMap::new(),
            next_stream: 1,
            next_rule: 1,
            tokens: BTreeMap::new(),
            answered: BTreeMap::new(),
            repository_calls: VecDeque::new(),
            scripts: Vec::new(),
            log: Log::new(config.log_limit as usize),
            counters: Counters::default(),
            generation: 0,
        }
    }

    /// Takes a request that arrives at `now`.
    pub fn request(&mut self, now: f64, request: &Request) -> Reply {
        let route = route(request);
        let request_id = format!("req-{}", self.rng.uuid());
        self.counters.requests += 1;
        self.rules.retain(|rule| !rule.is_over(now));
        let rule = self
            .rules
            .iter_mut()
            .find_map(|active| active.takes(request, &route, now).then(|| active.rule.clone()));
        let at = now + rule.as_ref().map_or(0.0, |rule| rule.delay_ms.max(0.0));
        let stand_in =
            rule.as_ref().and_then(|rule| rule.answer.reply(request, self.service.error_format, now, at));
        let executed = stand_in.is_none() || rule.is_some_and(|rule| rule.execute);
        let own = executed.then(|| self.execute(now, request, &route));
        if let (Some(_), Some(Response { body: Body::Stream(id), .. })) = (&stand_in, &own) {
            self.close_stream(*id);
        }
        let mut reply = match (stand_in, own) {
            (Some(reply), _) => reply,
            (None, Some(response)) => Reply::Response { at, response },
            (None, None) => Reply::Never,
        };
        if let Reply::Response { response, .. } = &mut reply {
            self.finish(request, &request_id, response);
        }
        self.log.push(LoggedRequest {
            number: self.counters.requests,
            at: now,
            method: request.method.clone(),
            path: request.path.clone(),
            endpoint: route.endpoint,
            headers: request.headers.clone(),
            body: String::from_utf8_lossy(&request.body).into_owned(),
            outcome: match &reply {
                Reply::Response { response, .. } => Outcome::Status(response.status),
                Reply::Reset { .. } => Outcome::Reset,
                Reply::Never => Outcome::Never,
            },
            executed,
        });
        reply
    }

    fn execute(&mut self, now: f64, request: &Request, route: &Route) -> Response {
        if route.endpoint == Endpoint::Preflight {
            return self
                .service
                .cors
                .as_ref()
                .map_or_else(|| Response::new(204), |cors| cors.preflight(request));
        }
        self.answer(now, request, route).unwrap_or_else(|error| error.response(self.service.error_format))
    }

    fn answer(&mut self, now: f64, request: &Request, route: &Route) -> Result<Response, ApiError> {
        if route.endpoint != Endpoint::ArtifactFile {
            self.service.auth.check(request, &self.tokens, now)?;
        }
        let creates =
            matches!(route.endpoint, Endpoint::CreateAgent | Endpoint::CreateRun) && self.service.idempotency;
        let key = request.header_value("idempotency-key").filter(|_| creates);
        let key = key.map(|key| (route.agent.clone(), key.to_owned()));
        if let Some(answer) = key.as_ref().and_then(|key| self.answered.get(key)) {
            return Ok(answer.clone());
        }
        let response = routes::answer(self, now, request, route)?;
        if let Some(key) = key {
            self.answered.insert(key, response.clone());
        }
        Ok(response)
    }

    /// What every answer has, whoever made it.
    fn finish(&mut self, request: &Request, request_id: &str, response: &mut Response) {
        if response.header_value("x-request-id").is_none() {
            response.headers.push(("x-request-id".into(), request_id.to_owned()));
        }
        if request.method != "OPTIONS"
            && let Some(cors) = &self.service.cors
        {
            *response = cors.grant(request, response.clone());
        }
        if request.method == "HEAD" {
            if let Body::Stream(id) = response.body {
                self.close_stream(id);
            }
            response.body = Body::Full(Vec::new());
        }
    }

    /// The next bytes of a stream, at most `max_bytes` of them.
    pub fn poll_stream(&mut self, now: f64, id: StreamId, max_bytes: usize) -> Poll {
        let Some(stream) = self.streams.get_mut(&id) else { return Poll::Reset };
        let run = stream.run.as_ref().and_then(|run| self.runs.get_mut(run));
        let poll = stream.poll(run, now, max_bytes);
        match &poll {
            Poll::Bytes(bytes) => self.counters.stream_bytes += bytes.len() as u64,
            Poll::WaitUntil(_) => {}
            Poll::End | Poll::Reset => self.close_stream(id),
        }
        poll
    }

    /// The reader of a stream has gone away. Does nothing for one that has ended.
    pub fn close_stream(&mut self, id: StreamId) {
        if self.streams.remove(&id).is_some() {
            self.counters.streams_open -= 1;
        }
    }

    pub(crate) fn open_stream(&mut self, stream: Stream) -> StreamId {
        let id = self.next_stream;
        self.next_stream += 1;
        self.streams.insert(id, stream);
        self.counters.streams_opened += 1;
        self.counters.streams_open += 1;
        id
    }

    pub(crate) fn knobs_of(&self, run: &Run) -> Arc<Knobs> {
        Arc::clone(run.knobs.as_ref().unwrap_or(&self.knobs))
    }

    /// A new agent, which must not exist yet.
    pub(crate) fn add_agent(&mut self, agent: Agent) {
        self.agent_order.push(agent.id.clone());
        self.agents.insert(agent.id.clone(), agent);
    }

    /// Whether the agent's last run is still going on.
    pub(crate) fn is_active(&self, agent: &Agent, now: f64) -> bool {
        let latest = agent.runs.last().and_then(|run| self.runs.get(run));
        latest.is_some_and(|run| !run.state(now).is_terminal())
    }
}

fields!(Config: seed "seed", plan "plan", service "service", knobs "knobs", log_limit "logLimit");
