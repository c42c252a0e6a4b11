//! The JSON scanner against serde_json: what it lets pass, and the extents it gives.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use proptest::prelude::*;
use runwire::json::{self, Kind, Raw, Syntax};
use serde_json::Value;

/// Members as the scanner finds them, parsed one by one.
fn members(text: &[u8]) -> Result<Vec<(String, Value)>, Syntax> {
    let mut found = Vec::new();
    json::object(text, |key, value| {
        let key: String = serde_json::from_slice(&[b"\"", key.bytes(), b"\""].concat()).unwrap();
        found.push((key, serde_json::from_slice(value.bytes()).unwrap()));
    })
    .map(|_| found)
}

fn jsonish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[\\[\\]{}:,\" \\\\ntrfu0-9.eE+-]",
        Just("\"k\":".to_owned()),
        Just("{\"a\":".to_owned()),
        Just("[1,".to_owned()),
        Just("}".to_owned()),
        Just("]".to_owned()),
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-0.5e+3".to_owned()),
        Just("01".to_owned()),
        Just("\"text é \\u00e9 \\n\"".to_owned()),
        Just("\"\\ud83d\\ude00\"".to_owned()),
        Just("\"a\u{1}b\"".to_owned()),
        Just("\t\r\n ".to_owned()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |n| serde_json::Number::from_f64(n).map(Value::Number)),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".*", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..Default::default() })]

    #[test]
    fn passes_exactly_what_is_json(text in jsonish()) {
        // A lone surrogate is JSON, though not a Rust string: the only difference.
        let expected = serde_json::from_str::<Box<serde_json::value::RawValue>>(&text).is_ok();
        prop_assert_eq!(json::value(text.as_bytes()).is_ok(), expected, "{}", text);
        prop_assert_eq!(json::object(text.as_bytes(), |_, _| {}).is_ok(), expected, "{}", text);
    }

    #[test]
    fn gives_every_member_with_its_whole_value(value in values(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        prop_assert_eq!(json::value(text.as_bytes()).unwrap().bytes(), text.as_bytes());
        if let Value::Object(object) = value {
            let expected: Vec<_> = object.into_iter().collect();
            prop_assert_eq!(members(text.as_bytes()).unwrap(), expected);
        }
    }
}

#[test]
fn nesting_has_no_limit_and_costs_no_stack() {
    for depth in [1, 63, 64, 65, 127, 128, 129, 100_000] {
        let text = format!("{}1{}", "[{\"a\":".repeat(depth), "}]".repeat(depth));
        assert!(json::value(text.as_bytes()).is_ok(), "{depth}");
        let wrong = format!("{}1{}", "[{\"a\":".repeat(depth), "]}".repeat(depth));
        assert!(json::value(wrong.as_bytes()).is_err(), "{depth}");
    }
}

#[test]
fn names_are_recognised_however_they_are_escaped() {
    for key in ["text", "te\\u0078t", "\\u0074\\u0065xt", "\\u0074e\\u0078\\u0074"] {
        let text = format!("{{\"{key}\":\"a\\/b\"}}");
        let mut hits = 0;
        json::object(text.as_bytes(), |key, value| {
            hits += usize::from(key.is("text") && value.is_string("a/b"));
            hits += usize::from(key.is("texts") || key.is("tex"));
        })
        .unwrap();
        assert_eq!(hits, 1, "{text}");
    }
}

#[test]
fn what_is_no_value_or_more_than_one_is_refused() {
    let texts = [
        "",
        " ",
        "{\"a\":tru}",
        "{\"a\":1} x",
        "[1,]",
        "\"a\nb\"",
        "{\"a\"",
        "{\"a\":1,}",
        "01",
        "-",
        "1.",
        "1e",
    ];
    for text in texts {
        assert_eq!(json::value(text.as_bytes()), Err(Syntax), "{text:?}");
        assert_eq!(json::object(text.as_bytes(), |_, _| {}), Err(Syntax), "{text:?}");
    }
    assert_eq!(json::object(b"[1]", |_, _| {}), Ok(Kind::Array));
}

#[test]
fn the_only_string_is_found_where_it_is_alone_and_written_tightly() {
    for body in ["", "a", "1234567", "12345678", "é😀", r#"a\"b\\"#, r"\u00e9", "longer than any word"] {
        let text = format!("{{\"text\":\"{body}\"}}");
        let found = json::only_string(text.as_bytes(), br#"{"text":"#, b"}").map(Raw::bytes);
        assert_eq!(found, Some(format!("\"{body}\"").as_bytes()));
    }
    for text in [
        r#"{"text":"a","b":1}"#,
        r#"{"text":"a"} "#,
        r#"{ "text":"a"}"#,
        r#"{"text":1}"#,
        r#"{"text":"a}"#,
        r#"{"text":"a"}}"#,
        r#"{"text":"a\"}"#,
        r#"{"text":"\x"}"#,
        "{\"text\":\"a\nb\"}",
        r#"{"texts":"a"}"#,
        r#""text""#,
        "",
    ] {
        assert_eq!(json::only_string(text.as_bytes(), br#"{"text":"#, b"}"), None, "{text:?}");
    }
}
