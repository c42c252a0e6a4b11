//! The state machine behind one connection to a run's stream.

use crate::cloud::{self, Failure, FailureKind, Frame, FrameName, Head};
use crate::json::FlatArray;
use crate::sse::{Block, Decoder};

/// What the driver is to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Send the stream request.
    Open,
    /// Read one chunk of the open response's body.
    Read,
    /// Hand what was encoded to the consumer.
    Deliver,
    /// Tell the consumer that the stream is over.
    End,
    /// Tell the consumer that the stream failed.
    Fail(Failure),
    /// Abort the request and cancel the body, whatever state they are in.
    Disconnect,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// Nothing was asked for yet.
    Idle,
    Opening,
    Open,
    /// The stream ended; to be told at the next pull.
    Ended,
    Failed(Failure),
    /// The consumer knows, or has left.
    Over,
}

/// Follows one run's stream for one consumer.
#[derive(Debug)]
pub struct Follower {
    state: State,
    decoder: Decoder,
    /// The consumer waits for messages.
    wanted: bool,
    /// A read was asked for and has not come back.
    reading: bool,
    /// The terminal frame has been seen.
    finished: bool,
    /// Messages that the consumer has not got yet.
    out: FlatArray,
    connected: bool,
    open_asked: bool,
}

impl Follower {
    /// A follower that has asked for nothing yet.
    pub fn new(max_event_bytes: usize) -> Self {
        Self {
            state: State::Idle,
            decoder: Decoder::new(max_event_bytes),
            wanted: false,
            reading: false,
            finished: false,
            out: FlatArray::default(),
            connected: false,
            open_asked: false,
        }
    }

    /// The consumer wants the next messages.
    pub fn handle_pull(&mut self) {
        self.wanted = true;
        if self.state == State::Idle {
            self.state = State::Opening;
        }
    }

    /// The response's head has come, with or without a body to read.
    pub fn handle_opened(&mut self, head: Head, has_body: bool) {
        if self.state != State::Opening {
            return;
        }
        self.state = if head.status == 204 || !has_body {
            State::Ended
        } else if head.is_event_stream() {
            State::Open
        } else {
            State::Failed(Failure::of_head(head, "not_an_event_stream", "The answer is not an event stream"))
        };
    }

    /// The answer is a refusal, or there was none.
    pub fn handle_failure(&mut self, failure: Failure) {
        self.reading = false;
        if matches!(self.state, State::Opening | State::Open) {
            self.state = State::Failed(failure);
        }
    }

    /// A chunk of the body.
    pub fn handle_chunk(&mut self, chunk: &[u8]) {
        self.reading = false;
        if self.state != State::Open {
            return;
        }
        let (out, finished) = (&mut self.out, &mut self.finished);
        let result = self.decoder.push(chunk, &mut |block: Block<'_>| {
            if let Some(frame) = Frame::of(block) {
                *finished |= matches!(frame.name, FrameName::Result | FrameName::Done);
                cloud::encode_message(&frame, out);
            }
        });
        if result.is_err() {
            let message = "An event of the stream is longer than maxEventBytes";
            self.state =
                State::Failed(Failure::local(FailureKind::EventTooLarge, "event_too_large", message));
        } else if self.finished {
            self.state = State::Ended;
        }
    }

    /// The body has ended.
    pub fn handle_end(&mut self) {
        self.reading = false;
        if self.state == State::Open {
            let message = "The stream was cut before the run's result";
            self.state = if self.finished {
                State::Ended
            } else {
                State::Failed(Failure::local(FailureKind::Network, "stream_cut", message))
            };
        }
    }

    /// The consumer has left.
    pub fn handle_close(&mut self) {
        self.wanted = false;
        self.state = State::Over;
    }

    /// Whether nothing more will be asked of the driver.
    pub fn is_over(&self) -> bool {
        self.state == State::Over
    }

    /// What was encoded for the consumer; [`FlatArray::clear`] it when it has been handed over.
    pub fn output(&mut self) -> &mut FlatArray {
        &mut self.out
    }

    /// What to do next; `None` when there is nothing to do until something happens.
    pub fn poll(&mut self) -> Option<Action> {
        if self.connected && matches!(self.state, State::Ended | State::Failed(_) | State::Over) {
            self.connected = false;
            return Some(Action::Disconnect);
        }
        if !self.wanted {
            return None;
        }
        if !self.out.is_empty() {
            self.wanted = false;
            return Some(Action::Deliver);
        }
        match &self.state {
            State::Opening if !self.open_asked => {
                self.open_asked = true;
                self.connected = true;
                Some(Action::Open)
            }
            State::Open if !self.reading => {
                self.reading = true;
                Some(Action::Read)
            }
            State::Ended => {
                self.handle_close();
                Some(Action::End)
            }
            State::Failed(failure) => {
                let failure = failure.clone();
                self.handle_close();
                Some(Action::Fail(failure))
            }
            _ => None,
        }
    }
}
