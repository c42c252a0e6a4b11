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
        if held == 0 {
            for word in words {
                self.word(u64::from_le_bytes(*word));
            }
        } else {
            for word in words {
                let word = u64::from_le_bytes(*word);
                self.word(self.tail | word << held);
                self.tail = word >> (64 - held);
            }
        }
        let mut filled = held;
        for byte in rest {
            self.tail |= u64::from(*byte) << filled;
            filled += 8;
            if filled == 64 {
                self.word(self.tail);
                self.tail = 0;
                filled = 0;
            }
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

/// The hash of several pieces, each told apart from the next.
pub(crate) fn of_pieces(pieces: &[&[u8]]) -> u64 {
    let mut hash = Running::new();
    for piece in pieces {
        hash.word(piece.len() as u64);
        hash.feed(piece);
    }
    hash.value()
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
