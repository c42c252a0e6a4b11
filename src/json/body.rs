//! What the body of a JSON string stands for, in UTF-8.

use super::unescape::escape;

/// The body of a valid JSON string, what stands between its quotes: text with escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Body<'a>(pub &'a [u8]);

impl<'a> Body<'a> {
    /// Calls `piece` with the text's bytes, unescaped, in order.
    pub fn each_piece(self, mut piece: impl FnMut(&[u8])) {
        let mut rest = self.0;
        while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
            let (plain, escape) = rest.split_at(at);
            if !plain.is_empty() {
                piece(plain);
            }
            let (char, length) = unescape(escape);
            piece(char.bytes());
            rest = escape.get(length..).unwrap_or_default();
        }
        if !rest.is_empty() {
            piece(rest);
        }
    }

    /// Appends the text, unescaped.
    #[inline(never)]
    pub fn push_to(self, out: &mut Vec<u8>) {
        self.each_piece(|piece| out.extend_from_slice(piece));
    }

    /// What follows the first `skipped` bytes of the text, escapes as sent; nothing when the text is
    /// not longer. A character across the border belongs to what follows.
    pub fn after(self, skipped: usize) -> Body<'a> {
        let mut rest = self.0;
        let mut left = skipped;
        while left > 0 {
            let Some(&first) = rest.first() else { break };
            let (width, length) = if first == b'\\' {
                let (char, length) = unescape(rest);
                (char.bytes().len(), length)
            } else {
                (1, 1)
            };
            if width > left {
                break;
            }
            left -= width;
            rest = rest.get(length..).unwrap_or_default();
        }
        Body(rest)
    }
}

/// A character's bytes.
struct Utf8 {
    bytes: [u8; 4],
    length: usize,
}

impl Utf8 {
    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// A code point's bytes; a lone surrogate's as if it were a character.
    fn of(code: u32) -> Self {
        let low = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
        match code {
            0..0x80 => Self { bytes: [code as u8, 0, 0, 0], length: 1 },
            0x80..0x800 => Self { bytes: [0xc0 | (code >> 6) as u8, low(0), 0, 0], length: 2 },
            0x800..0x1_0000 => Self { bytes: [0xe0 | (code >> 12) as u8, low(6), low(0), 0], length: 3 },
            _ => Self { bytes: [0xf0 | (code >> 18) as u8, low(12), low(6), low(0)], length: 4 },
        }
    }
}

/// The character that the escape at the start of `text` stands for, and the escape's length.
fn unescape(text: &[u8]) -> (Utf8, usize) {
    let (unit, length) = escape(text);
    let after = text.get(length..).unwrap_or_default();
    if let 0xd800..0xdc00 = unit
        && after.starts_with(b"\\u")
        && let (low @ 0xdc00..0xe000, _) = escape(after)
    {
        let code = 0x1_0000 + (u32::from(unit & 0x3ff) << 10 | u32::from(low & 0x3ff));
        return (Utf8::of(code), 2 * length);
    }
    (Utf8::of(u32::from(unit)), length)
}

#[cfg(test)]
mod tests {
    use super::Body;

    #[test]
    fn what_follows_a_number_of_bytes_keeps_its_escapes() {
        let text = Body(r"a\né\u00e9\ud83d\ude00z".as_bytes());
        for (skipped, rest) in [
            (0, r"a\né\u00e9\ud83d\ude00z"),
            (1, r"\né\u00e9\ud83d\ude00z"),
            (2, r"é\u00e9\ud83d\ude00z"),
            (4, r"\u00e9\ud83d\ude00z"),
            (6, r"\ud83d\ude00z"),
            (10, "z"),
            (11, ""),
            (12, ""),
        ] {
            assert_eq!(text.after(skipped).0, rest.as_bytes(), "{skipped}");
        }
    }
}
