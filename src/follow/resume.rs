//! Where a run's stream is taken up again, and what of a replay has been delivered before.
//!
//! Ids are opaque, frames share them, and what a server replays is known only when it comes. So the
//! point to resume from lags: it is the id *closed* by a later one. And a replay proves itself by
//! what it holds before anything of it is delivered; see `docs/reliability.md`.

use super::channel::{Addition, Channel, Channels};
use super::hash::of_pieces;
use super::mark::Trail;
use super::ring::Ring;
use super::token::Codec;
use crate::cloud::{Frame, Rest};

/// Frames after the closed id's first that are remembered.
const WINDOW: usize = 256;

/// Ids that prove useless in a row before this run is resumed without any.
const GIVE_UPS: u8 = 2;

/// What to do with a content frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict<'a> {
    /// It is new.
    Deliver,
    /// It is text of which only this has not been delivered.
    DeliverRest(Rest<'a>),
    /// It has been delivered before.
    Drop,
    /// This replay is not what it should be: connect again, at once.
    Reconnect,
}

/// What the consumer must be told about a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Content between what was delivered and what now comes is gone.
    EventsLost {
        /// The id that would have been resumed from, empty without one.
        last_event_id: Vec<u8>,
    },
    /// The replay differs from what was delivered: everything is delivered again.
    ReplayMismatch {
        /// The id that would have been resumed from, empty without one.
        last_event_id: Vec<u8>,
    },
}

/// How this connection's content frames are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// All is new.
    Live,
    /// Resumed by id: the window is to come again, beginning with the entry at `next`, which is
    /// `None` until the first frame shows where the server starts.
    ById { next: Option<usize> },
    /// From the start: each channel's content is to come again.
    Start,
}

/// What is known of what has been delivered.
#[derive(Debug, Clone)]
pub(super) struct Resume {
    /// The last ids.
    ring: Ring,
    /// What a resume sends; empty before two ids have come, or when the window was too small.
    closed: Vec<u8>,
    /// The newest id, which more frames may share; empty before the first.
    open: Vec<u8>,
    /// Hashes of the frames after the closed id's first.
    window: Vec<u64>,
    /// Where the open id's first frame is in the window.
    open_start: usize,
    delivered: Channels,
    give_ups: u8,
    /// The next connection begins anew, and everything is delivered again.
    raw: bool,
    /// This connection has begun anew.
    anew: bool,

    mode: Mode,
    /// Something of this connection has been dropped as delivered before.
    dropped: bool,
    /// What this connection has brought, in [`Mode::Start`].
    seen: Channels,
    notice: Option<Notice>,
}

impl Resume {
    pub(super) fn new() -> Self {
        Self {
            ring: Ring::new(),
            closed: Vec::new(),
            open: Vec::new(),
            window: Vec::new(),
            open_start: 0,
            delivered: Channels::default(),
            give_ups: 0,
            raw: false,
            anew: false,
            mode: Mode::Live,
            dropped: false,
            seen: Channels::default(),
            notice: None,
        }
    }

    /// A connection begins: the id to send with it.
    pub(super) fn connect(&mut self) -> Option<Vec<u8>> {
        self.dropped = false;
        self.seen.clear();
        self.anew = std::mem::take(&mut self.raw);
        if self.anew {
            self.notice = Some(Notice::ReplayMismatch { last_event_id: self.last_id().to_vec() });
            self.begin_anew();
        }
        if self.delivered.is_empty() {
            self.mode = Mode::Live;
            return None;
        }
        if !self.closed.is_empty() && self.give_ups < GIVE_UPS {
            self.mode = Mode::ById { next: None };
            return Some(self.closed.clone());
        }
        self.mode = Mode::Start;
        None
    }

    /// Whether what comes now is new: nothing is being proved.
    pub(super) fn is_live(&self) -> bool {
        self.mode == Mode::Live
    }

    /// Whether everything is delivered again on this connection.
    pub(super) fn is_anew(&self) -> bool {
        self.anew
    }

    /// Whether the connection was asked to resume from an id.
    pub(super) fn is_by_id(&self) -> bool {
        matches!(self.mode, Mode::ById { .. })
    }

    /// What is to be told, once.
    pub(super) fn take_notice(&mut self) -> Option<Notice> {
        self.notice.take()
    }

    /// The id that a resume would send; before there is one, the only id that has come; else empty.
    pub(super) fn last_id(&self) -> &[u8] {
        if self.closed.is_empty() { &self.open } else { &self.closed }
    }

    /// The server refused the id, or its replay differs: that id is not used again.
    pub(super) fn give_up(&mut self) {
        self.give_ups = self.give_ups.saturating_add(1);
        self.closed.clear();
        self.window.drain(..self.open_start.min(self.window.len()));
        self.open_start = 0;
    }

    /// Judges a content frame, and takes down what it changes if anything of it is delivered, as the
    /// message `at`.
    pub(super) fn frame<'a>(&mut self, frame: &Frame<'a>, at: u64, trail: &mut Trail) -> Verdict<'a> {
        let addition = Addition::of(frame);
        match self.mode {
            Mode::Live => {
                let added = self.delivered.add(&addition, None);
                self.point(frame.id, addition.frame);
                if let Some(channel) = self.delivered.at(added.index) {
                    trail.content(at, addition.frame, channel, frame.id);
                }
                Verdict::Deliver
            }
            Mode::ById { next } => self.replay_by_id(addition.frame, next),
            Mode::Start => self.replay_from_start(frame, &addition, at, trail),
        }
    }

    /// A frame of that id and hash has been delivered, which left its channel like that.
    pub(super) fn take_step(&mut self, id: &[u8], hash: u64, channel: &Channel) {
        self.delivered.take(channel);
        self.point(Some(id), hash);
    }

    /// Everything is delivered again.
    pub(super) fn begin_anew(&mut self) {
        self.forget_ids();
        self.delivered.clear();
    }

    fn replay_by_id(&mut self, hash: u64, next: Option<usize>) -> Verdict<'static> {
        let at = match next {
            Some(at) => (self.window.get(at) == Some(&hash)).then_some(at),
            // Not later than the open id's first frame: a match in the tail would prove nothing.
            None => self.window.iter().take(self.open_start + 1).position(|entry| *entry == hash),
        };
        let Some(at) = at else {
            self.give_up();
            return Verdict::Reconnect;
        };
        if at + 1 == self.window.len() {
            self.give_ups = 0;
            self.mode = Mode::Live;
        } else {
            self.mode = Mode::ById { next: Some(at + 1) };
        }
        Verdict::Drop
    }

    fn replay_from_start<'a>(
        &mut self,
        frame: &Frame<'a>,
        addition: &Addition<'a>,
        at: u64,
        trail: &mut Trail,
    ) -> Verdict<'a> {
        let added = self.seen.add(addition, Some(&self.delivered));
        // New content before all channels have come again: there is a gap somewhere.
        let early = added.before >= added.known && !self.seen.reach(&self.delivered);
        if added.differs || early {
            if self.dropped {
                self.raw = true;
                return Verdict::Reconnect;
            }
            self.notice = Some(Notice::EventsLost { last_event_id: self.last_id().to_vec() });
            self.begin_anew();
            trail.anew(at);
            self.seen.iter().for_each(|channel| trail.content(at, 0, channel, None));
            if let Some(channel) = self.seen.at(added.index) {
                trail.content(at, addition.frame, channel, frame.id);
            }
            self.delivered = std::mem::take(&mut self.seen);
            self.mode = Mode::Live;
            self.point(frame.id, addition.frame);
            return Verdict::Deliver;
        }
        let channel = self.seen.at(added.index).copied().unwrap_or_default();
        let verdict = if channel.units <= added.known {
            self.dropped = true;
            Verdict::Drop
        } else {
            self.take_step(frame.id.unwrap_or_default(), addition.frame, &channel);
            trail.content(at, addition.frame, &channel, frame.id);
            let skipped = added.known.saturating_sub(added.before) as usize;
            match addition.content.after(skipped) {
                Some(rest) if skipped > 0 => Verdict::DeliverRest(rest),
                _ => Verdict::Deliver,
            }
        };
        if self.seen.reach(&self.delivered) {
            self.mode = Mode::Live;
        }
        verdict
    }

    /// The run is over, and nothing more will come: whether to connect once more, because the
    /// replay has not proved itself.
    pub(super) fn run_over(&mut self) -> bool {
        match self.mode {
            Mode::Live => false,
            Mode::ById { .. } => {
                self.give_up();
                true
            }
            Mode::Start if self.dropped => {
                self.raw = true;
                true
            }
            Mode::Start => {
                self.notice = Some(Notice::EventsLost { last_event_id: self.last_id().to_vec() });
                self.mode = Mode::Live;
                false
            }
        }
    }

    /// Moves the point by a frame that is delivered.
    fn point(&mut self, id: Option<&[u8]>, hash: u64) {
        let usable = id.filter(|id| is_usable(id));
        let fresh = usable.filter(|id| self.ring.add(of_pieces(&[id])));
        if let Some(id) = fresh {
            // What follows the first frame of the id that is closed now: mostly nothing.
            let gone = if self.open.is_empty() { usize::MAX } else { self.open_start + 1 };
            if gone >= self.window.len() {
                self.window.clear();
            } else {
                self.window.drain(..gone);
            }
            std::mem::swap(&mut self.closed, &mut self.open);
            self.open.clear();
            self.open.extend_from_slice(id);
            self.open_start = self.window.len();
        } else if self.open.is_empty() {
            return;
        }
        self.window.push(hash);
        if self.window.len() > WINDOW {
            self.forget_point();
        }
    }

    /// Becomes as `other`, in the memory that it has; what the connection brought is left out.
    pub(super) fn copy(&mut self, other: &Self) {
        self.ring.copy(&other.ring);
        self.closed.clone_from(&other.closed);
        self.open.clone_from(&other.open);
        self.window.clone_from(&other.window);
        self.open_start = other.open_start;
        self.delivered.copy(&other.delivered);
        (self.give_ups, self.raw) = (other.give_ups, other.raw);
    }

    /// What of it a token holds, written or read.
    pub(super) fn code(&mut self, codec: &mut Codec) {
        let mut flags = u64::from(self.raw) | u64::from(self.give_ups) << 1;
        codec.number(&mut flags);
        self.raw = flags & 1 == 1;
        self.give_ups = (flags >> 1).min(u64::from(GIVE_UPS)) as u8;
        codec.section(|codec| {
            self.delivered.code(codec);
            codec.section(|codec| self.code_ids(codec));
        });
    }

    fn code_ids(&mut self, codec: &mut Codec) {
        for id in [&mut self.closed, &mut self.open] {
            codec.text(id);
        }
        let mut start = self.open_start as u64;
        codec.number(&mut start);
        self.open_start = start as usize;
        self.ring.code(codec);
        codec.list(&mut self.window, WINDOW, Codec::word);
    }

    fn forget_ids(&mut self) {
        self.ring.clear();
        self.forget_point();
    }

    fn forget_point(&mut self) {
        self.closed.clear();
        self.open.clear();
        self.window.clear();
        self.open_start = 0;
    }
}

/// Whether a header can hold the id: no control characters, no blank at an end, not empty.
fn is_usable(id: &[u8]) -> bool {
    let blank = |byte: Option<&u8>| byte.is_none_or(|byte| matches!(byte, b' ' | b'\t'));
    !blank(id.first()) && !blank(id.last()) && !id.iter().any(|byte| *byte < b' ' || *byte == 0x7f)
}
