//! From kernels to text in the language of a target.

#[cfg(feature = "wgsl")]
mod wgsl;

use crate::spec::Spec;
use partita_gpu::Target;
use partita_gpu::module::{ENTRY, Kernel};
use partita_ir::diag::{Code, Diagnostic};
use rustc_hash::FxHashMap;

/// What prints kernels.
pub(crate) fn toolchain(_: Target) -> String {
    // As pinned in the workspace.
    "CubeCL 0.11.3".into()
}

/// A kernel printed for a target. Its number makes its name.
///
/// # Errors
/// `R004` when CubeCL refuses the kernel, and for targets that are not built in.
pub(crate) fn printed(spec: &Spec, number: usize, target: Target) -> Result<Kernel, Diagnostic> {
    let (source, shared_bytes) = match target {
        #[cfg(feature = "wgsl")]
        Target::Wgsl => wgsl::wgsl(spec)?,
        _ => return Err(Diagnostic::new(Code::R004, format!("this build prints no kernels for {target}"))),
    };
    let (reads, writes) = spec.buffers();
    Ok(Kernel {
        name: format!("{}_{number}", spec.name()),
        source,
        binary: None,
        reads,
        writes,
        // A word for the length of each buffer, in pairs.
        info_words: (reads + writes).next_multiple_of(2),
        cubes: spec.grid(),
        units: spec.units() as u32,
        shared_bytes,
        work: spec.work(),
    })
}

/// The text with names that are the same in every process: the entry point's is a hash, and variables are `v` with numbers that count
/// what is not printed, too.
fn renamed(text: &str, entry: &str) -> String {
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut out = String::with_capacity(text.len());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        // `v12`, `v12_store`, `shared_v12`
        let (prefix, variable) = word.split_once("shared_").map_or(("", word), |(_, variable)| ("shared_", variable));
        let (variable, suffix) =
            variable.split_once('_').map_or((variable, String::new()), |(v, s)| (v, format!("_{s}")));
        let is_variable =
            variable.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if word == entry {
            out.push_str(ENTRY);
        } else if is_variable {
            let next = numbers.len();
            let number = numbers.entry(variable).or_insert(next);
            out.push_str(&format!("{prefix}v{number}{suffix}"));
        } else {
            out.push_str(word);
        }
        let gap = behind.find(is_word).unwrap_or(behind.len());
        out.push_str(&behind[..gap]);
        rest = &behind[gap..];
    }
    out
}
