//! Any bytes in any chunking: the decoder gives what the reference gives.

use runwire::sse::{Block, Decoder};

#[path = "../../tests/event_stream/outcome.rs"]
mod outcome;
#[path = "../../tests/event_stream/reference.rs"]
mod reference;

use outcome::{Outcome, text};

/// The input is a number of chunks, their lengths, and then the stream.
pub fn check(input: &[u8]) {
    let Some((&count, rest)) = input.split_first() else { return };
    let (lengths, stream) = rest.split_at(usize::from(count).min(rest.len()));
    let expected = reference::decode(stream);
    assert_eq!(decode([stream]), expected, "whole");
    assert_eq!(decode(chunks(stream, lengths)), expected, "in chunks");
    limited(stream, lengths);
}

/// With a limit, what comes is a beginning of what comes without one.
fn limited(stream: &[u8], lengths: &[u8]) {
    let Some(&limit) = lengths.first() else { return };
    let expected = reference::decode(stream);
    let mut decoder = Decoder::new(usize::from(limit) + 1);
    let mut outcome = Outcome::default();
    let failed = chunks(stream, lengths)
        .into_iter()
        .any(|chunk| decoder.push(chunk, &mut |block: Block<'_>| outcome.block(block)).is_err());
    if failed {
        let before = expected.events.get(..outcome.events.len());
        assert_eq!(before, Some(outcome.events.as_slice()), "before the limit");
        assert!(
            decoder.push(b"data: a\n\n", &mut |_: Block<'_>| panic!("an event after the limit")).is_err()
        );
    } else {
        assert_eq!(outcome.events, expected.events, "within the limit");
        // As sent, so before replacement characters, which are longer.
        let fits = |text: &str| text.replace('\u{fffd}', "").len() <= usize::from(limit) + 1;
        assert!(outcome.events.iter().all(|event| fits(&event.data)), "no event is longer than the limit");
    }
}

fn chunks<'a>(stream: &'a [u8], lengths: &[u8]) -> Vec<&'a [u8]> {
    let mut rest = stream;
    let mut chunks = Vec::with_capacity(lengths.len() + 1);
    for &length in lengths {
        let (chunk, after) = rest.split_at(usize::from(length).min(rest.len()));
        chunks.push(chunk);
        rest = after;
    }
    chunks.push(rest);
    chunks
}

fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut decoder = Decoder::new(usize::MAX);
    let mut outcome = Outcome::default();
    for chunk in chunks {
        let result = decoder.push(chunk, &mut |block: Block<'_>| outcome.block(block));
        assert_eq!(result, Ok(()), "there is no limit");
    }
    decoder.end();
    outcome.last_event_id = text(decoder.last_event_id());
    outcome.reconnection_time = decoder.reconnection_time();
    outcome
}
