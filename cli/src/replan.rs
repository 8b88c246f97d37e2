//! `replan`: finds a new plan after devices were lost or added, or layers were frozen, and lists the transfers from the
//! present plan to the new one.

use super::args::ReplanArgs;
use super::files::{check_writable, write_file};
use super::model::{Loaded, program};
use super::progress::Progress;
use super::{CallerModel, Outcome};
use partita::Result;
use partita::load_machine;
use partita::replan::{Change, Replan};
use partita::search;
use partita_ir::diag::Source;
use partita_ir::input_file::read_text;
use partita_ir::plan::{Plan, SourceText};

/// Runs `partita replan`.
pub(super) fn replan(args: &ReplanArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    args.output.iter().try_for_each(|path| check_writable(path))?;
    let should_continue = args.search.continue_predicate();
    let progress = Progress::new(2);
    progress.step("reading the model");
    let machine = load_machine(&args.machine)?;
    let present = Plan::from_toml(&Source::new(args.plan.display().to_string(), read_text(&args.plan)?))?;
    let Loaded { model, program, .. } = program(args.model.as_deref(), own)?;
    let freeze = args.freeze.iter().map(|path| SourceText::from_flag("--freeze", path)).collect();
    let devices = args.devices.map(|count| count as usize);
    let change =
        Change { lost: args.lost.clone(), devices, freeze, max_slowdown: args.slower, max_extra_moves: args.more };
    let goal = args.search.goal()?;
    progress.step("searching");
    let mut watch = |at: &search::Progress| {
        progress.set_message(&format!("simulated {} plans", at.simulated));
        should_continue()
    };
    let replan = Replan::find(&program, &present, &machine, &change, &goal, &mut watch)?.with_model_name(&model);
    if let Some(path) = &args.output {
        write_file(path, &replan.plan().to_toml())?;
    }
    drop(progress);
    Ok(if args.json { replan.to_json() + "\n" } else { replan.to_string() }.into())
}
