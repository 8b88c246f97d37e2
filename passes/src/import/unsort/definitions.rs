//! The definitions of the values of a function, and what they say about sorted rows and indices.
//!
//! Recogniser: nothing is known about values in another form, so that their sorts stay.

use super::RowSort;
use crate::import::row_wise::RowDefinitions;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::interp::eval_op;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Direction, Literal, UnaryOp};
use partita_ir::program::Op;
use partita_ir::tensor::{Scalar, Tensor};
use rustc_hash::FxHashMap;

/// Maximum number of ops that are inspected for one property of a value.
pub(super) const MAX_STEPS: usize = 12;

/// Maximum number of rows whose indices are computed.
const MAX_ROWS: usize = 1 << 22;

/// Maximum number of ops that compute indices.
const MAX_INDEX_OPS: usize = 64;

/// Maximum number of ops that are inspected for the sign of a value.
const MAX_SIGN_STEPS: usize = 32;

/// Sign of all elements of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    /// At least 0.
    NotNegative,
    /// Less than 0.
    Negative,
}

impl Sign {
    fn from_number(number: i64) -> Sign {
        if number < 0 { Sign::Negative } else { Sign::NotNegative }
    }

    fn inverted(self) -> Sign {
        match self {
            Sign::NotNegative => Sign::Negative,
            Sign::Negative => Sign::NotNegative,
        }
    }
}

impl RowDefinitions<'_> {
    /// Returns the sort that an op is, if it is one.
    ///
    /// Recogniser: an op that sorts in another form stays.
    pub(super) fn sort(&self, op: OpId) -> Option<RowSort> {
        let op = &self.program.ops[op];
        match &op.kind {
            OpKind::TopK(top_k) => {
                let (&[x], &[values, order]) = (&op.args[..], &op.outs[..]) else { return None };
                let is_full = self.program.ty(x).shape[..] == [top_k.k];
                is_full.then(|| RowSort { sorted: vec![(x, values)], order, descends: Some(true) })
            }
            OpKind::Sort(sort) if op.args.first().is_some_and(|&key| self.is_vector(key)) => {
                let position = op.args.iter().rposition(|&arg| self.is_iota(arg))?;
                let pairs = op.args.iter().copied().zip(op.outs.iter().copied());
                let sorted = pairs.enumerate().filter(|(i, _)| *i != position).map(|(_, pair)| pair).collect();
                let descends = self.is_less_than(sort.comparator).then_some(false);
                Some(RowSort { sorted, order: op.outs[position], descends })
            }
            _ => None,
        }
    }

    /// Returns true if a comparator orders by the first operand, ascending.
    fn is_less_than(&self, comparator: FuncId) -> bool {
        let func = &self.program.funcs[comparator];
        let &[only] = func.ops() else { return false };
        let op = &self.program.ops[only];
        let is_less = matches!(&op.kind, OpKind::Compare(compare) if compare.direction == Direction::Lt);
        is_less && op.args[..] == func.inputs[..2] && func.outputs.iter().all(|output| op.outs.contains(&output.value))
    }

    /// Returns the integers that a value is computed from without a change of its elements, by conversions, other
    /// shapes and the replacement of negative indices, of which there are none, and true if the bits are inverted,
    /// which reverses the order.
    pub(super) fn index(&self, value: ValueId) -> (ValueId, bool) {
        let (mut value, mut is_inverted) = (value, false);
        for _ in 0..MAX_STEPS {
            let Some(op) = self.op(value) else { break };
            let from = match (&op.kind, &op.args[..]) {
                (OpKind::Convert(_) | OpKind::Reshape(_), &[x]) => x,
                (OpKind::Broadcast(broadcast), &[x]) if self.adds_units(value, x, &broadcast.dims) => x,
                (OpKind::Unary(unary), &[x]) if unary.op == UnaryOp::Not && self.program.ty(x).dtype.is_int() => {
                    is_inverted = !is_inverted;
                    x
                }
                (OpKind::Select(_), &[negative, _, x]) if self.is_never(negative, x) => x,
                _ => break,
            };
            value = from;
        }
        (value, is_inverted)
    }

    /// Returns true if a broadcast of `x` along dimensions in ascending order has no copies of elements.
    fn adds_units(&self, result: ValueId, x: ValueId, dims: &[usize]) -> bool {
        let count = |value: ValueId| self.program.ty(value).shape.count();
        dims.is_sorted() && count(result) == count(x)
    }

    fn is_vector(&self, value: ValueId) -> bool {
        self.program.ty(value).shape.rank() == 1
    }

    /// Returns true for the test `x < 0`.
    fn tests_negative(&self, test: ValueId, x: ValueId) -> bool {
        match self.op(test).map(|op| (&op.kind, &op.args[..])) {
            Some((OpKind::Compare(compare), &[tested, zero])) => {
                tested == x && compare.direction == Direction::Lt && self.number(zero) == Some(0)
            }
            _ => false,
        }
    }

    /// Returns true for the test `x < 0` of numbers that are not negative.
    fn is_never(&self, test: ValueId, x: ValueId) -> bool {
        self.tests_negative(test, x) && self.sign(x) == Some(Sign::NotNegative)
    }

    /// Returns the sign that all elements of a value are known to have.
    pub(super) fn sign(&self, value: ValueId) -> Option<Sign> {
        self.sign_within(value, &mut { MAX_SIGN_STEPS })
    }

    /// Returns the result of [`RowDefinitions::sign`] for a value that is computed in at most `steps` steps.
    ///
    /// Recogniser: the sign of other values is not known.
    fn sign_within(&self, value: ValueId, steps: &mut usize) -> Option<Sign> {
        let dtype = self.program.ty(value).dtype;
        if dtype == DType::Bool || dtype.is_unsigned() {
            return Some(Sign::NotNegative);
        }
        *steps = steps.checked_sub(1)?;
        let op = self.op(value)?;
        let result = op.outs.iter().position(|&out| out == value)?;
        let mut common = |x: ValueId, y: ValueId| {
            let sign = self.sign_within(x, steps)?;
            (self.sign_within(y, steps)? == sign).then_some(sign)
        };
        match (&op.kind, &op.args[..]) {
            (OpKind::Constant(_), _) => self.number(value).map(Sign::from_number),
            (OpKind::Iota(_), _) => Some(Sign::NotNegative),
            (OpKind::TopK(_), _) if result == 1 => Some(Sign::NotNegative),
            (OpKind::TopK(_) | OpKind::Sort(_), args) => self.sign_within(args[result], steps),
            (OpKind::ReduceFunc(reduce), args) if self.selects(reduce.body, result) => {
                common(args[result], args[op.outs.len() + result])
            }
            (OpKind::Convert(_), &[x]) => {
                let from = self.program.ty(x).dtype;
                let is_exact = from.is_int() && from.bytes() <= dtype.bytes();
                if is_exact { self.sign_within(x, steps) } else { None }
            }
            (OpKind::Reshape(_) | OpKind::Broadcast(_) | OpKind::Slice(_) | OpKind::Transpose(_), &[x]) => {
                self.sign_within(x, steps)
            }
            (OpKind::Unary(unary), &[x]) if unary.op == UnaryOp::Not => self.sign_within(x, steps).map(Sign::inverted),
            (OpKind::Binary(binary), &[x, y]) if binary.op == BinaryOp::Max => {
                let either = [x, y].into_iter().filter_map(|x| self.sign_within(x, steps));
                either.filter(|&sign| sign == Sign::NotNegative).last()
            }
            (OpKind::Binary(binary), &[x, y]) if binary.op == BinaryOp::Min => common(x, y),
            (OpKind::Clamp(_), &[low, _, high]) => common(low, high),
            (OpKind::Select(_), &[test, _, x]) if self.tests_negative(test, x) => {
                self.sign_within(x, steps).filter(|&sign| sign == Sign::NotNegative)
            }
            (OpKind::Select(_), &[_, x, y]) => common(x, y),
            _ => None,
        }
    }

    /// Returns true if a result of a reducer is one of its operands for that result.
    fn selects(&self, reducer: FuncId, result: usize) -> bool {
        let func = &self.program.funcs[reducer];
        let own = [func.inputs[result], func.inputs[func.outputs.len() + result]];
        func.ops().iter().map(|&id| &self.program.ops[id]).any(|op| {
            let is_result = op.outs.contains(&func.outputs[result].value);
            is_result && matches!(op.kind, OpKind::Select(_)) && op.args[1..].iter().all(|arg| own.contains(arg))
        })
    }

    /// Returns the integer that fills a value.
    pub(super) fn number(&self, value: ValueId) -> Option<i64> {
        let mut value = value;
        for _ in 0..MAX_STEPS {
            let op = self.op(value)?;
            match (&op.kind, &op.args[..]) {
                (OpKind::Constant(constant), _) => match constant.value {
                    Literal::Splat(Scalar::Int(number)) => return Some(number),
                    Literal::Splat(Scalar::Float(_)) | Literal::Dense(_) => return None,
                },
                (OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Convert(_) | OpKind::Slice(_), &[x]) => value = x,
                _ => return None,
            }
        }
        None
    }

    /// Returns the elements of an index that is computed from permutations and constants, if each of the permutations
    /// is that of the positions.
    pub(super) fn numbers(&self, value: ValueId, permutations: &[ValueId]) -> Option<Vec<i64>> {
        let mut known = FxHashMap::default();
        for &permutation in permutations {
            let ty = self.program.ty(permutation).clone();
            let positions = (0..ty.shape.count().min(MAX_ROWS) as i64).collect();
            known.insert(permutation, Tensor::from_ints(ty, positions));
        }
        let mut needed = vec![value];
        while let Some(&last) = needed.last() {
            if known.contains_key(&last) {
                needed.pop();
                continue;
            }
            let is_small = self.program.ty(last).shape.count() <= MAX_ROWS;
            let op =
                self.op(last).filter(|op| is_small && known.len() < MAX_INDEX_OPS && op.kind.control().is_none())?;
            let missing: Vec<ValueId> = op.args.iter().copied().filter(|arg| !known.contains_key(arg)).collect();
            if missing.is_empty() {
                let args: Vec<&Tensor> = op.args.iter().map(|arg| &known[arg]).collect();
                let outs = eval_op(self.program, op, None, &args).ok()?;
                known.extend(op.outs.iter().copied().zip(outs));
            } else {
                needed.extend(missing);
            }
        }
        Some(known.remove(&value)?.scalars().map(|x| x.to_i64()).collect())
    }

    /// Returns true if indices, which are computed from permutations element by element, are one of them.
    pub(super) fn is_permutation(&self, indices: ValueId, permutations: &[ValueId]) -> bool {
        let (source, is_inverted) = self.index(indices);
        let is_same = !is_inverted && permutations.contains(&source);
        let is_ascending = |numbers: Vec<i64>| numbers.iter().enumerate().all(|(i, &number)| number == i as i64);
        is_same || self.numbers(indices, permutations).is_some_and(is_ascending)
    }

    /// Returns true for the numbers `0, 1, ..` of a vector.
    pub(super) fn is_iota(&self, value: ValueId) -> bool {
        let is_iota = |op: &Op| matches!(op.kind, OpKind::Iota(_));
        let (source, is_inverted) = self.index(value);
        self.is_vector(value) && self.is_vector(source) && !is_inverted && self.op(source).is_some_and(is_iota)
    }
}
