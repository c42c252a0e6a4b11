//! How long is waited, what it costs, and when it is given up.

use runwire::cloud::FailureKind;
use runwire::follow::Options;
use runwire_simulator::{
    Answer, BodyAnswer, Cut, Endpoint, ErrorAnswer, How, Knobs, RetryAfter, Rule, RunPlan, RunState,
};

use crate::shapes::{frames, live, paced};
use crate::world::{What, World, options};

const HOUR: f64 = 3_600_000.0;

/// A run that is silent after its first frames, for a day.
fn silent() -> RunPlan {
    let mut run = frames("S=RUNNING A#1=a A#2=b R#3");
    run[3].delay_ms = 24.0 * HOUR;
    RunPlan::new(runwire_simulator::Scenario::frames(run))
}

fn dead(answer: Answer) -> Rule {
    Rule { answer, ..Rule::default() }
}

fn refused(retry_after: Option<u64>) -> Answer {
    Answer::Error(ErrorAnswer {
        status: 503,
        retry_after: retry_after.map(RetryAfter::Seconds),
        ..ErrorAnswer::default()
    })
}

/// A world whose service is dead from the start.
fn world_of(answer: Answer, options: Options) -> World {
    let mut world = World::new(&silent(), options);
    world.simulator.add_rule(world.now, dead(answer));
    world
}

/// Times between the attempts.
fn gaps(world: &World) -> Vec<f64> {
    let times: Vec<f64> = world.requests.iter().map(|sent| sent.at).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

fn forever() -> Options {
    Options { give_up_after_ms: f64::INFINITY, ..options() }
}

#[test]
fn delays_are_drawn_between_the_least_and_a_doubling_cap() {
    let mut highest = [0.0_f64; 12];
    let mut lowest = [f64::INFINITY; 12];
    for seed in 0..300 {
        let mut world = world_of(refused(None), Options { seed, ..forever() });
        world.run_for(HOUR);
        for (nth, gap) in gaps(&world).into_iter().take(12).enumerate() {
            let cap = (500.0 * 2_f64.powi(nth as i32)).min(30_000.0);
            assert!((250.0..=cap).contains(&gap), "{gap} after attempt {nth} of seed {seed}");
            highest[nth] = highest[nth].max(gap / cap);
            lowest[nth] = lowest[nth].min(gap / cap);
        }
    }
    // All of the range is used.
    assert!(highest.iter().all(|part| *part > 0.95), "{highest:?}");
    assert!(lowest.iter().skip(4).all(|part| *part < 0.1), "{lowest:?}");
}

#[test]
fn after_new_content_the_first_attempt_comes_within_the_least_delay() {
    let mut gaps = Vec::new();
    for seed in 0..200 {
        let cut = Cut { connection: Some(1), after_frames: Some(2), ..Cut::default() };
        let mut knobs = Knobs::default();
        knobs.stream.cuts = vec![cut];
        let mut world =
            World::new(&live(frames("S=RUNNING A#1=a R#2")).knobs(knobs), Options { seed, ..options() });
        world.finish();
        gaps.push(world.requests[1].at - world.requests[0].at);
    }
    assert!(gaps.iter().all(|gap| (0.0..=250.0).contains(gap)));
    assert!(gaps.iter().any(|gap| *gap < 20.0) && gaps.iter().any(|gap| *gap > 230.0));
}

#[test]
fn the_stream_may_raise_the_least_delay_up_to_five_minutes() {
    for (retry, floor) in [(4_000, 4_000.0), (100, 250.0), (86_400_000, 300_000.0)] {
        let mut knobs = Knobs::default();
        knobs.stream.retry_ms = Some(retry);
        let mut world = World::new(&silent().knobs(knobs), forever());
        world.run_for(1.0);
        assert!(world.is_connected());
        world.simulator.add_rule(world.now, dead(refused(None)));
        world.simulator.cut(runwire_simulator::Scope::All, &How::Reset);
        world.run_for(4.0 * HOUR);
        let gaps = gaps(&world);
        assert!(gaps[0] <= floor + 1.0, "content has come, so at once: {gaps:?}");
        assert!(gaps[1..].iter().all(|gap| *gap >= floor), "{gaps:?}");
        assert!(gaps.iter().all(|gap| *gap <= floor.max(30_000.0) + 1.0), "{gaps:?}");
    }
}

#[test]
fn the_service_may_say_how_long_up_to_five_minutes() {
    for (seconds, least) in [(7, 7_000.0), (0, 0.0), (86_400, 300_000.0)] {
        let mut world = world_of(refused(Some(seconds)), forever());
        world.run_for(4.0 * HOUR);
        let gaps = gaps(&world);
        assert!(gaps.iter().take(15).all(|gap| *gap >= least), "{gaps:?}");
        assert!(gaps.iter().all(|gap| *gap <= 2.0 * least.max(15_000.0) + 1_000.0), "{gaps:?}");
    }
}

#[test]
fn clients_told_to_wait_equally_long_do_not_come_back_together() {
    let firsts = (0..50).map(|seed| {
        let mut world = world_of(refused(Some(60)), Options { seed, ..forever() });
        world.run_for(HOUR);
        gaps(&world)[0]
    });
    let firsts: Vec<f64> = firsts.collect();
    let spread = firsts.iter().fold(0.0_f64, |max, gap| max.max(*gap))
        - firsts.iter().fold(f64::MAX, |min, gap| min.min(*gap));
    assert!(spread > 200.0, "{spread}");
}

#[test]
fn after_ten_minutes_without_success_the_last_error_is_the_answer() {
    let mut world = world_of(refused(None), options());
    world.finish();
    let lived = world.now - world.requests[0].at;
    assert!((600_000.0..=660_000.0).contains(&lived), "{lived}");
    let failure = world.end.unwrap().unwrap_err();
    assert_eq!(failure.kind, FailureKind::Network);
}

#[test]
fn attempts_can_be_counted() {
    for attempts in [0.0, 1.0, 5.0] {
        let mut world = world_of(refused(None), Options { attempts, ..forever() });
        world.finish();
        assert_eq!(world.requests.len(), 1 + attempts as usize);
    }
}

/// Follows a run whose connections all break alike, for so long; gives the world.
fn broken(cut: Cut, ms: f64, options: Options) -> World {
    let mut knobs = Knobs::default();
    knobs.stream.cuts = vec![cut];
    knobs.stream.heartbeat_ms = 5_000.0;
    let mut world = World::new(&silent().knobs(knobs), options);
    world.run_for(ms);
    world
}

fn after(ms: f64, how: How) -> Cut {
    Cut { after_ms: Some(ms), how, ..Cut::default() }
}

#[test]
fn a_connection_that_brings_nothing_new_does_not_renew_the_budget() {
    // Statuses, heartbeats and replayed content are not new.
    for how in [How::Reset, How::End, How::Error { code: "x".into(), message: "y".into() }] {
        for ms in [0.0, 1_000.0, 20_000.0, 29_000.0] {
            let world = broken(after(ms, how.clone()), HOUR, options());
            let failure = world.end.as_ref().and_then(|end| end.as_ref().err());
            assert!(
                failure.is_some_and(|failure| failure.kind == FailureKind::Network),
                "{how:?} after {ms}"
            );
        }
    }
}

#[test]
fn the_last_attempt_is_made_when_the_budget_ends() {
    for give_up_after_ms in [20_000.0, 100_000.0, 600_000.0] {
        for seed in 0..20 {
            let mut world = world_of(refused(None), Options { give_up_after_ms, seed, ..options() });
            world.finish();
            let (first, last) = (world.requests.first().unwrap().at, world.requests.last().unwrap().at);
            assert_eq!(last - first, give_up_after_ms, "seed {seed}: {:?}", gaps(&world));
            assert_eq!(world.now, last, "nothing is waited for after that");
            assert!(world.end.is_some_and(|end| end.is_err()));
        }
    }
}

#[test]
fn what_could_only_be_tried_after_the_budget_is_not_waited_for() {
    let budget = |give_up_after_ms| Options { give_up_after_ms, ..options() };
    let mut asked = world_of(refused(Some(120)), budget(100_000.0));
    asked.finish();
    assert_eq!((asked.requests.len(), asked.now), (1, asked.requests[0].at));

    // A run whose connections bring nothing costs a number of requests at once, and then few.
    let mut spaced =
        world_of(refused(None), Options { min_delay_ms: 1.0, max_delay_ms: 1.0, ..budget(10_000.0) });
    spaced.finish();
    let last = spaced.requests.last().unwrap().at;
    assert_eq!(spaced.now, last, "{:?}", gaps(&spaced));
    assert!(last - spaced.requests[0].at < 10_000.0);
}

#[test]
fn a_connection_open_for_half_a_minute_renews_the_budget() {
    for how in [How::Reset, How::End] {
        let world = broken(after(31_000.0, how), 5.0 * HOUR, options());
        assert!(world.end.is_none(), "{:?}", world.end);
    }
}

#[test]
fn new_content_renews_the_budget() {
    // A frame a minute, and no connection lives for more than one.
    let mut knobs = Knobs::default();
    knobs.stream.cuts = vec![after(20_000.0, How::Reset)];
    let many: Vec<String> = (1..120).map(|n| format!("K#{n}={n}")).collect();
    let run = frames(&format!("S=RUNNING {} R#z", many.join(" ")));
    let mut world = World::new(&paced(run, 60_000.0).knobs(knobs), options());
    world.finish();
    assert!(world.end.is_some_and(|end| end.is_ok()));
    assert_eq!(world.seen.iter().filter(|seen| seen.content().is_some()).count(), 120);
}

/// The most requests in any hour.
fn most_in_an_hour(world: &World) -> usize {
    let times: Vec<f64> = world.requests.iter().map(|sent| sent.at).collect();
    (0..times.len())
        .map(|at| times[at..].iter().take_while(|time| **time < times[at] + HOUR).count())
        .max()
        .unwrap_or(0)
}

#[test]
fn a_silent_run_costs_at_most_240_requests_in_any_hour() {
    let mut worst = 0;
    let error = How::Error { code: "stream_unavailable".into(), message: "y".into() };
    for how in [How::Reset, How::End, error, How::Hold] {
        for ms in [0.0, 100.0, 1_000.0, 10_000.0, 15_000.0, 20_000.0, 29_999.0, 30_000.0, 31_000.0, 45_000.0]
        {
            for max_delay_ms in [250.0, 30_000.0] {
                let options = Options { max_delay_ms, ..forever() };
                let world = broken(after(ms, how.clone()), 6.0 * HOUR, options);
                let most = most_in_an_hour(&world);
                assert!(most <= 240, "{most} requests: {how:?} after {ms} ms");
                worst = worst.max(most);
            }
        }
    }
    for answer in [refused(None), refused(Some(0)), Answer::Reset, empty()] {
        let mut world = world_of(answer, Options { max_delay_ms: 250.0, ..forever() });
        world.run_for(6.0 * HOUR);
        worst = worst.max(most_in_an_hour(&world));
        assert!(most_in_an_hour(&world) <= 240);
    }
    println!("at most {worst} requests in an hour");
}

/// Whoever wakes the client often does not make it ask more.
#[test]
fn waking_does_not_raise_what_a_silent_run_costs() {
    let mut knobs = Knobs::default();
    knobs.stream.cuts = vec![after(1_000.0, How::End)];
    let mut world = World::new(&silent().knobs(knobs), forever());
    for _ in 0..2_000 {
        world.run_for(5_000.0);
        world.follower.handle_wake(world.now);
        world.follower.handle_online(world.now, true);
    }
    let most = most_in_an_hour(&world);
    assert!(most <= 240, "{most}");
}

fn empty() -> Answer {
    Answer::Body(BodyAnswer { content_type: Some("text/event-stream".into()), ..BodyAnswer::default() })
}

#[test]
fn offline_nothing_is_tried_and_nothing_spent() {
    let mut world = World::new(&silent(), options());
    world.run_for(1_000.0);
    world.follower.handle_online(world.now, false);
    world.simulator.cut(runwire_simulator::Scope::All, &How::Reset);
    let before = world.requests.len();
    world.run_for(3.0 * HOUR);
    assert_eq!(world.requests.len(), before);
    // The service is dead when the platform comes back: the whole budget is there.
    world.simulator.add_rule(world.now, Rule { for_ms: Some(550_000.0), ..dead(Answer::Reset) });
    world.follower.handle_online(world.now, true);
    world.run_for(HOUR);
    assert!(world.end.is_none() && world.is_connected(), "{:?}", world.end);
}

#[test]
fn what_breaks_offline_is_no_attempt() {
    let mut world = World::new(&silent(), Options { attempts: 1.0, ..options() });
    world.run_for(1_000.0);
    world.follower.handle_online(world.now, false);
    world.simulator.cut(runwire_simulator::Scope::All, &How::Reset);
    world.run_for(1_000.0);
    // The one attempt is left for what breaks online.
    world.simulator.add_rule(world.now, Rule { times: Some(1), ..dead(Answer::Reset) });
    world.follower.handle_online(world.now, true);
    world.run_for(10_000.0);
    assert!(world.is_connected() && world.end.is_none(), "{:?}", world.end);
}

#[test]
fn the_record_is_not_asked_offline_either() {
    let mut world = World::new(&silent(), options());
    world.run_for(1_000.0);
    world.simulator.cut(runwire_simulator::Scope::All, &How::End);
    world.follower.handle_online(world.now, false);
    world.run_for(HOUR);
    assert_eq!(world.times_run_asked(), 0);
    world.follower.handle_online(world.now, true);
    world.run_for(1_000.0);
    assert_eq!(world.times_run_asked(), 1);
    assert!(world.is_connected());
}

#[test]
fn a_request_without_an_answer_is_given_up_after_thirty_seconds() {
    let mut world = world_of(Answer::Never, forever());
    world.run_for(31_000.0);
    assert_eq!(world.requests.len(), 2);
    assert!((30_250.0..=30_500.0).contains(&gaps(&world)[0]));
    // The same for the record.
    let mut world = World::new(&silent(), forever());
    world.run_for(1_000.0);
    world.simulator.add_rule(world.now, Rule { endpoints: vec![Endpoint::GetRun], ..dead(Answer::Never) });
    world.simulator.cut(runwire_simulator::Scope::All, &How::End);
    world.run_for(32_000.0);
    assert!(world.is_connected());
    assert_eq!(world.requests[1].what, What::Run);
}

#[test]
fn a_record_that_cannot_be_read_is_no_reason_to_end() {
    let mut knobs = Knobs::default();
    knobs.stream.cuts =
        vec![Cut { connection: Some(1), after_frames: Some(2), how: How::End, ..Cut::default() }];
    knobs.record.frozen = Some(RunState::Running);
    let mut world = World::new(&paced(frames("S=RUNNING A#1=a A#2=b R#3"), 1_000.0).knobs(knobs), options());
    world.simulator.add_rule(world.now, Rule { endpoints: vec![Endpoint::GetRun], ..dead(refused(None)) });
    world.finish();
    assert!(world.end.is_some_and(|end| end.is_ok()));
}
