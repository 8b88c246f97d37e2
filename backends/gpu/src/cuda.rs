//! NVIDIA GPUs, through the CUDA driver.
//!
//! The driver is loaded at run time when a device is opened. Kernels are loaded as machine code from the module, or
//! compiled from source by NVRTC. Collectives run on a separate stream, which is synchronised with the compute stream
//! by events.

#![allow(unsafe_code, reason = "the driver is a library in C")]

pub(crate) mod detect;
mod device;
pub mod network;

use crate::cublaslt::{Square, WORKSPACE_BYTES};
use crate::cuda_environment::without_driver;
use crate::device::{DevicePtr, Queue};
use crate::nvrtc::Nvrtc;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{CUdeviceptr, CUevent_flags, CUresult};
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, sys};
use cudarc::nvrtc::Ptx;
use partita_ir::diag::{Code, Diagnostic};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Maximum shared memory of a kernel without an explicit opt-in, in bytes.
const DEFAULT_SHARED_BYTES: usize = 48 << 10;

/// A GPU and its streams.
pub struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    communication: Arc<CudaStream>,
    /// Name of the device in messages.
    name: String,
    /// Compute capability times ten.
    arch: u32,
    /// True if memory is allocated from the stream-ordered pool.
    is_pooled: bool,
    /// Compiler, loaded for the first kernel without machine code.
    nvrtc: OnceLock<Result<Nvrtc, Diagnostic>>,
    /// The collective kernel, once loaded.
    collective: OnceLock<CudaFunction>,
    /// True if some machine code was for other GPUs and its source was compiled instead.
    is_recompiled: AtomicBool,
}

/// An allocation on a device.
pub struct Memory {
    start: CUdeviceptr,
    bytes: usize,
    is_pooled: bool,
    stream: Arc<CudaStream>,
}

/// A loaded kernel.
pub struct LoadedKernel {
    function: CudaFunction,
    name: String,
    buffers: usize,
    info: Vec<u32>,
    cubes: (u32, u32, u32),
    units: [u32; 3],
    shared: u32,
}

impl Cuda {
    /// Opens the GPU of this CUDA device number.
    ///
    /// # Errors
    /// `A003` if there is no driver, or no such device.
    pub fn open(number: usize) -> Result<Cuda, Diagnostic> {
        Cuda::with_memory(number, true)
    }

    /// Opens a device whose memory can be accessed by peer devices, which pool allocations cannot.
    ///
    /// # Errors
    /// The errors of [`Cuda::open`].
    pub fn open_with_peer_access(number: usize) -> Result<Cuda, Diagnostic> {
        Cuda::with_memory(number, false)
    }

    fn with_memory(number: usize, is_pooled: bool) -> Result<Cuda, Diagnostic> {
        if !has_driver() {
            return Err(without_driver("libcuda was not found"));
        }
        let none = |e: DriverError| without_driver(&format!("device {number}: {}", error_text(e)));
        let context = CudaContext::new(number).map_err(none)?;
        let open = || {
            // Dependencies are expressed by stream order and explicit events.
            unsafe { context.disable_event_tracking() };
            let (major, minor) = context.compute_capability()?;
            Ok((context.new_stream()?, context.new_stream()?, context.name()?, (major * 10 + minor) as u32))
        };
        let (stream, communication, name, arch) = open().map_err(none)?;
        let is_pooled = is_pooled && context.has_async_alloc();
        Ok(Cuda {
            is_pooled,
            context,
            stream,
            communication,
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
            Queue::Communication => &self.communication,
        }
    }

    /// Returns the compute capability times ten.
    pub fn arch(&self) -> u32 {
        self.arch
    }

    /// Returns the identifier of the GPU, which is the same in all processes.
    pub(crate) fn id(&self) -> Result<[u8; 16], Diagnostic> {
        let id = self.context.uuid().map_err(|e| self.device_error(e))?;
        Ok(id.bytes.map(|byte| byte as u8))
    }

    /// Runs `work` and returns the time that its operations took on the device.
    ///
    /// # Errors
    /// The errors of `work`, and `R004` if the device is lost.
    pub fn time<R>(&self, work: impl FnOnce() -> Result<R, Diagnostic>) -> Result<(R, Duration), Diagnostic> {
        let record =
            || self.stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).map_err(|e| self.device_error(e));
        let begin = record()?;
        let done = work()?;
        let end = record()?;
        end.synchronize().map_err(|e| self.device_error(e))?;
        let seconds = begin.elapsed_ms(&end).map_err(|e| self.device_error(e))? / 1e3;
        Ok((done, Duration::from_secs_f32(seconds.max(0.0))))
    }

    /// Enqueues a copy of `bytes` bytes on the compute stream.
    ///
    /// # Errors
    /// `R004` if fewer bytes follow a pointer, or the device is lost.
    pub fn copy(
        &self,
        from: &DevicePtr<Arc<Memory>>,
        to: &DevicePtr<Arc<Memory>>,
        bytes: usize,
    ) -> Result<(), Diagnostic> {
        self.bind()?;
        let (from, to) = (self.device_address(from, bytes)?, self.device_address(to, bytes)?);
        // SAFETY: enough bytes follow both pointers, and memory is freed in stream order, after the copy.
        unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream.cu_stream()) }.map_err(|e| self.device_error(e))
    }

    /// Enqueues `c = a b` of square `bf16` matrices by cuBLASLt on the compute stream.
    ///
    /// # Errors
    /// `R004` if fewer bytes follow a pointer, and as [`Square::run`].
    pub fn multiply(
        &self,
        square: &Square<'_>,
        [a, b, c, workspace]: [&DevicePtr<Arc<Memory>>; 4],
        n: usize,
    ) -> Result<(), Diagnostic> {
        self.bind()?;
        let at = |ptr| self.device_address(ptr, n * n * 2);
        let (matrices, workspace) = ([at(a)?, at(b)?, at(c)?], self.device_address(workspace, WORKSPACE_BYTES)?);
        // SAFETY: enough bytes follow all pointers, and memory is freed in stream order, after the product.
        unsafe { square.run(matrices, workspace, self.stream.cu_stream().cast()) }
    }

    fn device_error(&self, why: DriverError) -> Diagnostic {
        Diagnostic::new(Code::R004, format!("{} reports an error", self.name)).note(error_text(why))
    }

    /// Compiles a kernel for this device by NVRTC.
    fn code(&self, name: &str, source: &str) -> Result<Vec<u8>, Diagnostic> {
        match self.nvrtc.get_or_init(Nvrtc::open) {
            Ok(nvrtc) => Ok(nvrtc.compile(name, source, self.arch)?.code),
            Err(missing) => Err(missing.clone()),
        }
    }

    /// Loads a kernel from machine code, or compiles its source if there is no machine code for this device.
    fn function(&self, name: &str, source: &str, code: Option<Vec<u8>>) -> Result<CudaFunction, Diagnostic> {
        let refused = |e: DriverError| {
            Diagnostic::new(Code::R004, format!("{} rejects kernel `{name}`", self.name)).note(error_text(e))
        };
        // Machine code for another architecture is no failure. After any other error, compiling again would hide the
        // cause.
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

    /// Returns the device address of a pointer, if at least `bytes` bytes follow.
    fn device_address(&self, ptr: &DevicePtr<Arc<Memory>>, bytes: usize) -> Result<CUdeviceptr, Diagnostic> {
        if ptr.offset.checked_add(bytes).is_none_or(|end| end > ptr.memory.bytes) {
            return Err(Diagnostic::new(Code::R004, "an access is out of bounds"));
        }
        Ok(ptr.memory.start + ptr.offset as CUdeviceptr)
    }

    /// Makes the device's context current on this thread.
    fn bind(&self) -> Result<(), Diagnostic> {
        self.context.bind_to_thread().map_err(|e| self.device_error(e))
    }
}

/// Returns true if the driver is installed. Calls of the driver panic without it.
fn has_driver() -> bool {
    // SAFETY: loading the driver has no side effects on other code.
    unsafe { sys::is_culib_present() }
}

/// Returns the driver's description of an error.
fn error_text(error: DriverError) -> String {
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    text.unwrap_or_else(|_| format!("{:?}", error.0))
}

impl Drop for Memory {
    fn drop(&mut self) {
        let context = self.stream.context();
        // Errors in drop cannot be reported: the context records them, and the next call fails. SAFETY: the memory was
        // allocated, is not used afterwards, and work that reads it was enqueued before.
        context.record_err(context.bind_to_thread().and_then(|()| unsafe { self.free() }));
    }
}

impl Memory {
    unsafe fn free(&self) -> Result<(), DriverError> {
        if self.is_pooled {
            // SAFETY: guaranteed by the caller.
            return unsafe { result::free_async(self.start, self.stream.cu_stream()) };
        }
        self.stream.synchronize()?;
        // SAFETY: guaranteed by the caller, and the stream has finished.
        unsafe { result::free_sync(self.start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda_environment::DRIVER_HELP;

    #[test]
    fn a_missing_driver_is_reported_with_help() {
        if has_driver() {
            return;
        }
        let none = Cuda::open(0).err().unwrap();
        assert_eq!(none.title, "this machine has no GPU with a driver for CUDA");
        assert_eq!(none.helps[0].text, DRIVER_HELP);
    }
}
