//! `export`: writes a plan in the terms of another framework.

use super::args::ExportArgs;
use super::files::write_file;
use super::model::{self, Loaded, program};
use super::{CallerModel, Outcome};
use partita::Result;
use partita::export::{ExportRequest, export};
use partita::search::Target;
use partita_ir::diag::{Code, Diagnostic};

/// Runs `partita export`.
pub(super) fn run_export(args: &ExportArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let Some(target) = Target::from_name(&args.to) else {
        return Err(Diagnostic::new(Code::C002, format!("there is no target `{}`", args.to)).into());
    };
    let machine = model::machine(args.machine.as_ref())?;
    let plan = model::plan(&args.plan)?;
    let Loaded { model, program, .. } = program(args.model.as_deref(), own)?;
    let machine = machine.as_ref().map(|(_, machine)| machine);
    let request = ExportRequest { model: Some(&model), machine, nearest: args.nearest, ..ExportRequest::new(target) };
    let exported = export(&program, &plan, &request)?;
    exported.changes.iter().for_each(|change| eprintln!("note: {change}"));
    let text = match (args.json, exported.json) {
        (true, None) => {
            let error = Diagnostic::new(Code::C003, format!("`--to {target}` has no form as JSON of its own"));
            return Err(error.help("leave `--json` out").into());
        }
        (true, Some(json)) => json,
        (false, _) => exported.text,
    };
    Ok(match &args.output {
        Some(path) => {
            write_file(path, &text)?;
            format!("{}\n", path.display())
        }
        None => text,
    }
    .into())
}
