//! Drives a follower: does what it says, tells it what happened.
//!
//! Requests are futures, one at a time. Reading is not: the facade reads, writes each chunk into the
//! engine's memory and calls [`RunFollower::chunk`], and has the messages before that returns. A
//! future's way for each chunk would cost more than decoding it.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use gloo_timers::callback::Timeout;
use js_sys::{Date, Math};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::api::run_status;
use super::head::Head;
use super::request::{Answer, Refusal, Want, get};
use super::sys::{Host, Transport};
use crate::cloud::{self, RunStatus};
use crate::follow::{Action, Follower, Options};

/// One consumer of a run's stream.
#[wasm_bindgen]
pub struct RunFollower {
    driver: Rc<Driver>,
}

#[wasm_bindgen]
impl RunFollower {
    /// `options` are numbers in the order of [`options_of`]; NaN is the default.
    #[wasm_bindgen(constructor)]
    pub fn new(agent_id: &str, run_id: &str, options: &[f64], transport: Transport, host: Host) -> Self {
        let driver = Driver {
            follower: RefCell::new(Follower::new(options_of(options))),
            transport,
            stream_path: cloud::stream_path(agent_id, run_id),
            run_path: cloud::run_path(agent_id, run_id),
            host,
            head: Head::default(),
            request: RefCell::default(),
            requests: Cell::new(0),
            answer: RefCell::default(),
            timer: RefCell::default(),
            cause: RefCell::default(),
        };
        Self { driver: Rc::new(driver) }
    }

    /// The address of what calls say beside their results; see [`Head`].
    pub fn head(&self) -> usize {
        self.driver.head.address()
    }

    /// Asks for messages: `host.batch`, `host.end` or `host.fail` is called once, now or later.
    pub fn pull(&self) {
        self.driver.tell(|follower, _| follower.handle_pull());
    }

    /// Makes room for a chunk.
    pub fn room(&self, length: usize) {
        self.driver.head.room(self.driver.follower.borrow_mut().room(length));
    }

    /// What `host.read` was to bring: a chunk, which has been written where there is room for it.
    pub fn chunk(&self, length: usize) {
        self.driver.tell(|follower, now| follower.handle_read(now, length));
    }

    /// What `host.read` was to bring: the body's end.
    pub fn ended(&self) {
        if let Some(answer) = self.driver.answer.take() {
            answer.finished();
        }
        self.driver.tell(Follower::handle_end);
    }

    /// What `host.read` was to bring: an error.
    pub fn broke(&self, error: JsValue) {
        self.driver.refused(Refusal::thrown(error));
    }

    /// The machine or the page woke up.
    pub fn wake(&self) {
        self.driver.tell(Follower::handle_wake);
    }

    /// The platform says that it is online, or offline.
    pub fn online(&self, online: bool) {
        self.driver.tell(|follower, now| follower.handle_online(now, online));
    }

    /// Lets go of the connection; nothing is called afterwards.
    pub fn close(&self) {
        self.driver.tell(|follower, _| follower.handle_close());
    }
}

impl Drop for RunFollower {
    fn drop(&mut self) {
        self.close();
    }
}

/// The options as the facade hands them in.
fn options_of(given: &[f64]) -> Options {
    let mut options = Options { seed: (Math::random() * 9e15) as u64, ..Options::default() };
    let mut max_event_bytes = options.max_event_bytes as f64;
    let slots = [
        &mut max_event_bytes,
        &mut options.min_delay_ms,
        &mut options.max_delay_ms,
        &mut options.give_up_after_ms,
        &mut options.attempts,
        &mut options.idle_timeout_ms,
        &mut options.stall_timeout_ms,
        &mut options.connect_timeout_ms,
        &mut options.terminal_grace_ms,
        &mut options.wake_probe_ms,
    ];
    for (slot, value) in slots.into_iter().zip(given) {
        if !value.is_nan() {
            *slot = *value;
        }
    }
    options.max_event_bytes = max_event_bytes as usize;
    options
}

/// What a request came to.
enum Outcome {
    Opened(Result<Answer, Refusal>),
    Asked(Result<RunStatus, Refusal>),
}

type Request = Pin<Box<dyn Future<Output = Outcome>>>;

/// Nothing in here is borrowed while JS runs: what is called there may call back.
struct Driver {
    follower: RefCell<Follower>,
    transport: Transport,
    stream_path: String,
    run_path: String,
    host: Host,
    head: Head,
    /// The request under way, but while it is polled. Dropping it aborts it.
    request: RefCell<Option<Request>>,
    /// Counts requests and disconnects: a request that is not the latest is not wanted any more.
    requests: Cell<u32>,
    answer: RefCell<Option<Answer>>,
    /// When the timer fires, and the timer: dropping it clears it.
    timer: RefCell<Option<(f64, Timeout)>>,
    /// What the transport threw last.
    cause: RefCell<JsValue>,
}

impl Driver {
    /// Tells the follower what has happened, and does what it says then.
    fn tell(self: &Rc<Self>, what: impl FnOnce(&mut Follower, f64)) {
        let now = Date::now();
        what(&mut self.follower.borrow_mut(), now);
        self.advance(now);
    }

    #[inline(never)]
    fn advance(self: &Rc<Self>, now: f64) {
        loop {
            let action = self.follower.borrow_mut().poll(now);
            let Some(action) = action else { break };
            self.act(action);
        }
        let mut follower = self.follower.borrow_mut();
        self.head.room(follower.room(0));
        let deadline = follower.deadline();
        drop(follower);
        if let Some(deadline) = deadline {
            self.arm(now, deadline);
        }
    }

    fn act(self: &Rc<Self>, action: Action) {
        match action {
            Action::Read => self.host.read(),
            Action::Deliver => {
                let mut out = std::mem::take(self.follower.borrow_mut().output());
                self.host.batch(self.head.batch(&mut out));
                let mut follower = self.follower.borrow_mut();
                // Whoever was called may have called back, and there may be more already.
                if follower.output().is_empty() {
                    out.clear();
                    *follower.output() = out;
                }
            }
            Action::Open { last_event_id } => {
                let driver = self.clone();
                self.start(Box::pin(async move {
                    let (path, id) = (&driver.stream_path, last_event_id.as_deref());
                    Outcome::Opened(get(&driver.transport, path, Want::Stream(id)).await)
                }));
            }
            Action::AskRun => {
                let driver = self.clone();
                self.start(Box::pin(async move {
                    Outcome::Asked(run_status(&driver.run_path, &driver.transport).await)
                }));
            }
            Action::End => self.host.end(),
            Action::Fail(failure) => {
                let refusal = Refusal { failure, cause: self.cause.take(), retry_after: None };
                self.host.fail(&refusal.into_error(&self.transport));
            }
            Action::Disconnect => {
                self.requests.set(self.requests.get() + 1);
                drop(self.request.take());
                self.host.body(&JsValue::UNDEFINED);
                drop(self.answer.take());
            }
        }
    }

    fn start(self: &Rc<Self>, request: Request) {
        let number = self.requests.get() + 1;
        self.requests.set(number);
        self.request.replace(Some(request));
        let driver = self.clone();
        spawn_local(async move {
            let outcome = poll_fn(|context| {
                let is_wanted = || driver.requests.get() == number;
                let request = if is_wanted() { driver.request.take() } else { None };
                let Some(mut request) = request else { return Poll::Ready(None) };
                match request.as_mut().poll(context) {
                    Poll::Ready(outcome) => Poll::Ready(is_wanted().then_some(outcome)),
                    Poll::Pending if is_wanted() => {
                        driver.request.replace(Some(request));
                        Poll::Pending
                    }
                    Poll::Pending => Poll::Ready(None),
                }
            });
            if let Some(outcome) = outcome.await {
                driver.answered(outcome);
            }
        });
    }

    fn answered(self: &Rc<Self>, outcome: Outcome) {
        match outcome {
            Outcome::Opened(Ok(mut answer)) => {
                let head = std::mem::take(&mut answer.head);
                let has_body = answer.body.is_some();
                if let Some(body) = &answer.body {
                    self.host.body(body.reader());
                }
                self.answer.replace(Some(answer));
                self.tell(|follower, now| follower.handle_opened(now, head, has_body));
            }
            Outcome::Opened(Err(refusal)) => self.refused(refusal),
            Outcome::Asked(answer) => {
                let answer = answer.map_err(|refusal| {
                    self.cause.replace(refusal.cause);
                    refusal.failure
                });
                self.tell(|follower, now| follower.handle_run(now, answer));
            }
        }
    }

    fn refused(self: &Rc<Self>, refusal: Refusal) {
        let Refusal { failure, cause, retry_after } = refusal;
        self.cause.replace(cause);
        self.tell(|follower, now| follower.handle_failure(now, failure, retry_after));
    }

    /// A timer that fires too early is armed again then: cheaper than a new one for each chunk.
    fn arm(self: &Rc<Self>, now: f64, deadline: f64) {
        if self.timer.borrow().as_ref().is_none_or(|(at, _)| *at > deadline) {
            let delay = (deadline - now).clamp(0.0, f64::from(i32::MAX));
            let driver = Rc::downgrade(self);
            let timer = Timeout::new(delay.ceil() as u32, move || {
                let Some(driver) = driver.upgrade() else { return };
                driver.timer.take();
                driver.tell(Follower::handle_time);
            });
            self.timer.replace(Some((deadline, timer)));
        }
    }
}
