//! Calls of the API that answer with one JSON value.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::request::{Answer, Refusal, Want, get};
use super::sys::{Host, Transport};
use crate::cloud::{self, FailureKind, RunStatus};
use crate::json::FlatArray;

/// The most that a JSON answer may weigh, in bytes.
const ANSWER_LIMIT: usize = 64 * 1024 * 1024;

/// `GET run`: calls `host.record` with the record (see [`cloud::encode_run`]) or `host.fail`, later.
#[wasm_bindgen(js_name = getRun)]
#[allow(unreachable_pub, reason = "wasm_bindgen exports public functions only")]
pub fn get_run(agent_id: String, run_id: String, transport: Transport, host: Host) {
    spawn_local(async move {
        match run(&agent_id, &run_id, &transport).await {
            Ok(mut out) => {
                let text = out.finish();
                host.record(text.bytes.as_ptr() as usize, text.bytes.len(), text.ascii);
            }
            Err(refusal) => host.fail(&refusal.into_error(&transport)),
        }
    });
}

async fn run(agent_id: &str, run_id: &str, transport: &Transport) -> Result<FlatArray, Refusal> {
    let wrong = |message| Err(Refusal::local(FailureKind::Configuration, "invalid_id", message));
    if !cloud::is_agent_id(agent_id) {
        return wrong("Agent ID must be in the format 'bc-<uuid>'");
    }
    if !cloud::is_run_id(run_id) {
        return wrong("Run ID must be in the format 'run-<uuid>'");
    }
    let answer = get(transport, &cloud::run_path(agent_id, run_id), Want::Json).await?;
    let mut out = FlatArray::default();
    if cloud::encode_run(&json(answer).await, &mut out).is_err() {
        return Err(no_record());
    }
    Ok(out)
}

/// The run's state by GET run, for a follower.
pub(super) async fn run_status(path: &str, transport: &Transport) -> Result<RunStatus, Refusal> {
    let answer = get(transport, path, Want::Json).await?;
    cloud::status_of(&json(answer).await).ok_or_else(no_record)
}

fn no_record() -> Refusal {
    let message = "The answer to GET run is not a run's record";
    Refusal::local(FailureKind::Unknown, "invalid_answer", message)
}

/// The whole body of an answer.
async fn json(answer: Answer) -> Vec<u8> {
    let text = match &answer.body {
        Some(body) => body.read_at_most(ANSWER_LIMIT).await,
        None => Vec::new(),
    };
    answer.finished();
    text
}
