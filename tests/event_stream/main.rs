//! The event-stream decoder against the recorded cases, an independent reference, and its limits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod cases;
#[cfg(not(target_arch = "wasm32"))]
mod chunking;
mod limits;
#[cfg(not(target_arch = "wasm32"))]
mod reference;

use runwire::sse::{Block, Decoder, EventTooLarge};

/// A dispatched event as `ServerSentEvent` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Event {
    event: String,
    data: String,
    id: String,
}

/// All that a decoder tells about a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Outcome {
    events: Vec<Event>,
    /// Each block's own id, `None` where it had none, dispatched or not.
    own_ids: Vec<Option<String>>,
    last_event_id: String,
    reconnection_time: Option<u64>,
}

impl Outcome {
    fn block(&mut self, block: Block<'_>) {
        self.own_ids.push(block.own_id.map(str::to_owned));
        if let Some(data) = block.text() {
            self.events.push(Event {
                event: block.event_name().into_owned(),
                data: data.into_owned(),
                id: block.last_event_id.to_owned(),
            });
        }
    }
}

fn decode_with<'a>(
    limit: usize,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> (Outcome, Result<(), EventTooLarge>) {
    let mut decoder = Decoder::new(limit);
    let mut outcome = Outcome::default();
    let mut result = Ok(());
    for chunk in chunks {
        result = decoder.push(chunk, &mut |block: Block<'_>| outcome.block(block));
        if result.is_err() {
            break;
        }
    }
    decoder.end();
    outcome.last_event_id = decoder.last_event_id().to_owned();
    outcome.reconnection_time = decoder.reconnection_time();
    (outcome, result)
}

fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let (outcome, result) = decode_with(usize::MAX, chunks);
    result.expect("no limit");
    outcome
}
