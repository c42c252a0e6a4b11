//! One request at a time and its answer, as the facade brings it.

use std::cell::{Cell, RefCell};

use super::calls::{Args, take_scratch, take_text};
use super::host;
use crate::cloud::{Failure, FailureKind, Head};

/// What is asked for; the order of `ASKS` in `pkg/src/run/exchange.ts`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Ask {
    /// `GET` the run, for JSON.
    Record = 0,
    /// `POST …/cancel` without a body, for JSON.
    Cancel = 1,
    /// `GET …/stream`, for an event stream.
    Stream = 2,
    /// A call's request: the facade knows what it is.
    Call = 3,
}

/// What to do with an answer's body.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Next {
    /// Read all of it, or as much as is kept of a refusal, and hand it over.
    Collect = 0,
    /// It is the stream: read it when told to.
    Stream = 1,
    /// Send the request again: what key and headers are asked of may give fresh ones.
    Again = 2,
}

/// What came of a request.
pub(super) enum Answer {
    /// Head and body of a 2xx.
    Body(Head, Vec<u8>),
    /// A refusal, and its `Retry-After` in milliseconds.
    Refused(Failure, Option<f64>),
}

/// The request under way. Its answer's texts and body come in the scratch.
#[derive(Default)]
pub(super) struct Exchange {
    asked: Cell<Option<Ask>>,
    /// Key or headers may be others the next time.
    renewable: Cell<bool>,
    /// The request has been sent again with what was given afresh.
    renewed: Cell<bool>,
    head: RefCell<Head>,
    retry_after: Cell<f64>,
}

impl Exchange {
    pub(super) fn send(&self, id: u32, ask: Ask, path: &str, last_event_id: Option<&[u8]>) {
        self.asked.set(Some(ask));
        self.renewed.set(false);
        let (path_at, id_at) = (path.as_ptr() as usize, last_event_id.map_or(0, |id| id.as_ptr() as usize));
        host::request(id, ask as u8, path_at, path.len(), id_at, last_event_id.map_or(0, <[u8]>::len));
    }

    /// Key or headers may be others the next time.
    pub(super) fn renew(&self) {
        self.renewable.set(true);
    }

    /// The answer's head has come: see `call::OPENED`.
    pub(super) fn opened(&self, [status, retry_after, _, has_body]: Args) -> Next {
        let (status, has_body) = (status as u16, has_body != 0.0);
        if status == 401 && self.renewable.get() && !self.renewed.replace(true) {
            return Next::Again;
        }
        let texts = take_text();
        let (content_type, request_id) = texts.split_once('\n').unwrap_or_default();
        let head = Head { status, content_type: content_type.into(), request_id: request_id.into() };
        let is_stream = self.asked.get() == Some(Ask::Stream) && head.is_usable(true, has_body);
        self.head.replace(head);
        self.retry_after.set(retry_after);
        if is_stream { Next::Stream } else { Next::Collect }
    }

    /// The head of a stream that has been opened.
    pub(super) fn take_head(&self) -> Head {
        self.head.take()
    }

    /// The scratch holds the answer's body. Says what was asked for, too.
    pub(super) fn answered(&self) -> Option<(Ask, Answer)> {
        let body = take_scratch();
        let head = self.head.take();
        let answer = if head.is_usable(false, true) && self.asked.get() != Some(Ask::Stream) {
            Answer::Body(head, body)
        } else {
            let wait = self.retry_after.get();
            Answer::Refused(Failure::of_answer(head, body), (wait >= 0.0).then_some(wait))
        };
        Some((self.asked.take()?, answer))
    }

    /// Something was thrown before there was an answer, or while it was read: see `call::BROKE`.
    #[cold]
    pub(super) fn broke(&self, how: f64) -> (Option<Ask>, Failure) {
        let kind = match how as u8 {
            0 | 3 => FailureKind::Network,
            1 => FailureKind::Configuration,
            _ => FailureKind::Unknown,
        };
        let failure = Failure::local(kind, "network_error", "Network request failed");
        (self.asked.take(), failure)
    }

    pub(super) fn disconnect(&self, id: u32) {
        self.asked.set(None);
        host::disconnect(id);
    }
}

/// Milliseconds that only grow. The machine's own clock counts sleep, which others may not, but it
/// can be set back; what was due would then be due much later.
#[derive(Default)]
pub(super) struct Clock {
    last: Cell<f64>,
    offset: Cell<f64>,
}

impl Clock {
    #[inline(never)]
    pub(super) fn now(&self) -> f64 {
        let now = host::now() + self.offset.get();
        let last = self.last.get();
        if now < last {
            self.offset.set(self.offset.get() + last - now);
            return last;
        }
        self.last.set(now);
        now
    }
}

/// One timer, for a deadline that moves.
pub(super) struct Alarm(Cell<f64>);

impl Default for Alarm {
    fn default() -> Self {
        Self(Cell::new(f64::INFINITY))
    }
}

impl Alarm {
    /// Has `time` called at `deadline`, or earlier: it is set again then. So a deadline that moves
    /// on, as with each chunk, costs no new timer. One that should have rung has slept with the
    /// machine, and has all that it lacked still to go: timers may not count that time.
    pub(super) fn set(&self, id: u32, now: f64, deadline: f64) {
        let set = self.0.get();
        if deadline < set || set < now {
            self.0.set(deadline);
            host::alarm(id, (deadline - now).max(0.0));
        }
    }

    /// It has rung.
    pub(super) fn rung(&self) {
        self.0.set(f64::INFINITY);
    }

    pub(super) fn clear(&self, id: u32) {
        if self.0.replace(f64::INFINITY).is_finite() {
            host::alarm(id, f64::INFINITY);
        }
    }
}
