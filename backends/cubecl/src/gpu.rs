//! GPU architectures: memory layout of elements, and limits of kernels.

use crate::kernels::half::Half;
use crate::spec::FloatType;
use partita_gpu::Target;
use partita_gpu::module::ALIGN;
use partita_ir::dtype::DType;
use partita_ir::offsets::Storage;
use partita_ir::program::{Op, Program};

/// State of lowering a function for a GPU.
pub(crate) type Lowerer<'a> = partita_lowering::lowerer::Lowerer<'a, Gpu>;

/// A GPU architecture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gpu {
    pub(crate) target: Target,
}

impl Gpu {
    /// Returns how device memory stores values.
    pub(crate) fn storage(self) -> Storage {
        let width: fn(DType) -> usize = match self.target {
            Target::Cuda { .. } => |dtype| Target::Cuda { arch: 0 }.width(dtype),
            Target::Wgsl | Target::Hip | Target::Metal | Target::Spirv => |dtype| Target::Wgsl.width(dtype),
        };
        Storage { width, align: ALIGN }
    }

    /// Returns the maximum number of buffers of a fused kernel.
    pub(crate) fn max_buffers(self) -> usize {
        match self.target {
            // Half of the 4 KiB of kernel parameters.
            Target::Cuda { .. } | Target::Hip => 256,
            // WebGPU guarantees eight bindings, one of which CubeCL uses.
            Target::Wgsl | Target::Metal | Target::Spirv => 7,
        }
    }

    /// Returns the 16-bit float type with which memory stores a dtype, or `None` if it stores words.
    pub(crate) fn half(self, dtype: DType) -> Option<Half> {
        Half::from_dtype(dtype).filter(|_| self.target.width(dtype) == 2)
    }

    /// Returns the float type of a matrix product's operands, or `None` if no kernel supports the product.
    pub(crate) fn product_float(self, program: &Program, op: &Op) -> Option<FloatType> {
        let dtype = |value: &_| program.ty(*value).dtype;
        let (left, right, out) = (dtype(&op.args[0]), dtype(&op.args[1]), dtype(&op.outs[0]));
        let is_here = left == right && self.float_type(out).is_some() && program.ty(op.outs[0]).shape.count() > 0;
        self.float_type(left).filter(|_| is_here)
    }

    /// Returns the float type of a dtype in memory. Targets without narrow floats store them as `f32`.
    pub(crate) fn float_type(self, dtype: DType) -> Option<FloatType> {
        match (dtype, self.half(dtype)) {
            (_, Some(Half::Bf16)) => Some(FloatType::Bf16),
            (_, Some(Half::F16)) => Some(FloatType::F16),
            (DType::F32 | DType::BF16 | DType::F16, None) => Some(FloatType::F32),
            _ => None,
        }
    }
}
