//! What becomes of a run: waiting for its end, and cancelling it, in simulated time.

use runwire::cloud::{Failure, FailureKind, Head, Outcome, RunStatus};
use runwire::follow::{Options, Task, Watch};

use crate::world::START;

/// A watch, its clock, and what it has asked for and told.
struct Life {
    watch: Watch,
    now: f64,
    tasks: Vec<(f64, Task)>,
}

/// What a service says when its run is asked for.
type Answer = fn(f64) -> Result<Option<Outcome>, Failure>;

impl Life {
    fn new(options: Options) -> Self {
        Self { watch: Watch::new(options), now: START, tasks: Vec::new() }
    }

    fn observed(options: Options) -> Self {
        let mut life = Self::new(options);
        life.watch.handle_observed(true);
        life
    }

    fn drain(&mut self) -> Vec<Task> {
        let new: Vec<Task> = std::iter::from_fn(|| self.watch.poll(self.now)).collect();
        self.tasks.extend(new.iter().cloned().map(|task| (self.now - START, task)));
        new
    }

    /// Lives for so long; each question is answered at once, cancelling with what is given.
    fn live(&mut self, ms: f64, record: Answer, cancel: fn() -> Result<(), Failure>) {
        let end = self.now + ms;
        for _ in 0..100_000 {
            let tasks = self.drain();
            let rests = tasks.is_empty();
            for task in tasks {
                match task {
                    Task::AskRun => {
                        self.watch.handle_asked();
                        match record(self.now - START) {
                            Ok(outcome) => self.watch.handle_record(self.now, outcome),
                            Err(failure) => self.watch.handle_record_failed(self.now, failure, None),
                        }
                    }
                    Task::Cancel => self.watch.handle_cancel_answer(self.now, cancel(), None, true),
                    _ => {}
                }
            }
            if !rests {
                continue;
            }
            let Some(next) = self.watch.deadline().filter(|next| *next <= end) else {
                self.now = end;
                return;
            };
            self.now = self.now.max(next);
            self.watch.handle_time(self.now);
        }
        panic!("the watch never rests: {:?}", self.tasks.last());
    }

    /// When the run was asked for, in milliseconds.
    fn asked(&self) -> Vec<f64> {
        let asked = self.tasks.iter().filter(|(_, task)| *task == Task::AskRun);
        asked.map(|(at, _)| *at).collect()
    }

    fn count(&self, wanted: &Task) -> usize {
        self.tasks.iter().filter(|(_, task)| task == wanted).count()
    }

    fn lost(&self) -> Option<f64> {
        self.tasks.iter().find(|(_, task)| matches!(task, Task::Lost(_))).map(|(at, _)| *at)
    }
}

fn network() -> Failure {
    Failure::local(FailureKind::Network, "network_error", "no")
}

fn refusal(status: u16) -> Failure {
    Failure::of_answer(Head { status, ..Head::default() }, Vec::new())
}

fn finished(text: &str) -> Outcome {
    Outcome::of_record(format!(r#"{{"status":"FINISHED","result":"{text}"}}"#).as_bytes()).unwrap()
}

fn running(_: f64) -> Result<Option<Outcome>, Failure> {
    Ok(None)
}

fn dead(_: f64) -> Result<Option<Outcome>, Failure> {
    Err(network())
}

fn agreed() -> Result<(), Failure> {
    Ok(())
}

#[test]
fn nobody_who_waits_costs_no_question() {
    let mut life = Life::new(Options::default());
    life.watch.handle_stream_failed(START, refusal(410));
    life.live(3_600_000.0, running, agreed);
    assert!(life.tasks.is_empty());
}

#[test]
fn a_stalled_stream_has_the_record_asked_every_two_to_fifteen_seconds() {
    let mut life = Life::observed(Options::default());
    life.watch.handle_stalled(START, true);
    life.live(60_000.0, running, agreed);
    let asked = life.asked();
    let gaps: Vec<f64> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!((asked[0], &gaps[..4]), (2_000.0, &[2_000.0, 4_000.0, 8_000.0, 15_000.0][..]));
    assert!(gaps[4..].iter().all(|gap| *gap == 15_000.0), "{gaps:?}");
    life.watch.handle_stalled(life.now, false);
    let before = life.asked().len();
    life.live(3_600_000.0, running, agreed);
    assert_eq!(life.asked().len(), before, "somebody reads again");
}

#[test]
fn an_expired_stream_is_waited_for_by_the_record() {
    let mut life = Life::observed(Options::default());
    life.watch.handle_stream_failed(START, refusal(410));
    life.live(600_000.0, |now| Ok((now > 100_000.0).then(|| finished("late"))), agreed);
    assert_eq!(life.asked()[0], 0.0, "at once");
    assert_eq!(life.count(&Task::Changed(RunStatus::Finished)), 1);
    assert_eq!(life.count(&Task::Settled), 1);
    let asked = life.asked().len();
    assert!((8..=14).contains(&asked), "{asked} questions in 100 s");
}

#[test]
fn an_hour_of_a_dead_server_ends_waiting_after_the_time_that_was_given() {
    let mut life = Life::observed(Options::default());
    life.watch.handle_stream_failed(START, network());
    life.live(3_600_000.0, dead, agreed);
    let lost = life.lost().expect("it is given up");
    assert!((600_000.0..660_000.0).contains(&lost), "{lost}");
    assert!(life.asked().len() < 60, "{} questions", life.asked().len());
}

#[test]
fn an_hour_of_a_dead_server_is_waited_out_when_told_so() {
    let mut life = Life::observed(Options { give_up_after_ms: f64::INFINITY, ..Options::default() });
    life.watch.handle_stream_failed(START, network());
    life.live(3_600_000.0, dead, agreed);
    assert_eq!(life.lost(), None);
    let asked = life.asked().len();
    assert!(asked <= 300, "{asked} questions in an hour");
    life.live(60_000.0, |_| Ok(Some(finished("at last"))), agreed);
    assert_eq!(life.count(&Task::Settled), 1);
}

#[test]
fn a_record_that_answers_keeps_waiting_alive_after_the_stream_was_given_up() {
    let mut life = Life::observed(Options::default());
    life.watch.handle_stream_failed(START, network());
    life.live(36_000_000.0, running, agreed);
    assert_eq!(life.lost(), None);
    let asked = life.asked();
    let gaps: Vec<f64> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps.iter().copied().fold(0.0, f64::max), 30_000.0, "at the cap");
}

#[test]
fn a_refusal_that_will_not_change_ends_waiting_at_once() {
    for status in [401, 403, 404] {
        let mut life = Life::observed(Options::default());
        life.watch.handle_stream_failed(START, refusal(status));
        life.live(60_000.0, running, agreed);
        assert_eq!((life.lost(), life.asked().len()), (Some(0.0), 0), "{status}");
    }
}

#[test]
fn an_incomplete_result_is_completed_by_one_question_of_the_same_state() {
    let result = || Outcome::of_frame(br#"{"status":"FINISHED"}"#).unwrap();
    for (record, expected) in [
        (finished("text"), r#"["finished","text",null,null,null,null]"#),
        (
            Outcome::of_record(br#"{"status":"ERROR","result":"x"}"#).unwrap(),
            r#"["finished",null,null,null,null,null]"#,
        ),
    ] {
        let mut life = Life::observed(Options::default());
        life.watch.handle_outcome(result(), false);
        assert_eq!(life.drain(), [Task::Changed(RunStatus::Finished), Task::AskRun]);
        life.watch.handle_asked();
        life.watch.handle_record(life.now, Some(record));
        assert_eq!(life.drain(), [Task::Settled]);
        let mut out = runwire::json::FlatArray::default();
        life.watch.outcome().unwrap().encode(&mut out);
        assert_eq!(std::str::from_utf8(out.finish().bytes).unwrap(), expected);
    }
}

#[test]
fn an_incomplete_result_settles_as_it_is_when_the_record_says_running_or_nothing() {
    for record in [running as Answer, dead, |_| Err(refusal(404))] {
        let mut life = Life::observed(Options::default());
        life.watch.handle_outcome(Outcome::of_frame(b"{}").unwrap(), false);
        life.live(60_000.0, record, agreed);
        assert_eq!((life.asked().len(), life.count(&Task::Settled)), (1, 1));
    }
}

#[test]
fn a_terminal_state_is_never_overwritten() {
    let mut life = Life::observed(Options::default());
    life.watch.handle_outcome(Outcome::of_frame(br#"{"status":"FINISHED","text":"a"}"#).unwrap(), false);
    life.watch.handle_record(life.now, Some(Outcome::cancelled()));
    life.watch.handle_outcome(Outcome::of_frame(br#"{"status":"ERROR","text":"b"}"#).unwrap(), false);
    assert_eq!(life.drain(), [Task::Changed(RunStatus::Finished), Task::Settled]);
}

#[test]
fn nothing_is_asked_while_offline() {
    let mut life = Life::observed(Options::default());
    life.watch.handle_stream_failed(START, network());
    life.watch.handle_online(START, false);
    life.live(3_600_000.0, dead, agreed);
    assert!(life.asked().is_empty());
    life.watch.handle_online(life.now, true);
    life.live(60_000.0, |_| Ok(Some(finished("a"))), agreed);
    assert_eq!(life.count(&Task::Settled), 1);
}

/// Asks for the record; its answer is a failure.
fn fail_once(life: &mut Life) {
    let due = life.watch.deadline().unwrap_or(life.now);
    life.now = life.now.max(due);
    assert_eq!(life.drain(), [Task::AskRun]);
    life.watch.handle_asked();
    life.watch.handle_record_failed(life.now, network(), None);
}

#[test]
fn time_offline_is_not_spent() {
    let mut life = Life::observed(Options::default());
    life.watch.handle_stream_failed(START, network());
    fail_once(&mut life);
    life.watch.handle_online(life.now, false);
    life.live(3_600_000.0, dead, agreed);
    life.watch.handle_online(life.now, true);
    fail_once(&mut life);
    let begun = life.now - START;
    life.live(3_600_000.0, dead, agreed);
    let lost = life.lost().unwrap() - begun;
    assert!((580_000.0..=600_000.0).contains(&lost), "given up {lost} ms after that");
}

#[test]
fn time_asleep_is_not_spent_and_an_answer_that_came_meanwhile_is_read_first() {
    let mut life = Life::observed(Options::default());
    life.watch.handle_stream_failed(START, network());
    fail_once(&mut life);
    // Asleep while the next question is waited for, and while it is under way.
    life.now += 3_600_000.0;
    life.watch.handle_time(life.now);
    assert_eq!(life.drain(), [Task::AskRun]);
    life.now += 3_600_000.0;
    life.watch.handle_time(life.now);
    assert_eq!(life.drain(), [], "it has as much time again");
    life.now += 30_000.0;
    life.watch.handle_time(life.now);
    assert_eq!(life.drain(), [Task::Disconnect]);
    let begun = life.now - START;
    life.live(3_600_000.0, dead, agreed);
    let lost = life.lost().unwrap() - begun;
    assert!((500_000.0..=600_000.0).contains(&lost), "given up {lost} ms after that");
}

#[test]
fn what_breaks_because_the_network_goes_is_no_attempt() {
    let options = Options { attempts: 1.0, ..Options::default() };
    let mut life = Life::observed(options);
    life.watch.handle_stream_failed(START, network());
    for _ in 0..5 {
        assert_eq!(life.drain(), [Task::AskRun]);
        life.watch.handle_online(life.now, false);
        life.watch.handle_asked();
        life.watch.handle_record_failed(life.now, network(), None);
        life.now += 60_000.0;
        life.watch.handle_online(life.now, true);
        life.now = life.watch.deadline().unwrap();
    }
    assert_eq!(life.lost(), None);

    life.watch.handle_observed(false);
    life.watch.handle_cancel(life.now);
    for _ in 0..5 {
        assert_eq!(life.drain(), [Task::Cancel]);
        life.watch.handle_online(life.now, false);
        life.watch.handle_cancel_answer(life.now, Err(network()), None, false);
        life.now += 60_000.0;
        assert_eq!(life.drain(), []);
        life.watch.handle_online(life.now, true);
        life.now = life.watch.deadline().unwrap();
    }
    assert_eq!(life.drain(), [Task::Cancel], "it is still tried");
}

#[test]
fn a_question_without_an_answer_is_given_up_after_the_time_for_that() {
    let mut life = Life::observed(Options::default());
    life.watch.handle_stream_failed(START, refusal(410));
    assert_eq!(life.drain(), [Task::AskRun]);
    let deadline = life.watch.deadline().unwrap();
    assert_eq!(deadline, START + 30_000.0);
    life.now = deadline;
    life.watch.handle_time(deadline);
    assert_eq!(life.drain(), [Task::Disconnect]);
    assert!(life.watch.deadline().is_some_and(|next| next > deadline), "it is asked again");
}

#[test]
fn cancelling_a_run_that_is_over_asks_for_nothing() {
    let mut life = Life::new(Options::default());
    life.watch.handle_record(START, Some(finished("a")));
    life.drain();
    life.watch.handle_cancel(START);
    assert_eq!(life.drain(), [Task::Cancelled]);
}

#[test]
fn calls_of_cancel_at_the_same_time_are_one() {
    let mut life = Life::new(Options::default());
    life.watch.handle_cancel(START);
    life.watch.handle_cancel(START);
    assert_eq!(life.drain(), [Task::Cancel]);
    life.watch.handle_cancel(START);
    assert_eq!(life.drain(), []);
}

#[test]
fn a_cancel_that_fails_is_tried_three_times_and_can_be_asked_for_again() {
    for failure in [network as fn() -> Failure, || refusal(503)] {
        let mut life = Life::new(Options::default());
        life.watch.handle_cancel(START);
        let refuse: fn() -> Result<(), Failure> =
            if failure().status() == 503 { || Err(refusal(503)) } else { || Err(network()) };
        life.live(60_000.0, running, refuse);
        assert_eq!((life.count(&Task::Cancel), life.count(&Task::NotCancelled(failure()))), (3, 1));
        life.watch.handle_cancel(life.now);
        life.live(10_000.0, running, agreed);
        assert_eq!(life.count(&Task::Cancelled), 1);
    }
}

#[test]
fn a_run_that_does_not_say_so_counts_as_cancelled_after_five_seconds() {
    let mut life = Life::new(Options::default());
    life.watch.handle_cancel(START);
    life.live(60_000.0, running, agreed);
    let cancelled = life.tasks.iter().find(|(_, task)| *task == Task::Cancelled).unwrap().0;
    assert_eq!(cancelled, 5_000.0);
    assert_eq!(life.count(&Task::Cancelling), 1);
    assert_eq!(life.count(&Task::Changed(RunStatus::Cancelled)), 1);
}

#[test]
fn a_409_is_settled_by_the_record() {
    let refuse = || Err(refusal(409));
    let mut life = Life::new(Options::default());
    life.watch.handle_cancel(START);
    life.live(10_000.0, |_| Ok(Some(finished("a"))), refuse);
    assert_eq!((life.count(&Task::Cancelled), life.asked().len()), (1, 1));
    assert_eq!(life.count(&Task::Changed(RunStatus::Finished)), 1, "with its real state");

    let mut life = Life::new(Options::default());
    life.watch.handle_cancel(START);
    life.live(10_000.0, running, refuse);
    // The answer has no code, as from a relay that drops bodies.
    let named = refusal(409).or_code("run_not_cancellable", "The service refuses to cancel the run");
    assert_eq!(life.count(&Task::NotCancelled(named)), 1, "it goes on");
}
