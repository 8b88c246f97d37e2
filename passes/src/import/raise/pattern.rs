//! Looking through what a composite was decomposed into: terms and the ops that give them.

use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Direction, Literal, UnaryOp};
use partita_ir::program::{Op, Program};
use smallvec::SmallVec;

/// A value as part of an expression over the dimensions of the composite's operand.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// The value.
    pub value: ValueId,
    /// For each of its dimensions, the one that it runs along; `None` when the value has one element there that is repeated.
    pub along: SmallVec<[Option<usize>; 4]>,
}

impl Term {
    /// Whether it runs along every one of `rank` dimensions, in order.
    pub fn covers(&self, rank: usize) -> bool {
        self.along.len() == rank && self.along.iter().enumerate().all(|(d, along)| *along == Some(d))
    }
}

/// One attempt to match. Each method looks at the op that gives a term and notes it as seen.
pub struct Match<'a> {
    program: &'a Program,
    def: &'a [Option<OpId>],
    /// Rank of the composite's operand.
    rank: usize,
    /// The ops that were looked through, with repetitions; constants are not among them.
    pub seen: Vec<OpId>,
}

impl<'a> Match<'a> {
    /// An attempt on operands of that rank.
    pub fn new(program: &'a Program, def: &'a [Option<OpId>], rank: usize) -> Match<'a> {
        Match { program, def, rank, seen: Vec::new() }
    }

    /// A value whose dimensions are the first ones of the composite's operand.
    pub fn term(&self, value: ValueId) -> Term {
        Term { value, along: (0..self.program.ty(value).shape.rank()).map(Some).collect() }
    }

    /// The op that gives a value, unless the user gave the value a layout.
    pub fn given_by(&self, value: ValueId) -> Option<(OpId, &'a Op)> {
        let id = (*self.def.get(value.index())?)?;
        self.program.values[value].layout.is_none().then(|| (id, &self.program.ops[id]))
    }

    /// What a broadcast, or a reshape that adds or drops dimensions of one element, gives the term from.
    fn below(&self, term: &Term) -> Option<(OpId, Term)> {
        let (id, op) = self.given_by(term.value)?;
        let &[source] = &op.args[..] else { return None };
        let (from, to) = (&self.program.ty(source).shape, &self.program.ty(term.value).shape);
        let along = match &op.kind {
            OpKind::Broadcast(b) => {
                let along = |(&n, &d): (&usize, &usize)| if n == to[d] { term.along[d] } else { None };
                from.iter().zip(&b.dims).map(along).collect()
            }
            OpKind::Reshape(_) => {
                let solid = |(_, n): &(usize, &usize)| **n != 1;
                let (a, b) = (from.iter().enumerate().filter(solid), to.iter().enumerate().filter(solid));
                if !a.clone().map(|x| x.1).eq(b.clone().map(|x| x.1)) {
                    return None;
                }
                let mut along: SmallVec<[Option<usize>; 4]> = SmallVec::from_elem(None, from.rank());
                a.zip(b).for_each(|((i, _), (j, _))| along[i] = term.along[j]);
                along
            }
            _ => return None,
        };
        Some((id, Term { value: source, along }))
    }

    /// The term without broadcasts and reshapes.
    pub fn core(&mut self, mut term: Term) -> Term {
        while let Some((id, below)) = self.below(&term) {
            self.seen.push(id);
            term = below;
        }
        term
    }

    /// Whether the term is `x`, perhaps broadcast from it.
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

    /// The number that fills the term. Constants may have other readers, so nothing is noted.
    pub fn number(&self, term: &Term) -> Option<f64> {
        let mut term = term.clone();
        while let Some((_, below)) = self.below(&term) {
            term = below;
        }
        match &self.given_by(term.value)?.1.kind {
            OpKind::Constant(c) => match &c.value {
                Literal::Splat(x) => Some(x.to_f64()),
                Literal::Dense(_) => None,
            },
            _ => None,
        }
    }

    /// Whether the term is filled with that number.
    pub fn is_number(&self, term: &Term, number: f64) -> bool {
        self.number(term).is_some_and(|x| self.is_near(term, x, number))
    }

    /// Whether a number is another one, as precisely as the element type of a term tells.
    pub fn is_near(&self, term: &Term, have: f64, want: f64) -> bool {
        let precision = match self.program.ty(term.value).dtype {
            DType::BF16 => 1e-2,
            DType::F16 => 1e-3,
            DType::F64 | DType::F32 => 1e-6,
            DType::I64 | DType::I32 | DType::I8 | DType::U64 | DType::U32 | DType::U8 | DType::Bool => 0.0,
        };
        (have - want).abs() <= want.abs() * precision
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
        self.program.ty(term.value).shape[dim]
    }

    /// Whether the term is of integers.
    pub fn is_index(&self, term: &Term) -> bool {
        self.program.ty(term.value).dtype.is_int()
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
        Some(op.args.iter().map(|&value| Term { value, along: term.along.clone() }).collect())
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

    /// What is compared for equality in a comparison that was converted to a number.
    pub fn equality(&mut self, term: Term) -> Option<(Term, Term)> {
        let compared = self.operands(term, |kind| matches!(kind, OpKind::Convert(_)))?.pop()?;
        let equal = |kind: &OpKind| matches!(kind, OpKind::Compare(c) if c.direction == Direction::Eq);
        let mut operands = self.operands(compared, equal)?;
        let second = operands.pop()?;
        Some((operands.pop()?, second))
    }

    /// What is combined along one dimension, and which one.
    pub fn reduced(&mut self, term: Term, monoid: Monoid) -> Option<(Term, usize)> {
        let mut term = self.core(term);
        if monoid == Monoid::Max {
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
        if reduce.monoid != monoid || self.program.ty(source).shape.rank() != self.rank {
            return None;
        }
        self.seen.push(id);
        let mut along = term.along;
        along.insert(dim, Some(dim));
        Some((Term { value: source, along }, dim))
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
        ((count - n).abs() <= 1e-6 * n).then_some((x, dim))
    }
}
