//! Turns a scenario's acts (one JSON object a line) into the frames that the service would send: text cut into deltas,
//! every simple frame after its `interaction_update` twin, both under one id.

use super::{Entry, Id};
use crate::error::SimulatorError;
use crate::json::{choice, expected, fields, json, read};
use crate::rng::Rng;
use serde_json::{Map, Value};

/// A tool of a scenario. Times are milliseconds of the run.
#[derive(Default)]
struct Tool {
    /// Its name in `tool_call` frames.
    name: String,
    /// Its type in `interaction_update` frames.
    kind: String,
    args: Value,
    /// How long after the first of its group it starts.
    after: f64,
    ms: f64,
    /// Pieces of output shown while it runs.
    output: Vec<String>,
    /// What `tool_call` says it returned.
    result: Value,
    /// What the update says it returned; `result` if not given.
    value: Option<Value>,
    /// It failed, with this message.
    error: Option<String>,
    truncated: Option<Value>,
}

fields!(Tool:
    name "name", kind "type", args "args", after "after", ms "ms", output "output", result "result", value "value",
    error "error", truncated "truncated",
);

/// Text that comes over a time.
#[derive(Default)]
struct Spoken {
    text: String,
    ms: f64,
}

fields!(Spoken: text "text", ms "ms");

/// A frame as it is; `id` says whether it gets one.
#[derive(Default)]
struct Given {
    event: String,
    data: Value,
    id: bool,
}

fields!(Given: event "event", data "data", id "id");

/// Reads acts and plays them. A line that is no act is left out: the files are part of this crate and tested.
pub(crate) fn play(acts: &str, seed: u64) -> Vec<Entry> {
    let rng = Rng::new(seed);
    let mut stage = Stage { clock: 0.0, entries: Vec::new(), rng, calls: 0, steps: 0, last_id: (0, 0) };
    for line in acts.lines() {
        let act = serde_json::from_str::<Value>(line).map_err(|error| SimulatorError(error.to_string()));
        let played = act.and_then(|act| stage.act(&act));
        debug_assert_eq!(played, Ok(()), "{line}");
    }
    stage.entries
}

struct Stage {
    clock: f64,
    entries: Vec<Entry>,
    rng: Rng,
    calls: u32,
    steps: u32,
    last_id: (u64, u32),
}

impl Stage {
    /// Plays one act: `{"<what>": <more>}`.
    fn act(&mut self, act: &Value) -> Result<(), SimulatorError> {
        match choice(act) {
            Some(("wait", ms)) => self.clock += read::<f64>(ms)?,
            Some(("status", status)) => {
                self.push("status", &json!({"runId": "$RUN_ID", "status": status}), Id::None);
            }
            Some(("user", text)) => {
                let message = json!({"type": "user_message", "session_id": "$AGENT_ID", "text": text});
                self.update(&json!({"type": "user-message-appended", "userMessage": message}));
            }
            Some(("think", fields)) => {
                let Spoken { text, ms } = read(fields)?;
                self.step(&mut |stage| {
                    stage.deltas("thinking", "thinking-delta", &text, ms);
                    stage.update(&json!({"type": "thinking-completed", "thinkingDurationMs": ms}));
                });
            }
            Some(("say", fields)) => {
                let Spoken { text, ms } = read(fields)?;
                self.step(&mut |stage| stage.deltas("assistant", "text-delta", &text, ms));
            }
            Some(("tools", tools)) => {
                let tools: Vec<Tool> = read(tools)?;
                self.step(&mut |stage| stage.tools(&tools));
            }
            Some(("turn", usage)) => self.update(&json!({"type": "turn-ended", "usage": usage})),
            Some(("frame", fields)) => {
                let Given { event, data, id } = read(fields)?;
                let id = if id { self.id() } else { Id::None };
                self.push(&event, &data, id);
            }
            Some(("result", Value::Object(fields))) => {
                let mut result = Map::new();
                result.insert("runId".into(), json!("$RUN_ID"));
                result.extend(fields.clone());
                result.insert("durationMs".into(), json!(self.clock as u64));
                let id = self.id();
                self.push("result", &Value::Object(result), id.clone());
                self.push("done", &json!({}), id);
            }
            _ => return Err(expected("an act", act)),
        }
        Ok(())
    }

    fn push(&mut self, event: &str, data: &Value, id: Id) {
        self.entries.push(Entry {
            at: self.clock,
            event: event.into(),
            id,
            data: data.to_string(),
            raw: None,
        });
    }

    /// A new id: the clock's millisecond and a number within it.
    fn id(&mut self) -> Id {
        let ms = self.clock as u64;
        self.last_id = if self.last_id.0 == ms { (ms, self.last_id.1 + 1) } else { (ms, 0) };
        Id::At { ms, n: self.last_id.1 }
    }

    fn update(&mut self, update: &Value) {
        let id = self.id();
        self.push("interaction_update", update, id);
    }

    fn twins(&mut self, update: &Value, event: &str, data: &Value) {
        let id = self.id();
        self.push("interaction_update", update, id.clone());
        self.push(event, data, id);
    }

    fn step(&mut self, inside: &mut dyn FnMut(&mut Self)) {
        self.steps += 1;
        let (step, begin) = (self.steps, self.clock);
        self.update(&json!({"type": "step-started", "stepId": step}));
        inside(self);
        let duration = (self.clock - begin) as u64;
        self.update(&json!({"type": "step-completed", "stepId": step, "stepDurationMs": duration}));
    }

    /// Cuts a text into deltas of 2 to 14 characters, evenly over its time.
    fn deltas(&mut self, event: &str, update: &str, text: &str, ms: f64) {
        let characters: Vec<char> = text.chars().collect();
        let mut pieces = Vec::new();
        let mut rest = characters.as_slice();
        while !rest.is_empty() {
            let length = (2 + self.rng.below(13) as usize).min(rest.len());
            let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            pieces.push(piece.iter().collect::<String>());
            rest = after;
        }
        let pause = ms / pieces.len().max(1) as f64;
        for (count, piece) in pieces.iter().enumerate() {
            self.clock += pause;
            self.twins(&json!({"type": update, "text": piece}), event, &json!({"text": piece}));
            if count % 24 == 23 {
                let tokens = 40 + self.rng.below(40);
                self.update(&json!({"type": "token-delta", "tokens": tokens}));
            }
        }
    }

    /// Starts, output and ends of tools that run side by side, in the order of time.
    fn tools(&mut self, tools: &[Tool]) {
        let begin = self.clock;
        self.update(&json!({"type": "tool-requests-listed", "callCount": tools.len()}));
        let mut moments = Vec::new();
        for tool in tools {
            self.calls += 1;
            let call = format!("call-{}", self.calls);
            let start = begin + tool.after;
            moments.push((start, Moment::Partial, tool, call.clone()));
            moments.push((start + 120.0, Moment::Started, tool, call.clone()));
            for (count, output) in (1_u32..).zip(&tool.output) {
                let share = f64::from(count) / (tool.output.len() + 1) as f64;
                moments.push((start + 120.0 + tool.ms * share, Moment::Output(output), tool, call.clone()));
            }
            moments.push((start + 120.0 + tool.ms, Moment::Ended, tool, call));
        }
        moments.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, moment, tool, call) in moments {
            self.clock = at;
            self.moment(&moment, tool, &call);
        }
    }

    fn moment(&mut self, moment: &Moment<'_>, tool: &Tool, call: &str) {
        let update = |kind: &str, tool_call: Value| json!({"type": kind, "callId": call, "modelCallId": format!("model-{call}"), "toolCall": tool_call});
        match moment {
            Moment::Partial => {
                self.update(&update("partial-tool-call", json!({"type": tool.kind, "args": tool.args})));
            }
            Moment::Started => {
                let started = update("tool-call-started", json!({"type": tool.kind, "args": tool.args}));
                let simple =
                    json!({"callId": call, "name": tool.name, "status": "running", "args": tool.args});
                self.twins(&started, "tool_call", &simple);
            }
            Moment::Output(output) => {
                self.update(
                    &json!({"type": "shell-output-delta", "event": {"callId": call, "stdout": output}}),
                );
            }
            Moment::Ended => {
                let result = match &tool.error {
                    Some(message) => json!({"status": "error", "error": {"message": message}}),
                    None => {
                        json!({"status": "success", "value": tool.value.as_ref().unwrap_or(&tool.result)})
                    }
                };
                let completed = update(
                    "tool-call-completed",
                    json!({"type": tool.kind, "args": tool.args, "result": result}),
                );
                let status = if tool.error.is_some() { "error" } else { "completed" };
                let mut simple = json!({
                    "callId": call, "name": tool.name, "status": status, "args": tool.args, "result": tool.result,
                });
                if let (Some(simple), Some(truncated)) = (simple.as_object_mut(), &tool.truncated) {
                    simple.insert("truncated".into(), truncated.clone());
                }
                self.twins(&completed, "tool_call", &simple);
            }
        }
    }
}

enum Moment<'a> {
    Partial,
    Started,
    Output(&'a str),
    Ended,
}
