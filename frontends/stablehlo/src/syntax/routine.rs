//! Routines of LAPACK that custom calls name.

use super::Attrs;

/// A routine of LAPACK that a custom call can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routine {
    /// Cholesky factorization.
    Potrf,
    /// Triangular systems.
    Trsm,
    /// LU factorization.
    Getrf,
    /// QR factorization.
    Geqrf,
    /// Product of the reflections of a QR factorization.
    Orgqr,
    /// Product with the reflections of a QR factorization.
    Ormqr,
    /// Reduction to Hessenberg form.
    Gehrd,
    /// Tridiagonal systems.
    Gtsv,
    /// Singular value decomposition.
    Gesdd,
    /// Eigenvalues of a Hermitian matrix.
    Syevd,
    /// Eigenvalues of a square matrix.
    Geev,
}

impl Routine {
    /// Returns the routine that a custom call names: `lapack_spotrf_ffi`, for example, for any of the element types
    /// `s`, `d`, `c` and `z`. The earlier form without `_ffi` has other operands.
    pub fn from_target(target: &str) -> Option<Routine> {
        let name = target.strip_prefix("lapack_")?.strip_suffix("_ffi")?;
        Some(match name.strip_prefix(['s', 'd', 'c', 'z'])? {
            "potrf" => Routine::Potrf,
            "trsm" => Routine::Trsm,
            "getrf" => Routine::Getrf,
            "geqrf" => Routine::Geqrf,
            "orgqr" | "ungqr" => Routine::Orgqr,
            "ormqr" | "unmqr" => Routine::Ormqr,
            "gehrd" => Routine::Gehrd,
            "gtsv" => Routine::Gtsv,
            "gesdd" => Routine::Gesdd,
            "syevd" | "heevd" => Routine::Syevd,
            "geev" => Routine::Geev,
            _ => return None,
        })
    }

    /// Returns the routine that an operation calls.
    pub fn from_attributes(attrs: &Attrs<'_>) -> Option<Routine> {
        let target = attrs.iter().find(|(name, _)| *name == "call_target_name").map(|(_, target)| target)?;
        Routine::from_target(target.as_symbol().or(target.as_str())?)
    }

    /// Returns the numbers of operands and of results, for numbers in the given number of parts.
    pub fn counts(self, parts: usize) -> (usize, usize) {
        match self {
            Routine::Potrf => (parts, parts + 1),
            Routine::Trsm | Routine::Orgqr => (2 * parts, parts),
            Routine::Getrf => (parts, parts + 2),
            Routine::Geqrf => (parts, 2 * parts),
            Routine::Ormqr => (3 * parts, parts),
            Routine::Gehrd => (parts, 2 * parts + 1),
            Routine::Gtsv => (4 * parts, 4 * parts + 1),
            Routine::Gesdd => (parts, 3 * parts + 2),
            Routine::Syevd => (parts, parts + 2),
            Routine::Geev => (parts, 7),
        }
    }
}
