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
mod field_reports;
mod limits;
mod lines;
mod outcome;
#[cfg(not(target_arch = "wasm32"))]
mod reference;

use outcome::{Event, Outcome, text};
use runwire::sse::{Block, Decoder, EventTooLarge};

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
    outcome.last_event_id = text(decoder.last_event_id());
    outcome.reconnection_time = decoder.reconnection_time();
    (outcome, result)
}

fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let (outcome, result) = decode_with(usize::MAX, chunks);
    result.expect("no limit");
    outcome
}
