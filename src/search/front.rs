//! Pareto fronts as text and JSON.

use super::table::{PlanTable, plan_to_json};
use super::{Names, SimulatedPlan};
use serde_json::json;
use std::fmt;

/// Plans than which no other one is better in time, memory and devices at once. Prints as a table.
pub struct Front {
    pub(super) names: Names,
    pub(super) front: partita_search::pareto::Front,
    pub(super) seconds: f64,
}

impl Front {
    /// The plans, the fastest one first.
    pub fn plans(&self) -> &[SimulatedPlan] {
        &self.front.plans
    }

    /// Renames the model in texts.
    pub fn named(mut self, model: &str) -> Front {
        model.clone_into(&mut self.names.model);
        self
    }

    /// As JSON: the same of each plan as in that of a search, and its text.
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
            "plans": front.plans.iter().map(plan).collect::<Vec<_>>(),
            "searches": front.searches,
            "stop": if front.is_interrupted { "interrupted" } else { "optimal" },
            "seconds": self.seconds,
        });
        format!("{object:#}")
    }
}

impl fmt::Display for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Names { model, machine } = &self.names;
        writeln!(
            f,
            "{model} on {machine}: {} searches in {:.2} s{}; no plan that was found is better than one of these in \
             time, memory and devices\n",
            self.front.searches,
            self.seconds,
            if self.front.is_interrupted { ", then interrupted" } else { "" },
        )?;
        write!(f, "{}", PlanTable { plans: &self.front.plans, memory: self.front.memory })
    }
}
