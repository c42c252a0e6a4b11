//! How a run ended: put together from its `result` frame, its record, or a terminal status.

use super::run::RunStatus;
use crate::json::{self, FlatArray, Kind, Raw};

/// The end of a run. Values are JSON texts as sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The API's state; absent when a `result` frame did not say.
    state: Option<Vec<u8>>,
    text: Option<Vec<u8>>,
    duration_ms: Option<Vec<u8>>,
    git: Option<Vec<u8>>,
    /// Message and code of why it failed; the message is always there.
    error: Option<(Vec<u8>, Option<Vec<u8>>)>,
}

impl Outcome {
    /// What a `result` frame says; `None` when its data is not an object.
    pub fn of_frame(data: &[u8]) -> Option<Self> {
        Self::read(data, "text")
    }

    /// What a run's record says; `None` when it is none, or the run goes on.
    pub fn of_record(record: &[u8]) -> Option<Self> {
        let outcome = Self::read(record, "result")?;
        (outcome.state.is_some() && outcome.status() != RunStatus::Running).then_some(outcome)
    }

    /// What a terminal `status` frame says.
    pub fn of_status(data: &[u8]) -> Option<Self> {
        let (_, [state, message]) = json::members(data, ["status", "message"]).ok()?;
        let state = state?.bytes().to_vec();
        let error = string(message).map(|message| (message, None));
        Some(Self { state: Some(state), error, ..Self::default() })
    }

    /// The caller has cancelled the run, and nothing else is known of it.
    pub fn cancelled() -> Self {
        Self { state: Some(br#""CANCELLED""#.to_vec()), ..Self::default() }
    }

    fn read(data: &[u8], text_name: &'static str) -> Option<Self> {
        let names = ["status", text_name, "durationMs", "git", "error"];
        let (Kind::Object, [state, text, duration, git, error]) = json::members(data, names).ok()? else {
            return None;
        };
        Some(Self {
            state: string(state),
            text: string(text),
            duration_ms: of_kind(duration, Kind::Number),
            git: of_kind(git, Kind::Object),
            error: error.and_then(|error| {
                let (_, [message, code]) = json::members(error.bytes(), ["message", "code"]).ok()?;
                Some((string(message)?, string(code)))
            }),
        })
    }

    /// The run's state as its handle shows it.
    pub fn status(&self) -> RunStatus {
        match &self.state {
            Some(state) => json::value(state).map_or(RunStatus::Error, RunStatus::of),
            // A result that does not say so is one, unless it brings an error.
            None if self.error.is_some() => RunStatus::Error,
            None => RunStatus::Finished,
        }
    }

    /// Whether the run's record has nothing to add that one waits for.
    pub fn is_complete(&self) -> bool {
        self.state.is_some() && self.text.is_some()
    }

    /// Fills what is missing from the record's outcome, if that is of the same state.
    pub fn complete(&mut self, record: Self) {
        if self.state.is_some() && self.state != record.state {
            return;
        }
        self.state = self.state.take().or(record.state);
        self.text = self.text.take().or(record.text);
        self.duration_ms = self.duration_ms.take().or(record.duration_ms);
        self.git = self.git.take().or(record.git);
        self.error = self.error.take().or(record.error);
    }

    /// Writes it down for the facade: `status, result, durationMs, git, error message, error code`,
    /// each but the first `null` where there is none. Only a failed run has an error.
    pub fn encode(&self, out: &mut FlatArray) {
        let status = self.status();
        out.string(status.name().as_bytes());
        for value in [&self.text, &self.duration_ms, &self.git] {
            out.raw(value.as_deref().unwrap_or(b"null"));
        }
        let expired = self.state.as_deref() == Some(br#""EXPIRED""#);
        match &self.error {
            Some((message, code)) if status == RunStatus::Error => {
                out.raw(message);
                out.raw(code.as_deref().unwrap_or(b"null"));
            }
            None if expired => {
                out.string(b"The run expired");
                out.string(b"expired");
            }
            _ => {
                out.raw(b"null");
                out.raw(b"null");
            }
        }
    }
}

fn of_kind(raw: Option<Raw<'_>>, kind: Kind) -> Option<Vec<u8>> {
    raw.filter(|raw| raw.kind() == kind).map(|raw| raw.bytes().to_vec())
}

fn string(raw: Option<Raw<'_>>) -> Option<Vec<u8>> {
    of_kind(raw, Kind::String)
}
