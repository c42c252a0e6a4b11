//! What becomes of the run itself: its state, its outcome for whoever waits, and cancelling it.
//!
//! Streams tell it what they see of the run's end. It asks for the run's record where they cannot
//! see it, or saw only a part. Driven as the follower is: **one input, then drain** [`Watch::poll`].

use super::options::Options;
use super::retry::{LATE, Retry, no_answer};
use crate::cloud::{Failure, FailureKind, Outcome, RunStatus};

/// Between two questions while no stream can be read, in milliseconds: at first, and at most.
const POLL: (f64, f64) = (2_000.0, 15_000.0);

/// How long after a cancel the run may take to say that it is over, in milliseconds.
const CANCEL_GRACE: f64 = 5_000.0;

/// Between two questions meanwhile.
const CANCEL_POLL: f64 = 1_000.0;

/// How often cancelling is tried.
const CANCEL_ATTEMPTS: u8 = 3;

/// What the driver is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Ask for the run's record.
    AskRun,
    /// Ask the service to cancel the run.
    Cancel,
    /// Abort what is under way.
    Disconnect,
    /// Tell the streams that the service is cancelling the run.
    Cancelling,
    /// Tell everybody: the run's state has changed.
    Changed(RunStatus),
    /// Tell who waits: the outcome is as complete as it gets.
    Settled,
    /// Tell who waits: how the run ends cannot be observed.
    Lost(Failure),
    /// Tell who cancelled: the run is over.
    Cancelled,
    /// Tell who cancelled: the run goes on.
    NotCancelled(Failure),
}

#[derive(Debug)]
enum Cancel {
    No,
    /// To be asked for, at this time; so often it has been.
    Due(f64, u8),
    Asked(u8),
    /// The service agreed; the run is over by then.
    Agreed(f64),
    /// The service said that it cannot be: because it is over?
    Refused(Failure),
}

/// The next question, while no stream tells how the run goes on.
#[derive(Debug)]
struct Poll {
    delay: f64,
    cap: f64,
    /// Only until a stream is read again.
    stalled: bool,
}

/// Watches one run for everybody who holds its handle.
#[derive(Debug)]
pub struct Watch {
    options: Options,
    retry: Retry,
    status: RunStatus,
    outcome: Option<Outcome>,
    /// The outcome is as complete as it gets.
    settled: bool,
    /// Somebody waits or listens.
    observed: bool,
    cancel: Cancel,
    poll: Option<Poll>,
    /// When the next question is due.
    due: f64,
    /// What is under way, since then.
    asked: Option<f64>,
    /// The platform says that it is offline, since then.
    offline: Option<f64>,
    tasks: Vec<Task>,
}

impl Watch {
    /// Watches a run that is not known to be over.
    pub fn new(options: Options) -> Self {
        Self {
            retry: Retry::new(options.seed),
            options,
            status: RunStatus::Running,
            outcome: None,
            settled: false,
            observed: false,
            cancel: Cancel::No,
            poll: None,
            due: 0.0,
            asked: None,
            offline: None,
            tasks: Vec::new(),
        }
    }

    /// How the run ended, as far as it is known.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Whether anything is left to find out.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// Somebody waits or listens, or nobody does any more.
    pub fn handle_observed(&mut self, observed: bool) {
        self.observed = observed;
        if observed && self.settled {
            self.tasks.push(Task::Settled);
        }
        if !observed {
            self.poll = None;
            self.retry.reset();
        }
    }

    /// A stream saw how the run ended. `asked` when it has asked for the record, too.
    pub fn handle_outcome(&mut self, outcome: Outcome, asked: bool) {
        let complete = asked || outcome.is_complete();
        self.learn(outcome, complete);
    }

    /// Nobody reads the streams that could tell (or somebody does again).
    pub fn handle_stalled(&mut self, now: f64, stalled: bool) {
        if !stalled {
            self.poll.take_if(|poll| poll.stalled);
        } else if self.poll.is_none() {
            self.poll = Some(Poll { delay: POLL.0, cap: POLL.1, stalled });
            self.due = now + POLL.0;
        }
    }

    /// A stream failed.
    pub fn handle_stream_failed(&mut self, now: f64, failure: Failure) {
        if !self.observed || self.settled {
            return;
        }
        let cap = match failure.kind {
            FailureKind::StreamExpired | FailureKind::EventTooLarge => POLL.1,
            _ if failure.is_retryable() => self.options.max_delay_ms,
            _ => return self.tasks.push(Task::Lost(failure)),
        };
        self.retry.reset();
        self.poll = Some(Poll { delay: POLL.0.min(cap), cap, stalled: false });
        self.due = now;
    }

    /// A stream came to its end.
    pub fn handle_stream_ended(&mut self, now: f64) {
        // Its result may have been something that nobody can read.
        if self.outcome.is_none() && self.observed {
            self.poll = Some(Poll { delay: POLL.0, cap: POLL.1, stalled: false });
            self.due = now;
        }
    }

    /// Somebody wants the run cancelled. Told by [`Task::Cancelled`] or [`Task::NotCancelled`], once
    /// however often this is called meanwhile.
    pub fn handle_cancel(&mut self, now: f64) {
        if self.status != RunStatus::Running {
            self.tasks.push(Task::Cancelled);
        } else if matches!(self.cancel, Cancel::No) {
            self.cancel = Cancel::Due(now, 0);
        }
    }

    /// The service has answered to [`Task::Cancel`]. `streaming` when a stream is open that will show
    /// the run's end. `retry_after` in milliseconds where it said so.
    pub fn handle_cancel_answer(
        &mut self,
        now: f64,
        answer: Result<(), Failure>,
        retry_after: Option<f64>,
        streaming: bool,
    ) {
        self.asked = None;
        let Cancel::Asked(attempts) = self.cancel else { return };
        match answer {
            Ok(()) => {
                self.cancel = Cancel::Agreed(now + CANCEL_GRACE);
                self.due = if streaming { now + CANCEL_POLL } else { now };
                self.tasks.push(Task::Cancelling);
            }
            Err(failure) if failure.status() == 409 => {
                // A relay may drop the body that says so.
                let message = "The service refuses to cancel the run";
                self.cancel = Cancel::Refused(failure.or_code("run_not_cancellable", message));
                self.due = now;
            }
            Err(failure) => {
                let attempts = attempts.saturating_sub(u8::from(self.offline.is_some()));
                let again = attempts < CANCEL_ATTEMPTS;
                match again.then(|| self.delay(now, &failure, retry_after)).flatten() {
                    Some(delay) => self.cancel = Cancel::Due(now + delay, attempts),
                    None => self.not_cancelled(failure),
                }
            }
        }
    }

    /// GET run has answered, to whoever asked: its outcome, `None` when the run goes on.
    pub fn handle_record(&mut self, now: f64, outcome: Option<Outcome>) {
        match outcome {
            Some(outcome) => self.learn(outcome, true),
            // A terminal status is believed, whatever the record says.
            None => {
                self.retry.reset();
                self.answered(now, None);
            }
        }
    }

    /// GET run has failed, for this watch.
    pub fn handle_record_failed(&mut self, now: f64, failure: Failure, retry_after: Option<f64>) {
        self.answered(now, Some((failure, retry_after)));
    }

    /// What this watch asked for has been answered.
    pub fn handle_asked(&mut self) {
        self.asked = None;
    }

    /// The record does not tell how the run ended.
    fn answered(&mut self, now: f64, failed: Option<(Failure, Option<f64>)>) {
        if self.outcome.is_some() {
            self.settle();
            return;
        }
        match std::mem::replace(&mut self.cancel, Cancel::No) {
            Cancel::Refused(failure) => {
                return self.not_cancelled(failed.map_or(failure, |(failed, _)| failed));
            }
            cancel => self.cancel = cancel,
        }
        if let Cancel::Agreed(_) = self.cancel {
            self.due = now + CANCEL_POLL;
            return;
        }
        let Some(poll) = &mut self.poll else { return };
        self.due = now + poll.delay;
        let Some((failure, retry_after)) = failed else {
            poll.delay = (poll.delay * 2.0).min(poll.cap);
            return;
        };
        match self.delay(now, &failure, retry_after) {
            Some(delay) => self.due = now + delay,
            None => {
                self.poll = None;
                self.retry.reset();
                self.tasks.push(Task::Lost(failure));
            }
        }
    }

    /// How long to wait before what has failed is tried again; `None` when it is not.
    fn delay(&mut self, now: f64, failure: &Failure, retry_after: Option<f64>) -> Option<f64> {
        if !failure.is_retryable() {
            None
        } else if self.offline.is_some() {
            // That it failed is no wonder, and no attempt.
            Some(0.0)
        } else {
            self.retry.next(now, retry_after, &self.options)
        }
    }

    /// Time has passed: [`Watch::deadline`] has come, perhaps long ago.
    pub fn handle_time(&mut self, now: f64) {
        if let Some(late) = self.deadline().map(|deadline| now - deadline).filter(|late| *late > LATE) {
            self.retry.excuse(late);
            if late > self.options.connect_timeout_ms {
                // The answer may lie there.
                self.asked = self.asked.map(|_| now);
            }
        }
        if let Cancel::Agreed(until) = self.cancel
            && now >= until
        {
            self.learn(Outcome::cancelled(), true);
        }
        if self.asked.is_some_and(|since| now >= since + self.options.connect_timeout_ms) {
            self.tasks.push(Task::Disconnect);
            let failure = no_answer();
            if let Cancel::Asked(_) = self.cancel {
                self.handle_cancel_answer(now, Err(failure), None, false);
            } else {
                self.asked = None;
                self.answered(now, Some((failure, None)));
            }
        }
    }

    /// The platform says that it is offline, or online again.
    pub fn handle_online(&mut self, now: f64, online: bool) {
        if !online {
            self.offline.get_or_insert(now);
        } else if let Some(since) = self.offline.take() {
            self.retry.excuse(now - since);
            self.due = self.due.max(self.retry.wake(now, &self.options));
        }
    }

    /// When [`Watch::handle_time`] or [`Watch::poll`] is to be called, if nothing happens before.
    pub fn deadline(&self) -> Option<f64> {
        let next = match (self.asked, &self.cancel) {
            (Some(since), _) => since + self.options.connect_timeout_ms,
            _ if self.offline.is_some() => f64::INFINITY,
            (None, Cancel::Due(at, _)) => *at,
            _ if self.wants_record() => self.due,
            _ => f64::INFINITY,
        };
        let agreed = if let Cancel::Agreed(until) = self.cancel { until } else { f64::INFINITY };
        Some(next.min(agreed)).filter(|time| time.is_finite())
    }

    /// What to do next; `None` when there is nothing to do until something happens.
    pub fn poll(&mut self, now: f64) -> Option<Task> {
        if !self.tasks.is_empty() {
            return Some(self.tasks.remove(0));
        }
        if self.asked.is_some() || self.offline.is_some() {
            return None;
        }
        match self.cancel {
            Cancel::Due(at, attempts) if now >= at => {
                self.cancel = Cancel::Asked(attempts + 1);
                self.asked = Some(now);
                Some(Task::Cancel)
            }
            _ if self.wants_record() && now >= self.due => {
                self.asked = Some(now);
                Some(Task::AskRun)
            }
            _ => None,
        }
    }

    fn wants_record(&self) -> bool {
        let is_over = self.outcome.is_some();
        let polls = self.poll.is_some() || is_over;
        let cancels = matches!(self.cancel, Cancel::Agreed(_) | Cancel::Refused(_)) && !is_over;
        !self.settled && (cancels || (self.observed && polls))
    }

    /// The run is over. What was learned first stays: a terminal status is never overwritten.
    fn learn(&mut self, outcome: Outcome, complete: bool) {
        if self.settled {
            return;
        }
        match &mut self.outcome {
            Some(known) => known.complete(outcome),
            None => {
                self.status = outcome.status();
                self.outcome = Some(outcome);
                self.due = 0.0;
                self.tasks.push(Task::Changed(self.status));
                if !matches!(std::mem::replace(&mut self.cancel, Cancel::No), Cancel::No) {
                    self.tasks.push(Task::Cancelled);
                }
            }
        }
        if complete {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.settled = true;
        self.poll = None;
        if self.asked.take().is_some() {
            self.tasks.push(Task::Disconnect);
        }
        self.tasks.push(Task::Settled);
    }

    fn not_cancelled(&mut self, failure: Failure) {
        self.cancel = Cancel::No;
        self.retry.reset();
        self.tasks.push(Task::NotCancelled(failure));
    }
}
