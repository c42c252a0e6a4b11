//! The state machine: one consumer's way through a run, over as many connections as it takes.

use super::connection::{Connection, Silence};
use super::mark::Trail;
use super::options::Options;
use super::reading::{Ending, Finish, Output, Reading};
use super::resume::Resume;
use super::retry::{Retry, no_answer};
use super::state::{Action, Link, State, Then};
use super::status::Statuses;
use crate::cloud::{Failure, FailureKind, Head, Outcome, RunStatus};
use crate::json::Batch;
use crate::sse::{Block, Decoder};

mod ends;
mod places;
mod waking;

/// Follows one run's stream for one consumer.
#[derive(Debug)]
pub struct Follower {
    options: Options,
    state: State,
    decoder: Decoder,
    resume: Resume,
    retry: Retry,
    statuses: Statuses,
    /// What is known of the run's end.
    finish: Finish,
    /// GET run has been asked how it ended.
    asked_run: bool,
    /// The caller has cancelled the run.
    cancelled: bool,
    /// The way to here from the oldest place that may still be asked for.
    trail: Trail,
    /// Messages that the consumer has not got yet.
    out: Batch,
    /// How many it has got.
    handed: u64,
    /// The consumer waits for messages.
    wanted: bool,
    /// What is under way has been asked of the driver.
    asked: bool,
    /// There is something for [`Action::Disconnect`] to end.
    connected: bool,
    /// No connection has been opened before this one.
    first: bool,
    /// A terminal status came in its place: all content has.
    ended: bool,
    /// The run is known to be over: what is missing is fetched, until a connection brings nothing.
    known_over: bool,
    /// How many connections have been opened since, or since one brought new content.
    encores: u8,
    /// The last connection brought new content.
    has_news: bool,
    /// The latest failure: what is said when the budget is gone.
    last_failure: Option<Failure>,
    /// The platform says that it is offline, since then.
    offline: Option<f64>,
    /// The page is hidden, since then.
    hidden: Option<f64>,
    /// When the service was last heard of, if that was long enough ago to matter.
    heard: f64,
    /// How long the service keeps a stream.
    retention: f64,
}

impl Follower {
    /// A follower that has asked for nothing yet.
    #[inline(never)]
    pub fn new(options: Options) -> Self {
        Self {
            state: State::Idle,
            decoder: Decoder::new(options.max_event_bytes),
            resume: Resume::new(),
            retry: Retry::new(options.seed),
            statuses: Statuses::default(),
            finish: Finish::default(),
            asked_run: false,
            cancelled: false,
            trail: Trail::new(),
            out: Batch::default(),
            handed: 0,
            wanted: false,
            asked: false,
            connected: false,
            first: true,
            ended: false,
            known_over: false,
            encores: 0,
            has_news: false,
            last_failure: None,
            offline: None,
            hidden: None,
            heard: f64::INFINITY,
            retention: f64::INFINITY,
            options,
        }
    }

    /// The consumer wants the next messages, and has read all that it got.
    pub fn handle_pull(&mut self) {
        self.handle_pull_after(u64::MAX);
    }

    /// The same of a consumer that has read so many messages: its places from there on may be asked
    /// for with [`Follower::token_at`].
    pub fn handle_pull_after(&mut self, read: u64) {
        self.wanted = true;
        if read >= self.handed && self.out.is_empty() {
            self.trail.begin(self.is_at_end(), &self.statuses, &self.resume);
        } else {
            self.trail.advance(read);
        }
        if matches!(self.state, State::Idle) {
            self.state = State::Ready;
        }
    }

    /// The response's head has come, with or without a body to read.
    pub fn handle_opened(&mut self, now: f64, head: Head, has_body: bool) {
        if !matches!(self.state, State::Opening(_)) {
            return;
        }
        self.heard = now;
        if !has_body {
            self.lost(now, None, if head.status == 204 { Then::Done } else { Then::Reconnect });
        } else if head.is_event_stream() {
            self.statuses.connect();
            self.enter(State::Open(Connection::new(now)));
        } else {
            let failure = Failure::of_answer(head, Vec::new());
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
            // Nothing was missed when the run's end has come already.
            State::Opening(_) if failure.kind == FailureKind::StreamExpired && self.ended => {
                self.settle();
            }
            State::Opening(_) | State::Open(_) => self.failed(now, failure, retry_after),
            _ => {}
        }
    }

    /// The service said, with an answer, how long it keeps a stream; in milliseconds.
    pub fn handle_retention(&mut self, ms: f64) {
        self.retention = ms;
    }

    /// Room for a chunk of the body, for [`Follower::handle_read`]; see [`Decoder::room`].
    pub fn room(&mut self, length: usize) -> &mut [u8] {
        self.decoder.room(length)
    }

    /// A chunk of the body.
    pub fn handle_chunk(&mut self, now: f64, chunk: &[u8]) {
        if let Some(room) = self.room(chunk.len()).get_mut(..chunk.len()) {
            room.copy_from_slice(chunk);
        }
        self.handle_read(now, chunk.len());
    }

    /// A chunk of the body, in [`Follower::room`].
    pub fn handle_read(&mut self, now: f64, length: usize) {
        let State::Open(connection) = &mut self.state else { return };
        self.asked = false;
        self.heard = now;
        connection.got_bytes(now);
        let out = Output { batch: &mut self.out, every_frame: self.options.every_frame };
        let mut reading = Reading {
            now,
            first: self.first,
            connection,
            resume: &mut self.resume,
            retry: &mut self.retry,
            statuses: &mut self.statuses,
            finish: &mut self.finish,
            trail: &mut self.trail,
            handed: self.handed,
            out,
            end: None,
        };
        let result = self.decoder.read(length, &mut |block: Block<'_>| reading.block(block));
        let end = reading.end;
        if let Some(time) = self.decoder.reconnection_time() {
            self.retry.set_floor(time);
        }
        match end {
            Some(Ending::Again) => {
                self.connection_over(now);
                self.enter(State::Ready);
            }
            Some(Ending::Done) => self.lost(now, None, Then::Done),
            Some(Ending::Error(failure)) if failure.is_retryable() => {
                self.lost(now, Some(failure), Then::Reconnect);
            }
            Some(Ending::Error(failure)) => self.failed(now, failure, None),
            None if result.is_err() => {
                let message = "An event of the stream is longer than maxEventBytes";
                let failure = Failure::local(FailureKind::EventTooLarge, "event_too_large", message);
                self.failed(now, failure, None);
            }
            None => {}
        }
    }

    /// The body has ended.
    pub fn handle_end(&mut self, now: f64) {
        if matches!(self.state, State::Open(_)) {
            self.lost(now, None, Then::Reconnect);
        }
    }

    /// GET run has answered.
    pub fn handle_run(&mut self, now: f64, answer: Result<RunStatus, Failure>) {
        let State::Asking(_, then) = self.state else { return };
        self.heard = now;
        self.asked_run = true;
        match answer {
            _ if matches!(then, Then::Settle | Then::Sticky) => self.over(then),
            Err(failure) => self.failed(now, failure, None),
            Ok(_) if then == Then::Connect => self.enter(State::Ready),
            Ok(RunStatus::Running) => self.try_again(now, None),
            Ok(_) => self.over(then),
        }
    }

    /// Time has passed: [`Follower::deadline`] has come, perhaps long ago.
    pub fn handle_time(&mut self, now: f64) {
        self.slept(now);
        match &mut self.state {
            State::Waiting(until) if now >= *until && self.offline.is_none() => self.enter(State::Ready),
            State::Opening(since) | State::Asking(since, _)
                if now >= *since + self.options.connect_timeout_ms =>
            {
                let failure = no_answer();
                match self.state {
                    State::Asking(..) => self.handle_run(now, Err(failure)),
                    _ => self.failed(now, failure, None),
                }
            }
            State::Open(connection) => match connection.silence(now, &self.options, self.asked) {
                Silence::None => {}
                Silence::Finished => self.settle(),
                Silence::Terminal => self.lost(now, None, Then::Reconnect),
                Silence::Asleep => {
                    self.connection_over(now);
                    self.retry.forgive();
                    self.last_failure = Some(silent());
                    self.try_again(now, None);
                }
                Silence::Dead => self.lost(now, Some(silent()), Then::Reconnect),
            },
            _ => {}
        }
    }

    /// The service agreed to cancel the run: the stream goes on to its end, which is told as a
    /// status if the service tells none.
    pub fn handle_cancelled(&mut self) {
        self.cancelled = true;
    }

    /// Nothing need come any more.
    pub(super) fn is_at_end(&self) -> bool {
        let here = match &self.state {
            State::Open(connection) => connection.has_ended() || connection.is_finished(),
            _ => false,
        };
        self.ended || here
    }

    /// How the run ended, once, when the stream has shown it; and whether its record was asked for.
    pub fn take_outcome(&mut self) -> Option<(Outcome, bool)> {
        Some((self.finish.outcome.take()?, self.asked_run))
    }

    /// What a terminal status said, when it is believed and only its details are asked for.
    pub fn believed(&self) -> Option<Outcome> {
        let State::Asking(_, Then::Settle | Then::Sticky) = self.state else { return None };
        self.finish.believed()
    }

    /// How the connection is, for people.
    pub fn link(&self) -> Link {
        match &self.state {
            State::Ready | State::Opening(_) | State::Asking(..) => Link::Connecting,
            State::Open(_) => Link::Open,
            State::Waiting(until) => Link::Waiting(*until),
            State::Idle | State::Ended(_) | State::Over => Link::Closed,
        }
    }

    /// How many attempts have been made since the last that worked.
    pub fn attempts(&self) -> u32 {
        self.retry.attempts()
    }

    /// Why the last connection is no more.
    pub fn last_failure(&self) -> Option<&Failure> {
        self.last_failure.as_ref()
    }

    /// The id that a resume would send; before there is one, the only id that has come; else empty.
    pub fn last_event_id(&self) -> &[u8] {
        self.resume.last_id()
    }

    /// How long the service keeps a stream, in milliseconds; infinite when it has not said.
    pub fn retention(&self) -> f64 {
        self.retention
    }

    /// The consumer has left.
    pub fn handle_close(&mut self) {
        self.wanted = false;
        self.enter(State::Over);
    }

    /// What was encoded for the consumer; [`Batch::clear`] it when it has been handed over.
    pub fn output(&mut self) -> &mut Batch {
        &mut self.out
    }

    /// Whether nothing more will be asked of the driver.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    /// When [`Follower::handle_time`] is to be called, if nothing happens before; in the same clock.
    pub fn deadline(&self) -> Option<f64> {
        match &self.state {
            State::Waiting(until) => Some(*until).filter(|_| self.offline.is_none()),
            State::Asking(..) if !self.asked => None,
            State::Opening(since) | State::Asking(since, _) => Some(since + self.options.connect_timeout_ms),
            State::Open(connection) => connection.deadline(&self.options, self.asked),
            _ => None,
        }
    }

    /// What to do next; `None` when there is nothing to do until something happens.
    pub fn poll(&mut self, now: f64) -> Option<Action> {
        let is_under_way = match self.state {
            State::Opening(_) | State::Open(_) => true,
            State::Asking(..) => self.asked,
            _ => false,
        };
        if self.connected && !is_under_way {
            self.connected = false;
            self.decoder.end();
            return Some(Action::Disconnect);
        }
        if self.wanted && !self.out.is_empty() {
            self.wanted = false;
            self.handed += self.out.count();
            return Some(Action::Deliver);
        }
        let online = self.offline.is_none();
        if online && self.wanted && matches!(self.state, State::Ready) && now - self.heard > self.retention {
            self.heard = now;
            self.enter(State::Asking(now, Then::Connect));
        }
        match &mut self.state {
            State::Ready if self.wanted && online => {
                let last_event_id = self.resume.connect();
                if self.resume.is_anew() {
                    self.trail.anew(self.handed + self.out.count());
                }
                let mut out = Output { batch: &mut self.out, every_frame: false };
                out.notice(&mut self.resume);
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
            State::Asking(since, _) if !self.asked && online => {
                self.asked = true;
                self.connected = true;
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
}

#[cold]
fn silent() -> Failure {
    Failure::local(FailureKind::Network, "stream_silent", "The stream was silent for too long")
}
