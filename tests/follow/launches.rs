//! A call that starts a run: at most one run, whatever becomes of its requests and their answers.

use runwire::cloud::{Failure, FailureKind, Head};
use runwire::follow::{Call, Found, Manner, Options, Step};

const START: f64 = 1_700_000_000_000.0;

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    /// Done, and answered.
    Good,
    /// The answer is lost; it has been done, or not.
    Lost(bool),
    /// The answer is a 503.
    Broken(bool),
    /// Too many requests, it says.
    Limited(bool),
    /// The answer is a good one that nobody can read.
    Garbled(bool),
    /// There is no answer.
    Silent(bool),
    /// Refused, with this status and code.
    Refused(u16, &'static str),
}

/// What comes of looking.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sight {
    Clear,
    /// The service does not show yet what it has done.
    Late,
    None,
}

/// A service that does what reaches it, once more for each request; a second run it refuses while the first goes on.
struct World {
    call: Call,
    now: f64,
    posts: Vec<f64>,
    /// Runs that there are.
    runs: usize,
    looks: usize,
    disconnects: usize,
    end: Option<Result<(), Failure>>,
}

fn manner() -> Manner {
    Manner::default()
}

fn refusal(status: u16, code: &str) -> Failure {
    let body = format!(r#"{{"error":{{"code":"{code}","message":"no"}}}}"#).into_bytes();
    Failure::of_answer(Head { status, ..Head::default() }, body)
}

impl World {
    fn new(manner: Manner, timeout: f64) -> Self {
        let options = Options { seed: 5, ..Options::default() };
        let call = Call::new(options, START, manner, timeout);
        Self { call, now: START, posts: Vec::new(), runs: 0, looks: 0, disconnects: 0, end: None }
    }

    /// Lets the call live until its end; what is not said about a request or a look is good and clear.
    fn live(mut self, fates: &[Fate], sights: &[Sight]) -> Self {
        while self.end.is_none() {
            let Some(step) = self.call.poll(self.now) else {
                self.now =
                    self.call.deadline().expect("a call that waits for nothing never ends").max(self.now);
                self.call.handle_time(self.now);
                continue;
            };
            match step {
                Step::Send => self.post(fates.get(self.posts.len()).copied().unwrap_or(Fate::Good)),
                Step::Look => {
                    let found = match sights.get(self.looks).copied().unwrap_or(Sight::Clear) {
                        Sight::None => Found::Unclear,
                        Sight::Clear if self.runs > 0 => Found::Done,
                        _ => Found::Nothing,
                    };
                    self.looks += 1;
                    self.call.handle_looked(self.now, found);
                }
                Step::Disconnect => self.disconnects += 1,
                Step::Done => self.end = Some(Ok(())),
                Step::Fail(failure) => self.end = Some(Err(failure)),
            }
        }
        self
    }

    fn post(&mut self, fate: Fate) {
        self.posts.push(self.now);
        let done = match fate {
            Fate::Good => true,
            Fate::Lost(done)
            | Fate::Broken(done)
            | Fate::Limited(done)
            | Fate::Garbled(done)
            | Fate::Silent(done) => done,
            Fate::Refused(..) => false,
        };
        let taken = done && self.runs > 0;
        if done && !taken {
            self.runs += 1;
        }
        let network = |code| Failure::local(FailureKind::Network, code, "Network request failed");
        match fate {
            Fate::Silent(_) => {}
            Fate::Lost(_) => self.call.handle_failure(self.now, network("network_error"), None),
            Fate::Refused(status, code) => self.call.handle_failure(self.now, refusal(status, code), None),
            _ if taken => self.call.handle_failure(self.now, refusal(409, "agent_busy"), None),
            Fate::Good => self.call.handle_answer(),
            Fate::Broken(_) => self.call.handle_failure(self.now, refusal(503, "internal_error"), None),
            Fate::Limited(_) => {
                let failure = refusal(429, "rate_limit_exceeded");
                self.call.handle_failure(self.now, failure, Some(2_000.0));
            }
            Fate::Garbled(_) => {
                let failure = Failure::local(FailureKind::Unknown, "invalid_answer", "Not to be read");
                self.call.handle_failure(self.now, failure, None);
            }
        }
    }

    fn failure(&self) -> &Failure {
        self.end.as_ref().unwrap().as_ref().unwrap_err()
    }
}

const LOSSES: [Fate; 10] = [
    Fate::Limited(true),
    Fate::Limited(false),
    Fate::Lost(true),
    Fate::Lost(false),
    Fate::Broken(true),
    Fate::Broken(false),
    Fate::Garbled(true),
    Fate::Garbled(false),
    Fate::Silent(true),
    Fate::Silent(false),
];

#[test]
fn whatever_is_lost_there_is_one_run_at_most_and_none_is_sent_for_in_vain() {
    let refused = [Fate::Good, Fate::Refused(400, "validation_error")];
    let fates: Vec<Fate> = LOSSES.into_iter().chain(refused).collect();
    let sights = [Sight::Clear, Sight::Late, Sight::None];
    let mut cases = 0;
    for first in &fates {
        for second in &fates {
            for third in &fates {
                for early in sights {
                    for late in sights {
                        let lives = [*first, *second, *third];
                        let world = World::new(manner(), f64::INFINITY).live(&lives, &[early, late]);
                        let story = format!("{lives:?} {early:?} {late:?}: {:?}", world.end);
                        assert!(world.runs <= 1 && world.posts.len() <= 3, "{story}");
                        match world.end {
                            Some(Ok(())) => assert_eq!(world.runs, 1, "{story}"),
                            _ => assert!(world.runs == 0 || world.call.doubts().is_some(), "{story}"),
                        }
                        cases += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cases, 12_usize.pow(3) * 9);
}

#[test]
fn a_run_that_was_started_is_found_and_nothing_is_sent_again() {
    for fate in LOSSES {
        let world = World::new(manner(), f64::INFINITY).live(&[fate], &[]);
        let done = format!("{fate:?}").ends_with("(true)");
        assert_eq!((world.end, world.runs), (Some(Ok(())), 1), "{fate:?}");
        assert_eq!((world.posts.len(), world.looks), (if done { 1 } else { 2 }, 1), "{fate:?}");
    }
}

#[test]
fn what_cannot_be_looked_at_is_not_sent_again() {
    for fate in LOSSES {
        let world = World::new(manner(), f64::INFINITY).live(&[fate], &[Sight::None]);
        assert_eq!((world.posts.len(), world.looks), (1, 1), "{fate:?}");
        let kind = match fate {
            Fate::Garbled(_) => FailureKind::Unknown,
            Fate::Limited(_) => FailureKind::RateLimit,
            _ => FailureKind::Network,
        };
        assert_eq!(world.failure().kind, kind);
    }
}

#[test]
fn it_is_sent_three_times_at_most_and_not_at_once() {
    let lost = [Fate::Lost(false); 9];
    let world = World::new(manner(), f64::INFINITY).live(&lost, &[]);
    assert_eq!((world.posts.len(), world.looks), (3, 3));
    assert!(world.posts.windows(2).all(|pair| pair[1] - pair[0] >= 250.0), "{:?}", world.posts);
    // As the service wants it.
    let world = World::new(manner(), f64::INFINITY).live(&[Fate::Limited(false)], &[]);
    assert!(world.posts[1] - world.posts[0] >= 2_000.0, "{:?}", world.posts);
}

#[test]
fn a_refusal_that_an_attempt_before_explains_is_looked_into() {
    for code in ["agent_busy", "agent_id_conflict"] {
        let refused = Fate::Refused(409, code);
        // The service does not show at once what it has done.
        let world = World::new(manner(), f64::INFINITY).live(&[Fate::Lost(true), refused], &[Sight::Late]);
        assert_eq!((world.end, world.posts.len(), world.looks), (Some(Ok(())), 2, 2), "{code}");
        // Nothing before explains it.
        let world = World::new(manner(), f64::INFINITY).live(&[refused], &[]);
        assert_eq!((world.posts.len(), world.looks), (1, 0), "{code}");
        assert_eq!(world.failure().status(), 409);
        // An earlier call may.
        let doubted = Manner { doubted: true, ..manner() };
        let mut world = World::new(doubted, f64::INFINITY);
        world.runs = 1;
        assert_eq!(world.live(&[refused], &[]).end, Some(Ok(())), "{code}");
    }
}

#[test]
fn an_agent_whose_run_was_cancelled_may_be_busy_for_a_moment() {
    let busy = Fate::Refused(409, "agent_busy");
    let after_cancel = Manner { after_cancel: true, ..manner() };
    let world = World::new(after_cancel, f64::INFINITY).live(&[busy, busy, busy], &[]);
    assert_eq!((world.end, world.posts.len()), (Some(Ok(())), 4));
    let world = World::new(after_cancel, f64::INFINITY).live(&[busy; 99], &[]);
    assert_eq!(world.failure().kind, FailureKind::AgentBusy);
    assert_eq!(world.now - START, 5_000.0);
    assert_eq!(World::new(manner(), f64::INFINITY).live(&[busy; 9], &[]).posts.len(), 1);
}

#[test]
fn it_takes_no_longer_than_it_may_also_while_looking() {
    let mut call = Call::new(Options::default(), START, manner(), 7_000.0);
    assert_eq!(call.poll(START), Some(Step::Send));
    let lost = Failure::local(FailureKind::Network, "network_error", "Network request failed");
    call.handle_failure(START + 10.0, lost, None);
    assert_eq!((call.poll(START + 10.0), call.poll(START + 10.0)), (Some(Step::Look), None));
    assert_eq!(call.deadline(), Some(START + 7_000.0));
    call.handle_time(START + 7_000.0);
    // What comes of looking comes too late.
    call.handle_looked(START + 7_001.0, Found::Nothing);
    let Some(Step::Fail(failure)) = call.poll(START + 7_001.0) else { panic!("it goes on") };
    assert_eq!(failure.kind, FailureKind::Network);
    assert_eq!(call.poll(START + 7_001.0), None);
}

#[test]
fn what_is_only_refused_leaves_no_doubt() {
    for (status, code) in [(400, "validation_error"), (401, "unauthorized"), (409, "agent_busy")] {
        let world = World::new(manner(), f64::INFINITY).live(&[Fate::Refused(status, code)], &[]);
        assert_eq!((world.failure().status(), world.call.doubts()), (status, None));
    }
    let earlier = Manner { doubted: true, ..manner() };
    let world = World::new(earlier, f64::INFINITY).live(&[Fate::Refused(400, "validation_error")], &[]);
    assert_eq!(
        world.call.doubts(),
        Some(false),
        "what an earlier call may have done is still to be looked for"
    );
}

#[test]
fn who_stops_waiting_cannot_tell_whether_it_was_done() {
    let world = World::new(manner(), 5_000.0).live(&[Fate::Silent(true)], &[]);
    assert_eq!((world.posts.len(), world.disconnects, world.call.doubts()), (1, 1, Some(true)));
}

#[test]
fn what_could_not_be_sent_is_neither_looked_for_nor_doubted() {
    let fail = |kind| Failure::local(kind, "no_key", "The key function has thrown");
    for (kind, sent) in [(FailureKind::Network, 3), (FailureKind::Configuration, 1)] {
        let mut world = World::new(manner(), f64::INFINITY);
        let mut tries = 0;
        let failure = loop {
            match world.call.poll(world.now) {
                Some(Step::Send) => {
                    tries += 1;
                    world.call.handle_unsent(world.now, fail(kind));
                }
                Some(Step::Fail(failure)) => break failure,
                Some(step) => panic!("{step:?}"),
                None => {
                    world.now = world.call.deadline().unwrap();
                    world.call.handle_time(world.now);
                }
            }
        };
        assert_eq!((failure.kind, tries, world.call.doubts()), (kind, sent, None));
    }
}
