//! Form `local`: one device's program. Shapes are per device, layout changes are collectives, and no value is partial.
//!
//! 1. Only inputs, parameters and outputs of the main function have layouts. They are declared with their global type;
//!    a device stores the local type that follows from the layout. No value is partial.
//! 2. No op is a `reshard` or `constrain`.
//! 3. An output that replaces a parameter has the layout of the parameter.
//! 4. The shape rule of each op, applied to the local types of its operands, yields the local types of its results.
//!    (Checked by `structure`.)

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
            if !layout.partial.is_empty() {
                report.value(Code::L012, id, "is partial, which no value of a local program may be");
            }
        }
    }
    super::explicit::check_replaced_inputs(report);
}
