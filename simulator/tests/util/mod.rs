//! A reader of the simulator's streams that knows only the documented format: enough to check the server by, and no
//! code of the client's.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]

use runwire_simulator::{
    Body, Config, Knobs, Pace, Poll, Reply, Request, Response, RunPlan, Scenario, Simulator, StartedRun,
};
use serde_json::Value;

/// One block of an event stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) event: String,
    pub(crate) id: Option<String>,
    pub(crate) data: String,
}

impl Block {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        self.json()["text"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn is_content(&self) -> bool {
        !matches!(self.event.as_str(), "status" | "heartbeat" | "error" | "done" | "")
    }
}

/// Splits text with `\n` line ends; an unfinished last block does not count.
pub(crate) fn blocks(bytes: &[u8]) -> Vec<Block> {
    let end = bytes.windows(2).rposition(|pair| pair == b"\n\n").unwrap_or(0);
    let complete = std::str::from_utf8(&bytes[..end]).unwrap();
    let block = |block: &str| {
        let mut parsed = Block { event: String::new(), id: None, data: String::new() };
        for line in block.lines() {
            let (name, value) = line.split_once(':').unwrap();
            let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
            match name {
                "event" => parsed.event = value,
                "id" => parsed.id = Some(value),
                "data" => parsed.data = value,
                _ => {}
            }
        }
        parsed
    };
    complete.split("\n\n").filter(|text| !text.is_empty()).map(block).collect()
}

/// How a body came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    End,
    Reset,
    /// Silent for ever.
    Silent,
}

/// A body with its end, read without any patience: waiting costs nothing.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub(crate) bytes: Vec<u8>,
    pub(crate) chunks: Vec<usize>,
    pub(crate) ended: Ended,
    pub(crate) at: f64,
}

impl Read {
    pub(crate) fn blocks(&self) -> Vec<Block> {
        blocks(&self.bytes)
    }

    pub(crate) fn content(&self) -> Vec<Block> {
        self.blocks().into_iter().filter(Block::is_content).collect()
    }
}

/// A simulator with one run.
pub(crate) struct World {
    pub(crate) simulator: Simulator,
    pub(crate) run: StartedRun,
    pub(crate) now: f64,
}

pub(crate) fn world(scenario: Scenario, pace: Pace, knobs: Knobs) -> World {
    plan(RunPlan::new(scenario).pace(pace).knobs(knobs))
}

pub(crate) fn plan(plan: RunPlan) -> World {
    let mut simulator = Simulator::new(Config::default());
    let now = 1_000_000.0;
    let run = simulator.start_run(now, &plan);
    World { simulator, run, now }
}

impl World {
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/v1/agents/{}/runs/{}{rest}", self.run.agent_id, self.run.run_id)
    }

    pub(crate) fn ask(&mut self, request: Request) -> Response {
        answer(&mut self.simulator, self.now, request)
    }

    pub(crate) fn record(&mut self) -> Value {
        let path = self.path("");
        body(&self.ask(Request::get(path)))
    }

    pub(crate) fn open(&mut self, last_event_id: Option<&str>) -> Response {
        let mut request = Request::get(self.path("/stream"));
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        self.ask(request)
    }

    /// Opens the stream and reads it to its end, passing the time that it asks for.
    pub(crate) fn read(&mut self, last_event_id: Option<&str>) -> Read {
        let response = self.open(last_event_id);
        assert_eq!(response.status, 200, "{:?}", response.body);
        self.drain(&response)
    }

    pub(crate) fn drain(&mut self, response: &Response) -> Read {
        self.drain_until(response, f64::INFINITY)
    }

    /// Reads on until the end or until the time.
    pub(crate) fn drain_until(&mut self, response: &Response, until: f64) -> Read {
        let Body::Stream(id) = response.body else { panic!("not a stream: {:?}", response.body) };
        let mut read = Read { bytes: Vec::new(), chunks: Vec::new(), ended: Ended::Silent, at: self.now };
        loop {
            match self.simulator.poll_stream(self.now, id, 16_384) {
                Poll::Bytes(bytes) => {
                    assert!(!bytes.is_empty(), "an empty piece");
                    read.chunks.push(bytes.len());
                    read.bytes.extend(bytes);
                }
                Poll::WaitUntil(time) if time >= until || time.is_infinite() => {
                    self.now = if until.is_finite() { until } else { self.now };
                    break;
                }
                Poll::WaitUntil(time) => {
                    assert!(time > self.now, "asked to wait until {time} at {}", self.now);
                    self.now = time;
                }
                Poll::End => {
                    read.ended = Ended::End;
                    break;
                }
                Poll::Reset => {
                    read.ended = Ended::Reset;
                    break;
                }
            }
        }
        read.at = self.now;
        read
    }
}

/// The answer to a request, with a key if it has none.
pub(crate) fn answer(simulator: &mut Simulator, now: f64, mut request: Request) -> Response {
    if request.header_value("authorization").is_none() {
        request = request.bearer("key_test");
    }
    match simulator.request(now, &request) {
        Reply::Response { response, .. } => response,
        other => panic!("no response: {other:?}"),
    }
}

pub(crate) fn body(response: &Response) -> Value {
    match &response.body {
        Body::Full(bytes) => {
            serde_json::from_slice(bytes).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(bytes)))
        }
        Body::Stream(_) => panic!("a stream"),
    }
}

/// The code of an error in the official format.
pub(crate) fn code(response: &Response) -> String {
    body(response)["error"]["code"].as_str().unwrap().to_owned()
}

/// All text of an event, in order.
pub(crate) fn text_of(blocks: &[Block], event: &str) -> String {
    blocks.iter().filter(|block| block.event == event).map(Block::text).collect()
}
