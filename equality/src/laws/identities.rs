//! Laws of algebra that remove redundant ops, most of which hold bitwise. The pass `simplify` applies them together
//! with those of [`algebra`](super::algebra).
//!
//! Recogniser: a missing law only prevents simplifications.

use super::algebra::{add_op, equation_with, global_op, ops_in_class, rewrite_through, ty};
use super::{Equation, Family, FindInstances, Law};
use crate::term::{Call, Head, Term, Terms};
use egg::Id;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, BinaryOp, Broadcast, Constant, Literal, Transpose, Unary, UnaryOp};

/// All laws of this family.
pub const LAWS: &[Law] = &[ADD_NEG, SUB_NEG, CONVERT_BACK, REDUCE_NONE, SUM_NONE, TRANSPOSE_LATER];

const fn law(name: &'static str, statement: &'static str, find: FindInstances, example: &'static str) -> Law {
    Law { name, family: Family::Algebra, statement, exact: true, find, example }
}

/// See [`Law::statement`].
pub const ADD_NEG: Law = law(
    "add-neg",
    "x + (-y) = x - y",
    |terms, term| negated_operand(terms, term, BinaryOp::Add, BinaryOp::Sub),
    "form traced
        input %x : f32[3]
        input %y : f32[3]
          %n = neg %y : f32[3]
          %z = add %x, %n : f32[3]
        output %z",
);

/// See [`Law::statement`].
pub const SUB_NEG: Law = law(
    "sub-neg",
    "x - (-y) = x + y",
    |terms, term| negated_operand(terms, term, BinaryOp::Sub, BinaryOp::Add),
    "form traced
        input %x : f32[3]
        input %y : f32[3]
          %n = neg %y : f32[3]
          %z = sub %x, %n : f32[3]
        output %z",
);

/// See [`Law::statement`].
pub const CONVERT_BACK: Law = law(
    "convert-back",
    "convert(convert(x)) = x, where the intermediate type represents every number of the type of x",
    |terms, term| {
        let Some((OpKind::Convert(_), [x], to)) = global_op(terms, term) else { return Vec::new() };
        let between = ty(terms, x).dtype;
        let is_convert = |kind: &OpKind| matches!(kind, OpKind::Convert(_));
        rewrite_through(terms, term, x, is_convert, |terms, inner, _| {
            let source = inner.args[0];
            (ty(terms, source) == to && represents_all_of(between, to.dtype)).then_some(source)
        })
    },
    "form traced
        input %x : bf16[3]
          %y = convert %x : f32[3]
          %z = convert %y : bf16[3]
        output %z",
);

/// See [`Law::statement`].
pub const REDUCE_NONE: Law = law(
    "reduce-none",
    "reduce(x) = x, over no dimensions, except for sums of floats",
    |terms, term| reduced_over_none(terms, term, false),
    "form traced
        input %x : f32[3]
          %z = reduce max [] %x : f32[3]
        output %z",
);

/// See [`Law::statement`].
pub const SUM_NONE: Law = Law {
    exact: false,
    ..law(
        "sum-none",
        "sum(x) = x, over no dimensions (a negative zero would lose its sign)",
        |terms, term| reduced_over_none(terms, term, true),
        "form traced
        input %x : f32[3]
          %z = reduce sum [] %x : f32[3]
        output %z",
    )
};

/// See [`Law::statement`].
pub const TRANSPOSE_LATER: Law = law(
    "transpose-later",
    "op(transpose x, transpose y) = transpose op(x, y), where op is elementwise",
    transpose_later,
    "form traced
        input %x : f32[3, 2]
        input %b : f32[2]
          %y = transpose [1, 0] %x : f32[2, 3]
          %c = broadcast [0] %b : f32[2, 3]
          %z = mul %y, %c : f32[2, 3]
        output %z",
);

/// Returns the equation of a reduction over no dimensions with its operand. A sum of floats starts from zero, which
/// changes the sign of a negative zero.
fn reduced_over_none(terms: &mut Terms, term: &Term, sum_of_floats: bool) -> Vec<Equation> {
    match global_op(terms, term) {
        Some((OpKind::Reduce(reduce), [x], to))
            if reduce.dims.is_empty()
                && ty(terms, x) == to
                && (reduce.monoid == Monoid::Sum && to.dtype.is_float()) == sum_of_floats =>
        {
            equation_with(terms, term, x)
        }
        _ => Vec::new(),
    }
}

/// Returns the equation of a binary op on a negated operand with the opposite op.
fn negated_operand(terms: &mut Terms, term: &Term, op: BinaryOp, other: BinaryOp) -> Vec<Equation> {
    let Some((OpKind::Binary(binary), [x, y], to)) = global_op(terms, term) else { return Vec::new() };
    if binary.op != op {
        return Vec::new();
    }
    let is_neg = |kind: &OpKind| matches!(kind, OpKind::Unary(Unary { op: UnaryOp::Neg }));
    let found = ops_in_class(terms, y, is_neg).into_iter().map(|(neg, _)| {
        let right = add_op(terms, Binary { op: other }, &[x, neg.args[0]], to.clone());
        let neg = terms.add_uncanonical(neg);
        Equation { left: terms.add_uncanonical(Term::new(term.head, [x, neg])), right }
    });
    found.collect()
}

/// Returns true if the type `wide` represents all numbers of the type `narrow`.
fn represents_all_of(wide: DType, narrow: DType) -> bool {
    use DType::{BF16, F16, F32, F64, I8, I32, I64, U8, U32, U64};
    wide == narrow
        || match wide {
            F64 => matches!(narrow, F32 | F16 | BF16 | I32 | I8 | U32 | U8),
            F32 => matches!(narrow, F16 | BF16 | I8 | U8),
            I64 => matches!(narrow, I32 | I8 | U32 | U8),
            U64 => matches!(narrow, U32 | U8),
            I32 => matches!(narrow, I8 | U8),
            U32 => matches!(narrow, U8),
            _ => false,
        }
}

fn transpose_later(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, out: 0, placement: None } = term.head else { return Vec::new() };
    let Call { kind, outs } = terms.analysis.call_at(call).clone();
    let ([out], true) = (&outs[..], kind.is_elementwise()) else { return Vec::new() };
    let is_transpose = |kind: &OpKind| matches!(kind, OpKind::Transpose(_));
    let Some((_, OpKind::Transpose(transpose))) =
        term.args.iter().find_map(|&arg| ops_in_class(terms, arg, is_transpose).into_iter().next())
    else {
        return Vec::new();
    };
    let mut before = vec![0; transpose.perm.len()];
    transpose.perm.iter().zip(out.shape.iter()).for_each(|(&dim, &size)| before[dim] = size);
    let before: Shape = before.into_iter().collect();
    let sides = term
        .args
        .iter()
        .map(|&arg| before_transpose(terms, arg, &transpose, &before))
        .collect::<Option<Vec<(Id, Id)>>>();
    let Some(sides) = sides else { return Vec::new() };
    let (outer, inner): (Vec<Id>, Vec<Id>) = sides.into_iter().unzip();
    let early = add_op(terms, kind, &inner, Type::new(out.dtype, before));
    let right = add_op(terms, transpose, &[early], out.clone());
    vec![Equation { left: terms.add_uncanonical(Term::new(term.head, outer)), right }]
}

/// Returns an operand in its current form, and the operand before the transposition.
fn before_transpose(terms: &mut Terms, arg: Id, transpose: &Transpose, before: &Shape) -> Option<(Id, Id)> {
    let have = ty(terms, arg);
    if have.shape.rank() == 0 {
        return Some((arg, arg));
    }
    let ty = Type::new(have.dtype, before.clone());
    let mut options = ops_in_class(terms, arg, |kind| match kind {
        OpKind::Transpose(other) => other.perm == transpose.perm,
        OpKind::Broadcast(b) => b.dims.iter().map(|&d| transpose.perm[d]).is_sorted(),
        OpKind::Constant(constant) => matches!(constant.value, Literal::Splat(_)),
        _ => false,
    });
    options.sort_unstable_by_key(|(_, kind)| !matches!(kind, OpKind::Transpose(_)));
    let (made, kind) = options.into_iter().next()?;
    let inner = match kind {
        OpKind::Transpose(_) => made.args[0],
        OpKind::Broadcast(b) => {
            let dims = b.dims.iter().map(|&d| transpose.perm[d]).collect();
            add_op(terms, Broadcast { dims }, &made.args, ty)
        }
        OpKind::Constant(Constant { value }) => add_op(terms, Constant { value }, &[], ty),
        _ => return None,
    };
    Some((terms.add_uncanonical(made), inner))
}
