//! A call of the API: when it is tried again, and when not.

use runwire::cloud::{Failure, FailureKind, Head};
use runwire::follow::{Call, Found, Manner, Options, Step};

const START: f64 = 1_700_000_000_000.0;

/// A call, its clock, and a service of which each answer is known beforehand.
struct Life {
    call: Call,
    now: f64,
    /// When requests were sent.
    sent: Vec<f64>,
    disconnects: usize,
    end: Option<Result<(), Failure>>,
}

/// The answer to a request: a good one, a refusal with its `Retry-After`, or none.
enum Reply {
    Good,
    Refused(u16, Option<f64>),
    Broken,
    Never,
}

impl Life {
    fn new(options: Options, repeatable: bool, timeout: f64) -> Self {
        Self::of(options, Manner { repeatable, ..Manner::default() }, timeout)
    }

    fn of(options: Options, manner: Manner, timeout: f64) -> Self {
        let call = Call::new(options, START, manner, timeout);
        Self { call, now: START, sent: Vec::new(), disconnects: 0, end: None }
    }

    fn drain(&mut self) -> bool {
        let mut sent = false;
        while let Some(step) = self.call.poll(self.now) {
            match step {
                Step::Send => {
                    assert!(!sent, "one request at a time");
                    sent = true;
                    self.sent.push(self.now);
                }
                // What comes of looking is tested in launches.rs.
                Step::Look => self.call.handle_looked(self.now, Found::Unclear),
                Step::Disconnect => self.disconnects += 1,
                Step::Done => self.end = Some(Ok(())),
                Step::Fail(failure) => self.end = Some(Err(failure)),
            }
        }
        sent
    }

    /// Answers each request as `reply` says, by its number from 0, until the call has ended.
    fn run(mut self, reply: impl Fn(usize) -> Reply) -> Self {
        let mut sent = self.drain();
        while self.end.is_none() {
            if sent {
                match reply(self.sent.len() - 1) {
                    Reply::Good => self.call.handle_answer(),
                    Reply::Refused(status, wait) => {
                        self.call.handle_failure(self.now, refusal(status), wait);
                    }
                    Reply::Broken => self.call.handle_failure(self.now, broken(), None),
                    Reply::Never => self.pass(),
                }
            } else {
                self.pass();
            }
            sent = self.drain();
        }
        self
    }

    fn pass(&mut self) {
        self.now = self.call.deadline().expect("a call that waits for nothing never ends");
        self.call.handle_time(self.now);
    }

    fn failure(&self) -> &Failure {
        self.end.as_ref().unwrap().as_ref().unwrap_err()
    }
}

fn refusal(status: u16) -> Failure {
    Failure::of_answer(Head { status, ..Head::default() }, Vec::new())
}

fn broken() -> Failure {
    Failure::local(FailureKind::Network, "network_error", "Network request failed")
}

fn repeatable() -> Life {
    Life::new(Options { seed: 3, ..Options::default() }, true, f64::INFINITY)
}

fn once() -> Life {
    Life::new(Options { seed: 3, ..Options::default() }, false, f64::INFINITY)
}

/// What may be otherwise the next time.
const PASSING: [fn() -> Reply; 6] = [
    || Reply::Broken,
    || Reply::Never,
    || Reply::Refused(408, None),
    || Reply::Refused(429, None),
    || Reply::Refused(500, None),
    || Reply::Refused(503, None),
];

#[test]
fn what_passes_is_tried_three_times() {
    for reply in PASSING {
        let failed = repeatable().run(|_| reply());
        assert_eq!(failed.sent.len(), 3);
        assert!(failed.failure().is_retryable());
        let came = repeatable().run(|nth| if nth < 2 { reply() } else { Reply::Good });
        assert_eq!((came.sent.len(), came.end), (3, Some(Ok(()))));
    }
}

#[test]
fn what_does_not_pass_is_told_at_once() {
    for status in [400, 401, 402, 403, 404, 405, 409, 410, 413, 422] {
        let life = repeatable().run(|_| Reply::Refused(status, None));
        assert_eq!((life.sent.len(), life.failure().status()), (1, status));
    }
}

#[test]
fn what_may_have_been_done_is_not_repeated() {
    for reply in PASSING {
        let life = once().run(|_| reply());
        assert_eq!(life.sent.len(), 1);
        assert!(life.failure().is_retryable());
    }
}

#[test]
fn delays_grow_and_heed_the_service() {
    let life = repeatable().run(|_| Reply::Broken);
    let gaps: Vec<f64> = life.sent.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!((250.0..=500.0).contains(&gaps[0]) && (250.0..=1_000.0).contains(&gaps[1]), "{gaps:?}");
    let life =
        repeatable().run(|nth| if nth == 0 { Reply::Refused(429, Some(20_000.0)) } else { Reply::Good });
    assert!(life.sent[1] - life.sent[0] >= 20_000.0);
}

#[test]
fn the_caller_says_how_often_and_how_long() {
    let attempts = |attempts| Options { attempts, seed: 3, ..Options::default() };
    for (tries, sent) in [(0.0, 1), (1.0, 2), (7.0, 8)] {
        let life = Life::new(attempts(tries), true, f64::INFINITY).run(|_| Reply::Broken);
        assert_eq!(life.sent.len(), sent);
    }
    let options = Options { connect_timeout_ms: 1_000.0, ..attempts(0.0) };
    let life = Life::new(options, true, f64::INFINITY).run(|_| Reply::Never);
    assert_eq!((life.now - START, life.disconnects), (1_000.0, 1));
    let give_up = Options { give_up_after_ms: 5_000.0, ..attempts(1_000.0) };
    let life = Life::new(give_up, true, f64::INFINITY).run(|_| Reply::Broken);
    assert_eq!(life.now - START, 5_000.0);
}

#[test]
fn a_call_takes_no_longer_than_it_may() {
    for reply in [|| Reply::Never, || Reply::Refused(503, Some(60_000.0))] {
        let life = Life::new(Options::default(), true, 7_000.0).run(|_| reply());
        assert!(life.now - START <= 7_000.0);
        assert_eq!(life.sent.len(), 1);
    }
    let late = Life::new(Options::default(), true, 7_000.0).run(|_| Reply::Never);
    assert_eq!((late.now - START, late.disconnects), (7_000.0, 1), "and what is under way is let go of");
    assert_eq!(late.failure().kind, FailureKind::Network);
}

#[test]
fn nothing_is_sent_while_offline_and_at_once_after_that() {
    let mut life = repeatable();
    life.call.handle_online(false);
    assert!(!life.drain());
    assert_eq!(life.call.deadline(), None);
    life.now += 100_000.0;
    life.call.handle_online(true);
    assert!(life.drain());
}

#[test]
fn what_comes_after_the_end_changes_nothing() {
    let mut life = repeatable().run(|_| Reply::Good);
    life.call.handle_failure(life.now, broken(), None);
    life.call.handle_answer();
    life.call.handle_time(life.now + 1e9);
    assert_eq!((life.call.poll(life.now), life.call.deadline()), (None, None));
}
