//! Laws of layouts: an op on shards yields shards of the op's result on global values, by the op's sharding rule. Masks
//! change only padding, zeros may be partial sums over any axes, and loops preserve the placements of their carried
//! values.
//!
//! Recogniser: a missing law makes fewer programs provable, never more.

use super::{Equation, Family, Law};
use crate::placement::{Placement, ShardedOperands, operand_factor_axes, result_placements};
use crate::term::{Call, ClassData, Head, Term, TermAnalysis, Terms};
use egg::Id;
use partita_ir::dtype::Type;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::rule::Rule;

/// All laws of this family.
pub const LAWS: &[Law] = &[SPLIT, MASK, ZERO, LOOP];

/// See [`Law::statement`].
pub const SPLIT: Law = Law {
    name: "split",
    family: Family::Layout,
    statement: "op(part x, part y) = part op(x, y), where the op's sharding rule allows this placement",
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

/// See [`Law::statement`].
pub const MASK: Law = Law {
    name: "mask",
    family: Family::Layout,
    statement: "mask(part x) = part x, where the padding of the result contains the fill value",
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

/// See [`Law::statement`].
pub const ZERO: Law = Law {
    name: "zero",
    family: Family::Layout,
    statement: "zero everywhere = part[sum(a)] of zero",
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

/// See [`Law::statement`].
pub const LOOP: Law = Law {
    name: "loop",
    family: Family::Layout,
    statement: "loop(part x, part y) = part loop(x, y), where its body preserves these placements",
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
    let Head::Op { call, out, placement: Some(placement) } = term.head else { return Vec::new() };
    let operand_data = term.args.iter().map(|&arg| terms[arg].data);
    let Some(shards) =
        operand_data.map(|data| Some((data.placement?, data.global?))).collect::<Option<Vec<(u32, Id)>>>()
    else {
        return Vec::new();
    };
    let placements: Vec<u32> = shards.iter().map(|&(placement, _)| placement).collect();
    if !terms.analysis.is_invariant_loop(call, &placements) || placements.get(out as usize) != Some(&placement) {
        return Vec::new();
    }
    let global = Term::new(Head::Op { call, out, placement: None }, shards.iter().map(|&(_, global)| global));
    let global = terms.add_uncanonical(global);
    vec![shards_equation(terms, term.head, &shards, (placement, global))]
}

fn zero(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, out: 0, placement: Some(placement) } = term.head else { return Vec::new() };
    let pending = &terms.analysis.placement_at(placement).layout.partial;
    let sums = !pending.is_empty() && pending.iter().all(|(_, monoid)| *monoid == Monoid::Sum);
    if !sums || !terms.analysis.call_at(call).is_zero() {
        return Vec::new();
    }
    let global = terms.add_uncanonical(Term::leaf(Head::Op { call, out: 0, placement: None }));
    vec![shards_equation(terms, term.head, &[], (placement, global))]
}

fn split(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, out, placement: Some(placement) } = term.head else { return Vec::new() };
    let kind = &terms.analysis.call_at(call).kind;
    if kind.names_axes() || kind.control().is_some() {
        return Vec::new();
    }
    let operand_data: Vec<ClassData> = term.args.iter().map(|&arg| terms[arg].data).collect();
    let shards = operand_data.iter().map(|data| Some((data.placement?, data.global?)));
    let Some(shards) = shards.collect::<Option<Vec<(u32, Id)>>>() else { return Vec::new() };
    if !is_split(&terms.analysis, call, out, placement, &operand_data) {
        return Vec::new();
    }
    let global = Term::new(Head::Op { call, out, placement: None }, shards.iter().map(|&(_, global)| global));
    let global = terms.add_uncanonical(global);
    vec![shards_equation(terms, term.head, &shards, (placement, global))]
}

/// Returns true if the op's result has this placement for operands with the given placements.
fn is_split(analysis: &TermAnalysis, call: u32, out: u32, placement: u32, args: &[ClassData]) -> bool {
    let Some(mesh) = args
        .iter()
        .filter_map(|arg| Some(analysis.placement_at(arg.placement?).layout.mesh))
        .next()
        .or(Some(analysis.placement_at(placement).layout.mesh))
    else {
        return false;
    };
    let Call { kind, outs } = analysis.call_at(call);
    let types: Vec<&Type> = args.iter().map(|arg| analysis.type_at(arg.ty)).collect();
    let Some(placements) =
        args.iter().map(|arg| Some(analysis.placement_at(arg.placement?))).collect::<Option<Vec<&Placement>>>()
    else {
        return false;
    };
    let rule = kind.rule(&types, &outs.iter().collect::<Vec<_>>());
    let placement = analysis.placement_at(placement);
    let Some(factors) = assigned_factor_axes(&rule, &placements, placement, outs.len()) else { return false };
    let results =
        result_placements(&rule, &factors, &ShardedOperands { types: &types, placements: &placements }, outs, mesh);
    results.is_some_and(|results| results.get(out as usize) == Some(placement))
}

/// Returns the axes of the factors, as determined by the operands and, for an op with one result, by the result.
fn assigned_factor_axes(
    rule: &Rule,
    args: &[&Placement],
    out: &Placement,
    outs: usize,
) -> Option<partita_ir::rule::FactorAxes> {
    if outs > 1 {
        return operand_factor_axes(rule, args);
    }
    let all = args.iter().copied().chain([out]).map(|placement| &placement.layout);
    let assigned = rule.infer_factor_axes(all);
    assigned.exact.then_some(assigned.factors)
}

fn mask(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, placement: Some(placement), .. } = term.head else { return Vec::new() };
    let OpKind::Mask(mask) = &terms.analysis.call_at(call).kind else { return Vec::new() };
    let data = terms[term.args[0]].data;
    let (Some(from_at), Some(global)) = (data.placement, data.global) else { return Vec::new() };
    let shape = &terms.analysis.type_at(data.ty).shape;
    let from = terms.analysis.placement_at(from_at);
    let is_same_dim = from.layout.dims.get(mask.dim).is_some_and(|dim| dim.axes == mask.axes)
        && shape.get(mask.dim) == Some(&mask.size);
    if !is_same_dim || from.clone().with_padding(shape, mask.dim, mask.fill) != *terms.analysis.placement_at(placement)
    {
        return Vec::new();
    }
    vec![shards_equation(terms, term.head, &[(from_at, global)], (placement, global))]
}

/// Returns the equation of an op on shards of global values with the shards of a global value. Each pair consists of
/// the index of a placement and the e-class of a global value.
pub(super) fn shards_equation(terms: &mut Terms, op: Head, args: &[(u32, Id)], result: (u32, Id)) -> Equation {
    let mut part =
        |&(placement, global): &(u32, Id)| terms.add_uncanonical(Term::new(Head::Shards(placement), [global]));
    let args: Vec<Id> = args.iter().map(&mut part).collect();
    let right = part(&result);
    Equation { left: terms.add_uncanonical(Term::new(op, args)), right }
}
