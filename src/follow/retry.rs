//! When to try again: a budget, jitter, and a bound on what a silent run may cost.

use super::options::Options;
use crate::cloud::{Failure, FailureKind};

/// A timer that fires so late, in milliseconds, slept with the machine.
pub(super) const LATE: f64 = 10_000.0;

/// The longest that a server may make us wait, in milliseconds.
const HINT_LIMIT: f64 = 300_000.0;

/// A connection open this long, in milliseconds, was a good one.
pub(super) const GOOD_CONNECTION: f64 = 30_000.0;

/// Requests that a run without new content may make at once, and how far apart further ones are in
/// milliseconds: together at most 240 in any hour.
const BURST: f64 = 16.0;
const SPACING: f64 = 16_400.0;

/// Counts attempts since the last success and says how long to wait before the next.
#[derive(Debug, Clone)]
pub(super) struct Retry {
    /// Attempts since the last reset.
    attempts: f64,
    /// How often the delay has doubled since then.
    doublings: i32,
    /// When the first attempt since then was due.
    since: Option<f64>,
    /// New content has come, or the connection was good: the next attempt need not wait.
    immediate: bool,
    /// The next attempt costs nothing.
    free: bool,
    /// The server's `retry:` field, clamped.
    floor: f64,
    /// Not before this: the server's `Retry-After`.
    hinted: f64,
    /// When the last delay was cut short.
    woken: f64,
    /// When the next request may be made so that a run without new content costs no more than it
    /// may; moved on by each request.
    allowance: f64,
    random: u64,
}

impl Retry {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            attempts: 0.0,
            doublings: 0,
            since: None,
            immediate: false,
            free: false,
            floor: 0.0,
            hinted: 0.0,
            woken: 0.0,
            allowance: 0.0,
            // Neighbouring seeds must not give neighbouring numbers, and none may be zero.
            random: seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    /// New content, or a connection that was good: the budget is whole again.
    pub(super) fn reset(&mut self) {
        self.attempts = 0.0;
        self.doublings = 0;
        self.since = None;
        self.immediate = true;
    }

    /// New content has come: what the run has cost so far was worth it.
    pub(super) fn progress(&mut self) {
        self.reset();
        self.allowance = 0.0;
    }

    /// The stream said how long to wait between connections.
    pub(super) fn set_floor(&mut self, reconnection_time: u64) {
        self.floor = (reconnection_time as f64).min(HINT_LIMIT);
    }

    /// Attempts since the last reset.
    pub(super) fn attempts(&self) -> u32 {
        self.attempts as u32
    }

    /// A request is made.
    pub(super) fn count_request(&mut self, now: f64) {
        self.allowance = self.allowance.max(now - BURST * SPACING) + SPACING;
    }

    /// Time in which nothing could be tried is not spent.
    pub(super) fn excuse(&mut self, ms: f64) {
        self.since = self.since.map(|since| since + ms);
    }

    /// The next attempt is no fault of the server's: it is made at once and costs nothing.
    pub(super) fn forgive(&mut self) {
        self.immediate = true;
        self.free = true;
    }

    /// When a delay that was interrupted by waking may end: early, but once per floor, and not
    /// before the server wants it.
    pub(super) fn wake(&mut self, now: f64, options: &Options) -> f64 {
        self.woken = now.max(self.woken + self.floor(options));
        let early = self.woken + self.random() * options.min_delay_ms;
        early.max(self.hinted).max(self.allowance)
    }

    /// An attempt has failed: the delay before the next in milliseconds, or `None` when the budget
    /// is gone. `hint` is the server's `Retry-After`.
    pub(super) fn next(&mut self, now: f64, hint: Option<f64>, options: &Options) -> Option<f64> {
        let floor = self.floor(options);
        let immediate = std::mem::take(&mut self.immediate);
        if !std::mem::take(&mut self.free) {
            let since = *self.since.get_or_insert(now);
            self.attempts += 1.0;
            if now - since >= options.give_up_after_ms || self.attempts > options.attempts {
                return None;
            }
        }
        let delay = if immediate {
            self.random() * floor
        } else {
            self.doublings = self.doublings.saturating_add(1).min(32);
            let doubled = options.min_delay_ms * (1_u64 << self.doublings) as f64;
            let cap = doubled.min(options.max_delay_ms).max(floor);
            floor + self.random() * (cap - floor)
        };
        // A hint is a wish of the server's: not before it, and not all clients at once after it.
        let hint = hint.map_or(0.0, |hint| hint.min(HINT_LIMIT));
        let delay = if hint > 0.0 { hint + delay.min(hint.max(options.min_delay_ms)) } else { delay };
        self.hinted = now + hint;
        let least = hint.max(self.allowance - now);
        let left = self.since.map_or(f64::INFINITY, |since| since + options.give_up_after_ms - now);
        // The last attempt is made when the budget ends; one that could only be later is not waited for.
        (least <= left).then(|| delay.max(least).min(left))
    }

    fn floor(&self, options: &Options) -> f64 {
        options.min_delay_ms.max(self.floor)
    }

    /// A number in [0, 1): xorshift64*, which is enough to keep clients apart.
    fn random(&mut self) -> f64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let bits = self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        bits as f64 / (1_u64 << 53) as f64
    }
}

/// A request was not answered.
#[cold]
#[inline(never)]
pub(super) fn no_answer() -> Failure {
    Failure::local(FailureKind::Network, "connect_timeout", "The service did not answer in time")
}
