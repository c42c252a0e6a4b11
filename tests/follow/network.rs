//! What lies between follower and service, and what goes over it.

/// How a connection breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// A network error.
    Reset,
    /// A clean end of the body.
    End,
    /// Silence.
    Stall,
}

/// A connection breaks after that many bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub(crate) after: usize,
    pub(crate) how: How,
}

/// What lies between follower and service.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// What happens to the first, second, … connection that brings a body; later ones are whole.
    pub(crate) cuts: Vec<Cut>,
    /// The most that one read brings.
    pub(crate) read_size: usize,
    /// How long an answer takes.
    pub(crate) latency: f64,
}

impl Default for Network {
    fn default() -> Self {
        Self { cuts: Vec::new(), read_size: 16_384, latency: 0.0 }
    }
}

/// What the follower asked of the service.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sent {
    pub(crate) at: f64,
    pub(crate) what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    Stream { last_event_id: Option<String> },
    Run,
}
