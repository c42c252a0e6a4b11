//! An open connection's clock: how long it has been silent, and when that means something.

use super::options::Options;

/// What a connection's silence means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// Nothing yet.
    None,
    /// The run's end was announced and nothing has followed.
    Terminal,
    /// It is probably dead: ask, then replace it.
    Dead,
}

/// When things happened on an open connection, in the driver's milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Connection {
    since: f64,
    /// The last byte, or when reading began again: a consumer that pauses is not a dead server.
    byte: f64,
    /// The last content frame, or when reading began again.
    content: f64,
    /// When a terminal status came without content after it.
    terminal: Option<f64>,
    /// New content has come on this connection.
    has_content: bool,
    /// The machine woke up: a byte must come until then.
    probe: Option<f64>,
}

impl Connection {
    pub(super) fn new(now: f64) -> Self {
        Self { since: now, byte: now, content: now, terminal: None, has_content: false, probe: None }
    }

    pub(super) fn since(&self) -> f64 {
        self.since
    }

    pub(super) fn has_content(&self) -> bool {
        self.has_content
    }

    /// Reading goes on: a pause before it is the consumer's, and does not count.
    pub(super) fn reads(&mut self, now: f64) {
        self.content += now - self.byte;
        self.byte = now;
    }

    pub(super) fn got_bytes(&mut self, now: f64) {
        self.byte = now;
        self.probe = None;
    }

    /// A content frame was delivered.
    pub(super) fn got_content(&mut self, now: f64) {
        self.content = now;
        self.has_content = true;
        if self.terminal.is_some() {
            self.terminal = Some(now);
        }
    }

    pub(super) fn got_status(&mut self, now: f64, terminal: bool) {
        self.terminal = terminal.then_some(now);
    }

    /// The machine woke up: the connection must show that it lives. What it has queued will.
    pub(super) fn probe(&mut self, now: f64, options: &Options) {
        self.byte = now;
        self.content = now;
        self.probe = Some(now + options.wake_probe_ms);
    }

    pub(super) fn deadline(&self, options: &Options, reading: bool) -> Option<f64> {
        if !reading {
            return None;
        }
        let idle = self.byte + options.idle_timeout_ms;
        let stall = self.content + options.stall_timeout_ms;
        let grace = self.terminal.map(|since| since + options.terminal_grace_ms);
        [Some(idle), Some(stall), grace, self.probe].into_iter().flatten().reduce(f64::min)
    }

    pub(super) fn silence(&mut self, now: f64, options: &Options, reading: bool) -> Silence {
        if !reading {
            return Silence::None;
        }
        if self.terminal.is_some_and(|since| now >= since + options.terminal_grace_ms) {
            return Silence::Terminal;
        }
        if self.probe.is_some_and(|until| now >= until) {
            return Silence::Dead;
        }
        for (since, timeout) in
            [(self.byte, options.idle_timeout_ms), (self.content, options.stall_timeout_ms)]
        {
            if now >= since + timeout {
                // A timer that fires so late slept with the machine: what is queued comes first.
                if now >= since + 2.0 * timeout {
                    self.probe(now, options);
                    return Silence::None;
                }
                return Silence::Dead;
            }
        }
        Silence::None
    }
}
