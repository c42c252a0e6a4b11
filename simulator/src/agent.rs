//! An agent: what it was created with, and the runs it has had.

use crate::json::json;
use crate::time::iso;
use serde_json::{Map, Value};

/// What of a create request is shown again in the agent's record, in this order.
const SHOWN: [&str; 10] = [
    "name",
    "env",
    "repos",
    "workOnCurrentBranch",
    "autoCreatePR",
    "openAsCursorGithubApp",
    "skipReviewerRequest",
    "customSubagents",
    "metadata",
    "model",
];

#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) id: String,
    /// The body it was created with.
    pub(crate) given: Map<String, Value>,
    pub(crate) created: f64,
    pub(crate) updated: f64,
    pub(crate) archived: bool,
    /// The ids of its runs, oldest first.
    pub(crate) runs: Vec<String>,
}

impl Agent {
    pub(crate) fn new(id: String, given: Map<String, Value>, now: f64) -> Self {
        Self { id, given, created: now, updated: now, archived: false, runs: Vec::new() }
    }

    /// The agent as `GET agent` gives it.
    pub(crate) fn record(&self, active: bool) -> Value {
        let status = match (self.archived, active) {
            (true, _) => "ARCHIVED",
            (false, true) => "ACTIVE",
            (false, false) => "IDLE",
        };
        let mut record = Map::new();
        record.insert("id".into(), json!(self.id));
        record.insert("status".into(), json!(status));
        for field in SHOWN {
            if let Some(value) = self.given.get(field) {
                record.insert(field.into(), value.clone());
            }
        }
        record.insert("url".into(), json!(format!("https://cursor.com/agents/{}", self.id)));
        record.insert("createdAt".into(), json!(iso(self.created)));
        record.insert("updatedAt".into(), json!(iso(self.updated)));
        if let Some(latest) = self.runs.last() {
            record.insert("latestRunId".into(), json!(latest));
        }
        Value::Object(record)
    }

    /// The pull request that the agent was asked to work on, or has made.
    pub(crate) fn has_pull_request(&self, url: &str) -> bool {
        let repos = self.given.get("repos").and_then(Value::as_array);
        repos.is_some_and(|repos| {
            repos.iter().any(|repo| repo.get("prUrl").and_then(Value::as_str) == Some(url))
        })
    }
}
