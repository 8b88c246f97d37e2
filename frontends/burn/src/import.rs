//! Lowering of a recorded module to a traced program.
//!
//! Parameters and inputs become inputs of the main function, parameters under their dotted paths. Only operations that
//! the results depend on are lowered. Initializer operations are therefore dropped, and each parameter records the
//! distribution of its initial values instead (`initializer`). Each operation is lowered by the file of its family,
//! selected in `table`.

mod annotation;
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
use initializer::Definitions;
use lowering::{Lowering, LoweringError, type_of};

pub(crate) use lowering::dtype_of;
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

/// Lowers a recording to a program of form `traced` with the source name `name`.
///
/// # Errors
/// Returns one diagnostic for each operation, element type and size that programs do not support, with the module where
/// the operation was recorded.
pub fn import(captured: &Captured, name: &str) -> Result<Program, Vec<Diagnostic>> {
    let tensors = tensors(captured);
    let live = LiveOps::new(captured);
    let mut program = Program::with_source(name);
    let mut names = Namer::default();
    let mut cx = Lowering::new(Builder::new(&mut program, &mut names), live.reads);
    let mut errors = Vec::new();
    // Tensors that could not be lowered. Operations that read them report no further errors.
    let mut failed: FxHashSet<TensorId> = FxHashSet::default();
    declare(&mut cx, captured, &tensors, &mut failed, &mut errors);
    let mut scopes = Scopes::new(captured);
    for (op, _) in captured.operations.iter().zip(&live.ops).filter(|(_, live)| **live) {
        let scope = scopes.enter(op);
        cx.b.origin = Origin::new(0, scope.clone());
        if op.inputs().any(|t| failed.contains(&t.id)) {
            failed.extend(op.outputs().map(|t| t.id));
        } else if let Err(error) = materialise_operands(&mut cx, captured, op).and_then(|()| table::lower(&mut cx, op))
        {
            failed.extend(op.outputs().map(|t| t.id));
            errors.push(op_diagnostic(op, scopes.last(), error));
        }
        for (id, annotation) in op.outputs().filter_map(|t| captured.annotations.get_key_value(&t.id)) {
            annotation::lower(&mut cx, *id, annotation).unwrap_or_else(|error| errors.push(error));
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let outputs = captured.outputs.iter().map(|&id| value(&mut cx, captured, id)).collect::<Result<Vec<_>, _>>();
    let main = cx.b.program.entry();
    cx.b.finish(main);
    for (i, value) in outputs.map_err(|error| vec![diagnostic("the function", error)])?.into_iter().enumerate() {
        program.output(format!("output.{i}"), value);
    }
    program.has_no_params = program.params.is_empty();
    Ok(program)
}

/// Returns the results of all operations by tensor id.
fn tensors(captured: &Captured) -> FxHashMap<TensorId, &TensorIr> {
    captured.operations.iter().flat_map(OperationIr::outputs).map(|t| (t.id, t)).collect()
}

/// Operations and tensors that the results depend on: a flag for each operation, and the tensors read by these
/// operations or returned.
struct LiveOps {
    ops: Vec<bool>,
    reads: FxHashSet<TensorId>,
}

impl LiveOps {
    fn new(captured: &Captured) -> LiveOps {
        let mut reads: FxHashSet<TensorId> = captured.outputs.iter().copied().collect();
        let boundary: FxHashSet<TensorId> = captured.params.keys().chain(&captured.inputs).copied().collect();
        let mut ops = vec![false; captured.operations.len()];
        for (op, live) in captured.operations.iter().zip(&mut ops).rev() {
            *live = op.outputs().any(|t| reads.contains(&t.id) && !boundary.contains(&t.id));
            if *live {
                reads.extend(op.inputs().map(|t| t.id));
            }
        }
        LiveOps { ops, reads }
    }
}

/// Declares parameters and inputs. Tensors that cannot be declared are added to `failed`.
fn declare(
    cx: &mut Lowering<'_>,
    captured: &Captured,
    tensors: &FxHashMap<TensorId, &TensorIr>,
    failed: &mut FxHashSet<TensorId>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut fail = |id: TensorId, error: Diagnostic| {
        failed.insert(id);
        errors.push(error);
    };
    let ty = |id: &TensorId| match (tensors.get(id), captured.values.get(id)) {
        (Some(tensor), _) => type_of(tensor),
        (None, Some(data)) => dtype_of(data.dtype()).map(|dtype| Type::new(dtype, data.shape().as_slice())),
        (None, None) => Err(LoweringError::ForeignTensor),
    };
    let definitions = Definitions::new(captured);
    for (id, parameter) in &captured.params {
        match ty(id) {
            Ok(ty) => {
                let init = definitions.initializer(*id).filter(|init| init.is_finite());
                // Only floats have random initial values.
                let init = init.filter(|init| ty.dtype.is_float() || matches!(init, Initializer::Constant(_)));
                let name = cx.b.names.fresh(&identifier(&parameter.path));
                let value = cx.b.program.input(name, ty);
                let param = Param { path: parameter.path.clone(), kind: parameter.kind, value, parent: None, init };
                cx.b.program.params.push(param);
                cx.bind(*id, value);
            }
            Err(error) => fail(*id, diagnostic(&format!("parameter `{}`", parameter.path), error)),
        }
    }
    for (i, id) in captured.inputs.iter().enumerate() {
        match ty(id) {
            Ok(ty) => {
                let name = cx.b.names.fresh(&format!("input.{i}"));
                let value = cx.b.program.input(name, ty);
                cx.bind(*id, value);
            }
            Err(error) => fail(*id, diagnostic(&format!("input {i}"), error)),
        }
    }
}

/// Ensures that each operand of `op` has a value: tensors created from data become constants.
fn materialise_operands(cx: &mut Lowering<'_>, captured: &Captured, op: &OperationIr) -> Result<(), LoweringError> {
    op.inputs().try_for_each(|tensor| value(cx, captured, tensor.id).map(|_| ()))
}

/// Returns the value of a tensor that was lowered before, or appends the constant of a tensor created from data.
fn value(cx: &mut Lowering<'_>, captured: &Captured, id: TensorId) -> Result<ValueId, LoweringError> {
    if let Some(value) = cx.find(id) {
        return Ok(value);
    }
    let data = captured.values.get(&id).ok_or(LoweringError::ForeignTensor)?;
    let value = cx.b.constant(&tensor(data, dtype_of(data.dtype())?));
    cx.bind(id, value);
    Ok(value)
}

/// Converts Burn's data to a tensor whose element type is given by [`dtype_of`].
pub(crate) fn tensor(data: &TensorData, dtype: DType) -> Tensor {
    let ty = Type::new(dtype, data.shape().as_slice());
    match dtype.is_float() {
        true => Tensor::from_floats(ty, data.iter::<f64>().collect()),
        false => Tensor::from_ints(ty, data.iter::<i64>().collect()),
    }
}

/// Returns the parameters that have data, with their paths: parameters that were loaded or moved from another device. A
/// lazily initialised parameter has no data.
pub fn weights(captured: &Captured) -> Vec<(String, Tensor)> {
    let with_data = |(id, parameter): (&TensorId, &Parameter)| {
        let data = captured.values.get(id)?;
        Some((parameter.path.clone(), tensor(data, dtype_of(data.dtype()).ok()?)))
    };
    captured.params.iter().filter_map(with_data).collect()
}

/// Builds the diagnostic for an operation that cannot be lowered. `after` is the module whose parameters were read
/// last.
fn op_diagnostic(op: &OperationIr, after: &str, error: LoweringError) -> Diagnostic {
    let what = format!("Burn operation `{}`", operation_name(op));
    let place = match after {
        "" => "recorded before any module with parameters".to_owned(),
        _ => format!("recorded in `{after}`, or between it and the next module with parameters"),
    };
    diagnostic(&what, error).note(place)
}

fn diagnostic(what: &str, error: LoweringError) -> Diagnostic {
    let (code, title) = match error {
        LoweringError::Unsupported => (Code::F001, format!("{what} cannot be lowered")),
        LoweringError::UnsupportedOption(option) => (Code::F001, format!("{what} cannot be lowered with {option}")),
        LoweringError::DType(dtype) => {
            (Code::F003, format!("{what} has element type {dtype:?}, which is not supported"))
        }
        LoweringError::TooLarge(shape) => {
            (Code::T004, format!("{what} has more elements than can be counted: {shape}"))
        }
        LoweringError::ForeignTensor => {
            (Code::F002, format!("{what} reads a tensor that was not created in the trace"))
        }
        LoweringError::TypeMismatch(want, got) => {
            (Code::V001, format!("{what} has the recorded type {want} but lowers to {got}"))
        }
    };
    Diagnostic::new(code, title)
}

/// Returns the name of an operation in Burn, such as `Interpolate`: the innermost variant of its enums.
fn operation_name(op: &OperationIr) -> String {
    let text = format!("{op:?}");
    let fields = text.find(" {").unwrap_or(text.len());
    let variants: Vec<&str> = text[..fields].split('(').collect();
    let innermost = variants.len().saturating_sub(2);
    variants.get(innermost).map_or(String::new(), |v| v.rsplit(' ').next().unwrap_or(v).to_owned())
}
