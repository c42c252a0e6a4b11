//! Who may call the service, from where; and what it tells about the account, usage and artifacts.

mod util;

use runwire_simulator::{
    Auth, Body, Config, Cors, Knobs, Pace, Reply, Request, RunPlan, Scenario, Simulator,
};
use serde_json::{Value, json};
use util::{answer, body, code, world};

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
fn usage_sums_up_the_turns_of_all_runs_or_of_one() {
    let mut simulator = simulator(Pace::Instant);
    let agent = body(&create(&mut simulator, 0.0, prompt()))["agent"]["id"].as_str().unwrap().to_owned();
    let next =
        answer(&mut simulator, 0.0, Request::post(format!("/v1/agents/{agent}/runs"), prompt().to_string()));
    let run = body(&next)["run"]["id"].as_str().unwrap().to_owned();
    let all = body(&answer(&mut simulator, 0.0, Request::get(format!("/v1/agents/{agent}/usage"))));
    let one =
        body(&answer(&mut simulator, 0.0, Request::get(format!("/v1/agents/{agent}/usage?runId={run}"))));
    assert_eq!(one["totalUsage"]["inputTokens"], 48_211);
    assert_eq!(one["totalUsage"]["totalTokens"], 48_211 + 2_904 + 131_072 + 9_216);
    assert_eq!(all["totalUsage"]["inputTokens"], 2 * 48_211);
    assert_eq!((all["runs"].as_array().unwrap().len(), one["runs"].as_array().unwrap().len()), (2, 1));
    assert_eq!(one["runs"][0]["id"], run);
    assert!(one["cost"]["chargedCents"].as_f64().unwrap() > one["cost"]["rawCostCents"].as_f64().unwrap());
    let none = answer(&mut simulator, 0.0, Request::get(format!("/v1/agents/{agent}/usage?runId=run-x")));
    assert_eq!((none.status, code(&none).as_str()), (404, "run_not_found"));
    let mut service = simulator.service().clone();
    service.usage_cost = false;
    simulator.set_service(service);
    let free = body(&answer(&mut simulator, 0.0, Request::get(format!("/v1/agents/{agent}/usage"))));
    assert_eq!((free.get("cost"), free["runs"][0].get("cost")), (None, None));
}

#[test]
fn artifacts_lie_behind_presigned_urls_that_want_no_key() {
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    let path = format!("/v1/agents/{}/artifacts", world.run.agent_id);
    assert_eq!(body(&world.ask(Request::get(path.clone())))["items"], json!([]));
    world.now += 600_000.0;
    let items = body(&world.ask(Request::get(path.clone())))["items"].as_array().unwrap().clone();
    assert_eq!(items.len(), 3);
    for item in items {
        let name = item["path"].as_str().unwrap();
        let encoded: String = name.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let link = body(&world.ask(Request::get(format!("{path}/download?path={encoded}"))));
        let url = link["url"].as_str().unwrap().strip_prefix("https://artifacts.example").unwrap().to_owned();
        let fetch =
            |world: &mut util::World, request: Request| match world.simulator.request(world.now, &request) {
                Reply::Response { response, .. } => response,
                other => panic!("{other:?}"),
            };
        let file = fetch(&mut world, Request::get(url.clone()));
        let Body::Full(bytes) = &file.body else { panic!() };
        assert_eq!((file.status, bytes.len() as u64), (200, item["sizeBytes"].as_u64().unwrap()));
        assert_eq!(fetch(&mut world, Request::get(url.clone()).bearer("k")).status, 400);
        assert_eq!(fetch(&mut world, Request::get(url.replace("signature=", "signature=0"))).status, 403);
        world.now += 15.0 * 60_000.0;
        assert_eq!(fetch(&mut world, Request::get(url)).status, 403, "it has expired");
    }
    assert_eq!(world.ask(Request::get(format!("{path}/download?path=nothing"))).status, 404);
    assert_eq!(world.ask(Request::get(format!("{path}/download"))).status, 400);
}

#[test]
fn the_account_has_a_user_models_and_repositories() {
    let mut simulator = simulator(Pace::Instant);
    let mut get = |path: &str| body(&answer(&mut simulator, 0.0, Request::get(path)));
    assert_eq!(get("/v1/me")["userEmail"], "ada@example.com");
    let models = get("/v1/models");
    assert_eq!(models["items"].as_array().unwrap().len(), 3);
    assert!(models["items"][0]["variants"][0]["isDefault"].as_bool().unwrap());
    assert!(get("/v1/repositories")["items"][0]["url"].is_string());
}

#[test]
fn repositories_can_be_asked_for_as_often_as_set() {
    let mut simulator = simulator(Pace::Instant);
    let mut service = simulator.service().clone();
    service.repositories_per_minute = Some(1);
    simulator.set_service(service);
    let mut ask = |now: f64| answer(&mut simulator, now, Request::get("/v1/repositories"));
    assert_eq!(ask(0.0).status, 200);
    let limited = ask(20_000.0);
    assert_eq!((limited.status, limited.header_value("retry-after")), (429, Some("40")));
    assert_eq!(limited.header_value("x-ratelimit-limit"), Some("1"));
    assert_eq!(ask(60_000.0).status, 200);
}

#[test]
fn only_valid_keys_get_in_and_they_can_be_changed() {
    let mut simulator = simulator(Pace::Instant);
    let status = |simulator: &mut Simulator, now: f64, value: &str| {
        let request = Request::get("/v1/me").header("authorization", value);
        answer(simulator, now, request).status
    };
    let Reply::Response { response, .. } = simulator.request(0.0, &Request::get("/v1/me")) else { panic!() };
    assert_eq!((response.status, code(&response).as_str()), (401, "unauthorized"));
    assert_eq!(status(&mut simulator, 0.0, "Bearer anything"), 200);
    simulator.set_keys(vec!["key_1".into()]);
    assert_eq!(status(&mut simulator, 0.0, "Bearer key_1"), 200);
    assert_eq!(status(&mut simulator, 0.0, "Basic a2V5XzE6"), 200);
    assert_eq!(status(&mut simulator, 0.0, "Bearer key_2"), 401);
    let asked = Request::post("/v1/sub-tokens", r#"{"forUserEmail":"ada@example.com"}"#).bearer("key_1");
    let token = body(&answer(&mut simulator, 0.0, asked));
    let bearer = format!("Bearer {}", token["accessToken"].as_str().unwrap());
    assert_eq!(token["expiresAt"], "1970-01-01T01:00:00.000Z");
    simulator.set_keys(vec!["key_2".into()]);
    assert_eq!(status(&mut simulator, 0.0, "Bearer key_1"), 401);
    assert_eq!(status(&mut simulator, 0.0, "Bearer key_2"), 200);
    assert_eq!(status(&mut simulator, 3_599_000.0, &bearer), 200);
    assert_eq!(status(&mut simulator, 3_600_000.0, &bearer), 401);
    let mut service = simulator.service().clone();
    service.auth = Auth::Off;
    simulator.set_service(service);
    assert_eq!(status(&mut simulator, 0.0, "nonsense"), 200);
}

#[test]
fn a_repeated_idempotency_key_gets_the_first_answer_unless_the_service_forgets() {
    for (idempotency, runs) in [(true, 1), (false, 2)] {
        let mut simulator = simulator(Pace::Instant);
        let mut service = simulator.service().clone();
        service.idempotency = idempotency;
        simulator.set_service(service);
        let request = || Request::post("/v1/agents", prompt().to_string()).header("idempotency-key", "one");
        let first = body(&answer(&mut simulator, 0.0, request()));
        let second = body(&answer(&mut simulator, 0.0, request()));
        assert_eq!(first == second, idempotency);
        assert_eq!(simulator.counters().runs, runs);
    }
}

#[test]
fn pages_are_let_in_by_preflights_that_can_refuse_a_header() {
    let mut simulator = simulator(Pace::Instant);
    let preflight = || Request {
        method: "OPTIONS".into(),
        ..Request::get("/v1/me")
            .header("origin", "https://app.example")
            .header("access-control-request-method", "GET")
            .header("access-control-request-headers", "authorization, last-event-id")
    };
    let ask = |simulator: &mut Simulator, request: Request| answer(simulator, 0.0, request);
    let closed = ask(&mut simulator, preflight());
    assert_eq!(closed.header_value("access-control-allow-origin"), None);
    let mut service = simulator.service().clone();
    let cors = Cors { refuse_headers: vec!["last-event-id".into()], ..Cors::default() };
    service.cors = Some(cors.clone());
    simulator.set_service(service.clone());
    let open = ask(&mut simulator, preflight());
    assert_eq!((open.status, open.header_value("access-control-allow-origin")), (204, Some("*")));
    assert_eq!(open.header_value("access-control-allow-headers"), Some("authorization"));
    let answered = ask(&mut simulator, Request::get("/v1/me").header("origin", "https://app.example"));
    let exposed = answered.header_value("access-control-expose-headers").unwrap();
    assert!(exposed.contains("x-request-id") && exposed.contains("x-cursor-stream-retention-seconds"));
    service.cors = Some(Cors { origins: vec!["https://other.example".into()], credentials: true, ..cors });
    simulator.set_service(service);
    let refused = ask(&mut simulator, Request::get("/v1/me").header("origin", "https://app.example"));
    assert_eq!(refused.header_value("access-control-allow-origin"), None);
    let granted = ask(&mut simulator, Request::get("/v1/me").header("origin", "https://other.example"));
    assert_eq!(granted.header_value("access-control-allow-origin"), Some("https://other.example"));
    assert_eq!(granted.header_value("access-control-allow-credentials"), Some("true"));
}

#[test]
fn a_head_request_has_no_body_and_opens_no_stream() {
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    let head = Request { method: "HEAD".into(), ..Request::get(world.path("/stream")) };
    let response = world.ask(head);
    assert_eq!((response.status, response.body), (200, Body::Full(Vec::new())));
    assert_eq!(world.simulator.counters().streams_open, 0);
}
