//! Emulation of CUDA on the CPU: kernels in CUDA C++ are compiled by the host's C++ compiler.
//!
//! The emulator checks generated kernels without a GPU. Headers (`shim`) and a `runtime` implement CUDA's extensions of
//! C++: threads of a block, barriers, fences, asynchronous copies, matrix fragments and half precision. They detect
//! divergent barriers, data races according to the memory consistency model of the PTX ISA, and reads of uninitialised
//! shared memory.

#![allow(unsafe_code, reason = "kernels are code in C++")]

mod asynchronous;
mod matching;
pub mod nccl;
pub mod network;
mod translation;
mod vocabulary;

use crate::collective::{CollectiveParams, ENTRY, THREADS_PER_BLOCK};
use crate::device::{Device, DevicePtr, Queue};
use crate::module::{Kernel, Module};
use crate::target::Target;
use libloading::Library;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::input_file::{self, FileLimit};
use partita_runtime::memory::Buffer;
use rustc_hash::FxHashMap;
use std::ffi::{CStr, c_char, c_void};
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Default C++ compiler; the variable `CXX` overrides it.
const DEFAULT_COMPILER: &str = "g++";

/// Compiler options. The functions of the runtime are hidden, so that modules do not share them.
const COMPILER_OPTIONS: [&str; 7] =
    ["-std=c++17", "-march=native", "-fno-strict-aliasing", "-fvisibility=hidden", "-w", "-fPIC", "-c"];

/// Further options for kernels. Every memory access is instrumented by a call, as for ThreadSanitizer, but its library
/// is not linked: the runtime defines these functions.
const KERNEL_OPTIONS: [&str; 2] = ["-O1", "-fsanitize=thread"];

/// Further options for the runtime, which is compiled once in a process.
const RUNTIME_OPTIONS: [&str; 1] = ["-O2"];

/// Entry point of a kernel, called with its arguments. Returns a description of the failure, or null.
type EntryFn = unsafe extern "C" fn(*const *mut c_void, *const ShimLaunch) -> *const c_char;

/// A launch of a kernel, with the memory layout that the headers declare.
#[repr(C)]
struct ShimLaunch {
    grid: [u32; 3],
    units: [u32; 3],
    /// The range of blocks to run, exclusive at its end.
    blocks: [u64; 2],
    written: *const [u64; 2],
    written_count: u64,
    shared_bytes: u64,
}

/// Grid, block size and shared memory of a launch.
struct LaunchExtent {
    cubes: [u32; 3],
    units: [u32; 3],
    blocks: Range<u64>,
    shared_bytes: usize,
}

/// The kernels of a module, compiled for the CPU. Clones are separate devices that share the kernels.
#[derive(Clone)]
pub struct Emulator {
    library: Arc<Library>,
    /// Lock held while a kernel runs: the headers keep the state of a launch in global variables.
    running: Arc<Mutex<()>>,
    /// Range of indices of each kernel's synchronisation calls: barriers, waits and fences.
    sync_points: Arc<FxHashMap<String, Range<usize>>>,
}

/// Order in which the threads of a block resume after a barrier or wait. The results of correct kernels do not depend
/// on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadOrder {
    /// Ascending thread indices.
    Forward,
    /// Descending thread indices.
    Backward,
    /// The upper half in ascending order, then the lower half.
    Rotated,
}

/// A loaded kernel.
pub struct EmulatedKernel {
    entry: EntryFn,
    name: String,
    reads: usize,
    buffers: usize,
    info: Vec<u32>,
    cubes: [u32; 3],
    units: [u32; 3],
    shared_bytes: usize,
    sync_points: Range<usize>,
}

impl EmulatedKernel {
    /// Returns the range of indices of the kernel's synchronisation calls: barriers, waits and fences.
    pub fn sync_points(&self) -> Range<usize> {
        self.sync_points.clone()
    }

    /// Returns the number of blocks of a launch.
    pub fn blocks(&self) -> u64 {
        self.cubes.iter().map(|&n| u64::from(n)).product()
    }
}

impl Emulator {
    /// Compiles all kernels of a module.
    ///
    /// # Errors
    /// `R004` if there is no C++ compiler, for modules of other targets, and for kernels that use unsupported features.
    pub fn from_module(module: &Module) -> Result<Emulator, Diagnostic> {
        if !matches!(module.target, Target::Cuda { .. }) {
            let title = format!("kernels for {} are not emulated, only those for CUDA", module.target);
            return Err(Diagnostic::new(Code::R004, title));
        }
        Emulator::with_kernels(&module.kernels)
    }

    /// Compiles kernels in CUDA C++.
    ///
    /// # Errors
    /// `R004` if there is no C++ compiler, and for kernels that use unsupported features.
    pub fn with_kernels(kernels: &[Kernel]) -> Result<Emulator, Diagnostic> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("partita-emulator-{}-{number}", std::process::id()));
        let (text, sync_points) = translation::translate(kernels)?;
        let library = compile(&folder, &text);
        // A loaded library does not need its file any more.
        let _ = fs::remove_dir_all(&folder);
        Ok(Emulator { library: Arc::new(library?), running: Arc::default(), sync_points: Arc::new(sync_points) })
    }
}

impl Emulator {
    /// Sets the thread order of all later launches and, if `omitted` is given, omits the synchronisation call of that
    /// index, for mutation tests.
    ///
    /// # Errors
    /// `R004` if the library lacks the function.
    pub fn test_with(&self, omitted: Option<usize>, order: ThreadOrder) -> Result<(), Diagnostic> {
        type Test = unsafe extern "C" fn(i64, u32);
        // SAFETY: the library has a function of this type.
        let test = unsafe { self.library.get::<Test>("test_with") };
        let test =
            test.map_err(|e| Diagnostic::new(Code::R004, "the emulator library is damaged").note(e.to_string()))?;
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the function sets two variables, and no kernel is running.
        unsafe { test(omitted.map_or(-1, |number| number as i64), order as u32) };
        drop(running);
        Ok(())
    }

    /// Returns the entry point of a kernel.
    fn entry(&self, name: &str) -> Result<EntryFn, Diagnostic> {
        // SAFETY: the translation defines a function of this type for every kernel of the module.
        let entry = unsafe { self.library.get::<EntryFn>(format!("run_{name}")) };
        let missing = |_| Diagnostic::new(Code::R004, format!("kernel `{name}` belongs to another module"));
        Ok(*entry.map_err(missing)?)
    }

    /// Runs a range of the blocks of a kernel, for buffers that are too large for a full run.
    ///
    /// # Errors
    /// The errors of [`Device::launch`].
    pub fn launch_blocks(
        &self,
        kernel: &EmulatedKernel,
        ptrs: &[DevicePtr<Arc<Buffer>>],
        blocks: Range<u64>,
    ) -> Result<(), Diagnostic> {
        if ptrs.len() != kernel.buffers {
            let title =
                format!("kernel `{}` has {} buffers, but {} were given", kernel.name, kernel.buffers, ptrs.len());
            return Err(Diagnostic::new(Code::R004, title));
        }
        let mut info = kernel.info.clone();
        let starts = ptrs.iter().map(|ptr| ptr.memory.start().wrapping_add(ptr.offset).cast());
        let args: Vec<*mut c_void> = starts.chain([info.as_mut_ptr().cast()]).collect();
        let mut written: Vec<[u64; 2]> = Vec::new();
        for ptr in &ptrs[kernel.reads..] {
            let memory = [ptr.memory.start() as u64, ptr.memory.len() as u64];
            if !written.contains(&memory) {
                written.push(memory);
            }
        }
        let EmulatedKernel { cubes, units, shared_bytes, .. } = *kernel;
        let extent = LaunchExtent { cubes, units, blocks, shared_bytes };
        // SAFETY: the kernel has these parameters, and accesses only the buffers for which it was lowered.
        unsafe { self.run(&kernel.name, kernel.entry, &args, &written, extent) }
    }

    /// Runs a kernel that writes to memory ranges, which are given as start and length.
    ///
    /// # Safety
    /// The kernel has these parameters, and accesses only the memory that they point to.
    unsafe fn run(
        &self,
        name: &str,
        entry: EntryFn,
        args: &[*mut c_void],
        written: &[[u64; 2]],
        LaunchExtent { cubes, units, blocks, shared_bytes }: LaunchExtent,
    ) -> Result<(), Diagnostic> {
        let launch = ShimLaunch {
            grid: cubes,
            units,
            blocks: [blocks.start, blocks.end],
            written: written.as_ptr(),
            written_count: written.len() as u64,
            shared_bytes: shared_bytes as u64,
        };
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: guaranteed by the caller.
        let failed = unsafe { entry(args.as_ptr(), &raw const launch) };
        // SAFETY: the text belongs to the library and is unchanged until the next launch.
        let why = (!failed.is_null()).then(|| unsafe { CStr::from_ptr(failed) }.to_string_lossy().into_owned());
        drop(running);
        match why {
            None => Ok(()),
            Some(why) => Err(Diagnostic::new(Code::R004, format!("kernel `{name}` is incorrect")).note(why)),
        }
    }
}

/// Object code of the runtime, once it has been compiled.
static RUNTIME: Mutex<Option<Vec<u8>>> = Mutex::new(None);

/// Compiles kernels and loads them with the runtime as a shared library.
fn compile(folder: &Path, text: &str) -> Result<Library, Diagnostic> {
    let [object, runtime, library] = ["kernels.o", "runtime.o", "kernels.so"].map(|name| folder.join(name));
    let mut known = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(code) = &*known {
        write(&runtime, code)?;
    } else {
        compile_source(folder, "runtime", &translation::runtime(), &RUNTIME_OPTIONS)?;
        *known = Some(input_file::read(&runtime, FileLimit::ARTEFACT)?);
    }
    drop(known);
    compile_source(folder, "kernels", text, &KERNEL_OPTIONS)?;
    run_compiler(&["-shared"], &[&object, &runtime], &library)?;
    // SAFETY: its initialisers clear its memory only.
    let loaded = unsafe { Library::new(&library) };
    loaded.map_err(|e| Diagnostic::new(Code::R004, "compiled kernels could not be loaded").note(e.to_string()))
}

/// Compiles C++ source to `NAME.o` in a folder.
fn compile_source(folder: &Path, name: &str, text: &str, options: &[&str]) -> Result<(), Diagnostic> {
    let [from, object] = ["cpp", "o"].map(|suffix| folder.join(format!("{name}.{suffix}")));
    write(&from, text.as_bytes())?;
    run_compiler(&[&COMPILER_OPTIONS, options].concat(), &[&from], &object)
}

/// Writes a file, and makes its folder.
fn write(file: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(file, bytes)).map_err(|e| {
        Diagnostic::new(Code::R004, "kernels could not be written to a file").note(format!("{}: {e}", file.display()))
    })
}

/// Runs the C++ compiler.
fn run_compiler(options: &[&str], from: &[&Path], to: &Path) -> Result<(), Diagnostic> {
    let failed = |title: &str, why: String| Diagnostic::new(Code::R004, title).note(why);
    let compiler = std::env::var("CXX").unwrap_or_else(|_| DEFAULT_COMPILER.into());
    let output = Command::new(&compiler).args(options).args(from).arg("-o").arg(to).output().map_err(|e| {
        failed(&format!("`{compiler}` cannot be run"), e.to_string())
            .help("emulating CUDA needs a C++ compiler: apt-get install g++")
    })?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = stderr.lines().take(20).collect();
    Err(failed(&format!("`{compiler}` cannot compile the kernels"), first.join("\n")))
}

impl Device for Emulator {
    type Memory = Arc<Buffer>;
    type Kernel = EmulatedKernel;
    type Event = ();

    fn name(&self) -> &str {
        "the CUDA emulator"
    }

    fn max_buffer_bytes(&self) -> usize {
        isize::MAX as usize
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<Buffer>, Diagnostic> {
        Ok(Arc::new(Buffer::zeroed(bytes.next_multiple_of(4).max(4))))
    }

    fn load(&self, kernel: &Kernel) -> Result<EmulatedKernel, Diagnostic> {
        let name = &kernel.name;
        let entry = self.entry(name)?;
        let Kernel { cubes, units, reads, shared_bytes, .. } = *kernel;
        let (info, buffers) = (kernel.info.clone(), kernel.buffers());
        let sync_points = self.sync_points.get(name).cloned().unwrap_or_default();
        Ok(EmulatedKernel { entry, name: name.clone(), reads, buffers, info, cubes, units, shared_bytes, sync_points })
    }

    fn launch(&self, kernel: &EmulatedKernel, ptrs: &[DevicePtr<Arc<Buffer>>]) -> Result<(), Diagnostic> {
        self.launch_blocks(kernel, ptrs, 0..kernel.blocks())
    }

    fn address(&self, ptr: &DevicePtr<Arc<Buffer>>) -> Option<u64> {
        Some(ptr.memory.start().wrapping_add(ptr.offset) as u64)
    }
    fn launch_collective(&self, parameter: &CollectiveParams) -> Result<(), Diagnostic> {
        let mut parameter = *parameter;
        let args = [(&raw mut parameter).cast()];
        let (entry, blocks) = (self.entry(ENTRY)?, parameter.blocks());
        let extent = LaunchExtent {
            cubes: [blocks, 1, 1],
            units: [THREADS_PER_BLOCK, 1, 1],
            blocks: 0..blocks.into(),
            shared_bytes: 0,
        };
        // SAFETY: the kernel has this parameter, and accesses the same elements as the row transfer.
        unsafe { self.run(ENTRY, entry, &args, &parameter.written_ranges(), extent) }
    }

    fn upload(&self, ptr: &DevicePtr<Arc<Buffer>>, words: &[u32]) -> Result<(), Diagnostic> {
        let to = host_address(ptr, words.len())?;
        // SAFETY: the memory has enough bytes after the pointer, and kernels run synchronously.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), to, words.len() * 4) };
        Ok(())
    }

    fn download(&self, ptrs: &[(DevicePtr<Arc<Buffer>>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        let read = |(ptr, count): &(DevicePtr<Arc<Buffer>>, usize)| {
            let (from, mut words) = (host_address(ptr, *count)?, vec![0u32; *count]);
            // SAFETY: the memory has enough bytes after the pointer, and kernels run synchronously.
            unsafe { std::ptr::copy_nonoverlapping(from, words.as_mut_ptr().cast::<u8>(), count * 4) };
            Ok(words)
        };
        ptrs.iter().map(read).collect()
    }

    fn record_event(&self, _: Queue) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn wait_event(&self, _: Queue, (): &()) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn flush(&self) -> Result<(), Diagnostic> {
        Ok(())
    }
}

/// Returns the host address of a pointer, if at least `words` words follow.
fn host_address(ptr: &DevicePtr<Arc<Buffer>>, words: usize) -> Result<*mut u8, Diagnostic> {
    if ptr.offset + words * 4 > ptr.memory.len() {
        return Err(Diagnostic::new(Code::R004, "an access is out of bounds"));
    }
    Ok(ptr.memory.start().wrapping_add(ptr.offset))
}
