//! Generated runs: any length, no memory, and resumable like all others.

mod util;

use runwire_simulator::{
    Body, Config, Knobs, LongRun, Pace, Poll, Reappear, Request, RunPlan, Scenario, Shape, Simulator,
};
use std::collections::BTreeMap;
use util::{answer, plan};

fn long(events: u64, twins: bool) -> Scenario {
    Scenario::Long(LongRun { events, twins, interval_ms: 25.0 })
}

#[test]
fn a_million_frames_come_without_being_stored() {
    let mut world = plan(RunPlan::new(long(1_000_000, false)).pace(Pace::Demand));
    let Body::Stream(id) = world.open(None).body else { panic!() };
    let (mut ends, mut bytes, mut largest, mut before) = (0_u64, 0, 0, b'x');
    loop {
        match world.simulator.poll_stream(world.now, id, 16_384) {
            Poll::Bytes(piece) => {
                bytes += piece.len();
                largest = largest.max(piece.len());
                for byte in piece {
                    ends += u64::from(byte == b'\n' && before == b'\n');
                    before = byte;
                }
            }
            Poll::End => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(ends, 1_000_000);
    assert!(bytes > 50_000_000 && largest <= 16_384, "{bytes} bytes in pieces of {largest}");
    // The log's entry for the request is the largest thing that has been kept.
    assert!(format!("{:?}", world.simulator).len() < 50_000);
}

#[test]
fn the_mix_is_mostly_small_text() {
    let mut world = plan(RunPlan::new(long(10_000, false)).pace(Pace::Instant));
    let mut count = BTreeMap::<String, u64>::new();
    for block in world.read(None).blocks() {
        block.json();
        *count.entry(block.event).or_default() += 1;
    }
    let share = |event: &str| count[event] as f64 / 10_000.0;
    assert!((0.69..0.71).contains(&share("assistant")), "{count:?}");
    assert!((0.14..0.16).contains(&share("thinking")), "{count:?}");
    assert!((0.09..0.11).contains(&share("tool_call")), "{count:?}");
    assert!((0.04..0.06).contains(&share("heartbeat")), "{count:?}");
}

#[test]
fn a_resume_deep_inside_gives_exactly_the_rest_in_every_shape() {
    for twins in [false, true] {
        for interleave_twins in [false, true] {
            for reappear in
                [None, Some(Reappear { every: 5, after: 3 }), Some(Reappear { every: 9, after: 70 })]
            {
                for events in [6, 7, 501, 502, 503, 504] {
                    let shape = Shape { interleave_twins, reappear };
                    let mut world = plan(RunPlan::new(long(events, twins)).pace(Pace::Instant).shape(shape));
                    let content = world.read(None).content();
                    let blocks = world.simulator.frames(&world.run.run_id, 0, u64::MAX).unwrap();
                    assert_eq!(blocks.len() as u64, events);
                    for block in content.iter().step_by(11) {
                        let id = block.id.clone().unwrap();
                        let last = content.iter().rposition(|other| other.id.as_ref() == Some(&id)).unwrap();
                        let rest = world.read(Some(&id)).content();
                        assert_eq!(rest, &content[last + 1..], "{events} {twins} {shape:?} after {id}");
                    }
                }
            }
        }
    }
}

#[test]
fn twins_tell_the_same_text_twice() {
    for interleave_twins in [false, true] {
        let shape = Shape { interleave_twins, reappear: None };
        let mut world = plan(RunPlan::new(long(2_000, true)).pace(Pace::Instant).shape(shape));
        let content = world.read(None).content();
        let updates: String = content
            .iter()
            .filter(|block| block.event == "interaction_update" && block.json()["type"] == "text-delta")
            .map(util::Block::text)
            .collect();
        assert_eq!(updates, util::text_of(&content, "assistant"));
    }
}

#[test]
fn the_end_of_a_run_of_a_billion_frames_is_as_near_as_any_other() {
    let mut world = plan(RunPlan::new(long(1_000_000_000, true)).pace(Pace::Instant));
    let run = world.run.run_id.clone();
    let near_end = world.simulator.frames(&run, 999_999_900, 1).unwrap().remove(0);
    let content = world.read(near_end.id.as_deref()).content();
    assert_eq!(content.last().unwrap().event, "result");
    assert!((90..100).contains(&content.len()), "{}", content.len());
}

#[test]
fn a_long_run_at_real_time_lasts_as_long_as_it_should() {
    let mut world = plan(RunPlan::new(long(4_000, false)));
    let start = world.now;
    let read = world.read(None);
    assert_eq!(read.at - start, 3_999.0 * 25.0);
    assert_eq!(world.record()["status"], "FINISHED");
}

#[test]
fn ten_thousand_clients_can_follow_at_once() {
    let mut simulator = Simulator::new(Config::default());
    let run = simulator.start_run(0.0, &RunPlan::new(long(100_000, false)).knobs(Knobs::default()));
    let path = format!("/v1/agents/{}/runs/{}/stream", run.agent_id, run.run_id);
    let streams: Vec<_> = (0..10_000)
        .map(|_| match answer(&mut simulator, 0.0, Request::get(path.clone())).body {
            Body::Stream(id) => id,
            Body::Full(_) => panic!(),
        })
        .collect();
    assert_eq!(simulator.counters().streams_open, 10_000);
    for id in &streams {
        assert!(matches!(simulator.poll_stream(10_000.0, *id, 1_024), Poll::Bytes(_)));
        simulator.close_stream(*id);
    }
    assert_eq!(simulator.counters().streams_open, 0);
}
