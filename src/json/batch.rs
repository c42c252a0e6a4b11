//! What a chunk's messages are handed over in: a word for each, short strings as code units, and
//! the rest as one JSON text.

use super::scan::Raw;
use super::skip::special;
use super::unescape::unescape;
use super::write::{FlatArray, Text};

/// The longest string that goes out as code units. JS makes it by one call with as many arguments,
/// which is faster than anything else up to about here, and gives it memory of its own.
pub const SHORT: usize = 32;

const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Units kept for the next batch after a large one.
const KEPT_CAPACITY: usize = 64 * 1024;

/// Messages as words, which their maker and `pkg/src/messages/build.ts` agree upon, and the values
/// that they speak of: strings and other JSON values, each kind in order.
///
/// The buffers are kept and used again, up to a bound, so a chunk costs no allocation.
#[derive(Debug, Default)]
pub struct Batch {
    words: Vec<u32>,
    shorts: Vec<u16>,
    json: FlatArray,
}

/// A finished batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    /// One word a message.
    pub words: &'a [u32],
    /// The short strings one after another, in UTF-16.
    pub shorts: &'a [u16],
    /// All other values: a JSON array, or nothing.
    pub json: Text<'a>,
}

impl Batch {
    /// Whether nothing has been added since [`clear`](Self::clear).
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.words.clear();
        self.words.shrink_to(KEPT_CAPACITY);
        self.shorts.clear();
        self.shorts.shrink_to(KEPT_CAPACITY);
        self.json.clear();
    }

    /// Adds a message, whose values have been added.
    pub fn message(&mut self, word: u32) {
        self.words.push(word);
    }

    /// Adds a value that goes out as JSON.
    pub fn value(&mut self, value: Raw<'_>) {
        self.json.raw(value.bytes());
    }

    /// Adds a text that goes out as JSON; what is not UTF-8 in it is replaced.
    pub fn text(&mut self, text: &[u8]) {
        self.json.string(text);
    }

    /// Adds a string and gives its length plus one, or 0 when it went out as JSON: for being too
    /// long, not UTF-8 or no string.
    pub fn string(&mut self, string: Raw<'_>) -> u32 {
        if let Some(body) = string.string_body() {
            let plain = self.plain(body);
            let length = if plain == 0 { self.escaped(body) } else { plain };
            if length != 0 {
                return length;
            }
        }
        self.value(string);
        0
    }

    /// The same for a text that is not JSON.
    pub fn short_text(&mut self, text: &[u8]) -> u32 {
        let length = self.plain(text);
        if length == 0 {
            self.text(text);
        }
        length
    }

    /// Adds a short body of ASCII without escapes; gives its length plus one, or 0 if it is not such.
    fn plain(&mut self, body: &[u8]) -> u32 {
        if body.len() > SHORT {
            return 0;
        }
        let start = self.shorts.len();
        let (words, tail) = body.as_chunks::<8>();
        let mut found = 0;
        for word in words {
            found |= self.eight(*word);
        }
        if tail.is_empty() {
        } else if let Some(last) = body.last_chunk::<8>() {
            // Eight bytes at once, some of them for the second time.
            self.shorts.truncate(start + body.len() - 8);
            found |= self.eight(*last);
        } else {
            for byte in tail {
                found |= if let b'"' | b'\\' | 0..0x20 | 0x80.. = byte { HIGHS } else { 0 };
                self.shorts.push(u16::from(*byte));
            }
        }
        if found & HIGHS == 0 {
            body.len() as u32 + 1
        } else {
            self.shorts.truncate(start);
            0
        }
    }

    /// Adds eight bytes as units; gives a word in which no high bit is set when they are plain.
    #[inline]
    fn eight(&mut self, word: [u8; 8]) -> u64 {
        self.shorts.extend_from_slice(&word.map(u16::from));
        let word = u64::from_le_bytes(word);
        special(word) | word
    }

    /// Adds a body with escapes or beyond ASCII, if that is short; gives the same.
    #[inline(never)]
    fn escaped(&mut self, body: &[u8]) -> u32 {
        let start = self.shorts.len();
        // Most characters take up to three bytes. What is longer may be short, but seldom is.
        if body.len() <= SHORT * 3 && unescape(body, &mut self.shorts).is_some() {
            let length = self.shorts.len() - start;
            if length <= SHORT {
                return length as u32 + 1;
            }
        }
        self.shorts.truncate(start);
        0
    }

    /// Closes the batch and gives its parts.
    pub fn finish(&mut self) -> Parts<'_> {
        Parts { words: &self.words, shorts: &self.shorts, json: self.json.finish() }
    }
}
