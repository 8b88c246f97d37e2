//! CUDA without a GPU: kernels in CUDA C++ are compiled by this machine's C++ compiler and run on its CPU.
//!
//! This is for checking what is printed. A header stands in for what CUDA adds to C++: threads of a block, barriers, shuffles, fragments
//! of matrices, half precision. It notices threads that wait at different barriers, and shared memory that is read before it is written.

#![allow(unsafe_code, reason = "kernels are code in C++")]

mod asynchronous;
pub mod network;

use crate::collective::{ENTRY, KERNEL, Parameter, UNITS};
use crate::device::{Device, Place, Queue};
use crate::module::{Kernel, Module};
use crate::target::Target;
use libloading::Library;
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::memory::Buffer;
use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What stands in for CUDA.
const SHIM: &str = include_str!("emulator/shim.h");

/// The compiler, unless `CXX` names another.
const COMPILER: &str = "g++";

/// A kernel: buffers and `info`, the grid, the threads of a block, and the first block and that behind the last one to run. Gives what
/// went wrong, or null.
type Entry = unsafe extern "C" fn(*const *mut c_void, *const u32, *const u32, *const u64) -> *const c_char;

/// The kernels of a module, compiled for the CPU. Clones are devices of their own with the same kernels.
#[derive(Clone)]
pub struct Emulator {
    library: Arc<Library>,
    /// Kernels keep their state in variables, so that they run one at a time.
    running: Arc<Mutex<()>>,
    /// How many waits the kernels have in their text.
    waits: usize,
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
    buffers: usize,
    info: Vec<u32>,
    cubes: [u32; 3],
    units: [u32; 3],
}

impl Loaded {
    /// How many blocks a launch has.
    pub fn blocks(&self) -> u64 {
        self.cubes.iter().map(|&n| u64::from(n)).product()
    }
}

impl Emulator {
    /// Compiles all kernels of a module.
    ///
    /// # Errors
    /// `R004` without a compiler, when it refuses the kernels, and for modules of other targets.
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
    /// `R004` without a compiler, and when it refuses the kernels.
    pub fn with_kernels(kernels: &[Kernel]) -> Result<Emulator, Diagnostic> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("partita-emulator-{}-{number}", std::process::id()));
        let (text, waits) = text(kernels);
        let library = compile(&folder, &text);
        // What is loaded stays loaded.
        let _ = std::fs::remove_dir_all(&folder);
        Ok(Emulator { library: Arc::new(library?), running: Arc::default(), waits })
    }
}

impl Emulator {
    /// How many barriers and waits the kernels have in their text.
    pub fn waits(&self) -> usize {
        self.waits
    }

    /// Lets all launches from now on leave out the wait of that number, if one is given, and run threads in that order.
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
        // SAFETY: the kernel has so many parameters, and stays within the buffers that it was lowered for.
        unsafe { self.run(&kernel.name, kernel.entry, &args, (kernel.cubes, blocks), kernel.units) }
    }

    /// Runs a kernel.
    ///
    /// # Safety
    /// It has these parameters, and reads and writes only what they give it.
    unsafe fn run(
        &self,
        name: &str,
        entry: Entry,
        args: &[*mut c_void],
        (cubes, blocks): ([u32; 3], Range<u64>),
        units: [u32; 3],
    ) -> Result<(), Diagnostic> {
        let blocks = [blocks.start, blocks.end];
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as promised.
        let failed = unsafe { entry(args.as_ptr(), cubes.as_ptr(), units.as_ptr(), blocks.as_ptr()) };
        drop(running);
        if failed.is_null() {
            return Ok(());
        }
        // SAFETY: it is a text of the library.
        let why = unsafe { CStr::from_ptr(failed) }.to_string_lossy().into_owned();
        Err(Diagnostic::new(Code::R004, format!("kernel `{name}` is wrong")).note(why))
    }
}

/// Calls that wait for other threads, or for what a thread itself began.
const WAITS: [&str; 4] = ["__syncthreads(", "__syncwarp(", "__pipeline_wait_prior(", "shim::wait_all("];

/// Where a call begins in a line, and where it ends.
fn found(line: &str, call: &str) -> Option<(usize, usize)> {
    let at = line.find(call)?;
    Some((at, at + line[at..].find(')')? + 1))
}

/// All kernels as one text, each with a function that starts it; and how many waits there are, each of which has a number.
fn text(kernels: &[Kernel]) -> (String, usize) {
    let (mut text, mut waits) = (SHIM.to_owned(), 0);
    let kernels = kernels.iter().map(|kernel| (kernel.name.as_str(), kernel.source.as_str()));
    for (name, source) in kernels.chain([(ENTRY, KERNEL)]) {
        let meets = ["__sync", "__shfl", "_sync("].iter().any(|word| source.contains(word));
        let _ = writeln!(text, "\nnamespace kernel_{name} {{");
        for line in source.lines().filter(|line| !line.starts_with("#include")) {
            let line = asynchronous::translated(&line.replace("extern \"C\" ", ""));
            // Where it lies was for a launch to say.
            let shared = line.split_once("extern __shared__ ").and_then(|(before, declared)| {
                let (declared, behind) = declared.split_once("[];")?;
                Some(format!(
                    "{before}char* const {} = shim::shared;{behind}",
                    declared.split_whitespace().next_back()?
                ))
            });
            let mut line = &shared.unwrap_or(line)[..];
            // A wait may stand behind other statements of its line.
            while let Some((at, end)) = WAITS.iter().filter_map(|wait| found(line, wait)).min() {
                let _ = write!(text, "{}SHIM_WAIT({waits}, {})", &line[..at], &line[at..end]);
                (line, waits) = (&line[end..], waits + 1);
            }
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(
            text,
            "}}\nextern \"C\" const char* run_{name}(void** args, const uint32_t* grid, const uint32_t* units, const uint64_t* blocks) {{\n    \
                 return shim::run(grid, units, blocks, {meets}, [](void* args) {{ shim::call(&kernel_{name}::{name}, static_cast<void**>(args)); }}, args);\n}}",
        );
    }
    text.push_str("\nextern \"C\" void test_with(int64_t left_out, unsigned order) { shim::left_out = left_out; shim::order = order; }\n");
    (text, waits)
}

/// Makes a library of it.
fn compile(folder: &Path, text: &str) -> Result<Library, Diagnostic> {
    let failed = |title: &str, why: String| Diagnostic::new(Code::R004, title).note(why);
    let (from, to) = (folder.join("kernels.cpp"), folder.join("kernels.so"));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&from, text));
    written.map_err(|e| failed("kernels could not be written to a file", format!("{}: {e}", from.display())))?;
    let compiler = std::env::var("CXX").unwrap_or_else(|_| COMPILER.into());
    let options = ["-std=c++17", "-O1", "-march=native", "-fno-strict-aliasing", "-w", "-fPIC", "-shared"];
    let output = Command::new(&compiler).args(options).arg(&from).arg("-o").arg(&to).output().map_err(|e| {
        failed(&format!("`{compiler}` cannot be run"), e.to_string())
            .help("emulating CUDA needs a C++ compiler: apt-get install g++")
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first: Vec<&str> = said.lines().take(20).collect();
        return Err(failed(&format!("`{compiler}` refuses the kernels"), first.join("\n")));
    }
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
        let Kernel { cubes, units, .. } = *kernel;
        let info = kernel.info.clone();
        Ok(Loaded { entry, name: name.clone(), buffers: kernel.buffers(), info, cubes, units })
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
        // SAFETY: the kernel has that parameter, and moves what the runtime's exchange would.
        unsafe { self.run(ENTRY, entry, &args, ([blocks, 1, 1], 0..blocks.into()), [UNITS, 1, 1]) }
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
