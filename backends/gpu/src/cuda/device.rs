//! What the executor asks of a GPU of NVIDIA: memory, kernels and copies on its streams.

#![allow(unsafe_code, reason = "the driver is a library in C")]

use super::{Cuda, Loaded, Memory, SHARED, said};
use crate::collective::{ENTRY, KERNEL, Parameter, UNITS};
use crate::device::{Device, Place, Queue, SMALLER};
use crate::module::Kernel;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{CUdeviceptr, CUfunction_attribute, CUresult};
use cudarc::driver::{CudaEvent, sys};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::units::bytes as in_units;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Device for Cuda {
    type Memory = Arc<Memory>;
    type Kernel = Loaded;
    type Mark = CudaEvent;

    fn name(&self) -> &str {
        &self.name
    }

    fn largest(&self) -> usize {
        self.context.total_mem().unwrap_or(usize::MAX)
    }

    fn memory(&self, bytes: usize) -> Result<Arc<Memory>, Diagnostic> {
        self.bind()?;
        let bytes = bytes.next_multiple_of(4).max(4);
        // SAFETY: the memory is set to zero before anybody reads it.
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
                Diagnostic::new(Code::A006, title).note(free).help(SMALLER)
            }
            _ => self.lost(e),
        })?;
        let memory = Memory { start, bytes, is_pooled: self.is_pooled, stream: self.stream.clone() };
        // SAFETY: it has so many bytes.
        let cleared = unsafe { result::memset_d8_async(start, 0, bytes, self.stream.cu_stream()) };
        cleared.map_err(|e| self.lost(e))?;
        Ok(Arc::new(memory))
    }

    fn load(&self, kernel: &Kernel) -> Result<Loaded, Diagnostic> {
        self.bind()?;
        let name = &kernel.name;
        let function = self.function(name, &kernel.source, kernel.binary.clone())?;
        if kernel.shared_bytes > SHARED {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function.set_attribute(attribute, kernel.shared_bytes as i32).map_err(|e| {
                let title = format!("kernel `{name}` wants {} of shared memory", in_units(kernel.shared_bytes as u64));
                Diagnostic::new(Code::A006, title).note(said(e))
            })?;
        }
        let [x, y, z] = kernel.cubes;
        let (buffers, shared) = (kernel.buffers(), kernel.shared_bytes as u32);
        let (info, units) = (kernel.info.clone(), kernel.units);
        Ok(Loaded { function, name: name.clone(), buffers, info, cubes: (x, y, z), units, shared })
    }

    fn load_collective(&self, code: Option<&[u8]>) -> Result<(), Diagnostic> {
        self.bind()?;
        let function = self.function(ENTRY, KERNEL, code.map(<[u8]>::to_vec))?;
        // Whoever was faster loaded the same.
        let _ = self.collective.set(function);
        Ok(())
    }

    fn launch(&self, kernel: &Loaded, places: &[Place<Arc<Memory>>]) -> Result<(), Diagnostic> {
        self.bind()?;
        if places.len() != kernel.buffers {
            let title = format!("kernel `{}` has {} buffers, {} were given", kernel.name, kernel.buffers, places.len());
            return Err(Diagnostic::new(Code::R004, title));
        }
        let mut addresses = places.iter().map(|place| self.at(place, 0)).collect::<Result<Vec<_>, _>>()?;
        let mut info = kernel.info.clone();
        let addresses = addresses.iter_mut().map(|address| (address as *mut CUdeviceptr).cast::<c_void>());
        let mut params: Vec<*mut c_void> = addresses.chain([info.as_mut_ptr().cast()]).collect();
        let (cubes, units, stream) = (kernel.cubes, kernel.units.into(), self.stream.cu_stream());
        let function = kernel.function.cu_function();
        // SAFETY: the kernel has so many parameters of these sizes, which the driver copies before it returns, and
        // stays within the buffers that it was lowered for.
        let launched = unsafe { result::launch_kernel(function, cubes, units, kernel.shared, stream, &mut params) };
        launched.map_err(|e| self.lost(e).note(format!("it was noticed when kernel `{}` was launched", kernel.name)))
    }

    fn address(&self, place: &Place<Arc<Memory>>) -> Option<u64> {
        self.at(place, 0).ok()
    }

    fn mark(&self, queue: Queue) -> Result<CudaEvent, Diagnostic> {
        self.queue(queue).record_event(None).map_err(|e| self.lost(e))
    }

    fn follow(&self, queue: Queue, mark: &CudaEvent) -> Result<(), Diagnostic> {
        self.queue(queue).wait(mark).map_err(|e| self.lost(e))
    }

    fn carry_out(&self, parameter: &Parameter) -> Result<(), Diagnostic> {
        self.bind()?;
        let none = || Diagnostic::new(Code::R004, "the kernel of collectives is not loaded");
        let function = self.collective.get().ok_or_else(none)?.cu_function();
        let mut parameter = *parameter;
        let (cubes, units) = ((parameter.blocks(), 1, 1), (UNITS, 1, 1));
        let mut params = [(&raw mut parameter).cast()];
        // SAFETY: the kernel has that parameter, which the driver copies before it returns, and moves what the
        // runtime's exchange would.
        let launched =
            unsafe { result::launch_kernel(function, cubes, units, 0, self.meeting.cu_stream(), &mut params) };
        launched.map_err(|e| self.lost(e))
    }

    fn upload(&self, place: &Place<Arc<Memory>>, words: &[u32]) -> Result<(), Diagnostic> {
        self.bind()?;
        let to = self.at(place, words.len() * 4)?;
        // SAFETY: there is room, and the driver keeps a copy of memory that is not pinned before it returns.
        unsafe { result::memcpy_htod_async(to, words, self.stream.cu_stream()) }.map_err(|e| self.lost(e))
    }

    fn download(&self, places: &[(Place<Arc<Memory>>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        self.bind()?;
        let mut all: Vec<Vec<u32>> = places.iter().map(|(_, words)| vec![0; *words]).collect();
        for ((place, count), words) in places.iter().zip(&mut all) {
            let from = self.at(place, count * 4)?;
            // SAFETY: there are so many words at both, which live until the stream is done.
            let copied = unsafe { result::memcpy_dtoh_async(words, from, self.stream.cu_stream()) };
            if let Err(e) = copied {
                // What was begun is ended before the words go away.
                self.context.record_err(self.stream.synchronize());
                return Err(self.lost(e));
            }
        }
        self.stream.synchronize().map_err(|e| self.lost(e))?;
        Ok(all)
    }

    fn notes(&self) -> Vec<String> {
        let compiler = self.nvrtc.get().and_then(|nvrtc| nvrtc.as_ref().ok());
        let Some(compiler) = compiler.filter(|_| self.is_recompiled.load(Ordering::Relaxed)) else { return Vec::new() };
        let ((major, minor), arch) = (compiler.version(), self.arch);
        vec![format!(
            "machine code is for other GPUs: NVRTC {major}.{minor} compiled the text of kernels for sm_{arch}"
        )]
    }

    fn synchronize(&self) -> Result<(), Diagnostic> {
        self.bind()?;
        [&self.stream, &self.meeting].into_iter().try_for_each(|stream| stream.synchronize()).map_err(|e| self.lost(e))
    }

    fn is_done(&self) -> Result<bool, Diagnostic> {
        self.bind()?;
        for stream in [&self.stream, &self.meeting] {
            // SAFETY: the stream is the device's own.
            match unsafe { sys::cuStreamQuery(stream.cu_stream()) } {
                CUresult::CUDA_SUCCESS => {}
                CUresult::CUDA_ERROR_NOT_READY => return Ok(false),
                failed => return Err(self.lost(DriverError(failed))),
            }
        }
        Ok(true)
    }

    fn flush(&self) -> Result<(), Diagnostic> {
        // Launched work has begun already.
        Ok(())
    }
}
