//! Hours and days under a clock that runs as fast as it can.

use runwire::follow::Options;
use runwire_simulator::{
    Answer, BodyAnswer, Config, Endpoint, ErrorAnswer, How, Knobs, Rule, RunPlan, Scenario, Scope, Simulator,
};

use crate::seen::{statuses, warnings};
use crate::shapes::frames;
use crate::world::{World, options};

const HOUR: f64 = 3_600_000.0;

fn forever() -> Options {
    Options { give_up_after_ms: f64::INFINITY, ..options() }
}

/// A run of so many hours, a frame a minute.
fn long_run(hours: usize) -> RunPlan {
    let many: Vec<String> = (0..hours * 60).map(|n| format!("K#{n}={n}")).collect();
    let mut run = frames(&format!("S=RUNNING {} S=FINISHED R#z", many.join(" ")));
    let end = run.len() - 1;
    run[..end].iter_mut().for_each(|frame| frame.delay_ms = 60_000.0);
    RunPlan::new(Scenario::frames(run))
}

fn is_whole(world: &World, contents: usize) {
    assert!(world.end.as_ref().is_some_and(Result::is_ok), "{:?}", world.end);
    assert_eq!(world.seen.iter().filter(|seen| seen.content().is_some()).count(), contents);
    assert_eq!(warnings(&world.seen), [""; 0]);
    assert_eq!(statuses(&world.seen), ["RUNNING", "FINISHED"]);
}

fn per_hour(world: &World) -> f64 {
    let first = world.requests[0].at;
    world.requests.len() as f64 / ((world.now - first) / HOUR)
}

#[test]
fn a_run_that_is_quiet_for_eight_hours_is_followed_to_its_end() {
    for heartbeat_ms in [15_000.0, 0.0] {
        let mut knobs = Knobs::default();
        knobs.stream.heartbeat_ms = heartbeat_ms;
        let mut world = World::new(&RunPlan::named("quiet:8").unwrap().knobs(knobs), options());
        world.finish();
        assert!(world.end.as_ref().is_some_and(Result::is_ok));
        assert_eq!(warnings(&world.seen), [""; 0]);
        let expected = world.simulator.frames(&world.run.run_id, 0, u64::MAX).unwrap();
        let contents =
            expected.iter().filter(|f| !matches!(f.event.as_str(), "status" | "heartbeat" | "done")).count();
        assert_eq!(world.seen.iter().filter(|seen| seen.content().is_some()).count(), contents);
        println!("heartbeats each {heartbeat_ms} ms: {:.0} requests an hour", per_hour(&world));
        assert!(per_hour(&world) <= 130.0);
    }
}

#[test]
fn an_hour_offline_is_survived() {
    let mut world = World::new(&long_run(2), options());
    world.run_for(0.25 * HOUR);
    world.follower.handle_online(world.now, false);
    world.simulator.cut(Scope::All, &How::Reset);
    world.run_for(HOUR);
    world.follower.handle_online(world.now, true);
    world.finish();
    is_whole(&world, 121);
    assert_eq!(world.requests.len(), 2);
}

/// The service is dead for an hour in the midst of a run.
fn dead_hour(options: Options, answer: Answer) -> World {
    let mut world = World::new(&long_run(3), options);
    world.run_for(0.5 * HOUR);
    world.simulator.add_rule(world.now, Rule { for_ms: Some(HOUR), answer, ..Rule::default() });
    world.simulator.cut(Scope::All, &How::Reset);
    world
}

#[test]
fn an_hour_of_a_dead_service_rejects_after_ten_minutes() {
    for answer in
        [Answer::Reset, Answer::Never, Answer::Error(ErrorAnswer { status: 503, ..ErrorAnswer::default() })]
    {
        let mut world = dead_hour(options(), answer);
        let died = world.now;
        world.finish();
        assert!(world.end.as_ref().is_some_and(Result::is_err));
        assert!((600_000.0..720_000.0).contains(&(world.now - died)), "{}", world.now - died);
        assert_eq!(
            world.seen.iter().filter(|seen| seen.content().is_some()).count(),
            29,
            "nothing is held back"
        );
    }
}

#[test]
fn an_hour_of_a_dead_service_is_survived_without_a_limit() {
    for answer in [Answer::Reset, Answer::Never] {
        let mut world = dead_hour(forever(), answer);
        world.finish();
        is_whole(&world, 181);
        println!("{} requests", world.requests.len());
        assert!(world.requests.len() < 245);
    }
}

#[test]
fn a_service_that_answers_200_with_nothing_for_a_day_costs_at_most_240_requests_an_hour() {
    let nothing = BodyAnswer { content_type: Some("text/event-stream".into()), ..BodyAnswer::default() };
    let rule = || Rule {
        endpoints: vec![Endpoint::Stream],
        for_ms: Some(24.0 * HOUR),
        answer: Answer::Body(nothing.clone()),
        ..Rule::default()
    };
    let mut world = World::new(&long_run(26), forever());
    world.simulator.add_rule(world.now, rule());
    world.run_for(24.0 * HOUR);
    assert!(per_hour(&world) <= 240.0, "{}", per_hour(&world));
    world.finish();
    is_whole(&world, 26 * 60 + 1);
    // With a limit it says so, after ten minutes.
    let mut world = World::new(&long_run(26), options());
    world.simulator.add_rule(world.now, rule());
    world.finish();
    assert!(world.end.is_some_and(|end| end.is_err()));
}

#[test]
fn a_clock_that_jumps_loses_nothing() {
    let mut world = World::new(&long_run(9), options());
    for (minutes, dead) in
        [(1.0, false), (5.0, true), (30.0, false), (60.0, true), (120.0, true), (-3.0, false)]
    {
        world.run_for(0.3 * HOUR);
        if dead {
            world.half_open();
        }
        world.jump(minutes * 60_000.0);
        world.run_for(30_000.0);
        assert!(world.is_connected(), "after {minutes} minutes");
    }
    world.finish();
    is_whole(&world, 9 * 60 + 1);
    assert!(world.requests.len() < 20, "{}", world.requests.len());
}

#[test]
fn a_laptop_that_sleeps_while_it_waits_has_its_budget_left() {
    let mut world = World::new(&long_run(24), options());
    world.run_for(0.3 * HOUR);
    world.simulator.add_rule(
        world.now,
        Rule { for_ms: Some(8.0 * HOUR + 300_000.0), answer: Answer::Reset, ..Rule::default() },
    );
    world.simulator.cut(Scope::All, &How::Reset);
    world.run_for(240_000.0);
    world.jump(8.0 * HOUR);
    world.run_for(HOUR);
    assert!(world.is_connected() && world.end.is_none(), "{:?}", world.end);
}

#[test]
fn ten_thousand_clients_come_back_spread_after_an_outage() {
    let mut simulator = Simulator::new(Config { log_limit: 0, ..Config::default() });
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for seed in 0..10_000 {
        let taken = std::mem::replace(&mut simulator, Simulator::new(Config::default()));
        let mut run = frames("S=RUNNING A#1=a R#2");
        run[2].delay_ms = HOUR;
        let mut world =
            World::with(taken, &RunPlan::new(Scenario::frames(run)), Options { seed, ..options() });
        world.run_for(10.0);
        let went = world.now;
        world.simulator.add_rule(world.now, Rule { answer: Answer::Reset, ..Rule::default() });
        world.simulator.cut(Scope::All, &How::Reset);
        world.run_for(2_000.0);
        first.push(world.requests[1].at - went);
        second.push(world.requests[2].at - world.requests[1].at);
        world.simulator.clear_rules();
        world.simulator.forget_run(&world.run.run_id);
        simulator = world.simulator;
    }
    for (name, delays, low, high) in [("first", &first, 0.0, 250.0), ("second", &second, 250.0, 500.0)] {
        let mut bins = [0_u32; 10];
        for delay in delays {
            assert!((low..=high).contains(delay), "{delay}");
            bins[(((delay - low) / (high - low) * 10.0) as usize).min(9)] += 1;
        }
        println!("{name} retries in tenths of {low} to {high} ms: {bins:?}");
        assert!(bins.iter().all(|bin| (850..1_150).contains(bin)), "{bins:?}");
    }
}
