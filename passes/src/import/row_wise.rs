//! Ops that compute rows of values independently of each other, according to the sharding rules.
//!
//! Recogniser: an op depends on the order of the rows, unless the rules say that it does not.

use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::op::OpKind;
use partita_ir::ops::Literal;
use partita_ir::program::{Op, Program};
use partita_ir::rule::{FactorId, FactorKind, Rule};
use rustc_hash::FxHashMap;

/// Maximum number of ops that are inspected for one property of a value.
const MAX_STEPS: usize = 12;

/// The dimension of a value that has rows. Rows are consecutive, each of the same number of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowDim {
    /// The dimension.
    pub(crate) dim: usize,
    /// Elements of a row along the dimension.
    pub(crate) elements: usize,
}

impl RowDim {
    /// Returns the dimension with one element for each row.
    pub(crate) fn from_dim(dim: usize) -> RowDim {
        RowDim { dim, elements: 1 }
    }
}

/// The rows of values.
pub(crate) type RowDims = FxHashMap<ValueId, RowDim>;

/// Results of an op on rows.
pub(crate) struct RowResults {
    /// Combination of the rows: they are passed through, or reduced.
    pub(crate) kind: FactorKind,
    /// The results that have rows.
    pub(crate) dims: Vec<(ValueId, RowDim)>,
}

/// Returns the results of an op on the rows of its operands, given by `rows`. Returns `None` if a row depends on
/// several, on its position, or on elements of other operands that are not [uniform](RowDefinitions::is_uniform) along
/// the rows.
pub(crate) fn row_results(
    program: &Program,
    op: &Op,
    rows: &RowDims,
    is_uniform: impl Fn(ValueId, usize) -> bool,
) -> Option<RowResults> {
    let has_rows = op.args.iter().any(|arg| rows.contains_key(arg));
    if !has_rows || is_positional(program, op, rows) || op.kind.control().is_some() || op.kind.func().is_some() {
        return None;
    }
    let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
    let mut of_rows: Option<(FactorId, usize)> = None;
    for (arg, map) in op.args.iter().zip(&rule.args) {
        let Some(&row) = rows.get(arg) else { continue };
        let count = program.ty(*arg).shape[row.dim].checked_div(row.elements)?;
        let factor = row_factor(&rule, &map[row.dim], count)?;
        if of_rows.is_some_and(|other| other != (factor, count)) {
            return None;
        }
        of_rows = Some((factor, count));
    }
    let (factor, count) = of_rows?;
    let kind = rule.kind(factor);
    match kind {
        FactorKind::PassThrough | FactorKind::Reduce(_) => {}
        FactorKind::NeedReplication | FactorKind::Inner | FactorKind::Window(_) => return None,
        FactorKind::Exchanged { .. } | FactorKind::Indexed => return None,
    }
    for (&arg, map) in op.args.iter().zip(&rule.args) {
        let mut of_factor = (0..map.len()).filter(|&dim| map[dim].contains(&factor));
        let own = rows.get(&arg);
        if !of_factor.all(|dim| own.map_or_else(|| is_uniform(arg, dim), |own| own.dim == dim)) {
            return None;
        }
    }
    let mut dims = Vec::new();
    for (&out, map) in op.outs.iter().zip(&rule.outs) {
        let mut of_factor = (0..map.len()).filter(|&dim| map[dim].contains(&factor));
        match (of_factor.next(), of_factor.next()) {
            (None, _) => {}
            (Some(dim), None) if map[dim].first() == Some(&factor) => {
                let elements = program.ty(out).shape[dim].checked_div(count)?;
                dims.push((out, RowDim { dim, elements }));
            }
            _ => return None,
        }
    }
    Some(RowResults { kind, dims })
}

/// Returns the factor of `count` rows in a dimension.
fn row_factor(rule: &Rule, dim: &[FactorId], count: usize) -> Option<FactorId> {
    match *dim {
        [only] => Some(only),
        [first, ..] => (rule.sizes(&[first])[..] == [count]).then_some(first),
        [] => None,
    }
}

/// Returns true if the results of an op depend on the positions of rows. Attention depends on positions in sequences,
/// which are the second to last dimension of its operands.
fn is_positional(program: &Program, op: &Op, rows: &RowDims) -> bool {
    if op.kind.class().attention().is_none() {
        return op.kind.interfaces().positional.is_some();
    }
    let is_in_sequence = |arg: &ValueId| rows.get(arg).is_some_and(|row| row.dim + 2 >= program.ty(*arg).shape.rank());
    op.args.iter().any(is_in_sequence)
}

/// The ops that define the values of a function.
pub(crate) struct RowDefinitions<'p> {
    pub(crate) program: &'p Program,
    by_value: FxHashMap<ValueId, OpId>,
}

impl<'p> RowDefinitions<'p> {
    pub(crate) fn new(program: &'p Program, func: FuncId) -> RowDefinitions<'p> {
        let results = |&id: &OpId| program.ops[id].outs.iter().map(move |&out| (out, id));
        RowDefinitions { program, by_value: program.funcs[func].ops().iter().flat_map(results).collect() }
    }

    /// Returns the op that computes a value.
    pub(crate) fn op(&self, value: ValueId) -> Option<&'p Op> {
        self.by_value.get(&value).map(|&id| &self.program.ops[id])
    }

    /// Returns true if all elements along a dimension are equal.
    pub(crate) fn is_uniform(&self, value: ValueId, dim: usize) -> bool {
        self.is_uniform_within(value, dim, MAX_STEPS)
    }

    /// Returns the result of [`RowDefinitions::is_uniform`] for a value that is computed in at most `steps` steps.
    fn is_uniform_within(&self, value: ValueId, dim: usize, steps: usize) -> bool {
        if self.program.ty(value).shape[dim] == 1 {
            return true;
        }
        let (Some(op), Some(steps)) = (self.op(value), steps.checked_sub(1)) else { return false };
        match (&op.kind, &op.args[..]) {
            (OpKind::Constant(constant), _) => matches!(constant.value, Literal::Splat(_)),
            (OpKind::Iota(iota), _) => iota.dim != dim,
            (OpKind::Broadcast(broadcast), &[x]) => {
                let source = broadcast.dims.iter().position(|&d| d == dim);
                source.is_none_or(|source| self.is_uniform_within(x, source, steps))
            }
            (kind, args) if kind.is_elementwise() => args
                .iter()
                .all(|&arg| self.program.ty(arg).shape.rank() == 0 || self.is_uniform_within(arg, dim, steps)),
            _ => false,
        }
    }
}
