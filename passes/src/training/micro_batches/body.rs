//! The body of the loop over micro-batches: the program of one part, copied into a function.

use super::{Join, MICRO_BATCH};
use indexmap::IndexMap;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::class::DeviceOp;
use partita_ir::dtype::Type;
use partita_ir::ops::{BinaryOp, DynamicSlice, DynamicUpdateSlice};
use partita_ir::program::{Func, Op, Output, Phase, Program, Values};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// An operand of the part.
pub(super) struct Given {
    /// The value of the part.
    pub(super) of: ValueId,
    /// The value that the loop is given for it.
    pub(super) outside: ValueId,
    /// The dimension that is the batch.
    pub(super) batch: Option<usize>,
}

/// Appends the function that runs once for each part. It carries the number of the part, the sums so far, and the
/// operands of the program.
pub(super) fn write_body(
    b: &mut Builder<'_>,
    part: &Program,
    given: &[Given],
    results: &[(ValueId, Join)],
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
    let (number, sums, handed_on) = (carried[0], &carried[1..=results.len()], &carried[1 + results.len()..]);
    let mut copies = Copies { b, part, number, known: IndexMap::new() };
    for (given, &value) in given.iter().zip(handed_on) {
        let value = copies.turn(value, given.batch);
        copies.known.insert(given.of, value);
    }
    // A sum takes up what is to be added as soon as it is there, so that it is not kept.
    let mut new = vec![None; results.len()];
    let mut wanted: FxHashMap<ValueId, Vec<usize>> = FxHashMap::default();
    results.iter().enumerate().for_each(|(i, (value, _))| wanted.entry(*value).or_default().push(i));
    // entry only: it becomes the body of the loop; functions that it calls are copied with it
    for &op in part.funcs[part.entry()].ops() {
        if !part.ops[op].outs.iter().all(|out| copies.known.contains_key(out)) {
            copies.copy(op);
        }
        for &i in part.ops[op].outs.iter().filter_map(|out| wanted.get(out)).flatten() {
            let (value, join) = results[i];
            new[i] = copies.join(value, join, sums[i]);
        }
    }
    let made = results.iter().zip(&new).zip(sums).map(|(((value, join), new), &sum)| {
        new.or_else(|| copies.join(*value, *join, sum)).unwrap_or_else(|| copies.known(*value))
    });
    let made: Vec<ValueId> = made.collect();
    b.phase = phase;
    let mut outputs = vec![b.binary_scalar(BinaryOp::Add, number, 1.0)];
    outputs.extend(made);
    outputs.extend(handed_on);
    let outputs = outputs
        .into_iter()
        .enumerate()
        .map(|(i, value)| Output { value, name: format!("o{i}").into(), alias: None })
        .collect();
    let body = std::mem::replace(&mut b.body, outside);
    b.program.funcs.push(Func::new(MICRO_BATCH, carried, outputs, body))
}

/// Copies the ops of one part into a function of the whole program.
struct Copies<'c, 'p> {
    b: &'c mut Builder<'p>,
    part: &'c Program,
    /// The number of the part.
    number: ValueId,
    /// The copy of each value of the part.
    known: IndexMap<ValueId, ValueId>,
}

impl Copies<'_, '_> {
    /// The piece of an input that is this part's turn.
    fn turn(&mut self, value: ValueId, dim: Option<usize>) -> ValueId {
        let Some(dim) = dim else { return value };
        let mut ty = self.b.ty(value);
        ty.shape[dim + 1] = 1;
        let index = self.b.ty(self.number);
        let zero = self.b.splat(index, Scalar::Int(0));
        let mut args = vec![value];
        args.extend((0..ty.shape.rank()).map(|d| if d == dim + 1 { self.number } else { zero }));
        let sizes = ty.shape.iter().copied().collect();
        let piece = self.b.op("turn", DynamicSlice { sizes }, &args, ty.clone());
        ty.shape.0.remove(dim + 1);
        self.b.reshape(piece, ty.shape)
    }

    /// The combined result of all parts so far and this one; `None` for one that all parts give.
    fn join(&mut self, value: ValueId, join: Join, sum: ValueId) -> Option<ValueId> {
        let value = self.known(value);
        match join {
            Join::Same => None,
            Join::Sum => {
                // The sum of a forward value, such as the loss, belongs to the forward pass. Gradients of any phase are
                // added up with those of parameters, which nothing waits for.
                let is_forward = self.b.phase == Phase::Forward;
                self.b.phase = if is_forward { Phase::Forward } else { Phase::BackwardWeight };
                Some(self.b.binary(BinaryOp::Add, sum, value))
            }
            Join::Stack(dim) => {
                self.b.phase = Phase::Forward;
                let mut shape = self.b.ty(value).shape;
                shape.0.insert(dim + 1, 1);
                let turn = self.b.reshape(value, shape);
                let index = self.b.ty(self.number);
                let zero = self.b.splat(index, Scalar::Int(0));
                let ty = self.b.ty(sum);
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
            // The loop joins its result.
            return;
        }
        let out = |op: &Op| op.outs[0];
        match op.kind.class().device() {
            Some(DeviceOp::PieceStart(start)) => {
                let ty = self.part.values[out(op)].local_type();
                let size = start.axes.iter().fold(start.size, |n, a| n.div_ceil(a.size as usize));
                let number = self.b.convert(self.number, ty.dtype);
                let at = self.b.binary_scalar(BinaryOp::Mul, number, size as f64);
                self.known.insert(out(op), at);
            }
            Some(DeviceOp::Shard(shard)) => {
                let ty = self.part.values[out(op)].local_type();
                let index = self.b.ty(self.number);
                let (zero, at) = (
                    self.b.splat(index, Scalar::Int(0)),
                    self.b.binary_scalar(BinaryOp::Mul, self.number, ty.shape[shard.dim] as f64),
                );
                let mut args = vec![self.known(op.args[0])];
                args.extend((0..ty.shape.rank()).map(|d| if d == shard.dim { at } else { zero }));
                let sizes = ty.shape.iter().copied().collect();
                let piece = self.b.op("turn", DynamicSlice { sizes }, &args, ty);
                self.known.insert(out(op), piece);
            }
            Some(DeviceOp::Partial(_) | DeviceOp::Mask(_)) | None => {
                let args: Values = op.args.iter().map(|&v| self.known(v)).collect();
                let mut kind = op.kind.clone();
                if let Some(func) = kind.func_mut() {
                    *func = self.function(*func);
                }
                let outs: Values = op.outs.iter().map(|&old| copy_of(self.b, self.part, old)).collect();
                self.known.extend(op.outs.iter().copied().zip(outs.iter().copied()));
                self.b.push(kind, &args, outs);
            }
        }
    }

    fn known(&self, value: ValueId) -> ValueId {
        self.known.get(&value).copied().unwrap_or(value)
    }

    /// A copy of a function that an op of the part calls.
    fn function(&mut self, id: FuncId) -> FuncId {
        let func = self.part.funcs[id].clone();
        let outside = std::mem::take(&mut self.b.body);
        let mut inputs = Vec::with_capacity(func.inputs.len());
        for &input in &func.inputs {
            let name = self.b.fresh(&self.part.values[input].name);
            let new = self.b.program.value(name, self.part.values[input].local_type());
            self.known.insert(input, new);
            inputs.push(new);
        }
        func.ops().iter().for_each(|&op| self.copy(op));
        let outputs = func.outputs.iter().map(|o| Output { value: self.known(o.value), ..o.clone() }).collect();
        let body = std::mem::replace(&mut self.b.body, outside);
        let name = format!("{}.{}", func.name, self.b.program.funcs.len());
        self.b.program.funcs.push(Func::new(name, inputs, outputs, body))
    }
}

/// A copy of a value of the part, with its name, so that plans may speak of it as of a step that has no parts, and with
/// the layout that the model came with. What it is a copy of is called otherwise if anything of it is left.
pub(super) fn copy_of(b: &mut Builder<'_>, part: &Program, old: ValueId) -> ValueId {
    let (name, ty) = (&part.values[old].name, part.values[old].local_type());
    let other = b.fresh(name);
    let values = &mut b.program.values;
    let Some(whole) = values.get(old).filter(|value| value.name == *name) else {
        return b.program.value(other, ty);
    };
    let layout = whole.layout.clone();
    let name = std::mem::replace(&mut values[old].name, other);
    let copy = b.program.value(name, ty);
    b.program.values[copy].layout = layout;
    copy
}
