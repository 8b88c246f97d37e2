//! Detection of the NVIDIA driver, GPUs and libraries of this machine.

use super::{error_text, has_driver};
use crate::cublaslt::CublasLt;
use crate::cuda_environment::{CudaEnvironment, Gpu};
use crate::nccl::Nccl;
use crate::nvrtc::{INSTALL_HELP, Nvrtc};
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use partita_ir::diag::Diagnostic;

/// Detects the NVIDIA driver, GPUs and libraries.
pub(crate) fn detect() -> CudaEnvironment {
    let (driver, gpus) = match has_driver() {
        false => (Err("libcuda was not found".into()), Vec::new()),
        true => devices().map_or_else(|e| (Err(error_text(e)), Vec::new()), |(version, gpus)| (Ok(version), gpus)),
    };
    let why = |e: Diagnostic| e.notes.join("; ");
    let nvrtc = Nvrtc::open().map_err(|e| match &e.helps[..] {
        // If NVRTC is installed without its headers, the help names the packages of the installed version.
        [help] if help.text != INSTALL_HELP => e.clone().note(help.text.clone()),
        _ => e,
    });
    let nvrtc = nvrtc.map(|nvrtc| {
        let (major, minor) = nvrtc.version();
        (format!("{major}.{minor}"), nvrtc.path().to_owned())
    });
    let nccl = Nccl::open().map(|nccl| (nccl.version(), nccl.path().to_owned()));
    let cublaslt = CublasLt::open().map(|library| (library.version(), library.path().to_owned()));
    let [nvrtc, nccl, cublaslt] = [nvrtc, nccl, cublaslt].map(|found| found.map_err(why));
    CudaEnvironment { driver, gpus, nvrtc, nccl, cublaslt }
}

/// Returns the CUDA version supported by the driver, and the devices.
fn devices() -> Result<(String, Vec<Gpu>), DriverError> {
    result::init()?;
    let mut version = 0;
    // SAFETY: the function writes one number.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result()?;
    let gpu = |number: i32| {
        let device = result::device::get(number)?;
        // SAFETY: the device exists.
        let (memory, major, minor) = unsafe {
            let attribute = |which| result::device::get_attribute(device, which);
            (
                result::device::total_mem(device)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            )
        };
        Ok(Gpu { name: result::device::get_name(device)?, arch: (major * 10 + minor) as u32, memory: memory as u64 })
    };
    let gpus = (0..result::device::get_count()?).map(gpu).collect::<Result<_, DriverError>>()?;
    Ok((format!("{}.{}", version / 1000, version % 1000 / 10), gpus))
}
