//! Frames as bytes.

use crate::knobs::StreamKnobs;
use crate::script::Frame;

pub(super) fn frame(frame: &Frame, knobs: &StreamKnobs, out: &mut Vec<u8>) {
    let end = knobs.line_ending.as_str();
    if let Some(raw) = &frame.raw {
        if end == "\n" {
            out.extend(raw.bytes());
        } else {
            out.extend(raw.replace('\n', end).bytes());
        }
        return;
    }
    let colon = if knobs.space { ": " } else { ":" };
    let mut line = |name: &str, value: &str| {
        for part in [name, colon, value, end] {
            out.extend_from_slice(part.as_bytes());
        }
    };
    if let Some(id) = &frame.id {
        line("id", id);
    }
    if !frame.event.is_empty() {
        line("event", &frame.event);
    }
    for part in frame.data.split('\n') {
        line("data", part);
    }
    out.extend_from_slice(end.as_bytes());
}
