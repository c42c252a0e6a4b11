//! Where a resumed connection starts, and how text of the past may be cut anew.

use crate::http::header_text;
use crate::json::json;
use crate::knobs::{Occurrence, ReplayKnobs, Text, UnknownId};
use crate::run::Run;
use crate::script::Frame;
use serde_json::Value;

/// Where a connection starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At that frame.
    At(u64),
    /// The id is refused: 400.
    Refused,
    /// The stream is gone: 410.
    Expired,
}

pub(crate) fn start(run: &Run, now: f64, id: Option<&str>, knobs: &ReplayKnobs) -> Start {
    let head = run.head(now);
    let kept =
        knobs.keep_last.map_or(0, |frames| head.saturating_sub(frames)).max(knobs.lost_first.min(head));
    let Some(id) = id.map(header_text).filter(|id| !id.is_empty() && !knobs.ignore_id) else {
        return Start::At(kept);
    };
    let mut found = run.occurrences(&id, head);
    found.retain(|index| *index >= kept);
    let chosen = match knobs.after {
        Occurrence::First => found.first(),
        Occurrence::Last => found.last(),
    };
    let next = chosen
        .map(|index| index + 1)
        .or_else(|| heartbeat_position(&id).filter(|at| (kept..=head).contains(at)));
    match (next, knobs.unknown_id) {
        (Some(next), _) => Start::At(next),
        (None, UnknownId::Refuse) => Start::Refused,
        (None, UnknownId::Start) => Start::At(kept),
        (None, UnknownId::Expired) => Start::Expired,
    }
}

/// A heartbeat's id says which frame of the run is next, and differs from those of other heartbeats there.
pub(super) fn heartbeat_id(next: u64, count: u64) -> String {
    format!("hb-{next}-{count}")
}

fn heartbeat_position(id: &str) -> Option<u64> {
    id.strip_prefix("hb-")?.split_once('-')?.0.parse().ok()
}

/// A stretch of text, cut anew.
pub(super) struct Pieces {
    pub(super) frames: Vec<Frame>,
    /// The first frame of the run after it.
    pub(super) next: u64,
}

/// The text deltas of one channel in a stretch, with the ids they had.
struct Channel {
    event: String,
    update: Option<String>,
    deltas: Vec<(String, Option<String>)>,
}

/// Cuts the stretch that begins at `index` as the knobs say. None if that frame is sent as it is.
pub(super) fn recut(run: &Run, index: u64, end: u64, knobs: &ReplayKnobs) -> Option<Pieces> {
    let (size, whole_stretch) = match knobs.text {
        Text::AsSent => return None,
        Text::Merged => (usize::MAX, true),
        Text::Recut(characters) => (characters.max(1) as usize, true),
        Text::Split(characters) => (characters.max(1) as usize, false),
    };
    let mut channels: Vec<Channel> = Vec::new();
    let mut next = index;
    let mut family = None;
    while next < end {
        let Some((frame, update, text)) = run.frame(next).and_then(text_of) else { break };
        let own = if frame.event == "thinking" || update.as_deref() == Some("thinking-delta") {
            "thinking"
        } else {
            "text"
        };
        if *family.get_or_insert(own) != own {
            break;
        }
        next += 1;
        let same = |channel: &&mut Channel| channel.event == frame.event && channel.update == update;
        match channels.iter_mut().find(same) {
            Some(channel) => channel.deltas.push((text, frame.id)),
            None => channels.push(Channel { event: frame.event, update, deltas: vec![(text, frame.id)] }),
        }
        if !whole_stretch {
            break;
        }
    }
    if channels.is_empty() {
        return None;
    }
    let mut placed = Vec::new();
    for (order, channel) in channels.iter().enumerate() {
        placed.extend(
            channel.pieces(size, knobs.text_ids).into_iter().enumerate().map(|(n, frame)| (n, order, frame)),
        );
    }
    // Twins have the same text and so the same pieces: they stay beside each other.
    placed.sort_by_key(|(n, order, _)| (*n, *order));
    Some(Pieces { frames: placed.into_iter().map(|(_, _, frame)| frame).collect(), next })
}

impl Channel {
    /// Pieces of that many characters; each has the id of the delta that its last character came from.
    fn pieces(&self, size: usize, ids: bool) -> Vec<Frame> {
        let mut frames = Vec::new();
        let (mut piece, mut length) = (String::new(), 0);
        let total: usize = self.deltas.iter().map(|(text, _)| text.chars().count()).sum();
        let mut seen = 0;
        for (text, id) in &self.deltas {
            for character in text.chars() {
                piece.push(character);
                (length, seen) = (length + 1, seen + 1);
                if length == size || seen == total {
                    frames.push(self.frame(&std::mem::take(&mut piece), id.clone().filter(|_| ids)));
                    length = 0;
                }
            }
        }
        frames
    }

    fn frame(&self, text: &str, id: Option<String>) -> Frame {
        let data = match &self.update {
            Some(update) => json!({"type": update, "text": text}),
            None => json!({"text": text}),
        };
        Frame { id, ..Frame::new(&self.event, &data) }
    }
}

/// The frame, its update type and its text, if text is all it has.
fn text_of(frame: Frame) -> Option<(Frame, Option<String>, String)> {
    if !matches!(frame.event.as_str(), "assistant" | "thinking" | "interaction_update") {
        return None;
    }
    let data: Value = serde_json::from_str(&frame.data).ok()?;
    let fields = data.as_object()?;
    let text = fields.get("text")?.as_str()?.to_owned();
    let update = fields.get("type").and_then(Value::as_str).map(str::to_owned);
    let is_text = match (&update, frame.event.as_str()) {
        (Some(update), "interaction_update") => {
            matches!(update.as_str(), "text-delta" | "thinking-delta") && fields.len() == 2
        }
        (None, "assistant" | "thinking") => fields.len() == 1,
        _ => false,
    };
    (is_text && !text.is_empty()).then_some((frame, update, text))
}
