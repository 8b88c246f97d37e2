//! NVIDIA's library of products of matrices, to compare with.

#![allow(unsafe_code, reason = "the library is in C")]

use crate::library::{self, Found};
use partita_ir::diag::{Code, Diagnostic};

/// What to install where there is no toolkit.
pub(crate) const WHEEL: &str = "pip install nvidia-cublas-cu12, and set PARTITA_CUDA to the virtual environment";

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
            Diagnostic::new(Code::R004, "cuBLASLt, NVIDIA's products of matrices, was not found").note(why).help(WHEEL)
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
}
