//! What has broken in other clients, as it was reported: row and thread in docs/field-reports.md.

use runwire::follow::Options;
use runwire_simulator::{Answer, Cut, Endpoint, ErrorAnswer, How, Knobs, RetryAfter, Rule, RunPlan, Scope};

use crate::oracle::{Account, Promise};
use crate::shapes::{frames, live, paced};
use crate::world::{START, World, options};

const SECOND: f64 = 1_000.0;
const MINUTE: f64 = 60.0 * SECOND;

fn cut(connection: u32, after_frames: u64, how: How) -> Cut {
    Cut { connection: Some(connection), after_frames: Some(after_frames), how, ..Cut::default() }
}

fn followed(plan: RunPlan, cuts: Vec<Cut>) -> World {
    let mut knobs = Knobs::default();
    knobs.stream.cuts = cuts;
    let mut world = World::new(&plan.knobs(knobs), options());
    world.finish();
    world
}

fn is_exact(world: &World) {
    assert_eq!(Account::of(world).judge(world, Promise::Exact), Ok(()), "{}", world.story());
}

// 36: joshmossas/event-source-plus #26
#[test]
fn the_id_follows_each_reconnect() {
    let run = live(frames("S=RUNNING K#1=a K#2=b K#3=c K#4=d K#5=e K#6=f K#7=g R#8"));
    // The leading status counts, and the frames that a resume repeats.
    let world = followed(run, vec![cut(1, 4, How::Reset), cut(2, 4, How::End), cut(3, 4, How::Reset)]);
    assert_eq!(world.ids(), [None, Some("2"), Some("4"), Some("6")]);
    is_exact(&world);
}

// 31: EventSource/eventsource #27
#[test]
fn an_id_that_was_given_at_the_start_is_not_sent_for_ever() {
    let run = live(frames("S=RUNNING K#5=a K#6=b K#7=c K#8=d R#9"));
    let mut knobs = Knobs::default();
    knobs.stream.cuts = vec![cut(1, 3, How::Reset), cut(2, 3, How::Reset)];
    let mut world = World::new(&run.knobs(knobs), options());
    while world.connections < 1 || world.is_connected() {
        world.step_until(f64::INFINITY);
    }
    let token = world.follower.token();
    world.reload();
    assert!(world.follower.resume_from(&token));
    world.pull();
    world.finish();
    let ids: Vec<_> = world.ids().into_iter().flatten().collect();
    assert_eq!(ids, ["5", "6"], "{}", world.story());
    is_exact(&world);
}

// 33: EventSource/eventsource #157
#[test]
fn comments_alone_show_that_a_connection_lives() {
    let mut run = frames("S=RUNNING A#1=a A#2=b A#3=c K#4=d R#5");
    for comment in &mut run[2..4] {
        comment.raw = Some(":\n\n".into());
    }
    let mut knobs = Knobs::default();
    knobs.stream.heartbeat_ms = 0.0;
    let world = |with: Vec<_>| {
        let mut world = World::new(&paced(with, 55.0 * SECOND).knobs(knobs.clone()), options());
        world.finish();
        (world.requests.len(), world.connections)
    };
    assert_eq!(world(run.clone()), (1, 1));
    // Without them it is silent for three minutes, and looked after.
    run.drain(2..4);
    run[2].delay_ms = 165.0 * SECOND;
    let mut silent =
        World::new(&RunPlan::new(runwire_simulator::Scenario::frames(run)).knobs(knobs), options());
    silent.run_until(START + 3.0 * MINUTE);
    assert!(silent.requests.len() > 1, "{}", silent.story());
}

// 91: adolfousier/opencrabs #1678
#[test]
fn a_connection_may_last_longer_than_any_timeout() {
    let many: Vec<String> = (1..=4_000).map(|n| format!("K#{n}={n}")).collect();
    let mut world = World::new(&paced(frames(&format!("{} R#0", many.join(" "))), 100.0), options());
    world.finish();
    assert!(world.now - START > 6.0 * MINUTE);
    assert_eq!((world.requests.len(), world.disconnects), (1, 0));
}

// 99: vercel/eve #2355
#[test]
fn a_platform_that_ends_each_connection_after_four_minutes_costs_no_attempt() {
    let many: Vec<String> = (1..=60).map(|n| format!("K#{n}={n}")).collect();
    let run = paced(frames(&format!("S=RUNNING {} R#0", many.join(" "))), MINUTE);
    let mut knobs = Knobs::default();
    knobs.stream.cuts = vec![Cut { after_ms: Some(4.0 * MINUTE), how: How::End, ..Cut::default() }];
    let mut world = World::new(&run.knobs(knobs), Options { attempts: 1.0, ..options() });
    world.finish();
    is_exact(&world);
    assert!(world.connections >= 15, "{}", world.connections);
    // Each end is asked about, and each next connection comes within the least delay.
    let gaps = world.requests.windows(2).map(|pair| (pair[1].at - pair[0].at) % (4.0 * MINUTE));
    assert!(gaps.clone().all(|gap| gap <= 250.0), "{:?}", gaps.collect::<Vec<_>>());
    assert_eq!(world.follower.attempts(), 0);
}

fn refused(retry_after: Option<u64>) -> Answer {
    Answer::Error(ErrorAnswer {
        status: 503,
        retry_after: retry_after.map(RetryAfter::Seconds),
        ..ErrorAnswer::default()
    })
}

/// When each of so many clients asked, whose connections break together while the service is down for a while.
fn outage(clients: u64, ms: f64, answer: &Answer) -> Vec<Vec<f64>> {
    let each = |seed| {
        let run = paced(frames("S=RUNNING K#1=a K#2=b R#3"), MINUTE);
        let mut world = World::new(&run, Options { seed, ..options() });
        world.run_for(1.5 * MINUTE);
        let down = Rule {
            endpoints: vec![Endpoint::Stream],
            for_ms: Some(ms),
            answer: answer.clone(),
            ..Rule::default()
        };
        world.simulator.add_rule(world.now, down);
        world.simulator.cut(Scope::All, &How::Reset);
        let began = world.now;
        world.finish();
        is_exact(&world);
        let asked: Vec<f64> =
            world.requests.iter().map(|sent| sent.at - began).filter(|at| *at >= 0.0).collect();
        asked
    };
    (0..clients).map(each).collect()
}

// 28: EventSource/eventsource #122
#[test]
fn clients_of_a_sick_service_ask_ever_more_seldom_and_apart() {
    let asked = outage(10, 5.0 * SECOND, &refused(None));
    for times in &asked {
        assert!(times.len() <= 9, "{times:?}");
    }
    let mut all: Vec<i64> = asked.iter().flatten().map(|at| *at as i64).collect();
    let (count, early) = (all.len(), all.iter().filter(|at| **at < 1_250).count());
    let late = all.iter().filter(|at| (2_500..3_750).contains(*at)).count();
    assert!(early > late, "{early} requests in the first quarter, {late} in the third");
    all.sort_unstable();
    all.dedup();
    assert!(all.len() * 10 >= count * 9, "{} of {count} requests at different times", all.len());
}

// 94: Radiergummi/cetacean #149
#[test]
fn clients_that_are_told_when_come_then_and_apart() {
    let asked = outage(50, 500.0, &refused(Some(1)));
    let mut seconds: Vec<f64> = asked.iter().map(|times| times[1] - times[0]).collect();
    seconds.sort_by(f64::total_cmp);
    assert!(seconds[0] >= SECOND, "{seconds:?}");
    assert!(seconds[49] - seconds[0] >= 150.0, "{seconds:?}");
    assert!(seconds[49] <= 2.0 * SECOND, "{seconds:?}");
}

// 32: EventSource/eventsource #89
#[test]
fn a_reset_while_connecting_arms_one_reconnect() {
    // The world fails where anything is asked while something else is under way.
    let mut world = World::new(&paced(frames("S=RUNNING K#1=a K#2=b R#3"), 10.0 * SECOND), options());
    world.simulator.add_rule(
        world.now,
        Rule { answer: Answer::Reset, times: Some(3), delay_ms: 400.0, ..Rule::default() },
    );
    for _ in 0..200 {
        world.run_for(10.0);
        world.follower.handle_wake(world.now);
        world.follower.handle_online(world.now, true);
        world.drain();
    }
    world.finish();
    is_exact(&world);
    assert_eq!((world.connections, world.ids().len()), (1, 4), "{}", world.story());
}
