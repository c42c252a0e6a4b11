//! Control from JSON: a name and fields in, a value out. This is all that the JavaScript binding knows of the control.

use crate::control::{RunPlan, Scope, StartedRun};
use crate::error::SimulatorError;
use crate::expected::{Channel, Expected};
use crate::json::{Patch, expected, json, read};
use crate::knobs::How;
use crate::log::{Counters, LoggedRequest, Outcome};
use crate::rules::Rule;
use crate::script::Frame;
use crate::simulator::Simulator;
use serde_json::Value;

/// The fields of a command.
struct Fields<'a>(&'a Value);

impl Fields<'_> {
    fn value(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or(&Value::Null)
    }

    fn take<T: Patch + Default>(&self, name: &str) -> Result<T, SimulatorError> {
        read(self.value(name)).map_err(|error| error.within(name))
    }

    fn optional<T: Patch + Default>(&self, name: &str) -> Result<Option<T>, SimulatorError> {
        if self.value(name).is_null() { Ok(None) } else { self.take(name).map(Some) }
    }

    fn run(&self) -> Result<String, SimulatorError> {
        self.take("runId")
    }
}

impl Simulator {
    /// Carries out a command. The names and fields are those of the methods of this type, in camel case; settings
    /// (`patch`, `plan`, `rule`) change what they name and leave the rest.
    pub fn command(&mut self, now: f64, name: &str, fields: &Value) -> Result<Value, SimulatorError> {
        let fields = Fields(fields);
        let run_id = fields.optional::<String>("runId")?;
        let scope = run_id.as_deref().map_or(Scope::All, Scope::Run);
        match name {
            "startRun" => return Ok(started(&self.start_run(now, &self.plan_of(fields.value("plan"))?))),
            "planRuns" => {
                let plans = fields.value("plans").as_array().cloned().unwrap_or_default();
                let plans = plans.iter().map(|plan| self.plan_of(plan)).collect::<Result<Vec<_>, _>>()?;
                self.plan_runs(plans);
            }
            "setPlan" => {
                let plan = self.plan_of(fields.value("patch"))?;
                self.set_plan(plan);
            }
            "setKnobs" => {
                let mut knobs = self.knobs(scope)?;
                knobs.patch(fields.value("patch"))?;
                self.set_knobs(scope, knobs)?;
            }
            "setService" => {
                let mut service = self.service().clone();
                service.patch(fields.value("patch"))?;
                self.set_service(service);
            }
            "addRule" => return Ok(json!(self.add_rule(now, fields.take::<Rule>("rule")?))),
            "removeRule" => self.remove_rule(fields.take("rule")?),
            "clearRules" => self.clear_rules(),
            "cut" => return Ok(json!(self.cut(scope, &fields.optional::<How>("how")?.unwrap_or_default()))),
            "hold" => {
                let until = fields.optional::<f64>("ms")?.map_or(f64::INFINITY, |ms| now + ms);
                return Ok(json!(self.hold(scope, until)));
            }
            "cancelRun" => return Ok(json!(self.cancel_run(now, &fields.run()?)?)),
            "forgetRun" => self.forget_run(&fields.run()?),
            "runState" => return Ok(json!(self.run_state(now, &fields.run()?)?.as_str())),
            "requests" => return Ok(self.requests().map(logged).collect()),
            "clearRequests" => self.clear_requests(),
            "counters" => return Ok(counters(&self.counters())),
            "frames" => {
                let from = fields.optional("from")?.unwrap_or(0);
                let limit = fields.optional("limit")?.unwrap_or(u64::MAX);
                return Ok(self.frames(&fields.run()?, from, limit)?.iter().map(frame).collect());
            }
            "expected" => return Ok(figures(&self.expected(&fields.run()?)?)),
            "expectedText" => return Ok(json!(self.expected_text(&fields.run()?)?)),
            "expectedMessages" => return Ok(Value::Array(self.expected_messages(&fields.run()?)?)),
            _ => return Err(expected("a command", &json!(name))),
        }
        Ok(Value::Null)
    }

    /// The default plan with changes. Knobs start from those in force.
    fn plan_of(&self, patch: &Value) -> Result<RunPlan, SimulatorError> {
        let mut plan = self.plan.clone();
        if plan.knobs.is_none() && patch.get("knobs").is_some_and(Value::is_object) {
            plan.knobs = Some(self.knobs(Scope::All)?);
        }
        plan.patch(patch)?;
        Ok(plan)
    }
}

fn started(run: &StartedRun) -> Value {
    json!({"agentId": run.agent_id, "runId": run.run_id})
}

fn logged(request: &LoggedRequest) -> Value {
    let outcome = match request.outcome {
        Outcome::Status(status) => json!({"status": status}),
        Outcome::Reset => json!("reset"),
        Outcome::Never => json!("never"),
    };
    json!({
        "number": request.number, "at": request.at, "method": request.method, "path": request.path,
        "endpoint": request.endpoint.name(), "headers": request.headers, "body": request.body, "outcome": outcome,
        "executed": request.executed,
    })
}

fn counters(totals: &Counters) -> Value {
    json!({
        "requests": totals.requests, "streamsOpened": totals.streams_opened, "streamsOpen": totals.streams_open,
        "streamBytes": totals.stream_bytes, "runs": totals.runs,
    })
}

fn frame(frame: &Frame) -> Value {
    json!({"event": frame.event, "id": frame.id, "data": frame.data})
}

fn figures(content: &Expected) -> Value {
    let channel = |channel: Channel| json!({"length": channel.length, "checksum": channel.checksum});
    json!({
        "events": content.events, "assistant": channel(content.assistant), "thinking": channel(content.thinking),
    })
}
