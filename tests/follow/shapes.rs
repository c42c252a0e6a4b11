//! Runs written down in short: `"S=RUNNING A#1=ha U#1=ha K#2 R#3 D#3"`.
//!
//! A letter for the event, `#` and an id, `=` and what it carries. `A` is an assistant's text, `U` its update
//! twin, `T` thinking, `V` its twin, `K` a tool call, `N` an event nobody knows, `S` a status, `H` a heartbeat,
//! `R` the result, `D` done, `E` an error.

use runwire_simulator::{CustomFrame, CustomRun, Pace, RunPlan, RunState, Scenario};
use serde_json::{Value, json};

/// One frame of such a run.
pub(crate) fn frame(word: &str) -> CustomFrame {
    let (head, text) = word.split_once('=').unwrap_or((word, ""));
    let (kind, id) = head.split_once('#').unzip();
    let kind = kind.unwrap_or(head);
    let (event, data) = match kind {
        "A" => ("assistant", json!({"text": text})),
        "U" => ("interaction_update", json!({"type": "text-delta", "text": text})),
        "T" => ("thinking", json!({"text": text})),
        "V" => ("interaction_update", json!({"type": "thinking-delta", "text": text})),
        "K" => ("tool_call", json!({"callId": text, "name": "t", "status": "running"})),
        "N" => ("note", json!(text)),
        "S" => ("status", json!({"status": text})),
        "H" => ("heartbeat", json!({})),
        "R" => ("result", json!({"status": "FINISHED"})),
        "D" => ("done", json!({})),
        "E" => ("error", json!({"code": text})),
        other => panic!("no event {other}"),
    };
    CustomFrame {
        event: event.into(),
        id: id.map(str::to_owned),
        data: text_or_json(data),
        ..CustomFrame::default()
    }
}

/// A JSON string as data stands for itself in a [`CustomFrame`]; here it is meant as JSON.
fn text_or_json(data: Value) -> Value {
    if data.is_string() { Value::String(data.to_string()) } else { data }
}

/// The frames of a run in short.
pub(crate) fn frames(short: &str) -> Vec<CustomFrame> {
    short.split_whitespace().map(frame).collect()
}

/// A run that is as fast as its reader: what is not sent has not happened.
pub(crate) fn live(frames: Vec<CustomFrame>) -> RunPlan {
    RunPlan::new(scenario(frames)).pace(Pace::Demand)
}

/// A run that is over.
pub(crate) fn past(frames: Vec<CustomFrame>) -> RunPlan {
    RunPlan::new(scenario(frames)).pace(Pace::Instant)
}

/// A run of which a frame comes each so many milliseconds.
pub(crate) fn paced(mut frames: Vec<CustomFrame>, ms: f64) -> RunPlan {
    for frame in &mut frames {
        frame.delay_ms = ms;
    }
    RunPlan::new(scenario(frames))
}

fn scenario(frames: Vec<CustomFrame>) -> Scenario {
    Scenario::Frames(CustomRun { frames, ends_as: Some(RunState::Finished) })
}
