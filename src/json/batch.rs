//! What a chunk's messages are handed over in: a word for each, short strings as code units, and
//! the rest as one JSON text.

use super::body::Body;
use super::scan::Raw;
use super::unescape::unescape;
use super::write::{FlatArray, Text};

/// The longest string that goes out as code units. JS makes it by one call with as many arguments,
/// which is faster than anything else up to about here, and gives it memory of its own.
pub const SHORT: usize = 32;

const ONES: u64 = 0x0101_0101_0101_0101;
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
    /// Room for short strings; as many units as `used` says are in use.
    shorts: Vec<u16>,
    used: usize,
    json: FlatArray,
    texts: Vec<u8>,
    messages: u64,
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
    /// Texts as they came, one after another.
    pub texts: &'a [u8],
}

impl Batch {
    /// Whether nothing has been added since [`clear`](Self::clear).
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many messages have been added since.
    pub fn count(&self) -> u64 {
        self.messages
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.words.clear();
        self.words.shrink_to(KEPT_CAPACITY);
        self.shorts.truncate(KEPT_CAPACITY);
        self.shorts.shrink_to(KEPT_CAPACITY);
        (self.used, self.messages) = (0, 0);
        self.json.clear();
        self.texts.clear();
        self.texts.shrink_to(KEPT_CAPACITY);
    }

    /// Adds a message, whose values have been added.
    pub fn message(&mut self, word: u32) {
        self.words.push(word);
        self.messages += 1;
    }

    /// Adds a value that goes out as JSON.
    pub fn value(&mut self, value: Raw<'_>) {
        self.json.raw(value.bytes());
    }

    /// Adds a value whose text is valid JSON already.
    pub fn json(&mut self, json: &[u8]) {
        self.json.raw(json);
    }

    /// Adds a string, of which this is the body.
    pub fn body(&mut self, body: Body<'_>) {
        self.json.body(body.0);
    }

    /// Adds a whole number.
    pub fn number(&mut self, number: u64) {
        self.json.number(number);
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

    /// Adds a message of `texts` as they came, whatever they hold: a word of `op`, and the lengths plus
    /// one of those that are short; then a word with the length of each of the others.
    pub fn texts<const N: usize>(&mut self, op: u32, texts: [&[u8]; N]) {
        let at = self.words.len();
        self.message(op);
        for (shift, text) in (8..).step_by(6).zip(texts) {
            let length = self.plain(text);
            if length == 0 {
                self.texts.extend_from_slice(text);
                self.words.push(text.len() as u32);
            } else if let Some(word) = self.words.get_mut(at) {
                *word |= length << shift;
            }
        }
    }

    /// Room for the longest short string.
    #[inline]
    fn room(&mut self) -> &mut [u16] {
        if self.shorts.len() < self.used + SHORT {
            self.more_room();
        }
        self.shorts.get_mut(self.used..).unwrap_or_default()
    }

    #[cold]
    #[inline(never)]
    fn more_room(&mut self) {
        self.shorts.resize((self.used + SHORT) * 2, 0);
    }

    /// Adds a short text of ASCII without backslashes; gives its length plus one, or 0 if it is not
    /// such.
    fn plain(&mut self, text: &[u8]) -> u32 {
        let length = text.len();
        if length > SHORT {
            return 0;
        }
        let room = self.room();
        let mut found = 0;
        let (words, tail) = text.as_chunks::<8>();
        for (word, room) in words.iter().zip(room.as_chunks_mut::<8>().0) {
            found |= widen(*word, room);
        }
        if tail.is_empty() {
        } else if let Some(last) = text.last_chunk::<8>() {
            // Eight bytes at once, some of them for the second time.
            if let Some(room) = room.get_mut(length - 8..length).and_then(|room| room.first_chunk_mut()) {
                found |= widen(*last, room);
            }
        } else {
            for (byte, unit) in tail.iter().zip(room) {
                found |= if let b'\\' | 0x80.. = byte { HIGHS } else { 0 };
                *unit = u16::from(*byte);
            }
        }
        if found & HIGHS != 0 {
            return 0;
        }
        self.used += length;
        length as u32 + 1
    }

    /// Adds a body with escapes or beyond ASCII, if that is short; gives the same.
    #[inline(never)]
    fn escaped(&mut self, body: &[u8]) -> u32 {
        let room = self.room().get_mut(..SHORT).unwrap_or_default();
        let Some(length) = unescape(body, room) else { return 0 };
        self.used += length;
        length as u32 + 1
    }

    /// Closes the batch and gives its parts.
    pub fn finish(&mut self) -> Parts<'_> {
        let shorts = self.shorts.get(..self.used).unwrap_or_default();
        Parts { words: &self.words, shorts, json: self.json.finish(), texts: &self.texts }
    }
}

/// Gives bytes as units, and a word in which no high bit is set when they are ASCII without
/// backslashes.
#[inline]
fn widen(bytes: [u8; 8], units: &mut [u16; 8]) -> u64 {
    let [a, b, c, d, e, f, g, h] = bytes;
    let unit = u16::from;
    *units = [unit(a), unit(b), unit(c), unit(d), unit(e), unit(f), unit(g), unit(h)];
    let word = u64::from_le_bytes(bytes);
    let backslash = word ^ (ONES * b'\\' as u64);
    backslash.wrapping_sub(ONES) & !backslash | word
}
