//! One call of the API: drives a [`follow::Call`], whose request and answer are the facade's.

use std::cell::RefCell;

use super::calls::{Args, Hears, call};
use super::exchange::{Alarm, Answer, Ask, Clock, Exchange};
use super::handle::{seed, tell_bare, tell_doubtful, tell_failure};
use super::host::News;
use crate::cloud::{self, Failure};
use crate::follow::{self, Found, Manner, Options, Step};

/// What `call::BROKE` says where nothing has been sent.
const UNSENT: f64 = 3.0;

/// Nothing in here is borrowed while JS runs: what is called there may call back.
pub(super) struct Caller {
    id: u32,
    /// What is wrong with the ids.
    wrong: Option<Failure>,
    options: RefCell<Options>,
    call: RefCell<Option<follow::Call>>,
    exchange: Exchange,
    alarm: Alarm,
    clock: Clock,
}

impl Caller {
    /// `ids` are the agent's and the run's, a line each; empty where none is needed.
    pub(super) fn new(id: u32, ids: &str) -> Self {
        let (agent_id, run_id) = ids.split_once('\n').unwrap_or_default();
        Self {
            id,
            wrong: cloud::wrong_id(agent_id, run_id),
            options: RefCell::new(Options { seed: seed(), ..Options::default() }),
            call: RefCell::default(),
            exchange: Exchange::default(),
            alarm: Alarm::default(),
            clock: Clock::default(),
        }
    }

    fn begin(&self, manner: u8, timeout: f64) {
        if let Some(failure) = &self.wrong {
            return tell_failure(self.id, News::Fail, failure);
        }
        let options = self.options.borrow().clone();
        let is = |bit| manner & bit != 0;
        if is(8) {
            return tell_bare(self.id, News::End);
        }
        let manner = Manner { repeatable: is(1), after_cancel: is(2), doubted: is(4) };
        self.call.replace(Some(follow::Call::new(options, self.clock.now(), manner, timeout)));
        self.tell(|_, _| {});
    }

    fn failed(&self, failure: Failure, wait: Option<f64>) {
        self.tell(|call, now| call.handle_failure(now, failure, wait));
    }

    /// Tells the call what has happened, and does what it says then.
    fn tell(&self, what: impl FnOnce(&mut follow::Call, f64)) {
        let now = self.clock.now();
        if let Some(call) = self.call.borrow_mut().as_mut() {
            what(call, now);
        }
        self.advance(now);
    }

    #[inline(never)]
    fn advance(&self, now: f64) {
        loop {
            let step = self.call.borrow_mut().as_mut().and_then(|call| call.poll(now));
            match step {
                Some(Step::Send) => self.exchange.send(self.id, Ask::Call, "", None),
                Some(Step::Disconnect) => self.exchange.disconnect(self.id),
                Some(Step::Look) => tell_bare(self.id, News::Look),
                Some(Step::Done) => tell_bare(self.id, News::End),
                Some(Step::Fail(failure)) => {
                    let doubts = self.call.borrow().as_ref().and_then(follow::Call::doubts);
                    tell_doubtful(
                        self.id,
                        News::Fail,
                        &failure,
                        doubts.map_or(0, |unclear| 1 + u8::from(unclear)),
                    );
                }
                None => break,
            }
        }
        let deadline = self.call.borrow().as_ref().and_then(follow::Call::deadline);
        match deadline {
            Some(deadline) => self.alarm.set(self.id, now, deadline),
            None => self.alarm.clear(self.id),
        }
    }
}

impl Hears for Caller {
    fn hear(&self, call: u8, args: Args) -> f64 {
        let [a, b, ..] = args;
        match call {
            call::OPTION => self.options.borrow_mut().set(a as usize, b),
            call::RENEWABLE => self.exchange.renew(),
            call::BEGIN => self.begin(a as u8, b),
            call::LOOKED => self.tell(|call, now| {
                let found = match a as u8 {
                    0 => Found::Nothing,
                    1 => Found::Done,
                    _ => Found::Unclear,
                };
                call.handle_looked(now, found);
            }),
            call::OPENED => return f64::from(self.exchange.opened(args) as u8),
            call::BODY => match self.exchange.answered() {
                Some((_, Answer::Refused(failure, wait))) => self.failed(failure, wait),
                Some(_) => self.tell(|call, _| call.handle_answer()),
                None => {}
            },
            call::BROKE => {
                let (_, failure) = self.exchange.broke(a);
                if a == UNSENT {
                    self.tell(|call, now| call.handle_unsent(now, failure));
                } else {
                    self.failed(failure, None);
                }
            }
            call::CLOSE => {
                self.call.take();
                self.exchange.disconnect(self.id);
                self.alarm.clear(self.id);
            }
            call::ONLINE => self.tell(|call, _| call.handle_online(a != 0.0)),
            call::TIME => {
                self.alarm.rung();
                self.tell(follow::Call::handle_time);
            }
            _ => {}
        }
        0.0
    }
}
