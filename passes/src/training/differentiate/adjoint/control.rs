//! The adjoint of a loop: a loop that runs backwards.
//!
//! Each of its rounds computes the body again from what was carried into that round, and runs the body's adjoint. So
//! the forward loop, in whose place another one is put, leaves a stack behind of each carried value that the backward
//! pass reads; what the body only passes on is no stack but itself. A gradient is carried for each value on the way
//! from the results that have one to the operands that want one.
//!
//! ```text
//! func @body(%x, %w) { %y = tanh (%x * %w); return %y, %w }
//!
//! func @body_kept(%x, %w, %round, %xs) { %xs' = %xs with %x at %round; ..; return %y, %w, %round + 1, %xs' }
//! func @body_backward(%round, %dy, %dw, %w, %xs) { %x = %xs at %round; ..; return %round - 1, %dx, %dw', %w, %xs }
//! ```

use super::algebra::Algebra;
use super::{Adjoint, Refusal};
use crate::training::differentiate::copy::{Copies, copy_func, copy_ops, copy_value, free_name, live};
use crate::training::differentiate::reverse::{Sides, reverse};
use partita_ir::arena::{FuncId, Id, ValueId};
use partita_ir::build::Builder;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{DynamicSlice, DynamicUpdateSlice, Loop, Reshape};
use partita_ir::program::{Func, Op, Output, Phase, Program, Value};

/// See the head of this file.
pub fn looped(at: &mut Adjoint<'_, '_>, op: &Loop) -> Result<(), Refusal> {
    let carried = at.op.args.len();
    if op.trip == 0 {
        for i in 0..carried {
            if let (Some(g), true) = (at.gradient_of(i), at.wants(i)) {
                at.give(i, g);
            }
        }
        return Ok(());
    }
    let (wanted, data) = at.sides.carried(at.b.program, at.op, op.body);
    let flows = flowing(at.b.program, op.body, (0..carried).map(|i| at.gradient_of(i).is_some()).collect(), &wanted);
    let rounds = Rounds { trip: op.trip, dtype: if i32::try_from(op.trip).is_ok() { DType::I32 } else { DType::I64 } };
    let origin = at.b.origin.clone();
    let outer = std::mem::take(&mut at.b.body);
    let back = backward(at.b, op.body, &wanted, &data, &flows, &rounds);
    at.b.body = outer;
    at.b.origin = origin;
    let back = back.map_err(Refusal::Inner)?;
    if let Some(&i) = back.stacked.iter().find(|&&i| rounds.stack(&at.arg_type(i)).shape.checked_count().is_none()) {
        let ty = at.arg_type(i);
        return Err(format!("{} rounds would have to keep more of {ty} than can be counted", op.trip).into());
    }
    let stacks = keep(at, op, &back.stacked, &rounds);
    let is_data = (0..carried).any(|i| flows[i] && at.is_data(i));
    at.b.phase = if is_data { Phase::BackwardInput } else { Phase::BackwardWeight };
    let mut args = Vec::new();
    if !stacks.is_empty() {
        args.push(at.b.filled(Type::new(rounds.dtype, []), (op.trip - 1) as f64));
    }
    for i in (0..carried).filter(|&i| flows[i]) {
        let gradient = at.gradient_of(i);
        let ty = at.arg_type(i);
        args.push(gradient.unwrap_or_else(|| at.b.zeros(ty)));
    }
    args.extend(back.passed.iter().map(|&i| at.op.args[i]));
    args.extend(&stacks);
    let types: Vec<Type> = args.iter().map(|&v| at.b.ty(v)).collect();
    let outs = at.b.op_many("back", Loop { trip: op.trip, body: back.func }, &args, &types);
    let gradients = outs.iter().skip(usize::from(!stacks.is_empty()));
    for (i, &gradient) in (0..carried).filter(|&i| flows[i]).zip(gradients) {
        if at.wants(i) {
            at.give(i, gradient);
        }
    }
    Ok(())
}

/// One value, as what a stack holds of it.
fn alone(ty: &Type) -> Type {
    Type { shape: [1].into_iter().chain(ty.shape.iter().copied()).collect::<Shape>(), dtype: ty.dtype }
}

/// How rounds are counted.
struct Rounds {
    trip: u64,
    dtype: DType,
}

impl Rounds {
    /// The type of all values that were carried.
    fn stack(&self, ty: &Type) -> Type {
        Type { shape: [self.trip as usize].into_iter().chain(ty.shape.iter().copied()).collect(), dtype: ty.dtype }
    }

    /// The start indices of a round in a stack of values of that type.
    fn at(&self, b: &mut Builder<'_>, round: ValueId, ty: &Type) -> Vec<ValueId> {
        let mut starts = vec![round];
        if ty.shape.rank() > 0 {
            let zero = b.filled(Type::new(self.dtype, []), 0.0);
            starts.resize(ty.shape.rank() + 1, zero);
        }
        starts
    }
}

/// Which carried values have a gradient: those that a result with one depends on, in this round or in later ones.
fn flowing(program: &Program, body: FuncId, mut flows: Vec<bool>, wanted: &[bool]) -> Vec<bool> {
    let func = &program.funcs[body];
    flows.iter_mut().zip(wanted).for_each(|(flows, wanted)| *flows &= wanted);
    loop {
        let mut read = vec![false; program.values.len()];
        let results = func.outputs.iter().zip(&flows).filter(|(_, flows)| **flows);
        results.for_each(|(o, _)| read[o.value.index()] = true);
        for op in func.ops().iter().rev().map(|&op| &program.ops[op]) {
            if op.outs.iter().any(|v| read[v.index()]) {
                op.args.iter().for_each(|v| read[v.index()] = true);
            }
        }
        let mut grew = false;
        for ((input, flows), wanted) in func.inputs.iter().zip(&mut flows).zip(wanted) {
            grew |= !*flows && *wanted && read[input.index()];
            *flows |= *wanted && read[input.index()];
        }
        if !grew {
            return flows;
        }
    }
}

/// The body of the backward loop. It carries the round if there are stacks, gradients, what is passed on, and the
/// stacks.
struct Backward {
    func: FuncId,
    /// Carried values that are read in each round and are the same in all of them.
    passed: Vec<usize>,
    /// Carried values that are read from stacks.
    stacked: Vec<usize>,
}

fn backward(
    b: &mut Builder<'_>,
    body: FuncId,
    wanted: &[bool],
    data: &[bool],
    flows: &[bool],
    rounds: &Rounds,
) -> Result<Backward, Vec<Diagnostic>> {
    let func = b.program.funcs[body].clone();
    // The body once more, from copies of what was carried.
    let mut copies = Copies::default();
    let inputs: Vec<ValueId> = func.inputs.iter().map(|&v| copy_value(b, v)).collect();
    copies.extend(func.inputs.iter().copied().zip(inputs.iter().copied()));
    copy_ops(b, func.ops(), &mut copies);
    let mut again = std::mem::take(&mut b.body);
    again.iter().for_each(|&op| b.program.ops[op].phase = Phase::BackwardInput);
    let copy = |o: &Output| copies.get(&o.value).copied().unwrap_or(o.value);
    let results: Vec<ValueId> = func.outputs.iter().map(copy).collect();
    let those =
        |on: &[bool]| -> Vec<ValueId> { inputs.iter().zip(on).filter(|(_, on)| **on).map(|(&v, _)| v).collect() };
    let sides = Sides::of(b.program, &again, &those(wanted), &those(data));
    let mut seeds = Vec::new();
    for (result, input) in results.iter().zip(&inputs).zip(flows).filter(|(_, flows)| **flows).map(|(pair, _)| pair) {
        let name = format!("{}.grad", b.program.values[*input].name);
        let (name, ty) = (b.names.fresh(&name), b.ty(*input));
        seeds.push((*result, b.program.values.push(Value::new(name, ty))));
    }
    let found = reverse(b, &mut again, &seeds, &those(flows), &sides)?;
    b.phase = Phase::BackwardInput;
    let mut gradients = Vec::new();
    for (gradient, input) in found.into_iter().zip(those(flows)) {
        let ty = b.ty(input);
        gradients.push(gradient.unwrap_or_else(|| b.zeros(ty)));
    }
    again.append(&mut b.body);
    let (ops, read) = live(b.program, again, &gradients);
    let is_read = |i: &usize| read[inputs[*i].index()];
    let is_passed = |i: &usize| func.outputs[*i].value == func.inputs[*i];
    let (passed, stacked): (Vec<usize>, Vec<usize>) = (0..inputs.len()).filter(is_read).partition(is_passed);
    // Its own inputs and outputs.
    let (mut takes, mut gives) = (Vec::new(), Vec::new());
    let mut round = None;
    if !stacked.is_empty() {
        let name = b.names.fresh("round");
        let value = b.program.value(name, Type::new(rounds.dtype, []));
        takes.push(value);
        gives.push(b.plus(value, -1.0));
        round = Some(value);
    }
    takes.extend(seeds.iter().map(|&(_, gradient)| gradient));
    gives.extend(gradients);
    for &i in &passed {
        takes.push(inputs[i]);
        gives.push(inputs[i]);
    }
    for &i in &stacked {
        let ty = b.ty(inputs[i]);
        let name = b.names.fresh(&format!("{}.all", b.program.values[func.inputs[i]].name));
        let stack = b.program.value(name, rounds.stack(&ty));
        takes.push(stack);
        gives.push(stack);
        if let Some(round) = round {
            let args: Vec<ValueId> = [stack].into_iter().chain(rounds.at(b, round, &ty)).collect();
            let one = alone(&ty);
            let slice = DynamicSlice { sizes: one.shape.iter().copied().collect() };
            let slice = b.op("then", slice, &args, one);
            b.push(Reshape {}.into(), &[slice], [inputs[i]].into_iter().collect());
        }
    }
    let name = free_name(b.program, &format!("{}_backward", func.name));
    let body = std::mem::take(&mut b.body).into_iter().chain(ops).collect();
    let output = |value: ValueId| Output { value, name: b.program.values[value].name.clone(), alias: None };
    let outputs = gives.into_iter().map(output).collect();
    let func = b.program.funcs.push(Func::new(name, takes, outputs, body));
    Ok(Backward { func, passed, stacked })
}

/// Puts a loop in the forward loop's place that leaves stacks behind of those carried values; they are returned.
fn keep(at: &mut Adjoint<'_, '_>, op: &Loop, stacked: &[usize], rounds: &Rounds) -> Vec<ValueId> {
    if stacked.is_empty() {
        return Vec::new();
    }
    let name = format!("{}_kept", at.b.program.funcs[op.body].name);
    let outer = std::mem::take(&mut at.b.body);
    at.b.phase = at.op.phase;
    let body = copy_func(at.b, op.body, &name);
    let b = &mut *at.b;
    let counter = Type::new(rounds.dtype, []);
    let name = b.names.fresh("round");
    let round = b.program.value(name, counter.clone());
    let next = b.plus(round, 1.0);
    let (mut takes, mut gives) = (vec![round], vec![next]);
    for &i in stacked {
        let value = b.program.funcs[body].inputs[i];
        let ty = b.ty(value);
        let name = b.names.fresh(&format!("{}.all", b.program.values[value].name));
        let stack = b.program.value(name, rounds.stack(&ty));
        let one = b.reshape(value, alone(&ty).shape);
        let args: Vec<ValueId> = [stack, one].into_iter().chain(rounds.at(b, round, &ty)).collect();
        let stacked = b.op("kept", DynamicUpdateSlice {}, &args, rounds.stack(&ty));
        takes.push(stack);
        gives.push(stacked);
    }
    let first = std::mem::replace(&mut b.body, outer);
    let func = &mut b.program.funcs[body];
    func.inputs.extend(takes);
    func.ops_mut().splice(0..0, first);
    for value in gives {
        let name = b.program.values[value].name.clone();
        b.program.funcs[body].outputs.push(Output { value, name, alias: None });
    }
    let types: Vec<Type> = stacked.iter().map(|&i| rounds.stack(&at.arg_type(i))).collect();
    let mut args = at.op.args.clone();
    args.extend(at.before(|b| {
        let zero = b.filled(counter.clone(), 0.0);
        [zero].into_iter().chain(types.iter().map(|ty| b.zeros(ty.clone())).collect::<Vec<_>>()).collect::<Vec<_>>()
    }));
    let mut outs = at.op.outs.clone();
    let mut stacks = Vec::new();
    for (ty, name) in [counter].iter().chain(&types).zip(["rounds"].into_iter().chain(std::iter::repeat("all"))) {
        let name = at.b.names.fresh(name);
        let out = at.b.program.value(name, ty.clone());
        outs.push(out);
        stacks.push(out);
    }
    stacks.remove(0);
    at.replace(Op { kind: Loop { body, ..op.clone() }.into(), args, outs, ..at.op.clone() });
    stacks
}
