//! Laws that exchange collectives with ops, for searching cheaper collectives.
//!
//! These laws follow from those of layouts and collectives. The latter only prove terms equal to shards of a global
//! value, while these laws add alternative sequences of ops and collectives.
//!
//! Recogniser: a collective without a law remains in its position.

use super::{Equation, Family, FindInstances, Law};
use crate::placement::{Placement, ShardedOperands, moved_placement, operand_factor_axes, result_placements};
use crate::term::{Call, Head, Term, Terms};
use egg::Id;
use partita_ir::dtype::Type;
use partita_ir::layout::Monoid;
use partita_ir::mesh::Axes;
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, ReduceScatter, Shard};
use partita_ir::rule::{FactorKind, Rule};

/// All laws of this family.
pub const LAWS: &[Law] = &[REDUCE_LATER, GATHER_LATER, SCATTER];

/// Returns a law of this family. Both sides are equal in exact arithmetic.
const fn law(name: &'static str, statement: &'static str, find: FindInstances, example: &'static str) -> Law {
    Law { name, family: Family::Rearrangement, statement, exact: false, find, example }
}

/// See [`Law::statement`].
pub const REDUCE_LATER: Law = law(
    "reduce-later",
    "op(all_reduce x, all_reduce y) = all_reduce op(x, y), where op is jointly linear in x and y",
    reduce_later,
    "form explicit
        mesh @m = [a=4]
        input %x : f32[8, 6@a]
        input %y : f32[8, 6@a]
          %p = reduce sum [1] %x : f32[8] sum(a)
          %q = reduce sum [1] %y : f32[8] sum(a)
          %r = all_reduce sum over a %p : f32[8] whole
          %s = all_reduce sum over a %q : f32[8] whole
          %z = sub %r, %s : f32[8] whole
        output %z",
);

/// See [`Law::statement`].
pub const GATHER_LATER: Law = law(
    "gather-later",
    "op(all_gather x, y) = all_gather op(x, shard y), where op is elementwise in that dimension",
    gather_later,
    "form explicit
        mesh @m = [a=4]
        input %x : f32[8@a, 6]
          %g = all_gather dim 0 over a %x : f32[8, 6] whole
          %h = convert %g : bf16[8, 6] whole
        output %h",
);

/// See [`Law::statement`].
pub const SCATTER: Law = law(
    "scatter",
    "shard(all_reduce x) = reduce_scatter x",
    scatter,
    "form explicit
        mesh @m = [a=4]
        input %x : f32[8, 6@a]
          %p = reduce sum [1] %x : f32[8] sum(a)
          %r = all_reduce sum over a %p : f32[8] whole
          %s = shard dim 0 over a %r : f32[8@a]
        output %s",
);

/// Op on shards with one result. The types are those of global values.
struct ShardedOp {
    call: u32,
    kind: OpKind,
    out: Type,
    placement: Placement,
    args: Vec<Id>,
    types: Vec<Type>,
    placements: Vec<Placement>,
}

impl ShardedOp {
    fn from_term(terms: &Terms, term: &Term) -> Option<ShardedOp> {
        let Head::Op { call, out: 0, placement: Some(placement) } = term.head else { return None };
        let Call { kind, outs } = terms.analysis.call_at(call).clone();
        let ([out], false) = (&outs[..], kind.names_axes()) else { return None };
        let operand_data = term.args.iter().map(|&arg| terms[arg].data);
        let placements = operand_data.clone().map(|data| Some(terms.analysis.placement_at(data.placement?).clone()));
        Some(ShardedOp {
            call,
            out: out.clone(),
            placement: terms.analysis.placement_at(placement).clone(),
            args: term.args.to_vec(),
            types: operand_data.map(|data| terms.analysis.type_at(data.ty).clone()).collect(),
            placements: placements.collect::<Option<_>>()?,
            kind,
        })
    }

    fn rule(&self) -> Rule {
        self.kind.rule(&self.types.iter().collect::<Vec<_>>(), &[&self.out])
    }

    /// Returns the op on other shards of the same values, with its placement.
    fn with_operands(&self, terms: &mut Terms, rule: &Rule, args: &[Id]) -> Option<(Id, Placement)> {
        let placements = args.iter().map(|&arg| Some(terms.analysis.placement_at(terms[arg].data.placement?).clone()));
        let placements: Vec<Placement> = placements.collect::<Option<_>>()?;
        let placements: Vec<&Placement> = placements.iter().collect();
        let factors = operand_factor_axes(rule, &placements)?;
        let types: Vec<&Type> = self.types.iter().collect();
        let outs = [self.out.clone()];
        let results = result_placements(
            rule,
            &factors,
            &ShardedOperands { types: &types, placements: &placements },
            &outs,
            self.placement.layout.mesh,
        )?;
        let placement = results.into_iter().next()?;
        let at = Some(terms.analysis.add_placement(placement.clone()));
        let head = Head::Op { call: self.call, out: 0, placement: at };
        Some((terms.add_uncanonical(Term::new(head, args.iter().copied())), placement))
    }
}

/// Returns the result of a collective with its placement, or `None` if the collective does not accept the operand's
/// placement.
fn apply_collective(terms: &mut Terms, kind: OpKind, ty: &Type, arg: Id, from: &Placement) -> Option<(Id, Placement)> {
    let to = moved_placement(&kind, &ty.shape, from)?;
    let call = terms.analysis.add_call(Call { kind, outs: vec![ty.clone()] });
    let placement = Some(terms.analysis.add_placement(to.clone()));
    Some((terms.add_uncanonical(Term::new(Head::Op { call, out: 0, placement }, [arg])), to))
}

/// Returns the collectives in an e-class that satisfy a predicate, with their terms.
fn ops_in_class(terms: &Terms, class: Id, matches_kind: impl Fn(&OpKind) -> bool) -> Vec<(OpKind, Term)> {
    let found = terms[class].iter().filter_map(|node| {
        let Head::Op { call, placement: Some(_), .. } = node.head else { return None };
        let kind = &terms.analysis.call_at(call).kind;
        matches_kind(kind).then(|| (kind.clone(), node.clone()))
    });
    found.collect()
}

fn reduce_later(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Some(op) = ShardedOp::from_term(terms, term) else { return Vec::new() };
    let rule = op.rule();
    let mut found = Vec::new();
    for &set in &rule.linear {
        let Some(first) = (0..op.args.len()).find(|&arg| set.has(arg)) else { continue };
        let sums =
            ops_in_class(terms, op.args[first], |kind| matches!(kind, OpKind::AllReduce(c) if c.monoid == Monoid::Sum));
        for (kind, _) in sums {
            let mut outer = op.args.clone();
            let mut inner = op.args.clone();
            let all = (0..op.args.len()).filter(|&arg| set.has(arg)).all(|arg| {
                let matching = ops_in_class(terms, op.args[arg], |other| *other == kind).into_iter().next();
                let Some((_, sum)) = matching else { return false };
                inner[arg] = sum.args[0];
                outer[arg] = terms.add_uncanonical(sum);
                true
            });
            let late = if all { op.with_operands(terms, &rule, &inner) } else { None };
            let Some((late, placement)) = late else { continue };
            let result = apply_collective(terms, kind, &op.out, late, &placement);
            found.extend(op_equation(terms, term, &op, outer, result));
        }
    }
    found
}

fn gather_later(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Some(op) = ShardedOp::from_term(terms, term) else { return Vec::new() };
    let rule = op.rule();
    let mut found = Vec::new();
    for arg in 0..op.args.len() {
        for (kind, _) in ops_in_class(terms, op.args[arg], |kind| matches!(kind, OpKind::AllGather(_))) {
            let OpKind::AllGather(gather) = &kind else { continue };
            let Some((outer, inner, dim)) = gathered_operands(terms, &op, &rule, arg, gather) else { continue };
            let Some((late, placement)) = op.with_operands(terms, &rule, &inner) else { continue };
            let gather = AllGather { dim, axes: gather.axes.clone() };
            let result = apply_collective(terms, gather.into(), &op.out, late, &placement);
            found.extend(op_equation(terms, term, &op, outer, result));
        }
    }
    found
}

/// Returns two lists of operands for moving an `all_gather` of operand `arg` after the op, and the dimension of the
/// result to gather. In the first list, the operands with that dimension are gathered where the e-graph contains the
/// `all_gather`. In the second list, they are sharded: by removal of the `all_gather`, or else by `shard`. Returns
/// `None` if the op is not elementwise in that dimension.
fn gathered_operands(
    terms: &mut Terms,
    op: &ShardedOp,
    rule: &Rule,
    arg: usize,
    gather: &AllGather,
) -> Option<(Vec<Id>, Vec<Id>, usize)> {
    let [factor] = rule.args[arg].get(gather.dim)?[..] else { return None };
    if rule.kind(factor) != FactorKind::PassThrough {
        return None;
    }
    let dim = rule.outs[0].iter().position(|dim| dim[..] == [factor])?;
    let (mut outer, mut inner) = (op.args.clone(), op.args.clone());
    for other in 0..op.args.len() {
        let Some(at) = rule.args[other].iter().position(|dim| dim.contains(&factor)) else { continue };
        let same = OpKind::from(AllGather { dim: at, axes: gather.axes.clone() });
        inner[other] = match ops_in_class(terms, op.args[other], |kind| *kind == same).into_iter().next() {
            Some((_, gathered)) => {
                let before = gathered.args[0];
                outer[other] = terms.add_uncanonical(gathered);
                before
            }
            None => {
                let cut = Shard { dim: at, axes: gather.axes.clone() };
                apply_collective(terms, cut.into(), &op.types[other], op.args[other], &op.placements[other])?.0
            }
        };
    }
    Some((outer, inner, dim))
}

fn scatter(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, placement: Some(_), .. } = term.head else { return Vec::new() };
    let (OpKind::Shard(cut), &[arg]) = (terms.analysis.call_at(call).kind.clone(), &term.args[..]) else {
        return Vec::new();
    };
    let over = |axes: &Axes| *axes == cut.axes;
    let sums = ops_in_class(terms, arg, |kind| matches!(kind, OpKind::AllReduce(c) if over(&c.axes)));
    let mut found = Vec::new();
    for (kind, sum) in sums {
        let OpKind::AllReduce(reduce) = kind else { continue };
        let data = terms[sum.args[0]].data;
        let Some(from) = data.placement.map(|at| terms.analysis.placement_at(at).clone()) else { continue };
        let ty = terms.analysis.type_at(data.ty).clone();
        let scatter = ReduceScatter { dim: cut.dim, axes: cut.axes.clone(), monoid: reduce.monoid };
        let Some((right, _)) = apply_collective(terms, scatter.into(), &ty, sum.args[0], &from) else { continue };
        let global = terms.add_uncanonical(sum);
        let left = terms.add_uncanonical(Term::new(term.head, [global]));
        found.push(Equation { left, right });
    }
    found
}

/// Returns the equation of an op with the result of a collective, if the placements are equal.
fn op_equation(
    terms: &mut Terms,
    term: &Term,
    op: &ShardedOp,
    args: Vec<Id>,
    result: Option<(Id, Placement)>,
) -> Option<Equation> {
    let (right, placement) = result?;
    (placement == op.placement).then(|| Equation { left: terms.add_uncanonical(Term::new(term.head, args)), right })
}
