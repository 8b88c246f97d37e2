//! Translation of kernels in CUDA C++ to one C++ source file that starts with the emulator's headers. Synchronisation
//! calls are numbered, so that mutation tests can omit one of them.

use super::asynchronous::translate_copies;
use super::vocabulary;
use crate::collective::{ENTRY, KERNEL};
use crate::module::Kernel;
use partita_ir::diag::Diagnostic;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::ops::Range;

/// Headers that implement CUDA's extensions of C++ on the CPU, in the order of inclusion.
pub(super) const SHIM: [&str; 7] = [
    include_str!("shim/base.h"),
    include_str!("shim/memory.h"),
    include_str!("shim/threads.h"),
    include_str!("shim/copies.h"),
    include_str!("shim/intrinsics.h"),
    include_str!("shim/numbers.h"),
    include_str!("shim/fragments.h"),
];

/// Source of the functions that the headers declare. A file uses functions of those before it.
const RUNTIME: [&str; 3] =
    [include_str!("runtime/memory.cpp"), include_str!("runtime/copies.cpp"), include_str!("runtime/threads.cpp")];

/// Synchronisation calls: barriers, waits for asynchronous copies, and fences.
const SYNC_CALLS: [&str; 6] = [
    "__syncthreads(",
    "__syncwarp(",
    "__pipeline_wait_prior(",
    "shim::wait_all(",
    "__threadfence(",
    "__threadfence_block(",
];

/// Returns the C++ source of the runtime.
pub(super) fn runtime() -> String {
    [&SHIM[..], &RUNTIME].concat().join("\n")
}

/// Returns the C++ source of all kernels, each with an entry point `run_NAME`, and for each kernel the range of indices
/// of its synchronisation calls.
///
/// # Errors
/// `R004` for kernels that use unsupported features.
pub(super) fn translate(kernels: &[Kernel]) -> Result<(String, FxHashMap<String, Range<usize>>), Diagnostic> {
    let (mut text, mut sync_points, mut all) = (SHIM.join("\n"), 0, FxHashMap::default());
    let kernels = kernels.iter().map(|kernel| (kernel.name.as_str(), kernel.source.as_str()));
    for (name, source) in kernels.chain([(ENTRY, KERNEL)]) {
        let lines: Vec<String> =
            source.lines().filter(|line| !line.starts_with("#include")).map(without_cuda_syntax).collect();
        let lines = lines.join("\n");
        vocabulary::check(name, &lines)?;
        let uses_barriers = ["__sync", "_sync("].iter().any(|word| source.contains(word));
        let (element_log2, first) = (element_log2(source), sync_points);
        let _ = writeln!(text, "\nnamespace kernel_{name} {{");
        for mut line in lines.lines() {
            // A line may contain several calls, and other statements before them.
            while let Some((at, end)) = SYNC_CALLS.iter().filter_map(|wait| call_span(line, wait)).min() {
                let _ = write!(text, "{}SHIM_WAIT({sync_points}, {})", &line[..at], &line[at..end]);
                (line, sync_points) = (&line[end..], sync_points + 1);
            }
            let _ = writeln!(text, "{line}");
        }
        all.insert(name.to_owned(), first..sync_points);
        let _ = writeln!(
            text,
            "}}\nSHIM_ENTRY const char* run_{name}(void** args, const shim::Launch* launch) {{\n    \
                 return shim::run(*launch, {element_log2}, {uses_barriers}, [](void* args) {{ \
                 shim::call(&kernel_{name}::{name}, static_cast<void**>(args)); }}, args);\n}}",
        );
    }
    Ok((text, all))
}

/// Replaces CUDA syntax that the headers cannot define: language linkage, asynchronous copies in inline PTX, and the
/// declaration of dynamic shared memory.
fn without_cuda_syntax(line: &str) -> String {
    let line = translate_copies(&line.replace("extern \"C\" ", ""));
    // The emulator allocates dynamic shared memory; kernels access it by a pointer.
    let shared = line.split_once("extern __shared__ ").and_then(|(before, declared)| {
        let (declared, after) = declared.split_once("[];")?;
        Some(format!("{before}char* const {} = shim::shared;{after}", declared.split_whitespace().next_back()?))
    });
    shared.unwrap_or(line)
}

/// Returns the start and end of a call in a line, up to the first closing parenthesis, or `None` if the line has no
/// such call.
fn call_span(line: &str, call: &str) -> Option<(usize, usize)> {
    let at = line.find(call)?;
    Some((at, at + line[at..].find(')')? + 1))
}

/// Returns the base-2 logarithm of the size in bytes of the smallest elements that a kernel may access, according to
/// the type names in its source.
fn element_log2(source: &str) -> u32 {
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
