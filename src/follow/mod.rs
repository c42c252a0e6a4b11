//! The follower: decides when to open, read, ask, wait, hand over and end.
//!
//! It is deterministic and does no I/O. Whoever drives it tells it what happened with the
//! `handle_*` methods, then calls [`Follower::poll`] until that gives `None`, doing what each
//! [`Action`] says; then waits for the next thing to happen. One input, then drain: nothing else
//! is asked of a driver.

mod channel;
mod follower;
mod hash;
mod resume;

pub use follower::{Action, Follower};
