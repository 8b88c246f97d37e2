//! `dce` (any form): removes ops whose results are not read.
//!
//! Applies to the main function and to the bodies of loops. Inputs and parameters stay, because they are part of the
//! signature.
//!
//! Before:
//!
//! ```text
//! %a = exp %x : f32[4]
//! %b = neg %x : f32[4]
//! output %b
//! ```
//!
//! After:
//!
//! ```text
//! input %x : f32[4]
//! %b = neg %x : f32[4]
//! output %b
//! ```

use crate::driver::{Findings, Input, Pass, PassInfo};
use partita_ir::arena::{FuncId, Id, OpId};
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Program};

/// The pass, for programs of one form.
pub struct Dce(pub Form);

impl Pass for Dce {
    fn info(&self) -> PassInfo {
        PassInfo { name: "dce", input_form: self.0, output_form: self.0, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        program
            .funcs_with_layouts()
            .into_iter()
            .any(|func| live_ops(program, func).len() < program.funcs[func].ops().len())
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        for func in program.funcs_with_layouts() {
            *program.funcs[func].ops_mut() = live_ops(program, func);
        }
        Ok(())
    }
}

/// Returns the ops of a function whose results are read, in order.
fn live_ops(program: &Program, func: FuncId) -> Vec<OpId> {
    let func = &program.funcs[func];
    let mut live = vec![false; program.values.len()];
    func.outputs.iter().for_each(|o| live[o.value.index()] = true);
    let mut ops = Vec::with_capacity(func.ops().len());
    for &id in func.ops().iter().rev() {
        let op = &program.ops[id];
        if op.outs.iter().any(|v| live[v.index()]) {
            op.args.iter().for_each(|v| live[v.index()] = true);
            ops.push(id);
        }
    }
    ops.reverse();
    ops
}
