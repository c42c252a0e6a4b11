//! A reader of the simulator's streams that knows only the documented format: enough to check the server by, and no
//! code of the client's.
#![allow(dead_code, reason = "each test file uses its own part")]

use runwire_simulator::{
    Body, Config, Knobs, Pace, Poll, Reply, Request, Response, RunPlan, Scenario, Simulator, StartedRun,
};
use serde_json::Value;

/// One block of an event stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub event: String,
    pub id: Option<String>,
    pub data: String,
}

impl Block {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }

    pub fn text(&self) -> String {
        self.json()["text"].as_str().unwrap_or_default().to_owned()
    }

    pub fn is_content(&self) -> bool {
        !matches!(self.event.as_str(), "status" | "heartbeat" | "error" | "done" | "")
    }
}

/// Splits text with `\n` line ends; an unfinished last block does not count.
pub fn blocks(bytes: &[u8]) -> Vec<Block> {
    let text = std::str::from_utf8(bytes).unwrap();
    let complete = text.rfind("\n\n").map_or("", |end| &text[..end]);
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
pub enum Ended {
    End,
    Reset,
    /// Silent for ever.
    Silent,
}

/// A body with its end, read without any patience: waiting costs nothing.
#[derive(Clone, Debug)]
pub struct Read {
    pub bytes: Vec<u8>,
    pub chunks: Vec<usize>,
    pub ended: Ended,
    pub at: f64,
}

impl Read {
    pub fn blocks(&self) -> Vec<Block> {
        blocks(&self.bytes)
    }

    pub fn content(&self) -> Vec<Block> {
        self.blocks().into_iter().filter(Block::is_content).collect()
    }
}

/// A simulator with one run.
pub struct World {
    pub simulator: Simulator,
    pub run: StartedRun,
    pub now: f64,
}

pub fn world(scenario: Scenario, pace: Pace, knobs: Knobs) -> World {
    plan(RunPlan::new(scenario).pace(pace).knobs(knobs))
}

pub fn plan(plan: RunPlan) -> World {
    let mut simulator = Simulator::new(Config::default());
    let now = 1_000_000.0;
    let run = simulator.start_run(now, &plan);
    World { simulator, run, now }
}

impl World {
    pub fn path(&self, rest: &str) -> String {
        format!("/v1/agents/{}/runs/{}{rest}", self.run.agent_id, self.run.run_id)
    }

    pub fn ask(&mut self, request: Request) -> Response {
        answer(&mut self.simulator, self.now, request)
    }

    pub fn record(&mut self) -> Value {
        let path = self.path("");
        body(&self.ask(Request::get(path)))
    }

    pub fn open(&mut self, last_event_id: Option<&str>) -> Response {
        let mut request = Request::get(self.path("/stream"));
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        self.ask(request)
    }

    /// Opens the stream and reads it to its end, passing the time that it asks for.
    pub fn read(&mut self, last_event_id: Option<&str>) -> Read {
        let response = self.open(last_event_id);
        assert_eq!(response.status, 200, "{:?}", response.body);
        self.drain(&response)
    }

    pub fn drain(&mut self, response: &Response) -> Read {
        self.drain_until(response, f64::INFINITY)
    }

    /// Reads on until the end or until the time.
    pub fn drain_until(&mut self, response: &Response, until: f64) -> Read {
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
pub fn answer(simulator: &mut Simulator, now: f64, mut request: Request) -> Response {
    if request.header_value("authorization").is_none() {
        request = request.bearer("key_test");
    }
    match simulator.request(now, &request) {
        Reply::Response { response, .. } => response,
        other => panic!("no response: {other:?}"),
    }
}

pub fn body(response: &Response) -> Value {
    match &response.body {
        Body::Full(bytes) => {
            serde_json::from_slice(bytes).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(bytes)))
        }
        Body::Stream(_) => panic!("a stream"),
    }
}

/// The code of an error in the official format.
pub fn code(response: &Response) -> String {
    body(response)["error"]["code"].as_str().unwrap().to_owned()
}

/// All text of an event, in order.
pub fn text_of(blocks: &[Block], event: &str) -> String {
    blocks.iter().filter(|block| block.event == event).map(Block::text).collect()
}
