//! Resuming, under each liberty that a server might take: what is sent again is exactly the rest of the run.

mod util;

use runwire_simulator::{
    Cut, Ids, Knobs, Occurrence, Pace, Reappear, RunPlan, Scenario, Shape, Statuses, Text, UnknownId,
};
use std::collections::BTreeSet;
use util::{Block, Ended, World, answer, code, plan, text_of, world};

fn finished(change: impl FnOnce(&mut Knobs)) -> World {
    let mut knobs = Knobs::default();
    change(&mut knobs);
    world(Scenario::Coding, Pace::Instant, knobs)
}

/// All content of a run with the ids in it, each once.
fn uncut(world: &mut World) -> (Vec<Block>, Vec<String>) {
    let content = world.read(None).content();
    let mut seen = BTreeSet::new();
    let ids =
        content.iter().filter_map(|block| block.id.clone()).filter(|id| seen.insert(id.clone())).collect();
    (content, ids)
}

#[test]
fn a_resume_gives_exactly_what_comes_after_the_last_frame_of_the_id() {
    let mut world = finished(|_| {});
    let (content, ids) = uncut(&mut world);
    assert!(ids.len() > 200);
    for id in ids {
        let last = content.iter().rposition(|block| block.id.as_ref() == Some(&id)).unwrap();
        let read = world.read(Some(&id));
        assert_eq!(read.content(), &content[last + 1..], "after {id}");
        assert_eq!((read.blocks()[0].event.as_str(), &read.blocks()[0].id), ("status", &None), "after {id}");
    }
}

#[test]
fn a_resume_after_the_first_frame_of_an_id_repeats_its_twin() {
    let mut world = finished(|knobs| knobs.replay.after = Occurrence::First);
    let (content, ids) = uncut(&mut world);
    for id in ids {
        let first = content.iter().position(|block| block.id.as_ref() == Some(&id)).unwrap();
        assert_eq!(world.read(Some(&id)).content(), &content[first + 1..], "after {id}");
    }
}

#[test]
fn an_ignored_id_gives_the_whole_run() {
    let mut world = finished(|knobs| knobs.replay.ignore_id = true);
    let (content, ids) = uncut(&mut world);
    assert_eq!(world.read(Some(&ids[50])).content(), content);
    assert_eq!(world.read(Some("nonsense")).content(), content);
}

#[test]
fn an_unknown_id_is_refused_or_gives_the_whole_run_or_an_expired_stream() {
    for (policy, status) in [(UnknownId::Refuse, 400), (UnknownId::Start, 200), (UnknownId::Expired, 410)] {
        let mut world = finished(|knobs| knobs.replay.unknown_id = policy);
        let response = world.open(Some("1-1"));
        assert_eq!(response.status, status);
        match status {
            400 => assert_eq!(code(&response), "invalid_last_event_id"),
            410 => assert_eq!(code(&response), "stream_expired"),
            _ => assert!(world.drain(&response).content().len() > 200),
        }
    }
}

#[test]
fn ids_of_another_run_and_of_frames_to_come_are_unknown() {
    let mut world = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    let other = world.simulator.start_run(0.0, &RunPlan::new(Scenario::Coding).pace(Pace::Instant));
    let theirs = world.simulator.frames(&other.run_id, 0, u64::MAX).unwrap();
    let ours = world.simulator.frames(&world.run.run_id, 0, u64::MAX).unwrap();
    assert_eq!(world.open(theirs[40].id.as_deref()).status, 400);
    assert_eq!(world.open(ours[200].id.as_deref()).status, 400);
    world.now += 600_000.0;
    assert_eq!(world.open(ours[200].id.as_deref()).status, 200);
}

#[test]
fn an_empty_id_is_none_and_a_query_parameter_stands_in_for_the_header() {
    let mut world = finished(|_| {});
    let (content, ids) = uncut(&mut world);
    assert_eq!(world.read(Some("")).content(), content);
    let path = format!("{}?lastEventId={}", world.path("/stream"), ids[9]);
    let response = answer(&mut world.simulator, world.now, runwire_simulator::Request::get(path));
    let rest = world.drain(&response).content();
    assert_eq!(rest.first().unwrap().id.as_deref(), Some(ids[10].as_str()));
}

#[test]
fn an_id_in_utf8_is_understood_as_the_bytes_of_its_header() {
    let wire = "id: größe-日\nevent: assistant\ndata: {\"text\":\"a\"}\n\nid: 2\nevent: assistant\ndata: {\"text\":\"b\"}\n\n";
    let mut world = world(Scenario::wire(wire), Pace::Instant, Knobs::default());
    let bytes: String = "größe-日".bytes().map(char::from).collect();
    assert_eq!(text_of(&world.read(Some(&bytes)).blocks(), "assistant"), "b");
}

#[test]
fn text_cut_anew_is_the_same_text_and_leaves_other_frames_alone() {
    for text in
        [Text::Merged, Text::Split(1), Text::Split(3), Text::Recut(1), Text::Recut(7), Text::Recut(500)]
    {
        for ids in [true, false] {
            let mut plain = finished(|_| {});
            let mut world = finished(|knobs| {
                knobs.replay.text = text;
                knobs.replay.text_ids = ids;
            });
            let (sent, ids_sent) = uncut(&mut plain);
            let whole = world.read(None).content();
            assert_ne!(whole, sent, "{text:?}");
            for id in ids_sent.iter().step_by(17) {
                let last = sent.iter().rposition(|block| block.id.as_ref() == Some(id)).unwrap();
                let rest = world.read(Some(id)).content();
                for event in ["assistant", "thinking"] {
                    assert_eq!(
                        text_of(&rest, event),
                        text_of(&sent[last + 1..], event),
                        "{text:?} after {id}"
                    );
                }
                let others = |blocks: &[Block]| {
                    blocks.iter().filter(|block| block.event == "tool_call").cloned().collect::<Vec<_>>()
                };
                assert_eq!(others(&rest), others(&sent[last + 1..]), "{text:?} after {id}");
            }
            let has_ids = |event: &str| whole.iter().any(|b| b.event == event && b.id.is_some());
            assert_eq!(has_ids("assistant"), ids, "{text:?}");
        }
    }
}

#[test]
fn merged_text_carries_the_id_of_its_last_delta() {
    let wire = "id: 1\nevent: assistant\ndata: {\"text\":\"a\"}\n\nid: 2\nevent: assistant\ndata: {\"text\":\"b\"}\n\n\
                id: 3\nevent: thinking\ndata: {\"text\":\"c\"}\n\nid: 4\nevent: assistant\ndata: {\"text\":\"d\"}\n\n";
    let mut knobs = Knobs::default();
    knobs.replay.text = Text::Merged;
    let mut world = world(Scenario::wire(wire), Pace::Instant, knobs);
    let seen: Vec<_> = world.read(None).content().iter().map(|b| (b.id.clone().unwrap(), b.text())).collect();
    let expected = [("2", "ab"), ("3", "c"), ("4", "d")].map(|(id, text)| (id.to_owned(), text.to_owned()));
    assert_eq!(seen, expected);
    let seen: Vec<_> = world.read(Some("1")).content().iter().map(Block::text).collect();
    assert_eq!(seen, ["b", "c", "d"]);
}

#[test]
fn live_text_is_never_cut_anew() {
    let mut knobs = Knobs::default();
    knobs.replay.text = Text::Merged;
    let mut merged = world(Scenario::Coding, Pace::Speed(1.0), knobs);
    let mut plain = world(Scenario::Coding, Pace::Speed(1.0), Knobs::default());
    assert_eq!(merged.read(None).content(), plain.read(None).content());
}

#[test]
fn retention_keeps_the_newest_frames_and_forgets_the_ids_of_others() {
    let mut plain = finished(|_| {});
    let (content, ids) = uncut(&mut plain);
    let mut kept = finished(|knobs| knobs.replay.keep_last = Some(20));
    let rest = kept.read(None).content();
    assert!(content.ends_with(&rest));
    assert!((17..=20).contains(&(rest.len() + 1)), "{}", rest.len());
    assert_eq!(kept.open(Some(&ids[5])).status, 400);
    assert_eq!(kept.open(Some(ids.last().unwrap())).status, 200);
    let mut lost = finished(|knobs| knobs.replay.lost_first = 10);
    assert_eq!(lost.read(None).content(), &content[8..], "two of the ten were statuses");
}

#[test]
fn statuses_of_the_past_come_as_the_current_one_or_in_full() {
    let statuses = |blocks: &[Block]| {
        let of = |block: &Block| block.json()["status"].as_str().unwrap().to_owned();
        blocks.iter().filter(|block| block.event == "status").map(of).collect::<Vec<_>>()
    };
    let mut current = finished(|_| {});
    assert_eq!(statuses(&current.read(None).blocks()), ["FINISHED"]);
    let mut full = finished(|knobs| knobs.replay.statuses = Statuses::Full);
    let (_, ids) = uncut(&mut full);
    assert_eq!(statuses(&full.read(None).blocks()), ["CREATING", "RUNNING", "FINISHED"]);
    assert_eq!(statuses(&full.read(Some(&ids[9])).blocks()), ["RUNNING", "FINISHED"]);
}

#[test]
fn frames_without_ids_have_none_on_any_connection() {
    let mut none = finished(|knobs| knobs.stream.ids = Ids::None);
    assert!(none.read(None).blocks().iter().all(|block| block.id.is_none()));
    let mut some = finished(|knobs| knobs.stream.ids = Ids::Every(5));
    let with = some.read(None).content().iter().filter(|block| block.id.is_some()).count();
    assert!((80..130).contains(&with), "{with}");
    let id = some.read(None).content().iter().find_map(|block| block.id.clone()).unwrap();
    assert_eq!(some.open(Some(&id)).status, 200);
}

#[test]
fn heartbeats_with_ids_can_be_resumed_from() {
    let mut knobs = Knobs::default();
    knobs.stream.heartbeat_ids = true;
    let mut world = world(Scenario::Quiet(0.1), Pace::Speed(1.0), knobs);
    let blocks = world.read(None).blocks();
    let beats: Vec<_> = blocks.iter().filter(|block| block.event == "heartbeat").collect();
    let ids: BTreeSet<_> = beats.iter().map(|block| block.id.clone().unwrap()).collect();
    assert_eq!(ids.len(), beats.len());
    let place = blocks.iter().rposition(|block| block.event == "heartbeat").unwrap();
    let rest: Vec<_> = blocks[place + 1..].iter().filter(|block| block.is_content()).cloned().collect();
    assert_eq!(world.read(blocks[place].id.as_deref()).content(), rest);
}

#[test]
fn interleaved_twins_have_the_same_frames_in_another_order() {
    let shape = Shape { interleave_twins: true, reappear: None };
    let mut crosswise = plan(RunPlan::new(Scenario::Coding).pace(Pace::Instant).shape(shape));
    let mut plain = finished(|_| {});
    let (crossed, ids) = uncut(&mut crosswise);
    let straight = plain.read(None).content();
    let quadruple =
        |four: &[Block]| four[0].id == four[2].id && four[1].id == four[3].id && four[0].id != four[1].id;
    assert!(crossed.windows(4).filter(|four| quadruple(four)).count() > 50);
    let key = |block: &Block| (block.id.clone(), block.event.clone(), block.data.clone());
    let strip =
        |blocks: &[Block]| blocks.iter().map(|b| (b.event.clone(), b.data.clone())).collect::<BTreeSet<_>>();
    assert_eq!(strip(&crossed), strip(&straight));
    assert_eq!(text_of(&crossed, "assistant"), text_of(&straight, "assistant"));
    for id in ids.iter().step_by(7) {
        let last = crossed.iter().rposition(|block| block.id.as_ref() == Some(id)).unwrap();
        let rest: Vec<_> = crosswise.read(Some(id)).content().iter().map(key).collect();
        assert_eq!(rest, crossed[last + 1..].iter().map(key).collect::<Vec<_>>());
    }
}

#[test]
fn ids_reappear_after_as_many_others_as_asked() {
    for (every, after) in [(5, 1), (7, 3), (90, 70)] {
        let shape = Shape { interleave_twins: false, reappear: Some(Reappear { every, after }) };
        let mut world = plan(RunPlan::new(Scenario::Coding).pace(Pace::Instant).shape(shape));
        let content = world.read(None).content();
        let mut order: Vec<String> = content.iter().filter_map(|block| block.id.clone()).collect();
        order.dedup();
        let back = (0..order.len()).filter(|at| order[..*at].contains(&order[*at])).collect::<Vec<_>>();
        assert!(!back.is_empty(), "every {every}");
        let id = &order[back[0]];
        let between = order.iter().skip_while(|one| *one != id).skip(1).take_while(|one| *one != id).count();
        assert_eq!(between as u64, after, "every {every}");
        let last = content.iter().rposition(|block| block.id.as_ref() == Some(id)).unwrap();
        assert_eq!(world.read(Some(id)).content(), &content[last + 1..]);
    }
}

#[test]
fn a_run_read_in_pieces_is_the_uncut_run_wherever_it_is_cut() {
    let wire = "event: status\ndata: {\"status\":\"RUNNING\"}\n\nid: 1\nevent: assistant\ndata: {\"text\":\"größe \"}\n\n\
                id: 2\nevent: tool_call\ndata: {\"callId\":\"c\"}\n\nid: 3\nevent: assistant\ndata: {\"text\":\"🚀\"}\n\n\
                id: 4\nevent: result\ndata: {\"status\":\"FINISHED\"}\n\nid: 4\nevent: done\ndata: {}\n\n";
    let uncut = world(Scenario::wire(wire), Pace::Demand, Knobs::default()).read(None);
    for bytes in 0..uncut.bytes.len() as u64 {
        let mut knobs = Knobs::default();
        knobs.stream.cuts.push(Cut { connection: Some(1), after_bytes: Some(bytes), ..Cut::default() });
        let mut world = world(Scenario::wire(wire), Pace::Demand, knobs);
        let first = world.read(None);
        assert_eq!((first.bytes.as_slice(), first.ended), (&uncut.bytes[..bytes as usize], Ended::Reset));
        let mut content = first.content();
        let id = content.last().and_then(|block| block.id.clone());
        content.extend(world.read(id.as_deref()).content());
        assert_eq!(content, uncut.content(), "cut after {bytes} bytes");
    }
}
