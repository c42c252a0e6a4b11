//! What the body of a JSON string stands for.

/// Adds the UTF-16 code units that a valid string's body stands for; `None` when it is not UTF-8.
#[inline(never)]
pub(super) fn unescape(body: &[u8], out: &mut Vec<u16>) -> Option<()> {
    let mut rest = body;
    loop {
        let plain = rest.iter().position(|byte| *byte == b'\\').unwrap_or(rest.len());
        let (plain, escape) = rest.split_at_checked(plain)?;
        out.extend(std::str::from_utf8(plain).ok()?.encode_utf16());
        let Some(code) = escape.get(1) else { return Some(()) };
        let mut length = 2;
        out.push(match code {
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'u' => {
                length = 6;
                let hex = std::str::from_utf8(escape.get(2..6)?).ok()?;
                u16::from_str_radix(hex, 16).ok()?
            }
            same => u16::from(*same),
        });
        rest = escape.get(length..)?;
    }
}

/// Whether a string's body with escapes stands for the ASCII `text`.
#[cold]
#[inline(never)]
pub(super) fn unescapes_to(body: &[u8], text: &str) -> bool {
    let mut units = Vec::new();
    body.contains(&b'\\')
        && unescape(body, &mut units).is_some()
        && units.into_iter().eq(text.bytes().map(u16::from))
}

#[cfg(test)]
mod tests {
    use super::unescape;

    fn text(body: &[u8]) -> Option<String> {
        let mut units = Vec::new();
        unescape(body, &mut units)?;
        Some(String::from_utf16_lossy(&units))
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
