//! The follower's options and their defaults: the one place where they stand.

/// How to follow. Times are in milliseconds.
#[derive(Debug, Clone)]
pub struct Options {
    /// The longest event or line of the stream, in bytes.
    pub max_event_bytes: usize,
    /// The shortest delay between attempts.
    pub min_delay_ms: f64,
    /// The longest delay between attempts.
    pub max_delay_ms: f64,
    /// How long to go on trying without success; infinite for ever.
    pub give_up_after_ms: f64,
    /// How many attempts to make without success; infinite for no limit.
    pub attempts: f64,
    /// How long a connection may bring no byte while it is read.
    pub idle_timeout_ms: f64,
    /// How long a connection may bring no content while it is read.
    pub stall_timeout_ms: f64,
    /// How long a request may take to be answered.
    pub connect_timeout_ms: f64,
    /// How long content may follow a terminal status.
    pub terminal_grace_ms: f64,
    /// How long a connection has to give a byte after the machine woke up.
    pub wake_probe_ms: f64,
    /// Give every frame as it is, with its id, instead of the messages that frames stand for.
    pub every_frame: bool,
    /// Where the random numbers of the delays begin.
    pub seed: u64,
    /// Which run it is, in any words: tokens of another are refused.
    pub run: String,
}

impl Options {
    /// Sets an option by its place in the facade's list (`engineOptions` in
    /// `pkg/src/run/follow-options.ts`).
    pub fn set(&mut self, place: usize, value: f64) {
        let slot = match place {
            0 => {
                self.max_event_bytes = value as usize;
                return;
            }
            1 => &mut self.min_delay_ms,
            2 => &mut self.max_delay_ms,
            3 => &mut self.give_up_after_ms,
            4 => &mut self.attempts,
            5 => &mut self.idle_timeout_ms,
            6 => &mut self.stall_timeout_ms,
            7 => &mut self.connect_timeout_ms,
            8 => &mut self.terminal_grace_ms,
            _ => &mut self.wake_probe_ms,
        };
        *slot = value;
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_event_bytes: 16 * 1024 * 1024,
            min_delay_ms: 250.0,
            max_delay_ms: 30_000.0,
            give_up_after_ms: 600_000.0,
            attempts: f64::INFINITY,
            idle_timeout_ms: 60_000.0,
            stall_timeout_ms: 300_000.0,
            connect_timeout_ms: 30_000.0,
            terminal_grace_ms: 5_000.0,
            wake_probe_ms: 3_000.0,
            every_frame: false,
            seed: 0,
            run: String::new(),
        }
    }
}
