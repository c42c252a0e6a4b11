//! Where the parts of a JSON text lie, without building values.
//!
//! The engine passes JSON values on as text: JS parses them once, all of a chunk's together.
//! So what is needed here is the extent of an object's members and the certainty that the text is
//! valid (RFC 8259), because one bad frame must not spoil its neighbours. [`scan`] gives both,
//! [`write`] makes the text that goes out.

pub mod scan;
pub mod write;

pub use scan::{Key, Kind, Raw, Syntax, members, object, value};
pub use write::{FlatArray, Text};
