//! The checks of bodies and parameters, with the documented limits.

use super::account::knows_model;
use crate::error::ApiError;
use crate::http::Request;
use serde_json::{Map, Value};

const IMAGES: usize = 5;
const IMAGE_BYTES: usize = 15 * 1024 * 1024;
const REPOS: usize = 20;
const ENV_VARS: usize = 50;
const ENV_VALUE_BYTES: usize = 4096;
const MCP_SERVERS: usize = 50;
const SUBAGENTS: usize = 20;

/// `limit`, 1 to 100, 20 if not given.
pub(super) fn limit(request: &Request) -> Result<usize, ApiError> {
    match request.query("limit") {
        None => Ok(20),
        Some(text) => match text.parse::<usize>() {
            Ok(limit) if (1..=100).contains(&limit) => Ok(limit),
            _ => Err(ApiError::invalid("limit must be between 1 and 100")),
        },
    }
}

/// A body that is a JSON object.
pub(super) fn body(request: &Request) -> Result<Map<String, Value>, ApiError> {
    if request.body.is_empty() {
        return Err(ApiError::new(400, "missing_body", "Request body is required"));
    }
    match serde_json::from_slice(&request.body) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(ApiError::invalid("Request body must be an object")),
        Err(_) => Err(ApiError::invalid("Request body is not valid JSON")),
    }
}

/// What create and follow-up bodies share.
pub(super) fn send(body: &Map<String, Value>) -> Result<(), ApiError> {
    prompt(body.get("prompt"))?;
    if let Some(model) = body.get("model") {
        let id = model
            .get("id")
            .and_then(Value::as_str)
            .ok_or_else(|| ApiError::invalid("model.id is required"))?;
        if !knows_model(id) {
            let message = format!("Model '{id}' is not available or invalid");
            return Err(ApiError::new(400, "invalid_model", message));
        }
    }
    at_most(body, "mcpServers", MCP_SERVERS)?;
    env_vars(body.get("envVars"))?;
    match body.get("mode").and_then(Value::as_str) {
        None | Some("agent" | "plan") => Ok(()),
        Some(_) => Err(ApiError::invalid("mode must be agent or plan")),
    }
}

/// What only a create body has.
pub(super) fn create(body: &Map<String, Value>) -> Result<(), ApiError> {
    send(body)?;
    env_vars(body.get("runEnvVars"))?;
    at_most(body, "repos", REPOS)?;
    at_most(body, "customSubagents", SUBAGENTS)?;
    match body.get("agentId") {
        None => Ok(()),
        Some(id) if id.as_str().is_some_and(is_agent_id) => Ok(()),
        Some(_) => Err(ApiError::invalid("agentId must be in the format 'bc-<uuid>'")),
    }
}

fn prompt(prompt: Option<&Value>) -> Result<(), ApiError> {
    let text = prompt.and_then(|prompt| prompt.get("text")).and_then(Value::as_str);
    if text.is_none_or(|text| text.trim().is_empty()) {
        return Err(ApiError::invalid("prompt.text is required"));
    }
    let images = prompt.and_then(|prompt| prompt.get("images")).and_then(Value::as_array);
    for image in images.into_iter().flatten() {
        let data = image.get("data").and_then(Value::as_str);
        if data.is_none() && image.get("url").and_then(Value::as_str).is_none() {
            return Err(ApiError::invalid("An image needs a url or data"));
        }
        if data.is_some() && image.get("mimeType").is_none() {
            return Err(ApiError::invalid("An image with data needs a mimeType"));
        }
        if data.is_some_and(|data| data.len() / 4 * 3 > IMAGE_BYTES) {
            return Err(ApiError::invalid("An image may have at most 15 MB"));
        }
    }
    if images.is_some_and(|images| images.len() > IMAGES) {
        return Err(ApiError::invalid("At most 5 images are allowed"));
    }
    Ok(())
}

fn at_most(body: &Map<String, Value>, field: &str, limit: usize) -> Result<(), ApiError> {
    match body.get(field) {
        None => Ok(()),
        Some(Value::Array(items)) if items.len() <= limit => Ok(()),
        Some(Value::Array(_)) => Err(ApiError::invalid(format!("At most {limit} {field} are allowed"))),
        Some(_) => Err(ApiError::invalid(format!("{field} must be an array"))),
    }
}

fn env_vars(given: Option<&Value>) -> Result<(), ApiError> {
    let Some(given) = given else { return Ok(()) };
    let Some(vars) = given.as_object() else { return Err(ApiError::invalid("envVars must be an object")) };
    if vars.len() > ENV_VARS {
        return Err(ApiError::invalid("At most 50 envVars are allowed"));
    }
    for (name, value) in vars {
        if name.starts_with("CURSOR_") {
            return Err(ApiError::invalid("envVars must not start with CURSOR_"));
        }
        if value.as_str().is_none_or(|value| value.len() > ENV_VALUE_BYTES) {
            return Err(ApiError::invalid("The value of an envVar is a text of at most 4096 bytes"));
        }
    }
    Ok(())
}

/// `bc-<uuid>`
fn is_agent_id(id: &str) -> bool {
    id.strip_prefix("bc-").is_some_and(|uuid| {
        let groups: Vec<&str> = uuid.split('-').collect();
        let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        lengths == [8, 4, 4, 4, 12]
            && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
    })
}
