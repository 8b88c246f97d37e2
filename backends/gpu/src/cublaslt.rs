//! NVIDIA's library of products of matrices, to compare with.

#![allow(unsafe_code, reason = "the library is in C")]

use crate::library::{self, Found};
use partita_ir::diag::{Code, Diagnostic};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// What to install where there is no toolkit.
pub(crate) const WHEEL: &str = "pip install nvidia-cublas-cu12, and set PARTITA_CUDA to the virtual environment";

/// Numbers of `library_types.h`, `cublas_api.h` and `cublasLt.h`.
const BF16: c_int = 14;
const F32: c_int = 0;
const COMPUTE_F32: c_int = 68;
const MOST_WORKSPACE: c_int = 1;

/// Bytes of memory that a product may use beside its matrices, as NVIDIA advises for Hopper.
pub const WORKSPACE: usize = 32 << 20;

type Status = c_int;
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
) -> Status;
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
) -> Status;

/// `cublasLtMatmulAlgo_t`
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Algorithm([u64; 8]);

/// `cublasLtMatmulHeuristicResult_t`
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Choice {
    algorithm: Algorithm,
    workspace: usize,
    state: Status,
    waves: f32,
    reserved: [c_int; 4],
}

/// The library.
pub struct CublasLt {
    found: Found,
    version: usize,
}

impl CublasLt {
    /// The newest of the first place that has one.
    ///
    /// # Errors
    /// `R004` when there is none.
    pub fn open() -> Result<CublasLt, Diagnostic> {
        let none = |why: String| {
            let title = "cuBLASLt, NVIDIA's products of matrices, was not found";
            Diagnostic::new(Code::R004, title).note(why).help(WHEEL)
        };
        let found = library::open("cublasLt").map_err(none)?;
        let version: unsafe extern "C" fn() -> usize = found.symbol("cublasLtGetVersion").map_err(none)?;
        // SAFETY: it only gives a number.
        let version = unsafe { version() };
        Ok(CublasLt { found, version })
    }

    /// Its version, as in 12.9.3.
    pub fn version(&self) -> String {
        let number = self.version;
        format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
    }

    /// Where it lies.
    pub fn path(&self) -> &str {
        &self.found.at
    }

    /// Products of square matrices of `bf16`, row by row, with sums in `f32`. The current device is the one that is
    /// meant.
    ///
    /// # Errors
    /// `R004` with the number of what the library complains about.
    pub fn square(&self, n: usize) -> Result<Square<'_>, Diagnostic> {
        let mut square = Square {
            library: self,
            handle: null_mut(),
            product: null_mut(),
            matrix: null_mut(),
            algorithm: Algorithm::default(),
        };
        let create: unsafe extern "C" fn(*mut Handle) -> Status = self.symbol("cublasLtCreate")?;
        let product: unsafe extern "C" fn(*mut Handle, c_int, c_int) -> Status =
            self.symbol("cublasLtMatmulDescCreate")?;
        let matrix: unsafe extern "C" fn(*mut Handle, c_int, u64, u64, i64) -> Status =
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
        let old = |why: String| Diagnostic::new(Code::R004, "cuBLASLt lacks what is asked of it").note(why).help(WHEEL);
        self.found.symbol(name).map_err(old)
    }
}

/// Products of one size.
pub struct Square<'l> {
    library: &'l CublasLt,
    handle: Handle,
    product: Handle,
    matrix: Handle,
    algorithm: Algorithm,
}

impl Square<'_> {
    /// Takes the algorithm that the library thinks best.
    fn choose(&mut self) -> Result<(), Diagnostic> {
        let create: unsafe extern "C" fn(*mut Handle) -> Status =
            self.library.symbol("cublasLtMatmulPreferenceCreate")?;
        let destroy: unsafe extern "C" fn(Handle) -> Status = self.library.symbol("cublasLtMatmulPreferenceDestroy")?;
        let set: unsafe extern "C" fn(Handle, c_int, *const c_void, usize) -> Status =
            self.library.symbol("cublasLtMatmulPreferenceSetAttribute")?;
        let heuristic: Heuristic = self.library.symbol("cublasLtMatmulAlgoGetHeuristic")?;
        let (mut preference, mut choice, mut count) = (null_mut(), Choice::default(), 0);
        let (m, most) = (self.matrix, WORKSPACE);
        // SAFETY: handles were created, the attribute is a number of that width, and there is room for one choice.
        let chosen = unsafe {
            check(create(&mut preference))?;
            let chosen =
                check(set(preference, MOST_WORKSPACE, (&raw const most).cast(), size_of::<usize>())).and_then(|()| {
                    check(heuristic(self.handle, self.product, m, m, m, m, preference, 1, &mut choice, &mut count))
                });
            destroy(preference);
            chosen
        };
        chosen?;
        if count == 0 {
            return Err(Diagnostic::new(Code::R004, "cuBLASLt knows no algorithm for this product"));
        }
        self.algorithm = choice.algorithm;
        Ok(())
    }

    /// `c = a b`, on a stream, with [`WORKSPACE`] bytes to work in.
    ///
    /// # Errors
    /// `R004` with the number of what the library complains about.
    ///
    /// # Safety
    /// They are matrices of this size in memory of the current device, until the stream is done.
    pub unsafe fn run(&self, [a, b, c]: [u64; 3], workspace: u64, stream: *mut c_void) -> Result<(), Diagnostic> {
        let matmul: Matmul = self.library.symbol("cublasLtMatmul")?;
        let (one, zero, m) = (1f32, 0f32, self.matrix);
        let [a, b] = [a, b].map(|at| at as *const c_void);
        let c = c as *mut c_void;
        // The library goes column by column, and so has what is asked for transposed: its product is that of the
        // transposed, the other way round. SAFETY: handles were created, and the rest is as promised.
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
                WORKSPACE,
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
            let destroy: Result<unsafe extern "C" fn(Handle) -> Status, _> = self.library.symbol(name);
            // SAFETY: it was created, and nobody has it any more. There is nobody to tell what goes wrong.
            let _ = destroy.map(|destroy| unsafe { destroy(handle) });
        }
    }
}

fn check(status: Status) -> Result<(), Diagnostic> {
    let failed = || Diagnostic::new(Code::R004, format!("cuBLASLt fails with status {status}"));
    if status == 0 { Ok(()) } else { Err(failed()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Needs no GPU, and is looked at where there is a library.
    #[test]
    fn a_library_that_is_found_has_all_functions() {
        let library = match CublasLt::open() {
            Ok(library) => library,
            Err(e) => return assert!(e.notes[0].starts_with("libcublasLt.so is not in "), "{:?}", e.notes),
        };
        assert!(library.version().starts_with("1"), "{}", library.version());
        let handles = ["", "MatmulDesc", "MatrixLayout", "MatmulPreference"];
        let made = handles.iter().flat_map(|what| [format!("{what}Create"), format!("{what}Destroy")]);
        let used = ["Matmul", "MatmulAlgoGetHeuristic", "MatmulPreferenceSetAttribute"].map(str::to_owned);
        for name in made.chain(used) {
            let found: Result<unsafe extern "C" fn(), _> = library.symbol(&format!("cublasLt{name}"));
            assert!(found.is_ok(), "{name}");
        }
        assert_eq!(size_of::<Choice>(), 96);
    }
}
