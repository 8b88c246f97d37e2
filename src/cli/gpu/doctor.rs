//! `doctor`: what this machine has to run compiled models on.

use crate::cli::Outcome;
use crate::cli::args::DoctorArgs;
use crate::error::Result;
use crate::report::{Align, Table};
use partita_gpu::machine::found;
use serde_json::json;

/// Carries out `partita doctor`.
pub(in crate::cli) fn doctor(args: &DoctorArgs) -> Result<Outcome> {
    let all = found();
    if args.json {
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "compiles_for": partita_cubecl::TARGETS,
            "found": all,
        });
        return Ok(format!("{object:#}\n").into());
    }
    use Align::Left;
    let mut table = Table::new([("target", Left), ("", Left), ("name", Left), ("about", Left)]);
    for one in &all {
        let name = one.name.clone().unwrap_or_else(|| "missing".into());
        table.row([one.target.clone(), one.what.to_owned(), name, one.about.clone()]);
    }
    let mut text = format!("compiles for {}\n\n{table}", partita_cubecl::TARGETS.join(", "));
    for (one, help) in all.iter().filter_map(|one| Some((one, one.help.as_ref()?))) {
        text.push_str(&format!("\nfor {}: {help}\n", one.target));
    }
    Ok(text.into())
}
