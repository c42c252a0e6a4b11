//! The JS side as the facade hands it in.
//!
//! What may run code of the user's catches: an exception must never unwind through the engine. The
//! facade's own [`Host`] sees to that itself.

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, Headers};

#[wasm_bindgen]
extern "C" {
    /// Who is told what comes, made by the facade. Its methods do not throw.
    #[derive(Clone)]
    pub type Host;

    /// A record: `address, length, ascii` of a flat JSON array, to be read before this returns.
    #[wasm_bindgen(method, structural)]
    pub(super) fn record(this: &Host, address: usize, length: usize, ascii: bool);

    /// This many messages, which lie where the head says, to be read before this returns.
    #[wasm_bindgen(method, structural)]
    pub(super) fn batch(this: &Host, count: usize);

    /// The reader of the body that is open now, or `undefined`.
    #[wasm_bindgen(method, structural)]
    pub(super) fn body(this: &Host, reader: &JsValue);

    /// Reads that body once: `chunk`, `ended` or `broke` is called later, unless there has been
    /// another body since.
    #[wasm_bindgen(method, structural)]
    pub(super) fn read(this: &Host);

    /// The stream is over.
    #[wasm_bindgen(method, structural)]
    pub(super) fn end(this: &Host);

    /// The stream failed with this error.
    #[wasm_bindgen(method, structural)]
    pub(super) fn fail(this: &Host, error: &JsValue);

    /// How requests are made; see `Transport` in `pkg/src/run/transport.ts`.
    #[derive(Clone)]
    pub type Transport;

    /// Calls the caller's `fetch` for `path`: GET, with these headers.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn fetch(
        this: &Transport,
        path: &str,
        headers: &Headers,
        signal: &AbortSignal,
    ) -> Result<Promise, JsValue>;

    /// Adds the caller's headers and the key's, asked anew for each attempt.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn authorize(this: &Transport, headers: &Headers) -> Result<Promise, JsValue>;

    /// Makes the error of an encoded failure (`address, length, ascii`); `cause` is what the
    /// transport threw.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn error(
        this: &Transport,
        address: usize,
        length: usize,
        ascii: bool,
        cause: &JsValue,
    ) -> Result<JsValue, JsValue>;

    /// A response's body.
    pub(super) type BodyStream;

    #[wasm_bindgen(method, structural, catch, js_name = getReader)]
    pub(super) fn get_reader(this: &BodyStream) -> Result<BodyReader, JsValue>;

    /// Its reader.
    pub(super) type BodyReader;

    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn read(this: &BodyReader) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn cancel(this: &BodyReader) -> Result<Promise, JsValue>;

    /// What `reader.read()` resolves to.
    pub(super) type ReadResult;

    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn done(this: &ReadResult) -> bool;

    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn value(this: &ReadResult) -> JsValue;
}
