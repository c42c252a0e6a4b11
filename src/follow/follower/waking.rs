//! Sleep, hidden pages and the platform's word on the network.

use super::Follower;
use crate::follow::retry::LATE;
use crate::follow::state::State;

/// A page hidden for less than this, in milliseconds, has missed nothing.
const HIDDEN: f64 = 30_000.0;

impl Follower {
    /// The machine woke up, or the page came back: what was waited for may be due, and a connection
    /// may be dead without a word.
    pub fn handle_wake(&mut self, now: f64) {
        self.slept(now);
        match &mut self.state {
            State::Waiting(until) if now < *until && self.offline.is_none() => {
                *until = until.min(self.retry.wake(now, &self.options));
            }
            State::Waiting(_) => self.handle_time(now),
            State::Open(connection) => connection.probe(now),
            _ => {}
        }
    }

    /// The platform says that it is offline, or online again.
    pub fn handle_online(&mut self, now: f64, online: bool) {
        if !online {
            self.offline.get_or_insert(now);
        } else if let Some(since) = self.offline.take() {
            self.retry.excuse(now - since);
            if let State::Waiting(until) = &mut self.state {
                // What was due meanwhile is not due for everybody at the same moment.
                *until = until.max(self.retry.wake(now, &self.options));
            }
            self.handle_wake(now);
        }
    }

    /// The page is hidden, or visible again.
    pub fn handle_visible(&mut self, now: f64, visible: bool) {
        if !visible {
            self.hidden.get_or_insert(now);
        } else if self.hidden.take().is_some_and(|since| now - since >= HIDDEN) {
            self.handle_wake(now);
        }
    }

    /// Notices that the machine slept: that time is nobody's fault.
    pub(super) fn slept(&mut self, now: f64) {
        let Some(late) = self.deadline().map(|deadline| now - deadline).filter(|late| *late > LATE) else {
            return;
        };
        self.retry.excuse(late);
        if let State::Opening(since) | State::Asking(since, _) = &mut self.state
            && late > self.options.connect_timeout_ms
        {
            *since = now;
        }
    }
}
