//! The follower against the simulated service, under a clock of the tests' own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "a test may fail loudly"
)]

mod calls;
mod chaos;
mod ends;
mod every_cut;
mod exactly_once;
mod field_reports;
mod launches;
mod memory;
mod messages;
mod network;
mod oracle;
mod resume_point;
mod retrying;
mod schedules;
mod seen;
mod shapes;
mod simulated_time;
mod token;
mod waiting;
mod watching;
mod world;
