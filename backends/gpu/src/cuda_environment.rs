//! NVIDIA GPUs and libraries of a machine, and the choice of kernels for them. This module makes no driver calls:
//! `cuda::detect` detects GPUs and libraries.

use crate::cublaslt;
use crate::nccl;
use crate::nvrtc;
use crate::target::Target;
use partita_ir::diag::{Code, Diagnostic, shell_word};
use partita_ir::units::format_bytes;
use partita_runtime::finding::Finding;

/// NVIDIA driver, GPUs and libraries of a machine. A missing library is an error only for operations that need it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CudaEnvironment {
    /// CUDA version supported by the driver, or the reason why the driver is unavailable.
    pub driver: Result<String, String>,
    /// GPUs in the order of their CUDA device numbers.
    pub gpus: Vec<Gpu>,
    /// The kernel compiler.
    pub nvrtc: Library,
    /// The library for communication between GPUs.
    pub nccl: Library,
    /// The library for matrix products, which benchmarks compare with.
    pub cublaslt: Library,
}

/// Version and path of a library, or a description of the unsuccessful search.
pub type Library = Result<(String, String), String>;

/// A GPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gpu {
    /// Name of the GPU, as reported by the driver.
    pub name: String,
    /// Compute capability times ten, such as 90 for `sm_90`.
    pub arch: u32,
    /// Memory size in bytes.
    pub memory: u64,
}

/// Architecture and form of the CUDA kernels of one module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelSet {
    /// Compute capability times ten that the kernels are compiled for.
    pub arch: u32,
    /// True if the kernels have machine code in addition to source.
    pub has_machine_code: bool,
}

/// Support of a GPU for a kernel set, in ascending order of preference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Support {
    /// The GPU cannot run the kernels.
    None,
    /// The GPU runs machine code that NVRTC compiles from the source at load time.
    Source,
    /// The GPU runs the stored machine code.
    MachineCode,
}

impl KernelSet {
    /// Returns the support of a GPU for these kernels; `has_compiler` is true if NVRTC is available. Machine code runs
    /// on GPUs of the same major compute capability, with the same or a higher minor one.
    fn support(self, gpu: &Gpu, has_compiler: bool) -> Support {
        let runs = self.arch / 10 == gpu.arch / 10 && self.arch <= gpu.arch;
        match (self.has_machine_code && runs, has_compiler) {
            (true, _) => Support::MachineCode,
            (false, true) => Support::Source,
            (false, false) => Support::None,
        }
    }
}

/// Assignment of ranks to GPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankPlacement {
    /// All ranks run on the first GPU.
    Shared,
    /// Rank i runs on GPU i.
    Separate,
}

impl CudaEnvironment {
    /// Returns the index of the kernel set to use for `ranks` ranks, and the assignment of ranks to GPUs; `model` is
    /// for messages.
    ///
    /// # Errors
    /// `A003` if there is no driver or no GPU, if no kernel set runs on all used GPUs, or if ranks need separate GPUs
    /// and there are fewer GPUs than ranks or NCCL is missing.
    pub fn choose_kernels(
        &self,
        model: &str,
        kernel_sets: &[KernelSet],
        ranks: usize,
    ) -> Result<(usize, RankPlacement), Diagnostic> {
        let placement = self.placement(model, ranks)?;
        let used = &self.gpus[..if placement == RankPlacement::Separate { ranks } else { 1 }];
        Ok((self.choose_kernels_for(model, kernel_sets, used)?, placement))
    }

    /// Returns the index of the kernel set to use on the given GPUs, of which there is at least one; `model` is for
    /// messages.
    ///
    /// # Errors
    /// `A003` if no kernel set runs on all of them.
    pub fn choose_kernels_for(
        &self,
        model: &str,
        kernel_sets: &[KernelSet],
        used: &[Gpu],
    ) -> Result<usize, Diagnostic> {
        let (gpu, has_compiler) = (&used[0], self.nvrtc.is_ok());
        let weakest_support = |kernel_set: &KernelSet| {
            used.iter().map(|gpu| kernel_set.support(gpu, has_compiler)).min().unwrap_or(Support::None)
        };
        // Prefers machine code to source, then the newest architecture that is not newer than the first GPU, then the
        // oldest newer one.
        let preference = |kernel_set: &KernelSet| {
            let (arch, is_older) = (i64::from(kernel_set.arch), kernel_set.arch <= gpu.arch);
            (weakest_support(kernel_set), is_older, if is_older { arch } else { -arch })
        };
        let Some((at, kernel_set)) =
            kernel_sets.iter().enumerate().max_by_key(|(_, kernel_set)| preference(kernel_set))
        else {
            return Err(Diagnostic::new(Code::A003, format!("`{model}` has no kernels for CUDA")));
        };
        match used.iter().find(|gpu| kernel_set.support(gpu, has_compiler) == Support::None) {
            None => Ok(at),
            Some(gpu) => {
                Err(unsupported_gpu(model, *kernel_set, gpu, self.nvrtc.as_ref().err().map_or("", String::as_str)))
            }
        }
    }

    /// Returns the assignment of ranks to GPUs: all ranks on the first GPU if there is one GPU or one rank, else one
    /// GPU per rank.
    ///
    /// # Errors
    /// `A003`, as for [`CudaEnvironment::choose_kernels`].
    fn placement(&self, model: &str, ranks: usize) -> Result<RankPlacement, Diagnostic> {
        if let Err(why) = &self.driver {
            return Err(without_driver(why));
        }
        let one = "or run all of them on one GPU: CUDA_VISIBLE_DEVICES=0 partita run ...";
        match (self.gpus.len(), &self.nccl) {
            (0, _) => {
                let none = Diagnostic::new(Code::A003, "the CUDA driver finds no GPU");
                Err(none.help("make a GPU visible: CUDA_VISIBLE_DEVICES=0").help(OTHER_TARGET_HELP))
            }
            (1, _) => Ok(RankPlacement::Shared),
            _ if ranks == 1 => Ok(RankPlacement::Shared),
            (gpus, _) if gpus < ranks => {
                let title = format!("`{model}` is for {ranks} devices, and this machine has {gpus} GPUs");
                let few = Diagnostic::new(Code::A003, title).note("devices run on separate GPUs, or all on one GPU");
                Err(few.help(format!("compile the model for a mesh of {gpus} devices")).help(one))
            }
            (_, Err(why)) => {
                let title = format!("{ranks} GPUs communicate over NCCL, which was not found");
                Err(Diagnostic::new(Code::A003, title).note(why.clone()).help(nccl::INSTALL_HELP).help(one))
            }
            (_, Ok(_)) => Ok(RankPlacement::Separate),
        }
    }

    /// Returns a finding for the driver, each GPU and each library. Findings of missing components include installation
    /// instructions.
    pub fn findings(&self) -> Vec<Finding> {
        let line = |kind, name: Option<String>, about: String, help: String| {
            let help = name.is_none().then_some(help);
            Finding { target: "cuda".into(), kind, name, about, help }
        };
        let library = |kind, name: &str, found: &Library, help: String| match found {
            Ok((version, at)) => line(kind, Some(format!("{name} {version}")), at.clone(), help),
            Err(why) => line(kind, None, format!("{name}: {why}"), help),
        };
        let mut all = vec![match &self.driver {
            Ok(version) if self.gpus.is_empty() => {
                line("driver", None, format!("CUDA {version}, but no device"), DRIVER_HELP.into())
            }
            Ok(version) => line("driver", Some(format!("CUDA {version}")), String::new(), String::new()),
            Err(why) => line("driver", None, why.clone(), DRIVER_HELP.into()),
        }];
        all.extend(self.gpus.iter().map(|Gpu { name, arch, memory }| {
            line("device", Some(name.clone()), format!("sm_{arch}, {}", format_bytes(*memory)), String::new())
        }));
        all.push(library("compiler", "NVRTC", &self.nvrtc, format!("NVRTC compiles kernels: {}", nvrtc::INSTALL_HELP)));
        all.push(library(
            "library",
            "NCCL",
            &self.nccl,
            format!("several GPUs communicate over NCCL: {}", nccl::INSTALL_HELP),
        ));
        let compared = format!("benchmarks compare with cuBLASLt: {}", cublaslt::INSTALL_HELP);
        all.push(library("library", "cuBLASLt", &self.cublaslt, compared));
        all
    }
}

/// Returns a diagnostic for a GPU that cannot run a kernel set, with the reason `why` NVRTC is not available.
fn unsupported_gpu(model: &str, kernel_set: KernelSet, gpu: &Gpu, why: &str) -> Diagnostic {
    let (arch, name) = (kernel_set.arch, &gpu.name);
    let (title, note) = match kernel_set.has_machine_code {
        true => (
            format!("`{model}` is compiled for sm_{arch}, but {name} is sm_{}", gpu.arch),
            format!("machine code for sm_{arch} runs on sm_{arch} to sm_{}", arch / 10 * 10 + 9),
        ),
        false => (
            format!("`{model}` has kernels for sm_{arch} as source only, and NVRTC, which compiles it, was not found"),
            why.to_owned(),
        ),
    };
    Diagnostic::new(Code::A003, title)
        .note(note)
        .help(format!(
            "compile the model on a machine with NVRTC: `partita compile {} --target cuda:sm_{}`",
            shell_word(model),
            gpu.arch
        ))
        .help(format!("or install NVRTC on this machine: {}", nvrtc::INSTALL_HELP))
}

/// Help for a machine without a driver.
pub(crate) const DRIVER_HELP: &str = "install the GPU driver: https://www.nvidia.com/drivers";

/// Help suggesting a target other than CUDA.
const OTHER_TARGET_HELP: &str = "or compile for any GPU or a software driver: --target wgsl";

/// Returns a diagnostic for a machine without a driver.
pub(crate) fn without_driver(why: &str) -> Diagnostic {
    Diagnostic::new(Code::A003, "this machine has no GPU with a driver for CUDA")
        .note(why)
        .help(DRIVER_HELP)
        .help(OTHER_TARGET_HELP)
}

impl From<&crate::Module> for KernelSet {
    fn from(module: &crate::Module) -> KernelSet {
        let arch = if let Target::Cuda { arch } = module.target { arch } else { 0 };
        KernelSet { arch, has_machine_code: module.machine_code_bytes().is_some() }
    }
}

#[cfg(test)]
mod tests;
