//! How a run ended, from its frames and its record, against the recorded cases.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use runwire::cloud::{Outcome, RunStatus, status_of};
use runwire::json::FlatArray;
use runwire::sse::{Block, Decoder};
use serde_json::{Value, json};

/// What the facade makes of an outcome.
fn shown(outcome: &Outcome) -> Value {
    let mut out = FlatArray::default();
    outcome.encode(&mut out);
    let values: Vec<Value> = serde_json::from_slice(out.finish().bytes).unwrap();
    let mut result = json!({ "status": values[0] });
    for (name, value) in ["result", "durationMs", "git"].iter().zip(&values[1..]) {
        if !value.is_null() {
            result[*name] = value.clone();
        }
    }
    if !values[4].is_null() {
        result["error"] = json!({ "message": values[4] });
        if !values[5].is_null() {
            result["error"]["code"] = values[5].clone();
        }
    }
    result
}

fn result_data(stream: &str) -> Option<Vec<u8>> {
    let mut found = None;
    let mut decoder = Decoder::new(usize::MAX);
    let mut sink = |block: Block<'_>| {
        if block.event == b"result" {
            found = block.data.map(<[u8]>::to_vec);
        }
    };
    decoder.push(stream.as_bytes(), &mut sink).unwrap();
    found
}

#[test]
fn every_recorded_result_frame_gives_the_recorded_result() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("cases/cloud-runs.json")).unwrap();
    let mut checked = 0;
    for case in &cases {
        let Some(data) = result_data(case["sse"].as_str().unwrap_or_default()) else { continue };
        let mut expected = case["waitResult"].clone();
        let object = expected.as_object_mut().unwrap();
        for other_source in ["id", "usage"] {
            object.remove(other_source);
        }
        if case["name"] == "result-EXPIRED" {
            // Ours says why: the rules win over the recording.
            object.insert("error".to_owned(), json!({ "message": "The run expired", "code": "expired" }));
        }
        assert_eq!(shown(&Outcome::of_frame(&data).unwrap()), expected, "{}", case["name"]);
        checked += 1;
    }
    assert!(checked >= 34, "{checked}");
}

#[test]
fn a_result_is_completed_only_by_a_record_of_the_same_state() {
    let record =
        Outcome::of_record(br#"{"status":"FINISHED","result":"R","durationMs":3,"git":{"branches":[]}}"#)
            .unwrap();
    let mut bare = Outcome::of_frame(br#"{"status":"FINISHED","durationMs":9}"#).unwrap();
    assert!(!bare.is_complete());
    bare.complete(record.clone());
    let expected = json!({ "status": "finished", "result": "R", "durationMs": 9, "git": { "branches": [] } });
    assert_eq!(shown(&bare), expected);

    let mut other = Outcome::of_frame(br#"{"status":"ERROR"}"#).unwrap();
    other.complete(record.clone());
    assert_eq!(shown(&other), json!({ "status": "error" }));

    let mut stateless = Outcome::of_frame(br#"{"text":"T"}"#).unwrap();
    assert!(!stateless.is_complete());
    stateless.complete(record);
    assert_eq!(shown(&stateless)["result"], "T");
}

#[test]
fn a_run_that_goes_on_has_no_outcome() {
    for record in [r#"{"status":"RUNNING"}"#, r#"{"status":"CREATING"}"#, "{}", "[]", "not json"] {
        assert_eq!(Outcome::of_record(record.as_bytes()), None, "{record}");
    }
}

#[test]
fn errors_count_only_with_a_message_and_only_for_a_failed_run() {
    let error_of = |data: &str| shown(&Outcome::of_frame(data.as_bytes()).unwrap())["error"].clone();
    assert_eq!(error_of(r#"{"status":"ERROR","text":"","error":{"code":"c"}}"#), Value::Null);
    assert_eq!(error_of(r#"{"status":"ERROR","text":"","error":"boom"}"#), Value::Null);
    assert_eq!(error_of(r#"{"status":"FINISHED","text":"","error":{"message":"m"}}"#), Value::Null);
    assert_eq!(
        error_of(r#"{"status":"ERROR","error":{"message":"m","code":"c","more":1}}"#),
        json!({"message":"m","code":"c"})
    );
    let status = Outcome::of_status(br#"{"status":"ERROR","message":"why"}"#).unwrap();
    assert_eq!(shown(&status), json!({ "status": "error", "error": { "message": "why" } }));
    assert_eq!(shown(&Outcome::cancelled()), json!({ "status": "cancelled" }));
}

#[test]
fn a_record_whose_state_nobody_knows_does_not_say_that_the_run_is_over() {
    for status in [r#""PAUSED""#, r#""finished""#, "null", "7", r#""""#] {
        let record = format!(r#"{{"id":"run-1","status":{status},"result":"text"}}"#);
        assert_eq!(Outcome::of_record(record.as_bytes()), None, "{status}");
        assert_eq!(status_of(record.as_bytes()), Some(RunStatus::Running), "{status}");
        // A result is the end, whatever it calls it.
        assert_ne!(Outcome::of_frame(record.as_bytes()).unwrap().status(), RunStatus::Running, "{status}");
    }
    for (status, state) in
        [("ERROR", RunStatus::Error), ("EXPIRED", RunStatus::Error), ("CANCELLED", RunStatus::Cancelled)]
    {
        let record = format!(r#"{{"status":"{status}"}}"#);
        assert_eq!(Outcome::of_record(record.as_bytes()).unwrap().status(), state);
    }
    for no_record in ["{}", "[]", "null", "", "{"] {
        assert_eq!(Outcome::of_record(no_record.as_bytes()), None);
        assert_eq!(status_of(no_record.as_bytes()), None);
    }
}
