//! Any stream: what `encode_message` writes is always a batch that can be taken apart by its words,
//! and its text is what the frame said.

use runwire::cloud::{Frame, FrameName, Op, encode_frame, encode_message};
use runwire::json::Batch;
use runwire::sse::{Block, Decoder};
use serde_json::Value;
use serde_json::value::RawValue;

/// The input is the bytes of a run's stream.
pub fn check(input: &[u8]) {
    let mut all = Batch::default();
    let mut count = 0;
    let mut decoder = Decoder::new(usize::MAX);
    let mut sink = |block: Block<'_>| {
        let Some(frame) = Frame::of(block) else { return };
        let mut alone = Batch::default();
        encode_message(&frame, &mut alone);
        let messages = take_apart(&mut alone);
        assert!(messages.len() <= 1, "{} messages of one frame", messages.len());
        says_the_text(&frame, messages.first());
        count += messages.len();
        encode_message(&frame, &mut all);
        as_it_came(&frame);
    };
    let result = decoder.push(input, &mut sink);
    assert_eq!(result, Ok(()), "there is no limit");
    // Neighbours in one batch do not disturb each other.
    assert_eq!(take_apart(&mut all).len(), count);
}

/// A message as its code and its values' texts, all as JSON.
type Message = (u32, Vec<String>);

/// Takes a batch apart as `pkg/src/messages/build.ts` does.
fn take_apart(batch: &mut Batch) -> Vec<Message> {
    let parts = batch.finish();
    assert_eq!(parts.json.bytes.is_ascii(), parts.json.ascii);
    let text = String::from_utf8_lossy(parts.json.bytes);
    let items: Vec<Box<RawValue>> = if text.is_empty() {
        Vec::new()
    } else {
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    messages_of(parts.words, parts.shorts, items.iter().map(|item| item.get()))
}

/// The same, of a batch's parts; all of them must be used up.
pub fn messages_of<'a>(
    words: &[u32],
    shorts: &[u16],
    values: impl IntoIterator<Item = &'a str>,
) -> Vec<Message> {
    let mut shorts = shorts;
    let mut values = values.into_iter();
    let messages: Vec<Message> =
        words.iter().map(|word| message_of(*word, &mut shorts, &mut values)).collect();
    assert!(shorts.is_empty(), "{} units are left", shorts.len());
    assert_eq!(values.next(), None, "a value is left");
    messages
}

fn message_of<'a>(word: u32, shorts: &mut &[u16], values: &mut impl Iterator<Item = &'a str>) -> Message {
    let op = word & 0xff;
    let flags = word >> 20;
    let mut lengths = [word >> 8 & 63, word >> 14 & 63].into_iter();
    let mut texts = Vec::new();
    let mut value = |check: Check, texts: &mut Vec<String>| {
        let text = values.next().unwrap_or_else(|| panic!("op {op} lacks a value"));
        assert!(check(text), "op {op} has the value {text}");
        texts.push(text.to_owned());
    };
    // A status has its second string only with the flag.
    let strings = if op == Op::Status as u32 { 1 + flags as usize } else { 2 };
    for check in strings_of(op).iter().take(strings) {
        match lengths.next().unwrap_or_default() as usize {
            0 => value(*check, &mut texts),
            length => {
                let Some((units, rest)) = shorts.split_at_checked(length - 1) else {
                    panic!("op {op} lacks units")
                };
                *shorts = rest;
                let text = Value::from(String::from_utf16_lossy(units)).to_string();
                assert!(check(&text), "op {op} has the string {text}");
                texts.push(text);
            }
        }
    }
    assert!(lengths.all(|length| length == 0), "op {op} has more strings than it may have");
    for (flag, check) in values_of(op, flags) {
        if flag == 0 || flags & flag != 0 {
            value(check, &mut texts);
        }
    }
    (op, texts)
}

type Check = fn(&str) -> bool;

/// What the strings are that a word gives the length of.
fn strings_of(op: u32) -> &'static [Check] {
    const OPS: [(Op, &[Check]); 9] = [
        (Op::Assistant, &[string]),
        (Op::AssistantBlocks, &[]),
        (Op::Thinking, &[string]),
        (Op::ToolCall, &[string, string]),
        (Op::Status, &[anything, string]),
        (Op::Usage, &[]),
        (Op::Typed, &[string]),
        (Op::Unknown, &[string]),
        (Op::Warning, &[]),
    ];
    let known = OPS.iter().find(|(known, _)| *known as u32 == op);
    known.unwrap_or_else(|| panic!("there is no op {op}")).1
}

/// The other values: with a flag those that are there only with it.
fn values_of(op: u32, flags: u32) -> Vec<(u32, Check)> {
    let is = |known: Op| known as u32 == op;
    let mut values: Vec<(u32, Check)> = Vec::new();
    let mut most = u32::from(is(Op::Thinking) || is(Op::Status) || is(Op::Usage));
    if is(Op::AssistantBlocks) {
        values.push((0, array));
    } else if is(Op::Thinking) {
        values.push((1, number));
    } else if is(Op::ToolCall) {
        values.extend([(4, anything as Check), (8, anything), (16, object)]);
        assert_ne!(flags & 3, 3, "a tool's status is one of three");
        most = 31;
    } else if is(Op::Usage) {
        values.extend([(0, number as Check), (0, number), (0, number), (0, number), (1, number)]);
    } else if is(Op::Typed) {
        values.push((0, object));
    } else if is(Op::Unknown) {
        values.push((0, anything));
    } else if is(Op::Warning) {
        values.extend([(0, warning_code as Check), (0, string), (0, string), (0, string), (0, excerpt)]);
    }
    assert!(flags <= most, "op {op} has the flags {flags}");
    values
}

/// The text of a delta is the frame's, or the frame is warned of.
fn says_the_text(frame: &Frame<'_>, message: Option<&Message>) {
    if !matches!(frame.name, FrameName::Assistant | FrameName::Thinking) {
        return;
    }
    let data = String::from_utf8_lossy(frame.data);
    let Ok(Value::Object(members)) = serde_json::from_str(&data) else { return };
    let Some(Value::String(text)) = members.get("text") else { return };
    let said = message.and_then(|(_, texts)| serde_json::from_str::<String>(texts.first()?).ok());
    assert_eq!(said.as_ref(), Some(text));
}

/// A frame as it came is just that.
fn as_it_came(frame: &Frame<'_>) {
    let mut batch = Batch::default();
    encode_frame(frame, &mut batch);
    let parts = batch.finish();
    let ([word, lengths @ ..], mut shorts, mut texts) = (parts.words, parts.shorts, parts.texts) else {
        panic!("not one frame")
    };
    assert_eq!(word & 0xff, Op::Frame as u32);
    let mut lengths = lengths.iter();
    let fields = [frame.event_name(), frame.id.unwrap_or_default(), frame.data];
    for (shift, field) in [8, 14, 20].into_iter().zip(fields) {
        let is_it = match (word >> shift & 63) as usize {
            0 => lengths.next().and_then(|length| texts.split_at_checked(*length as usize)).map(
                |(text, rest)| {
                    texts = rest;
                    text == field
                },
            ),
            length => shorts.split_at_checked(length - 1).map(|(units, rest)| {
                shorts = rest;
                String::from_utf16_lossy(units).as_bytes() == field
            }),
        };
        assert_eq!(is_it, Some(true));
    }
    assert!(lengths.next().is_none() && shorts.is_empty() && texts.is_empty());
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

fn warning_code(text: &str) -> bool {
    matches!(text, "\"invalid_json\"" | "\"invalid_shape\"")
}

/// 256 bytes as sent; what was not UTF-8 is a longer character now.
fn excerpt(text: &str) -> bool {
    let text = serde_json::from_str::<String>(text).unwrap_or_default();
    text.chars().filter(|char| *char != char::REPLACEMENT_CHARACTER).map(char::len_utf8).sum::<usize>() <= 256
}
