//! The tools in use: a result comes with an id alone.

/// Tool calls that are remembered: a session may last for months.
const REMEMBERED: usize = 1024;

#[derive(Debug)]
struct Tool {
    id: u64,
    /// The tool's name as JSON; empty when its result has come.
    name: Vec<u8>,
}

/// What is known of tool calls, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Tools(Vec<Tool>);

impl Tools {
    /// A tool is used; false when that is known already.
    pub(super) fn begin(&mut self, id: &[u8], name: &[u8]) -> bool {
        let id = hash(id);
        if self.0.iter().any(|tool| tool.id == id) {
            return false;
        }
        if self.0.len() >= REMEMBERED {
            // Rather one whose result has come.
            let done = self.0.iter().position(|tool| tool.name.is_empty());
            self.0.remove(done.unwrap_or(0));
        }
        self.0.push(Tool { id, name: name.to_vec() });
        true
    }

    /// A result has come: the tool's name, empty unless it is the first time.
    pub(super) fn end(&mut self, id: &[u8]) -> Vec<u8> {
        let id = hash(id);
        let tool = self.0.iter_mut().find(|tool| tool.id == id);
        tool.map(|tool| std::mem::take(&mut tool.name)).unwrap_or_default()
    }
}

/// FNV-1a: ids and names are short, and only compared with each other.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
