//! Any stream: what `encode_message` writes is always a JSON array that can be taken apart by its
//! codes, and its text is what the frame said.

use runwire::cloud::{Frame, FrameName, encode_message};
use runwire::json::FlatArray;
use runwire::sse::{Block, Decoder};
use serde_json::Value;
use serde_json::value::RawValue;

/// The input is the bytes of a run's stream.
pub fn check(input: &[u8]) {
    let mut all = FlatArray::default();
    let mut decoder = Decoder::new(usize::MAX);
    let mut sink = |block: Block<'_>| {
        let Some(frame) = Frame::of(block) else { return };
        let mut alone = FlatArray::default();
        encode_message(&frame, &mut alone);
        let items = text_of(&mut alone);
        take_apart(items.iter().map(|item| item.get()), 1);
        says_the_text(&frame, &items);
        encode_message(&frame, &mut all);
    };
    let result = decoder.push(input, &mut sink);
    assert_eq!(result, Ok(()), "there is no limit");
    // Neighbours in one array do not disturb each other.
    take_apart(text_of(&mut all).iter().map(|item| item.get()), usize::MAX);
}

/// The items of what goes out, each as its text.
fn text_of(out: &mut FlatArray) -> Vec<Box<RawValue>> {
    if out.is_empty() {
        return Vec::new();
    }
    let text = out.finish();
    assert_eq!(text.bytes.is_ascii(), text.ascii);
    let decoded = String::from_utf8_lossy(text.bytes);
    serde_json::from_str(&decoded).unwrap_or_else(|error| panic!("{error}: {decoded}"))
}

type Check = fn(&str) -> bool;

/// What the values after each code are, by the code.
const VALUES: [&[Check]; 14] = [
    &[string],
    &[array],
    &[string],
    &[string, number],
    &[string, string, tool_status],
    &[string, string, tool_status, anything],
    // More follow, as the last one says.
    &[string, string, tool_status, flags],
    &[anything],
    &[anything, string],
    &[number, number, number, number],
    &[number, number, number, number, number],
    &[string, object],
    &[string, anything],
    &[warning_code, string, string, string, excerpt],
];

/// Walks the list as `pkg/src/messages/build.ts` does.
pub fn take_apart<'a>(items: impl IntoIterator<Item = &'a str>, most: usize) {
    let mut values = items.into_iter();
    let mut count = 0;
    while let Some(op) = values.next() {
        count += 1;
        let checks = op.parse::<usize>().ok().and_then(|op| VALUES.get(op));
        let mut last = "";
        let mut take = |checks: &[Check]| {
            for check in checks {
                last = values.next().unwrap_or_else(|| panic!("op {op} lacks a value"));
                assert!(check(last), "op {op} has the value {last}");
            }
            last
        };
        let last = take(checks.unwrap_or_else(|| panic!("there is no op {op}")));
        if op == "6" {
            let flags: u8 = last.parse().unwrap_or_default();
            for (bit, check) in [(1, anything as Check), (2, anything), (4, object)] {
                if flags & bit != 0 {
                    take(&[check]);
                }
            }
        }
    }
    assert!(count <= most, "{count} messages of one frame");
}

/// The text of a delta is the frame's, or the frame is warned of.
fn says_the_text(frame: &Frame<'_>, items: &[Box<RawValue>]) {
    if !matches!(frame.name, FrameName::Assistant | FrameName::Thinking) {
        return;
    }
    let data = String::from_utf8_lossy(frame.data);
    let Ok(Value::Object(members)) = serde_json::from_str(&data) else { return };
    let Some(Value::String(text)) = members.get("text") else { return };
    let said = items.get(1).and_then(|item| serde_json::from_str::<String>(item.get()).ok());
    assert_eq!(said.as_ref(), Some(text));
}

fn string(text: &str) -> bool {
    text.starts_with('"')
}

fn number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

fn array(text: &str) -> bool {
    text.starts_with('[')
}

fn object(text: &str) -> bool {
    text.starts_with('{')
}

fn anything(_: &str) -> bool {
    true
}

fn tool_status(text: &str) -> bool {
    matches!(text, "\"running\"" | "\"completed\"" | "\"error\"")
}

fn warning_code(text: &str) -> bool {
    matches!(text, "\"invalid_json\"" | "\"invalid_shape\"")
}

/// `args` alone has a code of its own.
fn flags(text: &str) -> bool {
    matches!(text.parse::<u8>(), Ok(2..=7))
}

/// 256 bytes as sent; what was not UTF-8 is a longer character now.
fn excerpt(text: &str) -> bool {
    let text = serde_json::from_str::<String>(text).unwrap_or_default();
    text.chars().filter(|char| *char != char::REPLACEMENT_CHARACTER).map(char::len_utf8).sum::<usize>() <= 256
}
