//! The binding to JavaScript: JSON texts and bytes across, nothing else.

use crate::http::{Body, Reply, Request};
use crate::json::json;
use crate::simulator::{Config, Simulator};
use crate::stream::Poll;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

/// A simulator, for the TypeScript around it.
#[wasm_bindgen(js_name = SimulatorCore)]
pub struct Core {
    simulator: Simulator,
    body: Vec<u8>,
}

#[wasm_bindgen(js_class = SimulatorCore)]
impl Core {
    /// Takes a [`Config`] as JSON; throws a text if it is none.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str) -> Result<Core, JsError> {
        let config = Config::from_json(&serde_json::from_str(config)?)?;
        Ok(Self { simulator: Simulator::new(config), body: Vec::new() })
    }

    /// Takes a request, with its headers as a JSON array of pairs. Gives the head of the reply as JSON: `{at, status,
    /// headers, stream?}`, `{at, reset}` or `{never}`; the body is to be had from `takeBody`.
    pub fn request(
        &mut self,
        now: f64,
        method: &str,
        path: &str,
        headers: &str,
        body: Vec<u8>,
    ) -> Result<String, JsError> {
        let headers = crate::json::read(&serde_json::from_str(headers)?)?;
        let request = Request { method: method.to_owned(), path: path.to_owned(), headers, body };
        self.body.clear();
        let head = match self.simulator.request(now, &request) {
            Reply::Never => json!({"never": true}),
            Reply::Reset { at } => json!({"at": at, "reset": true}),
            Reply::Response { at, response } => {
                let stream = match response.body {
                    Body::Stream(id) => Some(id),
                    Body::Full(bytes) => {
                        self.body = bytes;
                        None
                    }
                };
                json!({"at": at, "status": response.status, "headers": response.headers, "stream": stream})
            }
        };
        Ok(head.to_string())
    }

    /// The body of the last reply.
    #[wasm_bindgen(js_name = takeBody)]
    pub fn take_body(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.body)
    }

    /// The next bytes of a stream, or the time to wait for, or `"end"` or `"reset"`.
    pub fn poll(&mut self, now: f64, stream: f64, max_bytes: u32) -> JsValue {
        match self.simulator.poll_stream(now, stream as u64, max_bytes as usize) {
            Poll::Bytes(bytes) => Uint8Array::from(bytes.as_slice()).into(),
            Poll::WaitUntil(time) => JsValue::from_f64(time),
            Poll::End => JsValue::from_str("end"),
            Poll::Reset => JsValue::from_str("reset"),
        }
    }

    /// The reader of a stream has gone away.
    #[wasm_bindgen(js_name = closeStream)]
    pub fn close_stream(&mut self, stream: f64) {
        self.simulator.close_stream(stream as u64);
    }

    /// Carries out a command; its fields and its value are JSON.
    pub fn command(&mut self, now: f64, name: &str, fields: &str) -> Result<String, JsError> {
        Ok(self.simulator.command(now, name, &serde_json::from_str(fields)?)?.to_string())
    }

    /// See [`Simulator::generation`].
    #[wasm_bindgen(getter)]
    pub fn generation(&self) -> f64 {
        self.simulator.generation() as f64
    }
}
