//! One run as the server sees it: its script in time, and what cancelling does to it.

use crate::error::SimulatorError;
use crate::json::{Patch, expected, json, names, read};
use crate::knobs::Knobs;
use crate::script::{Frame, Names, Script, Usage, record_of_result};
use crate::time::iso;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The state of a run, as the wire spells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    /// Not started yet.
    #[default]
    Creating,
    /// At work.
    Running,
    /// Ended well.
    Finished,
    /// Ended badly.
    Error,
    /// Was cancelled.
    Cancelled,
    /// Took too long.
    Expired,
}

impl RunState {
    /// Whether nothing can follow.
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Creating | Self::Running)
    }

    /// The wire's spelling.
    pub fn as_str(self) -> &'static str {
        self.name()
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        read(&json!(text)).ok()
    }
}

/// How a run's own time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// So many times as fast as the clock; 1 is real time.
    Speed(f64),
    /// All of it has happened when the run starts: a finished run that can be read.
    Instant,
    /// Each frame happens when a connection is about to send it. The run is as fast as its fastest reader, and is not
    /// over before that one has read its end.
    Demand,
}

impl Default for Pace {
    fn default() -> Self {
        Self::Speed(1.0)
    }
}

/// The end that cancelling puts in the place of the script's own.
#[derive(Debug)]
struct Cancelled {
    /// The first frame of the script that does not happen any more.
    index: u64,
    at: f64,
    /// The data of its `result` frame.
    result: Value,
    tail: Vec<Frame>,
}

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) names: Names,
    pub(crate) script: Arc<Script>,
    pub(crate) started: f64,
    pub(crate) pace: Pace,
    pub(crate) request_id: String,
    /// Knobs of its own; else the service's count.
    pub(crate) knobs: Option<Arc<Knobs>>,
    /// Connections that end with `stream_unavailable` by the scenario's own wish.
    pub(crate) warm_up: u32,
    pub(crate) connections: u32,
    /// How far readers have driven a run at [`Pace::Demand`].
    demanded: u64,
    cancelled: Option<Cancelled>,
}

impl Run {
    pub(crate) fn new(
        names: Names,
        script: Arc<Script>,
        started: f64,
        pace: Pace,
        request_id: String,
    ) -> Self {
        Self {
            names,
            script,
            started,
            pace,
            request_id,
            knobs: None,
            warm_up: 0,
            connections: 0,
            demanded: 0,
            cancelled: None,
        }
    }

    pub(crate) fn len(&self) -> u64 {
        match &self.cancelled {
            Some(cancelled) => cancelled.index + cancelled.tail.len() as u64,
            None => self.script.len(),
        }
    }

    pub(crate) fn frame(&self, index: u64) -> Option<Frame> {
        match &self.cancelled {
            Some(cancelled) if index >= cancelled.index => {
                cancelled.tail.get(usize::try_from(index - cancelled.index).ok()?).cloned()
            }
            _ => self.script.frame(index, &self.names),
        }
    }

    /// When frame `index` happens on the clock; in the past for frames that only wait for a reader.
    pub(crate) fn due(&self, index: u64) -> f64 {
        match &self.cancelled {
            Some(cancelled) if index >= cancelled.index => cancelled.at,
            _ => match self.pace {
                Pace::Speed(speed) => self.started + self.script.at(index) / speed,
                Pace::Instant | Pace::Demand => self.started,
            },
        }
    }

    /// How many frames have happened.
    pub(crate) fn head(&self, now: f64) -> u64 {
        if self.pace == Pace::Demand && !self.cancelled.as_ref().is_some_and(|c| c.at <= now) {
            return self.demanded;
        }
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.due(middle) <= now { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// A reader is about to send everything before `index`.
    pub(crate) fn demand(&mut self, index: u64) {
        self.demanded = self.demanded.max(index);
    }

    pub(crate) fn state(&self, now: f64) -> RunState {
        self.state_at(self.head(now))
    }

    /// The state once the first `head` frames have happened.
    pub(crate) fn state_at(&self, head: u64) -> RunState {
        match &self.cancelled {
            Some(cancelled) if head > cancelled.index => RunState::Cancelled,
            _ => self.script.state(head),
        }
    }

    /// When the run ended, if it has.
    pub(crate) fn ended(&self, now: f64) -> Option<f64> {
        let ended = self.state(now).is_terminal();
        ended.then(|| {
            if self.pace == Pace::Demand { self.started } else { self.due(self.len().saturating_sub(1)) }
        })
    }

    /// Frames that carry `id` among those that have happened, in order.
    pub(crate) fn occurrences(&self, id: &str, head: u64) -> Vec<u64> {
        let own = self.cancelled.as_ref().map_or(u64::MAX, |cancelled| cancelled.index);
        let mut found = self.script.occurrences(id, &self.names);
        found.retain(|index| *index < own);
        if let Some(cancelled) = &self.cancelled {
            let carries = |frame: &Frame| frame.id.as_deref() == Some(id);
            found.extend((own..).zip(&cancelled.tail).filter(|(_, f)| carries(f)).map(|(index, _)| index));
        }
        found.retain(|index| *index < head);
        found
    }

    /// Ends the run at `at`, with the documented frames. False if it will have ended by itself until then.
    pub(crate) fn cancel(&mut self, now: f64, at: f64) -> bool {
        let index = self.head(if self.pace == Pace::Demand { now } else { at });
        if self.state_at(index).is_terminal() || self.cancelled.is_some() {
            return false;
        }
        let run = &self.names.run;
        let mut result = json!({
            "runId": run, "status": "CANCELLED", "text": self.last_text(index), "durationMs": self.elapsed(at) as u64,
        });
        if let (Some(result), Some(git)) = (result.as_object_mut(), self.git()) {
            result.insert("git".into(), git);
        }
        let mut tail = vec![
            Frame::new("status", &json!({"runId": run, "status": "CANCELLED"})),
            Frame::new("result", &result),
            Frame::new("done", &json!({})),
        ];
        // The script's time is far behind that of its ids' origin, so no frame of it can have this one.
        let id = format!("{}-9", self.names.id_base + 1_000_000_000_000 + index);
        for frame in tail.iter_mut().skip(1) {
            frame.id = Some(id.clone());
        }
        self.cancelled = Some(Cancelled { index, at, result, tail });
        true
    }

    /// The answer's last part before frame `index`: the text since the last tool call, of what is near.
    fn last_text(&self, index: u64) -> String {
        let mut parts = Vec::new();
        for frame in (index.saturating_sub(2_000)..index).rev().filter_map(|index| self.frame(index)) {
            match frame.event.as_str() {
                "tool_call" => break,
                "assistant" => parts.push(frame.data),
                _ => {}
            }
        }
        let text =
            |data: &String| Some(serde_json::from_str::<Value>(data).ok()?.get("text")?.as_str()?.to_owned());
        parts.iter().rev().filter_map(text).collect()
    }

    /// The run's own milliseconds that have passed.
    fn elapsed(&self, now: f64) -> f64 {
        match self.pace {
            Pace::Speed(speed) => (now - self.started).max(0.0) * speed,
            Pace::Instant | Pace::Demand => self.script.at(self.head(now)),
        }
    }

    pub(crate) fn usage(&self, now: f64) -> Usage {
        self.script.usage(self.head(now))
    }

    pub(crate) fn git(&self) -> Option<Value> {
        self.script.record(&self.names).get("git").cloned()
    }

    /// The run as `GET run` gives it.
    pub(crate) fn record(&self, now: f64, knobs: &Knobs) -> Value {
        let seen = (now - knobs.record.lag_ms.max(0.0)).max(self.started);
        let state = knobs.record.frozen.unwrap_or_else(|| self.state(seen));
        let mut record = Map::new();
        record.insert("id".into(), json!(self.names.run));
        record.insert("agentId".into(), json!(self.names.agent));
        record.insert("requestId".into(), json!(self.request_id));
        record.insert("status".into(), json!(state.name()));
        record.insert("createdAt".into(), json!(iso(self.started)));
        record.insert("updatedAt".into(), json!(iso(self.ended(seen).unwrap_or(seen))));
        let told = state.is_terminal() && knobs.record.frozen.is_none();
        let end = match &self.cancelled {
            Some(cancelled) if state == RunState::Cancelled => record_of_result(&cancelled.result),
            _ => self.script.record(&self.names),
        };
        if let Value::Object(fields) = end
            && told
        {
            record.extend(fields);
        }
        record.retain(|field, _| !knobs.record.without.iter().any(|left_out| left_out == field));
        Value::Object(record)
    }
}

names!(RunState:
    Creating "CREATING", Running "RUNNING", Finished "FINISHED", Error "ERROR", Cancelled "CANCELLED", Expired "EXPIRED",
);

impl Patch for Pace {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = match (value.as_f64(), value.as_str()) {
            (Some(speed), _) if speed > 0.0 => Self::Speed(speed),
            (_, Some("instant")) => Self::Instant,
            (_, Some("demand")) => Self::Demand,
            _ => return Err(expected("a number above 0, \"instant\" or \"demand\"", value)),
        };
        Ok(())
    }
}
