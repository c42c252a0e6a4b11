//! A running 64-bit hash over bytes: the same however the bytes are divided, and to be asked at any
//! point. Not for adversaries: it tells a server's replay from something else.

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0xff51_afd7_ed55_8ccd;

/// Bytes hashed so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Running {
    state: u64,
    /// The bytes that do not fill a word yet, the first lowest.
    tail: u64,
    length: u64,
}

impl Default for Running {
    fn default() -> Self {
        Self::new()
    }
}

impl Running {
    pub(crate) const fn new() -> Self {
        Self { state: SEED, tail: 0, length: 0 }
    }

    fn word(&mut self, word: u64) {
        let mixed = (self.state ^ word).wrapping_mul(FACTOR);
        self.state = mixed ^ mixed >> 32;
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let held = (self.length % 8) as u32 * 8;
        self.length += bytes.len() as u64;
        let (words, rest) = bytes.as_chunks::<8>();
        // What of a word is beyond the tail; of a shift by 64 nothing is left.
        let beyond = |word: u64| (word >> 1) >> (63 - held);
        for word in words {
            let word = u64::from_le_bytes(*word);
            self.word(self.tail | word << held);
            self.tail = beyond(word);
        }
        let last = last_word(bytes, rest);
        self.tail |= last << held;
        if held as usize + 8 * rest.len() >= 64 {
            self.word(self.tail);
            self.tail = beyond(last);
        }
    }

    /// All there is, for a token; [`Running::of_parts`] takes it back.
    pub(crate) fn parts(self) -> (u64, u64, u64) {
        (self.state, self.tail, self.length)
    }

    pub(crate) fn of_parts((state, tail, length): (u64, u64, u64)) -> Self {
        Self { state, tail, length }
    }

    /// The hash of what was fed so far.
    pub(crate) fn value(self) -> u64 {
        let mut end = self;
        end.word(self.tail);
        end.word(self.length);
        end.state
    }
}

/// The bytes after the last whole word, as one.
fn last_word(bytes: &[u8], rest: &[u8]) -> u64 {
    match bytes.last_chunk::<8>() {
        Some(last) if !rest.is_empty() => u64::from_le_bytes(*last) >> (64 - 8 * rest.len()),
        _ => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// The hash of several pieces, each told apart from the next.
pub(crate) fn of_pieces(pieces: &[&[u8]]) -> u64 {
    let mut hash = Running::new();
    for piece in pieces {
        // Its length tells what of the last word is the piece's.
        hash.word(piece.len() as u64);
        let (words, rest) = piece.as_chunks::<8>();
        for word in words {
            hash.word(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            hash.word(last_word(piece, rest));
        }
    }
    hash.state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_not_depend_on_how_the_bytes_are_divided() {
        let bytes: Vec<u8> = (0..200_u32).map(|n| (n * 37 % 251) as u8).collect();
        for length in 0..bytes.len() {
            let mut whole = Running::new();
            whole.feed(&bytes[..length]);
            for step in 1..20 {
                let mut parts = Running::new();
                for part in bytes[..length].chunks(step) {
                    parts.feed(part);
                }
                assert_eq!(parts, whole, "{length} bytes in {step}s");
            }
        }
    }

    #[test]
    fn tells_apart_what_differs_a_little() {
        let mut seen = std::collections::HashSet::new();
        for length in 0..40 {
            for byte in [0, 1, 255] {
                let mut hash = Running::new();
                hash.feed(&vec![byte; length]);
                // Without any byte there is nothing to tell apart.
                assert!(seen.insert(hash.value()) || length == 0, "{length} times {byte}");
            }
        }
        assert_ne!(of_pieces(&[b"ab", b"c"]), of_pieces(&[b"a", b"bc"]));
        assert_ne!(of_pieces(&[b"", b"a"]), of_pieces(&[b"a", b""]));
    }
}
