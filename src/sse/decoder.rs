//! The decoder: WHATWG HTML section 9.2.6 over bytes, whatever the chunks.
//!
//! Most blocks of most streams are plain (LF, one `data` line, `event` and `id`) and lie in one
//! chunk. Those are read where they lie; everything else goes line by line through [`Lines`].

use super::block::{Block, EventTooLarge, Sink};
use super::line::find_control;
use super::lines::{Lines, TooLarge, without_space};

/// Memory kept for the next chunk after a large one, in bytes.
const KEPT_CAPACITY: usize = 256 * 1024;

/// The longest start of a plain block that is kept as it is until its end comes, in bytes. It is
/// read again with each chunk, so it must be short.
const CARRIED: usize = 1024;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Turns the bytes of an event stream into [`Block`]s.
///
/// Feed it with [`push`](Self::push) in any chunking: the blocks are the same. Call
/// [`end`](Self::end) when the connection is over.
#[derive(Debug)]
pub struct Decoder {
    max_event_bytes: usize,
    /// The stream has begun: what looks like a byte order mark now is content.
    begun: bool,
    /// The start of a plain block, as it came, and room for the chunk that follows.
    buffer: Vec<u8>,
    /// How long that start is.
    carried: usize,
    lines: Lines,
    /// Each line is data, and a block.
    by_line: bool,
    failed: bool,
}

impl Decoder {
    /// A decoder that refuses events whose data, or lines that, are longer than `max_event_bytes`.
    pub fn new(max_event_bytes: usize) -> Self {
        Self {
            max_event_bytes,
            begun: false,
            buffer: Vec::new(),
            carried: 0,
            lines: Lines::new(max_event_bytes),
            by_line: false,
            failed: false,
        }
    }

    /// A decoder of lines (NDJSON), within the same limits: each line that is not blank is a block
    /// that has only data. Lines end with LF; a CR before it is white space of theirs.
    pub fn of_lines(max_event_bytes: usize) -> Self {
        Self { by_line: true, ..Self::new(max_event_bytes) }
    }

    /// What is unfinished is finished: the last line of a body may lack its end.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        if self.by_line && !self.failed {
            self.lines.line_end(None, sink);
        }
        self.end();
    }

    /// The last event ID: set at blank lines only, so it never runs ahead of what was dispatched.
    /// As sent.
    pub fn last_event_id(&self) -> &[u8] {
        &self.lines.last_event_id
    }

    /// Begins with a last event ID from elsewhere, as a resumed connection does.
    pub fn set_last_event_id(&mut self, id: &str) {
        self.lines.last_event_id = id.as_bytes().to_vec();
    }

    /// The last valid `retry` field in milliseconds, clamped to `u64`; `None` before the first.
    pub fn reconnection_time(&self) -> Option<u64> {
        self.lines.reconnection_time
    }

    /// Decodes a chunk. Blocks that end in it go to `sink`, also those before an error.
    ///
    /// # Errors
    ///
    /// [`EventTooLarge`] once the limit is crossed, and from then on until [`end`](Self::end).
    pub fn push(&mut self, chunk: &[u8], sink: &mut dyn Sink) -> Result<(), EventTooLarge> {
        if let Some(room) = self.room(chunk.len()).get_mut(..chunk.len()) {
            room.copy_from_slice(chunk);
        }
        self.read(chunk.len(), sink)
    }

    /// Room for at least `length` bytes of the stream, for [`read`](Self::read): who writes them
    /// here saves [`push`](Self::push) a copy. What is in there is not specified.
    pub fn room(&mut self, length: usize) -> &mut [u8] {
        if self.buffer.len() < self.carried + length {
            // With what may be carried the next time, so that equal chunks need this once.
            self.buffer.resize(CARRIED + length, 0);
        }
        self.buffer.get_mut(self.carried..).unwrap_or_default()
    }

    /// Decodes the `length` bytes that were written into [`room`](Self::room), as `push` does.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn read(&mut self, length: usize, sink: &mut dyn Sink) -> Result<(), EventTooLarge> {
        if !self.failed {
            let mut buffer = std::mem::take(&mut self.buffer);
            let end = (self.carried + length).min(buffer.len());
            let kept = self.decode(buffer.get(..end).unwrap_or_default(), sink);
            match kept {
                Ok(kept) => {
                    buffer.copy_within(end - kept..end, 0);
                    self.carried = kept;
                    if buffer.capacity() > KEPT_CAPACITY {
                        buffer.truncate(kept);
                        buffer.shrink_to(KEPT_CAPACITY);
                    }
                    self.buffer = buffer;
                }
                Err(TooLarge) => {
                    self.end();
                    self.failed = true;
                }
            }
        }
        if self.failed { Err(EventTooLarge { limit: self.max_event_bytes }) } else { Ok(()) }
    }

    /// The connection is over: an unfinished block is discarded, as the standard says. The last
    /// event ID and the reconnection time stay, and the decoder is ready for the next connection.
    pub fn end(&mut self) {
        self.begun = false;
        self.buffer = Vec::new();
        self.carried = 0;
        self.lines.end();
        self.failed = false;
    }

    /// Decodes what was carried and what came; gives how much of the end is to be carried on.
    fn decode(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> Result<usize, TooLarge> {
        let mut rest = bytes;
        if !self.begun {
            if rest.len() < BOM.len() && BOM.starts_with(rest) {
                return Ok(rest.len());
            }
            self.begun = true;
            rest = rest.strip_prefix(BOM).unwrap_or(rest);
        }
        if self.by_line {
            return self.lines.read_lines(rest, sink).map(|()| 0);
        }
        // Within the limit as a whole, so nothing in it can cross the limit.
        let is_small = rest.len() <= self.max_event_bytes;
        loop {
            if is_small && self.lines.is_at_start() {
                let (after, is_cut) = self.plain_blocks(rest, sink);
                if is_cut && after.len() <= CARRIED {
                    return Ok(after.len());
                }
                rest = after;
            }
            match self.lines.read(rest, sink)? {
                Some(after) => rest = after,
                None => return Ok(0),
            }
        }
    }

    /// Dispatches the plain blocks at the start of `bytes`. Gives what begins with the first block
    /// that is not plain or not complete, and whether it may be plain when the rest of it comes.
    fn plain_blocks<'a>(&mut self, bytes: &'a [u8], sink: &mut dyn Sink) -> (&'a [u8], bool) {
        let mut last_id: Option<&'a [u8]> = None;
        let mut rest = bytes;
        let is_cut = 'blocks: loop {
            let mut event: &'a [u8] = &[];
            let mut data: Option<&'a [u8]> = None;
            let mut own_id: Option<&'a [u8]> = None;
            let mut lines = rest;
            loop {
                let Some((line, ending)) = lines.split_at_checked(find_control(lines, 0)) else {
                    break 'blocks false;
                };
                let Some((&byte, after)) = ending.split_first() else { break 'blocks true };
                // Ids with NUL are ignored, CR is an ending too: both are rare, and tabs in data are.
                if byte != b'\n' {
                    break 'blocks false;
                }
                lines = after;
                if let Some(value) = line.strip_prefix(b"data:") {
                    if data.is_some() {
                        break 'blocks false;
                    }
                    data = Some(without_space(value));
                } else if let Some(value) = line.strip_prefix(b"id:") {
                    own_id = Some(without_space(value));
                } else if let Some(value) = line.strip_prefix(b"event:") {
                    event = without_space(value);
                } else if line.is_empty() {
                    break;
                } else {
                    break 'blocks false;
                }
            }
            rest = lines;
            last_id = own_id.or(last_id);
            if data.is_some() || own_id.is_some() || !event.is_empty() {
                let last_event_id = last_id.unwrap_or(&self.lines.last_event_id);
                sink.block(Block { event, data, own_id, last_event_id });
            }
        };
        if let Some(id) = last_id {
            self.lines.last_event_id.clear();
            self.lines.last_event_id.extend_from_slice(id);
        }
        (rest, is_cut)
    }
}
