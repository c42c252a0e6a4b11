//! The JS side as the facade hands it in.
//!
//! Everything here may run code of the user's, so every call catches: an exception must never
//! unwind through the engine.

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, Headers};

#[wasm_bindgen]
extern "C" {
    /// Makes objects of what the engine encoded. It is given an address and must read the memory
    /// there before it returns.
    #[derive(Clone)]
    pub type Host;

    /// `address, length, ascii` of a flat JSON array (see `cloud::Op`).
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn batch(this: &Host, address: usize, length: usize, ascii: bool) -> Result<JsValue, JsValue>;

    /// `address, length, ascii` of the events' text, then address and length of the table.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn events(
        this: &Host,
        address: usize,
        length: usize,
        table: usize,
        table_length: usize,
    ) -> Result<JsValue, JsValue>;

    /// The stream is over.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn end(this: &Host) -> Result<(), JsValue>;

    /// The stream failed with this error.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn fail(this: &Host, error: &JsValue) -> Result<(), JsValue>;

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
