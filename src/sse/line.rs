//! Finding the end of a line, eight bytes at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The least byte that may stand in a line that is searched through without a closer look: LF, CR
/// and NUL lie below it.
const PLAIN: u8 = b'\r' + 1;

/// The position of the first LF or CR in `bytes`.
pub(super) fn find_line_end(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = find_control(bytes, from);
        match bytes.get(at)? {
            b'\n' | b'\r' => return Some(at),
            _ => from = at + 1,
        }
    }
}

/// The position of the first byte below [`PLAIN`], from `from` on; the length without one.
#[inline]
pub(super) fn find_control(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*word);
        // The lowest bit set is that of the first such byte; those above may be false positives.
        let found = word.wrapping_sub(ONES * PLAIN as u64) & !word & HIGHS;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| *byte >= PLAIN) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{find_control, find_line_end};

    #[test]
    fn finds_the_first_end_at_every_position_and_alignment() {
        for end in [b'\n', b'\r'] {
            for length in 0..40 {
                for at in 0..length {
                    let mut bytes = vec![0x8a_u8; length];
                    bytes[at] = end;
                    assert_eq!(find_line_end(&bytes), Some(at));
                    // What looks similar is passed over.
                    for other in [0, b'\t', 0x0b, 0x0c, 0x0e, 0xff] {
                        bytes[at / 2] = other;
                        assert_eq!(find_line_end(&bytes), (at / 2 != at).then_some(at));
                    }
                }
            }
        }
    }

    #[test]
    fn finds_the_first_control_character_from_anywhere() {
        let mut bytes = vec![b'x'; 40];
        bytes[29] = 0;
        for from in 0..30 {
            assert_eq!(find_control(&bytes, from), 29);
        }
        assert_eq!(find_control(&bytes, 30), 40);
        assert_eq!(find_control(&bytes, 41), 41);
    }
}
