//! An open connection's clock: how long it has been silent, and when that means something.

use super::options::Options;

/// How long `done` or the body's end may take after the run's `result`, in milliseconds.
const RESULT_GRACE: f64 = 1_000.0;

/// What a connection's silence means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// Nothing yet.
    None,
    /// The run's result has come, and nothing need follow.
    Finished,
    /// The run's end was announced and nothing has followed.
    Terminal,
    /// It has not shown that it outlived the machine's sleep.
    Asleep,
    /// It is probably dead.
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
    /// A frame has come.
    has_frames: bool,
    /// A terminal status came in its place.
    has_ended: bool,
    /// When a terminal status came without content after it.
    terminal: Option<f64>,
    /// When the run's result came.
    finished: Option<f64>,
    /// New content has come on this connection.
    has_news: bool,
    /// When the machine woke up: a byte must come soon.
    probe: Option<f64>,
}

impl Connection {
    pub(super) fn new(now: f64) -> Self {
        Self {
            since: now,
            byte: now,
            content: now,
            has_frames: false,
            has_ended: false,
            terminal: None,
            finished: None,
            has_news: false,
            probe: None,
        }
    }

    pub(super) fn since(&self) -> f64 {
        self.since
    }

    pub(super) fn has_news(&self) -> bool {
        self.has_news
    }

    pub(super) fn has_frames(&self) -> bool {
        self.has_frames
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished.is_some()
    }

    /// Reading goes on: a pause before it is the consumer's, and does not count.
    pub(super) fn reads(&mut self, now: f64) {
        let pause = now - self.byte;
        self.byte = now;
        self.content += pause;
        self.terminal = self.terminal.map(|since| since + pause);
        self.probe = self.probe.map(|_| now);
    }

    pub(super) fn got_bytes(&mut self, now: f64) {
        self.byte = now;
        self.probe = None;
    }

    /// A content frame came, perhaps one that was delivered before.
    pub(super) fn got_content(&mut self, now: f64, is_new: bool) {
        self.has_frames = true;
        self.content = now;
        self.has_news |= is_new;
        self.terminal = self.terminal.map(|_| now);
    }

    pub(super) fn got_status(&mut self, now: f64, is_terminal: bool, in_place: bool) {
        self.terminal = is_terminal.then_some(now);
        self.has_ended = is_terminal && in_place;
        self.has_frames = true;
    }

    pub(super) fn got_result(&mut self, now: f64) {
        self.finished.get_or_insert(now);
    }

    /// The machine woke up: the connection must show that it lives. What it has queued will.
    pub(super) fn probe(&mut self, now: f64) {
        self.byte = now;
        self.content = now;
        self.terminal = self.terminal.map(|_| now);
        self.probe = Some(now);
    }

    /// What there is to wait for: since when (infinity where there is nothing), how long, and what it
    /// means when it is over.
    fn timers(&self, options: &Options, reading: bool) -> [(f64, f64, Silence); 5] {
        let read = |since: Option<f64>| since.filter(|_| reading).unwrap_or(f64::INFINITY);
        let woken = if self.terminal.is_some() { Silence::Terminal } else { Silence::Asleep };
        [
            (self.finished.unwrap_or(f64::INFINITY), RESULT_GRACE, Silence::Finished),
            (read(self.probe), options.wake_probe_ms, woken),
            (read(self.terminal), options.terminal_grace_ms, Silence::Terminal),
            (read(Some(self.byte)), options.idle_timeout_ms, Silence::Dead),
            (read(Some(self.content)), options.stall_timeout_ms, Silence::Dead),
        ]
    }

    pub(super) fn deadline(&self, options: &Options, reading: bool) -> Option<f64> {
        let timers = self.timers(options, reading);
        let first = timers.iter().fold(f64::INFINITY, |first, (since, length, _)| first.min(since + length));
        Some(first).filter(|time| time.is_finite())
    }

    pub(super) fn silence(&mut self, now: f64, options: &Options, reading: bool) -> Silence {
        for (since, length, meaning) in self.timers(options, reading) {
            let late = now - since - length;
            if late < 0.0 {
                continue;
            }
            // A timer that fires so late slept with the machine: what is queued comes first.
            if late > length && self.probe.is_none() && meaning != Silence::Finished {
                self.probe(now);
                return Silence::None;
            }
            return meaning;
        }
        Silence::None
    }
}
