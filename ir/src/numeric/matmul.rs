//! Matrix products, batch by batch: what `dot_general` and `convolution` come down to.

use gemm::Parallelism;

/// Sizes of a batch of matrix products `[batch, m, k] x [batch, k, n] -> [batch, m, n]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sizes {
    /// How many products.
    pub batch: usize,
    /// Rows of the left matrix.
    pub m: usize,
    /// Columns of the left matrix and rows of the right one.
    pub k: usize,
    /// Columns of the right matrix.
    pub n: usize,
}

/// A number of which matrices are made.
pub(crate) trait Element: Copy {
    /// The empty sum.
    const ZERO: Self;
    /// `out = lhs x rhs`, all in row-major order; `out` holds zeros before.
    fn product(out: &mut [Self], lhs: &[Self], rhs: &[Self], sizes: Sizes);
}

macro_rules! float_element {
    ($ty:ty) => {
        impl Element for $ty {
            const ZERO: Self = 0.0;
            #[allow(unsafe_code)]
            fn product(out: &mut [Self], lhs: &[Self], rhs: &[Self], Sizes { m, k, n, .. }: Sizes) {
                assert!(out.len() == m * n && lhs.len() == m * k && rhs.len() == k * n, "matrices have other sizes");
                let (row_out, row_lhs, row_rhs) = (n as isize, k as isize, n as isize);
                // One thread: devices are threads already, and the order of summation must not depend on their number.
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
    fn product(out: &mut [Self], lhs: &[Self], rhs: &[Self], Sizes { k, n, .. }: Sizes) {
        for (out, lhs) in out.chunks_exact_mut(n).zip(lhs.chunks_exact(k)) {
            for (&a, rhs) in lhs.iter().zip(rhs.chunks_exact(n)) {
                for (out, &b) in out.iter_mut().zip(rhs) {
                    *out = out.wrapping_add(a.wrapping_mul(b));
                }
            }
        }
    }
}

/// The products, in row-major order; integers wrap.
pub(crate) fn batched<T: Element>(lhs: &[T], rhs: &[T], sizes: Sizes) -> Vec<T> {
    let Sizes { batch, m, k, n } = sizes;
    let mut out = vec![T::ZERO; batch * m * n];
    if k > 0 && !out.is_empty() {
        let operands = lhs.chunks_exact(m * k).zip(rhs.chunks_exact(k * n));
        for (out, (lhs, rhs)) in out.chunks_exact_mut(m * n).zip(operands) {
            T::product(out, lhs, rhs, sizes);
        }
    }
    out
}
