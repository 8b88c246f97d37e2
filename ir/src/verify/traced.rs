//! Form `traced`: shapes are inferred; only values that the user annotated have layouts.
//!
//! 1. No op is one that only the partitioner inserts: no reshard, no collective, no op with mesh axes as attributes.

use super::Report;
use crate::diag::Code;

pub(super) fn check(report: &mut Report<'_>) {
    let program = report.program;
    for func in program.callees_first() {
        for &id in &program.funcs[func].body {
            let kind = &program.ops[id].kind;
            if kind.is_inserted() {
                report.op(
                    Code::V002,
                    id,
                    "only the partitioner creates this operation, in the forms `explicit` and `local`",
                );
            }
        }
    }
}
