//! Drives a follower: does what it says, tells it what happened.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use gloo_timers::callback::Timeout;
use js_sys::{Date, Math, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::api::run_status;
use super::body::{Body, chunk};
use super::request::{Answer, Refusal, Want, get};
use super::sys::{Host, Transport};
use crate::cloud::{self, RunStatus};
use crate::follow::{Action, Follower, Options};

/// One consumer of a run's stream.
#[wasm_bindgen]
pub struct RunFollower {
    shared: Rc<Shared>,
}

struct Shared {
    follower: RefCell<Follower>,
    transport: Transport,
    stream_path: String,
    run_path: String,
    host: Host,
    /// Something has happened that the driver does not know of.
    woken: Cell<bool>,
    waker: RefCell<Option<Waker>>,
    driving: Cell<bool>,
}

impl Shared {
    fn wake(&self) {
        self.woken.set(true);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

#[wasm_bindgen]
impl RunFollower {
    /// `options` are numbers in the order of [`options_of`]; NaN is the default.
    #[wasm_bindgen(constructor)]
    pub fn new(agent_id: &str, run_id: &str, options: &[f64], transport: Transport, host: Host) -> Self {
        let shared = Shared {
            follower: RefCell::new(Follower::new(options_of(options))),
            transport,
            stream_path: cloud::stream_path(agent_id, run_id),
            run_path: cloud::run_path(agent_id, run_id),
            host,
            woken: Cell::new(false),
            waker: RefCell::default(),
            driving: Cell::new(false),
        };
        Self { shared: Rc::new(shared) }
    }

    /// Asks for messages: `host.batch`, `host.end` or `host.fail` is called once, later.
    pub fn pull(&self) {
        self.shared.follower.borrow_mut().handle_pull();
        if self.shared.driving.replace(true) {
            self.shared.wake();
        } else {
            spawn_local(drive(self.shared.clone()));
        }
    }

    /// The machine or the page woke up.
    pub fn wake(&self) {
        self.shared.follower.borrow_mut().handle_wake(Date::now());
        self.shared.wake();
    }

    /// The platform says that it is online, or offline.
    pub fn online(&self, online: bool) {
        self.shared.follower.borrow_mut().handle_online(Date::now(), online);
        self.shared.wake();
    }

    /// Lets go of the connection; nothing is called afterwards.
    pub fn close(&self) {
        self.shared.follower.borrow_mut().handle_close();
        self.shared.wake();
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

/// What the driver waits for.
enum Outcome {
    Opened(Result<Answer, Refusal>),
    Read(Result<JsValue, JsValue>),
    Asked(Result<RunStatus, Refusal>),
    /// The follower was told something from outside, or the timer has fired.
    Woken,
}

type Pending = Pin<Box<dyn Future<Output = Outcome>>>;

async fn drive(shared: Rc<Shared>) {
    let mut driver = Driver::default();
    loop {
        loop {
            let action = shared.follower.borrow_mut().poll(Date::now());
            let Some(action) = action else { break };
            driver.act(&shared, action);
        }
        if shared.follower.borrow().is_over() {
            return;
        }
        let outcome = driver.wait(&shared).await;
        driver.tell(&shared, outcome);
    }
}

#[derive(Default)]
struct Driver {
    pending: Option<Pending>,
    answer: Option<Answer>,
    /// When the timer fires, and the timer: dropping it clears it.
    timer: Option<(f64, Timeout)>,
    /// What the transport threw last.
    cause: JsValue,
    buffer: Vec<u8>,
}

impl Driver {
    fn act(&mut self, shared: &Rc<Shared>, action: Action) {
        match action {
            Action::Open { last_event_id } => {
                let shared = shared.clone();
                self.pending = Some(Box::pin(async move {
                    let (path, id) = (&shared.stream_path, last_event_id.as_deref());
                    Outcome::Opened(get(&shared.transport, path, Want::Stream(id)).await)
                }));
            }
            Action::Read => {
                let read = self.answer.as_ref().and_then(|answer| answer.body.as_ref()).map(Body::read);
                self.pending = read.map(|read| -> Pending {
                    Box::pin(async move {
                        Outcome::Read(match read {
                            Ok(read) => read.await,
                            Err(thrown) => Err(thrown),
                        })
                    })
                });
            }
            Action::AskRun => {
                let shared = shared.clone();
                self.pending = Some(Box::pin(async move {
                    Outcome::Asked(run_status(&shared.run_path, &shared.transport).await)
                }));
            }
            Action::Deliver => {
                let mut out = std::mem::take(shared.follower.borrow_mut().output());
                // The facade catches what callbacks of the user's throw.
                let _ = super::batch(&shared.host, &mut out);
                *shared.follower.borrow_mut().output() = out;
            }
            Action::End => {
                let _ = shared.host.end();
            }
            Action::Fail(failure) => {
                let cause = std::mem::replace(&mut self.cause, JsValue::UNDEFINED);
                let refusal = Refusal { failure, cause, retry_after: None };
                let _ = shared.host.fail(&refusal.into_error(&shared.transport));
            }
            Action::Disconnect => {
                self.pending = None;
                self.answer = None;
            }
        }
    }

    /// The next thing to happen.
    async fn wait(&mut self, shared: &Rc<Shared>) -> Outcome {
        if let Some(deadline) = shared.follower.borrow().deadline() {
            self.arm(shared, deadline);
        }
        poll_fn(|context| {
            if shared.woken.take() {
                return Poll::Ready(Outcome::Woken);
            }
            if let Some(pending) = &mut self.pending
                && let Poll::Ready(outcome) = pending.as_mut().poll(context)
            {
                self.pending = None;
                return Poll::Ready(outcome);
            }
            shared.waker.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await
    }

    /// A timer that fires too early is armed again then: cheaper than a new one for each chunk.
    fn arm(&mut self, shared: &Rc<Shared>, deadline: f64) {
        if self.timer.as_ref().is_none_or(|(at, _)| *at > deadline) {
            let delay = (deadline - Date::now()).clamp(0.0, f64::from(i32::MAX));
            let shared = Rc::downgrade(shared);
            let timer = Timeout::new(delay.ceil() as u32, move || {
                if let Some(shared) = shared.upgrade() {
                    shared.wake();
                }
            });
            self.timer = Some((deadline, timer));
        }
    }

    fn tell(&mut self, shared: &Shared, outcome: Outcome) {
        let now = Date::now();
        let mut follower = shared.follower.borrow_mut();
        match outcome {
            Outcome::Opened(Ok(mut answer)) => {
                follower.handle_opened(now, std::mem::take(&mut answer.head), answer.body.is_some());
                self.answer = Some(answer);
            }
            Outcome::Opened(Err(refusal)) => {
                self.cause = refusal.cause;
                follower.handle_failure(now, refusal.failure, refusal.retry_after);
            }
            Outcome::Read(Ok(result)) => match chunk(result) {
                Some(array) => {
                    self.copy(&array);
                    follower.handle_chunk(now, &self.buffer);
                }
                None => {
                    if let Some(answer) = self.answer.take() {
                        answer.finished();
                    }
                    follower.handle_end(now);
                }
            },
            Outcome::Read(Err(thrown)) => {
                let refusal = Refusal::thrown(thrown);
                self.cause = refusal.cause;
                follower.handle_failure(now, refusal.failure, None);
            }
            Outcome::Asked(answer) => {
                let answer = answer.map_err(|refusal| {
                    self.cause = refusal.cause;
                    refusal.failure
                });
                follower.handle_run(now, answer);
            }
            Outcome::Woken => {
                if self.timer.as_ref().is_some_and(|(at, _)| *at <= now) {
                    self.timer = None;
                    follower.handle_time(now);
                }
            }
        }
    }

    fn copy(&mut self, array: &Uint8Array) {
        self.buffer.resize(array.length() as usize, 0);
        array.copy_to(&mut self.buffer);
    }
}
