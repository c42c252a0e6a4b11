//! Agent sessions: messages of the SDK → events.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod cases;
mod events;
mod limits;
mod random;
mod reference;
mod rules;
