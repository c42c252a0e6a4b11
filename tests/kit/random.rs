//! Any session: the same events as the reference gives, in one message or cut into lines anywhere.

use proptest::prelude::*;
use runwire::json::Batch;
use runwire::kit::Session;
use runwire::sse::{Block, Decoder};
use serde_json::{Value, json};

use crate::events::{next_events, read};
use crate::reference::Reference;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-c]{0,3}",
        1 => Just("\u{e9}\u{1f600}\"\\\n\u{2028}".to_owned()),
        1 => Just("x\n  [ede_diagnostic] a\ny".to_owned()),
        1 => Just("a text that is longer than what is written short".to_owned()),
    ]
}

/// What a member may be that should be a text.
fn maybe() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => text().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!(7)),
        1 => Just(json!(["a", { "type": "text" }])),
    ]
}

fn id() -> impl Strategy<Value = Value> {
    prop_oneof![Just(json!("m")), Just(json!("n")), Just(json!("m\u{e9}\""))]
}

fn parent() -> impl Strategy<Value = Value> {
    prop_oneof![6 => Just(Value::Null), 1 => Just(json!("t1")), 1 => Just(json!(true))]
}

fn content() -> impl Strategy<Value = Value> {
    let part = (prop_oneof![3 => Just("text"), 1 => Just("image")], maybe())
        .prop_map(|(kind, text)| json!({ "type": kind, "text": text }));
    prop_oneof![2 => maybe(), 1 => prop::collection::vec(part, 0..3).prop_map(Value::from)]
}

fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => maybe().prop_map(|text| json!({ "type": "text", "text": text })),
        2 => (id(), maybe(), maybe()).prop_map(|(id, name, input)| {
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        }),
        1 => maybe().prop_map(|name| json!({ "type": "tool_use", "name": name })),
        3 => (id(), content(), maybe()).prop_map(|(id, content, is_error)| {
            json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error == "a" })
        }),
        1 => text().prop_map(|text| json!({ "type": "thinking", "thinking": text })),
    ]
}

fn message() -> impl Strategy<Value = Value> {
    let blocks = || prop::collection::vec(block(), 0..3);
    let status = prop_oneof![
        Just("success"),
        Just("error_max_turns"),
        Just("error_during_execution"),
        Just("paused"),
    ];
    prop_oneof![
        1 => id().prop_map(|id| json!({ "type": "stream_event", "event": { "type": "message_start", "message": { "id": id } } })),
        6 => (maybe(), parent()).prop_map(|(text, parent)| json!({
            "type": "stream_event", "parent_tool_use_id": parent,
            "event": { "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } },
        })),
        1 => maybe().prop_map(|text| json!({
            "type": "stream_event",
            "event": { "type": "content_block_delta", "delta": { "text": text, "type": "text_delta" } },
        })),
        6 => (id(), blocks(), parent(), prop_oneof![4 => Just(Value::Null), 1 => Just(json!("x"))])
            .prop_map(|(id, content, parent, error)| json!({
                "type": "assistant", "parent_tool_use_id": parent, "error": error,
                "message": { "id": id, "content": content },
            })),
        4 => (blocks(), parent()).prop_map(|(content, parent)| json!({
            "type": "user", "parent_tool_use_id": parent, "message": { "role": "user", "content": content },
        })),
        2 => (status, maybe(), prop::collection::vec(maybe(), 0..3), any::<Option<bool>>(), 0..9_u64)
            .prop_map(|(status, result, errors, is_error, count)| {
                let mut message = json!({
                    "type": "result", "subtype": status, "result": result, "errors": errors,
                    "modelUsage": { "a": { "inputTokens": count, "outputTokens": 2 * count }, "b": {
                        "cacheReadInputTokens": count, "cacheCreationInputTokens": "7" } },
                    "total_cost_usd": result,
                });
                if let Some(is_error) = is_error {
                    message["is_error"] = is_error.into();
                }
                message
            }),
        1 => (maybe(), maybe()).prop_map(|(name, other)| json!({
            "type": "system", "subtype": "init", "mcp_servers": [
                { "name": name, "status": "failed" }, { "name": other, "status": "failed" }, { "name": "c" }],
        })),
        1 => (maybe(), prop_oneof![Just(json!("notice")), Just(json!("odd")), Just(json!(7))])
            .prop_map(|(content, level)| json!({
                "type": "system", "subtype": "informational", "content": content, "level": level })),
        1 => maybe().prop_map(|content| json!({ "type": "system", "subtype": "local_command_output", "content": content })),
        1 => maybe().prop_map(|suggestion| json!({ "type": "prompt_suggestion", "suggestion": suggestion })),
        1 => maybe(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_events_are_those_of_the_reference(messages in prop::collection::vec(message(), 0..12), size in 1..200_usize) {
        let mut reference = Reference::default();
        let mut session = Session::default();
        let mut all = Vec::new();
        for message in &messages {
            let expected = reference.message(message);
            prop_assert_eq!(&next_events(&mut session, &message.to_string()), &expected, "{}", message);
            all.extend(expected);
        }
        let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
        let (mut decoder, mut session, mut out) = (Decoder::of_lines(usize::MAX), Session::default(), Batch::default());
        for chunk in lines.as_bytes().chunks(size) {
            prop_assert!(decoder.push(chunk, &mut |block: Block<'_>| session.block(&block, &mut out)).is_ok());
        }
        prop_assert_eq!(read(&mut out), all);
    }
}
