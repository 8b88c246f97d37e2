//! Simulated plans side by side, as a table and as JSON.

use crate::compare::entries;
use crate::report::{Align, Table};
use indexmap::IndexMap;
use partita_ir::plan::Plan;
use partita_ir::units::bytes;
use partita_search::SimulatedPlan;
use serde_json::{Value, json};
use std::fmt;

/// Element types of a plan: `bf16`, or `PATH=f32`; `model` where all are those of the model.
fn precision(plan: &Plan) -> String {
    if plan.precision.is_empty() {
        return "model".to_owned();
    }
    let texts = plan.precision.iter().map(|entry| match entry.path.text.as_str() {
        "**" => entry.text.text.clone(),
        path => format!("{path}={}", entry.text.text),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// A plan as JSON; `memory` is the memory limit of a device, in bytes.
pub(crate) fn plan_to_json(plan: &SimulatedPlan, memory: u64) -> Value {
    json!({
        "mesh": plan.mesh,
        "stages": plan.stages,
        "microbatches": plan.micro_batches,
        "recompute": plan.recompute,
        "precision": precision(&plan.plan),
        "schedule": plan.schedule,
        "step_seconds": plan.seconds,
        "peak_bytes": plan.peak,
        "devices": plan.devices,
        "fits": plan.peak <= memory,
    })
}

/// Plans side by side. Prints as a table: their decisions, with every setting that is not the same in all of them, and
/// their figures. Layouts that differ have letters, and are listed below.
pub(super) struct PlanTable<'a> {
    pub(super) plans: &'a [SimulatedPlan],
    /// Memory limit of a device, in bytes.
    pub(super) memory: u64,
}

/// Settings that have a column of their own, or follow from others.
const SHOWN: [&str; 7] = ["mesh", "train", "pipeline", "schedule", "microbatches", "allow_reshard", "budget"];

/// Differences of layouts that are listed for each letter.
const LISTED: usize = 3;

impl PlanTable<'_> {
    /// Settings that differ between plans, each with its values by plan.
    fn settings(&self) -> Vec<(String, Vec<String>)> {
        let has_column = |key: &str| {
            SHOWN.contains(&key) || ["shard ", "store ", "precision ", "remat "].iter().any(|of| key.starts_with(of))
        };
        let all: Vec<IndexMap<String, String>> = self.plans.iter().map(|one| entries::said(&one.plan)).collect();
        let mut differing: Vec<(String, Vec<String>)> = Vec::new();
        for key in all.iter().flat_map(|one| one.keys()).filter(|key| !has_column(key)) {
            let said: Vec<String> = all.iter().map(|one| one.get(key).cloned().unwrap_or_default()).collect();
            if said.windows(2).any(|pair| pair[0] != pair[1]) && differing.iter().all(|(known, _)| known != key) {
                differing.push((key.clone(), said));
            }
        }
        differing
    }

    /// Distinct layouts in the order in which they appear, and the number of its layouts by plan.
    fn layouts(&self) -> (Vec<IndexMap<String, String>>, Vec<usize>) {
        let mut distinct: Vec<IndexMap<String, String>> = Vec::new();
        let number = |one: &SimulatedPlan| {
            let layouts = layouts(one);
            let known = distinct.iter().position(|known| *known == layouts);
            known.unwrap_or_else(|| {
                distinct.push(layouts);
                distinct.len() - 1
            })
        };
        let of_plan = self.plans.iter().map(number).collect();
        (distinct, of_plan)
    }
}

/// Layouts of parameters, state and inputs, and those that the plan has for values in between.
fn layouts(one: &SimulatedPlan) -> IndexMap<String, String> {
    let inner = one.plan.shards.iter().filter(|entry| entry.path.text.starts_with('%'));
    let inner = inner.map(|entry| (entry.path.text.clone(), entry.text.text.clone()));
    one.layouts.clone().into_iter().chain(inner).collect()
}

/// Letter of the layouts with that number.
fn letter(number: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(number % 26).unwrap_or_default());
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

impl fmt::Display for PlanTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Align::{Left, Right};
        let (settings, (layouts, of_plan)) = (self.settings(), self.layouts());
        let decided = [("mesh", Left), ("stages", Right), ("parts", Right), ("recompute", Left), ("precision", Left)];
        let differing = settings.iter().map(|(name, _)| (name.as_str(), Left));
        let laid_out = (layouts.len() > 1).then_some(("layouts", Left));
        let figures = [("step", Right), ("peak memory", Right), ("devices", Right)];
        let mut table = Table::new(decided.into_iter().chain(differing).chain(laid_out).chain(figures));
        for (row, one) in self.plans.iter().enumerate() {
            let over = if one.peak > self.memory { " (too much)" } else { "" };
            let stages = match &one.schedule {
                Some(schedule) => format!("{} {schedule}", one.stages),
                None => one.stages.to_string(),
            };
            let decided = [
                one.mesh.clone(),
                stages,
                one.micro_batches.to_string(),
                one.recompute.to_string(),
                precision(&one.plan),
            ];
            let differing = settings.iter().map(|(_, said)| said[row].clone());
            let laid_out = (layouts.len() > 1).then(|| letter(of_plan[row]));
            let peak = format!("{}{over}", bytes(one.peak));
            let figures = [format!("{:.6} s", one.seconds), peak, one.devices.to_string()];
            table.row(decided.into_iter().chain(differing).chain(laid_out).chain(figures));
        }
        write!(f, "{table}")?;
        if layouts.len() > 1 {
            writeln!(f)?;
        }
        for (number, others) in layouts.iter().enumerate().skip(1) {
            let all = entries::folded(&entries::differences([others, &layouts[0]]));
            let says =
                |says: &Option<String>| says.as_ref().map_or("what follows".to_owned(), |says| format!("`{says}`"));
            let shown = all
                .iter()
                .take(LISTED)
                .map(|one| format!("{} {} instead of {}", one.of, says(&one.says[0]), says(&one.says[1])));
            let mut shown: Vec<String> = shown.collect();
            if all.len() > LISTED {
                shown.push(format!("{} more", all.len() - LISTED));
            }
            writeln!(f, "  layouts {} differ from A: {}", letter(number), shown.join(", "))?;
        }
        Ok(())
    }
}
