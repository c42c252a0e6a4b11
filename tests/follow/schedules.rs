//! Schedules made up at random: a run, a server with its liberties, and a network that cuts.

use runwire_simulator::{
    Answer, Config, CustomFrame, ErrorAnswer, Ids, Knobs, Occurrence, Pace, Rule, RunPlan, Simulator,
    Statuses, Text, UnknownId,
};

use crate::oracle::{Account, Promise};
use crate::seen::warnings;
use crate::shapes::{frame, live, past};
use crate::world::{Cut, How, Network, World, options};

/// SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// How a run deals with ids and data. What a server may do with it without becoming unknowable depends on that.
#[derive(Clone, Copy, Debug)]
struct Manner {
    /// No two frames carry the same, or begin alike.
    distinct: bool,
    /// Twins are sent crosswise, or ids come back after others.
    tangled: bool,
    /// Text comes twice, under one id.
    twins: bool,
    /// Frames have ids at all.
    ids: bool,
}

/// A run of up to 14 steps.
fn script(random: &mut Random, manner: Manner) -> Vec<CustomFrame> {
    let mut frames = Vec::new();
    let mut count = 0;
    let mut used: Vec<String> = Vec::new();
    if random.one_in(2) {
        frames.push(frame("S=CREATING"));
    }
    frames.push(frame("S=RUNNING"));
    let Manner { twins, ids, .. } = manner;
    let idless = random.one_in(4);
    for _ in 0..1 + random.below(14) {
        count += 1;
        let word = if manner.distinct {
            format!("{count}{}", random.of(&["wörd", "\u{1f600}", "a\"b\\", "x"]))
        } else {
            (*random.of(&["ha", "ha", "h", "é"])).to_owned()
        };
        let reused = manner.tangled && used.len() > 1 && random.one_in(4);
        let id = if reused { random.of(&used).clone() } else { format!("{count}-0") };
        if !reused && (used.is_empty() || !random.one_in(6)) {
            used.push(id);
        }
        // Frames in a row may share an id.
        let id = if reused { random.of(&used).clone() } else { used[used.len() - 1].clone() };
        let tag = if idless && random.one_in(3) { String::new() } else { format!("#{id}") };
        match random.below(8) {
            0..4 if twins => {
                frames.push(frame(&format!("U{tag}={word}")));
                frames.push(frame(&format!("A{tag}={word}")));
            }
            0..4 => frames.push(frame(&format!("A{tag}={word}"))),
            4 if twins => {
                frames.push(frame(&format!("V{tag}={word}")));
                frames.push(frame(&format!("T{tag}={word}")));
            }
            4 => frames.push(frame(&format!("T{tag}={word}"))),
            5 => frames.push(frame(&format!("K{tag}={word}"))),
            // Without an id nobody knows whether such a frame belongs to the run.
            6 if ids => frames.push(frame(&format!("N#{id}={word}"))),
            _ => {
                frames.push(frame("H"));
                frames.push(frame(&format!("K{tag}={word}")));
            }
        }
    }
    if manner.tangled {
        for at in 1..frames.len().saturating_sub(1) {
            let crosswise = frames[at - 1].id == frames[at].id && frames[at].id != frames[at + 1].id;
            if crosswise
                && frames[at].event != "status"
                && frames[at + 1].event != "status"
                && random.one_in(2)
            {
                frames.swap(at, at + 1);
            }
        }
    }
    if random.one_in(2) {
        frames.push(frame("S=FINISHED"));
    }
    frames.push(frame("R#z-1"));
    if random.one_in(2) {
        frames.push(frame("D#z-1"));
    }
    frames
}

/// A run of distinct frames in order, as a server at its best sends it.
pub(crate) fn script_of(random: &mut Random) -> Vec<CustomFrame> {
    let twins = random.one_in(2);
    script(random, Manner { distinct: true, tangled: false, twins, ids: true })
}

/// A whole schedule.
pub(crate) struct Schedule {
    pub(crate) plan: RunPlan,
    pub(crate) network: Network,
    pub(crate) rules: Vec<Rule>,
    pub(crate) promise: Promise,
    /// Stream requests beyond one for each connection that was cut.
    pub(crate) extra: usize,
}

/// The rows of the table of guarantees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Row {
    First,
    Last,
    Ignored,
    Refused,
    Recut,
    NoIds,
    Retention,
}

pub(crate) const ROWS: [Row; 7] =
    [Row::First, Row::Last, Row::Ignored, Row::Refused, Row::Recut, Row::NoIds, Row::Retention];

pub(crate) fn schedule(random: &mut Random, row: Row) -> Schedule {
    let mut knobs = Knobs::default();
    let tangled = random.one_in(3) && row != Row::Retention;
    // The classes that nothing on the wire can decide are left out by knob, not by outcome.
    let must_be_distinct = match row {
        Row::First | Row::NoIds | Row::Ignored => false,
        Row::Last | Row::Refused => tangled,
        Row::Recut | Row::Retention => true,
    };
    let replay = &mut knobs.replay;
    replay.statuses = *random.of(&[Statuses::Current, Statuses::Full]);
    replay.after = *random.of(&[Occurrence::First, Occurrence::Last]);
    let mut promise = Promise::Exact;
    let mut rules = Vec::new();
    let mut extra = 2;
    match row {
        Row::First => {
            replay.after = Occurrence::First;
            extra = 0;
        }
        Row::Last => replay.after = Occurrence::Last,
        Row::Ignored => replay.ignore_id = true,
        Row::Refused => {
            let refusal = ErrorAnswer {
                status: 400,
                code: Some("invalid_last_event_id".into()),
                ..ErrorAnswer::default()
            };
            rules.push(Rule {
                with_header: Some("last-event-id".into()),
                skip: random.below(2) as u32,
                times: Some(1 + random.below(3) as u32),
                answer: Answer::Error(refusal),
                ..Rule::default()
            });
        }
        Row::Recut => {
            replay.text =
                *random.of(&[Text::Merged, Text::Split(1), Text::Recut(2), Text::Recut(3), Text::Split(2)]);
            replay.text_ids = random.one_in(2);
            promise = Promise::ExactText;
        }
        Row::NoIds => {
            knobs.stream.ids = Ids::None;
            extra = 0;
        }
        Row::Retention => {
            replay.unknown_id = *random.of(&[UnknownId::Refuse, UnknownId::Start]);
            replay.keep_last = Some(random.below(6) as u64);
            promise = Promise::Warned;
        }
    }
    let manner = Manner {
        distinct: must_be_distinct || random.one_in(2),
        tangled,
        // Cut anew, twins take turns by piece: text has moved past other frames.
        twins: random.one_in(2) && !matches!(knobs.replay.text, Text::Recut(_)),
        ids: row != Row::NoIds,
    };
    knobs.stream.heartbeat_ids = random.one_in(4);
    let frames = script(random, manner);
    let plan = if random.one_in(4) { past(frames) } else { live(frames) };
    let plan = if row == Row::Retention { plan.pace(Pace::Demand) } else { plan };
    let cuts = (0..1 + random.below(4)).map(|nth| {
        // More ends than the follower asks about in a row look like the run's own.
        let all = [How::Reset, How::Reset, How::End, How::Stall];
        // Later connections are short, and breaking one in the midst of its replay matters most.
        let range = *random.of(&[60, 150, 400, 1_200]);
        let after = random.below(range);
        Cut { after, how: *random.of(&all[..if nth < 3 { 4 } else { 2 }]) }
    });
    let network = Network {
        cuts: cuts.collect(),
        read_size: *random.of(&[1, 7, 60, 60, 200, 16_384]),
        latency: *random.of(&[0.0, 50.0]),
    };
    Schedule { plan: plan.knobs(knobs), network, rules, promise, extra }
}

/// What a schedule came to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) connections: usize,
    /// Stream requests beyond one for each connection.
    pub(crate) extra: usize,
    pub(crate) warnings: usize,
}

/// Runs a schedule and judges it; what is wrong, if anything. The simulator is used again.
pub(crate) fn run(simulator: &mut Simulator, schedule: &Schedule) -> Result<Outcome, String> {
    let taken = std::mem::replace(simulator, Simulator::new(Config::default()));
    let mut world = World::with(taken, &schedule.plan, options()).network(schedule.network.clone());
    for rule in &schedule.rules {
        world.simulator.add_rule(world.now, rule.clone());
    }
    world.finish();
    let account = Account::of(&world);
    let verdict = account.judge(&world, schedule.promise).and_then(|()| {
        let cuts = schedule.network.cuts.len();
        let requests = world.ids().len();
        // A run that is over without having said so is asked for three times more.
        let most = if schedule.extra == 0 { 1 + cuts } else { (1 + cuts) * (1 + schedule.extra) + 3 };
        let outcome = Outcome {
            connections: world.connections,
            extra: requests.saturating_sub(world.connections.min(cuts + 1)),
            warnings: warnings(&world.seen).len(),
        };
        if requests > most { Err(format!("{requests} requests for {cuts} cuts")) } else { Ok(outcome) }
    });
    let verdict = verdict.map_err(|wrong| wrong + &world.story());
    world.simulator.forget_run(&world.run.run_id);
    world.simulator.clear_rules();
    *simulator = world.simulator;
    verdict
}
