//! `dce` (any form): drops ops whose results nobody reads.
//!
//! Works on main and on the bodies of loops. Inputs and parameters stay, used or not: they are the program's signature.
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

use crate::driver::{Findings, Info, Input, Pass};
use partita_ir::arena::{FuncId, Id, OpId};
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Program};

/// The pass, for programs of one form.
pub struct Dce(pub Form);

impl Pass for Dce {
    fn info(&self) -> Info {
        Info { name: "dce", needs: self.0, gives: self.0, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        program.laid_out_funcs().into_iter().any(|func| live(program, func).len() < program.funcs[func].ops().len())
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        for func in program.laid_out_funcs() {
            *program.funcs[func].ops_mut() = live(program, func);
        }
        Ok(())
    }
}

/// The ops of a function whose results somebody reads, in order.
fn live(program: &Program, func: FuncId) -> Vec<OpId> {
    let func = &program.funcs[func];
    let mut live = vec![false; program.values.len()];
    func.outputs.iter().for_each(|o| live[o.value.index()] = true);
    let mut kept = Vec::with_capacity(func.ops().len());
    for &id in func.ops().iter().rev() {
        let op = &program.ops[id];
        if op.outs.iter().any(|v| live[v.index()]) {
            op.args.iter().for_each(|v| live[v.index()] = true);
            kept.push(id);
        }
    }
    kept.reverse();
    kept
}
