//! Form `explicit`: operands satisfy their op's rule; every disagreement is a `reshard` or, once lowered, a collective.
//!
//! 1. Every value of the main function and of loop bodies has a closed layout, as in `planned`.
//! 2. The axes on the dims of an op's operands and results follow from one assignment of axes to the factors of its
//!    rule, in which no axis splits two factors and nothing splits a factor that cannot be split.
//! 3. A result is pending exactly what the op's own split reductions leave pending, and what flows through it:
//!    - a pending sum flows when the operands that have it are one linear set of the rule; any monoid flows through
//!      operand 0 of an op that only moves elements; nothing flows over an axis that splits the op;
//!    - an operand that is jointly linear with one whose elements are split over a reduction (the operand of a
//!      scatter-add with split updates) is pending that sum itself.
//! 4. A constant of one number may lie anywhere, and be pending a sum if the number is zero. Other constants are not
//!    pending.
//! 5. A collective changes the layout as its kind and attributes say and in nothing else; a `reshard` changes it
//!    anyhow.
//! 6. A loop's operands, its results, and inputs and outputs of its body lie alike, also in what is pending.
//! 7. Inputs and outputs of the main function are not pending, and an output that replaces a parameter lies as it does.
//! 8. `mask` and `piece_start` do not occur: they only mean something on one device.

use super::{Report, planned};
use crate::arena::{FuncId, ValueId};
use crate::diag::Code;
use crate::flow::{self, Sums};
use crate::layout::{Layout, Monoid};
use crate::program::class::{Class, Collective, Control, DeviceOp, LayoutOp};
use crate::program::{Op, Program};
use crate::rule::{FactorAxes, FactorKind, Rule};
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
    replaced(report);
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

/// What replaces a parameter lies as it does: the next step takes it as it is.
pub(super) fn replaced(report: &mut Report<'_>) {
    let program = report.program;
    for output in &program.main().outputs {
        let Some(alias) = output.alias else { continue };
        let (Some(param), Some(new)) = (layout(program, program.params[alias].value), layout(program, output.value))
        else {
            continue;
        };
        if new.same_place(param) {
            continue;
        }
        let what = "its result does not lie as the parameter that it replaces";
        match program.main().body.iter().find(|&&op| program.ops[op].outs.contains(&output.value)) {
            Some(&op) => report.op(Code::V002, op, what),
            None => report.value(Code::V002, output.value, what),
        }
    }
}

/// The code and the words of a violation.
type Checked = Result<(), (Code, String)>;

fn layout(program: &Program, value: ValueId) -> Option<&Layout> {
    program.values[value].layout.as_deref()
}

fn op(program: &Program, op: &Op) -> Checked {
    if let Some(number) = op.kind.splat() {
        return splat(program, op, number);
    }
    match op.kind.class() {
        Class::Layout(LayoutOp::Reshard(_)) => Ok(()),
        Class::Device(DeviceOp::Mask(_) | DeviceOp::PieceStart(_)) => {
            Err((Code::V002, "this only means something on one device".into()))
        }
        Class::Control(Control::Loop(l)) => lies_alike(program, op, l.body),
        Class::Device(DeviceOp::Shard(_) | DeviceOp::Partial(_)) | Class::Collective(_) => moved(program, op),
        Class::Source(_) | Class::Random | Class::Elementwise | Class::Movement | Class::Indexing => split(program, op),
        Class::Product | Class::Attention | Class::Reduction | Class::Sorting => split(program, op),
        Class::Normalisation | Class::Update | Class::Layout(LayoutOp::Constrain(_)) => split(program, op),
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
    if rule.pending(&assigned.factors).is_empty() && layouts.clone().all(|l| l.pending.is_empty()) {
        return Ok(());
    }
    pending(program, op, &rule, &assigned.factors)
}

/// Checks what flows through an op and what it leaves pending.
fn pending(program: &Program, op: &Op, rule: &Rule, factors: &FactorAxes) -> Checked {
    let of = |&v: &ValueId| flow::normal(layout(program, v).into_iter().flat_map(|l| l.pending.iter().copied()));
    let args: SmallVec<[Sums; 3]> = op.args.iter().map(of).collect();
    let left = flow::through(rule, factors, &args).map_err(|what| (Code::L012, what))?;
    if op.outs.iter().any(|out| of(out) != left) {
        return Err((Code::L012, "what is pending on the result is not what the operation leaves pending".into()));
    }
    Ok(())
}

/// Checks that a collective changes the layout as it says, and in nothing else.
fn moved(program: &Program, op: &Op) -> Checked {
    match (&op.args[..], &op.outs[..]) {
        (&[arg], &[out]) => moved_one(program, op, arg, out),
        (args, outs) if op.kind.collective().is_some_and(Collective::takes_several) && args.len() == outs.len() => {
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
    if !op.kind.changes_layout() {
        return wrong("it does not change layouts");
    }
    if flow::moves(&op.kind, &program.ty(arg).shape, from, to) {
        Ok(())
    } else {
        wrong("the layout of its result does not follow from that of its operand")
    }
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
