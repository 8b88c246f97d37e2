//! Copies of functions and of lists of ops with new values, and liveness of ops.

use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::class::SourceOp;
use partita_ir::dtype::Shape;
use partita_ir::op::OpKind;
use partita_ir::ops::{Constant, Literal};
use partita_ir::program::{Func, Name, Output, Program, Values};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// The copy of each copied value.
pub type ValueMap = FxHashMap<ValueId, ValueId>;

/// Returns a new value with the same name and type, for another function.
pub fn copy_value(b: &mut Builder<'_>, value: ValueId) -> ValueId {
    let copy = b.program.values[value].clone();
    b.program.values.push(copy)
}

/// Appends copies of ops to the builder, for another function. Names, phases and origins stay the same. Operands that
/// have a copy are replaced by it, and results get new copies.
pub fn copy_ops(b: &mut Builder<'_>, ops: &[OpId], copies: &mut ValueMap) {
    for &op in ops {
        let mut op = b.program.ops[op].clone();
        op.args = op.args.iter().map(|v| copies.get(v).copied().unwrap_or(*v)).collect();
        op.outs = op
            .outs
            .iter()
            .map(|&out| {
                let copy = copy_value(b, out);
                copies.insert(out, copy);
                copy
            })
            .collect::<Values>();
        let op = b.program.ops.push(op);
        b.body.push(op);
    }
}

/// Returns a copy of a function, with `name` or a variant of it. Functions that it calls are shared.
pub fn copy_func(b: &mut Builder<'_>, func: FuncId, name: &str) -> FuncId {
    let old = b.program.funcs[func].clone();
    let mut copies = ValueMap::default();
    let inputs: Vec<ValueId> = old
        .inputs
        .iter()
        .map(|&input| {
            let copy = copy_value(b, input);
            copies.insert(input, copy);
            copy
        })
        .collect();
    let outer = std::mem::take(&mut b.body);
    copy_ops(b, old.ops(), &mut copies);
    let body = std::mem::replace(&mut b.body, outer);
    let copy = |o: Output| Output { value: copies.get(&o.value).copied().unwrap_or(o.value), ..o };
    let outputs = old.outputs.into_iter().map(copy).collect();
    let name = free_name(b.program, name);
    b.program.funcs.push(Func::new(name, inputs, outputs, body))
}

/// Appends the ops of a function of scalars, applied elementwise to tensors of this shape, and returns its results.
///
/// # Errors
/// The function contains an op that is not elementwise.
pub fn inline_elementwise(
    b: &mut Builder<'_>,
    func: FuncId,
    args: &[ValueId],
    shape: &Shape,
) -> Result<Vec<ValueId>, String> {
    let func = b.program.funcs[func].clone();
    let mut copies: ValueMap = func.inputs.iter().copied().zip(args.iter().copied()).collect();
    for &op in func.ops() {
        let kind = &b.program.ops[op].kind;
        if !kind.is_elementwise() && scalar_constant(kind).is_none() {
            let name = kind.name();
            return Err(format!("@{} contains `{name}`, which is not elementwise", func.name));
        }
    }
    let start = b.body.len();
    copy_ops(b, func.ops(), &mut copies);
    for at in start..b.body.len() {
        let (id, phase) = (b.body[at], b.phase);
        let op = &mut b.program.ops[id];
        op.phase = phase;
        if let Some(number) = scalar_constant(&op.kind) {
            op.kind = Constant { value: Literal::Splat(number) }.into();
        }
        for out in op.outs.clone() {
            let value = &mut b.program.values[out];
            value.ty.shape = shape.clone();
            value.name = b.names.fresh(&value.name);
        }
    }
    Ok(func.outputs.iter().map(|o| copies.get(&o.value).copied().unwrap_or(o.value)).collect())
}

/// Returns the number that a scalar constant contains.
fn scalar_constant(kind: &OpKind) -> Option<Scalar> {
    let constant = match kind.source()? {
        SourceOp::Constant(constant) => constant,
        SourceOp::Iota(_) => return None,
    };
    match &constant.value {
        Literal::Splat(number) => Some(*number),
        Literal::Dense(items) => items.first().copied().filter(|_| items.len() == 1),
    }
}

/// Returns the ops that the results depend on, and for each value whether it is read.
pub fn live_ops(program: &Program, ops: Vec<OpId>, results: &[ValueId]) -> (Vec<OpId>, Vec<bool>) {
    let mut read = vec![false; program.values.len()];
    results.iter().for_each(|v| read[v.index()] = true);
    let mut live = Vec::with_capacity(ops.len());
    for id in ops.into_iter().rev() {
        let op = &program.ops[id];
        if op.outs.iter().any(|v| read[v.index()]) {
            op.args.iter().for_each(|v| read[v.index()] = true);
            live.push(id);
        }
    }
    live.reverse();
    (live, read)
}

/// Returns a name that no function has: `base`, or `base_2`, `base_3`, ...
pub fn free_name(program: &Program, base: &str) -> Name {
    let is_used = |name: &str| program.funcs.values().any(|f| f.name == name);
    let numbered = (2..).map(|n| format!("{base}_{n}"));
    std::iter::once(base.to_owned()).chain(numbered).find(|name| !is_used(name)).unwrap_or_default().into()
}
