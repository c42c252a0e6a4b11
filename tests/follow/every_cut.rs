//! Every place to cut: the scenarios that the rules were made for, times what a server may do on replay.
//!
//! A cut inside a frame is a cut before it, so pairs are taken at the frames' borders ± 1; short streams are cut at
//! each byte, and at each pair of bytes in the release matrix.

use runwire_simulator::{
    Config, CustomFrame, Ids, Knobs, Occurrence, Pace, RunPlan, Simulator, Statuses, Text,
};

use crate::oracle::Promise;
use crate::schedules::{Schedule, run};
use crate::shapes::{frames, live};
use crate::world::{Cut, How, Network, World, options};

/// Streams up to so many bytes are cut at each pair of them.
const SHORT: usize = 300;

/// A run, how it is called, and whether its data tells its frames apart.
struct Case {
    name: &'static str,
    frames: Vec<CustomFrame>,
    distinct: bool,
    text_only: bool,
}

fn case(name: &'static str, short: &str) -> Case {
    Case { name, frames: frames(short), distinct: true, text_only: false }
}

fn cases() -> Vec<Case> {
    let mut cases = vec![
        case("plain ids", "S=RUNNING A#1=a A#2=b K#3=c R#4"),
        case("adjacent twins", "S=RUNNING U#1=a A#1=a U#2=b A#2=b R#3 D#3"),
        case("result and done share an id", "A#1=a S=FINISHED R#2 D#2"),
        case("interleaved twins", "A#1=a A#2=b U#1=a U#2=b R#3"),
        case("a twin after another id", "A#1=a K#2=b U#1=a R#3"),
        case("content without ids between ids", "A#1=a T=b K=c A#2=d R#3"),
        case("statuses at their places", "S=CREATING S=RUNNING A#1=a S=FINISHED R#2"),
        case("heartbeats and unknown names", "H A#1=a N#2=b H K#3=c R#4"),
        case("characters of several bytes", "A#1=é A#2=\u{1f600}ß R#3"),
        case("an id comes back after one other", "A#1=a K#2=b A#1=c K#3=d R#4"),
        case("an id comes back after three others", "A#1=a K#2=b K#3=c K#4=d A#1=e R#5"),
    ];
    cases[1].text_only = true;
    for (name, short) in [
        ("equal frames", "A#1=ha A#1=ha A#1=ha K#2=x R#3"),
        ("equal frames without ids", "A=ha A=ha A=ha R"),
        ("equal frames under ids of their own", "A#1=ha A#2=ha A#3=ha R#4"),
    ] {
        cases.push(Case { distinct: false, ..case(name, short) });
    }
    cases
}

/// What a server may do with the past, and what is promised then.
fn servers(case: &Case) -> Vec<(&'static str, Knobs, Promise)> {
    let mut all = Vec::new();
    let mut add = |name, promise, set: &dyn Fn(&mut Knobs)| {
        let mut knobs = Knobs::default();
        knobs.replay.after = Occurrence::First;
        set(&mut knobs);
        all.push((name, knobs, promise));
    };
    add("after the first", Promise::Exact, &|_| {});
    add("after the last", Promise::Exact, &|knobs| knobs.replay.after = Occurrence::Last);
    add("header ignored", Promise::Exact, &|knobs| knobs.replay.ignore_id = true);
    add("no ids", Promise::Exact, &|knobs| knobs.stream.ids = Ids::None);
    add("statuses in full", Promise::Exact, &|knobs| knobs.replay.statuses = Statuses::Full);
    add("heartbeats with ids", Promise::Exact, &|knobs| knobs.stream.heartbeat_ids = true);
    if case.distinct {
        add("text merged", Promise::ExactText, &|knobs| knobs.replay.text = Text::Merged);
        add("text split", Promise::ExactText, &|knobs| {
            (knobs.replay.text, knobs.replay.text_ids) = (Text::Split(1), false);
        });
        for kept in [0, 1, 2, 4] {
            add("retention", Promise::Warned, &move |knobs| knobs.replay.keep_last = Some(kept));
        }
    }
    // Without ids, an event that nobody knows is not the run's.
    if case.name == "heartbeats and unknown names" {
        all.retain(|(name, ..)| *name != "no ids");
    }
    all
}

/// Lengths of the undisturbed stream at which a frame ends.
fn borders(plan: &RunPlan) -> (usize, Vec<usize>) {
    let mut world = World::new(plan, options());
    world.finish();
    let wire = &world.wire[0];
    let ends = (1..=wire.len()).filter(|&at| wire[..at].ends_with(b"\n\n"));
    (wire.len(), ends.collect())
}

struct Sweep {
    simulator: Simulator,
    count: usize,
    failures: Vec<String>,
}

impl Sweep {
    fn new() -> Self {
        Self {
            simulator: Simulator::new(Config { log_limit: 0, ..Config::default() }),
            count: 0,
            failures: Vec::new(),
        }
    }

    /// Gives the number of connections that it took.
    fn cut(&mut self, name: &str, plan: &RunPlan, promise: Promise, cuts: &[(usize, How)]) -> usize {
        if self.count.is_multiple_of(1_000) {
            self.simulator = Simulator::new(Config { log_limit: 0, ..Config::default() });
        }
        self.count += 1;
        let cuts = cuts.iter().map(|&(after, how)| Cut { after, how }).collect::<Vec<_>>();
        // Frame by frame, so that what is not sent has not happened.
        let network = Network { cuts, read_size: 48, latency: 0.0 };
        let schedule = Schedule { plan: plan.clone(), network, rules: Vec::new(), promise, extra: 3 };
        match run(&mut self.simulator, &schedule) {
            Ok(outcome) => outcome.connections,
            Err(wrong) => {
                self.failures.push(format!("{name}, {:?}: {wrong}", schedule.network.cuts));
                usize::MAX
            }
        }
    }

    fn finish(self) {
        let all = self.failures.len();
        assert!(all == 0, "{all} of {} schedules:\n{}", self.count, self.failures[..all.min(3)].join("\n\n"));
        println!("{} schedules", self.count);
    }
}

/// Each case at each server, as `each` cuts it.
fn sweep(each: impl Fn(&mut Sweep, &str, &RunPlan, Promise)) {
    let mut sweep = Sweep::new();
    for case in cases() {
        for (server, knobs, promise) in servers(&case) {
            let name = format!("{}, {server}", case.name);
            // Merged, a twin's text moves past the other's: that is exact only where there is nothing else.
            let moved = server == "text merged" && case.name.contains("twin") && !case.text_only;
            for pace in [Pace::Demand, Pace::Instant] {
                // What was there before anybody read cannot be missed.
                let unmissed = promise == Promise::Warned && pace == Pace::Instant;
                if !moved && !unmissed {
                    let plan = live(case.frames.clone()).knobs(knobs.clone()).pace(pace);
                    each(&mut sweep, &name, &plan, promise);
                }
            }
        }
    }
    sweep.finish();
}

#[test]
fn a_cut_at_any_byte_loses_and_repeats_nothing() {
    sweep(|sweep, name, plan, promise| {
        let (length, _) = borders(plan);
        for after in 0..=length {
            for how in [How::Reset, How::End] {
                sweep.cut(name, plan, promise, &[(after, how)]);
            }
        }
    });
}

#[test]
fn two_cuts_at_any_borders_lose_and_repeat_nothing() {
    sweep(|sweep, name, plan, promise| {
        let (_, ends) = borders(plan);
        let places: Vec<usize> = ends.iter().flat_map(|end| [end - 1, *end, end + 1]).collect();
        for first in &places {
            for second in &places {
                sweep.cut(name, plan, promise, &[(*first, How::Reset), (*second, How::Reset)]);
            }
        }
    });
}

/// The middle of each replay, by id and from the start.
#[test]
fn a_replay_that_is_cut_four_times_changes_nothing() {
    sweep(|sweep, name, plan, promise| {
        let (_, ends) = borders(plan);
        for first in &ends {
            for again in &ends {
                let again = [(*again, How::Reset); 4];
                sweep.cut(name, plan, promise, &[&[(*first, How::Reset)], &again[..]].concat());
            }
        }
    });
}

#[test]
#[ignore = "takes minutes: for the release matrix"]
fn two_cuts_at_any_bytes_lose_and_repeat_nothing() {
    sweep(|sweep, name, plan, promise| {
        let (length, _) = borders(plan);
        for first in 0..=if length <= SHORT { length } else { 0 } {
            // Beyond the end of the second connection there is nothing to cut.
            let cut = |second| sweep.cut(name, plan, promise, &[(first, How::Reset), (second, How::Reset)]);
            let _ = (0..=SHORT).map(cut).find(|connections| *connections < 3);
        }
    });
}
