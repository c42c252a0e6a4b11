//! What the body of a JSON string stands for.

/// Writes the UTF-16 code units that a valid string's body stands for, and gives their number;
/// `None` when there is no room for them, or the body is not UTF-8.
#[inline(never)]
pub(super) fn unescape(body: &[u8], out: &mut [u16]) -> Option<usize> {
    let mut rest = body;
    let mut length = 0;
    while let Some(&byte) = rest.first() {
        let mut width = 1;
        let mut unit = u16::from(byte);
        if byte == b'\\' {
            (unit, width) = escape(rest);
        } else if byte >= 0x80 {
            width = rest.iter().position(u8::is_ascii).unwrap_or(rest.len());
            let chunk = rest.get(..width)?.utf8_chunks().next()?;
            if !chunk.invalid().is_empty() {
                return None;
            }
            for unit in chunk.valid().encode_utf16() {
                *out.get_mut(length)? = unit;
                length += 1;
            }
            rest = rest.get(width..)?;
            continue;
        }
        *out.get_mut(length)? = unit;
        length += 1;
        rest = rest.get(width..)?;
    }
    Some(length)
}

/// The code unit that the escape at the start of `text` stands for, and the escape's length.
#[inline(never)]
pub(super) fn escape(text: &[u8]) -> (u16, usize) {
    let unit = match text.get(1).copied().unwrap_or_default() {
        b'b' => 8,
        b'f' => 12,
        b'n' => 10,
        b'r' => 13,
        b't' => 9,
        b'u' => {
            let digits = text.iter().skip(2).take(4);
            let value = |digit: &u8| char::from(*digit).to_digit(16).unwrap_or_default() as u16;
            return (digits.fold(0, |number, digit| number << 4 | value(digit)), 6);
        }
        same => u16::from(same),
    };
    (unit, 2)
}

/// Whether a string's body with escapes stands for the ASCII `text`, which is a member's name.
#[cold]
#[inline(never)]
pub(super) fn unescapes_to(body: &[u8], text: &str) -> bool {
    let mut units = [0; 32];
    let length = unescape(body, &mut units);
    length == Some(text.len())
        && units.into_iter().zip(text.bytes()).all(|(unit, byte)| unit == u16::from(byte))
}

#[cfg(test)]
mod tests {
    use super::unescape;

    fn text(body: &[u8]) -> Option<String> {
        let mut units = [0; 32];
        let length = unescape(body, &mut units)?;
        Some(String::from_utf16_lossy(&units[..length]))
    }

    #[test]
    fn gives_what_serde_json_gives() {
        for body in ["", "a", r#"\"\\\/\b\f\n\r\t"#, r"é\u00e9😀\ud83d\ude00x", r"a\\u0041"] {
            let expected: String = serde_json::from_str(&format!("\"{body}\"")).unwrap();
            assert_eq!(text(body.as_bytes()), Some(expected));
        }
        assert_eq!(text(br"a\ud800b"), Some("a\u{fffd}b".to_owned()));
        assert_eq!(text(b"a\xffb"), None);
    }
}
