//! The service around the runs: who may call it, from where, and how it words its answers.

use crate::error::{ApiError, ErrorFormat, SimulatorError};
use crate::http::{Request, Response};
use crate::json::{Patch, choice, expected, fields, read};
use serde_json::Value;
use std::collections::BTreeMap;

/// Settings of the whole service.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Who may call it.
    pub auth: Auth,
    /// Which pages may call it from another origin; none if not set, as the real service has it.
    pub cors: Option<Cors>,
    /// How errors are written.
    pub error_format: ErrorFormat,
    /// A POST with the `idempotency-key` of an earlier one gets that one's answer and does nothing.
    pub idempotency: bool,
    /// `GET usage` includes costs.
    pub usage_cost: bool,
    /// How often `GET /v1/repositories` may be called in a minute; without limit if not set.
    pub repositories_per_minute: Option<u32>,
    /// The origin of presigned artifact URLs.
    pub artifact_origin: String,
}

impl Default for Service {
    fn default() -> Self {
        Self {
            auth: Auth::Any,
            cors: None,
            error_format: ErrorFormat::Envelope,
            idempotency: true,
            usage_cost: true,
            repositories_per_minute: None,
            artifact_origin: "https://artifacts.example".into(),
        }
    }
}

/// Who may call the service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Auth {
    /// Everybody, with or without a key, as behind a relay.
    Off,
    /// Whoever has a key, whatever it is.
    #[default]
    Any,
    /// Whoever has one of these keys, or a sub-token made with one.
    Keys(Vec<String>),
}

/// Which pages may call the service, and what they may send and see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cors {
    /// Origins; every one if empty.
    pub origins: Vec<String>,
    /// Request headers that preflights refuse, in lower case. All others are allowed.
    pub refuse_headers: Vec<String>,
    /// Response headers that pages can see beyond the usual ones.
    pub expose_headers: Vec<String>,
    /// Credentials (cookies) are allowed.
    pub credentials: bool,
}

impl Default for Cors {
    fn default() -> Self {
        let exposed = ["x-request-id", "x-cursor-stream-retention-seconds", "retry-after"];
        Self {
            origins: Vec::new(),
            refuse_headers: Vec::new(),
            expose_headers: exposed.map(str::to_owned).into(),
            credentials: false,
        }
    }
}

impl Cors {
    /// The value of `Access-Control-Allow-Origin`, if this origin may see answers.
    fn allowed_origin(&self, request: &Request) -> Option<String> {
        let origin = request.header_value("origin")?;
        let allowed = self.origins.is_empty() || self.origins.iter().any(|one| one == origin);
        let any = self.origins.is_empty() && !self.credentials;
        allowed.then(|| if any { "*".to_owned() } else { origin.to_owned() })
    }

    fn credentials(&self, response: Response) -> Response {
        if self.credentials { response.with("access-control-allow-credentials", "true") } else { response }
    }

    pub(crate) fn preflight(&self, request: &Request) -> Response {
        let Some(origin) = self.allowed_origin(request) else { return Response::new(204) };
        let wanted = request.header_value("access-control-request-headers").unwrap_or_default();
        let refused = |name: &str| self.refuse_headers.iter().any(|other| other.eq_ignore_ascii_case(name));
        let allowed: Vec<&str> =
            wanted.split(',').map(str::trim).filter(|name| !name.is_empty() && !refused(name)).collect();
        let response = Response::new(204)
            .with("access-control-allow-origin", origin)
            .with("access-control-allow-methods", "GET, POST, DELETE")
            .with("access-control-allow-headers", allowed.join(", "))
            .with("access-control-max-age", "0")
            .with("vary", "origin");
        self.credentials(response)
    }

    pub(crate) fn grant(&self, request: &Request, response: Response) -> Response {
        let Some(origin) = self.allowed_origin(request) else { return response };
        let response = response
            .with("access-control-allow-origin", origin)
            .with("access-control-expose-headers", self.expose_headers.join(", "))
            .with("vary", "origin");
        self.credentials(response)
    }
}

impl Auth {
    /// Checks the key of a request. `tokens` are sub-tokens with the time when they end.
    pub(crate) fn check(
        &self,
        request: &Request,
        tokens: &BTreeMap<String, f64>,
        now: f64,
    ) -> Result<(), ApiError> {
        if *self == Self::Off {
            return Ok(());
        }
        let refused = |message: &str| Err(ApiError::new(401, "unauthorized", message));
        let Some(key) = request.header_value("authorization").and_then(key_of) else {
            return refused("Missing API key");
        };
        match self {
            Self::Keys(keys) if !keys.contains(&key) => match tokens.get(&key) {
                Some(end) if now < *end => Ok(()),
                Some(_) => refused("Access token has expired"),
                None => refused("Invalid API key"),
            },
            _ => Ok(()),
        }
    }
}

/// The key in `Bearer <key>`, or in `Basic` as the user's name with an empty password.
fn key_of(value: &str) -> Option<String> {
    let (scheme, rest) = value.trim().split_once(' ')?;
    let key = if scheme.eq_ignore_ascii_case("bearer") {
        rest.trim().to_owned()
    } else if scheme.eq_ignore_ascii_case("basic") {
        let text = String::from_utf8(base64_decode(rest.trim())?).ok()?;
        text.strip_suffix(':')?.to_owned()
    } else {
        return None;
    };
    (!key.is_empty()).then_some(key)
}

fn base64_decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut buffer, mut bits) = (0_u32, 0);
    for character in text.trim_end_matches('=').bytes() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        buffer = (buffer << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits) as u8);
        }
    }
    Some(bytes)
}

fields!(Service:
    auth "auth", cors "cors", error_format "errorFormat", idempotency "idempotency", usage_cost "usageCost",
    repositories_per_minute "repositoriesPerMinute", artifact_origin "artifactOrigin",
);
fields!(Cors:
    origins "origins", refuse_headers "refuseHeaders", expose_headers "exposeHeaders", credentials "credentials",
);

impl Patch for Auth {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = match choice(value) {
            Some(("off", _)) => Self::Off,
            Some(("any", _)) => Self::Any,
            Some(("keys", keys)) => Self::Keys(read(keys)?),
            _ => return Err(expected("\"off\", \"any\" or {keys}", value)),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_bearer_and_basic_alone() {
        assert_eq!(key_of("Bearer key_1").as_deref(), Some("key_1"));
        assert_eq!(key_of("bearer  key_1 ").as_deref(), Some("key_1"));
        assert_eq!(key_of("Basic a2V5XzE6").as_deref(), Some("key_1"));
        assert_eq!(key_of("Basic a2V5XzE6cHc="), None, "a password is not part of a key");
        assert_eq!(key_of("Basic ?"), None);
        assert_eq!(key_of("Digest x"), None);
        assert_eq!(key_of("Bearer "), None);
    }
}
