//! The tools in use: a result comes with an id alone.

use std::collections::VecDeque;

/// Tool calls that are remembered: a session may last for months.
const REMEMBERED: usize = 1024;

#[derive(Debug)]
struct Tool {
    id: u64,
    /// The tool's name as JSON, until its result has come.
    name: Option<Box<[u8]>>,
}

/// What is known of tool calls, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Tools(VecDeque<Tool>);

impl Tools {
    /// A tool is used; false when that is known already.
    pub(super) fn begin(&mut self, id: &[u8], name: &[u8]) -> bool {
        let id = hash(id);
        if self.0.iter().any(|tool| tool.id == id) {
            return false;
        }
        if self.0.len() >= REMEMBERED {
            // Rather one whose result has come.
            let done = self.0.iter().position(|tool| tool.name.is_none());
            self.0.remove(done.unwrap_or(0));
        }
        self.0.push_back(Tool { id, name: Some(name.into()) });
        true
    }

    /// A result has come: the tool's name, the first time.
    pub(super) fn end(&mut self, id: &[u8]) -> Option<Box<[u8]>> {
        let id = hash(id);
        self.0.iter_mut().find(|tool| tool.id == id)?.name.take()
    }
}

/// FNV-1a: ids and names are short, and only compared with each other.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
