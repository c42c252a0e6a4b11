//! The recorded cases of `tests/cases/event-stream.json`, in every chunking that matters.

use base64::Engine;
use serde_json::Value;

use super::{Event, Outcome, decode};
// The same tests in Node and Chromium, where the decoder runs as wasm32.
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

struct Case {
    name: String,
    input: Vec<u8>,
    events: Vec<Event>,
    last_event_id: String,
    retry: Option<f64>,
    splits: Vec<usize>,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../cases/event-stream.json");
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    let string = |value: &Value| value.as_str().unwrap().to_owned();
    cases
        .iter()
        .map(|case| Case {
            name: string(&case["name"]),
            input: match case.get("input") {
                Some(input) => string(input).into_bytes(),
                None => base64::prelude::BASE64_STANDARD.decode(case["input_b64"].as_str().unwrap()).unwrap(),
            },
            events: case["expect"]
                .as_array()
                .unwrap()
                .iter()
                .map(|e| Event { event: string(&e["event"]), data: string(&e["data"]), id: string(&e["id"]) })
                .collect(),
            last_event_id: string(&case["lastEventId"]),
            retry: case.get("retry").map(|retry| retry.as_f64().unwrap()),
            splits: case
                .get("splits")
                .map(|s| s.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect())
                .unwrap_or_default(),
        })
        .collect()
}

fn check(case: &Case, outcome: &Outcome, how: &str) {
    let name = &case.name;
    assert_eq!(outcome.events, case.events, "{name}, {how}");
    assert_eq!(outcome.last_event_id, case.last_event_id, "{name}, {how}");
    match (case.retry, outcome.reconnection_time) {
        // Larger than any timer: a clamp is as good as the number.
        (Some(expected), Some(time)) if expected > 2_147_483_647.0 => {
            assert!(time >= 2_147_483_647, "{name}")
        }
        (expected, time) => assert_eq!(time.map(|t| t as f64), expected, "{name}, {how}"),
    }
}

#[test]
fn all_recorded_cases_are_right_whole_and_at_their_own_splits() {
    let cases = cases();
    assert_eq!(cases.len(), 150);
    for case in &cases {
        check(case, &decode([case.input.as_slice()]), "whole");
        let mut chunks = Vec::new();
        let mut from = 0;
        for &split in &case.splits {
            let split = split.min(case.input.len());
            chunks.push(&case.input[from..split]);
            from = split;
        }
        chunks.push(&case.input[from..]);
        check(case, &decode(chunks), "at its splits");
    }
}

#[test]
fn all_recorded_cases_are_right_byte_by_byte() {
    for case in cases() {
        check(&case, &decode(case.input.chunks(1)), "byte by byte");
        // Empty chunks say nothing.
        let with_gaps = case.input.chunks(1).flat_map(|byte| [&[], byte]);
        check(&case, &decode(with_gaps), "byte by byte with empty chunks between");
    }
}

#[test]
fn all_recorded_cases_are_right_at_every_two_way_cut() {
    for case in cases() {
        for cut in 0..=case.input.len() {
            let (head, tail) = case.input.split_at(cut);
            check(&case, &decode([head, tail]), &format!("cut at {cut}"));
        }
    }
}

#[test]
fn short_recorded_cases_are_right_at_every_three_way_cut() {
    for case in cases().iter().filter(|case| case.input.len() <= 120) {
        for first in 0..=case.input.len() {
            for second in first..=case.input.len() {
                let chunks = [&case.input[..first], &case.input[first..second], &case.input[second..]];
                check(case, &decode(chunks), &format!("cuts at {first} and {second}"));
            }
        }
    }
}
