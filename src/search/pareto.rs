//! Pareto fronts as text and JSON.

use super::table::{PlanTable, plan_to_json};
use super::{SearchNames, SimulatedPlan};
use serde_json::json;
use std::fmt;

/// Pareto front of plans in time, memory and number of devices. Prints as a table.
pub struct ParetoFront {
    pub(crate) names: SearchNames,
    pub(crate) front: partita_search::pareto::ParetoFront,
    pub(super) seconds: f64,
}

impl ParetoFront {
    /// Plans in ascending order of predicted step time.
    pub fn plans(&self) -> &[SimulatedPlan] {
        &self.front.plans
    }

    /// Replaces the name of the model in the output.
    pub fn with_model_name(mut self, model: &str) -> ParetoFront {
        model.clone_into(&mut self.names.model);
        self
    }

    /// Formats the front as a JSON object: each plan with the figures of a search result and its TOML text.
    pub fn to_json(&self) -> String {
        let front = &self.front;
        let plan = |plan: &SimulatedPlan| {
            let mut json = plan_to_json(plan, front.memory);
            json["plan"] = plan.plan.to_toml().into();
            json
        };
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.names.model,
            "machine": self.names.machine,
            "target": self.names.target_name(),
            "plans": front.plans.iter().map(plan).collect::<Vec<_>>(),
            "searches": front.searches,
            "stop": if front.is_interrupted { "interrupted" } else { "finished" },
            "seconds": self.seconds,
        });
        format!("{object:#}")
    }
}

impl fmt::Display for ParetoFront {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SearchNames { model, machine, .. } = &self.names;
        writeln!(
            f,
            "{model} on {machine}{}: {} searches in {:.2} s{}; Pareto front of time, memory and devices\n",
            self.names.target_clause(),
            self.front.searches,
            self.seconds,
            if self.front.is_interrupted { " and stopped early" } else { "" },
        )?;
        write!(f, "{}", PlanTable { plans: &self.front.plans, memory: self.front.memory })
    }
}
