//! Frames → SDK messages, as a flat list of values.
//!
//! A message goes out as an [`Op`] and its values: JSON texts taken from the frame as they are.
//! `pkg/src/messages/build.ts` makes the objects from it; the two lists must agree
//! (`tests/node/message-table.test.mjs` compares them).

use super::frame::{Fault, Frame, FrameName};
use crate::json::{self, FlatArray, Kind, Raw};

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
        FrameName::User => typed("user", Some(("message", Kind::Object)), frame.data, out),
        FrameName::System => typed("system", None, frame.data, out),
        FrameName::Task => typed("task", None, frame.data, out),
        FrameName::Request => typed("request", Some(("request_id", Kind::String)), frame.data, out),
        FrameName::Usage => typed("usage", Some(("usage", Kind::Object)), frame.data, out),
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

#[inline(never)]
fn op(op: Op, out: &mut FlatArray) {
    out.small(op as u8);
}

/// The members of a frame's data that are called `names`. `null` counts as an object without any.
fn members<'a, const N: usize>(data: &'a [u8], names: [&str; N]) -> Result<[Option<Raw<'a>>; N], Fault> {
    match json::members(data, names)? {
        (Kind::Object | Kind::Null, found) => Ok(found),
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
    let [text, message, content] = members(data, ["text", "message", "content"])?;
    if text.is_none() && (message.is_some() || content.is_some()) {
        return assistant_blocks(message, content, out);
    }
    let text = string_or(text, "text", "\"\"")?;
    op(Op::Assistant, out);
    out.raw(text);
    Ok(())
}

/// Content blocks, in the place where the message has them, or bare.
fn assistant_blocks(
    message: Option<Raw<'_>>,
    content: Option<Raw<'_>>,
    out: &mut FlatArray,
) -> Result<(), Fault> {
    let content = match message {
        Some(message) => json::members(message.bytes(), ["content"])?.1[0],
        None => content,
    };
    match content {
        Some(content) if content.kind() == Kind::Array => {
            op(Op::AssistantBlocks, out);
            out.raw(content.bytes());
            Ok(())
        }
        _ => Err(Fault::WrongShape("content")),
    }
}

fn thinking(data: &[u8], out: &mut FlatArray) -> Result<(), Fault> {
    let [text, snake, camel] = members(data, ["text", "thinking_duration_ms", "thinkingDurationMs"])?;
    let duration = [snake, camel].into_iter().flatten().find(|value| value.kind() == Kind::Number);
    let text = string_or(text, "text", "\"\"")?;
    op(if duration.is_some() { Op::ThinkingDuration } else { Op::Thinking }, out);
    out.raw(text);
    if let Some(duration) = duration {
        out.raw(duration.bytes());
    }
    Ok(())
}

fn tool_call(data: &[u8], out: &mut FlatArray) -> Result<(), Fault> {
    let [call_id, name, status, args, result, truncated] =
        members(data, ["callId", "name", "status", "args", "result", "truncated"])?;
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
    let Ok((Kind::Object, found)) = json::members(raw.bytes(), ["args", "result"]) else { return false };
    found.into_iter().flatten().all(|value| value.kind() == Kind::Bool)
}

fn status(data: &[u8], out: &mut FlatArray) -> Result<(), Fault> {
    let [status, message] = members(data, ["status", "message"])?;
    // The value passes as it is, also one that is not documented.
    let Some(status) = status else { return Ok(()) };
    let message = message.filter(|value| value.kind() == Kind::String);
    op(if message.is_some() { Op::StatusMessage } else { Op::Status }, out);
    out.raw(status.bytes());
    if let Some(message) = message {
        out.raw(message.bytes());
    }
    Ok(())
}

/// Only the end of a turn that reports its usage is a message of `run.stream()`.
fn update(data: &[u8], out: &mut FlatArray) -> Result<(), Fault> {
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
    op(if counts.iter().all(Option::is_some) { Op::UsageReasoning } else { Op::Usage }, out);
    for count in counts.into_iter().flatten() {
        out.raw(count.bytes());
    }
    Ok(())
}

/// A message whose members are those of the frame's data, `required` (with its kind) among them.
fn typed(
    name: &'static str,
    required: Option<(&'static str, Kind)>,
    data: &[u8],
    out: &mut FlatArray,
) -> Result<(), Fault> {
    let (kind, [found]) = json::members(data, [required.map_or("", |(name, _)| name)])?;
    if kind != Kind::Object {
        return Err(Fault::WrongShape("data"));
    }
    if let Some((member, kind)) = required
        && !found.is_some_and(|found| found.kind() == kind)
    {
        return Err(Fault::WrongShape(member));
    }
    op(Op::Typed, out);
    out.string(name.as_bytes());
    out.raw(json::value(data)?.bytes());
    Ok(())
}

#[cold]
#[inline(never)]
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

/// Adds a warning about what a reconnect brought: `code`, and the id that was resumed from.
#[cold]
#[inline(never)]
pub fn encode_resume_warning(code: &'static str, last_event_id: &str, out: &mut FlatArray) {
    op(Op::Warning, out);
    for text in [code, "", last_event_id, "", ""] {
        out.string(text.as_bytes());
    }
}

/// The start of a frame's data, ending at a character's border.
fn excerpt(data: &[u8]) -> &[u8] {
    let mut end = data.len().min(EXCERPT);
    while end > 0 && data.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end -= 1;
    }
    data.get(..end).unwrap_or_default()
}
