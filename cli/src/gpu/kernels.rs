//! `explain --kernels`: lists the GPU kernels of a program.

use crate::Outcome;
use crate::args::ExplainArgs;
use partita::Partition;
use partita::Result;

/// Runs `partita explain MODEL --kernels`.
pub(crate) fn kernels(args: &ExplainArgs, model: &str, part: &Partition) -> Result<Outcome> {
    let mut report = part.explain_kernels(args.target.as_deref().unwrap_or(best()), args.machine.as_deref())?;
    model.clone_into(&mut report.model);
    Ok(if args.json { report.to_json() + "\n" } else { report.to_string() }.into())
}

/// Returns the newest CUDA target of this build, or another target if there is none.
fn best() -> &'static str {
    let all = partita_cubecl::TARGETS;
    all.iter().rfind(|name| name.starts_with("cuda")).or(all.first()).copied().unwrap_or("cuda:sm_90")
}
