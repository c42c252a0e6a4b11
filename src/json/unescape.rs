//! The text of a JSON string.

/// The text that a valid JSON string's body stands for. A lone surrogate becomes U+FFFD, as does
/// what is not UTF-8. For short texts: codes, messages, ids.
pub fn unescape(body: &[u8]) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.iter().position(|&b| b == b'\\') {
        let (plain, escape) = rest.split_at(at);
        units.extend(String::from_utf8_lossy(plain).encode_utf16());
        let (unit, length) = match escape.get(1) {
            Some(b'u') => {
                let digits = escape.get(2..6).and_then(|hex| std::str::from_utf8(hex).ok());
                (digits.and_then(|hex| u16::from_str_radix(hex, 16).ok()).unwrap_or(0xfffd), 6)
            }
            Some(b'b') => (8, 2),
            Some(b'f') => (12, 2),
            Some(b'n') => (10, 2),
            Some(b'r') => (13, 2),
            Some(b't') => (9, 2),
            Some(&same) => (u16::from(same), 2),
            None => (0xfffd, 1),
        };
        units.push(unit);
        rest = escape.get(length..).unwrap_or_default();
    }
    units.extend(String::from_utf8_lossy(rest).encode_utf16());
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn gives_what_serde_json_gives() {
        for text in ["", "a", r#"\"\\\/\b\f\n\r\t"#, r"é\u00e9😀\ud83d\ude00x", r"a\\u0041"] {
            let expected: String = serde_json::from_str(&format!("\"{text}\"")).unwrap();
            assert_eq!(unescape(text.as_bytes()), expected);
        }
        assert_eq!(unescape(br"a\ud800b"), "a\u{fffd}b");
    }
}
