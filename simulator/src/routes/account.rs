//! Who the key belongs to, which models and repositories there are, and keys for others.

use super::{Answer, validate};
use crate::error::ApiError;
use crate::http::{Request, Response};
use crate::json::json;
use crate::simulator::Simulator;
use crate::time::iso;
use serde_json::Value;

/// Ids and names.
const MODELS: [(&str, &str); 3] =
    [("composer-2", "Composer 2"), ("claude-opus-5", "Claude Opus 5"), ("gpt-6-codex", "GPT-6 Codex")];
const TOKEN_MS: f64 = 3_600_000.0;
const MINUTE_MS: f64 = 60_000.0;

pub(super) fn knows_model(id: &str) -> bool {
    MODELS.iter().any(|(known, _)| *known == id) || matches!(id, "default" | "auto")
}

pub(super) fn me() -> Response {
    let me = json!({
        "apiKeyName": "Simulated key", "userId": 4711, "userEmail": "ada@example.com", "userFirstName": "Ada",
        "userLastName": "Lövelace", "createdAt": iso(1_713_033_000_000.0),
    });
    Response::json(200, &me)
}

pub(super) fn models() -> Response {
    let effort = json!({
        "id": "effort", "displayName": "Effort",
        "values": [{"value": "low", "displayName": "Low"}, {"value": "high", "displayName": "High"}],
    });
    let variants = json!([
        {"params": [], "displayName": "Standard", "isDefault": true},
        {"params": [{"id": "effort", "value": "high"}], "displayName": "High effort", "description": "Thinks longer"},
    ]);
    let item = |(id, name): &(&str, &str)| {
        let mut model = json!({"id": id, "displayName": name});
        if let Some(model) = model.as_object_mut().filter(|_| *id == "composer-2") {
            model.insert("description".into(), json!("The one that examples use"));
            model.insert("aliases".into(), json!(["composer"]));
            model.insert("parameters".into(), json!([effort]));
            model.insert("variants".into(), variants.clone());
        }
        model
    };
    Response::json(200, &json!({"items": MODELS.iter().map(item).collect::<Value>()}))
}

pub(super) fn repositories(simulator: &mut Simulator, now: f64) -> Answer {
    if let Some(limit) = simulator.service.repositories_per_minute {
        let calls = &mut simulator.repository_calls;
        while calls.front().is_some_and(|call| *call <= now - MINUTE_MS) {
            calls.pop_front();
        }
        if calls.len() >= limit as usize {
            let wait = calls.front().map_or(MINUTE_MS, |first| first + MINUTE_MS - now);
            let error = ApiError::new(429, "rate_limit_exceeded", "Rate limit exceeded")
                .with("retry-after", ((wait / 1_000.0).ceil() as u64).to_string())
                .with("x-ratelimit-limit", limit.to_string())
                .with("x-ratelimit-remaining", "0")
                .with("x-ratelimit-reset", (((now + wait) / 1_000.0).ceil() as u64).to_string());
            return Err(error);
        }
        calls.push_back(now);
    }
    let items = json!([
        {"url": "https://github.com/acme/parser"},
        {"url": "https://github.com/acme/website"},
        {"url": "https://github.com/acme/größer"},
    ]);
    Ok(Response::json(200, &json!({"items": items})))
}

pub(super) fn sub_token(simulator: &mut Simulator, now: f64, request: &Request) -> Answer {
    let body = validate::body(request)?;
    let (email, id) = (body.get("forUserEmail").and_then(Value::as_str), body.get("forUserId"));
    let user = match (email, id) {
        (Some(_), None) => json!(4712),
        (None, Some(id)) => id.clone(),
        _ => return Err(ApiError::invalid("Either forUserEmail or forUserId is required")),
    };
    let (token, expires) = (format!("sub_{}", simulator.rng.uuid()), now + TOKEN_MS);
    simulator.tokens.insert(token.clone(), expires);
    let answer = json!({"accessToken": token, "expiresAt": iso(expires), "userId": user, "teamId": 12});
    Ok(Response::json(200, &answer))
}
