//! The bodies of the fuzz targets, run once over the recorded cases: they compile and hold.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail loudly, and the bodies are documented where they are"
)]

#[path = "../fuzz/src/lib.rs"]
mod bodies;

use base64::Engine;
use serde_json::Value;

fn streams() -> Vec<Vec<u8>> {
    let events: Vec<Value> = serde_json::from_str(include_str!("cases/event-stream.json")).unwrap();
    let runs: Vec<Value> = serde_json::from_str(include_str!("cases/cloud-runs.json")).unwrap();
    let text = |value: &Value| value.as_str().unwrap().as_bytes().to_vec();
    let mut streams: Vec<_> = events
        .iter()
        .map(|case| match case.get("input_b64") {
            Some(coded) => base64::prelude::BASE64_STANDARD.decode(coded.as_str().unwrap()).unwrap(),
            None => text(&case["input"]),
        })
        .collect();
    streams.extend(runs.iter().map(|case| text(&case["sse"])));
    assert!(streams.len() > 180);
    streams
}

#[test]
fn the_event_stream_body_holds_for_the_recorded_streams() {
    for stream in streams() {
        for head in [&[0][..], &[3, 1, 2, 4], &[9, 30, 1, 1, 1, 7, 7, 1, 1, 60]] {
            bodies::event_stream::check(&[head, &stream].concat());
        }
    }
}

#[test]
fn the_json_scan_body_holds_for_the_recorded_data_whole_and_cut() {
    let mut texts = 0;
    for stream in streams() {
        for line in stream.split(|byte| *byte == b'\n') {
            let Some(data) = line.strip_prefix(b"data: ") else { continue };
            texts += 1;
            for end in (0..=data.len()).rev().take(40) {
                bodies::json_scan::check(&data[..end]);
            }
        }
    }
    assert!(texts > 300, "{texts}");
}

#[test]
fn the_messages_body_holds_for_the_recorded_streams() {
    for stream in streams() {
        bodies::messages::check(&stream);
    }
}

#[test]
fn the_session_body_holds_for_the_recorded_sessions_and_streams() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("cases/session-events.json")).unwrap();
    for case in &cases {
        for (before, after) in [("", "\n"), ("data: ", "\n\n")] {
            let messages = case["raw"].as_array().unwrap().iter();
            let text: String = messages.map(|message| format!("{before}{message}{after}")).collect();
            for size in [1, 7, 200] {
                bodies::session::check(&[&[size], text.as_bytes()].concat());
            }
        }
    }
    assert_eq!(cases.len(), 38);
    for stream in streams() {
        bodies::session::check(&stream);
    }
}

#[test]
#[should_panic(expected = "lacks a value")]
fn a_batch_that_lacks_a_value_is_seen() {
    bodies::messages::messages_of(&[0], &[], []);
}

#[test]
#[should_panic(expected = "units are left")]
fn a_batch_with_more_than_its_words_say_is_seen() {
    bodies::messages::messages_of(&[2 << 8], &[97, 97], []);
}
