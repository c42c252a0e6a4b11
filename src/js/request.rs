//! One HTTP request: made by the caller's `fetch`, aborted when dropped.

use gloo_net::http::{Headers, Response};
use js_sys::Date;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

use super::body::Body;
use super::sys::Transport;
use crate::cloud::{BODY_LIMIT, EVENT_STREAM, Failure, FailureKind, Head};
use crate::json::FlatArray;

/// Why a request gave no stream: what is told to the user, and what the transport threw.
pub(super) struct Refusal {
    pub(super) failure: Failure,
    pub(super) cause: JsValue,
    /// The answer's `Retry-After` in milliseconds.
    pub(super) retry_after: Option<f64>,
}

impl Refusal {
    /// Something was thrown before there was an answer, or while it was read.
    #[cold]
    #[inline(never)]
    pub(super) fn thrown(cause: JsValue) -> Self {
        let failure = Failure::local(FailureKind::Network, "network_error", "Network request failed");
        Self { failure, cause, retry_after: None }
    }

    /// The error that the facade makes of it.
    #[cold]
    #[inline(never)]
    pub(super) fn into_error(self, transport: &Transport) -> JsValue {
        let mut out = FlatArray::default();
        self.failure.encode(&mut out);
        let text = out.finish();
        let address = text.bytes.as_ptr() as usize;
        transport.error(address, text.bytes.len(), text.ascii, &self.cause).unwrap_or_else(|thrown| thrown)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn local(kind: FailureKind, code: &'static str, message: &'static str) -> Self {
        Self { failure: Failure::local(kind, code, message), cause: JsValue::UNDEFINED, retry_after: None }
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
    retry_after: Option<f64>,
    guard: AbortOnDrop,
}

impl Answer {
    /// The body has been read to its end: there is nothing to abort.
    pub(super) fn finished(mut self) {
        self.guard.0 = None;
        self.body = None;
    }
}

/// What a request asks for.
#[derive(Clone, Copy)]
pub(super) enum Want<'a> {
    Json,
    /// An event stream, resumed from an id.
    Stream(Option<&'a str>),
}

impl Want<'_> {
    fn is_stream(self) -> bool {
        matches!(self, Self::Stream(_))
    }
}

/// Sends a GET for `path`, and gives the answer when it is of use.
pub(super) async fn get(transport: &Transport, path: &str, want: Want<'_>) -> Result<Answer, Refusal> {
    match send(transport, path, want).await {
        Ok(answer) if answer.head.is_usable(want.is_stream(), answer.body.is_some()) => Ok(answer),
        Ok(answer) => {
            let text = match &answer.body {
                Some(body) => body.read_at_most(BODY_LIMIT).await,
                None => Vec::new(),
            };
            let failure = Failure::of_answer(answer.head, text);
            Err(Refusal { failure, cause: JsValue::UNDEFINED, retry_after: answer.retry_after })
        }
        Err(thrown) => Err(Refusal::thrown(thrown)),
    }
}

/// Whatever is thrown on the way to an answer.
async fn send(transport: &Transport, path: &str, want: Want<'_>) -> Result<Answer, JsValue> {
    let controller = AbortController::new()?;
    let guard = AbortOnDrop(Some(controller.clone()));
    let headers = Headers::new();
    headers.set("Accept", if want.is_stream() { EVENT_STREAM } else { "application/json" });
    if let Want::Stream(Some(id)) = want {
        // Its UTF-8 bytes, as browsers send it: a header is a string of bytes.
        headers.set("Last-Event-ID", &id.bytes().map(char::from).collect::<String>());
    }
    let headers = headers.into_raw();
    JsFuture::from(transport.authorize(&headers)?).await?;
    let response = JsFuture::from(transport.fetch(path, &headers, &controller.signal())?).await?;
    // No instanceof: the response may come from another realm.
    let response = Response::from(response.unchecked_into::<web_sys::Response>());
    let headers = response.headers();
    let header = |name: &str| headers.get(name).unwrap_or_default();
    let head = Head {
        status: response.status(),
        content_type: header("content-type"),
        request_id: header("x-request-id"),
    };
    let body = response.body().map(Body::of).transpose()?;
    let retry_after = headers.get("retry-after").and_then(|value| milliseconds(&value));
    Ok(Answer { head, body, retry_after, guard })
}

/// A `Retry-After`: seconds, or a date.
fn milliseconds(value: &str) -> Option<f64> {
    let wait = match value.trim_ascii().parse::<u32>() {
        Ok(seconds) => f64::from(seconds) * 1000.0,
        Err(_) => Date::parse(value) - Date::now(),
    };
    (wait >= 0.0).then_some(wait)
}
