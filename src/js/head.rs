//! A few numbers at a fixed place in the engine's memory: what a call has to say beside its result.
//!
//! A call that takes and gives numbers costs some nanoseconds, one that gives a list, a string or
//! an error a hundred times that. So chunks come in and messages go out through memory, and the
//! facade (`pkg/src/engine/memory.ts`) finds in here where.

use std::cell::Cell;

use crate::json::Batch;

/// The numbers, at the places that `pkg/src/engine/memory.ts` names.
#[derive(Default)]
pub(super) struct Head([Cell<u32>; 9]);

impl Head {
    /// Where they are, as long as what holds them is not moved.
    pub(super) fn address(&self) -> usize {
        self.0.as_ptr() as usize
    }

    fn set<const N: usize>(&self, start: usize, numbers: [usize; N]) {
        for (slot, number) in self.0.iter().skip(start).zip(numbers) {
            slot.set(number as u32);
        }
    }

    /// Where the next chunk is to be written.
    pub(super) fn room(&self, room: &[u8]) {
        self.set(0, [room.as_ptr() as usize, room.len()]);
    }

    /// Whether an event was too large.
    pub(super) fn failed(&self, failed: bool) {
        self.set(2, [usize::from(failed)]);
    }

    /// Where a batch is; gives the number of its messages.
    pub(super) fn batch(&self, batch: &mut Batch) -> usize {
        let parts = batch.finish();
        let json = parts.json.bytes;
        let addresses = [parts.words.as_ptr() as usize, parts.shorts.as_ptr() as usize];
        self.set(3, addresses);
        self.set(5, [json.as_ptr() as usize, json.len(), usize::from(parts.json.ascii)]);
        self.set(8, [parts.texts.as_ptr() as usize]);
        parts.words.len()
    }

    /// Where a text is.
    pub(super) fn text(&self, text: &[u8]) {
        self.set(5, [text.as_ptr() as usize, text.len()]);
    }
}
