//! The resume token: where a consumer is in a run, as text that outlives the page.
//!
//! Base64url of: version, a checksum (of the run, too), the end, the last status told, the channels, and (where they
//! fit) ids and window. It is opaque to everybody else, and at most 4 kB.
//!
//! One [`Codec`] writes and reads, so that what holds a part says once what it consists of.

use super::hash;

/// The only version so far.
const VERSION: u8 = 1;

/// The most bytes: as base64 they are 4 kB.
const LIMIT: usize = 3 * 1024;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Takes down values, or puts those in their place that were taken down.
#[derive(Debug)]
pub(super) struct Codec {
    bytes: Vec<u8>,
    /// Where reading goes on; `None` while writing.
    at: Option<usize>,
    /// What was to be read was not there.
    is_short: bool,
}

impl Codec {
    pub(super) fn writer() -> Self {
        Self { bytes: Vec::new(), at: None, is_short: false }
    }

    /// `None` for what is no token of this run.
    pub(super) fn reader(text: &str, run: &str) -> Option<Self> {
        let mut bytes = Vec::new();
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
        // A digit too many, or bits beyond the last byte, would make another text of the same token.
        let known = held < 6 && bits & ((1 << held) - 1) == 0 && *head == start(rest, run);
        known.then_some(Self { bytes, at: Some(5), is_short: false })
    }

    pub(super) fn is_reading(&self) -> bool {
        self.at.is_some()
    }

    /// A byte, to or fro; 0 where there is none to read.
    fn byte(&mut self, byte: u8) -> u8 {
        match &mut self.at {
            None => {
                self.bytes.push(byte);
                byte
            }
            Some(at) => {
                let read = self.bytes.get(*at).copied();
                *at += 1;
                self.is_short |= read.is_none();
                read.unwrap_or(0)
            }
        }
    }

    pub(super) fn word(&mut self, word: &mut u64) {
        *word = u64::from_le_bytes(word.to_le_bytes().map(|byte| self.byte(byte)));
    }

    /// A number, in as many groups of seven bits as it takes.
    pub(super) fn number(&mut self, number: &mut u64) {
        let (mut rest, mut read, mut shift) = (*number, 0, 0);
        loop {
            let more = if rest > 0x7f { 0x80 } else { 0 };
            let byte = self.byte(rest as u8 & 0x7f | more);
            read |= u64::from(byte & 0x7f) << shift;
            (rest, shift) = (rest >> 7, shift + 7);
            if byte < 0x80 || shift > 63 {
                break;
            }
        }
        *number = read;
    }

    pub(super) fn flag(&mut self, flag: &mut bool) {
        *flag = self.byte(u8::from(*flag)) == 1;
    }

    /// A list of up to `most` items, which starts with its length.
    pub(super) fn list<T: Default>(&mut self, list: &mut Vec<T>, most: usize, code: fn(&mut Self, &mut T)) {
        let mut length = list.len() as u64;
        self.number(&mut length);
        list.resize_with((length as usize).min(most), T::default);
        list.iter_mut().for_each(|item| code(self, item));
    }

    pub(super) fn text(&mut self, text: &mut Vec<u8>) {
        self.list(text, LIMIT, |codec, byte| *byte = codec.byte(*byte));
    }

    /// What is together in here is there together, or not at all when it does not fit: says which.
    pub(super) fn section(&mut self, code: impl FnOnce(&mut Self)) -> bool {
        match self.at {
            Some(at) if at >= self.bytes.len() => return false,
            Some(_) => code(self),
            None => {
                let start = self.bytes.len();
                code(self);
                if self.bytes.len() > LIMIT - 5 {
                    self.bytes.truncate(start);
                }
            }
        }
        true
    }

    /// Whether everything was there that was to be read, and nothing else.
    pub(super) fn is_done(&self) -> bool {
        !self.is_short && self.at == Some(self.bytes.len())
    }

    /// The text of what was written.
    pub(super) fn finish(self, run: &str) -> String {
        let all = [&start(&self.bytes, run)[..], &self.bytes].concat();
        let mut text = String::new();
        for group in all.chunks(3) {
            let bits =
                group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (24 - 8 * group.len());
            for nth in 0..=group.len() as u32 {
                let digit = (bits >> (18 - 6 * nth) & 0x3f) as usize;
                text.push(char::from(ALPHABET.get(digit).copied().unwrap_or_default()));
            }
        }
        text
    }
}

/// What stands before a token's bytes.
fn start(bytes: &[u8], run: &str) -> [u8; 5] {
    let [a, b, c, d] = (hash::of_pieces(&[bytes, run.as_bytes()]) as u32).to_le_bytes();
    [VERSION, a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [u64; 7] = [0, 1, 127, 128, 300, u32::MAX as u64, u64::MAX];

    #[test]
    fn what_was_written_is_read() {
        for length in 0..40 {
            let mut writer = Codec::writer();
            let mut text: Vec<u8> = (0..length).map(|n: u8| n.wrapping_mul(7)).collect();
            writer.text(&mut text);
            for mut number in NUMBERS {
                writer.number(&mut number);
                writer.word(&mut number);
                writer.flag(&mut (number == 1));
            }
            let mut reader = Codec::reader(&writer.finish("run"), "run").unwrap();
            let mut read = Vec::new();
            reader.text(&mut read);
            assert_eq!(read, text);
            for expected in NUMBERS {
                let (mut number, mut word, mut flag) = (7, 7, true);
                reader.number(&mut number);
                reader.word(&mut word);
                reader.flag(&mut flag);
                assert_eq!((number, word, flag), (expected, expected, expected == 1));
            }
            assert!(reader.is_done());
            reader.flag(&mut false);
            assert!(!reader.is_done());
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let mut writer = Codec::writer();
        writer.text(&mut b"something".to_vec());
        let token = writer.finish("run");
        assert!(Codec::reader(&token, "run").is_some());
        assert!(Codec::reader(&token, "another run").is_none());
        for at in 0..token.len() {
            assert!(Codec::reader(&token[..at], "run").is_none(), "cut at {at}");
            let other = if token.as_bytes()[at] == b'A' { "B" } else { "A" };
            let changed = [&token[..at], other, &token[at + 1..]].concat();
            assert!(Codec::reader(&changed, "run").is_none(), "changed at {at}");
        }
        for text in ["", "A", "!", "é", "AQAA", "null", &format!("{token}A"), &format!("A{token}")] {
            assert!(Codec::reader(text, "run").is_none(), "{text}");
        }
    }
}
