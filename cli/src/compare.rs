//! `compare`: simulates a step of two plans on a machine, and compares time, communication, memory, settings and
//! layouts.

use super::args::CompareArgs;
use super::files::write_file;
use super::model::{Loaded, program};
use super::progress::Progress;
use super::{CallerModel, Outcome};
use partita::Result;
use partita::compare::PlanComparison;
use partita::load_machine;
use partita_ir::diag::Source;
use partita_ir::input_file::read_text;
use partita_ir::plan::Plan;

/// Runs `partita compare`.
pub(super) fn compare(args: &CompareArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let progress = Progress::new(2);
    progress.step("reading the model");
    let machine = load_machine(&args.machine)?;
    let efficiencies = args.costs.efficiencies()?;
    let names = [&args.first, &args.second].map(|path| path.display().to_string());
    let read = |name: &String, path| Plan::from_toml(&Source::new(name.clone(), read_text(path)?));
    let plans = [read(&names[0], &args.first)?, read(&names[1], &args.second)?];
    let Loaded { model, program, .. } = program(args.model.as_deref(), own)?;
    progress.step("simulating both steps");
    let sides = [(names[0].as_str(), &plans[0]), (names[1].as_str(), &plans[1])];
    let compared = PlanComparison::new(&program, sides, &machine, &efficiencies)?.with_model_name(&model);
    if let Some(path) = &args.html {
        write_file(path, &compared.to_html())?;
    }
    drop(progress);
    Ok(if args.json { compared.to_json() + "\n" } else { compared.to_string() }.into())
}
