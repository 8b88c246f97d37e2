//! Laws of collectives: each takes the part of a value from one place to another, and leaves the value what it is.
//!
//! All that is known of collectives besides follows from these: an `all_gather` of a `reduce_scatter` is an
//! `all_reduce`, a `shard` of an `all_gather` nothing, a sum of two `all_reduce`s the `all_reduce` of the sum.
//!
//! Recogniser: a collective without a law takes its operand to no known place, so that less is proved, never more.

use super::layouts::part_of;
use super::{Equation, Family, Find, Law};
use crate::place::moved;
use crate::term::{Head, Term, Terms};
use partita_ir::op::OpKind;

/// The laws.
pub const LAWS: &[Law] = &[ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, ALL_TO_ALL, SHARD, PARTIAL];

/// A law of one kind of collective.
const fn law(name: &'static str, says: &'static str, find: Find, example: &'static str) -> Law {
    Law { name, family: Family::Collective, says, exact: true, find, example }
}

/// See [`Law::says`].
pub const ALL_REDUCE: Law = law(
    "all_reduce",
    "all_reduce(part[sum(a)] x) = part x",
    |terms, term| take(terms, term, |kind| matches!(kind, OpKind::AllReduce(_))),
    "form explicit
        mesh @m = [a=2, b=3]
        input %x : f32[4, 6@a+b]
          %s = reduce sum [1] %x : f32[4] sum(a) sum(b)
          %r = all_reduce sum over b %s : f32[4] sum(a)
          %t = all_reduce sum over a %r : f32[4] whole
        output %t",
);

/// See [`Law::says`].
pub const REDUCE_SCATTER: Law = law(
    "reduce_scatter",
    "reduce_scatter(part[sum(a)] x) = part[@a] x",
    |terms, term| take(terms, term, |kind| matches!(kind, OpKind::ReduceScatter(_))),
    "form explicit
        mesh @m = [a=2, b=2]
        input %x : f32[4@b, 6@a]
          %s = reduce sum [1] %x : f32[4@b] sum(a)
          %r = reduce_scatter sum dim 0 over a %s : f32[4@b+a]
        output %r",
);

/// See [`Law::says`].
pub const ALL_GATHER: Law = law(
    "all_gather",
    "all_gather(part[@a] x) = part x",
    |terms, term| take(terms, term, |kind| matches!(kind, OpKind::AllGather(_))),
    "form explicit
        mesh @m = [a=2, b=2]
        input %x : f32[8@a+b, 6]
          %g = all_gather dim 0 over b %x : f32[8@a, 6]
        output %g",
);

/// See [`Law::says`].
pub const ALL_TO_ALL: Law = law(
    "all_to_all",
    "all_to_all(part[@a, _] x) = part[_, @a] x",
    |terms, term| take(terms, term, |kind| matches!(kind, OpKind::AllToAll(_))),
    "form explicit
        mesh @m = [a=2, b=2]
        input %x : f32[8@b+a, 6]
          %g = all_to_all dim 0 -> dim 1 over a %x : f32[8@b, 6@a]
        output %g",
);

/// See [`Law::says`].
pub const SHARD: Law = law(
    "shard",
    "shard(part x) = part[@a] x",
    |terms, term| take(terms, term, |kind| matches!(kind, OpKind::Shard(_))),
    "form explicit
        mesh @m = [a=2, b=2]
        input %x : f32[8@a, 6]
          %g = shard dim 1 over b %x : f32[8@a, 6@b]
        output %g",
);

/// See [`Law::says`].
pub const PARTIAL: Law = law(
    "partial",
    "partial(part x) = part[sum(a)] x",
    |terms, term| take(terms, term, |kind| matches!(kind, OpKind::Partial(_))),
    "form explicit
        mesh @m = [a=2]
        input %x : f32[8] whole
          %p = partial over a %x : f32[8] sum(a)
          %g = all_reduce sum over a %p : f32[8] whole
        output %g",
);

/// What is taken from place to place, where the op takes it.
fn take(terms: &mut Terms, term: &Term, is: fn(&OpKind) -> bool) -> Vec<Equation> {
    let Head::Op { call, place: Some(place), .. } = term.head else { return Vec::new() };
    let (kind, &[arg]) = (&terms.analysis.call_at(call).kind, &term.args[..]) else { return Vec::new() };
    let sort = terms[arg].data;
    let (Some(from), Some(whole), true) = (sort.place, sort.whole, is(kind)) else { return Vec::new() };
    let shape = &terms.analysis.type_at(sort.ty).shape;
    let to = moved(kind, shape, terms.analysis.place_at(from));
    if to.as_ref() != Some(terms.analysis.place_at(place)) {
        return Vec::new();
    }
    vec![part_of(terms, term.head, &[(from, whole)], (place, whole))]
}
