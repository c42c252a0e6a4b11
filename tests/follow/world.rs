//! One follower, one simulated service, one clock, and a network between them that does as told.
//!
//! The world is the driver that the follower expects: one input, then drain. What the follower asks for at a wrong
//! time is a failure of the test.

use runwire::cloud::{Failure, Head, RunStatus};
use runwire::follow::{Action, Follower, Options};
use runwire_simulator::{
    Body, Config, Pace, Poll, Reply, Request, Response, RunPlan, Simulator, StartedRun, StreamId,
};
use serde_json::Value;

pub(crate) use crate::network::{Cut, How, Network, Sent, What};
use crate::seen::{Seen, decode};

/// When tests begin; not zero, so that a time that was never set shows.
pub(crate) const START: f64 = 1_700_000_000_000.0;

/// A machine that asks for more than this in one go never rests.
const RESTLESS: usize = 5_000;

/// A request that waits for its answer.
struct Pending {
    at: f64,
    is_stream: bool,
    response: Option<Response>,
}

/// An open connection.
struct Line {
    id: StreamId,
    cut: Option<Cut>,
    got: usize,
}

pub(crate) struct World {
    pub(crate) now: f64,
    pub(crate) follower: Follower,
    pub(crate) simulator: Simulator,
    pub(crate) run: StartedRun,
    pub(crate) network: Network,
    /// The consumer does not read.
    pub(crate) paused: bool,
    /// The run was over before it was followed.
    pub(crate) is_past: bool,
    /// Timers fire that much too late.
    pub(crate) lateness: f64,
    /// What the consumer got, in order.
    pub(crate) seen: Vec<Seen>,
    /// Only what was handed over last is kept, for runs that are too long.
    pub(crate) forget: bool,
    /// How often something was handed over.
    pub(crate) delivered: usize,
    pub(crate) end: Option<Result<(), Failure>>,
    pub(crate) requests: Vec<Sent>,
    /// What came over each connection.
    pub(crate) wire: Vec<Vec<u8>>,
    pub(crate) connections: usize,
    /// Connections that the follower let go of while they were open.
    pub(crate) disconnects: usize,
    pending: Option<Pending>,
    line: Option<Line>,
    reading: bool,
}

/// The options of the tests: wire frames, so that every frame can be seen.
pub(crate) fn options() -> Options {
    Options { every_frame: true, seed: 7, ..Options::default() }
}

impl World {
    pub(crate) fn new(plan: &RunPlan, options: Options) -> Self {
        Self::with(Simulator::new(Config::default()), plan, options)
    }

    /// A world around a service that has seen others.
    pub(crate) fn with(mut simulator: Simulator, plan: &RunPlan, options: Options) -> Self {
        let now = START;
        let run = simulator.start_run(now, plan);
        let mut follower = Follower::new(options);
        follower.handle_pull();
        Self {
            now,
            follower,
            simulator,
            run,
            network: Network::default(),
            paused: false,
            is_past: plan.pace == Pace::Instant,
            lateness: 0.0,
            seen: Vec::new(),
            forget: false,
            delivered: 0,
            end: None,
            requests: Vec::new(),
            wire: Vec::new(),
            connections: 0,
            disconnects: 0,
            pending: None,
            line: None,
            reading: false,
        }
    }

    pub(crate) fn network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// The consumer reads on.
    pub(crate) fn pull(&mut self) {
        self.paused = false;
        self.follower.handle_pull();
        self.drain();
    }

    /// Does what the follower says until it says nothing.
    pub(crate) fn drain(&mut self) {
        for _ in 0..RESTLESS {
            let Some(action) = self.follower.poll(self.now) else { return };
            self.act(action);
        }
        panic!("the follower never rests: {:?}", self.requests.last());
    }

    fn run_path(&self) -> String {
        format!("/v1/agents/{}/runs/{}", self.run.agent_id, self.run.run_id)
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Open { last_event_id } => {
                let last_event_id = last_event_id.map(|id| String::from_utf8_lossy(&id).into_owned());
                let mut request = Request::get(self.run_path() + "/stream").bearer("key");
                if let Some(id) = &last_event_id {
                    // A header's value is bytes; the simulator takes a character for each.
                    let bytes: String = id.bytes().map(char::from).collect();
                    request = request.header("last-event-id", &bytes);
                }
                self.ask(request, What::Stream { last_event_id });
            }
            Action::AskRun => {
                let request = Request::get(self.run_path()).bearer("key");
                self.ask(request, What::Run);
            }
            Action::Read => {
                assert!(self.line.is_some() && !self.reading, "a read without a connection to read");
                self.reading = true;
            }
            Action::Deliver => {
                if self.forget {
                    self.seen.clear();
                }
                let out = self.follower.output();
                decode(out, &mut self.seen);
                out.clear();
                self.delivered += 1;
                if !self.paused {
                    self.follower.handle_pull();
                }
            }
            Action::End => self.ended(Ok(())),
            Action::Fail(failure) => self.ended(Err(failure)),
            Action::Disconnect => {
                self.pending = None;
                self.reading = false;
                if let Some(line) = self.line.take() {
                    self.disconnects += 1;
                    self.simulator.close_stream(line.id);
                }
            }
        }
    }

    fn ask(&mut self, request: Request, what: What) {
        assert!(self.pending.is_none() && self.line.is_none(), "{what:?} while something is under way");
        let is_stream = what != What::Run;
        self.requests.push(Sent { at: self.now, what });
        let (at, response) = match self.simulator.request(self.now, &request) {
            Reply::Response { at, response } => (at + self.network.latency, Some(response)),
            Reply::Reset { at } => (at + self.network.latency, None),
            Reply::Never => (f64::INFINITY, None),
        };
        self.pending = Some(Pending { at, is_stream, response });
    }

    fn ended(&mut self, end: Result<(), Failure>) {
        assert!(self.end.is_none(), "ended twice");
        assert!(self.pending.is_none() && self.line.is_none(), "ended with a request under way");
        self.end = Some(end);
    }

    /// Goes to the next thing that happens, not beyond `limit`; false if nothing happens until then.
    pub(crate) fn step_until(&mut self, limit: f64) -> bool {
        self.drain();
        let answer = self.pending.as_ref().map_or(f64::INFINITY, |pending| pending.at.max(self.now));
        let timer =
            self.follower.deadline().map_or(f64::INFINITY, |time| (time + self.lateness).max(self.now));
        let (bytes, poll) = self.look(limit.min(timer));
        let next = answer.min(bytes).min(timer);
        if next > limit || next == f64::INFINITY {
            self.now = if limit.is_finite() { limit.max(self.now) } else { self.now };
            return false;
        }
        self.now = next.max(self.now);
        if next == answer {
            self.answered();
        } else if let Some(poll) = poll.filter(|_| next == bytes) {
            self.read(poll);
        } else {
            self.follower.handle_time(self.now);
        }
        self.drain();
        true
    }

    /// What the open connection has to say, and when.
    fn look(&mut self, limit: f64) -> (f64, Option<Poll>) {
        let Some(line) = self.line.as_mut().filter(|_| self.reading) else { return (f64::INFINITY, None) };
        let mut time = self.now;
        let mut want = self.network.read_size;
        if let Some(cut) = line.cut {
            want = want.min(cut.after - line.got);
            if want == 0 {
                return match cut.how {
                    How::Reset => (time, Some(Poll::Reset)),
                    How::End => (time, Some(Poll::End)),
                    How::Stall => (f64::INFINITY, None),
                };
            }
        }
        loop {
            match self.simulator.poll_stream(time, line.id, want) {
                Poll::WaitUntil(later) if later > limit => return (f64::INFINITY, None),
                Poll::WaitUntil(later) => time = later,
                poll => return (time, Some(poll)),
            }
        }
    }

    fn answered(&mut self) {
        let Some(Pending { is_stream, response, .. }) = self.pending.take() else { return };
        let Some(response) = response else {
            let failure = network_failure();
            return if is_stream {
                self.follower.handle_failure(self.now, failure, None);
            } else {
                self.follower.handle_run(self.now, Err(failure));
            };
        };
        let header = |name: &str| response.header_value(name).unwrap_or_default().to_owned();
        let head = Head {
            status: response.status,
            content_type: header("content-type"),
            request_id: header("x-request-id"),
        };
        let hint = header_ms(&header("retry-after"));
        let ok = (200..300).contains(&response.status);
        match (is_stream, response.body) {
            (true, Body::Stream(id)) => {
                let cut = self.network.cuts.get(self.connections).copied();
                self.connections += 1;
                self.wire.push(Vec::new());
                self.line = Some(Line { id, cut, got: 0 });
                self.follower.handle_opened(self.now, head, true);
            }
            (true, Body::Full(body)) if ok => self.follower.handle_opened(self.now, head, !body.is_empty()),
            (true, Body::Full(body)) => {
                self.follower.handle_failure(self.now, Failure::of_answer(head, body), hint);
            }
            (false, Body::Full(body)) if ok => {
                let Ok(record) = serde_json::from_slice::<Value>(&body) else {
                    return self.follower.handle_run(self.now, Err(network_failure()));
                };
                let status = match record["status"].as_str() {
                    Some("CREATING" | "RUNNING") => RunStatus::Running,
                    Some("FINISHED") => RunStatus::Finished,
                    Some("CANCELLED") => RunStatus::Cancelled,
                    _ => RunStatus::Error,
                };
                self.follower.handle_run(self.now, Ok(status));
            }
            (false, Body::Full(body)) => {
                self.follower.handle_run(self.now, Err(Failure::of_answer(head, body)))
            }
            (false, Body::Stream(_)) => panic!("a record is no stream"),
        }
    }

    fn read(&mut self, poll: Poll) {
        self.reading = false;
        match poll {
            Poll::Bytes(bytes) => {
                if let Some(line) = &mut self.line {
                    line.got += bytes.len();
                }
                if !self.forget
                    && let Some(wire) = self.wire.last_mut()
                {
                    wire.extend_from_slice(&bytes);
                }
                self.follower.handle_chunk(self.now, &bytes);
            }
            Poll::End => {
                self.hang_up();
                self.follower.handle_end(self.now);
            }
            _ => {
                self.hang_up();
                self.follower.handle_failure(self.now, network_failure(), None);
            }
        }
    }

    fn hang_up(&mut self) {
        if let Some(line) = self.line.take() {
            self.simulator.close_stream(line.id);
        }
    }

    /// Lives until a time.
    pub(crate) fn run_until(&mut self, time: f64) {
        let mut steps = 0;
        while self.end.is_none() && self.step_until(time) {
            steps += 1;
            assert!(steps < 20_000_000, "the follower never rests");
        }
    }

    pub(crate) fn run_for(&mut self, ms: f64) {
        self.run_until(self.now + ms);
    }

    /// Lives until the consumer has been told the end.
    pub(crate) fn finish(&mut self) {
        let mut steps = 0_u32;
        while self.end.is_none() {
            assert!(self.step_until(f64::INFINITY), "nothing will ever happen: {:?}", self.requests.last());
            steps += 1;
            assert!(steps < 200_000, "the follower never ends: {:?}", self.requests.last());
        }
        self.drain();
        assert!(self.follower.is_over() && self.line.is_none() && self.pending.is_none());
    }

    /// The page is loaded again: the follower is gone with all that it knew.
    pub(crate) fn reload(&mut self) {
        self.hang_up();
        (self.pending, self.reading) = (None, false);
        self.follower = Follower::new(options());
    }

    /// The machine's clock jumps, as after sleep: nothing happened meanwhile.
    pub(crate) fn jump(&mut self, ms: f64) {
        self.now += ms;
    }

    /// The connection is silent from now on, and nobody says so.
    pub(crate) fn half_open(&mut self) {
        if let Some(line) = &mut self.line {
            line.cut = Some(Cut { after: line.got, how: How::Stall });
        }
    }

    /// What happened, for people: the run, what the consumer got, and what was asked.
    pub(crate) fn story(&self) -> String {
        let mut lines = vec![String::new(), "the run:".into()];
        let frames = self.simulator.frames(&self.run.run_id, 0, 100).unwrap();
        lines.extend(
            frames.iter().map(|f| format!("  {}#{} {}", f.event, f.id.as_deref().unwrap_or("-"), f.data)),
        );
        lines.push("seen:".into());
        lines.extend(self.seen.iter().map(|seen| format!("  {seen}")));
        lines.push("asked:".into());
        lines.extend(self.requests.iter().map(|sent| format!("  {} {:?}", sent.at - START, sent.what)));
        lines.push(format!("end: {:?}", self.end));
        lines.join("\n")
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.line.is_some()
    }
    /// The ids of the stream requests so far.
    pub(crate) fn ids(&self) -> Vec<Option<&str>> {
        let sent = self.requests.iter().filter_map(|sent| match &sent.what {
            What::Stream { last_event_id } => Some(last_event_id.as_deref()),
            What::Run => None,
        });
        sent.collect()
    }

    pub(crate) fn times_run_asked(&self) -> usize {
        self.requests.len() - self.ids().len()
    }
}

fn network_failure() -> Failure {
    Failure::local(runwire::cloud::FailureKind::Network, "network", "The connection broke")
}

/// `Retry-After` in seconds; dates are the driver's matter.
fn header_ms(value: &str) -> Option<f64> {
    value.parse::<f64>().ok().map(|seconds| seconds * 1_000.0)
}
