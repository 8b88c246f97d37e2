//! How many bits places in memory have, and which values are too large for the kernels of an op.
//!
//! A place counts elements. Kernels count with 32 bits where that is enough, and with 64 where a buffer needs them and
//! the language has such integers. Kernels that look places up have them in registers of 32 bits with a sign.

use crate::kernels::attention::Attend;
use crate::kernels::steps::{Lane, Step};
use crate::spec::{Factors, Spec};
use partita_gpu::Target;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};

/// Last place that kernels address with 32 bits. A grid has up to 2^17 units more than elements, which must not wrap.
const LAST_SHORT: u64 = u32::MAX as u64 - (1 << 17);

/// Last place that fits into a register of a program.
const LAST_SIGNED: u64 = i32::MAX as u64;

impl Spec {
    /// Whether the kernel counts elements with 64 bits.
    pub(crate) fn has_long_addresses(&self) -> bool {
        self.last_place() > LAST_SHORT
    }

    /// An upper bound of the places that the kernel computes.
    fn last_place(&self) -> u64 {
        match self {
            Spec::Pointwise { count, steps, .. } => last_of_steps(steps, *count),
            Spec::Together { parts, .. } => {
                let all: usize = parts.iter().map(|part| part.count).sum();
                parts.iter().map(|part| last_of_steps(&part.steps, part.count)).fold(all as u64, u64::max)
            }
            Spec::Reduce { lines, stages, each, once, .. } => {
                let count = lines.count.saturating_mul(lines.items);
                let programs = stages.iter().map(|stage| &stage.steps).chain([each, once]);
                programs.map(|steps| last_of_steps(steps, count)).fold(0, u64::max)
            }
            Spec::Product { of, epilogue, .. } => match of {
                Factors::Words(sizes) | Factors::Narrow(sizes, ..) => {
                    let [m, n, k] = [sizes.m, sizes.n, sizes.k];
                    let result = sizes.result.last(sizes.batch, [m, n]);
                    let operands = sizes.left.last(sizes.batch, [m, k]).max(sizes.right.last(sizes.batch, [k, n]));
                    operands.max(last_of_steps(epilogue, (result as usize).saturating_add(1)))
                }
                Factors::Computed(contraction) => last_of_steps(epilogue, contraction.count()),
            },
            Spec::Attention(sizes, ..) => sizes.last_place(),
            Spec::QueryGradient(sizes, ..) | Spec::KeyValueGradients(sizes, ..) => {
                let Attend { batch, rows, columns, key, value, .. } = sizes.of;
                let others = [
                    sizes.given.last(batch, [rows, value]),
                    sizes.queries.last(batch, [rows, key]),
                    sizes.keys.last(batch, [columns, key]),
                    sizes.values.last(batch, [columns, value]),
                ];
                others.into_iter().fold(sizes.of.last_place(), u64::max)
            }
            // Their places are registers, and `check` has refused what does not fit there.
            Spec::Fold(..) | Spec::Scan(..) | Spec::Merge(..) | Spec::Scatter(..) => 0,
        }
    }
}

impl Attend {
    fn last_place(&self) -> u64 {
        let Attend { batch, rows, columns, key, value, .. } = *self;
        let mask = self.mask.as_ref().map_or(0, |mask| mask.last(batch, [rows, columns]));
        let all = [
            self.queries.last(batch, [rows, key]),
            self.keys.last(batch, [columns, key]),
            self.values.last(batch, [columns, value]),
            self.result.last(batch, [rows, value]),
        ];
        all.into_iter().fold(mask, u64::max)
    }
}

/// An upper bound of the places of a program on so many elements.
fn last_of_steps(steps: &[Step], count: usize) -> u64 {
    let places = steps.iter().filter_map(|step| match step {
        Step::Load { at, .. } | Step::LoadHalf { at, .. } | Step::Store { at, .. } | Step::StoreHalf { at, .. } => {
            Some(at.last(count))
        }
        _ => None,
    });
    places.fold(count as u64, u64::max)
}

/// Refuses a program with a value that has more elements than the kernels of an op count.
///
/// # Errors
/// `R004` with the value, its type, its element count and the limit.
pub(crate) fn check(program: &Program, target: Target) -> Result<(), Diagnostic> {
    for func in program.laid_out_funcs() {
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            let most = most_elements(program, op, target);
            let count = |value: &ValueId| program.values[*value].local_type().shape.count() as u64;
            if let Some(value) = op.args.iter().chain(&op.outs).find(|value| count(value) > most) {
                return Err(refusal(program, op, *value, target, most));
            }
        }
    }
    Ok(())
}

fn refusal(program: &Program, op: &Op, value: ValueId, target: Target, most: u64) -> Diagnostic {
    let (ty, name) = (program.values[value].local_type(), &program.values[value].name);
    let title = format!("`%{name}` has more elements than the kernels of `{}` for {target} count", op.kind.name());
    let count = ty.shape.count();
    program
        .located(op, Diagnostic::new(Code::R004, title))
        .note(format!("on each device `%{name}` is {ty}: {count} elements; these kernels count up to {most}"))
        .help(format!("split `%{name}` over more devices, so that each has at most {most} elements of it"))
}

/// The most elements that operands and results of an op may have.
fn most_elements(program: &Program, op: &Op, target: Target) -> u64 {
    let addresses = match target {
        Target::Cuda { .. } | Target::Hip => u64::MAX,
        Target::Wgsl | Target::Metal | Target::Spirv => LAST_SHORT,
    };
    match &op.kind {
        OpKind::Constant(_)
        | OpKind::Iota(_)
        | OpKind::Unary(_)
        | OpKind::Binary(_)
        | OpKind::Select(_)
        | OpKind::Clamp(_)
        | OpKind::Convert(_)
        | OpKind::Broadcast(_)
        | OpKind::Reshape(_)
        | OpKind::Transpose(_)
        | OpKind::Reverse(_)
        | OpKind::Slice(_)
        | OpKind::Pad(_)
        | OpKind::Concatenate(_)
        | OpKind::DotGeneral(_)
        | OpKind::Softmax(_)
        | OpKind::LogSoftmax(_)
        | OpKind::LayerNorm(_)
        | OpKind::RmsNorm(_)
        | OpKind::BatchNorm(_)
        | OpKind::Gelu(_)
        | OpKind::CrossEntropy(_)
        | OpKind::Attention(_)
        | OpKind::AttentionGrad(_)
        | OpKind::Momentum(_)
        | OpKind::Adam(_)
        | OpKind::Loop(_)
        | OpKind::Constrain(_)
        | OpKind::Reshard(_) => addresses,
        OpKind::Compare(compare) => {
            if compare.total {
                LAST_SIGNED
            } else {
                addresses
            }
        }
        OpKind::Reduce(reduce) => {
            let is_fused = Lane::fused(program.ty(op.args[0]).dtype) == Some(Lane::F32);
            if is_fused && !matches!(reduce.monoid, Monoid::And | Monoid::Or) { addresses } else { LAST_SIGNED }
        }
        OpKind::Random(_)
        | OpKind::RngBits(_)
        | OpKind::Bitcast(_)
        | OpKind::DynamicSlice(_)
        | OpKind::DynamicUpdateSlice(_)
        | OpKind::Gather(_)
        | OpKind::Scatter(_)
        | OpKind::Convolution(_)
        | OpKind::ReduceFunc(_)
        | OpKind::ReduceWindow(_)
        | OpKind::SelectAndScatter(_)
        | OpKind::Sort(_)
        | OpKind::TopK(_)
        | OpKind::Shard(_)
        | OpKind::Partial(_)
        | OpKind::Mask(_)
        | OpKind::PieceStart(_) => LAST_SIGNED,
        // The kernel of collectives counts the elements of a device with 32 bits.
        OpKind::AllReduce(_)
        | OpKind::AllGather(_)
        | OpKind::ReduceScatter(_)
        | OpKind::AllToAll(_)
        | OpKind::Permute(_) => LAST_SHORT,
    }
}
