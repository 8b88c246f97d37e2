//! Exports: an independent model of DTensor computes with exported placements and styles, launch options have the
//! values of the plan, and every setting of a plan is exported or rejected.

mod dtensor_model;
mod launchers;
mod placements;
mod refusals;
mod settings;

use partita::export::{Export, ExportRequest, export};
use partita::ir::diag::Source;
use partita::prelude::*;
use partita::search::Target;

/// Parses a plan file.
fn plan(text: &str) -> Plan {
    Plan::from_toml(&Source::new("plan.toml", text)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Exports a plan.
fn exported(program: &Program, toml: &str, target: Target) -> Export {
    export(program, &plan(toml), &ExportRequest::new(target)).unwrap_or_else(|error| panic!("{toml}: {error}"))
}

/// Returns the error of an export that is refused.
fn refused(program: &Program, toml: &str, target: Target) -> String {
    let error = export(program, &plan(toml), &ExportRequest::new(target)).err();
    let error = error.unwrap_or_else(|| panic!("`{toml}` is exported to {target}"));
    assert_eq!(error.0[0].code.name(), "L019", "{error}");
    error.to_string()
}
