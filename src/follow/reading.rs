//! One chunk being read: what each frame in it does.

use super::connection::Connection;
use super::mark::Trail;
use super::resume::{Notice, Resume, Verdict};
use super::retry::Retry;
use super::status::{self, Statuses};
use crate::cloud::{self, Failure, Frame, FrameName, Outcome, RunStatus};
use crate::json::Batch;
use crate::sse::Block;

/// How a frame ends a connection.
pub(super) enum Ending {
    Done,
    Error(Failure),
    /// The replay is not what it should be.
    Again,
}

pub(super) struct Reading<'a> {
    pub(super) now: f64,
    /// It is the first connection.
    pub(super) first: bool,
    pub(super) connection: &'a mut Connection,
    pub(super) resume: &'a mut Resume,
    pub(super) retry: &'a mut Retry,
    pub(super) statuses: &'a mut Statuses,
    pub(super) finish: &'a mut Finish,
    pub(super) trail: &'a mut Trail,
    /// How many messages have been handed over.
    pub(super) handed: u64,
    pub(super) out: Output<'a>,
    pub(super) end: Option<Ending>,
}

/// What the stream says of how the run ended.
#[derive(Debug, Clone, Default)]
pub(super) struct Finish {
    /// What its result says.
    pub(super) outcome: Option<Outcome>,
    /// The result is that of a run that was not cancelled.
    pub(super) uncancelled: bool,
    /// The data of the last terminal status.
    pub(super) status: Option<Vec<u8>>,
}

impl Finish {
    /// How the run ended, if the last terminal status is to be believed.
    pub(super) fn believed(&self) -> Option<Outcome> {
        Outcome::of_status(self.status.as_deref()?)
    }
}

impl Reading<'_> {
    pub(super) fn block(&mut self, block: Block<'_>) {
        // What follows the end on this connection is not the run's any more.
        if self.end.is_some() {
            return;
        }
        let Some(frame) = Frame::of(block) else { return };
        if frame.name.is_content(frame.id.is_some_and(|id| !id.is_empty())) {
            self.content(&frame);
            return;
        }
        match frame.name {
            FrameName::Status => return self.status(&frame),
            FrameName::Done => self.end = Some(Ending::Done),
            FrameName::Error => self.end = Some(Ending::Error(Failure::of_error_frame(frame.data))),
            _ => {}
        }
        self.out.frame(&frame);
    }

    fn content(&mut self, frame: &Frame<'_>) {
        let was_live = self.resume.is_live();
        let verdict = self.resume.frame(frame, self.place(), self.trail);
        self.out.notice(self.resume);
        let is_new = match verdict {
            Verdict::Deliver => {
                self.out.frame(frame);
                true
            }
            Verdict::DeliverRest(rest) => {
                let data = rest.as_data();
                self.out.frame(&Frame::new(frame.event, frame.id, &data));
                true
            }
            Verdict::Drop => false,
            Verdict::Reconnect => {
                self.end = Some(Ending::Again);
                return;
            }
        };
        self.connection.got_content(self.now, is_new);
        if is_new {
            self.retry.progress();
        }
        if self.resume.is_live() {
            if !was_live {
                self.release(false);
            }
            // It may have been delivered before: the end may be the last frame of a replay.
            if frame.name == FrameName::Result {
                self.connection.got_result(self.now);
                self.finish.outcome = Outcome::of_frame(frame.data);
                let status = self.finish.outcome.as_ref().map(Outcome::status);
                self.finish.uncancelled = status.is_some_and(|status| status != RunStatus::Cancelled);
            }
        }
    }

    fn status(&mut self, frame: &Frame<'_>) {
        // At the top it tells what is, not what was: content may be missing before it.
        let in_place = self.connection.has_frames() && self.resume.is_live();
        if self.first || self.connection.has_news() {
            self.statuses.tell(frame.data);
            self.trail.status(self.place(), self.statuses.told());
            self.out.frame(frame);
        } else {
            self.statuses.keep(frame.data);
            if self.resume.is_live() {
                self.release(in_place);
            }
        }
        let is_terminal = status::is_terminal(frame.data);
        self.finish.status = is_terminal.then(|| frame.data.to_vec());
        self.connection.got_status(self.now, is_terminal, in_place);
    }

    /// Tells the status that had to wait, if it is to be told now.
    fn release(&mut self, all: bool) {
        let data = self.statuses.release(all);
        if data.is_some() {
            self.trail.status(self.place(), self.statuses.told());
        }
        self.out.status(data);
    }

    /// How many messages there were before the next.
    fn place(&self) -> u64 {
        self.handed + self.out.batch.count()
    }
}

/// What goes out to the consumer.
pub(super) struct Output<'a> {
    pub(super) batch: &'a mut Batch,
    pub(super) every_frame: bool,
}

impl Output<'_> {
    fn frame(&mut self, frame: &Frame<'_>) {
        if self.every_frame {
            cloud::encode_frame(frame, self.batch);
        } else {
            cloud::encode_message(frame, self.batch);
        }
    }

    /// A status that had to wait.
    pub(super) fn status(&mut self, data: Option<Vec<u8>>) {
        if let Some(data) = data {
            self.frame(&Frame::new(b"status", None, &data));
        }
    }

    /// What a replay has shown.
    pub(super) fn notice(&mut self, resume: &mut Resume) {
        let Some(notice) = resume.take_notice() else { return };
        let (code, id) = match &notice {
            Notice::EventsLost { last_event_id } => ("events_lost", last_event_id),
            Notice::ReplayMismatch { last_event_id } => ("replay_mismatch", last_event_id),
        };
        cloud::encode_resume_warning(code, id, self.batch);
    }
}
