//! Answers of the API that are not what was asked for: status, headers and body → what failed.
//!
//! Bodies come as `{error: {code, message}}` (documented), and from what stands in between as
//! `{code, message}`, `{error, message}`, plain text or nothing.

use std::ops::Deref;
use std::rc::Rc;

use crate::json::{self, FlatArray, Kind, Raw};

/// The most of an error's body that is kept, in bytes.
pub const BODY_LIMIT: usize = 64 * 1024;

/// The media type of an event stream.
pub const EVENT_STREAM: &str = "text/event-stream";

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
    /// Whether the answer is of use: a 2xx and, where a `stream` was asked for and there is a body, a
    /// stream.
    pub fn is_usable(&self, stream: bool, has_body: bool) -> bool {
        let suits = !stream || !has_body || self.status == 204 || self.is_event_stream();
        (200..300).contains(&self.status) && suits
    }

    /// Whether the body is an event stream: `text/event-stream`, whatever its parameters.
    pub fn is_event_stream(&self) -> bool {
        const ESSENCE: &[u8] = EVENT_STREAM.as_bytes();
        let given = self.content_type.as_bytes();
        let Some((essence, rest)) = given.split_at_checked(ESSENCE.len()) else { return false };
        essence.eq_ignore_ascii_case(ESSENCE) && matches!(rest.first(), None | Some(b';' | b' ' | b'\t'))
    }
}

/// A failure, with all that is known about it and nothing secret. One word, because failures are
/// handed on through everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(Rc<Facts>);

/// What is known about a failure.
#[derive(Debug, PartialEq, Eq)]
pub struct Facts {
    /// What kind it is.
    pub kind: FailureKind,
    details: Details,
}

impl Deref for Failure {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.0
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Details {
    /// Ours: there is no answer, or it is not the answer's body that tells.
    Local { code: &'static str, message: &'static str, head: Head, body: Vec<u8> },
    /// The answer's.
    Answer { head: Head, body: Vec<u8> },
}

impl Failure {
    fn new(kind: FailureKind, details: Details) -> Self {
        Self(Rc::new(Facts { kind, details }))
    }

    /// A failure without an answer.
    #[cold]
    #[inline(never)]
    pub fn local(kind: FailureKind, code: &'static str, message: &'static str) -> Self {
        Self::unusable(kind, code, message, Head::default(), Vec::new())
    }

    /// The answer had a status other than 2xx, or a stream was asked for and it is something else;
    /// `body` is its start.
    #[cold]
    #[inline(never)]
    pub fn of_answer(head: Head, body: Vec<u8>) -> Self {
        if (200..300).contains(&head.status) {
            let (code, message) = ("not_an_event_stream", "The answer is not an event stream");
            return Self::unusable(FailureKind::Network, code, message, head, body);
        }
        let (code, _) = envelope(&body);
        let is = |name: &str| code.is_some_and(|code| code.is_string(name));
        let kind = match head.status {
            401 => FailureKind::Authentication,
            429 => FailureKind::RateLimit,
            _ if is("agent_busy") => FailureKind::AgentBusy,
            _ if is("agent_not_found") => FailureKind::AgentNotFound,
            _ if is("integration_not_connected") => FailureKind::IntegrationNotConnected,
            410 => FailureKind::StreamExpired,
            400 | 404 | 409 => FailureKind::Configuration,
            408 | 500.. => FailureKind::Network,
            _ => FailureKind::Unknown,
        };
        Self::new(kind, Details::Answer { head, body })
    }

    /// The answer is a 2xx, and still not what was asked for.
    #[cold]
    #[inline(never)]
    pub fn unusable(
        kind: FailureKind,
        code: &'static str,
        message: &'static str,
        head: Head,
        body: Vec<u8>,
    ) -> Self {
        Self::new(kind, Details::Local { code, message, head, body })
    }

    /// The same, with this code and message where the answer has no code.
    pub fn or_code(self, code: &'static str, message: &'static str) -> Self {
        match &self.details {
            Details::Answer { head, body } if envelope(body).0.is_none() => {
                Self::unusable(self.kind, code, message, head.clone(), body.clone())
            }
            _ => self,
        }
    }

    /// An `error` frame: fatal ones are those that a new connection would meet again.
    #[cold]
    #[inline(never)]
    pub fn of_error_frame(data: &[u8]) -> Self {
        let (code, _) = envelope(data);
        let is = |name: &str| code.is_some_and(|code| code.is_string(name));
        let kind = if is("unauthorized") {
            FailureKind::Authentication
        } else if is("forbidden") {
            FailureKind::Unknown
        } else if is("not_found") {
            FailureKind::Configuration
        } else {
            FailureKind::Network
        };
        Self::new(kind, Details::Answer { head: Head::default(), body: data.to_vec() })
    }

    /// Whether the API refused the id to resume from.
    pub fn is_invalid_last_event_id(&self) -> bool {
        self.status() == 400 && self.has_code("invalid_last_event_id")
    }

    /// Whether it is the API that says this, under that code.
    pub fn has_code(&self, name: &str) -> bool {
        match &self.details {
            Details::Answer { body, .. } => envelope(body).0.is_some_and(|code| code.is_string(name)),
            Details::Local { .. } => false,
        }
    }

    /// Whether there is a good answer that nobody can read.
    pub fn is_unreadable(&self) -> bool {
        self.kind == FailureKind::Unknown && self.status() == 0
    }

    /// The HTTP status of the answer, 0 without one.
    pub fn status(&self) -> u16 {
        let (Details::Local { head, .. } | Details::Answer { head, .. }) = &self.details;
        head.status
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, FailureKind::RateLimit | FailureKind::Network)
    }

    /// Writes it down for the facade: `kind, isRetryable, code, message, status, contentType,
    /// requestId, body`; code and message `null` where the answer has none.
    pub fn encode(&self, out: &mut FlatArray) {
        out.small(self.kind as u8);
        out.small(u8::from(self.is_retryable()));
        let (head, body) = match &self.details {
            Details::Local { code, message, head, body } => {
                out.string(code.as_bytes());
                out.string(message.as_bytes());
                (head, body)
            }
            Details::Answer { head, body } => {
                let (code, message) = envelope(body);
                for text in [code, message] {
                    out.raw(text.map_or(b"null", Raw::bytes));
                }
                (head, body)
            }
        };
        out.number(u64::from(head.status));
        out.string(head.content_type.as_bytes());
        out.string(head.request_id.as_bytes());
        out.string(body);
    }
}

/// Code and message of an error's body, where they are strings.
fn envelope(body: &[u8]) -> (Option<Raw<'_>>, Option<Raw<'_>>) {
    let string = |raw: &Raw<'_>| raw.kind() == Kind::String;
    let Ok((_, [code, message, error])) = json::members(body, ["code", "message", "error"]) else {
        return (None, None);
    };
    // What is inside `error` counts more; the text is valid, so this cannot fail.
    let inner = error.and_then(|error| json::members(error.bytes(), ["code", "message"]).ok());
    let [inner_code, inner_message] = inner.map_or([None; 2], |(_, found)| found);
    (
        inner_code.filter(string).or(code.filter(string)),
        inner_message.filter(string).or(message.filter(string)),
    )
}
