//! Runwire's engine: reads an agent run's event stream and says what it means.
//!
//! | module | knows | does not know |
//! | --- | --- | --- |
//! | [`sse`] | the WHATWG event-stream format | JSON, HTTP, JS |
//! | [`json`] | where the members of a JSON text lie | what they mean |
//! | [`cloud`] | Cloud Agents frames and SDK messages | I/O, time |
//! | [`kit`] | the messages of an agent SDK, and the events of a session | I/O, time |
//! | [`follow`] | when to open, read, wait and end | I/O, time |
//! | `js` | carrying that to the facade and back (wasm32 only) | protocol decisions |
//!
//! Everything above `js` is pure: no I/O, no clock, no randomness, no panics on any input. It is
//! tested natively; `docs/architecture.md` has the picture.
#![forbid(unsafe_code)]

pub mod cloud;
pub mod follow;
pub mod json;
pub mod kit;
pub mod sse;

#[cfg(target_arch = "wasm32")]
mod js;

/// What is exported to JS, for the tests.
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod bindings {
    pub use crate::js::{StreamDecoder, Target};
}

/// dlmalloc is 3 kB larger after compression, which every page that loads the engine would pay.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
