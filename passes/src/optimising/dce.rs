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
use partita_ir::arena::{FuncId, OpId};
use partita_ir::build::live_ops;
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Program};

/// The pass, for programs of one form.
pub struct Dce(pub Form);

impl Pass for Dce {
    fn info(&self) -> PassInfo {
        PassInfo { name: "dce", input_form: self.0, output_form: self.0, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        let has_dead = |func| live_ops_of(program, func).len() < program.funcs[func].ops().len();
        program.funcs_with_layouts().into_iter().any(has_dead)
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        remove_dead_ops(program);
        Ok(())
    }
}

/// Removes ops whose results are not read.
pub(crate) fn remove_dead_ops(program: &mut Program) {
    for func in program.funcs_with_layouts() {
        *program.funcs[func].ops_mut() = live_ops_of(program, func);
    }
}

/// Returns the ops of a function whose results are read, in order.
fn live_ops_of(program: &Program, func: FuncId) -> Vec<OpId> {
    let func = &program.funcs[func];
    live_ops(program, func.ops(), func.outputs.iter().map(|output| output.value))
}
