//! Steps through JSON text: each function is given the place where something begins and gives the
//! place after it, or `None` where it is not that.
//!
//! Places are single words, and text is passed along, not held: this is where most of the engine's
//! time goes, and WebAssembly returns one word in a register and more through memory.

use std::num::NonZero;

/// A place after something, so never zero.
pub(super) type Place = Option<NonZero<usize>>;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// What stands at a place; NUL, which can stand nowhere in JSON, at the end of the text.
#[inline]
pub(super) fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

/// The place after white space, if there is any.
#[inline]
pub(super) fn white(text: &[u8], at: usize) -> usize {
    if byte(text, at) > b' ' { at } else { more_white(text, at) }
}

#[cold]
#[inline(never)]
fn more_white(text: &[u8], mut at: usize) -> usize {
    while let b' ' | b'\n' | b'\r' | b'\t' = byte(text, at) {
        at += 1;
    }
    at
}

/// The place after a colon and the white space around it.
#[inline]
pub(super) fn after_colon(text: &[u8], at: usize) -> Place {
    let at = white(text, at);
    if byte(text, at) == b':' { NonZero::new(white(text, at + 1)) } else { None }
}

/// The place after a string whose opening quote is before `at`.
#[inline(never)]
pub(super) fn string_end(text: &[u8], at: usize) -> Place {
    string_end_here(text, at)
}

/// The same, for where a call would take longer than most strings.
#[inline(always)]
fn string_end_here(text: &[u8], mut at: usize) -> Place {
    loop {
        // The end of the text is found as well: NUL is a control character.
        let found = special(eight(text, at));
        if found == 0 {
            at += 8;
            continue;
        }
        at += found.trailing_zeros() as usize / 8;
        match byte(text, at) {
            b'"' => return NonZero::new(at + 1),
            b'\\' => at = after_escape(text, at + 1)?.get(),
            _ => return None,
        }
    }
}

/// The eight bytes from a place on, the first lowest; NUL stands for those beyond the end.
#[inline]
fn eight(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(word) => u64::from_le_bytes(*word),
        None => last_bytes(text, at),
    }
}

/// The same where there are less than eight.
#[inline]
fn last_bytes(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    match text.last_chunk::<8>() {
        Some(word) if !rest.is_empty() => u64::from_le_bytes(*word) >> (64 - 8 * rest.len()),
        _ => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// A word whose lowest set bit lies in the first byte of `word` that is a quote, a backslash or a
/// control character; bits above it may be false positives.
#[inline]
pub(super) fn special(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let below = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word;
    (below(quote, 1) | below(backslash, 1) | below(word, 0x20)) & HIGHS
}

/// The place after an escape whose backslash is before `at`.
fn after_escape(text: &[u8], at: usize) -> Place {
    match byte(text, at) {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => NonZero::new(at + 1),
        b'u' if text.get(at + 1..at + 5)?.iter().all(u8::is_ascii_hexdigit) => NonZero::new(at + 5),
        _ => None,
    }
}

/// The place after a value.
pub(super) fn value_end(text: &[u8], at: usize) -> Place {
    match byte(text, at) {
        b'"' => string_end(text, at + 1),
        b'{' | b'[' => nested_end(text, at),
        _ => scalar_end(text, at),
    }
}

/// The place after a number, `true`, `false` or `null`.
#[inline(never)]
fn scalar_end(text: &[u8], at: usize) -> Place {
    let word: &[u8] = match byte(text, at) {
        b't' => b"true",
        b'f' => b"false",
        b'n' => b"null",
        _ => return number_end(text, at),
    };
    if text.get(at..)?.starts_with(word) { NonZero::new(at + word.len()) } else { None }
}

fn number_end(text: &[u8], mut at: usize) -> Place {
    if byte(text, at) == b'-' {
        at += 1;
    }
    at = if byte(text, at) == b'0' { at + 1 } else { digits_end(text, at)?.get() };
    if byte(text, at) == b'.' {
        at = digits_end(text, at + 1)?.get();
    }
    if let b'e' | b'E' = byte(text, at) {
        at += 1;
        if let b'+' | b'-' = byte(text, at) {
            at += 1;
        }
        at = digits_end(text, at)?.get();
    }
    NonZero::new(at)
}

/// The place after digits, of which there must be one.
fn digits_end(text: &[u8], start: usize) -> Place {
    let mut at = start;
    while byte(text, at).is_ascii_digit() {
        at += 1;
    }
    if at == start { None } else { NonZero::new(at) }
}

/// Whether each open bracket is an object's: a bit each, the first 64 in a word.
#[derive(Default)]
struct Nesting {
    word: u64,
    more: Vec<u64>,
    depth: usize,
}

impl Nesting {
    fn open(&mut self, object: bool) {
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.more.push(self.word);
        }
        self.word = self.word << 1 | u64::from(object);
        self.depth += 1;
    }

    /// Closes the innermost; says whether one is left.
    fn close(&mut self) -> bool {
        self.depth = self.depth.saturating_sub(1);
        self.word >>= 1;
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.word = self.more.pop().unwrap_or_default();
        }
        self.depth != 0
    }

    fn in_object(&self) -> bool {
        self.word & 1 == 1
    }
}

/// The place after an object or array.
#[inline(never)]
fn nested_end(text: &[u8], mut at: usize) -> Place {
    let mut nesting = Nesting::default();
    let mut is_key = false;
    loop {
        // A key, a value, or the opening bracket of one.
        match byte(text, at) {
            b'"' => {
                at = string_end_here(text, at + 1)?.get();
                if is_key {
                    is_key = false;
                    at = after_colon(text, at)?.get();
                    continue;
                }
            }
            _ if is_key => return None,
            opening @ (b'{' | b'[') => {
                nesting.open(opening == b'{');
                at = white(text, at + 1);
                // Both closing brackets are two after the opening ones.
                if byte(text, at) != opening + 2 {
                    is_key = opening == b'{';
                    continue;
                }
                at += 1;
                if !nesting.close() {
                    return NonZero::new(at);
                }
            }
            _ => at = scalar_end(text, at)?.get(),
        }
        // What follows a value.
        loop {
            at = white(text, at);
            match byte(text, at) {
                b',' => {
                    at = white(text, at + 1);
                    is_key = nesting.in_object();
                    break;
                }
                b'}' if nesting.in_object() => {}
                b']' if !nesting.in_object() => {}
                _ => return None,
            }
            at += 1;
            if !nesting.close() {
                return NonZero::new(at);
            }
        }
    }
}
