//! `decompose` (planned -> planned): takes composites apart whose inner dimensions are split.
//!
//! A softmax over a split dimension cannot be computed piece by piece, but its decomposition can: the maximum and the
//! sum become pending values of their own. Composites that are split along other dimensions only, or not at all, stay
//! whole. The new values lie as their ops' rules carry the axes of the operands on.
//!
//! Before:
//!
//! ```text
//! %s = softmax dim 1 %x : f32[8, 64@model]
//! ```
//!
//! After:
//!
//! ```text
//! %max = reduce max [1] %x : f32[8] whole
//! %broadcast = broadcast [0] %max : f32[8, 64] whole
//! %sub = sub %x, %broadcast : f32[8, 64@model]
//! %exp = exp %sub : f32[8, 64@model]
//! %sum = reduce sum [1] %exp : f32[8] whole
//! %broadcast.1 = broadcast [0] %sum : f32[8, 64] whole
//! %div = div %exp, %broadcast.1 : f32[8, 64@model]
//! ```

use crate::driver::{Findings, Info, Input, Pass, any_op};
use partita_ir::arena::OpId;
use partita_ir::diag::Diagnostic;
use partita_ir::expand::expand_all;
use partita_ir::program::{Form, Program};
use partita_ir::rule::FactorKind;

/// The pass.
pub struct Decompose;

impl Pass for Decompose {
    fn info(&self) -> Info {
        Info { name: "decompose", needs: Form::Planned, gives: Form::Planned, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, inner_is_split)
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        expand_all(program, inner_is_split, |builder, op, types| op.kind.decompose(builder, &op.args, types));
        Ok(())
    }
}

/// Whether a factor that only a decomposition can split is split.
fn inner_is_split(program: &Program, op: OpId) -> bool {
    let op = &program.ops[op];
    if !op.kind.is_composite() {
        return false;
    }
    let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
    let layouts = op.args.iter().chain(&op.outs).filter_map(|&v| program.values[v].layout.as_deref());
    let assigned = rule.assign(layouts);
    rule.factors.iter().zip(&assigned.factors).any(|(f, axes)| f.kind == FactorKind::Inner && !axes.is_empty())
}
