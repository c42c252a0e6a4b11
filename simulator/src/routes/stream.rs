//! `GET stream`: whether there is one to read, and from where.

use super::Answer;
use super::runs::find_run;
use crate::endpoint::Route;
use crate::error::ApiError;
use crate::http::{Body, Request, Response};
use crate::run::Run;
use crate::simulator::Simulator;
use crate::stream::{Start, Stream, start};
use std::sync::Arc;

/// For clients whose `Last-Event-ID` header would not come through.
const ID_PARAMETER: &str = "lastEventId";

pub(super) fn open(simulator: &mut Simulator, now: f64, request: &Request, route: &Route) -> Answer {
    let run = find_run(simulator, route)?;
    let knobs = simulator.knobs_of(run);
    let retention = knobs.replay.retention_seconds;
    if knobs.replay.expired || is_past(run, now, retention) {
        return Err(expired(retention));
    }
    let warming_up = run.connections < run.warm_up.max(knobs.stream.warm_up);
    let in_query = request.query(ID_PARAMETER);
    let id = request.header_value("last-event-id").or(in_query.as_deref());
    let from = match start(run, now, id, &knobs.replay) {
        Start::At(from) => from,
        Start::Refused => {
            return Err(ApiError::new(
                400,
                "invalid_last_event_id",
                "Last-Event-ID is not an event of this run",
            ));
        }
        Start::Expired => return Err(expired(retention)),
    };
    let Some(run) = simulator.runs.get_mut(&route.run) else { return Err(expired(retention)) };
    run.connections += 1;
    let stream = if warming_up {
        Stream::unavailable(run, Arc::clone(&knobs), now)
    } else {
        Stream::open(run, from, Arc::clone(&knobs), now)
    };
    let mut response = Response::new(200)
        .with("content-type", "text/event-stream")
        .with("cache-control", "no-cache")
        .with("x-cursor-stream-retention-seconds", retention.to_string());
    response.body = Body::Stream(simulator.open_stream(stream));
    Ok(response)
}

fn is_past(run: &Run, now: f64, retention_seconds: u64) -> bool {
    run.ended(now).is_some_and(|ended| now >= ended + retention_seconds as f64 * 1_000.0)
}

fn expired(retention_seconds: u64) -> ApiError {
    ApiError::new(410, "stream_expired", "Run stream has expired")
        .with("x-cursor-stream-retention-seconds", retention_seconds.to_string())
}
