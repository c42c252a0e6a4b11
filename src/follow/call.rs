//! One call of the API: sent, and sent again when that may help and do no harm.
//!
//! Driven as the follower is: **one input, then drain** [`Call::poll`].

use super::options::Options;
use super::retry::{Retry, no_answer};
use crate::cloud::{Failure, FailureKind};

/// How often a call is tried again where the caller does not say.
const RETRIES: f64 = 2.0;

/// What the driver is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send the request.
    Send,
    /// Abort what is under way.
    Disconnect,
    /// Tell the caller that the answer is there.
    Done,
    /// Tell the caller why there is none.
    Fail(Failure),
}

#[derive(Debug)]
enum State {
    /// To be sent, at this time.
    Due(f64),
    /// Sent, since then.
    Sent(f64),
    /// To be told to the caller.
    Ended(Option<Failure>),
    Over,
}

/// A call that has begun.
#[derive(Debug)]
pub struct Call {
    options: Options,
    retry: Retry,
    /// Sending it twice does what sending it once does.
    repeatable: bool,
    /// When the caller wants no answer any more.
    ends: f64,
    state: State,
    /// Something is under way that nobody waits for any more.
    hangs: bool,
    offline: bool,
}

impl Call {
    /// A call that begins now, and may take `timeout_ms` in all; infinite for no limit.
    pub fn new(mut options: Options, now: f64, repeatable: bool, timeout_ms: f64) -> Self {
        if options.attempts == f64::INFINITY {
            options.attempts = RETRIES;
        }
        Self {
            retry: Retry::new(options.seed),
            options,
            repeatable,
            ends: now + timeout_ms,
            state: State::Due(now),
            hangs: false,
            offline: false,
        }
    }

    /// The answer has come.
    pub fn handle_answer(&mut self) {
        if let State::Sent(_) = self.state {
            self.state = State::Ended(None);
        }
    }

    /// There is no answer, or it is a refusal. `retry_after` in milliseconds where it said so.
    pub fn handle_failure(&mut self, now: f64, failure: Failure, retry_after: Option<f64>) {
        if let State::Sent(_) = self.state {
            self.failed(now, failure, retry_after);
        }
    }

    fn failed(&mut self, now: f64, failure: Failure, retry_after: Option<f64>) {
        // A refusal for being too many has done nothing, whatever was asked for.
        let may = failure.is_retryable() && (self.repeatable || failure.kind == FailureKind::RateLimit);
        let delay = if may { self.retry.next(now, retry_after, &self.options) } else { None };
        self.state = match delay {
            Some(delay) if now + delay < self.ends => State::Due(now + delay),
            _ => State::Ended(Some(failure)),
        };
    }

    /// Time has passed: [`Call::deadline`] has come, perhaps long ago.
    pub fn handle_time(&mut self, now: f64) {
        let (State::Due(since) | State::Sent(since)) = self.state else { return };
        let is_sent = matches!(self.state, State::Sent(_));
        if now >= self.ends {
            self.hangs = is_sent;
            let message = "The call took longer than timeoutMs";
            self.state = State::Ended(Some(Failure::local(FailureKind::Network, "timeout", message)));
        } else if is_sent && now >= since + self.options.connect_timeout_ms {
            self.hangs = true;
            self.failed(now, no_answer(), None);
        }
    }

    /// The platform says that it is offline, or online again.
    pub fn handle_online(&mut self, online: bool) {
        self.offline = !online;
    }

    /// When [`Call::handle_time`] or [`Call::poll`] is to be called, if nothing happens before.
    pub fn deadline(&self) -> Option<f64> {
        let next = match self.state {
            State::Due(at) if !self.offline => at,
            State::Due(_) => f64::INFINITY,
            State::Sent(since) => since + self.options.connect_timeout_ms,
            State::Ended(_) | State::Over => return None,
        };
        Some(next.min(self.ends)).filter(|time| time.is_finite())
    }

    /// What to do next; `None` when there is nothing to do until something happens.
    pub fn poll(&mut self, now: f64) -> Option<Step> {
        if std::mem::take(&mut self.hangs) {
            return Some(Step::Disconnect);
        }
        match &mut self.state {
            State::Due(at) if now >= *at && !self.offline => {
                self.state = State::Sent(now);
                Some(Step::Send)
            }
            State::Ended(failure) => {
                let failure = failure.take();
                self.state = State::Over;
                Some(failure.map_or(Step::Done, Step::Fail))
            }
            _ => None,
        }
    }
}
