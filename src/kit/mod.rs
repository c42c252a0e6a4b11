//! Messages of an agent SDK → the events of a session.
//!
//! A whitelist: what is not named here stands for no event, because the SDK's messages grow in kind
//! with every release. Messages come as JSON, one at a time; events go out as a [`Batch`](crate::json::Batch).
//!
//! | file | knows |
//! | --- | --- |
//! | `session` | which message stands for which events |
//! | `streamed` | which text has gone out as parts already |
//! | `tools` | what the tools were called whose results come |
//! | `turn` | how a turn ended, and what was used |
//! | `event` | how events go out |

mod event;
mod session;
mod streamed;
mod tools;
mod turn;

pub use event::Op;
pub use session::Session;
