//! `replan`: a plan for other devices, and what moves.

use super::args::ReplanArgs;
use super::files::write_file;
use super::model::{Loaded, program};
use super::progress::Progress;
use super::{Outcome, Own};
use partita::Result;
use partita::load_machine;
use partita::replan::{Change, Replan};
use partita::search;
use partita_ir::diag::Source;
use partita_ir::input_file::read_text;
use partita_ir::plan::{Plan, Written};

/// Carries out `partita replan`.
pub(super) fn replan(args: &ReplanArgs, own: Option<&Own<'_>>) -> Result<Outcome> {
    let goes_on = args.search.goes_on();
    let progress = Progress::new(2);
    progress.step("reading the model");
    let machine = load_machine(&args.machine)?;
    let present = Plan::from_toml(&Source::new(args.plan.display().to_string(), read_text(&args.plan)?))?;
    let Loaded { model, program, .. } = program(args.model.as_deref(), own)?;
    let freeze = args.freeze.iter().map(|path| Written::of_flag("--freeze", path)).collect();
    let devices = args.devices.map(|count| count as usize);
    let change = Change { lost: args.lost.clone(), devices, freeze, slower: args.slower, more: args.more };
    let goal = args.search.goal()?;
    progress.step("searching");
    let mut watch = |at: &search::Progress| {
        progress.say(&format!("simulated {} plans", at.simulated));
        goes_on()
    };
    let replan = Replan::find(&program, &present, &machine, &change, &goal, &mut watch)?.named(&model);
    if let Some(path) = &args.output {
        write_file(path, &replan.plan().to_toml())?;
    }
    drop(progress);
    Ok(if args.json { replan.to_json() + "\n" } else { replan.to_string() }.into())
}
