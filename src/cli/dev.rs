//! `dev opt`: passes on program text.

use super::Outcome;
use super::args::OptArgs;
use super::model::plan;
use super::passes::{run_one, unknown_pass};
use crate::error::Result;
use crate::load::{parse, read_standard_input, read_text};
use partita_ir::text;
use partita_passes::pass::Cx;
use partita_passes::pipelines;
use std::path::Path;

/// Carries out `partita dev opt`.
pub(super) fn opt(args: &OptArgs) -> Result<Outcome> {
    let names = pipelines::names();
    if let Some(unknown) = args.pass.iter().find(|p| !names.contains(&p.as_str())) {
        return Err(unknown_pass(unknown, &names).into());
    }
    let text = if args.file == Path::new("-") { read_standard_input()? } else { read_text(&args.file)? };
    let mut program = parse(&args.file.display().to_string(), &text)?;
    let mut cx = Cx { plan: plan(&args.plan)?, ..Cx::default() };
    for pass in &args.pass {
        run_one(pass, &mut program, &mut cx)?;
    }
    Ok(text::print(&program).into())
}
