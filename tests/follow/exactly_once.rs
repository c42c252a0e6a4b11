//! Exactly once, whatever is cut: random schedules for each row of the table of guarantees.

use std::collections::BTreeMap;

use runwire_simulator::{Config, Simulator};

use crate::schedules::{ROWS, Random, Row, run, schedule};

/// Schedules in the ordinary test.
const COUNT: u64 = 100_000;

/// Runs `count` schedules from `first` on; panics with the first that breaks its row's promise.
fn sweep(first: u64, count: u64) -> BTreeMap<Row, (u64, usize, usize, usize)> {
    let mut totals = BTreeMap::new();
    let mut simulator = Simulator::new(Config { log_limit: 0, ..Config::default() });
    for seed in first..first + count {
        // Agents stay in a simulator; without this its memory would grow.
        if seed % 1_000 == 0 {
            simulator = Simulator::new(Config { log_limit: 0, ..Config::default() });
        }
        let mut random = Random(seed);
        let row = ROWS[seed as usize % ROWS.len()];
        let schedule = schedule(&mut random, row);
        match run(&mut simulator, &schedule) {
            Ok(outcome) => {
                let total: &mut (u64, usize, usize, usize) = totals.entry(row).or_default();
                total.0 += 1;
                total.1 += outcome.connections;
                total.2 += outcome.extra;
                total.3 += outcome.warnings;
            }
            Err(wrong) => {
                panic!("schedule {seed}, {row:?}: {wrong}\n{:?}\n{:?}", schedule.network, schedule.plan.knobs)
            }
        }
    }
    totals
}

fn report(totals: &BTreeMap<Row, (u64, usize, usize, usize)>) {
    for (row, (count, connections, extra, warnings)) in totals {
        println!(
            "{row:?}: {count} schedules, {connections} connections, {extra} extra requests, {warnings} warnings"
        );
    }
}

#[test]
fn a_hundred_thousand_random_schedules_keep_the_promise_of_their_row() {
    let totals = sweep(0, COUNT);
    report(&totals);
    for (row, (_, _, _, warnings)) in totals {
        assert_eq!(warnings > 0, row == Row::Retention, "{row:?}: {warnings}");
    }
}

/// The rest of a million, for the release matrix: `cargo test --release -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn a_million_random_schedules_keep_the_promise_of_their_row() {
    report(&sweep(COUNT, 1_000_000 - COUNT));
}
