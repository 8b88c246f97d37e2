//! Form `traced`: shapes known; layouts only where the user wrote them.
//!
//! 1. No op is one that the partitioner makes: no reshard, no collective, nothing that names mesh axes.

use super::Report;
use crate::diag::Code;

pub(super) fn check(report: &mut Report<'_>) {
    let program = report.program;
    for func in program.callees_first() {
        for &id in &program.funcs[func].body {
            let kind = &program.ops[id].kind;
            if kind.is_inserted() {
                report.op(Code::V002, id, "only the partitioner makes this operation, from the form `explicit` on");
            }
        }
    }
}
