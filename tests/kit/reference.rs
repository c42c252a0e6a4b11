//! The rules of sessions once more, plainly, over parsed messages.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

const DIAGNOSTIC: &str = "[ede_diagnostic]";

/// What a reader knows of a session.
#[derive(Default)]
pub(crate) struct Reference {
    /// The message under way; `None` where its start has not been seen.
    id: Option<Value>,
    sent: String,
    names: HashMap<Value, Option<Value>>,
    failed: HashSet<Value>,
}

impl Reference {
    /// The events of a message.
    pub(crate) fn message(&mut self, message: &Value) -> Vec<Value> {
        let is_main = message["parent_tool_use_id"].is_null();
        match message["type"].as_str() {
            Some("stream_event") if is_main => self.update(&message["event"]),
            Some("assistant") => self.assistant(message, is_main),
            Some("user") if is_main => self.user(&message["message"]["content"]),
            Some("result") => {
                self.id = None;
                self.sent.clear();
                turn_end(message).into_iter().collect()
            }
            Some("system") => self.system(message),
            Some("prompt_suggestion") => {
                text_event("prompt-suggestion", "suggestion", &message["suggestion"])
            }
            _ => Vec::new(),
        }
    }

    fn update(&mut self, event: &Value) -> Vec<Value> {
        match event["type"].as_str() {
            Some("message_start") => {
                self.id = event["message"].get("id").cloned();
                self.sent.clear();
                Vec::new()
            }
            Some("content_block_delta") if event["delta"]["type"] == "text_delta" => {
                let Some(text) = event["delta"]["text"].as_str().filter(|text| !text.is_empty()) else {
                    return Vec::new();
                };
                self.sent.push_str(text);
                vec![json!({ "type": "text", "text": text })]
            }
            _ => Vec::new(),
        }
    }

    fn assistant(&mut self, message: &Value, is_main: bool) -> Vec<Value> {
        let mut events = Vec::new();
        for block in message["message"]["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("text") if is_main && message["error"].is_null() => {
                    let Some(text) = block["text"].as_str() else { continue };
                    let rest = self.whole(message["message"].get("id"), text);
                    if !rest.is_empty() {
                        events.push(json!({ "type": "text", "text": rest }));
                    }
                }
                Some("tool_use") => events.extend(self.action(block, message)),
                _ => {}
            }
        }
        events
    }

    fn whole(&mut self, id: Option<&Value>, text: &str) -> String {
        if self.id.is_none() {
            self.id = id.cloned();
        } else if id != self.id.as_ref() {
            return text.to_owned();
        }
        if let Some(rest) = self.sent.strip_prefix(text) {
            self.sent = rest.to_owned();
            return String::new();
        }
        let sent = std::mem::take(&mut self.sent);
        text.strip_prefix(&sent).unwrap_or(text).to_owned()
    }

    fn action(&mut self, block: &Value, message: &Value) -> Option<Value> {
        let name = block.get("name").filter(|name| name.is_string())?.clone();
        let parent = &message["parent_tool_use_id"];
        let kind = if parent.is_null() { "action" } else { "subagent-action" };
        let mut event = json!({ "type": kind, "toolName": name });
        if let Some(id) = block.get("id").filter(|id| id.is_string()) {
            if self.names.contains_key(id) {
                return None;
            }
            self.names.insert(id.clone(), Some(name));
            event["toolUseId"] = id.clone();
        }
        event["input"] = block.get("input").cloned().unwrap_or_else(|| json!({}));
        if parent.is_string() {
            event["parentToolUseId"] = parent.clone();
        }
        Some(event)
    }

    fn user(&mut self, content: &Value) -> Vec<Value> {
        let results = content.as_array().into_iter().flatten().filter(|block| block["type"] == "tool_result");
        results
            .filter_map(|block| {
                let id = block.get("tool_use_id")?;
                let name = self.names.get_mut(id)?.take()?;
                let text = match &block["content"] {
                    Value::String(text) => text.clone(),
                    Value::Array(parts) => {
                        let texts = parts.iter().filter(|part| part["type"] == "text");
                        texts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
                    }
                    _ => String::new(),
                };
                let is_error = block["is_error"] == true;
                Some(json!({
                    "type": "tool-result", "toolUseId": id, "toolName": name, "isError": is_error, "text": text,
                }))
            })
            .collect()
    }

    fn system(&mut self, message: &Value) -> Vec<Value> {
        match message["subtype"].as_str() {
            Some("init") => {
                let servers = message["mcp_servers"].as_array().into_iter().flatten();
                let failed =
                    servers.filter(|server| server["status"] == "failed" && server["name"].is_string());
                let names: Vec<Value> = failed
                    .map(|server| server["name"].clone())
                    .filter(|name| self.failed.insert(name.clone()))
                    .collect();
                if names.is_empty() {
                    Vec::new()
                } else {
                    vec![json!({ "type": "mcp-error", "failedServers": names })]
                }
            }
            Some("informational") => {
                let known = ["notice", "suggestion", "warning", "local-command"];
                let level = message["level"].as_str().filter(|level| known.contains(level)).unwrap_or("info");
                info(&message["content"], level)
            }
            Some("local_command_output") => info(&message["content"], "local-command"),
            _ => Vec::new(),
        }
    }
}

fn info(content: &Value, level: &str) -> Vec<Value> {
    let mut events = text_event("info", "text", content);
    for event in &mut events {
        event["level"] = level.into();
    }
    events
}

fn text_event(kind: &str, name: &str, text: &Value) -> Vec<Value> {
    if text.is_string() { vec![json!({ "type": kind, name: text })] } else { Vec::new() }
}

fn turn_end(message: &Value) -> Option<Value> {
    let status = message["subtype"].as_str()?;
    let is_success = status == "success";
    let failed = match message["is_error"] {
        Value::Bool(is_error) => is_error || status.starts_with("error"),
        _ => !is_success,
    };
    let result = if is_success { message["result"].as_str() } else { None };
    let told: Vec<&str> = if is_success {
        result.filter(|_| failed).into_iter().collect()
    } else {
        message["errors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let told: Vec<String> =
        told.into_iter().map(without_diagnostics).filter(|text| !text.is_empty()).collect();
    let none = Map::new();
    let models = message["modelUsage"].as_object().unwrap_or(&none);
    let sum = |name: &str| models.values().map(|model| model[name].as_u64().unwrap_or(0)).sum::<u64>();
    let read = sum("cacheReadInputTokens");
    let input = sum("inputTokens") + read + sum("cacheCreationInputTokens");
    let cost =
        if message["total_cost_usd"].is_number() { message["total_cost_usd"].clone() } else { json!(0) };
    Some(json!({
        "type": "turn-end", "status": status, "failed": failed, "resultText": result,
        "errorText": told.join("; "),
        "usage": {
            "inputTokens": input, "cacheReadTokens": read, "outputTokens": sum("outputTokens"), "costUsd": cost,
        },
    }))
}

fn without_diagnostics(text: &str) -> String {
    let lines = text.split('\n').filter(|line| !line.trim_start().starts_with(DIAGNOSTIC));
    lines.collect::<Vec<_>>().join("\n")
}
