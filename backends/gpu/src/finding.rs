//! What a machine has to run modules on, or lacks, item by item.

#[cfg(any(feature = "cuda", feature = "wgsl"))]
use partita_ir::diag::Diagnostic;
use serde::Serialize;

/// A device or library that modules run on, or what is missing of it; or how a trial with them went.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Finding {
    /// The target that needs it.
    pub target: String,
    /// What it is: `device`, `driver`, `compiler`, `library` or `trial`.
    pub what: &'static str,
    /// What it calls itself; nothing when it is missing. Of a trial, whether it passed.
    pub name: Option<String>,
    /// Its kind, driver and version.
    pub about: String,
    /// What to install, when it is missing.
    pub help: Option<String>,
}

#[cfg(any(feature = "cuda", feature = "wgsl"))]
impl Finding {
    /// A trial of something, and how it went.
    pub(crate) fn trial(target: &str, about: String, outcome: Result<(), Diagnostic>, help: &str) -> Finding {
        let (name, about, help) = match outcome {
            Ok(()) => ("passed", about, None),
            Err(e) => {
                let why: Vec<&str> =
                    std::iter::once(e.title.as_str()).chain(e.notes.iter().map(String::as_str)).collect();
                ("failed", format!("{about}: {}", why.join(": ")), Some(help.to_owned()))
            }
        };
        Finding { target: target.into(), what: "trial", name: Some(name.into()), about, help }
    }
}
