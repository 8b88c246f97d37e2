//! Looks for what a machine has of NVIDIA's.

use super::{has_driver, said};
use crate::cards::{Card, Cards};
use crate::cublaslt::CublasLt;
use crate::nccl::Nccl;
use crate::nvrtc::{Nvrtc, WHEELS};
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use partita_ir::diag::Diagnostic;

/// What there is.
pub(crate) fn look() -> Cards {
    let (driver, cards) = match has_driver() {
        false => (Err("there is no libcuda".into()), Vec::new()),
        true => devices().map_or_else(|e| (Err(said(e)), Vec::new()), |(version, cards)| (Ok(version), cards)),
    };
    let why = |e: Diagnostic| e.notes.join("; ");
    let nvrtc = Nvrtc::open().map_err(|e| match &e.helps[..] {
        // What to install depends on the version that is there.
        [help] if help.text != WHEELS => e.clone().note(help.text.clone()),
        _ => e,
    });
    let nvrtc = nvrtc.map(|nvrtc| {
        let (major, minor) = nvrtc.version();
        (format!("{major}.{minor}"), nvrtc.path().to_owned())
    });
    let nccl = Nccl::open().map(|nccl| (nccl.version(), nccl.path().to_owned()));
    let cublaslt = CublasLt::open().map(|library| (library.version(), library.path().to_owned()));
    let [nvrtc, nccl, cublaslt] = [nvrtc, nccl, cublaslt].map(|found| found.map_err(why));
    Cards { driver, cards, nvrtc, nccl, cublaslt }
}

/// The version of CUDA that the driver is for, and its devices.
fn devices() -> Result<(String, Vec<Card>), DriverError> {
    result::init()?;
    let mut version = 0;
    // SAFETY: it writes a number.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result()?;
    let card = |number: i32| {
        let device = result::device::get(number)?;
        // SAFETY: the device is one that there is.
        let (memory, major, minor) = unsafe {
            let attribute = |which| result::device::get_attribute(device, which);
            (
                result::device::total_mem(device)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            )
        };
        Ok(Card { name: result::device::get_name(device)?, arch: (major * 10 + minor) as u32, memory: memory as u64 })
    };
    let cards = (0..result::device::get_count()?).map(card).collect::<Result<_, DriverError>>()?;
    Ok((format!("{}.{}", version / 1000, version % 1000 / 10), cards))
}
