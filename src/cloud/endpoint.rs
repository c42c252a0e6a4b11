//! Which ids the API knows.

use super::failure::{Failure, FailureKind};

/// Whether this is a cloud agent's id: `bc-` and something after it.
fn is_agent_id(id: &str) -> bool {
    id.strip_prefix("bc-").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_id_byte))
}

/// Whether this is a run's id: `run-<uuid>`.
fn is_run_id(id: &str) -> bool {
    let Some(uuid) = id.strip_prefix("run-") else { return false };
    uuid.len() == 36
        && uuid.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// What is wrong with the ids that a call needs, before it is made; an id that is not needed is empty.
/// What is no cloud agent's is that of an agent on somebody's machine, which cannot be reached.
pub fn wrong_id(agent_id: &str, run_id: &str) -> Option<Failure> {
    let (kind, code) = match run_id {
        "" => (FailureKind::AgentNotFound, "agent_not_found"),
        _ => (FailureKind::Configuration, "invalid_id"),
    };
    let wrong = if !agent_id.is_empty() && !is_agent_id(agent_id) {
        "Agent ID must start with \"bc-\""
    } else if !run_id.is_empty() && !is_run_id(run_id) {
        "Run ID must be in the format 'run-<uuid>'"
    } else {
        return None;
    };
    Some(Failure::local(kind, code, wrong))
}

fn is_id_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_of_the_documented_form_pass() {
        assert!(is_run_id("run-00000000-0000-4000-8000-00000000000a"));
        for id in [
            "",
            "run-",
            "run-1",
            "00000000-0000-4000-8000-000000000000",
            "run-00000000-0000-4000-8000-00000000000g",
        ] {
            assert!(!is_run_id(id), "{id}");
        }
        assert!(is_agent_id("bc-00000000-0000-4000-8000-000000000000"));
        for id in ["", "bc-", "agent-1", "bc-a/b", "bc-..", "bc-a b"] {
            assert!(!is_agent_id(id), "{id}");
        }
    }
}
