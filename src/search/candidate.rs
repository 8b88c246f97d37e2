//! A plan that was found, with what its step comes to.

use crate::report::{Align, Table};
use partita_ir::plan::Plan;
use partita_ir::units::bytes;
use serde_json::{Value, json};

/// A plan that was found.
#[derive(Clone)]
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    /// The mesh of each stage.
    pub mesh: String,
    /// How many stages there are.
    pub stages: usize,
    /// In how many parts the batch is computed.
    pub parts: u64,
    /// What is computed again: `none`, `selective` or `full`.
    pub recompute: &'static str,
    /// The schedule of the stages; none if there is one.
    pub schedule: Option<String>,
    /// A step, simulated.
    pub seconds: f64,
    /// The most bytes that a device holds.
    pub peak: u64,
    /// Devices that it uses.
    pub devices: usize,
}

impl Candidate {
    /// What the plan says of element types: `bf16`, or `PATH=f32`; nothing where everything is as in the model.
    fn precision(&self) -> String {
        let said = self.plan.precision.iter().map(|entry| match entry.path.text.as_str() {
            "**" => entry.text.text.clone(),
            path => format!("{path}={}", entry.text.text),
        });
        said.collect::<Vec<_>>().join(", ")
    }

    /// As JSON; `memory` is what there is room for.
    pub(super) fn to_json(&self, memory: u64) -> Value {
        json!({
            "mesh": self.mesh,
            "stages": self.stages,
            "microbatches": self.parts,
            "recompute": self.recompute,
            "precision": self.precision(),
            "schedule": self.schedule,
            "step_seconds": self.seconds,
            "peak_bytes": self.peak,
            "devices": self.devices,
            "fits": self.peak <= memory,
        })
    }
}

/// Candidates side by side; `memory` is what there is room for.
pub(super) fn table(plans: &[Candidate], memory: u64) -> Table {
    use Align::{Left, Right};
    let columns = [("mesh", Left), ("stages", Right), ("parts", Right), ("recompute", Left)];
    let figures = [("step", Right), ("peak memory", Right), ("devices", Right)];
    // Of all alike nobody needs to know it.
    let differ = plans.windows(2).any(|pair| pair[0].precision() != pair[1].precision());
    let precision = differ.then_some(("precision", Left));
    let mut table = Table::new(columns.into_iter().chain(precision).chain(figures));
    for one in plans {
        let over = if one.peak > memory { " (too much)" } else { "" };
        let stages = match &one.schedule {
            Some(schedule) => format!("{} {schedule}", one.stages),
            None => one.stages.to_string(),
        };
        let decided = [one.mesh.clone(), stages, one.parts.to_string(), one.recompute.to_string()];
        let figures = [format!("{:.6} s", one.seconds), format!("{}{over}", bytes(one.peak)), one.devices.to_string()];
        table.row(decided.into_iter().chain(differ.then(|| one.precision())).chain(figures));
    }
    table
}
