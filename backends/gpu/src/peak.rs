//! Peak performance of GPUs according to their data sheets, and the lower bound on a kernel's time that follows: the
//! larger one of memory time and compute time (roofline model; Williams, Waterman and Patterson 2009).

use crate::module::Work;
use crate::target::Target;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::dtype::DType;
use partita_machine::Machine;
use serde::Serialize;
use std::sync::LazyLock;

/// Peak performance of a GPU.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub struct Peak {
    /// Name of the GPU.
    pub name: &'static str,
    /// Memory bandwidth, in bytes per second.
    pub bytes_per_second: f64,
    /// `f32` throughput without tensor cores, in operations per second.
    pub flops_per_second: f64,
    /// Dense `bf16` throughput of tensor cores, in operations per second.
    pub tensor_flops_per_second: f64,
    /// Data sheet with these figures.
    pub source: &'static str,
    /// Compute capability times ten.
    #[serde(skip)]
    arch: u32,
}

/// GPUs with peak figures: name, compute capability times ten, a machine description that contains the GPU, and the
/// data sheet. The first GPU of each architecture is the default for it.
const GPUS: [(&str, u32, &str, &str); 3] = [
    ("H200", 90, "hgx-h200", "NVIDIA H200 Tensor Core GPU data sheet, SXM"),
    ("H100", 90, "hgx-h100", "NVIDIA H100 Tensor Core GPU data sheet, SXM"),
    ("A100", 80, "dgx-a100", "NVIDIA A100 Tensor Core GPU data sheet, 80 GB SXM"),
];

/// Peak figures of [`GPUS`].
static PEAKS: LazyLock<Vec<Peak>> = LazyLock::new(|| {
    let peak = |(name, arch, machine, source)| {
        let machine = Machine::named(machine).ok()?;
        let kind = machine.kinds.iter().find(|kind| kind.name == name)?;
        let (flops_per_second, tensor_flops_per_second) = (kind.rate(DType::F32), kind.rate(DType::BF16));
        let bytes_per_second = kind.bandwidth;
        Some(Peak { name, bytes_per_second, flops_per_second, tensor_flops_per_second, source, arch })
    };
    GPUS.into_iter().filter_map(peak).collect()
});

/// Lower bound on the time of a kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound {
    /// The bound in seconds.
    pub seconds: f64,
    /// True if memory traffic determines the bound, false if arithmetic does.
    pub is_memory_bound: bool,
}

impl Peak {
    /// Returns the default GPU for a target, or `None` for targets other than CUDA and unknown architectures.
    pub fn for_target(target: Target) -> Option<Peak> {
        let Target::Cuda { arch } = target else { return None };
        PEAKS.iter().find(|peak| peak.arch == arch).copied()
    }

    /// Returns the GPU with this name.
    ///
    /// # Errors
    /// `C002` for an unknown GPU.
    pub fn named(name: &str) -> Result<Peak, Diagnostic> {
        let names = || PEAKS.iter().map(|peak| peak.name);
        PEAKS.iter().find(|peak| peak.name.eq_ignore_ascii_case(name)).copied().ok_or_else(|| {
            let unknown = Diagnostic::new(Code::C002, format!("unknown GPU `{name}`"));
            match nearest(&name.to_uppercase(), names()) {
                Some(near) => unknown.help(format!("there is `{near}`")),
                None => unknown.help(format!("there are {}", names().collect::<Vec<_>>().join(", "))),
            }
        })
    }

    /// Returns the lower bound on the time of a kernel.
    pub fn bound(&self, work: Work) -> Bound {
        let moving = work.bytes as f64 / self.bytes_per_second;
        let others = work.flops.saturating_sub(work.tensor_flops);
        let on_tensor_cores = work.tensor_flops as f64 / self.tensor_flops_per_second;
        let computing = (others as f64 / self.flops_per_second).max(on_tensor_cores);
        Bound { seconds: moving.max(computing), is_memory_bound: moving >= computing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gpu_has_peak_figures() {
        for (name, arch, ..) in GPUS {
            let peak = Peak::named(name).unwrap();
            assert!(peak.arch == arch && peak.tensor_flops_per_second > peak.flops_per_second, "{name}");
        }
    }

    #[test]
    fn memory_or_arithmetic_determines_the_bound() {
        let peak = Peak::named("a100").unwrap();
        assert_eq!(Peak::for_target(Target::Cuda { arch: 80 }), Some(peak));
        assert_eq!(Peak::for_target(Target::Wgsl), None);
        let of = |bytes, flops, tensor_flops| peak.bound(Work { bytes, flops, tensor_flops });
        // 2039 GB/s and 19.5 TFLOP/s.
        assert_eq!(of(2_039_000_000_000, 1_000, 0), Bound { seconds: 1.0, is_memory_bound: true });
        assert_eq!(of(1_000, 19_500_000_000_000, 0), Bound { seconds: 1.0, is_memory_bound: false });
        assert_eq!(of(1_000, 312_000_000_000_000, 312_000_000_000_000), Bound { seconds: 1.0, is_memory_bound: false });
        assert!(Peak::named("H20").is_err());
    }
}
