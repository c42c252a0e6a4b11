//! What ends a run's stream, and what only ends a connection.

use runwire::cloud::FailureKind;
use runwire_simulator::{
    AfterEnd, Answer, BodyAnswer, CustomFrame, Cut, Endpoint, ErrorAnswer, How, Knobs, Rule, RunPlan,
    RunState, Scenario, Scope,
};

use crate::seen::{statuses, warnings};
use crate::shapes::{frames, live, paced, past};
use crate::world::{What, World, options};

const SHORT: &str = "S=RUNNING A#1=a A#2=b K#3=c";

fn world(plan: &RunPlan) -> World {
    World::new(plan, options())
}

fn finished(plan: &RunPlan) -> World {
    let mut world = world(plan);
    world.finish();
    world
}

fn short(end: &str) -> Vec<CustomFrame> {
    frames(&format!("{SHORT} {end}"))
}

/// Connection `nth` breaks after so many frames.
fn cut(nth: u32, frames: u64, how: How) -> Cut {
    Cut { connection: Some(nth), after_frames: Some(frames), how, ..Cut::default() }
}

fn with(set: impl FnOnce(&mut Knobs)) -> Knobs {
    let mut knobs = Knobs::default();
    set(&mut knobs);
    knobs
}

/// Answers for the stream in place of its own.
fn answers(answer: Answer, times: u32) -> Rule {
    Rule { endpoints: vec![Endpoint::Stream], times: Some(times), answer, ..Rule::default() }
}

fn error(status: u16) -> Answer {
    Answer::Error(ErrorAnswer { status, ..ErrorAnswer::default() })
}

fn body(status: u16, content_type: &str, text: &str) -> Answer {
    Answer::Body(BodyAnswer {
        status,
        content_type: Some(content_type.into()),
        text: text.into(),
        ..BodyAnswer::default()
    })
}

fn kind(world: &World) -> Option<FailureKind> {
    world.end.as_ref().and_then(|end| end.as_ref().err()).map(|failure| failure.kind)
}

fn contents(world: &World) -> usize {
    world.seen.iter().filter(|seen| seen.content().is_some()).count()
}

#[test]
fn after_the_result_it_reads_on_to_the_end_of_the_body() {
    let world = finished(&live(short("R#4 D#4")));
    assert_eq!(
        (world.disconnects, world.times_run_asked(), world.connections),
        (1, 0, 1),
        "done: not to the end"
    );
    let world = finished(&live(short("R#4")));
    assert_eq!((world.disconnects, world.times_run_asked(), world.connections), (0, 0, 1));
}

#[test]
fn after_the_result_it_waits_at_most_a_second() {
    let knobs = with(|knobs| knobs.stream.after_end = AfterEnd::Hold);
    let world = finished(&live(short("R#4")).knobs(knobs));
    assert_eq!(world.now - world.requests[0].at, 1_000.0);
    assert_eq!((world.disconnects, world.times_run_asked(), world.connections), (1, 0, 1));
}

#[test]
fn a_cut_after_the_result_ends_nothing_but_the_connection() {
    for how in [How::Reset, How::End, How::Hold] {
        let knobs = with(|knobs| knobs.stream.cuts = vec![cut(1, 5, how)]);
        let world = finished(&live(short("R#4 D#4")).knobs(knobs));
        assert!(world.end.as_ref().is_some_and(Result::is_ok));
        assert_eq!((world.requests.len(), contents(&world)), (1, 4));
    }
}

#[test]
fn done_without_a_result_asks_the_record_and_settles() {
    let world = finished(&live(short("D")));
    assert!(world.end.as_ref().is_some_and(Result::is_ok));
    assert_eq!((world.times_run_asked(), world.connections), (1, 1));
}

#[test]
fn done_while_the_record_says_running_reconnects() {
    let knobs = with(|knobs| knobs.record.frozen = Some(RunState::Running));
    let mut world = world(&live(short("D")).knobs(knobs));
    world.run_for(60_000.0);
    assert!(world.end.is_none() && world.connections > 3);
    let run = world.run.run_id.clone();
    world.simulator.set_knobs(Scope::Run(&run), Knobs::default()).unwrap();
    world.finish();
    assert_eq!(contents(&world), 3);
    assert!(world.end.as_ref().is_some_and(Result::is_ok));
}

#[test]
fn no_content_asks_the_record() {
    let mut world = world(&past(short("R#4")));
    world.simulator.add_rule(world.now, answers(body(204, "", ""), 1));
    world.finish();
    assert!(world.end.as_ref().is_some_and(Result::is_ok));
    assert_eq!((world.times_run_asked(), world.connections), (1, 0));
}

#[test]
fn an_answer_without_a_body_is_no_end() {
    let mut world = world(&past(short("R#4")));
    world.simulator.add_rule(world.now, answers(body(200, "text/event-stream", ""), 2));
    world.finish();
    assert!(world.end.as_ref().is_some_and(Result::is_ok));
    assert_eq!((contents(&world), world.connections), (4, 1), "{}", world.story());
}

#[test]
fn a_body_that_ends_while_the_run_goes_on_is_reopened() {
    let knobs = with(|knobs| knobs.stream.cuts = vec![cut(1, 3, How::End)]);
    let world = finished(&paced(short("R#4"), 1_000.0).knobs(knobs));
    let what: Vec<bool> = world.requests.iter().map(|sent| sent.what == What::Run).collect();
    assert_eq!(what, [false, true, false]);
    assert_eq!(contents(&world), 4);
}

#[test]
fn a_body_that_only_looks_whole_is_asked_for_again() {
    // A proxy ends the body in the middle; the run is over by the time that the record is asked.
    for (nth, how) in [(1, How::End), (2, How::End), (1, How::Hold), (2, How::Hold)] {
        let cuts = (1..=nth).map(|nth| cut(nth, 3, how.clone()));
        let knobs = with(|knobs| knobs.stream.cuts = cuts.collect());
        let world = finished(&past(short("S=FINISHED R#4")).knobs(knobs));
        assert_eq!((contents(&world), warnings(&world.seen)), (4, vec![]), "{}", world.story());
        assert_eq!(statuses(&world.seen), ["FINISHED"]);
    }
}

#[test]
fn a_run_that_never_says_that_it_is_over_is_asked_for_three_times_more() {
    let knobs = with(|knobs| knobs.stream.without = vec!["result".into(), "done".into()]);
    let world = finished(&live(short("R#4")).knobs(knobs));
    assert!(world.end.as_ref().is_some_and(Result::is_ok));
    assert_eq!((world.times_run_asked(), world.connections, contents(&world)), (1, 4, 3));
    assert_eq!(warnings(&world.seen), [""; 0]);
}

#[test]
fn a_fatal_error_frame_rejects_at_once_but_after_what_came_before_it() {
    for (code, expected) in [
        ("unauthorized", FailureKind::Authentication),
        ("forbidden", FailureKind::Unknown),
        ("not_found", FailureKind::Configuration),
    ] {
        let mut world = world(&RunPlan::new(Scenario::Fatal(code.into())));
        world.paused = true;
        world.run_for(600_000.0);
        assert!(world.end.is_none() && !world.seen.is_empty(), "{code}");
        world.pull();
        world.finish();
        assert_eq!(kind(&world), Some(expected), "{code}");
        assert_eq!(world.times_run_asked(), 0);
    }
}

#[test]
fn another_error_frame_ends_the_connection_and_the_record_decides() {
    let knobs = with(|knobs| {
        let how = How::Error { code: "internal".into(), message: "Try again".into() };
        knobs.stream.cuts = vec![cut(1, 3, how)];
    });
    let world = finished(&live(short("R#4")).knobs(knobs));
    assert!(world.end.as_ref().is_some_and(Result::is_ok));
    assert_eq!((contents(&world), world.times_run_asked(), world.connections), (4, 1, 2));
}

#[test]
fn a_stream_that_is_not_there_yet_is_tried_again() {
    let world = finished(&RunPlan::named("warm-up").unwrap());
    assert!(world.end.as_ref().is_some_and(Result::is_ok));
    assert_eq!(world.connections, 3);
    assert_eq!(statuses(&world.seen), ["CREATING", "RUNNING", "FINISHED"]);
}

#[test]
fn a_terminal_status_and_the_end_of_the_body_are_believed() {
    // Even if the record says otherwise.
    for frozen in [None, Some(RunState::Running)] {
        let knobs = with(|knobs| knobs.record.frozen = frozen);
        let world = finished(&RunPlan::named("status-only").unwrap().knobs(knobs));
        assert!(world.end.as_ref().is_some_and(Result::is_ok));
        assert_eq!((world.times_run_asked(), world.connections), (1, 1));
        assert_eq!(statuses(&world.seen).last().map(String::as_str), Some("FINISHED"));
    }
}

#[test]
fn a_terminal_status_and_silence_are_believed_after_five_seconds() {
    let knobs = with(|knobs| {
        knobs.stream.after_end = AfterEnd::Hold;
        knobs.stream.heartbeat_ms = 1_000.0;
        knobs.record.frozen = Some(RunState::Running);
    });
    let world = finished(&live(short("S=FINISHED")).knobs(knobs));
    assert_eq!(world.now - world.requests[0].at, 5_000.0);
    assert_eq!((world.times_run_asked(), world.connections), (1, 1));
}

#[test]
fn content_after_a_terminal_status_begins_the_grace_anew() {
    let mut run = short("S=FINISHED A#4=late R#5");
    (run[5].delay_ms, run[6].delay_ms) = (4_000.0, 4_000.0);
    let world = finished(&RunPlan::new(Scenario::frames(run)));
    assert_eq!((contents(&world), world.times_run_asked()), (5, 0));
}

#[test]
fn a_pause_is_not_a_grace() {
    for pause in [7_000.0, 3_600_000.0] {
        let mut world = world(&live(short("S=FINISHED A#4=late R#5")));
        world.network.read_size = 1;
        while statuses(&world.seen).last().is_none_or(|status| status != "FINISHED") {
            world.step_until(f64::INFINITY);
        }
        // Its last read brought a byte; then it reads no more.
        world.paused = true;
        world.network.read_size = 60;
        while world.follower.deadline().is_some() {
            world.step_until(f64::INFINITY);
        }
        world.run_for(pause);
        world.pull();
        // A timer may fire before what is queued is read.
        world.follower.handle_time(world.now);
        world.finish();
        assert_eq!((contents(&world), world.requests.len()), (5, 1), "{}", world.story());
    }
}

#[test]
fn a_terminal_status_at_the_top_of_a_reconnect_waits_for_the_end() {
    let mut world =
        world(&past(short("R#4")).knobs(with(|knobs| knobs.stream.cuts = vec![cut(1, 0, How::Reset)])));
    world.finish();
    assert_eq!(statuses(&world.seen), ["FINISHED"]);
    assert!(world.seen.last().is_some_and(|seen| seen.status().is_some()), "{}", world.story());
}

#[test]
fn an_expired_stream_fails_unless_everything_has_come() {
    let expired = |cut_after| {
        let knobs = with(|knobs| knobs.stream.cuts = vec![cut(1, cut_after, How::Reset)]);
        let mut world = world(&live(short("S=FINISHED R#5")).knobs(knobs));
        while world.connections < 1 || world.is_connected() {
            world.step_until(f64::INFINITY);
        }
        world.simulator.add_rule(world.now, answers(error(410), 9));
        world.finish();
        world
    };
    assert_eq!(kind(&expired(3)), Some(FailureKind::StreamExpired));
    assert!(expired(5).end.is_some_and(|end| end.is_ok()));
}

#[test]
fn a_status_at_the_top_is_not_everything() {
    let knobs = with(|knobs| knobs.stream.cuts = vec![cut(1, 2, How::Reset)]);
    let mut world = world(&past(short("R#5")).knobs(knobs));
    world.simulator.add_rule(world.now, Rule { skip: 1, ..answers(error(410), 9) });
    world.finish();
    assert_eq!(kind(&world), Some(FailureKind::StreamExpired), "{}", world.story());
}

#[test]
fn what_cannot_work_fails_at_once() {
    for (status, expected) in [
        (400, FailureKind::Configuration),
        (401, FailureKind::Authentication),
        (403, FailureKind::Unknown),
        (404, FailureKind::Configuration),
        (409, FailureKind::AgentBusy),
        (410, FailureKind::StreamExpired),
        (422, FailureKind::Unknown),
    ] {
        let mut world = world(&live(short("R#4")));
        world.simulator.add_rule(world.now, answers(error(status), 1));
        world.finish();
        assert_eq!((kind(&world), world.requests.len()), (Some(expected), 1), "{status}");
    }
}

#[test]
fn what_may_work_later_is_tried_again() {
    let html = "<html><body>One moment</body></html>";
    for answer in [
        error(408),
        error(429),
        error(500),
        error(502),
        error(503),
        error(504),
        Answer::Reset,
        Answer::Never,
        body(200, "text/html", html),
        body(200, "application/json", "{}"),
        body(200, "text/event-stream", ""),
    ] {
        let mut world = world(&paced(short("R#4"), 1_000.0));
        world.simulator.add_rule(world.now, answers(answer.clone(), 2));
        world.finish();
        assert!(world.end.as_ref().is_some_and(Result::is_ok), "{answer:?}");
        assert_eq!((contents(&world), world.ids().len()), (4, 3), "{answer:?}");
    }
}

#[test]
fn the_error_of_the_last_attempt_is_the_one_that_counts() {
    let mut world = world(&live(short("R#4")));
    world.simulator.add_rule(world.now, answers(error(503), 2));
    world.simulator.add_rule(world.now, answers(error(429), 10_000));
    world.finish();
    assert_eq!(kind(&world), Some(FailureKind::RateLimit));
}

#[test]
fn an_event_that_is_too_long_fails_after_what_came_before_it() {
    let plan = live(frames(&format!("S=RUNNING A#1=a A#2={} R#3", "x".repeat(2_000))));
    let mut world = World::new(&plan, runwire::follow::Options { max_event_bytes: 1_000, ..options() });
    world.finish();
    assert_eq!((kind(&world), contents(&world)), (Some(FailureKind::EventTooLarge), 1));
}

#[test]
fn an_absence_longer_than_the_retention_asks_the_record_first() {
    let mut world = world(&paced(short("R#4"), 3_600_000.0).knobs(with(|knobs| {
        knobs.stream.cuts = vec![cut(1, 2, How::Reset)];
    })));
    world.follower.handle_retention(86_400_000.0);
    while world.connections < 1 || world.is_connected() {
        world.step_until(f64::INFINITY);
    }
    world.follower.handle_online(world.now, false);
    world.run_for(90_000_000.0);
    world.follower.handle_online(world.now, true);
    world.run_for(10_000.0);
    assert_eq!(world.requests[1].what, What::Run, "{}", world.story());
    assert!(matches!(world.requests[2].what, What::Stream { .. }));
}
