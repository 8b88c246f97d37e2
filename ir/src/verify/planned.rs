//! Form `planned`: every value has a closed layout; disagreements allowed.
//!
//! 1. What holds for `traced` holds.
//! 2. Every value of the main function and of loop bodies has a layout with nothing open. (Scalar reducers and
//!    comparators have none; neither has any value of a program without a mesh.)

use super::{Report, traced};
use crate::arena::ValueId;
use crate::diag::Code;

pub(super) fn check(report: &mut Report<'_>) {
    traced::check(report);
    closed(report);
}

/// Checks that every value that should have a layout has one with nothing open.
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
    for func in program.laid_out_funcs() {
        let func = &program.funcs[func];
        func.inputs.iter().for_each(|&v| value(report, v));
        for &op in &func.body {
            program.ops[op].outs.iter().for_each(|&v| value(report, v));
        }
    }
}
