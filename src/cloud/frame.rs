//! One frame of a run's stream: its name, its data, and what can be wrong with it.

use crate::json::{self, Raw};
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
        // One after the other, the most frequent first: each is compared as one or two words, where
        // a match would go byte by byte.
        match event {
            _ if event == b"assistant" => Self::Assistant,
            _ if event == b"thinking" => Self::Thinking,
            _ if event == b"tool_call" => Self::ToolCall,
            _ if event == b"heartbeat" => Self::Heartbeat,
            _ if event == b"interaction_update" => Self::InteractionUpdate,
            _ if event == b"status" => Self::Status,
            _ if event == b"result" => Self::Result,
            _ if event == b"error" => Self::Error,
            _ if event == b"done" => Self::Done,
            _ if event == b"user" => Self::User,
            _ if event == b"system" => Self::System,
            _ if event == b"task" => Self::Task,
            _ if event == b"request" => Self::Request,
            _ if event == b"usage" => Self::Usage,
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
    /// The block's own id as sent, `None` when it had none.
    pub id: Option<&'a [u8]>,
    /// The data as sent.
    pub data: &'a [u8],
    /// The text of a delta that holds nothing else: most frames are such, and both those who show
    /// and those who count them want to know.
    only_text: Option<Raw<'a>>,
}

impl<'a> Frame<'a> {
    /// A frame of these fields.
    #[inline]
    pub fn new(event: &'a [u8], id: Option<&'a [u8]>, data: &'a [u8]) -> Self {
        let name = FrameName::of(event);
        let is_delta = matches!(name, FrameName::Assistant | FrameName::Thinking);
        let only_text = if is_delta { json::only_string(data, br#"{"text":"#, b"}") } else { None };
        Self { name, event, id, data, only_text }
    }

    /// The frame in a block; `None` for a block without data, which dispatches nothing.
    #[inline]
    pub fn of(block: Block<'a>) -> Option<Self> {
        Some(Self::new(block.event, block.own_id, block.data?))
    }

    /// The `event` field, `message` when there was none.
    pub fn event_name(&self) -> &'a [u8] {
        if self.event.is_empty() { b"message" } else { self.event }
    }

    /// The text of an `assistant` or `thinking` frame whose data is `{"text":"…"}` as servers write
    /// it. Without one the frame may still be such, written otherwise.
    pub fn only_text(&self) -> Option<Raw<'a>> {
        self.only_text
    }
}

/// Why a frame could not be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The data is not JSON.
    NotJson,
    /// The data is JSON of another shape than documented; the name of the member that is wrong,
    /// or what the data should be.
    WrongShape(&'static str),
}

impl From<json::Syntax> for Fault {
    fn from(_: json::Syntax) -> Self {
        Self::NotJson
    }
}
