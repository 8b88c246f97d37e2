//! `decompose` (planned -> planned): decomposes composites whose inner dimensions are sharded.
//!
//! A softmax over a sharded dimension cannot be computed per shard, but its decomposition can: the maximum and the sum
//! become partial values. Composites that are sharded along other dimensions only, or not at all, are left unchanged.
//! The layouts of the new values follow from the operands by the rules of the new ops.
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

use crate::driver::{Findings, Input, Pass, PassInfo, any_op};
use partita_ir::arena::OpId;
use partita_ir::diag::Diagnostic;
use partita_ir::expand::expand_all;
use partita_ir::program::{Form, Program};
use partita_ir::rule::FactorKind;

/// The pass `decompose`; see the module documentation.
pub struct Decompose;

impl Pass for Decompose {
    fn info(&self) -> PassInfo {
        PassInfo { name: "decompose", input_form: Form::Planned, output_form: Form::Planned, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, has_sharded_inner_factor)
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        expand_all(program, has_sharded_inner_factor, |builder, op, types| op.kind.decompose(builder, &op.args, types));
        Ok(())
    }
}

/// Returns true if a factor that only the decomposition can shard is sharded.
fn has_sharded_inner_factor(program: &Program, op: OpId) -> bool {
    let op = &program.ops[op];
    if !op.kind.is_composite() {
        return false;
    }
    let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
    let layouts = op.args.iter().chain(&op.outs).filter_map(|&v| program.values[v].layout.as_deref());
    let assigned = rule.infer_factor_axes(layouts);
    rule.factors.iter().zip(&assigned.factors).any(|(f, axes)| f.kind == FactorKind::Inner && !axes.is_empty())
}
