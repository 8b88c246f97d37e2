//! Laws of algebra, on values that are whole on one device.
//!
//! Most hold bit for bit. Those that hold in exact arithmetic only say so, as does every split sum: nothing that is
//! partitioned adds up in the order of one device.
//!
//! Recogniser: terms to which no law applies are not made equal, so that less is proved, never more.

use super::{Equation, Family, Find, Law};
use crate::term::{Call, Head, Term, Terms};
use egg::Id;
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, BinaryOp, Broadcast, Constant, Literal, Reduce, Reshape, Transpose, Unary, UnaryOp};
use partita_ir::program::{Program, Values};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// The laws.
pub const LAWS: &[Law] = &[
    COMMUTE,
    ADD_ZERO,
    SUB_ZERO,
    MUL_ONE,
    DIV_ONE,
    NEG_NEG,
    RESHAPE_SAME,
    RESHAPE_TWICE,
    TRANSPOSE_SAME,
    TRANSPOSE_TWICE,
    BROADCAST_SAME,
    BROADCAST_TWICE,
    BROADCAST_RESHAPED,
    CONVERT_SAME,
    REDUCE_TWICE,
    COMPOSITE,
];

/// A law that holds bit for bit.
const fn exact(name: &'static str, says: &'static str, find: Find, example: &'static str) -> Law {
    Law { name, family: Family::Algebra, says, exact: true, find, example }
}

/// A law that holds in exact arithmetic.
const fn real(name: &'static str, says: &'static str, find: Find, example: &'static str) -> Law {
    Law { name, family: Family::Algebra, says, exact: false, find, example }
}

/// See [`Law::says`].
pub const COMMUTE: Law = exact(
    "commute",
    "x + y = y + x; so do a product, `and` and `or`",
    |terms, term| {
        let Some((OpKind::Binary(Binary { op }), [x, y], _)) = whole(terms, term) else { return Vec::new() };
        if !matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or) {
            return Vec::new();
        }
        let right = terms.add_uncanonical(Term::new(term.head, [y, x]));
        same(terms, term, right)
    },
    "form traced
        input %x : f32[3]
        input %y : f32[3]
          %z = mul %x, %y : f32[3]
        output %z",
);

/// See [`Law::says`].
pub const ADD_ZERO: Law = real(
    "add-zero",
    "x + 0 = x (a negative zero would lose its sign)",
    |terms, term| neutral(terms, term, BinaryOp::Add, 0.0),
    "form traced
        input %x : f32[3]
          %c = constant 0.0 : f32[3]
          %z = add %x, %c : f32[3]
        output %z",
);

/// See [`Law::says`].
pub const SUB_ZERO: Law = exact(
    "sub-zero",
    "x - 0 = x",
    |terms, term| neutral(terms, term, BinaryOp::Sub, 0.0),
    "form traced
        input %x : f32[3]
          %c = constant 0.0 : f32[3]
          %z = sub %x, %c : f32[3]
        output %z",
);

/// See [`Law::says`].
pub const MUL_ONE: Law = exact(
    "mul-one",
    "x * 1 = x",
    |terms, term| neutral(terms, term, BinaryOp::Mul, 1.0),
    "form traced
        input %x : f32[3]
          %c = constant 1.0 : f32[]
          %d = broadcast [] %c : f32[3]
          %z = mul %x, %d : f32[3]
        output %z",
);

/// See [`Law::says`].
pub const DIV_ONE: Law = exact(
    "div-one",
    "x / 1 = x",
    |terms, term| neutral(terms, term, BinaryOp::Div, 1.0),
    "form traced
        input %x : f32[3]
          %c = constant 1.0 : f32[3]
          %z = div %x, %c : f32[3]
        output %z",
);

/// See [`Law::says`].
pub const NEG_NEG: Law = exact(
    "neg-neg",
    "-(-x) = x",
    |terms, term| {
        let is_neg = |kind: &OpKind| matches!(kind, OpKind::Unary(Unary { op: UnaryOp::Neg }));
        match whole(terms, term) {
            Some((kind, [x], _)) if is_neg(&kind) => through(terms, term, x, is_neg, |_, inner, _| Some(inner.args[0])),
            _ => Vec::new(),
        }
    },
    "form traced
        input %x : f32[3]
          %y = neg %x : f32[3]
          %z = neg %y : f32[3]
        output %z",
);

/// See [`Law::says`].
pub const RESHAPE_SAME: Law = exact(
    "reshape-same",
    "reshape(x) = x, to the shape of x",
    |terms, term| match whole(terms, term) {
        Some((OpKind::Reshape(_), [x], to)) if ty(terms, x) == to => same(terms, term, x),
        _ => Vec::new(),
    },
    "form traced
        input %x : f32[3, 2]
          %z = reshape %x : f32[3, 2]
        output %z",
);

/// See [`Law::says`].
pub const RESHAPE_TWICE: Law = exact(
    "reshape-twice",
    "reshape(reshape(x)) = reshape(x)",
    |terms, term| {
        let Some((OpKind::Reshape(_), [x], to)) = whole(terms, term) else { return Vec::new() };
        let is_reshape = |kind: &OpKind| matches!(kind, OpKind::Reshape(_));
        through(terms, term, x, is_reshape, |terms, inner, _| Some(make(terms, Reshape {}, &inner.args, to.clone())))
    },
    "form traced
        input %x : f32[3, 4]
          %y = reshape %x : f32[12]
          %z = reshape %y : f32[2, 6]
        output %z",
);

/// See [`Law::says`].
pub const TRANSPOSE_SAME: Law = exact(
    "transpose-same",
    "transpose(x) = x, in the order of x",
    |terms, term| match whole(terms, term) {
        Some((OpKind::Transpose(t), [x], _)) if t.perm.iter().copied().eq(0..t.perm.len()) => same(terms, term, x),
        _ => Vec::new(),
    },
    "form traced
        input %x : f32[3, 2]
          %z = transpose [0, 1] %x : f32[3, 2]
        output %z",
);

/// See [`Law::says`].
pub const TRANSPOSE_TWICE: Law = exact(
    "transpose-twice",
    "transpose(transpose(x)) = transpose(x)",
    |terms, term| {
        let Some((OpKind::Transpose(last), [x], to)) = whole(terms, term) else { return Vec::new() };
        let is_transpose = |kind: &OpKind| matches!(kind, OpKind::Transpose(_));
        through(terms, term, x, is_transpose, |terms, inner, kind| {
            let OpKind::Transpose(first) = kind else { return None };
            let perm = last.perm.iter().map(|&d| first.perm[d]).collect();
            Some(make(terms, Transpose { perm }, &inner.args, to.clone()))
        })
    },
    "form traced
        input %x : f32[3, 2, 4]
          %y = transpose [2, 0, 1] %x : f32[4, 3, 2]
          %z = transpose [1, 0, 2] %y : f32[3, 4, 2]
        output %z",
);

/// See [`Law::says`].
pub const BROADCAST_SAME: Law = exact(
    "broadcast-same",
    "broadcast(x) = x, to the shape of x",
    |terms, term| match whole(terms, term) {
        Some((OpKind::Broadcast(b), [x], to)) if ty(terms, x) == to && b.dims.iter().copied().eq(0..b.dims.len()) => {
            same(terms, term, x)
        }
        _ => Vec::new(),
    },
    "form traced
        input %x : f32[3, 2]
          %z = broadcast [0, 1] %x : f32[3, 2]
        output %z",
);

/// See [`Law::says`].
pub const BROADCAST_TWICE: Law = exact(
    "broadcast-twice",
    "broadcast(broadcast(x)) = broadcast(x)",
    |terms, term| {
        let Some((OpKind::Broadcast(last), [x], to)) = whole(terms, term) else { return Vec::new() };
        let is_broadcast = |kind: &OpKind| matches!(kind, OpKind::Broadcast(_));
        through(terms, term, x, is_broadcast, |terms, inner, kind| {
            let OpKind::Broadcast(first) = kind else { return None };
            let dims = first.dims.iter().map(|&d| last.dims[d]).collect();
            Some(make(terms, Broadcast { dims }, &inner.args, to.clone()))
        })
    },
    "form traced
        input %x : f32[3]
          %y = broadcast [1] %x : f32[2, 3]
          %z = broadcast [0, 2] %y : f32[2, 4, 3]
        output %z",
);

/// See [`Law::says`].
pub const BROADCAST_RESHAPED: Law = exact(
    "broadcast-reshaped",
    "broadcast(reshape(x)) = broadcast(x), where the reshape only adds dimensions of size 1",
    |terms, term| {
        let Some((OpKind::Broadcast(last), [x], to)) = whole(terms, term) else { return Vec::new() };
        let shape = ty(terms, x).shape;
        // Dimensions of size 1 are repeated wherever they go, so that only the others count.
        let dims: Vec<usize> = shape.iter().zip(&last.dims).filter(|(n, _)| **n != 1).map(|(_, &d)| d).collect();
        let is_reshape = |kind: &OpKind| matches!(kind, OpKind::Reshape(_));
        through(terms, term, x, is_reshape, |terms, inner, _| {
            let before = ty(terms, inner.args[0]).shape;
            let same = before.iter().eq(shape.iter().filter(|n| **n != 1));
            same.then(|| make(terms, Broadcast { dims: dims.iter().copied().collect() }, &inner.args, to.clone()))
        })
    },
    "form traced
        input %x : f32[3]
          %y = reshape %x : f32[1, 3]
          %z = broadcast [0, 1] %y : f32[2, 3]
        output %z",
);

/// See [`Law::says`].
pub const CONVERT_SAME: Law = exact(
    "convert-same",
    "convert(x) = x, to the type of x",
    |terms, term| match whole(terms, term) {
        Some((OpKind::Convert(_), [x], to)) if ty(terms, x) == to => same(terms, term, x),
        _ => Vec::new(),
    },
    "form traced
        input %x : f32[3]
          %z = convert %x : f32[3]
        output %z",
);

/// See [`Law::says`].
pub const REDUCE_TWICE: Law = real(
    "reduce-twice",
    "reduce(reduce(x)) = reduce(x), over all their dimensions",
    |terms, term| {
        let Some((OpKind::Reduce(last), [x], to)) = whole(terms, term) else { return Vec::new() };
        let is_same = |kind: &OpKind| matches!(kind, OpKind::Reduce(r) if r.monoid == last.monoid);
        through(terms, term, x, is_same, |terms, inner, kind| {
            let OpKind::Reduce(first) = kind else { return None };
            let rank = ty(terms, inner.args[0]).shape.rank();
            let kept: Vec<usize> = (0..rank).filter(|d| !first.dims.contains(d)).collect();
            let gone = |d: &usize| first.dims.contains(d) || last.dims.iter().any(|&l| kept[l] == *d);
            let dims = (0..rank).filter(gone).collect();
            Some(make(terms, Reduce { monoid: last.monoid, dims }, &inner.args, to.clone()))
        })
    },
    "form traced
        input %x : f32[3, 2, 4]
          %y = reduce sum [1] %x : f32[3, 4]
          %z = reduce sum [0] %y : f32[4]
        output %z",
);

/// See [`Law::says`].
pub const COMPOSITE: Law = real(
    "decompose",
    "a composite is what it is made of",
    decompose,
    "form traced
        input %x : f32[3, 4]
          %z = softmax dim 1 %x : f32[3, 4]
        output %z",
);

/// What a term does, to what, and the type of what it gives, if it is an op on one device.
pub(super) fn whole<const N: usize>(terms: &Terms, term: &Term) -> Option<(OpKind, [Id; N], Type)> {
    let Head::Op { call, out: 0, place: None } = term.head else { return None };
    let args = <[Id; N]>::try_from(&term.args[..]).ok()?;
    let Call { kind, outs } = terms.analysis.call_at(call);
    Some((kind.clone(), args, outs[0].clone()))
}

/// That a term is that one.
pub(super) fn same(terms: &mut Terms, term: &Term, right: Id) -> Vec<Equation> {
    vec![Equation { left: terms.add_uncanonical(term.clone()), right }]
}

/// The terms of an e-class that are ops of such a kind.
pub(super) fn made_by(terms: &Terms, class: Id, is: impl Fn(&OpKind) -> bool) -> Vec<(Term, OpKind)> {
    let made = terms[class].iter().filter_map(|node| {
        let Head::Op { call, out: 0, place: None } = node.head else { return None };
        let kind = &terms.analysis.call_at(call).kind;
        is(kind).then(|| (node.clone(), kind.clone()))
    });
    made.collect()
}

/// What a term with the operand `x` is equal to by each op of such a kind that makes `x`.
pub(super) fn through(
    terms: &mut Terms,
    term: &Term,
    x: Id,
    is: impl Fn(&OpKind) -> bool,
    right: impl Fn(&mut Terms, &Term, OpKind) -> Option<Id>,
) -> Vec<Equation> {
    let found = made_by(terms, x, is).into_iter().filter_map(|(inner, kind)| {
        let right = right(terms, &inner, kind)?;
        let inner = terms.add_uncanonical(inner);
        Some(Equation { left: terms.add_uncanonical(Term::new(term.head, [inner])), right })
    });
    found.collect()
}

pub(super) fn ty(terms: &Terms, class: Id) -> Type {
    terms.analysis.type_at(terms[class].data.ty).clone()
}

pub(super) fn make(terms: &mut Terms, kind: impl Into<OpKind>, args: &[Id], ty: Type) -> Id {
    let call = terms.analysis.call(Call { kind: kind.into(), outs: vec![ty] });
    terms.add_uncanonical(Term::new(Head::Op { call, out: 0, place: None }, args.iter().copied()))
}

/// The other operand of a binary op whose second one is that number everywhere.
fn neutral(terms: &mut Terms, term: &Term, op: BinaryOp, number: f64) -> Vec<Equation> {
    match whole(terms, term) {
        Some((OpKind::Binary(b), [x, y], _)) if b.op == op => {
            let Some(number) = as_number(terms, y, number) else { return Vec::new() };
            vec![Equation { left: terms.add_uncanonical(Term::new(term.head, [x, number])), right: x }]
        }
        _ => Vec::new(),
    }
}

/// A value that is that number everywhere, as a constant or one that is repeated.
fn as_number(terms: &mut Terms, class: Id, number: f64) -> Option<Id> {
    let is_splat = |kind: &OpKind| match kind {
        OpKind::Constant(Constant { value: Literal::Splat(x) }) => *x == Scalar::Float(number),
        _ => false,
    };
    if let Some((constant, _)) = made_by(terms, class, is_splat).into_iter().next() {
        return Some(terms.add_uncanonical(constant));
    }
    let repeated = made_by(terms, class, |kind| matches!(kind, OpKind::Broadcast(_)));
    repeated.into_iter().find_map(|(broadcast, _)| {
        let (constant, _) = made_by(terms, broadcast.args[0], is_splat).into_iter().next()?;
        let constant = terms.add_uncanonical(constant);
        Some(terms.add_uncanonical(Term::new(broadcast.head, [constant])))
    })
}

/// What a composite is made of, as its op says.
fn decompose(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, out, place: None } = term.head else { return Vec::new() };
    let Call { kind, outs } = terms.analysis.call_at(call).clone();
    if !kind.is_composite() {
        return Vec::new();
    }
    let mut program = Program::default();
    let inputs: Values = term.args.iter().map(|&arg| program.input("x", ty(terms, arg))).collect();
    let mut names = Namer::default();
    let mut builder = Builder::new(&mut program, &mut names);
    let Some(made) = kind.decompose(&mut builder, &inputs, &outs.iter().collect::<Vec<_>>()) else { return Vec::new() };
    let body = builder.body;
    let mut known: FxHashMap<_, Id> = inputs.iter().copied().zip(term.args.iter().copied()).collect();
    for op in body {
        let op = &program.ops[op];
        let Some(args) = op.args.iter().map(|arg| known.get(arg).copied()).collect::<Option<Vec<Id>>>() else {
            return Vec::new();
        };
        let call = Call { kind: op.kind.clone(), outs: op.outs.iter().map(|&v| program.ty(v).clone()).collect() };
        let call = terms.analysis.call(call);
        for (out, &value) in (0u32..).zip(&op.outs) {
            known.insert(
                value,
                terms.add_uncanonical(Term::new(Head::Op { call, out, place: None }, args.iter().copied())),
            );
        }
    }
    match made.get(out as usize).and_then(|value| known.get(value)) {
        Some(&right) => same(terms, term, right),
        None => Vec::new(),
    }
}
