//! Faults of single requests: which requests, how many, and what they get instead of their answer.

use crate::endpoint::{Endpoint, Route};
use crate::error::{ApiError, ErrorFormat, SimulatorError};
use crate::http::{Reply, Request, Response};
use crate::json::{Patch, choice, expected, fields, read};
use crate::time::http_date;
use serde_json::Value;

/// What happens to some requests. The first rule that fits a request and is still in force decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// Which endpoints; all if empty.
    pub endpoints: Vec<Endpoint>,
    /// Only requests for this run.
    pub run_id: Option<String>,
    /// Only requests for this agent.
    pub agent_id: Option<String>,
    /// Only requests with this header, in any value.
    pub with_header: Option<String>,
    /// That many fitting requests pass first.
    pub skip: u32,
    /// For that many requests; without limit if not set.
    pub times: Option<u32>,
    /// For that long since the rule was made, in milliseconds.
    pub for_ms: Option<f64>,
    /// The request is carried out all the same; only its answer is lost.
    pub execute: bool,
    /// The answer comes that much later, in milliseconds.
    pub delay_ms: f64,
    /// What comes instead of the answer.
    pub answer: Answer,
}

/// What comes instead of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Answer {
    /// The answer itself, which makes sense with a delay.
    #[default]
    Pass,
    /// An error of the API.
    Error(ErrorAnswer),
    /// Any status, headers and body: HTML from a proxy, an empty 200, 204, broken JSON.
    Body(BodyAnswer),
    /// A redirect.
    Redirect {
        /// The `Location` header; `$PATH` in it is the request's path and query.
        location: String,
        /// 301, 302, 303, 307 or 308.
        status: u16,
    },
    /// A network error.
    Reset,
    /// Nothing, ever.
    Never,
}

/// An error of the API.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorAnswer {
    /// HTTP status.
    pub status: u16,
    /// The error's code; the usual one of the status if not set.
    pub code: Option<String>,
    /// The error's message; the usual one of the status if not set.
    pub message: Option<String>,
    /// How the body is written; as the service does if not set.
    pub format: Option<ErrorFormat>,
    /// The `Retry-After` header.
    pub retry_after: Option<RetryAfter>,
    /// More headers.
    pub headers: Vec<(String, String)>,
}

/// The two forms of `Retry-After`, and what is none.
#[derive(Clone, Debug, PartialEq)]
pub enum RetryAfter {
    /// Seconds from now.
    Seconds(u64),
    /// The same as a date.
    DateInSeconds(f64),
    /// Any text.
    Text(String),
}

/// Any answer.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyAnswer {
    /// HTTP status.
    pub status: u16,
    /// The `Content-Type` header, if any.
    pub content_type: Option<String>,
    /// The body.
    pub text: String,
    /// More headers.
    pub headers: Vec<(String, String)>,
}

impl Default for BodyAnswer {
    fn default() -> Self {
        Self { status: 200, content_type: None, text: String::new(), headers: Vec::new() }
    }
}

/// A rule with what is left of it.
#[derive(Clone, Debug)]
pub(crate) struct ActiveRule {
    pub(crate) id: u32,
    pub(crate) rule: Rule,
    skipped: u32,
    used: u32,
    until: f64,
}

impl ActiveRule {
    pub(crate) fn new(id: u32, rule: Rule, now: f64) -> Self {
        let until = rule.for_ms.map_or(f64::INFINITY, |ms| now + ms);
        Self { id, rule, skipped: 0, used: 0, until }
    }

    pub(crate) fn is_over(&self, now: f64) -> bool {
        now >= self.until || self.rule.times.is_some_and(|times| self.used >= times)
    }

    /// Whether the rule decides over this request; counts it if so.
    pub(crate) fn takes(&mut self, request: &Request, route: &Route, now: f64) -> bool {
        let rule = &self.rule;
        let endpoint = match route.endpoint {
            // A preflight is the browser's own; it is meant only when named.
            Endpoint::Preflight => rule.endpoints.contains(&Endpoint::Preflight),
            endpoint => rule.endpoints.is_empty() || rule.endpoints.contains(&endpoint),
        };
        let fits = endpoint
            && !self.is_over(now)
            && rule.run_id.as_ref().is_none_or(|run| *run == route.run)
            && rule.agent_id.as_ref().is_none_or(|agent| *agent == route.agent)
            && rule.with_header.as_ref().is_none_or(|name| request.header_value(name).is_some());
        if fits && self.skipped < rule.skip {
            self.skipped += 1;
            return false;
        }
        self.used += u32::from(fits);
        fits
    }
}

impl Answer {
    /// The reply that stands in for the request's own. None if the own one is to be given.
    pub(crate) fn reply(&self, request: &Request, format: ErrorFormat, now: f64, at: f64) -> Option<Reply> {
        let response = match self {
            Self::Pass => return None,
            Self::Reset => return Some(Reply::Reset { at }),
            Self::Never => return Some(Reply::Never),
            Self::Error(error) => error.response(format, now),
            Self::Body(body) => {
                let mut response = Response::new(body.status);
                if let Some(content_type) = &body.content_type {
                    response = response.with("content-type", content_type.clone());
                }
                response.headers.extend(body.headers.iter().cloned());
                response.body(body.text.clone().into_bytes())
            }
            Self::Redirect { location, status } => {
                Response::new(*status).with("location", location.replace("$PATH", &request.path))
            }
        };
        Some(Reply::Response { at, response })
    }
}

impl ErrorAnswer {
    fn response(&self, format: ErrorFormat, now: f64) -> Response {
        let (code, message) = usual(self.status);
        let code = self.code.as_deref().unwrap_or(code);
        let mut error = ApiError::new(self.status, code, self.message.as_deref().unwrap_or(message));
        if self.status == 429 {
            let reset = ((now / 1_000.0).max(0.0) as u64 + 60).to_string();
            error = error
                .with("x-ratelimit-limit", "60")
                .with("x-ratelimit-remaining", "0")
                .with("x-ratelimit-reset", reset);
        }
        if let Some(after) = &self.retry_after {
            error = error.with(
                "retry-after",
                match after {
                    RetryAfter::Seconds(seconds) => seconds.to_string(),
                    RetryAfter::DateInSeconds(seconds) => http_date(now + seconds * 1_000.0),
                    RetryAfter::Text(text) => text.clone(),
                },
            );
        }
        error.headers.extend(self.headers.iter().cloned());
        error.response(self.format.unwrap_or(format))
    }
}

/// The code and message that the service uses with a status.
fn usual(status: u16) -> (&'static str, &'static str) {
    match status {
        400 => ("validation_error", "Request is invalid"),
        401 => ("unauthorized", "Invalid API key"),
        402 => ("plan_required", "This feature needs another plan"),
        403 => ("role_forbidden", "Not allowed for this key"),
        404 => ("run_not_found", "Run not found"),
        409 => ("agent_busy", "Agent already has an active run"),
        410 => ("stream_expired", "Run stream has expired"),
        429 => ("rate_limit_exceeded", "Rate limit exceeded"),
        502 | 504 => ("upstream_error", "Upstream request failed"),
        503 => ("feature_unavailable", "Service is temporarily unavailable"),
        _ => ("internal_error", "Internal error"),
    }
}

fields!(Rule:
    endpoints "endpoints", run_id "runId", agent_id "agentId", with_header "withHeader", skip "skip", times "times",
    for_ms "forMs", execute "execute", delay_ms "delayMs", answer "answer",
);
fields!(ErrorAnswer:
    status "status", code "code", message "message", format "format", retry_after "retryAfter", headers "headers",
);
fields!(BodyAnswer: status "status", content_type "contentType", text "text", headers "headers");

/// The fields of [`Answer::Redirect`].
struct Redirect {
    location: String,
    status: u16,
}

impl Default for Redirect {
    fn default() -> Self {
        Self { location: String::new(), status: 307 }
    }
}

fields!(Redirect: location "location", status "status");

impl Patch for Answer {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = match choice(value) {
            Some(("pass", _)) => Self::Pass,
            Some(("reset", _)) => Self::Reset,
            Some(("never", _)) => Self::Never,
            Some(("error", fields)) => Self::Error(read(fields)?),
            Some(("body", fields)) => Self::Body(read(fields)?),
            Some(("redirect", fields)) => {
                let Redirect { location, status } = read(fields)?;
                Self::Redirect { location, status }
            }
            _ => {
                return Err(expected("\"pass\", \"reset\", \"never\", {error}, {body} or {redirect}", value));
            }
        };
        Ok(())
    }
}

impl Default for RetryAfter {
    fn default() -> Self {
        Self::Seconds(1)
    }
}

impl Patch for RetryAfter {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = match choice(value) {
            Some(("seconds", seconds)) => Self::Seconds(read(seconds)?),
            Some(("dateInSeconds", seconds)) => Self::DateInSeconds(read(seconds)?),
            Some(("text", text)) => Self::Text(read(text)?),
            _ => return Err(expected("{seconds}, {dateInSeconds} or {text}", value)),
        };
        Ok(())
    }
}
