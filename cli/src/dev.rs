//! `dev opt`: runs passes on program text.

use super::Outcome;
use super::args::OptArgs;
use super::model::plan;
use super::passes::{run_one, unknown_pass};
use partita::Result;
use partita::parse;
use partita::report::rewriting::rewrites_by_pass;
use partita_ir::input_file::{read_standard_input, read_text};
use partita_ir::text;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use std::path::Path;

/// Runs `partita dev opt`.
pub(super) fn opt(args: &OptArgs) -> Result<Outcome> {
    let names = pipelines::pass_names();
    if let Some(unknown) = args.pass.iter().find(|p| !names.contains(&p.as_str())) {
        return Err(unknown_pass(unknown, &names).into());
    }
    let text = if args.file == Path::new("-") { read_standard_input()? } else { read_text(&args.file)? };
    let mut program = parse(&args.file.display().to_string(), &text)?;
    let (input, mut findings) = (Input::with_plan(plan(&args.plan)?), Findings::default());
    for pass in &args.pass {
        run_one(pass, &mut program, &input, &mut findings)?;
    }
    // Rewrites by equality saturation are appended to the program as comments.
    let rewritten: Vec<String> =
        rewrites_by_pass(&findings.searches).iter().map(|one| format!("{one}{}", one.chain())).collect();
    let remarks =
        rewritten.concat().lines().map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect::<String>();
    Ok((text::print(&program) + &remarks).into())
}
