//! Plans from the options of the Python functions: a flag of the command line and its value.

use partita::Plan;
use partita_ir::diag::{Code, Diagnostic, Source, nearest};
use partita_ir::plan::KEYS;
use pyo3::prelude::*;

/// A flag without dashes, and its value.
pub(crate) type Flags = Vec<(String, String)>;

/// Returns the plan of a plan file, if one is given, extended by flags.
///
/// # Errors
/// Errors of the plan file, and one error for each invalid flag.
pub(crate) fn plan(toml: Option<&str>, flags: &Flags) -> partita::Result<Plan> {
    let mut plan = match toml {
        Some(text) => Plan::from_toml(&Source::new("plan", text))?,
        None => Plan::default(),
    };
    let mut errors = Vec::new();
    for (name, value) in flags {
        let key = KEYS.iter().find(|key| key.flag.is_some_and(|flag| flag.name == name));
        let read = key.ok_or_else(|| unknown(name)).and_then(|key| plan.read_flag(key, value));
        errors.extend(read.err());
    }
    if errors.is_empty() { Ok(plan) } else { Err(errors.into()) }
}

fn unknown(name: &str) -> Diagnostic {
    let option = name.replace('-', "_");
    let error = Diagnostic::new(Code::C002, format!("a plan has no option `{option}`"));
    let known: Vec<String> = option_names().collect();
    match nearest(&option, known.iter().map(String::as_str)) {
        Some(near) => error.help(format!("use `{near}=...`")),
        None => error.note(format!("the options are {}", known.join(", "))),
    }
}

fn option_names() -> impl Iterator<Item = String> {
    KEYS.iter().filter_map(|key| Some(key.flag?.name.replace('-', "_")))
}

/// Returns the options of plans, each with its help text.
#[pyfunction]
pub(crate) fn plan_options() -> Vec<(String, &'static str)> {
    KEYS.iter().filter_map(|key| key.flag).map(|flag| (flag.name.replace('-', "_"), flag.help)).collect()
}
