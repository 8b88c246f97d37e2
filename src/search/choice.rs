//! What the layout of one value is worth: a step with the best layouts for all else, and with the best other one for
//! it.

use super::outline::{Ground, Made};
use super::spreads::{Decided, Spread};
use crate::error::Result;
use crate::explain::find;
use crate::partition::Partition;
use partita_cost::roofline::Efficiencies;
use partita_ir::arena::ValueId;
use partita_ir::layout::Layout;
use partita_ir::mesh::Mesh;
use partita_ir::plan::{Plan, layout_text};
use partita_ir::program::Program;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_search::{Effort, SearchGraph};
use std::fmt;

/// A layout, and what would take its place. Prints as sentences.
pub(crate) struct Choice {
    machine: String,
    layout: String,
    /// Seconds that a step is priced at.
    seconds: f64,
    /// The best other layout, with its seconds.
    next: Option<(String, f64)>,
}

impl Choice {
    /// What it is worth that a value lies so, on the mesh of a plan without stages, in as many micro-batches and with
    /// what is computed again as the plan says; all else is free. None for what no op makes or takes so.
    ///
    /// # Errors
    /// What is wrong with the plan, and `H002` when the machine is too small.
    pub(crate) fn of(
        program: &Program,
        plan: &Plan,
        machine: &Machine,
        find: impl Fn(&Program) -> Result<ValueId>,
        layout: &Layout,
    ) -> Result<Option<Choice>> {
        let base = &Plan {
            mesh: plan.mesh.clone(),
            map: plan.map.clone(),
            train: plan.train.clone(),
            freeze: plan.freeze.clone(),
            train_only: plan.train_only.clone(),
            precision: plan.precision.clone(),
            bucket: plan.bucket.clone(),
            ..Plan::default()
        };
        let parts = plan.pipelined()?.and_then(|one| one.micro_batches).unwrap_or(1);
        let made = Made::of(program, base, parts)?;
        let value = find(&made.program)?;
        let decided = Decided::of(program, base, &[])?;
        let spreads = decided.spreads(&made.program, machine.device_count())?;
        let Some(spread) = spreads.into_iter().find(|spread| spread.stages == 1) else { return Ok(None) };
        let spread = &Spread { parts, recompute: !plan.remat.is_empty(), ..spread };
        let ground = Ground {
            machine,
            base,
            along: &[],
            prices: &Prices::new(machine),
            efficiencies: &Efficiencies::default(),
            effort: &Effort::default(),
            memory: machine.kinds.iter().map(|kind| kind.memory).min().unwrap_or(0),
        };
        let graph = SearchGraph::of(&made.program, &made.classes);
        let axes = spread.names.iter().cloned().zip(spread.axes.iter().copied());
        let mesh = Mesh::new("mesh", axes);
        let best = |is_so: bool| {
            let found = ground.layouts(&graph, spread, |layouts| {
                let lies_so = |other: &Layout| other.dims.iter().zip(&layout.dims).all(|(a, b)| a.axes == b.axes);
                let can = layouts.restrict(value, |other| lies_so(other) == is_so);
                can.then(|| layouts.best(&ground.assumed(spread, (None, true)), ground.effort)).flatten()
            })?;
            Ok::<_, crate::Error>(found.flatten())
        };
        let text = |layout: &Layout| layout_text(&Layout { pending: Default::default(), ..layout.clone() }, &mesh);
        let Some(so) = best(true)? else { return Ok(None) };
        let next = best(false)?.and_then(|found| {
            let (_, layout) = found.inputs.iter().chain(&found.values).find(|(other, _)| *other == value)?;
            Some((text(layout), found.solution.cost))
        });
        let machine = machine.name.to_string();
        Ok(Some(Choice { machine, layout: text(layout), seconds: so.solution.cost, next }))
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Choice { machine, layout, seconds, next } = self;
        writeln!(
            f,
            "on {machine}, with what is best for all else, a step is priced at {seconds:.6} s with `{layout}`"
        )?;
        match next {
            None => writeln!(f, "it can lie in no other way"),
            Some((other, cost)) if cost >= seconds => {
                let more = 100.0 * (cost - seconds) / seconds;
                writeln!(f, "the next best is `{other}`, which takes {cost:.6} s, {more:.1} % more")
            }
            Some((other, cost)) => {
                let less = 100.0 * (seconds - cost) / seconds;
                writeln!(
                    f,
                    "`{other}` takes {cost:.6} s, {less:.1} % less; `simulate` says whether a plan with it is faster"
                )
            }
        }
    }
}

impl Partition {
    /// Why a value lies where it lies, and what that is worth on a machine. `original` and `plan` are what the
    /// partition was made of.
    ///
    /// # Errors
    /// As [`Partition::explain`], and what a search for other layouts finds wrong.
    pub fn explain_on(&self, name: &str, original: &Program, plan: &Plan, machine: &Machine) -> Result<String> {
        let mut text = self.explain(name)?;
        let planned = self.planned();
        if let Some(layout) = &planned.values[find(planned, name)?].layout
            && let Some(choice) = Choice::of(original, plan, machine, |made| find(made, name), layout)?
        {
            text.push_str(&format!("\n{choice}"));
        }
        Ok(text)
    }
}
