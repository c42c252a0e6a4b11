//! Frames → SDK messages, as words and values.
//!
//! A message goes out as a word and its values, JSON texts taken from the frame as they are (see
//! [`Batch`]). The word is an [`Op`], the lengths of up to two short strings (plus one; 0 where the
//! string is among the JSON values) and flags: `op | first << 8 | second << 14 | flags << 20`.
//! `pkg/src/messages/build.ts` makes the objects from it; the two lists of codes must agree
//! (`tests/node/message-table.test.mjs` compares them).

use super::frame::{Fault, Frame, FrameName};
use crate::json::{self, Batch, Kind, Raw};

/// What a word says. Strings that may be short come first; the other values are JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Op {
    /// The string `text`.
    Assistant = 0,
    /// `content`: an array of blocks.
    AssistantBlocks = 1,
    /// The string `text`; flag 1: `thinking_duration_ms`.
    Thinking = 2,
    /// The strings `call_id` and `name`; flags 1 and 2: it is completed, or failed; flags 4, 8 and
    /// 16: `args`, `result`, `truncated`.
    ToolCall = 3,
    /// The string `status`; flag 1: the string `message`.
    Status = 4,
    /// `inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens`; flag 1: `reasoningTokens`.
    Usage = 5,
    /// The string `type`, then `data`: the members of `data` are the message's.
    Typed = 6,
    /// The string `event`, then `data`.
    Unknown = 7,
    /// `code, event, id, detail, excerpt`: not a message but a warning.
    Warning = 8,
    /// The texts `event`, `id` and `data`: a frame as it came (see [`Batch::texts`]).
    Frame = 9,
}

/// The longest excerpt of a bad frame in a warning, in bytes.
const EXCERPT: usize = 256;

/// Adds the messages that `frame` stands for to `out`: none, one, or a warning.
pub fn encode_message(frame: &Frame<'_>, out: &mut Batch) {
    if let Some(text) = frame.only_text() {
        let op = if frame.name == FrameName::Assistant { Op::Assistant } else { Op::Thinking };
        let length = out.string(text);
        message(op, [length, 0], 0, out);
    } else if let Err(fault) = encode(frame, out) {
        encode_warning(frame, fault, out);
    }
}

/// Adds `frame` as it came.
pub fn encode_frame(frame: &Frame<'_>, out: &mut Batch) {
    encode_texts(frame.event_name(), frame.id.unwrap_or_default(), frame.data, out);
}

/// Adds a frame, or an event, of these texts.
pub fn encode_texts(event: &[u8], id: &[u8], data: &[u8], out: &mut Batch) {
    out.texts(Op::Frame as u32, [event, id, data]);
}

#[inline]
fn message(op: Op, lengths: [u32; 2], flags: u32, out: &mut Batch) {
    out.message(op as u32 | lengths[0] << 8 | lengths[1] << 14 | flags << 20);
}

#[inline(never)]
fn encode(frame: &Frame<'_>, out: &mut Batch) -> Result<(), Fault> {
    match frame.name {
        FrameName::Assistant => assistant(frame.data, out),
        FrameName::Thinking => thinking(frame.data, out),
        FrameName::ToolCall => tool_call(frame.data, out),
        FrameName::Status => status(frame.data, out),
        FrameName::InteractionUpdate => update(frame.data, out),
        FrameName::User => typed(frame, Some(("message", Kind::Object)), out),
        FrameName::System | FrameName::Task => typed(frame, None, out),
        FrameName::Request => typed(frame, Some(("request_id", Kind::String)), out),
        FrameName::Usage => typed(frame, Some(("usage", Kind::Object)), out),
        // It is no message, and still to be reported when nobody can read it.
        FrameName::Result => members(frame.data, [""; 2]).map(drop),
        FrameName::Heartbeat | FrameName::Error | FrameName::Done => Ok(()),
        FrameName::Unknown => {
            let length = out.short_text(frame.event_name());
            // Nobody knows the format of an unknown frame: what is not JSON goes out as text.
            match json::value(frame.data) {
                Ok(data) => out.value(data),
                Err(_) => out.text(frame.data),
            }
            message(Op::Unknown, [length, 0], 0, out);
            Ok(())
        }
    }
}

/// The members of a frame's data that are called `names`. `null` counts as an object without any.
fn members<'a, const N: usize>(data: &'a [u8], names: [&str; N]) -> Result<[Option<Raw<'a>>; N], Fault> {
    match json::members(data, names)? {
        (Kind::Object | Kind::Null, found) => Ok(found),
        _ => Err(Fault::WrongShape("data")),
    }
}

/// A member; `null` counts as absent.
fn given(raw: Option<Raw<'_>>) -> Option<Raw<'_>> {
    raw.filter(|raw| raw.kind() != Kind::Null)
}

/// A member that must be a string if it is there.
fn optional_string<'a>(raw: Option<Raw<'a>>, name: &'static str) -> Result<Option<Raw<'a>>, Fault> {
    match given(raw) {
        Some(raw) if raw.kind() != Kind::String => Err(Fault::WrongShape(name)),
        raw => Ok(raw),
    }
}

/// Adds a string member, `default` where there is none; gives its length as [`Batch::string`] does.
fn string_or(raw: Option<Raw<'_>>, name: &'static str, default: &str, out: &mut Batch) -> Result<u32, Fault> {
    Ok(match optional_string(raw, name)? {
        Some(string) => out.string(string),
        None => out.short_text(default.as_bytes()),
    })
}

fn assistant(data: &[u8], out: &mut Batch) -> Result<(), Fault> {
    let [text, in_message, content] = members(data, ["text", "message", "content"])?;
    if text.is_none() && (in_message.is_some() || content.is_some()) {
        return assistant_blocks(in_message, content, out);
    }
    let length = string_or(text, "text", "", out)?;
    message(Op::Assistant, [length, 0], 0, out);
    Ok(())
}

/// Content blocks, in the place where the message has them, or bare.
fn assistant_blocks(
    in_message: Option<Raw<'_>>,
    content: Option<Raw<'_>>,
    out: &mut Batch,
) -> Result<(), Fault> {
    let content = match in_message {
        Some(message) => json::members(message.bytes(), ["content"])?.1[0],
        None => content,
    };
    match content {
        Some(content) if content.kind() == Kind::Array => {
            out.value(content);
            message(Op::AssistantBlocks, [0; 2], 0, out);
            Ok(())
        }
        _ => Err(Fault::WrongShape("content")),
    }
}

fn thinking(data: &[u8], out: &mut Batch) -> Result<(), Fault> {
    let [text, snake, camel] = members(data, ["text", "thinking_duration_ms", "thinkingDurationMs"])?;
    let duration = [snake, camel].into_iter().flatten().find(|value| value.kind() == Kind::Number);
    let length = string_or(text, "text", "", out)?;
    if let Some(duration) = duration {
        out.value(duration);
    }
    message(Op::Thinking, [length, 0], u32::from(duration.is_some()), out);
    Ok(())
}

fn tool_call(data: &[u8], out: &mut Batch) -> Result<(), Fault> {
    let [call_id, name, status, args, result, truncated] =
        members(data, ["callId", "name", "status", "args", "result", "truncated"])?;
    // Nothing may have been added when a fault is found.
    if optional_string(name, "name")?.is_none() && given(call_id).is_none() {
        return Err(Fault::WrongShape("callId"));
    }
    let call_id = string_or(call_id, "callId", "", out)?;
    let name = string_or(name, "name", "unknown", out)?;
    let mut flags = match status {
        Some(status) if status.is_string("completed") => 1,
        Some(status) if status.is_string("error") => 2,
        _ => 0,
    };
    let truncated = truncated.filter(|raw| is_truncation(*raw));
    for (flag, value) in [(4, args), (8, result), (16, truncated)] {
        if let Some(value) = value {
            out.value(value);
            flags |= flag;
        }
    }
    message(Op::ToolCall, [call_id, name], flags, out);
    Ok(())
}

/// Whether a `truncated` member is as documented: an object whose `args` and `result` are boolean.
fn is_truncation(raw: Raw<'_>) -> bool {
    let Ok((Kind::Object, found)) = json::members(raw.bytes(), ["args", "result"]) else { return false };
    found.into_iter().flatten().all(|value| value.kind() == Kind::Bool)
}

fn status(data: &[u8], out: &mut Batch) -> Result<(), Fault> {
    let [status, text] = members(data, ["status", "message"])?;
    // The value passes as it is, also one that is not documented.
    let status = status.filter(|status| matches!(status.kind(), Kind::String | Kind::Number));
    let status = status.ok_or(Fault::WrongShape("status"))?;
    let text = text.filter(|value| value.kind() == Kind::String);
    let lengths = [out.string(status), text.map_or(0, |text| out.string(text))];
    message(Op::Status, lengths, u32::from(text.is_some()), out);
    Ok(())
}

/// Only the end of a turn that reports its usage is a message of `run.stream()`.
fn update(data: &[u8], out: &mut Batch) -> Result<(), Fault> {
    let [kind, usage] = members(data, ["type", "usage"])?;
    let (Some(kind), Some(usage)) = (kind, usage) else { return Ok(()) };
    if !kind.is_string("turn-ended") {
        return Ok(());
    }
    const COUNTS: [&str; 5] =
        ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"];
    let (_, counts) = json::members(usage.bytes(), COUNTS)?;
    let counts = counts.map(|count| count.filter(|value| value.kind() == Kind::Number));
    // Counts that are incomplete are no usage, and no reason for a warning either.
    if counts.iter().take(4).any(Option::is_none) {
        return Ok(());
    }
    for count in counts.into_iter().flatten() {
        out.value(count);
    }
    message(Op::Usage, [0; 2], u32::from(counts[4].is_some()), out);
    Ok(())
}

/// A message whose members are those of the frame's data, `required` (with its kind) among them.
fn typed(frame: &Frame<'_>, required: Option<(&'static str, Kind)>, out: &mut Batch) -> Result<(), Fault> {
    let (kind, [found]) = json::members(frame.data, [required.map_or("", |(name, _)| name)])?;
    if kind != Kind::Object {
        return Err(Fault::WrongShape("data"));
    }
    if let Some((member, kind)) = required
        && !found.is_some_and(|found| found.kind() == kind)
    {
        return Err(Fault::WrongShape(member));
    }
    let data = json::value(frame.data)?;
    let length = out.short_text(frame.event);
    out.value(data);
    message(Op::Typed, [length, 0], 0, out);
    Ok(())
}

#[cold]
#[inline(never)]
fn encode_warning(frame: &Frame<'_>, fault: Fault, out: &mut Batch) {
    let (code, detail): (&str, &str) = match fault {
        Fault::NotJson => ("invalid_json", ""),
        Fault::WrongShape(member) => ("invalid_shape", member),
    };
    let id = frame.id.unwrap_or_default();
    warning([code.as_bytes(), frame.event_name(), id, detail.as_bytes(), excerpt(frame.data)], out);
}

/// Adds a warning about what a reconnect brought: `code`, and the id that was resumed from.
#[cold]
pub fn encode_resume_warning(code: &'static str, last_event_id: &[u8], out: &mut Batch) {
    warning([code.as_bytes(), b"", last_event_id, b"", b""], out);
}

#[inline(never)]
fn warning(texts: [&[u8]; 5], out: &mut Batch) {
    for text in texts {
        out.text(text);
    }
    message(Op::Warning, [0; 2], 0, out);
}

/// The start of a frame's data, ending at a character's border.
fn excerpt(data: &[u8]) -> &[u8] {
    let mut end = data.len().min(EXCERPT);
    while end > 0 && data.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end -= 1;
    }
    data.get(..end).unwrap_or_default()
}
