//! What the fuzz targets check: each body is a function of the input's bytes that panics when a
//! promise is broken. `tests/fuzz_bodies.rs` runs them once, so that they cannot rot.

pub mod event_stream;
pub mod json_scan;
pub mod messages;
pub mod session;
