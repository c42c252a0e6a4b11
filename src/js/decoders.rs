//! The synchronous decoders: bytes in, objects out, one crossing each way.
//!
//! A chunk is written into [`room`](MessageDecoder::room) and then `push`ed; what comes out of it
//! lies where the numbers at `head` say, until the next call.

use wasm_bindgen::prelude::*;

use super::head::Head;
use crate::cloud::{self, Frame};
use crate::json::Batch;
use crate::sse::{Block, Decoder};

/// In the table of events: the same name, or the same id, as the event before.
const SAME: u32 = u32::MAX;

/// Decodes the bytes of any event stream.
#[wasm_bindgen]
pub struct EventStreamDecoder {
    decoder: Decoder,
    events: Events,
    head: Head,
}

#[wasm_bindgen]
impl EventStreamDecoder {
    /// A decoder that begins with a last event ID.
    #[wasm_bindgen(constructor)]
    pub fn new(max_event_bytes: f64, last_event_id: &str) -> Self {
        let mut decoder = Decoder::new(max_event_bytes as usize);
        decoder.set_last_event_id(last_event_id);
        Self { decoder, events: Events::default(), head: Head::default() }
    }

    /// The address of what the other methods say.
    pub fn head(&self) -> usize {
        self.head.address()
    }

    /// Makes room for a chunk.
    pub fn room(&mut self, length: usize) {
        self.head.room(self.decoder.room(length));
    }

    /// Gives the length of the table of the events that end in this chunk. What is too large shows
    /// in `failed`; the events before it are still given.
    pub fn push(&mut self, length: usize) -> usize {
        let Self { decoder, events, head } = self;
        events.clear();
        let result = decoder.read(length, &mut |block: Block<'_>| events.add(block));
        head.failed(result.is_err());
        head.events(&events.table, &events.text);
        head.room(decoder.room(0));
        events.table.len()
    }

    /// The connection is over; what is unfinished is discarded.
    pub fn end(&mut self) {
        self.decoder.end();
        self.head.failed(false);
        self.head.room(&[]);
    }

    /// See [`Decoder::last_event_id`].
    #[wasm_bindgen(getter, js_name = lastEventId)]
    pub fn last_event_id(&self) -> String {
        String::from_utf8_lossy(self.decoder.last_event_id()).into_owned()
    }

    /// See [`Decoder::reconnection_time`], as a JS number.
    #[wasm_bindgen(getter, js_name = reconnectionTime)]
    pub fn reconnection_time(&self) -> Option<f64> {
        self.decoder.reconnection_time().map(|time| time as f64)
    }
}

/// A chunk's events: their fields one after the other, and how long each is.
#[derive(Default)]
struct Events {
    /// UTF-8; of each event its name and id where they differ from those before, then its data.
    text: Vec<u8>,
    /// Of each event the lengths of name, id and data in UTF-16 units, as JS counts; or [`SAME`].
    table: Vec<u32>,
    name: Vec<u8>,
    id: Vec<u8>,
    started: bool,
}

/// Memory kept for the next chunk after a large one, in bytes.
const KEPT_CAPACITY: usize = 256 * 1024;

impl Events {
    fn add(&mut self, block: Block<'_>) {
        let Some(data) = block.text() else { return };
        let name = if block.event.is_empty() { b"message" } else { block.event };
        if self.started && self.name == name {
            self.table.push(SAME);
        } else {
            name.clone_into(&mut self.name);
            self.field(&block.event_name());
        }
        if self.started && self.id == block.last_event_id {
            self.table.push(SAME);
        } else {
            block.last_event_id.clone_into(&mut self.id);
            self.field(&String::from_utf8_lossy(block.last_event_id));
        }
        self.field(&data);
        self.started = true;
    }

    fn field(&mut self, text: &str) {
        let length = if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() };
        self.table.push(u32::try_from(length).unwrap_or(SAME - 1));
        self.text.extend_from_slice(text.as_bytes());
    }

    fn clear(&mut self) {
        self.text.clear();
        self.text.shrink_to(KEPT_CAPACITY);
        self.table.clear();
        self.table.shrink_to(KEPT_CAPACITY / 4);
    }
}

/// Decodes the bytes of a run's stream to SDK messages.
#[wasm_bindgen]
pub struct MessageDecoder {
    decoder: Decoder,
    out: Batch,
    head: Head,
}

#[wasm_bindgen]
impl MessageDecoder {
    /// A decoder at the start of a stream.
    #[wasm_bindgen(constructor)]
    pub fn new(max_event_bytes: f64) -> Self {
        let decoder = Decoder::new(max_event_bytes as usize);
        Self { decoder, out: Batch::default(), head: Head::default() }
    }

    /// The address of what the other methods say.
    pub fn head(&self) -> usize {
        self.head.address()
    }

    /// Makes room for a chunk.
    pub fn room(&mut self, length: usize) {
        self.head.room(self.decoder.room(length));
    }

    /// Gives the number of messages of the frames that end in this chunk.
    pub fn push(&mut self, length: usize) -> usize {
        let Self { decoder, out, head } = self;
        out.clear();
        let result = decoder.read(length, &mut |block: Block<'_>| {
            if let Some(frame) = Frame::of(block) {
                cloud::encode_message(&frame, out);
            }
        });
        head.failed(result.is_err());
        head.room(decoder.room(0));
        head.batch(out)
    }

    /// The connection is over; what is unfinished is discarded.
    pub fn end(&mut self) {
        self.decoder.end();
        self.head.failed(false);
        self.head.room(&[]);
    }
}
