//! The resume token: a consumer goes on in another follower as if it had only been cut.

use runwire::follow::Follower;
use runwire_simulator::{AfterEnd, Chunk, Ids, Knobs, Occurrence, Text};

use crate::oracle::{Account, Promise};
use crate::shapes::{frames, live, past};
use crate::world::{START, World, options};

/// Follows a run frame by frame, and goes on from a token after each `every` frames, in a new follower.
fn relay(short: &str, mut knobs: Knobs, every: usize) -> World {
    knobs.stream.chunk = Some(Chunk::Frame);
    let mut world = World::new(&live(frames(short)).knobs(knobs), options());
    let mut next = every;
    while world.end.is_none() {
        assert!(world.step_until(f64::INFINITY));
        if world.seen.len() >= next && world.end.is_none() {
            next = world.seen.len() + every;
            let token = world.follower.token();
            assert!(token.len() <= 4_096, "{}", token.len());
            world.reload();
            assert!(world.follower.resume_from(&token), "{token}");
            world.follower.handle_pull();
        }
        assert!(world.requests.len() < 500, "{}", world.story());
    }
    world
}

const SHORT: [&str; 5] = [
    "S=CREATING S=RUNNING A#1=a K#2=b T#3=c S=FINISHED R#4 D#4",
    "S=RUNNING U#1=a A#1=a U#2=b A#2=b K#3=c R#4",
    "S=RUNNING A#1=ha A#1=ha A#1=ha K#2=x R#3",
    "S=RUNNING A=a T=b K=c A=\u{1f600} R",
    "S=RUNNING A#1=a A#2=b U#1=a U#2=b R#3",
];

#[test]
fn a_token_taken_at_any_frame_goes_on_there() {
    for short in SHORT {
        for every in 1..8 {
            for after in [Occurrence::First, Occurrence::Last] {
                let mut knobs = Knobs::default();
                knobs.replay.after = after;
                let world = relay(short, knobs, every);
                let verdict = Account::of(&world).judge(&world, Promise::Exact);
                assert_eq!(verdict, Ok(()), "{}", world.story());
            }
        }
    }
}

#[test]
fn a_token_goes_on_by_text_where_ids_are_of_no_use() {
    for short in SHORT {
        for every in 1..8 {
            let mut split = Knobs::default();
            (split.replay.text, split.replay.text_ids) = (Text::Split(1), false);
            let mut none = Knobs::default();
            none.stream.ids = Ids::None;
            let mut ignored = Knobs::default();
            ignored.replay.ignore_id = true;
            for (knobs, promise) in
                [(split, Promise::ExactText), (none, Promise::Exact), (ignored, Promise::Exact)]
            {
                let world = relay(short, knobs, every);
                assert_eq!(Account::of(&world).judge(&world, promise), Ok(()), "{}", world.story());
            }
        }
    }
}

/// Follows a run whose chunks hold many frames until `read` frames are there, and goes on in a new follower from
/// the token of who has read so many of them.
fn left_at(short: &str, knobs: Knobs, read: usize) -> Option<World> {
    let mut world = World::new(&past(frames(short)).knobs(knobs), options());
    world.paused = true;
    while world.seen.len() < read {
        if world.end.is_some() {
            return None;
        }
        if !world.step_until(f64::INFINITY) {
            world.follower.handle_pull();
            world.drain();
        }
    }
    let token = world.follower.token_at(read as u64);
    world.seen.truncate(read);
    world.end = None;
    world.paused = false;
    world.reload();
    assert!(world.follower.resume_from(&token), "{token}");
    world.follower.handle_pull();
    world.finish();
    Some(world)
}

#[test]
fn a_token_taken_within_a_hand_over_goes_on_there() {
    for short in SHORT {
        for chunk in [None, Some(Chunk::Bytes(150)), Some(Chunk::Bytes(400))] {
            for ids in [Ids::All, Ids::None] {
                for read in 0.. {
                    let mut knobs = Knobs::default();
                    (knobs.stream.chunk, knobs.stream.ids) = (chunk, ids);
                    let Some(world) = left_at(short, knobs, read) else {
                        assert!(read > 5, "{read}");
                        break;
                    };
                    let verdict = Account::of(&world).judge(&world, Promise::Exact);
                    assert_eq!(verdict, Ok(()), "after {read}: {}", world.story());
                }
            }
        }
    }
}

#[test]
fn a_token_of_a_run_that_is_over_ends_it_without_a_word() {
    let mut world = World::new(&past(frames("S=RUNNING A#1=a K#2=b R#3")), options());
    world.finish();
    let (seen, token) = (world.seen.clone(), world.follower.token());
    world.reload();
    world.end = None;
    assert!(world.follower.resume_from(&token));
    world.follower.handle_pull();
    world.finish();
    assert_eq!(world.seen, seen, "{}", world.story());
}

#[test]
fn a_token_is_at_most_4_kb_and_leaves_out_ids_that_do_not_fit() {
    // Sixty channels and more, long ids, a full ring and window.
    let long = "x".repeat(900);
    let mut run = Vec::new();
    for nth in 0..80 {
        let mut frame = frames(&format!("N#{nth}-{long}={nth}")).remove(0);
        frame.event = format!("kind-{nth}");
        run.push(frame);
    }
    run.extend((0..200).flat_map(|nth| frames(&format!("K#79-{long}={nth}"))));
    run.extend(frames("A#a=x K#b=y R#c"));
    let mut knobs = Knobs::default();
    knobs.stream.after_end = AfterEnd::Close;
    knobs.stream.chunk = Some(Chunk::Frame);
    let mut world = World::new(&live(run).knobs(knobs), options());
    while world.seen.len() < 270 {
        world.step_until(f64::INFINITY);
    }
    let token = world.follower.token();
    assert!(token.len() <= 4_096, "{}", token.len());
    world.reload();
    assert!(world.follower.resume_from(&token));
    world.follower.handle_pull();
    world.finish();
    assert_eq!(world.ids(), [None, None], "the ids did not fit");
    assert_eq!(Account::of(&world).judge(&world, Promise::Exact), Ok(()));
}

#[test]
fn what_is_no_token_is_refused_and_changes_nothing() {
    let mut world = World::new(&live(frames("A#1=a R#2")), options());
    world.finish();
    let token = world.follower.token();
    for at in 0..token.len() {
        assert!(!Follower::new(options()).resume_from(&token[..at]));
    }
    let mut world = World::new(&live(frames("A#1=a R#2")), options());
    assert!(!world.follower.resume_from("no token"));
    world.finish();
    assert_eq!(world.seen.iter().filter(|seen| seen.content().is_some()).count(), 2);
    assert!(world.now >= START);
}
