//! Discrete Fourier transforms, computed by rustfft.

use num_complex::Complex64;
use rustfft::{FftDirection, FftPlanner};

/// Transforms adjacent dimensions of a tensor in row-major order. Their sizes are `shape`; they are followed by `inner`
/// elements, and preceded by a batch. The inverse divides by the number of transformed elements.
pub fn fourier(data: &mut [Complex64], shape: &[usize], inner: usize, inverse: bool) {
    let count: usize = shape.iter().product();
    if count * inner == 0 {
        return;
    }
    let direction = if inverse { FftDirection::Inverse } else { FftDirection::Forward };
    let mut planner = FftPlanner::new();
    let mut stride = inner;
    for &n in shape.iter().rev() {
        let plan = planner.plan_fft(n, direction);
        let mut scratch = vec![Complex64::ZERO; plan.get_inplace_scratch_len()];
        let mut line = vec![Complex64::ZERO; n];
        for block in data.chunks_exact_mut(n * stride) {
            for start in 0..stride {
                for (i, x) in line.iter_mut().enumerate() {
                    *x = block[start + i * stride];
                }
                plan.process_with_scratch(&mut line, &mut scratch);
                for (i, &x) in line.iter().enumerate() {
                    block[start + i * stride] = x;
                }
            }
        }
        stride *= n;
    }
    if inverse {
        let scale = 1.0 / count as f64;
        data.iter_mut().for_each(|x| *x *= scale);
    }
}
