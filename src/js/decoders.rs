//! The synchronous decoders: bytes in, objects out, one crossing each way.

use std::cell::{Cell, RefCell};

use wasm_bindgen::prelude::*;

use super::sys::Host;
use crate::cloud::{self, Frame};
use crate::json::FlatArray;
use crate::sse::{Block, Decoder};

/// In the table of events: the same name, or the same id, as the event before.
const SAME: u32 = u32::MAX;

/// Decodes the bytes of any event stream.
#[wasm_bindgen]
pub struct EventStreamDecoder {
    decoder: RefCell<Decoder>,
    events: RefCell<Events>,
    host: Host,
}

#[wasm_bindgen]
impl EventStreamDecoder {
    /// A decoder that has `host.events` make the events.
    #[wasm_bindgen(constructor)]
    pub fn new(max_event_bytes: f64, last_event_id: &str, host: Host) -> Self {
        let mut decoder = Decoder::new(max_event_bytes as usize);
        decoder.set_last_event_id(last_event_id);
        Self { decoder: RefCell::new(decoder), events: RefCell::default(), host }
    }

    /// Gives the events that end in this chunk, `undefined` when none does. What is too large shows
    /// in `failed`; the events before it are still given.
    pub fn push(&self, chunk: &[u8]) -> Result<JsValue, JsValue> {
        let mut events = self.events.take();
        let result = self.decoder.borrow_mut().push(chunk, &mut |block: Block<'_>| events.add(block));
        let text = events.text.as_slice();
        let table = events.table.as_slice();
        let built = if table.is_empty() {
            Ok(JsValue::UNDEFINED)
        } else {
            let address = text.as_ptr() as usize;
            self.host.events(address, text.len(), table.as_ptr() as usize, table.len())
        };
        events.clear();
        events.failed |= result.is_err();
        self.events.replace(events);
        built
    }

    /// Whether an event was too large: nothing more will come before `end`.
    #[wasm_bindgen(getter)]
    pub fn failed(&self) -> bool {
        self.events.borrow().failed
    }

    /// The connection is over; what is unfinished is discarded.
    pub fn end(&self) {
        self.decoder.borrow_mut().end();
        self.events.borrow_mut().failed = false;
    }

    /// See [`Decoder::last_event_id`].
    #[wasm_bindgen(getter, js_name = lastEventId)]
    pub fn last_event_id(&self) -> String {
        self.decoder.borrow().last_event_id().to_owned()
    }

    /// See [`Decoder::reconnection_time`], as a JS number.
    #[wasm_bindgen(getter, js_name = reconnectionTime)]
    pub fn reconnection_time(&self) -> Option<f64> {
        self.decoder.borrow().reconnection_time().map(|time| time as f64)
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
    id: String,
    started: bool,
    failed: bool,
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
            self.field(block.last_event_id);
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
    decoder: RefCell<Decoder>,
    out: RefCell<FlatArray>,
    failed: Cell<bool>,
    host: Host,
}

#[wasm_bindgen]
impl MessageDecoder {
    /// A decoder that has `host.batch` make the messages.
    #[wasm_bindgen(constructor)]
    pub fn new(max_event_bytes: f64, host: Host) -> Self {
        Self {
            decoder: RefCell::new(Decoder::new(max_event_bytes as usize)),
            out: RefCell::default(),
            failed: Cell::new(false),
            host,
        }
    }

    /// Gives the messages of the frames that end in this chunk.
    pub fn push(&self, chunk: &[u8]) -> Result<JsValue, JsValue> {
        let mut out = self.out.take();
        let result = self.decoder.borrow_mut().push(chunk, &mut |block: Block<'_>| {
            if let Some(frame) = Frame::of(block) {
                cloud::encode_message(&frame, &mut out);
            }
        });
        self.failed.set(result.is_err());
        let built = super::batch(&self.host, &mut out);
        self.out.replace(out);
        built
    }

    /// Whether an event was too large: nothing more will come before `end`.
    #[wasm_bindgen(getter)]
    pub fn failed(&self) -> bool {
        self.failed.get()
    }

    /// The connection is over; what is unfinished is discarded.
    pub fn end(&self) {
        self.decoder.borrow_mut().end();
        self.failed.set(false);
    }
}
