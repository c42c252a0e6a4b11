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
    /// The message's id as it came; empty where its start has not been seen.
    id: Vec<u8>,
    text: Vec<u8>,
    /// How much of `text` has come as a whole.
    matched: usize,
    /// A block as it is compared.
    block: Vec<u8>,
}

impl Streamed {
    /// A message begins; or none is under way any more, and `id` is empty.
    pub(super) fn begin(&mut self, id: &[u8]) {
        self.id.clear();
        self.id.extend_from_slice(id);
        self.forget();
    }

    /// A part of it has come, and goes out.
    pub(super) fn part(&mut self, part: Body<'_>) {
        part.push_to(&mut self.text);
    }

    /// A block of a message has come as a whole: what of it has not gone out, empty where all has.
    pub(super) fn whole<'a>(&mut self, id: &[u8], block: Body<'a>) -> Body<'a> {
        if self.id.is_empty() {
            self.id.extend_from_slice(id);
        } else if id != self.id {
            return block;
        }
        self.block.clear();
        block.push_to(&mut self.block);
        let sent = self.text.get(self.matched..).unwrap_or_default();
        if sent.starts_with(&self.block) {
            self.matched += self.block.len();
            return Body(&[]);
        }
        let skipped = if self.block.starts_with(sent) { sent.len() } else { 0 };
        self.forget();
        block.after(skipped)
    }

    fn forget(&mut self) {
        for buffer in [&mut self.text, &mut self.block] {
            buffer.clear();
            buffer.shrink_to(KEPT_CAPACITY);
        }
        self.matched = 0;
    }
}
