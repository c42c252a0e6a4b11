//! Batches → events, as JSON values: what `pkg/src/kit/build.ts` does.

use runwire::json::Batch;
use runwire::kit::{Op, Session};
use serde_json::{Value, json};

const LEVELS: [&str; 5] = ["info", "notice", "suggestion", "warning", "local-command"];

/// The events of messages in one session.
pub(crate) fn events_of(messages: &[Value]) -> Vec<Value> {
    let mut session = Session::default();
    messages.iter().flat_map(|message| next_events(&mut session, &message.to_string())).collect()
}

/// The events of one message more.
pub(crate) fn next_events(session: &mut Session, message: &str) -> Vec<Value> {
    let mut batch = Batch::default();
    session.message(message.as_bytes(), &mut batch);
    read(&mut batch)
}

/// The events of a batch.
pub(crate) fn read(batch: &mut Batch) -> Vec<Value> {
    let parts = batch.finish();
    let mut shorts = parts.shorts;
    let values: Vec<Value> = match parts.json.bytes {
        [] => Vec::new(),
        text => serde_json::from_slice(text).expect("the values are JSON"),
    };
    let mut values = values.into_iter();
    let mut events: Vec<Value> = Vec::new();
    for word in parts.words {
        let mut string = |shift: u32| match word >> shift & 63 {
            0 => None,
            size => {
                let (text, rest) = shorts.split_at(size as usize - 1);
                shorts = rest;
                Some(Value::from(String::from_utf16(text).unwrap()))
            }
        };
        let (first, second) = (string(8), string(14));
        let (flags, op) = (word >> 20, word & 255);
        let mut value = || values.next().expect("a value for each");
        let is = |op: u32, kind: Op| op == kind as u32;
        let event = if is(op, Op::Text) {
            json!({ "type": "text", "text": first.unwrap_or_else(value) })
        } else if is(op, Op::Action) {
            let kind = if flags & 2 != 0 { "subagent-action" } else { "action" };
            let mut event = json!({ "type": kind, "toolName": first.unwrap_or_else(&mut value) });
            if flags & 1 != 0 {
                event["toolUseId"] = second.unwrap_or_else(&mut value);
            }
            event["input"] = value();
            if flags & 4 != 0 {
                event["parentToolUseId"] = value();
            }
            event
        } else if is(op, Op::ToolResult) {
            let (name, id) = (first.unwrap_or_else(&mut value), second.unwrap_or_else(&mut value));
            json!({
                "type": "tool-result", "toolUseId": id, "toolName": name,
                "isError": flags & 1 != 0, "text": value(),
            })
        } else if is(op, Op::McpError) {
            let name = first.unwrap_or_else(value);
            if flags & 1 != 0 {
                let servers = events.last_mut().unwrap()["failedServers"].as_array_mut().unwrap();
                servers.push(name);
                continue;
            }
            json!({ "type": "mcp-error", "failedServers": [name] })
        } else if is(op, Op::Info) {
            json!({ "type": "info", "text": first.unwrap_or_else(value), "level": LEVELS[flags as usize] })
        } else if is(op, Op::TurnEnd) {
            let status = first.unwrap_or_else(&mut value);
            let result = if flags & 2 != 0 { value() } else { Value::Null };
            let error = value();
            let [input, read, output, cost] = std::array::from_fn(|_| value());
            json!({
                "type": "turn-end", "status": status, "failed": flags & 1 != 0,
                "resultText": result, "errorText": error,
                "usage": {
                    "inputTokens": input, "cacheReadTokens": read, "outputTokens": output, "costUsd": cost,
                },
            })
        } else if is(op, Op::PromptSuggestion) {
            json!({ "type": "prompt-suggestion", "suggestion": first.unwrap_or_else(value) })
        } else {
            assert!(is(op, Op::Fault));
            json!({ "fault": value() })
        };
        events.push(event);
    }
    assert_eq!((values.next(), shorts.len()), (None, 0), "nothing is left over");
    events
}
