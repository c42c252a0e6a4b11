//! Writes JSON text: one flat array at a time.

/// A JSON array being written, `[` first; [`finish`](Self::finish) closes it.
///
/// The buffer is kept and used again, up to a bound, so a chunk costs no allocation.
#[derive(Debug, Default)]
pub struct FlatArray {
    bytes: Vec<u8>,
}

/// Memory kept for the next array after a large one, in bytes.
const KEPT_CAPACITY: usize = 256 * 1024;

impl FlatArray {
    /// Whether nothing has been written since [`clear`](Self::clear).
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.bytes.clear();
        if self.bytes.capacity() > KEPT_CAPACITY {
            self.bytes.shrink_to(KEPT_CAPACITY);
        }
    }

    /// Closes the array and gives its text. Empty without any item.
    pub fn finish(&mut self) -> &[u8] {
        if !self.bytes.is_empty() {
            self.bytes.push(b']');
        }
        &self.bytes
    }

    fn separator(&mut self) {
        self.bytes.push(if self.bytes.is_empty() { b'[' } else { b',' });
    }

    /// Adds an item whose text is valid JSON already.
    pub fn raw(&mut self, json: &[u8]) {
        self.separator();
        self.bytes.extend_from_slice(json);
    }

    /// Adds a number of at most two digits.
    pub fn small(&mut self, n: u8) {
        self.separator();
        if n >= 10 {
            self.bytes.push(b'0' + n / 10 % 10);
        }
        self.bytes.push(b'0' + n % 10);
    }

    /// Adds a string, escaped. Bytes that are not UTF-8 go through: what decodes the text
    /// replaces them.
    pub fn string(&mut self, text: &[u8]) {
        self.separator();
        escape(text, &mut self.bytes);
    }
}

/// Appends `text` as a JSON string with its quotes.
pub fn escape(text: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
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
            _ => {
                out.extend_from_slice(b"\\u00");
                let hex = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or(b'0');
                out.push(hex(byte >> 4));
                out.push(hex(byte & 15));
            }
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}
