//! A plan that was found, with what its step comes to.

use crate::compare::entries;
use crate::report::{Align, Table};
use indexmap::IndexMap;
use partita_ir::plan::Plan;
use partita_ir::units::bytes;
use serde_json::{Value, json};
use std::fmt;

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
    /// How parameters, state and inputs are laid out, by path.
    pub(super) layouts: IndexMap<String, String>,
}

impl Candidate {
    /// Element types: `bf16`, or `PATH=f32`; `model` where everything is as in the model.
    fn precision(&self) -> String {
        if self.plan.precision.is_empty() {
            return "model".to_owned();
        }
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

/// Candidates side by side. Prints as a table: what each of them decides, with every setting that is not the same in
/// all of them, and what that comes to. LayoutSpace that differ have letters, and are listed below.
pub(super) struct SideBySide<'a> {
    plans: &'a [Candidate],
    /// Bytes that there is room for.
    memory: u64,
}

/// Settings that have a column of their own, or that follow from others.
const SHOWN: [&str; 7] = ["mesh", "train", "pipeline", "schedule", "microbatches", "allow_reshard", "budget"];

/// So many differences of layouts are listed for each letter.
const LISTED: usize = 3;

impl<'a> SideBySide<'a> {
    pub(super) fn of(plans: &'a [Candidate], memory: u64) -> SideBySide<'a> {
        SideBySide { plans, memory }
    }

    /// Settings that plans say otherwise, each with what each plan says.
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

    /// Layouts that differ, in the order in which they appear, and by plan, which it has.
    fn layouts(&self) -> (Vec<IndexMap<String, String>>, Vec<usize>) {
        let mut distinct: Vec<IndexMap<String, String>> = Vec::new();
        let number = |one: &Candidate| {
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

/// Layouts of parameters, state and inputs, and what the plan says of values in between.
fn layouts(one: &Candidate) -> IndexMap<String, String> {
    let inner = one.plan.shards.iter().filter(|entry| entry.path.text.starts_with('%'));
    let inner = inner.map(|entry| (entry.path.text.clone(), entry.text.text.clone()));
    one.layouts.clone().into_iter().chain(inner).collect()
}

/// What layouts of that number are called.
fn letter(number: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(number % 26).unwrap_or_default());
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

impl fmt::Display for SideBySide<'_> {
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
            let decided = [one.mesh.clone(), stages, one.parts.to_string(), one.recompute.to_string(), one.precision()];
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
