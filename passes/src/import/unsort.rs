//! `unsort` (traced -> traced): removes sorts that only group rows, if no result depends on the order of the rows.
//!
//! A mixture of experts sorts its tokens by expert, so that kernels for groups of consecutive rows can multiply each
//! group by the matrices of its expert (Gale et al., MegaBlocks, 2023). Afterwards, the rows are put back in their
//! places. Each row is computed independently, but the sort mixes the examples of a batch, which could then be split
//! neither over devices nor into micro-batches.
//!
//! The rows are followed from the results of the sort through ops that compute them independently, according to the
//! sharding rules, until they are put back (a gather with the inverse permutation, a scatter) or reduced. Masks of the
//! rows of each group, from the sum of the sizes of the groups before it, become comparisons with the labels.
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

mod groups;

use crate::driver::{Findings, Input, Pass, PassInfo, any_op};
use groups::{GroupMask, RowDefinitions};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Class;
use partita_ir::diag::Diagnostic;
use partita_ir::op::OpKind;
use partita_ir::ops::{Combine, Direction, UnaryOp};
use partita_ir::program::{Form, Op, Program, Values};
use partita_ir::rule::FactorKind;
use partita_ir::syntax::attr::Dims;
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// The positions of the rows: the inverse of their order.
    Positions,
    /// The operand: a gather that puts rows back in their places.
    Operand,
    /// The rows of the operand, each repeated so many times.
    Repeated(usize),
}

/// Rows in the order of a sort.
struct Rows<'d, 'p> {
    definitions: &'d RowDefinitions<'p>,
    sort: RowSort,
    /// The dimension of the rows of each value that has them.
    dims: FxHashMap<ValueId, usize>,
    /// The inverse permutation of the order, and values that are computed from it element by element.
    inverse: FxHashSet<ValueId>,
    replacements: Vec<(OpId, RowReplacement)>,
}

impl<'d, 'p> Rows<'d, 'p> {
    fn new(definitions: &'d RowDefinitions<'p>, sort: RowSort) -> Rows<'d, 'p> {
        let dims = sort.sorted.iter().map(|&(_, after)| (after, 0)).chain([(sort.order, 0)]).collect();
        Rows { definitions, sort, dims, inverse: FxHashSet::default(), replacements: Vec::new() }
    }

    /// Returns the removal of the sort if no result of the function depends on the order of the rows.
    fn follow(mut self, func: FuncId, sort: OpId) -> Option<Removal> {
        let program = self.definitions.program;
        let func = &program.funcs[func];
        let after = func.ops().iter().skip_while(|&&id| id != sort).skip(1);
        for &id in after {
            let op = &program.ops[id];
            if let Some(mask) = self.definitions.group_mask(op, &self.sort) {
                self.dims.insert(op.outs[0], mask.rows);
                self.replacements.push((id, RowReplacement::Mask(mask)));
            } else if op.args.iter().any(|arg| self.depends_on_order(*arg)) && !self.put_back(id) {
                self.pass_through(op)?;
                self.replace_gather(id);
            }
        }
        let is_result = func.outputs.iter().any(|output| self.depends_on_order(output.value));
        (!is_result).then_some(Removal { op: sort, sort: self.sort, replacements: self.replacements })
    }

    fn depends_on_order(&self, value: ValueId) -> bool {
        self.dims.contains_key(&value) || self.inverse.contains(&value)
    }

    /// Returns true for an op that puts rows back in their places, or computes the permutation that does.
    fn put_back(&mut self, id: OpId) -> bool {
        let definitions = self.definitions;
        let is_order = |index: ValueId| definitions.index(index) == (self.sort.order, false);
        let op = &definitions.program.ops[id];
        match (&op.kind, &op.args[..]) {
            (OpKind::Gather(gather), &[x, indices]) => {
                let is_inverse = self.inverse.contains(&definitions.index(indices).0);
                let takes_rows = match (&gather.index_map[..], self.dims.get(&x)) {
                    (&[indexed], Some(&rows)) => indexed == rows && gather.slice_sizes[rows] == 1,
                    _ => false,
                };
                let puts_back = is_inverse && takes_rows && !self.dims.contains_key(&indices);
                if puts_back && definitions.program.ty(x) == definitions.program.ty(op.outs[0]) {
                    self.replacements.push((id, RowReplacement::Operand));
                }
                puts_back
            }
            (OpKind::Scatter(scatter), &[x, indices, updates]) => {
                let sets = scatter.combine == Combine::Set
                    && scatter.index_map[..] == [0]
                    && scatter.inserted_dims[..] == [0]
                    && !scatter.update_window_dims.contains(&0)
                    && is_order(indices);
                let shape_of = |value: ValueId| &definitions.program.ty(value).shape;
                let is_inverse =
                    sets && definitions.is_iota(updates) && shape_of(op.outs[0]) == shape_of(self.sort.order);
                if is_inverse {
                    self.inverse.insert(op.outs[0]);
                    self.replacements.push((id, RowReplacement::Positions));
                }
                let puts_back = sets && self.dims.get(&updates) == Some(&0) && !self.dims.contains_key(&x);
                is_inverse || puts_back
            }
            (OpKind::TopK(_) | OpKind::Sort(_), &[key, ..]) => {
                let (of, is_inverted) = definitions.index(key);
                let sort =
                    definitions.sort(id).filter(|sort| of == self.sort.order && sort.descends == Some(is_inverted));
                self.inverse.extend(sort.as_ref().map(|sort| sort.order));
                sort.is_some_and(|sort| sort.sorted.len() == 1)
            }
            _ => false,
        }
    }

    /// Records the replacement of a gather of rows that are those of the operand in order, each once or several times.
    fn replace_gather(&mut self, id: OpId) {
        let RowDefinitions { program, .. } = self.definitions;
        let op = &program.ops[id];
        let (OpKind::Gather(gather), &[x, indices]) = (&op.kind, &op.args[..]) else { return };
        let (shape, out) = (&program.ty(x).shape, &program.ty(op.outs[0]).shape);
        let takes_rows = gather.index_map[..] == [0]
            && gather.collapsed_dims[..] == [0]
            && gather.slice_sizes[1..] == shape[1..]
            && gather.offset_dims.iter().copied().eq(1..out.rank());
        let times = out.first().zip(shape.first()).map_or(0, |(rows, &n)| rows / n.max(1));
        if !takes_rows || self.dims.contains_key(&x) || times == 0 || out[0] != times * shape[0] {
            return;
        }
        let Some(numbers) = self.definitions.numbers(indices, self.sort.order) else { return };
        if numbers.iter().enumerate().all(|(row, &number)| number == (row / times) as i64) {
            self.replacements.push((id, RowReplacement::Repeated(times)));
        }
    }

    /// Records the rows of the results of an op that computes each row independently, or reduces all. Returns `None`
    /// for another op.
    fn pass_through(&mut self, op: &Op) -> Option<()> {
        let program = self.definitions.program;
        if op.kind.interfaces().positional.is_some() || op.kind.control().is_some() || op.kind.func().is_some() {
            return None;
        }
        if op.args.iter().any(|arg| self.inverse.contains(arg)) {
            let is_index = op.kind.is_elementwise() || op.kind.class() == Class::Movement;
            self.inverse.extend(&op.outs);
            return (is_index && !op.args.iter().any(|arg| self.dims.contains_key(arg))).then_some(());
        }
        let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
        let mut of_rows = None;
        for (arg, map) in op.args.iter().zip(&rule.args) {
            let Some(&dim) = self.dims.get(arg) else { continue };
            let &[factor] = &map[dim][..] else { return None };
            if of_rows.is_some_and(|other| other != factor) {
                return None;
            }
            of_rows = Some(factor);
        }
        let factor = of_rows?;
        match rule.kind(factor) {
            FactorKind::PassThrough | FactorKind::Reduce(_) => {}
            FactorKind::NeedReplication | FactorKind::Inner | FactorKind::Window(_) => return None,
            FactorKind::Exchanged { .. } | FactorKind::Indexed => return None,
        }
        for (&arg, map) in op.args.iter().zip(&rule.args) {
            let mut dims = (0..map.len()).filter(|&dim| map[dim].contains(&factor));
            let own = self.dims.get(&arg);
            if !dims.all(|dim| own == Some(&dim) || (own.is_none() && self.definitions.is_uniform(arg, dim))) {
                return None;
            }
        }
        for (&out, map) in op.outs.iter().zip(&rule.outs) {
            let mut dims = (0..map.len()).filter(|&dim| map[dim].contains(&factor));
            match (dims.next(), dims.next()) {
                (None, _) => {}
                (Some(dim), None) if map[dim].len() == 1 => drop(self.dims.insert(out, dim)),
                _ => return None,
            }
        }
        Some(())
    }
}

/// Replaces the results of sorts by their operands, and the order by positions.
fn remove_sorts(program: &mut Program, func: FuncId, removed: &[Removal]) {
    let mut names = Namer::from_program(program);
    let old = program.funcs[func].take_ops();
    let mut b = Builder::new(program, &mut names);
    let mut replaced: FxHashMap<ValueId, ValueId> = FxHashMap::default();
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
            let ty = b.ty(op.outs[0]);
            let new = match replacement {
                RowReplacement::Mask(mask) => {
                    let keys = replaced.get(&mask.keys).copied().unwrap_or(mask.keys);
                    let labels = if mask.is_inverted { b.unary(UnaryOp::Not, keys) } else { keys };
                    let dtype = b.ty(labels).dtype;
                    let labels = b.broadcast(labels, &[mask.rows], ty.shape.clone());
                    let group = b.iota(dtype, ty.shape, 1 - mask.rows);
                    b.compare(labels, Direction::Eq, group)
                }
                RowReplacement::Positions => b.iota(ty.dtype, ty.shape, 0),
                RowReplacement::Operand | RowReplacement::Repeated(1) => args[0],
                RowReplacement::Repeated(times) => {
                    let mut repeated = b.ty(args[0]).shape;
                    repeated.0.insert(1, *times);
                    let dims: Dims = (0..repeated.rank()).filter(|&dim| dim != 1).collect();
                    let copies = b.broadcast(args[0], &dims, repeated);
                    b.reshape(copies, ty.shape)
                }
            };
            replaced.insert(op.outs[0], new);
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
