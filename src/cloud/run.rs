//! A run's record, as GET run answers it, and the states of a run.

use crate::json::{self, Raw};

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
