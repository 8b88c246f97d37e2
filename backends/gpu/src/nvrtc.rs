//! Bindings to NVRTC, NVIDIA's run-time compiler for CUDA C++. Compilation needs no GPU.

#![allow(unsafe_code, reason = "NVRTC is a library in C")]

use crate::library::{self, LoadedLibrary};
use partita_ir::diag::{Code, Diagnostic};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};

/// Help for a machine without the CUDA toolkit: packages of CUDA 12, whose machine code runs on all newer drivers.
pub const INSTALL_HELP: &str = "pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 \
                                nvidia-cuda-nvcc-cu12, and set PARTITA_CUDA to the virtual environment";

/// The equivalent packages of CUDA 13, which need driver version 580 or newer.
const INSTALL_HELP_CUDA_13: &str = "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl \
                                    nvidia-cuda-crt, and set PARTITA_CUDA to the virtual environment";

/// Headers that generated kernels include.
const HEADERS: [&str; 4] = ["cuda_fp16.h", "cuda_bf16.h", "mma.h", "crt/mma.h"];

type Program = *mut c_void;
type NvrtcStatus = c_int;

/// The loaded compiler.
pub struct Nvrtc {
    library: LoadedLibrary,
    version: (i32, i32),
    includes: Vec<PathBuf>,
}

/// A kernel compiled for one architecture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompiledKernel {
    /// Machine code in cubin format.
    pub code: Vec<u8>,
    /// Resource usage of the kernel.
    pub usage: Usage,
}

/// Resource usage of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Usage {
    /// Registers per thread.
    pub registers: usize,
    /// Bytes per thread that are spilled from registers to local memory.
    pub spilled: usize,
    /// Bytes of local memory per thread: dynamically indexed arrays and spilled registers.
    pub stack: usize,
    /// Bytes of static shared memory per block.
    pub shared: usize,
}

impl Nvrtc {
    /// Opens the newest version in the first search directory that has one.
    ///
    /// # Errors
    /// `R004` if the library or its headers are not found.
    pub fn open() -> Result<Nvrtc, Diagnostic> {
        let none = |why: String| {
            Diagnostic::new(Code::R004, "NVRTC, the compiler of CUDA C++, was not found").note(why).help(INSTALL_HELP)
        };
        let library = library::open("nvrtc").map_err(none)?;
        let (mut major, mut minor) = (0, 0);
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> NvrtcStatus =
            library.symbol("nvrtcVersion").map_err(none)?;
        // SAFETY: the function writes two numbers.
        unsafe { version(&mut major, &mut minor) };
        let includes = library.includes();
        let is_missing = |header: &&&str| !includes.iter().any(|folder| folder.join(header).is_file());
        let missing: Vec<&str> = HEADERS.iter().filter(is_missing).copied().collect();
        if !missing.is_empty() {
            let title = format!("NVRTC {major}.{minor}, the compiler of CUDA C++, was found without its headers");
            let error = Diagnostic::new(Code::R004, title);
            return Err(error
                .note(format!("{} was found, but not {}", library.path, missing.join(", ")))
                .help(install_help(major)));
        }
        Ok(Nvrtc { library, version: (major, minor), includes })
    }

    /// Returns the command that installs all parts of this version.
    pub fn install_help(&self) -> &'static str {
        install_help(self.version.0)
    }

    /// Returns the version as major and minor number.
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// Returns the path of the library.
    pub fn path(&self) -> &str {
        &self.library.path
    }

    /// Compiles a kernel to machine code for an architecture, given as compute capability times ten.
    ///
    /// # Errors
    /// `R004` with the compiler's errors or warnings.
    pub fn compile(&self, name: &str, source: &str, arch: u32) -> Result<CompiledKernel, Diagnostic> {
        type Create = unsafe extern "C" fn(
            *mut Program,
            *const c_char,
            *const c_char,
            c_int,
            *const *const c_char,
            *const *const c_char,
        ) -> NvrtcStatus;
        type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> NvrtcStatus;
        let failed = |why: String| Diagnostic::new(Code::R004, format!("NVRTC rejects kernel `{name}`")).note(why);
        let text = |text: &str| CString::new(text).map_err(|e| failed(e.to_string()));
        let create: Create = self.library.symbol("nvrtcCreateProgram").map_err(missing_symbol)?;
        let compile: Compile = self.library.symbol("nvrtcCompileProgram").map_err(missing_symbol)?;
        let destroy: unsafe extern "C" fn(*mut Program) -> NvrtcStatus =
            self.library.symbol("nvrtcDestroyProgram").map_err(missing_symbol)?;
        let (source, file) = (text(source)?, text(&format!("{name}.cu"))?);
        let includes = self.includes.iter().map(|folder| format!("-I{}", folder.display()));
        // The assembler reports resource usage in verbose mode.
        let verbose = "--ptxas-options=-v".to_owned();
        let options = [format!("--gpu-architecture=sm_{arch}"), "--std=c++17".into(), verbose];
        let options: Vec<CString> = options.into_iter().chain(includes).map(|o| text(&o)).collect::<Result<_, _>>()?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program: Program = null_mut();
        // SAFETY: texts are null-terminated and live until the end of this function; there are no named headers.
        let status = unsafe { create(&mut program, source.as_ptr(), file.as_ptr(), 0, null(), null()) };
        if status != 0 {
            return Err(failed(format!("error {status}")));
        }
        // SAFETY: the program was created, and the number of options is passed.
        let status = unsafe { compile(program, options.len() as c_int, options.as_ptr()) };
        let log = self.bytes(program, ["nvrtcGetProgramLogSize", "nvrtcGetProgramLog"]);
        let code = self.bytes(program, ["nvrtcGetCUBINSize", "nvrtcGetCUBIN"]);
        // SAFETY: the program is not used afterwards.
        unsafe { destroy(&mut program) };
        let log = String::from_utf8_lossy(&log?).trim_end_matches('\0').trim().to_owned();
        match warnings(&log) {
            _ if status != 0 => Err(failed(log)),
            Some(warnings) => {
                Err(Diagnostic::new(Code::R004, format!("NVRTC warns about kernel `{name}`")).note(warnings))
            }
            None => Ok(CompiledKernel { code: code?, usage: Usage::read(&log) }),
        }
    }

    /// Returns an output of a program, by the functions that return its size and copy it.
    fn bytes(&self, program: Program, [size, get]: [&str; 2]) -> Result<Vec<u8>, Diagnostic> {
        let size: unsafe extern "C" fn(Program, *mut usize) -> NvrtcStatus =
            self.library.symbol(size).map_err(missing_symbol)?;
        let get: unsafe extern "C" fn(Program, *mut c_char) -> NvrtcStatus =
            self.library.symbol(get).map_err(missing_symbol)?;
        let mut bytes = 0;
        // SAFETY: the program was created.
        unsafe { size(program, &mut bytes) };
        let mut buffer = vec![0; bytes];
        // SAFETY: the buffer has the size that the library returned.
        unsafe { get(program, buffer.as_mut_ptr().cast()) };
        Ok(buffer)
    }
}

fn install_help(major: i32) -> &'static str {
    if major >= 13 { INSTALL_HELP_CUDA_13 } else { INSTALL_HELP }
}

/// Returns the warnings of the compiler and the assembler in a log. Logs of generated kernels are not shown to users,
/// so that warnings are treated as errors.
fn warnings(log: &str) -> Option<String> {
    let usage = ["ptxas info", "ptxas   "];
    let others = log.lines().filter(|line| !usage.iter().any(|start| line.trim_start().starts_with(start)));
    log.contains("warning").then(|| others.collect::<Vec<_>>().join("\n").trim().to_owned())
}

/// Returns the error for a library without one of the functions.
fn missing_symbol(why: String) -> Diagnostic {
    Diagnostic::new(Code::R004, "NVRTC lacks a required function").note(why).help(INSTALL_HELP)
}

impl Usage {
    /// Parses the assembler's report, such as `Used 12 registers, used 1 barriers, 1024 bytes smem`.
    fn read(log: &str) -> Usage {
        // The number before some words; the largest if there are several functions.
        let before = |words: &str| {
            let numbers = log.match_indices(words).filter_map(|(at, _)| {
                let number = log[..at].trim_end();
                let begin = number.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |i| i + 1);
                number[begin..].parse().ok()
            });
            numbers.max().unwrap_or(0)
        };
        Usage {
            registers: before("registers"),
            spilled: before("bytes spill stores").max(before("bytes spill loads")),
            stack: before("bytes stack frame"),
            shared: before("bytes smem"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_usage_is_parsed() {
        let log = "ptxas info    : Function properties for kernel
            ptxas         .     24 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
            ptxas info    : Used 128 registers, used 1 barriers, 4096 bytes smem, 392 bytes cmem[0]";
        assert_eq!(Usage::read(log), Usage { registers: 128, spilled: 16, stack: 24, shared: 4096 });
        assert_eq!(Usage::read(""), Usage::default());
    }

    #[test]
    fn warnings_are_separated_from_resource_usage() {
        let usage = "ptxas info    : Used 8 registers\nptxas         .     0 bytes stack frame";
        assert_eq!(warnings(usage), None);
        let warning = "k.cu(2): warning #69-D: integer conversion resulted in truncation";
        assert_eq!(warnings(&format!("{warning}\n\n{usage}")).unwrap(), warning);
        let warning = "ptxas warning : Value of threads per SM for entry k is out of range";
        assert_eq!(warnings(&format!("{usage}\n{warning}")).unwrap(), warning);
    }
}
