//! How events go out: as words and values, see [`Batch`].

use crate::json::Batch;

/// What a word says: `op | first << 8 | second << 14 | flags << 20`, as for the messages of a run.
/// `pkg/src/kit/build.ts` makes the objects from it; the two lists of codes must agree
/// (`tests/node/kit-table.test.mjs` compares them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Op {
    /// The string `text`.
    Text = 0,
    /// The string `toolName`, then `input`; flag 1: the string `toolUseId`; flag 2: it is a
    /// subagent's, and flag 4: the string `parentToolUseId`.
    Action = 1,
    /// The strings `toolName` and `toolUseId`, then `text`; flag 1: `isError`.
    ToolResult = 2,
    /// The name of one server of `failedServers`; flag 1: it belongs to the same event as the one
    /// before.
    McpError = 3,
    /// The string `text`; the flags are the place of `level` in [`LEVELS`].
    Info = 4,
    /// The string `status`, then `errorText`, `inputTokens`, `cacheReadTokens`, `outputTokens` and
    /// `costUsd`; flag 1: `failed`; flag 2: `resultText` before those.
    TurnEnd = 5,
    /// The string `suggestion`.
    PromptSuggestion = 6,
    /// No event: an excerpt of what is not JSON; flag 1: of an error that the host tells.
    Fault = 7,
}

/// How messages for people are meant; the first is what an unknown one is taken for.
pub(super) const LEVELS: [&str; 5] = ["info", "notice", "suggestion", "warning", "local-command"];

#[inline]
pub(super) fn event(op: Op, lengths: [u32; 2], flags: u32, out: &mut Batch) {
    out.message(op as u32 | lengths[0] << 8 | lengths[1] << 14 | flags << 20);
}
