//! What a decoder gives: blocks, and the one way in which it fails.

use std::borrow::Cow;
use std::fmt;

/// What a blank line ended: the event to dispatch, if there is one, and the ids. All as sent, so
/// invalid UTF-8 is still in there; the methods decode it as the Encoding standard says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// The value of the last `event` field, empty when there was none (the event is then called
    /// `message`).
    pub event: &'a [u8],
    /// The `data` lines joined by LF, or `None` when the block had none: nothing is dispatched
    /// then.
    pub data: Option<&'a [u8]>,
    /// The block's own `id` field: `None` when it had none, `Some("")` when it reset the id.
    pub own_id: Option<&'a [u8]>,
    /// The last event ID after this block: the own id, or the one of an earlier block.
    pub last_event_id: &'a [u8],
}

impl<'a> Block<'a> {
    /// The event's name, decoded: `message` when the block gave none.
    pub fn event_name(&self) -> Cow<'a, str> {
        if self.event.is_empty() { Cow::Borrowed("message") } else { String::from_utf8_lossy(self.event) }
    }

    /// The data as text, with U+FFFD for what is not UTF-8.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        self.data.map(String::from_utf8_lossy)
    }
}

/// Where a [`Decoder`](super::Decoder) puts what it finds.
pub trait Sink {
    /// Called at each blank line that ends a block with a `data`, `event` or `id` field.
    fn block(&mut self, block: Block<'_>);
}

impl<F: FnMut(Block<'_>)> Sink for F {
    fn block(&mut self, block: Block<'_>) {
        self(block);
    }
}

/// An event's data, or a single line, is longer than the decoder was allowed to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventTooLarge {
    /// The limit that was crossed, in bytes.
    pub limit: usize,
}

impl fmt::Display for EventTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("event longer than the decoder's limit")
    }
}

impl std::error::Error for EventTooLarge {}
