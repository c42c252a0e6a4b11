//! Which run to play. A scenario is data: a file of acts, recorded wire text, frames given by the caller, or the
//! length of a generated run.

use crate::SimulatorError;
use crate::json::{Patch, expected, fields, read};
use crate::run::RunState;
use crate::script::{Entry, Id, Long, Script, Stored, compose, wire};
use serde_json::Value;

/// Which run to play.
///
/// As JSON (and for [`Scenario::parse`]) the named ones are texts: `coding`, `example`, `error`, `expired`,
/// `cancelled`, `status-only`, `warm-up`, `fatal:forbidden`, `quiet:8` (hours), `long:1000000` and
/// `long:1000000:twins`; the others are objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Scenario {
    /// A multi-tool coding run of about a minute: thinking, text, parallel tools, one of them failing, an artifact.
    #[default]
    Coding,
    /// The documented example stream, frame by frame.
    Example,
    /// Ends ERROR, with an error object.
    Error,
    /// Ends EXPIRED, without one.
    Expired,
    /// Is cancelled by someone else.
    Cancelled,
    /// Ends with a FINISHED status frame; `result` and `done` never come.
    StatusOnly,
    /// The coding run, whose first two connections end with `stream_unavailable`.
    WarmUp,
    /// The stream ends with an `error` frame of this code (`unauthorized`, `forbidden`, `not_found`).
    Fatal(String),
    /// Says a few words, is silent for that many hours, and finishes.
    Quiet(f64),
    /// Generated, of any length.
    Long(LongRun),
    /// Frames given one by one.
    Frames(CustomRun),
    /// Event-stream text, sent as it is; `$RUN_ID` and `$AGENT_ID` in it are filled in.
    Wire(WireRun),
}

/// A generated run.
#[derive(Clone, Debug, PartialEq)]
pub struct LongRun {
    /// How many frames the run has in all; at least 6.
    pub events: u64,
    /// Each simple frame comes after an `interaction_update` twin.
    pub twins: bool,
    /// Milliseconds between frames.
    pub interval_ms: f64,
}

impl Default for LongRun {
    fn default() -> Self {
        Self { events: 10_000, twins: false, interval_ms: 25.0 }
    }
}

/// A run whose frames are given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CustomRun {
    /// The frames.
    pub frames: Vec<CustomFrame>,
    /// What the run's record says once all are out, when they do not say it themselves.
    pub ends_as: Option<RunState>,
}

/// A frame of a [`CustomRun`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CustomFrame {
    /// The `event:` field; empty leaves the line out.
    pub event: String,
    /// The `id:` field.
    pub id: Option<String>,
    /// The `data:` field: a text as it is, anything else as JSON.
    pub data: Value,
    /// Time since the frame before, in milliseconds.
    pub delay_ms: f64,
    /// The block's text as it is to be sent.
    pub raw: Option<String>,
}

/// A run given as event-stream text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WireRun {
    /// The text.
    pub wire: String,
    /// Time between its blocks, in milliseconds.
    pub delay_ms: f64,
    /// What the run's record says once all is out, when the text does not say it itself.
    pub ends_as: Option<RunState>,
}

/// Liberties that a server might take with the ids and the order of a run's frames. Unlike [`Knobs`](crate::Knobs)
/// they belong to the run itself: every connection sees the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape {
    /// Neighbouring pairs of twins are sent crosswise: both updates, then both simple frames.
    pub interleave_twins: bool,
    /// Ids come back after others.
    pub reappear: Option<Reappear>,
}

/// One id in `every` is an old one, which comes back after that many others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reappear {
    /// One in how many.
    pub every: u64,
    /// After how many others.
    pub after: u64,
}

impl Scenario {
    /// Reads a named scenario, as the type's documentation lists them.
    pub fn parse(text: &str) -> Result<Self, SimulatorError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let (first, second) = (parts.next(), parts.next());
        let bad = || SimulatorError(format!("unknown scenario \"{text}\""));
        let number = |default: f64| match first.map(serde_json::from_str::<Value>) {
            None => Ok(default),
            Some(given) => given.ok().and_then(|given| given.as_f64()).ok_or_else(bad),
        };
        Ok(match name {
            "coding" => Self::Coding,
            "example" => Self::Example,
            "error" => Self::Error,
            "expired" => Self::Expired,
            "cancelled" => Self::Cancelled,
            "status-only" => Self::StatusOnly,
            "warm-up" => Self::WarmUp,
            "fatal" => Self::Fatal(first.unwrap_or("forbidden").to_owned()),
            "quiet" => Self::Quiet(number(8.0)?),
            "long" => Self::Long(LongRun {
                events: number(10_000.0)? as u64,
                twins: second == Some("twins"),
                ..LongRun::default()
            }),
            _ => return Err(bad()),
        })
    }

    /// A custom scenario of frames.
    pub fn frames(frames: Vec<CustomFrame>) -> Self {
        Self::Frames(CustomRun { frames, ends_as: None })
    }

    /// A custom scenario of event-stream text.
    pub fn wire(text: impl Into<String>) -> Self {
        Self::Wire(WireRun { wire: text.into(), ..WireRun::default() })
    }

    pub(crate) fn script(&self, seed: u64, shape: Shape) -> Script {
        let play = |acts: &str| Stored::new(shaped(compose::play(acts, seed), shape));
        Script::Stored(match self {
            Self::Long(long) => {
                return Script::Long(Long::new(seed, long, shape.interleave_twins, shape.reappear));
            }
            Self::Coding | Self::WarmUp => play(include_str!("scenarios/coding.jsonl")),
            Self::Error => play(include_str!("scenarios/error.jsonl")),
            Self::Expired => play(include_str!("scenarios/expired.jsonl")),
            Self::Cancelled => play(include_str!("scenarios/cancelled.jsonl")),
            Self::StatusOnly => play(include_str!("scenarios/status-only.jsonl")),
            Self::Fatal(code) => play(&include_str!("scenarios/fatal.jsonl").replace("$CODE", code)),
            Self::Quiet(hours) => {
                let ms = ((hours.max(0.0) * 3_600_000.0) as u64).to_string();
                play(&include_str!("scenarios/quiet.jsonl").replace("\"$QUIET_MS\"", &ms))
            }
            Self::Example => {
                Stored::new(shaped(wire::entries(include_str!("scenarios/example.sse"), 4_000.0), shape))
            }
            Self::Frames(custom) => {
                Stored::new(shaped(custom_entries(&custom.frames), shape)).ending_as(custom.ends_as)
            }
            Self::Wire(text) => {
                Stored::new(shaped(wire::entries(&text.wire, text.delay_ms), shape)).ending_as(text.ends_as)
            }
        })
    }

    pub(crate) fn warm_up(&self) -> u32 {
        if *self == Self::WarmUp { 2 } else { 0 }
    }
}

fn custom_entries(frames: &[CustomFrame]) -> Vec<Entry> {
    let mut clock = 0.0;
    let entry = |frame: &CustomFrame| {
        clock += frame.delay_ms.max(0.0);
        let data = match &frame.data {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let id = frame.id.clone().map_or(Id::None, Id::Fixed);
        Entry { at: clock, event: frame.event.clone(), id, data, raw: frame.raw.clone() }
    };
    frames.iter().map(entry).collect()
}

fn shaped(mut entries: Vec<Entry>, shape: Shape) -> Vec<Entry> {
    if shape.interleave_twins {
        interleave(&mut entries);
    }
    if let Some(reappear) = shape.reappear {
        repeat_ids(&mut entries, reappear);
    }
    entries
}

/// `U1 A1 U2 A2` becomes `U1 U2 A1 A2`, for whole quadruples in a row. Times are put in order later.
fn interleave(entries: &mut [Entry]) {
    let twins =
        |a: &Entry, b: &Entry| a.id != Id::None && a.id == b.id && a.event != b.event && a.raw.is_none();
    let mut start = 0;
    while let Some([a, b, c, d]) = entries.get_mut(start..).and_then(|rest| rest.first_chunk_mut()) {
        if twins(a, b) && twins(c, d) {
            std::mem::swap(b, c);
            start += 4;
        } else {
            start += 1;
        }
    }
}

fn repeat_ids(entries: &mut [Entry], reappear: Reappear) {
    let mut order: Vec<Id> = Vec::new();
    let mut previous = (Id::None, Id::None);
    for entry in entries
        .iter_mut()
        .filter(|entry| entry.id != Id::None && entry.event != "done" && entry.event != "result")
    {
        if entry.id == previous.0 {
            entry.id = previous.1.clone();
            entry.raw = None;
            continue;
        }
        let own = entry.id.clone();
        let count = order.len() as u64;
        let due = reappear.every > 0 && count % reappear.every == reappear.every - 1;
        let old = count
            .checked_sub(reappear.after.saturating_add(1))
            .filter(|_| due)
            .and_then(|at| order.get(at as usize));
        if let Some(old) = old.filter(|old| **old != own) {
            entry.id = old.clone();
            entry.raw = None;
        }
        previous = (own.clone(), entry.id.clone());
        order.push(own);
    }
}

fields!(LongRun: events "events", twins "twins", interval_ms "intervalMs");
fields!(CustomRun: frames "frames", ends_as "endsAs");
fields!(CustomFrame: event "event", id "id", data "data", delay_ms "delayMs", raw "raw");
fields!(WireRun: wire "wire", delay_ms "delayMs", ends_as "endsAs");
fields!(Shape: interleave_twins "interleaveTwins", reappear "reappear");
fields!(Reappear: every "every", after "after");

/// A scenario is replaced as a whole.
impl Patch for Scenario {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        let has = |field: &str| value.get(field).is_some();
        *self = match value {
            Value::String(text) => Self::parse(text)?,
            _ if has("frames") => Self::Frames(read(value)?),
            _ if has("wire") => Self::Wire(read(value)?),
            _ if has("events") => Self::Long(read(value)?),
            _ => return Err(expected("a name, {frames}, {wire} or {events}", value)),
        };
        Ok(())
    }
}
