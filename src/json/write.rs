//! Writes JSON text: one flat array at a time.

/// Memory kept for the next array after a large one, in bytes.
const KEPT_CAPACITY: usize = 256 * 1024;

const HIGHS: u64 = 0x8080_8080_8080_8080;

/// A JSON array being written, `[` first; [`finish`](Self::finish) closes it.
///
/// The buffers are kept and used again, up to a bound, so a chunk costs no allocation.
#[derive(Debug, Default)]
pub struct FlatArray {
    bytes: Vec<u8>,
    escaped: Vec<u8>,
}

/// The text of a finished array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a> {
    /// The bytes: UTF-8, but for what was not when it was added.
    pub bytes: &'a [u8],
    /// Whether all of them are ASCII.
    pub ascii: bool,
}

impl FlatArray {
    /// Whether nothing has been written since [`clear`](Self::clear).
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        for buffer in [&mut self.bytes, &mut self.escaped] {
            buffer.clear();
            if buffer.capacity() > KEPT_CAPACITY {
                buffer.shrink_to(KEPT_CAPACITY);
            }
        }
    }

    /// Closes the array and gives its text, without any item an empty one.
    ///
    /// JS engines decode and parse ASCII faster than anything else, so where less than an eighth
    /// of the text is not, it leaves as `\u` escapes (measured in `bench/README.md`).
    pub fn finish(&mut self) -> Text<'_> {
        if self.bytes.is_empty() {
            return Text { bytes: &[], ascii: true };
        }
        self.bytes.push(b']');
        let foreign = count_non_ascii(&self.bytes);
        if foreign == 0 {
            Text { bytes: &self.bytes, ascii: true }
        } else if foreign < self.bytes.len() / 8 {
            escape_non_ascii(&self.bytes, &mut self.escaped);
            Text { bytes: &self.escaped, ascii: true }
        } else {
            Text { bytes: &self.bytes, ascii: false }
        }
    }

    fn separator(&mut self) {
        self.bytes.push(if self.bytes.is_empty() { b'[' } else { b',' });
    }

    /// Adds an item whose text is valid JSON already.
    #[inline(never)]
    pub fn raw(&mut self, json: &[u8]) {
        self.separator();
        self.bytes.extend_from_slice(json);
    }

    /// Adds a string whose text between the quotes is valid JSON already.
    pub fn body(&mut self, body: &[u8]) {
        self.separator();
        self.bytes.push(b'"');
        self.bytes.extend_from_slice(body);
        self.bytes.push(b'"');
    }

    /// Adds a number of at most two digits.
    pub fn small(&mut self, n: u8) {
        self.separator();
        if n >= 10 {
            self.bytes.push(b'0' + n / 10 % 10);
        }
        self.bytes.push(b'0' + n % 10);
    }

    /// Adds a whole number.
    pub fn number(&mut self, n: u64) {
        self.separator();
        let start = self.bytes.len();
        let mut rest = n;
        loop {
            self.bytes.push(b'0' + (rest % 10) as u8);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if let Some(digits) = self.bytes.get_mut(start..) {
            digits.reverse();
        }
    }

    /// Adds a string, escaped. Bytes that are not UTF-8 go through: what decodes the text
    /// replaces them.
    #[inline(never)]
    pub fn string(&mut self, text: &[u8]) {
        self.separator();
        escape(text, &mut self.bytes);
    }
}

/// Appends `text` as a JSON string with its quotes.
pub fn escape(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&b| matches!(b, b'"' | b'\\' | 0..0x20)) {
        let (plain, after) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((&byte, after)) = after.split_first() else { break };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            _ => escape_unit(u16::from(byte), out),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Appends a UTF-16 code unit as `\uXXXX`.
fn escape_unit(unit: u16, out: &mut Vec<u8>) {
    let hex = |shift: u16| {
        let nibble = (unit >> shift & 15) as u8;
        if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 }
    };
    out.extend_from_slice(&[b'\\', b'u', hex(12), hex(8), hex(4), hex(0)]);
}

fn count_non_ascii(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    let in_words: u32 = words.iter().map(|word| (u64::from_le_bytes(*word) & HIGHS).count_ones()).sum();
    in_words as usize + tail.iter().filter(|byte| !byte.is_ascii()).count()
}

/// Copies JSON text with every character beyond ASCII as an escape; they occur in strings only.
/// What is not UTF-8 becomes U+FFFD, as the Encoding standard says.
#[inline(never)]
fn escape_non_ascii(bytes: &[u8], out: &mut Vec<u8>) {
    let mut rest = bytes;
    while let Some(at) = first_non_ascii(rest) {
        let (ascii, foreign) = rest.split_at(at);
        out.extend_from_slice(ascii);
        let length = foreign.iter().position(u8::is_ascii).unwrap_or(foreign.len());
        let (foreign, after) = foreign.split_at(length);
        for chunk in foreign.utf8_chunks() {
            let mut units = [0; 2];
            for char in chunk.valid().chars() {
                for unit in char.encode_utf16(&mut units) {
                    escape_unit(*unit, out);
                }
            }
            if !chunk.invalid().is_empty() {
                escape_unit(0xfffd, out);
            }
        }
        rest = after;
    }
    out.extend_from_slice(rest);
}

fn first_non_ascii(bytes: &[u8]) -> Option<usize> {
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let high = u64::from_le_bytes(*word) & HIGHS;
        if high != 0 {
            return Some(index * 8 + high.trailing_zeros() as usize / 8);
        }
    }
    Some(words.len() * 8 + tail.iter().position(|byte| !byte.is_ascii())?)
}
