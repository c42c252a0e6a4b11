//! The stream as documented: its frames, its ids, its end.

mod util;

use runwire_simulator::{Knobs, Pace, RunState, Scenario};
use std::collections::BTreeMap;
use util::{Ended, world};

#[test]
fn the_first_frame_of_every_connection_is_a_status_without_id() {
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    for wait in [0.0, 200.0, 1_000.0, 30_000.0, 90_000.0] {
        world.now += wait;
        let response = world.open(None);
        let until = world.now + 1.0;
        let first = world.drain_until(&response, until).blocks().remove(0);
        assert_eq!((first.event.as_str(), first.id), ("status", None), "after {wait} ms");
    }
}

#[test]
fn the_documented_example_comes_out_as_documented() {
    let mut world = world(Scenario::Example, Pace::Demand, Knobs::default());
    let expected = include_str!("../src/scenarios/example.sse").replace("$RUN_ID", &world.run.run_id);
    let read = world.read(None);
    assert_eq!(String::from_utf8(read.bytes).unwrap(), expected);
    assert_eq!(read.ended, Ended::End);
}

#[test]
fn an_answer_names_its_type_and_its_retention() {
    let mut world = world(Scenario::Coding, Pace::Instant, Knobs::default());
    let response = world.open(None);
    assert_eq!(response.header_value("content-type"), Some("text/event-stream"));
    assert_eq!(response.header_value("x-cursor-stream-retention-seconds"), Some("86400"));
    assert!(response.header_value("x-request-id").is_some_and(|id| id.starts_with("req-")));
}

#[test]
fn every_simple_frame_comes_right_after_an_update_with_its_id_and_its_text() {
    let mut world = world(Scenario::Coding, Pace::Instant, Knobs::default());
    let blocks = world.read(None).content();
    let mut twins = 0;
    for pair in blocks.windows(2) {
        if matches!(pair[1].event.as_str(), "assistant" | "thinking" | "tool_call") {
            assert_eq!((pair[0].event.as_str(), &pair[0].id), ("interaction_update", &pair[1].id));
            assert_eq!(pair[0].json().get("text"), pair[1].json().get("text"));
            twins += 1;
        }
    }
    assert!(twins > 200, "{twins} twins");
}

#[test]
fn ids_are_milliseconds_and_a_number_and_never_go_back() {
    let mut world = world(Scenario::Coding, Pace::Instant, Knobs::default());
    let ids: Vec<(u64, u64)> = world
        .read(None)
        .content()
        .iter()
        .map(|block| block.id.as_deref().unwrap().split_once('-').unwrap())
        .map(|(ms, n)| (ms.parse().unwrap(), n.parse().unwrap()))
        .collect();
    assert!(ids.is_sorted());
}

#[test]
fn result_and_done_share_an_id_and_nothing_follows() {
    let mut world = world(Scenario::Coding, Pace::Instant, Knobs::default());
    let blocks = world.read(None).blocks();
    let [.., result, done] = blocks.as_slice() else { panic!() };
    assert_eq!((result.event.as_str(), done.event.as_str()), ("result", "done"));
    assert_eq!(result.id, done.id);
    assert!(result.id.is_some());
}

#[test]
fn the_coding_run_lasts_about_a_minute_and_shows_what_clients_must_render() {
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    let start = world.now;
    let read = world.read(None);
    let took = read.at - start;
    assert!((45_000.0..90_000.0).contains(&took), "{took} ms");
    let blocks = read.blocks();
    let mut tools = BTreeMap::<String, Vec<String>>::new();
    for block in blocks.iter().filter(|block| block.event == "tool_call") {
        let call = block.json();
        tools
            .entry(call["callId"].as_str().unwrap().into())
            .or_default()
            .push(call["status"].as_str().unwrap().into());
    }
    assert!(tools.len() >= 8, "{tools:?}");
    assert!(tools.values().all(|states| states[0] == "running" && states.len() == 2));
    assert_eq!(tools.values().filter(|states| states[1] == "error").count(), 1);
    let text = util::text_of(&blocks, "assistant");
    for piece in ["```ts", "👩‍💻", "日本語", "<img src=x onerror=", "| file | change |", "e\u{301}"]
    {
        assert!(text.contains(piece), "{piece} is missing");
    }
    let statuses: Vec<_> =
        blocks.iter().filter(|b| b.event == "status").map(|b| b.json()["status"].clone()).collect();
    assert_eq!(statuses, ["CREATING", "RUNNING", "FINISHED"]);
}

#[test]
fn a_run_ends_in_each_terminal_state_on_its_stream_and_in_its_record() {
    for (scenario, state) in [
        (Scenario::Coding, "FINISHED"),
        (Scenario::Error, "ERROR"),
        (Scenario::Expired, "EXPIRED"),
        (Scenario::Cancelled, "CANCELLED"),
    ] {
        let mut world = world(scenario, Pace::Speed(1.0), Knobs::default());
        assert_eq!(world.record()["status"], "CREATING");
        world.now += 1_000.0;
        assert_eq!(world.record()["status"], "RUNNING");
        let blocks = world.read(None).blocks();
        let result = blocks.iter().find(|block| block.event == "result").unwrap().json();
        let record = world.record();
        assert_eq!(result["status"], state);
        assert_eq!(record["status"], state);
        assert_eq!((&record["durationMs"], &record["error"]), (&result["durationMs"], &result["error"]));
        assert_eq!((&record["result"], &record["git"]), (&result["text"], &result["git"]));
        assert_eq!(result["error"].is_object(), state == "ERROR");
    }
}

#[test]
fn a_status_only_run_has_no_result_and_a_finished_record() {
    let mut world = world(Scenario::StatusOnly, Pace::Speed(1.0), Knobs::default());
    let read = world.read(None);
    let last = read.blocks().pop().unwrap();
    assert_eq!((last.event.as_str(), last.json()["status"].as_str()), ("status", Some("FINISHED")));
    assert_eq!(read.ended, Ended::End);
    assert_eq!(world.record()["status"], "FINISHED");
}

#[test]
fn a_fatal_frame_ends_the_connection_and_comes_again() {
    let mut world = world(Scenario::Fatal("unauthorized".into()), Pace::Speed(1.0), Knobs::default());
    for _ in 0..2 {
        let last = world.read(None).blocks().pop().unwrap();
        assert_eq!((last.event.as_str(), last.json()["code"].as_str()), ("error", Some("unauthorized")));
    }
}

#[test]
fn a_warm_up_ends_two_connections_with_stream_unavailable() {
    let mut world = world(Scenario::WarmUp, Pace::Speed(1.0), Knobs::default());
    for _ in 0..2 {
        let events: Vec<_> = world.read(None).blocks().iter().map(|block| block.event.clone()).collect();
        assert_eq!(events, ["status", "status", "error", "done"]);
    }
    assert!(world.read(None).blocks().iter().any(|block| block.event == "result"));
}

#[test]
fn a_quiet_run_sends_nothing_but_heartbeats_without_ids_for_hours() {
    let mut world = world(Scenario::Quiet(8.0), Pace::Speed(1.0), Knobs::default());
    let blocks = world.read(None).blocks();
    let longest = blocks.split(|block| block.event != "heartbeat").map(<[_]>::len).max().unwrap();
    // The last one would fall together with the end of the silence.
    assert_eq!(longest, 8 * 3_600 / 15 - 1);
    assert!(
        blocks.iter().filter(|block| block.event == "heartbeat").all(|b| b.id.is_none() && b.data == "{}")
    );
    assert_eq!(world.record()["status"], "FINISHED");
}

#[test]
fn frames_come_at_their_time_divided_by_the_speed() {
    let mut slow = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    let mut fast = world(Scenario::Coding, Pace::Speed(60.0), Knobs::default());
    let (start, slow_read, fast_read) = (slow.now, slow.read(None), fast.read(None));
    let ratio = (slow_read.at - start) / (fast_read.at - start);
    assert!((59.0..61.0).contains(&ratio), "{ratio}");
    assert_eq!(slow_read.content(), fast_read.content());
}

#[test]
fn a_run_on_demand_is_not_over_before_its_end_is_read() {
    let mut world = world(Scenario::Coding, Pace::Demand, Knobs::default());
    world.now += 3_600_000.0;
    assert_eq!(world.record()["status"], "CREATING");
    world.read(None);
    assert_eq!(world.record()["status"], "FINISHED");
    assert_eq!(world.simulator.run_state(world.now, &world.run.run_id), Ok(RunState::Finished));
}

#[test]
fn two_readers_see_the_same_whatever_their_pace() {
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    let (early, now) = (world.open(None), world.now);
    world.drain_until(&early, now + 20_000.0);
    let late = world.read(None);
    let finished = world.read(None);
    assert_eq!(late.content(), finished.content());
}
