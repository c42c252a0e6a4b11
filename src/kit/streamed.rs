//! Text that has gone out in parts, so that the whole message that follows adds only what is missing.
//!
//! The whole comes block by block, several blocks with one id, and each may come before the parts
//! of it have ended; a connection may have lost the last of those. Texts of different ids are never
//! compared: two messages may say the same.

use crate::json::Body;

/// Memory kept for the next message after a large one, in bytes.
const KEPT_CAPACITY: usize = 64 * 1024;

/// What of the message under way has gone out in parts, and not come as a whole.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    /// The message's id as it came; `None` where its start has not been seen.
    id: Option<Vec<u8>>,
    text: Vec<u8>,
    /// How much of `text` has come as a whole.
    matched: usize,
}

impl Streamed {
    /// A message begins.
    pub(super) fn begin(&mut self, id: Option<&[u8]>) {
        self.clear();
        self.id = id.map(<[u8]>::to_vec);
    }

    /// A part of it has come, and goes out.
    pub(super) fn part(&mut self, part: Body<'_>) {
        part.each_piece(|piece| self.text.extend_from_slice(piece));
    }

    /// A block of a message has come as a whole: what of it has not gone out, empty where all has.
    pub(super) fn whole<'a>(&mut self, id: Option<&[u8]>, block: Body<'a>) -> Body<'a> {
        if self.id.is_none() {
            self.id = id.map(<[u8]>::to_vec);
        } else if id.is_some() && id != self.id.as_deref() {
            return block;
        }
        let sent = self.text.get(self.matched..).unwrap_or_default();
        let mut length = 0;
        let mut is_same = true;
        block.each_piece(|piece| {
            let known = sent.get(length..).unwrap_or_default();
            let common = known.len().min(piece.len());
            is_same &= known.get(..common) == piece.get(..common);
            length += piece.len();
        });
        if is_same && length <= sent.len() {
            self.matched += length;
            return Body(&[]);
        }
        let skipped = if is_same { sent.len() } else { 0 };
        self.forget();
        block.after(skipped)
    }

    /// Nothing is under way any more.
    pub(super) fn clear(&mut self) {
        self.id = None;
        self.forget();
    }

    fn forget(&mut self) {
        self.text.clear();
        self.text.shrink_to(KEPT_CAPACITY);
        self.matched = 0;
    }
}
