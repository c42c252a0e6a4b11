//! `max_event_bytes`: what is before it arrives, what crosses it is a typed error.

use super::{Event, decode_with};
// The same tests in Node and Chromium, where the decoder runs as wasm32.
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn event(data: &str) -> Event {
    Event { event: "message".to_owned(), data: data.to_owned(), id: String::new() }
}

#[test]
fn data_of_exactly_the_limit_passes_and_one_byte_more_fails_in_every_chunking() {
    for (field, separator) in [("data:", 0), ("data: ", 0), ("data:1\ndata:", 2)] {
        let body = "x".repeat(20 - separator);
        let fits = format!("data: a\n\n{field}{body}\n\n");
        let crosses = format!("data: a\n\n{field}{body}y\n\ndata: b\n\n");
        for length in 1..=crosses.len() {
            let (outcome, result) = decode_with(20, fits.as_bytes().chunks(length));
            assert_eq!((outcome.events.len(), result.is_ok()), (2, true), "{fits:?} in {length}");
            let (outcome, result) = decode_with(20, crosses.as_bytes().chunks(length));
            assert_eq!(outcome.events, [event("a")], "{crosses:?} in {length}");
            assert_eq!(result.unwrap_err().limit, 20);
        }
    }
}

#[test]
fn no_line_of_any_kind_is_held_beyond_the_limit() {
    for start in [": ", "id: ", "event: ", "unknown: ", "retry: ", ""] {
        let endless = format!("{start}{}", "1".repeat(2000));
        let (_, result) = decode_with(1000, endless.as_bytes().chunks(64));
        assert!(result.is_err(), "{start:?}");
    }
}

#[test]
fn many_comments_in_one_block_do_not_add_up() {
    let stream = format!("{}data: a\n\n", ": keep-alive\n".repeat(1000));
    let (outcome, result) = decode_with(64, stream.as_bytes().chunks(7));
    assert_eq!(outcome.events, [event("a")]);
    assert!(result.is_ok());
}

#[test]
fn the_error_stays_until_the_connection_ends() {
    use runwire::sse::{Block, Decoder};
    let mut decoder = Decoder::new(3);
    let mut count = 0;
    let mut sink = |_: Block<'_>| count += 1;
    assert!(decoder.push(b"data: long\n\n", &mut sink).is_err());
    assert!(decoder.push(b"data: a\n\n", &mut sink).is_err());
    decoder.end();
    assert!(decoder.push(b"data: a\n\n", &mut sink).is_ok());
    assert_eq!(count, 1);
}

#[test]
fn a_large_event_is_whole_whatever_pieces_it_was_held_in() {
    const MIB: usize = 1024 * 1024;
    // What comes in one chunk, what comes in several, and borders that fall on those of pieces.
    for (length, chunk) in [(MIB - 1, 4096), (MIB, 4096), (MIB + 1, 1000), (3 * MIB, MIB), (5 * MIB, 65_537)]
    {
        let line: Vec<u8> = (0..length).map(|at| b'a' + (at % 23) as u8).collect();
        let text = String::from_utf8(line).unwrap();
        let stream = format!("data: a\n\ndata: {text}\ndata: {text}\nid: 1\n\ndata: b\n\n");
        let (outcome, result) = decode_with(2 * length + 1, stream.as_bytes().chunks(chunk));
        assert!(result.is_ok());
        let data: Vec<&str> = outcome.events.iter().map(|event| event.data.as_str()).collect();
        assert!(data == ["a", &format!("{text}\n{text}"), "b"], "{length} in chunks of {chunk}");
        let (outcome, result) = decode_with(2 * length, stream.as_bytes().chunks(chunk));
        assert_eq!((outcome.events.len(), result.is_err()), (1, true), "{length} in chunks of {chunk}");
    }
}

#[test]
fn an_event_after_one_that_was_too_large_begins_empty() {
    use runwire::sse::{Block, Decoder};
    let mut decoder = Decoder::new(3 * 1024 * 1024);
    let mut seen = Vec::new();
    let mut sink = |block: Block<'_>| seen.push(block.text().unwrap_or_default().into_owned());
    decoder.push(b"data: ", &mut sink).unwrap();
    let failed =
        (0..4).map(|_| decoder.push(&vec![b'x'; 1024 * 1024], &mut sink)).any(|result| result.is_err());
    assert!(failed);
    decoder.end();
    decoder.push(b"data: a\n\n", &mut sink).unwrap();
    assert_eq!(seen, ["a"]);
}
