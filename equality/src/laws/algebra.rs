//! Laws of algebra on global values.
//!
//! Most laws hold bitwise. Laws that hold only in exact arithmetic are marked so, as is every sharded sum, since a
//! partitioned program adds in another order than one device.
//!
//! Recogniser: a missing law makes fewer programs provable, never more.

use super::{Equation, Family, FindInstances, Law};
use crate::term::{Call, Head, Term, Terms};
use egg::Id;
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, BinaryOp, Broadcast, Constant, Literal, Reduce, Reshape, Transpose, Unary, UnaryOp};
use partita_ir::program::{Program, Values};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// All laws of this family.
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

/// Returns a law that holds bitwise.
const fn exact(name: &'static str, statement: &'static str, find: FindInstances, example: &'static str) -> Law {
    Law { name, family: Family::Algebra, statement, exact: true, find, example }
}

/// Returns a law that holds in exact arithmetic.
const fn real(name: &'static str, statement: &'static str, find: FindInstances, example: &'static str) -> Law {
    Law { name, family: Family::Algebra, statement, exact: false, find, example }
}

/// See [`Law::statement`].
pub const COMMUTE: Law = exact(
    "commute",
    "x + y = y + x, likewise for products, `and` and `or`",
    |terms, term| {
        let Some((OpKind::Binary(Binary { op }), [x, y], _)) = global_op(terms, term) else { return Vec::new() };
        if !matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or) {
            return Vec::new();
        }
        let right = terms.add_uncanonical(Term::new(term.head, [y, x]));
        equation_with(terms, term, right)
    },
    "form traced
        input %x : f32[3]
        input %y : f32[3]
          %z = mul %x, %y : f32[3]
        output %z",
);

/// See [`Law::statement`].
pub const ADD_ZERO: Law = real(
    "add-zero",
    "x + 0 = x (a negative zero would lose its sign)",
    |terms, term| neutral_operand(terms, term, BinaryOp::Add, 0.0),
    "form traced
        input %x : f32[3]
          %c = constant 0.0 : f32[3]
          %z = add %x, %c : f32[3]
        output %z",
);

/// See [`Law::statement`].
pub const SUB_ZERO: Law = exact(
    "sub-zero",
    "x - 0 = x",
    |terms, term| neutral_operand(terms, term, BinaryOp::Sub, 0.0),
    "form traced
        input %x : f32[3]
          %c = constant 0.0 : f32[3]
          %z = sub %x, %c : f32[3]
        output %z",
);

/// See [`Law::statement`].
pub const MUL_ONE: Law = exact(
    "mul-one",
    "x * 1 = x",
    |terms, term| neutral_operand(terms, term, BinaryOp::Mul, 1.0),
    "form traced
        input %x : f32[3]
          %c = constant 1.0 : f32[]
          %d = broadcast [] %c : f32[3]
          %z = mul %x, %d : f32[3]
        output %z",
);

/// See [`Law::statement`].
pub const DIV_ONE: Law = exact(
    "div-one",
    "x / 1 = x",
    |terms, term| neutral_operand(terms, term, BinaryOp::Div, 1.0),
    "form traced
        input %x : f32[3]
          %c = constant 1.0 : f32[3]
          %z = div %x, %c : f32[3]
        output %z",
);

/// See [`Law::statement`].
pub const NEG_NEG: Law = exact(
    "neg-neg",
    "-(-x) = x",
    |terms, term| {
        let is_neg = |kind: &OpKind| matches!(kind, OpKind::Unary(Unary { op: UnaryOp::Neg }));
        match global_op(terms, term) {
            Some((kind, [x], _)) if is_neg(&kind) => {
                rewrite_through(terms, term, x, is_neg, |_, inner, _| Some(inner.args[0]))
            }
            _ => Vec::new(),
        }
    },
    "form traced
        input %x : f32[3]
          %y = neg %x : f32[3]
          %z = neg %y : f32[3]
        output %z",
);

/// See [`Law::statement`].
pub const RESHAPE_SAME: Law = exact(
    "reshape-same",
    "reshape(x) = x, to the shape of x",
    |terms, term| match global_op(terms, term) {
        Some((OpKind::Reshape(_), [x], to)) if ty(terms, x) == to => equation_with(terms, term, x),
        _ => Vec::new(),
    },
    "form traced
        input %x : f32[3, 2]
          %z = reshape %x : f32[3, 2]
        output %z",
);

/// See [`Law::statement`].
pub const RESHAPE_TWICE: Law = exact(
    "reshape-twice",
    "reshape(reshape(x)) = reshape(x)",
    |terms, term| {
        let Some((OpKind::Reshape(_), [x], to)) = global_op(terms, term) else { return Vec::new() };
        let is_reshape = |kind: &OpKind| matches!(kind, OpKind::Reshape(_));
        rewrite_through(terms, term, x, is_reshape, |terms, inner, _| {
            Some(add_op(terms, Reshape {}, &inner.args, to.clone()))
        })
    },
    "form traced
        input %x : f32[3, 4]
          %y = reshape %x : f32[12]
          %z = reshape %y : f32[2, 6]
        output %z",
);

/// See [`Law::statement`].
pub const TRANSPOSE_SAME: Law = exact(
    "transpose-same",
    "transpose(x) = x, in the order of x",
    |terms, term| match global_op(terms, term) {
        Some((OpKind::Transpose(t), [x], _)) if t.perm.iter().copied().eq(0..t.perm.len()) => {
            equation_with(terms, term, x)
        }
        _ => Vec::new(),
    },
    "form traced
        input %x : f32[3, 2]
          %z = transpose [0, 1] %x : f32[3, 2]
        output %z",
);

/// See [`Law::statement`].
pub const TRANSPOSE_TWICE: Law = exact(
    "transpose-twice",
    "transpose(transpose(x)) = transpose(x)",
    |terms, term| {
        let Some((OpKind::Transpose(last), [x], to)) = global_op(terms, term) else { return Vec::new() };
        let is_transpose = |kind: &OpKind| matches!(kind, OpKind::Transpose(_));
        rewrite_through(terms, term, x, is_transpose, |terms, inner, kind| {
            let OpKind::Transpose(first) = kind else { return None };
            let perm = last.perm.iter().map(|&d| first.perm[d]).collect();
            Some(add_op(terms, Transpose { perm }, &inner.args, to.clone()))
        })
    },
    "form traced
        input %x : f32[3, 2, 4]
          %y = transpose [2, 0, 1] %x : f32[4, 3, 2]
          %z = transpose [1, 0, 2] %y : f32[3, 4, 2]
        output %z",
);

/// See [`Law::statement`].
pub const BROADCAST_SAME: Law = exact(
    "broadcast-same",
    "broadcast(x) = x, to the shape of x",
    |terms, term| match global_op(terms, term) {
        Some((OpKind::Broadcast(b), [x], to)) if ty(terms, x) == to && b.dims.iter().copied().eq(0..b.dims.len()) => {
            equation_with(terms, term, x)
        }
        _ => Vec::new(),
    },
    "form traced
        input %x : f32[3, 2]
          %z = broadcast [0, 1] %x : f32[3, 2]
        output %z",
);

/// See [`Law::statement`].
pub const BROADCAST_TWICE: Law = exact(
    "broadcast-twice",
    "broadcast(broadcast(x)) = broadcast(x)",
    |terms, term| {
        let Some((OpKind::Broadcast(last), [x], to)) = global_op(terms, term) else { return Vec::new() };
        let is_broadcast = |kind: &OpKind| matches!(kind, OpKind::Broadcast(_));
        rewrite_through(terms, term, x, is_broadcast, |terms, inner, kind| {
            let OpKind::Broadcast(first) = kind else { return None };
            let dims = first.dims.iter().map(|&d| last.dims[d]).collect();
            Some(add_op(terms, Broadcast { dims }, &inner.args, to.clone()))
        })
    },
    "form traced
        input %x : f32[3]
          %y = broadcast [1] %x : f32[2, 3]
          %z = broadcast [0, 2] %y : f32[2, 4, 3]
        output %z",
);

/// See [`Law::statement`].
pub const BROADCAST_RESHAPED: Law = exact(
    "broadcast-reshaped",
    "broadcast(reshape(x)) = broadcast(x), where the reshape only adds dimensions of size 1",
    |terms, term| {
        let Some((OpKind::Broadcast(last), [x], to)) = global_op(terms, term) else { return Vec::new() };
        let shape = ty(terms, x).shape;
        // Dimensions of size 1 are repeated in any position, so that only the others matter.
        let dims: Vec<usize> = shape.iter().zip(&last.dims).filter(|(n, _)| **n != 1).map(|(_, &d)| d).collect();
        let is_reshape = |kind: &OpKind| matches!(kind, OpKind::Reshape(_));
        rewrite_through(terms, term, x, is_reshape, |terms, inner, _| {
            let before = ty(terms, inner.args[0]).shape;
            let same = before.iter().eq(shape.iter().filter(|n| **n != 1));
            same.then(|| add_op(terms, Broadcast { dims: dims.iter().copied().collect() }, &inner.args, to.clone()))
        })
    },
    "form traced
        input %x : f32[3]
          %y = reshape %x : f32[1, 3]
          %z = broadcast [0, 1] %y : f32[2, 3]
        output %z",
);

/// See [`Law::statement`].
pub const CONVERT_SAME: Law = exact(
    "convert-same",
    "convert(x) = x, to the type of x",
    |terms, term| match global_op(terms, term) {
        Some((OpKind::Convert(_), [x], to)) if ty(terms, x) == to => equation_with(terms, term, x),
        _ => Vec::new(),
    },
    "form traced
        input %x : f32[3]
          %z = convert %x : f32[3]
        output %z",
);

/// See [`Law::statement`].
pub const REDUCE_TWICE: Law = real(
    "reduce-twice",
    "reduce(reduce(x)) = reduce(x), over all their dimensions",
    |terms, term| {
        let Some((OpKind::Reduce(last), [x], to)) = global_op(terms, term) else { return Vec::new() };
        let is_same = |kind: &OpKind| matches!(kind, OpKind::Reduce(r) if r.monoid == last.monoid);
        rewrite_through(terms, term, x, is_same, |terms, inner, kind| {
            let OpKind::Reduce(first) = kind else { return None };
            let rank = ty(terms, inner.args[0]).shape.rank();
            let kept: Vec<usize> = (0..rank).filter(|d| !first.dims.contains(d)).collect();
            let gone = |d: &usize| first.dims.contains(d) || last.dims.iter().any(|&l| kept[l] == *d);
            let dims = (0..rank).filter(gone).collect();
            Some(add_op(terms, Reduce { monoid: last.monoid, dims }, &inner.args, to.clone()))
        })
    },
    "form traced
        input %x : f32[3, 2, 4]
          %y = reduce sum [1] %x : f32[3, 4]
          %z = reduce sum [0] %y : f32[4]
        output %z",
);

/// See [`Law::statement`].
pub const COMPOSITE: Law = real(
    "decompose",
    "a composite op equals its decomposition",
    decompose,
    "form traced
        input %x : f32[3, 4]
          %z = softmax dim 1 %x : f32[3, 4]
        output %z",
);

/// Returns the op, operands and result type of a term, if the term is an op on global values with `N` operands.
pub(super) fn global_op<const N: usize>(terms: &Terms, term: &Term) -> Option<(OpKind, [Id; N], Type)> {
    let Head::Op { call, out: 0, placement: None } = term.head else { return None };
    let args = <[Id; N]>::try_from(&term.args[..]).ok()?;
    let Call { kind, outs } = terms.analysis.call_at(call);
    Some((kind.clone(), args, outs[0].clone()))
}

/// Returns the equation of a term with another one.
pub(super) fn equation_with(terms: &mut Terms, term: &Term, right: Id) -> Vec<Equation> {
    vec![Equation { left: terms.add_uncanonical(term.clone()), right }]
}

/// Returns the terms of an e-class whose op satisfies a predicate.
pub(super) fn ops_in_class(terms: &Terms, class: Id, matches_kind: impl Fn(&OpKind) -> bool) -> Vec<(Term, OpKind)> {
    let made = terms[class].iter().filter_map(|node| {
        let Head::Op { call, out: 0, placement: None } = node.head else { return None };
        let kind = &terms.analysis.call_at(call).kind;
        matches_kind(kind).then(|| (node.clone(), kind.clone()))
    });
    made.collect()
}

/// Returns an equation for each op in the e-class of the operand `x` that satisfies a predicate; `right` returns the
/// right side.
pub(super) fn rewrite_through(
    terms: &mut Terms,
    term: &Term,
    x: Id,
    matches_kind: impl Fn(&OpKind) -> bool,
    right: impl Fn(&mut Terms, &Term, OpKind) -> Option<Id>,
) -> Vec<Equation> {
    let found = ops_in_class(terms, x, matches_kind).into_iter().filter_map(|(inner, kind)| {
        let right = right(terms, &inner, kind)?;
        let inner = terms.add_uncanonical(inner);
        Some(Equation { left: terms.add_uncanonical(Term::new(term.head, [inner])), right })
    });
    found.collect()
}

pub(super) fn ty(terms: &Terms, class: Id) -> Type {
    terms.analysis.type_at(terms[class].data.ty).clone()
}

pub(super) fn add_op(terms: &mut Terms, kind: impl Into<OpKind>, args: &[Id], ty: Type) -> Id {
    let call = terms.analysis.add_call(Call { kind: kind.into(), outs: vec![ty] });
    terms.add_uncanonical(Term::new(Head::Op { call, out: 0, placement: None }, args.iter().copied()))
}

/// Returns the equation of a binary op with its first operand if the second one is a neutral constant.
fn neutral_operand(terms: &mut Terms, term: &Term, op: BinaryOp, number: f64) -> Vec<Equation> {
    match global_op(terms, term) {
        Some((OpKind::Binary(b), [x, y], _)) if b.op == op => {
            let Some(number) = splat_constant(terms, y, number) else { return Vec::new() };
            vec![Equation { left: terms.add_uncanonical(Term::new(term.head, [x, number])), right: x }]
        }
        _ => Vec::new(),
    }
}

/// Returns the term of a constant that equals `number` everywhere, possibly broadcast.
fn splat_constant(terms: &mut Terms, class: Id, number: f64) -> Option<Id> {
    let is_splat = |kind: &OpKind| match kind {
        OpKind::Constant(Constant { value: Literal::Splat(x) }) => *x == Scalar::Float(number),
        _ => false,
    };
    if let Some((constant, _)) = ops_in_class(terms, class, is_splat).into_iter().next() {
        return Some(terms.add_uncanonical(constant));
    }
    let repeated = ops_in_class(terms, class, |kind| matches!(kind, OpKind::Broadcast(_)));
    repeated.into_iter().find_map(|(broadcast, _)| {
        let (constant, _) = ops_in_class(terms, broadcast.args[0], is_splat).into_iter().next()?;
        let constant = terms.add_uncanonical(constant);
        Some(terms.add_uncanonical(Term::new(broadcast.head, [constant])))
    })
}

/// Returns the equation of a composite op with its decomposition.
fn decompose(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, out, placement: None } = term.head else { return Vec::new() };
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
        let call = terms.analysis.add_call(call);
        for (out, &value) in (0u32..).zip(&op.outs) {
            known.insert(
                value,
                terms.add_uncanonical(Term::new(Head::Op { call, out, placement: None }, args.iter().copied())),
            );
        }
    }
    match made.get(out as usize).and_then(|value| known.get(value)) {
        Some(&right) => equation_with(terms, term, right),
        None => Vec::new(),
    }
}
