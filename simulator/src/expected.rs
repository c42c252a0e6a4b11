//! What a client that loses nothing must have seen of a run: computed from the script, not from what was sent.

use crate::error::SimulatorError;
use crate::json::json;
use crate::script::Frame;
use crate::simulator::Simulator;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The content of a run in figures that a client can compute as it goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    /// How many frames of each event there are.
    pub events: BTreeMap<String, u64>,
    /// The text of all `assistant` frames.
    pub assistant: Channel,
    /// The text of all `thinking` frames.
    pub thinking: Channel,
}

/// A text in two figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its length in UTF-16 code units, as JavaScript counts.
    pub length: u64,
    /// The 32-bit FNV-1a hash of its UTF-16 code units, low byte first.
    pub checksum: u32,
}

impl Default for Channel {
    fn default() -> Self {
        Self { length: 0, checksum: 0x811c_9dc5 }
    }
}

impl Channel {
    fn add(&mut self, text: &str) {
        for byte in text.encode_utf16().flat_map(u16::to_le_bytes) {
            self.checksum = (self.checksum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        self.length += text.encode_utf16().count() as u64;
    }
}

impl Simulator {
    /// All frames of a run, in order: what one connection that nobody disturbs would send, but for heartbeats.
    /// What has not happened yet is included; what cancelling has cut off is not.
    pub fn frames(&self, run_id: &str, from: u64, limit: u64) -> Result<Vec<Frame>, SimulatorError> {
        let run = self.run(run_id)?;
        let end = run.len().min(from.saturating_add(limit));
        Ok((from..end).filter_map(|index| run.frame(index)).collect())
    }

    /// How many frames a run has.
    pub fn frame_count(&self, run_id: &str) -> Result<u64, SimulatorError> {
        Ok(self.run(run_id)?.len())
    }

    /// A run's content in figures. Takes time in proportion to the run's length, but no memory.
    pub fn expected(&self, run_id: &str) -> Result<Expected, SimulatorError> {
        let mut expected = Expected::default();
        self.each_frame(run_id, |frame| {
            let channel = match frame.event.as_str() {
                "assistant" => Some(&mut expected.assistant),
                "thinking" => Some(&mut expected.thinking),
                _ => None,
            };
            if let (Some(channel), Some(text)) = (channel, text(&frame)) {
                channel.add(&text);
            }
            *expected.events.entry(frame.event).or_default() += 1;
        })?;
        Ok(expected)
    }

    /// The text of all `assistant` frames of a run.
    pub fn expected_text(&self, run_id: &str) -> Result<String, SimulatorError> {
        let mut all = String::new();
        self.each_frame(run_id, |frame| {
            if frame.event == "assistant" {
                all.push_str(&text(&frame).unwrap_or_default());
            }
        })?;
        Ok(all)
    }

    /// The SDK messages that a run's content frames stand for. Status messages are left out: they depend on when and
    /// how often a client connects.
    pub fn expected_messages(&self, run_id: &str) -> Result<Vec<Value>, SimulatorError> {
        let agent = self.run(run_id)?.names.agent.clone();
        let mut messages = Vec::new();
        self.each_frame(run_id, |frame| messages.extend(message(&frame, &agent, run_id)))?;
        Ok(messages)
    }

    fn each_frame(&self, run_id: &str, mut visit: impl FnMut(Frame)) -> Result<(), SimulatorError> {
        let run = self.run(run_id)?;
        (0..run.len()).filter_map(|index| run.frame(index)).for_each(&mut visit);
        Ok(())
    }
}

fn text(frame: &Frame) -> Option<String> {
    let data: Value = serde_json::from_str(&frame.data).ok()?;
    Some(data.get("text")?.as_str()?.to_owned())
}

fn message(frame: &Frame, agent: &str, run: &str) -> Option<Value> {
    let data: Value = serde_json::from_str(&frame.data).ok()?;
    let mut message = Map::new();
    let kind = if frame.event == "interaction_update" { "usage" } else { frame.event.as_str() };
    for (key, value) in [("type", kind), ("agent_id", agent), ("run_id", run)] {
        message.insert(key.into(), json!(value));
    }
    match frame.event.as_str() {
        "assistant" => {
            let text = data.get("text").and_then(Value::as_str).unwrap_or_default();
            message.insert(
                "message".into(),
                json!({"role": "assistant", "content": [{"type": "text", "text": text}]}),
            );
        }
        "thinking" => {
            message.insert("text".into(), data.get("text").cloned().unwrap_or_else(|| json!("")));
        }
        "tool_call" => {
            message.insert("call_id".into(), data.get("callId").cloned().unwrap_or_else(|| json!("")));
            message.insert("name".into(), data.get("name").cloned().unwrap_or_else(|| json!("unknown")));
            let status =
                data.get("status").and_then(Value::as_str).filter(|s| matches!(*s, "completed" | "error"));
            message.insert("status".into(), json!(status.unwrap_or("running")));
            for key in ["args", "result", "truncated"] {
                if let Some(value) = data.get(key) {
                    message.insert(key.into(), value.clone());
                }
            }
        }
        "interaction_update" if data.get("type") == Some(&json!("turn-ended")) => {
            message.insert("usage".into(), usage(data.get("usage")?)?);
        }
        _ => return None,
    }
    Some(Value::Object(message))
}

fn usage(given: &Value) -> Option<Value> {
    let mut usage = given.as_object()?.clone();
    let counts = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
    let mut total = 0_u64;
    for key in counts {
        total = total.saturating_add(usage.get(key)?.as_u64()?);
    }
    let reasoning = usage.remove("reasoningTokens");
    usage.insert("totalTokens".into(), json!(total));
    usage.extend(reasoning.map(|reasoning| ("reasoningTokens".to_owned(), reasoning)));
    Some(Value::Object(usage))
}
