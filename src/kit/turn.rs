//! A `result` message: how a turn ended.

use super::event::{Op, event};
use crate::json::{self, Batch, Body, Kind, Raw, Syntax};

/// What begins a line that is for the agent's makers only.
const DIAGNOSTIC: &[u8] = b"[ede_diagnostic]";

/// Adds the end of a turn.
pub(super) fn turn_end(message: &[u8], out: &mut Batch) -> Result<(), Syntax> {
    const NAMES: [&str; 6] = ["subtype", "is_error", "result", "errors", "modelUsage", "total_cost_usd"];
    let (_, [status, is_error, result, errors, models, cost]) = json::members(message, NAMES)?;
    let Some(status) = status.filter(|status| status.kind() == Kind::String) else { return Ok(()) };
    let is_success = status.is_string("success");
    // Agents have told errors with `is_error: false`, and left it out.
    let is_error = match is_error.map(Raw::bytes) {
        Some(b"true") => true,
        Some(b"false") => status.string_body().is_some_and(|body| body.starts_with(b"error")),
        _ => !is_success,
    };
    let result = result.filter(|result| is_success && result.kind() == Kind::String);
    let length = out.string(status);
    if let Some(result) = result {
        out.value(result);
    }
    let mut text = Vec::new();
    if !is_success {
        if let Some(errors) = errors {
            json::elements(errors.bytes(), |error| add_error(error, &mut text))?;
        }
    } else if is_error && let Some(result) = result {
        add_error(result, &mut text);
    }
    out.text(&text);
    usage(models, out)?;
    match cost.filter(|cost| cost.kind() == Kind::Number) {
        Some(cost) => out.value(cost),
        None => out.number(0),
    }
    event(Op::TurnEnd, [length, 0], u32::from(is_error) | u32::from(result.is_some()) << 1, out);
    Ok(())
}

/// Adds what an error says to people: its lines but diagnostics. `; ` is between errors.
fn add_error(error: Raw<'_>, text: &mut Vec<u8>) {
    let Some(body) = error.string_body() else { return };
    let mut all = Vec::new();
    Body(body).each_piece(|piece| all.extend_from_slice(piece));
    let mut lines =
        all.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().starts_with(DIAGNOSTIC));
    let Some(first) = lines.next() else { return };
    let before = text.len();
    if before > 0 {
        text.extend_from_slice(b"; ");
    }
    let start = text.len();
    text.extend_from_slice(first);
    for line in lines {
        text.push(b'\n');
        text.extend_from_slice(line);
    }
    if text.len() == start {
        text.truncate(before);
    }
}

/// Adds `inputTokens`, `cacheReadTokens` and `outputTokens` over all models. The figures are the
/// session's so far, and are never added up.
fn usage(models: Option<Raw<'_>>, out: &mut Batch) -> Result<(), Syntax> {
    const NAMES: [&str; 4] =
        ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
    let mut sums = [0_u64; 4];
    let models = models.map_or(&b"{}"[..], Raw::bytes);
    json::object(models, |_, model| {
        if let Ok((_, found)) = json::members(model.bytes(), NAMES) {
            for (sum, count) in sums.iter_mut().zip(found) {
                *sum = sum.saturating_add(count.map_or(0, whole));
            }
        }
    })?;
    let [input, output, read, created] = sums;
    for number in [input.saturating_add(read).saturating_add(created), read, output] {
        out.number(number);
    }
    Ok(())
}

/// A count as a whole number, without what stands after a point; 0 for what is none, or negative.
/// Exponents, which no count has, are taken for what they are up to where they could matter.
fn whole(raw: Raw<'_>) -> u64 {
    if raw.kind() != Kind::Number {
        return 0;
    }
    let text = raw.bytes();
    let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (text.get(..at), text.get(at + 1..)),
        None => (Some(text), None),
    };
    let exponent = exponent.unwrap_or_default();
    let size = digits(exponent.strip_prefix(b"+").unwrap_or(exponent)).min(20);
    let mut parts = mantissa.unwrap_or_default().splitn(2, |byte| *byte == b'.');
    let (ones, decimals) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let moved = decimals.iter().copied().chain(std::iter::repeat(b'0'));
    moved.take(size as usize).fold(digits(ones), add_digit)
}

fn digits(text: &[u8]) -> u64 {
    // A minus sign leaves nothing.
    text.iter().copied().take_while(u8::is_ascii_digit).fold(0, add_digit)
}

fn add_digit(number: u64, digit: u8) -> u64 {
    number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn counts_are_whole_numbers() {
        for (text, count) in [
            ("0", 0),
            ("17", 17),
            ("-17", 0),
            ("17.9", 17),
            ("1e3", 1_000),
            ("1.25E+4", 12_500),
            ("1.2345e2", 123),
            ("5e-1", 5),
            ("1e400", u64::MAX),
            ("99999999999999999999999", u64::MAX),
            ("\"5\"", 0),
            ("null", 0),
        ] {
            assert_eq!(whole(crate::json::value(text.as_bytes()).unwrap()), count, "{text}");
        }
    }
}
