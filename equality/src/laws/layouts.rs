//! Laws of layouts: an op on parts is the part of the op on whole values, by the op's own rule.
//!
//! Recogniser: terms to which no law applies are not made equal, so that less is proved, never more.

use super::{Equation, Family, Law};
use crate::place::{Parts, Place, factors_of, results};
use crate::term::{Call, Head, Meaning, Sort, Term, Terms};
use egg::Id;
use partita_ir::dtype::Type;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::rule::Rule;

/// The laws.
pub const LAWS: &[Law] = &[SPLIT, MASK, ZERO, LOOP];

/// See [`Law::says`].
pub const SPLIT: Law = Law {
    name: "split",
    family: Family::Layout,
    says: "op(part x, part y) = part op(x, y), where the op's rule allows that split",
    exact: false,
    find: split,
    example: "form explicit
        mesh @m = [a=2, b=2]
        input %x : f32[4@a, 6@b]
        input %y : f32[6@b, 8]
          %z = matmul %x, %y : f32[4@a, 8] sum(b)
          %r = all_reduce sum over b %z : f32[4@a, 8]
        output %r",
};

/// See [`Law::says`].
pub const MASK: Law = Law {
    name: "mask",
    family: Family::Layout,
    says: "mask(part x) = part x, with that in its padding",
    exact: true,
    find: mask,
    example: "form local
        mesh @m = [a=2]
        input %x : f32[5@a, 4]
          %m = mask zero dim 0 of 5 over a %x : f32[3, 4]
          %s = reduce sum [0] %m : f32[4]
          %r = all_reduce sum over a %s : f32[4] whole
        output %r",
};

/// See [`Law::says`].
pub const ZERO: Law = Law {
    name: "zero",
    family: Family::Layout,
    says: "zero everywhere = part[sum(a)] of zero",
    exact: true,
    find: zero,
    example: "form explicit
        mesh @m = [a=2]
        input %x : f32[6@a, 3]
          %c = constant 0.0 : f32[3] sum(a)
          %s = reduce sum [0] %x : f32[3] sum(a)
          %z = add %c, %s : f32[3] sum(a)
          %r = all_reduce sum over a %z : f32[3] whole
        output %r",
};

/// See [`Law::says`].
pub const LOOP: Law = Law {
    name: "loop",
    family: Family::Layout,
    says: "loop(part x, part y) = part loop(x, y), where its body takes any parts at these places to parts at the same \
           ones",
    exact: true,
    find: looped,
    example: "form planned
        mesh @m = [a=2]
        func @body(%s: f32[3] whole, %x: f32[6@a, 3]) {
          %r = reduce sum [0] %x : f32[3] whole
          %t = add %s, %r : f32[3] whole
          return %t \"t\", %x \"x\"
        }
        input %x : f32[6@a, 3]
          %z = constant 0.0 : f32[3] whole
          %s, %y = loop 4 of @body %z, %x : f32[3] whole, f32[6@a, 3]
        output %s",
};

fn looped(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, out, place: Some(place) } = term.head else { return Vec::new() };
    let sorts = term.args.iter().map(|&arg| terms[arg].data);
    let Some(parts) = sorts.map(|sort| Some((sort.place?, sort.whole?))).collect::<Option<Vec<(u32, Id)>>>() else {
        return Vec::new();
    };
    let places: Vec<u32> = parts.iter().map(|&(place, _)| place).collect();
    if !terms.analysis.is_shown(call, &places) || places.get(out as usize) != Some(&place) {
        return Vec::new();
    }
    let whole = Term::new(Head::Op { call, out, place: None }, parts.iter().map(|&(_, whole)| whole));
    let whole = terms.add_uncanonical(whole);
    vec![part_of(terms, term.head, &parts, (place, whole))]
}

fn zero(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, out: 0, place: Some(place) } = term.head else { return Vec::new() };
    let pending = &terms.analysis.place_at(place).layout.pending;
    let sums = !pending.is_empty() && pending.iter().all(|(_, monoid)| *monoid == Monoid::Sum);
    if !sums || !terms.analysis.call_at(call).is_zero() {
        return Vec::new();
    }
    let whole = terms.add_uncanonical(Term::leaf(Head::Op { call, out: 0, place: None }));
    vec![part_of(terms, term.head, &[], (place, whole))]
}

fn split(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, out, place: Some(place) } = term.head else { return Vec::new() };
    let kind = &terms.analysis.call_at(call).kind;
    if kind.names_axes() || kind.func().is_some() {
        return Vec::new();
    }
    let sorts: Vec<Sort> = term.args.iter().map(|&arg| terms[arg].data).collect();
    let parts = sorts.iter().map(|sort| Some((sort.place?, sort.whole?)));
    let Some(parts) = parts.collect::<Option<Vec<(u32, Id)>>>() else { return Vec::new() };
    if !is_split(&terms.analysis, call, out, place, &sorts) {
        return Vec::new();
    }
    let whole = Term::new(Head::Op { call, out, place: None }, parts.iter().map(|&(_, whole)| whole));
    let whole = terms.add_uncanonical(whole);
    vec![part_of(terms, term.head, &parts, (place, whole))]
}

/// Whether the op leaves its result there when its operands lie where they do.
fn is_split(meaning: &Meaning, call: u32, out: u32, place: u32, args: &[Sort]) -> bool {
    let Some(mesh) = args
        .iter()
        .filter_map(|arg| Some(meaning.place_at(arg.place?).layout.mesh))
        .next()
        .or(Some(meaning.place_at(place).layout.mesh))
    else {
        return false;
    };
    let Call { kind, outs } = meaning.call_at(call);
    let types: Vec<&Type> = args.iter().map(|arg| meaning.type_at(arg.ty)).collect();
    let Some(places) = args.iter().map(|arg| Some(meaning.place_at(arg.place?))).collect::<Option<Vec<&Place>>>()
    else {
        return false;
    };
    let rule = kind.rule(&types, &outs.iter().collect::<Vec<_>>());
    let place = meaning.place_at(place);
    let Some(factors) = split_with(&rule, &places, place, outs.len()) else { return false };
    let left = results(&rule, &factors, &Parts { types: &types, places: &places }, outs, mesh);
    left.is_some_and(|left| left.get(out as usize) == Some(place))
}

/// The axes of factors, by operands and, where it is the only one, by the result.
fn split_with(rule: &Rule, args: &[&Place], out: &Place, outs: usize) -> Option<partita_ir::rule::FactorAxes> {
    if outs > 1 {
        return factors_of(rule, args);
    }
    let all = args.iter().copied().chain([out]).map(|place| &place.layout);
    let assigned = rule.assign(all);
    assigned.exact.then_some(assigned.factors)
}

fn mask(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, place: Some(place), .. } = term.head else { return Vec::new() };
    let OpKind::Mask(mask) = &terms.analysis.call_at(call).kind else { return Vec::new() };
    let sort = terms[term.args[0]].data;
    let (Some(from_at), Some(whole)) = (sort.place, sort.whole) else { return Vec::new() };
    let shape = &terms.analysis.type_at(sort.ty).shape;
    let from = terms.analysis.place_at(from_at);
    let is_its = from.layout.dims.get(mask.dim).is_some_and(|dim| dim.axes == mask.axes)
        && shape.get(mask.dim) == Some(&mask.size);
    if !is_its || from.clone().filled(shape, mask.dim, mask.fill) != *terms.analysis.place_at(place) {
        return Vec::new();
    }
    vec![part_of(terms, term.head, &[(from_at, whole)], (place, whole))]
}

/// That an op on those parts, each the part of a whole at a place, is that part.
pub(super) fn part_of(terms: &mut Terms, op: Head, args: &[(u32, Id)], result: (u32, Id)) -> Equation {
    let mut part = |&(place, whole): &(u32, Id)| terms.add_uncanonical(Term::new(Head::Part(place), [whole]));
    let args: Vec<Id> = args.iter().map(&mut part).collect();
    let right = part(&result);
    Equation { left: terms.add_uncanonical(Term::new(op, args)), right }
}
