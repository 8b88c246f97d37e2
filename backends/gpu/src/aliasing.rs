//! Buffers of a launch that are the same memory: results that take the place of operands.
//!
//! C++ lets a compiler assume that a `__restrict__` pointer is the only way to what it points to, if that is written.
//! So parameters that may be the same memory must not have it.

use crate::module::{Arg, Launch, Module};
use partita_runtime::code::{Act, Address, Base, Code, Output, Task};
use std::collections::BTreeSet;

/// By kernel of the code of all stages, its parameters that are the same memory as another one in some launch, where
/// one of them is written.
pub fn aliased(stages: &[Code<Launch>], kernels: usize) -> Vec<BTreeSet<usize>> {
    let mut all = vec![BTreeSet::new(); kernels];
    for (code, number, body) in stages.iter().flat_map(|code| (0..).zip(&code.bodies).map(move |(i, b)| (code, i, b))) {
        let is_main = number + 1 == code.bodies.len();
        for task in &body.tasks {
            let Act::Compute(launch, scratch) = &task.act else { continue };
            for dispatch in &launch.dispatches {
                let places: Vec<Option<Address>> =
                    dispatch.args.iter().map(|arg| place(code, task, *scratch, *arg, is_main)).collect();
                let is_written = |i: usize| matches!(dispatch.args[i], Arg::Write(_));
                for a in 0..places.len() {
                    for b in 0..a {
                        let is_same = places[a].is_some() && places[a] == places[b];
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

/// Where a buffer of a launch is; nothing for memory that nobody writes. Memory is shared from its first byte on, or
/// not at all.
fn place(code: &Code<Launch>, task: &Task<Launch>, scratch: usize, arg: Arg, is_main: bool) -> Option<Address> {
    let at = match arg {
        Arg::Read(i) => *task.reads.get(i)?,
        Arg::Write(i) => *task.writes.get(i)?,
        Arg::Scratch(at) => Address { base: Base::Frame, offset: scratch + at },
        Arg::Place => return None,
    };
    match at.base {
        Base::Output(i) if is_main => match code.outputs.get(i as usize) {
            Some(Output::Over(input)) => Some(Address { base: Base::Input(*input as u32), ..at }),
            _ => Some(at),
        },
        _ => Some(at),
    }
}

/// Checks that no kernel in C++ has `__restrict__` on parameters that are the same memory in some launch. Gives how
/// many kernels have such parameters.
///
/// # Errors
/// The kernel and the parameter, in words.
pub fn check(module: &Module) -> Result<usize, String> {
    let aliased = aliased(&module.code, module.kernels.len());
    for (kernel, positions) in module.kernels.iter().zip(&aliased) {
        let params = parameters(&kernel.source).filter(|_| !positions.is_empty());
        let wrong = |&&position: &&usize| params.as_ref().is_some_and(|all| all[position].contains("__restrict__"));
        if let Some(position) = positions.iter().find(wrong) {
            return Err(format!("parameter {position} of kernel `{}` is another one's memory", kernel.name));
        }
    }
    Ok(aliased.iter().filter(|positions| !positions.is_empty()).count())
}

/// The text without `__restrict__` on parameters at those positions.
pub fn unrestricted(source: &str, positions: &BTreeSet<usize>) -> String {
    let Some(params) = parameters(source).filter(|_| !positions.is_empty()) else { return source.to_owned() };
    let changed: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(i, param)| if positions.contains(&i) { param.replace(" __restrict__", "") } else { (*param).to_owned() })
        .collect();
    source.replacen(&params.join(","), &changed.join(","), 1)
}

/// The parameters of the only entry point of a kernel in C++; nothing for other languages.
fn parameters(source: &str) -> Option<Vec<&str>> {
    let (_, behind) = source.split_once("__global__ ")?;
    // Attributes have parentheses, too: the list of parameters is what the body follows.
    let list = behind.split_once(") {")?.0;
    Some(list[list.rfind('(')? + 1..].split(',').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_lose_what_is_not_theirs() {
        let source = "struct a {};\nextern \"C\" __global__ void __launch_bounds__(256, 1)  kernel(uint32_t const* const __restrict__ v0, \
                      uint32_t * const __restrict__ v1, __grid_constant__ info_st const v2) {\nint x = f(1, 2);\n}";
        assert_eq!(parameters(source).unwrap().len(), 3);
        let changed = unrestricted(source, &BTreeSet::from([1]));
        assert_eq!(changed, source.replace("* const __restrict__ v1", "* const v1"));
        assert_eq!(unrestricted(source, &BTreeSet::new()), source);
        assert_eq!(parameters("fn main() {}"), None);
    }
}
