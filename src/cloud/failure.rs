//! Answers of the API that are not what was asked for: status, headers and body → what failed.
//!
//! Bodies come as `{error: {code, message}}` (documented), and from what stands in between as
//! `{code, message}`, `{error, message}`, plain text or nothing.

use crate::json::{self, FlatArray, Raw};

/// The most of an error's body that is kept, in bytes.
pub const BODY_LIMIT: usize = 64 * 1024;

/// What kind of failure it is; the facade has an error class for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum FailureKind {
    /// 401: the key is missing, wrong or expired.
    Authentication = 0,
    /// 429: too many requests.
    RateLimit = 1,
    /// 409 `agent_busy`: the agent has an active run.
    AgentBusy = 2,
    /// `agent_not_found`.
    AgentNotFound = 3,
    /// 400, 404, other 409: the request cannot work as it is.
    Configuration = 4,
    /// Other 4xx, or an answer that makes no sense.
    Unknown = 5,
    /// No answer, 408, 5xx, or a stream that broke off.
    Network = 6,
    /// 410 `stream_expired`: the stream is no longer kept.
    StreamExpired = 7,
    /// `integration_not_connected`.
    IntegrationNotConnected = 8,
    /// An event was longer than `maxEventBytes`.
    EventTooLarge = 9,
}

/// The parts of a response's head that matter, as the transport hands them over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The HTTP status.
    pub status: u16,
    /// `Content-Type`, empty when absent.
    pub content_type: String,
    /// `x-request-id`, empty when absent.
    pub request_id: String,
}

impl Head {
    /// Whether the body is an event stream: `text/event-stream`, whatever its parameters.
    pub fn is_event_stream(&self) -> bool {
        const ESSENCE: &[u8] = b"text/event-stream";
        let given = self.content_type.as_bytes();
        let Some((essence, rest)) = given.split_at_checked(ESSENCE.len()) else { return false };
        essence.eq_ignore_ascii_case(ESSENCE) && matches!(rest.first(), None | Some(b';' | b' ' | b'\t'))
    }
}

/// A failure, with all that is known about it and nothing secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind it is.
    pub kind: FailureKind,
    /// The API's or our own machine-readable code.
    pub code: String,
    /// A sentence for people.
    pub message: String,
    /// The answer's head; status 0 when there was none.
    pub head: Head,
    /// The start of the answer's body.
    pub body: Vec<u8>,
}

impl Failure {
    /// A failure without an answer.
    #[cold]
    #[inline(never)]
    pub fn local(kind: FailureKind, code: &str, message: &str) -> Self {
        let (code, message) = (code.to_owned(), message.to_owned());
        Self { kind, code, message, head: Head::default(), body: Vec::new() }
    }

    /// The answer had a status other than 2xx.
    #[cold]
    #[inline(never)]
    pub fn of_status(head: Head, body: &[u8]) -> Self {
        let envelope = Envelope::of(body);
        let code = envelope.code.map(unquoted).unwrap_or_default();
        let kind = match (head.status, code.as_str()) {
            (401, _) => FailureKind::Authentication,
            (429, _) => FailureKind::RateLimit,
            (_, "agent_busy") => FailureKind::AgentBusy,
            (_, "agent_not_found") => FailureKind::AgentNotFound,
            (_, "integration_not_connected") => FailureKind::IntegrationNotConnected,
            (410, _) => FailureKind::StreamExpired,
            (400 | 404 | 409, _) => FailureKind::Configuration,
            (408 | 500.., _) => FailureKind::Network,
            _ => FailureKind::Unknown,
        };
        let text = match envelope.message {
            Some(message) => unquoted(message),
            None => String::from_utf8_lossy(envelope.text).into_owned(),
        };
        let message = match kind {
            _ if text.is_empty() => ["Request failed with status ", &head.status.to_string()].concat(),
            FailureKind::Authentication | FailureKind::RateLimit => text,
            _ => ["[", if code.is_empty() { "unknown" } else { &code }, "] ", &text].concat(),
        };
        let body = body.get(..body.len().min(BODY_LIMIT)).unwrap_or_default().to_vec();
        Self { kind, code, message, head, body }
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, FailureKind::RateLimit | FailureKind::Network)
    }

    /// Writes it down for the facade:
    /// `kind, isRetryable, code, message, status, contentType, requestId, body`.
    pub fn encode(&self, out: &mut FlatArray) {
        out.small(self.kind as u8);
        out.small(u8::from(self.is_retryable()));
        out.string(self.code.as_bytes());
        out.string(self.message.as_bytes());
        out.number(u32::from(self.head.status));
        out.string(self.head.content_type.as_bytes());
        out.string(self.head.request_id.as_bytes());
        out.string(&self.body);
    }
}

/// Code and message of an error's body, as JSON texts.
#[derive(Default)]
struct Envelope<'a> {
    code: Option<Raw<'a>>,
    message: Option<Raw<'a>>,
    /// The body when it is not JSON.
    text: &'a [u8],
}

impl<'a> Envelope<'a> {
    fn of(body: &'a [u8]) -> Self {
        let Ok((_, [code, message, error])) = json::members(body, ["code", "message", "error"]) else {
            let text = body.get(..body.len().min(300)).unwrap_or_default().trim_ascii();
            return Self { text, ..Self::default() };
        };
        // What is inside `error` counts more; the text is valid, so this cannot fail.
        let inner = error.and_then(|error| json::members(error.bytes(), ["code", "message"]).ok());
        let [inner_code, inner_message] = inner.map_or([None; 2], |(_, found)| found);
        Self { code: inner_code.or(code), message: inner_message.or(message), text: b"" }
    }
}

/// A JSON string's text; of another value, the text of the JSON.
fn unquoted(raw: Raw<'_>) -> String {
    match raw.string_body() {
        Some(body) => json::unescape(body),
        None => String::from_utf8_lossy(raw.bytes()).into_owned(),
    }
}
