//! One call of the API: sent, and sent again when that may help and do no harm.
//!
//! Driven as the follower is: **one input, then drain** [`Call::poll`].

use super::options::Options;
use super::retry::{Retry, no_answer};
use crate::cloud::{Failure, FailureKind};

/// How often a call is tried again where the caller does not say.
const RETRIES: f64 = 2.0;

/// Between two attempts while the agent is still busy with a run that has been cancelled, in milliseconds.
const BUSY_DELAY: f64 = 500.0;

/// What the driver is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send the request.
    Send,
    /// Find out whether the service has done it: [`Call::handle_looked`].
    Look,
    /// Abort what is under way.
    Disconnect,
    /// Tell the caller that the answer is there.
    Done,
    /// Tell the caller why there is none.
    Fail(Failure),
}

/// How a call is to be treated.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    /// Sending it twice does what sending it once does. Else whether it has been done is looked up
    /// before it is sent again.
    pub repeatable: bool,
    /// The agent may still be busy with a run that has been cancelled.
    pub after_cancel: bool,
    /// It may have been done by an earlier call.
    pub doubted: bool,
}

/// What was found where it was not known whether a call had been done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// It has not been done.
    Nothing,
    /// It has been done.
    Done,
    /// That cannot be told.
    Unclear,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// To be sent, at this time.
    Due(f64),
    /// Sent, since then.
    Sent(f64),
    /// Perhaps done: that is being looked up.
    Doubtful,
    /// To be told to the caller: the failure that there is, or the answer.
    Ended,
    Over,
}

/// A call that has begun.
#[derive(Debug)]
pub struct Call {
    options: Options,
    retry: Retry,
    manner: Manner,
    began: f64,
    /// When the caller wants no answer any more.
    ends: f64,
    state: State,
    /// What went wrong last, unless it ended well, and the service's `Retry-After` then.
    failure: Option<Failure>,
    hint: Option<f64>,
    /// Something is under way that nobody waits for any more.
    hangs: bool,
    /// Looking is to begin.
    looks: bool,
    /// Whether the last request has been carried out is not known.
    unclear: bool,
    offline: bool,
}

impl Call {
    /// A call that begins now, and may take `timeout_ms` in all; infinite for no limit.
    pub fn new(mut options: Options, now: f64, manner: Manner, timeout_ms: f64) -> Self {
        if options.attempts == f64::INFINITY {
            options.attempts = RETRIES;
        }
        Self {
            retry: Retry::new(options.seed),
            options,
            manner,
            began: now,
            ends: now + timeout_ms,
            state: State::Due(now),
            failure: None,
            hint: None,
            hangs: false,
            looks: false,
            unclear: false,
            offline: false,
        }
    }

    /// The answer has come.
    pub fn handle_answer(&mut self) {
        if let State::Sent(_) = self.state {
            self.end(None);
        }
    }

    /// There is no answer, or it is a refusal. `retry_after` in milliseconds where it said so.
    pub fn handle_failure(&mut self, now: f64, failure: Failure, retry_after: Option<f64>) {
        if let State::Sent(_) = self.state {
            self.failed(now, failure, retry_after);
        }
    }

    /// Nothing has been sent, for want of what was to be sent with it.
    pub fn handle_unsent(&mut self, now: f64, failure: Failure) {
        if let State::Sent(_) = self.state {
            let may_repeat = failure.is_retryable();
            self.end(Some(failure));
            self.hint = None;
            if may_repeat {
                self.again(now);
            }
        }
    }

    /// [`Step::Look`] has led to this.
    pub fn handle_looked(&mut self, now: f64, found: Found) {
        if self.state != State::Doubtful {
            return;
        }
        self.unclear = found == Found::Unclear;
        match found {
            Found::Nothing => self.again(now),
            Found::Done => self.end(None),
            Found::Unclear => self.state = State::Ended,
        }
    }

    fn end(&mut self, failure: Option<Failure>) {
        self.failure = failure;
        self.state = State::Ended;
    }

    fn failed(&mut self, now: f64, failure: Failure, retry_after: Option<f64>) {
        let is_busy = failure.kind == FailureKind::AgentBusy;
        let passes = is_busy && self.manner.after_cancel;
        // The service may have done what it did not answer to, and even what it says to have been too much; or
        // what was done before is why it refuses.
        let is_lost = failure.is_retryable() || failure.is_unreadable();
        let is_there = self.manner.doubted && (is_busy || failure.has_code("agent_id_conflict"));
        let may_repeat = self.manner.repeatable && failure.is_retryable();
        self.end(Some(failure));
        self.hint = retry_after;
        if passes && now < self.began + self.options.terminal_grace_ms {
            self.state = State::Due(now + BUSY_DELAY);
        } else if may_repeat {
            self.again(now);
        } else if !self.manner.repeatable && (is_lost || is_there) {
            self.doubt();
            self.looks = true;
            self.state = State::Doubtful;
        }
    }

    /// The last request may have been carried out.
    fn doubt(&mut self) {
        self.manner.doubted = true;
        self.unclear = true;
    }

    /// Whether it may have been done, by this call or by one before, though it has failed: `Some(true)`
    /// where that cannot be told now, `Some(false)` where it did not show when it was looked for.
    pub fn doubts(&self) -> Option<bool> {
        (self.manner.doubted && !self.manner.repeatable).then_some(self.unclear)
    }

    /// Sends it again after a delay, or not.
    fn again(&mut self, now: f64) {
        let delay = self.retry.next(now, self.hint, &self.options).filter(|delay| now + delay < self.ends);
        self.state = delay.map_or(State::Ended, |delay| State::Due(now + delay));
    }

    /// Time has passed: [`Call::deadline`] has come, perhaps long ago.
    pub fn handle_time(&mut self, now: f64) {
        if matches!(self.state, State::Ended | State::Over) {
            return;
        }
        if now >= self.ends {
            self.hangs = matches!(self.state, State::Sent(_));
            if self.hangs {
                self.doubt();
            }
            let message = "The call took longer than timeoutMs";
            self.end(Some(Failure::local(FailureKind::Network, "timeout", message)));
        } else if let State::Sent(since) = self.state
            && now >= since + self.options.connect_timeout_ms
        {
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
            State::Due(_) | State::Doubtful => f64::INFINITY,
            State::Sent(since) => since + self.options.connect_timeout_ms,
            State::Ended | State::Over => return None,
        };
        Some(next.min(self.ends)).filter(|time| time.is_finite())
    }

    /// What to do next; `None` when there is nothing to do until something happens.
    pub fn poll(&mut self, now: f64) -> Option<Step> {
        if std::mem::take(&mut self.hangs) {
            return Some(Step::Disconnect);
        }
        match self.state {
            State::Due(at) if now >= at && !self.offline => {
                self.state = State::Sent(now);
                Some(Step::Send)
            }
            State::Doubtful if std::mem::take(&mut self.looks) => Some(Step::Look),
            State::Ended => {
                self.state = State::Over;
                Some(self.failure.take().map_or(Step::Done, Step::Fail))
            }
            _ => None,
        }
    }
}
