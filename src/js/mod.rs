//! Bindings: JS values, promises, timers and sockets, and no protocol decision.
//!
//! | module | holds |
//! | --- | --- |
//! | `api` | calls that answer with one JSON value |
//! | `sys` | the JS types and callbacks that the facade hands in |
//! | `decoders` | the synchronous decoders, `EventStreamDecoder` and `MessageDecoder` |
//! | `request` | one HTTP request: headers, abort, answer |
//! | `body` | reading a response's body |
//! | `run` | drives a [`crate::follow::Follower`] |
//!
//! Exported methods take `&self`; state lies in cells that are never borrowed while JS runs,
//! because JS may call back.

mod api;
mod body;
mod decoders;
mod request;
mod run;
mod sys;

pub use decoders::{EventStreamDecoder, MessageDecoder};
pub use sys::Host;
use wasm_bindgen::JsValue;

use crate::json::FlatArray;

/// Has the facade make objects of `out`, and clears it; `undefined` when it is empty.
fn batch(host: &sys::Host, out: &mut FlatArray) -> Result<JsValue, JsValue> {
    if out.is_empty() {
        return Ok(JsValue::UNDEFINED);
    }
    let text = out.finish();
    let built = host.batch(text.bytes.as_ptr() as usize, text.bytes.len(), text.ascii);
    out.clear();
    built
}
