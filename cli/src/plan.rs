//! `plan`: reports the effect of a plan on a model. Runs nothing.

use super::args::{Emit, PlanArgs};
use super::files::write_file;
use super::model::{self, PartitionedModel, partition_on};
use super::passes::run_one;
use super::{CallerModel, Outcome};
use partita::Result;
use partita::html::PlanDetails;
use partita::report::{Align, Table};
use partita::simulate::Simulation;
use partita_cost::roofline::Efficiencies;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::text;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::planning::name_dims;

/// Runs `partita plan`.
pub(super) fn plan(args: &PlanArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    if args.dims {
        return dims_table(args, own);
    }
    if args.emit == Some(Emit::Plan) {
        return plan_toml(args, own);
    }
    let machine = model::machine(args.machine.as_ref())?;
    let plan = model::plan_for(&args.plan, machine.as_ref())?;
    let on = (&plan, machine.as_ref().map(|(_, machine)| machine));
    let PartitionedModel { model, partition, watch, .. } = partition_on(args.model.as_deref(), on, &args.dump, own)?;
    let mut out = watch.diffs.clone();
    let laid_out = || partition.planned_on_meshes().into_iter();
    match args.emit {
        Some(Emit::Mlir) => out.push_str(&programs(laid_out(), |program| Ok(partita_stablehlo::export(program)?))?),
        Some(Emit::Unpartitioned) => out.push_str(&text::print(partition.model())),
        Some(Emit::Pir) => out.push_str(&programs(laid_out(), |program| Ok(text::print(program)))?),
        Some(Emit::Local) => {
            let local = partition.local_programs().into_iter().map(|(stage, program)| (vec![stage], program));
            out.push_str(&programs(local, |program| Ok(text::print(program)))?);
        }
        None if args.passes => out.push_str(&watch.table()),
        None | Some(Emit::Plan) => {
            let mut report = match &machine {
                Some((_, machine)) => partition.report_on(machine)?,
                None => partition.report(),
            };
            report.model = model;
            if let Some(path) = &args.html {
                let simulation = match &machine {
                    Some((_, machine)) => Some(
                        Simulation::from_partition(&partition, machine, &Efficiencies::default())?
                            .with_model_name(&report.model),
                    ),
                    None => None,
                };
                let (partition, report, simulation) = (&partition, &report, simulation.as_ref());
                write_file(path, &PlanDetails { partition, report, simulation }.to_html())?;
            }
            out.push_str(&match (args.json, args.all) {
                (true, _) => report.to_json() + "\n",
                (false, true) => report.unfolded().to_string(),
                (false, false) => report.to_string(),
            });
        }
    }
    Ok(out.into())
}

/// Formats programs, each with a comment that lists its stages unless it is the only stage.
fn programs<'p>(
    all: impl ExactSizeIterator<Item = (Vec<usize>, &'p Program)>,
    print: impl Fn(&Program) -> Result<String>,
) -> Result<String> {
    let is_one = all.len() == 1;
    let text = |(stages, program): (Vec<usize>, &Program)| {
        let numbers: Vec<String> = stages.iter().map(usize::to_string).collect();
        let heading = format!("// stage{} {}\n", if stages.len() == 1 { "" } else { "s" }, numbers.join(", "));
        Ok(match (is_one, stages.len()) {
            (true, 0 | 1) => print(program)?,
            (true, _) => heading + &print(program)?,
            (false, _) => heading + &print(program)? + "\n",
        })
    };
    all.map(text).collect()
}

/// Formats the plan as TOML, with the model's annotations and expanded presets.
fn plan_toml(args: &PlanArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let mut program = model::program(args.model.as_deref(), own)?.program;
    let annotations = Plan::from_annotations(&program)?;
    let (input, mut findings) = (Input::with_plan(model::plan(&args.plan)?), Findings::default());
    if !input.plan.presets.is_empty() {
        for name in passes_through("apply-plan")? {
            run_one(name, &mut program, &input, &mut findings)?;
        }
    }
    Ok(annotations.then(findings.plan(&input.plan).clone()).to_toml().into())
}

/// Returns the names of the first passes up to `last`.
fn passes_through(last: &str) -> Result<Vec<&'static str>> {
    let mut names: Vec<&str> = pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default())?
        .infos()
        .map(|info| info.name)
        .collect();
    names.truncate(names.iter().position(|name| *name == last).map_or(0, |at| at + 1));
    Ok(names)
}

/// Maximum number of listed dimensions of one class without `--all`.
const MAX_LISTED_DIMS: usize = 6;

/// Formats the classes of dimensions that must be sharded identically, with their names in the plan. Requires no mesh.
fn dims_table(args: &PlanArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    use Align::{Left, Right};
    let plan = model::plan(&args.plan)?;
    let mut program = model::program(args.model.as_deref(), own)?.program;
    // The plan applies to the program after the passes that canonicalise imported programs.
    let (input, mut findings) = (Input::default(), Findings::default());
    for pass in pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default())?
        .infos()
        .take_while(|info| info.name != "apply-plan")
    {
        run_one(pass.name, &mut program, &input, &mut findings)?;
    }
    let mut table = Table::new([
        ("name", Left),
        ("size", Right),
        ("dimensions of parameters and inputs", Left),
        ("other dims", Right),
    ]);
    for class in name_dims::list_classes(&program, &plan)? {
        let shown = if args.all { class.dims.len() } else { MAX_LISTED_DIMS };
        let mut dims: Vec<String> = class.dims.iter().take(shown).map(|(path, dim)| format!("{path} {dim}")).collect();
        if class.dims.len() > shown {
            dims.push(format!("{} more", class.dims.len() - shown));
        }
        let name = class.name.unwrap_or_else(|| "-".into());
        table.row([name, class.size.to_string(), dims.join(", "), class.other_dims.to_string()]);
    }
    Ok(table.to_string().into())
}
