//! `lower-reshards` (explicit -> explicit): replaces every `reshard` by the cheapest sequence of collectives.
//!
//! The sequence is computed by [`super::reshard_path`]: a reduction whose result is then sharded becomes a
//! `reduce_scatter`, axes that move to another dimension an `all_to_all`, additional axes a `shard` without
//! communication. Types stay global; each step's result has its layout. Other ops are left unchanged.
//!
//! Before:
//!
//! ```text
//! %p = matmul %r, %w2 : f32[32@data, 64] sum(model)
//! %p.1 = reshard %p : f32[32@data, 64]
//! ```
//!
//! After:
//!
//! ```text
//! %p = matmul %r, %w2 : f32[32@data, 64] sum(model)
//! %p.1 = all_reduce sum over model %p : f32[32@data, 64]
//! ```

use super::reshard_path::ReshardPaths;
use crate::driver::{Findings, Input, Pass, PassInfo};
use partita_ir::arena::{FuncId, Id, ValueId};
use partita_ir::build::Namer;
use partita_ir::class::LayoutOp;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::Layout;
use partita_ir::program::{Form, Op, Program, Value, Values};

/// The pass `lower-reshards`; see the module documentation.
pub struct LowerReshards;

impl Pass for LowerReshards {
    fn info(&self) -> PassInfo {
        PassInfo { name: "lower-reshards", input_form: Form::Explicit, output_form: Form::Explicit, reads: &[] }
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some((mesh, _)) = program.mesh() else { return Ok(()) };
        let mut names = Namer::from_program(program);
        let mut paths = ReshardPaths::new(mesh);
        for func in program.funcs_with_layouts() {
            lower(program, func, &mut names, &mut paths);
        }
        Ok(())
    }
}

fn lower(program: &mut Program, func: FuncId, names: &mut Namer, paths: &mut ReshardPaths) {
    // Reshards without any collective: their result is replaced by their operand.
    let mut replaced_by: Vec<Option<ValueId>> = vec![None; program.values.len()];
    let mut body = Vec::with_capacity(program.funcs[func].ops().len());
    for id in program.funcs[func].take_ops() {
        for arg in &mut program.ops[id].args {
            *arg = replaced_by.get(arg.index()).copied().flatten().unwrap_or(*arg);
        }
        let op = &program.ops[id];
        let is_reshard = op.kind.class().layout().is_some_and(LayoutOp::is_reshard);
        let (true, &[source], &[result]) = (is_reshard, &op.args[..], &op.outs[..]) else {
            body.push(id);
            continue;
        };
        let (from, to) = (&program.values[source], &program.values[result]);
        let (Some(have), Some(need)) = (&from.layout, &to.layout) else { continue };
        let path = paths.find(&to.ty.shape, to.ty.dtype.bytes(), have, need);
        let (phase, origin) = (op.phase, op.origin.clone());
        let mut at = source;
        for (step, (kind, layout)) in path.steps.iter().enumerate() {
            let out = if step + 1 == path.steps.len() { result } else { intermediate(program, names, result, layout) };
            let args = Values::from_slice(&[at]);
            let op = Op { kind: kind.clone(), args, outs: Values::from_slice(&[out]), phase, origin: origin.clone() };
            body.push(program.ops.push(op));
            at = out;
        }
        if path.steps.is_empty() {
            replaced_by[result.index()] = Some(source);
        }
    }
    for output in &mut program.funcs[func].outputs {
        output.value = replaced_by.get(output.value.index()).copied().flatten().unwrap_or(output.value);
    }
    *program.funcs[func].ops_mut() = body;
}

/// Returns an intermediate value with a layout between those of operand and `result`.
fn intermediate(program: &mut Program, names: &mut Namer, result: ValueId, layout: &Layout) -> ValueId {
    let result = &program.values[result];
    let value =
        Value { layout: Some(layout.clone().into()), ..Value::new(names.fresh(&result.name), result.ty.clone()) };
    program.values.push(value)
}
