//! The state machine: one consumer's way through a run, over as many connections as it takes.

use super::connection::{Connection, Silence};
use super::options::Options;
use super::resume::{Notice, Resume, Verdict};
use super::retry::{GOOD_CONNECTION, Retry};
use super::status::Statuses;
use crate::cloud::{self, Failure, FailureKind, Frame, FrameName, Head, RunStatus};
use crate::json::FlatArray;
use crate::sse::{Block, Decoder};

/// What the driver is to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Send the stream request, with this `Last-Event-ID`.
    Open {
        /// The id to resume from.
        last_event_id: Option<String>,
    },
    /// Read one chunk of the open response's body.
    Read,
    /// Ask for the run's record.
    AskRun,
    /// Hand what was encoded to the consumer.
    Deliver,
    /// Tell the consumer that the stream is over.
    End,
    /// Tell the consumer that the stream failed.
    Fail(Failure),
    /// Abort what is under way and cancel the body, whatever state they are in.
    Disconnect,
}

/// What the follower waits for.
#[derive(Debug, Clone, PartialEq)]
enum State {
    /// The first pull.
    Idle,
    /// To connect, at the next pull.
    Ready,
    /// The response's head, since then.
    Opening(f64),
    /// Bytes.
    Open(Connection),
    /// The run's record, since then; what to do when it says that the run goes on.
    Asking(f64, Then),
    /// The time to try again.
    Waiting(f64),
    /// The consumer, to be told how it ended.
    Ended(Option<Failure>),
    /// Nothing: the consumer knows, or has left.
    Over,
}

/// What follows when GET run says that the run still runs, or says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Reconnect,
    /// A terminal status was seen: believe it.
    Settle,
}

/// Follows one run's stream for one consumer.
#[derive(Debug)]
pub struct Follower {
    options: Options,
    state: State,
    decoder: Decoder,
    resume: Resume,
    retry: Retry,
    statuses: Statuses,
    /// Messages that the consumer has not got yet.
    out: FlatArray,
    /// The consumer waits for messages.
    wanted: bool,
    /// What is under way has been asked of the driver.
    asked: bool,
    /// There is something for [`Action::Disconnect`] to end.
    connected: bool,
    /// No connection has been opened before this one.
    first: bool,
    /// The run's `result` has come.
    finished: bool,
    /// The latest `error` frame, 410 or other failure: what is said when the budget is gone.
    last_failure: Option<Failure>,
    offline: bool,
}

impl Follower {
    /// A follower that has asked for nothing yet.
    pub fn new(options: Options) -> Self {
        Self {
            state: State::Idle,
            decoder: Decoder::new(options.max_event_bytes),
            resume: Resume::new(),
            retry: Retry::new(options.seed),
            statuses: Statuses::default(),
            out: FlatArray::default(),
            wanted: false,
            asked: false,
            connected: false,
            first: true,
            finished: false,
            last_failure: None,
            offline: false,
            options,
        }
    }

    /// The consumer wants the next messages.
    pub fn handle_pull(&mut self) {
        self.wanted = true;
        if self.state == State::Idle {
            self.state = State::Ready;
        }
    }

    /// The response's head has come, with or without a body to read.
    pub fn handle_opened(&mut self, now: f64, head: Head, has_body: bool) {
        if !matches!(self.state, State::Opening(_)) {
            return;
        }
        if head.status == 204 || !has_body {
            self.lost(now, None);
        } else if head.is_event_stream() {
            self.statuses.connect();
            self.enter(State::Open(Connection::new(now)));
        } else {
            let failure = Failure::of_head(head, "not_an_event_stream", "The answer is not an event stream");
            self.failed(now, failure, None);
        }
    }

    /// The answer is a refusal, or there was none. `retry_after` in milliseconds where it said so.
    pub fn handle_failure(&mut self, now: f64, failure: Failure, retry_after: Option<f64>) {
        match &self.state {
            State::Opening(_) if failure.is_invalid_last_event_id() && self.resume.is_by_id() => {
                self.resume.give_up();
                self.enter(State::Ready);
            }
            // Nothing was missed when the run's end has been told already.
            State::Opening(_)
                if failure.kind == FailureKind::StreamExpired && self.statuses.told_terminal() =>
            {
                self.settle();
            }
            State::Opening(_) | State::Open(_) => self.failed(now, failure, retry_after),
            _ => {}
        }
    }

    /// A chunk of the body.
    pub fn handle_chunk(&mut self, now: f64, chunk: &[u8]) {
        self.asked = false;
        let State::Open(connection) = &mut self.state else { return };
        connection.got_bytes(now);
        let mut reading = Reading {
            now,
            first: self.first,
            connection,
            resume: &mut self.resume,
            retry: &mut self.retry,
            statuses: &mut self.statuses,
            out: &mut self.out,
            end: None,
        };
        let result = self.decoder.push(chunk, &mut |block: Block<'_>| reading.block(block));
        let end = reading.end;
        if let Some(time) = self.decoder.reconnection_time() {
            self.retry.set_floor(time);
        }
        match end {
            Some(Ending::Result) => {
                self.finished = true;
                self.settle();
            }
            Some(Ending::Again) => self.enter(State::Ready),
            Some(Ending::Done) => self.lost(now, None),
            Some(Ending::Error(failure)) if failure.kind == FailureKind::Network => {
                self.lost(now, Some(failure))
            }
            Some(Ending::Error(failure)) => self.enter(State::Ended(Some(failure))),
            None if result.is_err() => {
                let message = "An event of the stream is longer than maxEventBytes";
                let failure = Failure::local(FailureKind::EventTooLarge, "event_too_large", message);
                self.enter(State::Ended(Some(failure)));
            }
            None => {}
        }
    }

    /// The body has ended.
    pub fn handle_end(&mut self, now: f64) {
        self.asked = false;
        if matches!(self.state, State::Open(_)) {
            self.lost(now, None);
        }
    }

    /// GET run has answered.
    pub fn handle_run(&mut self, now: f64, answer: Result<RunStatus, Failure>) {
        let State::Asking(_, then) = self.state else { return };
        let terminal = match &answer {
            Ok(status) => *status != RunStatus::Running,
            Err(failure) if !failure.is_retryable() => {
                self.enter(State::Ended(Some(failure.clone())));
                return;
            }
            Err(_) => false,
        };
        if !terminal && then == Then::Reconnect {
            self.try_again(now, answer.err(), None);
        } else if self.resume.run_over() {
            self.enter(State::Ready);
        } else {
            self.settle();
        }
    }

    /// Time has passed: [`Follower::deadline`] has come, perhaps long ago.
    pub fn handle_time(&mut self, now: f64) {
        match &mut self.state {
            State::Waiting(until) if now >= *until && !self.offline => self.enter(State::Ready),
            State::Opening(since) | State::Asking(since, _)
                if now >= *since + self.options.connect_timeout_ms =>
            {
                let message = "The service did not answer in time";
                let failure = Failure::local(FailureKind::Network, "connect_timeout", message);
                match self.state {
                    State::Asking(..) => self.handle_run(now, Err(failure)),
                    _ => self.failed(now, failure, None),
                }
            }
            State::Open(connection) => match connection.silence(now, &self.options, self.asked) {
                Silence::None => {}
                Silence::Terminal => self.enter(State::Asking(now, Then::Settle)),
                Silence::Dead => self.enter(State::Asking(now, Then::Reconnect)),
            },
            _ => {}
        }
    }

    /// The machine woke up, or the page came back: what was waited for may be due, and a connection
    /// may be dead without a word.
    pub fn handle_wake(&mut self, now: f64) {
        match &mut self.state {
            State::Waiting(until) => *until = until.min(now + self.options.min_delay_ms),
            State::Open(connection) => connection.probe(now, &self.options),
            _ => {}
        }
    }

    /// The platform says that it is offline, or online again.
    pub fn handle_online(&mut self, now: f64, online: bool) {
        self.offline = !online;
        if online {
            self.handle_wake(now);
        }
    }

    /// The consumer has left.
    pub fn handle_close(&mut self) {
        self.wanted = false;
        self.enter(State::Over);
    }

    /// What was encoded for the consumer; [`FlatArray::clear`] it when it has been handed over.
    pub fn output(&mut self) -> &mut FlatArray {
        &mut self.out
    }

    /// Whether nothing more will be asked of the driver.
    pub fn is_over(&self) -> bool {
        self.state == State::Over
    }

    /// When [`Follower::handle_time`] is to be called, if nothing happens before; in the same clock.
    pub fn deadline(&self) -> Option<f64> {
        match &self.state {
            State::Waiting(until) => Some(*until).filter(|_| !self.offline),
            State::Opening(since) | State::Asking(since, _) => Some(since + self.options.connect_timeout_ms),
            State::Open(connection) => connection.deadline(&self.options, self.asked),
            _ => None,
        }
    }

    /// What to do next; `None` when there is nothing to do until something happens.
    pub fn poll(&mut self, now: f64) -> Option<Action> {
        if self.connected && !matches!(self.state, State::Open(_) | State::Opening(_)) {
            self.connected = false;
            self.decoder.end();
            return Some(Action::Disconnect);
        }
        if self.wanted && !self.out.is_empty() {
            self.wanted = false;
            return Some(Action::Deliver);
        }
        match &mut self.state {
            State::Ready if self.wanted && !self.offline => {
                let last_event_id = self.resume.connect().map(str::to_owned);
                if let Some(notice) = self.resume.take_notice() {
                    encode_notice(&notice, &mut self.out);
                }
                self.retry.count_request(now);
                self.connected = true;
                self.state = State::Opening(now);
                Some(Action::Open { last_event_id })
            }
            State::Open(connection) if self.wanted && !self.asked => {
                self.asked = true;
                connection.reads(now);
                Some(Action::Read)
            }
            State::Asking(since, _) if !self.asked => {
                self.asked = true;
                *since = now;
                self.retry.count_request(now);
                Some(Action::AskRun)
            }
            State::Ended(failure) if self.wanted => {
                let failure = failure.take();
                self.handle_close();
                Some(failure.map_or(Action::End, Action::Fail))
            }
            _ => None,
        }
    }

    fn enter(&mut self, state: State) {
        self.asked = false;
        self.state = state;
    }

    /// The connection is over without a result: GET run decides.
    fn lost(&mut self, now: f64, failure: Option<Failure>) {
        self.connection_over(now);
        if failure.is_some() {
            self.last_failure = failure;
        }
        let terminal = self.statuses.told_terminal() || self.statuses.keeps_terminal();
        self.enter(State::Asking(now, if terminal { Then::Settle } else { Then::Reconnect }));
    }

    /// The connection failed, or there was none.
    fn failed(&mut self, now: f64, failure: Failure, retry_after: Option<f64>) {
        self.connection_over(now);
        if failure.is_retryable() {
            self.try_again(now, Some(failure), retry_after);
        } else {
            self.enter(State::Ended(Some(failure)));
        }
    }

    fn connection_over(&mut self, now: f64) {
        if let State::Open(connection) = &self.state {
            self.first = false;
            if now - connection.since() >= GOOD_CONNECTION {
                self.retry.reset();
            }
        }
    }

    fn try_again(&mut self, now: f64, failure: Option<Failure>, retry_after: Option<f64>) {
        if failure.is_some() {
            self.last_failure = failure;
        }
        match self.retry.next(now, retry_after, &self.options) {
            Some(delay) => self.enter(State::Waiting(now + delay)),
            None => {
                let failure = self.last_failure.take().unwrap_or_else(|| {
                    let message = "The stream kept breaking off before the run's result";
                    Failure::local(FailureKind::Network, "stream_cut", message)
                });
                self.enter(State::Ended(Some(failure)));
            }
        }
    }

    /// The run is over and everything has come.
    fn settle(&mut self) {
        if let Some(data) = self.statuses.release(true) {
            encode_status(&data, &mut self.out);
        }
        if let Some(notice) = self.resume.take_notice() {
            encode_notice(&notice, &mut self.out);
        }
        self.enter(State::Ended(None));
    }
}

/// How a frame ends a connection.
enum Ending {
    Result,
    Done,
    Error(Failure),
    /// The replay is not what it should be.
    Again,
}

/// One chunk being read.
struct Reading<'a> {
    now: f64,
    first: bool,
    connection: &'a mut Connection,
    resume: &'a mut Resume,
    retry: &'a mut Retry,
    statuses: &'a mut Statuses,
    out: &'a mut FlatArray,
    end: Option<Ending>,
}

impl Reading<'_> {
    fn block(&mut self, block: Block<'_>) {
        // What follows the end on this connection is not the run's any more.
        if self.end.is_some() {
            return;
        }
        let Some(frame) = Frame::of(block) else { return };
        if frame.name.is_content(frame.id.is_some_and(|id| !id.is_empty())) {
            self.content(&frame);
            return;
        }
        match frame.name {
            FrameName::Status => self.status(&frame),
            FrameName::Done => self.end = Some(Ending::Done),
            FrameName::Error => self.end = Some(Ending::Error(Failure::of_error_frame(frame.data))),
            _ => cloud::encode_message(&frame, self.out),
        }
    }

    fn content(&mut self, frame: &Frame<'_>) {
        let was_live = self.resume.is_live();
        let verdict = self.resume.frame(frame);
        if let Some(notice) = self.resume.take_notice() {
            encode_notice(&notice, self.out);
        }
        match verdict {
            Verdict::Deliver => self.deliver(frame),
            Verdict::DeliverRest(rest) => {
                let data = rest.as_data();
                self.deliver(&Frame { data: &data, ..*frame });
            }
            Verdict::Drop => {}
            Verdict::Reconnect => {
                self.end = Some(Ending::Again);
                return;
            }
        }
        if !was_live
            && self.resume.is_live()
            && let Some(data) = self.statuses.release(false)
        {
            encode_status(&data, self.out);
        }
        // What was delivered before stays so: the end may be the last frame of a replay.
        if frame.name == FrameName::Result && self.end.is_none() && self.resume.is_live() {
            self.end = Some(Ending::Result);
        }
    }

    fn deliver(&mut self, frame: &Frame<'_>) {
        self.connection.got_content(self.now);
        self.retry.progress();
        cloud::encode_message(frame, self.out);
    }

    fn status(&mut self, frame: &Frame<'_>) {
        let terminal = super::status::is_terminal(frame.data);
        if self.first || self.connection.has_content() {
            self.statuses.tell(frame.data);
            cloud::encode_message(frame, self.out);
        } else {
            self.statuses.keep(frame.data);
            if self.resume.is_live()
                && let Some(data) = self.statuses.release(false)
            {
                encode_status(&data, self.out);
            }
        }
        self.connection.got_status(self.now, terminal);
    }
}

fn encode_status(data: &[u8], out: &mut FlatArray) {
    cloud::encode_message(&Frame { name: FrameName::Status, event: b"status", id: None, data }, out);
}

fn encode_notice(notice: &Notice, out: &mut FlatArray) {
    let (code, id) = match notice {
        Notice::EventsLost { last_event_id } => ("events_lost", last_event_id),
        Notice::ReplayMismatch { last_event_id } => ("replay_mismatch", last_event_id),
    };
    cloud::encode_resume_warning(code, id, out);
}
