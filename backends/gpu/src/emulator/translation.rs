//! Kernels in CUDA C++ as one text in C++, behind the headers that stand in for what CUDA adds.

use super::asynchronous::translated;
use super::vocabulary;
use crate::collective::{ENTRY, KERNEL};
use crate::module::Kernel;
use partita_ir::diag::Diagnostic;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::ops::Range;

/// What stands in for CUDA.
pub(super) const SHIM: [&str; 7] = [
    include_str!("shim/base.h"),
    include_str!("shim/memory.h"),
    include_str!("shim/threads.h"),
    include_str!("shim/copies.h"),
    include_str!("shim/intrinsics.h"),
    include_str!("shim/numbers.h"),
    include_str!("shim/fragments.h"),
];

/// Calls that wait for other threads, or for what a thread itself began, and fences.
const WAITS: [&str; 6] = [
    "__syncthreads(",
    "__syncwarp(",
    "__pipeline_wait_prior(",
    "shim::wait_all(",
    "__threadfence(",
    "__threadfence_block(",
];

/// All kernels as one text, each with a function that starts it; and by kernel, the numbers of its waits and fences.
///
/// # Errors
/// `R004` for kernels that use what is not emulated.
pub(super) fn text(kernels: &[Kernel]) -> Result<(String, FxHashMap<String, Range<usize>>), Diagnostic> {
    let (mut text, mut waits, mut all) = (SHIM.join("\n"), 0, FxHashMap::default());
    let kernels = kernels.iter().map(|kernel| (kernel.name.as_str(), kernel.source.as_str()));
    for (name, source) in kernels.chain([(ENTRY, KERNEL)]) {
        let lines: Vec<String> = source.lines().filter(|line| !line.starts_with("#include")).map(plain).collect();
        let lines = lines.join("\n");
        vocabulary::check(name, &lines)?;
        let meets = ["__sync", "_sync("].iter().any(|word| source.contains(word));
        let (grain, first) = (grain(source), waits);
        let _ = writeln!(text, "\nnamespace kernel_{name} {{");
        for mut line in lines.lines() {
            // A wait may stand behind other statements of its line.
            while let Some((at, end)) = WAITS.iter().filter_map(|wait| found(line, wait)).min() {
                let _ = write!(text, "{}SHIM_WAIT({waits}, {})", &line[..at], &line[at..end]);
                (line, waits) = (&line[end..], waits + 1);
            }
            let _ = writeln!(text, "{line}");
        }
        all.insert(name.to_owned(), first..waits);
        let _ = writeln!(
            text,
            "}}\nextern \"C\" const char* run_{name}(void** args, const shim::Launch* launch) {{\n    \
                 return shim::run(*launch, {grain}, {meets}, [](void* args) {{ shim::call(&kernel_{name}::{name}, \
                 static_cast<void**>(args)); }}, args);\n}}",
        );
    }
    text.push_str(
        "\nextern \"C\" void test_with(int64_t left_out, unsigned order) \
                   { shim::left_out = left_out; shim::order = order; }\n",
    );
    Ok((text, all))
}

/// A line of a kernel without what C++ does not have, but for names.
fn plain(line: &str) -> String {
    let line = translated(&line.replace("extern \"C\" ", ""));
    // Where it lies was for a launch to say.
    let shared = line.split_once("extern __shared__ ").and_then(|(before, declared)| {
        let (declared, behind) = declared.split_once("[];")?;
        Some(format!("{before}char* const {} = shim::shared;{behind}", declared.split_whitespace().next_back()?))
    });
    shared.unwrap_or(line)
}

/// Where a call begins in a line, and where it ends.
fn found(line: &str, call: &str) -> Option<(usize, usize)> {
    let at = line.find(call)?;
    Some((at, at + line[at..].find(')')? + 1))
}

/// The logarithm of the bytes of the smallest elements that a kernel may have in memory.
fn grain(source: &str) -> u32 {
    let has = |words: &[&str]| {
        let lines = source.lines().filter(|line| !line.starts_with("typedef") && !line.starts_with('#'));
        lines.clone().any(|line| words.iter().any(|word| line.contains(word)))
    };
    match () {
        () if has(&["int8_t", "signed char", "fp8"]) => 0,
        () if has(&["int16_t", "short", "half", "bfloat16"]) => 1,
        () => 2,
    }
}
