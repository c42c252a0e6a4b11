//! Frames → SDK messages, as a flat list of values.
//!
//! A message goes out as an [`Op`] and its values: JSON texts taken from the frame as they are.
//! `pkg/src/messages/build.ts` makes the objects from it; the two lists must agree
//! (`tests/node/message-table.test.mjs` compares them).

use super::frame::{Fault, Frame, FrameName};
use crate::json::{self, FlatArray, Key, Kind, Raw};

/// What the values that follow are, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// `text`
    Assistant = 0,
    /// `content`: an array of blocks
    AssistantBlocks = 1,
    /// `text`
    Thinking = 2,
    /// `text, thinking_duration_ms`
    ThinkingDuration = 3,
    /// `call_id, name, status`
    ToolCall = 4,
    /// `call_id, name, status, args`: a tool call that began
    ToolCallArgs = 5,
    /// `call_id, name, status, flags, …`: `args`, `result` and `truncated` where `flags` has
    /// bit 0, 1 and 2
    ToolCallMore = 6,
    /// `status`
    Status = 7,
    /// `status, message`
    StatusMessage = 8,
    /// `inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens`
    Usage = 9,
    /// the same, then `reasoningTokens`
    UsageReasoning = 10,
    /// `type, data`: the members of `data` are the message's
    Typed = 11,
    /// `event, data`
    Unknown = 12,
    /// `code, event, id, detail, excerpt`: not a message but a warning
    Warning = 13,
}

/// The longest excerpt of a bad frame in a warning, in bytes.
const EXCERPT: usize = 256;

/// Adds the messages that `frame` stands for to `out`: none, one, or a warning.
pub fn encode_message(frame: &Frame<'_>, out: &mut FlatArray) {
    if let Err(fault) = message(frame, out) {
        encode_warning(frame, fault, out);
    }
}

fn message(frame: &Frame<'_>, out: &mut FlatArray) -> Result<(), Fault> {
    match frame.name {
        FrameName::Assistant => assistant(frame.data, out),
        FrameName::Thinking => thinking(frame.data, out),
        FrameName::ToolCall => tool_call(frame.data, out),
        FrameName::Status => status(frame.data, out),
        FrameName::InteractionUpdate => update(frame.data, out),
        FrameName::User => typed("user", &[("message", Kind::Object)], frame.data, out),
        FrameName::System => typed("system", &[], frame.data, out),
        FrameName::Task => typed("task", &[], frame.data, out),
        FrameName::Request => typed("request", &[("request_id", Kind::String)], frame.data, out),
        FrameName::Usage => typed("usage", &[("usage", Kind::Object)], frame.data, out),
        FrameName::Heartbeat | FrameName::Result | FrameName::Error | FrameName::Done => Ok(()),
        FrameName::Unknown => {
            op(Op::Unknown, out);
            out.string(frame.event_name());
            // Nobody knows the format of an unknown frame: what is not JSON goes out as text.
            match json::value(frame.data) {
                Ok(data) => out.raw(data.bytes()),
                Err(_) => out.string(frame.data),
            }
            Ok(())
        }
    }
}

fn op(op: Op, out: &mut FlatArray) {
    out.small(op as u8);
}

/// Reads the members of a frame's data. `null` counts as an object without any.
fn members<'a>(data: &'a [u8], member: impl FnMut(Key<'a>, Raw<'a>)) -> Result<(), Fault> {
    match json::object(data, member)? {
        Kind::Object | Kind::Null => Ok(()),
        _ => Err(Fault::WrongShape("data")),
    }
}

/// A member that must be a string if it is there; `null` counts as absent.
fn optional_string<'a>(raw: Option<Raw<'a>>, name: &'static str) -> Result<Option<Raw<'a>>, Fault> {
    match raw.map(Raw::kind) {
        Some(Kind::String) => Ok(raw),
        Some(Kind::Null) | None => Ok(None),
        Some(_) => Err(Fault::WrongShape(name)),
    }
}

/// A string member with a default, as JSON text.
fn string_or<'a>(raw: Option<Raw<'a>>, name: &'static str, default: &'static str) -> Result<&'a [u8], Fault> {
    Ok(optional_string(raw, name)?.map_or(default.as_bytes(), Raw::bytes))
}

fn assistant(data: &[u8], out: &mut FlatArray) -> Result<(), Fault> {
    let (mut text, mut message, mut content) = (None, None, None);
    members(data, |key, value| {
        if key.is("text") {
            text = Some(value);
        } else if key.is("message") {
            message = Some(value);
        } else if key.is("content") {
            content = Some(value);
        }
    })?;
    if text.is_none() {
        // Content blocks in the place where the message has them, or bare.
        if let Some(message) = message {
            members(message.bytes(), |key, value| {
                if key.is("content") {
                    content = Some(value);
                }
            })
            .map_err(|_| Fault::WrongShape("message"))?;
        }
        if let Some(content) = content {
            if content.kind() != Kind::Array {
                return Err(Fault::WrongShape("content"));
            }
            op(Op::AssistantBlocks, out);
            out.raw(content.bytes());
            return Ok(());
        }
    }
    let text = string_or(text, "text", "\"\"")?;
    op(Op::Assistant, out);
    out.raw(text);
    Ok(())
}

fn thinking(data: &[u8], out: &mut FlatArray) -> Result<(), Fault> {
    let (mut text, mut duration) = (None, None);
    members(data, |key, value| {
        if key.is("text") {
            text = Some(value);
        } else if (key.is("thinking_duration_ms") || key.is("thinkingDurationMs"))
            && value.kind() == Kind::Number
        {
            duration = Some(value);
        }
    })?;
    let text = string_or(text, "text", "\"\"")?;
    op(if duration.is_some() { Op::ThinkingDuration } else { Op::Thinking }, out);
    out.raw(text);
    if let Some(duration) = duration {
        out.raw(duration.bytes());
    }
    Ok(())
}

fn tool_call(data: &[u8], out: &mut FlatArray) -> Result<(), Fault> {
    let (mut call_id, mut name, mut status) = (None, None, None);
    let (mut args, mut result, mut truncated) = (None, None, None);
    members(data, |key, value| {
        if key.is("callId") {
            call_id = Some(value);
        } else if key.is("name") {
            name = Some(value);
        } else if key.is("status") {
            status = Some(value);
        } else if key.is("args") {
            args = Some(value);
        } else if key.is("result") {
            result = Some(value);
        } else if key.is("truncated") {
            truncated = Some(value);
        }
    })?;
    let call_id = string_or(call_id, "callId", "\"\"")?;
    let name = string_or(name, "name", "\"unknown\"")?;
    let status = match status {
        Some(status) if status.is_string("completed") => "\"completed\"",
        Some(status) if status.is_string("error") => "\"error\"",
        _ => "\"running\"",
    };
    let truncated = truncated.filter(|raw| is_truncation(*raw));
    let flags =
        u8::from(args.is_some()) | u8::from(result.is_some()) << 1 | u8::from(truncated.is_some()) << 2;
    op(
        match flags {
            0 => Op::ToolCall,
            1 => Op::ToolCallArgs,
            _ => Op::ToolCallMore,
        },
        out,
    );
    out.raw(call_id);
    out.raw(name);
    out.raw(status.as_bytes());
    if flags > 1 {
        out.small(flags);
    }
    for value in [args, result, truncated].into_iter().flatten() {
        out.raw(value.bytes());
    }
    Ok(())
}

/// Whether a `truncated` member is as documented: an object whose `args` and `result` are boolean.
fn is_truncation(raw: Raw<'_>) -> bool {
    let mut valid = true;
    let kind = json::object(raw.bytes(), |key, value| {
        if (key.is("args") || key.is("result")) && value.kind() != Kind::Bool {
            valid = false;
        }
    });
    valid && kind == Ok(Kind::Object)
}

fn status(data: &[u8], out: &mut FlatArray) -> Result<(), Fault> {
    let (mut status, mut message) = (None, None);
    members(data, |key, value| {
        if key.is("status") {
            status = Some(value);
        } else if key.is("message") && value.kind() == Kind::String {
            message = Some(value);
        }
    })?;
    // The value passes as it is, also one that is not documented.
    let Some(status) = status else { return Ok(()) };
    op(if message.is_some() { Op::StatusMessage } else { Op::Status }, out);
    out.raw(status.bytes());
    if let Some(message) = message {
        out.raw(message.bytes());
    }
    Ok(())
}

/// Only the end of a turn that reports its usage is a message of `run.stream()`.
fn update(data: &[u8], out: &mut FlatArray) -> Result<(), Fault> {
    let (mut kind, mut usage) = (None, None);
    members(data, |key, value| {
        if key.is("type") {
            kind = Some(value);
        } else if key.is("usage") {
            usage = Some(value);
        }
    })?;
    if !kind.is_some_and(|kind| kind.is_string("turn-ended")) {
        return Ok(());
    }
    let Some(usage) = usage else { return Ok(()) };
    let mut counts = [None; 5];
    json::object(usage.bytes(), |key, value| {
        const NAMES: [&str; 5] =
            ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"];
        for (name, count) in NAMES.iter().zip(&mut counts) {
            if key.is(name) && value.kind() == Kind::Number {
                *count = Some(value);
            }
        }
    })?;
    // Counts that are incomplete are no usage, and no reason for a warning either.
    if let [Some(input), Some(output), Some(read), Some(written), reasoning] = counts {
        op(if reasoning.is_some() { Op::UsageReasoning } else { Op::Usage }, out);
        for count in [Some(input), Some(output), Some(read), Some(written), reasoning].into_iter().flatten() {
            out.raw(count.bytes());
        }
    }
    Ok(())
}

/// A message whose members are those of the frame's data.
fn typed(
    name: &'static str,
    required: &[(&'static str, Kind)],
    data: &[u8],
    out: &mut FlatArray,
) -> Result<(), Fault> {
    let mut found = 0_usize;
    let kind = json::object(data, |key, value| {
        found += required.iter().filter(|(name, kind)| key.is(name) && value.kind() == *kind).count();
    })?;
    if kind != Kind::Object {
        return Err(Fault::WrongShape("data"));
    }
    if found < required.len() {
        return Err(Fault::WrongShape(required.first().map_or("data", |(name, _)| name)));
    }
    op(Op::Typed, out);
    out.string(name.as_bytes());
    out.raw(json::value(data)?.bytes());
    Ok(())
}

fn encode_warning(frame: &Frame<'_>, fault: Fault, out: &mut FlatArray) {
    op(Op::Warning, out);
    out.string(match fault {
        Fault::NotJson(_) => b"invalid_json",
        Fault::WrongShape(_) => b"invalid_shape",
    });
    out.string(frame.event_name());
    out.string(frame.id.unwrap_or_default().as_bytes());
    out.string(match fault {
        Fault::NotJson(_) => b"",
        Fault::WrongShape(member) => member.as_bytes(),
    });
    out.string(excerpt(frame.data));
}

/// The start of a frame's data, ending at a character's border.
fn excerpt(data: &[u8]) -> &[u8] {
    let mut end = data.len().min(EXCERPT);
    while end > 0 && data.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end -= 1;
    }
    data.get(..end).unwrap_or_default()
}
