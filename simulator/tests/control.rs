//! Control: determinism, plans, the log, and the JSON commands behind JavaScript.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

mod util;

use runwire_simulator::{
    Body, Chunk, Config, Expected, Knobs, Pace, Poll, Request, RunPlan, Scenario, Scope, Simulator, Text,
};
use serde_json::{Value, json};
use util::{answer, body, text_of, world};

fn command(simulator: &mut Simulator, name: &str, fields: Value) -> Value {
    simulator.command(0.0, name, &fields).unwrap()
}

/// Everything that a simulator says to a fixed series of calls.
fn conversation(seed: u64) -> Vec<String> {
    let mut simulator = Simulator::new(Config { seed, ..Config::default() });
    let mut said = Vec::new();
    for scenario in ["coding", "error", "long:300:twins"] {
        let run = simulator.start_run(5.0, &RunPlan::named(scenario).unwrap().pace(Pace::Instant));
        let path = format!("/v1/agents/{}/runs/{}", run.agent_id, run.run_id);
        said.push(format!("{:?}", answer(&mut simulator, 6.0, Request::get(path.clone()))));
        let stream = answer(&mut simulator, 7.0, Request::get(format!("{path}/stream")));
        let Body::Stream(id) = stream.body else { panic!() };
        while let Poll::Bytes(bytes) = simulator.poll_stream(8.0, id, 1_000) {
            said.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    said
}

#[test]
fn equal_seeds_and_calls_give_equal_answers_and_other_seeds_do_not() {
    assert_eq!(conversation(1), conversation(1));
    assert_ne!(conversation(1), conversation(2));
}

#[test]
fn runs_created_by_requests_follow_the_plan_the_queue_and_the_prompt() {
    let mut simulator = Simulator::new(Config::default());
    simulator.set_plan(RunPlan::new(Scenario::Error).pace(Pace::Instant));
    simulator.plan_runs([RunPlan::new(Scenario::Expired).pace(Pace::Instant)]);
    let mut state = |text: &str| {
        let given = json!({"prompt": {"text": text}}).to_string();
        let run = body(&answer(&mut simulator, 0.0, Request::post("/v1/agents", given)))["run"].clone();
        let path =
            format!("/v1/agents/{}/runs/{}", run["agentId"].as_str().unwrap(), run["id"].as_str().unwrap());
        body(&answer(&mut simulator, 0.0, Request::get(path)))["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(state("hi"), "EXPIRED");
    assert_eq!(state("hi"), "ERROR");
    assert_eq!(state("simulate: cancelled"), "CANCELLED");
    assert_eq!(state("simulate: nonsense"), "ERROR");
}

#[test]
fn a_run_with_knobs_of_its_own_does_not_follow_the_service() {
    let mut world = world(Scenario::Coding, Pace::Instant, Knobs::default());
    let plain = world.simulator.start_run(0.0, &RunPlan::new(Scenario::Coding).pace(Pace::Instant));
    let mut knobs = Knobs::default();
    knobs.replay.expired = true;
    world.simulator.set_knobs(Scope::All, knobs).unwrap();
    assert_eq!(world.open(None).status, 200);
    let path = format!("/v1/agents/{}/runs/{}/stream", plain.agent_id, plain.run_id);
    assert_eq!(world.ask(Request::get(path)).status, 410);
    assert!(world.simulator.set_knobs(Scope::Run("run-x"), Knobs::default()).is_err());
}

#[test]
fn the_log_hides_nothing_and_keeps_the_newest() {
    let mut simulator = Simulator::new(Config { log_limit: 3, ..Config::default() });
    for n in 0..5 {
        let request =
            Request::post(format!("/v1/sub-tokens?n={n}"), r#"{"forUserId":1}"#).bearer("key_secret");
        answer(&mut simulator, f64::from(n), request);
    }
    let log: Vec<_> = simulator.requests().cloned().collect();
    assert_eq!(log.iter().map(|request| request.number).collect::<Vec<_>>(), [3, 4, 5]);
    assert_eq!((log[2].at, log[2].path.as_str()), (4.0, "/v1/sub-tokens?n=4"));
    assert_eq!(log[2].body, r#"{"forUserId":1}"#);
    assert!(log[2].headers.contains(&("authorization".into(), "Bearer key_secret".into())));
    assert_eq!(simulator.counters().requests, 5);
    simulator.clear_requests();
    assert_eq!(simulator.requests().count(), 0);
}

#[test]
fn what_is_expected_is_what_an_undisturbed_connection_brings() {
    for scenario in [Scenario::Coding, Scenario::Error, Scenario::parse("long:500:twins").unwrap()] {
        let mut world = world(scenario, Pace::Instant, Knobs::default());
        let run = world.run.run_id.clone();
        let blocks = world.read(None).blocks();
        let text = text_of(&blocks, "assistant");
        assert_eq!(world.simulator.expected_text(&run).unwrap(), text);
        let Expected { events, assistant, .. } = world.simulator.expected(&run).unwrap();
        assert_eq!(assistant.length, text.encode_utf16().count() as u64);
        assert_eq!(
            events["assistant"],
            blocks.iter().filter(|block| block.event == "assistant").count() as u64
        );
        let messages = world.simulator.expected_messages(&run).unwrap();
        let of = |kind: &str| messages.iter().filter(|message| message["type"] == kind).count() as u64;
        for event in ["assistant", "thinking", "tool_call"] {
            assert_eq!(of(event), events[event]);
        }
    }
}

#[test]
fn the_checksum_is_the_known_one() {
    let wire = "event: assistant\ndata: {\"text\":\"a\"}\n\n";
    let world = world(Scenario::wire(wire), Pace::Instant, Knobs::default());
    let expected = world.simulator.expected(&world.run.run_id).unwrap();
    // FNV-1a of the bytes 61 00.
    let by_hand =
        [0x61_u32, 0].iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ byte).wrapping_mul(0x0100_0193));
    assert_eq!((expected.assistant.length, expected.assistant.checksum), (1, by_hand));
}

#[test]
fn expected_messages_have_the_documented_shapes() {
    let mut world = world(Scenario::Coding, Pace::Instant, Knobs::default());
    let ids = (world.run.agent_id.clone(), world.run.run_id.clone());
    let messages = command(&mut world.simulator, "expectedMessages", json!({"runId": ids.1}));
    let first =
        |kind: &str| messages.as_array().unwrap().iter().find(|message| message["type"] == kind).unwrap();
    let text = first("assistant")["message"]["content"][0]["text"].clone();
    let assistant = json!({
        "type": "assistant", "agent_id": ids.0, "run_id": ids.1,
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
    });
    assert_eq!(first("assistant"), &assistant);
    let tool = first("tool_call");
    assert_eq!(
        (&tool["call_id"], &tool["status"], tool.get("result")),
        (&json!("call-1"), &json!("running"), None)
    );
    let usage = json!({
        "inputTokens": 48_211, "outputTokens": 2_904, "cacheReadTokens": 131_072, "cacheWriteTokens": 9_216,
        "totalTokens": 191_403, "reasoningTokens": 611,
    });
    assert_eq!(first("usage")["usage"], usage);
}

#[test]
fn cancelling_from_outside_shortens_what_is_expected() {
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    let run = world.run.run_id.clone();
    let whole = world.simulator.frame_count(&run).unwrap();
    assert_eq!(world.simulator.cancel_run(world.now + 10_000.0, &run), Ok(true));
    assert_eq!(world.simulator.cancel_run(world.now + 10_000.0, &run), Ok(false));
    assert!(world.simulator.frame_count(&run).unwrap() < whole);
    let text = text_of(&world.read(None).blocks(), "assistant");
    assert_eq!(world.simulator.expected_text(&run).unwrap(), text);
}

#[test]
fn a_forgotten_run_is_gone_and_ten_thousand_leave_nothing_behind() {
    let mut simulator = Simulator::new(Config { log_limit: 10, ..Config::default() });
    for n in 0..10_000 {
        let run = simulator.start_run(f64::from(n), &RunPlan::default());
        simulator.forget_run(&run.run_id);
        assert!(simulator.run_state(0.0, &run.run_id).is_err());
    }
    assert_eq!(simulator.counters().runs, 10_000);
}

#[test]
fn commands_change_only_what_they_name() {
    let mut simulator = Simulator::new(Config::default());
    let mut set = |patch: Value| {
        command(&mut simulator, "setKnobs", json!({"patch": patch}));
        let knobs = simulator.knobs(Scope::All).unwrap();
        (knobs.stream.chunk, knobs.stream.retry_ms, knobs.replay.text)
    };
    assert_eq!(
        set(json!({"stream": {"chunk": {"bytes": 1}, "retryMs": 5}})),
        (Some(Chunk::Bytes(1)), Some(5), Text::AsSent)
    );
    assert_eq!(set(json!({"stream": {"chunk": "frame"}})), (Some(Chunk::Frame), Some(5), Text::AsSent));
    assert_eq!(set(json!({"stream": {"chunk": null}})), (None, Some(5), Text::AsSent));
    assert_eq!(set(json!({"stream": null, "replay": {"text": {"split": 2}}})), (None, None, Text::Split(2)));
    command(&mut simulator, "setService", json!({"patch": {"auth": {"keys": ["a"]}}}));
    command(&mut simulator, "setService", json!({"patch": {"errorFormat": "flat"}}));
    let response = answer(&mut simulator, 0.0, Request::get("/v1/me"));
    assert_eq!(body(&response), json!({"code": "unauthorized", "message": "Invalid API key"}));
}

#[test]
fn a_run_started_by_command_takes_what_is_given_over_the_plan() {
    let mut simulator = Simulator::new(Config::default());
    let plan = json!({"scenario": {"frames": [{"event": "assistant", "data": {"text": "a"}}]}, "pace": "instant",
        "knobs": {"stream": {"heartbeatMs": 7}}});
    let run =
        command(&mut simulator, "startRun", json!({"plan": plan}))["runId"].as_str().unwrap().to_owned();
    assert_eq!(simulator.expected_text(&run).unwrap(), "a");
    assert_eq!(simulator.knobs(Scope::Run(&run)).unwrap().stream.heartbeat_ms, 7.0);
    let frames = command(&mut simulator, "frames", json!({"runId": run}));
    assert_eq!(frames, json!([{"event": "assistant", "id": null, "data": "{\"text\":\"a\"}"}]));
}

#[test]
fn nonsense_is_refused_with_the_reason() {
    let mut simulator = Simulator::new(Config::default());
    for (name, fields, reason) in [
        ("nothing", json!({}), "a command is expected, not \"nothing\""),
        ("addRule", json!({"rule": {"endpoint": "me"}}), "rule: there is no \"endpoint\""),
        ("addRule", json!({"rule": {"times": -1}}), "rule: times: a whole number from 0 is expected, not -1"),
        ("setKnobs", json!({"patch": {"streams": {}}}), "there is no \"streams\""),
        (
            "setKnobs",
            json!({"patch": {"stream": {"lineEnding": "lfcr"}}}),
            "stream: lineEnding: one of lf crlf cr is expected, not \"lfcr\"",
        ),
        ("startRun", json!({"plan": {"scenario": "lunch"}}), "scenario: unknown scenario \"lunch\""),
        (
            "startRun",
            json!({"plan": {"pace": 0}}),
            "pace: a number above 0, \"instant\" or \"demand\" is expected, not 0",
        ),
        ("cancelRun", json!({"runId": "run-x"}), "unknown run \"run-x\""),
        ("cancelRun", json!({}), "runId: a text is expected, not null"),
    ] {
        assert_eq!(simulator.command(0.0, name, &fields).unwrap_err().to_string(), reason);
    }
    assert_eq!(simulator.counters().runs, 0);
    assert!(Config::from_json(&json!({"sead": 1})).is_err());
}
