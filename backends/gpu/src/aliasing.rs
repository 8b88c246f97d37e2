//! Buffers of a launch that share memory: results that are written over operands.
//!
//! In C++, the compiler may assume that memory reached through a `__restrict__` pointer is not accessed through any
//! other pointer if it is written. Parameters that may share memory must therefore not be `__restrict__`.

use crate::module::{Arg, Launch, Module};
use partita_runtime::code::{Address, Base, Code, Output, Task, TaskAction};
use std::collections::BTreeSet;

/// Returns, for each of the `kernels` kernels, the positions of parameters that share memory with another parameter in
/// some launch of any stage, where at least one of the two is written.
pub fn aliased_params(stages: &[Code<Launch>], kernels: usize) -> Vec<BTreeSet<usize>> {
    let mut all = vec![BTreeSet::new(); kernels];
    for (code, number, body) in stages.iter().flat_map(|code| (0..).zip(&code.bodies).map(move |(i, b)| (code, i, b))) {
        let is_main = number + 1 == code.bodies.len();
        for task in &body.tasks {
            let TaskAction::Compute(launch, scratch) = &task.action else { continue };
            for dispatch in &launch.dispatches {
                let addresses: Vec<Option<Address>> =
                    dispatch.args.iter().map(|arg| argument_address(code, task, *scratch, *arg, is_main)).collect();
                let is_written = |i: usize| matches!(dispatch.args[i], Arg::Write(_));
                for a in 0..addresses.len() {
                    for b in 0..a {
                        let is_same = addresses[a].is_some() && addresses[a] == addresses[b];
                        if is_same && (is_written(a) || is_written(b)) {
                            all[dispatch.kernel].extend([a, b]);
                        }
                    }
                }
            }
        }
    }
    all
}

/// Returns the address of a launch argument, or `None` for memory that is never written.
///
/// Two buffers either start at the same address or do not overlap, so that comparing start addresses suffices.
fn argument_address(
    code: &Code<Launch>,
    task: &Task<Launch>,
    scratch: usize,
    arg: Arg,
    is_main: bool,
) -> Option<Address> {
    let at = match arg {
        Arg::Read(i) => *task.reads.get(i)?,
        Arg::Write(i) => *task.writes.get(i)?,
        Arg::Scratch(at) => Address { base: Base::Frame, offset: scratch + at },
        Arg::Coordinates => return None,
    };
    match at.base {
        Base::Output(i) if is_main => match code.outputs.get(i as usize) {
            Some(Output::InPlace(input)) => Some(Address { base: Base::Input(*input as u32), ..at }),
            _ => Some(at),
        },
        _ => Some(at),
    }
}

/// Checks that no kernel in C++ has `__restrict__` on parameters that share memory in some launch. Returns the number
/// of kernels with such parameters.
///
/// # Errors
/// The name of the kernel and the position of the parameter.
pub fn check(module: &Module) -> Result<usize, String> {
    let aliased = aliased_params(&module.code, module.kernels.len());
    for (kernel, positions) in module.kernels.iter().zip(&aliased) {
        let params = parameters(&kernel.source).filter(|_| !positions.is_empty());
        let wrong = |&&position: &&usize| params.as_ref().is_some_and(|all| all[position].contains("__restrict__"));
        if let Some(position) = positions.iter().find(wrong) {
            return Err(format!(
                "parameter {position} of kernel `{}` is `__restrict__`, but shares memory with another parameter",
                kernel.name
            ));
        }
    }
    Ok(aliased.iter().filter(|positions| !positions.is_empty()).count())
}

/// Returns the source without `__restrict__` on the parameters at these positions.
pub fn strip_restrict(source: &str, positions: &BTreeSet<usize>) -> String {
    let Some(params) = parameters(source).filter(|_| !positions.is_empty()) else { return source.to_owned() };
    let changed: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(i, param)| if positions.contains(&i) { param.replace(" __restrict__", "") } else { (*param).to_owned() })
        .collect();
    source.replacen(&params.join(","), &changed.join(","), 1)
}

/// Returns the parameters of the only entry point of a kernel in C++, or `None` for other languages.
fn parameters(source: &str) -> Option<Vec<&str>> {
    let (_, after) = source.split_once("__global__ ")?;
    // Attributes have parentheses, too: the parameter list is the last one before the body.
    let list = after.split_once(") {")?.0;
    Some(list[list.rfind('(')? + 1..].split(',').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restrict_is_removed_from_aliased_parameters() {
        let source = "struct a {};\nextern \"C\" __global__ void __launch_bounds__(256, 1)  kernel(uint32_t const* const __restrict__ v0, \
                      uint32_t * const __restrict__ v1, __grid_constant__ info_st const v2) {\nint x = f(1, 2);\n}";
        assert_eq!(parameters(source).unwrap().len(), 3);
        let changed = strip_restrict(source, &BTreeSet::from([1]));
        assert_eq!(changed, source.replace("* const __restrict__ v1", "* const v1"));
        assert_eq!(strip_restrict(source, &BTreeSet::new()), source);
        assert_eq!(parameters("fn main() {}"), None);
    }
}
