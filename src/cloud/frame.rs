//! One frame of a run's stream: its name, its data, and what can be wrong with it.

use crate::sse::Block;

/// The names of the frames that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameName {
    /// `status`: belongs to the connection; first frame of each.
    Status,
    /// `assistant`: a delta of the answer's text.
    Assistant,
    /// `thinking`: a delta of the thinking's text.
    Thinking,
    /// `tool_call`: a tool began or ended.
    ToolCall,
    /// `interaction_update`: an update of the finer-grained channel.
    InteractionUpdate,
    /// `heartbeat`: the connection is alive.
    Heartbeat,
    /// `result`: the run is over.
    Result,
    /// `error`: this connection will bring no more.
    Error,
    /// `done`: the stream is over.
    Done,
    /// `user`: a message of the user's.
    User,
    /// `system`: the run's model and tools.
    System,
    /// `task`: a note about a task.
    Task,
    /// `request`: a request id.
    Request,
    /// `usage`: token counts.
    Usage,
    /// Any other name, `message` among them.
    Unknown,
}

impl FrameName {
    /// The frame's kind by its `event` field.
    pub fn of(event: &[u8]) -> Self {
        match event {
            b"status" => Self::Status,
            b"assistant" => Self::Assistant,
            b"thinking" => Self::Thinking,
            b"tool_call" => Self::ToolCall,
            b"interaction_update" => Self::InteractionUpdate,
            b"heartbeat" => Self::Heartbeat,
            b"result" => Self::Result,
            b"error" => Self::Error,
            b"done" => Self::Done,
            b"user" => Self::User,
            b"system" => Self::System,
            b"task" => Self::Task,
            b"request" => Self::Request,
            b"usage" => Self::Usage,
            _ => Self::Unknown,
        }
    }
}

/// A dispatched block of a run's stream.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// What kind it is.
    pub name: FrameName,
    /// The `event` field as sent; empty when there was none.
    pub event: &'a [u8],
    /// The block's own id, `None` when it had none.
    pub id: Option<&'a str>,
    /// The data as sent.
    pub data: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The frame in a block; `None` for a block without data, which dispatches nothing.
    pub fn of(block: Block<'a>) -> Option<Self> {
        Some(Self {
            name: FrameName::of(block.event),
            event: block.event,
            id: block.own_id,
            data: block.data?,
        })
    }

    /// The `event` field, `message` when there was none.
    pub fn event_name(&self) -> &'a [u8] {
        if self.event.is_empty() { b"message" } else { self.event }
    }
}

/// Why a frame could not be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The data is not JSON; the byte offset of what cannot stand there.
    NotJson(usize),
    /// The data is JSON of another shape than documented; the name of the member that is wrong,
    /// or what the data should be.
    WrongShape(&'static str),
}

impl From<crate::json::Syntax> for Fault {
    fn from(syntax: crate::json::Syntax) -> Self {
        Self::NotJson(syntax.at)
    }
}
