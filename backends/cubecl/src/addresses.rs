//! Width of memory addresses in kernels, and rejection of values that are too large for the kernels of an op.
//!
//! An address is an element index in a buffer. Kernels compute addresses with 32 bits if that suffices, and with 64
//! bits if a buffer is larger and the language has 64-bit integers. Kernels that load or store at computed addresses
//! keep them in signed 32-bit registers.

use crate::kernels::attention::AttentionSizes;
use crate::kernels::steps::{RegClass, Step};
use crate::spec::{KernelSpec, ProductKind};
use partita_gpu::Target;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};

/// Largest address that kernels compute with 32 bits. A grid has up to 2^17 units more than elements, and their indices
/// must not overflow.
const MAX_U32_ADDRESS: u64 = u32::MAX as u64 - (1 << 17);

/// Largest address that fits into a register of a program.
const MAX_I32_ADDRESS: u64 = i32::MAX as u64;

impl KernelSpec {
    /// Returns true if the kernel computes addresses with 64 bits.
    pub(crate) fn has_64_bit_addresses(&self) -> bool {
        self.max_address() > MAX_U32_ADDRESS
    }

    /// Returns an upper bound of the addresses that the kernel computes.
    fn max_address(&self) -> u64 {
        match self {
            KernelSpec::Pointwise { count, steps, .. } => max_address_of_steps(steps, *count),
            KernelSpec::Horizontal { parts, .. } => {
                let all: usize = parts.iter().map(|part| part.count).sum();
                parts.iter().map(|part| max_address_of_steps(&part.steps, part.count)).fold(all as u64, u64::max)
            }
            KernelSpec::Reduce { lines, stages, each, once, .. } => {
                let count = lines.count.saturating_mul(lines.items);
                let programs = stages.iter().map(|stage| &stage.steps).chain([each, once]);
                programs.map(|steps| max_address_of_steps(steps, count)).fold(0, u64::max)
            }
            KernelSpec::Product { kind, epilogue, .. } => match kind {
                ProductKind::Words(sizes) | ProductKind::Narrow(sizes, ..) => {
                    let [m, n, k] = [sizes.m, sizes.n, sizes.k];
                    let result = sizes.result.max_address(sizes.batch, [m, n]);
                    let operands =
                        sizes.left.max_address(sizes.batch, [m, k]).max(sizes.right.max_address(sizes.batch, [k, n]));
                    operands.max(max_address_of_steps(epilogue, (result as usize).saturating_add(1)))
                }
                ProductKind::Computed(contraction) => max_address_of_steps(epilogue, contraction.count()),
            },
            KernelSpec::Attention(sizes, ..) => sizes.max_address(),
            KernelSpec::QueryGradient(sizes, ..) | KernelSpec::KeyValueGradients(sizes, ..) => {
                let AttentionSizes { batch, rows, columns, key, value, .. } = sizes.attention;
                let others = [
                    sizes.result_grad.max_address(batch, [rows, value]),
                    sizes.queries.max_address(batch, [rows, key]),
                    sizes.keys.max_address(batch, [columns, key]),
                    sizes.values.max_address(batch, [columns, value]),
                ];
                others.into_iter().fold(sizes.attention.max_address(), u64::max)
            }
            // The addresses of these kernels are in registers, and `check` rejects values that exceed them.
            KernelSpec::Fold(..) | KernelSpec::Scan(..) | KernelSpec::Merge(..) | KernelSpec::Scatter(..) => 0,
        }
    }
}

impl AttentionSizes {
    fn max_address(&self) -> u64 {
        let AttentionSizes { batch, rows, columns, key, value, .. } = *self;
        let mask = self.mask.as_ref().map_or(0, |mask| mask.max_address(batch, [rows, columns]));
        let all = [
            self.queries.max_address(batch, [rows, key]),
            self.keys.max_address(batch, [columns, key]),
            self.values.max_address(batch, [columns, value]),
            self.result.max_address(batch, [rows, value]),
        ];
        all.into_iter().fold(mask, u64::max)
    }
}

/// Returns an upper bound of the addresses that a program computes for `count` elements.
fn max_address_of_steps(steps: &[Step], count: usize) -> u64 {
    let places = steps.iter().filter_map(|step| match step {
        Step::Load { at, .. } | Step::LoadHalf { at, .. } | Step::Store { at, .. } | Step::StoreHalf { at, .. } => {
            Some(at.max_address(count))
        }
        _ => None,
    });
    places.fold(count as u64, u64::max)
}

/// Rejects a program with a value that has more elements than the kernels of an op can address.
///
/// # Errors
/// Returns `R004` with the value, its type, its element count and the limit.
pub(crate) fn check(program: &Program, target: Target) -> Result<(), Diagnostic> {
    for func in program.funcs_with_layouts() {
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            let max = max_elements(program, op, target);
            let count = |value: &ValueId| program.values[*value].local_type().shape.count() as u64;
            if let Some(value) = op.args.iter().chain(&op.outs).find(|value| count(value) > max) {
                return Err(refusal(program, op, *value, target, max));
            }
        }
    }
    Ok(())
}

fn refusal(program: &Program, op: &Op, value: ValueId, target: Target, max: u64) -> Diagnostic {
    let (ty, name) = (program.values[value].local_type(), &program.values[value].name);
    let title = format!("`%{name}` has more elements than the `{}` kernels for {target} support", op.kind.name());
    let count = ty.shape.count();
    program
        .locate_error(op, Diagnostic::new(Code::R004, title))
        .note(format!("on each device, `%{name}` is {ty} with {count} elements; these kernels support at most {max}"))
        .help(format!("shard `%{name}` over more devices, so that each shard has at most {max} elements"))
}

/// Returns the maximum number of elements of the operands and results of an op.
fn max_elements(program: &Program, op: &Op, target: Target) -> u64 {
    let addresses = match target {
        Target::Cuda { .. } | Target::Hip => u64::MAX,
        Target::Wgsl | Target::Metal | Target::Spirv => MAX_U32_ADDRESS,
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
                MAX_I32_ADDRESS
            } else {
                addresses
            }
        }
        OpKind::Reduce(reduce) => {
            let is_fused = RegClass::from_dtype(program.ty(op.args[0]).dtype) == Some(RegClass::F32);
            if is_fused && !matches!(reduce.monoid, Monoid::And | Monoid::Or) { addresses } else { MAX_I32_ADDRESS }
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
        | OpKind::Fft(_)
        | OpKind::Cholesky(_)
        | OpKind::TriangularSolve(_)
        | OpKind::Lu(_)
        | OpKind::Qr(_)
        | OpKind::HouseholderProduct(_)
        | OpKind::Svd(_)
        | OpKind::Eigh(_)
        | OpKind::Eig(_)
        | OpKind::Hessenberg(_)
        | OpKind::TridiagonalSolve(_)
        | OpKind::CustomCall(_)
        | OpKind::TopK(_)
        | OpKind::Shard(_)
        | OpKind::Partial(_)
        | OpKind::Mask(_)
        | OpKind::ShardStart(_) => MAX_I32_ADDRESS,
        // The kernel of collectives counts the elements of a device with 32 bits.
        OpKind::AllReduce(_)
        | OpKind::AllGather(_)
        | OpKind::ReduceScatter(_)
        | OpKind::AllToAll(_)
        | OpKind::Permute(_) => MAX_U32_ADDRESS,
    }
}
