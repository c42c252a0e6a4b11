//! How a run's stream and record are served: the faults and the liberties that a real server might take.
//!
//! Knobs are read when a connection opens or a request arrives; they never change a connection that is open. What
//! happens to single requests (statuses, redirects, silence) is a [`Rule`](crate::Rule) instead.

use crate::error::SimulatorError;
use crate::json::{Patch, choice, expected, fields, names, read};
use crate::run::RunState;
use serde_json::Value;

/// All knobs of a run. The default is the documented service at its best.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knobs {
    /// The bytes of a connection.
    pub stream: StreamKnobs,
    /// What a connection starts with and how it repeats what went before.
    pub replay: ReplayKnobs,
    /// What `GET run` says.
    pub record: RecordKnobs,
    /// What `POST cancel` does.
    pub cancel: CancelKnobs,
}

/// The bytes of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamKnobs {
    /// How lines end.
    pub line_ending: LineEnding,
    /// A blank after the colon of a field; the format makes it optional.
    pub space: bool,
    /// A status at the top of every connection.
    pub leading_status: bool,
    /// A byte order mark at the top.
    pub bom: bool,
    /// The size of the pieces that the body arrives in; what is there at once if not set.
    pub chunk: Option<Chunk>,
    /// Pause after each piece, in milliseconds.
    pub chunk_delay_ms: f64,
    /// A `retry:` line at the top, in milliseconds.
    pub retry_ms: Option<u64>,
    /// A heartbeat after each such time without any frame, in milliseconds of the run's own time; 0 is never.
    pub heartbeat_ms: f64,
    /// Heartbeats carry ids of their own.
    pub heartbeat_ids: bool,
    /// Which content frames carry their ids.
    pub ids: Ids,
    /// Events that are never sent (`result`, `done`, …), as if the server had lost them.
    pub without: Vec<String>,
    /// That many connections of the run end with `stream_unavailable`, as right after a follow-up.
    pub warm_up: u32,
    /// What happens when the run's last frame is out.
    pub after_end: AfterEnd,
    /// Where connections break. The first that fits a connection counts.
    pub cuts: Vec<Cut>,
}

impl Default for StreamKnobs {
    fn default() -> Self {
        Self {
            line_ending: LineEnding::Lf,
            space: true,
            leading_status: true,
            bom: false,
            chunk: None,
            chunk_delay_ms: 0.0,
            retry_ms: None,
            heartbeat_ms: 15_000.0,
            heartbeat_ids: false,
            ids: Ids::All,
            without: Vec::new(),
            warm_up: 0,
            after_end: AfterEnd::Close,
            cuts: Vec::new(),
        }
    }
}

/// How lines end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnding {
    /// `\n`, as the service does.
    #[default]
    Lf,
    /// `\r\n`
    Crlf,
    /// `\r`
    Cr,
}

impl LineEnding {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::Crlf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// The size of the pieces that a body arrives in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chunk {
    /// At most that many bytes.
    Bytes(u32),
    /// Each frame in a piece of its own.
    #[default]
    Frame,
}

/// Which content frames carry their ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ids {
    /// All that have one.
    #[default]
    All,
    /// None.
    None,
    /// One frame in so many.
    Every(u64),
}

/// What happens when the run's last frame is out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterEnd {
    /// The body ends.
    #[default]
    Close,
    /// The connection stays open; heartbeats go on.
    Hold,
}

/// Where and how a connection breaks. The first limit that is reached counts; without any it breaks at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cut {
    /// Which connection of the run (the first is 1); every one if not set.
    pub connection: Option<u32>,
    /// After that many bytes of the body.
    pub after_bytes: Option<u64>,
    /// After that many frames, the leading status and heartbeats included.
    pub after_frames: Option<u64>,
    /// That long after the connection was opened, in milliseconds.
    pub after_ms: Option<f64>,
    /// How it breaks.
    pub how: How,
}

/// How a connection breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// A network error.
    #[default]
    Reset,
    /// A clean end of the body.
    End,
    /// Silence, with the connection open.
    Hold,
    /// An `error` frame, `done`, and a clean end.
    Error {
        /// The frame's code.
        code: String,
        /// The frame's message.
        message: String,
    },
}

/// What a connection starts with and how it repeats what went before.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayKnobs {
    /// After which frame of the id sent a resumed connection starts.
    pub after: Occurrence,
    /// `Last-Event-ID` is not looked at.
    pub ignore_id: bool,
    /// What an id that is not (or no longer) in the log gets.
    pub unknown_id: UnknownId,
    /// Which status frames of the past are sent.
    pub statuses: Statuses,
    /// How text of the past is cut into frames.
    pub text: Text,
    /// Text that was cut anew carries ids; else it has lost them.
    pub text_ids: bool,
    /// Only that many of the newest frames are kept.
    pub keep_last: Option<u64>,
    /// That many of the oldest frames are gone.
    pub lost_first: u64,
    /// How long a finished run's stream can be read (and what the retention header says).
    pub retention_seconds: u64,
    /// The stream answers 410 `stream_expired`, whatever the state of the run.
    pub expired: bool,
}

impl Default for ReplayKnobs {
    fn default() -> Self {
        Self {
            after: Occurrence::Last,
            ignore_id: false,
            unknown_id: UnknownId::Refuse,
            statuses: Statuses::Current,
            text: Text::AsSent,
            text_ids: true,
            keep_last: None,
            lost_first: 0,
            retention_seconds: 86_400,
            expired: false,
        }
    }
}

/// After which frame of an id a resumed connection starts. Frames share ids, so there is a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occurrence {
    /// After the first.
    First,
    /// After the last so far.
    #[default]
    Last,
}

/// What an id that is not (or no longer) in the log gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownId {
    /// 400 `invalid_last_event_id`
    #[default]
    Refuse,
    /// The stream from its start, or from the oldest frame kept.
    Start,
    /// 410 `stream_expired`
    Expired,
}

/// Which status frames of the past are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Statuses {
    /// The current one, at the top.
    #[default]
    Current,
    /// Each at its old place, after one at the top that says how things were there.
    Full,
}

/// How text of the past is cut into frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Text {
    /// As it was.
    #[default]
    AsSent,
    /// Neighbouring deltas of a kind become one.
    Merged,
    /// Each delta becomes several of that many characters.
    Split(u32),
    /// Neighbouring deltas of a kind are cut anew, that many characters each.
    Recut(u32),
}

/// What `GET run` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordKnobs {
    /// Says this state for ever, without result.
    pub frozen: Option<RunState>,
    /// Says what was true that long ago, in milliseconds.
    pub lag_ms: f64,
    /// Fields that are left out (`result`, `durationMs`, `git`, …).
    pub without: Vec<String>,
}

/// What `POST cancel` does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CancelKnobs {
    /// The run ends that long after the answer, in milliseconds.
    pub delay_ms: f64,
    /// Answers 409 `run_not_cancellable` although the run is active.
    pub refuse: bool,
    /// Answers 200 and does nothing.
    pub ignore: bool,
}

fields!(Knobs: stream "stream", replay "replay", record "record", cancel "cancel");
fields!(StreamKnobs:
    line_ending "lineEnding", space "space", leading_status "leadingStatus", bom "bom", chunk "chunk",
    chunk_delay_ms "chunkDelayMs", retry_ms "retryMs", heartbeat_ms "heartbeatMs", heartbeat_ids "heartbeatIds",
    ids "ids", without "without", warm_up "warmUp", after_end "afterEnd", cuts "cuts",
);
fields!(Cut: connection "connection", after_bytes "afterBytes", after_frames "afterFrames", after_ms "afterMs", how "how");
fields!(ReplayKnobs:
    after "after", ignore_id "ignoreId", unknown_id "unknownId", statuses "statuses", text "text", text_ids "textIds",
    keep_last "keepLast", lost_first "lostFirst", retention_seconds "retentionSeconds", expired "expired",
);
fields!(RecordKnobs: frozen "frozen", lag_ms "lagMs", without "without");
fields!(CancelKnobs: delay_ms "delayMs", refuse "refuse", ignore "ignore");
names!(LineEnding: Lf "lf", Crlf "crlf", Cr "cr");
names!(AfterEnd: Close "close", Hold "hold");
names!(Occurrence: First "first", Last "last");
names!(UnknownId: Refuse "refuse", Start "start", Expired "expired");
names!(Statuses: Current "current", Full "full");

impl Patch for Chunk {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = match choice(value) {
            Some(("frame", _)) => Self::Frame,
            Some(("bytes", bytes)) => Self::Bytes(read(bytes)?),
            _ => return Err(expected("\"frame\" or {bytes}", value)),
        };
        Ok(())
    }
}

impl Patch for Ids {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = match choice(value) {
            Some(("all", _)) => Self::All,
            Some(("none", _)) => Self::None,
            Some(("every", n)) => Self::Every(read(n)?),
            _ => return Err(expected("\"all\", \"none\" or {every}", value)),
        };
        Ok(())
    }
}

impl Patch for Text {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = match choice(value) {
            Some(("asSent", _)) => Self::AsSent,
            Some(("merged", _)) => Self::Merged,
            Some(("split", characters)) => Self::Split(read(characters)?),
            Some(("recut", characters)) => Self::Recut(read(characters)?),
            _ => return Err(expected("\"asSent\", \"merged\", {split} or {recut}", value)),
        };
        Ok(())
    }
}

/// The fields of [`How::Error`].
#[derive(Default)]
struct ErrorFrame {
    code: String,
    message: String,
}

fields!(ErrorFrame: code "code", message "message");

impl Patch for How {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = match choice(value) {
            Some(("reset", _)) => Self::Reset,
            Some(("end", _)) => Self::End,
            Some(("hold", _)) => Self::Hold,
            Some(("error", fields)) => {
                let ErrorFrame { code, message } = read(fields)?;
                Self::Error { code, message }
            }
            _ => return Err(expected("\"reset\", \"end\", \"hold\" or {error}", value)),
        };
        Ok(())
    }
}
