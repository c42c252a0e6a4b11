//! The JS side as the facade hands it in.
//!
//! Everything here may run code of the user's, so every call catches: an exception must never
//! unwind through the engine.

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;

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

    /// How requests are made; see `EngineRequest` in `pkg/src/engine/host.ts`.
    #[derive(Clone)]
    pub type Transport;

    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn fetch(this: &Transport) -> Function;

    /// Where the API is: what its paths are appended to.
    #[wasm_bindgen(method, getter, structural, js_name = baseUrl)]
    pub(super) fn base_url(this: &Transport) -> String;

    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn credentials(this: &Transport) -> Option<String>;

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

    /// The caller's headers and the key's, asked anew for each attempt: an array of names and
    /// values in turn.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn headers(this: &Transport) -> Result<Promise, JsValue>;

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
