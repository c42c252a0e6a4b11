//! Drives a follower: does what it says, tells it what happened.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::body::{Body, chunk};
use super::request::{Answer, Refusal, get};
use super::sys::{Host, Transport};
use crate::cloud;
use crate::follow::{Action, Follower, Options};

/// One consumer of a run's stream.
#[wasm_bindgen]
pub struct RunFollower {
    shared: Rc<Shared>,
}

struct Shared {
    follower: RefCell<Follower>,
    transport: Transport,
    path: String,
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
    #[wasm_bindgen(constructor)]
    pub fn new(agent_id: &str, run_id: &str, max_event_bytes: f64, transport: Transport, host: Host) -> Self {
        let shared = Shared {
            follower: RefCell::new(Follower::new(max_event_bytes as usize)),
            transport,
            path: cloud::stream_path(agent_id, run_id),
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

/// What the driver waits for.
enum Outcome {
    Opened(Result<Answer, Refusal>),
    Read(Result<JsValue, JsValue>),
}

type Pending = Pin<Box<dyn Future<Output = Outcome>>>;

async fn drive(shared: Rc<Shared>) {
    let mut driver = Driver { pending: None, answer: None, cause: JsValue::UNDEFINED, buffer: Vec::new() };
    loop {
        loop {
            let action = shared.follower.borrow_mut().poll();
            let Some(action) = action else { break };
            driver.act(&shared, action);
        }
        if shared.follower.borrow().is_over() {
            return;
        }
        if let Some(outcome) = driver.wait(&shared).await {
            driver.tell(&shared, outcome);
        }
    }
}

struct Driver {
    pending: Option<Pending>,
    answer: Option<Answer>,
    /// What the transport threw last.
    cause: JsValue,
    buffer: Vec<u8>,
}

impl Driver {
    fn act(&mut self, shared: &Shared, action: Action) {
        match action {
            Action::Open => {
                let (transport, path) = (shared.transport.clone(), shared.path.clone());
                self.pending = Some(Box::pin(async move {
                    Outcome::Opened(get(&transport, &path, "text/event-stream").await)
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
                let _ = shared.host.fail(&Refusal { failure, cause }.into_error(&shared.transport));
            }
            Action::Disconnect => {
                self.pending = None;
                self.answer = None;
            }
        }
    }

    /// The next thing to happen: an outcome, or `None` when the follower was told something.
    async fn wait(&mut self, shared: &Shared) -> Option<Outcome> {
        poll_fn(|context| {
            if shared.woken.take() {
                return Poll::Ready(None);
            }
            if let Some(pending) = &mut self.pending
                && let Poll::Ready(outcome) = pending.as_mut().poll(context)
            {
                self.pending = None;
                return Poll::Ready(Some(outcome));
            }
            shared.waker.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await
    }

    fn tell(&mut self, shared: &Shared, outcome: Outcome) {
        let mut follower = shared.follower.borrow_mut();
        match outcome {
            Outcome::Opened(Ok(answer)) => {
                follower.handle_opened(answer.head.clone(), answer.body.is_some());
                self.answer = Some(answer);
            }
            Outcome::Opened(Err(Refusal { failure, cause })) => {
                self.cause = cause;
                follower.handle_failure(failure);
            }
            Outcome::Read(Ok(result)) => match chunk(result) {
                Some(array) => {
                    self.copy(&array);
                    follower.handle_chunk(&self.buffer);
                }
                None => {
                    if let Some(answer) = self.answer.take() {
                        answer.finished();
                    }
                    follower.handle_end();
                }
            },
            Outcome::Read(Err(thrown)) => {
                let Refusal { failure, cause } = Refusal::thrown(thrown);
                self.cause = cause;
                follower.handle_failure(failure);
            }
        }
    }

    fn copy(&mut self, array: &Uint8Array) {
        self.buffer.resize(array.length() as usize, 0);
        array.copy_to(&mut self.buffer);
    }
}
