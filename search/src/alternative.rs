//! Cost of choosing a different layout: the step time with the best layouts for all other values, compared with the
//! best other layout of one value.

use crate::buckets::gradient_bytes;
use crate::configs::{ParallelConfig, configs};
use crate::intra_op::{LayoutSpace, SearchGraph, assumptions, with_layouts};
use crate::limits::Effort;
use crate::problem::{Constraints, SearchProblem, SpaceLimits, Step};
use partita_cost::roofline::Efficiencies;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::Layout;
use partita_ir::mesh::DeviceMesh;
use partita_ir::plan::{Plan, layout_text};
use partita_ir::program::Program;
use partita_ir::units::format_seconds;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use std::fmt;

/// A layout of a value and its best alternative, with estimated step times. Displays as sentences.
pub struct LayoutAlternative {
    /// Name of the machine.
    pub machine: String,
    /// Layout of the value.
    pub layout: String,
    /// Estimated step time in seconds.
    pub seconds: f64,
    /// The best other layout and its estimated step time in seconds.
    pub next: Option<(String, f64)>,
}

impl LayoutAlternative {
    /// Evaluates the layout of the value returned by `find` and its best alternative. Uses the mesh of a plan without
    /// stages, its micro-batches and its recomputation; the layouts of all other values are free. Returns `None` if no
    /// op supports the layout.
    ///
    /// # Errors
    /// Returns errors in the plan, and `H002` if the machine is too small.
    pub fn evaluate(
        program: &Program,
        plan: &Plan,
        machine: &Machine,
        find: impl Fn(&Program) -> Result<ValueId, Vec<Diagnostic>>,
        layout: &Layout,
    ) -> Result<Option<LayoutAlternative>, Vec<Diagnostic>> {
        let micro_batches = plan.pipeline_config()?.and_then(|one| one.micro_batches).unwrap_or(1);
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
        let constraints = Constraints::from_plan(plan, program, &[])?;
        let step = Step::build(program, &constraints, micro_batches)?;
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
            space: &SpaceLimits::default(),
            target: None,
            efficiencies: &efficiencies,
            gradient_bytes: gradient_bytes(program),
        };
        let graph = SearchGraph::new(&step.program, &step.classes);
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
        let mesh = DeviceMesh::new("mesh", config.names.iter().cloned().zip(config.axes.iter().copied()));
        let text = |layout: &Layout| layout_text(&Layout { partial: Default::default(), ..layout.clone() }, &mesh);
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
            "on {machine}, with the best layouts of all other values, the estimated step time is {} with `{layout}`",
            format_seconds(*seconds)
        )?;
        match next {
            None => writeln!(f, "no other layout is possible"),
            Some((other, cost)) if cost >= seconds => {
                let more = 100.0 * (cost - seconds) / seconds;
                writeln!(
                    f,
                    "the next best layout is `{other}`, which takes {}, {more:.1} % more",
                    format_seconds(*cost)
                )
            }
            Some((other, cost)) => {
                let less = 100.0 * (seconds - cost) / seconds;
                writeln!(
                    f,
                    "`{other}` takes {}, {less:.1} % less; check with `simulate` whether a plan with this layout is \
                     faster",
                    format_seconds(*cost)
                )
            }
        }
    }
}
