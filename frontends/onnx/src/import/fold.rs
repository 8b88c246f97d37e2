//! What is known when the model is read: constants, and what is computed from them alone.
//!
//! A node whose operands are all known is lowered into a program of its own, which is run. Shapes are small; what a
//! broken or hostile file may have computed is limited, for each node and in all, and what is beyond that is left to
//! the program.

use super::lowering::{Lowering, Node, Out, Outs, Refusal};
use super::{check, table};
use crate::proto::NodeProto;
use crate::tensors;
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::{self, held_bytes};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use std::path::Path;

/// Bytes and arithmetic operations that all nodes together may take.
pub const BUDGET: u64 = 1 << 32;

/// Those that one node may take.
const MOST: u64 = 1 << 28;

/// Those that are always granted: shapes are this small.
const FREE: u64 = 1 << 12;

/// The tensor of a `Constant` node; `None` when its value is something else.
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

/// What a node gives whose operands are known; `None` when that would take too much. What it takes is taken from
/// `left`.
///
/// # Errors
/// What is wrong with the node.
pub fn fold(
    node: &NodeProto,
    opset: i64,
    inputs: &[Option<&str>],
    known: &[&Tensor],
    left: &mut u64,
) -> Result<Option<Outs>, Refusal> {
    let grants = |work: u64, left: u64| work <= FREE || work <= MOST.min(left);
    let given = known.iter().map(|t| held_bytes(&t.ty)).fold(0, u64::saturating_add);
    if !grants(given, *left) {
        return Ok(None);
    }
    let (mut program, mut namer) = (Program::default(), Namer::default());
    let mut cx = Lowering::new(Builder::new(&mut program, &mut namer));
    let mut data = known.iter();
    let mut args = Vec::new();
    for name in inputs {
        let tensor = name.and_then(|_| data.next());
        args.push(tensor.map(|tensor| {
            let value = cx.b.program.input("x", tensor.ty.clone());
            cx.know(value, (*tensor).clone());
            value
        }));
    }
    let outs = table::lower(&mut cx, &Node::new(node, opset, args))?;
    check(cx.b.program, &cx.b.body)?;
    let main = cx.b.program.entry();
    cx.b.finish(main);
    let work = work(&program);
    if !grants(work, *left) {
        return Ok(None);
    }
    *left = left.saturating_sub(work);
    for out in &outs {
        if let Out::Value(value) = out {
            program.output("out", *value);
        }
    }
    let inputs = known.iter().map(|&t| t.clone()).collect();
    let mut results = interp::run(&program, inputs).map_err(Refusal::Malformed)?.into_iter();
    let result = |out| match out {
        Out::Value(_) => results.next().map(Out::Known),
        Out::Known(_) => Some(out),
    };
    Ok(outs.into_iter().map(result).collect())
}

/// Bytes and arithmetic operations of a program.
fn work(program: &Program) -> u64 {
    let bytes = program.values.values().map(|v| held_bytes(&v.ty));
    let ops = program.model_ops();
    let flops = ops.iter().map(|o| {
        let flops = o.op.kind.flops(&program.arg_types(o.op), &program.out_types(o.op));
        flops.saturating_mul(o.trips)
    });
    bytes.chain(flops).fold(0, u64::saturating_add)
}
