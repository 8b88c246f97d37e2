//! `search`: finds the fastest plan for a machine.

use super::args::SearchArgs;
use super::files::{check_writable, write_file};
use super::model::{Loaded, program};
use super::progress::Progress;
use super::simulate::plan_of_step;
use super::{CallerModel, Outcome};
use partita::Result;
use partita::html::PredictedPlan;
use partita::load_machine;
use partita::search::{self, Goal, SimulatedPlan, Target};
use partita_ir::plan::PlanEntry;
use partita_ir::units::format_seconds;

/// Runs `partita search`.
pub(super) fn search(args: &SearchArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    [&args.output, &args.html, &args.log].into_iter().flatten().try_for_each(|path| check_writable(path))?;
    let should_continue = args.search.continue_predicate();
    let progress = Progress::new(2);
    progress.step("reading the model");
    let machine = load_machine(&args.machine)?;
    let Loaded { model, program, .. } = program(args.model.as_deref(), own)?;
    let plan = plan_of_step(args.model.as_deref(), &args.plan, &machine, args.forward)?;
    let fix = args.fix.iter().map(|fix| PlanEntry::from_fix_flag(fix)).collect::<std::result::Result<_, _>>()?;
    let goal = Goal {
        fix,
        precisions: args.allow_precision.clone(),
        devices: args.devices.map(|count| count as usize),
        shown: args.best as usize,
        target: args.target.as_deref().and_then(Target::from_name),
        space: args.space.as_deref().map(search::load_space).transpose()?.unwrap_or_default(),
        ..args.search.goal()?
    };
    progress.step("searching");
    let mut watch = |at: &search::Progress| {
        progress.set_message(&match (at.best, at.bound) {
            (Some(best), Some(bound)) => {
                let gap = 100.0 * (1.0 - bound / best);
                let [best, bound] = [best, bound].map(format_seconds);
                format!("simulated {} plans, best {best}, bound {bound}, gap {gap:.2} %", at.simulated)
            }
            (Some(best), None) => format!("simulated {} plans, best {}", at.simulated, format_seconds(best)),
            (None, _) => format!("simulated {} plans, none fits so far", at.simulated),
        });
        should_continue()
    };
    let details = |found: Option<&SimulatedPlan>| {
        let by = (&machine, &goal.efficiencies);
        found.map(|found| PredictedPlan::new(&model, &program, &found.plan, by)).transpose()
    };
    let search = partita::search(&program, &machine).plan(&plan).goal(&goal).on_progress(&mut watch);
    let (best, text) = if args.pareto {
        let front = search.pareto()?.with_model_name(&model);
        if let Some(path) = &args.html {
            let fastest = details(front.plans().first())?;
            write_file(path, &front.to_html(fastest.as_ref().map(PredictedPlan::details)))?;
        }
        let text = if args.json { front.to_json() + "\n" } else { front.to_string() };
        (front.plans().first().cloned(), text)
    } else {
        let outcome = search.run()?.with_model_name(&model);
        if let Some(path) = &args.html {
            let best = details(outcome.plans().first())?;
            write_file(path, &outcome.to_html(best.as_ref().map(PredictedPlan::details)))?;
        }
        let text = if args.json { outcome.to_json() + "\n" } else { outcome.to_string() };
        if let Some(path) = &args.log {
            write_file(path, &outcome.candidates_to_json_lines())?;
        }
        (outcome.plans().first().cloned(), text)
    };
    if let (Some(path), Some(best)) = (&args.output, best) {
        write_file(path, &best.plan.to_toml())?;
    }
    drop(progress);
    Ok(text.into())
}
