//! A script that is held in memory, once for all runs of its scenario.

use super::{Frame, Names, Usage, record_of_result};
use crate::json::json;
use crate::run::RunState;
use serde_json::Value;

/// The `id:` of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    None,
    /// As it is, for scripts that were given by the caller.
    Fixed(String),
    /// `<ms>-<n>`, moved by the run's base.
    At {
        ms: u64,
        n: u32,
    },
}

impl Id {
    pub(crate) fn text(&self, names: &Names) -> Option<String> {
        match self {
            Self::None => None,
            Self::Fixed(id) => Some(id.clone()),
            Self::At { ms, n } => Some(format!("{}-{n}", names.id_base + ms)),
        }
    }
}

/// One frame with its time.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) at: f64,
    pub(crate) event: String,
    pub(crate) id: Id,
    pub(crate) data: String,
    pub(crate) raw: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Stored {
    entries: Vec<Entry>,
    /// (index of the frame, the state it brings), in order.
    states: Vec<(u64, RunState)>,
    /// (index of the frame, tokens up to and with it), in order.
    usage: Vec<(u64, Usage)>,
    record: Value,
    /// The state once all frames have happened, if they do not say it themselves.
    ends_as: Option<RunState>,
}

impl Stored {
    /// Times must not decrease; one that does is raised to the one before.
    pub(crate) fn new(mut entries: Vec<Entry>) -> Self {
        let (mut states, mut usage) = (Vec::new(), Vec::new());
        let (mut clock, mut used) = (0.0_f64, Usage::default());
        let mut record = Value::Null;
        for (index, entry) in (0_u64..).zip(&mut entries) {
            clock = clock.max(entry.at);
            entry.at = clock;
            let interesting = matches!(entry.event.as_str(), "status" | "result" | "interaction_update");
            let Some(data) = interesting.then(|| serde_json::from_str::<Value>(&entry.data).ok()).flatten()
            else {
                continue;
            };
            if entry.event == "interaction_update" {
                if let Some(tokens) = turn_usage(&data) {
                    used = used.plus(tokens);
                    usage.push((index, used));
                }
                continue;
            }
            if let Some(state) = data.get("status").and_then(Value::as_str).and_then(RunState::parse) {
                states.push((index, state));
            }
            if entry.event == "result" {
                record = record_of_result(&data);
            }
        }
        Self { entries, states, usage, record, ends_as: None }
    }

    pub(crate) fn ending_as(mut self, state: Option<RunState>) -> Self {
        self.ends_as = state;
        self
    }

    fn entry(&self, index: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(index).ok()?)
    }

    pub(crate) fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    pub(crate) fn at(&self, index: u64) -> f64 {
        self.entry(index).or(self.entries.last()).map_or(0.0, |entry| entry.at)
    }

    pub(crate) fn frame(&self, index: u64, names: &Names) -> Option<Frame> {
        let entry = self.entry(index)?;
        Some(Frame {
            event: entry.event.clone(),
            id: entry.id.text(names),
            data: names.fill(&entry.data),
            raw: entry.raw.as_ref().map(|raw| names.fill(raw)),
        })
    }

    pub(crate) fn occurrences(&self, id: &str, names: &Names) -> Vec<u64> {
        let carries = |entry: &Entry| entry.id.text(names).is_some_and(|own| own == id);
        (0..).zip(&self.entries).filter(|(_, entry)| carries(entry)).map(|(index, _)| index).collect()
    }

    pub(crate) fn state(&self, head: u64) -> RunState {
        if let Some(state) = self.ends_as.filter(|_| head >= self.len()) {
            return state;
        }
        let reached = self.states.partition_point(|(index, _)| *index < head);
        let before = reached.checked_sub(1).and_then(|last| self.states.get(last));
        // Before any frame the run is what its first frame is going to say, unless that is how it ends.
        match before.or(self.states.first()) {
            Some((_, state)) if before.is_some() || !state.is_terminal() => *state,
            _ => RunState::Running,
        }
    }

    pub(crate) fn record(&self, names: &Names) -> Value {
        serde_json::from_str(&names.fill(&self.record.to_string())).unwrap_or(Value::Null)
    }

    pub(crate) fn usage(&self, head: u64) -> Usage {
        let reached = self.usage.partition_point(|(index, _)| *index < head);
        reached
            .checked_sub(1)
            .and_then(|last| self.usage.get(last))
            .map(|(_, usage)| *usage)
            .unwrap_or_default()
    }
}

fn turn_usage(update: &Value) -> Option<Usage> {
    let usage = update.get("usage").filter(|_| update.get("type") == Some(&json!("turn-ended")))?;
    let count = |key: &str| usage.get(key).and_then(Value::as_u64);
    Some(Usage {
        input: count("inputTokens")?,
        output: count("outputTokens")?,
        cache_read: count("cacheReadTokens")?,
        cache_write: count("cacheWriteTokens")?,
    })
}
