//! Which message stands for which events.

use super::event::{LEVELS, Op, event};
use super::streamed::Streamed;
use super::tools::{Tools, hash};
use super::turn::turn_end;
use crate::json::{self, Batch, Body, Kind, Raw};
use crate::sse::Block;

/// The longest excerpt of what is no message, in bytes.
const EXCERPT: usize = 256;

/// Servers that are known to have failed, at most.
const SERVERS: usize = 1024;

/// A session that is being read: what it takes to tell each thing once. Its memory does not grow
/// with the session.
#[derive(Debug, Default)]
pub struct Session {
    streamed: Streamed,
    tools: Tools,
    /// Servers that have been told of.
    failed_servers: Vec<u64>,
}

impl Session {
    /// Adds the events that a block of a stream stands for, whatever its event is called: hosts name
    /// them as they like. Only `ping` and `error` have a meaning.
    pub fn block(&mut self, block: &Block<'_>, out: &mut Batch) {
        let data = block.data.unwrap_or_default();
        match block.event {
            b"ping" => {}
            b"error" => fault(data, 1, out),
            // What ends a stream by the habit of some hosts.
            _ if data.is_empty() || data == b"[DONE]" => {}
            _ => self.message(data, out),
        }
    }

    /// Adds the events that a message, as JSON, stands for: none, one or several; a fault for what
    /// is not JSON.
    pub fn message(&mut self, text: &[u8], out: &mut Batch) {
        const NAMES: [&str; 4] = ["type", "event", "parent_tool_use_id", "message"];
        let Ok((_, [kind, update, parent, inner])) = json::members(text, NAMES) else {
            return fault(text, 0, out);
        };
        let Some(kind) = kind else { return };
        let parent = parent.filter(|parent| parent.kind() != Kind::Null);
        if kind.is_string("stream_event") {
            // Subagents stream, too.
            if let (None, Some(update)) = (parent, update) {
                self.update(update, out);
            }
        } else {
            self.whole(Raw::of_valid(text), kind, parent, inner, out);
        }
    }

    #[inline(never)]
    fn whole(
        &mut self,
        message: Raw<'_>,
        kind: Raw<'_>,
        parent: Option<Raw<'_>>,
        inner: Option<Raw<'_>>,
        out: &mut Batch,
    ) {
        if kind.is_string("result") {
            self.streamed.begin(b"");
            turn_end(message, out);
        } else if kind.is_string("prompt_suggestion") {
            string(Op::PromptSuggestion, message.string_member("suggestion"), 0, out);
        } else if kind.is_string("system") {
            self.system(message, out);
        } else if let Some(inner) = inner
            && let Ok((_, [id, Some(content)])) = json::members(inner.bytes(), ["id", "content"])
        {
            if kind.is_string("assistant") {
                // One that stands for an error is told by the turn's end.
                let is_error = message.member("error").is_some_and(|error| error.kind() != Kind::Null);
                let id = id.map_or(&b""[..], Raw::bytes);
                content.each_element(&mut |block| self.answer(block, id, parent, is_error, out));
            } else if kind.is_string("user") && parent.is_none() {
                content.each_element(&mut |block| self.result(block, out));
            }
        }
    }

    /// A step of the message under way, as the model's API streams it.
    fn update(&mut self, update: Raw<'_>, out: &mut Batch) {
        if let Some(text) = only_text(update) {
            return self.part(text, out);
        }
        let Ok((_, [kind, delta, message])) = json::members(update.bytes(), ["type", "delta", "message"])
        else {
            return;
        };
        let is = |name: &str| kind.is_some_and(|kind| kind.is_string(name));
        if is("message_start") {
            let id = message.and_then(|message| message.member("id"));
            self.streamed.begin(id.map_or(b"", Raw::bytes));
        } else if is("content_block_delta")
            && let Some(delta) = delta
            && delta.has("type", "text_delta")
            && let Some(text) = delta.string_member("text")
        {
            self.part(text, out);
        }
    }

    /// A part of the answer's text.
    fn part(&mut self, text: Raw<'_>, out: &mut Batch) {
        if let Some(body @ [_, ..]) = text.string_body() {
            self.streamed.part(Body(body));
            string(Op::Text, Some(text), 0, out);
        }
    }

    /// A block of an answer of the model's, with the id of the answer.
    fn answer(
        &mut self,
        block: Raw<'_>,
        id: &[u8],
        parent: Option<Raw<'_>>,
        is_error: bool,
        out: &mut Batch,
    ) {
        let Ok((_, [Some(kind), text])) = json::members(block.bytes(), ["type", "text"]) else { return };
        if kind.is_string("tool_use") {
            self.action(block, parent, out);
        } else if kind.is_string("text")
            && !is_error
            && parent.is_none()
            && let Some(text) = text.and_then(Raw::string_body)
        {
            let rest = self.streamed.whole(id, Body(text));
            if !rest.0.is_empty() {
                out.body(rest);
                event(Op::Text, [0; 2], 0, out);
            }
        }
    }

    fn action(&mut self, block: Raw<'_>, parent: Option<Raw<'_>>, out: &mut Batch) {
        let Some(name) = block.string_member("name") else { return };
        let id = block.string_member("id");
        if id.is_some_and(|id| !self.tools.begin(id.bytes(), name.bytes())) {
            return;
        }
        let mut lengths = [out.string(name), 0];
        let mut flags = 0;
        if let Some(id) = id {
            lengths[1] = out.string(id);
            flags |= 1;
        }
        match block.member("input") {
            Some(input) => out.value(input),
            None => out.json(b"{}"),
        }
        if let Some(parent) = parent {
            flags |= 2;
            if parent.kind() == Kind::String {
                out.value(parent);
                flags |= 4;
            }
        }
        event(Op::Action, lengths, flags, out);
    }

    /// A block of a message that speaks for the user: it may be the result of a tool.
    fn result(&mut self, block: Raw<'_>, out: &mut Batch) {
        if block.has("type", "tool_result")
            && let Some(id) = block.member("tool_use_id")
            && let name @ [_, ..] = &*self.tools.end(id.bytes())
        {
            let lengths = [out.string(Raw::of_valid(name)), out.string(id)];
            result_text(block.member("content"), out);
            let is_error = block.member("is_error").is_some_and(|flag| flag.bytes() == b"true");
            event(Op::ToolResult, lengths, u32::from(is_error), out);
        }
    }

    fn system(&mut self, message: Raw<'_>, out: &mut Batch) {
        if message.has("subtype", "informational") {
            let level = LEVELS.iter().position(|level| message.has("level", level));
            string(Op::Info, message.string_member("content"), level.unwrap_or(0), out);
        } else if message.has("subtype", "local_command_output") {
            string(Op::Info, message.string_member("content"), LEVELS.len() - 1, out);
        } else if message.has("subtype", "init")
            && let Some(servers) = message.member("mcp_servers")
        {
            // Each turn tells of all servers; each that has failed is told of once.
            let mut told = 0;
            servers.each_element(&mut |server| {
                let Some(name) = server.string_member("name") else { return };
                let known = &mut self.failed_servers;
                let key = hash(name.bytes());
                if server.has("status", "failed") && !known.contains(&key) && known.len() < SERVERS {
                    known.push(key);
                    string(Op::McpError, Some(name), told, out);
                    told = 1;
                }
            });
        }
    }
}

/// The text of a step that adds text and is written as it mostly is: half of a session is that.
fn only_text(update: Raw<'_>) -> Option<Raw<'_>> {
    let rest = update.bytes().strip_prefix(br#"{"type":"content_block_delta","index":"#)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    json::only_string(rest.get(digits..)?, br#","delta":{"type":"text_delta","text":"#, b"}}")
}

#[cold]
fn fault(data: &[u8], flags: u32, out: &mut Batch) {
    out.text(data.get(..data.len().min(EXCERPT)).unwrap_or_default());
    event(Op::Fault, [0; 2], flags, out);
}

/// Adds an event of one string, unless there is none.
#[inline(never)]
fn string(op: Op, text: Option<Raw<'_>>, flags: usize, out: &mut Batch) {
    if let Some(text) = text {
        let length = out.string(text);
        event(op, [length, 0], flags as u32, out);
    }
}

/// Adds the text of a tool's result: itself, or its parts of text with a line break between them.
fn result_text(content: Option<Raw<'_>>, out: &mut Batch) {
    let mut text = Vec::new();
    if let Some(content) = content {
        if let Some(body) = content.string_body() {
            return out.body(Body(body));
        }
        let mut separator: &[u8] = b"";
        content.each_element(&mut |part| {
            if part.has("type", "text")
                && let Some(body) = part.member("text").and_then(Raw::string_body)
            {
                text.extend_from_slice(separator);
                text.extend_from_slice(body);
                separator = b"\\n";
            }
        });
    }
    out.body(Body(&text));
}
