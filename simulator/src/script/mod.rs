//! What happens in a run, as a sequence of frames that can be read at any index.
//!
//! `stored` holds short scripts, which runs share; `long` computes frame `i` from `i`, so that a million of them take
//! no memory; `compose` turns a scenario's acts into frames; `wire` reads recorded event-stream text.

pub(crate) mod compose;
mod long;
mod stored;
pub(crate) mod wire;

pub(crate) use long::Long;
pub(crate) use stored::{Entry, Id, Stored};

use crate::run::RunState;
use serde_json::{Map, Value};

/// One block of an event stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The `event:` field.
    pub event: String,
    /// The `id:` field.
    pub id: Option<String>,
    /// The `data:` field; each line of it becomes a line of its own.
    pub data: String,
    /// The block's text as it is to be sent, in place of the other fields.
    pub raw: Option<String>,
}

impl Frame {
    pub(crate) fn new(event: &str, data: &Value) -> Self {
        Self { event: event.to_owned(), id: None, data: data.to_string(), raw: None }
    }
}

/// What differs between the runs that share a script.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) run: String,
    pub(crate) agent: String,
    /// Added to the milliseconds in ids, so that no run knows another's ids.
    pub(crate) id_base: u64,
}

impl Names {
    pub(crate) fn fill(&self, text: &str) -> String {
        text.replace("$RUN_ID", &self.run).replace("$AGENT_ID", &self.agent)
    }
}

/// The frames of a run, were nobody to interfere.
#[derive(Debug)]
pub(crate) enum Script {
    Stored(Stored),
    Long(Long),
}

impl Script {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Stored(script) => script.len(),
            Self::Long(script) => script.len(),
        }
    }

    /// When frame `index` happens, in the run's own milliseconds. Never decreases.
    pub(crate) fn at(&self, index: u64) -> f64 {
        match self {
            Self::Stored(script) => script.at(index),
            Self::Long(script) => script.at(index),
        }
    }

    pub(crate) fn frame(&self, index: u64, names: &Names) -> Option<Frame> {
        match self {
            Self::Stored(script) => script.frame(index, names),
            Self::Long(script) => script.frame(index, names),
        }
    }

    /// The frames that carry `id`, in order.
    pub(crate) fn occurrences(&self, id: &str, names: &Names) -> Vec<u64> {
        match self {
            Self::Stored(script) => script.occurrences(id, names),
            Self::Long(script) => script.occurrences(id, names),
        }
    }

    /// The run's state once the first `head` frames have happened.
    pub(crate) fn state(&self, head: u64) -> RunState {
        match self {
            Self::Stored(script) => script.state(head),
            Self::Long(script) => script.state(head),
        }
    }

    /// What a finished run's record holds beyond its state: `result`, `durationMs`, `git`, `error`.
    pub(crate) fn record(&self, names: &Names) -> Value {
        match self {
            Self::Stored(script) => script.record(names),
            Self::Long(script) => script.record(),
        }
    }

    /// Tokens used by the first `head` frames.
    pub(crate) fn usage(&self, head: u64) -> Usage {
        match self {
            Self::Stored(script) => script.usage(head),
            Self::Long(script) => script.usage(head),
        }
    }
}

/// What a record holds beyond the state, from a `result` frame's data: its `text` is called `result` there.
pub(crate) fn record_of_result(data: &Value) -> Value {
    let mut record = Map::new();
    for (from, to) in [("durationMs", "durationMs"), ("text", "result"), ("error", "error"), ("git", "git")] {
        if let Some(value) = data.get(from) {
            record.insert(to.to_owned(), value.clone());
        }
    }
    Value::Object(record)
}

/// Token counts, as `turn-ended` and `GET usage` have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
}

impl Usage {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
        }
    }

    pub(crate) fn total(self) -> u64 {
        [self.output, self.cache_read, self.cache_write].into_iter().fold(self.input, u64::saturating_add)
    }
}
