//! Comparison of simulated plans as a table and as JSON.

use crate::compare::differences;
use crate::report::{Align, Table};
use indexmap::IndexMap;
use partita_ir::plan::Plan;
use partita_ir::units::{format_bytes, format_seconds};
use partita_search::SimulatedPlan;
use serde_json::{Value, json};
use std::fmt;

/// Formats the element types of a plan: `bf16`, or `PATH=f32`; `model` if all are those of the model.
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

/// Formats a plan as a JSON object. `memory` is the memory limit of a device, in bytes.
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

/// Comparison of plans. Prints as a table of decisions, settings that differ between plans, and figures. Distinct
/// layouts have letters and are listed below the table.
pub(crate) struct PlanTable<'a> {
    pub(crate) plans: &'a [SimulatedPlan],
    /// Memory limit of a device, in bytes.
    pub(crate) memory: u64,
}

/// Settings with a fixed column, or that follow from others.
const COLUMN_SETTINGS: [&str; 7] = ["mesh", "train", "pipeline", "schedule", "microbatches", "allow_reshard", "budget"];

/// Maximum number of layout differences listed for each letter.
const MAX_LISTED_DIFFERENCES: usize = 3;

impl PlanTable<'_> {
    /// Returns the settings that differ between plans, with the value of each plan.
    fn settings(&self) -> Vec<(String, Vec<String>)> {
        let has_column = |key: &str| {
            COLUMN_SETTINGS.contains(&key)
                || ["shard ", "store ", "precision ", "remat "].iter().any(|of| key.starts_with(of))
        };
        let all: Vec<IndexMap<String, String>> =
            self.plans.iter().map(|one| differences::settings_of_plan(&one.plan)).collect();
        let mut differing: Vec<(String, Vec<String>)> = Vec::new();
        for key in all.iter().flat_map(|one| one.keys()).filter(|key| !has_column(key)) {
            let values: Vec<String> = all.iter().map(|one| one.get(key).cloned().unwrap_or_default()).collect();
            if values.windows(2).any(|pair| pair[0] != pair[1]) && differing.iter().all(|(known, _)| known != key) {
                differing.push((key.clone(), values));
            }
        }
        differing
    }

    /// Returns the distinct layouts in the order of their first plan, and the position of each plan's layouts in them.
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
        let plan_layouts = self.plans.iter().map(number).collect();
        (distinct, plan_layouts)
    }
}

/// Returns the layouts of parameters, state and inputs, and those that the plan specifies for intermediate values.
fn layouts(one: &SimulatedPlan) -> IndexMap<String, String> {
    let inner = one.plan.shards.iter().filter(|entry| entry.path.text.starts_with('%'));
    let inner = inner.map(|entry| (entry.path.text.clone(), entry.text.text.clone()));
    one.layouts.clone().into_iter().chain(inner).collect()
}

/// Returns the label of the layouts at position `number` of the distinct layouts: `A` to `Z`, then `A1` to `Z1` and so
/// on.
fn letter(number: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(number % 26).unwrap_or_default());
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

impl PlanTable<'_> {
    /// Returns the decisions, the settings that differ between plans, and the figures of each plan.
    pub(crate) fn table(&self) -> Table {
        use Align::{Left, Right};
        let (settings, (layouts, plan_layouts)) = (self.settings(), self.layouts());
        let decided =
            [("mesh", Left), ("stages", Right), ("micro-batches", Right), ("recompute", Left), ("precision", Left)];
        let differing = settings.iter().map(|(name, _)| (name.as_str(), Left));
        let laid_out = (layouts.len() > 1).then_some(("layouts", Left));
        let figures = [("step", Right), ("peak memory", Right), ("devices", Right)];
        let mut table = Table::new(decided.into_iter().chain(differing).chain(laid_out).chain(figures));
        for (row, one) in self.plans.iter().enumerate() {
            let over = if one.peak > self.memory { " (over the limit)" } else { "" };
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
            let differing = settings.iter().map(|(_, values)| values[row].clone());
            let laid_out = (layouts.len() > 1).then(|| letter(plan_layouts[row]));
            let peak = format!("{}{over}", format_bytes(one.peak));
            let figures = [format_seconds(one.seconds), peak, one.devices.to_string()];
            table.row(decided.into_iter().chain(differing).chain(laid_out).chain(figures));
        }
        table
    }

    /// Returns a sentence for each of the distinct layouts but the first: their differences from the first.
    pub(crate) fn layout_notes(&self) -> Vec<String> {
        let (layouts, _) = self.layouts();
        let note = |(number, others): (usize, &IndexMap<String, String>)| {
            let all = differences::fold_equal_layers(&differences::differences([others, &layouts[0]]));
            let text =
                |value: &Option<String>| value.as_ref().map_or("propagated".to_owned(), |value| format!("`{value}`"));
            let shown = all
                .iter()
                .take(MAX_LISTED_DIFFERENCES)
                .map(|one| format!("{} {} instead of {}", one.name, text(&one.values[0]), text(&one.values[1])));
            let mut shown: Vec<String> = shown.collect();
            if all.len() > MAX_LISTED_DIFFERENCES {
                shown.push(format!("{} more", all.len() - MAX_LISTED_DIFFERENCES));
            }
            format!("layouts {} differ from A: {}", letter(number), shown.join(", "))
        };
        layouts.iter().enumerate().skip(1).map(note).collect()
    }
}

impl fmt::Display for PlanTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.table())?;
        let notes = self.layout_notes();
        if !notes.is_empty() {
            writeln!(f)?;
        }
        notes.iter().try_for_each(|note| writeln!(f, "  {note}"))
    }
}
