//! What the facade says to the engine: one way in for all of it.
//!
//! A class with a method for each would bring checks and glue for each: 4 kB after compression. So
//! runs, streams and decoders have numbers, and what is said has, too.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::caller::Caller;
use super::decoders::StreamDecoder;
use super::handle::Handle;
use super::run::Driver;

/// What is said; see [`Call::of`] for the numbers.
#[derive(Clone, Copy)]
pub(super) enum Call {
    /// To a stream or a run: let go of the connection; nothing is called afterwards.
    Close,
    /// To a stream: messages are wanted. `host.batch`, or `host.news` of the end, is called once,
    /// now or later. Places before this many messages are not asked for any more.
    Pull(u64),
    /// To a stream: what `host.read` was to bring, so many bytes, written where there is room for
    /// them. To a decoder the same; it gives the number of what comes of them.
    Chunk(usize),
    /// What `host.read` was to bring: the body's end. To a decoder: the connection is over.
    Ended,
    /// There is no answer, or its body broke off. True when no other try can be better.
    Broke(bool),
    /// Make room for a chunk.
    Room(usize),
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
    /// Tell where a reader is that has read so many messages of the stream: `News::Token`.
    Token(u64),
    /// Go on from the token in the scratch, before the first pull; gives 0 when it is none of this run.
    Resume,
    /// Go on where the stream of that number is, before the first pull.
    Fork(u32),
    /// To a run or a call: whether key or headers may be others the next time; before anything else.
    Renewable(bool),
    /// To a run or a call: an option, by its place in the list of `Options::set`; before anything else.
    Option(usize, f64),
    /// To a run: its record is in the scratch.
    Record,
    /// To a call: begin. It may be repeated without harm, or not; how long it may take in all, in
    /// milliseconds. `News::End` or `News::Fail` follows.
    Begin { repeatable: bool, timeout: f64 },
    /// Somebody waits or listens, or nobody does any more.
    Observe(bool),
    /// Nobody reads the streams that could tell, or somebody does again.
    Stalled(bool),
    /// No stream can tell any more: the record has to.
    NoStream,
    /// Cancel the run: `News::Cancelled` or `News::NotCancelled`, once for all calls meanwhile.
    Cancel,
    /// To a decoder of events: begin with the last event ID in the scratch.
    SetLastEventId,
    /// The same: the last event ID lies where the text of events does.
    LastEventId,
    /// The same: gives the reconnection time in milliseconds, or -1.
    ReconnectionTime,
}

impl Call {
    /// The call of a number; those of `pkg/src/engine/calls.ts`.
    fn of(call: u8, [a, b, c, d]: [f64; 4]) -> Self {
        let (flag, length) = (a != 0.0, a as usize);
        match call {
            1 => Self::Pull(a as u64),
            2 => Self::Chunk(length),
            3 => Self::Ended,
            4 => Self::Broke(flag),
            5 => Self::Room(length),
            6 => Self::Opened { status: a as u16, retry_after: b, retention: c, has_body: d != 0.0 },
            7 => Self::Body,
            8 => Self::Time,
            9 => Self::Wake,
            10 => Self::Online(flag),
            11 => Self::Visible(flag),
            12 => Self::Token(a as u64),
            13 => Self::Resume,
            14 => Self::Option(length, b),
            15 => Self::Record,
            16 => Self::Observe(flag),
            17 => Self::Stalled(flag),
            18 => Self::NoStream,
            19 => Self::Cancel,
            20 => Self::SetLastEventId,
            21 => Self::LastEventId,
            22 => Self::ReconnectionTime,
            23 => Self::Fork(a as u32),
            24 => Self::Begin { repeatable: flag, timeout: b },
            25 => Self::Renewable(flag),
            _ => Self::Close,
        }
    }
}

/// Who is called by a number.
#[derive(Clone)]
enum Who {
    Run(Rc<Handle>),
    Stream(Rc<Driver>),
    Decoder(Rc<RefCell<StreamDecoder>>),
    Call(Rc<Caller>),
}

/// All that there is.
struct Engine {
    all: RefCell<Vec<Option<Who>>>,
    scratch: RefCell<Vec<u8>>,
}

thread_local! {
    // What is never dropped needs nobody to drop it.
    static ENGINE: ManuallyDrop<Engine> = const {
        ManuallyDrop::new(Engine { all: RefCell::new(Vec::new()), scratch: RefCell::new(Vec::new()) })
    };
}

fn find(id: u32) -> Option<Who> {
    ENGINE.with(|engine| engine.all.borrow().get(id as usize).cloned().flatten())
}

/// The stream of a number.
pub(super) fn find_stream(id: u32) -> Option<Rc<Driver>> {
    if let Some(Who::Stream(driver)) = find(id) { Some(driver) } else { None }
}

/// What the facade has written into the scratch.
pub(super) fn take_scratch() -> Vec<u8> {
    ENGINE.with(|engine| std::mem::take(&mut *engine.scratch.borrow_mut()))
}

/// The same, as text.
pub(super) fn take_text() -> String {
    take_scratch().utf8_chunks().map(|chunk| chunk.valid()).collect()
}

/// Makes room for a text or an answer's body, to be said something about next; gives its address.
#[wasm_bindgen]
#[must_use]
pub fn scratch(length: usize) -> usize {
    ENGINE.with(|engine| {
        let mut scratch = engine.scratch.borrow_mut();
        scratch.clear();
        scratch.resize(length, 0);
        scratch.as_ptr() as usize
    })
}

/// Makes something and gives its number. By `kind`: 0 a run, whose agent's and own id are in the
/// scratch, a line each; of the run `of` a stream of messages (1) or of frames (2); a decoder of
/// events (3) or of messages (4) that are at most `of` bytes long; a call (5), which needs the ids in
/// the scratch, a line each, empty where it needs none.
#[wasm_bindgen]
#[must_use]
pub fn make(kind: u8, of: u32) -> u32 {
    let id = ENGINE.with(|engine| {
        let mut all = engine.all.borrow_mut();
        all.iter().position(Option::is_none).unwrap_or_else(|| {
            all.push(None);
            all.len() - 1
        })
    });
    let number = id as u32;
    let who = match (kind, find(of)) {
        (0, _) => Some(Who::Run(Rc::new(Handle::new(number, &take_text())))),
        (1 | 2, Some(Who::Run(handle))) => Some(Who::Stream(Driver::new(number, &handle, kind == 2))),
        (3 | 4, _) => Some(Who::Decoder(Rc::new(RefCell::new(StreamDecoder::new(of as usize, kind == 4))))),
        (5, _) => Some(Who::Call(Rc::new(Caller::new(number, &take_text())))),
        _ => None,
    };
    ENGINE.with(|engine| {
        if let Some(slot) = engine.all.borrow_mut().get_mut(id) {
            *slot = who;
        }
    });
    number
}

/// The address of what calls say beside their results; see `Head`.
#[wasm_bindgen]
#[must_use]
pub fn places(id: u32) -> usize {
    match find(id) {
        Some(Who::Run(_) | Who::Call(_)) | None => 0,
        Some(Who::Stream(driver)) => driver.places(),
        Some(Who::Decoder(decoder)) => decoder.borrow().head(),
    }
}

/// Says something, by the numbers of [`Call::of`]; gives what the call does, or 0.
#[wasm_bindgen]
pub fn tell(id: u32, call: u8, a: f64, b: f64, c: f64, d: f64) -> f64 {
    let call = Call::of(call, [a, b, c, d]);
    match find(id) {
        Some(Who::Run(handle)) => handle.hear(call),
        Some(Who::Stream(driver)) => driver.hear(call),
        Some(Who::Call(caller)) => caller.hear(call),
        Some(Who::Decoder(decoder)) => decoder.borrow_mut().hear(call),
        None => 0.0,
    }
}

/// Forgets something, which must have been closed.
#[wasm_bindgen]
pub fn forget(id: u32) {
    let who = ENGINE.with(|engine| engine.all.borrow_mut().get_mut(id as usize).and_then(Option::take));
    drop(who);
}
