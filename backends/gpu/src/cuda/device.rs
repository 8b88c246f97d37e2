//! The [`Device`] interface for NVIDIA GPUs: memory, kernels and copies on CUDA streams.

#![allow(unsafe_code, reason = "the driver is a library in C")]

use super::{Cuda, DEFAULT_SHARED_BYTES, LoadedKernel, Memory, error_text};
use crate::collective::{CollectiveParams, ENTRY, KERNEL, THREADS_PER_BLOCK};
use crate::device::{Device, DevicePtr, OUT_OF_MEMORY_HELP, Queue};
use crate::module::Kernel;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{CUdeviceptr, CUfunction_attribute, CUresult};
use cudarc::driver::{CudaEvent, sys};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::units::format_bytes as in_units;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Device for Cuda {
    type Memory = Arc<Memory>;
    type Kernel = LoadedKernel;
    type Event = CudaEvent;

    fn name(&self) -> &str {
        &self.name
    }

    fn max_buffer_bytes(&self) -> usize {
        self.context.total_mem().unwrap_or(usize::MAX)
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<Memory>, Diagnostic> {
        self.bind()?;
        let bytes = bytes.next_multiple_of(4).max(4);
        // SAFETY: the memory is cleared before any read.
        let taken = unsafe {
            match self.is_pooled {
                true => result::malloc_async(self.stream.cu_stream(), bytes),
                false => result::malloc_sync(bytes),
            }
        };
        let start = taken.map_err(|e| match e.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                let title = format!("{} has no memory left for {}", self.name, in_units(bytes as u64));
                let free = self.context.mem_get_info().map(|(free, all)| (in_units(free as u64), in_units(all as u64)));
                let free = free.map_or(String::new(), |(free, all)| format!("{free} of {all} are free"));
                Diagnostic::new(Code::A006, title).note(free).help(OUT_OF_MEMORY_HELP)
            }
            _ => self.device_error(e),
        })?;
        let memory = Memory { start, bytes, is_pooled: self.is_pooled, stream: self.stream.clone() };
        // SAFETY: the allocation has this many bytes.
        let cleared = unsafe { result::memset_d8_async(start, 0, bytes, self.stream.cu_stream()) };
        cleared.map_err(|e| self.device_error(e))?;
        Ok(Arc::new(memory))
    }

    fn load(&self, kernel: &Kernel) -> Result<LoadedKernel, Diagnostic> {
        self.bind()?;
        let name = &kernel.name;
        let function = self.function(name, &kernel.source, kernel.binary.clone())?;
        if kernel.shared_bytes > DEFAULT_SHARED_BYTES {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function.set_attribute(attribute, kernel.shared_bytes as i32).map_err(|e| {
                let title = format!("kernel `{name}` needs {} of shared memory", in_units(kernel.shared_bytes as u64));
                Diagnostic::new(Code::A006, title).note(error_text(e))
            })?;
        }
        let [x, y, z] = kernel.cubes;
        let (buffers, shared) = (kernel.buffers(), kernel.shared_bytes as u32);
        let (info, units) = (kernel.info.clone(), kernel.units);
        Ok(LoadedKernel { function, name: name.clone(), buffers, info, cubes: (x, y, z), units, shared })
    }

    fn load_collective(&self, code: Option<&[u8]>) -> Result<(), Diagnostic> {
        self.bind()?;
        let function = self.function(ENTRY, KERNEL, code.map(<[u8]>::to_vec))?;
        // If another thread was faster, it has loaded the same kernel.
        let _ = self.collective.set(function);
        Ok(())
    }

    fn launch(&self, kernel: &LoadedKernel, ptrs: &[DevicePtr<Arc<Memory>>]) -> Result<(), Diagnostic> {
        self.bind()?;
        if ptrs.len() != kernel.buffers {
            let title =
                format!("kernel `{}` has {} buffers, but {} were given", kernel.name, kernel.buffers, ptrs.len());
            return Err(Diagnostic::new(Code::R004, title));
        }
        let mut addresses = ptrs.iter().map(|ptr| self.device_address(ptr, 0)).collect::<Result<Vec<_>, _>>()?;
        let mut info = kernel.info.clone();
        let addresses = addresses.iter_mut().map(|address| (address as *mut CUdeviceptr).cast::<c_void>());
        let mut params: Vec<*mut c_void> = addresses.chain([info.as_mut_ptr().cast()]).collect();
        let (cubes, units, stream) = (kernel.cubes, kernel.units.into(), self.stream.cu_stream());
        let function = kernel.function.cu_function();
        // SAFETY: the kernel has these parameters, which the driver copies before it returns, and accesses only the
        // buffers for which it was lowered.
        let launched = unsafe { result::launch_kernel(function, cubes, units, kernel.shared, stream, &mut params) };
        launched.map_err(|e| self.device_error(e).note(format!("detected when kernel `{}` was launched", kernel.name)))
    }

    fn address(&self, ptr: &DevicePtr<Arc<Memory>>) -> Option<u64> {
        self.device_address(ptr, 0).ok()
    }

    fn record_event(&self, queue: Queue) -> Result<CudaEvent, Diagnostic> {
        self.queue(queue).record_event(None).map_err(|e| self.device_error(e))
    }

    fn wait_event(&self, queue: Queue, event: &CudaEvent) -> Result<(), Diagnostic> {
        self.queue(queue).wait(event).map_err(|e| self.device_error(e))
    }

    fn launch_collective(&self, parameter: &CollectiveParams) -> Result<(), Diagnostic> {
        self.bind()?;
        let none = || Diagnostic::new(Code::R004, "the collective kernel is not loaded");
        let function = self.collective.get().ok_or_else(none)?.cu_function();
        let mut parameter = *parameter;
        let (cubes, units) = ((parameter.blocks(), 1, 1), (THREADS_PER_BLOCK, 1, 1));
        let mut params = [(&raw mut parameter).cast()];
        // SAFETY: the kernel has this parameter, which the driver copies before it returns, and accesses the same
        // elements as the row transfer.
        let launched =
            unsafe { result::launch_kernel(function, cubes, units, 0, self.communication.cu_stream(), &mut params) };
        launched.map_err(|e| self.device_error(e))
    }

    fn upload(&self, ptr: &DevicePtr<Arc<Memory>>, words: &[u32]) -> Result<(), Diagnostic> {
        self.bind()?;
        let to = self.device_address(ptr, words.len() * 4)?;
        // SAFETY: enough bytes follow the pointer, and the driver copies pageable memory before it returns.
        unsafe { result::memcpy_htod_async(to, words, self.stream.cu_stream()) }.map_err(|e| self.device_error(e))
    }

    fn download(&self, ptrs: &[(DevicePtr<Arc<Memory>>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        self.bind()?;
        let mut all: Vec<Vec<u32>> = ptrs.iter().map(|(_, words)| vec![0; *words]).collect();
        for ((ptr, count), words) in ptrs.iter().zip(&mut all) {
            let from = self.device_address(ptr, count * 4)?;
            // SAFETY: both ranges have this many words, and live until the stream has finished.
            let copied = unsafe { result::memcpy_dtoh_async(words, from, self.stream.cu_stream()) };
            if let Err(e) = copied {
                // Pending copies must finish before the words are dropped.
                self.context.record_err(self.stream.synchronize());
                return Err(self.device_error(e));
            }
        }
        self.stream.synchronize().map_err(|e| self.device_error(e))?;
        Ok(all)
    }

    fn notes(&self) -> Vec<String> {
        let compiler = self.nvrtc.get().and_then(|nvrtc| nvrtc.as_ref().ok());
        let Some(compiler) = compiler.filter(|_| self.is_recompiled.load(Ordering::Relaxed)) else { return Vec::new() };
        let ((major, minor), arch) = (compiler.version(), self.arch);
        vec![format!("the machine code is for other GPUs: NVRTC {major}.{minor} compiled the kernels for sm_{arch}")]
    }

    fn synchronize(&self) -> Result<(), Diagnostic> {
        self.bind()?;
        [&self.stream, &self.communication]
            .into_iter()
            .try_for_each(|stream| stream.synchronize())
            .map_err(|e| self.device_error(e))
    }

    fn is_done(&self) -> Result<bool, Diagnostic> {
        self.bind()?;
        for stream in [&self.stream, &self.communication] {
            // SAFETY: the stream belongs to this device.
            match unsafe { sys::cuStreamQuery(stream.cu_stream()) } {
                CUresult::CUDA_SUCCESS => {}
                CUresult::CUDA_ERROR_NOT_READY => return Ok(false),
                failed => return Err(self.device_error(DriverError(failed))),
            }
        }
        Ok(true)
    }

    fn flush(&self) -> Result<(), Diagnostic> {
        // CUDA starts launched work without a flush.
        Ok(())
    }
}
