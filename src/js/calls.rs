//! What the facade says to runs and their streams: one way in for all of it.
//!
//! A class with a method for each would bring checks and glue for each: 4 kB after compression. So
//! runs and streams have numbers, and what is said has, too.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::handle::Handle;
use super::run::Driver;

/// What is said; see [`Call::of`] for the numbers.
#[derive(Clone, Copy)]
pub(super) enum Call {
    /// Let go of the connection; nothing is called afterwards.
    Close,
    /// Messages are wanted: `host.batch`, or `host.news` of the end, is called once, now or later.
    Pull,
    /// What `host.read` was to bring: so many bytes, written where there is room for them.
    Chunk(usize),
    /// What `host.read` was to bring: the body's end.
    Ended,
    /// There is no answer, or its body broke off. True when no other try can be better.
    Broke(bool),
    /// Make room for a chunk.
    Room(usize),
    /// Make room for what an answer says.
    Scratch(usize),
    /// An answer's head has come. The scratch holds its content type and request id, a line each.
    Opened {
        status: u16,
        /// In milliseconds, NaN for none.
        retry_after: f64,
        /// The same.
        retention: f64,
        has_body: bool,
    },
    /// An answer's body has come, and is in the scratch.
    Body,
    /// What was set with `host.alarm` has come.
    Time,
    /// The machine or the page woke up.
    Wake,
    /// The platform says that it is online, or offline.
    Online(bool),
    /// The page is visible, or hidden.
    Visible(bool),
    /// Tell where the stream is, so many hand-overs ago: `News::Token`.
    Token(usize),
    /// Ask for the run's record: `News::Record` or `News::NoRecord`.
    Load,
    /// Somebody waits or listens, or nobody does any more.
    Observe(bool),
    /// Nobody reads the streams that could tell, or somebody does again.
    Stalled(bool),
    /// No stream can tell any more: the record has to.
    NoStream,
    /// Cancel the run: `News::Cancelled` or `News::NotCancelled`, once for all calls meanwhile.
    Cancel,
}

impl Call {
    /// The call of a number; the order of `CALL` in `pkg/src/engine/calls.ts`.
    fn of(call: u8, [a, b, c, d]: [f64; 4]) -> Self {
        let (flag, length) = (a != 0.0, a as usize);
        match call {
            1 => Self::Pull,
            2 => Self::Chunk(length),
            3 => Self::Ended,
            4 => Self::Broke(flag),
            5 => Self::Room(length),
            6 => Self::Scratch(length),
            7 => Self::Opened { status: a as u16, retry_after: b, retention: c, has_body: d != 0.0 },
            8 => Self::Body,
            9 => Self::Time,
            10 => Self::Wake,
            11 => Self::Online(flag),
            12 => Self::Visible(flag),
            13 => Self::Token(length),
            14 => Self::Load,
            15 => Self::Observe(flag),
            16 => Self::Stalled(flag),
            17 => Self::NoStream,
            18 => Self::Cancel,
            _ => Self::Close,
        }
    }
}

/// Who is called by a number.
#[derive(Clone)]
enum Who {
    Run(Rc<Handle>),
    Stream(Rc<Driver>),
}

thread_local! {
    // What is never dropped needs nobody to drop it.
    static ALL: ManuallyDrop<RefCell<Vec<Option<Who>>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

fn find(id: u32) -> Option<Who> {
    ALL.with(|all| all.borrow().get(id as usize).cloned().flatten())
}

/// Takes the first number that is free.
fn add(make: impl FnOnce(u32) -> Option<Who>) -> u32 {
    let id = ALL.with(|all| {
        let mut all = all.borrow_mut();
        all.iter().position(Option::is_none).unwrap_or_else(|| {
            all.push(None);
            all.len() - 1
        })
    });
    let who = make(id as u32);
    ALL.with(|all| {
        if let Some(slot) = all.borrow_mut().get_mut(id) {
            *slot = who;
        }
    });
    id as u32
}

/// Adds a run: gives its number.
#[wasm_bindgen(js_name = addRun)]
#[must_use]
pub fn add_run(agent_id: &str, run_id: &str, options: &[f64], renewable: bool) -> u32 {
    add(|id| Some(Who::Run(Rc::new(Handle::new(id, agent_id, run_id, options, renewable)))))
}

/// Adds a stream of a run from its start, of messages or of frames; or one that goes on where
/// another stream is when that has handed over everything. Gives its number.
#[wasm_bindgen(js_name = addStream)]
#[must_use]
pub fn add_stream(of: u32, every_frame: bool) -> u32 {
    let of = find(of);
    add(|id| match of? {
        Who::Run(handle) => Some(Who::Stream(Driver::of(id, &handle, every_frame))),
        Who::Stream(driver) => Some(Who::Stream(driver.fork(id))),
    })
}

/// Has a stream go on from a token, before the first pull; false when it is none.
#[wasm_bindgen]
#[must_use]
pub fn resume(stream: u32, token: &str) -> bool {
    matches!(find(stream), Some(Who::Stream(driver)) if driver.resume(token))
}

/// The address of what calls say beside their results.
#[wasm_bindgen]
#[must_use]
pub fn places(id: u32) -> usize {
    match find(id) {
        Some(Who::Run(handle)) => handle.places(),
        Some(Who::Stream(driver)) => driver.places(),
        None => 0,
    }
}

/// Says something to a run or a stream, by the numbers of [`Call::of`].
#[wasm_bindgen]
pub fn tell(id: u32, call: u8, a: f64, b: f64, c: f64, d: f64) -> usize {
    let call = Call::of(call, [a, b, c, d]);
    match find(id) {
        Some(Who::Run(handle)) => handle.hear(call),
        Some(Who::Stream(driver)) => driver.hear(call),
        None => 0,
    }
}

/// Forgets a run or a stream, which must have been closed.
#[wasm_bindgen]
pub fn forget(id: u32) {
    let who = ALL.with(|all| all.borrow_mut().get_mut(id as usize).and_then(Option::take));
    drop(who);
}
