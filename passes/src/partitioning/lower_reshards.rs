//! `lower-reshards` (explicit -> explicit): replaces every `reshard` by the cheapest sequence of collectives.
//!
//! The sequence comes from [`super::path`]: a reduction whose result is cut right away becomes a `reduce_scatter`, axes
//! that change dimension an `all_to_all`, axes that only have to be there a free `shard`. Types stay global; each
//! step's layout is written on its result. Nothing but reshards is touched.
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

use super::path::Paths;
use crate::driver::{Findings, Info, Input, Pass};
use partita_ir::arena::{FuncId, Id, ValueId};
use partita_ir::build::Namer;
use partita_ir::class::LayoutOp;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::Layout;
use partita_ir::program::{Form, Op, Program, Value, Values};

/// The pass.
pub struct LowerReshards;

impl Pass for LowerReshards {
    fn info(&self) -> Info {
        Info { name: "lower-reshards", needs: Form::Explicit, gives: Form::Explicit, reads: &[] }
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some((mesh, _)) = program.mesh() else { return Ok(()) };
        let mut names = Namer::of(program);
        let mut paths = Paths::new(mesh);
        for func in program.laid_out_funcs() {
            lower(program, func, &mut names, &mut paths);
        }
        Ok(())
    }
}

fn lower(program: &mut Program, func: FuncId, names: &mut Namer, paths: &mut Paths) {
    // Reshards that turn out to move nothing: their result is their operand.
    let mut same: Vec<Option<ValueId>> = vec![None; program.values.len()];
    let mut body = Vec::with_capacity(program.funcs[func].ops().len());
    for id in program.funcs[func].take_ops() {
        for arg in &mut program.ops[id].args {
            *arg = same.get(arg.index()).copied().flatten().unwrap_or(*arg);
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
        for (step, (kind, layout)) in path.moves.iter().enumerate() {
            let out = if step + 1 == path.moves.len() { result } else { between(program, names, result, layout) };
            let args = Values::from_slice(&[at]);
            let op = Op { kind: kind.clone(), args, outs: Values::from_slice(&[out]), phase, origin: origin.clone() };
            body.push(program.ops.push(op));
            at = out;
        }
        if path.moves.is_empty() {
            same[result.index()] = Some(source);
        }
    }
    for output in &mut program.funcs[func].outputs {
        output.value = same.get(output.value.index()).copied().flatten().unwrap_or(output.value);
    }
    *program.funcs[func].ops_mut() = body;
}

/// A value half way to `result`.
fn between(program: &mut Program, names: &mut Namer, result: ValueId, layout: &Layout) -> ValueId {
    let result = &program.values[result];
    let value =
        Value { layout: Some(layout.clone().into()), ..Value::new(names.fresh(&result.name), result.ty.clone()) };
    program.values.push(value)
}
