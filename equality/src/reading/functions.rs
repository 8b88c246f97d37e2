//! Reducers and comparators: scalar functions that ops call.
//!
//! The body of a function is translated to terms with inputs that all functions of the same operand types share, so
//! that equal functions of two programs have equal outputs. An op in the e-graph names a function by its index there.

use super::Reader;
use crate::term::{Operands, Term};
use partita_ir::arena::{FuncId, Id as _};
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::program::Op;

impl Reader<'_> {
    /// Returns an op with the index of its function in the e-graph. `None` if the function has an unsupported op.
    pub(super) fn with_shared_function(&mut self, op: &Op) -> Option<OpKind> {
        let mut kind = op.kind.clone();
        if let Some(func) = kind.func_mut() {
            *func = self.shared_function(*func)?;
        }
        Some(kind)
    }

    fn shared_function(&mut self, func: FuncId) -> Option<FuncId> {
        let program = self.program;
        let func = &program.funcs[func];
        let types: Vec<Type> = func.inputs.iter().map(|&input| program.ty(input).clone()).collect();
        let heads = self.terms.analysis.function_inputs(&types);
        let inputs: Operands = heads.into_iter().map(|head| self.terms.add_uncanonical(Term::leaf(head))).collect();
        for &op in func.ops() {
            program.ops[op].outs.iter().for_each(|out| self.readings[out.index()].clear());
        }
        for (&input, &term) in func.inputs.iter().zip(&inputs) {
            self.readings[input.index()].clear();
            self.readings[input.index()].push(term);
        }
        for &op in func.ops() {
            if program.ops[op].kind.func().is_some() {
                return None;
            }
            self.read_global_op(&program.ops[op]);
        }
        let outputs = func.outputs.iter().map(|output| self.readings[output.value.index()].first().copied());
        let outputs = outputs.collect::<Option<Operands>>()?;
        if !self.terms.clean {
            self.terms.rebuild();
        }
        let known = self.terms.analysis.functions().iter().position(|(other_types, other)| {
            let is_equal = |(&a, &b): (&_, &_)| self.terms.find(a) == self.terms.find(b);
            *other_types == types && other.len() == outputs.len() && other.iter().zip(&outputs).all(is_equal)
        });
        let at = known.unwrap_or_else(|| self.terms.analysis.add_function(types, outputs));
        Some(FuncId::from_index(at))
    }
}
