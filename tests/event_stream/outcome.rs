//! What a decoder tells about a stream, as tests and fuzz targets compare it.

use runwire::sse::Block;

/// A dispatched event as `ServerSentEvent` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) event: String,
    pub(crate) data: String,
    pub(crate) id: String,
}

/// All that a decoder tells about a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Outcome {
    pub(crate) events: Vec<Event>,
    /// Each block's own id, `None` where it had none, dispatched or not.
    pub(crate) own_ids: Vec<Option<String>>,
    pub(crate) last_event_id: String,
    pub(crate) reconnection_time: Option<u64>,
}

impl Outcome {
    pub(crate) fn block(&mut self, block: Block<'_>) {
        self.own_ids.push(block.own_id.map(text));
        if let Some(data) = block.text() {
            self.events.push(Event {
                event: block.event_name().into_owned(),
                data: data.into_owned(),
                id: text(block.last_event_id),
            });
        }
    }
}

/// Bytes as the text they are shown as.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
