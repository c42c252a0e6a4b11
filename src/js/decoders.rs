//! The synchronous decoders: bytes in, objects out, one crossing each way.
//!
//! A chunk is written into [`StreamDecoder::room`] and then `push`ed; what comes out of it lies where the
//! numbers at `head` say, until the next call.

use std::cell::RefCell;

use super::calls::{Args, Hears, call, take_text};
use super::head::Head;
use crate::cloud::{self, Frame};
use crate::json::Batch;
use crate::kit::Session;
use crate::sse::{Block, Decoder};

/// What bytes are decoded to.
pub enum Target {
    /// The events of an event stream.
    Events,
    /// The SDK messages of a run's stream.
    Messages,
    /// The events of a session whose messages they are.
    Session(Box<Session>),
}

/// Decodes the bytes of an event stream, or of lines.
pub struct StreamDecoder {
    decoder: Decoder,
    target: Target,
    out: Batch,
    head: Head,
}

impl StreamDecoder {
    /// A decoder at the start of a stream.
    pub fn new(decoder: Decoder, target: Target) -> Self {
        Self { decoder, target, out: Batch::default(), head: Head::default() }
    }

    /// The address of what the other methods say.
    pub fn head(&self) -> usize {
        self.head.address()
    }

    /// Makes room for a chunk.
    pub fn room(&mut self, length: usize) {
        self.head.room(self.decoder.room(length));
    }

    /// Gives the number of events that end in this chunk, or of messages. What is too large shows in
    /// `failed`; what was before it is still given.
    pub fn push(&mut self, length: usize) -> usize {
        let Self { decoder, target, out, head } = self;
        out.clear();
        // A closure for each: the one for messages is hot, and is to be nothing else.
        let result = match target {
            Target::Messages => decoder.read(length, &mut |block: Block<'_>| {
                if let Some(frame) = Frame::of(block) {
                    cloud::encode_message(&frame, out);
                }
            }),
            Target::Events => decoder.read(length, &mut |block: Block<'_>| {
                if let Some(data) = block.data {
                    let name = if block.event.is_empty() { b"message" } else { block.event };
                    cloud::encode_texts(name, block.last_event_id, data, out);
                }
            }),
            Target::Session(session) => {
                decoder.read(length, &mut |block: Block<'_>| session.block(&block, out))
            }
        };
        head.failed(result.is_err());
        head.room(decoder.room(0));
        head.batch(out)
    }

    /// The connection is over; what is unfinished is discarded, but for a last line. Gives the number
    /// of events that come of that.
    pub fn end(&mut self) -> usize {
        let Self { decoder, target, out, head } = self;
        head.failed(false);
        if let Target::Session(session) = target {
            out.clear();
            decoder.finish(&mut |block: Block<'_>| session.block(&block, out));
        }
        decoder.end();
        head.room(&[]);
        head.batch(out)
    }

    /// Says where the last event ID lies.
    fn last_id(&self) {
        self.head.text(self.decoder.last_event_id());
    }

    /// See [`Decoder::last_event_id`].
    pub fn last_event_id(&self) -> &[u8] {
        self.decoder.last_event_id()
    }

    /// See [`Decoder::reconnection_time`], as a JS number.
    pub fn reconnection_time(&self) -> Option<f64> {
        self.decoder.reconnection_time().map(|time| time as f64)
    }
}

impl Hears for RefCell<StreamDecoder> {
    fn hear(&self, call: u8, [a, ..]: Args) -> f64 {
        let mut this = self.borrow_mut();
        match call {
            call::ROOM => this.room(a as usize),
            call::CHUNK => return this.push(a as usize) as f64,
            call::ENDED => return this.end() as f64,
            call::SET_LAST_EVENT_ID => this.decoder.set_last_event_id(&take_text()),
            call::LAST_EVENT_ID => this.last_id(),
            call::RECONNECTION_TIME => return this.reconnection_time().unwrap_or(-1.0),
            _ => {}
        }
        0.0
    }

    fn places(&self) -> usize {
        self.borrow().head()
    }
}
