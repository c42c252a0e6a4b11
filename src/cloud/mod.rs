//! What the frames of a Cloud Agents run mean.
//!
//! Reference: the Cloud Agents API, "Stream a run"
//! (<https://cursor.com/docs/cloud-agent/api/endpoints>) and the SDK's message types
//! (<https://cursor.com/docs/sdk/typescript>).

mod frame;
mod message;

pub use frame::{Fault, Frame, FrameName};
pub use message::{Op, encode_message};
