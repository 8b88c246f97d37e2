//! What GPUs can do at most, by their data sheets, and what that says about the time of a kernel: it takes at least as
//! long as its bytes or its arithmetic do (Williams, Waterman and Patterson 2009, the roofline model).

use crate::module::Work;
use crate::target::Target;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::dtype::DType;
use partita_machine::Machine;
use serde::Serialize;
use std::sync::LazyLock;

/// A GPU at its best.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub struct Peak {
    /// What it is called.
    pub name: &'static str,
    /// Bytes of its memory that it reads or writes in a second.
    pub bytes_per_second: f64,
    /// Operations on `f32` in a second, tensor cores aside.
    pub flops_per_second: f64,
    /// Operations of products of narrow floats in a second, on tensor cores, with nothing left out as zero.
    pub tensor_flops_per_second: f64,
    /// Who says so.
    pub source: &'static str,
    /// Its compute capability, times ten.
    #[serde(skip)]
    arch: u32,
}

/// GPUs whose figures are known, with their compute capability times ten, a machine that has them, and who says so: of
/// each architecture the one that is meant without a name comes first.
const GPUS: [(&str, u32, &str, &str); 3] = [
    ("H200", 90, "hgx-h200", "NVIDIA H200 Tensor Core GPU data sheet, SXM"),
    ("H100", 90, "hgx-h100", "NVIDIA H100 Tensor Core GPU data sheet, SXM"),
    ("A100", 80, "dgx-a100", "NVIDIA A100 Tensor Core GPU data sheet, 80 GB SXM"),
];

/// The figures of those GPUs.
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

/// The least time that some work takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound {
    /// How long.
    pub seconds: f64,
    /// Whether it is moving bytes that takes so long, and not arithmetic.
    pub by_memory: bool,
}

impl Peak {
    /// The GPU that kernels for a target are thought to run on; nothing where that may be any.
    pub fn of(target: Target) -> Option<Peak> {
        let Target::Cuda { arch } = target else { return None };
        PEAKS.iter().find(|peak| peak.arch == arch).copied()
    }

    /// The GPU of that name.
    ///
    /// # Errors
    /// `C002` for one that is not known.
    pub fn named(name: &str) -> Result<Peak, Diagnostic> {
        let names = || PEAKS.iter().map(|peak| peak.name);
        PEAKS.iter().find(|peak| peak.name.eq_ignore_ascii_case(name)).copied().ok_or_else(|| {
            let unknown = Diagnostic::new(Code::C002, format!("nothing is known of a GPU `{name}`"));
            match nearest(&name.to_uppercase(), names()) {
                Some(near) => unknown.help(format!("there is `{near}`")),
                None => unknown.help(format!("there are {}", names().collect::<Vec<_>>().join(", "))),
            }
        })
    }

    /// The least time that some work takes.
    pub fn bound(&self, work: Work) -> Bound {
        let moving = work.bytes as f64 / self.bytes_per_second;
        let others = work.flops.saturating_sub(work.tensor_flops);
        let on_tensor_cores = work.tensor_flops as f64 / self.tensor_flops_per_second;
        let computing = (others as f64 / self.flops_per_second).max(on_tensor_cores);
        Bound { seconds: moving.max(computing), by_memory: moving >= computing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gpu_has_its_figures() {
        for (name, arch, ..) in GPUS {
            let peak = Peak::named(name).unwrap();
            assert!(peak.arch == arch && peak.tensor_flops_per_second > peak.flops_per_second, "{name}");
        }
    }

    #[test]
    fn bytes_or_arithmetic_bind() {
        let peak = Peak::named("a100").unwrap();
        assert_eq!(Peak::of(Target::Cuda { arch: 80 }), Some(peak));
        assert_eq!(Peak::of(Target::Wgsl), None);
        let of = |bytes, flops, tensor_flops| peak.bound(Work { bytes, flops, tensor_flops });
        // 2039 GB in a second; 19.5 TFLOP in another.
        assert_eq!(of(2_039_000_000_000, 1_000, 0), Bound { seconds: 1.0, by_memory: true });
        assert_eq!(of(1_000, 19_500_000_000_000, 0), Bound { seconds: 1.0, by_memory: false });
        assert_eq!(of(1_000, 312_000_000_000_000, 312_000_000_000_000), Bound { seconds: 1.0, by_memory: false });
        assert!(Peak::named("H20").is_err());
    }
}
