//! What the frames of a Cloud Agents run mean.
//!
//! Reference: the Cloud Agents API, "Stream a run"
//! (<https://cursor.com/docs/cloud-agent/api/endpoints>) and the SDK's message types
//! (<https://cursor.com/docs/sdk/typescript>).

mod content;
mod endpoint;
mod failure;
mod frame;
mod message;
mod outcome;
mod run;

pub use content::{Content, Rest};
pub use endpoint::wrong_id;
pub use failure::{BODY_LIMIT, EVENT_STREAM, Failure, FailureKind, Head};
pub use frame::{Fault, Frame, FrameName};
pub use message::{Op, encode_frame, encode_message, encode_resume_warning, encode_texts};
pub use outcome::Outcome;
pub use run::{RunStatus, status_of};
