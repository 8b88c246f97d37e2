//! Bindings to cuBLASLt, NVIDIA's library for matrix products, as the baseline of benchmarks.

#![allow(unsafe_code, reason = "the library is in C")]

use crate::library::{self, LoadedLibrary};
use partita_ir::diag::{Code, Diagnostic};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// Help for a machine without the CUDA toolkit.
pub(crate) const INSTALL_HELP: &str = "pip install nvidia-cublas-cu12, and set PARTITA_CUDA to the virtual environment";

/// Constants of `library_types.h`, `cublas_api.h` and `cublasLt.h`.
const BF16: c_int = 14;
const F32: c_int = 0;
const COMPUTE_F32: c_int = 68;
const MAX_WORKSPACE_ATTRIBUTE: c_int = 1;

/// Size of the workspace of a product in bytes, as recommended by NVIDIA for Hopper.
pub const WORKSPACE_BYTES: usize = 32 << 20;

type CublasStatus = c_int;
type Handle = *mut c_void;
type Matmul = unsafe extern "C" fn(
    Handle,
    Handle,
    *const f32,
    *const c_void,
    Handle,
    *const c_void,
    Handle,
    *const f32,
    *const c_void,
    Handle,
    *mut c_void,
    Handle,
    *const Algorithm,
    *mut c_void,
    usize,
    *mut c_void,
) -> CublasStatus;
type Heuristic = unsafe extern "C" fn(
    Handle,
    Handle,
    Handle,
    Handle,
    Handle,
    Handle,
    Handle,
    c_int,
    *mut Choice,
    *mut c_int,
) -> CublasStatus;

/// Binding of `cublasLtMatmulAlgo_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Algorithm([u64; 8]);

/// Binding of `cublasLtMatmulHeuristicResult_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Choice {
    algorithm: Algorithm,
    workspace: usize,
    state: CublasStatus,
    waves: f32,
    reserved: [c_int; 4],
}

/// The loaded library.
pub struct CublasLt {
    library: LoadedLibrary,
    version: usize,
}

impl CublasLt {
    /// Opens the newest version in the first search directory that has one.
    ///
    /// # Errors
    /// `R004` if the library is not found.
    pub fn open() -> Result<CublasLt, Diagnostic> {
        let none = |why: String| {
            let title = "cuBLASLt, NVIDIA's library for matrix products, was not found";
            Diagnostic::new(Code::R004, title).note(why).help(INSTALL_HELP)
        };
        let library = library::open("cublasLt").map_err(none)?;
        let version: unsafe extern "C" fn() -> usize = library.symbol("cublasLtGetVersion").map_err(none)?;
        // SAFETY: the function has no arguments and returns a number.
        let version = unsafe { version() };
        Ok(CublasLt { library, version })
    }

    /// Returns the version, such as `12.9.3`.
    pub fn version(&self) -> String {
        let number = self.version;
        format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
    }

    /// Returns the path of the library.
    pub fn path(&self) -> &str {
        &self.library.path
    }

    /// Prepares products of square, row-major `bf16` matrices of size `n` with `f32` accumulation, on the current
    /// device.
    ///
    /// # Errors
    /// `R004` with the status that the library returns.
    pub fn square(&self, n: usize) -> Result<Square<'_>, Diagnostic> {
        let mut square = Square {
            library: self,
            handle: null_mut(),
            product: null_mut(),
            matrix: null_mut(),
            algorithm: Algorithm::default(),
        };
        let create: unsafe extern "C" fn(*mut Handle) -> CublasStatus = self.symbol("cublasLtCreate")?;
        let product: unsafe extern "C" fn(*mut Handle, c_int, c_int) -> CublasStatus =
            self.symbol("cublasLtMatmulDescCreate")?;
        let matrix: unsafe extern "C" fn(*mut Handle, c_int, u64, u64, i64) -> CublasStatus =
            self.symbol("cublasLtMatrixLayoutCreate")?;
        // SAFETY: each writes a handle.
        unsafe {
            check(create(&mut square.handle))?;
            check(product(&mut square.product, COMPUTE_F32, F32))?;
            check(matrix(&mut square.matrix, BF16, n as u64, n as u64, n as i64))?;
        }
        square.choose()?;
        Ok(square)
    }

    fn symbol<F: Copy>(&self, name: &str) -> Result<F, Diagnostic> {
        let old = |why: String| {
            Diagnostic::new(Code::R004, "cuBLASLt lacks a required function").note(why).help(INSTALL_HELP)
        };
        self.library.symbol(name).map_err(old)
    }
}

/// Products of square matrices of one size.
pub struct Square<'l> {
    library: &'l CublasLt,
    handle: Handle,
    product: Handle,
    matrix: Handle,
    algorithm: Algorithm,
}

impl Square<'_> {
    /// Selects the first algorithm of the library's heuristic.
    fn choose(&mut self) -> Result<(), Diagnostic> {
        let create: unsafe extern "C" fn(*mut Handle) -> CublasStatus =
            self.library.symbol("cublasLtMatmulPreferenceCreate")?;
        let destroy: unsafe extern "C" fn(Handle) -> CublasStatus =
            self.library.symbol("cublasLtMatmulPreferenceDestroy")?;
        let set: unsafe extern "C" fn(Handle, c_int, *const c_void, usize) -> CublasStatus =
            self.library.symbol("cublasLtMatmulPreferenceSetAttribute")?;
        let heuristic: Heuristic = self.library.symbol("cublasLtMatmulAlgoGetHeuristic")?;
        let (mut preference, mut choice, mut count) = (null_mut(), Choice::default(), 0);
        let (m, most) = (self.matrix, WORKSPACE_BYTES);
        // SAFETY: the handles were created, the attribute is a number of this width, and there is room for one choice.
        let chosen = unsafe {
            check(create(&mut preference))?;
            let chosen = check(set(preference, MAX_WORKSPACE_ATTRIBUTE, (&raw const most).cast(), size_of::<usize>()))
                .and_then(|()| {
                    check(heuristic(self.handle, self.product, m, m, m, m, preference, 1, &mut choice, &mut count))
                });
            destroy(preference);
            chosen
        };
        chosen?;
        if count == 0 {
            return Err(Diagnostic::new(Code::R004, "cuBLASLt has no algorithm for this product"));
        }
        self.algorithm = choice.algorithm;
        Ok(())
    }

    /// Enqueues `c = a b` on a stream, with a workspace of [`WORKSPACE_BYTES`] bytes.
    ///
    /// # Errors
    /// `R004` with the status that the library returns.
    ///
    /// # Safety
    /// The addresses are matrices of this size in memory of the current device, which lives until the stream has
    /// finished.
    pub unsafe fn run(&self, [a, b, c]: [u64; 3], workspace: u64, stream: *mut c_void) -> Result<(), Diagnostic> {
        let matmul: Matmul = self.library.symbol("cublasLtMatmul")?;
        let (one, zero, m) = (1f32, 0f32, self.matrix);
        let [a, b] = [a, b].map(|at| at as *const c_void);
        let c = c as *mut c_void;
        // The library is column-major and sees transposed matrices: it computes the transpose of `a b`, which is the
        // product of the transposes in reverse order. SAFETY: the handles were created, and the caller guarantees the
        // rest.
        check(unsafe {
            matmul(
                self.handle,
                self.product,
                &one,
                b,
                m,
                a,
                m,
                &zero,
                c,
                m,
                c,
                m,
                &self.algorithm,
                workspace as *mut c_void,
                WORKSPACE_BYTES,
                stream,
            )
        })
    }
}

impl Drop for Square<'_> {
    fn drop(&mut self) {
        let all = [
            ("cublasLtMatrixLayoutDestroy", self.matrix),
            ("cublasLtMatmulDescDestroy", self.product),
            ("cublasLtDestroy", self.handle),
        ];
        for (name, handle) in all.into_iter().filter(|(_, handle)| !handle.is_null()) {
            let destroy: Result<unsafe extern "C" fn(Handle) -> CublasStatus, _> = self.library.symbol(name);
            // SAFETY: the handle was created and is not used afterwards. Errors in drop cannot be reported.
            let _ = destroy.map(|destroy| unsafe { destroy(handle) });
        }
    }
}

fn check(status: CublasStatus) -> Result<(), Diagnostic> {
    let failed = || Diagnostic::new(Code::R004, format!("cuBLASLt fails with status {status}"));
    if status == 0 { Ok(()) } else { Err(failed()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Needs no GPU; checks symbols only if the library is installed.
    #[test]
    fn an_installed_library_has_all_functions() {
        let library = match CublasLt::open() {
            Ok(library) => library,
            Err(e) => return assert!(e.notes[0].starts_with("libcublasLt.so is not in "), "{:?}", e.notes),
        };
        assert!(library.version().starts_with("1"), "{}", library.version());
        let handles = ["", "MatmulDesc", "MatrixLayout", "MatmulPreference"];
        let made = handles.iter().flat_map(|what| [format!("{what}Create"), format!("{what}Destroy")]);
        let used = ["Matmul", "MatmulAlgoGetHeuristic", "MatmulPreferenceSetAttribute"].map(str::to_owned);
        for name in made.chain(used) {
            let symbol: Result<unsafe extern "C" fn(), _> = library.symbol(&format!("cublasLt{name}"));
            assert!(symbol.is_ok(), "{name}");
        }
        assert_eq!(size_of::<Choice>(), 96);
    }
}
