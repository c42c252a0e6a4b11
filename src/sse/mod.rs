//! The event-stream format: bytes in, blocks out.
//!
//! WHATWG HTML section 9.2.6, "Interpreting an event stream"
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation>).
//! [`Decoder`] keeps what is unfinished between chunks; a [`Sink`] receives each [`Block`] at the
//! blank line that ends it.

mod block;
mod decoder;
mod line;
mod lines;

pub use block::{Block, EventTooLarge, Sink};
pub use decoder::Decoder;
