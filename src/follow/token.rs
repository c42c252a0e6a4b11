//! The resume token: where a consumer is in a run, as text that outlives the page.
//!
//! Base64url of: version, flags, a checksum, the last status told, the channels, and (where they
//! fit) ids and window. It is opaque to everybody else, and at most 4 kB.

use super::hash;

/// The only version so far.
const VERSION: u8 = 1;

/// The most bytes: 4 kB as base64.
const LIMIT: usize = 3 * 1024;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Writes a token's bytes.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn word(&mut self, word: u64) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    /// A number, in as many groups of seven bits as it takes.
    pub(super) fn number(&mut self, number: u64) {
        let mut rest = number;
        while rest > 0x7f {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    pub(super) fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text);
    }

    /// What is written together is there together, or not at all when it does not fit.
    pub(super) fn section(&mut self, write: impl FnOnce(&mut Self)) {
        let start = self.bytes.len();
        write(self);
        if self.bytes.len() > LIMIT - 5 {
            self.bytes.truncate(start);
        }
    }

    pub(super) fn finish(self) -> String {
        let checksum = hash::of_pieces(&[&self.bytes]) as u32;
        let all = [&[VERSION], &checksum.to_le_bytes()[..], &self.bytes].concat();
        let mut text = String::with_capacity(all.len().div_ceil(3) * 4);
        for group in all.chunks(3) {
            let bits =
                group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (24 - 8 * group.len());
            for nth in 0..=group.len() as u32 {
                let digit = (bits >> (18 - 6 * nth) & 0x3f) as usize;
                text.extend(ALPHABET.get(digit).copied().map(char::from));
            }
        }
        text
    }
}

/// Reads a token's bytes; what is not there is `None`.
#[derive(Debug)]
pub(super) struct Reader {
    bytes: Vec<u8>,
    at: usize,
}

impl Reader {
    /// `None` for what is no token of ours.
    pub(super) fn new(text: &str) -> Option<Self> {
        let mut bytes = Vec::with_capacity(text.len());
        let (mut bits, mut held) = (0_u32, 0);
        for digit in text.bytes() {
            let value = ALPHABET.iter().position(|known| *known == digit)?;
            bits = bits << 6 | value as u32;
            held += 6;
            if held >= 8 {
                held -= 8;
                bytes.push((bits >> held) as u8);
            }
        }
        let (head, rest) = bytes.split_at_checked(5)?;
        let (version, checksum) = head.split_first()?;
        let known = *version == VERSION && (hash::of_pieces(&[rest]) as u32).to_le_bytes() == checksum;
        known.then_some(Self { bytes, at: 5 })
    }

    fn take(&mut self, length: usize) -> Option<&[u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    pub(super) fn word(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = *self.take(1)? else { return None };
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn text(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length).map(<[u8]>::to_vec)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        for length in 0..40 {
            let mut writer = Writer::default();
            let text: Vec<u8> = (0..length).map(|n: u8| n.wrapping_mul(7)).collect();
            writer.text(&text);
            for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
                writer.number(number);
                writer.word(number);
            }
            let token = writer.finish();
            let mut reader = Reader::new(&token).unwrap();
            assert_eq!(reader.text(), Some(text));
            for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
                assert_eq!((reader.number(), reader.word()), (Some(number), Some(number)));
            }
            assert!(reader.is_at_end());
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let mut writer = Writer::default();
        writer.text(b"something");
        let token = writer.finish();
        assert!(Reader::new(&token).is_some());
        for at in 0..token.len() {
            assert!(Reader::new(&token[..at]).is_none(), "cut at {at}");
            let other = if token.as_bytes()[at] == b'A' { "B" } else { "A" };
            let changed = [&token[..at], other, &token[at + 1..]].concat();
            let same = Reader::new(&changed)
                .is_some_and(|reader| reader.bytes == Reader::new(&token).unwrap().bytes);
            assert!(same || Reader::new(&changed).is_none(), "changed at {at}");
        }
        for text in ["", "A", "!", "é", "AQAA", "null"] {
            assert!(Reader::new(text).is_none(), "{text}");
        }
    }
}
