//! Runs: follow up, look at, list, cancel, and what they used.

use super::agents::find;
use super::{Answer, page, validate};
use crate::agent::Agent;
use crate::endpoint::Route;
use crate::error::ApiError;
use crate::http::{Request, Response};
use crate::json::json;
use crate::run::{Run, RunState};
use crate::script::Usage;
use crate::simulator::Simulator;
use serde_json::{Map, Value};

/// The run of a path, which must be one of the agent's.
pub(super) fn find_run<'a>(simulator: &'a Simulator, route: &Route) -> Result<&'a Run, ApiError> {
    find(simulator, &route.agent)?;
    let run = simulator.runs.get(&route.run).filter(|run| run.names.agent == route.agent);
    run.ok_or_else(not_found)
}

fn not_found() -> ApiError {
    ApiError::new(404, "run_not_found", "Run not found")
}

fn record(simulator: &Simulator, run: &Run, now: f64) -> Value {
    run.record(now, &simulator.knobs_of(run))
}

/// The record of a run in the answer to its creation: it has had no time for anything.
pub(super) fn just_created(simulator: &Simulator, now: f64, id: &str) -> Result<Value, ApiError> {
    let run = simulator.runs.get(id).ok_or_else(not_found)?;
    let mut knobs = crate::Knobs::clone(&simulator.knobs_of(run));
    knobs.record.frozen = Some(RunState::Creating);
    Ok(run.record(now, &knobs))
}

pub(super) fn create(simulator: &mut Simulator, now: f64, request: &Request, agent_id: &str) -> Answer {
    let agent = find(simulator, agent_id)?;
    let body = validate::body(request)?;
    validate::send(&body)?;
    if agent.archived {
        return Err(ApiError::new(409, "agent_archived", "Agent is archived"));
    }
    if simulator.is_active(agent, now) {
        return Err(ApiError::new(409, "agent_busy", "Agent already has an active run"));
    }
    let plan = simulator.next_plan(body.get("prompt").unwrap_or(&Value::Null));
    let run_id = simulator.add_run(now, agent_id, &plan);
    Ok(Response::json(201, &json!({"run": just_created(simulator, now, &run_id)?})))
}

pub(super) fn get(simulator: &Simulator, now: f64, route: &Route) -> Answer {
    Ok(Response::json(200, &record(simulator, find_run(simulator, route)?, now)))
}

pub(super) fn list(simulator: &Simulator, now: f64, request: &Request, agent_id: &str) -> Answer {
    let newest_first: Vec<String> = find(simulator, agent_id)?.runs.iter().rev().cloned().collect();
    page(request, &newest_first, |id| Some(record(simulator, simulator.runs.get(id)?, now)))
}

pub(super) fn cancel(simulator: &mut Simulator, now: f64, route: &Route) -> Answer {
    let run = find_run(simulator, route)?;
    let cancel = simulator.knobs_of(run).cancel.clone();
    if cancel.refuse || run.state(now).is_terminal() {
        return Err(ApiError::new(
            409,
            "run_not_cancellable",
            "Run cannot be cancelled in its current state",
        ));
    }
    if !cancel.ignore
        && let Some(run) = simulator.runs.get_mut(&route.run)
    {
        run.cancel(now, now + cancel.delay_ms.max(0.0));
        simulator.generation += 1;
    }
    Ok(Response::json(200, &json!({"id": route.run})))
}

pub(super) fn usage(simulator: &Simulator, now: f64, request: &Request, agent_id: &str) -> Answer {
    let agent = find(simulator, agent_id)?;
    let only = request.query("runId");
    if only.as_ref().is_some_and(|id| !agent.runs.contains(id)) {
        return Err(not_found());
    }
    let costs = simulator.service.usage_cost;
    let (mut total, mut runs) = (Usage::default(), Vec::new());
    for run in runs_of(simulator, agent).filter(|run| only.as_ref().is_none_or(|id| *id == run.names.run)) {
        let usage = run.usage(now);
        total = total.plus(usage);
        let mut entry = Map::new();
        entry.insert("id".into(), json!(run.names.run));
        entry.insert("usageUuid".into(), json!(run.names.run.trim_start_matches("run-")));
        entry.extend(figures("usage", usage, costs));
        runs.push(Value::Object(entry));
    }
    let mut body: Map<String, Value> = figures("totalUsage", total, costs).into_iter().collect();
    body.insert("runs".into(), Value::Array(runs));
    Ok(Response::json(200, &Value::Object(body)))
}

fn runs_of<'a>(simulator: &'a Simulator, agent: &'a Agent) -> impl Iterator<Item = &'a Run> {
    agent.runs.iter().filter_map(|id| simulator.runs.get(id))
}

fn figures(name: &str, usage: Usage, costs: bool) -> Vec<(String, Value)> {
    let tokens = json!({
        "inputTokens": usage.input,
        "outputTokens": usage.output,
        "cacheWriteTokens": usage.cache_write,
        "cacheReadTokens": usage.cache_read,
        "totalTokens": usage.total(),
    });
    let raw = usage.input as f64 * 0.0003 + usage.output as f64 * 0.0015 + usage.cache_read as f64 * 0.000_03;
    let cost = json!({"rawCostCents": raw, "chargedCents": raw * 1.2});
    let mut all = vec![(name.to_owned(), tokens)];
    all.extend(costs.then(|| ("cost".to_owned(), cost)));
    all
}
