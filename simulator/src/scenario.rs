//! Which run to play. A scenario is data: a file of acts, recorded wire text, frames given by the caller, or the
//! length of a generated run.

use crate::SimulatorError;
use crate::run::RunState;
use crate::script::{Entry, Id, Long, Script, Stored, compose, wire};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which run to play.
///
/// As JSON (and for [`Scenario::parse`]) the named ones are texts: `coding`, `example`, `error`, `expired`,
/// `cancelled`, `status-only`, `warm-up`, `fatal:forbidden`, `quiet:8` (hours), `long:1000000` and
/// `long:1000000:twins`; the others are objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LongRun {
    /// How many frames the run has in all; at least 6.
    pub events: u64,
    /// Each simple frame comes after an `interaction_update` twin.
    #[serde(default)]
    pub twins: bool,
    /// Milliseconds between frames.
    #[serde(default = "default_interval")]
    pub interval_ms: f64,
}

fn default_interval() -> f64 {
    25.0
}

/// A run whose frames are given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CustomRun {
    /// The frames.
    pub frames: Vec<CustomFrame>,
    /// What the run's record says once all are out, when they do not say it themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_as: Option<RunState>,
}

/// A frame of a [`CustomRun`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WireRun {
    /// The text.
    pub wire: String,
    /// Time between its blocks, in milliseconds.
    #[serde(default)]
    pub delay_ms: f64,
    /// What the run's record says once all is out, when the text does not say it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_as: Option<RunState>,
}

/// Liberties that a server might take with the ids and the order of a run's frames. Unlike [`Knobs`](crate::Knobs)
/// they belong to the run itself: every connection sees the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Shape {
    /// Neighbouring pairs of twins are sent crosswise: both updates, then both simple frames.
    pub interleave_twins: bool,
    /// Ids come back after others.
    pub reappear: Option<Reappear>,
}

/// One id in `every` is the one from `distance` ids before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reappear {
    /// One in how many.
    pub every: u64,
    /// From how many ids before.
    pub distance: u64,
}

impl Scenario {
    /// Reads a named scenario, as the type's documentation lists them.
    pub fn parse(text: &str) -> Result<Self, SimulatorError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let (first, second) = (parts.next(), parts.next());
        let bad = || SimulatorError(format!("unknown scenario \"{text}\""));
        let number = |default: f64| first.map_or(Ok(default), |n| n.parse::<f64>().map_err(|_| bad()));
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
                interval_ms: default_interval(),
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
                let ms = (hours.max(0.0) * 3_600_000.0).to_string();
                play(&include_str!("scenarios/quiet.jsonl").replace("\"$QUIET_MS\"", &ms))
            }
            Self::Example => {
                Stored::new(shaped(wire::entries(include_str!("scenarios/example.sse"), 4_000.0), shape))
            }
            Self::Frames(custom) => {
                ending(Stored::new(shaped(custom_entries(&custom.frames), shape)), custom.ends_as)
            }
            Self::Wire(text) => {
                ending(Stored::new(shaped(wire::entries(&text.wire, text.delay_ms), shape)), text.ends_as)
            }
        })
    }

    pub(crate) fn warm_up(&self) -> u32 {
        if *self == Self::WarmUp { 2 } else { 0 }
    }
}

fn ending(script: Stored, state: Option<RunState>) -> Stored {
    match state {
        Some(state) => script.ending_as(state),
        None => script,
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
        let old = count.checked_sub(reappear.distance).filter(|_| due).and_then(|at| order.get(at as usize));
        if let Some(old) = old.filter(|old| **old != own) {
            entry.id = old.clone();
            entry.raw = None;
        }
        previous = (own.clone(), entry.id.clone());
        order.push(own);
    }
}

impl TryFrom<Value> for Scenario {
    type Error = SimulatorError;

    fn try_from(value: Value) -> Result<Self, SimulatorError> {
        let bad = |error: serde_json::Error| SimulatorError(format!("not a scenario: {error}"));
        match &value {
            Value::String(text) => Self::parse(text),
            Value::Object(fields) if fields.contains_key("frames") => {
                serde_json::from_value(value).map(Self::Frames).map_err(bad)
            }
            Value::Object(fields) if fields.contains_key("wire") => {
                serde_json::from_value(value).map(Self::Wire).map_err(bad)
            }
            _ => serde_json::from_value(value).map(Self::Long).map_err(bad),
        }
    }
}

impl From<Scenario> for Value {
    fn from(scenario: Scenario) -> Self {
        let object = |value: Result<Value, serde_json::Error>| value.unwrap_or_default();
        match scenario {
            Scenario::Coding => "coding".into(),
            Scenario::Example => "example".into(),
            Scenario::Error => "error".into(),
            Scenario::Expired => "expired".into(),
            Scenario::Cancelled => "cancelled".into(),
            Scenario::StatusOnly => "status-only".into(),
            Scenario::WarmUp => "warm-up".into(),
            Scenario::Fatal(code) => format!("fatal:{code}").into(),
            Scenario::Quiet(hours) => format!("quiet:{hours}").into(),
            Scenario::Long(long) => object(serde_json::to_value(long)),
            Scenario::Frames(custom) => object(serde_json::to_value(custom)),
            Scenario::Wire(text) => object(serde_json::to_value(text)),
        }
    }
}
