//! Compilation of kernels to machine code ahead of time, so that running an artefact needs no compiler.

use crate::collective::{ENTRY, KERNEL};
use crate::module::{Kernel, Module};
use crate::nvrtc::Nvrtc;
use crate::target::Target;
use partita_ir::diag::Diagnostic;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Progress callback, called with the number of compiled kernels and the total.
pub type Watch<'w> = &'w (dyn Fn(usize, usize) + Sync);

/// Compiles every kernel of a module for CUDA, and the collective kernel, in parallel, and appends the compiler to the
/// module's toolchain. Has no effect on modules for other targets.
///
/// # Errors
/// `R004` for a kernel that does not compile.
pub fn add(module: &mut Module, nvrtc: &Nvrtc, watch: Watch<'_>) -> Result<(), Diagnostic> {
    let Target::Cuda { arch } = module.target else { return Ok(()) };
    let (done, all) = (AtomicUsize::new(0), module.kernels.len());
    module.kernels.par_iter_mut().try_for_each(|kernel: &mut Kernel| {
        kernel.binary = Some(nvrtc.compile(&kernel.name, &kernel.source, arch)?.code);
        watch(done.fetch_add(1, Ordering::Relaxed) + 1, all);
        Ok(())
    })?;
    if module.has_communication() {
        module.collective = Some(nvrtc.compile(ENTRY, KERNEL, arch)?.code);
    }
    let (major, minor) = nvrtc.version();
    module.toolchain = format!("{}, NVRTC {major}.{minor}", module.toolchain);
    Ok(())
}
