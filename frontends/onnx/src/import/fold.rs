//! Constant folding during the import.
//!
//! A node with constant operands is lowered into a separate program and evaluated. For shape arithmetic the work is
//! small. To limit the work for a damaged or hostile file, there are limits for each node and in total; nodes beyond
//! the limits are lowered into the program instead.

use super::lowering::{Lowering, LoweringError, LoweringResult, Out, Outs};
use crate::proto::NodeProto;
use crate::tensors;
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer, check_op_types};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::{self, storage_bytes};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use std::path::Path;

/// Maximum work of folding for all nodes together, in bytes plus arithmetic operations.
pub const MAX_TOTAL_WORK: u64 = 1 << 32;

/// Maximum work of folding one node, in bytes plus arithmetic operations.
const MAX_NODE_WORK: u64 = 1 << 28;

/// Work of one node that is allowed even after the total is spent, in bytes plus arithmetic operations. Shape
/// arithmetic needs less.
const FREE_WORK: u64 = 1 << 12;

/// Returns the tensor of a `Constant` node; `None` if its value is not a tensor.
pub fn constant(node: &NodeProto) -> Option<Result<Tensor, Diagnostic>> {
    let attribute = node.attribute.first()?;
    let floats = |dims: &[usize], items: &[f32]| {
        Tensor::from_floats(Type::new(DType::F32, dims), items.iter().map(|&x| x.into()).collect())
    };
    let ints = |dims: &[usize], items: &[i64]| Tensor::from_ints(Type::new(DType::I64, dims), items.to_vec());
    Some(match attribute.name.as_str() {
        "value" => tensors::read(attribute.t.as_ref()?, Path::new("."), "its value"),
        "value_float" => Ok(floats(&[], &[attribute.f.unwrap_or(0.0)])),
        "value_floats" => Ok(floats(&[attribute.floats.len()], &attribute.floats)),
        "value_int" => Ok(ints(&[], &[attribute.i.unwrap_or(0)])),
        "value_ints" => Ok(ints(&[attribute.ints.len()], &attribute.ints)),
        _ => return None,
    })
}

/// Evaluates ops on constants; `None` if their work exceeds the limits. The work is subtracted from `budget`. `lower`
/// appends the ops, and gets the constants as values of a separate program.
///
/// # Errors
/// Returns the errors of `lower`, and the reason why the ops cannot be evaluated.
pub fn evaluate(
    constants: &[&Tensor],
    budget: &mut u64,
    lower: impl FnOnce(&mut Lowering<'_>, &[ValueId]) -> LoweringResult,
) -> Result<Option<Outs>, LoweringError> {
    let grants = |work: u64, budget: u64| work <= FREE_WORK || work <= MAX_NODE_WORK.min(budget);
    let operand_bytes = constants.iter().map(|t| storage_bytes(&t.ty)).fold(0, u64::saturating_add);
    if !grants(operand_bytes, *budget) {
        return Ok(None);
    }
    let (mut program, mut namer) = (Program::default(), Namer::default());
    let mut cx = Lowering::new(Builder::new(&mut program, &mut namer));
    let mut values = Vec::new();
    for &tensor in constants {
        let value = cx.b.program.input("x", tensor.ty.clone());
        cx.set_constant(value, tensor.clone());
        values.push(value);
    }
    let outs = lower(&mut cx, &values)?;
    check_op_types(cx.b.program, &cx.b.body)?;
    let main = cx.b.program.entry();
    cx.b.finish(main);
    let work = work(&program);
    if !grants(work, *budget) {
        return Ok(None);
    }
    *budget = budget.saturating_sub(work);
    for out in &outs {
        if let Out::Value(value) = out {
            program.output("out", *value);
        }
    }
    let inputs = constants.iter().map(|&t| t.clone()).collect();
    let mut results = interp::run(&program, inputs).map_err(LoweringError::Malformed)?.into_iter();
    let result = |out| match out {
        Out::Value(_) => results.next().map(Out::Constant),
        Out::Constant(_) => Some(out),
    };
    Ok(outs.into_iter().map(result).collect())
}

/// Returns the work of evaluating a program: bytes of all values plus arithmetic operations.
fn work(program: &Program) -> u64 {
    let bytes = program.values.values().map(|v| storage_bytes(&v.ty));
    let ops = program.model_ops();
    let flops = ops.iter().map(|o| {
        let flops = o.op.kind.flops(&program.arg_types(o.op), &program.out_types(o.op));
        flops.saturating_mul(o.trips)
    });
    bytes.chain(flops).fold(0, u64::saturating_add)
}
