//! What a consumer gets, as the follower encodes it: frames, messages and warnings.

use runwire::cloud::Op;
use runwire::json::Batch;
use serde_json::Value;

/// Of each op how many strings its word gives the lengths of, and how many values follow without
/// flags. Flags that stand for a value each are the bits from the third number on.
const SHAPES: [(Op, usize, usize, u32); 10] = [
    (Op::Assistant, 1, 0, 0),
    (Op::AssistantBlocks, 0, 1, 0),
    (Op::Thinking, 1, 0, 0),
    (Op::ToolCall, 2, 0, 2),
    (Op::Status, 2, 0, 1),
    (Op::Usage, 0, 4, 0),
    (Op::Typed, 1, 1, 0),
    (Op::Unknown, 1, 1, 0),
    (Op::Warning, 0, 5, 0),
    (Op::Frame, 3, 0, 12),
];

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
    /// A message: the op, its values, and what its flags say besides.
    Message(Op, Vec<String>, u32),
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
            Self::Message(op, values, flags) => write!(f, "{op:?} {values:?} {flags}"),
        }
    }
}

/// Reads the batch that the follower hands over.
pub(crate) fn decode(batch: &mut Batch, seen: &mut Vec<Seen>) {
    let parts = batch.finish();
    let values: Vec<Value> = match parts.json.bytes {
        [] => Vec::new(),
        json => serde_json::from_slice(json).expect("output is JSON"),
    };
    let mut values = values.into_iter().map(|value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    });
    let mut shorts = parts.shorts;
    let mut raw = parts.texts;
    let mut words = parts.words.iter();
    while let Some(word) = words.next() {
        let (op, strings, count, first_flag) = SHAPES[(word & 0xff) as usize];
        assert_eq!(op as u32, word & 0xff);
        let flags = word >> 20;
        // A status has its second string only with a flag.
        let strings = if op == Op::Status { 1 + flags as usize } else { strings };
        let mut texts = Vec::new();
        for length in [word >> 8 & 63, word >> 14 & 63, word >> 20 & 63].into_iter().take(strings) {
            texts.push(if length == 0 && op == Op::Frame {
                let length = *words.next().expect("a length for each text that is not short");
                let (text, rest) = raw.split_at(length as usize);
                raw = rest;
                String::from_utf8_lossy(text).into_owned()
            } else if length == 0 {
                values.next().expect("a value for each string that is not short")
            } else {
                let (units, rest) = shorts.split_at(length as usize - 1);
                shorts = rest;
                String::from_utf16_lossy(units)
            });
        }
        let count = count + (flags >> first_flag).count_ones() as usize;
        texts.extend((0..count).map(|_| values.next().expect("a value for each op")));
        let mut texts = texts.into_iter();
        seen.push(match op {
            Op::Frame => {
                let mut next = || texts.next().unwrap();
                Seen::Frame { event: next(), id: next(), data: next() }
            }
            Op::Warning => Seen::Warning { code: texts.next().unwrap(), id: texts.nth(1).unwrap() },
            op => Seen::Message(op, texts.collect(), flags),
        });
    }
    assert!(raw.is_empty() && shorts.is_empty() && values.next().is_none(), "the words say what there is");
}

/// The codes of the warnings, in order.
pub(crate) fn warnings(seen: &[Seen]) -> Vec<&str> {
    seen.iter().filter_map(Seen::warning).collect()
}

/// The statuses, in order.
pub(crate) fn statuses(seen: &[Seen]) -> Vec<String> {
    seen.iter().filter_map(Seen::status).collect()
}
