//! Everything at once, in any order: whatever happens to a follower, it rests, it ends, and nothing is lost.

use runwire::follow::Options;
use runwire_simulator::{Answer, Config, ErrorAnswer, How, Rule, Scope, Simulator};

use crate::oracle::{Account, Promise};
use crate::schedules::{Random, script_of};
use crate::shapes::paced;
use crate::world::{Cut, World, options};

/// One thing that happens. `breaks` are the times left that a connection may end without a network error.
fn happen(world: &mut World, random: &mut Random, breaks: &mut usize) {
    match random.below(14) {
        0 => world.follower.handle_wake(world.now),
        1 => {
            world.follower.handle_online(world.now, false);
            world.simulator.cut(Scope::All, &How::Reset);
        }
        2 | 3 => world.follower.handle_online(world.now, true),
        4 => world.paused = true,
        5 => world.pull(),
        6 => {
            let jump = *random.of(&[12_000.0, 70_000.0, 400_000.0, 3_600_000.0, -5_000.0]);
            world.jump(jump);
        }
        7 if *breaks > 0 => {
            *breaks -= 1;
            world.half_open();
        }
        8 if *breaks > 0 => {
            *breaks -= 1;
            world.simulator.cut(Scope::All, &How::End);
        }
        9 => {
            world.simulator.cut(Scope::All, &How::Reset);
        }
        10 => {
            let error =
                Answer::Error(ErrorAnswer { status: *random.of(&[429, 503]), ..ErrorAnswer::default() });
            let answer = random.of(&[error, Answer::Reset, Answer::Never]).clone();
            let for_ms = Some(*random.of(&[1_000.0, 100_000.0]));
            world.simulator.add_rule(world.now, Rule { for_ms, answer, ..Rule::default() });
        }
        11 => world.lateness = *random.of(&[0.0, 0.0, 900.0, 59_000.0]),
        // Timers may fire before what is queued is read, and without being asked.
        12 => world.follower.handle_time(world.now),
        _ => {}
    }
    world.drain();
    let ms = *random.of(&[0.0, 1.0, 300.0, 4_000.0, 65_000.0]);
    world.run_for(ms);
}

#[test]
fn whatever_happens_in_any_order_nothing_is_lost() {
    let mut simulator = Simulator::new(Config { log_limit: 0, ..Config::default() });
    for seed in 0..5_000 {
        let mut random = Random(seed);
        let frames = script_of(&mut random);
        let plan = paced(frames, *random.of(&[10.0, 2_000.0, 30_000.0]));
        let options = Options { give_up_after_ms: f64::INFINITY, seed, ..options() };
        let mut world = World::with(simulator, &plan, options);
        // Never reached: it says that bodies may end, or be silent, before the run's result.
        world.network.cuts = vec![Cut { after: usize::MAX, how: crate::world::How::End }];
        let mut breaks = 3;
        for _ in 0..random.below(60) {
            if world.end.is_none() {
                happen(&mut world, &mut random, &mut breaks);
            }
        }
        world.simulator.clear_rules();
        world.lateness = 0.0;
        if world.end.is_none() {
            world.follower.handle_online(world.now, true);
            world.pull();
            world.finish();
        }
        let verdict = Account::of(&world).judge(&world, Promise::Exact);
        assert_eq!(verdict, Ok(()), "seed {seed} {}", world.story());
        world.simulator.forget_run(&world.run.run_id);
        simulator = world.simulator;
    }
}
