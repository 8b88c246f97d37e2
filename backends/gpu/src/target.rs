//! Targets of code generation: languages and architectures.

use partita_ir::dtype::{DType, Type};
use std::fmt;
use std::str::FromStr;

/// Language and architecture of kernels. Formats as `wgsl`, `cuda:sm_90`, `hip`, `metal` or `spirv`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// WGSL, for devices with WebGPU.
    Wgsl,
    /// CUDA C++, for NVIDIA GPUs.
    Cuda {
        /// Compute capability times ten, such as 90 for 9.0.
        arch: u32,
    },
    /// HIP C++, for AMD GPUs. Code generation only; modules cannot be run.
    Hip,
    /// Metal shading language, for Apple GPUs. Code generation only; run these GPUs by WebGPU.
    Metal,
    /// SPIR-V assembly, for devices with Vulkan. Code generation only; run these devices by WebGPU.
    Spirv,
}

impl Target {
    /// Returns the file extension of kernel sources.
    pub fn file_extension(self) -> &'static str {
        match self {
            Target::Wgsl => "wgsl",
            Target::Cuda { .. } => "cu",
            Target::Hip => "hip",
            Target::Metal => "metal",
            Target::Spirv => "spvasm",
        }
    }

    /// Returns true if devices of the target can load precompiled machine code.
    pub fn has_machine_code(self) -> bool {
        matches!(self, Target::Cuda { .. })
    }

    /// Returns the size of an element in device memory, in bytes: 2 for half precision on devices that support it, else
    /// 4.
    pub fn width(self, dtype: DType) -> usize {
        match (self, dtype) {
            (Target::Cuda { .. }, DType::F16 | DType::BF16) => 2,
            _ => 4,
        }
    }

    /// Returns the size of a dense tensor in bytes.
    pub fn bytes(self, ty: &Type) -> usize {
        ty.shape.count().saturating_mul(self.width(ty.dtype))
    }

    /// Returns the size of a dense tensor in 32-bit words, rounded up.
    pub fn words(self, ty: &Type) -> usize {
        self.bytes(ty).div_ceil(4)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Wgsl => write!(f, "wgsl"),
            Target::Cuda { arch } => write!(f, "cuda:sm_{arch}"),
            Target::Hip => write!(f, "hip"),
            Target::Metal => write!(f, "metal"),
            Target::Spirv => write!(f, "spirv"),
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(name: &str) -> Result<Target, String> {
        let arch = |name: &str| name.strip_prefix("cuda:sm_")?.parse().ok().filter(|arch| (50..1000).contains(arch));
        match name {
            "wgsl" => Ok(Target::Wgsl),
            "hip" => Ok(Target::Hip),
            "metal" => Ok(Target::Metal),
            "spirv" => Ok(Target::Spirv),
            _ => arch(name).map(|arch| Target::Cuda { arch }).ok_or_else(|| {
                format!(
                    "unknown target `{name}`: the targets are wgsl, hip, metal, spirv, and cuda:sm_NN, as in cuda:sm_90"
                )
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn names_round_trip() {
        for target in [Target::Wgsl, Target::Cuda { arch: 90 }, Target::Hip, Target::Metal, Target::Spirv] {
            assert_eq!(target.to_string().parse(), Ok(target));
        }
        for wrong in ["", "opencl", "cuda", "cuda:90", "cuda:sm_", "cuda:sm_x", "cuda:sm_4294967296"] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
    }
}
