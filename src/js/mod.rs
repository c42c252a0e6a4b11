//! Bindings: bytes, numbers and texts in and out, and no protocol decision.
//!
//! | module | holds |
//! | --- | --- |
//! | `decoders` | the synchronous decoders |
//! | `head` | numbers in memory beside a call's result |
//! | `calls` | what the facade says to runs and their streams |
//! | `host` | what the facade does for the engine: requests, timers, hand-overs |
//! | `exchange` | one request and its answer; a clock and a timer |
//! | `handle` | a run's handle: drives a [`crate::follow::Watch`] |
//! | `caller` | a call of the API: drives a [`crate::follow::Call`] |
//! | `run` | one of its streams: drives a [`crate::follow::Follower`] |
//!
//! Exported methods that call JS take `&self`; state lies in cells that are never borrowed while JS
//! runs, because JS may call back.

mod caller;
#[allow(unreachable_pub, reason = "wasm_bindgen exports public functions only")]
mod calls;
mod decoders;
mod exchange;
mod handle;
mod head;
mod host;
mod run;

pub use decoders::{StreamDecoder, Target};
