//! Which message stands for which events.

use super::event::{LEVELS, Op, event};
use super::streamed::Streamed;
use super::tools::{Tools, hash};
use super::turn::turn_end;
use crate::json::{self, Batch, Body, Kind, Raw, Syntax};

/// The longest excerpt of what is not JSON in a warning, in bytes.
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
    /// Adds the events that a message, as JSON, stands for: none, one or several; a warning for what
    /// is not JSON.
    pub fn message(&mut self, message: &[u8], out: &mut Batch) {
        if self.read(message, out).is_err() {
            let end = message.len().min(EXCERPT);
            out.text(message.get(..end).unwrap_or_default());
            event(Op::Fault, [0; 2], 0, out);
        }
    }

    fn read(&mut self, message: &[u8], out: &mut Batch) -> Result<(), Syntax> {
        const NAMES: [&str; 5] = ["type", "event", "parent_tool_use_id", "message", "subtype"];
        let (_, [kind, update, parent, inner, subtype]) = json::members(message, NAMES)?;
        let Some(kind) = kind else { return Ok(()) };
        let parent = parent.filter(|parent| parent.kind() != Kind::Null);
        if kind.is_string("stream_event") {
            // Subagents stream, too.
            if let (None, Some(update)) = (parent, update) {
                self.update(update, out)?;
            }
        } else if kind.is_string("assistant") {
            if let Some(inner) = inner {
                let (_, [error]) = json::members(message, ["error"])?;
                self.assistant(inner, parent, error.is_none_or(|error| error.kind() == Kind::Null), out)?;
            }
        } else if kind.is_string("user") {
            if let (None, Some(inner)) = (parent, inner) {
                self.user(inner, out)?;
            }
        } else if kind.is_string("result") {
            self.streamed.clear();
            turn_end(message, out)?;
        } else if kind.is_string("system") {
            if let Some(subtype) = subtype {
                self.system(message, subtype, out)?;
            }
        } else if kind.is_string("prompt_suggestion") {
            let (_, [suggestion]) = json::members(message, ["suggestion"])?;
            string(Op::PromptSuggestion, suggestion, 0, out);
        }
        Ok(())
    }

    /// A step of the message under way, as the model's API streams it.
    fn update(&mut self, update: Raw<'_>, out: &mut Batch) -> Result<(), Syntax> {
        let (_, [kind, delta, inner]) = json::members(update.bytes(), ["type", "delta", "message"])?;
        let Some(kind) = kind else { return Ok(()) };
        if let (true, Some(delta)) = (kind.is_string("content_block_delta"), delta) {
            let (_, [kind, text]) = json::members(delta.bytes(), ["type", "text"])?;
            if kind.is_some_and(|kind| kind.is_string("text_delta"))
                && let Some(part) = text.and_then(Raw::string_body)
            {
                self.streamed.part(Body(part));
                string(Op::Text, text, 0, out);
            }
        } else if kind.is_string("message_start") {
            let id = match inner {
                Some(inner) => json::members(inner.bytes(), ["id"])?.1[0],
                None => None,
            };
            self.streamed.begin(id.map(Raw::bytes));
        }
        Ok(())
    }

    /// A message of the model's, or a block of it. Its text is told, unless it stands for an error:
    /// that is told by the turn's end.
    fn assistant(
        &mut self,
        inner: Raw<'_>,
        parent: Option<Raw<'_>>,
        tells_text: bool,
        out: &mut Batch,
    ) -> Result<(), Syntax> {
        let (_, [id, content]) = json::members(inner.bytes(), ["id", "content"])?;
        let Some(content) = content.filter(|content| content.kind() == Kind::Array) else { return Ok(()) };
        json::elements(content.bytes(), |block| {
            const NAMES: [&str; 5] = ["type", "text", "id", "name", "input"];
            let Ok((_, [Some(kind), text, tool_id, name, input])) = json::members(block.bytes(), NAMES)
            else {
                return;
            };
            if kind.is_string("text") {
                if let (true, None, Some(block)) = (tells_text, parent, text.and_then(Raw::string_body)) {
                    let rest = self.streamed.whole(id.map(Raw::bytes), Body(block));
                    if !rest.0.is_empty() {
                        out.body(rest);
                        event(Op::Text, [0; 2], 0, out);
                    }
                }
            } else if kind.is_string("tool_use") {
                self.action(tool_id, name, input, parent, out);
            }
        })?;
        Ok(())
    }

    fn action(
        &mut self,
        id: Option<Raw<'_>>,
        name: Option<Raw<'_>>,
        input: Option<Raw<'_>>,
        parent: Option<Raw<'_>>,
        out: &mut Batch,
    ) {
        let id = id.filter(|id| id.kind() == Kind::String);
        let Some(name) = name.filter(|name| name.kind() == Kind::String) else { return };
        if let Some(id) = id
            && !self.tools.begin(id.bytes(), name.bytes())
        {
            return;
        }
        let parent_id = parent.filter(|parent| parent.kind() == Kind::String);
        let lengths = [out.string(name), id.map_or(0, |id| out.string(id))];
        match input {
            Some(input) => out.value(input),
            None => out.json(b"{}"),
        }
        if let Some(parent) = parent_id {
            out.value(parent);
        }
        let flags = [id.is_some(), parent.is_some(), parent_id.is_some()];
        let flags = flags.iter().rev().fold(0, |flags, flag| flags << 1 | u32::from(*flag));
        event(Op::Action, lengths, flags, out);
    }

    /// A message that speaks for the user: results of tools may be in it.
    fn user(&mut self, inner: Raw<'_>, out: &mut Batch) -> Result<(), Syntax> {
        let (_, [content]) = json::members(inner.bytes(), ["content"])?;
        let Some(content) = content.filter(|content| content.kind() == Kind::Array) else { return Ok(()) };
        json::elements(content.bytes(), |block| {
            const NAMES: [&str; 4] = ["type", "tool_use_id", "content", "is_error"];
            let Ok((_, [Some(kind), Some(id), content, is_error])) = json::members(block.bytes(), NAMES)
            else {
                return;
            };
            if kind.is_string("tool_result")
                && let Some(name) = self.tools.end(id.bytes())
            {
                let name = json::value(&name).map_or(0, |name| out.string(name));
                let lengths = [name, out.string(id)];
                result_text(content, out);
                let is_error = is_error.is_some_and(|flag| flag.bytes() == b"true");
                event(Op::ToolResult, lengths, u32::from(is_error), out);
            }
        })?;
        Ok(())
    }

    fn system(&mut self, message: &[u8], subtype: Raw<'_>, out: &mut Batch) -> Result<(), Syntax> {
        if subtype.is_string("init") {
            let (_, [servers]) = json::members(message, ["mcp_servers"])?;
            if let Some(servers) = servers {
                self.servers(servers, out)?;
            }
        } else if subtype.is_string("informational") {
            let (_, [content, level]) = json::members(message, ["content", "level"])?;
            let known = |level: Raw<'_>| LEVELS.iter().position(|name| level.is_string(name));
            string(Op::Info, content, level.and_then(known).unwrap_or(0), out);
        } else if subtype.is_string("local_command_output") {
            let (_, [content]) = json::members(message, ["content"])?;
            string(Op::Info, content, LEVELS.len() - 1, out);
        }
        Ok(())
    }

    /// Each turn tells of all servers; each that has failed is told of once.
    fn servers(&mut self, servers: Raw<'_>, out: &mut Batch) -> Result<(), Syntax> {
        let mut told = 0;
        json::elements(servers.bytes(), |server| {
            let Ok((_, [Some(name), Some(status)])) = json::members(server.bytes(), ["name", "status"])
            else {
                return;
            };
            let key = hash(name.bytes());
            if name.kind() == Kind::String
                && status.is_string("failed")
                && !self.failed_servers.contains(&key)
                && self.failed_servers.len() < SERVERS
            {
                self.failed_servers.push(key);
                let length = out.string(name);
                event(Op::McpError, [length, 0], told, out);
                told = 1;
            }
        })?;
        Ok(())
    }
}

/// Adds an event of one string, unless that is none, or empty text.
fn string(op: Op, text: Option<Raw<'_>>, flags: usize, out: &mut Batch) {
    let Some(text) = text.filter(|text| text.kind() == Kind::String) else { return };
    if op != Op::Text || text.bytes().len() > 2 {
        let length = out.string(text);
        event(op, [length, 0], flags as u32, out);
    }
}

/// Adds the text of a tool's result: itself, or its parts of text with a line break between them.
fn result_text(content: Option<Raw<'_>>, out: &mut Batch) {
    match content {
        Some(text) if text.kind() == Kind::String => out.value(text),
        Some(parts) if parts.kind() == Kind::Array => {
            let mut joined = vec![b'"'];
            let mut is_first = true;
            let _ = json::elements(parts.bytes(), |part| {
                if let Ok((_, [Some(kind), Some(text)])) = json::members(part.bytes(), ["type", "text"])
                    && kind.is_string("text")
                    && let Some(body) = text.string_body()
                {
                    if !std::mem::take(&mut is_first) {
                        joined.extend_from_slice(b"\\n");
                    }
                    joined.extend_from_slice(body);
                }
            });
            joined.push(b'"');
            out.json(&joined);
        }
        _ => out.text(b""),
    }
}
