//! Agents: create (with the first run), look at, list, archive, delete.

use super::{Answer, page, runs, validate};
use crate::agent::Agent;
use crate::control::Scope;
use crate::error::ApiError;
use crate::http::{Request, Response};
use crate::json::json;
use crate::knobs::How;
use crate::simulator::Simulator;
use serde_json::Value;

pub(super) fn find<'a>(simulator: &'a Simulator, id: &str) -> Result<&'a Agent, ApiError> {
    simulator.agents.get(id).ok_or_else(not_found)
}

fn find_mut<'a>(simulator: &'a mut Simulator, id: &str) -> Result<&'a mut Agent, ApiError> {
    simulator.agents.get_mut(id).ok_or_else(not_found)
}

fn not_found() -> ApiError {
    ApiError::new(404, "agent_not_found", "Agent not found")
}

fn record(simulator: &Simulator, agent: &Agent, now: f64) -> Value {
    agent.record(simulator.is_active(agent, now))
}

pub(super) fn create(simulator: &mut Simulator, now: f64, request: &Request) -> Answer {
    let body = validate::body(request)?;
    validate::create(&body)?;
    let asked = body.get("agentId").and_then(Value::as_str).map(str::to_owned);
    let id = asked.unwrap_or_else(|| format!("bc-{}", simulator.rng.uuid()));
    if simulator.agents.contains_key(&id) {
        return Err(ApiError::new(409, "agent_id_conflict", "An agent with this id already exists"));
    }
    let plan = simulator.next_plan(body.get("prompt").unwrap_or(&Value::Null));
    simulator.add_agent(Agent::new(id.clone(), body, now));
    let run_id = simulator.add_run(now, &id, &plan);
    let agent = record(simulator, find(simulator, &id)?, now);
    Ok(Response::json(201, &json!({"agent": agent, "run": runs::just_created(simulator, now, &run_id)?})))
}

pub(super) fn get(simulator: &Simulator, now: f64, id: &str) -> Answer {
    Ok(Response::json(200, &record(simulator, find(simulator, id)?, now)))
}

pub(super) fn list(simulator: &Simulator, now: f64, request: &Request) -> Answer {
    let archived = request.query("includeArchived").is_some_and(|value| value == "true");
    let pull_request = request.query("prUrl");
    let newest_first: Vec<String> = simulator.agent_order.iter().rev().cloned().collect();
    page(request, &newest_first, |id| {
        let agent = simulator.agents.get(id)?;
        let wanted = (archived || !agent.archived)
            && pull_request.as_ref().is_none_or(|url| agent.has_pull_request(url));
        wanted.then(|| record(simulator, agent, now))
    })
}

pub(super) fn archive(simulator: &mut Simulator, now: f64, id: &str, archived: bool) -> Answer {
    let agent = find_mut(simulator, id)?;
    agent.archived = archived;
    agent.updated = now;
    Ok(Response::json(200, &json!({"id": id})))
}

/// The agent goes with its runs; readers of their streams lose their connections.
pub(super) fn delete(simulator: &mut Simulator, id: &str) -> Answer {
    let runs = find(simulator, id)?.runs.clone();
    for run in &runs {
        simulator.cut(Scope::Run(run), &How::Reset);
        simulator.runs.remove(run);
    }
    simulator.agents.remove(id);
    simulator.agent_order.retain(|other| other != id);
    Ok(Response::json(200, &json!({"id": id})))
}
