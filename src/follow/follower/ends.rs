//! How a connection ends, and when the run does.

use super::Follower;
use crate::cloud::{Failure, FailureKind};
use crate::follow::reading::Output;
use crate::follow::retry::GOOD_CONNECTION;
use crate::follow::state::{State, Then};

/// Connections that bring nothing new before a run that is over, without having said so, is done.
const ENCORES: u8 = 3;

impl Follower {
    /// The connection is over without a result: GET run decides.
    pub(super) fn lost(&mut self, now: f64, failure: Option<Failure>, then: Then) {
        if self.connection_over(now) {
            return;
        }
        self.last_failure = failure;
        let then = if self.ended {
            Then::Settle
        } else if then == Then::Reconnect && self.statuses.knows_terminal() {
            Then::Sticky
        } else {
            then
        };
        if self.known_over {
            self.over(then);
        } else {
            self.enter(State::Asking(now, then));
        }
    }

    /// The connection or the question failed.
    pub(super) fn failed(&mut self, now: f64, failure: Failure, retry_after: Option<f64>) {
        if self.connection_over(now) {
            return;
        }
        if failure.is_retryable() {
            self.last_failure = Some(failure);
            self.try_again(now, retry_after);
        } else {
            self.enter(State::Ended(Some(failure)));
        }
    }

    /// A connection is over; says whether the run is, because its result has come.
    pub(super) fn connection_over(&mut self, now: f64) -> bool {
        let State::Open(connection) = &self.state else { return false };
        self.first = false;
        self.ended |= connection.has_ended();
        self.has_news = connection.has_news();
        if now - connection.since() >= GOOD_CONNECTION {
            self.retry.reset();
        }
        let finished = connection.is_finished();
        if finished {
            self.settle();
        }
        finished
    }

    pub(super) fn try_again(&mut self, now: f64, retry_after: Option<f64>) {
        if self.offline.is_some() {
            self.enter(State::Waiting(now));
            return;
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

    /// The run is over; but has everything come? A body may end early and look whole, so a few
    /// connections more must have brought nothing.
    pub(super) fn over(&mut self, then: Then) {
        if self.has_news {
            self.encores = 0;
        }
        let complete =
            then == Then::Done || self.encores >= ENCORES || (self.encores > 0 && self.resume.is_anew());
        if then != Then::Settle && (!complete || self.resume.run_over()) {
            self.known_over = true;
            self.encores = self.encores.saturating_add(1);
            self.enter(State::Ready);
        } else {
            self.settle();
        }
    }

    /// The run is over and everything has come.
    pub(super) fn settle(&mut self) {
        let mut out = Output { batch: &mut self.out, every_frame: self.options.every_frame };
        out.notice(&mut self.resume);
        out.status(self.statuses.release(true));
        if self.cancelled && !self.finish.uncancelled && !self.statuses.knows_terminal() {
            let data = br#"{"status":"CANCELLED"}"#;
            self.statuses.tell(data);
            out.status(Some(data.to_vec()));
        }
        self.finish.outcome = self.finish.outcome.take().or_else(|| self.finish.believed());
        self.enter(State::Ended(None));
    }
}
