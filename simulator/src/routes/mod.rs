//! What each endpoint answers, once the key is good and no rule has stepped in.
//!
//! `agents` and `runs` hold the two resources, `stream` opens connections, `artifacts` and `account` the rest;
//! `validate` checks bodies and parameters.

mod account;
mod agents;
mod artifacts;
mod runs;
mod stream;
mod validate;

use crate::endpoint::{Endpoint, Route};
use crate::error::ApiError;
use crate::http::{Request, Response};
use crate::json::json;
use crate::simulator::Simulator;
use serde_json::{Map, Value};

type Answer = Result<Response, ApiError>;

pub(crate) fn answer(simulator: &mut Simulator, now: f64, request: &Request, route: &Route) -> Answer {
    match route.endpoint {
        Endpoint::CreateAgent => agents::create(simulator, now, request),
        Endpoint::ListAgents => agents::list(simulator, now, request),
        Endpoint::GetAgent => agents::get(simulator, now, &route.agent),
        Endpoint::DeleteAgent => agents::delete(simulator, &route.agent),
        Endpoint::Archive => agents::archive(simulator, now, &route.agent, true),
        Endpoint::Unarchive => agents::archive(simulator, now, &route.agent, false),
        Endpoint::Usage => runs::usage(simulator, now, request, &route.agent),
        Endpoint::CreateRun => runs::create(simulator, now, request, &route.agent),
        Endpoint::ListRuns => runs::list(simulator, now, request, &route.agent),
        Endpoint::GetRun => runs::get(simulator, now, route),
        Endpoint::CancelRun => runs::cancel(simulator, now, route),
        Endpoint::Stream => stream::open(simulator, now, request, route),
        Endpoint::ListArtifacts => artifacts::list(simulator, now, &route.agent),
        Endpoint::ArtifactUrl => artifacts::presign(simulator, now, request, &route.agent),
        Endpoint::ArtifactFile => artifacts::file(now, request, &route.agent),
        Endpoint::Me => Ok(account::me()),
        Endpoint::Models => Ok(account::models()),
        Endpoint::Repositories => account::repositories(simulator, now),
        Endpoint::SubTokens => account::sub_token(simulator, now, request),
        Endpoint::WrongMethod => Err(ApiError::new(405, "method_not_allowed", "Method not allowed")),
        Endpoint::Preflight | Endpoint::Unknown => Err(ApiError::new(404, "not_found", "Not found")),
    }
}

/// A list's page: the items after the cursor, newest first, and where the next page begins. Only the items on the page
/// are made.
fn page(request: &Request, newest_first: &[String], mut item: impl FnMut(&str) -> Option<Value>) -> Answer {
    let limit = validate::limit(request)?;
    let from = match request.query("cursor").filter(|cursor| !cursor.is_empty()) {
        None => 0,
        Some(cursor) => {
            let place =
                cursor.strip_prefix("after_").and_then(|id| newest_first.iter().position(|one| one == id));
            place.ok_or_else(|| ApiError::invalid("Invalid cursor"))? + 1
        }
    };
    let mut items = Vec::new();
    let mut last = None;
    let mut rest = newest_first.iter().skip(from);
    while items.len() < limit {
        let Some(id) = rest.next() else { break };
        items.extend(item(id));
        last = Some(id);
    }
    let more = rest.any(|id| item(id).is_some());
    let mut body = Map::new();
    body.insert("items".into(), Value::Array(items));
    if let (true, Some(last)) = (more, last) {
        body.insert("nextCursor".into(), json!(format!("after_{last}")));
    }
    Ok(Response::json(200, &Value::Object(body)))
}
