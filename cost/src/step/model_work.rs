//! Model FLOPs: the floating-point operations of matrix products in a step, with and without recomputation.

use crate::constants::CostConstants;
use crate::placement::Placement;
use indexmap::IndexMap;
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::pipeline::Pipeline;
use partita_ir::program::{Form, Phase, Program};
use partita_machine::Machine;

/// Floating-point operations of matrix products, of one program or of a step.
#[derive(Clone, Default)]
pub(super) struct ModelWork {
    /// Operations of the model, forward and backward, without recomputation.
    pub(super) model: f64,
    /// Operations with recomputation.
    pub(super) hardware: f64,
    /// Operations of the model's products other than attention, by element type.
    by_dtype: IndexMap<DType, f64>,
}

impl ModelWork {
    fn add(&mut self, other: &ModelWork, times: f64) {
        self.model += times * other.model;
        self.hardware += times * other.hardware;
        for (&dtype, flops) in &other.by_dtype {
            *self.by_dtype.entry(dtype).or_default() += times * flops;
        }
    }

    /// Returns the element type with most operations in matrix products, whose peak rate model FLOPs utilisation refers
    /// to. Attention counts only in a model without other products.
    pub(super) fn dtype(&self) -> Option<DType> {
        let most = self.by_dtype.iter().max_by(|a, b| a.1.total_cmp(b.1));
        most.map(|(&dtype, _)| dtype)
    }
}

/// Returns the work of a step, and the device-seconds that the operations of the model take at the peak rate of its
/// matrix products.
pub(super) fn model_work(pipeline: &Pipeline, machine: &Machine, placement: &Placement) -> (ModelWork, f64) {
    let mut all = ModelWork::default();
    let mut by_stage = vec![ModelWork::default(); pipeline.schedule.stages];
    for (number, (chunk, &stage)) in pipeline.chunks.iter().zip(&pipeline.schedule.stage_of_chunk).enumerate() {
        for task in &chunk.tasks {
            let times = pipeline.runs_per_step(number, task.moment) as f64 * placement.stages[stage].len() as f64;
            let work = program_work(&task.program);
            all.add(&work, times);
            by_stage[stage].add(&work, times);
        }
    }
    let dtype = all.dtype().unwrap_or(DType::F32);
    let ideal = by_stage.iter().zip(&placement.stages).filter_map(|(work, devices)| {
        let kind = machine.slowest_kind(devices.iter().copied())?;
        Some(work.model / kind.rate(dtype))
    });
    let ideal = ideal.sum();
    (all, ideal)
}

/// Returns the work of one run of a program on one device.
fn program_work(program: &Program) -> ModelWork {
    assert!(program.form >= Form::Local);
    let mut work = ModelWork::default();
    for (func, times) in crate::run_counts(program) {
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            // Recomputed scores of an attention gradient do not count as model FLOPs.
            let of_model = match op.kind {
                OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Attention(_) => 1.0,
                OpKind::AttentionGrad(_) => CostConstants::TUNED.model_share_of_attention_grad,
                OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => continue,
                OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) => continue,
                OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) | OpKind::Gelu(_) => continue,
                OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => continue,
                OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) | OpKind::DynamicSlice(_) => continue,
                OpKind::DynamicUpdateSlice(_) | OpKind::Gather(_) | OpKind::Scatter(_) => continue,
                OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_) => continue,
                OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => continue,
                OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) => continue,
                OpKind::Qr(_) | OpKind::HouseholderProduct(_) | OpKind::Svd(_) => continue,
                OpKind::Eigh(_)
                | OpKind::Eig(_)
                | OpKind::Hessenberg(_)
                | OpKind::TridiagonalSolve(_)
                | OpKind::CustomCall(_) => continue,
                OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => continue,
                OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) | OpKind::Momentum(_) | OpKind::Adam(_) => continue,
                OpKind::Loop(_) | OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) => continue,
                OpKind::AllGather(_) | OpKind::ReduceScatter(_) | OpKind::AllToAll(_) => continue,
                OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) => continue,
                OpKind::ShardStart(_) => continue,
            };
            let local_types =
                |values: &[_]| -> Vec<_> { values.iter().map(|&v| program.values[v].local_type()).collect() };
            let (args, outs) = (local_types(&op.args), local_types(&op.outs));
            let flops = op.kind.flops(&args.iter().collect::<Vec<_>>(), &outs.iter().collect::<Vec<_>>());
            let flops = flops as f64 * times as f64;
            work.hardware += flops;
            if op.phase != Phase::Recompute {
                work.model += of_model * flops;
                let is_attention = op.kind.class().attention().is_some();
                let of_dtype = work.by_dtype.entry(args[0].dtype).or_default();
                *of_dtype += if is_attention { 0.0 } else { flops };
            }
        }
    }
    work
}
