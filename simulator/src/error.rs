//! What the API answers when it refuses, and what the simulator says when its own caller errs.

use crate::http::Response;
use crate::json::{json, names};
use std::fmt;

/// A control call could not be carried out: an unknown run, a scenario that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatorError(pub String);

impl fmt::Display for SimulatorError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for SimulatorError {}

/// How the body of an error is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorFormat {
    /// `{"error": {"code", "message"}}`, the official one.
    #[default]
    Envelope,
    /// `{"code", "message"}`
    Flat,
    /// `{"error": "code", "message"}`
    ErrorText,
    /// The message as plain text.
    Text,
    /// Nothing.
    Empty,
}

/// A refusal of the API.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl ApiError {
    pub(crate) fn new(status: u16, code: &str, message: impl Into<String>) -> Self {
        Self { status, code: code.to_owned(), message: message.into(), headers: Vec::new() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, "validation_error", message)
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn response(&self, format: ErrorFormat) -> Response {
        let json = match format {
            ErrorFormat::Envelope => Some(json!({"error": {"code": self.code, "message": self.message}})),
            ErrorFormat::Flat => Some(json!({"code": self.code, "message": self.message})),
            ErrorFormat::ErrorText => Some(json!({"error": self.code, "message": self.message})),
            ErrorFormat::Text | ErrorFormat::Empty => None,
        };
        let mut response = match (json, format) {
            (Some(json), _) => Response::json(self.status, &json),
            (None, ErrorFormat::Text) => {
                let text = self.message.clone().into_bytes();
                Response::new(self.status).with("content-type", "text/plain; charset=utf-8").body(text)
            }
            (None, _) => Response::new(self.status),
        };
        response.headers.extend(self.headers.iter().cloned());
        response
    }
}

names!(ErrorFormat: Envelope "envelope", Flat "flat", ErrorText "errorText", Text "text", Empty "empty");
