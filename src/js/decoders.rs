//! The synchronous decoders: bytes in, objects out, one crossing each way.
//!
//! A chunk is written into [`StreamDecoder::room`] and then `push`ed; what comes out of it lies where the
//! numbers at `head` say, until the next call.

use super::calls::{Args, call, take_text};
use super::head::Head;
use crate::cloud::{self, Frame};
use crate::json::Batch;
use crate::sse::{Block, Decoder};

/// Decodes the bytes of an event stream: to its events, or to the SDK messages of a run's stream.
pub struct StreamDecoder {
    decoder: Decoder,
    to_messages: bool,
    out: Batch,
    head: Head,
}

impl StreamDecoder {
    /// A decoder at the start of a stream.
    pub fn new(max_event_bytes: usize, to_messages: bool) -> Self {
        let decoder = Decoder::new(max_event_bytes);
        Self { decoder, to_messages, out: Batch::default(), head: Head::default() }
    }

    pub(super) fn hear(&mut self, call: u8, [a, ..]: Args) -> f64 {
        match call {
            call::ROOM => self.room(a as usize),
            call::CHUNK => return self.push(a as usize) as f64,
            call::ENDED => self.end(),
            call::SET_LAST_EVENT_ID => self.decoder.set_last_event_id(&take_text()),
            call::LAST_EVENT_ID => self.head.text(self.decoder.last_event_id()),
            call::RECONNECTION_TIME => return self.reconnection_time().unwrap_or(-1.0),
            _ => {}
        }
        0.0
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
        let Self { decoder, to_messages, out, head } = self;
        out.clear();
        // Two closures: the one for messages is hot, and is to be nothing else.
        let result = if *to_messages {
            decoder.read(length, &mut |block: Block<'_>| {
                if let Some(frame) = Frame::of(block) {
                    cloud::encode_message(&frame, out);
                }
            })
        } else {
            decoder.read(length, &mut |block: Block<'_>| {
                if let Some(data) = block.data {
                    let name = if block.event.is_empty() { b"message" } else { block.event };
                    cloud::encode_texts(name, block.last_event_id, data, out);
                }
            })
        };
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

    /// See [`Decoder::last_event_id`].
    pub fn last_event_id(&self) -> &[u8] {
        self.decoder.last_event_id()
    }

    /// See [`Decoder::reconnection_time`], as a JS number.
    pub fn reconnection_time(&self) -> Option<f64> {
        self.decoder.reconnection_time().map(|time| time as f64)
    }
}
