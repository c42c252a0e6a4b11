//! Which id a resume sends, and what a replay must show before anything of it is delivered.

use runwire_simulator::{Answer, Cut, ErrorAnswer, Knobs, Occurrence, Rule, Scope, UnknownId};

use crate::oracle::{Account, Promise};
use crate::seen::{Seen, warnings};
use crate::shapes::{frames, live, paced, past};
use crate::world::{World, options};

/// Breaks the connections after so many frames each, the status at the top included.
fn cuts(after: &[u64]) -> Vec<Cut> {
    let cut = |(nth, frames): (u32, &u64)| Cut {
        connection: Some(nth),
        after_frames: Some(*frames),
        ..Cut::default()
    };
    (1..).zip(after).map(cut).collect()
}

fn knobs(after: Occurrence, cut: &[u64]) -> Knobs {
    let mut knobs = Knobs::default();
    knobs.replay.after = after;
    knobs.stream.cuts = cuts(cut);
    knobs.stream.chunk = Some(runwire_simulator::Chunk::Frame);
    knobs
}

/// Follows a run to its end.
fn follow(short: &str, knobs: Knobs) -> World {
    let mut world = World::new(&live(frames(short)).knobs(knobs), options());
    world.finish();
    world
}

fn is_exact(world: &World) {
    let verdict = Account::of(world).judge(world, Promise::Exact);
    assert_eq!(verdict, Ok(()), "{}", world.story());
}

#[test]
fn the_id_that_a_later_one_closed_is_sent() {
    let world = follow("A#1 K#2=a U#2=x K#3=b R#4", knobs(Occurrence::First, &[4]));
    assert_eq!(world.ids(), [None, Some("1")]);
    is_exact(&world);
    let world = follow("A#1 K#2=a U#2=x K#3=b R#4", knobs(Occurrence::First, &[5]));
    assert_eq!(world.ids(), [None, Some("2")]);
    is_exact(&world);
}

#[test]
fn a_single_id_is_not_closed_so_nothing_is_sent() {
    let world = follow("A#1=a U#1=a A#1=b R#2", knobs(Occurrence::Last, &[3]));
    assert_eq!(world.ids(), [None, None]);
    is_exact(&world);
}

#[test]
fn a_run_without_ids_is_never_resumed_by_id() {
    let world = follow("A=a K=b A=a K=b A=c R", knobs(Occurrence::Last, &[2, 3, 3, 4, 4, 5, 5, 6, 6, 3]));
    assert_eq!(world.ids(), [None; 11]);
    is_exact(&world);
}

#[test]
fn what_belongs_to_a_connection_moves_no_point() {
    let short = "A#1=a K#2=b H#9 S#8=RUNNING N=x H K#3=c R#4";
    let world = follow(short, knobs(Occurrence::First, &[7]));
    assert_eq!(world.ids(), [None, Some("1")]);
    // An event that nobody knows and that has no id comes with each connection.
    let content = world.seen.iter().filter(|seen| seen.content().is_some_and(|(event, ..)| event != "note"));
    assert_eq!(content.count(), 4, "{}", world.story());
}

#[test]
fn blocks_of_an_id_alone_or_with_an_empty_one_move_no_point() {
    let mut run = frames("A#1=a K#2=b A=x A=y K#3=c R#4");
    run[2].raw = Some("id: 7\n\n".into());
    run[3].raw = Some("id:\nevent: assistant\ndata: {\"text\":\"y\"}\n\n".into());
    let mut world = World::new(&live(run).knobs(knobs(Occurrence::First, &[5])), options());
    world.finish();
    assert_eq!(world.ids(), [None, Some("1")]);
    assert!(warnings(&world.seen).is_empty(), "{}", world.story());
    assert_eq!(world.seen.iter().filter(|seen| seen.content().is_some()).count(), 5, "{}", world.story());
}

#[test]
fn an_id_that_a_header_cannot_hold_counts_as_none() {
    for bad in ["\u{1}", "a\u{7f}b", " a", "a\t", "\u{b}"] {
        let mut run = frames("A#1=a K#2=b K#3=c K#4=d R#5");
        run[2].id = Some(bad.into());
        let mut world = World::new(&live(run).knobs(knobs(Occurrence::First, &[4])), options());
        world.finish();
        assert_eq!(world.ids(), [None, Some("1")], "{bad:?}");
        is_exact(&world);
    }
}

#[test]
fn an_id_of_any_letters_goes_out_as_its_bytes() {
    let world = follow("A#é-1 K#日本=b K#ü=c R#z", knobs(Occurrence::First, &[4]));
    assert_eq!(world.ids(), [None, Some("日本")]);
    is_exact(&world);
}

#[test]
fn an_id_open_for_too_long_is_given_up_until_two_new_ones_have_come() {
    let long: Vec<String> = (0..300).map(|n| format!("K#2={n}")).collect();
    let short = format!("A#1=a {} K#3=b K#4=c K#5=d R#6", long.join(" "));
    // Within the bound; beyond it; one new id after it; two.
    for (cut, id) in [(202, Some("1")), (280, None), (303, None), (304, Some("3"))] {
        let world = follow(&short, knobs(Occurrence::Last, &[cut]));
        assert_eq!(world.ids()[1], id, "cut after {cut}");
        is_exact(&world);
    }
}

#[test]
fn content_without_ids_is_remembered_for_so_long_and_then_no_id_is_sent() {
    let mute: Vec<String> = (0..300).map(|n| format!("K={n}")).collect();
    let short = format!("A#1=a K#2=b {} K#3=c K#4=d R#5", mute.join(" "));
    for (cut, id) in [(202, Some("1")), (280, None), (304, None), (305, Some("3"))] {
        let world = follow(&short, knobs(Occurrence::First, &[cut]));
        assert_eq!(world.ids()[1], id, "cut after {cut}");
        is_exact(&world);
    }
}

#[test]
fn more_than_64_kinds_of_content_share_a_channel_and_nothing_is_lost_or_repeated() {
    // Each kind twice, so that those that share one come again in it.
    let mut sent = frames(&(0..160).map(|n| format!("N#{n}={n} ")).collect::<String>());
    for (n, frame) in sent.iter_mut().enumerate() {
        frame.event = format!("note{}", n % 80);
    }
    sent.extend(frames("A#a=text R#r"));
    for ignore_id in [true, false] {
        for cut in [30, 64, 65, 66, 79, 80, 81, 100, 145, 160, 161, 162] {
            let mut knobs = knobs(Occurrence::Last, &[cut, cut + 1]);
            knobs.replay.ignore_id = ignore_id;
            let mut world = World::new(&live(sent.clone()).knobs(knobs), options());
            world.finish();
            is_exact(&world);
        }
    }
}

#[test]
fn an_id_that_comes_back_opens_and_closes_nothing() {
    for others in [1, 3, 70] {
        let between: Vec<String> = (0..others).map(|n| format!("K#b{n}={n}")).collect();
        let short = format!("A#1=a {} A#1=again K#y=x K#z=y R#r", between.join(" "));
        let count = others + 6;
        for after in [Occurrence::First, Occurrence::Last] {
            for cut in others..count {
                let world = follow(&short, knobs(after, &[cut]));
                is_exact(&world);
                if cut == others + 3 {
                    let last = format!("b{}", others - 1);
                    let before = (others > 1).then(|| format!("b{}", others - 2));
                    // After 70 others the ring has forgotten it, and it is a new id.
                    let sent = if others == 70 { Some(last) } else { before.or(Some("1".into())) };
                    assert_eq!(world.ids()[1].map(str::to_owned), sent, "{others} others, {}", world.story());
                }
            }
        }
    }
}

#[test]
fn a_server_that_starts_after_the_last_frame_costs_one_replay_from_the_start() {
    // The twin of 1 comes after 2: starting after it, the server leaves out what the window expects.
    let world = follow("A#1=a A#2=b U#1=a K#3=c U#2=b R#4", knobs(Occurrence::Last, &[5]));
    assert_eq!(world.ids(), [None, Some("2")]);
    is_exact(&world);
    let plan = past(frames("A#1=a A#2=b U#1=a U#2=b R#3")).knobs(knobs(Occurrence::Last, &[3]));
    let mut world = World::new(&plan, options());
    world.finish();
    is_exact(&world);
    assert_eq!(world.ids(), [None, Some("1"), None]);
}

#[test]
fn what_lies_in_the_cut_off_twin_is_not_lost() {
    // Smallest of the counterexamples that the rules were made against.
    for short in ["A#1=a K#2=b U#1=a R#3", "A#1=a A#2=b U#1=a U#2=b R#3", "A#1=ha A#1=ha K#2=b A#1=ha R#3"] {
        for after in [Occurrence::First, Occurrence::Last] {
            for cut in 1..=5 {
                is_exact(&follow(short, knobs(after, &[cut])));
            }
        }
    }
}

#[test]
fn a_stripped_header_costs_one_request_twice_and_then_no_id_is_sent() {
    let mut knobs = knobs(Occurrence::Last, &[4, 5, 6, 7, 7, 8, 8]);
    knobs.replay.ignore_id = true;
    let world = follow("A#1=a K#2=b K#3=c K#4=d K#5=e K#6=f K#7=g R#8", knobs);
    is_exact(&world);
    let ids = world.ids();
    assert_eq!(ids.iter().filter(|id| id.is_some()).count(), 2, "{ids:?}");
    assert_eq!(ids[ids.len() - 1], None);
}

fn refusals(times: Option<u32>) -> Rule {
    let refusal =
        ErrorAnswer { status: 400, code: Some("invalid_last_event_id".into()), ..ErrorAnswer::default() };
    Rule {
        with_header: Some("last-event-id".into()),
        times,
        answer: Answer::Error(refusal),
        ..Rule::default()
    }
}

#[test]
fn a_refused_id_is_left_out_at_once_and_the_next_closed_one_tried() {
    let short = "A#1=a K#2=b K#3=c K#4=d K#5=e R#6";
    let mut world = World::new(&live(frames(short)).knobs(knobs(Occurrence::Last, &[4, 6])), options());
    world.simulator.add_rule(world.now, refusals(Some(1)));
    world.finish();
    is_exact(&world);
    assert_eq!(world.ids(), [None, Some("2"), None, Some("4")]);
    assert_eq!(world.requests[1].at, world.requests[2].at, "at once");
}

#[test]
fn two_ids_given_up_in_a_row_end_the_sending_of_ids() {
    let short = "A#1=a K#2=b K#3=c K#4=d K#5=e K#6=f R#7";
    let mut world =
        World::new(&live(frames(short)).knobs(knobs(Occurrence::Last, &[4, 0, 6, 0, 7])), options());
    world.simulator.add_rule(world.now, refusals(None));
    world.finish();
    is_exact(&world);
    let sent: Vec<&str> = world.ids().into_iter().flatten().collect();
    assert_eq!(sent, ["2", "4"], "{}", world.story());
}

#[test]
fn an_id_that_was_good_forgets_the_ones_given_up() {
    let short = "A#1=a K#2=b K#3=c K#4=d K#5=e K#6=f K#7=g R#8";
    let plan = live(frames(short)).knobs(knobs(Occurrence::Last, &[4, 6, 3, 8]));
    let mut world = World::new(&plan, options());
    // The first and the third that are sent.
    world.simulator.add_rule(world.now, refusals(Some(1)));
    world.simulator.add_rule(world.now, Rule { skip: 1, ..refusals(Some(1)) });
    world.finish();
    is_exact(&world);
    assert_eq!(world.ids(), [None, Some("2"), None, Some("4"), Some("5"), None, Some("6")]);
}

#[test]
fn a_cut_before_any_content_leaves_all_of_it_new() {
    let world = follow("S=RUNNING A#1=a K#2=b R#3", knobs(Occurrence::Last, &[0, 1]));
    assert_eq!(world.ids(), [None, None, None]);
    is_exact(&world);
}

/// Follows a run until its first cut; while the client is away the rest happens and the first `lost` frames go.
fn with_lost(short: &str, cut: u64, lost: u64, unknown: UnknownId, rule: Option<Rule>) -> World {
    let mut world =
        World::new(&paced(frames(short), 1_000.0).knobs(knobs(Occurrence::Last, &[cut])), options());
    while world.connections < 1 || world.is_connected() {
        world.step_until(f64::INFINITY);
    }
    world.follower.handle_online(world.now, false);
    world.run_for(60_000.0);
    let mut knobs = knobs(Occurrence::Last, &[cut]);
    knobs.replay.lost_first = lost;
    knobs.replay.unknown_id = unknown;
    let run = world.run.run_id.clone();
    world.simulator.set_knobs(Scope::Run(&run), knobs).unwrap();
    if let Some(rule) = rule {
        world.simulator.add_rule(world.now, rule);
    }
    world.follower.handle_online(world.now, true);
    world.finish();
    world
}

const LONG: &str = "A#1=a K#2=b K#3=c K#4=d K#5=e K#6=f R#7";

#[test]
fn a_retention_that_ends_inside_what_was_delivered_costs_nothing() {
    // Delivered: 1 to 4; closed: 3. Gone: up to 2.
    let world = with_lost(LONG, 5, 2, UnknownId::Start, None);
    is_exact(&world);
    assert_eq!(world.ids(), [None, Some("3")]);
}

#[test]
fn a_gap_is_warned_of_once_and_repeats_nothing() {
    // Gone: 1 to 5, of which 5 was never delivered.
    for unknown in [UnknownId::Start, UnknownId::Refuse] {
        let world = with_lost(LONG, 5, 5, unknown, None);
        let warnings: Vec<&Seen> = world.seen.iter().filter(|seen| seen.warning().is_some()).collect();
        assert_eq!(
            warnings,
            [&Seen::Warning { code: "events_lost".into(), id: "4".into() }],
            "{}",
            world.story()
        );
        let data: Vec<&str> = world.seen.iter().filter_map(|seen| Some(seen.content()?.2)).collect();
        assert_eq!(data.len(), 6, "{data:?}");
    }
}

#[test]
fn a_head_that_is_gone_is_warned_of_and_what_is_left_comes_again() {
    let short = "A#1=a K#2=b A#3=c K#4=d K#5=e R#6";
    is_exact(&with_lost(short, 5, 1, UnknownId::Refuse, None));
    // Now the id is refused, and what is left begins within a channel's content.
    let world = with_lost(short, 5, 1, UnknownId::Refuse, Some(refusals(None)));
    // K#2 looks right and is dropped; A#3 shows that A#1 is missing.
    assert_eq!(warnings(&world.seen), ["replay_mismatch"], "{}", world.story());
    let data: Vec<&str> = world.seen.iter().filter_map(|seen| Some(seen.content()?.0)).collect();
    assert_eq!(data.len(), 4 + 5, "{data:?}");
}

#[test]
fn nothing_left_but_the_end_is_warned_of() {
    let world = with_lost("A#1=a K#2=b K#3=c K#4=d R#5 D#5", 4, 5, UnknownId::Start, None);
    assert_eq!(warnings(&world.seen), ["events_lost"], "{}", world.story());
    assert_eq!(world.times_run_asked(), 1, "a run that is over stays so");
    assert!(world.end.as_ref().is_some_and(Result::is_ok));
}
