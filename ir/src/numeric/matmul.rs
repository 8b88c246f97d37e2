//! Batched matrix products, used by `dot_general` and `convolution`.

use gemm::Parallelism;

/// Dimension sizes of a batched matrix product `[batch, m, k] x [batch, k, n] -> [batch, m, n]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MatmulSizes {
    /// Number of matrix products.
    pub batch: usize,
    /// Rows of the left matrix.
    pub m: usize,
    /// Columns of the left matrix, and rows of the right one.
    pub k: usize,
    /// Columns of the right matrix.
    pub n: usize,
}

/// A storage type of matrix elements.
pub(crate) trait Element: Copy {
    /// The additive identity.
    const ZERO: Self;
    /// Computes `out = lhs x rhs` for row-major matrices. `out` must be zero on entry.
    fn product(out: &mut [Self], lhs: &[Self], rhs: &[Self], sizes: MatmulSizes);
}

macro_rules! float_element {
    ($ty:ty) => {
        impl Element for $ty {
            const ZERO: Self = 0.0;
            #[allow(unsafe_code)]
            fn product(out: &mut [Self], lhs: &[Self], rhs: &[Self], MatmulSizes { m, k, n, .. }: MatmulSizes) {
                assert!(out.len() == m * n && lhs.len() == m * k && rhs.len() == k * n, "matrices have other sizes");
                let (row_out, row_lhs, row_rhs) = (n as isize, k as isize, n as isize);
                // One thread: devices already run in parallel, and the summation order must not depend on the number of
                // threads.
                let parallelism = Parallelism::None;
                // SAFETY: the three slices have as many elements as their matrices (asserted above), rows are `n` or
                // `k` elements apart and columns one, and `out` is borrowed exclusively.
                unsafe {
                    gemm::gemm(
                        m,
                        n,
                        k,
                        out.as_mut_ptr(),
                        1,
                        row_out,
                        false,
                        lhs.as_ptr(),
                        1,
                        row_lhs,
                        rhs.as_ptr(),
                        1,
                        row_rhs,
                        0.0,
                        1.0,
                        false,
                        false,
                        false,
                        parallelism,
                    );
                }
            }
        }
    };
}
float_element!(f32);
float_element!(f64);

impl Element for i64 {
    const ZERO: Self = 0;
    fn product(out: &mut [Self], lhs: &[Self], rhs: &[Self], MatmulSizes { k, n, .. }: MatmulSizes) {
        for (out, lhs) in out.chunks_exact_mut(n).zip(lhs.chunks_exact(k)) {
            for (&a, rhs) in lhs.iter().zip(rhs.chunks_exact(n)) {
                for (out, &b) in out.iter_mut().zip(rhs) {
                    *out = out.wrapping_add(a.wrapping_mul(b));
                }
            }
        }
    }
}

/// Returns the products in row-major order; integers wrap.
pub(crate) fn batched<T: Element>(lhs: &[T], rhs: &[T], sizes: MatmulSizes) -> Vec<T> {
    let MatmulSizes { batch, m, k, n } = sizes;
    let mut out = vec![T::ZERO; batch * m * n];
    if k > 0 && !out.is_empty() {
        let operands = lhs.chunks_exact(m * k).zip(rhs.chunks_exact(k * n));
        for (out, (lhs, rhs)) in out.chunks_exact_mut(m * n).zip(operands) {
            T::product(out, lhs, rhs, sizes);
        }
    }
    out
}
