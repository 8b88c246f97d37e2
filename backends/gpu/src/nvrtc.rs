//! NVIDIA's compiler of CUDA C++, as a library: from a kernel's text to machine code, with or without a GPU.

#![allow(unsafe_code, reason = "NVRTC is a library in C")]

use crate::library::{self, Found};
use partita_ir::diag::{Code, Diagnostic};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};

/// What to install where there is no toolkit: the packages of CUDA 12, whose machine code every driver since takes.
pub const WHEELS: &str = "pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 \
                          nvidia-cuda-nvcc-cu12, and set PARTITA_CUDA to the virtual environment";

/// The same of CUDA 13, for drivers from 580 on.
const WHEELS_13: &str = "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-crt, and set \
                         PARTITA_CUDA to the virtual environment";

/// Headers that kernels include.
const HEADERS: [&str; 4] = ["cuda_fp16.h", "cuda_bf16.h", "mma.h", "crt/mma.h"];

type Program = *mut c_void;
type Status = c_int;

/// The compiler.
pub struct Nvrtc {
    found: Found,
    version: (i32, i32),
    includes: Vec<PathBuf>,
}

/// A kernel for one architecture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// Machine code, in the format that drivers load: a cubin.
    pub code: Vec<u8>,
    /// What it takes of a multiprocessor.
    pub usage: Usage,
}

/// What a kernel takes of a multiprocessor.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Usage {
    /// Registers of each thread.
    pub registers: usize,
    /// Bytes of each thread that do not fit into registers: each is stored, and loaded again.
    pub spilled: usize,
    /// Bytes of local memory of each thread: arrays that are indexed at run time, and what is spilled.
    pub stack: usize,
    /// Bytes of shared memory of a block, without those that a launch adds.
    pub shared: usize,
}

impl Nvrtc {
    /// The newest of the first place that has one.
    ///
    /// # Errors
    /// `R004` when there is none.
    pub fn open() -> Result<Nvrtc, Diagnostic> {
        let none = |why: String| {
            Diagnostic::new(Code::R004, "NVRTC, the compiler of CUDA C++, was not found").note(why).help(WHEELS)
        };
        let found = library::open("nvrtc").map_err(none)?;
        let (mut major, mut minor) = (0, 0);
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status =
            found.symbol("nvrtcVersion").map_err(none)?;
        // SAFETY: both are numbers that it writes.
        unsafe { version(&mut major, &mut minor) };
        let includes = found.includes();
        let is_missing = |header: &&&str| !includes.iter().any(|folder| folder.join(header).is_file());
        let missing: Vec<&str> = HEADERS.iter().filter(is_missing).copied().collect();
        if !missing.is_empty() {
            let title = format!("NVRTC {major}.{minor}, the compiler of CUDA C++, has no headers beside it");
            let error = Diagnostic::new(Code::R004, title);
            return Err(error
                .note(format!("{} is there, and no {}", found.at, missing.join(", ")))
                .help(wheels(major)));
        }
        Ok(Nvrtc { found, version: (major, minor), includes })
    }

    /// What to install for what it lacks.
    pub fn wheels(&self) -> &'static str {
        wheels(self.version.0)
    }

    /// Its version, as in 12.9.
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// Where it lies.
    pub fn path(&self) -> &str {
        &self.found.at
    }

    /// Compiles a kernel for a compute capability, times ten, to machine code.
    ///
    /// # Errors
    /// `R004` with what the compiler says.
    pub fn compile(&self, name: &str, source: &str, arch: u32) -> Result<Compiled, Diagnostic> {
        type Create = unsafe extern "C" fn(
            *mut Program,
            *const c_char,
            *const c_char,
            c_int,
            *const *const c_char,
            *const *const c_char,
        ) -> Status;
        type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status;
        let failed = |why: String| Diagnostic::new(Code::R004, format!("NVRTC refuses kernel `{name}`")).note(why);
        let text = |text: &str| CString::new(text).map_err(|e| failed(e.to_string()));
        let create: Create = self.found.symbol("nvrtcCreateProgram").map_err(old)?;
        let compile: Compile = self.found.symbol("nvrtcCompileProgram").map_err(old)?;
        let destroy: unsafe extern "C" fn(*mut Program) -> Status =
            self.found.symbol("nvrtcDestroyProgram").map_err(old)?;
        let (source, file) = (text(source)?, text(&format!("{name}.cu"))?);
        let includes = self.includes.iter().map(|folder| format!("-I{}", folder.display()));
        // Machine code is made by the assembler, which is asked what the kernel takes.
        let verbose = "--ptxas-options=-v".to_owned();
        let options = [format!("--gpu-architecture=sm_{arch}"), "--std=c++17".into(), verbose];
        let options: Vec<CString> = options.into_iter().chain(includes).map(|o| text(&o)).collect::<Result<_, _>>()?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program: Program = null_mut();
        // SAFETY: texts end with zero and live until the end of this function; there are no headers by name.
        let status = unsafe { create(&mut program, source.as_ptr(), file.as_ptr(), 0, null(), null()) };
        if status != 0 {
            return Err(failed(format!("error {status}")));
        }
        // SAFETY: the program was created, and there are as many options as it is told.
        let status = unsafe { compile(program, options.len() as c_int, options.as_ptr()) };
        let log = self.bytes(program, ["nvrtcGetProgramLogSize", "nvrtcGetProgramLog"]);
        let code = self.bytes(program, ["nvrtcGetCUBINSize", "nvrtcGetCUBIN"]);
        // SAFETY: nobody has the program from here on.
        unsafe { destroy(&mut program) };
        let log = String::from_utf8_lossy(&log?).trim_end_matches('\0').trim().to_owned();
        match warnings(&log) {
            _ if status != 0 => Err(failed(log)),
            Some(warnings) => {
                Err(Diagnostic::new(Code::R004, format!("NVRTC warns about kernel `{name}`")).note(warnings))
            }
            None => Ok(Compiled { code: code?, usage: Usage::read(&log) }),
        }
    }

    /// Something that a program has, by the functions that tell its size and copy it.
    fn bytes(&self, program: Program, [size, get]: [&str; 2]) -> Result<Vec<u8>, Diagnostic> {
        let size: unsafe extern "C" fn(Program, *mut usize) -> Status = self.found.symbol(size).map_err(old)?;
        let get: unsafe extern "C" fn(Program, *mut c_char) -> Status = self.found.symbol(get).map_err(old)?;
        let mut bytes = 0;
        // SAFETY: the program was created.
        unsafe { size(program, &mut bytes) };
        let mut held = vec![0; bytes];
        // SAFETY: it writes as many bytes as it said.
        unsafe { get(program, held.as_mut_ptr().cast()) };
        Ok(held)
    }
}

fn wheels(major: i32) -> &'static str {
    if major >= 13 { WHEELS_13 } else { WHEELS }
}

/// Warnings of the compiler and the assembler, if a log has any. Nobody reads the logs of generated kernels, so that a
/// warning is an error.
fn warnings(log: &str) -> Option<String> {
    let usage = ["ptxas info", "ptxas   "];
    let others = log.lines().filter(|line| !usage.iter().any(|start| line.trim_start().starts_with(start)));
    log.contains("warning").then(|| others.collect::<Vec<_>>().join("\n").trim().to_owned())
}

/// A library without one of the functions.
fn old(why: String) -> Diagnostic {
    Diagnostic::new(Code::R004, "NVRTC lacks what is asked of it").note(why).help(WHEELS)
}

impl Usage {
    /// What the assembler says, as in `Used 12 registers, used 1 barriers, 1024 bytes smem`.
    fn read(log: &str) -> Usage {
        // The number before some words, largest if there are several kernels.
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
    fn usage_is_read_from_what_the_assembler_says() {
        let log = "ptxas info    : Function properties for kernel
            ptxas         .     24 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
            ptxas info    : Used 128 registers, used 1 barriers, 4096 bytes smem, 392 bytes cmem[0]";
        assert_eq!(Usage::read(log), Usage { registers: 128, spilled: 16, stack: 24, shared: 4096 });
        assert_eq!(Usage::read(""), Usage::default());
    }

    #[test]
    fn warnings_are_told_from_what_a_kernel_takes() {
        let usage = "ptxas info    : Used 8 registers\nptxas         .     0 bytes stack frame";
        assert_eq!(warnings(usage), None);
        let warning = "k.cu(2): warning #69-D: integer conversion resulted in truncation";
        assert_eq!(warnings(&format!("{warning}\n\n{usage}")).unwrap(), warning);
        let warning = "ptxas warning : Value of threads per SM for entry k is out of range";
        assert_eq!(warnings(&format!("{usage}\n{warning}")).unwrap(), warning);
    }
}
