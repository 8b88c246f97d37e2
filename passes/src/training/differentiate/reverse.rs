//! Reverse-mode differentiation: visits the ops of a function backwards and appends the adjoint of each op.
//!
//! A value is *wanted* if it depends on a value whose gradient is requested. Only wanted operands get gradients, so
//! that frozen layers have no gradients and a frozen prefix has no backward pass. A value is *data* if it depends on
//! the program's inputs, and not on parameters alone: gradients of data belong to [`Phase::BackwardInput`], others to
//! [`Phase::BackwardWeight`]. A value with several readers gets the sum of their gradients, which is called `%h.grad`
//! for `%h`.
//!
//! Speelpenning (1980); Griewank and Walther, Evaluating Derivatives (2008), chapter 3.

use super::adjoint::{self, Adjoint, AdjointError, AdjointResult};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::class::Control;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Op, Phase, Program};

/// Activity analysis of the values of a function.
#[derive(Clone)]
pub struct Activity {
    /// True for each value that depends on a value whose gradient is requested.
    wanted: Vec<bool>,
    /// True for each value that depends on data.
    data: Vec<bool>,
}

impl Activity {
    /// Analyses ops in program order, from the values whose gradients are requested (`wrt`) and those that are data.
    pub fn analyse(program: &Program, body: &[OpId], wrt: &[ValueId], data: &[ValueId]) -> Activity {
        let none = || vec![false; program.values.len()];
        let mut activity = Activity { wanted: none(), data: none() };
        for v in wrt.iter().filter(|&&v| is_differentiable(program, v)) {
            activity.wanted[v.index()] = true;
        }
        data.iter().for_each(|v| activity.data[v.index()] = true);
        for op in body.iter().map(|&op| &program.ops[op]) {
            if let Some(control) = op.kind.control() {
                let Control::Loop(looped) = control;
                let (wanted, data) = activity.analyse_carried(program, op, looped.body);
                for (i, &out) in op.outs.iter().enumerate() {
                    (activity.wanted[out.index()], activity.data[out.index()]) = (wanted[i], data[i]);
                }
                continue;
            }
            let data = op.args.iter().any(|v| activity.data[v.index()]);
            for (o, &out) in op.outs.iter().enumerate() {
                let wants =
                    |(i, v): (usize, &ValueId)| activity.wanted[v.index()] && adjoint::may_depend(&op.kind, i, o);
                let wanted = op.args.iter().enumerate().any(wants);
                activity.wanted[out.index()] = wanted && is_differentiable(program, out);
                activity.data[out.index()] = data;
            }
        }
        activity
    }

    /// Returns, for each value that a loop carries, whether it is wanted and whether it depends on data, in any
    /// iteration.
    pub fn analyse_carried(&self, program: &Program, op: &Op, body: FuncId) -> (Vec<bool>, Vec<bool>) {
        let func = &program.funcs[body];
        let mut wanted: Vec<bool> = op.args.iter().map(|&v| self.is_wanted(v)).collect();
        let mut data: Vec<bool> = op.args.iter().map(|&v| self.is_data(v)).collect();
        loop {
            let selected = |on: &[bool]| -> Vec<ValueId> {
                func.inputs.iter().zip(on).filter(|(_, on)| **on).map(|(&v, _)| v).collect()
            };
            let activity = Activity::analyse(program, func.ops(), &selected(&wanted), &selected(&data));
            let mut changed = false;
            for (i, output) in func.outputs.iter().enumerate() {
                let (more_wanted, more_data) = (activity.is_wanted(output.value), activity.is_data(output.value));
                changed |= more_wanted && !wanted[i] || more_data && !data[i];
                wanted[i] |= more_wanted;
                data[i] |= more_data;
            }
            if !changed {
                return (wanted, data);
            }
        }
    }

    /// Returns true if the gradient of the value is requested, or needed for a requested gradient.
    pub fn is_wanted(&self, value: ValueId) -> bool {
        self.wanted.get(value.index()).copied().unwrap_or(false)
    }

    /// Returns true if the value depends on data.
    pub fn is_data(&self, value: ValueId) -> bool {
        self.data.get(value.index()).copied().unwrap_or(false)
    }

    /// Returns the phase of the ops that compute the value's gradient.
    pub fn phase(&self, value: ValueId) -> Phase {
        if self.is_data(value) { Phase::BackwardInput } else { Phase::BackwardWeight }
    }
}

/// Returns true if a value can have a gradient: it is a float tensor and not empty.
fn is_differentiable(program: &Program, value: ValueId) -> bool {
    let ty = program.ty(value);
    ty.dtype.is_float() && !ty.shape.contains(&0)
}

/// Accumulated gradient of each value.
struct GradientSums {
    sums: Vec<Option<ValueId>>,
    /// The first value that was created by the backward pass.
    first_new: usize,
    /// True for each value, counted from `first_new`, that has the name of a gradient.
    is_named: Vec<bool>,
}

impl GradientSums {
    fn new(values: usize) -> GradientSums {
        GradientSums { sums: vec![None; values], first_new: values, is_named: Vec::new() }
    }

    fn add(&mut self, b: &mut Builder<'_>, value: ValueId, gradient: ValueId) {
        if self.sums.len() <= value.index() {
            self.sums.resize(value.index() + 1, None);
        }
        let sum = match self.sums[value.index()] {
            Some(before) => b.binary(BinaryOp::Add, before, gradient),
            None => gradient,
        };
        self.sums[value.index()] = Some(sum);
    }

    /// Returns the gradient of a value after all contributions are added, and names it if it has no such name yet.
    fn finish(&mut self, b: &mut Builder<'_>, value: ValueId) -> Option<ValueId> {
        let sum = self.sums.get(value.index()).copied().flatten()?;
        if let Some(at) = sum.index().checked_sub(self.first_new) {
            if self.is_named.len() <= at {
                self.is_named.resize(at + 1, false);
            }
            if !std::mem::replace(&mut self.is_named[at], true) {
                let name = format!("{}.grad", b.program.values[value].name);
                b.program.values[sum].name = b.names.fresh(&name);
            }
        }
        Some(sum)
    }
}

/// Appends the ops that compute the gradients of `wrt`, from the gradients of some results (`seeds`: value and
/// gradient). `body` contains the ops of the forward pass in order. An op whose adjoint needs additional results is
/// replaced. A value on which no seed depends has no gradient.
///
/// # Errors
/// `D001` for each op on the path that has no adjoint.
pub fn reverse(
    b: &mut Builder<'_>,
    body: &mut Vec<OpId>,
    seeds: &[(ValueId, ValueId)],
    wrt: &[ValueId],
    activity: &Activity,
) -> Result<Vec<Option<ValueId>>, Vec<Diagnostic>> {
    let mut sums = GradientSums::new(b.program.values.len());
    let mut defs = vec![None; b.program.values.len()];
    for &op in &*body {
        b.program.ops[op].outs.iter().for_each(|out| defs[out.index()] = Some(op));
    }
    for &(value, gradient) in seeds.iter().filter(|(value, _)| activity.is_wanted(*value)) {
        b.phase = activity.phase(value);
        sums.add(b, value, gradient);
    }
    let mut errors = Vec::new();
    for at in (0..body.len()).rev() {
        let id = body[at];
        let op = b.program.ops[id].clone();
        if !op.args.iter().any(|&arg| activity.is_wanted(arg)) {
            continue;
        }
        let gradients: adjoint::Gradients = op.outs.iter().map(|&out| sums.finish(b, out)).collect();
        if gradients.iter().all(Option::is_none) {
            continue;
        }
        b.origin = op.origin.clone();
        let mut rule = Adjoint::new(b, &op, gradients, activity, &defs);
        match adjoint::adjoint(&mut rule) {
            Ok(()) => {}
            Err(AdjointError::Unsupported(why)) => {
                errors.push(no_adjoint(b.program, &op, &why));
                continue;
            }
            Err(AdjointError::Inner(inner)) => {
                errors.extend(inner);
                continue;
            }
        }
        let AdjointResult { gradients, replaced, before } = rule.into_result();
        for (&arg, gradient) in op.args.iter().zip(gradients) {
            if let Some(gradient) = gradient {
                b.phase = activity.phase(arg);
                sums.add(b, arg, gradient);
            }
        }
        if let Some(op) = replaced {
            b.program.ops[id] = op;
        }
        if !before.is_empty() {
            body.splice(at..at, before);
        }
    }
    if errors.is_empty() { Ok(wrt.iter().map(|&v| sums.finish(b, v)).collect()) } else { Err(errors) }
}

/// Returns the error that an op cannot be differentiated, with its location in the model.
fn no_adjoint(program: &Program, op: &Op, why: &str) -> Diagnostic {
    let name = op.outs.first().map_or("", |&v| program.values[v].name.as_str());
    let title = format!("`{}` (%{name}) cannot be differentiated: {why}", op.kind.name());
    let error = program.locate_error(op, Diagnostic::new(Code::D001, title));
    error.help("freeze the parameters before it, so that no gradient is needed: `--freeze GLOB`")
}
