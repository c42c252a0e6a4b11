//! A run of a million frames takes no more memory than a short one.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use runwire_simulator::{How, LongRun, Pace, RunPlan, Scenario, Scope};

use crate::seen::Seen;
use crate::world::{World, options};

thread_local! {
    /// Bytes that this thread has taken and not given back.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

fn count(bytes: isize) {
    // A thread that ends gives back what it has when nobody counts any more.
    let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
}

// SAFETY: all of it is the system's allocator; the counter allocates nothing.
#[allow(unsafe_code, reason = "an allocator cannot be written without")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as this function's caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as this function's caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Follows a run, cut each 100,000 frames; gives the content frames that are missing, and the memory held on the way.
fn follow(events: u64) -> (i64, Vec<isize>) {
    let long = LongRun { events, twins: true, interval_ms: 1.0 };
    let mut world = World::new(&RunPlan::new(Scenario::Long(long)).pace(Pace::Demand), options());
    world.forget = true;
    let (mut seen, mut counted, mut next_cut) = (0_u64, 0, 100_000);
    let mut memory = Vec::new();
    while world.end.is_none() {
        world.step_until(f64::INFINITY);
        if world.delivered != counted {
            counted = world.delivered;
            seen += world.seen.iter().filter(|seen| seen.content().is_some()).count() as u64;
            assert!(world.seen.iter().all(|seen| !matches!(seen, Seen::Warning { .. })));
        }
        if seen >= next_cut {
            next_cut += 100_000;
            memory.push(LIVE.get());
            world.simulator.cut(Scope::All, &How::Reset);
        }
    }
    let own = |event: &str| !matches!(event, "status" | "heartbeat" | "done");
    let expected = world.simulator.expected(&world.run.run_id).unwrap().events;
    let expected: u64 = expected.iter().filter(|(event, _)| own(event)).map(|(_, count)| count).sum();
    (expected as i64 - seen as i64, memory)
}

#[test]
fn a_million_frames_take_no_more_memory_than_a_few() {
    let (missing, memory) = follow(1_000_000);
    assert_eq!(missing, 0);
    let (least, most) = (memory.iter().min().unwrap(), memory.iter().max().unwrap());
    println!("{memory:?}");
    assert!(memory.len() == 9 && most - least < 32_768, "{memory:?}");
}
