//! Which endpoint a request is for.

use crate::http::{Request, percent_decode};
use crate::json::names;

/// The endpoints of the API, for rules and the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endpoint {
    /// `POST /v1/agents`
    CreateAgent,
    /// `GET /v1/agents`
    ListAgents,
    /// `GET /v1/agents/{a}`
    GetAgent,
    /// `DELETE /v1/agents/{a}`
    DeleteAgent,
    /// `POST /v1/agents/{a}/archive`
    Archive,
    /// `POST /v1/agents/{a}/unarchive`
    Unarchive,
    /// `GET /v1/agents/{a}/usage`
    Usage,
    /// `GET /v1/agents/{a}/artifacts`
    ListArtifacts,
    /// `GET /v1/agents/{a}/artifacts/download`
    ArtifactUrl,
    /// `GET` of a presigned artifact URL, on the object store's origin.
    ArtifactFile,
    /// `POST /v1/agents/{a}/runs`
    CreateRun,
    /// `GET /v1/agents/{a}/runs`
    ListRuns,
    /// `GET /v1/agents/{a}/runs/{r}`
    GetRun,
    /// `GET /v1/agents/{a}/runs/{r}/stream`
    Stream,
    /// `POST /v1/agents/{a}/runs/{r}/cancel`
    CancelRun,
    /// `GET /v1/me`
    Me,
    /// `GET /v1/models`
    Models,
    /// `GET /v1/repositories`
    Repositories,
    /// `POST /v1/sub-tokens`
    SubTokens,
    /// `OPTIONS` with CORS headers, for any path.
    Preflight,
    /// A known path with another method.
    WrongMethod,
    /// No path of the API.
    #[default]
    Unknown,
}

/// A request's endpoint with the ids in its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) endpoint: Endpoint,
    /// The agent's id, or the artifact's key for a presigned URL.
    pub(crate) agent: String,
    pub(crate) run: String,
}

/// Where presigned artifact URLs live, on whatever origin.
pub(crate) const ARTIFACT_PREFIX: &str = "/artifact-store/";

pub(crate) fn route(request: &Request) -> Route {
    let path = request.path_only();
    let make = |endpoint, agent: &str, run: &str| Route {
        endpoint,
        agent: percent_decode(agent),
        run: percent_decode(run),
    };
    if request.method == "OPTIONS" && request.header_value("access-control-request-method").is_some() {
        return make(Endpoint::Preflight, "", "");
    }
    if let Some(key) = path.strip_prefix(ARTIFACT_PREFIX) {
        let endpoint = if is_read(&request.method) { Endpoint::ArtifactFile } else { Endpoint::WrongMethod };
        return make(endpoint, key, "");
    }
    let Some(rest) = path.strip_prefix("/v1/") else { return make(Endpoint::Unknown, "", "") };
    let parts: Vec<&str> = rest.split('/').collect();
    let (agent, run, methods): (&str, &str, &[(&str, Endpoint)]) = match parts.as_slice() {
        ["me"] => ("", "", &[("GET", Endpoint::Me)]),
        ["models"] => ("", "", &[("GET", Endpoint::Models)]),
        ["repositories"] => ("", "", &[("GET", Endpoint::Repositories)]),
        ["sub-tokens"] => ("", "", &[("POST", Endpoint::SubTokens)]),
        ["agents"] => ("", "", &[("GET", Endpoint::ListAgents), ("POST", Endpoint::CreateAgent)]),
        ["agents", a] => (a, "", &[("GET", Endpoint::GetAgent), ("DELETE", Endpoint::DeleteAgent)]),
        ["agents", a, "archive"] => (a, "", &[("POST", Endpoint::Archive)]),
        ["agents", a, "unarchive"] => (a, "", &[("POST", Endpoint::Unarchive)]),
        ["agents", a, "usage"] => (a, "", &[("GET", Endpoint::Usage)]),
        ["agents", a, "artifacts"] => (a, "", &[("GET", Endpoint::ListArtifacts)]),
        ["agents", a, "artifacts", "download"] => (a, "", &[("GET", Endpoint::ArtifactUrl)]),
        ["agents", a, "runs"] => (a, "", &[("GET", Endpoint::ListRuns), ("POST", Endpoint::CreateRun)]),
        ["agents", a, "runs", r] => (a, r, &[("GET", Endpoint::GetRun)]),
        ["agents", a, "runs", r, "stream"] => (a, r, &[("GET", Endpoint::Stream)]),
        ["agents", a, "runs", r, "cancel"] => (a, r, &[("POST", Endpoint::CancelRun)]),
        _ => return make(Endpoint::Unknown, "", ""),
    };
    let method = if request.method == "HEAD" { "GET" } else { request.method.as_str() };
    let endpoint =
        methods.iter().find(|(name, _)| *name == method).map_or(Endpoint::WrongMethod, |(_, found)| *found);
    make(endpoint, agent, run)
}

fn is_read(method: &str) -> bool {
    matches!(method, "GET" | "HEAD")
}

names!(Endpoint:
    CreateAgent "createAgent", ListAgents "listAgents", GetAgent "getAgent", DeleteAgent "deleteAgent",
    Archive "archive", Unarchive "unarchive", Usage "usage", ListArtifacts "listArtifacts", ArtifactUrl "artifactUrl",
    ArtifactFile "artifactFile", CreateRun "createRun", ListRuns "listRuns", GetRun "getRun", Stream "stream",
    CancelRun "cancelRun", Me "me", Models "models", Repositories "repositories", SubTokens "subTokens",
    Preflight "preflight", WrongMethod "wrongMethod", Unknown "unknown",
);
