//! The rows of a sort, from its results to the ops that put them back in their places, or reduce them.
//!
//! A place is the position of a row before the sort. The inverse permutation of the order has the position of each
//! place after the sort.
//!
//! Recogniser: a sort whose rows reach another op stays.

use super::{Removal, RowReplacement, RowSort};
use crate::import::row_wise::{RowDefinitions, RowDim, RowDims, RowResults, row_results};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::ops::{Combine, Gather, Scatter};
use partita_ir::program::Op;
use partita_ir::rule::FactorKind;

/// Values that depend on the order of a sort.
pub(super) struct Rows<'d, 'p> {
    definitions: &'d RowDefinitions<'p>,
    sort: RowSort,
    /// Values with a row for each row, in the order of the sort.
    rows: RowDims,
    /// Values that have, for each place, numbers computed from its element of an inverse permutation.
    places: RowDims,
    /// Inverse permutations of the order.
    inverses: Vec<ValueId>,
    /// Values computed from inverse permutations that are equal for all places.
    uniform: RowDims,
    replacements: Vec<(OpId, RowReplacement)>,
}

impl<'d, 'p> Rows<'d, 'p> {
    pub(super) fn new(definitions: &'d RowDefinitions<'p>, sort: RowSort) -> Rows<'d, 'p> {
        let rows = sort.sorted.iter().map(|&(_, after)| after).chain([sort.order]);
        let rows = rows.map(|value| (value, RowDim::from_dim(0))).collect();
        let (places, uniform) = (RowDims::default(), RowDims::default());
        Rows { definitions, sort, rows, places, inverses: Vec::new(), uniform, replacements: Vec::new() }
    }

    /// Returns the removal of the sort if no result of the function depends on the order of the rows.
    pub(super) fn follow(mut self, func: FuncId, sort: OpId) -> Option<Removal> {
        let program = self.definitions.program;
        let func = &program.funcs[func];
        let after = func.ops().iter().skip_while(|&&id| id != sort).skip(1);
        for &id in after {
            let op = &program.ops[id];
            if let Some(mask) = self.definitions.group_mask(op, &self.sort) {
                self.rows.insert(op.outs[0], RowDim::from_dim(mask.rows));
                self.replacements.push((id, RowReplacement::Mask(mask)));
            } else if op.args.iter().any(|arg| self.depends_on_order(*arg)) {
                let is_moved = self.invert(id) || self.put_back(id) || self.take(id);
                if !is_moved {
                    self.compute(id)?;
                }
            } else if let Some(RowResults { kind: FactorKind::PassThrough, dims }) = self.independent(op, &self.uniform)
            {
                self.uniform.extend(dims);
            }
        }
        let is_result = func.outputs.iter().any(|output| self.depends_on_order(output.value));
        (!is_result).then_some(Removal { op: sort, sort: self.sort, replacements: self.replacements })
    }

    fn depends_on_order(&self, value: ValueId) -> bool {
        self.rows.contains_key(&value) || self.places.contains_key(&value)
    }

    /// Returns true for an op that computes the inverse permutation of the order.
    fn invert(&mut self, id: OpId) -> bool {
        let definitions = self.definitions;
        let op = &definitions.program.ops[id];
        let inverse = match (&op.kind, &op.args[..]) {
            (OpKind::Scatter(scatter), &[_, indices, updates]) => {
                let shape_of = |value: ValueId| &definitions.program.ty(value).shape;
                let is_inverse = scatter.combine == Combine::Set
                    && scatters_rows(scatter)
                    && definitions.is_iota(updates)
                    && shape_of(op.outs[0]) == shape_of(self.sort.order)
                    && definitions.is_permutation(indices, &[self.sort.order]);
                is_inverse.then_some(op.outs[0])
            }
            (OpKind::TopK(_) | OpKind::Sort(_), &[key, ..]) => {
                let (of, is_inverted) = definitions.index(key);
                let sort =
                    definitions.sort(id).filter(|sort| of == self.sort.order && sort.descends == Some(is_inverted));
                sort.filter(|sort| sort.sorted.len() == 1).map(|sort| sort.order)
            }
            _ => None,
        };
        let Some(inverse) = inverse else { return false };
        self.places.insert(inverse, RowDim::from_dim(0));
        self.inverses.push(inverse);
        self.replacements.push((id, RowReplacement::Positions(inverse)));
        true
    }

    /// Returns true for an op that puts rows back in their places.
    fn put_back(&mut self, id: OpId) -> bool {
        let definitions = self.definitions;
        let op = &definitions.program.ops[id];
        let same_type = |x: ValueId| definitions.program.ty(x) == definitions.program.ty(op.outs[0]);
        match (&op.kind, &op.args[..]) {
            (OpKind::Gather(gather), &[x, indices]) => {
                let takes_rows = match (&gather.index_map[..], self.rows.get(&x)) {
                    (&[indexed], Some(&rows)) => rows == RowDim::from_dim(indexed) && gather.slice_sizes[indexed] == 1,
                    _ => false,
                };
                let puts_back = takes_rows && self.is_inverse(indices);
                if puts_back && gathers_rows(gather) && same_type(x) {
                    self.replacements.push((id, RowReplacement::Operand(0)));
                }
                puts_back
            }
            (OpKind::Scatter(scatter), &[x, indices, updates]) => {
                let puts_back = scatter.combine == Combine::Set
                    && scatters_rows(scatter)
                    && self.rows.get(&updates) == Some(&RowDim::from_dim(0))
                    && !self.depends_on_order(x)
                    && definitions.is_permutation(indices, &[self.sort.order]);
                if puts_back && same_type(updates) {
                    self.replacements.push((id, RowReplacement::Operand(2)));
                }
                puts_back
            }
            _ => false,
        }
    }

    /// Returns true for a scatter that takes rows from their places: the gradient of a gather that puts them back.
    fn take(&mut self, id: OpId) -> bool {
        let RowDefinitions { program, .. } = *self.definitions;
        let op = &program.ops[id];
        let (OpKind::Scatter(scatter), &[x, indices, updates]) = (&op.kind, &op.args[..]) else { return false };
        let replacement = match scatter.combine {
            Combine::Set => RowReplacement::Operand(2),
            Combine::Sum => RowReplacement::Summed(1),
            Combine::Prod | Combine::Max | Combine::Min => return false,
        };
        let takes = scatters_rows(scatter)
            && self.is_inverse(indices)
            && ![x, updates].iter().any(|&value| self.depends_on_order(value))
            && program.ty(updates).shape == program.ty(op.outs[0]).shape
            && self.definitions.is_uniform(x, 0);
        if takes {
            self.rows.insert(op.outs[0], RowDim::from_dim(0));
            self.replacements.push((id, replacement));
        }
        takes
    }

    /// Returns true if indices have, for each place, its position after the sort.
    fn is_inverse(&self, indices: ValueId) -> bool {
        self.places.contains_key(&indices) && self.definitions.is_permutation(indices, &self.inverses)
    }

    /// Records the results of an op that computes rows, or numbers of places, independently of each other, or reduces
    /// all rows. Returns `None` for another op.
    fn compute(&mut self, id: OpId) -> Option<()> {
        let RowDefinitions { program, .. } = *self.definitions;
        let op = &program.ops[id];
        let has_rows = op.args.iter().any(|arg| self.rows.contains_key(arg));
        if op.args.iter().any(|arg| self.places.contains_key(arg)) {
            let RowResults { kind, dims } = self.independent(op, &self.places)?;
            if has_rows || !matches!(kind, FactorKind::PassThrough) {
                return None;
            }
            for (value, dim) in dims {
                // Tests of indices, such as those for the range, have the same result for every place.
                let is_test = program.ty(value).dtype == DType::Bool;
                let numbers = if is_test { self.definitions.numbers(value, &self.inverses) } else { None };
                let is_uniform = numbers.is_some_and(|numbers| numbers.windows(2).all(|pair| pair[0] == pair[1]));
                let of = if is_uniform { &mut self.uniform } else { &mut self.places };
                of.insert(value, dim);
            }
            return Some(());
        }
        let results = self.independent(op, &self.rows)?;
        self.rows.extend(results.dims);
        self.replace_gather(id);
        self.replace_scatter(id);
        Some(())
    }

    /// Returns the results that have a row for each row of the operands, given by `dims`.
    fn independent(&self, op: &Op, dims: &RowDims) -> Option<RowResults> {
        let is_uniform = |value, dim| {
            let of_places = self.uniform.get(&value).is_some_and(|of: &RowDim| of.dim == dim);
            of_places || self.definitions.is_uniform(value, dim)
        };
        row_results(self.definitions.program, op, dims, is_uniform)
    }

    /// Records the replacement of a gather of rows that are those of the operand in order, each once or several times.
    fn replace_gather(&mut self, id: OpId) {
        let RowDefinitions { program, .. } = *self.definitions;
        let op = &program.ops[id];
        let (OpKind::Gather(gather), &[x, indices]) = (&op.kind, &op.args[..]) else { return };
        let (shape, out) = (&program.ty(x).shape, &program.ty(op.outs[0]).shape);
        if gathers_rows(gather)
            && gather.slice_sizes[1..] == shape[1..]
            && !self.depends_on_order(x)
            && let (Some(&count), Some(&rows)) = (shape.first(), out.first())
            && let Some(times) = self.times(indices, rows, count)
        {
            self.replacements.push((id, RowReplacement::Repeated(times)));
        }
    }

    /// Records the replacement of a scatter that adds so many consecutive rows to each row of the operand.
    fn replace_scatter(&mut self, id: OpId) {
        let RowDefinitions { program, .. } = *self.definitions;
        let op = &program.ops[id];
        let (OpKind::Scatter(scatter), &[x, indices, updates]) = (&op.kind, &op.args[..]) else { return };
        let (shape, of_updates) = (&program.ty(x).shape, &program.ty(updates).shape);
        if scatter.combine == Combine::Sum
            && scatters_rows(scatter)
            && !self.depends_on_order(x)
            && let (Some((&count, size)), Some((&rows, own))) = (shape.split_first(), of_updates.split_first())
            && size == own
            && let Some(times) = self.times(indices, rows, count)
        {
            self.replacements.push((id, RowReplacement::Summed(times)));
        }
    }

    /// Returns how often indices that are computed from the order of the sort name each of `count` rows, if they name
    /// them in ascending order when the order is that of the places.
    fn times(&self, indices: ValueId, rows: usize, count: usize) -> Option<usize> {
        let times = rows.checked_div(count).filter(|&times| times > 0 && rows == times * count)?;
        if times == 1 && self.definitions.index(indices) == (self.sort.order, false) {
            return Some(1);
        }
        let numbers = self.definitions.numbers(indices, &[self.sort.order])?;
        let is_ascending = numbers.iter().enumerate().all(|(row, &number)| number == (row / times) as i64);
        (numbers.len() == rows && is_ascending).then_some(times)
    }
}

/// Returns true for a gather of the rows of its operand, whose indices are a vector.
fn gathers_rows(gather: &Gather) -> bool {
    let is_of_rows = gather.index_map[..] == [0] && gather.collapsed_dims[..] == [0];
    is_of_rows && gather.operand_batch_dims.is_empty() && !gather.offset_dims.contains(&0)
}

/// Returns true for a scatter into the rows of its operand, whose indices are a vector.
fn scatters_rows(scatter: &Scatter) -> bool {
    let is_of_rows = scatter.index_map[..] == [0] && scatter.inserted_dims[..] == [0];
    is_of_rows && scatter.operand_batch_dims.is_empty() && !scatter.update_window_dims.contains(&0)
}
