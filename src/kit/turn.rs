//! A `result` message: how a turn ended.

use super::event::{Op, event};
use crate::json::{Batch, Body, Kind, Raw, object};

/// What begins a line that is for the agent's makers only.
const DIAGNOSTIC: &[u8] = b"[ede_diagnostic]";

/// Adds the end of a turn.
pub(super) fn turn_end(message: Raw<'_>, out: &mut Batch) {
    let Some(status) = message.string_member("subtype") else { return };
    let is_success = status.is_string("success");
    // Agents have told errors with `is_error: false`, and left it out.
    let failed = match message.member("is_error").map(Raw::bytes) {
        Some(b"true") => true,
        Some(b"false") => status.bytes().starts_with(b"\"error"),
        _ => !is_success,
    };
    let result = if is_success { message.string_member("result") } else { None };
    let length = out.string(status);
    if let Some(result) = result {
        out.value(result);
    }
    let mut text = Vec::new();
    match result {
        Some(result) if failed => add_error(result, &mut text),
        None if !is_success => {
            if let Some(errors) = message.member("errors") {
                errors.each_element(&mut |error| add_error(error, &mut text));
            }
        }
        _ => {}
    }
    out.text(&text);
    usage(message, out);
    match message.member("total_cost_usd") {
        Some(cost) if cost.kind() == Kind::Number => out.value(cost),
        _ => out.number(0),
    }
    event(Op::TurnEnd, [length, 0], u32::from(failed) | u32::from(result.is_some()) << 1, out);
}

/// Adds what an error says to people: its lines but diagnostics. `; ` is between errors.
fn add_error(error: Raw<'_>, text: &mut Vec<u8>) {
    let Some(body) = error.string_body() else { return };
    let mut all = Vec::new();
    Body(body).push_to(&mut all);
    let before = text.len();
    let mut separator: &[u8] = if before > 0 { b"; " } else { b"" };
    let mut is_empty = true;
    for line in all.split(|byte| *byte == b'\n') {
        if !line.trim_ascii_start().starts_with(DIAGNOSTIC) {
            text.extend_from_slice(separator);
            text.extend_from_slice(line);
            is_empty &= line.is_empty();
            separator = b"\n";
        }
    }
    if is_empty {
        text.truncate(before);
    }
}

/// Adds `inputTokens`, `cacheReadTokens` and `outputTokens` over all models. The figures are the
/// session's so far, and are never added up.
fn usage(message: Raw<'_>, out: &mut Batch) {
    let (mut input, mut read, mut output) = (0_u64, 0_u64, 0_u64);
    if let Some(models) = message.member("modelUsage") {
        let _ = object(models.bytes(), |_, model| {
            let cached = count(model, "cacheReadInputTokens");
            read = read.saturating_add(cached);
            for number in [cached, count(model, "inputTokens"), count(model, "cacheCreationInputTokens")] {
                input = input.saturating_add(number);
            }
            output = output.saturating_add(count(model, "outputTokens"));
        });
    }
    for number in [input, read, output] {
        out.number(number);
    }
}

/// A count, without what stands after a point; 0 for what is none, or negative.
#[inline(never)]
fn count(model: Raw<'_>, name: &str) -> u64 {
    let text = model.member(name).map_or(&b""[..], Raw::bytes);
    text.iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0, |number: u64, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}
