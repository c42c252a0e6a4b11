//! The messages of `run.stream()`, which are what most consumers see of all this.

use runwire::cloud::Op;
use runwire::follow::Options;
use runwire_simulator::{Knobs, Pace, RunPlan, Text};

use crate::seen::{Seen, warnings};
use crate::world::{Cut, How, Network, World, options};

/// Messages with neighbouring pieces of a text put together, and without statuses.
fn messages(world: &World) -> Vec<(Op, Vec<String>, u32)> {
    let mut all: Vec<(Op, Vec<String>, u32)> = Vec::new();
    for seen in &world.seen {
        let Seen::Message(op, values, flags) = seen else { continue };
        match all.last_mut() {
            Some((last, texts, 0))
                if last == op && *flags == 0 && matches!(op, Op::Assistant | Op::Thinking) =>
            {
                texts[0].push_str(&values[0]);
            }
            _ if *op == Op::Status => {}
            _ => all.push((*op, values.clone(), *flags)),
        }
    }
    all
}

#[test]
fn a_run_that_is_cut_gives_the_messages_of_one_that_is_not() {
    let every_frame = Options { every_frame: false, ..options() };
    for name in ["coding", "long:400:twins", "error"] {
        for text in [Text::AsSent, Text::Merged, Text::Split(2)] {
            let mut knobs = Knobs::default();
            knobs.replay.text = text;
            let plan = RunPlan::named(name).unwrap().knobs(knobs).pace(Pace::Demand);
            let mut whole = World::new(&plan, every_frame.clone());
            whole.finish();
            let length = whole.wire[0].len();
            let expected = messages(&whole);
            assert_eq!(
                expected
                    .iter()
                    .filter(|(op, ..)| *op == Op::Assistant)
                    .map(|(_, texts, _)| texts[0].as_str())
                    .collect::<String>(),
                whole.simulator.expected_text(&whole.run.run_id).unwrap(),
            );
            for nth in 1..40 {
                let cuts =
                    [nth * length / 40, 1_000 + nth, 3_000 + nth].map(|after| Cut { after, how: How::Reset });
                let network = Network { cuts: cuts.into(), read_size: 500, latency: 0.0 };
                let mut world = World::new(&plan, every_frame.clone()).network(network);
                world.finish();
                assert_eq!(warnings(&world.seen), [""; 0], "{name}, {text:?}, cut {nth}");
                assert!(messages(&world) == expected, "{name}, {text:?}, cut {nth}");
            }
        }
    }
}
