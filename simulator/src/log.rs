//! The record of requests, for tests that ask what a client really sent.

use crate::endpoint::Endpoint;
use std::collections::VecDeque;

/// One request, with nothing left out: tests look for secrets in it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedRequest {
    /// Counts all requests from 1.
    pub number: u64,
    /// When it arrived.
    pub at: f64,
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Which endpoint it was for.
    pub endpoint: Endpoint,
    /// All headers, as they came.
    pub headers: Vec<(String, String)>,
    /// The body, as text.
    pub body: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Whether it was carried out; false if a rule answered in its stead.
    pub executed: bool,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An answer with this status.
    Status(u16),
    /// A network error.
    Reset,
    /// No answer, ever.
    Never,
}

/// Totals since the simulator was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Requests of any kind.
    pub requests: u64,
    /// Connections to streams that were opened.
    pub streams_opened: u64,
    /// Connections to streams that are open now.
    pub streams_open: u64,
    /// Bytes of stream bodies.
    pub stream_bytes: u64,
    /// Runs that exist, however they came to be.
    pub runs: u64,
}

/// The newest requests.
#[derive(Debug)]
pub(crate) struct Log {
    kept: VecDeque<LoggedRequest>,
    limit: usize,
}

impl Log {
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: VecDeque::new(), limit }
    }

    pub(crate) fn push(&mut self, request: LoggedRequest) {
        if self.limit == 0 {
            return;
        }
        while self.kept.len() >= self.limit {
            self.kept.pop_front();
        }
        self.kept.push_back(request);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &LoggedRequest> {
        self.kept.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }
}
