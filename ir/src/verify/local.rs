//! Form `local`: one device's program. Shapes are per device; no reshard left, only collectives; nothing pending.
//!
//! 1. Only inputs, parameters and outputs of the main function have layouts. They keep their global type; the device
//!    holds the local type that follows. No value is pending.
//! 2. No op is a `reshard` or `constrain`.
//! 3. What replaces a parameter lies as it does.
//! 4. Each op's shape rule, on what the device holds of its operands, gives what it holds of the results. (Checked with
//!    the structure.)

use super::Report;
use crate::arena::Id;
use crate::diag::Code;

pub(super) fn check(report: &mut Report<'_>) {
    let program = report.program;
    let main = program.main();
    let mut port = vec![false; program.values.len()];
    for &value in main.inputs.iter().chain(main.outputs.iter().map(|o| &o.value)) {
        port[value.index()] = true;
    }
    for func in program.callees_first() {
        let func = &program.funcs[func];
        for &id in &func.body {
            let op = &program.ops[id];
            if op.kind.class().states_layout() {
                report.op(Code::V002, id, "not lowered to collectives");
            }
        }
        let made = func.body.iter().flat_map(|&op| &program.ops[op].outs);
        for &id in func.inputs.iter().chain(made) {
            let Some(layout) = &program.values[id].layout else { continue };
            if !port[id.index()] {
                report.value(Code::V002, id, "has a layout, but is not an input, parameter or output");
            }
            if !layout.pending.is_empty() {
                report.value(Code::L012, id, "is pending; on one device everything is final");
            }
        }
    }
    super::explicit::replaced(report);
}
