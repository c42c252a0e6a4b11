//! The recorded cases: `tests/cases/session-events.json`.

use serde_json::Value;

use crate::events::events_of;

#[test]
fn every_case_gives_its_events() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../cases/session-events.json")).unwrap();
    for case in &cases {
        let events = events_of(case["raw"].as_array().unwrap());
        assert_eq!(Value::from(events), case["expect"], "{}", case["name"]);
    }
    assert_eq!(cases.len(), 38);
}
