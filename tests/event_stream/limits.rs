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
