//! The languages and architectures for which kernels are printed, by name.

use partita_ir::dtype::{DType, Type};
use std::fmt;
use std::str::FromStr;

/// For what kernels are printed. Prints as `wgsl`, `cuda:sm_90`, `hip`, `metal` or `spirv`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// Devices with WebGPU.
    Wgsl,
    /// Devices with CUDA.
    Cuda {
        /// The compute capability: 90 is 9.0.
        arch: u32,
    },
    /// GPUs of AMD, in HIP C++. Nothing here runs it.
    Hip,
    /// GPUs of Apple, in the Metal shading language. Nothing here runs it: WebGPU does.
    Metal,
    /// Devices with Vulkan, in SPIR-V as text. Nothing here runs it: WebGPU does.
    Spirv,
}

impl Target {
    /// How the name of a file with a kernel ends.
    pub fn ending(self) -> &'static str {
        match self {
            Target::Wgsl => "wgsl",
            Target::Cuda { .. } => "cu",
            Target::Hip => "hip",
            Target::Metal => "metal",
            Target::Spirv => "spvasm",
        }
    }

    /// Whether its devices take machine code that was made elsewhere.
    pub fn has_code(self) -> bool {
        matches!(self, Target::Cuda { .. })
    }

    /// How many bytes of memory an element takes: those of a narrow float where devices have such floats, else a word.
    pub fn width(self, dtype: DType) -> usize {
        match (self, dtype) {
            (Target::Cuda { .. }, DType::F16 | DType::BF16) => 2,
            _ => 4,
        }
    }

    /// How many bytes a dense tensor takes.
    pub fn bytes(self, ty: &Type) -> usize {
        ty.shape.count().saturating_mul(self.width(ty.dtype))
    }

    /// How many words a dense tensor takes.
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
                    "`{name}` is no target: there are wgsl, hip, metal, spirv, and cuda with an architecture, as \
                         in cuda:sm_90"
                )
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn names_are_read_as_they_are_printed() {
        for target in [Target::Wgsl, Target::Cuda { arch: 90 }, Target::Hip, Target::Metal, Target::Spirv] {
            assert_eq!(target.to_string().parse(), Ok(target));
        }
        for wrong in ["", "opencl", "cuda", "cuda:90", "cuda:sm_", "cuda:sm_x", "cuda:sm_4294967296"] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
    }
}
