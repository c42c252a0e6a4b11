//! The endpoints around the stream: what they answer and what they refuse.

mod util;

use runwire_simulator::{Body, Config, Knobs, Pace, Request, RunPlan, Scenario, Simulator};
use serde_json::{Value, json};
use util::{answer, body, code, world};

const AGENT: &str = "bc-00000000-0000-4000-8000-000000000001";

fn simulator(pace: Pace) -> Simulator {
    Simulator::new(Config { plan: RunPlan::new(Scenario::Coding).pace(pace), ..Config::default() })
}

fn create(simulator: &mut Simulator, now: f64, given: Value) -> runwire_simulator::Response {
    answer(simulator, now, Request::post("/v1/agents", given.to_string()))
}

fn prompt() -> Value {
    json!({"prompt": {"text": "hi"}})
}

#[test]
fn creating_gives_the_agent_and_its_first_run() {
    let mut simulator = simulator(Pace::Instant);
    let given = json!({
        "agentId": AGENT, "prompt": {"text": "hi"}, "name": "Fix it", "metadata": {"a": "1"},
        "repos": [{"url": "https://github.com/acme/parser", "prUrl": "https://github.com/acme/parser/pull/7"}],
    });
    let response = create(&mut simulator, 1_713_033_000_000.0, given.clone());
    let created = body(&response);
    assert_eq!(response.status, 201);
    assert_eq!(created["agent"]["id"], AGENT);
    assert_eq!(created["agent"]["metadata"], given["metadata"]);
    assert_eq!(created["agent"]["createdAt"], "2024-04-13T18:30:00.000Z");
    assert_eq!(created["agent"]["latestRunId"], created["run"]["id"]);
    assert_eq!(created["run"]["agentId"], AGENT);
    assert_eq!(created["run"]["status"], "CREATING", "it has had no time yet");
    assert!(created["run"]["requestId"].as_str().unwrap().starts_with("req-"));
    let again = create(&mut simulator, 0.0, given);
    assert_eq!((again.status, code(&again).as_str()), (409, "agent_id_conflict"));
}

#[test]
fn an_agent_has_one_active_run_at_a_time() {
    let mut simulator = simulator(Pace::Speed(1.0));
    let agent = body(&create(&mut simulator, 0.0, prompt()))["agent"]["id"].as_str().unwrap().to_owned();
    let follow_up = Request::post(format!("/v1/agents/{agent}/runs"), prompt().to_string());
    let busy = answer(&mut simulator, 1_000.0, follow_up.clone());
    assert_eq!((busy.status, code(&busy).as_str()), (409, "agent_busy"));
    let get = Request::get(format!("/v1/agents/{agent}"));
    assert_eq!(body(&answer(&mut simulator, 1_000.0, get.clone()))["status"], "ACTIVE");
    assert_eq!(body(&answer(&mut simulator, 600_000.0, get.clone()))["status"], "IDLE");
    let next = answer(&mut simulator, 600_000.0, follow_up.clone());
    assert_eq!(next.status, 201);
    let runs = body(&answer(&mut simulator, 600_000.0, Request::get(format!("/v1/agents/{agent}/runs"))));
    assert_eq!(runs["items"].as_array().unwrap().len(), 2);
    assert_eq!(runs["items"][0]["id"], body(&next)["run"]["id"], "newest first");

    let archive = answer(&mut simulator, 600_000.0, Request::post(format!("/v1/agents/{agent}/archive"), ""));
    assert_eq!((archive.status, body(&archive)["id"].as_str()), (200, Some(agent.as_str())));
    assert_eq!(body(&answer(&mut simulator, 600_000.0, get.clone()))["status"], "ARCHIVED");
    let refused = answer(&mut simulator, 1e9, follow_up.clone());
    assert_eq!((refused.status, code(&refused).as_str()), (409, "agent_archived"));
    answer(&mut simulator, 1e9, Request::post(format!("/v1/agents/{agent}/unarchive"), ""));
    assert_eq!(answer(&mut simulator, 1e9, follow_up).status, 201);
}

#[test]
fn a_deleted_agent_is_gone_with_its_runs_and_its_streams() {
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    let Body::Stream(stream) = world.open(None).body else { panic!() };
    let path = format!("/v1/agents/{}", world.run.agent_id);
    let delete = Request { method: "DELETE".into(), ..Request::get(path.clone()) };
    assert_eq!(world.ask(delete).status, 200);
    for (path, expected) in [(path, "agent_not_found"), (world.path(""), "agent_not_found")] {
        let response = world.ask(Request::get(path));
        assert_eq!((response.status, code(&response).as_str()), (404, expected));
    }
    assert_eq!(world.simulator.poll_stream(world.now, stream, 10), runwire_simulator::Poll::Reset);
}

#[test]
fn unknown_agents_runs_paths_and_methods_are_told_apart() {
    let mut world = world(Scenario::Coding, Pace::Instant, Knobs::default());
    let other = world.simulator.start_run(0.0, &RunPlan::default());
    let agent = world.run.agent_id.clone();
    for (path, status, expected) in [
        (format!("/v1/agents/{AGENT}"), 404, "agent_not_found"),
        (format!("/v1/agents/{AGENT}/runs/{}", other.run_id), 404, "agent_not_found"),
        (format!("/v1/agents/{agent}/runs/run-x"), 404, "run_not_found"),
        (format!("/v1/agents/{agent}/runs/{}/stream", other.run_id), 404, "run_not_found"),
        (format!("/v1/agents/{agent}%2Fruns"), 404, "agent_not_found"),
        ("/v1/nothing".into(), 404, "not_found"),
        ("/".into(), 404, "not_found"),
        (world.path("/cancel"), 405, "method_not_allowed"),
    ] {
        let response = world.ask(Request::get(path.clone()));
        assert_eq!((response.status, code(&response).as_str()), (status, expected), "{path}");
    }
}

#[test]
fn lists_come_in_pages_newest_first() {
    let mut simulator = simulator(Pace::Instant);
    let mut ids: Vec<String> =
        (0..45).map(|n| simulator.start_run(f64::from(n), &RunPlan::default()).agent_id).collect();
    ids.reverse();
    for limit in [1, 7, 20, 44, 45, 100] {
        let (mut seen, mut cursor, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let page = body(&answer(
                &mut simulator,
                0.0,
                Request::get(format!("/v1/agents?limit={limit}&cursor={cursor}")),
            ));
            seen.extend(
                page["items"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|agent| agent["id"].as_str().unwrap().to_owned()),
            );
            pages += 1;
            match page["nextCursor"].as_str() {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        assert_eq!((seen.as_slice(), pages), (ids.as_slice(), 45_usize.div_ceil(limit)), "limit {limit}");
    }
    let default = body(&answer(&mut simulator, 0.0, Request::get("/v1/agents")));
    assert_eq!(default["items"].as_array().unwrap().len(), 20);
    for query in ["limit=0", "limit=101", "limit=x", "cursor=nowhere"] {
        assert_eq!(
            answer(&mut simulator, 0.0, Request::get(format!("/v1/agents?{query}"))).status,
            400,
            "{query}"
        );
    }
}

#[test]
fn lists_leave_out_archived_agents_and_find_pull_requests() {
    let mut simulator = simulator(Pace::Instant);
    let with_pr = json!({"prompt": {"text": "a"}, "repos": [{"url": "u", "prUrl": "https://h/pull/1"}]});
    let first = body(&create(&mut simulator, 0.0, with_pr))["agent"]["id"].clone();
    let second = body(&create(&mut simulator, 0.0, prompt()))["agent"]["id"].clone();
    let mut list = |query: &str| {
        let page = body(&answer(&mut simulator, 0.0, Request::get(format!("/v1/agents?{query}"))));
        page["items"].as_array().unwrap().iter().map(|agent| agent["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(list(""), [second.clone(), first.clone()]);
    assert_eq!(list("prUrl=https%3A%2F%2Fh%2Fpull%2F1"), std::slice::from_ref(&first));
    answer(&mut simulator, 0.0, Request::post(format!("/v1/agents/{}/archive", first.as_str().unwrap()), ""));
    let mut list = |query: &str| {
        let page = body(&answer(&mut simulator, 0.0, Request::get(format!("/v1/agents?{query}"))));
        page["items"].as_array().unwrap().iter().map(|agent| agent["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(list(""), std::slice::from_ref(&second));
    assert_eq!(list("includeArchived=true"), [second, first]);
}

#[test]
fn bodies_are_checked_against_the_documented_limits() {
    let mut simulator = simulator(Pace::Instant);
    let vars = |name: &str, value: &str| json!({"prompt": {"text": "a"}, "envVars": {name: value}});
    let many = |field: &str, count: usize| {
        let mut given = prompt();
        given[field] = vec![json!({"name": "n", "url": "u"}); count].into();
        given
    };
    let image = json!({"data": "AAAA", "mimeType": "image/png"});
    for (given, expected) in [
        (json!([]), "validation_error"),
        (json!({}), "validation_error"),
        (json!({"prompt": {"text": "  "}}), "validation_error"),
        (json!({"prompt": {"text": "a"}, "agentId": "bc-1"}), "validation_error"),
        (json!({"prompt": {"text": "a"}, "model": {"id": "nope"}}), "invalid_model"),
        (json!({"prompt": {"text": "a"}, "mode": "dream"}), "validation_error"),
        (json!({"prompt": {"text": "a", "images": vec![image.clone(); 6]}}), "validation_error"),
        (json!({"prompt": {"text": "a", "images": [{"data": "AAAA"}]}}), "validation_error"),
        (vars("CURSOR_X", "1"), "validation_error"),
        (vars("X", &"x".repeat(4_097)), "validation_error"),
        (many("repos", 21), "validation_error"),
        (many("mcpServers", 51), "validation_error"),
        (many("customSubagents", 21), "validation_error"),
    ] {
        let response = create(&mut simulator, 0.0, given.clone());
        assert_eq!((response.status, code(&response).as_str()), (400, expected), "{given}");
    }
    let missing = answer(&mut simulator, 0.0, Request::post("/v1/agents", ""));
    assert_eq!((missing.status, code(&missing).as_str()), (400, "missing_body"));
    assert_eq!(answer(&mut simulator, 0.0, Request::post("/v1/agents", "{")).status, 400);
    for given in [
        many("repos", 20),
        vars("X", &"x".repeat(4_096)),
        json!({"prompt": {"text": "a", "images": vec![image; 5]}, "model": {"id": "composer-2"}, "mode": "plan"}),
    ] {
        assert_eq!(create(&mut simulator, 0.0, given).status, 201);
    }
}

#[test]
fn cancelling_ends_the_stream_with_the_documented_frames() {
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    let response = world.open(None);
    let until = world.now + 20_000.0;
    world.drain_until(&response, until);
    let cancel = Request::post(world.path("/cancel"), "");
    let answer = world.ask(cancel.clone());
    assert_eq!((answer.status, body(&answer)), (200, json!({"id": world.run.run_id})));
    let blocks = world.drain(&response).blocks();
    let [status, result, done] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert_eq!((&status.id, &status.json()["status"]), (&None, &json!("CANCELLED")));
    assert_eq!(
        (&result.json()["status"], &result.json()["runId"]),
        (&json!("CANCELLED"), &json!(world.run.run_id))
    );
    assert_eq!((done.event.as_str(), &done.id), ("done", &result.id));
    let record = world.record();
    assert_eq!((&record["status"], &record["durationMs"]), (&json!("CANCELLED"), &json!(20_000)));
    assert_eq!(record["result"], result.json()["text"]);
    let again = world.ask(cancel);
    assert_eq!((again.status, code(&again).as_str()), (409, "run_not_cancellable"));
    let replayed = world.read(None).content();
    assert_eq!(replayed.last().unwrap(), result);
    assert_eq!(
        world.read(replayed[replayed.len() - 2].id.as_deref()).content(),
        std::slice::from_ref(result)
    );
}

#[test]
fn a_late_cancel_lets_the_run_go_on_and_loses_against_its_end() {
    for (delay_ms, expected) in [(5_000.0, "CANCELLED"), (500_000.0, "FINISHED")] {
        let mut knobs = Knobs::default();
        knobs.cancel.delay_ms = delay_ms;
        let mut world = world(Scenario::Coding, Pace::Speed(1.0), knobs);
        world.now += 10_000.0;
        assert_eq!(world.ask(Request::post(world.path("/cancel"), "")).status, 200);
        assert_eq!(world.record()["status"], "RUNNING");
        assert_eq!(world.read(None).content().last().unwrap().json()["status"], expected);
        assert_eq!(world.record()["status"], expected);
    }
}

#[test]
fn a_cancel_can_be_refused_or_have_no_effect() {
    let mut knobs = Knobs::default();
    knobs.cancel.refuse = true;
    let mut refused = world(Scenario::Coding, Pace::Speed(1.0), knobs.clone());
    assert_eq!(refused.ask(Request::post(refused.path("/cancel"), "")).status, 409);
    knobs.cancel.refuse = false;
    knobs.cancel.ignore = true;
    let mut ignored = world(Scenario::Coding, Pace::Speed(1.0), knobs);
    assert_eq!(ignored.ask(Request::post(ignored.path("/cancel"), "")).status, 200);
    assert_eq!(ignored.read(None).content().last().unwrap().json()["status"], "FINISHED");
}

#[test]
fn a_run_on_demand_can_be_cancelled_where_its_reader_is() {
    let mut world = world(Scenario::Coding, Pace::Demand, Knobs::default());
    let Body::Stream(id) = world.open(None).body else { panic!() };
    let runwire_simulator::Poll::Bytes(mut bytes) = world.simulator.poll_stream(world.now, id, 3_000) else {
        panic!()
    };
    assert_eq!(world.ask(Request::post(world.path("/cancel"), "")).status, 200);
    while let runwire_simulator::Poll::Bytes(more) = world.simulator.poll_stream(world.now, id, 3_000) {
        bytes.extend(more);
    }
    assert!(bytes.len() < 5_000);
    assert_eq!(util::blocks(&bytes).iter().rev().nth(1).unwrap().json()["status"], "CANCELLED");
}

#[test]
fn a_stream_expires_after_its_retention_but_the_record_stays() {
    let mut knobs = Knobs::default();
    knobs.replay.retention_seconds = 60;
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), knobs);
    world.read(None);
    world.now += 59_000.0;
    assert_eq!(world.open(None).status, 200);
    world.now += 1_000.0;
    let expired = world.open(Some("1-1"));
    assert_eq!((expired.status, code(&expired).as_str()), (410, "stream_expired"));
    assert_eq!(expired.header_value("x-cursor-stream-retention-seconds"), Some("60"));
    assert_eq!(world.record()["status"], "FINISHED");
}
