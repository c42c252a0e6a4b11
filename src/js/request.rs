//! One HTTP request: made by the caller's `fetch`, aborted when dropped.

use gloo_net::http::{Headers, Response};
use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

use super::body::Body;
use super::sys::Transport;
use crate::cloud::{BODY_LIMIT, Failure, FailureKind, Head};
use crate::json::FlatArray;

/// Why a request gave no stream: what is told to the user, and what the transport threw.
pub(super) struct Refusal {
    pub(super) failure: Failure,
    pub(super) cause: JsValue,
}

impl Refusal {
    /// Something was thrown before there was an answer, or while it was read.
    pub(super) fn thrown(cause: JsValue) -> Self {
        let failure = Failure::local(FailureKind::Network, "network_error", "Network request failed");
        Self { failure, cause }
    }

    /// The error that the facade makes of it.
    pub(super) fn into_error(self, transport: &Transport) -> JsValue {
        let mut out = FlatArray::default();
        self.failure.encode(&mut out);
        let text = out.finish();
        let address = text.bytes.as_ptr() as usize;
        transport.error(address, text.bytes.len(), text.ascii, &self.cause).unwrap_or_else(|thrown| thrown)
    }

    pub(super) fn local(kind: FailureKind, code: &str, message: &str) -> Self {
        Self { failure: Failure::local(kind, code, message), cause: JsValue::UNDEFINED }
    }
}

/// Aborts its request when dropped: dropping the future alone would leave the socket open.
struct AbortOnDrop(Option<AbortController>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}

/// A 2xx response, its body not read yet.
pub(super) struct Answer {
    pub(super) head: Head,
    pub(super) body: Option<Body>,
    /// Ends the request. After the body, so that the body is cancelled first.
    guard: AbortOnDrop,
}

impl Answer {
    /// The body has been read to its end: there is nothing to abort.
    pub(super) fn finished(mut self) {
        self.guard.0 = None;
        self.body = None;
    }
}

/// Sends a GET for `path`, and gives the answer when it is a 2xx.
pub(super) async fn get(transport: &Transport, path: &str, accept: &str) -> Result<Answer, Refusal> {
    let controller = AbortController::new().map_err(Refusal::thrown)?;
    let guard = AbortOnDrop(Some(controller.clone()));
    let headers = headers(transport, accept).await?;
    let init = init(transport, headers, &controller).map_err(Refusal::thrown)?;
    let url = transport.base_url() + path;
    let answer = transport.fetch().call2(&JsValue::UNDEFINED, &url.into(), &init);
    let response = JsFuture::from(Promise::resolve(&answer.map_err(Refusal::thrown)?)).await;
    // No instanceof: the response may come from another realm.
    let response = Response::from(response.map_err(Refusal::thrown)?.unchecked_into::<web_sys::Response>());
    let headers = response.headers();
    let header = |name: &str| headers.get(name).unwrap_or_default();
    let head = Head {
        status: response.status(),
        content_type: header("content-type"),
        request_id: header("x-request-id"),
    };
    let body = response.body().map(Body::of).transpose().map_err(Refusal::thrown)?;
    if !(200..300).contains(&head.status) {
        let text = match body {
            Some(body) => body.read_at_most(BODY_LIMIT).await,
            None => Vec::new(),
        };
        return Err(Refusal { failure: Failure::of_status(head, &text), cause: JsValue::UNDEFINED });
    }
    Ok(Answer { head, body, guard })
}

async fn headers(transport: &Transport, accept: &str) -> Result<web_sys::Headers, Refusal> {
    let headers = Headers::new().into_raw();
    headers.set("Accept", accept).map_err(Refusal::thrown)?;
    let pairs =
        JsFuture::from(transport.headers().map_err(Refusal::thrown)?).await.map_err(Refusal::thrown)?;
    let pairs: Vec<String> =
        pairs.unchecked_into::<Array>().iter().filter_map(|text| text.as_string()).collect();
    for pair in pairs.chunks_exact(2) {
        if let [name, value] = pair
            && headers.set(name, value).is_err()
        {
            // What was thrown may quote the value, which may be the key.
            let message = ["The header ", name, " has a name or value that HTTP does not allow"].concat();
            return Err(Refusal::local(FailureKind::Configuration, "invalid_header", &message));
        }
    }
    Ok(headers)
}

/// A plain object: what every binding and mock of `fetch` accepts.
fn init(
    transport: &Transport,
    headers: web_sys::Headers,
    controller: &AbortController,
) -> Result<Object, JsValue> {
    let init = Object::new();
    let set = |key: &str, value: &JsValue| Reflect::set(&init, &JsValue::from_str(key), value);
    set("method", &"GET".into())?;
    set("headers", &headers)?;
    set("signal", &controller.signal())?;
    // A stream kept by a cache or a service worker would never end there.
    set("cache", &"no-store".into())?;
    if let Some(credentials) = transport.credentials() {
        set("credentials", &credentials.into())?;
    }
    Ok(init)
}
