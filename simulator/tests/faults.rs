//! Faults of connections and of requests.

mod util;

use runwire_simulator::{
    AfterEnd, Answer, Body, BodyAnswer, Chunk, Cut, Endpoint, ErrorAnswer, ErrorFormat, How, Knobs,
    LineEnding, Outcome, Pace, Poll, Reply, Request, RetryAfter, Rule, RunState, Scenario, Scope,
};
use util::{Ended, World, body, code, world};

fn with(change: impl FnOnce(&mut Knobs)) -> World {
    let mut knobs = Knobs::default();
    change(&mut knobs);
    world(Scenario::Coding, Pace::Demand, knobs)
}

fn rule(endpoints: &[Endpoint], answer: Answer) -> Rule {
    Rule { endpoints: endpoints.to_vec(), answer, ..Rule::default() }
}

fn status(status: u16) -> Answer {
    Answer::Error(ErrorAnswer { status, ..ErrorAnswer::default() })
}

#[test]
fn line_ends_blanks_and_a_byte_order_mark_change_nothing_else() {
    let plain = with(|_| {}).read(None).bytes;
    for (line_ending, end) in [(LineEnding::Crlf, "\r\n"), (LineEnding::Cr, "\r")] {
        let read = with(|knobs| {
            knobs.stream.line_ending = line_ending;
            knobs.stream.bom = true;
        });
        let text = String::from_utf8({ read }.read(None).bytes).unwrap();
        let text = text.strip_prefix('\u{feff}').unwrap();
        assert_eq!(text.replace(end, "\n"), String::from_utf8(plain.clone()).unwrap());
    }
    let compact = String::from_utf8(with(|knobs| knobs.stream.space = false).read(None).bytes).unwrap();
    assert!(compact.starts_with("event:status\ndata:{"));
}

#[test]
fn pieces_have_the_size_that_was_asked_for() {
    let plain = with(|_| {}).read(None).bytes;
    for bytes in [1, 7, 1_000] {
        let read = with(|knobs| knobs.stream.chunk = Some(Chunk::Bytes(bytes))).read(None);
        assert_eq!(read.bytes, plain);
        let (last, others) = read.chunks.split_last().unwrap();
        assert!(others.iter().all(|chunk| *chunk == bytes as usize) && *last <= bytes as usize);
    }
    let framed = with(|knobs| knobs.stream.chunk = Some(Chunk::Frame)).read(None);
    assert_eq!(framed.bytes, plain);
    assert_eq!(framed.chunks.len(), framed.blocks().len());
}

#[test]
fn pieces_can_trickle() {
    let mut world = with(|knobs| {
        knobs.stream.chunk = Some(Chunk::Bytes(1_000));
        knobs.stream.chunk_delay_ms = 500.0;
    });
    let start = world.now;
    let read = world.read(None);
    assert_eq!(read.at - start, 500.0 * read.chunks.len() as f64);
}

#[test]
fn a_retry_line_comes_first() {
    let read = with(|knobs| knobs.stream.retry_ms = Some(2_500)).read(None);
    assert!(read.bytes.starts_with(b"retry: 2500\n\nevent: status\n"));
}

#[test]
fn a_connection_breaks_after_the_byte_the_frame_or_the_time_asked_for() {
    let plain = with(|_| {}).read(None).bytes;
    for bytes in [0, 1, 17, 500, 5_000] {
        let read = with(|knobs| {
            knobs.stream.cuts.push(Cut { after_bytes: Some(bytes), ..Cut::default() });
        })
        .read(None);
        assert_eq!((read.bytes.as_slice(), read.ended), (&plain[..bytes as usize], Ended::Reset));
    }
    for frames in [0, 1, 2, 40] {
        let cut = Cut { after_frames: Some(frames), how: How::End, ..Cut::default() };
        let read = with(|knobs| knobs.stream.cuts.push(cut)).read(None);
        assert_eq!((read.blocks().len() as u64, read.ended), (frames, Ended::End));
        assert!(plain.starts_with(&read.bytes));
    }
    let mut knobs = Knobs::default();
    knobs.stream.cuts.push(Cut { after_ms: Some(10_000.0), ..Cut::default() });
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), knobs);
    let start = world.now;
    let read = world.read(None);
    assert_eq!((read.at - start, read.ended), (10_000.0, Ended::Reset));
}

#[test]
fn only_the_named_connection_breaks() {
    let mut world = with(|knobs| {
        knobs.stream.cuts = vec![
            Cut { connection: Some(2), after_frames: Some(3), ..Cut::default() },
            Cut { connection: Some(3), after_bytes: Some(10), how: How::End, ..Cut::default() },
        ];
    });
    assert_eq!(world.read(None).ended, Ended::End);
    let second = world.read(None);
    assert_eq!((second.blocks().len(), second.ended), (3, Ended::Reset));
    let third = world.read(None);
    assert_eq!((third.bytes.len(), third.ended), (10, Ended::End));
    assert_eq!(world.read(None).blocks().last().unwrap().event, "done");
}

#[test]
fn a_connection_can_fall_silent_or_end_with_an_error_frame() {
    let cut = Cut { after_frames: Some(5), how: How::Hold, ..Cut::default() };
    let mut silent = with(|knobs| knobs.stream.cuts.push(cut));
    let read = silent.read(None);
    assert_eq!((read.blocks().len(), read.ended), (5, Ended::Silent));
    let how = How::Error { code: "stream_error".into(), message: "Run stream failed".into() };
    let cut = Cut { after_frames: Some(5), how, ..Cut::default() };
    let blocks = with(|knobs| knobs.stream.cuts.push(cut)).read(None).blocks();
    assert_eq!(blocks[5].json()["code"], "stream_error");
    assert_eq!((blocks.len(), blocks[6].event.as_str()), (7, "done"));
}

#[test]
fn all_open_connections_can_be_cut_or_silenced_at_once() {
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    let bodies: Vec<_> = (0..3).map(|_| world.open(None).body).collect();
    let ids: Vec<_> =
        bodies.iter().map(|body| if let Body::Stream(id) = body { *id } else { panic!() }).collect();
    let run = world.run.run_id.clone();
    assert_eq!(world.simulator.hold(Scope::Run(&run), world.now + 5_000.0), 3);
    assert_eq!(world.simulator.poll_stream(world.now, ids[0], 100), Poll::WaitUntil(world.now + 5_000.0));
    assert_eq!(world.simulator.hold(Scope::Run("run-other"), 0.0), 0);
    let generation = world.simulator.generation();
    assert_eq!(world.simulator.cut(Scope::All, &How::Reset), 3);
    assert!(world.simulator.generation() > generation);
    for id in ids {
        assert_eq!(world.simulator.poll_stream(world.now, id, 100), Poll::Reset);
    }
    assert_eq!(world.simulator.counters().streams_open, 0);
}

#[test]
fn frames_can_be_left_out_and_the_connection_stay_open_after_them() {
    let mut world = with(|knobs| {
        knobs.stream.without = vec!["result".into(), "done".into()];
        knobs.stream.after_end = AfterEnd::Hold;
    });
    let response = world.open(None);
    let until = world.now + 40_000.0;
    let read = world.drain_until(&response, until);
    assert_eq!(read.ended, Ended::Silent);
    let events: Vec<_> = read.blocks().iter().rev().take(3).map(|block| block.event.clone()).collect();
    assert_eq!(events, ["heartbeat", "heartbeat", "status"]);
}

#[test]
fn a_record_can_be_frozen_late_or_incomplete() {
    let mut frozen = with(|knobs| knobs.record.frozen = Some(RunState::Running));
    frozen.read(None);
    let record = frozen.record();
    assert_eq!((record["status"].as_str(), record.get("result")), (Some("RUNNING"), None));

    let mut knobs = Knobs::default();
    knobs.record.lag_ms = 30_000.0;
    let mut late = world(Scenario::Coding, Pace::Speed(1.0), knobs);
    late.read(None);
    assert_eq!(late.record()["status"], "RUNNING");
    late.now += 30_000.0;
    assert_eq!(late.record()["status"], "FINISHED");

    let mut bare = with(|knobs| knobs.record.without = vec!["result".into(), "git".into()]);
    bare.read(None);
    let record = bare.record();
    assert_eq!((record.get("result"), record.get("git")), (None, None));
    assert!(record["durationMs"].is_u64());
}

#[test]
fn errors_are_written_in_every_format_that_clients_meet() {
    let mut world = with(|_| {});
    for (format, expected) in [
        (ErrorFormat::Envelope, r#"{"error":{"code":"internal_error","message":"Internal error"}}"#),
        (ErrorFormat::Flat, r#"{"code":"internal_error","message":"Internal error"}"#),
        (ErrorFormat::ErrorText, r#"{"error":"internal_error","message":"Internal error"}"#),
        (ErrorFormat::Text, "Internal error"),
        (ErrorFormat::Empty, ""),
    ] {
        let error = ErrorAnswer { status: 500, format: Some(format), ..ErrorAnswer::default() };
        let once = Rule { times: Some(1), ..rule(&[], Answer::Error(error)) };
        world.simulator.add_rule(0.0, once);
        let response = world.ask(Request::get("/v1/me"));
        assert_eq!((response.status, response.body.clone()), (500, Body::Full(expected.into())));
        assert!(response.header_value("x-request-id").is_some());
    }
    assert_eq!(world.ask(Request::get("/v1/me")).status, 200);
}

#[test]
fn a_rule_holds_for_its_endpoints_its_count_and_its_time() {
    let mut world = with(|_| {});
    let counted = Rule { skip: 1, times: Some(2), ..rule(&[Endpoint::GetRun], status(503)) };
    world.simulator.add_rule(world.now, counted);
    let path = world.path("");
    let seen: Vec<u16> = (0..5).map(|_| world.ask(Request::get(path.clone())).status).collect();
    assert_eq!(seen, [200, 503, 503, 200, 200]);

    let timed = Rule { for_ms: Some(10_000.0), ..rule(&[], status(502)) };
    world.simulator.add_rule(world.now, timed);
    assert_eq!(world.ask(Request::get("/v1/models")).status, 502);
    world.now += 9_999.0;
    assert_eq!(world.ask(Request::get("/v1/models")).status, 502);
    world.now += 1.0;
    assert_eq!(world.ask(Request::get("/v1/models")).status, 200);
}

#[test]
fn retry_after_comes_in_seconds_as_a_date_or_as_nonsense() {
    let mut world = with(|_| {});
    world.now = 1_713_033_000_000.0;
    for (after, expected) in [
        (RetryAfter::Seconds(7), "7"),
        (RetryAfter::DateInSeconds(90.0), "Sat, 13 Apr 2024 18:31:30 GMT"),
        (RetryAfter::Text("soon".into()), "soon"),
    ] {
        let error = ErrorAnswer { status: 429, retry_after: Some(after), ..ErrorAnswer::default() };
        world.simulator.clear_rules();
        world.simulator.add_rule(world.now, rule(&[Endpoint::Stream], Answer::Error(error)));
        let response = world.open(None);
        assert_eq!((response.status, code(&response).as_str()), (429, "rate_limit_exceeded"));
        assert_eq!(response.header_value("retry-after"), Some(expected));
        assert_eq!(response.header_value("x-ratelimit-remaining"), Some("0"));
    }
}

#[test]
fn strange_answers_come_as_they_are() {
    let mut world = with(|_| {});
    let html = BodyAnswer {
        content_type: Some("text/html".into()),
        text: "<h1>Sign in</h1>".into(),
        ..BodyAnswer::default()
    };
    for (answer, status, text, content_type) in [
        (html, 200, "<h1>Sign in</h1>", Some("text/html")),
        (BodyAnswer::default(), 200, "", None),
        (BodyAnswer { status: 204, ..BodyAnswer::default() }, 204, "", None),
        (BodyAnswer { text: "{\"items\":".into(), ..BodyAnswer::default() }, 200, "{\"items\":", None),
    ] {
        world.simulator.clear_rules();
        world.simulator.add_rule(0.0, rule(&[Endpoint::Stream], Answer::Body(answer)));
        let response = world.open(None);
        assert_eq!((response.status, response.body.clone()), (status, Body::Full(text.into())));
        assert_eq!(response.header_value("content-type"), content_type);
    }
}

#[test]
fn a_redirect_leads_where_it_was_told() {
    let mut world = with(|_| {});
    let answer = Answer::Redirect { location: "https://elsewhere.example$PATH".into(), status: 307 };
    world.simulator.add_rule(0.0, rule(&[Endpoint::Me], answer));
    let response = world.ask(Request::get("/v1/me?x=1"));
    assert_eq!(response.status, 307);
    assert_eq!(response.header_value("location"), Some("https://elsewhere.example/v1/me?x=1"));
}

#[test]
fn answers_can_be_late_lost_or_never_come() {
    let mut world = with(|_| {});
    let ask = |world: &mut World, rule: Rule| {
        world.simulator.clear_rules();
        world.simulator.add_rule(world.now, rule);
        world.simulator.request(world.now, &Request::get("/v1/me").bearer("k"))
    };
    let late = Rule { delay_ms: 5_000.0, ..rule(&[], Answer::Pass) };
    let Reply::Response { at, response } = ask(&mut world, late) else { panic!() };
    assert_eq!((at - world.now, response.status), (5_000.0, 200));
    let reset = Rule { delay_ms: 10.0, ..rule(&[], Answer::Reset) };
    let Reply::Reset { at } = ask(&mut world, reset) else { panic!() };
    assert_eq!(at - world.now, 10.0);
    assert!(matches!(ask(&mut world, rule(&[], Answer::Never)), Reply::Never));
    let outcomes: Vec<_> = world.simulator.requests().map(|request| request.outcome).collect();
    assert_eq!(outcomes, [Outcome::Status(200), Outcome::Reset, Outcome::Never]);
}

#[test]
fn a_post_can_be_carried_out_although_its_answer_is_an_error() {
    let create = || Request::post("/v1/agents", r#"{"prompt":{"text":"hi"}}"#);
    for answer in
        [status(500), Answer::Reset, Answer::Body(BodyAnswer { text: "{".into(), ..BodyAnswer::default() })]
    {
        let mut world = with(|_| {});
        let lost = Rule { execute: true, times: Some(1), ..rule(&[Endpoint::CreateAgent], answer.clone()) };
        world.simulator.add_rule(0.0, lost);
        world.simulator.request(world.now, &create().bearer("k"));
        assert_eq!(world.simulator.counters().runs, 2, "{answer:?}");
        assert!(world.simulator.requests().last().unwrap().executed);
        let refused = Rule { times: Some(1), ..rule(&[Endpoint::CreateAgent], status(500)) };
        world.simulator.add_rule(0.0, refused);
        assert_eq!(world.ask(create()).status, 500);
        assert_eq!(world.simulator.counters().runs, 2, "not carried out");
        assert!(!world.simulator.requests().last().unwrap().executed);
    }
}

#[test]
fn a_stream_lost_behind_a_rule_leaves_no_connection_open() {
    let mut world = with(|_| {});
    world.simulator.add_rule(0.0, Rule { execute: true, ..rule(&[Endpoint::Stream], Answer::Reset) });
    world.simulator.request(world.now, &Request::get(world.path("/stream")).bearer("k"));
    assert_eq!(world.simulator.counters().streams_open, 0);
}

#[test]
fn a_rule_for_a_header_or_a_run_leaves_others_alone() {
    let mut world = with(|_| {});
    let run_id = Some(world.run.run_id.clone());
    let resumed = Rule { with_header: Some("last-event-id".into()), run_id, ..rule(&[], status(403)) };
    world.simulator.add_rule(0.0, resumed);
    assert_eq!(world.open(None).status, 200);
    assert_eq!(world.open(Some("1")).status, 403);
    assert_eq!(body(&world.ask(Request::get("/v1/me")))["apiKeyName"], "Simulated key");
}
