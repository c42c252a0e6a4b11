//! The follower: decides when to open, read, ask, wait, hand over and end.
//!
//! It is deterministic and does no I/O; time and randomness are handed in. Whoever drives it tells
//! it what happened with one of the `handle_*` methods, then calls [`Follower::poll`] until that
//! gives `None`, doing what each [`Action`] says; then waits for the next thing to happen, or for
//! [`Follower::deadline`]. **One input, then drain**: nothing else is asked of a driver.
//!
//! | file | decides |
//! | --- | --- |
//! | `follower`, `state` | what comes next |
//! | `reading` | what a frame does |
//! | `resume`, `ring`, `channel`, `hash` | where to take up again, and what of a replay is new |
//! | `status` | which statuses are told |
//! | `mark`, `token`, `follower/places` | how all of that outlives the page |
//! | `retry` | how long to wait, and when to give up |
//! | `watch` | what becomes of the run: its outcome, and cancelling it |
//! | `call` | a call beside the stream, and whether to try it again |
//! | `connection` | what a connection's silence means |

mod call;
mod channel;
mod connection;
mod follower;
mod hash;
mod mark;
mod options;
mod reading;
mod resume;
mod retry;
mod ring;
mod state;
mod status;
mod token;
mod watch;

pub use call::{Call, Found, Manner, Step};
pub use follower::Follower;
pub use options::Options;
pub use resume::Notice;
pub use state::{Action, Link};
pub use watch::{Task, Watch};
