//! Runs of any length: frame `i` is computed from `i`, nothing is stored, and an id leads back to its frames.

use super::{Frame, Names, Usage};
use crate::json::json;
use crate::rng::mix;
use crate::run::RunState;
use crate::scenario::{LongRun, Reappear};
use serde_json::Value;

/// What each twentieth of the run consists of: 70 % assistant text, 15 % thinking, 10 % tool calls, 5 % heartbeats.
const PATTERN: [Kind; 20] = {
    use Kind::{Assistant as A, Heartbeat as H, Thinking as T, ToolCompleted as C, ToolRunning as R};
    [T, T, T, A, A, A, A, R, A, A, C, A, A, A, A, A, A, A, H, A]
};

const WORDS: [&str; 24] = [
    "The ",
    "parser ",
    "reads ",
    "each ",
    "line ",
    "once",
    ". ",
    "\n\n",
    "`Decoder::push` ",
    "returns ",
    "\"events\" ",
    "– ",
    "naïve ",
    "größer ",
    "日本語",
    " 🚀",
    "👩‍💻 ",
    "\\n ",
    "C:\\tmp ",
    "| a | b |\n",
    "**bold** ",
    "</script> ",
    "\ttab ",
    "e\u{301}",
];

/// Frames before the mixed part: CREATING and RUNNING.
const HEAD: u64 = 2;
/// Frames after it: the last status, `result` and `done`.
const TAIL: u64 = 3;
/// More frames than anyone can read, few enough to count with.
const MOST: u64 = 1 << 50;
/// Milliseconds between the ids of neighbouring slots.
const ID_STEP: u64 = 25;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Assistant,
    Thinking,
    ToolRunning,
    ToolCompleted,
    Heartbeat,
}

/// A slot is one thing that happens; with twins it is told in two frames.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Update,
    Simple,
    /// The frame that is left over when the number of frames is odd.
    Lone,
}

#[derive(Debug)]
pub(crate) struct Long {
    seed: u64,
    /// Frames of the mixed part.
    middle: u64,
    twins: bool,
    interleave: bool,
    reappear: Option<Reappear>,
    interval_ms: f64,
}

impl Long {
    pub(crate) fn new(seed: u64, long: &LongRun, interleave: bool, reappear: Option<Reappear>) -> Self {
        Self {
            seed,
            middle: long.events.clamp(HEAD + TAIL + 1, MOST) - HEAD - TAIL,
            twins: long.twins,
            interleave,
            reappear: reappear.map(|given| Reappear { after: given.after.min(MOST), ..given }),
            interval_ms: long.interval_ms.max(0.0),
        }
    }

    pub(crate) fn len(&self) -> u64 {
        HEAD + self.middle + TAIL
    }

    pub(crate) fn at(&self, index: u64) -> f64 {
        index as f64 * self.interval_ms
    }

    pub(crate) fn state(&self, head: u64) -> RunState {
        match head {
            0 | 1 => RunState::Creating,
            _ if head <= HEAD + self.middle => RunState::Running,
            _ => RunState::Finished,
        }
    }

    pub(crate) fn record(&self) -> Value {
        json!({
            "durationMs": self.at(self.len()) as u64,
            "result": format!("Finished after {} events.", self.len()),
        })
    }

    pub(crate) fn usage(&self, head: u64) -> Usage {
        Usage { input: 2_000, output: head * 2, cache_read: head * 5, cache_write: 500 }
    }

    pub(crate) fn frame(&self, index: u64, names: &Names) -> Option<Frame> {
        let status = |state: &str| Frame::new("status", &json!({"runId": names.run, "status": state}));
        let tail = index.checked_sub(HEAD + self.middle);
        let mut frame = match (index, tail) {
            (0, _) => status("CREATING"),
            (1, _) => status("RUNNING"),
            (_, None) => return Some(self.mixed(index - HEAD, names)),
            (_, Some(0)) => status("FINISHED"),
            (_, Some(1)) => {
                let record = self.record();
                let result = json!({
                    "runId": names.run, "status": "FINISHED", "text": record.get("result"),
                    "durationMs": record.get("durationMs"),
                });
                Frame::new("result", &result)
            }
            (_, Some(2)) => Frame::new("done", &json!({})),
            _ => return None,
        };
        if frame.event != "status" {
            frame.id = Some(id_text(self.middle, names));
        }
        Some(frame)
    }

    fn mixed(&self, position: u64, names: &Names) -> Frame {
        let (slot, part) = self.slot(position);
        let shown = Some(id_text(self.id_slot(slot), names));
        let mut frame = match part {
            Part::Lone => Frame::new(
                "interaction_update",
                &json!({"type": "token-delta", "tokens": mix(self.seed, slot) % 9}),
            ),
            Part::Update => Frame::new("interaction_update", &self.update(slot)),
            Part::Simple => self.simple(slot),
        };
        if frame.event != "heartbeat" {
            frame.id = shown;
        }
        frame
    }

    /// Which slot, and which part of it, the mixed part has at a position.
    fn slot(&self, position: u64) -> (u64, Part) {
        if !self.twins {
            return (position, Part::Simple);
        }
        let pairs = self.middle / 2;
        let (group, place) = (position / 4, position % 4);
        if position == pairs * 2 {
            (pairs, Part::Lone)
        } else if self.interleave && group < pairs / 2 {
            (group * 2 + place % 2, if place < 2 { Part::Update } else { Part::Simple })
        } else {
            (position / 2, if position.is_multiple_of(2) { Part::Update } else { Part::Simple })
        }
    }

    /// The slot whose id this slot shows.
    fn id_slot(&self, slot: u64) -> u64 {
        match self.reappear {
            Some(Reappear { every, after }) if every > 0 && slot % every == every - 1 && slot > after => {
                slot - after - 1
            }
            _ => slot,
        }
    }

    pub(crate) fn occurrences(&self, id: &str, names: &Names) -> Vec<u64> {
        let Some(wanted) = parse_id(id, names) else { return Vec::new() };
        let distance = self.reappear.map_or(0, |reappear| reappear.after + 1);
        let mut found = Vec::new();
        for slot in [wanted, wanted.saturating_add(distance)] {
            let (pair, side) = (slot / 2 * 4, slot % 2);
            let twice = slot.saturating_mul(2);
            let positions = [
                slot,
                twice,
                twice.saturating_add(1),
                pair.saturating_add(side),
                pair.saturating_add(side + 2),
            ];
            found.extend(positions.map(|position| position.saturating_add(HEAD)));
        }
        found.extend([HEAD + self.middle + 1, HEAD + self.middle + 2]);
        found.retain(|index| self.frame(*index, names).is_some_and(|frame| frame.id.as_deref() == Some(id)));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn text(&self, slot: u64) -> &'static str {
        WORDS.get((mix(self.seed, slot) % WORDS.len() as u64) as usize).copied().unwrap_or_default()
    }

    fn simple(&self, slot: u64) -> Frame {
        match kind(slot) {
            Kind::Assistant => Frame::new("assistant", &json!({"text": self.text(slot)})),
            Kind::Thinking => Frame::new("thinking", &json!({"text": self.text(slot)})),
            Kind::Heartbeat => Frame::new("heartbeat", &json!({})),
            Kind::ToolRunning => {
                let data = json!({
                    "callId": call_id(slot), "name": "read_file", "status": "running", "args": self.args(slot),
                });
                Frame::new("tool_call", &data)
            }
            Kind::ToolCompleted => {
                let mut data = json!({
                    "callId": call_id(slot), "name": "read_file", "status": "completed", "args": self.args(slot),
                    "result": self.result(slot),
                });
                if let Some(data) = data.as_object_mut().filter(|_| (slot / 20) % 7 == 6) {
                    data.insert("truncated".into(), json!({"result": true}));
                }
                Frame::new("tool_call", &data)
            }
        }
    }

    fn update(&self, slot: u64) -> Value {
        let tool = |result: Option<Value>| {
            let mut tool = json!({"type": "read", "args": {"path": self.path(slot)}});
            if let (Some(tool), Some(result)) = (tool.as_object_mut(), result) {
                tool.insert("result".into(), result);
            }
            tool
        };
        match kind(slot) {
            Kind::Assistant => json!({"type": "text-delta", "text": self.text(slot)}),
            Kind::Thinking => json!({"type": "thinking-delta", "text": self.text(slot)}),
            Kind::Heartbeat => json!({"type": "token-delta", "tokens": 1 + mix(self.seed, slot) % 9}),
            Kind::ToolRunning => json!({
                "type": "tool-call-started", "callId": call_id(slot), "modelCallId": model_call_id(slot),
                "toolCall": tool(None),
            }),
            Kind::ToolCompleted => json!({
                "type": "tool-call-completed", "callId": call_id(slot), "modelCallId": model_call_id(slot),
                "toolCall": tool(Some(json!({
                    "status": "success", "value": {"content": self.content(slot), "totalLines": 3, "fileSize": 64},
                }))),
            }),
        }
    }

    fn path(&self, slot: u64) -> String {
        format!("src/module_{}/file_{}.rs", slot / 20 % 97, mix(self.seed, slot / 20) % 1000)
    }

    fn args(&self, slot: u64) -> Value {
        json!({
            "path": self.path(slot),
            "range": {"start": slot % 400, "end": slot % 400 + 40},
            "options": {"encoding": "utf-8", "include": ["*.rs", "*.ts"], "follow": false, "limit": null},
        })
    }

    fn content(&self, slot: u64) -> String {
        format!("fn step_{slot}() {{\n\tprintln!(\"größer: {}\");\n}}\n", mix(self.seed, slot) % 10_000)
    }

    fn result(&self, slot: u64) -> Value {
        json!({
            "content": self.content(slot),
            "lines": [{"n": 1, "text": "fn"}, {"n": 2, "text": "größer \u{2028} 🚀"}],
            "stats": {"ms": (mix(self.seed, slot) % 900) as f64 / 8.0, "cached": slot.is_multiple_of(2)},
        })
    }
}

fn kind(slot: u64) -> Kind {
    PATTERN.get((slot % 20) as usize).copied().unwrap_or(Kind::Assistant)
}

fn call_id(slot: u64) -> String {
    format!("call-{}", slot / 20)
}

fn model_call_id(slot: u64) -> String {
    format!("model-{}", slot / 20)
}

fn id_text(slot: u64, names: &Names) -> String {
    format!("{}-0", names.id_base + slot * ID_STEP)
}

fn parse_id(id: &str, names: &Names) -> Option<u64> {
    let (ms, _) = id.split_once('-')?;
    Some(ms.parse::<u64>().ok()?.checked_sub(names.id_base)? / ID_STEP)
}
