//! Laws that move a collective to the other side of an op: what is searched when collectives are to become cheaper.
//!
//! None of them says anything that the laws of layouts and collectives do not: both sides are the same part. They are
//! here because those recognise terms and make no new ones.
//!
//! Recogniser: a collective that no law moves stays where it is.

use super::{Equation, Family, Find, Law};
use crate::place::{Parts, Place, factors_of, moved, results};
use crate::term::{Call, Head, Term, Terms};
use egg::Id;
use partita_ir::dtype::Type;
use partita_ir::layout::Monoid;
use partita_ir::mesh::Axes;
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, ReduceScatter, Shard};
use partita_ir::rule::{FactorKind, Rule};

/// The laws.
pub const LAWS: &[Law] = &[REDUCE_LATER, GATHER_LATER, SCATTER];

const fn law(name: &'static str, says: &'static str, find: Find, example: &'static str) -> Law {
    Law { name, family: Family::Rearrangement, says, exact: false, find, example }
}

/// See [`Law::says`].
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

/// See [`Law::says`].
pub const GATHER_LATER: Law = law(
    "gather-later",
    "op(all_gather x, y) = all_gather op(x, shard y), where op goes over that dimension element by element",
    gather_later,
    "form explicit
        mesh @m = [a=4]
        input %x : f32[8@a, 6]
          %g = all_gather dim 0 over a %x : f32[8, 6] whole
          %h = convert %g : bf16[8, 6] whole
        output %h",
);

/// See [`Law::says`].
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

/// An op on parts with one result.
struct OnParts {
    call: u32,
    kind: OpKind,
    out: Type,
    place: Place,
    args: Vec<Id>,
    types: Vec<Type>,
    places: Vec<Place>,
}

impl OnParts {
    fn of(terms: &Terms, term: &Term) -> Option<OnParts> {
        let Head::Op { call, out: 0, place: Some(place) } = term.head else { return None };
        let Call { kind, outs } = terms.analysis.call_at(call).clone();
        let ([out], false) = (&outs[..], kind.names_axes()) else { return None };
        let sorts = term.args.iter().map(|&arg| terms[arg].data);
        let places = sorts.clone().map(|sort| Some(terms.analysis.place_at(sort.place?).clone()));
        Some(OnParts {
            call,
            out: out.clone(),
            place: terms.analysis.place_at(place).clone(),
            args: term.args.to_vec(),
            types: sorts.map(|sort| terms.analysis.type_at(sort.ty).clone()).collect(),
            places: places.collect::<Option<_>>()?,
            kind,
        })
    }

    fn rule(&self) -> Rule {
        self.kind.rule(&self.types.iter().collect::<Vec<_>>(), &[&self.out])
    }

    /// The op on other parts of the same values, and where that leaves it.
    fn on(&self, terms: &mut Terms, rule: &Rule, args: &[Id]) -> Option<(Id, Place)> {
        let places = args.iter().map(|&arg| Some(terms.analysis.place_at(terms[arg].data.place?).clone()));
        let places: Vec<Place> = places.collect::<Option<_>>()?;
        let places: Vec<&Place> = places.iter().collect();
        let factors = factors_of(rule, &places)?;
        let types: Vec<&Type> = self.types.iter().collect();
        let outs = [self.out.clone()];
        let left = results(rule, &factors, &Parts { types: &types, places: &places }, &outs, self.place.layout.mesh)?;
        let place = left.into_iter().next()?;
        let at = Some(terms.analysis.place(place.clone()));
        let head = Head::Op { call: self.call, out: 0, place: at };
        Some((terms.add_uncanonical(Term::new(head, args.iter().copied())), place))
    }
}

/// What a collective makes of a term that lies there; where that is, if it can.
fn take(terms: &mut Terms, kind: OpKind, ty: &Type, arg: Id, from: &Place) -> Option<(Id, Place)> {
    let to = moved(&kind, &ty.shape, from)?;
    let call = terms.analysis.call(Call { kind, outs: vec![ty.clone()] });
    let place = Some(terms.analysis.place(to.clone()));
    Some((terms.add_uncanonical(Term::new(Head::Op { call, out: 0, place }, [arg])), to))
}

/// The collectives of an e-class: the op, its term and its operand.
fn made_by(terms: &Terms, class: Id, is: impl Fn(&OpKind) -> bool) -> Vec<(OpKind, Term)> {
    let found = terms[class].iter().filter_map(|node| {
        let Head::Op { call, place: Some(_), .. } = node.head else { return None };
        let kind = &terms.analysis.call_at(call).kind;
        is(kind).then(|| (kind.clone(), node.clone()))
    });
    found.collect()
}

fn reduce_later(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Some(op) = OnParts::of(terms, term) else { return Vec::new() };
    let rule = op.rule();
    let mut found = Vec::new();
    for &set in &rule.linear {
        let Some(first) = (0..op.args.len()).find(|&arg| set.has(arg)) else { continue };
        let sums =
            made_by(terms, op.args[first], |kind| matches!(kind, OpKind::AllReduce(c) if c.monoid == Monoid::Sum));
        for (kind, _) in sums {
            let mut outer = op.args.clone();
            let mut inner = op.args.clone();
            let all = (0..op.args.len()).filter(|&arg| set.has(arg)).all(|arg| {
                let alike = made_by(terms, op.args[arg], |other| *other == kind).into_iter().next();
                let Some((_, sum)) = alike else { return false };
                inner[arg] = sum.args[0];
                outer[arg] = terms.add_uncanonical(sum);
                true
            });
            let late = if all { op.on(terms, &rule, &inner) } else { None };
            let Some((late, place)) = late else { continue };
            let taken = take(terms, kind, &op.out, late, &place);
            found.extend(equation(terms, term, &op, outer, taken));
        }
    }
    found
}

fn gather_later(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Some(op) = OnParts::of(terms, term) else { return Vec::new() };
    let rule = op.rule();
    let mut found = Vec::new();
    for arg in 0..op.args.len() {
        for (kind, _) in made_by(terms, op.args[arg], |kind| matches!(kind, OpKind::AllGather(_))) {
            let OpKind::AllGather(gather) = &kind else { continue };
            let Some((outer, inner, dim)) = pieces(terms, &op, &rule, arg, gather) else { continue };
            let Some((late, place)) = op.on(terms, &rule, &inner) else { continue };
            let gather = AllGather { dim, axes: gather.axes.clone() };
            let taken = take(terms, gather.into(), &op.out, late, &place);
            found.extend(equation(terms, term, &op, outer, taken));
        }
    }
    found
}

/// Operands before they are gathered along a dimension of one of them: as they are gathered, as they were, and the
/// dimension of the result.
fn pieces(
    terms: &mut Terms,
    op: &OnParts,
    rule: &Rule,
    arg: usize,
    gather: &AllGather,
) -> Option<(Vec<Id>, Vec<Id>, usize)> {
    let [factor] = rule.args[arg].get(gather.dim)?[..] else { return None };
    if rule.kind(factor) != FactorKind::Pass {
        return None;
    }
    let dim = rule.outs[0].iter().position(|dim| dim[..] == [factor])?;
    let (mut outer, mut inner) = (op.args.clone(), op.args.clone());
    for other in 0..op.args.len() {
        let Some(at) = rule.args[other].iter().position(|dim| dim.contains(&factor)) else { continue };
        let same = OpKind::from(AllGather { dim: at, axes: gather.axes.clone() });
        inner[other] = match made_by(terms, op.args[other], |kind| *kind == same).into_iter().next() {
            Some((_, gathered)) => {
                let before = gathered.args[0];
                outer[other] = terms.add_uncanonical(gathered);
                before
            }
            None => {
                let cut = Shard { dim: at, axes: gather.axes.clone() };
                take(terms, cut.into(), &op.types[other], op.args[other], &op.places[other])?.0
            }
        };
    }
    Some((outer, inner, dim))
}

fn scatter(terms: &mut Terms, term: &Term) -> Vec<Equation> {
    let Head::Op { call, place: Some(_), .. } = term.head else { return Vec::new() };
    let (OpKind::Shard(cut), &[arg]) = (terms.analysis.call_at(call).kind.clone(), &term.args[..]) else {
        return Vec::new();
    };
    let over = |axes: &Axes| *axes == cut.axes;
    let sums = made_by(terms, arg, |kind| matches!(kind, OpKind::AllReduce(c) if over(&c.axes)));
    let mut found = Vec::new();
    for (kind, sum) in sums {
        let OpKind::AllReduce(reduce) = kind else { continue };
        let sort = terms[sum.args[0]].data;
        let Some(from) = sort.place.map(|at| terms.analysis.place_at(at).clone()) else { continue };
        let ty = terms.analysis.type_at(sort.ty).clone();
        let scatter = ReduceScatter { dim: cut.dim, axes: cut.axes.clone(), monoid: reduce.monoid };
        let Some((right, _)) = take(terms, scatter.into(), &ty, sum.args[0], &from) else { continue };
        let whole = terms.add_uncanonical(sum);
        let left = terms.add_uncanonical(Term::new(term.head, [whole]));
        found.push(Equation { left, right });
    }
    found
}

/// That the op on its operands as they are is what a collective makes of it, where that lies in the same place.
fn equation(
    terms: &mut Terms,
    term: &Term,
    op: &OnParts,
    args: Vec<Id>,
    taken: Option<(Id, Place)>,
) -> Option<Equation> {
    let (right, place) = taken?;
    (place == op.place).then(|| Equation { left: terms.add_uncanonical(Term::new(term.head, args)), right })
}
