//! Laws of collectives: each changes the placement of a value and preserves the global value.
//!
//! Further identities follow from these laws: an `all_gather` of a `reduce_scatter` is an `all_reduce`, a `shard` of an
//! `all_gather` is the identity, and a sum of two `all_reduce`s is the `all_reduce` of the sum.
//!
//! Recogniser: a collective without a law has no known placement, which makes fewer programs provable, never more.

use super::layouts::shards_equation;
use super::{Equation, Family, FindInstances, Law};
use crate::placement::moved_placement;
use crate::term::{Head, Term, Terms};
use partita_ir::op::OpKind;

/// All laws of this family.
pub const LAWS: &[Law] = &[ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, ALL_TO_ALL, SHARD, PARTIAL];

/// Returns a law of a collective.
const fn law(name: &'static str, statement: &'static str, find: FindInstances, example: &'static str) -> Law {
    Law { name, family: Family::Collective, statement, exact: true, find, example }
}

/// See [`Law::statement`].
pub const ALL_REDUCE: Law = law(
    "all_reduce",
    "all_reduce(part[sum(a)] x) = part x",
    |terms, term| collective_equation(terms, term, |kind| matches!(kind, OpKind::AllReduce(_))),
    "form explicit
        mesh @m = [a=2, b=3]
        input %x : f32[4, 6@a+b]
          %s = reduce sum [1] %x : f32[4] sum(a) sum(b)
          %r = all_reduce sum over b %s : f32[4] sum(a)
          %t = all_reduce sum over a %r : f32[4] whole
        output %t",
);

/// See [`Law::statement`].
pub const REDUCE_SCATTER: Law = law(
    "reduce_scatter",
    "reduce_scatter(part[sum(a)] x) = part[@a] x",
    |terms, term| collective_equation(terms, term, |kind| matches!(kind, OpKind::ReduceScatter(_))),
    "form explicit
        mesh @m = [a=2, b=2]
        input %x : f32[4@b, 6@a]
          %s = reduce sum [1] %x : f32[4@b] sum(a)
          %r = reduce_scatter sum dim 0 over a %s : f32[4@b+a]
        output %r",
);

/// See [`Law::statement`].
pub const ALL_GATHER: Law = law(
    "all_gather",
    "all_gather(part[@a] x) = part x",
    |terms, term| collective_equation(terms, term, |kind| matches!(kind, OpKind::AllGather(_))),
    "form explicit
        mesh @m = [a=2, b=2]
        input %x : f32[8@a+b, 6]
          %g = all_gather dim 0 over b %x : f32[8@a, 6]
        output %g",
);

/// See [`Law::statement`].
pub const ALL_TO_ALL: Law = law(
    "all_to_all",
    "all_to_all(part[@a, _] x) = part[_, @a] x",
    |terms, term| collective_equation(terms, term, |kind| matches!(kind, OpKind::AllToAll(_))),
    "form explicit
        mesh @m = [a=2, b=2]
        input %x : f32[8@b+a, 6]
          %g = all_to_all dim 0 -> dim 1 over a %x : f32[8@b, 6@a]
        output %g",
);

/// See [`Law::statement`].
pub const SHARD: Law = law(
    "shard",
    "shard(part x) = part[@a] x",
    |terms, term| collective_equation(terms, term, |kind| matches!(kind, OpKind::Shard(_))),
    "form explicit
        mesh @m = [a=2, b=2]
        input %x : f32[8@a, 6]
          %g = shard dim 1 over b %x : f32[8@a, 6@b]
        output %g",
);

/// See [`Law::statement`].
pub const PARTIAL: Law = law(
    "partial",
    "partial(part x) = part[sum(a)] x",
    |terms, term| collective_equation(terms, term, |kind| matches!(kind, OpKind::Partial(_))),
    "form explicit
        mesh @m = [a=2]
        input %x : f32[8] whole
          %p = partial over a %x : f32[8] sum(a)
          %g = all_reduce sum over a %p : f32[8] whole
        output %g",
);

/// Returns the equation of a collective with the shards of the same value in the new placement.
fn collective_equation(terms: &mut Terms, term: &Term, matches_kind: fn(&OpKind) -> bool) -> Vec<Equation> {
    let Head::Op { call, placement: Some(placement), .. } = term.head else { return Vec::new() };
    let (kind, &[arg]) = (&terms.analysis.call_at(call).kind, &term.args[..]) else { return Vec::new() };
    let data = terms[arg].data;
    let (Some(from), Some(global), true) = (data.placement, data.global, matches_kind(kind)) else { return Vec::new() };
    let shape = &terms.analysis.type_at(data.ty).shape;
    let to = moved_placement(kind, shape, terms.analysis.placement_at(from));
    if to.as_ref() != Some(terms.analysis.placement_at(placement)) {
        return Vec::new();
    }
    vec![shards_equation(terms, term.head, &[(from, global)], (placement, global))]
}
