//! Any bytes: the scanner lets pass exactly what serde_json does, and finds the same members.

use runwire::json::{self, Kind, Raw};
use serde_json::Value;
use serde_json::value::RawValue;

/// The input is the text.
pub fn check(input: &[u8]) {
    // The scanner does not look at what strings hold; what is not UTF-8 is replaced later.
    let text = String::from_utf8_lossy(input);
    let expected = serde_json::from_str::<&RawValue>(&text);
    let scanned = json::value(input);
    assert_eq!(scanned.is_ok(), expected.is_ok(), "{text:?}");
    let members = json::members(input, ["text", "status", "a"]);
    match (scanned, members) {
        (Ok(value), Ok((kind, found))) => {
            let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
            assert_eq!(String::from_utf8_lossy(value.bytes()), trimmed);
            assert_eq!(value.kind(), kind);
            // Lone surrogates and numbers beyond its range are JSON that serde_json cannot hold.
            if let Ok(parsed) = serde_json::from_str::<Value>(&text) {
                same_kind(&parsed, kind);
                for (name, found) in ["text", "status", "a"].into_iter().zip(found) {
                    same_value(parsed.get(name), found);
                }
            }
        }
        (Err(_), Err(_)) => {}
        (scanned, members) => panic!("{scanned:?} but {members:?}"),
    }
}

fn same_kind(value: &Value, kind: Kind) {
    let expected = match value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Bool,
        Value::Number(_) => Kind::Number,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    };
    assert_eq!(kind, expected);
}

fn same_value(expected: Option<&Value>, found: Option<Raw<'_>>) {
    let found = found.map(|raw| {
        same_kind(expected.unwrap_or(&Value::Null), raw.kind());
        if let Some(Value::String(text)) = expected
            && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
        {
            assert!(raw.is_string(text), "{text:?}");
        }
        serde_json::from_str::<Value>(&String::from_utf8_lossy(raw.bytes())).ok()
    });
    assert_eq!(found, expected.map(|value| Some(value.clone())));
}
