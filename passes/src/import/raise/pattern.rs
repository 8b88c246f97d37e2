//! Pattern matching on the decompositions of composites: terms and the ops that define them.
//!
//! Recogniser: an op that no pattern describes ends the match, and nothing is raised.

use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::{Scalar, wrap};
use smallvec::SmallVec;

/// For each dimension of a value, the dimension of the composite's operand it corresponds to. `None` for a dimension of
/// size 1 that is broadcast.
pub type OperandDims = SmallVec<[Option<usize>; 4]>;

/// A value as part of an expression over the dimensions of the composite's operand.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// The value.
    pub value: ValueId,
    /// Dimensions of the operand that the value's dimensions correspond to.
    pub along: OperandDims,
}

impl Term {
    /// Returns a value whose dimensions are numbered from zero.
    pub fn new(value: ValueId, rank: usize) -> Term {
        Term { value, along: (0..rank).map(Some).collect() }
    }

    /// Returns true if the term has every one of `rank` dimensions, in order.
    pub fn covers(&self, rank: usize) -> bool {
        self.along.len() == rank && self.along.iter().enumerate().all(|(d, along)| *along == Some(d))
    }
}

/// Analysis of a function's values.
pub struct ValueAnalysis<'a> {
    /// The program.
    pub program: &'a Program,
    /// For each value that is read, the op that defines it.
    pub def: &'a [Option<OpId>],
    /// For each value, the number of its uses as operand or function result.
    pub uses: &'a [u32],
    /// For each value, the number that fills it.
    pub numbers: &'a [Option<Scalar>],
    /// For each value, true if it has a layout. Such values are opaque to patterns.
    pub has_layout: &'a [bool],
}

/// One match attempt. Each matching method records the ops that it consumes.
pub struct Match<'a> {
    analysis: &'a ValueAnalysis<'a>,
    /// The value to replace.
    root: ValueId,
    /// Rank of the composite's operand.
    rank: usize,
    /// Consumed ops, possibly repeated, without constants.
    pub consumed: Vec<OpId>,
}

impl<'a> Match<'a> {
    /// Starts a match of the op that defines `root`.
    pub fn new(analysis: &'a ValueAnalysis<'a>, root: ValueId) -> Match<'a> {
        Match { analysis, root, rank: 0, consumed: Vec::new() }
    }

    /// Returns the root as a term. Its dimensions are the leading ones of the composite's operand, which has
    /// `more_dims` more.
    pub fn root(&mut self, more_dims: usize) -> Term {
        self.rank = self.ty(self.root).shape.rank() + more_dims;
        self.term(self.root)
    }

    /// Returns the op that defines the root.
    pub fn root_op(&self) -> Option<(OpId, &'a Op)> {
        self.definition(self.root)
    }

    /// Returns a value as a term, and numbers the dimensions of the composite's operand by it from now on.
    pub fn rebase(&mut self, value: ValueId) -> Term {
        self.rank = self.ty(value).shape.rank();
        self.term(value)
    }

    /// Returns a value as a term whose dimensions are the leading ones of the composite's operand.
    fn term(&self, value: ValueId) -> Term {
        Term::new(value, self.ty(value).shape.rank())
    }

    /// Returns the type of a value.
    pub fn ty(&self, value: ValueId) -> &'a Type {
        self.analysis.program.ty(value)
    }

    /// Returns the op that defines a value. `None` if the value has a layout, unless it is the root, which is retained.
    pub fn definition(&self, value: ValueId) -> Option<(OpId, &'a Op)> {
        let id = (*self.analysis.def.get(value.index())?)?;
        (value == self.root || !self.analysis.has_layout[value.index()]).then(|| (id, &self.analysis.program.ops[id]))
    }

    /// Runs `look` without consuming the ops that it matches.
    pub fn without_consuming<T>(&mut self, look: impl FnOnce(&mut Match<'a>) -> T) -> T {
        let start = self.consumed.len();
        let found = look(self);
        self.consumed.truncate(start);
        found
    }

    /// Runs `look`. Consumes the ops that it matches only if it succeeds.
    pub fn attempt<T>(&mut self, look: impl FnOnce(&mut Match<'a>) -> Option<T>) -> Option<T> {
        let start = self.consumed.len();
        let found = look(self);
        if found.is_none() {
            self.consumed.truncate(start);
        }
        found
    }

    /// Returns the source of a data movement, or the selected operand of a constant choice, that defines the term.
    fn skip_movement(&self, term: &Term) -> Option<(OpId, Term)> {
        let (id, op) = self.definition(term.value)?;
        let source = match (&op.kind, &op.args[..]) {
            (OpKind::Select(_), &[pred, yes, no]) => {
                let source = if self.splat(pred)?.is_zero() { no } else { yes };
                return Some((id, Term { value: source, along: term.along.clone() }));
            }
            (OpKind::Gather(gather), &[source, _]) if !gather.fill => source,
            (_, &[source]) => source,
            _ => return None,
        };
        let (from, to) = (self.ty(source), self.ty(term.value));
        let along = match &op.kind {
            OpKind::Convert(_) if from.dtype == to.dtype => term.along.clone(),
            OpKind::Broadcast(b) => {
                let along = |(&n, &d): (&usize, &usize)| if n == to.shape[d] { term.along[d] } else { None };
                from.shape.iter().zip(&b.dims).map(along).collect()
            }
            OpKind::Transpose(t) => {
                let mut along: OperandDims = SmallVec::from_elem(None, t.perm.len());
                t.perm.iter().zip(&term.along).for_each(|(&d, a)| along[d] = *a);
                along
            }
            OpKind::Reshape(_) => reshaped(&from.shape, &to.shape, &term.along)?,
            // A gather from a single element is a reshape, regardless of the index.
            OpKind::Gather(g)
                if g.index_map.iter().all(|&d| from.shape[d] == 1) && from.shape[..] == g.slice_sizes[..] =>
            {
                reshaped(&from.shape, &to.shape, &term.along)?
            }
            _ => return None,
        };
        Some((id, Term { value: source, along }))
    }

    /// Strips data movement from the term.
    pub fn strip_movement(&mut self, mut term: Term) -> Term {
        while let Some((id, skip_movement)) = self.skip_movement(&term) {
            self.consumed.push(id);
            term = skip_movement;
        }
        term
    }

    /// Returns true if the term is `x`, possibly moved.
    pub fn is_same(&mut self, term: &Term, x: &Term) -> bool {
        let mut steps = Vec::new();
        let mut term = term.clone();
        while term != *x {
            let Some((id, skip_movement)) = self.skip_movement(&term) else { return false };
            steps.push(id);
            term = skip_movement;
        }
        self.consumed.extend(steps);
        true
    }

    /// Returns the number that fills a value. Constants are not consumed, since they may have other readers.
    fn splat(&self, value: ValueId) -> Option<Scalar> {
        self.analysis.numbers.get(value.index()).copied().flatten()
    }

    /// Returns the number that fills the term.
    pub fn number(&self, term: &Term) -> Option<f64> {
        self.splat(term.value).map(Scalar::to_f64)
    }

    /// Returns true if the term is filled with `number`.
    pub fn is_number(&self, term: &Term, number: f64) -> bool {
        self.number(term).is_some_and(|x| self.equals_rounded(term, x, number))
    }

    /// Returns true if two numbers are equal in the term's dtype. Approximate equality would raise a different
    /// function.
    pub fn equals_rounded(&self, term: &Term, have: f64, want: f64) -> bool {
        let rounded = |x| wrap(self.ty(term.value).dtype, Scalar::Float(x)).to_f64();
        nearly_equal(rounded(have), rounded(want))
    }

    /// Returns true if the term has every dimension of the composite's operand.
    pub fn covers(&self, term: &Term) -> bool {
        term.covers(self.rank)
    }

    /// Returns the last dimension of the composite's operand.
    pub fn last_dim(&self) -> Option<usize> {
        self.rank.checked_sub(1)
    }

    /// Matches a term that is broadcast from a vector along `dim`. Returns the vector.
    pub fn vector(&mut self, term: Term, dim: usize) -> Option<Term> {
        let term = self.strip_movement(term);
        (term.along[..] == [Some(dim)]).then_some(term)
    }

    /// Returns the size of the term's value along a dimension.
    pub fn dim_size(&self, term: &Term, dim: usize) -> usize {
        self.ty(term.value).shape[dim]
    }

    /// Returns true if the term has an integer dtype.
    pub fn is_integer(&self, term: &Term) -> bool {
        self.ty(term.value).dtype.is_int()
    }

    /// Returns true if the term is an `iota` along a dimension.
    pub fn is_iota(&mut self, term: &Term, dim: usize) -> bool {
        let term = self.strip_movement(term.clone());
        let Some((_, op)) = self.definition(term.value) else { return false };
        matches!(&op.kind, OpKind::Iota(iota) if term.along.get(iota.dim) == Some(&Some(dim)))
    }

    /// Matches a composite op. Returns its kind and operands.
    pub fn composite(&mut self, term: &Term) -> Option<(OpKind, SmallVec<[Term; 2]>)> {
        let (id, op) = self.definition(term.value).filter(|(_, op)| op.kind.is_composite() && self.covers(term))?;
        self.consumed.push(id);
        Some((op.kind.clone(), op.args.iter().map(|&value| self.term(value)).collect()))
    }

    /// Matches an op of the given kind. Returns its operands.
    fn operands(&mut self, term: Term, kind: impl Fn(&OpKind) -> bool) -> Option<SmallVec<[Term; 2]>> {
        let term = self.strip_movement(term);
        let (id, op) = self.definition(term.value).filter(|(_, op)| kind(&op.kind))?;
        self.consumed.push(id);
        Some(self.operands_of(op, &term))
    }

    /// Returns the operands of an elementwise op that defines the term.
    pub fn operands_of(&self, op: &Op, term: &Term) -> SmallVec<[Term; 2]> {
        let along = |value| if self.ty(value).shape.rank() == 0 { OperandDims::new() } else { term.along.clone() };
        op.args.iter().map(|&value| Term { value, along: along(value) }).collect()
    }

    /// Matches `op(x)`. Returns `x`.
    pub fn unary(&mut self, term: Term, op: UnaryOp) -> Option<Term> {
        self.operands(term, |kind| matches!(kind, OpKind::Unary(u) if u.op == op))?.pop()
    }

    /// Matches `op(x, y)`. Returns `x` and `y`.
    pub fn binary(&mut self, term: Term, op: BinaryOp) -> Option<(Term, Term)> {
        let mut operands = self.operands(term, |kind| matches!(kind, OpKind::Binary(b) if b.op == op))?;
        let second = operands.pop()?;
        Some((operands.pop()?, second))
    }

    /// Matches `op(x, number)` or `op(number, x)`. Returns `x` and the number.
    pub fn with_number(&mut self, term: Term, op: BinaryOp) -> Option<(Term, f64)> {
        let (x, y) = self.binary(term, op)?;
        match (self.number(&x), self.number(&y)) {
            (_, Some(number)) => Some((x, number)),
            (Some(number), None) => Some((y, number)),
            (None, None) => None,
        }
    }

    /// Matches a comparison. Returns its operands.
    pub fn compared(&mut self, term: Term, direction: Direction) -> Option<(Term, Term)> {
        let mut operands =
            self.operands(term, |kind| matches!(kind, OpKind::Compare(c) if c.direction == direction))?;
        let second = operands.pop()?;
        Some((operands.pop()?, second))
    }

    /// Matches a conversion. Returns its operand.
    pub fn converted(&mut self, term: Term) -> Option<Term> {
        self.operands(term, |kind| matches!(kind, OpKind::Convert(_)))?.pop()
    }

    /// Matches a test for equality that is converted to a number. Returns the compared terms.
    pub fn equality(&mut self, term: Term) -> Option<(Term, Term)> {
        let compared = self.converted(term)?;
        self.compared(compared, Direction::Eq)
    }

    /// Matches `x * factor` or `x / (1 / factor)`. Returns `x` and the factor.
    pub fn scaled(&mut self, term: Term) -> Option<(Term, f64)> {
        let (x, op, number) = self.scaled_by(term)?;
        Some((x, if op == BinaryOp::Div { number.recip() } else { number }))
    }

    /// Matches `x * number` or `x / number`. Returns `x`, the operation and the number.
    pub fn scaled_by(&mut self, term: Term) -> Option<(Term, BinaryOp, f64)> {
        if let Some((x, number)) = self.attempt(|m| m.with_number(term.clone(), BinaryOp::Mul)) {
            return Some((x, BinaryOp::Mul, number));
        }
        let (x, divisor) = self.binary(term, BinaryOp::Div)?;
        Some((x, BinaryOp::Div, self.number(&divisor)?))
    }

    /// Matches [`Match::scaled`] without data movement, if the term has no other reader.
    pub fn scaled_once(&mut self, term: &Term) -> Option<(Term, f64)> {
        let (_, op) = self.definition(term.value)?;
        let alone = self.analysis.uses[term.value.index()] == 1 && matches!(op.kind, OpKind::Binary(_));
        self.scaled(term.clone()).filter(|_| alone)
    }

    /// Matches a softmax. Returns its operand and the dimension.
    pub fn softmax(&mut self, term: Term) -> Option<(Term, usize)> {
        let term = self.strip_movement(term);
        let (id, op) = self.definition(term.value)?;
        let OpKind::Softmax(softmax) = &op.kind else { return None };
        let dim = (*term.along.get(softmax.dim)?)?;
        self.consumed.push(id);
        Some((Term { value: op.args[0], along: term.along }, dim))
    }

    /// Matches a reduction over one dimension. Returns its operand and the dimension.
    pub fn reduced(&mut self, term: Term, monoid: Monoid) -> Option<(Term, usize)> {
        let mut term = self.strip_movement(term);
        if monoid == Monoid::Max {
            // JAX's logsumexp replaces a maximum that is not finite by zero.
            term = self.attempt(|m| m.finite_or_zero(&term)).unwrap_or(term);
            // JAX also takes the maximum with `-inf`.
            let (_, op) = self.definition(term.value)?;
            if matches!(&op.kind, OpKind::Binary(b) if b.op == BinaryOp::Max) {
                let (x, number) = self.with_number(term, BinaryOp::Max)?;
                if number != f64::NEG_INFINITY {
                    return None;
                }
                term = self.strip_movement(x);
            }
        }
        let (id, op) = self.definition(term.value)?;
        let OpKind::Reduce(reduce) = &op.kind else { return None };
        let (&[dim], &[source]) = (&reduce.dims[..], &op.args[..]) else { return None };
        if reduce.monoid != monoid || self.ty(source).shape.rank() != self.rank {
            return None;
        }
        self.consumed.push(id);
        let mut along = term.along;
        along.insert(dim, Some(dim));
        Some((Term { value: source, along }, dim))
    }

    /// Matches `is_finite(x) ? x : 0`. Returns `x`.
    fn finite_or_zero(&mut self, term: &Term) -> Option<Term> {
        let [finite, x, zero] = self.select(term.clone())?;
        let tested = self.unary(finite, UnaryOp::IsFinite)?;
        let x = self.strip_movement(x);
        (self.is_number(&zero, 0.0) && self.is_same(&tested, &x)).then_some(x)
    }

    /// Matches a select. Returns its operands.
    pub fn select(&mut self, term: Term) -> Option<[Term; 3]> {
        let operands = self.operands(term, |kind| matches!(kind, OpKind::Select(_)))?;
        operands.into_iter().collect::<Vec<_>>().try_into().ok()
    }

    /// Matches a mean over one dimension. Returns its operand and the dimension.
    pub fn mean(&mut self, term: Term) -> Option<(Term, usize)> {
        let term = self.strip_movement(term);
        let (_, op) = self.definition(term.value)?;
        let divides = matches!(&op.kind, OpKind::Binary(b) if b.op == BinaryOp::Div);
        let (sum, count) = if divides {
            let (sum, count) = self.binary(term, BinaryOp::Div)?;
            let count = self.number(&count)?;
            (sum, count)
        } else {
            let (sum, share) = self.with_number(term, BinaryOp::Mul)?;
            (sum, share.recip())
        };
        let (x, dim) = self.reduced(sum, Monoid::Sum)?;
        let n = self.dim_size(&x, dim) as f64;
        nearly_equal(count, n).then_some((x, dim))
    }
}

/// Returns the dimensions of a reshape's source, if the reshape only adds or removes dimensions of size 1.
fn reshaped(from: &Shape, to: &Shape, along: &OperandDims) -> Option<OperandDims> {
    let solid = |(_, n): &(usize, &usize)| **n != 1;
    let (a, b) = (from.iter().enumerate().filter(solid), to.iter().enumerate().filter(solid));
    if !a.clone().map(|x| x.1).eq(b.clone().map(|x| x.1)) {
        return None;
    }
    let mut skip_movement: OperandDims = SmallVec::from_elem(None, from.rank());
    a.zip(b).for_each(|((i, _), (j, _))| skip_movement[i] = along[j]);
    Some(skip_movement)
}

/// Returns true if two numbers are equal up to rounding in `f64`.
fn nearly_equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= 4.0 * f64::EPSILON * b.abs()
}
