//! Where the parts of a JSON text lie, without building values, and what goes out to JS.
//!
//! The engine passes JSON values on as text: JS parses them once, all of a chunk's together.
//! So what is needed here is the extent of an object's members and the certainty that the text is
//! valid (RFC 8259), because one bad frame must not spoil its neighbours. [`scan`] gives both;
//! [`mod@write`] makes the text that goes out, and [`batch`] what goes out beside it, because most
//! strings are so short that making them one by one is cheaper than parsing them.

pub mod batch;
pub mod body;
pub mod scan;
mod skip;
mod unescape;
pub mod write;

pub use batch::{Batch, Parts};
pub use body::Body;
pub use scan::{Key, Kind, Raw, Syntax, members, object, only_string, value};
pub use write::{FlatArray, Text};
