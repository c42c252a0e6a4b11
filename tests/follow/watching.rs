//! When silence is taken for death, and what waking does.

use runwire::follow::Options;
use runwire_simulator::{AfterEnd, Cut, How, Knobs, Rule, RunPlan, Scenario, Scope};

use crate::shapes::{frames, live, paced};
use crate::world::{What, World, options};

const MINUTE: f64 = 60_000.0;
const HOUR: f64 = 3_600_000.0;

/// A run that is silent after its first frames, for two days, with heartbeats each so often.
fn quiet(heartbeat_ms: f64) -> World {
    let mut run = frames("S=RUNNING A#1=a A#2=b K#3=c R#4");
    run[3].delay_ms = 48.0 * HOUR;
    let mut knobs = Knobs::default();
    knobs.stream.heartbeat_ms = heartbeat_ms;
    let plan = RunPlan::new(Scenario::frames(run)).knobs(knobs);
    let mut world = World::new(&plan, options());
    world.run_for(100.0);
    assert!(world.is_connected());
    world
}

/// When the first request after the first connection was made, and what it was.
fn next_request(world: &World) -> Option<(f64, &What)> {
    world.requests.get(1).map(|sent| (sent.at - world.requests[0].at, &sent.what))
}

#[test]
fn a_minute_without_a_byte_asks_the_record_and_reconnects() {
    let mut world = quiet(0.0);
    world.run_for(2.0 * MINUTE);
    assert_eq!(next_request(&world), Some((MINUTE, &What::Run)));
    assert!(matches!(world.requests[2].what, What::Stream { .. }));
    assert!(world.is_connected() && world.end.is_none());
}

#[test]
fn heartbeats_keep_a_connection_for_five_minutes_without_content() {
    let mut world = quiet(15_000.0);
    world.run_for(6.0 * MINUTE);
    assert_eq!(next_request(&world), Some((5.0 * MINUTE, &What::Run)));
    assert!(world.is_connected() && world.end.is_none());
}

#[test]
fn a_long_replay_is_content() {
    // Ten minutes of old frames, one each ten seconds: slow, but not dead.
    let many: Vec<String> = (1..=60).map(|n| format!("K={n}")).collect();
    let mut knobs = Knobs::default();
    knobs.stream.cuts = vec![Cut { connection: Some(1), after_frames: Some(61), ..Cut::default() }];
    let plan = live(frames(&format!("S=RUNNING {} R", many.join(" ")))).knobs(knobs.clone());
    let mut world = World::new(&plan, options());
    world.network.read_size = 50;
    while world.connections < 1 || world.is_connected() {
        world.step_until(f64::INFINITY);
    }
    knobs.stream.chunk = Some(runwire_simulator::Chunk::Frame);
    knobs.stream.chunk_delay_ms = 10_000.0;
    let run = world.run.run_id.clone();
    world.simulator.set_knobs(Scope::Run(&run), knobs).unwrap();
    world.finish();
    assert_eq!(world.connections, 2, "{}", world.story());
    assert_eq!(world.seen.iter().filter(|seen| seen.content().is_some()).count(), 61);
}

#[test]
fn no_watchdog_runs_while_the_consumer_pauses() {
    let mut world = World::new(&live(frames("S=RUNNING A#1=a A#2=b K#3=c R#4")), options());
    world.network.read_size = 60;
    world.paused = true;
    world.run_for(1.0);
    assert!(world.is_connected() && !world.seen.is_empty());
    world.half_open();
    world.run_for(24.0 * HOUR);
    assert_eq!(world.requests.len(), 1);
    // It is dead, which shows as soon as it is read.
    world.pull();
    world.run_for(2.0 * MINUTE);
    assert!(world.requests.len() > 1);
}

#[test]
fn a_pause_of_a_day_between_reads_is_not_silence() {
    let mut world = World::new(&live(frames("S=RUNNING A#1=a A#2=b K#3=c R#4")), options());
    world.network.read_size = 60;
    world.paused = true;
    world.run_for(1.0);
    assert!(world.is_connected());
    for _ in 0..30 {
        world.run_for(24.0 * HOUR);
        if world.end.is_some() {
            break;
        }
        world.follower.handle_pull();
        world.drain();
    }
    assert!(world.end.as_ref().is_some_and(Result::is_ok));
    assert_eq!((world.requests.len(), world.connections), (1, 1), "{}", world.story());
}

#[test]
fn a_connection_lost_in_a_pause_is_reopened_at_the_next_read() {
    let mut world = World::new(&live(frames("S=RUNNING A#1=a A#2=b K#3=c R#4")), options());
    world.network.read_size = 60;
    world.paused = true;
    world.run_for(1.0);
    world.simulator.cut(Scope::All, &How::Reset);
    world.run_for(HOUR);
    assert_eq!(world.requests.len(), 1);
    world.pull();
    world.finish();
    assert_eq!(world.connections, 2);
    assert_eq!(world.seen.iter().filter(|seen| seen.content().is_some()).count(), 4);
}

#[test]
fn a_late_timer_reads_what_is_queued_before_it_judges() {
    // The page was frozen for an hour; the bytes have been waiting.
    for ms in [10.0 * MINUTE, HOUR] {
        let mut world = World::new(&paced(frames("S=RUNNING A#1=a A#2=b K#3=c R#4"), 30_000.0), options());
        world.run_for(100.0);
        world.jump(ms);
        world.follower.handle_time(world.now);
        world.finish();
        assert_eq!((world.requests.len(), world.disconnects), (1, 0), "{}", world.story());
    }
}

#[test]
fn a_frozen_page_does_not_take_its_queue_for_the_end() {
    // A terminal status was read; the rest waits while the page is frozen.
    let mut run = frames("S=RUNNING A#1=a S=FINISHED A#2=late R#3");
    run[3].delay_ms = 100.0;
    let mut world = World::new(&RunPlan::new(Scenario::frames(run)), options());
    world.run_for(50.0);
    world.jump(MINUTE);
    world.follower.handle_time(world.now);
    world.finish();
    assert_eq!((world.requests.len(), world.connections), (1, 1), "{}", world.story());
    assert_eq!(world.seen.iter().filter(|seen| seen.content().is_some()).count(), 3);
}

#[test]
fn a_connection_that_died_in_sleep_is_replaced_within_five_seconds() {
    for with_wake in [true, false] {
        let mut world = quiet(15_000.0);
        world.half_open();
        world.jump(HOUR);
        if with_wake {
            world.follower.handle_wake(world.now);
        }
        let woken = world.now;
        world.run_for(5_000.0);
        assert!(world.is_connected());
        assert_eq!(world.connections, 2);
        let replaced = &world.requests[1];
        assert!(replaced.at - woken <= 3_500.0 && replaced.at - woken >= 3_000.0, "{}", replaced.at - woken);
        assert!(matches!(replaced.what, What::Stream { .. }));
    }
}

#[test]
fn a_connection_that_lives_is_left_alone_after_waking() {
    let mut world = quiet(1_000.0);
    for _ in 0..20 {
        world.jump(MINUTE / 2.0);
        world.follower.handle_wake(world.now);
        world.run_for(4_000.0);
    }
    assert_eq!((world.requests.len(), world.disconnects), (1, 0));
}

#[test]
fn what_replaces_a_connection_after_waking_is_not_spent() {
    // The service is dead for the rest of the budget, which a wake has not touched.
    let options = Options { attempts: 3.0, ..options() };
    let mut run = frames("S=RUNNING A#1=a R#4");
    run[2].delay_ms = 48.0 * HOUR;
    let mut knobs = Knobs::default();
    knobs.stream.heartbeat_ms = 0.0;
    let mut world = World::new(&RunPlan::new(Scenario::frames(run)).knobs(knobs), options);
    world.run_for(100.0);
    for _ in 0..10 {
        world.half_open();
        world.follower.handle_wake(world.now);
        world.run_for(5_000.0);
        assert!(world.is_connected() && world.end.is_none());
    }
    assert_eq!(world.connections, 11);
}

#[test]
fn fifty_short_flips_of_a_tab_reconnect_nothing() {
    // The driver wakes the follower only after half a minute; a flip is a late timer at most.
    let mut world = quiet(15_000.0);
    for seconds in (1..=20).cycle().take(50) {
        world.lateness = f64::from(seconds) * 1_000.0;
        world.run_for(2.0 * f64::from(seconds) * 1_000.0);
        world.lateness = 0.0;
    }
    let reconnects = world.connections - 1;
    let stalls = world.times_run_asked();
    assert_eq!(reconnects, stalls, "only what five minutes without content cost: {}", world.story());
}

#[test]
fn waking_ends_a_backoff_early_but_once_per_least_delay() {
    let mut world = quiet(0.0);
    world.simulator.add_rule(world.now, Rule { answer: runwire_simulator::Answer::Reset, ..Rule::default() });
    world.simulator.cut(Scope::All, &How::Reset);
    world.run_for(5.0 * MINUTE);
    let before = world.requests.len();
    let started = world.now;
    for _ in 0..1_000 {
        world.follower.handle_wake(world.now);
        world.run_for(1.0);
    }
    let made = world.requests.len() - before;
    assert!((1..=5).contains(&made), "{made} requests in {} ms", world.now - started);
}

#[test]
fn waking_does_not_cut_short_what_the_service_asked_for() {
    let mut world = quiet(0.0);
    let refusal = runwire_simulator::ErrorAnswer {
        status: 429,
        retry_after: Some(runwire_simulator::RetryAfter::Seconds(120)),
        ..runwire_simulator::ErrorAnswer::default()
    };
    world.simulator.add_rule(
        world.now,
        Rule { answer: runwire_simulator::Answer::Error(refusal), times: Some(1), ..Rule::default() },
    );
    world.simulator.cut(Scope::All, &How::Reset);
    world.run_for(1_000.0);
    assert_eq!(world.requests.len(), 2);
    for _ in 0..119 {
        world.follower.handle_wake(world.now);
        world.run_for(1_000.0);
    }
    assert_eq!(world.requests.len(), 2);
    world.run_for(5_000.0);
    assert_eq!(world.requests.len(), 3);
    assert!(world.is_connected());
}

#[test]
fn a_page_that_comes_back_online_reconnects_at_once() {
    let mut world = quiet(15_000.0);
    world.follower.handle_online(world.now, false);
    world.simulator.cut(Scope::All, &How::Reset);
    world.run_for(HOUR);
    world.follower.handle_online(world.now, true);
    let back = world.now;
    world.run_for(1_000.0);
    assert!(world.requests[1].at - back <= 250.0);
    assert!(world.is_connected());
}

#[test]
fn a_held_end_costs_one_connection() {
    let mut knobs = Knobs::default();
    knobs.stream.after_end = AfterEnd::Hold;
    let mut world = World::new(&live(frames("S=RUNNING A#1=a S=FINISHED R#2")).knobs(knobs), options());
    world.finish();
    assert_eq!(world.requests.len(), 1);
}
