//! A session may last for months: what is remembered of it is bounded.

use runwire::json::Batch;
use runwire::kit::Session;
use serde_json::json;

use crate::events::next_events;

#[test]
fn a_thousand_tools_may_be_in_use_and_later_ones_are_told_all_the_same() {
    let mut session = Session::default();
    let tool = |nth: usize| {
        json!({ "type": "assistant", "message": { "content": [
            { "type": "tool_use", "id": format!("t{nth}"), "name": format!("Tool{nth}"), "input": nth },
        ] } })
        .to_string()
    };
    let result = |nth: usize| {
        json!({ "type": "user", "message": { "content": [
            { "type": "tool_result", "tool_use_id": format!("t{nth}"), "content": "" },
        ] } })
        .to_string()
    };
    for nth in 0..1_000 {
        assert_eq!(next_events(&mut session, &tool(nth)).len(), 1);
    }
    // Those whose results have come make room first.
    for nth in 1..1_000 {
        assert_eq!(next_events(&mut session, &result(nth)).len(), 1);
    }
    for nth in 1_000..2_000 {
        assert_eq!(next_events(&mut session, &tool(nth)).len(), 1);
    }
    assert_eq!(next_events(&mut session, &result(0))[0]["toolName"], "Tool0");
    assert_eq!(next_events(&mut session, &result(1_999))[0]["toolName"], "Tool1999");
}

#[test]
fn a_hundred_thousand_turns_leave_nothing_behind() {
    let turn = |nth: usize| {
        [
            json!({ "type": "system", "subtype": "init", "mcp_servers": [{ "name": "db", "status": "failed" }] }),
            json!({ "type": "stream_event", "event": { "type": "message_start", "message": { "id": format!("m{nth}") } } }),
            json!({ "type": "stream_event", "event": {
                "type": "content_block_delta", "delta": { "type": "text_delta", "text": "x".repeat(50) } } }),
            json!({ "type": "assistant", "message": { "id": format!("m{nth}"), "content": [
                { "type": "tool_use", "id": format!("t{nth}"), "name": "Bash", "input": {} }] } }),
            json!({ "type": "result", "subtype": "success", "result": "", "is_error": false }),
        ]
        .map(|message| message.to_string())
    };
    let mut session = Session::default();
    let mut batch = Batch::default();
    let size = |session: &Session| format!("{session:?}").len();
    let mut sizes = Vec::new();
    for nth in 0..100_000 {
        for message in turn(nth) {
            session.message(message.as_bytes(), &mut batch);
        }
        batch.clear();
        if nth % 10_000 == 9_999 {
            sizes.push(size(&session));
        }
    }
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(most - least <= least / 20, "{sizes:?}");
}
