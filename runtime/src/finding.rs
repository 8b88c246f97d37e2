//! Inventory of a machine: devices and libraries that are present or missing.

use partita_ir::diag::Diagnostic;
use serde::Serialize;

/// A device or library that is present or missing, or the result of a trial.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Finding {
    /// Target that needs the item.
    pub target: String,
    /// Kind of the item: `device`, `driver`, `compiler`, `library`, `launcher` or `trial`.
    #[serde(rename = "what")]
    pub kind: &'static str,
    /// Name of the item, or `None` if it is missing. For a trial, `passed` or `failed`.
    pub name: Option<String>,
    /// Type, driver and version, or the reason why the item is missing.
    pub about: String,
    /// Installation instructions for a missing item.
    pub help: Option<String>,
}

impl Finding {
    /// Returns the finding for the outcome of a trial.
    pub fn trial(target: &str, about: String, outcome: Result<(), Diagnostic>, help: &str) -> Finding {
        let (name, about, help) = match outcome {
            Ok(()) => ("passed", about, None),
            Err(e) => {
                let why: Vec<&str> =
                    std::iter::once(e.title.as_str()).chain(e.notes.iter().map(String::as_str)).collect();
                ("failed", format!("{about}: {}", why.join(": ")), Some(help.to_owned()))
            }
        };
        Finding { target: target.into(), kind: "trial", name: Some(name.into()), about, help }
    }
}
