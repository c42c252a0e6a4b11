//! What tests and pages do to the service: start runs, set knobs and rules, cut connections, look at what was asked.

use crate::agent::Agent;
use crate::error::SimulatorError;
use crate::json::{fields, json};
use crate::knobs::{How, Knobs};
use crate::log::{Counters, LoggedRequest};
use crate::rng::mix;
use crate::rules::{ActiveRule, Rule};
use crate::run::{Pace, Run, RunState};
use crate::scenario::{Scenario, Shape};
use crate::script::{Names, Script};
use crate::service::{Auth, Service};
use crate::simulator::Simulator;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The origin of the ids of documented streams; runs lie a while after it.
const ID_ORIGIN: u64 = 1_713_033_000_000;
/// So many kinds of scripts are kept for other runs.
const SHARED_SCRIPTS: usize = 16;

/// What a run is to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunPlan {
    /// What happens in it.
    pub scenario: Scenario,
    /// How its time passes.
    pub pace: Pace,
    /// Liberties with its ids and the order of its frames.
    pub shape: Shape,
    /// Knobs of its own, in place of the service's.
    pub knobs: Option<Knobs>,
}

impl RunPlan {
    /// A run of a scenario at real time.
    pub fn new(scenario: Scenario) -> Self {
        Self { scenario, ..Self::default() }
    }

    /// A run of a named scenario at real time: see [`Scenario::parse`].
    pub fn named(scenario: &str) -> Result<Self, SimulatorError> {
        Ok(Self::new(Scenario::parse(scenario)?))
    }

    /// The same at another pace.
    #[must_use]
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// The same in another shape.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    /// The same with knobs of its own.
    #[must_use]
    pub fn knobs(mut self, knobs: Knobs) -> Self {
        self.knobs = Some(knobs);
        self
    }
}

/// The ids of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedRun {
    /// `bc-<uuid>`
    pub agent_id: String,
    /// `run-<uuid>`
    pub run_id: String,
}

/// Whose connections or knobs are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The whole service's.
    All,
    /// Those of one run.
    Run(&'a str),
}

impl Simulator {
    /// Starts a run on a new agent, as if someone else had created it.
    pub fn start_run(&mut self, now: f64, plan: &RunPlan) -> StartedRun {
        let agent_id = format!("bc-{}", self.rng.uuid());
        let mut given = Map::new();
        given.insert("name".into(), json!("Simulated agent"));
        given.insert("repos".into(), json!([{"url": "https://github.com/acme/parser"}]));
        self.add_agent(Agent::new(agent_id.clone(), given, now));
        let run_id = self.add_run(now, &agent_id, plan);
        StartedRun { agent_id, run_id }
    }

    /// A new run on an agent that exists.
    pub(crate) fn add_run(&mut self, now: f64, agent_id: &str, plan: &RunPlan) -> String {
        let run_id = format!("run-{}", self.rng.uuid());
        let spread = mix(self.seed, self.counters.runs + 1) % 10_000_000_000;
        let names = Names { run: run_id.clone(), agent: agent_id.to_owned(), id_base: ID_ORIGIN + spread };
        let script = self.script(plan);
        let request_id = format!("req-{}", self.rng.uuid());
        let mut run = Run::new(names, script, now, plan.pace, request_id);
        run.warm_up = plan.scenario.warm_up();
        run.knobs = plan.knobs.clone().map(Arc::new);
        self.runs.insert(run_id.clone(), run);
        self.counters.runs += 1;
        if let Some(agent) = self.agents.get_mut(agent_id) {
            agent.runs.push(run_id.clone());
            agent.updated = now;
        }
        run_id
    }

    fn script(&mut self, plan: &RunPlan) -> Arc<Script> {
        let fits = |(scenario, shape, _): &&(Scenario, Shape, Arc<Script>)| {
            *scenario == plan.scenario && *shape == plan.shape
        };
        if let Some((_, _, script)) = self.scripts.iter().find(fits) {
            return Arc::clone(script);
        }
        let script = Arc::new(plan.scenario.script(self.seed, plan.shape));
        if self.scripts.len() >= SHARED_SCRIPTS {
            self.scripts.remove(0);
        }
        self.scripts.push((plan.scenario.clone(), plan.shape, Arc::clone(&script)));
        script
    }

    /// What the next runs created by requests are to be, in this order; after them the default again.
    pub fn plan_runs(&mut self, plans: impl IntoIterator<Item = RunPlan>) {
        self.planned.extend(plans);
    }

    /// What runs created by requests are to be from now on.
    pub fn set_plan(&mut self, plan: RunPlan) {
        self.plan = plan;
    }

    /// Sets knobs. A run with knobs of its own does not follow the service's any more.
    pub fn set_knobs(&mut self, scope: Scope<'_>, knobs: Knobs) -> Result<(), SimulatorError> {
        let knobs = Arc::new(knobs);
        match scope {
            Scope::All => self.knobs = knobs,
            Scope::Run(id) => self.run_mut(id)?.knobs = Some(knobs),
        }
        Ok(())
    }

    /// The knobs in force.
    pub fn knobs(&self, scope: Scope<'_>) -> Result<Knobs, SimulatorError> {
        Ok(match scope {
            Scope::All => Knobs::clone(&self.knobs),
            Scope::Run(id) => Knobs::clone(&self.knobs_of(self.run(id)?)),
        })
    }

    /// Adds a rule after those there are, and returns its number.
    pub fn add_rule(&mut self, now: f64, rule: Rule) -> u32 {
        let id = self.next_rule;
        self.next_rule += 1;
        self.rules.push(ActiveRule::new(id, rule, now));
        id
    }

    /// Takes a rule back.
    pub fn remove_rule(&mut self, id: u32) {
        self.rules.retain(|rule| rule.id != id);
    }

    /// Takes all rules back.
    pub fn clear_rules(&mut self) {
        self.rules.clear();
    }

    /// Settings of the whole service.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Changes settings of the whole service.
    pub fn set_service(&mut self, service: Service) {
        self.service = service;
    }

    /// Only these keys are valid from now on. Sub-tokens made before stay valid.
    pub fn set_keys(&mut self, keys: Vec<String>) {
        self.service.auth = Auth::Keys(keys);
    }

    /// Breaks all open connections of a scope, and says how many there were.
    pub fn cut(&mut self, scope: Scope<'_>, how: &How) -> usize {
        self.generation += 1;
        self.open_streams(scope).map(|stream| stream.cut(how)).count()
    }

    /// Silences all open connections of a scope until a time, and says how many there were.
    pub fn hold(&mut self, scope: Scope<'_>, until: f64) -> usize {
        self.generation += 1;
        self.open_streams(scope).map(|stream| stream.hold(until)).count()
    }

    fn open_streams<'a>(
        &'a mut self,
        scope: Scope<'a>,
    ) -> impl Iterator<Item = &'a mut crate::stream::Stream> {
        let meant = move |run: Option<&str>| match scope {
            Scope::All => true,
            Scope::Run(id) => run == Some(id),
        };
        self.streams.values_mut().filter(move |stream| meant(stream.run.as_deref()))
    }

    /// Cancels a run from outside, as somebody else's client would. False if it is over.
    pub fn cancel_run(&mut self, now: f64, run_id: &str) -> Result<bool, SimulatorError> {
        let cancelled = self.run_mut(run_id)?.cancel(now, now);
        self.generation += 1;
        Ok(cancelled)
    }

    /// The state of a run, whatever its record says.
    pub fn run_state(&self, now: f64, run_id: &str) -> Result<RunState, SimulatorError> {
        Ok(self.run(run_id)?.state(now))
    }

    /// Requests so far, as many as the log keeps, oldest first.
    pub fn requests(&self) -> impl Iterator<Item = &LoggedRequest> {
        self.log.iter()
    }

    /// Forgets the requests so far.
    pub fn clear_requests(&mut self) {
        self.log.clear();
    }

    /// Totals.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Grows whenever something has happened that can end the waiting of a stream before its time.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Forgets a finished or abandoned run; its agent stays. Open connections to it are cut.
    pub fn forget_run(&mut self, run_id: &str) {
        self.cut(Scope::Run(run_id), &How::Reset);
        if let Some(run) = self.runs.remove(run_id)
            && let Some(agent) = self.agents.get_mut(&run.names.agent)
        {
            agent.runs.retain(|id| id != run_id);
        }
    }

    pub(crate) fn run(&self, id: &str) -> Result<&Run, SimulatorError> {
        self.runs.get(id).ok_or_else(|| unknown_run(id))
    }

    pub(crate) fn run_mut(&mut self, id: &str) -> Result<&mut Run, SimulatorError> {
        self.runs.get_mut(id).ok_or_else(|| unknown_run(id))
    }

    /// The plan of the next run that a request creates. A prompt `simulate: <scenario>` names its own scenario.
    pub(crate) fn next_plan(&mut self, prompt: &Value) -> RunPlan {
        let mut plan = self.planned.pop_front().unwrap_or_else(|| self.plan.clone());
        let asked =
            prompt.get("text").and_then(Value::as_str).and_then(|text| text.strip_prefix("simulate:"));
        if let Some(scenario) = asked.and_then(|name| Scenario::parse(name.trim()).ok()) {
            plan.scenario = scenario;
        }
        plan
    }
}

fn unknown_run(id: &str) -> SimulatorError {
    SimulatorError(format!("unknown run \"{id}\""))
}

fields!(RunPlan: scenario "scenario", pace "pace", shape "shape", knobs "knobs");
