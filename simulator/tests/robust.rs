//! Nothing that a client or a caller sends makes the simulator panic.
#![allow(clippy::indexing_slicing, reason = "a test may fail loudly")]

mod util;

use runwire_simulator::{Body, Config, Poll, Reply, Request, Simulator};
use serde_json::{Value, json};

/// A number at every step of a seeded sequence, for picking odd things.
struct Dice(u64);

impl Dice {
    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        &from[(self.0 >> 33) as usize % from.len()]
    }
}

#[test]
fn any_request_gets_an_answer() {
    let mut simulator = Simulator::new(Config { log_limit: 1, ..Config::default() });
    let run = simulator.start_run(0.0, &runwire_simulator::RunPlan::default());
    let segments = [
        "v1",
        "agents",
        "runs",
        "stream",
        "cancel",
        "artifacts",
        "download",
        "usage",
        "archive",
        "me",
        "",
        "%",
        "%ff",
        "..",
        "artifact-store",
        "日本",
        &run.agent_id,
        &run.run_id,
        "?limit=99999999999999999999",
        "?cursor=after_",
        "?path=%",
        "?runId=&&=",
        "?expires=-1&signature=",
        "?lastEventId=%F0%9F",
    ];
    let methods = ["GET", "POST", "DELETE", "HEAD", "OPTIONS", "", "BREW"];
    let headers =
        ["last-event-id", "authorization", "origin", "idempotency-key", "access-control-request-method"];
    let values = [
        "",
        " ",
        "Basic ",
        "Basic ====",
        "Bearer k",
        "1-1",
        "-",
        "99999999999999999999999-0",
        "hb-1",
        "hb--",
        "\u{ff}é日",
    ];
    let bodies = [
        "",
        "{",
        "null",
        "[]",
        "{}",
        r#"{"prompt":{"text":"a","images":7}}"#,
        r#"{"prompt":{"text":"simulate:long:1e300"}}"#,
    ];
    let mut dice = Dice(1);
    for round in 0..20_000 {
        let mut path = String::from("/v1");
        for _ in 0..round % 7 {
            path = format!("{path}/{}", dice.pick(&segments));
        }
        let mut request =
            Request::post(path, *dice.pick(&bodies)).header(dice.pick(&headers), dice.pick(&values));
        request.method = (*dice.pick(&methods)).to_owned();
        if round % 3 == 0 {
            request = request.bearer("k");
        }
        if let Reply::Response { response, .. } = simulator.request(f64::from(round), &request) {
            assert!((200..500).contains(&response.status), "{request:?}");
            if let Body::Stream(id) = response.body {
                simulator.poll_stream(f64::from(round), id, 100);
                simulator.close_stream(id);
            }
        }
    }
}

#[test]
fn settings_at_their_extremes_still_give_streams() {
    let small = [json!(0), json!(1), json!(7), json!(u32::MAX)];
    let large = [json!(0), json!(1), json!(7), json!(u64::MAX)];
    let times = [json!(0), json!(0.5), json!(3), json!(-1), json!(1e300)];
    let paces = [json!("instant"), json!("demand"), json!(1e-300), json!(1), json!(1e300)];
    let mut dice = Dice(2);
    for _ in 0..3_000 {
        let mut simulator = Simulator::new(Config::default());
        let mut any = |from: &[Value]| dice.pick(from).clone();
        let cut = json!({"afterBytes": any(&large), "afterMs": any(&times)});
        let plan = json!({
            "scenario": {"events": any(&large), "twins": true, "intervalMs": any(&times)},
            "pace": any(&paces),
            "shape": {"interleaveTwins": true, "reappear": {"every": any(&large), "after": any(&large)}},
            "knobs": {
                "stream": {
                    "chunk": {"bytes": any(&small)}, "chunkDelayMs": any(&times), "retryMs": any(&large),
                    "heartbeatMs": any(&times), "ids": {"every": any(&large)}, "warmUp": any(&[json!(0), json!(1)]),
                    "cuts": any(&[json!([]), json!([cut])]),
                },
                "replay": {
                    "text": {"recut": any(&small)}, "keepLast": any(&large), "lostFirst": any(&large),
                    "retentionSeconds": any(&large),
                },
                "record": {"lagMs": any(&times)},
                "cancel": {"delayMs": any(&times)},
            },
        });
        let run = simulator.command(5.0, "startRun", &json!({"plan": plan})).unwrap();
        let path = format!(
            "/v1/agents/{}/runs/{}",
            run["agentId"].as_str().unwrap(),
            run["runId"].as_str().unwrap()
        );
        for request in [
            Request::get(path.clone()),
            Request::get(format!("{path}/stream")),
            Request::get(format!("{path}/stream")).header("last-event-id", "1713033000000-0"),
            Request::post(format!("{path}/cancel"), ""),
            Request::get(format!("{path}/stream")),
        ] {
            let response = util::answer(&mut simulator, 5.0, request);
            if let Body::Stream(id) = response.body {
                for poll in 0..20 {
                    if simulator.poll_stream(5.0 + f64::from(poll), id, 64) == Poll::End {
                        break;
                    }
                }
            }
        }
    }
}
