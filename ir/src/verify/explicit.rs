//! Form `explicit`: operand layouts satisfy the sharding rules; every layout change is a `reshard` or, once lowered, a
//! collective.
//!
//! 1. Every value of the main function and of loop bodies has a closed layout, as in `planned`.
//! 2. The axes on the dimensions of an op's operands and results follow from one assignment of axes to the factors of
//!    its rule. No axis is assigned to two factors, and factors that need replication have no axes.
//! 3. A result is partial over exactly the axes of the op's own split reductions and those that pass through the op:
//!    - a partial sum passes through if the operands that have it are one linear set of the rule; any reduction passes
//!      through operand 0 of an op that only moves elements; no reduction over an axis that splits the op passes
//!      through;
//!    - an operand that is jointly linear with one whose elements are split over a reduction (the operand of a
//!      scatter-add with split updates) must be partial over the same axis.
//! 4. A splat constant may have any layout, and may be a partial sum if it is zero. Other constants are not partial.
//! 5. A collective changes the layout as determined by its kind and attributes. A `reshard` may change it arbitrarily.
//! 6. The operands and results of a loop and the inputs and outputs of its body have the same layouts, including
//!    partial axes.
//! 7. Inputs and outputs of the main function are not partial, and an output that replaces a parameter has the layout
//!    of the parameter.
//! 8. `mask` and `piece_start` do not occur, since they are only defined in one device's program.

use super::{CheckResult, Report, planned};
use crate::arena::{FuncId, ValueId};
use crate::diag::Code;
use crate::layout::{Layout, Monoid};
use crate::layout_semantics::{self, PartialAxes};
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
        if layout(program, id).is_some_and(|l| !l.partial.is_empty()) {
            report.value(Code::L012, id, "is partial, but is an input or output of the program");
        }
    }
    check_replaced_inputs(report);
    for func in program.funcs_with_layouts() {
        let func = &program.funcs[func];
        for &id in &func.body {
            if report.is_full() {
                return;
            }
            if let Err((code, what)) = check_op(program, &program.ops[id]) {
                report.op(code, id, &what);
            }
        }
    }
}

/// Checks that an output that replaces an input has its layout, because the next step reads the output in its place.
pub(super) fn check_replaced_inputs(report: &mut Report<'_>) {
    let program = report.program;
    for output in &program.main().outputs {
        let Some(input) = output.replaces else { continue };
        let (Some(old), Some(new)) = (layout(program, input), layout(program, output.value)) else { continue };
        if new.has_same_sharding(old) {
            continue;
        }
        let what = "the layout of its result differs from that of the input that it replaces";
        match program.main().body.iter().find(|&&op| program.ops[op].outs.contains(&output.value)) {
            Some(&op) => report.op(Code::V002, op, what),
            None => report.value(Code::V002, output.value, what),
        }
    }
}

fn layout(program: &Program, value: ValueId) -> Option<&Layout> {
    program.values[value].layout.as_deref()
}

fn check_op(program: &Program, op: &Op) -> CheckResult {
    if let Some(number) = op.kind.splat() {
        return check_splat(program, op, number);
    }
    match op.kind.class() {
        Class::Layout(LayoutOp::Reshard(_)) => Ok(()),
        Class::Device(DeviceOp::Mask(_) | DeviceOp::ShardStart(_)) => {
            Err((Code::V002, "this operation is only valid in the form `local`".into()))
        }
        Class::Control(Control::Loop(l)) => check_loop(program, op, l.body),
        Class::Device(DeviceOp::Shard(_) | DeviceOp::Partial(_)) | Class::Collective(_) => {
            check_layout_change(program, op)
        }
        Class::Source(_) | Class::Random | Class::Elementwise | Class::Movement | Class::Indexing => {
            check_rule(program, op)
        }
        Class::Product | Class::Attention(_) | Class::Reduction | Class::Sorting => check_rule(program, op),
        Class::LinearAlgebra | Class::Normalisation | Class::Update | Class::Opaque(_) => check_rule(program, op),
        Class::Layout(LayoutOp::Constrain(_)) => check_rule(program, op),
    }
}

/// Checks a splat constant: only a zero may be a partial sum.
fn check_splat(program: &Program, op: &Op, number: Scalar) -> CheckResult {
    let mut partial = op.outs.iter().filter_map(|&v| layout(program, v)).flat_map(|l| &l.partial);
    if partial.all(|p| p.1 == Monoid::Sum && number.is_zero()) {
        return Ok(());
    }
    Err((Code::L012, "only a constant zero can be partial, and only as a sum".into()))
}

/// Checks an op against its sharding rule.
fn check_rule(program: &Program, op: &Op) -> CheckResult {
    let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
    if (rule.args.len(), rule.outs.len()) != (op.args.len(), op.outs.len()) {
        return Err((Code::V003, format!("its rule is for {} operands", rule.args.len())));
    }
    let layouts = op.args.iter().chain(&op.outs).filter_map(|&v| layout(program, v));
    let assigned = rule.infer_factor_axes(layouts.clone());
    if !assigned.exact {
        return Err((
            Code::V003,
            format!("the layouts do not follow from one assignment of axes to the factors of its rule {rule}"),
        ));
    }
    for (factor, axes) in rule.factors.iter().zip(&assigned.factors) {
        if matches!(factor.kind, FactorKind::NeedReplication | FactorKind::Inner) && !axes.is_empty() {
            return Err((
                Code::V003,
                format!("a dimension of size {} is split, but the rule requires it to be replicated", factor.size),
            ));
        }
    }
    if rule.partial_axes(&assigned.factors).is_empty() && layouts.clone().all(|l| l.partial.is_empty()) {
        return Ok(());
    }
    check_partial(program, op, &rule, &assigned.factors)
}

/// Checks the partial axes of an op's operands and results.
fn check_partial(program: &Program, op: &Op, rule: &Rule, factors: &FactorAxes) -> CheckResult {
    let of = |&v: &ValueId| {
        layout_semantics::normalize_partial(layout(program, v).into_iter().flat_map(|l| l.partial.iter().copied()))
    };
    let args: SmallVec<[PartialAxes; 3]> = op.args.iter().map(of).collect();
    let left = layout_semantics::propagate_partial(rule, factors, &args).map_err(|what| (Code::L012, what))?;
    if op.outs.iter().any(|out| of(out) != left) {
        return Err((
            Code::L012,
            "the result is not partial over exactly the axes that follow from the sharding of the operation".into(),
        ));
    }
    Ok(())
}

/// Checks that a collective changes the layout as determined by its kind and attributes.
fn check_layout_change(program: &Program, op: &Op) -> CheckResult {
    match (&op.args[..], &op.outs[..]) {
        (&[arg], &[out]) => check_operand_layout_change(program, op, arg, out),
        (args, outs) if op.kind.collective().is_some_and(Collective::is_variadic) && args.len() == outs.len() => {
            args.iter().zip(outs).try_for_each(|(&arg, &out)| check_operand_layout_change(program, op, arg, out))
        }
        _ => Err((Code::V003, "it has one operand and one result".into())),
    }
}

/// Checks one operand and its result as [`check_layout_change`] does.
fn check_operand_layout_change(program: &Program, op: &Op, arg: ValueId, out: ValueId) -> CheckResult {
    let wrong = |what: &str| Err((Code::V003, what.to_string()));
    let (Some(from), Some(to)) = (layout(program, arg), layout(program, out)) else { return Ok(()) };
    if from.mesh != to.mesh {
        return wrong("its operand and its result are on different meshes");
    }
    if !op.kind.changes_layout() {
        return wrong("it does not change layouts");
    }
    if layout_semantics::is_layout_change(&op.kind, &program.ty(arg).shape, from, to) {
        Ok(())
    } else {
        wrong("the layout of its result does not follow from that of its operand")
    }
}

/// Checks that each carried value of a loop has one layout before, inside and after the loop.
fn check_loop(program: &Program, op: &Op, body: FuncId) -> CheckResult {
    let body = &program.funcs[body];
    let carried = op.args.iter().zip(&op.outs).zip(body.inputs.iter().zip(&body.outputs));
    for (i, ((&arg, &out), (&input, output))) in carried.enumerate() {
        let Some(within) = layout(program, input) else { continue };
        let has_same = |v: ValueId| layout(program, v).is_some_and(|l| l.has_same_sharding(within));
        if !has_same(arg) || !has_same(out) || !has_same(output.value) {
            return Err((
                Code::V003,
                format!("carried value {i} has different layouts before, inside and after the loop"),
            ));
        }
    }
    Ok(())
}
