//! A recorded module as a traced program.
//!
//! Parameters and inputs become inputs of the main function, parameters under their dotted paths. Only what the results
//! need is lowered: the operations that initialise parameters are left behind, so that no parameter has a value, but
//! for the distribution that they draw from (`initializer`). Each operation is lowered by the file of its family;
//! `table` says which.

mod composite;
mod contraction;
mod convolution;
mod elementwise;
mod indexing;
mod initializer;
mod lowering;
mod movement;
mod ordering;
mod pooling;
mod random;
mod reduction;
mod scope;
mod table;

use crate::capture::{Captured, Parameter};
use burn::tensor::TensorData;
use burn_ir::{OperationIr, TensorId, TensorIr};
use initializer::Makers;
use lowering::{Lowering, Refusal, dtype_of, type_of};
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer, identifier};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::initializer::Initializer;
use partita_ir::origin::Origin;
use partita_ir::program::{Param, Program};
use partita_ir::tensor::Tensor;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scopes;

/// Lowers a recording to a program of the form `traced`, called `name` in messages.
///
/// # Errors
/// Every operation, element type and size that programs do not have, each with the module it was recorded in.
pub fn import(captured: &Captured, name: &str) -> Result<Program, Vec<Diagnostic>> {
    let tensors = tensors(captured);
    let live = Live::of(captured);
    let mut program = Program::with_source(name);
    let mut names = Namer::default();
    let mut cx = Lowering::new(Builder::new(&mut program, &mut names), live.reads);
    let mut errors = Vec::new();
    // What was refused, or made by an operation that was; its readers are not refused once more.
    let mut lost: FxHashSet<TensorId> = FxHashSet::default();
    declare(&mut cx, captured, &tensors, &mut lost, &mut errors);
    let mut scopes = Scopes::new(captured);
    for (op, _) in captured.operations.iter().zip(&live.ops).filter(|(_, live)| **live) {
        let scope = scopes.enter(op);
        cx.b.origin = Origin::at(0, scope.clone());
        if op.inputs().any(|t| lost.contains(&t.id)) {
            lost.extend(op.outputs().map(|t| t.id));
        } else if let Err(refusal) = read(&mut cx, captured, op).and_then(|()| table::lower(&mut cx, op)) {
            lost.extend(op.outputs().map(|t| t.id));
            errors.push(refused(op, scopes.last(), refusal));
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let outputs = captured.outputs.iter().map(|&id| value(&mut cx, captured, id)).collect::<Result<Vec<_>, _>>();
    let main = cx.b.program.entry();
    cx.b.finish(main);
    for (i, value) in outputs.map_err(|refusal| vec![unfit("the function", refusal)])?.into_iter().enumerate() {
        program.output(format!("output.{i}"), value);
    }
    Ok(program)
}

/// Every tensor that an operation gives, by id.
fn tensors(captured: &Captured) -> FxHashMap<TensorId, &TensorIr> {
    captured.operations.iter().flat_map(OperationIr::outputs).map(|t| (t.id, t)).collect()
}

/// Which operations the results need.
struct Live {
    ops: Vec<bool>,
    reads: FxHashSet<TensorId>,
}

impl Live {
    fn of(captured: &Captured) -> Live {
        let mut reads: FxHashSet<TensorId> = captured.outputs.iter().copied().collect();
        let given: FxHashSet<TensorId> = captured.params.keys().chain(&captured.inputs).copied().collect();
        let mut ops = vec![false; captured.operations.len()];
        for (op, live) in captured.operations.iter().zip(&mut ops).rev() {
            *live = op.outputs().any(|t| reads.contains(&t.id) && !given.contains(&t.id));
            if *live {
                reads.extend(op.inputs().map(|t| t.id));
            }
        }
        Live { ops, reads }
    }
}

/// Declares parameters and inputs; those that are refused are lost.
fn declare(
    cx: &mut Lowering<'_>,
    captured: &Captured,
    tensors: &FxHashMap<TensorId, &TensorIr>,
    lost: &mut FxHashSet<TensorId>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut refuse = |id: TensorId, error: Diagnostic| {
        lost.insert(id);
        errors.push(error);
    };
    let ty = |id: &TensorId| match (tensors.get(id), captured.values.get(id)) {
        (Some(tensor), _) => type_of(tensor),
        (None, Some(data)) => dtype_of(data.dtype()).map(|dtype| Type::new(dtype, data.shape().as_slice())),
        (None, None) => Err(Refusal::Stranger),
    };
    let makers = Makers::of(captured);
    for (id, parameter) in &captured.params {
        match ty(id) {
            Ok(ty) => {
                let init = makers.initializer(*id).filter(|init| init.is_finite());
                // Only floats are drawn.
                let init = init.filter(|init| ty.dtype.is_float() || matches!(init, Initializer::Constant(_)));
                let name = cx.b.names.fresh(&identifier(&parameter.path));
                let value = cx.b.program.input(name, ty);
                let param = Param { path: parameter.path.clone(), kind: parameter.kind, value, of: None, init };
                cx.b.program.params.push(param);
                cx.bind(*id, value);
            }
            Err(refusal) => refuse(*id, unfit(&format!("parameter `{}`", parameter.path), refusal)),
        }
    }
    for (i, id) in captured.inputs.iter().enumerate() {
        match ty(id) {
            Ok(ty) => {
                let name = cx.b.names.fresh(&format!("input.{i}"));
                let value = cx.b.program.input(name, ty);
                cx.bind(*id, value);
            }
            Err(refusal) => refuse(*id, unfit(&format!("input {i}"), refusal)),
        }
    }
}

/// Makes sure that what `op` reads has values.
fn read(cx: &mut Lowering<'_>, captured: &Captured, op: &OperationIr) -> Result<(), Refusal> {
    op.inputs().try_for_each(|tensor| value(cx, captured, tensor.id).map(|_| ()))
}

/// The value of a tensor: one that was lowered before, or made from data.
fn value(cx: &mut Lowering<'_>, captured: &Captured, id: TensorId) -> Result<ValueId, Refusal> {
    if let Some(value) = cx.find(id) {
        return Ok(value);
    }
    let data = captured.values.get(&id).ok_or(Refusal::Stranger)?;
    let value = cx.b.constant(&tensor(data, dtype_of(data.dtype())?));
    cx.bind(id, value);
    Ok(value)
}

/// Burn's data as a tensor of programs, of the element type that [`dtype_of`] gives.
fn tensor(data: &TensorData, dtype: DType) -> Tensor {
    let ty = Type::new(dtype, data.shape().as_slice());
    match dtype.is_float() {
        true => Tensor::from_floats(ty, data.iter::<f64>().collect()),
        false => Tensor::from_ints(ty, data.iter::<i64>().collect()),
    }
}

/// The parameters that have values, with their paths: those that were loaded, or moved from another device. A lazily
/// initialised parameter has none.
pub fn weights(captured: &Captured) -> Vec<(String, Tensor)> {
    let known = |(id, parameter): (&TensorId, &Parameter)| {
        let data = captured.values.get(id)?;
        Some((parameter.path.clone(), tensor(data, dtype_of(data.dtype()).ok()?)))
    };
    captured.params.iter().filter_map(known).collect()
}

/// What is wrong with an operation; `after` is the module whose parameters were read last.
fn refused(op: &OperationIr, after: &str, refusal: Refusal) -> Diagnostic {
    let what = format!("Burn operation `{}`", operation_name(op));
    let place = match after {
        "" => "recorded before any module with parameters".to_owned(),
        _ => format!("recorded in `{after}`, or between it and the next module with parameters"),
    };
    unfit(&what, refusal).note(place)
}

fn unfit(what: &str, refusal: Refusal) -> Diagnostic {
    let (code, title) = match refusal {
        Refusal::Unknown => (Code::F001, format!("{what} cannot be lowered")),
        Refusal::Option(option) => (Code::F001, format!("{what} cannot be lowered with {option}")),
        Refusal::DType(dtype) => (Code::F003, format!("{what} has element type {dtype:?}, which programs do not have")),
        Refusal::TooLarge(shape) => (Code::T004, format!("{what} has more elements than can be counted: {shape}")),
        Refusal::Stranger => (Code::F002, format!("{what} reads a tensor that was not made in the trace")),
        Refusal::Mismatch(want, got) => {
            (Code::V001, format!("{what} gives {want} in the recording but lowers to {got}"))
        }
    };
    Diagnostic::new(code, title)
}

/// The operation's name in Burn, such as `Interpolate`: the innermost variant of its enums.
fn operation_name(op: &OperationIr) -> String {
    let text = format!("{op:?}");
    let fields = text.find(" {").unwrap_or(text.len());
    let variants: Vec<&str> = text[..fields].split('(').collect();
    let innermost = variants.len().saturating_sub(2);
    variants.get(innermost).map_or(String::new(), |v| v.rsplit(' ').next().unwrap_or(v).to_owned())
}
