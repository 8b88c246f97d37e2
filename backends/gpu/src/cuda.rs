//! A GPU of NVIDIA, through its driver.
//!
//! Nothing is linked: the driver is loaded when a device is opened. Kernels come as machine code from the module, or as
//! text, which NVRTC compiles for the device. Collectives have a stream of their own beside that of all other work, and
//! events say what waits for what.

#![allow(unsafe_code, reason = "the driver is a library in C")]

mod device;
pub(crate) mod look;
pub mod network;

use crate::cards::without_driver;
use crate::cublaslt::{Square, WORKSPACE};
use crate::device::{Place, Queue};
use crate::nvrtc::Nvrtc;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{CUdeviceptr, CUevent_flags, CUresult};
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, sys};
use cudarc::nvrtc::Ptx;
use partita_ir::diag::{Code, Diagnostic};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Bytes of shared memory that a kernel may have without asking.
const SHARED: usize = 48 << 10;

/// A device and its streams.
pub struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    meeting: Arc<CudaStream>,
    /// What messages call it.
    name: String,
    /// Its compute capability, times ten.
    arch: u32,
    /// Whether memory comes from a pool, without waiting for anything.
    is_pooled: bool,
    /// Loaded for the first kernel that is not compiled yet.
    nvrtc: OnceLock<Result<Nvrtc, Diagnostic>>,
    /// The kernel of collectives, once it is loaded.
    collective: OnceLock<CudaFunction>,
    /// Whether there was machine code for other devices only.
    is_recompiled: AtomicBool,
}

/// Memory of a device.
pub struct Memory {
    start: CUdeviceptr,
    bytes: usize,
    is_pooled: bool,
    stream: Arc<CudaStream>,
}

/// A kernel that is ready to run.
pub struct Loaded {
    function: CudaFunction,
    name: String,
    buffers: usize,
    info: Vec<u32>,
    cubes: (u32, u32, u32),
    units: [u32; 3],
    shared: u32,
}

impl Cuda {
    /// The device of that number.
    ///
    /// # Errors
    /// `A003` when there is no driver, or no such device.
    pub fn open(number: usize) -> Result<Cuda, Diagnostic> {
        Cuda::with_memory(number, true)
    }

    /// The same, with memory that other devices may read and write: that of pools is not theirs.
    ///
    /// # Errors
    /// As [`Cuda::open`].
    pub fn among_others(number: usize) -> Result<Cuda, Diagnostic> {
        Cuda::with_memory(number, false)
    }

    fn with_memory(number: usize, is_pooled: bool) -> Result<Cuda, Diagnostic> {
        if !has_driver() {
            return Err(without_driver("there is no libcuda"));
        }
        let none = |e: DriverError| without_driver(&format!("device {number}: {}", said(e)));
        let context = CudaContext::new(number).map_err(none)?;
        let open = || {
            // What depends on what is said by one stream, and by events of our own.
            unsafe { context.disable_event_tracking() };
            let (major, minor) = context.compute_capability()?;
            Ok((context.new_stream()?, context.new_stream()?, context.name()?, (major * 10 + minor) as u32))
        };
        let (stream, meeting, name, arch) = open().map_err(none)?;
        let is_pooled = is_pooled && context.has_async_alloc();
        Ok(Cuda {
            is_pooled,
            context,
            stream,
            meeting,
            name,
            arch,
            nvrtc: OnceLock::new(),
            collective: OnceLock::new(),
            is_recompiled: AtomicBool::new(false),
        })
    }

    fn queue(&self, queue: Queue) -> &Arc<CudaStream> {
        match queue {
            Queue::Compute => &self.stream,
            Queue::Meet => &self.meeting,
        }
    }

    /// Its compute capability, times ten.
    pub fn arch(&self) -> u32 {
        self.arch
    }

    /// Carries out some work, and says how long the device took for it.
    ///
    /// # Errors
    /// As the work, and `R004` when the device is lost.
    pub fn time<R>(&self, work: impl FnOnce() -> Result<R, Diagnostic>) -> Result<(R, Duration), Diagnostic> {
        let mark = || self.stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).map_err(|e| self.lost(e));
        let begin = mark()?;
        let done = work()?;
        let end = mark()?;
        end.synchronize().map_err(|e| self.lost(e))?;
        let seconds = begin.elapsed_ms(&end).map_err(|e| self.lost(e))? / 1e3;
        Ok((done, Duration::from_secs_f32(seconds.max(0.0))))
    }

    /// Copies bytes from one place to another, among what is computed.
    ///
    /// # Errors
    /// `R004` for places with fewer bytes, and when the device is lost.
    pub fn copy(&self, from: &Place<Arc<Memory>>, to: &Place<Arc<Memory>>, bytes: usize) -> Result<(), Diagnostic> {
        self.bind()?;
        let (from, to) = (self.at(from, bytes)?, self.at(to, bytes)?);
        // SAFETY: there are so many bytes at both, and memory is freed behind what is computed.
        unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream.cu_stream()) }.map_err(|e| self.lost(e))
    }

    /// `c = a b` of square matrices by cuBLASLt, among what is computed.
    ///
    /// # Errors
    /// `R004` for places with fewer bytes, and as [`Square::run`].
    pub fn multiply(
        &self,
        square: &Square<'_>,
        [a, b, c, workspace]: [&Place<Arc<Memory>>; 4],
        n: usize,
    ) -> Result<(), Diagnostic> {
        self.bind()?;
        let at = |place| self.at(place, n * n * 2);
        let (matrices, workspace) = ([at(a)?, at(b)?, at(c)?], self.at(workspace, WORKSPACE)?);
        // SAFETY: there is room for each, and memory is freed behind what is computed.
        unsafe { square.run(matrices, workspace, self.stream.cu_stream().cast()) }
    }

    fn lost(&self, why: DriverError) -> Diagnostic {
        Diagnostic::new(Code::R004, format!("{} does not do what it is asked for", self.name)).note(said(why))
    }

    /// Machine code for this device, by NVRTC.
    fn code(&self, name: &str, source: &str) -> Result<Vec<u8>, Diagnostic> {
        match self.nvrtc.get_or_init(Nvrtc::open) {
            Ok(nvrtc) => Ok(nvrtc.compile(name, source, self.arch)?.code),
            Err(missing) => Err(missing.clone()),
        }
    }

    /// The kernel of machine code, or of text if there is none that the device takes.
    fn function(&self, name: &str, source: &str, code: Option<Vec<u8>>) -> Result<CudaFunction, Diagnostic> {
        let refused = |e: DriverError| {
            Diagnostic::new(Code::R004, format!("{} refuses kernel `{name}`", self.name)).note(said(e))
        };
        // Machine code for an older device may be none for this one. Other errors are no reason to compile again.
        let is_other = |e: DriverError| e.0 == CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU;
        let module = match code.map(|code| self.context.load_module(Ptx::from_binary(code))) {
            Some(Ok(module)) => module,
            Some(Err(e)) if !is_other(e) => return Err(refused(e)),
            other => {
                if other.is_some() {
                    self.is_recompiled.store(true, Ordering::Relaxed);
                }
                self.context.load_module(Ptx::from_binary(self.code(name, source)?)).map_err(refused)?
            }
        };
        module.load_function(name).map_err(refused)
    }

    /// Where a place is, if so many bytes from there are its memory's.
    fn at(&self, place: &Place<Arc<Memory>>, bytes: usize) -> Result<CUdeviceptr, Diagnostic> {
        if place.offset.checked_add(bytes).is_none_or(|end| end > place.memory.bytes) {
            return Err(Diagnostic::new(Code::R004, "a place reaches beyond its memory"));
        }
        Ok(place.memory.start + place.offset as CUdeviceptr)
    }

    /// The device's work goes on from this thread.
    fn bind(&self) -> Result<(), Diagnostic> {
        self.context.bind_to_thread().map_err(|e| self.lost(e))
    }
}

/// Whether there is a driver. Without one, whoever calls it panics.
fn has_driver() -> bool {
    // SAFETY: loading the driver has no effect on others.
    unsafe { sys::is_culib_present() }
}

/// What the driver says of an error.
fn said(error: DriverError) -> String {
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    text.unwrap_or_else(|_| format!("{:?}", error.0))
}

impl Drop for Memory {
    fn drop(&mut self) {
        let context = self.stream.context();
        // There is nobody to tell; the context notes it, and the next call fails.
        // SAFETY: it was allocated, nobody has it any more, and work of the stream that reads it comes before.
        context.record_err(context.bind_to_thread().and_then(|()| unsafe { self.free() }));
    }
}

impl Memory {
    unsafe fn free(&self) -> Result<(), DriverError> {
        if self.is_pooled {
            // SAFETY: as the caller says.
            return unsafe { result::free_async(self.start, self.stream.cu_stream()) };
        }
        self.stream.synchronize()?;
        // SAFETY: as above, and the stream is done.
        unsafe { result::free_sync(self.start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::INSTALL;

    #[test]
    fn a_machine_without_a_driver_is_told_what_to_install() {
        if has_driver() {
            return;
        }
        let none = Cuda::open(0).err().unwrap();
        assert_eq!(none.title, "this machine has no GPU with a driver for CUDA");
        assert_eq!(none.helps[0].text, INSTALL);
    }
}
