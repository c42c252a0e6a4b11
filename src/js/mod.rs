//! Bindings: JS values, promises, timers and sockets, and no protocol decision.
//!
//! | module | holds |
//! | --- | --- |
//! | `api` | calls that answer with one JSON value |
//! | `sys` | the JS types and callbacks that the facade hands in |
//! | `decoders` | the synchronous decoders, `EventStreamDecoder` and `MessageDecoder` |
//! | `head` | numbers in memory beside a call's result |
//! | `request` | one HTTP request: headers, abort, answer |
//! | `body` | reading a response's body |
//! | `run` | drives a [`crate::follow::Follower`] |
//!
//! Exported methods that call JS take `&self`; state lies in cells that are never borrowed while JS
//! runs, because JS may call back.

mod api;
mod body;
mod decoders;
mod head;
mod request;
mod run;
mod sys;

pub use decoders::{EventStreamDecoder, MessageDecoder};
