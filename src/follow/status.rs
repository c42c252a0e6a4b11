//! Which statuses are told: as sent while all is new, and after a reconnect only what is further on.

use super::token::Codec;
use crate::json::{Raw, members};

/// The longest status that a token keeps, in bytes.
const LONGEST: usize = 64;

/// How far a run's status has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Creating,
    Running,
    /// FINISHED, ERROR, CANCELLED, EXPIRED.
    Terminal,
}

/// A status frame's `status`, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    rank: Option<Rank>,
    /// The JSON text of the status.
    text: Vec<u8>,
}

impl Known {
    fn of(data: &[u8]) -> Option<Self> {
        let (_, [status]) = members(data, ["status"]).ok()?;
        let status = status?;
        Some(Self { rank: rank(status), text: status.bytes().to_vec() })
    }

    fn is_terminal(&self) -> bool {
        self.rank == Some(Rank::Terminal)
    }
}

fn rank(status: Raw<'_>) -> Option<Rank> {
    const TERMINAL: [&str; 4] = ["FINISHED", "ERROR", "CANCELLED", "EXPIRED"];
    if status.is_string("CREATING") {
        Some(Rank::Creating)
    } else if status.is_string("RUNNING") {
        Some(Rank::Running)
    } else {
        TERMINAL.iter().any(|name| status.is_string(name)).then_some(Rank::Terminal)
    }
}

/// Whether a status frame's data holds a terminal status.
pub(super) fn is_terminal(data: &[u8]) -> bool {
    Known::of(data).is_some_and(|known| known.is_terminal())
}

/// What has been told, and what waits for a replay to prove itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Statuses {
    told: Option<Known>,
    /// The data of the latest status frame that could not be told yet.
    kept: Option<Vec<u8>>,
}

impl Statuses {
    /// A connection begins: what was kept belongs to the one before.
    pub(super) fn connect(&mut self) {
        self.kept = None;
    }

    /// A status of the first connection, or one after new content: always told.
    pub(super) fn tell(&mut self, data: &[u8]) {
        self.kept = None;
        if let Some(known) = Known::of(data) {
            self.told = Some(known);
        }
    }

    /// A status of a reconnect, before its first new content: kept until something shows whether it
    /// is to be told.
    pub(super) fn keep(&mut self, data: &[u8]) {
        self.kept = Some(data.to_vec());
    }

    /// The replay has proved itself: gives the kept status if it is further along than what was
    /// told. A terminal one from a connection's top waits for the end, because content may still
    /// follow it; unless `all`, because the end has come, or the status in its place.
    pub(super) fn release(&mut self, all: bool) -> Option<Vec<u8>> {
        let kept = Known::of(self.kept.as_deref()?)?;
        if kept.is_terminal() && !all {
            return None;
        }
        let data = self.kept.take()?;
        let further = match (&self.told, kept.rank) {
            (None, _) => true,
            (Some(told), Some(rank)) => {
                told.rank.is_none_or(|before| before < rank) && told.text != kept.text
            }
            (Some(told), None) => told.text != kept.text,
        };
        if further {
            self.told = Some(kept);
        }
        further.then_some(data)
    }

    /// Becomes as `other`, in the memory that it has; what is kept is the connection's.
    pub(super) fn copy(&mut self, other: &Self) {
        match (&mut self.told, &other.told) {
            (Some(own), Some(other)) => {
                own.rank = other.rank;
                own.text.clone_from(&other.text);
            }
            (own, other) => own.clone_from(other),
        }
    }

    /// The JSON text of the status that was told last.
    pub(super) fn told(&self) -> &[u8] {
        self.told.as_ref().map_or(&[], |told| &told.text)
    }

    /// This was told last.
    pub(super) fn set_told(&mut self, text: &[u8]) {
        self.told = Known::of(&[b"{\"status\":", text, b"}"].concat());
    }

    /// What of it a token holds, written or read.
    pub(super) fn code(&mut self, codec: &mut Codec) {
        let told = self.told();
        // A name that nobody knows can be of any length.
        let mut text = if told.len() <= LONGEST { told.to_vec() } else { Vec::new() };
        codec.text(&mut text);
        if codec.is_reading() {
            self.set_told(&text);
        }
    }

    /// Whether a terminal status has been told, or waits.
    pub(super) fn knows_terminal(&self) -> bool {
        self.told.as_ref().is_some_and(Known::is_terminal) || self.kept.as_deref().is_some_and(is_terminal)
    }
}
