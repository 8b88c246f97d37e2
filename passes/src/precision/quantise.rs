//! `quantise` (traced -> traced): stores weights in 8 bits, as `int8` in the plan's precision specifies. For inference.
//!
//! A weight becomes an `i8` parameter and gets a second parameter, `PATH.scale`, with one number for each channel, and
//! size 1 in the other dimensions. The channels are a dimension that no reader sums over. Before each reader, the `f32`
//! weight is computed from both, so that it is live only while it is read (weight-only quantisation; Dettmers et al.
//! 2022). A loader of `f32` weights rounds each element to a multiple of 1/127 of the largest magnitude in its channel.
//! Vectors stay as they are.
//!
//! Before, with `--precision int8`:
//!
//! ```text
//! param %w "w" : f32[64, 512]
//! input %x : f32[8, 64]
//! %h = matmul %x, %w : f32[8, 512]
//! ```
//!
//! After:
//!
//! ```text
//! param %w "w" : i8[64, 512]
//! input %x : f32[8, 64]
//! param %w.scale "w.scale" const of "w" : f32[1, 512]
//! %convert = convert %w : f32[64, 512]
//! %broadcast = broadcast [0, 1] %w.scale : f32[64, 512]
//! %mul = mul %convert, %broadcast : f32[64, 512]
//! %h = matmul %x, %mul : f32[8, 512]
//! ```

use crate::driver::{Findings, Input, Pass, PassInfo};
use crate::planning::path_index::PathIndex;
use partita_ir::arena::{Id, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::model::ModelOp;
use partita_ir::ops::BinaryOp;
use partita_ir::plan::{Plan, PlanEntry};
use partita_ir::program::{Form, Param, ParamKind, Phase, Program};
use partita_ir::rule::{FactorId, FactorKind};

/// The pass.
pub struct Quantise;

/// The name of the type in plans.
pub const INT8: &str = "int8";

impl Pass for Quantise {
    fn info(&self) -> PassInfo {
        PassInfo { name: "quantise", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, _: &Program, input: &Input, _: &Findings) -> bool {
        input.plan.precision.iter().any(is_int8)
    }

    fn run(&self, program: &mut Program, input: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let trains = program.model_ops().iter().any(|o| o.op.phase != Phase::Forward);
        if let Some(entry) = input.plan.precision.iter().find(|e| is_int8(e))
            && (trains || input.plan.train.is_some())
        {
            let error = Diagnostic::new(Code::D005, "weights of 8 bits are for inference: they cannot be trained");
            return Err(vec![error.label(entry.text.span(), "").help("train in `bf16`, and run the result in `int8`")]);
        }
        let weights = weights(program, &input.plan)?;
        let mut names = Namer::from_program(program);
        let mut scales = vec![None; program.values.len()];
        for (value, dim) in weights {
            scales[value.index()] = Some(quantise(program, &mut names, value, dim));
        }
        let mut b = Builder::new(program, &mut names);
        for id in std::mem::take(b.program.entry_ops_mut()) {
            b.origin = b.program.ops[id].origin.clone();
            for i in 0..b.program.ops[id].args.len() {
                let arg = b.program.ops[id].args[i];
                if let Some(scale) = scales.get(arg.index()).copied().flatten() {
                    let wide = dequantise(&mut b, arg, scale);
                    b.program.ops[id].args[i] = wide;
                }
            }
            b.body.push(id);
        }
        let main = b.program.entry();
        b.finish(main);
        Ok(())
    }
}

fn is_int8(entry: &PlanEntry) -> bool {
    entry.text.text.trim() == INT8
}

/// Returns the weights to be stored in 8 bits, each with its channel dimension.
fn weights(program: &Program, plan: &Plan) -> Result<Vec<(ValueId, usize)>, Vec<Diagnostic>> {
    let entries = PathIndex::new(program);
    let mut errors = Vec::new();
    let deciding = entries.most_specific(&plan.precision, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let params = program.params.values().filter(|p| p.kind != ParamKind::State).map(|p| p.value);
    let chosen = params.filter(|v| deciding.get(v).is_some_and(|&i| is_int8(&plan.precision[i])));
    let wide = chosen.filter(|&v| program.ty(v).dtype == DType::F32 && program.ty(v).shape.rank() > 1);
    let (ops, inputs) = (program.model_ops(), program.input_values());
    Ok(wide.map(|v| (v, channel_dim(program, &ops, &inputs, v))).collect())
}

/// Returns the largest dimension of a weight that no reader, in loops included, sums over; the last dimension if there
/// is none. `inputs` maps each value to the input of the main function that it equals.
fn channel_dim(program: &Program, ops: &[ModelOp<'_>], inputs: &[Option<ValueId>], value: ValueId) -> usize {
    let shape = &program.ty(value).shape;
    let mut summed = vec![false; shape.rank()];
    let is_value = |arg: &ValueId| inputs[arg.index()] == Some(value);
    for op in ops.iter().map(|o| o.op).filter(|op| op.args.iter().any(is_value)) {
        let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
        for (map, _) in rule.args.iter().zip(&op.args).filter(|(_, arg)| is_value(arg)) {
            let is_result = |factor| rule.outs.iter().flatten().flatten().any(|&f| f == factor);
            let is_summed = |&f: &FactorId| !is_result(f) && rule.kind(f) != FactorKind::Indexed;
            for (dim, factors) in map.iter().enumerate() {
                summed[dim] |= factors.iter().any(is_summed);
            }
        }
    }
    let free = (0..shape.rank()).filter(|&dim| !summed[dim]);
    free.max_by_key(|&dim| shape[dim]).unwrap_or(shape.rank().saturating_sub(1))
}

/// Changes a weight to `i8`, and returns its scale.
fn quantise(program: &mut Program, names: &mut Namer, value: ValueId, dim: usize) -> ValueId {
    let shape = program.ty(value).shape.iter().enumerate();
    let ty = Type { shape: shape.map(|(at, &size)| if at == dim { size } else { 1 }).collect(), dtype: DType::F32 };
    program.values[value].ty.dtype = DType::I8;
    let of = program.param_of(value);
    let path = format!("{}.scale", program.path_of(value));
    let name = names.fresh(&format!("{}.scale", program.values[value].name));
    let scale = program.input(name, ty);
    program.params.push(Param { path, kind: ParamKind::Const, value: scale, parent: of, init: None });
    scale
}

/// Appends the dequantised weight, in `f32`.
fn dequantise(b: &mut Builder<'_>, value: ValueId, scale: ValueId) -> ValueId {
    let wide = b.convert(value, DType::F32);
    let shape = b.ty(value).shape;
    let dims: Vec<usize> = (0..shape.rank()).collect();
    let scale = b.broadcast(scale, &dims, shape);
    b.binary(BinaryOp::Mul, wide, scale)
}
