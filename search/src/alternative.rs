//! Value of a layout: a step with the best layouts for all other values, next to one with the best other layout.

use crate::configs::{ParallelConfig, configs};
use crate::intra_op::{LayoutSpace, SearchGraph, assumptions, with_layouts};
use crate::limits::Effort;
use crate::problem::{Constraints, SearchProblem, Step};
use partita_cost::roofline::Efficiencies;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::Layout;
use partita_ir::mesh::Mesh;
use partita_ir::plan::{Plan, layout_text};
use partita_ir::program::Program;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use std::fmt;

/// A layout of a value and the best other one, with prices. Prints as sentences.
pub struct LayoutAlternative {
    machine: String,
    layout: String,
    /// Estimated seconds of a step.
    seconds: f64,
    /// The best other layout, with its seconds.
    next: Option<(String, f64)>,
}

impl LayoutAlternative {
    /// The alternative to `layout` for the value that `find` returns, on the mesh of a plan without stages, with its
    /// micro-batches and recomputation; all other layouts are free. `None` for a layout that no op has.
    ///
    /// # Errors
    /// Errors in the plan, and `H002` if the machine is too small.
    pub fn of(
        program: &Program,
        plan: &Plan,
        machine: &Machine,
        find: impl Fn(&Program) -> Result<ValueId, Vec<Diagnostic>>,
        layout: &Layout,
    ) -> Result<Option<LayoutAlternative>, Vec<Diagnostic>> {
        let micro_batches = plan.pipelined()?.and_then(|one| one.micro_batches).unwrap_or(1);
        let recompute = !plan.remat.is_empty();
        let plan = &Plan {
            mesh: plan.mesh.clone(),
            map: plan.map.clone(),
            train: plan.train.clone(),
            freeze: plan.freeze.clone(),
            train_only: plan.train_only.clone(),
            precision: plan.precision.clone(),
            bucket: plan.bucket.clone(),
            ..Plan::default()
        };
        let constraints = Constraints::of(plan, program, &[])?;
        let step = Step::of(program, &constraints, micro_batches)?;
        let value = find(&step.program)?;
        let configs = configs(&constraints, &step.program, machine.device_count())?;
        let Some(config) = configs.into_iter().find(|config| config.stages == 1) else { return Ok(None) };
        let config = ParallelConfig { micro_batches, recompute, ..config };
        let (prices, effort, efficiencies) = (Prices::new(machine), Effort::default(), Efficiencies::default());
        let memory = machine.kinds.iter().map(|kind| kind.memory).min().unwrap_or(0);
        let problem = SearchProblem {
            program,
            constraints: &constraints,
            prices: &prices,
            memory,
            effort: &effort,
            efficiencies: &efficiencies,
        };
        let graph = SearchGraph::of(&step.program, &step.classes);
        let assumptions = assumptions(&problem, &config, None, true);
        let best = |is_same: bool| {
            let best = |layouts: &mut LayoutSpace<'_>| {
                let same = |other: &Layout| other.dims.iter().zip(&layout.dims).all(|(a, b)| a.axes == b.axes);
                let has_any = layouts.restrict(value, |other| same(other) == is_same);
                has_any.then(|| layouts.best(&assumptions, &effort)).flatten()
            };
            with_layouts(&problem, &graph, &config, 0, best).map(Option::flatten)
        };
        let Some(chosen) = best(true)? else { return Ok(None) };
        let mesh = Mesh::new("mesh", config.names.iter().cloned().zip(config.axes.iter().copied()));
        let text = |layout: &Layout| layout_text(&Layout { pending: Default::default(), ..layout.clone() }, &mesh);
        let next = best(false)?.and_then(|found| {
            let (_, layout) = found.inputs.iter().chain(&found.values).find(|(other, _)| *other == value)?;
            Some((text(layout), found.solution.cost))
        });
        let machine = machine.name.to_string();
        Ok(Some(LayoutAlternative { machine, layout: text(layout), seconds: chosen.solution.cost, next }))
    }
}

impl fmt::Display for LayoutAlternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LayoutAlternative { machine, layout, seconds, next } = self;
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
