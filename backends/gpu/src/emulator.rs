//! CUDA without a GPU: kernels in CUDA C++ are compiled by this machine's C++ compiler and run on its CPU.
//!
//! This is for checking what is printed. Headers stand in for what CUDA adds to C++: threads of a block, barriers,
//! fences, asynchronous copies, fragments of matrices, half precision. They notice threads that wait at different
//! barriers, accesses to memory that nothing orders by the memory consistency model of the PTX ISA, and shared memory
//! that is read before it is written.

#![allow(unsafe_code, reason = "kernels are code in C++")]

mod asynchronous;
pub mod network;
mod translation;
mod vocabulary;

use crate::collective::{ENTRY, Parameter, UNITS};
use crate::device::{Device, Place, Queue};
use crate::module::{Kernel, Module};
use crate::target::Target;
use libloading::Library;
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::memory::Buffer;
use rustc_hash::FxHashMap;
use std::ffi::{CStr, c_char, c_void};
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The compiler, unless `CXX` names another.
const COMPILER: &str = "g++";

/// Its options. It calls a function for each access to memory, as for ThreadSanitizer, whose library is not linked: the
/// headers have these functions.
const OPTIONS: [&str; 8] =
    ["-std=c++17", "-O1", "-march=native", "-fno-strict-aliasing", "-fsanitize=thread", "-w", "-fPIC", "-c"];

/// A kernel, given buffers and `info`. Gives what went wrong, or null.
type Entry = unsafe extern "C" fn(*const *mut c_void, *const Launch) -> *const c_char;

/// A launch of a kernel, as the headers declare it.
#[repr(C)]
struct Launch {
    grid: [u32; 3],
    units: [u32; 3],
    /// The first block and that behind the last one to run.
    blocks: [u64; 2],
    written: *const [u64; 2],
    written_count: u64,
    shared_bytes: u64,
}

/// What a kernel is launched on.
struct Extent {
    cubes: [u32; 3],
    units: [u32; 3],
    blocks: Range<u64>,
    shared_bytes: usize,
}

/// The kernels of a module, compiled for the CPU. Clones are devices of their own with the same kernels.
#[derive(Clone)]
pub struct Emulator {
    library: Arc<Library>,
    /// Kernels keep their state in variables, so that they run one at a time.
    running: Arc<Mutex<()>>,
    /// By kernel, the numbers of its waits and fences.
    waits: Arc<FxHashMap<String, Range<usize>>>,
}

/// The order in which threads of a block go on from one wait to the next. Kernels must not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// From the first to the last.
    Forward,
    /// From the last to the first.
    Backward,
    /// From the middle to the last, then from the first to the middle.
    Rotated,
}

/// A kernel that is ready to run.
pub struct Loaded {
    entry: Entry,
    name: String,
    reads: usize,
    buffers: usize,
    info: Vec<u32>,
    cubes: [u32; 3],
    units: [u32; 3],
    shared_bytes: usize,
    waits: Range<usize>,
}

impl Loaded {
    /// The numbers of the barriers, waits and fences in its text.
    pub fn waits(&self) -> Range<usize> {
        self.waits.clone()
    }

    /// How many blocks a launch has.
    pub fn blocks(&self) -> u64 {
        self.cubes.iter().map(|&n| u64::from(n)).product()
    }
}

impl Emulator {
    /// Compiles all kernels of a module.
    ///
    /// # Errors
    /// `R004` without a compiler, for modules of other targets, and for kernels that use what is not emulated.
    pub fn of(module: &Module) -> Result<Emulator, Diagnostic> {
        if !matches!(module.target, Target::Cuda { .. }) {
            let title = format!("kernels for {} are not emulated, only those for CUDA", module.target);
            return Err(Diagnostic::new(Code::R004, title));
        }
        Emulator::with_kernels(&module.kernels)
    }

    /// Compiles kernels in CUDA C++.
    ///
    /// # Errors
    /// `R004` without a compiler, and for kernels that use what is not emulated.
    pub fn with_kernels(kernels: &[Kernel]) -> Result<Emulator, Diagnostic> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("partita-emulator-{}-{number}", std::process::id()));
        let (text, waits) = translation::text(kernels)?;
        let library = compile(&folder, &text);
        // What is loaded stays loaded.
        let _ = std::fs::remove_dir_all(&folder);
        Ok(Emulator { library: Arc::new(library?), running: Arc::default(), waits: Arc::new(waits) })
    }
}

impl Emulator {
    /// Lets all launches from now on leave out the wait or fence of that number, if one is given, and run threads in
    /// that order.
    ///
    /// # Errors
    /// `R004` when the library has been changed.
    pub fn test_with(&self, left_out: Option<usize>, order: Order) -> Result<(), Diagnostic> {
        type Test = unsafe extern "C" fn(i64, u32);
        // SAFETY: the library has a function of that type.
        let test = unsafe { self.library.get::<Test>("test_with") };
        let test = test.map_err(|e| Diagnostic::new(Code::R004, "the emulator is damaged").note(e.to_string()))?;
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: it sets two variables, and no kernel runs.
        unsafe { test(left_out.map_or(-1, |number| number as i64), order as u32) };
        drop(running);
        Ok(())
    }

    /// The function that starts a kernel.
    fn entry(&self, name: &str) -> Result<Entry, Diagnostic> {
        // SAFETY: a function of that type was written for every kernel of the module.
        let entry = unsafe { self.library.get::<Entry>(format!("run_{name}")) };
        let missing = |_| Diagnostic::new(Code::R004, format!("kernel `{name}` is of another module"));
        Ok(*entry.map_err(missing)?)
    }

    /// Runs the blocks of those numbers of a kernel: of buffers too large for all of them, some.
    ///
    /// # Errors
    /// As [`Device::launch`].
    pub fn launch_blocks(
        &self,
        kernel: &Loaded,
        places: &[Place<Arc<Buffer>>],
        blocks: Range<u64>,
    ) -> Result<(), Diagnostic> {
        if places.len() != kernel.buffers {
            let title = format!("kernel `{}` has {} buffers, {} were given", kernel.name, kernel.buffers, places.len());
            return Err(Diagnostic::new(Code::R004, title));
        }
        let mut info = kernel.info.clone();
        let starts = places.iter().map(|place| place.memory.start().wrapping_add(place.offset).cast());
        let args: Vec<*mut c_void> = starts.chain([info.as_mut_ptr().cast()]).collect();
        let mut written: Vec<[u64; 2]> = Vec::new();
        for place in &places[kernel.reads..] {
            let memory = [place.memory.start() as u64, place.memory.len() as u64];
            if !written.contains(&memory) {
                written.push(memory);
            }
        }
        let Loaded { cubes, units, shared_bytes, .. } = *kernel;
        let extent = Extent { cubes, units, blocks, shared_bytes };
        // SAFETY: the kernel has so many parameters, and stays within the buffers that it was lowered for.
        unsafe { self.run(&kernel.name, kernel.entry, &args, &written, extent) }
    }

    /// Runs a kernel, which writes to memory of those starts and lengths.
    ///
    /// # Safety
    /// It has these parameters, and reads and writes only what they give it.
    unsafe fn run(
        &self,
        name: &str,
        entry: Entry,
        args: &[*mut c_void],
        written: &[[u64; 2]],
        Extent { cubes, units, blocks, shared_bytes }: Extent,
    ) -> Result<(), Diagnostic> {
        let launch = Launch {
            grid: cubes,
            units,
            blocks: [blocks.start, blocks.end],
            written: written.as_ptr(),
            written_count: written.len() as u64,
            shared_bytes: shared_bytes as u64,
        };
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as promised.
        let failed = unsafe { entry(args.as_ptr(), &raw const launch) };
        // SAFETY: it is a text of the library, which stays as it is until the next launch.
        let why = (!failed.is_null()).then(|| unsafe { CStr::from_ptr(failed) }.to_string_lossy().into_owned());
        drop(running);
        match why {
            None => Ok(()),
            Some(why) => Err(Diagnostic::new(Code::R004, format!("kernel `{name}` is wrong")).note(why)),
        }
    }
}

/// Makes a library of it.
fn compile(folder: &Path, text: &str) -> Result<Library, Diagnostic> {
    let failed = |title: &str, why: String| Diagnostic::new(Code::R004, title).note(why);
    let [from, object, to] = ["kernels.cpp", "kernels.o", "kernels.so"].map(|name| folder.join(name));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&from, text));
    written.map_err(|e| failed("kernels could not be written to a file", format!("{}: {e}", from.display())))?;
    let compiler = std::env::var("CXX").unwrap_or_else(|_| COMPILER.into());
    let run = |options: &[&str], from: &Path, to: &Path| {
        let output = Command::new(&compiler).args(options).arg(from).arg("-o").arg(to).output().map_err(|e| {
            failed(&format!("`{compiler}` cannot be run"), e.to_string())
                .help("emulating CUDA needs a C++ compiler: apt-get install g++")
        })?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let first: Vec<&str> = said.lines().take(20).collect();
        Err(failed(&format!("`{compiler}` refuses the kernels"), first.join("\n")))
    };
    run(&OPTIONS, &from, &object)?;
    run(&["-shared"], &object, &to)?;
    // SAFETY: the library has no initialisers.
    unsafe { Library::new(&to) }.map_err(|e| failed("compiled kernels could not be loaded", e.to_string()))
}

impl Device for Emulator {
    type Memory = Arc<Buffer>;
    type Kernel = Loaded;
    type Mark = ();

    fn name(&self) -> &str {
        "the emulator of CUDA"
    }

    fn largest(&self) -> usize {
        isize::MAX as usize
    }

    fn memory(&self, bytes: usize) -> Result<Arc<Buffer>, Diagnostic> {
        Ok(Arc::new(Buffer::zeroed(bytes.next_multiple_of(4).max(4))))
    }

    fn load(&self, kernel: &Kernel) -> Result<Loaded, Diagnostic> {
        let name = &kernel.name;
        let entry = self.entry(name)?;
        let Kernel { cubes, units, reads, shared_bytes, .. } = *kernel;
        let (info, buffers) = (kernel.info.clone(), kernel.buffers());
        let waits = self.waits.get(name).cloned().unwrap_or_default();
        Ok(Loaded { entry, name: name.clone(), reads, buffers, info, cubes, units, shared_bytes, waits })
    }

    fn launch(&self, kernel: &Loaded, places: &[Place<Arc<Buffer>>]) -> Result<(), Diagnostic> {
        self.launch_blocks(kernel, places, 0..kernel.blocks())
    }

    fn address(&self, place: &Place<Arc<Buffer>>) -> Option<u64> {
        Some(place.memory.start().wrapping_add(place.offset) as u64)
    }
    fn carry_out(&self, parameter: &Parameter) -> Result<(), Diagnostic> {
        let mut parameter = *parameter;
        let args = [(&raw mut parameter).cast()];
        let (entry, blocks) = (self.entry(ENTRY)?, parameter.blocks());
        let extent = Extent { cubes: [blocks, 1, 1], units: [UNITS, 1, 1], blocks: 0..blocks.into(), shared_bytes: 0 };
        // SAFETY: the kernel has that parameter, and moves what the runtime's exchange would.
        unsafe { self.run(ENTRY, entry, &args, &parameter.written(), extent) }
    }

    fn upload(&self, place: &Place<Arc<Buffer>>, words: &[u32]) -> Result<(), Diagnostic> {
        let to = at(place, words.len())?;
        // SAFETY: there are so many words, and kernels run one after the other with this.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), to, words.len() * 4) };
        Ok(())
    }

    fn download(&self, places: &[(Place<Arc<Buffer>>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        let read = |(place, count): &(Place<Arc<Buffer>>, usize)| {
            let (from, mut words) = (at(place, *count)?, vec![0u32; *count]);
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(from, words.as_mut_ptr().cast::<u8>(), count * 4) };
            Ok(words)
        };
        places.iter().map(read).collect()
    }

    fn mark(&self, _: Queue) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn follow(&self, _: Queue, (): &()) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn flush(&self) -> Result<(), Diagnostic> {
        Ok(())
    }
}

/// Where so many words are.
fn at(place: &Place<Arc<Buffer>>, words: usize) -> Result<*mut u8, Diagnostic> {
    if place.offset + words * 4 > place.memory.len() {
        return Err(Diagnostic::new(Code::R004, "a place reaches beyond its memory"));
    }
    Ok(place.memory.start().wrapping_add(place.offset))
}
