//! Form `explicit`: operands satisfy their op's rule; every disagreement is a `reshard` or, once lowered, a collective.
//!
//! 1. Every value of the main function and of loop bodies has a closed layout, as in `planned`.
//! 2. The axes on the dims of an op's operands and results follow from one assignment of axes to the factors of its rule,
//!    in which no axis splits two factors and nothing splits a factor that cannot be split.
//! 3. A result is pending exactly what the op's own split reductions leave pending, and what flows through it:
//!    - a pending sum flows when the operands that have it are one linear set of the rule; any monoid flows through operand
//!      0 of an op that only moves elements; nothing flows over an axis that splits the op;
//!    - an operand that is jointly linear with one whose elements are split over a reduction (the operand of a scatter-add
//!      with split updates) is pending that sum itself.
//! 4. A constant of one number may lie anywhere, and be pending a sum if the number is zero. Other constants are not pending.
//! 5. A collective changes the layout as its kind and attributes say and in nothing else; a `reshard` changes it anyhow.
//! 6. A loop's operands, its results, and inputs and outputs of its body lie alike, also in what is pending.
//! 7. Inputs and outputs of the main function are not pending.
//! 8. `mask` and `piece_start` do not occur: they only mean something on one device.

use super::{Report, planned};
use crate::arena::{FuncId, ValueId};
use crate::diag::Code;
use crate::layout::{Layout, Monoid, Pending, divides};
use crate::mesh::{Axes, AxisRef, ways};
use crate::op::OpKind;
use crate::ops::{Constant, Literal};
use crate::program::{Op, Program};
use crate::rule::{ArgSet, FactorAxes, FactorId, FactorKind, Rule, joined};
use crate::tensor::Scalar;
use smallvec::SmallVec;

pub(super) fn check(report: &mut Report<'_>) {
    let program = report.program;
    planned::closed(report);
    if program.meshes.is_empty() || !report.errors.is_empty() {
        return;
    }
    let main = program.main();
    for id in main.inputs.iter().copied().chain(main.outputs.iter().map(|o| o.value)) {
        if layout(program, id).is_some_and(|l| !l.pending.is_empty()) {
            report.value(Code::L012, id, "is pending where it enters or leaves the program");
        }
    }
    for func in program.laid_out_funcs() {
        let func = &program.funcs[func];
        for &id in &func.body {
            if report.is_full() {
                return;
            }
            if let Err((code, what)) = op(program, &program.ops[id]) {
                report.op(code, id, &what);
            }
        }
    }
}

/// The code and the words of a violation.
type Checked = Result<(), (Code, String)>;

fn layout(program: &Program, value: ValueId) -> Option<&Layout> {
    program.values[value].layout.as_deref()
}

fn op(program: &Program, op: &Op) -> Checked {
    match &op.kind {
        OpKind::Reshard(_) => Ok(()),
        OpKind::Mask(_) | OpKind::PieceStart(_) => Err((Code::V002, "this only means something on one device".into())),
        OpKind::Constant(Constant { value: Literal::Splat(number) }) => splat(program, op, *number),
        OpKind::Loop(l) => lies_alike(program, op, l.body),
        kind if kind.names_axes() => moved(program, op),
        _ => split(program, op),
    }
}

/// Checks a constant of one number.
fn splat(program: &Program, op: &Op, number: Scalar) -> Checked {
    let mut pending = op.outs.iter().filter_map(|&v| layout(program, v)).flat_map(|l| &l.pending);
    if pending.all(|p| p.1 == Monoid::Sum && number.is_zero()) {
        return Ok(());
    }
    Err((Code::L012, "only a zero can be pending, and only a sum".into()))
}

/// Checks one op against its rule.
fn split(program: &Program, op: &Op) -> Checked {
    let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
    if (rule.args.len(), rule.outs.len()) != (op.args.len(), op.outs.len()) {
        return Err((Code::V003, format!("its rule is for {} operands", rule.args.len())));
    }
    let layouts = op.args.iter().chain(&op.outs).filter_map(|&v| layout(program, v));
    let assigned = rule.assign(layouts.clone());
    if !assigned.exact {
        return Err((Code::V003, format!("the layouts do not follow from one split of its rule {rule}")));
    }
    for (factor, axes) in rule.factors.iter().zip(&assigned.factors) {
        if matches!(factor.kind, FactorKind::Whole | FactorKind::Inner) && !axes.is_empty() {
            return Err((
                Code::V003,
                format!("a dimension of size {} is split that its rule cannot split", factor.size),
            ));
        }
    }
    let own = rule.pending(&assigned.factors);
    if own.is_empty() && layouts.clone().all(|l| l.pending.is_empty()) {
        return Ok(());
    }
    pending(program, op, &rule, &assigned.factors, own)
}

/// What is pending, written in one way: sorted, with neighbouring factors of one axis joined.
fn normal(pending: impl IntoIterator<Item = Pending>) -> SmallVec<[Pending; 2]> {
    let mut sorted: SmallVec<[Pending; 2]> = pending.into_iter().collect();
    sorted.sort_unstable();
    let mut joined: SmallVec<[Pending; 2]> = SmallVec::new();
    for (axis, monoid) in sorted {
        match joined.last_mut() {
            Some((last, m)) if *m == monoid && last.axis == axis.axis && last.pre * last.size == axis.pre => {
                last.size *= axis.size;
            }
            _ => joined.push((axis, monoid)),
        }
    }
    joined
}

/// Checks what flows through an op and what it leaves pending; `own` is what its split reductions leave.
fn pending(
    program: &Program,
    op: &Op,
    rule: &Rule,
    factors: &FactorAxes,
    own: impl IntoIterator<Item = Pending>,
) -> Checked {
    let of = |&v: &ValueId| normal(layout(program, v).into_iter().flat_map(|l| l.pending.iter().copied()));
    let args: SmallVec<[SmallVec<[Pending; 2]>; 3]> = op.args.iter().map(of).collect();
    let holders = |sum: Pending| ArgSet::of((0..args.len()).filter(|&a| args[a].contains(&sum)));
    let own = normal(own);
    let mut left = own.clone();
    for &sum in &own {
        let due = ArgSet::of((0..args.len()).filter(|&a| shares(rule, factors, a, sum)));
        if holders(sum) != due {
            let what =
                "an operand that is added to split partial sums must be a partial sum itself, and no other one may be";
            return Err((Code::L012, what.into()));
        }
    }
    for &sum in args.iter().flatten() {
        if left.contains(&sum) {
            continue;
        }
        if factors.iter().flatten().any(|a| a.overlaps(sum.0)) {
            return Err((Code::L012, "reads a value that is pending over an axis that splits the operation".into()));
        }
        let held = holders(sum);
        let linear = args.len() <= ArgSet::CAPACITY && sum.1 == Monoid::Sum && rule.linear.contains(&held);
        let moves = rule.moves && held == ArgSet::of([0]);
        if !linear && !moves {
            let what =
                format!("reads a pending {}, but is not linear in exactly the operands that are pending", sum.1.name());
            return Err((Code::L012, what));
        }
        left.push(sum);
    }
    let left = normal(left);
    if op.outs.iter().any(|out| of(out) != left) {
        return Err((Code::L012, "what is pending on the result is not what the operation leaves pending".into()));
    }
    Ok(())
}

/// Whether operand `arg` must be pending `sum`, which the op's own reduction leaves: the op is jointly linear in it and in an
/// operand whose elements are split over that reduction.
fn shares(rule: &Rule, factors: &FactorAxes, arg: usize, sum: Pending) -> bool {
    let reduced = |a: usize| {
        (0u32..).map(FactorId).zip(factors).any(|(id, axes)| {
            rule.reduction(id).is_some() && rule.in_arg(a, id) && axes.iter().any(|x| x.overlaps(sum.0))
        })
    };
    let with_reduced = |set: &ArgSet| set.has(arg) && (0..rule.args.len()).any(|b| set.has(b) && reduced(b));
    sum.1 == Monoid::Sum && !reduced(arg) && rule.linear.iter().any(with_reduced)
}

/// Checks that a collective changes the layout as it says, and in nothing else.
fn moved(program: &Program, op: &Op) -> Checked {
    match (&op.args[..], &op.outs[..]) {
        (&[arg], &[out]) => moved_one(program, op, arg, out),
        (args, outs) if matches!(op.kind, OpKind::AllReduce(_)) && args.len() == outs.len() => {
            args.iter().zip(outs).try_for_each(|(&arg, &out)| moved_one(program, op, arg, out))
        }
        _ => Err((Code::V003, "it has one operand and one result".into())),
    }
}

/// The same for one operand and its result.
fn moved_one(program: &Program, op: &Op, arg: ValueId, out: ValueId) -> Checked {
    let wrong = |what: &str| Err((Code::V003, what.to_string()));
    let (Some(from), Some(to)) = (layout(program, arg), layout(program, out)) else { return Ok(()) };
    if from.mesh != to.mesh {
        return wrong("its operand and its result are on different meshes");
    }
    let shape = &program.ty(arg).shape;
    let sums =
        |l: &Layout, more: &[AxisRef], m: Monoid| normal(l.pending.iter().copied().chain(more.iter().map(|&a| (a, m))));
    let same_sums = sums(from, &[], Monoid::Sum) == sums(to, &[], Monoid::Sum);
    // The axes of a dimension, with others at its minor end. Where the pieces are padded, those of an axis and those of its
    // factors do not begin at the same elements, so that they must not be taken for each other.
    let axes = |l: &Layout, dim: usize, more: &[AxisRef]| -> Axes {
        let all = l.dims.get(dim).into_iter().flat_map(|d| &d.axes).chain(more).copied();
        let ways: usize = all.clone().map(|a| a.size as usize).product();
        if shape.get(dim).is_some_and(|n| n.is_multiple_of(ways)) { joined(all) } else { all.collect() }
    };
    let same_dims = |except: &[usize]| {
        (0..shape.rank()).all(|d| except.contains(&d) || axes(from, d, &[]) == axes(to, d, &[]))
            && except.iter().all(|&d| d < shape.rank())
    };
    let fits = match &op.kind {
        OpKind::AllReduce(c) => same_dims(&[]) && sums(from, &[], c.monoid) == sums(to, &c.axes, c.monoid),
        OpKind::Partial(c) => same_dims(&[]) && sums(from, &c.axes, Monoid::Sum) == sums(to, &[], Monoid::Sum),
        OpKind::AllGather(c) => same_sums && same_dims(&[c.dim]) && axes(from, c.dim, &[]) == axes(to, c.dim, &c.axes),
        OpKind::Shard(c) => same_sums && same_dims(&[c.dim]) && axes(from, c.dim, &c.axes) == axes(to, c.dim, &[]),
        OpKind::ReduceScatter(c) => {
            same_dims(&[c.dim])
                && axes(from, c.dim, &c.axes) == axes(to, c.dim, &[])
                && sums(from, &[], c.monoid) == sums(to, &c.axes, c.monoid)
        }
        OpKind::AllToAll(c) => {
            same_sums
                && c.from != c.to
                && same_dims(&[c.from, c.to])
                && axes(from, c.from, &[]) == axes(to, c.from, &c.axes)
                && axes(from, c.to, &c.axes) == axes(to, c.to, &[])
        }
        OpKind::Permute(c) => {
            let even = (0..shape.rank()).all(|d| {
                let (a, b) = (axes(from, d, &[]), axes(to, d, &[]));
                a == b || (ways(&a) == ways(&b) && divides(shape[d], &a))
            });
            let places = ways(&c.axes);
            let mut got = vec![false; places];
            let once = c.pairs.iter().all(|&(from, to)| {
                (from as usize) < places && got.get_mut(to as usize).is_some_and(|got| !std::mem::replace(got, true))
            });
            same_sums && even && once
        }
        _ => return wrong("it does not change layouts"),
    };
    if fits { Ok(()) } else { wrong("the layout of its result does not follow from that of its operand") }
}

/// Checks that what a loop carries lies alike before, within and behind it.
fn lies_alike(program: &Program, op: &Op, body: FuncId) -> Checked {
    let body = &program.funcs[body];
    let carried = op.args.iter().zip(&op.outs).zip(body.inputs.iter().zip(&body.outputs));
    for (i, ((&arg, &out), (&input, output))) in carried.enumerate() {
        let Some(within) = layout(program, input) else { continue };
        let alike = |v: ValueId| layout(program, v).is_some_and(|l| l.same_place(within));
        if !alike(arg) || !alike(out) || !alike(output.value) {
            return Err((
                Code::V003,
                format!("carried value {i} does not lie alike before, within and behind the loop"),
            ));
        }
    }
    Ok(())
}
