//! What the facade says to the engine: one way in for all of it.
//!
//! A class with a method for each would bring checks and glue for each: 4 kB after compression. So
//! runs, streams and decoders have numbers, and what is said has, too.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::caller::Caller;
use super::decoders::{StreamDecoder, Target};
use super::handle::Handle;
use super::run::Driver;
use crate::sse::Decoder;

/// What is said, by number, and what its numbers `a` to `d` are; those of
/// `pkg/src/engine/calls.ts`.
pub(super) mod call {
    /// To a stream, a run or a call: let go of the connection; nothing is called afterwards.
    pub(crate) const CLOSE: u8 = 0;
    /// To a stream: messages are wanted. `host.batch`, or `host.news` of the end, is called once,
    /// now or later. Places before `a` messages are not asked for any more.
    pub(crate) const PULL: u8 = 1;
    /// To a stream: what `host.read` was to bring, `a` bytes, written where there is room for them.
    /// To a decoder the same; it gives the number of what comes of them.
    pub(crate) const CHUNK: u8 = 2;
    /// What `host.read` was to bring: the body's end. To a decoder: the connection is over; it gives
    /// the number of what comes of a last line without an end.
    pub(crate) const ENDED: u8 = 3;
    /// There is no answer, or its body broke off: `a` is 0; 1 when no other try can be better, 2 when
    /// there is a good answer that nobody can read, 3 when nothing has been sent.
    pub(crate) const BROKE: u8 = 4;
    /// Make room for a chunk of `a` bytes.
    pub(crate) const ROOM: u8 = 5;
    /// An answer's head has come: its status, `Retry-After` and retention in milliseconds (NaN for
    /// none), and whether it has a body. The scratch holds its content type and request id, a line
    /// each.
    pub(crate) const OPENED: u8 = 6;
    /// An answer's body has come, and is in the scratch.
    pub(crate) const BODY: u8 = 7;
    /// What was set with `host.alarm` has come.
    pub(crate) const TIME: u8 = 8;
    /// The machine or the page woke up.
    pub(crate) const WAKE: u8 = 9;
    /// The platform says that it is online, if `a`, or offline.
    pub(crate) const ONLINE: u8 = 10;
    /// The page is visible, if `a`, or hidden.
    pub(crate) const VISIBLE: u8 = 11;
    /// Tell where a reader is that has read `a` messages of the stream: `News::Token`.
    pub(crate) const TOKEN: u8 = 12;
    /// Go on from the token in the scratch, before the first pull; gives 0 when it is none of this
    /// run.
    pub(crate) const RESUME: u8 = 13;
    /// To a run or a call: option `b`, by its place `a` in the list of `Options::set`; before
    /// anything else.
    pub(crate) const OPTION: u8 = 14;
    /// To a run: its record is in the scratch.
    pub(crate) const RECORD: u8 = 15;
    /// Somebody waits or listens, if `a`, or nobody does any more.
    pub(crate) const OBSERVE: u8 = 16;
    /// Nobody reads the streams that could tell, if `a`, or somebody does again.
    pub(crate) const STALLED: u8 = 17;
    /// No stream can tell any more: the record has to.
    pub(crate) const NO_STREAM: u8 = 18;
    /// Cancel the run: `News::Cancelled` or `News::NotCancelled`, once for all calls meanwhile.
    pub(crate) const CANCEL: u8 = 19;
    /// To a decoder of events: begin with the last event ID in the scratch.
    pub(crate) const SET_LAST_EVENT_ID: u8 = 20;
    /// The same: the last event ID lies where the text of events does.
    pub(crate) const LAST_EVENT_ID: u8 = 21;
    /// The same: gives the reconnection time in milliseconds, or -1.
    pub(crate) const RECONNECTION_TIME: u8 = 22;
    /// Go on where the stream of number `a` is, before the first pull.
    pub(crate) const FORK: u8 = 23;
    /// To a call: begin. `a` has the bits of `follow::Manner` (1 repeatable, 2 after a cancel, 4
    /// doubted), or is 8 where only the ids are looked at; `b` is how long it may take in all, in
    /// milliseconds. `News::End` or `News::Fail` follows.
    pub(crate) const BEGIN: u8 = 24;
    /// To a run or a call: key or headers may be others the next time; before anything else.
    pub(crate) const RENEWABLE: u8 = 25;
    /// To a call: `News::Look` has led to nothing (0), to what has been done (1), or cannot tell (2).
    pub(crate) const LOOKED: u8 = 26;
}

/// The numbers of a call.
pub(super) type Args = [f64; 4];

/// Who is called by a number.
pub(super) trait Hears {
    /// Something that the facade says; gives what is asked for, or nothing of use.
    fn hear(&self, call: u8, args: Args) -> f64;

    /// The address of what calls say beside their results; see `Head`.
    fn places(&self) -> usize {
        0
    }

    /// Itself, where it is a run.
    fn run(self: Rc<Self>) -> Option<Rc<Handle>> {
        None
    }

    /// Itself, where it is a stream.
    fn stream(self: Rc<Self>) -> Option<Rc<Driver>> {
        None
    }
}

/// All that there is.
struct Engine {
    all: RefCell<Vec<Option<Rc<dyn Hears>>>>,
    scratch: RefCell<Vec<u8>>,
}

thread_local! {
    // What is never dropped needs nobody to drop it.
    static ENGINE: ManuallyDrop<Engine> = const {
        ManuallyDrop::new(Engine { all: RefCell::new(Vec::new()), scratch: RefCell::new(Vec::new()) })
    };
}

fn find(id: u32) -> Option<Rc<dyn Hears>> {
    ENGINE.with(|engine| engine.all.borrow().get(id as usize).cloned().flatten())
}

/// The stream of a number.
pub(super) fn find_stream(id: u32) -> Option<Rc<Driver>> {
    find(id)?.stream()
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

/// Makes something and gives its number. By `kind`: 0 a run, whose path, agent's id and own id are in
/// the scratch, a line each (ids empty where the service gave them); of the run `of` a stream of
/// messages (1) or of frames (2); a decoder of events (3), of messages (4), or of a session's messages in an
/// event stream (6) or in lines (7), which are at most `of` bytes long; a call (5), which needs the
/// ids in the scratch, a line each, empty where it needs none.
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
    let who: Option<Rc<dyn Hears>> = match kind {
        0 => Some(Rc::new(Handle::new(number, &take_text()))),
        1 | 2 => match find(of).and_then(Hears::run) {
            Some(handle) => Some(Driver::new(number, &handle, kind == 2)),
            None => None,
        },
        5 => Some(Rc::new(Caller::new(number, &take_text()))),
        _ => {
            let target = match kind {
                3 => Target::Events,
                4 => Target::Messages,
                _ => Target::Session(Box::default()),
            };
            let decoder = if kind == 7 { Decoder::of_lines(of as usize) } else { Decoder::new(of as usize) };
            Some(Rc::new(RefCell::new(StreamDecoder::new(decoder, target))))
        }
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
    find(id).map_or(0, |who| who.places())
}

/// Says something, by the numbers of [`call`]; gives what the call does, or 0.
#[wasm_bindgen]
pub fn tell(id: u32, call: u8, a: f64, b: f64, c: f64, d: f64) -> f64 {
    find(id).map_or(0.0, |who| who.hear(call, [a, b, c, d]))
}

/// Forgets something, which must have been closed.
#[wasm_bindgen]
pub fn forget(id: u32) {
    let who = ENGINE.with(|engine| engine.all.borrow_mut().get_mut(id as usize).and_then(Option::take));
    drop(who);
}
