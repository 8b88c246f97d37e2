//! Form `planned`: every value has a closed layout; layouts of operands and results need not be compatible.
//!
//! 1. The invariants of `traced` hold.
//! 2. Every value of the main function and of loop bodies has a layout without open dimensions. (Scalar reducers and
//!    comparators have no layouts, nor has any value of a program without a mesh.)

use super::{Report, traced};
use crate::arena::ValueId;
use crate::diag::Code;

pub(super) fn check(report: &mut Report<'_>) {
    traced::check(report);
    closed(report);
}

/// Checks that every value that requires a layout has one without open dimensions.
pub(super) fn closed(report: &mut Report<'_>) {
    let program = report.program;
    if program.meshes.is_empty() {
        return;
    }
    let value = |report: &mut Report<'_>, id: ValueId| match &program.values[id].layout {
        None => report.value(Code::V002, id, "has no layout"),
        Some(layout) => {
            if let Some(dim) = layout.dims.iter().position(|d| d.open) {
                report.value(Code::V002, id, &format!("has an open layout: dimension {dim}"));
            }
        }
    };
    for func in program.funcs_with_layouts() {
        let func = &program.funcs[func];
        func.inputs.iter().for_each(|&v| value(report, v));
        for &op in &func.body {
            program.ops[op].outs.iter().for_each(|&v| value(report, v));
        }
    }
}
