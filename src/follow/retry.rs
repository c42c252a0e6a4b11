//! When to try again: a budget, jitter, and a bound on what a silent run may cost.

use super::options::Options;

/// The longest that a server may make us wait, in milliseconds.
const HINT_LIMIT: f64 = 300_000.0;

/// A connection open this long, in milliseconds, was a good one.
pub(super) const GOOD_CONNECTION: f64 = 30_000.0;

/// Requests that a run without new content may make at once, and how far apart further ones are in
/// milliseconds: together at most 240 in any hour.
const BURST: f64 = 20.0;
const SPACING: f64 = 16_400.0;

/// Counts attempts since the last success and says how long to wait before the next.
#[derive(Debug, Clone)]
pub(super) struct Retry {
    /// Failed attempts since the last reset.
    attempts: u32,
    /// When the first of them failed.
    since: Option<f64>,
    /// New content has come, or the connection was good: the next attempt need not wait.
    immediate: bool,
    /// The server's `retry:` field, clamped.
    floor: f64,
    /// When the next request may be made so that a run without new content costs no more than it
    /// may; moved on by each request.
    allowance: f64,
    random: u64,
}

impl Retry {
    pub(super) fn new(seed: u64) -> Self {
        // A generator must not begin at zero.
        Self { attempts: 0, since: None, immediate: false, floor: 0.0, allowance: 0.0, random: seed | 1 }
    }

    /// New content, or a connection that was good: the budget is whole again.
    pub(super) fn reset(&mut self) {
        self.attempts = 0;
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

    /// A request is made.
    pub(super) fn count_request(&mut self, now: f64) {
        self.allowance = self.allowance.max(now - BURST * SPACING) + SPACING;
    }

    /// An attempt has failed: the delay before the next in milliseconds, or `None` when the budget
    /// is gone. `hint` is the server's `Retry-After`.
    pub(super) fn next(&mut self, now: f64, hint: Option<f64>, options: &Options) -> Option<f64> {
        let floor = options.min_delay_ms.max(self.floor);
        let delay = if std::mem::take(&mut self.immediate) {
            self.random() * floor
        } else {
            let since = *self.since.get_or_insert(now);
            self.attempts = self.attempts.saturating_add(1);
            if now - since >= options.give_up_after_ms || f64::from(self.attempts) > options.attempts {
                return None;
            }
            let doubled = options.min_delay_ms * 2_f64.powi(self.attempts.min(32) as i32);
            let cap = doubled.min(options.max_delay_ms).max(floor);
            floor + self.random() * (cap - floor)
        };
        // A hint is a wish of the server's: not before it, and not all clients at once after it.
        let delay =
            hint.map_or(delay, |hint| hint.min(HINT_LIMIT) + delay.min(hint.max(options.min_delay_ms)));
        Some(delay.max(self.allowance - now))
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
