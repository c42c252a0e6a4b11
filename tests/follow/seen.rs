//! What a consumer gets, as the follower encodes it: frames, messages and warnings.

use serde_json::Value;

/// The op of a frame with its id, beside those of `cloud::Op`.
const FRAME: u64 = 14;
const WARNING: u64 = 13;

/// How many values follow each op; an op that is not here says so itself.
const COUNTS: [usize; 15] = [1, 1, 1, 2, 3, 4, 0, 1, 2, 4, 5, 2, 2, 5, 3];

/// One item of the consumer's stream.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Seen {
    Frame {
        event: String,
        id: String,
        data: String,
    },
    Warning {
        code: String,
        id: String,
    },
    /// A message: the op and its values.
    Message(u64, Vec<String>),
}

impl Seen {
    pub(crate) fn warning(&self) -> Option<&str> {
        match self {
            Self::Warning { code, .. } => Some(code),
            _ => None,
        }
    }

    /// The frame, unless it belongs to a connection.
    pub(crate) fn content(&self) -> Option<(&str, &str, &str)> {
        match self {
            Self::Frame { event, id, data }
                if !matches!(event.as_str(), "status" | "heartbeat" | "error" | "done") =>
            {
                Some((event, id, data))
            }
            _ => None,
        }
    }

    pub(crate) fn status(&self) -> Option<String> {
        match self {
            Self::Frame { event, data, .. } if event == "status" => {
                let data: Value = serde_json::from_str(data).ok()?;
                data["status"].as_str().map(str::to_owned)
            }
            _ => None,
        }
    }
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Frame { event, id, data } => write!(f, "{event}#{id} {data}"),
            Self::Warning { code, id } => write!(f, "! {code} #{id}"),
            Self::Message(op, values) => write!(f, "op {op} {values:?}"),
        }
    }
}

/// Reads the flat list that the follower hands over.
pub(crate) fn decode(items: Vec<Value>, seen: &mut Vec<Seen>) {
    let mut items = items.into_iter();
    while let Some(op) = items.next() {
        let op = op.as_u64().unwrap_or_else(|| panic!("not an op: {op}"));
        let mut next = || items.next().expect("a value for each op");
        let mut values = Vec::new();
        let count = match op {
            6 => {
                values.extend((0..3).map(|_| next()));
                let flags = next();
                flags.as_u64().unwrap().count_ones() as usize
            }
            op => COUNTS[op as usize],
        };
        values.extend((0..count).map(|_| next()));
        let mut texts = values.into_iter().map(|value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        });
        seen.push(match op {
            FRAME => {
                let mut next = || texts.next().unwrap();
                Seen::Frame { event: next(), id: next(), data: next() }
            }
            WARNING => Seen::Warning { code: texts.next().unwrap(), id: texts.nth(1).unwrap() },
            op => Seen::Message(op, texts.collect()),
        });
    }
}

/// The codes of the warnings, in order.
pub(crate) fn warnings(seen: &[Seen]) -> Vec<&str> {
    seen.iter().filter_map(Seen::warning).collect()
}

/// The statuses, in order.
pub(crate) fn statuses(seen: &[Seen]) -> Vec<String> {
    seen.iter().filter_map(Seen::status).collect()
}
