//! The adjoint of a loop: a loop over the iterations in reverse order.
//!
//! Each iteration of the backward loop recomputes the body from the carried values at the beginning of the iteration,
//! and runs the body's adjoint. The forward loop is replaced by one that also stores a stack of each carried value that
//! the backward pass reads. Values that the body does not change are passed to the backward loop without a stack. The
//! backward loop carries a gradient for each value on a path from the results with a gradient to the wanted operands.
//!
//! A `while` loop with a known limit has stacks with one entry for each possible iteration. Its forward loop also
//! counts its iterations, and the backward loop ends after as many.
//!
//! ```text
//! func @body(%x, %w) { %y = tanh (%x * %w); return %y, %w }
//!
//! func @body_kept(%x, %w, %round, %xs) { %xs' = %xs with %x at %round; ..; return %y, %w, %round + 1, %xs' }
//! func @body_backward(%round, %dy, %dw, %w, %xs) { %x = %xs at %round; ..; return %round - 1, %dx, %dw', %w, %xs }
//! ```

use super::algebra::Algebra;
use super::{Adjoint, AdjointError};
use crate::training::differentiate::copy::{ValueMap, copy_func, copy_ops, copy_value, free_name, live_ops};
use crate::training::differentiate::reverse::{Activity, reverse};
use partita_ir::arena::{FuncId, Id, ValueId};
use partita_ir::build::Builder;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{Compare, Direction, DynamicSlice, DynamicUpdateSlice, Loop, MAX_ITERATIONS, Reshape};
use partita_ir::program::{Func, Op, Output, Phase, Program, Value};

/// Appends the adjoint of `loop`. See the module documentation.
pub fn loop_adjoint(ctx: &mut Adjoint<'_, '_>, op: &Loop) -> Result<(), AdjointError> {
    let carried = ctx.op.args.len();
    if op.limit >= MAX_ITERATIONS {
        return Err("has an unknown number of iterations, which its gradient would have to reverse".to_owned().into());
    }
    if op.trip == 0 && !op.is_while() {
        for i in 0..carried {
            if let (Some(g), true) = (ctx.gradient_of(i), ctx.needs_gradient(i)) {
                ctx.set_gradient(i, g);
            }
        }
        return Ok(());
    }
    let (wanted, data) = ctx.activity.analyse_carried(ctx.b.program, ctx.op, op.body);
    let has_gradient =
        has_gradient(ctx.b.program, op.body, (0..carried).map(|i| ctx.gradient_of(i).is_some()).collect(), &wanted);
    let iterations = Iterations::new(op);
    let origin = ctx.b.origin.clone();
    let outer = std::mem::take(&mut ctx.b.body);
    let back = backward(ctx.b, op.body, &wanted, &data, &has_gradient, &iterations);
    ctx.b.body = outer;
    ctx.b.origin = origin;
    let back = back.map_err(AdjointError::Inner)?;
    if let Some(&i) =
        back.stacked.iter().find(|&&i| iterations.stack_type(&ctx.arg_type(i)).shape.checked_count().is_none())
    {
        let ty = ctx.arg_type(i);
        return Err(format!("a stack of {ty} for {} iterations is too large", iterations.limit).into());
    }
    let Stored { count, stacks } = store_stacks(ctx, op, &back.stacked, &iterations);
    let is_data = (0..carried).any(|i| has_gradient[i] && ctx.is_data(i));
    ctx.b.phase = if is_data { Phase::BackwardInput } else { Phase::BackwardWeight };
    let mut args = Vec::new();
    if let Some(count) = count {
        let last = ctx.b.plus(count, -1.0);
        args.push(iterations.continues(ctx.b, last));
        args.push(last);
    } else if !stacks.is_empty() {
        args.push(ctx.b.filled(Type::new(iterations.dtype, []), (op.trip - 1) as f64));
    }
    let counters = args.len();
    for i in (0..carried).filter(|&i| has_gradient[i]) {
        let gradient = ctx.gradient_of(i);
        let ty = ctx.arg_type(i);
        args.push(gradient.unwrap_or_else(|| ctx.b.zeros(ty)));
    }
    args.extend(back.unchanged.iter().map(|&i| ctx.op.args[i]));
    args.extend(&stacks);
    let types: Vec<Type> = args.iter().map(|&v| ctx.b.ty(v)).collect();
    let outs = ctx.b.op_many("back", Loop { body: back.func, ..op.clone() }, &args, &types);
    let gradients = outs.iter().skip(counters);
    for (i, &gradient) in (0..carried).filter(|&i| has_gradient[i]).zip(gradients) {
        if ctx.needs_gradient(i) {
            ctx.set_gradient(i, gradient);
        }
    }
    Ok(())
}

/// Returns the type of one entry of a stack.
fn entry_type(ty: &Type) -> Type {
    Type { shape: [1].into_iter().chain(ty.shape.iter().copied()).collect::<Shape>(), dtype: ty.dtype }
}

/// Iterations of a loop.
struct Iterations {
    /// Number of iterations, or the largest number for a `while` loop.
    limit: u64,
    /// Type of the iteration counter.
    dtype: DType,
    is_while: bool,
}

impl Iterations {
    fn new(op: &Loop) -> Iterations {
        let limit = if op.is_while() { op.limit } else { op.trip };
        let dtype = if i32::try_from(limit).is_ok() { DType::I32 } else { DType::I64 };
        Iterations { limit, dtype, is_while: op.is_while() }
    }

    /// Returns true for a counter of iterations in reverse order, a scalar, that has not passed the first one.
    fn continues(&self, b: &mut Builder<'_>, iteration: ValueId) -> ValueId {
        let zero = b.filled(Type::new(self.dtype, []), 0.0);
        let compare = Compare { direction: Direction::Ge, total: false };
        b.op("continues", compare, &[iteration, zero], Type::new(DType::Bool, []))
    }

    /// Returns the type of a stack of values of this type, with one entry for each iteration.
    fn stack_type(&self, ty: &Type) -> Type {
        Type { shape: [self.limit as usize].into_iter().chain(ty.shape.iter().copied()).collect(), dtype: ty.dtype }
    }

    /// Returns the start indices of an iteration's entry in a stack of values of this type.
    fn start_indices(&self, b: &mut Builder<'_>, iteration: ValueId, ty: &Type) -> Vec<ValueId> {
        let mut starts = vec![iteration];
        if ty.shape.rank() > 0 {
            let zero = b.filled(Type::new(self.dtype, []), 0.0);
            starts.resize(ty.shape.rank() + 1, zero);
        }
        starts
    }
}

/// Returns for each carried value whether it has a gradient: a result with a gradient depends on it, in this iteration
/// or in later ones.
fn has_gradient(program: &Program, body: FuncId, mut has_gradient: Vec<bool>, wanted: &[bool]) -> Vec<bool> {
    let func = &program.funcs[body];
    has_gradient.iter_mut().zip(wanted).for_each(|(has_gradient, wanted)| *has_gradient &= wanted);
    loop {
        let mut read = vec![false; program.values.len()];
        let results = func.outputs.iter().zip(&has_gradient).filter(|(_, has_gradient)| **has_gradient);
        results.for_each(|(o, _)| read[o.value.index()] = true);
        for op in func.ops().iter().rev().map(|&op| &program.ops[op]) {
            if op.outs.iter().any(|v| read[v.index()]) {
                op.args.iter().for_each(|v| read[v.index()] = true);
            }
        }
        let mut changed = false;
        for ((input, has_gradient), wanted) in func.inputs.iter().zip(&mut has_gradient).zip(wanted) {
            changed |= !*has_gradient && *wanted && read[input.index()];
            *has_gradient |= *wanted && read[input.index()];
        }
        if !changed {
            return has_gradient;
        }
    }
}

/// The body of the backward loop. It carries the condition of a `while` loop, the iteration counter if there are stacks
/// or a condition, then gradients, unchanged values, and stacks.
struct Backward {
    func: FuncId,
    /// Carried values that each iteration reads and that the body does not change.
    unchanged: Vec<usize>,
    /// Carried values that are read from stacks.
    stacked: Vec<usize>,
}

fn backward(
    b: &mut Builder<'_>,
    body: FuncId,
    wanted: &[bool],
    data: &[bool],
    has_gradient: &[bool],
    iterations: &Iterations,
) -> Result<Backward, Vec<Diagnostic>> {
    let func = b.program.funcs[body].clone();
    // Recomputation of the body from copies of the carried values.
    let mut copies = ValueMap::default();
    let inputs: Vec<ValueId> = func.inputs.iter().map(|&v| copy_value(b, v)).collect();
    copies.extend(func.inputs.iter().copied().zip(inputs.iter().copied()));
    copy_ops(b, func.ops(), &mut copies);
    let mut recomputed = std::mem::take(&mut b.body);
    recomputed.iter().for_each(|&op| b.program.ops[op].phase = Phase::BackwardInput);
    let copy = |o: &Output| copies.get(&o.value).copied().unwrap_or(o.value);
    let results: Vec<ValueId> = func.outputs.iter().map(copy).collect();
    let selected =
        |on: &[bool]| -> Vec<ValueId> { inputs.iter().zip(on).filter(|(_, on)| **on).map(|(&v, _)| v).collect() };
    let activity = Activity::analyse(b.program, &recomputed, &selected(wanted), &selected(data));
    let mut seeds = Vec::new();
    for (result, input) in
        results.iter().zip(&inputs).zip(has_gradient).filter(|(_, has_gradient)| **has_gradient).map(|(pair, _)| pair)
    {
        let name = format!("{}.grad", b.program.values[*input].name);
        let (name, ty) = (b.names.fresh(&name), b.ty(*input));
        seeds.push((*result, b.program.values.push(Value::new(name, ty))));
    }
    let found = reverse(b, &mut recomputed, &seeds, &selected(has_gradient), &activity)?;
    b.phase = Phase::BackwardInput;
    let mut gradients = Vec::new();
    for (gradient, input) in found.into_iter().zip(selected(has_gradient)) {
        let ty = b.ty(input);
        gradients.push(gradient.unwrap_or_else(|| b.zeros(ty)));
    }
    recomputed.append(&mut b.body);
    let (ops, read) = live_ops(b.program, recomputed, &gradients);
    let is_read = |i: &usize| read[inputs[*i].index()];
    let is_unchanged = |i: &usize| func.outputs[*i].value == func.inputs[*i];
    let (unchanged, stacked): (Vec<usize>, Vec<usize>) = (0..inputs.len()).filter(is_read).partition(is_unchanged);
    // Inputs and outputs of the backward body.
    let (mut takes, mut gives) = (Vec::new(), Vec::new());
    let mut iteration = None;
    if !stacked.is_empty() || iterations.is_while {
        let name = b.names.fresh("round");
        let value = b.program.value(name, Type::new(iterations.dtype, []));
        let next = b.plus(value, -1.0);
        if iterations.is_while {
            let name = b.names.fresh("condition");
            takes.push(b.program.value(name, Type::new(DType::Bool, [])));
            gives.push(iterations.continues(b, next));
        }
        takes.push(value);
        gives.push(next);
        iteration = Some(value);
    }
    takes.extend(seeds.iter().map(|&(_, gradient)| gradient));
    gives.extend(gradients);
    for &i in &unchanged {
        takes.push(inputs[i]);
        gives.push(inputs[i]);
    }
    for &i in &stacked {
        let ty = b.ty(inputs[i]);
        let name = b.names.fresh(&format!("{}.all", b.program.values[func.inputs[i]].name));
        let stack = b.program.value(name, iterations.stack_type(&ty));
        takes.push(stack);
        gives.push(stack);
        if let Some(iteration) = iteration {
            let args: Vec<ValueId> = [stack].into_iter().chain(iterations.start_indices(b, iteration, &ty)).collect();
            let one = entry_type(&ty);
            let slice = DynamicSlice { sizes: one.shape.iter().copied().collect() };
            let slice = b.op("then", slice, &args, one);
            b.push(Reshape {}.into(), &[slice], [inputs[i]].into_iter().collect());
        }
    }
    let name = free_name(b.program, &format!("{}_backward", func.name));
    let body = std::mem::take(&mut b.body).into_iter().chain(ops).collect();
    let output = |value: ValueId| Output { value, name: b.program.values[value].name.clone(), replaces: None };
    let outputs = gives.into_iter().map(output).collect();
    let func = b.program.funcs.push(Func::new(name, takes, outputs, body));
    Ok(Backward { func, unchanged, stacked })
}

/// Additional results of a forward loop.
struct Stored {
    /// Number of iterations of a `while` loop.
    count: Option<ValueId>,
    stacks: Vec<ValueId>,
}

/// Replaces the forward loop by one that also stores stacks of these carried values.
fn store_stacks(ctx: &mut Adjoint<'_, '_>, op: &Loop, stacked: &[usize], iterations: &Iterations) -> Stored {
    if stacked.is_empty() && !iterations.is_while {
        return Stored { count: None, stacks: Vec::new() };
    }
    let name = format!("{}_kept", ctx.b.program.funcs[op.body].name);
    let outer = std::mem::take(&mut ctx.b.body);
    ctx.b.phase = ctx.op.phase;
    let body = copy_func(ctx.b, op.body, &name);
    let b = &mut *ctx.b;
    let counter = Type::new(iterations.dtype, []);
    let name = b.names.fresh("round");
    let iteration = b.program.value(name, counter.clone());
    let next = b.plus(iteration, 1.0);
    let (mut takes, mut gives) = (vec![iteration], vec![next]);
    for &i in stacked {
        let value = b.program.funcs[body].inputs[i];
        let ty = b.ty(value);
        let name = b.names.fresh(&format!("{}.all", b.program.values[value].name));
        let stack = b.program.value(name, iterations.stack_type(&ty));
        let one = b.reshape(value, entry_type(&ty).shape);
        let args: Vec<ValueId> = [stack, one].into_iter().chain(iterations.start_indices(b, iteration, &ty)).collect();
        let stacked = b.op("kept", DynamicUpdateSlice {}, &args, iterations.stack_type(&ty));
        takes.push(stack);
        gives.push(stacked);
    }
    let first = std::mem::replace(&mut b.body, outer);
    let func = &mut b.program.funcs[body];
    func.inputs.extend(takes);
    func.ops_mut().splice(0..0, first);
    for value in gives {
        let name = b.program.values[value].name.clone();
        b.program.funcs[body].outputs.push(Output { value, name, replaces: None });
    }
    let types: Vec<Type> = stacked.iter().map(|&i| iterations.stack_type(&ctx.arg_type(i))).collect();
    let mut args = ctx.op.args.clone();
    args.extend(ctx.insert_before(|b| {
        let zero = b.filled(counter.clone(), 0.0);
        [zero].into_iter().chain(types.iter().map(|ty| b.zeros(ty.clone())).collect::<Vec<_>>()).collect::<Vec<_>>()
    }));
    let mut outs = ctx.op.outs.clone();
    let mut stacks = Vec::new();
    for (ty, name) in [counter].iter().chain(&types).zip(["rounds"].into_iter().chain(std::iter::repeat("all"))) {
        let name = ctx.b.names.fresh(name);
        let out = ctx.b.program.value(name, ty.clone());
        outs.push(out);
        stacks.push(out);
    }
    let count = stacks.remove(0);
    ctx.replace(Op { kind: Loop { body, ..op.clone() }.into(), args, outs, ..ctx.op.clone() });
    Stored { count: iterations.is_while.then_some(count), stacks }
}
