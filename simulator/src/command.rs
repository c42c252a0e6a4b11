//! Control from JSON: one command in, one value out. This is all that the JavaScript binding knows of the control.

use crate::control::{RunPlan, Scope};
use crate::error::SimulatorError;
use crate::knobs::{How, Knobs};
use crate::rules::Rule;
use crate::simulator::Simulator;
use serde::Deserialize;
use serde_json::{Value, json};

/// What can be asked of a simulator, as `{"<name>": {<fields>}}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Command {
    /// Starts a run on a new agent: `{agentId, runId}`.
    StartRun {
        /// What the run is to be; what is not given is as in the default plan.
        plan: Value,
    },
    /// What the next runs created by requests are to be.
    PlanRuns {
        /// One plan for each.
        plans: Vec<Value>,
    },
    /// Changes the default plan.
    SetPlan {
        /// The fields that change.
        patch: Value,
    },
    /// Changes knobs: `{knobs}` after the change.
    SetKnobs {
        /// Of one run; of the service if not given.
        run_id: Option<String>,
        /// The fields that change; `null` puts one back to its default.
        patch: Value,
    },
    /// Changes settings of the service.
    SetService {
        /// The fields that change; `null` puts one back to its default.
        patch: Value,
    },
    /// Adds a rule: its number.
    AddRule {
        /// The rule.
        rule: Rule,
    },
    /// Takes a rule back.
    RemoveRule {
        /// Its number.
        rule: u32,
    },
    /// Takes all rules back.
    ClearRules {},
    /// Breaks open connections: how many.
    Cut {
        /// Of one run; of the service if not given.
        run_id: Option<String>,
        /// How; a reset if not given.
        #[serde(default)]
        how: How,
    },
    /// Silences open connections: how many.
    Hold {
        /// Of one run; of the service if not given.
        run_id: Option<String>,
        /// For how long; for ever if not given.
        ms: Option<f64>,
    },
    /// Cancels a run from outside: whether it was active.
    CancelRun {
        /// Which.
        run_id: String,
    },
    /// Forgets a run.
    ForgetRun {
        /// Which.
        run_id: String,
    },
    /// The state of a run.
    RunState {
        /// Which.
        run_id: String,
    },
    /// The log, oldest first.
    Requests {},
    /// Empties the log.
    ClearRequests {},
    /// The totals.
    Counters {},
    /// Frames of a run, whatever was sent of them.
    Frames {
        /// Which run.
        run_id: String,
        /// The first.
        #[serde(default)]
        from: u64,
        /// How many; all if not given.
        limit: Option<u64>,
    },
    /// A run's content in figures.
    Expected {
        /// Which run.
        run_id: String,
    },
    /// A run's assistant text.
    ExpectedText {
        /// Which run.
        run_id: String,
    },
    /// A run's SDK messages but for statuses.
    ExpectedMessages {
        /// Which run.
        run_id: String,
    },
}

impl Simulator {
    /// Carries out a command.
    pub fn command(&mut self, now: f64, command: Command) -> Result<Value, SimulatorError> {
        Ok(match command {
            Command::StartRun { plan } => {
                let plan = self.plan_of(plan)?;
                to_value(&self.start_run(now, &plan))?
            }
            Command::PlanRuns { plans } => {
                let plans =
                    plans.into_iter().map(|plan| self.plan_of(plan)).collect::<Result<Vec<_>, _>>()?;
                self.plan_runs(plans);
                Value::Null
            }
            Command::SetPlan { patch } => {
                let plan = self.plan_of(patch)?;
                self.set_plan(plan);
                Value::Null
            }
            Command::SetKnobs { run_id, patch } => {
                let scope = scope(run_id.as_deref());
                let mut knobs = to_value(&self.knobs(scope)?)?;
                merge(&mut knobs, patch);
                let changed: Knobs = from_value(knobs)?;
                self.set_knobs(scope, changed.clone())?;
                to_value(&changed)?
            }
            Command::SetService { patch } => {
                let mut service = to_value(self.service())?;
                merge(&mut service, patch);
                self.set_service(from_value(service)?);
                Value::Null
            }
            Command::AddRule { rule } => json!(self.add_rule(now, rule)),
            Command::RemoveRule { rule } => {
                self.remove_rule(rule);
                Value::Null
            }
            Command::ClearRules {} => {
                self.clear_rules();
                Value::Null
            }
            Command::Cut { run_id, how } => json!(self.cut(scope(run_id.as_deref()), &how)),
            Command::Hold { run_id, ms } => {
                json!(self.hold(scope(run_id.as_deref()), ms.map_or(f64::INFINITY, |ms| now + ms)))
            }
            Command::CancelRun { run_id } => json!(self.cancel_run(now, &run_id)?),
            Command::ForgetRun { run_id } => {
                self.forget_run(&run_id);
                Value::Null
            }
            Command::RunState { run_id } => json!(self.run_state(now, &run_id)?),
            Command::Requests {} => to_value(&self.requests().collect::<Vec<_>>())?,
            Command::ClearRequests {} => {
                self.clear_requests();
                Value::Null
            }
            Command::Counters {} => to_value(&self.counters())?,
            Command::Frames { run_id, from, limit } => {
                let frames = self.frames(&run_id, from, limit.unwrap_or(u64::MAX))?;
                let shown =
                    |frame: &crate::Frame| json!({"event": frame.event, "id": frame.id, "data": frame.data});
                frames.iter().map(shown).collect()
            }
            Command::Expected { run_id } => to_value(&self.expected(&run_id)?)?,
            Command::ExpectedText { run_id } => json!(self.expected_text(&run_id)?),
            Command::ExpectedMessages { run_id } => Value::Array(self.expected_messages(&run_id)?),
        })
    }

    fn plan_of(&self, patch: Value) -> Result<RunPlan, SimulatorError> {
        let mut plan = to_value(&self.plan)?;
        // A scenario is replaced as a whole: its fields depend on its kind. Knobs start from those in force.
        if patch.get("scenario").is_some()
            && let Some(fields) = plan.as_object_mut()
        {
            fields.remove("scenario");
        }
        if let (Some(fields), true) = (plan.as_object_mut(), patch.get("knobs").is_some_and(Value::is_object))
        {
            let unset = fields.get("knobs").is_none_or(Value::is_null);
            if unset {
                fields.insert("knobs".into(), to_value(&*self.knobs)?);
            }
        }
        merge(&mut plan, patch);
        from_value(plan)
    }
}

fn scope(run_id: Option<&str>) -> Scope<'_> {
    run_id.map_or(Scope::All, Scope::Run)
}

fn to_value(value: &impl serde::Serialize) -> Result<Value, SimulatorError> {
    serde_json::to_value(value).map_err(|error| SimulatorError(error.to_string()))
}

fn from_value<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, SimulatorError> {
    serde_json::from_value(value).map_err(|error| SimulatorError(error.to_string()))
}

/// Fields whose value is one choice out of several: patched as a whole, or two choices would be there at once.
const CHOICES: [&str; 6] = ["chunk", "ids", "text", "auth", "cors", "scenario"];

/// Merges as RFC 7396 says: objects field by field, `null` takes a field away.
fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Some(fields) = target.as_object_mut() else { return };
    for (key, value) in patch {
        if value.is_null() {
            fields.remove(&key);
        } else if CHOICES.contains(&key.as_str()) {
            fields.insert(key, value);
        } else {
            merge(fields.entry(key).or_insert(Value::Null), value);
        }
    }
}
