//! One connection to a run's stream: a queue of frames, the bytes they make, and the way it breaks.
//!
//! `encode` writes frames, `replay` decides where a connection starts and how it repeats the past.

mod encode;
mod replay;

use crate::json::json;
use crate::knobs::{AfterEnd, Chunk, Cut, How, Ids, Knobs, Statuses};
use crate::run::{Pace, Run, RunState};
use crate::script::Frame;
use std::collections::VecDeque;
use std::sync::Arc;

pub(crate) use replay::{Start, start};

/// What a connection has to say when it is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Poll {
    /// The next bytes of the body; never empty.
    Bytes(Vec<u8>),
    /// Nothing before that time (for ever, if infinite), unless something else happens to the simulator first: see
    /// [`Simulator::generation`](crate::Simulator::generation).
    WaitUntil(f64),
    /// The body has ended.
    End,
    /// The connection is cut: a network error.
    Reset,
}

/// What the next frame is.
enum Next {
    Frame(Frame),
    Wait(f64),
    End,
}

#[derive(Debug)]
pub(crate) struct Stream {
    /// The run it belongs to; none if all its frames are in the queue already.
    pub(crate) run: Option<String>,
    knobs: Arc<Knobs>,
    opened: f64,
    cut: Option<Cut>,
    /// Frames that come before those of the run.
    queue: VecDeque<Frame>,
    /// The next frame of the run.
    next: u64,
    /// Frames before this one had happened when the connection was opened.
    replay_end: u64,
    pending: Vec<u8>,
    sent: u64,
    frames: u64,
    not_before: f64,
    last_frame: f64,
    ended: bool,
    broken: Option<How>,
}

impl Stream {
    /// A connection that sends these frames and ends.
    pub(crate) fn fixed(frames: Vec<Frame>, knobs: Arc<Knobs>, now: f64) -> Self {
        Self {
            run: None,
            knobs,
            opened: now,
            cut: None,
            queue: frames.into(),
            next: 0,
            replay_end: 0,
            pending: Vec::new(),
            sent: 0,
            frames: 0,
            not_before: now,
            last_frame: now,
            ended: false,
            broken: None,
        }
    }

    /// A connection to a run, from frame `from` on.
    pub(crate) fn open(run: &Run, from: u64, knobs: Arc<Knobs>, now: f64) -> Self {
        let replay_end = run.head(now);
        let state = match knobs.replay.statuses {
            Statuses::Current => Some(run.state_at(replay_end)),
            Statuses::Full => {
                let is_status = run.frame(from).is_some_and(|frame| frame.event == "status");
                (!is_status).then(|| run.state_at(from))
            }
        };
        // A run of which nothing has happened yet brings its first status itself.
        let opens_itself = replay_end == 0 && run.frame(0).is_some_and(|frame| frame.event == "status");
        let state = state.filter(|_| !opens_itself && knobs.stream.leading_status);
        let leading = state.map(|state| status_frame(run, state));
        let cuts = &knobs.stream.cuts;
        let cut = cuts.iter().find(|cut| cut.connection.is_none_or(|nth| nth == run.connections)).cloned();
        let mut stream = Self::fixed(leading.into_iter().collect(), knobs, now);
        stream.run = Some(run.names.run.clone());
        (stream.next, stream.replay_end, stream.cut) = (from, replay_end, cut);
        stream.prepend_top();
        stream
    }

    /// The `stream_unavailable` race of a run that has just been created.
    pub(crate) fn unavailable(run: &Run, knobs: Arc<Knobs>, now: f64) -> Self {
        let error = json!({"code": "stream_unavailable", "message": "Run stream is no longer available"});
        let mut stream = Self::fixed(
            vec![
                status_frame(run, RunState::Creating),
                status_frame(run, RunState::Running),
                Frame::new("error", &error),
                Frame::new("done", &json!({})),
            ],
            knobs,
            now,
        );
        stream.run = Some(run.names.run.clone());
        stream.next = u64::MAX;
        stream.prepend_top();
        stream
    }

    fn prepend_top(&mut self) {
        if let Some(ms) = self.knobs.stream.retry_ms {
            let raw = Some(format!("retry: {ms}\n\n"));
            self.queue.push_front(Frame { event: String::new(), id: None, data: String::new(), raw });
        }
        if self.knobs.stream.bom {
            self.pending.extend("\u{feff}".bytes());
        }
    }

    /// Breaks the connection, whatever it was doing.
    pub(crate) fn cut(&mut self, how: &How) {
        self.break_by(how.clone());
    }

    /// Says nothing before `until`, heartbeats included.
    pub(crate) fn hold(&mut self, until: f64) {
        self.not_before = self.not_before.max(until);
    }

    pub(crate) fn poll(&mut self, mut run: Option<&mut Run>, now: f64, max_bytes: usize) -> Poll {
        if let Some(poll) = self.broken_poll() {
            return poll;
        }
        let cut = self.cut.clone().unwrap_or_default();
        let has_limit = cut.after_bytes.is_some() || cut.after_frames.is_some() || cut.after_ms.is_some();
        let cut_at = cut.after_ms.map_or(f64::INFINITY, |ms| self.opened + ms);
        let at_once = self.cut.is_some() && !has_limit;
        if at_once || now >= cut_at {
            return self.break_now(cut.how);
        }
        if now < self.not_before {
            return Poll::WaitUntil(self.not_before.min(cut_at));
        }
        let chunk = match self.knobs.stream.chunk {
            Some(Chunk::Bytes(bytes)) => bytes.max(1) as usize,
            Some(Chunk::Frame) | None => usize::MAX,
        };
        let allowed = cut.after_bytes.map_or(u64::MAX, |limit| limit.saturating_sub(self.sent));
        let want = max_bytes.max(1).min(chunk).min(usize::try_from(allowed).unwrap_or(usize::MAX));
        if want == 0 {
            return self.break_now(cut.how);
        }
        let mut until = f64::INFINITY;
        while self.pending.len() < want && cut.after_frames.is_none_or(|limit| self.frames < limit) {
            match self.next_frame(run.as_deref_mut(), now) {
                Next::Frame(frame) => {
                    encode::frame(&frame, &self.knobs.stream, &mut self.pending);
                    (self.frames, self.last_frame) = (self.frames + 1, now);
                }
                Next::Wait(time) => {
                    until = time;
                    break;
                }
                Next::End => {
                    self.ended = true;
                    break;
                }
            }
            if self.knobs.stream.chunk == Some(Chunk::Frame) {
                break;
            }
        }
        if !self.pending.is_empty() {
            return Poll::Bytes(self.take(want, now));
        }
        if self.ended {
            return Poll::End;
        }
        if cut.after_frames.is_some_and(|limit| self.frames >= limit) {
            return self.break_now(cut.how);
        }
        Poll::WaitUntil(until.min(cut_at))
    }

    fn take(&mut self, want: usize, now: f64) -> Vec<u8> {
        let rest = self.pending.split_off(want.min(self.pending.len()));
        let bytes = std::mem::replace(&mut self.pending, rest);
        self.sent += bytes.len() as u64;
        if self.knobs.stream.chunk_delay_ms > 0.0 {
            self.not_before = now + self.knobs.stream.chunk_delay_ms;
        }
        bytes
    }

    fn break_now(&mut self, how: How) -> Poll {
        self.break_by(how);
        self.broken_poll().unwrap_or(Poll::End)
    }

    /// What was about to be sent is lost.
    fn break_by(&mut self, how: How) {
        self.pending.clear();
        if let How::Error { code, message } = &how {
            let error = json!({"code": code, "message": message});
            for frame in [Frame::new("error", &error), Frame::new("done", &json!({}))] {
                encode::frame(&frame, &self.knobs.stream, &mut self.pending);
            }
        }
        self.broken = Some(how);
    }

    fn broken_poll(&mut self) -> Option<Poll> {
        Some(match self.broken.as_ref()? {
            How::Reset => Poll::Reset,
            How::End => Poll::End,
            How::Hold => Poll::WaitUntil(f64::INFINITY),
            How::Error { .. } if self.pending.is_empty() => Poll::End,
            How::Error { .. } => Poll::Bytes(std::mem::take(&mut self.pending)),
        })
    }

    fn next_frame(&mut self, run: Option<&mut Run>, now: f64) -> Next {
        if let Some(frame) = self.queue.pop_front() {
            return Next::Frame(frame);
        }
        let Some(run) = run.filter(|_| !self.ended) else { return Next::End };
        while self.next < run.len() && run.due(self.next) <= now {
            if let Some(frame) = self.run_frame(run) {
                return Next::Frame(frame);
            }
        }
        let over = self.next >= run.len();
        if over && self.knobs.stream.after_end == AfterEnd::Close {
            return Next::End;
        }
        let beat = self.last_frame + self.heartbeat_pause(run.pace);
        if now >= beat {
            let mut frame = Frame::new("heartbeat", &json!({}));
            frame.id = self.knobs.stream.heartbeat_ids.then(|| replay::heartbeat_id(self.next, self.frames));
            return Next::Frame(frame);
        }
        Next::Wait(if over { beat } else { beat.min(run.due(self.next)) })
    }

    fn heartbeat_pause(&self, pace: Pace) -> f64 {
        let ms = self.knobs.stream.heartbeat_ms;
        match pace {
            _ if ms <= 0.0 => f64::INFINITY,
            Pace::Speed(speed) => ms / speed,
            Pace::Instant | Pace::Demand => ms,
        }
    }

    /// Moves past the next frame of the run, or the next stretch of text that is cut anew. None if it is not sent.
    fn run_frame(&mut self, run: &mut Run) -> Option<Frame> {
        let index = self.next;
        let replayed = index < self.replay_end;
        if replayed && let Some(pieces) = replay::recut(run, index, self.replay_end, &self.knobs.replay) {
            self.next = pieces.next;
            for frame in pieces.frames {
                let frame = self.with_id_as_wanted(index, frame);
                self.queue.push_back(frame);
            }
            return self.queue.pop_front();
        }
        self.next = index + 1;
        run.demand(self.next);
        let frame = run.frame(index)?;
        let past_status =
            replayed && frame.event == "status" && self.knobs.replay.statuses == Statuses::Current;
        let left_out = self.knobs.stream.without.contains(&frame.event);
        (!past_status && !left_out).then(|| self.with_id_as_wanted(index, frame))
    }

    fn with_id_as_wanted(&self, index: u64, mut frame: Frame) -> Frame {
        let strip = match self.knobs.stream.ids {
            Ids::All => false,
            Ids::None => true,
            Ids::Every(n) => !index.is_multiple_of(n.max(1)),
        };
        if strip && frame.id.is_some() {
            (frame.id, frame.raw) = (None, None);
        } else if frame.event == "heartbeat" && self.knobs.stream.heartbeat_ids {
            frame.id = Some(replay::heartbeat_id(index + 1, self.frames));
        }
        frame
    }
}

fn status_frame(run: &Run, state: RunState) -> Frame {
    Frame::new("status", &json!({"runId": run.names.run, "status": state.as_str()}))
}
