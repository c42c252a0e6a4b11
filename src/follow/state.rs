//! What the follower waits for, and what it asks of its driver.

use super::connection::Connection;
use crate::cloud::Failure;

/// What the driver is to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Send the stream request, with this `Last-Event-ID`.
    Open {
        /// The id to resume from.
        last_event_id: Option<Vec<u8>>,
    },
    /// Read one chunk of the open response's body.
    Read,
    /// Ask for the run's record.
    AskRun,
    /// Hand what was encoded to the consumer.
    Deliver,
    /// Tell the consumer that the stream is over.
    End,
    /// Tell the consumer that the stream failed.
    Fail(Failure),
    /// Abort what is under way and cancel the body, whatever state they are in.
    Disconnect,
}

/// How a stream's connection is, for people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Link {
    /// There is none, and none is wanted.
    Closed,
    /// It is being opened, or the run is asked whether it goes on.
    Connecting,
    /// It is open.
    Open,
    /// The next attempt is due at this time.
    Waiting(f64),
}

/// What the follower waits for.
#[derive(Debug)]
pub(super) enum State {
    /// The first pull.
    Idle,
    /// To connect, at the next pull.
    Ready,
    /// The response's head, since then.
    Opening(f64),
    /// Bytes.
    Open(Connection),
    /// The run's record, since then; what to do when it says that the run goes on.
    Asking(f64, Then),
    /// The time to try again.
    Waiting(f64),
    /// The consumer, to be told how it ended.
    Ended(Option<Failure>),
    /// Nothing: the consumer knows, or has left.
    Over,
}

/// Why GET run is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing has been heard for longer than the stream is kept: connect, if there is still a run.
    Connect,
    /// The connection is over, and nothing told why.
    Reconnect,
    /// The service said that the stream is over.
    Done,
    /// A terminal status stood at the top of a connection: the run is over, whatever its record
    /// says, but content may be missing.
    Sticky,
    /// A terminal status came in its place: the run is over, and nothing is missing.
    Settle,
}
