//! A GPU that is compiled for: how elements are held in its memory, and what a kernel may have.

use crate::kernels::half::Half;
use crate::spec::Float;
use partita_gpu::Target;
use partita_gpu::module::ALIGN;
use partita_ir::dtype::DType;
use partita_ir::offsets::Storage;
use partita_ir::program::{Op, Program};

/// Lowers a function for a GPU.
pub(crate) type Lowerer<'a> = partita_lowering::lowerer::Lowerer<'a, Gpu>;

/// A GPU of some kind.
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

    /// Returns the largest number of buffers of a merged kernel.
    pub(crate) fn most_buffers(self) -> usize {
        match self.target {
            // Of the 4 KiB that parameters may take, half.
            Target::Cuda { .. } | Target::Hip => 256,
            // What every device can bind, but one, which is CubeCL's own.
            Target::Wgsl | Target::Metal | Target::Spirv => 7,
        }
    }

    /// A dtype that memory holds as narrow floats.
    pub(crate) fn half(self, dtype: DType) -> Option<Half> {
        Half::of(dtype).filter(|_| self.target.width(dtype) == 2)
    }

    /// With what floats a product is computed that has a kernel.
    pub(crate) fn multiplies(self, program: &Program, op: &Op) -> Option<Float> {
        let dtype = |value: &_| program.ty(*value).dtype;
        let (left, right, out) = (dtype(&op.args[0]), dtype(&op.args[1]), dtype(&op.outs[0]));
        let is_here = left == right && self.floats(out).is_some() && program.ty(op.outs[0]).shape.count() > 0;
        self.floats(left).filter(|_| is_here)
    }

    /// Returns the float type of a dtype in memory. Targets without narrow floats store them as `f32`.
    pub(crate) fn floats(self, dtype: DType) -> Option<Float> {
        match (dtype, self.half(dtype)) {
            (_, Some(Half::Bf16)) => Some(Float::Bf16),
            (_, Some(Half::F16)) => Some(Float::F16),
            (DType::F32 | DType::BF16 | DType::F16, None) => Some(Float::F32),
            _ => None,
        }
    }
}
