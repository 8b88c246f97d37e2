//! The body of the loop over micro-batches: the program of one micro-batch, copied into a function.

use super::{MICRO_BATCH, ResultJoin};
use indexmap::IndexMap;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::class::DeviceOp;
use partita_ir::dtype::{Shape, Type};
use partita_ir::ops::{BinaryOp, Direction, DynamicSlice, DynamicUpdateSlice};
use partita_ir::program::{Func, Op, Output, Phase, Program, Values};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// An operand of the micro-batch.
pub(super) struct LoopOperand {
    /// The value in the program of the micro-batch.
    pub(super) value: ValueId,
    /// The corresponding operand of the loop.
    pub(super) outside: ValueId,
    /// The batch dimension of the value, if it has one.
    pub(super) batch: Option<usize>,
}

/// Appends the function that runs once for each micro-batch. It carries the index of the micro-batch, the accumulated
/// results, and the operands of the program.
pub(super) fn write_body(
    b: &mut Builder<'_>,
    part: &Program,
    operands: &[LoopOperand],
    results: &[(ValueId, ResultJoin)],
    types: &[Type],
) -> FuncId {
    let outside = std::mem::take(&mut b.body);
    let phase = b.phase;
    b.phase = Phase::Forward;
    let carried: Vec<ValueId> = types
        .iter()
        .map(|ty| {
            let name = b.fresh("carried");
            b.program.value(name, ty.clone())
        })
        .collect();
    let (number, sums, unchanged) = (carried[0], &carried[1..=results.len()], &carried[1 + results.len()..]);
    let mut copier = MicroBatchCopier { b, part, number, copies: IndexMap::new() };
    for (operand, &value) in operands.iter().zip(unchanged) {
        let shape = part.values[operand.value].local_type().shape;
        let value = copier.slice_batch(value, operand.batch, shape);
        copier.copies.insert(operand.value, value);
    }
    // Results are accumulated immediately after they are computed, so that they need not be stored.
    let mut new = vec![None; results.len()];
    let mut results_by_value: FxHashMap<ValueId, Vec<usize>> = FxHashMap::default();
    results.iter().enumerate().for_each(|(i, (value, _))| results_by_value.entry(*value).or_default().push(i));
    // entry only: it becomes the body of the loop, and functions that it calls are copied too
    for &op in part.funcs[part.entry()].ops() {
        if !part.ops[op].outs.iter().all(|out| copier.copies.contains_key(out)) {
            copier.copy(op);
        }
        for &i in part.ops[op].outs.iter().filter_map(|out| results_by_value.get(out)).flatten() {
            let (value, join) = results[i];
            new[i] = copier.join(value, join, sums[i]);
        }
    }
    let results_of_body = results.iter().zip(&new).zip(sums).map(|(((value, join), new), &sum)| {
        new.or_else(|| copier.join(*value, *join, sum)).unwrap_or_else(|| copier.copy_of(*value))
    });
    let results_of_body: Vec<ValueId> = results_of_body.collect();
    b.phase = phase;
    let mut outputs = vec![b.binary_scalar(BinaryOp::Add, number, 1.0)];
    outputs.extend(results_of_body);
    outputs.extend(unchanged);
    let outputs = outputs
        .into_iter()
        .enumerate()
        .map(|(i, value)| Output { value, name: format!("o{i}").into(), replaces: None })
        .collect();
    let body = std::mem::replace(&mut b.body, outside);
    b.program.funcs.push(Func::new(MICRO_BATCH, carried, outputs, body))
}

/// Copier of the ops of one micro-batch into a function of the global program.
struct MicroBatchCopier<'c, 'p> {
    b: &'c mut Builder<'p>,
    part: &'c Program,
    /// The index of the micro-batch.
    number: ValueId,
    /// The copy of each value of the micro-batch.
    copies: IndexMap<ValueId, ValueId>,
}

impl MicroBatchCopier<'_, '_> {
    /// Appends the slice of an input that belongs to this micro-batch, which has the given shape.
    fn slice_batch(&mut self, value: ValueId, dim: Option<usize>, shape: Shape) -> ValueId {
        let Some(dim) = dim else { return value };
        let mut ty = self.b.ty(value);
        ty.shape[dim + 1] = 1;
        let index = self.b.ty(self.number);
        let zero = self.b.splat(index, Scalar::Int(0));
        let mut args = vec![value];
        args.extend((0..ty.shape.rank()).map(|d| if d == dim + 1 { self.number } else { zero }));
        let sizes = ty.shape.iter().copied().collect();
        let slice = self.b.op("turn", DynamicSlice { sizes }, &args, ty);
        self.b.reshape(slice, shape)
    }

    /// Appends the combination of `sum`, the accumulated result, with the result of this micro-batch. Returns `None` if
    /// the result is equal for all micro-batches.
    fn join(&mut self, value: ValueId, join: ResultJoin, sum: ValueId) -> Option<ValueId> {
        let value = self.copy_of(value);
        // Accumulation of a forward value, such as the loss, belongs to the forward pass. Accumulation of gradients
        // belongs to the backward pass to weights, because no other op waits for it.
        let is_forward = self.b.phase == Phase::Forward;
        self.b.phase = if is_forward { Phase::Forward } else { Phase::BackwardWeight };
        match join {
            ResultJoin::Same => None,
            ResultJoin::Sum => Some(self.b.binary(BinaryOp::Add, sum, value)),
            ResultJoin::Stack(dim) => {
                let ty = self.b.ty(sum);
                let mut shape = ty.shape.clone();
                shape[dim + 1] = 1;
                let turn = self.b.reshape(value, shape);
                let index = self.b.ty(self.number);
                let zero = self.b.splat(index, Scalar::Int(0));
                let mut args = vec![sum, turn];
                args.extend((0..ty.shape.rank()).map(|d| if d == dim + 1 { self.number } else { zero }));
                Some(self.b.op("stack", DynamicUpdateSlice {}, &args, ty))
            }
        }
    }

    fn copy(&mut self, id: OpId) {
        let op = &self.part.ops[id];
        (self.b.phase, self.b.origin) = (op.phase, op.origin.clone());
        if op.kind.is_collective() {
            // The loop combines the results of micro-batches instead.
            return;
        }
        let out = |op: &Op| op.outs[0];
        match op.kind.class().device() {
            Some(DeviceOp::ShardStart(start)) => {
                let ty = self.part.values[out(op)].local_type();
                let at = if start.axes.is_empty() {
                    self.b.splat(ty, Scalar::Int(0))
                } else {
                    let size = start.axes.iter().fold(start.size, |n, a| n.div_ceil(a.size as usize));
                    let number = self.b.convert(self.number, ty.dtype);
                    self.b.binary_scalar(BinaryOp::Mul, number, size as f64)
                };
                self.copies.insert(out(op), at);
            }
            Some(DeviceOp::Shard(shard)) => {
                let ty = self.part.values[out(op)].local_type();
                let index = self.b.ty(self.number);
                let (zero, at) = (
                    self.b.splat(index, Scalar::Int(0)),
                    self.b.binary_scalar(BinaryOp::Mul, self.number, ty.shape[shard.dim] as f64),
                );
                let mut args = vec![self.copy_of(op.args[0])];
                args.extend((0..ty.shape.rank()).map(|d| if d == shard.dim { at } else { zero }));
                let sizes = ty.shape.iter().copied().collect();
                let slice = self.b.op("turn", DynamicSlice { sizes }, &args, ty);
                self.copies.insert(out(op), slice);
            }
            Some(DeviceOp::Partial(_)) => {
                let whole = self.copy_of(op.args[0]);
                let counted = self.only_once(whole);
                self.copies.insert(out(op), counted);
            }
            Some(DeviceOp::Mask(_)) | None => {
                let mut args: Values = op.args.iter().map(|&v| self.copy_of(v)).collect();
                let mut kind = op.kind.clone();
                let mut has_number = false;
                if let Some(func) = kind.func_mut() {
                    has_number = reads_number(self.part, *func);
                    *func = self.copy_function(*func, has_number);
                }
                let mut outs: Values = op.outs.iter().map(|&old| copy_value(self.b, self.part, old)).collect();
                self.copies.extend(op.outs.iter().copied().zip(outs.iter().copied()));
                if has_number {
                    args.push(self.number);
                    outs.push(self.new_number());
                }
                self.b.push(kind, &args, outs);
            }
        }
    }

    /// Appends `value` in the first micro-batch, and the identity of the sum in the others, which add up to `value`.
    fn only_once(&mut self, value: ValueId) -> ValueId {
        let ty = self.b.ty(value);
        let first = self.b.splat_like(self.number, Scalar::Int(0));
        let is_first = self.b.compare(self.number, Direction::Eq, first);
        let is_first = self.b.broadcast(is_first, &[], ty.shape.clone());
        let nothing = if ty.dtype.is_float() { Scalar::Float(-0.0) } else { Scalar::Int(0) };
        let nothing = self.b.splat(ty, nothing);
        self.b.select(is_first, value, nothing)
    }

    fn copy_of(&self, value: ValueId) -> ValueId {
        self.copies.get(&value).copied().unwrap_or(value)
    }

    /// Creates a value for the index of the micro-batch.
    fn new_number(&mut self) -> ValueId {
        let (name, ty) = (self.b.fresh("number"), self.b.ty(self.number));
        self.b.program.value(name, ty)
    }

    /// Copies a function that an op of the micro-batch calls. If `has_number` is true, the copy also carries the index
    /// of the micro-batch.
    fn copy_function(&mut self, id: FuncId, has_number: bool) -> FuncId {
        let func = self.part.funcs[id].clone();
        let outside = std::mem::take(&mut self.b.body);
        let (phase, origin) = (self.b.phase, self.b.origin.clone());
        let number = self.number;
        let mut inputs = Vec::with_capacity(func.inputs.len());
        for &input in &func.inputs {
            let name = self.b.fresh(&self.part.values[input].name);
            let new = self.b.program.value(name, self.part.values[input].local_type());
            self.copies.insert(input, new);
            inputs.push(new);
        }
        if has_number {
            self.number = self.new_number();
            inputs.push(self.number);
        }
        func.ops().iter().for_each(|&op| self.copy(op));
        let mut outputs: Vec<Output> =
            func.outputs.iter().map(|o| Output { value: self.copy_of(o.value), ..o.clone() }).collect();
        if has_number {
            outputs.push(Output { value: self.number, name: "number".into(), replaces: None });
        }
        self.number = number;
        let body = std::mem::replace(&mut self.b.body, outside);
        (self.b.phase, self.b.origin) = (phase, origin);
        let name = format!("{}.{}", func.name, self.b.program.funcs.len());
        self.b.program.funcs.push(Func::new(name, inputs, outputs, body))
    }
}

/// Returns true if a function of the micro-batch computes positions in the batch, for which its copy needs the index of
/// the micro-batch.
fn reads_number(part: &Program, func: FuncId) -> bool {
    part.funcs[func].ops().iter().map(|&id| &part.ops[id].kind).any(|kind| match kind.class().device() {
        Some(DeviceOp::ShardStart(_) | DeviceOp::Shard(_) | DeviceOp::Partial(_)) => true,
        Some(DeviceOp::Mask(_)) | None => kind.func().is_some_and(|func| reads_number(part, func)),
    })
}

/// Copies a value of the micro-batch with its name and its layout in the model, so that plans apply as without
/// micro-batches. The original gets a new name.
pub(super) fn copy_value(b: &mut Builder<'_>, part: &Program, old: ValueId) -> ValueId {
    let (name, ty) = (&part.values[old].name, part.values[old].local_type());
    let other = b.fresh(name);
    let values = &mut b.program.values;
    let Some(original) = values.get(old).filter(|value| value.name == *name) else {
        return b.program.value(other, ty);
    };
    let layout = original.layout.clone();
    let name = std::mem::replace(&mut values[old].name, other);
    let copy = b.program.value(name, ty);
    b.program.values[copy].layout = layout;
    copy
}
