//! Machine code beside the text of kernels, so that who runs them needs no compiler.

use crate::collective::{ENTRY, KERNEL};
use crate::module::{Kernel, Module};
use crate::nvrtc::Nvrtc;
use crate::target::Target;
use partita_ir::diag::Diagnostic;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Is told how many of how many kernels are compiled.
pub type Watch<'w> = &'w (dyn Fn(usize, usize) + Sync);

/// Compiles every kernel of a module for CUDA, and that of collectives, on all threads, and notes the compiler among
/// the module's tools. Modules for other targets have no machine code.
///
/// # Errors
/// `R004` for a kernel that the compiler refuses.
pub fn add(module: &mut Module, nvrtc: &Nvrtc, watch: Watch<'_>) -> Result<(), Diagnostic> {
    let Target::Cuda { arch } = module.target else { return Ok(()) };
    let (done, all) = (AtomicUsize::new(0), module.kernels.len());
    module.kernels.par_iter_mut().try_for_each(|kernel: &mut Kernel| {
        kernel.binary = Some(nvrtc.compile(&kernel.name, &kernel.source, arch)?.code);
        watch(done.fetch_add(1, Ordering::Relaxed) + 1, all);
        Ok(())
    })?;
    if module.has_sites() {
        module.collective = Some(nvrtc.compile(ENTRY, KERNEL, arch)?.code);
    }
    let (major, minor) = nvrtc.version();
    module.toolchain = format!("{}, NVRTC {major}.{minor}", module.toolchain);
    Ok(())
}
