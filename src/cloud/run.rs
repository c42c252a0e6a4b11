//! A run's record, as GET run answers it, and the states of a run.

use super::frame::Fault;
use crate::json::{self, FlatArray, Kind, Raw};

/// A run's state as its handle shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// CREATING or RUNNING.
    Running,
    /// FINISHED.
    Finished,
    /// ERROR, EXPIRED, and any state that is not documented.
    Error,
    /// CANCELLED.
    Cancelled,
}

impl RunStatus {
    /// The state in a run's record: one that nobody knows does not say that the run is over.
    pub fn of_record(status: Raw<'_>) -> Self {
        match Self::of(status) {
            Self::Error if !status.is_string("ERROR") && !status.is_string("EXPIRED") => Self::Running,
            known => known,
        }
    }

    /// The state behind the `status` of a result.
    pub fn of(status: Raw<'_>) -> Self {
        if status.is_string("CREATING") || status.is_string("RUNNING") {
            Self::Running
        } else if status.is_string("FINISHED") {
            Self::Finished
        } else if status.is_string("CANCELLED") {
            Self::Cancelled
        } else {
            Self::Error
        }
    }

    /// Its name in the SDK.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The state in a run's record; `None` when it is no record.
pub fn status_of(record: &[u8]) -> Option<RunStatus> {
    let (_, [status]) = json::members(record, ["status"]).ok()?;
    status.map(RunStatus::of_record)
}

/// Writes a run's record down for the facade: `status` as the SDK names it, then `requestId,
/// createdAt, durationMs, result, git, error`, each `null` where the record has none of the
/// documented kind.
///
/// # Errors
///
/// [`Fault`] when the record is not JSON, or has no `status`.
pub fn encode_run(record: &[u8], out: &mut FlatArray) -> Result<(), Fault> {
    use Kind::{Number, Object, String};
    let (kind, [status, rest @ ..]) =
        json::members(record, ["status", "requestId", "createdAt", "durationMs", "result", "git", "error"])?;
    if kind != Object {
        return Err(Fault::WrongShape("run"));
    }
    let status = status.ok_or(Fault::WrongShape("status"))?;
    out.string(RunStatus::of_record(status).name().as_bytes());
    for (value, kind) in rest.into_iter().zip([String, String, Number, String, Object, Object]) {
        out.raw(value.filter(|value| value.kind() == kind).map_or(b"null", Raw::bytes));
    }
    Ok(())
}
