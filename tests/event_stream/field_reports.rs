//! What has broken in other decoders, as it was reported: row and thread in docs/field-reports.md.

use super::{Event, Outcome, decode};
// The same tests in Node and Chromium, where the decoder runs as wasm32.
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// What the stream gives in the chunks of the report, which is what it gives in chunks of any length.
fn reported(chunks: &[&str]) -> Outcome {
    let outcome = decode(chunks.iter().map(|chunk| chunk.as_bytes()));
    let whole = chunks.concat();
    for length in 1..=whole.len() {
        assert_eq!(decode(whole.as_bytes().chunks(length)), outcome, "{whole:?} in chunks of {length}");
    }
    outcome
}

fn event(name: &str, data: &str, id: &str) -> Event {
    Event { event: name.to_owned(), data: data.to_owned(), id: id.to_owned() }
}

fn messages<const N: usize>(data: [&str; N]) -> [Event; N] {
    data.map(|data| event("message", data, ""))
}

// 13: rexxars/eventsource-parser #17
#[test]
fn a_line_feed_in_the_next_chunk_ends_no_second_line() {
    let outcome = reported(&["data: A\r\n", "data: B\r", "\ndata: C\r\n", "\r\n"]);
    assert_eq!(outcome.events, messages(["A\nB\nC"]));
}

// 15: rexxars/eventsource-parser #31
#[test]
fn data_lines_without_a_blank_line_between_are_one_event() {
    let outcome = reported(&["id: 1\ndata: {\"a\":1}\n", "data: {\"b\":2}\n\n"]);
    assert_eq!(outcome.events, [event("message", "{\"a\":1}\n{\"b\":2}", "1")]);
}

// 25: EventSource/eventsource #358
#[test]
fn an_event_without_an_id_has_the_last_one() {
    let outcome = reported(&["id: 1\ndata: a\n\ndata: b\n\n"]);
    assert_eq!(outcome.events, [event("message", "a", "1"), event("message", "b", "1")]);
    assert_eq!(outcome.own_ids, [Some("1".to_owned()), None]);
}

// 30: EventSource/eventsource #22, 34: joshmossas/event-source-plus #36, 96: braintrustdata/braintrust-sdk-javascript #2091
#[test]
fn characters_that_are_cut_are_whole() {
    let text = "日本語 한국어 “quoted” 🧭 👩‍👩‍👧";
    let outcome = reported(&[&format!("data: {text}\n\n")]);
    assert_eq!(outcome.events, messages([text]));
}

// 40: lukeed/fetch-event-stream #6
#[test]
fn a_field_without_a_colon_is_a_field() {
    assert_eq!(reported(&["data\n\n"]).events, messages([""]));
}

// 42: supabase/supabase #20706, 75: vercel/ai #6197
#[test]
fn blank_lines_of_crlf_end_events() {
    let three = ["data: {\"a\":1}\r\n\r\ndata: {\"b\":2}\r\n\r\ndata: {\"c\":3}\r\n\r\n"];
    assert_eq!(reported(&three).events, messages(["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"]));
    let named = reported(&["data: x\r\nevent: endpoint\r\n\r\n"]);
    assert_eq!(named.events, [event("endpoint", "x", "")]);
}

// 43: jpopesculian/eventsource-stream #10
#[test]
fn a_byte_order_mark_costs_no_event() {
    assert_eq!(reported(&["\u{feff}data: a\n\ndata: b\n\n"]).events, messages(["a", "b"]));
}

// 44: jpopesculian/eventsource-stream #6
#[test]
fn a_block_of_a_retry_alone_is_heeded() {
    let outcome = reported(&["retry: 40\n\n"]);
    assert_eq!((outcome.events.len(), outcome.reconnection_time), (0, Some(40)));
}

// 45: launchdarkly/rust-eventsource-client #28
#[test]
fn an_empty_id_takes_the_last_one_back() {
    let outcome = reported(&["id: 1\ndata: a\n\n", "id\n\n"]);
    assert_eq!(outcome.events, [event("message", "a", "1")]);
    assert_eq!(outcome.last_event_id, "");
}

// 80: theopenco/llmgateway #2334, 81: continuedev/continue #13144
#[test]
fn comments_are_neither_events_nor_ends() {
    let outcome = reported(&["id: 7\ndata: a\n\n: ping\n\n", ": OPENROUTER PROCESSING\n\ndata: b\n\n"]);
    assert_eq!(outcome.events, [event("message", "a", "7"), event("message", "b", "7")]);
    assert_eq!(outcome.last_event_id, "7");
}

// 97: langchain-ai/langgraph #2593
#[test]
fn only_cr_and_lf_end_lines() {
    let text = "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f";
    assert_eq!(reported(&[&format!("data: {text}\n\n")]).events, messages([text]));
}
