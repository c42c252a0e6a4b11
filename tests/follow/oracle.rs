//! What a consumer must have got, judged from what the run is and not from what the follower knows.

use std::collections::BTreeMap;

use runwire_simulator::{Ids, Scope, Statuses};
use serde_json::Value;

use crate::seen::{Seen, statuses, warnings};
use crate::world::{How, World};

/// What a row of the guarantees promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// Each frame once, in order, as sent; no warning.
    Exact,
    /// The text of each channel between two other frames, and those frames; no warning.
    ExactText,
    /// What is lost or repeated is warned of; frames of distinct data.
    Warned,
}

/// A stretch of the content: text by channel, up to the frame after it.
type Stretch = (BTreeMap<String, String>, Option<(String, String)>);

/// The whole run's account: what one connection that nobody disturbs brings.
#[derive(Debug)]
pub(crate) struct Account {
    content: Vec<Seen>,
    stretches: Vec<Stretch>,
    statuses: Vec<String>,
}

impl Account {
    /// From the simulator's own list of the run's frames.
    pub(crate) fn of(world: &World) -> Self {
        let run = &world.run.run_id;
        let knobs = world.simulator.knobs(Scope::Run(run)).unwrap();
        let frames = world.simulator.frames(run, 0, u64::MAX).unwrap().into_iter();
        let mut all: Vec<Seen> = Vec::new();
        for frame in frames {
            let id = frame.id.filter(|_| knobs.stream.ids == Ids::All).unwrap_or_default();
            all.push(Seen::Frame { event: frame.event, id, data: frame.data });
        }
        let content = content(&all);
        let mut statuses = statuses(&all);
        // A run that does not say so itself is said to be running.
        if all.first().is_some_and(|first| first.status().is_none()) {
            statuses.insert(0, "RUNNING".into());
        }
        if world.is_past && knobs.replay.statuses == Statuses::Current {
            statuses = vec!["FINISHED".into()];
        }
        Self { stretches: stretches(&content), content, statuses }
    }

    /// Holds a disturbed run against this account; what is wrong, if anything.
    pub(crate) fn judge(&self, world: &World, promise: Promise) -> Result<(), String> {
        let warned = warnings(&world.seen);
        let content = content(&world.seen);
        if !matches!(world.end, Some(Ok(()))) {
            return Err(format!("ended with {:?}", world.end));
        }
        match promise {
            Promise::Exact if content != self.content && !self.lacks_only_the_result(world, &content) => {
                return Err("other content".into());
            }
            Promise::ExactText
                if stretches(&content) != self.stretches && !self.lacks_only_the_result(world, &content) =>
            {
                return Err("other text".into());
            }
            Promise::Warned => self.judge_warned(world, &content, &warned)?,
            _ if !warned.is_empty() => return Err(format!("needless warnings {warned:?}")),
            _ => {}
        }
        let told = statuses(&world.seen);
        let mut all = self.statuses.clone();
        // A reconnect may tell a state that no frame of the run tells.
        if told.last().is_some_and(|last| last == "FINISHED") && !all.contains(&"FINISHED".to_owned()) {
            all.push("FINISHED".into());
        }
        if warned.is_empty() && (!is_subsequence(&told, &all) || told.last() != all.last()) {
            return Err(format!("statuses {told:?} of {all:?}"));
        }
        Ok(())
    }

    fn lacks_only_the_result(&self, world: &World, content: &[Seen]) -> bool {
        let whole: Vec<Seen> = content.iter().chain(self.content.last()).cloned().collect();
        may_lack_the_result(world, Promise::Exact) && stretches(&whole) == self.stretches
    }

    /// Distinct data shows the place of each frame.
    fn judge_warned(&self, world: &World, content: &[Seen], warned: &[&str]) -> Result<(), String> {
        let place = |seen: &Seen| self.content.iter().position(|own| same_data(own, seen));
        let places: Option<Vec<usize>> = content.iter().map(place).collect();
        let Some(places) = places else { return Err("content that the run does not have".into()) };
        // A gap before the first delivered content cannot be known.
        if places.is_empty() {
            return Ok(());
        }
        let whole: Vec<usize> = (places.first().copied().unwrap_or(0)..self.content.len()).collect();
        let short = places == whole[..whole.len() - 1] && may_lack_the_result(world, Promise::Warned);
        if places != whole && warned.is_empty() && !short {
            return Err(format!("{places:?} of {} without a warning", self.content.len()));
        }
        Ok(())
    }
}

/// A terminal status in its place is believed when the body ends or is silent after it, or when the rest is gone.
fn may_lack_the_result(world: &World, promise: Promise) -> bool {
    let told = statuses(&world.seen).last().is_some_and(|status| status == "FINISHED");
    told && (world.network.cuts.iter().any(|cut| cut.how != How::Reset) || promise == Promise::Warned)
}

fn same_data(a: &Seen, b: &Seen) -> bool {
    match (a.content(), b.content()) {
        (Some((event, _, data)), Some((other_event, _, other_data))) => {
            (event, data) == (other_event, other_data)
        }
        _ => false,
    }
}

fn content(seen: &[Seen]) -> Vec<Seen> {
    seen.iter().filter(|seen| seen.content().is_some()).cloned().collect()
}

fn stretches(content: &[Seen]) -> Vec<Stretch> {
    let mut all = vec![Stretch::default()];
    for seen in content {
        let Some((event, _, data)) = seen.content() else { continue };
        let channel = channel_of_text(event, data);
        match (channel, all.last_mut()) {
            (Some((channel, text)), Some(last)) => last.0.entry(channel).or_default().push_str(&text),
            (_, Some(last)) => {
                last.1 = Some((event.to_owned(), data.to_owned()));
                all.push(Stretch::default());
            }
            _ => {}
        }
    }
    all
}

fn channel_of_text(event: &str, data: &str) -> Option<(String, String)> {
    if !matches!(event, "assistant" | "thinking" | "interaction_update") {
        return None;
    }
    let data: Value = serde_json::from_str(data).ok()?;
    let text = data.get("text")?.as_str()?.to_owned();
    let kind = data.get("type").and_then(Value::as_str).unwrap_or_default();
    Some((format!("{event} {kind}"), text))
}

fn is_subsequence(part: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|one| rest.any(|other| other == one))
}
