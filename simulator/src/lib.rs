//! The Cloud Agents API, simulated: the server's side of what the client must live with.
//!
//! The simulator is a value. It has no clock, no sockets and no threads: requests go in with the time at which they
//! arrive, replies come out, and the bytes of a stream are asked for. Equal seeds and equal calls give equal answers.
//! It shares no code with the client, so that neither can hide the other's mistakes.
//!
//! ```
//! use runwire_simulator::{Body, Config, Poll, Reply, Request, RunPlan, Simulator};
//!
//! let mut simulator = Simulator::new(Config::default());
//! let run = simulator.start_run(0.0, &RunPlan::named("coding").unwrap());
//! let path = format!("/v1/agents/{}/runs/{}/stream", run.agent_id, run.run_id);
//! let reply = simulator.request(0.0, &Request::get(path).bearer("any key"));
//! let Reply::Response { response, .. } = reply else { panic!("no answer") };
//! let Body::Stream(stream) = response.body else { panic!("no stream") };
//!
//! let mut now = 0.0;
//! let mut bytes = Vec::new();
//! loop {
//!     match simulator.poll_stream(now, stream, 16_384) {
//!         Poll::Bytes(more) => bytes.extend(more),
//!         Poll::WaitUntil(time) => now = time,
//!         Poll::End | Poll::Reset => break,
//!     }
//! }
//! assert!(bytes.ends_with(b"event: done\ndata: {}\n\n"));
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | `simulator`, `control` | the service as a value: requests and streams; what tests and pages do to it |
//! | `command`, `js` | the same control as JSON, and its binding to JavaScript |
//! | `http`, `endpoint`, `error`, `service`, `log` | requests and replies, paths, refusals, keys and CORS, the record of requests |
//! | `routes` | what each endpoint answers |
//! | `json` | settings from JSON |
//! | `rules`, `knobs` | faults of single requests; faults and liberties of a run's stream and record |
//! | `run`, `stream` | a run in time; one connection to it |
//! | `scenario`, `script` | which runs there are; their frames, stored or computed |
//! | `expected` | what a client that loses nothing must have seen |

mod agent;
mod command;
mod control;
mod endpoint;
mod error;
mod expected;
mod http;
#[cfg(target_arch = "wasm32")]
mod js;
mod json;
mod knobs;
mod log;
mod rng;
mod routes;
mod rules;
mod run;
mod scenario;
mod script;
mod service;
mod simulator;
mod stream;
mod time;

pub use control::{RunPlan, Scope, StartedRun};
pub use endpoint::Endpoint;
pub use error::{ErrorFormat, SimulatorError};
pub use expected::{Channel, Expected};
pub use http::{Body, Reply, Request, Response, StreamId};
pub use knobs::{
    AfterEnd, CancelKnobs, Chunk, Cut, How, Ids, Knobs, LineEnding, Occurrence, RecordKnobs, ReplayKnobs,
    Statuses, StreamKnobs, Text, UnknownId,
};
pub use log::{Counters, LoggedRequest, Outcome};
pub use rules::{Answer, BodyAnswer, ErrorAnswer, RetryAfter, Rule};
pub use run::{Pace, RunState};
pub use scenario::{CustomFrame, CustomRun, LongRun, Reappear, Scenario, Shape, WireRun};
pub use script::Frame;
pub use service::{Auth, Cors, Service};
pub use simulator::{Config, Simulator};
pub use stream::Poll;
