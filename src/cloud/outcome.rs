//! How a run ended: put together from its `result` frame, its record, or a terminal status.

use super::run::{RunStatus, status_of};
use crate::json::{self, FlatArray, Kind, Raw};

/// The end of a run. One word, as it is handed on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome(Box<Facts>);

/// What is known of it. Values are JSON texts as sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Facts {
    /// The API's state; absent when a `result` frame did not say.
    state: Option<Vec<u8>>,
    /// Its text, how many milliseconds it took, and its branches.
    values: [Option<Vec<u8>>; 3],
    /// Message and code of why it failed; no code without a message.
    error: [Option<Vec<u8>>; 2],
}

impl Outcome {
    fn new(facts: Facts) -> Self {
        Self(Box::new(facts))
    }

    /// What a `result` frame says; `None` when its data is not an object.
    pub fn of_frame(data: &[u8]) -> Option<Self> {
        Self::read(data, "text")
    }

    /// What a run's record says; `None` when it is none, or the run goes on.
    pub fn of_record(record: &[u8]) -> Option<Self> {
        let is_over = status_of(record)? != RunStatus::Running;
        Self::read(record, "result").filter(|_| is_over)
    }

    /// What a terminal `status` frame says.
    pub fn of_status(data: &[u8]) -> Option<Self> {
        let (_, [state, message]) = json::members(data, ["status", "message"]).ok()?;
        let state = state?.bytes().to_vec();
        Some(Self::new(Facts { state: Some(state), error: [string(message), None], ..Facts::default() }))
    }

    /// The caller has cancelled the run, and nothing else is known of it.
    pub fn cancelled() -> Self {
        Self::new(Facts { state: Some(br#""CANCELLED""#.to_vec()), ..Facts::default() })
    }

    fn read(data: &[u8], text_name: &'static str) -> Option<Self> {
        let names = ["status", text_name, "durationMs", "git", "error"];
        let (Kind::Object, [state, text, duration, git, error]) = json::members(data, names).ok()? else {
            return None;
        };
        let members = error.and_then(|error| json::members(error.bytes(), ["message", "code"]).ok());
        let (_, [message, code]) = members.unwrap_or((Kind::Object, [None; 2]));
        let message = string(message);
        Some(Self::new(Facts {
            state: string(state),
            values: [string(text), of_kind(duration, Kind::Number), of_kind(git, Kind::Object)],
            error: [message.clone(), string(code).filter(|_| message.is_some())],
        }))
    }

    /// The run's state as its handle shows it.
    pub fn status(&self) -> RunStatus {
        match &self.0.state {
            Some(state) => json::value(state).map_or(RunStatus::Error, RunStatus::of),
            // A result that does not say so is one, unless it brings an error.
            None if self.has_reason() => RunStatus::Error,
            None => RunStatus::Finished,
        }
    }

    /// It says why the run failed.
    fn has_reason(&self) -> bool {
        let [message, _] = &self.0.error;
        message.is_some()
    }

    /// Whether the run's record has nothing to add that one waits for.
    pub fn is_complete(&self) -> bool {
        let [text, ..] = &self.0.values;
        self.0.state.is_some() && text.is_some()
    }

    /// Fills what is missing from the record's outcome, if that is of the same state.
    pub fn complete(&mut self, record: Self) {
        let (own, record) = (&mut *self.0, *record.0);
        if own.state.is_some() && own.state != record.state {
            return;
        }
        own.state = record.state;
        for (value, other) in own.values.iter_mut().zip(record.values) {
            if value.is_none() {
                *value = other;
            }
        }
        if !self.has_reason() {
            self.0.error = record.error;
        }
    }

    /// Writes it down for the facade: `status, result, durationMs, git, error message, error code`,
    /// each but the first `null` where there is none. Only a failed run has an error.
    pub fn encode(&self, out: &mut FlatArray) {
        let status = self.status();
        out.string(status.name().as_bytes());
        let raw = |value: &Option<Vec<u8>>, out: &mut FlatArray| out.raw(value.as_deref().unwrap_or(b"null"));
        self.0.values.iter().for_each(|value| raw(value, out));
        if !self.has_reason() && self.0.state.as_deref() == Some(br#""EXPIRED""#) {
            out.string(b"The run expired");
            out.string(b"expired");
            return;
        }
        let is_failed = status == RunStatus::Error;
        self.0.error.iter().for_each(|value| raw(if is_failed { value } else { &None }, out));
    }
}

fn of_kind(raw: Option<Raw<'_>>, kind: Kind) -> Option<Vec<u8>> {
    raw.filter(|raw| raw.kind() == kind).map(|raw| raw.bytes().to_vec())
}

fn string(raw: Option<Raw<'_>>) -> Option<Vec<u8>> {
    of_kind(raw, Kind::String)
}
