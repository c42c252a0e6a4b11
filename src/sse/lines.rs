//! Interpreting a stream line by line, whatever the lines are and wherever they are cut.

use super::block::{Block, Sink};
use super::line::{find_control, find_line_end};

/// Memory kept for the next event after a large one, in bytes.
const KEPT_CAPACITY: usize = 64 * 1024;

/// A large event's data is held in pieces of this size until it is whole, in bytes. One buffer that
/// doubles would be up to five times the event: a wasm memory never shrinks, and what the smaller
/// buffers took in it is too small for the next.
const PIECE: usize = 1024 * 1024;

/// The limit was crossed.
pub(super) struct TooLarge;

/// How the line that the last chunk left unfinished goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Unfinished {
    /// Its bytes so far are in `held`: none, or too few to know the field, or a short field.
    #[default]
    Held,
    /// A `data` field whose bytes so far are in `data`.
    Data,
    /// A comment, `usize` bytes long so far.
    Comment(usize),
}

/// The fields of the block that is being read, and what lasts beyond it.
#[derive(Debug, Default)]
pub(super) struct Lines {
    max_event_bytes: usize,
    /// The last line ended with CR: an LF that comes next belongs to it.
    after_cr: bool,
    unfinished: Unfinished,
    held: Vec<u8>,
    /// The data lines of the unfinished block, as far as they are not still in the chunk: the last
    /// piece of them.
    data: Vec<u8>,
    /// The pieces before that, of a large event, and their length.
    pieces: Vec<Vec<u8>>,
    pieces_length: usize,
    has_data: bool,
    event: Vec<u8>,
    /// The block's own id; meaningful only with `has_id`.
    id: Vec<u8>,
    has_id: bool,
    pub(super) last_event_id: Vec<u8>,
    pub(super) reconnection_time: Option<u64>,
}

impl Lines {
    pub(super) fn new(max_event_bytes: usize) -> Self {
        Self { max_event_bytes, ..Self::default() }
    }

    /// Discards the unfinished block.
    pub(super) fn end(&mut self) {
        *self = Self {
            last_event_id: std::mem::take(&mut self.last_event_id),
            reconnection_time: self.reconnection_time,
            ..Self::new(self.max_event_bytes)
        };
    }

    /// Whether nothing of a block has been read yet.
    pub(super) fn is_at_start(&self) -> bool {
        !self.after_cr
            && self.unfinished == Unfinished::Held
            && self.held.is_empty()
            && !self.has_data
            && !self.has_id
            && self.event.is_empty()
    }

    /// Reads up to the end of a block; gives what follows that, or `None` when the bytes end before.
    pub(super) fn read<'a>(
        &mut self,
        bytes: &'a [u8],
        sink: &mut dyn Sink,
    ) -> Result<Option<&'a [u8]>, TooLarge> {
        let mut rest = bytes;
        // The first data line of a block, as long as it need not be copied out of the chunk.
        let mut borrowed: Option<&[u8]> = None;
        loop {
            if self.after_cr && !rest.is_empty() {
                self.after_cr = false;
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            let Some((line, after)) = find_line_end(rest).and_then(|end| {
                let (line, tail) = rest.split_at_checked(end)?;
                let (&ending, after) = tail.split_first()?;
                self.after_cr = ending == b'\r';
                Some((line, after))
            }) else {
                break;
            };
            rest = after;
            if line.is_empty() && self.unfinished == Unfinished::Held && self.held.is_empty() {
                self.dispatch(borrowed.take(), sink);
                if !self.after_cr {
                    return Ok(Some(rest));
                }
            } else {
                self.line(line, &mut borrowed)?;
            }
        }
        if let Some(data) = borrowed {
            self.data.extend_from_slice(data);
        }
        self.hold(rest)?;
        Ok(None)
    }

    /// Reads lines that are data, each of them a block.
    pub(super) fn read_lines(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> Result<(), TooLarge> {
        let mut rest = bytes;
        let mut from = 0;
        loop {
            let at = find_control(rest, from);
            match rest.get(at) {
                Some(b'\n') => {}
                Some(_) => {
                    from = at + 1;
                    continue;
                }
                None => break,
            }
            let (line, after) = rest.split_at_checked(at).unwrap_or_default();
            if self.has_data {
                self.append_data(line)?;
                self.line_end(None, sink);
            } else if line.len() > self.max_event_bytes {
                return Err(TooLarge);
            } else {
                self.line_end(Some(line), sink);
            }
            rest = after.get(1..).unwrap_or_default();
            from = 0;
        }
        self.has_data |= !rest.is_empty();
        self.append_data(rest)
    }

    /// A line is over: `line` where it lies in one chunk, else what has been kept of it.
    pub(super) fn line_end(&mut self, line: Option<&[u8]>, sink: &mut dyn Sink) {
        if !self.pieces.is_empty() {
            self.join_pieces();
        }
        let is_blank = line.unwrap_or(&self.data).iter().all(u8::is_ascii_whitespace);
        self.has_data = !is_blank;
        self.dispatch(line, sink);
    }

    /// Handles the end of a line whose part in this chunk is `part`.
    fn line<'a>(&mut self, part: &'a [u8], borrowed: &mut Option<&'a [u8]>) -> Result<(), TooLarge> {
        match self.unfinished {
            Unfinished::Held if self.held.is_empty() => {
                self.check(part.len())?;
                if let Some(value) = data_value(part) {
                    if !self.has_data {
                        if value.len() > self.max_event_bytes {
                            return Err(TooLarge);
                        }
                        self.has_data = true;
                        *borrowed = Some(value);
                        return Ok(());
                    }
                    if let Some(first) = borrowed.take() {
                        self.data.extend_from_slice(first);
                    }
                    return self.append_data_line(value);
                }
                self.short_field(part);
                Ok(())
            }
            Unfinished::Held => {
                self.check(self.held.len() + part.len())?;
                self.held.extend_from_slice(part);
                let line = std::mem::take(&mut self.held);
                let result = match data_value(&line) {
                    Some(value) => self.append_data_line(value),
                    None => {
                        self.short_field(&line);
                        Ok(())
                    }
                };
                self.held = line;
                self.held.clear();
                self.held.shrink_to(KEPT_CAPACITY);
                result
            }
            Unfinished::Data => {
                self.unfinished = Unfinished::Held;
                self.append_data(part)
            }
            Unfinished::Comment(length) => {
                self.unfinished = Unfinished::Held;
                self.check(length + part.len())
            }
        }
    }

    /// Keeps the start of a line whose end is not in this chunk.
    fn hold(&mut self, part: &[u8]) -> Result<(), TooLarge> {
        match self.unfinished {
            Unfinished::Held => {
                self.check(self.held.len() + part.len())?;
                self.held.extend_from_slice(part);
                // One byte of the value must be there: only then is it known whether a space
                // is to be taken off.
                if self.held.len() > b"data:".len() {
                    let line = std::mem::take(&mut self.held);
                    if let Some(value) = line.starts_with(b"data:").then(|| data_value(&line)).flatten() {
                        self.unfinished = Unfinished::Data;
                        return self.append_data_line(value);
                    }
                    self.held = line;
                }
                if self.held.first() == Some(&b':') {
                    self.unfinished = Unfinished::Comment(self.held.len());
                    self.held.clear();
                }
                Ok(())
            }
            Unfinished::Data => self.append_data(part),
            Unfinished::Comment(length) => {
                let length = length + part.len();
                self.unfinished = Unfinished::Comment(length);
                self.check(length)
            }
        }
    }

    fn check(&self, length: usize) -> Result<(), TooLarge> {
        // A line may hold the longest allowed data and its field name.
        if length > self.max_event_bytes.saturating_add(b"data: ".len()) { Err(TooLarge) } else { Ok(()) }
    }

    fn append_data_line(&mut self, value: &[u8]) -> Result<(), TooLarge> {
        if self.has_data {
            self.append_data(b"\n")?;
        }
        self.has_data = true;
        self.append_data(value)
    }

    fn append_data(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        if self.pieces_length + self.data.len() + bytes.len() > self.max_event_bytes {
            return Err(TooLarge);
        }
        if self.data.len() + bytes.len() > PIECE {
            self.set_piece_aside(bytes.len().max(PIECE));
        }
        self.data.extend_from_slice(bytes);
        Ok(())
    }

    /// Begins the next piece, with room for `next` bytes.
    #[cold]
    #[inline(never)]
    fn set_piece_aside(&mut self, next: usize) {
        self.pieces_length += self.data.len();
        self.pieces.push(std::mem::take(&mut self.data));
        self.data.reserve_exact(next);
    }

    /// Makes the pieces of a large event's data one.
    #[cold]
    #[inline(never)]
    fn join_pieces(&mut self) {
        self.set_piece_aside(0);
        self.data.reserve_exact(self.pieces_length);
        for piece in &self.pieces {
            self.data.extend_from_slice(piece);
        }
        self.pieces.clear();
        self.pieces_length = 0;
    }

    /// Processes a line that is not blank and not a `data` field.
    fn short_field(&mut self, line: &[u8]) {
        let colon = line.iter().position(|&b| b == b':');
        let (name, value) = match colon.and_then(|at| line.split_at_checked(at)) {
            Some((name, rest)) => (name, without_colon(rest)),
            None => (line, &[] as &[u8]),
        };
        match name {
            b"event" => {
                self.event.clear();
                self.event.extend_from_slice(value);
            }
            b"id" if !value.contains(&0) => {
                self.id.clear();
                self.id.extend_from_slice(value);
                self.has_id = true;
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let digits = value.iter().map(|b| u64::from(b - b'0'));
                let time = digits.fold(0_u64, |n, digit| n.saturating_mul(10).saturating_add(digit));
                self.reconnection_time = Some(time);
            }
            _ => {}
        }
    }

    fn dispatch(&mut self, borrowed: Option<&[u8]>, sink: &mut dyn Sink) {
        if self.has_id {
            std::mem::swap(&mut self.last_event_id, &mut self.id);
        }
        if !self.pieces.is_empty() {
            self.join_pieces();
        }
        if self.has_data || self.has_id || !self.event.is_empty() {
            sink.block(Block {
                event: &self.event,
                data: self.has_data.then(|| borrowed.unwrap_or(&self.data)),
                own_id: self.has_id.then_some(self.last_event_id.as_slice()),
                last_event_id: &self.last_event_id,
            });
        }
        self.has_id = false;
        self.has_data = false;
        self.event.clear();
        self.data.clear();
        if self.data.capacity() > KEPT_CAPACITY {
            self.data.shrink_to(KEPT_CAPACITY);
        }
    }
}

/// The value of a `data` field, if `line` is one.
fn data_value(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"data")?;
    (rest.is_empty() || rest.first() == Some(&b':')).then(|| without_colon(rest))
}

/// Takes the colon after a field's name off, and one space after it.
fn without_colon(rest: &[u8]) -> &[u8] {
    without_space(rest.strip_prefix(b":").unwrap_or(rest))
}

/// Takes one space off the start of a field's value.
pub(super) fn without_space(value: &[u8]) -> &[u8] {
    value.strip_prefix(b" ").unwrap_or(value)
}
