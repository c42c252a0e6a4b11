//! What the facade does for the engine; `host` is what `createGlue` was given.
//!
//! Everything is told by numbers and texts, and who is meant by the number that it was made with:
//! objects of JS's, promises and callbacks would each need room in the engine that costs more than
//! doing the work over there (docs/architecture.md has the figures). Nothing of this throws.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// This many messages of stream `id`, which lie where its head says, to be read before this returns.
    #[wasm_bindgen(js_namespace = host)]
    pub(super) fn batch(id: u32, count: usize);

    /// Reads the body that is open once: `chunk`, `ended` or `broke` is called later, unless it has
    /// been disconnected since.
    #[wasm_bindgen(js_namespace = host)]
    pub(super) fn read(id: u32);

    /// The connection of stream `id` is in another state: see `Link`.
    #[wasm_bindgen(js_namespace = host)]
    pub(super) fn link(id: u32, state: u8, attempt: u32, delay: f64);

    /// Something about the stream or the run `id`, by the numbers of [`News`]: `address, length,
    /// ascii` of a flat JSON array, to be read before this returns.
    #[wasm_bindgen(js_namespace = host)]
    pub(super) fn news(id: u32, what: u8, address: usize, length: usize, ascii: bool);

    /// Sends a request, see `Ask`: `opened` or `broke` is called later, unless it has been
    /// disconnected since. Path and `Last-Event-ID` by address and length; an address of 0 for none.
    #[wasm_bindgen(js_namespace = host)]
    pub(super) fn request(id: u32, ask: u8, path: usize, length: usize, last_id: usize, id_length: usize);

    /// Aborts what is under way and cancels the body that is open.
    #[wasm_bindgen(js_namespace = host)]
    pub(super) fn disconnect(id: u32);

    /// Milliseconds since 1970.
    #[wasm_bindgen(js_namespace = Date)]
    pub(super) fn now() -> f64;

    /// A number in [0, 1).
    #[wasm_bindgen(js_namespace = Math)]
    pub(super) fn random() -> f64;

    /// Calls `time` in so many milliseconds, instead of when was said before; infinite for never.
    #[wasm_bindgen(js_namespace = host)]
    pub(super) fn alarm(id: u32, delay: f64);
}

/// What the facade is told; the order of `NEWS` in `pkg/src/engine/host.ts`.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum News {
    /// The stream is over; or the call is, and its answer was a good one.
    End = 0,
    /// The stream or the call failed: a failure.
    Fail = 1,
    /// Why the stream waits now: a failure.
    Reason = 2,
    /// The run's state has changed: how it ended as far as it is known, see
    /// [`crate::cloud::Outcome::encode`].
    Changed = 3,
    /// How it ended, as complete as it gets.
    Settled = 4,
    /// How it ends cannot be observed: a failure.
    Lost = 5,
    /// It has been cancelled, or was over.
    Cancelled = 6,
    /// It has not been cancelled: a failure.
    NotCancelled = 7,
    /// Where the stream is: a token, the id that a resume would send (empty without one), and how
    /// many milliseconds the service keeps the stream (0 when it has not said).
    Token = 8,
    /// Whether the service has done what it did not answer to is to be found out: `call::LOOKED`.
    Look = 9,
}
