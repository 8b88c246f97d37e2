//! Order of the examples in the program of one micro-batch.
//!
//! Micro-batch `i` of `m` has every `m`-th example, beginning with `i`, but the shards of a mesh axis are contiguous.
//! The examples of the partitioned program are therefore in another order than those of the batch: those of the first
//! micro-batch come first. The loop reorders the inputs. This file reorders the other sources of elements for examples:
//! the results of ops that have a batch dimension although no operand has, such as `iota`, `random`, and dense
//! constants. Indices into the batch are changed to those of the same examples in the new order.

use crate::planning::presets::model::{ModelStructure, Stem};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::op::{IndexLocation, OpKind};
use partita_ir::ops::{Binary, BinaryOp, Direction, Iota, Reshape, Select};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// Division of a batch into interleaved micro-batches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interleaving {
    /// Number of groups of examples ([`BatchDivision`](super::BatchDivision)); each micro-batch has every `m`-th group.
    pub(super) groups: usize,
    /// Number of micro-batches.
    pub(super) count: usize,
}

impl Interleaving {
    /// Returns a shape whose batch dimension `[n]` is divided into `[g / m, m, n / g]` for `m` micro-batches of a batch
    /// of `g` groups, without the last of these dimensions if its size is 1. Returns `None` for a dimension that does
    /// not consist of examples.
    pub(super) fn divided(self, shape: &Shape, dim: usize) -> Option<Shape> {
        let Interleaving { groups, count } = self;
        if groups == 0 || count == 0 || shape[dim] == 0 || !shape[dim].is_multiple_of(groups) {
            return None;
        }
        let mut divided = shape.clone();
        let rest = shape[dim] / groups;
        divided[dim] = groups / count;
        divided.0.insert(dim + 1, count);
        if rest > 1 {
            divided.0.insert(dim + 2, rest);
        }
        Some(divided)
    }

    /// Returns the shape in which results of all micro-batches are stacked along the batch dimension of one of them.
    pub(super) fn stacked(self, shape: &Shape, dim: usize) -> Shape {
        let mut all = shape.clone();
        all[dim] *= self.count;
        self.divided(&all, dim).unwrap_or_else(|| {
            let mut stacked = shape.clone();
            stacked.0.insert(dim + 1, self.count);
            stacked
        })
    }

    /// Appends the reordering of the examples along `dim` from the order of micro-batches to that of the batch.
    pub(super) fn restored(self, b: &mut Builder<'_>, value: ValueId, dim: usize) -> ValueId {
        let shape = b.ty(value).shape;
        let Some(mut divided) = self.divided(&shape, dim) else { return value };
        divided.swap(dim, dim + 1);
        let divided = b.reshape(value, divided);
        let swapped = b.swap_dims(divided, dim, dim + 1);
        b.reshape(swapped, shape)
    }
}

/// Ops that depend on positions in the batch, each with the batch dimension.
pub(super) struct PositionOps {
    /// Sources of elements for examples, with their results that differ between examples.
    sources: FxHashMap<OpId, BatchedResults>,
    /// Ops with indices into the batch, and the locations of the indices.
    indexed: FxHashMap<OpId, BatchIndices>,
}

/// Index and batch dimension of results.
type BatchedResults = SmallVec<[(usize, usize); 1]>;

/// Indices into the batch.
#[derive(Clone, Copy)]
struct BatchIndices {
    location: IndexLocation,
    /// Size of the indexed dimension.
    size: usize,
}

impl PositionOps {
    /// Returns the ops of a program.
    pub(super) fn new(model: &ModelStructure<'_>, stem: Stem) -> PositionOps {
        let program = model.program;
        let (mut sources, mut indexed) = (FxHashMap::default(), FxHashMap::default());
        let funcs = program.funcs_with_layouts();
        for &id in funcs.iter().flat_map(|&func| program.funcs[func].ops()) {
            let op = &program.ops[id];
            let indices = op.args.first().and_then(|&x| batch_indices(program, op, model.dim(x, stem)?));
            indexed.extend(indices.map(|indices| (id, indices)));
            // The body of a loop has sources of its own.
            if op.kind.control().is_some() || op.args.iter().any(|&arg| model.has_stem(arg, stem)) {
                continue;
            }
            let outs = op.outs.iter().enumerate().filter_map(|(i, &out)| Some((i, model.dim(out, stem)?)));
            let results: BatchedResults = outs.filter(|&(_, dim)| !is_uniform(&op.kind, dim)).collect();
            if !results.is_empty() {
                sources.insert(id, results);
            }
        }
        PositionOps { sources, indexed }
    }

    /// Reorders the elements of all sources in a program, and the indices of all other ops.
    pub(super) fn reorder(&self, program: &mut Program, how: Interleaving) {
        if self.sources.is_empty() && self.indexed.is_empty() {
            return;
        }
        let mut names = Namer::from_program(program);
        for func in program.funcs_with_layouts() {
            let ops = std::mem::take(program.funcs[func].ops_mut());
            let mut b = Builder::new(program, &mut names);
            for id in ops {
                if let Some(&indices) = self.indexed.get(&id) {
                    reorder_indices(&mut b, id, indices, how);
                }
                match self.sources.get(&id) {
                    Some(results) => reorder_source(&mut b, id, results, how),
                    None => b.body.push(id),
                }
            }
            let body = std::mem::take(&mut b.body);
            *program.funcs[func].ops_mut() = body;
        }
    }
}

/// Returns true if the result of an op is known to be the same for all positions along `dim`.
///
/// Recogniser: reordering a result that is not recognised has no effect.
fn is_uniform(kind: &OpKind, dim: usize) -> bool {
    match kind {
        OpKind::Iota(iota) => iota.dim != dim,
        OpKind::Broadcast(broadcast) => !broadcast.dims.contains(&dim),
        kind => kind.splat().is_some(),
    }
}

/// Returns an op's indices into dimension `dim` of operand 0, if it has any.
///
/// Recogniser: other ops have no index operands.
fn batch_indices(program: &Program, op: &Op, dim: usize) -> Option<BatchIndices> {
    let size = |value: ValueId| program.ty(value).shape[dim];
    let starts = |from: usize| IndexLocation { arg: from + dim, vector_dim: 0, component: 0 };
    let location = match &op.kind {
        OpKind::DynamicSlice(_) if size(op.outs[0]) < size(op.args[0]) => starts(1),
        OpKind::DynamicUpdateSlice(_) if size(op.args[1]) < size(op.args[0]) => starts(2),
        kind => kind.interfaces().indexed?.index_location(dim)?,
    };
    Some(BatchIndices { location, size: size(op.args[0]) })
}

/// Replaces the indices of an op into the batch by those of the same examples in the order of micro-batches. Indices
/// out of range remain.
fn reorder_indices(b: &mut Builder<'_>, id: OpId, BatchIndices { location, size }: BatchIndices, how: Interleaving) {
    if how.groups == 0 || !size.is_multiple_of(how.groups) {
        return;
    }
    let op = b.program.ops[id].clone();
    (b.phase, b.origin) = (op.phase, op.origin.clone());
    let indices = op.args[location.arg];
    let ty = b.ty(indices);
    let rest = size / how.groups;
    let Interleaving { groups, count } = how;
    let mask = Type::new(DType::Bool, ty.shape.clone());
    let number = |b: &mut Builder<'_>, number: usize| b.splat(ty.clone(), Scalar::Int(number as i64));
    let (first, end) = (number(b, 0), number(b, size));
    let starts = b.compare(indices, Direction::Ge, first);
    let ends = b.compare(indices, Direction::Lt, end);
    let mut is_changed = b.op("inside", Binary { op: BinaryOp::And }, &[starts, ends], mask.clone());
    if location.vector_dim < ty.shape.rank() && ty.shape[location.vector_dim] > 1 {
        let components = b.op("iota", Iota { dim: location.vector_dim }, &[], ty.clone());
        let component = number(b, location.component);
        let is_component = b.compare(components, Direction::Eq, component);
        is_changed = b.op("inside", Binary { op: BinaryOp::And }, &[is_changed, is_component], mask);
    }
    // The example of an index, and the position of the index in the example.
    let example = b.binary_scalar(BinaryOp::Div, indices, rest as f64);
    let inside = b.binary_scalar(BinaryOp::Rem, indices, rest as f64);
    let micro_batch = b.binary_scalar(BinaryOp::Rem, example, count as f64);
    let start = b.binary_scalar(BinaryOp::Mul, micro_batch, (groups / count) as f64);
    let turn = b.binary_scalar(BinaryOp::Div, example, count as f64);
    let example = b.binary(BinaryOp::Add, start, turn);
    let start = b.binary_scalar(BinaryOp::Mul, example, rest as f64);
    let changed = b.binary(BinaryOp::Add, start, inside);
    let reordered = b.op("indices", Select {}, &[is_changed, changed, indices], ty);
    b.program.ops[id].args[location.arg] = reordered;
}

/// Appends a source whose results are in the order of micro-batches.
///
/// Recogniser: random numbers and integers are computed for the examples of a micro-batch only, others for the batch.
fn reorder_source(b: &mut Builder<'_>, id: OpId, results: &BatchedResults, how: Interleaving) {
    let op = b.program.ops[id].clone();
    (b.phase, b.origin) = (op.phase, op.origin.clone());
    let divided = |&(result, dim): &(usize, usize)| {
        let shape = how.divided(&b.program.ty(op.outs[result]).shape, dim)?;
        Some((result, dim, shape))
    };
    let results: Vec<(usize, usize, Shape)> = results.iter().filter_map(divided).collect();
    if results.is_empty() {
        return b.body.push(id);
    }
    let mut elements: Vec<ValueId> = Vec::new();
    for (result, dim, divided) in &results {
        let (ty, dim, result) = (b.ty(op.outs[*result]), *dim, *result);
        let parts = Type::new(ty.dtype, divided.clone());
        elements.push(match &op.kind {
            OpKind::Random(random) if random.global.is_empty() => b.op("random", random.clone(), &op.args, parts),
            OpKind::Iota(_) if ty.dtype.is_int() => {
                let mut count = b.op("iota", Iota { dim }, &[], parts.clone());
                for i in dim + 1..=dim + divided.rank() - ty.shape.rank() {
                    let before = b.binary_scalar(BinaryOp::Mul, count, divided[i] as f64);
                    let iota = b.op("iota", Iota { dim: i }, &[], parts.clone());
                    count = b.binary(BinaryOp::Add, before, iota);
                }
                count
            }
            _ => {
                if elements.is_empty() {
                    b.body.push(id);
                }
                let name = b.fresh("elements");
                let whole = b.program.value(name, ty);
                b.program.ops[id].outs[result] = whole;
                b.reshape(whole, divided.clone())
            }
        });
    }
    for (&(result, dim, _), &elements) in results.iter().zip(&elements) {
        let swapped = b.swap_dims(elements, dim, dim + 1);
        b.push(Reshape {}.into(), &[swapped], smallvec![op.outs[result]]);
    }
}
