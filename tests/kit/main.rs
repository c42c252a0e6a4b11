//! Agent sessions: messages of the SDK → events.

mod cases;
mod events;
mod limits;
mod rules;
