//! Reverse mode: the ops of a function walked backwards, each op's adjoint appended.
//!
//! A value is *wanted* when it depends on something that a gradient is asked for; only wanted operands get one, so that
//! what is frozen costs nothing and a frozen prefix has no backward at all. A value is *data* when it depends on the
//! program's inputs and not on parameters alone: gradients of the former belong to [`Phase::BackwardInput`], of the
//! latter to [`Phase::BackwardWeight`]. A value that several ops read gets the sum of their gradients, which is called
//! `%h.grad` for `%h`.
//!
//! Reverse mode is as old as Speelpenning (1980); Griewank and Walther, Evaluating Derivatives (2008), chapter 3, is
//! the text.

use super::adjoint::{self, Adjoint, Given, Refusal};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::class::Control;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Op, Phase, Program};

/// What differentiation knows about values of a function.
#[derive(Clone)]
pub struct Sides {
    /// Whether the value depends on something that a gradient is asked for.
    wanted: Vec<bool>,
    /// Whether it depends on data.
    data: Vec<bool>,
}

impl Sides {
    /// What follows from the values that gradients are asked for and from those that are data, over ops in program
    /// order.
    pub fn of(program: &Program, body: &[OpId], wrt: &[ValueId], data: &[ValueId]) -> Sides {
        let none = || vec![false; program.values.len()];
        let mut sides = Sides { wanted: none(), data: none() };
        for v in wrt.iter().filter(|&&v| varies(program, v)) {
            sides.wanted[v.index()] = true;
        }
        data.iter().for_each(|v| sides.data[v.index()] = true);
        for op in body.iter().map(|&op| &program.ops[op]) {
            if let Some(control) = op.kind.control() {
                let Control::Loop(looped) = control;
                let (wanted, data) = sides.carried(program, op, looped.body);
                for (i, &out) in op.outs.iter().enumerate() {
                    (sides.wanted[out.index()], sides.data[out.index()]) = (wanted[i], data[i]);
                }
                continue;
            }
            let data = op.args.iter().any(|v| sides.data[v.index()]);
            for (o, &out) in op.outs.iter().enumerate() {
                let wants = |(i, v): (usize, &ValueId)| sides.wanted[v.index()] && adjoint::depends(&op.kind, i, o);
                let wanted = op.args.iter().enumerate().any(wants);
                sides.wanted[out.index()] = wanted && varies(program, out);
                sides.data[out.index()] = data;
            }
        }
        sides
    }

    /// Of each value that a loop carries, whether it depends on something that a gradient is asked for, and whether on
    /// data, in any of its rounds.
    pub fn carried(&self, program: &Program, op: &Op, body: FuncId) -> (Vec<bool>, Vec<bool>) {
        let func = &program.funcs[body];
        let mut wanted: Vec<bool> = op.args.iter().map(|&v| self.is_wanted(v)).collect();
        let mut data: Vec<bool> = op.args.iter().map(|&v| self.is_data(v)).collect();
        loop {
            let those = |on: &[bool]| -> Vec<ValueId> {
                func.inputs.iter().zip(on).filter(|(_, on)| **on).map(|(&v, _)| v).collect()
            };
            let sides = Sides::of(program, func.ops(), &those(&wanted), &those(&data));
            let mut grew = false;
            for (i, output) in func.outputs.iter().enumerate() {
                let (more_wanted, more_data) = (sides.is_wanted(output.value), sides.is_data(output.value));
                grew |= more_wanted && !wanted[i] || more_data && !data[i];
                wanted[i] |= more_wanted;
                data[i] |= more_data;
            }
            if !grew {
                return (wanted, data);
            }
        }
    }

    /// Whether a gradient of the value is asked for, directly or on the way.
    pub fn is_wanted(&self, value: ValueId) -> bool {
        self.wanted.get(value.index()).copied().unwrap_or(false)
    }

    /// Whether the value depends on data.
    pub fn is_data(&self, value: ValueId) -> bool {
        self.data.get(value.index()).copied().unwrap_or(false)
    }

    /// What the op that computes the value's gradient is part of.
    pub fn phase(&self, value: ValueId) -> Phase {
        if self.is_data(value) { Phase::BackwardInput } else { Phase::BackwardWeight }
    }
}

/// Whether a value can change a little: it is of floats, and has any.
fn varies(program: &Program, value: ValueId) -> bool {
    let ty = program.ty(value);
    ty.dtype.is_float() && !ty.shape.contains(&0)
}

/// Gradients by value, while they are summed up.
struct Sums {
    sums: Vec<Option<ValueId>>,
    /// Values from here on are the walk's own.
    first: usize,
    /// Which of them have the name of a gradient, counted from `first`.
    named: Vec<bool>,
}

impl Sums {
    fn new(values: usize) -> Sums {
        Sums { sums: vec![None; values], first: values, named: Vec::new() }
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

    /// The gradient of a value that no more is added to. If it is nobody else's, it gets the name.
    fn settle(&mut self, b: &mut Builder<'_>, value: ValueId) -> Option<ValueId> {
        let sum = self.sums.get(value.index()).copied().flatten()?;
        if let Some(at) = sum.index().checked_sub(self.first) {
            if self.named.len() <= at {
                self.named.resize(at + 1, false);
            }
            if !std::mem::replace(&mut self.named[at], true) {
                let name = format!("{}.grad", b.program.values[value].name);
                b.program.values[sum].name = b.names.fresh(&name);
            }
        }
        Some(sum)
    }
}

/// Appends to the builder what computes the gradients of `wrt`, given those of some results (`seeds`: value and
/// gradient). `body` are the ops that were run, in order; where an op has to leave something behind for its adjoint,
/// another one takes its place. A value that no seed depends on has no gradient.
///
/// # Errors
/// `D001` for each op on the way that has no adjoint.
pub fn reverse(
    b: &mut Builder<'_>,
    body: &mut Vec<OpId>,
    seeds: &[(ValueId, ValueId)],
    wrt: &[ValueId],
    sides: &Sides,
) -> Result<Vec<Option<ValueId>>, Vec<Diagnostic>> {
    let mut sums = Sums::new(b.program.values.len());
    let mut defs = vec![None; b.program.values.len()];
    for &op in &*body {
        b.program.ops[op].outs.iter().for_each(|out| defs[out.index()] = Some(op));
    }
    for &(value, gradient) in seeds.iter().filter(|(value, _)| sides.is_wanted(*value)) {
        b.phase = sides.phase(value);
        sums.add(b, value, gradient);
    }
    let mut errors = Vec::new();
    for at in (0..body.len()).rev() {
        let id = body[at];
        let op = b.program.ops[id].clone();
        if !op.args.iter().any(|&arg| sides.is_wanted(arg)) {
            continue;
        }
        let gradients: adjoint::Gradients = op.outs.iter().map(|&out| sums.settle(b, out)).collect();
        if gradients.iter().all(Option::is_none) {
            continue;
        }
        b.origin = op.origin.clone();
        let mut rule = Adjoint::new(b, &op, gradients, sides, &defs);
        match adjoint::adjoint(&mut rule) {
            Ok(()) => {}
            Err(Refusal::Words(why)) => {
                errors.push(no_adjoint(b.program, &op, &why));
                continue;
            }
            Err(Refusal::Inner(inner)) => {
                errors.extend(inner);
                continue;
            }
        }
        let Given { gradients, replaced, before } = rule.given();
        for (&arg, gradient) in op.args.iter().zip(gradients) {
            if let Some(gradient) = gradient {
                b.phase = sides.phase(arg);
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
    if errors.is_empty() { Ok(wrt.iter().map(|&v| sums.settle(b, v)).collect()) } else { Err(errors) }
}

/// An op that cannot be differentiated, where it stands in the model.
fn no_adjoint(program: &Program, op: &Op, why: &str) -> Diagnostic {
    let name = op.outs.first().map_or("", |&v| program.values[v].name.as_str());
    let title = format!("`{}` (%{name}) cannot be differentiated: {why}", op.kind.name());
    let error = program.located(op, Diagnostic::new(Code::D001, title));
    error.help("freeze the parameters before it, so that no gradient has to pass: `--freeze GLOB`")
}
