//! Drives a follower: does what it says, tells it what happened.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::calls::{Args, Hears, call, find_stream, take_text};
use super::exchange::{Alarm, Answer, Ask, Exchange, Next};
use super::handle::{Handle, no_record, seed, tell_bare, tell_failure, tell_news};
use super::head::Head as Places;
use super::host::{self, News};
use crate::cloud::{self, Failure};
use crate::follow::{Action, Follower, Link, Options, Watch};
use crate::json::FlatArray;

/// One stream of a run. Nothing in here is borrowed while JS runs: what is called there may call back.
pub(super) struct Driver {
    id: u32,
    follower: RefCell<Follower>,
    handle: Rc<Handle>,
    places: Places,
    exchange: Exchange,
    /// What was told of the connection last.
    link: Cell<Link>,
    alarm: Alarm,
}

impl Driver {
    /// The run's stream from its start, of messages or of frames as they come.
    pub(super) fn new(id: u32, handle: &Rc<Handle>, every_frame: bool) -> Rc<Self> {
        let run = handle.run_path.clone();
        let options = Options { every_frame, seed: seed(), run, ..handle.options.borrow().clone() };
        let mut follower = Follower::new(options);
        if handle.is_cancelling() {
            follower.handle_cancelled();
        }
        let driver = Rc::new(Self {
            id,
            follower: RefCell::new(follower),
            handle: handle.clone(),
            places: Places::default(),
            exchange: Exchange::default(),
            link: Cell::new(Link::Closed),
            alarm: Alarm::default(),
        });
        if handle.renewable.get() {
            driver.exchange.renew();
        }
        handle.streams.borrow_mut().push(Rc::downgrade(&driver));
        driver
    }

    /// Tells where a reader is that has read so many messages, for `call::RESUME`; and the id that a
    /// resume would send, and how many milliseconds the service keeps the stream.
    fn tell_token(&self, read: u64) {
        let follower = self.follower.borrow();
        let mut out = FlatArray::default();
        out.string(follower.token_at(read).as_bytes());
        out.string(follower.last_event_id());
        let retention = follower.retention();
        out.number(if retention.is_finite() { retention as u64 } else { 0 });
        drop(follower);
        tell_news(self.id, News::Token, &mut out);
    }

    /// Goes on where another stream of the run is, from what was handed over there.
    fn fork(&self, id: u32) {
        if let Some(other) = find_stream(id) {
            self.follower.borrow_mut().fork(&other.follower.borrow());
        }
    }

    /// An answer's head has come: see [`Exchange::opened`].
    fn opened(&self, args: Args) -> Next {
        let [.., retention, has_body] = args;
        let next = self.exchange.opened(args);
        // A refusal may say it, too.
        if retention > 0.0 {
            self.follower.borrow_mut().handle_retention(retention);
        }
        if next == Next::Stream {
            let head = self.exchange.take_head();
            self.tell(|follower, now| follower.handle_opened(now, head, has_body != 0.0));
        }
        next
    }

    /// An answer's body has come.
    fn answered(&self) {
        match self.exchange.answered() {
            Some((_, Answer::Body(head, record))) => {
                if let Some(outcome) = self.follower.borrow().believed() {
                    self.handle.believe(outcome);
                }
                self.handle.recorded(&record, false);
                let answer = cloud::status_of(&record).ok_or_else(|| no_record(head, record));
                self.tell(|follower, now| follower.handle_run(now, answer));
            }
            Some((ask, Answer::Refused(failure, wait))) => self.refused(ask, failure, wait),
            None => {}
        }
    }

    /// Tells the follower what has happened, and does what it says then.
    pub(super) fn tell(&self, what: impl FnOnce(&mut Follower, f64)) {
        let now = self.handle.clock.now();
        what(&mut self.follower.borrow_mut(), now);
        self.advance(now);
    }

    #[inline(never)]
    fn advance(&self, now: f64) {
        loop {
            let action = self.follower.borrow_mut().poll(now);
            let Some(action) = action else { break };
            self.act(action);
        }
        let mut follower = self.follower.borrow_mut();
        self.places.room(follower.room(0));
        let (deadline, is_over, link) = (follower.deadline(), follower.is_over(), follower.link());
        drop(follower);
        if let Some(deadline) = deadline {
            self.alarm.set(self.id, now, deadline);
        } else if is_over {
            self.alarm.clear(self.id);
        }
        self.tell_outcome();
        if self.link.replace(link) != link {
            self.linked(now, link);
        }
    }

    /// Tells the handle how the run ended, when the stream has shown it.
    #[inline(never)]
    fn tell_outcome(&self) {
        let outcome = self.follower.borrow_mut().take_outcome();
        if let Some((outcome, asked)) = outcome {
            self.handle.tell(|watch, _| watch.handle_outcome(outcome, asked));
        }
    }

    fn act(&self, action: Action) {
        match action {
            Action::Read => host::read(self.id),
            Action::Deliver => {
                let mut out = std::mem::take(self.follower.borrow_mut().output());
                host::batch(self.id, self.places.batch(&mut out));
                let mut follower = self.follower.borrow_mut();
                // Whoever was called may have called back, and there may be more already.
                if follower.output().is_empty() {
                    out.clear();
                    *follower.output() = out;
                }
            }
            Action::Open { last_event_id } => match self.handle.wrong_id() {
                Some(failure) => self.refused(Ask::Stream, failure, None),
                None => {
                    let id = last_event_id.as_deref();
                    self.exchange.send(self.id, Ask::Stream, &self.handle.run_path, id);
                }
            },
            Action::AskRun => self.exchange.send(self.id, Ask::Record, &self.handle.run_path, None),
            Action::End => {
                self.tell_outcome();
                self.handle.tell(Watch::handle_stream_ended);
                tell_bare(self.id, News::End);
            }
            Action::Fail(failure) => {
                // Where another stream of the run is still good, who waits reads on there.
                if self.handle.streams() <= 1 {
                    self.handle.tell(|watch, now| watch.handle_stream_failed(now, failure.clone()));
                }
                tell_failure(self.id, News::Fail, &failure);
            }
            Action::Disconnect => self.exchange.disconnect(self.id),
        }
    }

    #[inline(never)]
    fn linked(&self, now: f64, link: Link) {
        let (state, delay) = match link {
            Link::Closed => (0, 0.0),
            Link::Connecting => (1, 0.0),
            Link::Open => (2, 0.0),
            Link::Waiting(until) => {
                let reason = self.follower.borrow().last_failure().cloned();
                if let Some(failure) = reason {
                    tell_failure(self.id, News::Reason, &failure);
                }
                (3, (until - now).max(0.0))
            }
        };
        let attempts = self.follower.borrow().attempts();
        host::link(self.id, state, attempts, delay);
    }

    fn refused(&self, ask: Ask, failure: Failure, wait: Option<f64>) {
        self.tell(|follower, now| match ask {
            Ask::Stream => follower.handle_failure(now, failure, wait),
            _ => follower.handle_run(now, Err(failure)),
        });
    }
}

impl Hears for Driver {
    fn hear(&self, call: u8, args: Args) -> f64 {
        let [a, ..] = args;
        match call {
            call::ROOM => self.places.room(self.follower.borrow_mut().room(a as usize)),
            call::RESUME => return f64::from(self.follower.borrow_mut().resume_from(&take_text())),
            call::TOKEN => self.tell_token(a as u64),
            call::FORK => self.fork(a as u32),
            call::OPENED => return f64::from(self.opened(args) as u8),
            call::BODY => self.answered(),
            call::BROKE => {
                let (ask, failure) = self.exchange.broke(a);
                self.refused(ask.unwrap_or(Ask::Stream), failure, None);
            }
            _ => self.tell(|follower, now| match call {
                call::PULL => follower.handle_pull_after(a as u64),
                call::CHUNK => follower.handle_read(now, a as usize),
                call::ENDED => follower.handle_end(now),
                call::TIME => {
                    self.alarm.rung();
                    follower.handle_time(now);
                }
                call::WAKE => follower.handle_wake(now),
                call::ONLINE => follower.handle_online(now, a != 0.0),
                call::VISIBLE => follower.handle_visible(now, a != 0.0),
                call::CANCEL => follower.handle_cancelled(),
                call::CLOSE => follower.handle_close(),
                _ => {}
            }),
        }
        0.0
    }

    fn places(&self) -> usize {
        self.places.address()
    }

    fn stream(self: Rc<Self>) -> Option<Rc<Driver>> {
        Some(self)
    }
}
