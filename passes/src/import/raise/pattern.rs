//! Looking through what a composite was decomposed into: terms and the ops that give them.
//!
//! Recogniser: an op that no pattern describes ends the search, and nothing is raised.

use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::{Scalar, wrap};
use smallvec::SmallVec;

/// For each dimension of a value, the one that it runs along; `None` when the value has one element there that is
/// repeated.
pub type Along = SmallVec<[Option<usize>; 4]>;

/// A value as part of an expression over the dimensions of the composite's operand.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// The value.
    pub value: ValueId,
    /// What its dimensions run along.
    pub along: Along,
}

impl Term {
    /// A value that gives the dimensions their numbers.
    pub fn whole(value: ValueId, rank: usize) -> Term {
        Term { value, along: (0..rank).map(Some).collect() }
    }

    /// Whether it runs along every one of `rank` dimensions, in order.
    pub fn covers(&self, rank: usize) -> bool {
        self.along.len() == rank && self.along.iter().enumerate().all(|(d, along)| *along == Some(d))
    }
}

/// What is known of a function's values.
pub struct Known<'a> {
    /// The program.
    pub program: &'a Program,
    /// The op that gives each value that is read, by id.
    pub def: &'a [Option<OpId>],
    /// How many operands and results of the function each value is.
    pub uses: &'a [u32],
    /// The number that fills a value.
    pub numbers: &'a [Option<Scalar>],
    /// Values that the user placed: nothing looks beyond them.
    pub placed: &'a [bool],
}

/// One attempt to match. Each method looks at the op that gives a term and notes it as seen.
pub struct Match<'a> {
    known: &'a Known<'a>,
    /// What the attempt is about.
    root: ValueId,
    /// Rank of the composite's operand.
    rank: usize,
    /// The ops that were looked through, with repetitions; constants are not among them.
    pub seen: Vec<OpId>,
}

impl<'a> Match<'a> {
    /// An attempt on what gives a value.
    pub fn new(known: &'a Known<'a>, root: ValueId) -> Match<'a> {
        Match { known, root, rank: 0, seen: Vec::new() }
    }

    /// The value that the attempt is about. Its dimensions are the first ones of the composite's operand, which has so
    /// many more.
    pub fn root(&mut self, more_dims: usize) -> Term {
        self.rank = self.ty(self.root).shape.rank() + more_dims;
        self.term(self.root)
    }

    /// A value whose dimensions are those of the composite's operand from now on.
    pub fn over(&mut self, value: ValueId) -> Term {
        self.rank = self.ty(value).shape.rank();
        self.term(value)
    }

    /// A value whose dimensions are the first ones of the composite's operand.
    fn term(&self, value: ValueId) -> Term {
        Term::whole(value, self.ty(value).shape.rank())
    }

    /// Type of a value.
    pub fn ty(&self, value: ValueId) -> &'a Type {
        self.known.program.ty(value)
    }

    /// The op that gives a value, unless the user placed the value; the one that the attempt is about stays where it
    /// is.
    pub fn given_by(&self, value: ValueId) -> Option<(OpId, &'a Op)> {
        let id = (*self.known.def.get(value.index())?)?;
        (value == self.root || !self.known.placed[value.index()]).then(|| (id, &self.known.program.ops[id]))
    }

    /// Looks at something without noting what it sees: it stays where it is.
    pub fn aside<T>(&mut self, look: impl FnOnce(&mut Match<'a>) -> T) -> T {
        let start = self.seen.len();
        let found = look(self);
        self.seen.truncate(start);
        found
    }

    /// Looks at something and forgets what it saw unless it found something.
    pub fn attempt<T>(&mut self, look: impl FnOnce(&mut Match<'a>) -> Option<T>) -> Option<T> {
        let start = self.seen.len();
        let found = look(self);
        if found.is_none() {
            self.seen.truncate(start);
        }
        found
    }

    /// What a movement of dimensions, or a choice that is known, gives the term from.
    fn below(&self, term: &Term) -> Option<(OpId, Term)> {
        let (id, op) = self.given_by(term.value)?;
        let source = match (&op.kind, &op.args[..]) {
            (OpKind::Select(_), &[pred, yes, no]) => {
                let source = if self.filling(pred)?.is_zero() { no } else { yes };
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
                let mut along: Along = SmallVec::from_elem(None, t.perm.len());
                t.perm.iter().zip(&term.along).for_each(|(&d, a)| along[d] = *a);
                along
            }
            OpKind::Reshape(_) => reshaped(&from.shape, &to.shape, &term.along)?,
            // With one element to choose from, the index does not matter; what is left is a reshape.
            OpKind::Gather(g)
                if g.index_map.iter().all(|&d| from.shape[d] == 1) && from.shape[..] == g.slice_sizes[..] =>
            {
                reshaped(&from.shape, &to.shape, &term.along)?
            }
            _ => return None,
        };
        Some((id, Term { value: source, along }))
    }

    /// The term without movement.
    pub fn core(&mut self, mut term: Term) -> Term {
        while let Some((id, below)) = self.below(&term) {
            self.seen.push(id);
            term = below;
        }
        term
    }

    /// Whether the term is `x`, perhaps moved.
    pub fn same(&mut self, term: &Term, x: &Term) -> bool {
        let mut steps = Vec::new();
        let mut term = term.clone();
        while term != *x {
            let Some((id, below)) = self.below(&term) else { return false };
            steps.push(id);
            term = below;
        }
        self.seen.extend(steps);
        true
    }

    /// The number that fills a value. Constants may have other readers, so nothing is noted.
    fn filling(&self, value: ValueId) -> Option<Scalar> {
        self.known.numbers.get(value.index()).copied().flatten()
    }

    /// The number that fills the term.
    pub fn number(&self, term: &Term) -> Option<f64> {
        self.filling(term.value).map(Scalar::to_f64)
    }

    /// Whether the term is filled with that number.
    pub fn is_number(&self, term: &Term, number: f64) -> bool {
        self.number(term).is_some_and(|x| self.is_rounded(term, x, number))
    }

    /// Whether a number is another one as the element type of a term holds it. A number nearby will not do: the
    /// composite would be another function.
    pub fn is_rounded(&self, term: &Term, have: f64, want: f64) -> bool {
        let held = |x| wrap(self.ty(term.value).dtype, Scalar::Float(x)).to_f64();
        is_near(held(have), held(want))
    }

    /// Whether the term runs along every dimension of the composite's operand.
    pub fn covers(&self, term: &Term) -> bool {
        term.covers(self.rank)
    }

    /// The last dimension of the composite's operand.
    pub fn last_dim(&self) -> Option<usize> {
        self.rank.checked_sub(1)
    }

    /// The vector along one dimension that the term is broadcast from.
    pub fn vector(&mut self, term: Term, dim: usize) -> Option<Term> {
        let term = self.core(term);
        (term.along[..] == [Some(dim)]).then_some(term)
    }

    /// Elements of the term's value along a dimension.
    pub fn size(&self, term: &Term, dim: usize) -> usize {
        self.ty(term.value).shape[dim]
    }

    /// Whether the term is of integers.
    pub fn is_index(&self, term: &Term) -> bool {
        self.ty(term.value).dtype.is_int()
    }

    /// Whether the term counts along a dimension: an `iota`.
    pub fn counts(&mut self, term: &Term, dim: usize) -> bool {
        let term = self.core(term.clone());
        let Some((_, op)) = self.given_by(term.value) else { return false };
        matches!(&op.kind, OpKind::Iota(iota) if term.along.get(iota.dim) == Some(&Some(dim)))
    }

    /// The composite that gives a term, and its operands.
    pub fn composite(&mut self, term: &Term) -> Option<(OpKind, SmallVec<[Term; 2]>)> {
        let (id, op) = self.given_by(term.value).filter(|(_, op)| op.kind.is_composite() && self.covers(term))?;
        self.seen.push(id);
        Some((op.kind.clone(), op.args.iter().map(|&value| self.term(value)).collect()))
    }

    /// The operands of the op that gives the term, if it is of that kind.
    fn operands(&mut self, term: Term, kind: impl Fn(&OpKind) -> bool) -> Option<SmallVec<[Term; 2]>> {
        let term = self.core(term);
        let (id, op) = self.given_by(term.value).filter(|(_, op)| kind(&op.kind))?;
        self.seen.push(id);
        Some(self.operands_of(op, &term))
    }

    /// The operands of an elementwise op that gives the term.
    pub fn operands_of(&self, op: &Op, term: &Term) -> SmallVec<[Term; 2]> {
        let along = |value| if self.ty(value).shape.rank() == 0 { Along::new() } else { term.along.clone() };
        op.args.iter().map(|&value| Term { value, along: along(value) }).collect()
    }

    /// `x` of `op(x)`.
    pub fn unary(&mut self, term: Term, op: UnaryOp) -> Option<Term> {
        self.operands(term, |kind| matches!(kind, OpKind::Unary(u) if u.op == op))?.pop()
    }

    /// `x` and `y` of `op(x, y)`.
    pub fn binary(&mut self, term: Term, op: BinaryOp) -> Option<(Term, Term)> {
        let mut operands = self.operands(term, |kind| matches!(kind, OpKind::Binary(b) if b.op == op))?;
        let second = operands.pop()?;
        Some((operands.pop()?, second))
    }

    /// `x` and the number of `op(x, number)` or `op(number, x)`.
    pub fn with_number(&mut self, term: Term, op: BinaryOp) -> Option<(Term, f64)> {
        let (x, y) = self.binary(term, op)?;
        match (self.number(&x), self.number(&y)) {
            (_, Some(number)) => Some((x, number)),
            (Some(number), None) => Some((y, number)),
            (None, None) => None,
        }
    }

    /// What is compared so.
    pub fn compared(&mut self, term: Term, direction: Direction) -> Option<(Term, Term)> {
        let mut operands =
            self.operands(term, |kind| matches!(kind, OpKind::Compare(c) if c.direction == direction))?;
        let second = operands.pop()?;
        Some((operands.pop()?, second))
    }

    /// What was converted.
    pub fn converted(&mut self, term: Term) -> Option<Term> {
        self.operands(term, |kind| matches!(kind, OpKind::Convert(_)))?.pop()
    }

    /// What is compared for equality in a comparison that was converted to a number.
    pub fn equality(&mut self, term: Term) -> Option<(Term, Term)> {
        let compared = self.converted(term)?;
        self.compared(compared, Direction::Eq)
    }

    /// `x` and the factor of `x * factor` or `x / (1 / factor)`.
    pub fn scaled(&mut self, term: Term) -> Option<(Term, f64)> {
        if let Some(found) = self.attempt(|m| m.with_number(term.clone(), BinaryOp::Mul)) {
            return Some(found);
        }
        let (x, divisor) = self.binary(term, BinaryOp::Div)?;
        Some((x, self.number(&divisor)?.recip()))
    }

    /// The same of something that nothing else reads and that is not moved.
    pub fn scaled_once(&mut self, term: &Term) -> Option<(Term, f64)> {
        let (_, op) = self.given_by(term.value)?;
        let alone = self.known.uses[term.value.index()] == 1 && matches!(op.kind, OpKind::Binary(_));
        self.scaled(term.clone()).filter(|_| alone)
    }

    /// What a softmax is of, and along which dimension.
    pub fn softmax(&mut self, term: Term) -> Option<(Term, usize)> {
        let term = self.core(term);
        let (id, op) = self.given_by(term.value)?;
        let OpKind::Softmax(softmax) = &op.kind else { return None };
        let dim = (*term.along.get(softmax.dim)?)?;
        self.seen.push(id);
        Some((Term { value: op.args[0], along: term.along }, dim))
    }

    /// What is combined along one dimension, and which one.
    pub fn reduced(&mut self, term: Term, monoid: Monoid) -> Option<(Term, usize)> {
        let mut term = self.core(term);
        if monoid == Monoid::Max {
            // What JAX's logsumexp takes off is finite.
            term = self.attempt(|m| m.finite_or_zero(&term)).unwrap_or(term);
            // JAX takes the maximum with -inf, too.
            let (_, op) = self.given_by(term.value)?;
            if matches!(&op.kind, OpKind::Binary(b) if b.op == BinaryOp::Max) {
                let (x, number) = self.with_number(term, BinaryOp::Max)?;
                if number != f64::NEG_INFINITY {
                    return None;
                }
                term = self.core(x);
            }
        }
        let (id, op) = self.given_by(term.value)?;
        let OpKind::Reduce(reduce) = &op.kind else { return None };
        let (&[dim], &[source]) = (&reduce.dims[..], &op.args[..]) else { return None };
        if reduce.monoid != monoid || self.ty(source).shape.rank() != self.rank {
            return None;
        }
        self.seen.push(id);
        let mut along = term.along;
        along.insert(dim, Some(dim));
        Some((Term { value: source, along }, dim))
    }

    /// `x` of `is_finite(x) ? x : 0`.
    fn finite_or_zero(&mut self, term: &Term) -> Option<Term> {
        let [finite, x, zero] = self.select(term.clone())?;
        let tested = self.unary(finite, UnaryOp::IsFinite)?;
        let x = self.core(x);
        (self.is_number(&zero, 0.0) && self.same(&tested, &x)).then_some(x)
    }

    /// The operands of the select that gives the term.
    pub fn select(&mut self, term: Term) -> Option<[Term; 3]> {
        let operands = self.operands(term, |kind| matches!(kind, OpKind::Select(_)))?;
        operands.into_iter().collect::<Vec<_>>().try_into().ok()
    }

    /// What is averaged along one dimension, and which one.
    pub fn mean(&mut self, term: Term) -> Option<(Term, usize)> {
        let term = self.core(term);
        let (_, op) = self.given_by(term.value)?;
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
        let n = self.size(&x, dim) as f64;
        is_near(count, n).then_some((x, dim))
    }
}

/// What the dimensions of a value run along when a reshape that only adds or drops dimensions of one element gives `to`
/// from it.
fn reshaped(from: &Shape, to: &Shape, along: &Along) -> Option<Along> {
    let solid = |(_, n): &(usize, &usize)| **n != 1;
    let (a, b) = (from.iter().enumerate().filter(solid), to.iter().enumerate().filter(solid));
    if !a.clone().map(|x| x.1).eq(b.clone().map(|x| x.1)) {
        return None;
    }
    let mut below: Along = SmallVec::from_elem(None, from.rank());
    a.zip(b).for_each(|((i, _), (j, _))| below[i] = along[j]);
    Some(below)
}

/// Whether two numbers are equal up to how `f64` rounds.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 4.0 * f64::EPSILON * b.abs()
}
