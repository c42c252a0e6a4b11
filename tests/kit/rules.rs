//! What the cases do not show.

use proptest::prelude::*;
use runwire::kit::Session;
use serde_json::{Value, json};

use crate::events::{events_of, next_events};

fn start(id: &str) -> Value {
    json!({ "type": "stream_event", "parent_tool_use_id": null,
        "event": { "type": "message_start", "message": { "id": id } } })
}

fn delta(text: &str) -> Value {
    json!({ "type": "stream_event", "parent_tool_use_id": null,
        "event": { "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } } })
}

fn block(id: &str, block: &Value) -> Value {
    json!({ "type": "assistant", "parent_tool_use_id": null, "message": { "id": id, "content": [block] } })
}

fn whole(id: &str, text: &str) -> Value {
    block(id, &json!({ "type": "text", "text": text }))
}

fn tool(id: &str, name: &str) -> Value {
    block("m", &json!({ "type": "tool_use", "id": id, "name": name, "input": {} }))
}

fn result(id: &str, content: &Value) -> Value {
    json!({ "type": "user", "message": { "role": "user", "content": [
        { "type": "tool_result", "tool_use_id": id, "content": content },
    ] } })
}

fn texts(messages: &[Value]) -> Vec<String> {
    let events = events_of(messages);
    assert!(events.iter().all(|event| event["type"] == "text"), "{events:?}");
    events.iter().map(|event| event["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn text_is_told_once_however_it_comes() {
    let table: [(&[Value], &[&str]); 9] = [
        (&[start("m"), delta("ab"), delta("c"), whole("m", "abc")], &["ab", "c"]),
        (&[start("m"), delta("ab"), whole("m", "abc")], &["ab", "c"]),
        (&[start("m"), delta("ab"), whole("m", "ab"), delta("cd"), whole("m", "cd")], &["ab", "cd"]),
        // The wholes come before their parts have ended, and both before the parts of the second.
        (&[start("m"), delta("ab"), delta("cd"), whole("m", "ab"), whole("m", "cd")], &["ab", "cd"]),
        (&[start("m"), delta("x"), whole("m", "abc")], &["x", "abc"]),
        (&[delta("ab"), whole("m", "abc"), whole("m", "d")], &["ab", "c", "d"]),
        (&[start("m"), delta("ab"), whole("n", "ab"), whole("m", "ab")], &["ab", "ab"]),
        (&[start("m"), delta(""), whole("m", ""), whole("m", "a")], &["a"]),
        (&[start("m"), delta("é\"\n😀"), whole("m", "é\"\n😀!")], &["é\"\n😀", "!"]),
    ];
    for (messages, expected) in table {
        assert_eq!(texts(messages), expected, "{messages:?}");
    }
}

#[test]
fn text_that_is_escaped_otherwise_is_the_same_text() {
    let mut session = Session::default();
    let parts = r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"\u00e9\ud83d\ude00\u0041"}}}"#;
    assert_eq!(next_events(&mut session, parts), [json!({ "type": "text", "text": "é😀A" })]);
    let message =
        r#"{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"é😀A\u0062"}]}}"#;
    assert_eq!(next_events(&mut session, message), [json!({ "type": "text", "text": "b" })]);
}

#[test]
fn a_part_is_read_however_it_is_written() {
    for update in [
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}"#,
        r#"{"type":"content_block_delta","index":10,"delta":{"type":"text_delta","text":"a"}, "more":{"text":"b"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","more":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b","text":"a"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"text":"a","type":"text_delta"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"x","text":"a","type":"text_delta"}}"#,
        r#"{"index":null,"delta":{ "type" : "text\u005fdelta", "text" : "\u0061" } ,"type":"content_block_delta"}"#,
    ] {
        let message = format!(r#"{{"type":"stream_event","event":{update},"parent_tool_use_id":null}}"#);
        let events = next_events(&mut Session::default(), &message);
        assert_eq!(events, [json!({ "type": "text", "text": "a" })], "{update}");
    }
    for update in [
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","text":"a"}}"#,
        r#"{"type":"content_block_stop","index":0,"delta":{"type":"text_delta","text":"a"}}"#,
    ] {
        let message = format!(r#"{{"type":"stream_event","event":{update}}}"#);
        assert_eq!(next_events(&mut Session::default(), &message), [] as [Value; 0], "{update}");
    }
}

proptest! {
    #[test]
    fn parts_and_wholes_give_each_text_once(
        blocks in prop::collection::vec((".{0,12}", prop::collection::vec(0..13_usize, 0..4), 0..3_usize), 1..6),
        partials in any::<bool>(),
    ) {
        let mut messages = vec![start("m")];
        let mut expected = String::new();
        for (text, cuts, lost) in &blocks {
            expected.push_str(text);
            if partials {
                let chars: Vec<char> = text.chars().collect();
                let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.min(&chars.len())).collect();
                cuts.extend([0, chars.len()]);
                cuts.sort_unstable();
                let mut parts: Vec<Value> =
                    cuts.windows(2).map(|pair| delta(&chars[pair[0]..pair[1]].iter().collect::<String>())).collect();
                parts.truncate(parts.len().saturating_sub(*lost));
                messages.append(&mut parts);
            }
            messages.push(whole("m", text));
        }
        prop_assert_eq!(texts(&messages).concat(), expected);
    }

    #[test]
    fn nothing_that_comes_panics(message in ".{0,60}", members in prop::collection::hash_map("(type|event|message|content|subtype|result|errors|modelUsage|mcp_servers)", "[a-z{}\\[\\]\":0-9,]{0,12}", 0..4)) {
        let mut session = Session::default();
        next_events(&mut session, &message);
        for kind in ["assistant", "user", "system", "result", "stream_event", "prompt_suggestion"] {
            let mut value = json!({ "type": kind, "subtype": "init" });
            for (name, text) in &members {
                value[name] = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.clone()));
            }
            next_events(&mut session, &value.to_string());
        }
    }
}

#[test]
fn a_synthetic_message_for_an_error_is_told_by_the_end_of_the_turn_alone() {
    let mut message = whole("m", "API Error: 401");
    message["error"] = "authentication_failed".into();
    assert_eq!(events_of(&[message.clone()]), [] as [Value; 0]);
    message["error"] = Value::Null;
    assert_eq!(texts(&[message]), ["API Error: 401"]);
}

#[test]
fn a_result_is_told_once_and_only_of_a_known_tool() {
    let messages = [
        result("t", &json!("early")),
        tool("t", "Bash"),
        tool("t", "Bash"),
        result("t", &json!("out")),
        result("t", &json!("again")),
        tool("t", "Bash"),
    ];
    let kinds: Vec<Value> = events_of(&messages).into_iter().map(|mut event| event["type"].take()).collect();
    assert_eq!(kinds, ["action", "tool-result"]);
}

#[test]
fn the_text_of_a_result_is_its_texts() {
    let table = [
        (json!("a\u{1b}[0m<system-reminder>"), "a\u{1b}[0m<system-reminder>"),
        (json!([{ "type": "text", "text": "" }, { "type": "text", "text": "b\"" }]), "\nb\""),
        (json!([{ "type": "image", "source": {} }, { "type": "document", "text": "no" }]), ""),
        (json!([{ "type": "text", "text": 5 }, 7, null, { "type": "text", "text": "c" }]), "c"),
        (json!(null), ""),
        (json!({ "text": "no" }), ""),
    ];
    for (content, text) in table {
        let events = events_of(&[tool("t", "Bash"), result("t", &content)]);
        assert_eq!(events[1]["text"], text, "{content}");
    }
}

#[test]
fn an_action_without_an_id_or_input_is_still_one() {
    let events = events_of(&[block("m", &json!({ "type": "tool_use", "name": "Read" }))]);
    assert_eq!(events, [json!({ "type": "action", "toolName": "Read", "input": {} })]);
}

#[test]
fn an_unknown_level_is_info() {
    let message = |level: Value| json!({ "type": "system", "subtype": "informational", "content": "x", "level": level });
    for (level, told) in [(json!("error"), "info"), (json!(null), "info"), (json!("warning"), "warning")] {
        assert_eq!(events_of(&[message(level)]), [json!({ "type": "info", "text": "x", "level": told })]);
    }
}

#[test]
fn whether_a_turn_failed_and_what_it_says() {
    let diagnostic = "[ede_diagnostic] result_type=user";
    let table = [
        (json!({ "subtype": "success", "is_error": false, "result": "r" }), false, json!("r"), ""),
        (
            json!({ "subtype": "success", "is_error": true, "result": format!("{diagnostic}\nr") }),
            true,
            json!(format!("{diagnostic}\nr")),
            "r",
        ),
        (json!({ "subtype": "success" }), false, json!(null), ""),
        (json!({ "subtype": "error_max_turns" }), true, json!(null), ""),
        (
            json!({ "subtype": "error_max_turns", "is_error": false, "errors": ["a", "", " b"] }),
            true,
            json!(null),
            "a;  b",
        ),
        (
            json!({ "subtype": "error_during_execution", "is_error": true, "result": "not told",
            "errors": [format!("  {diagnostic}"), 7, "x\ny"] }),
            true,
            json!(null),
            "x\ny",
        ),
        (json!({ "subtype": "paused", "is_error": false }), false, json!(null), ""),
        (json!({ "subtype": "paused" }), true, json!(null), ""),
        (json!({ "subtype": "paused", "is_error": true, "errors": "not a list" }), true, json!(null), ""),
    ];
    for (mut message, failed, result, error) in table {
        message["type"] = "result".into();
        let [event] = &events_of(&[message.clone()])[..] else { panic!("{message}") };
        assert_eq!((&event["status"], &event["failed"]), (&message["subtype"], &json!(failed)), "{message}");
        assert_eq!((&event["resultText"], &event["errorText"]), (&result, &json!(error)), "{message}");
        let none = json!({ "inputTokens": 0, "cacheReadTokens": 0, "outputTokens": 0, "costUsd": 0 });
        assert_eq!(event["usage"], none);
    }
}

#[test]
fn usage_is_a_number_whatever_comes() {
    let models = json!({ "a": { "inputTokens": 1.0, "outputTokens": null, "cacheReadInputTokens": "7" }, "b": 5, "c": {} });
    let message =
        json!({ "type": "result", "subtype": "success", "modelUsage": models, "total_cost_usd": "free" });
    let expected = json!({ "inputTokens": 1, "cacheReadTokens": 0, "outputTokens": 0, "costUsd": 0 });
    assert_eq!(events_of(&[message])[0]["usage"], expected);
}

#[test]
fn each_server_that_failed_is_told_once() {
    let init = |servers: Value| json!({ "type": "system", "subtype": "init", "mcp_servers": servers });
    let failed = |name: &str| json!({ "name": name, "status": "failed" });
    let events = events_of(&[
        init(
            json!([failed("a"), { "name": "b", "status": "needs-auth" }, failed("c"), { "status": "failed" }, 7]),
        ),
        init(json!([failed("a"), failed("b")])),
        init(json!(null)),
    ]);
    let expected =
        [["a", "c"].as_slice(), &["b"]].map(|names| json!({ "type": "mcp-error", "failedServers": names }));
    assert_eq!(events, expected);
}

#[test]
fn what_is_no_message_is_nothing_and_what_is_no_json_is_told() {
    for message in [
        "7",
        "null",
        "[]",
        "{}",
        r#"{"type":7}"#,
        r#"{"type":"result"}"#,
        r#"{"type":"assistant","message":7}"#,
    ] {
        assert_eq!(next_events(&mut Session::default(), message), [] as [Value; 0], "{message}");
    }
    let events = next_events(&mut Session::default(), r#"{"type":"result""#);
    assert_eq!(events, [json!({ "fault": r#"{"type":"result""# })]);
}
