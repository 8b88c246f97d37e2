//! `unsort` (traced -> traced): removes sorts that only group rows, if no result depends on the order of the rows.
//!
//! A mixture of experts sorts its tokens by expert, so that kernels for groups of consecutive rows can multiply each
//! group by the matrices of its expert (Gale et al., MegaBlocks, 2023). Afterwards, the rows are put back in their
//! places. Each row is computed independently, but the sort mixes the examples of a batch, which could then be split
//! neither over devices nor into micro-batches.
//!
//! The rows are followed from the results of the sort through ops that compute them independently, according to the
//! sharding rules, until they are put back (a gather with the inverse permutation, a scatter) or reduced. Masks of the
//! rows of each group, from the sum of the sizes of the groups before it, become comparisons with the labels. In
//! gradients, a scatter takes the rows that a gather has put back, and another one adds those that a gather has taken.
//!
//! Before:
//!
//! ```text
//! %t, %order = top_k 6 %labels : i32[6], i32[6]
//! %at = reshape %order : i32[6, 1]
//! %rows = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 4] %x, %at : f32[6, 4]
//! %y = exp %rows : f32[6, 4]
//! %sum = reduce sum [0] %y : f32[4]
//! output %sum
//! ```
//!
//! After:
//!
//! ```text
//! ...
//! %y = exp %x : f32[6, 4]
//! %sum = reduce sum [0] %y : f32[4]
//! output %sum
//! ```
//!
//! Recogniser: a sort whose rows reach another op stays, which is slower on several devices.

mod definitions;
mod groups;
mod rows;

use super::row_wise::RowDefinitions;
use crate::driver::{Findings, Input, Pass, PassInfo, any_op};
use groups::GroupMask;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Class;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Shape;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::program::{Form, Program, Values};
use partita_ir::syntax::attr::Dims;
use rows::Rows;
use rustc_hash::FxHashMap;

/// The pass.
pub struct Unsort;

impl Pass for Unsort {
    fn info(&self) -> PassInfo {
        PassInfo { name: "unsort", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, |program, op| program.ops[op].kind.class() == Class::Sorting)
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        for func in program.funcs_with_layouts() {
            let removed: Vec<Removal> = {
                let definitions = RowDefinitions::new(program, func);
                let sorts = program.funcs[func].ops().iter().filter_map(|&id| Some((id, definitions.sort(id)?)));
                sorts.filter_map(|(id, sort)| Rows::new(&definitions, sort).follow(func, id)).collect()
            };
            if !removed.is_empty() {
                remove_sorts(program, func, &removed);
            }
        }
        Ok(())
    }
}

/// A sort of a vector that also returns the order of its elements.
#[derive(Clone, Debug)]
struct RowSort {
    /// The sorted vectors, each before and after the sort.
    sorted: Vec<(ValueId, ValueId)>,
    /// Position of each element before the sort.
    order: ValueId,
    /// True if the first vector is in descending order, false if it is in ascending order. `None` if its order is not
    /// known.
    descends: Option<bool>,
}

/// A sort to remove.
struct Removal {
    op: OpId,
    sort: RowSort,
    replacements: Vec<(OpId, RowReplacement)>,
}

/// Replacement of an op on rows without their sort.
enum RowReplacement {
    /// The comparison of labels with groups.
    Mask(GroupMask),
    /// The positions of the rows instead of the inverse of their order, which is the given result.
    Positions(ValueId),
    /// An operand: the rows that a gather or a scatter puts in other places.
    Operand(usize),
    /// The rows of the operand of a gather, each repeated so many times.
    Repeated(usize),
    /// The operand of a scatter plus the sums of so many rows of the updates each.
    Summed(usize),
}

/// Replaces the results of sorts by their operands, and the order by positions.
fn remove_sorts(program: &mut Program, func: FuncId, removed: &[Removal]) {
    let mut names = Namer::from_program(program);
    let old = program.funcs[func].take_ops();
    let mut b = Builder::new(program, &mut names);
    let mut replaced: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let mut labels: FxHashMap<(ValueId, bool), ValueId> = FxHashMap::default();
    let replacements: FxHashMap<OpId, &RowReplacement> =
        removed.iter().flat_map(|removal| removal.replacements.iter().map(|(id, by)| (*id, by))).collect();
    for id in old {
        let op = b.program.ops[id].clone();
        let args: Values = op.args.iter().map(|arg| replaced.get(arg).copied().unwrap_or(*arg)).collect();
        (b.phase, b.origin) = (op.phase, op.origin.clone());
        if let Some(removal) = removed.iter().find(|removal| removal.op == id) {
            let before = |value: &ValueId| replaced.get(value).copied().unwrap_or(*value);
            let same: Vec<_> = removal.sort.sorted.iter().map(|(from, to)| (*to, before(from))).collect();
            replaced.extend(same);
            let ty = b.ty(removal.sort.order);
            let order = b.iota(ty.dtype, ty.shape, 0);
            replaced.insert(removal.sort.order, order);
        } else if let Some(replacement) = replacements.get(&id) {
            let result = if let RowReplacement::Positions(inverse) = replacement { *inverse } else { op.outs[0] };
            let ty = b.ty(result);
            let new = match replacement {
                RowReplacement::Mask(mask) => {
                    let given = replaced.get(&mask.labels).copied().unwrap_or(mask.labels);
                    let build = |b: &mut Builder<'_>| build_labels(b, given, mask.is_inverted);
                    let labels = *labels.entry((given, mask.is_inverted)).or_insert_with(|| build(&mut b));
                    build_mask(&mut b, mask, labels, ty.shape)
                }
                RowReplacement::Positions(_) => b.iota(ty.dtype, ty.shape, 0),
                RowReplacement::Operand(number) => args[*number],
                RowReplacement::Repeated(1) => args[0],
                RowReplacement::Repeated(times) => {
                    let mut repeated = b.ty(args[0]).shape;
                    repeated.0.insert(1, *times);
                    let dims: Dims = (0..repeated.rank()).filter(|&dim| dim != 1).collect();
                    let copies = b.broadcast(args[0], &dims, repeated);
                    b.reshape(copies, ty.shape)
                }
                RowReplacement::Summed(1) => b.binary(BinaryOp::Add, args[0], args[2]),
                RowReplacement::Summed(times) => {
                    let mut divided = ty.shape;
                    divided.0.insert(1, *times);
                    let parts = b.reshape(args[2], divided);
                    let sums = b.reduce(Monoid::Sum, parts, 1);
                    b.binary(BinaryOp::Add, args[0], sums)
                }
            };
            replaced.insert(result, new);
            if op.outs.len() > 1 {
                b.program.ops[id].args = args;
                b.body.push(id);
            }
        } else {
            b.program.ops[id].args = args;
            b.body.push(id);
        }
    }
    let body = b.body;
    for output in &mut program.funcs[func].outputs {
        output.value = replaced.get(&output.value).copied().unwrap_or(output.value);
    }
    *program.funcs[func].ops_mut() = body;
}

/// Builds the vector of labels, whose bits are inverted if asked.
fn build_labels(b: &mut Builder<'_>, labels: ValueId, is_inverted: bool) -> ValueId {
    let shape = b.ty(labels).shape;
    let labels = if shape.rank() == 1 { labels } else { b.reshape(labels, [shape.count()]) };
    if is_inverted { b.unary(UnaryOp::Not, labels) } else { labels }
}

/// Builds the comparison of a vector of labels with the groups of a mask.
fn build_mask(b: &mut Builder<'_>, mask: &GroupMask, labels: ValueId, shape: Shape) -> ValueId {
    let dtype = b.ty(labels).dtype;
    let labels = b.broadcast(labels, &[mask.rows], shape.clone());
    let group = b.iota(dtype, shape, mask.groups);
    b.compare(labels, Direction::Eq, group)
}
