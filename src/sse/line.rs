//! Finding the end of a line, eight bytes at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// A word whose lowest set bit lies in the first byte of `word` that equals the byte repeated in
/// `pattern`; bits above it may be false positives.
fn matches(word: u64, pattern: u64) -> u64 {
    let x = word ^ pattern;
    x.wrapping_sub(ONES) & !x & HIGHS
}

/// The position of the first LF or CR in `bytes`.
pub(super) fn find_line_end(bytes: &[u8]) -> Option<usize> {
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = matches(word, ONES * b'\n' as u64) | matches(word, ONES * b'\r' as u64);
        if found != 0 {
            return Some(index * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let at = tail.iter().position(|&b| b == b'\n' || b == b'\r')?;
    Some(words.len() * 8 + at)
}

#[cfg(test)]
mod tests {
    use super::find_line_end;

    #[test]
    fn finds_the_first_end_at_every_position_and_alignment() {
        for end in [b'\n', b'\r'] {
            for length in 0..40 {
                for at in 0..length {
                    let mut bytes = vec![0x8a_u8; length];
                    bytes[at] = end;
                    assert_eq!(find_line_end(&bytes), Some(at));
                    bytes[at] = end.wrapping_add(1);
                    assert_eq!(find_line_end(&bytes), None);
                }
            }
        }
    }
}
