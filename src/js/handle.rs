//! A run's handle: drives a [`Watch`], and holds what the run's streams share.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use super::calls::{Args, Hears, call, take_scratch};
use super::exchange::{Alarm, Answer, Ask, Clock, Exchange};
use super::host::{self, News};
use super::run::Driver;
use crate::cloud::{self, Failure, FailureKind, Head, Outcome};
use crate::follow::{Options, Task, Watch};
use crate::json::FlatArray;

pub(super) fn seed() -> u64 {
    (host::random() * 9e15) as u64
}

/// One run. Nothing in here is borrowed while JS runs: what is called there may call back.
pub(super) struct Handle {
    id: u32,
    /// What is wrong with the ids.
    wrong: Option<Failure>,
    /// What is asked for lies there or below.
    pub(super) run_path: String,
    pub(super) options: RefCell<Options>,
    pub(super) renewable: Cell<bool>,
    watch: RefCell<Watch>,
    pub(super) streams: RefCell<Vec<Weak<Driver>>>,
    /// What the watch has asked.
    exchange: Exchange,
    /// The service has agreed to cancel the run.
    cancelling: Cell<bool>,
    alarm: Alarm,
    pub(super) clock: Clock,
}

impl Handle {
    /// `place` is the run's path, then the agent's and the run's ids, a line each; ids are empty where
    /// they are known to be right.
    pub(super) fn new(id: u32, place: &str) -> Self {
        let (run_path, ids) = place.split_once('\n').unwrap_or_default();
        let (agent_id, run_id) = ids.split_once('\n').unwrap_or_default();
        let options = Options { seed: seed(), ..Options::default() };
        Self {
            id,
            wrong: cloud::wrong_id(agent_id, run_id),
            run_path: run_path.to_owned(),
            watch: RefCell::new(Watch::new(options.clone())),
            options: RefCell::new(options),
            renewable: Cell::new(false),
            streams: RefCell::default(),
            exchange: Exchange::default(),
            cancelling: Cell::new(false),
            alarm: Alarm::default(),
            clock: Clock::default(),
        }
    }

    /// Sets an option; all are set before anything else is said.
    fn option(&self, place: usize, value: f64) {
        let mut options = self.options.borrow_mut();
        options.set(place, value);
        self.watch.replace(Watch::new(options.clone()));
    }

    pub(super) fn is_cancelling(&self) -> bool {
        self.cancelling.get()
    }

    /// An answer's body has come.
    fn answered(&self) {
        match self.exchange.answered() {
            Some((Ask::Record, Answer::Body(_, record))) => self.recorded(&record, true),
            Some((_, Answer::Body(..))) => self.cancelled(Ok(()), None),
            Some((ask, Answer::Refused(failure, wait))) => self.refused(ask, failure, wait),
            None => {}
        }
    }

    /// There is no answer.
    fn broke(&self, how: f64) {
        if let (Some(ask), failure) = self.exchange.broke(how) {
            self.refused(ask, failure, None);
        }
    }

    /// Tells the watch what has happened, and does what it says then.
    pub(super) fn tell(&self, what: impl FnOnce(&mut Watch, f64)) {
        let now = self.clock.now();
        what(&mut self.watch.borrow_mut(), now);
        self.advance(now);
    }

    #[inline(never)]
    fn advance(&self, now: f64) {
        loop {
            let task = self.watch.borrow_mut().poll(now);
            let Some(task) = task else { break };
            self.act(task);
        }
        let deadline = self.watch.borrow().deadline();
        match deadline {
            Some(deadline) => self.alarm.set(self.id, now, deadline),
            None => self.alarm.clear(self.id),
        }
    }

    fn act(&self, task: Task) {
        match task {
            Task::AskRun => self.ask(Ask::Record),
            Task::Cancel => self.ask(Ask::Cancel),
            Task::Disconnect => self.exchange.disconnect(self.id),
            Task::Cancelling => {
                self.cancelling.set(true);
                self.each_stream(|driver| {
                    driver.hear(call::CANCEL, Args::default());
                });
            }
            Task::Changed(_) => self.tell_outcome(News::Changed),
            Task::Settled => self.tell_outcome(News::Settled),
            Task::Cancelled => self.tell_outcome(News::Cancelled),
            Task::Lost(failure) => self.failed(News::Lost, &failure),
            Task::NotCancelled(failure) => self.failed(News::NotCancelled, &failure),
        }
    }

    /// Calls `what` with each stream that there still is; gives their number.
    fn each_stream(&self, what: impl Fn(&Driver)) -> usize {
        let drivers: Vec<_> = {
            let mut streams = self.streams.borrow_mut();
            streams.retain(|stream| stream.strong_count() > 0);
            streams.iter().filter_map(Weak::upgrade).collect()
        };
        drivers.iter().for_each(|driver| what(driver));
        drivers.len()
    }

    /// How many streams there are.
    #[inline(never)]
    pub(super) fn streams(&self) -> usize {
        self.each_stream(|_| ())
    }

    /// A stream knows how the run ended before the record that it asked for says more.
    pub(super) fn believe(&self, outcome: Outcome) {
        self.watch.borrow_mut().handle_outcome(outcome, false);
    }

    fn ask(&self, ask: Ask) {
        self.exchange.send(self.id, ask, &self.run_path, None);
    }

    /// What is wrong with the ids, before anything is asked for.
    pub(super) fn wrong_id(&self) -> Option<Failure> {
        self.wrong.clone()
    }

    fn refused(&self, ask: Ask, failure: Failure, wait: Option<f64>) {
        if ask == Ask::Cancel {
            self.cancelled(Err(failure), wait);
        } else {
            self.watch.borrow_mut().handle_asked();
            self.tell(|watch, now| watch.handle_record_failed(now, failure, wait));
        }
    }

    fn cancelled(&self, answer: Result<(), Failure>, wait: Option<f64>) {
        let streaming = self.streams() > 0;
        self.tell(|watch, now| watch.handle_cancel_answer(now, answer, wait, streaming));
    }

    /// A record has come, to this handle or to one of its streams.
    pub(super) fn recorded(&self, record: &[u8], own: bool) {
        let outcome = Outcome::of_record(record);
        self.tell(|watch, now| {
            if own {
                watch.handle_asked();
            }
            watch.handle_record(now, outcome);
        });
    }

    fn tell_outcome(&self, what: News) {
        let mut out = FlatArray::default();
        if let Some(outcome) = self.watch.borrow().outcome() {
            outcome.encode(&mut out);
        }
        self.news(what, &mut out);
    }

    fn failed(&self, what: News, failure: &Failure) {
        tell_failure(self.id, what, failure);
    }

    fn news(&self, what: News, out: &mut FlatArray) {
        tell_news(self.id, what, out);
    }
}

impl Hears for Handle {
    fn hear(&self, call: u8, args: Args) -> f64 {
        let [a, b, ..] = args;
        let flag = a != 0.0;
        match call {
            call::RECORD => self.recorded(&take_scratch(), false),
            call::RENEWABLE => {
                self.renewable.set(true);
                self.exchange.renew();
            }
            call::OPTION => self.option(a as usize, b),
            call::OPENED => return f64::from(self.exchange.opened(args) as u8),
            call::BODY => self.answered(),
            call::BROKE => self.broke(a),
            call::CLOSE => {
                self.exchange.disconnect(self.id);
                self.alarm.clear(self.id);
            }
            _ => self.tell(|watch, now| match call {
                call::OBSERVE => watch.handle_observed(flag),
                call::STALLED => watch.handle_stalled(now, flag),
                call::NO_STREAM => watch.handle_stream_ended(now),
                call::CANCEL => watch.handle_cancel(now),
                call::ONLINE => watch.handle_online(now, flag),
                call::TIME => {
                    self.alarm.rung();
                    watch.handle_time(now);
                }
                _ => {}
            }),
        }
        0.0
    }

    fn run(self: Rc<Self>) -> Option<Rc<Handle>> {
        Some(self)
    }
}

#[cold]
pub(super) fn no_record(head: Head, body: Vec<u8>) -> Failure {
    Failure::unusable(FailureKind::Unknown, "invalid_answer", "The answer is no run", head, body)
}

#[cold]
#[inline(never)]
pub(super) fn tell_failure(id: u32, what: News, failure: &Failure) {
    tell_doubtful(id, what, failure, 0);
}

/// The same of what may have been done all the same: `doubt` is 1 where that did not show, 2 where it
/// cannot be told; it comes after what `Failure::encode` writes.
pub(super) fn tell_doubtful(id: u32, what: News, failure: &Failure, doubt: u8) {
    let mut out = FlatArray::default();
    failure.encode(&mut out);
    out.small(doubt);
    tell_news(id, what, &mut out);
}

/// Tells that something has happened, of which there is no more to say.
pub(super) fn tell_bare(id: u32, what: News) {
    tell_news(id, what, &mut FlatArray::default());
}

#[inline(never)]
pub(super) fn tell_news(id: u32, what: News, out: &mut FlatArray) {
    let text = out.finish();
    host::news(id, what as u8, text.bytes.as_ptr() as usize, text.bytes.len(), text.ascii);
}
