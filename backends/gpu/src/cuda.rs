//! A GPU of NVIDIA, through its driver.
//!
//! Nothing is linked: the driver is loaded when a device is opened. Kernels come as machine code from the module, or as text, which NVRTC
//! compiles for the device. Collectives have a stream of their own beside that of all other work, and events say what waits for what.

#![allow(unsafe_code, reason = "the driver is a library in C")]

pub(crate) mod look;
pub mod network;

use crate::collective::{ENTRY, KERNEL, Parameter, UNITS};
use crate::cublaslt::{Square, WORKSPACE};
use crate::device::{Device, Place, Queue, SMALLER};
use crate::machine::cards::without_driver;
use crate::module::Kernel;
use crate::nvrtc::Nvrtc;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{CUdeviceptr, CUevent_flags, CUfunction_attribute, CUresult};
use cudarc::driver::{CudaContext, CudaEvent, CudaFunction, CudaStream, sys};
use cudarc::nvrtc::Ptx;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::units::bytes as in_units;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What helps a machine without a driver.
pub(crate) const INSTALL: &str = "install the driver of its GPU: https://www.nvidia.com/drivers";

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
        // SAFETY: the kernel has so many parameters of these sizes, which the driver copies before it returns, and stays within the
        // buffers that it was lowered for.
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
        // SAFETY: the kernel has that parameter, which the driver copies before it returns, and moves what the runtime's exchange would.
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

#[cfg(test)]
mod tests {
    use super::*;

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
