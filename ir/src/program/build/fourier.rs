//! Builder methods for Fourier transforms of one dimension.

use super::Builder;
use crate::arena::ValueId;
use crate::ops::{Fft, Pad, Transform};
use crate::syntax::attr::Dims;
use crate::tensor::Scalar;

/// A signal: real numbers, or real and imaginary parts of complex numbers.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    /// The numbers, or their real parts.
    pub real: ValueId,
    /// Imaginary parts of complex numbers.
    pub imaginary: Option<ValueId>,
}

impl Signal {
    /// Creates a signal of real numbers.
    pub fn of_real(real: ValueId) -> Signal {
        Signal { real, imaginary: None }
    }

    /// Returns the real part and, if there is one, the imaginary part.
    pub fn parts(self) -> impl Iterator<Item = ValueId> {
        std::iter::once(self.real).chain(self.imaginary)
    }

    /// Applies a function to each part.
    pub fn map(self, mut change: impl FnMut(ValueId) -> ValueId) -> Signal {
        Signal { real: change(self.real), imaginary: self.imaginary.map(change) }
    }
}

impl Builder<'_> {
    /// Appends a transform of dimension `dim`, whose size is `n` on the side without symmetry; longer dimensions are
    /// truncated and shorter ones are padded with zeros. The signal must be real for `Transform::RealForward`.
    pub fn fourier(&mut self, signal: Signal, transform: Transform, dim: usize, n: usize) -> Signal {
        let half = n / 2 + 1;
        let (reads, writes) = match transform {
            Transform::Forward | Transform::Inverse => (n, n),
            Transform::RealForward => (n, half),
            Transform::RealInverse => (half, n),
        };
        let mut parts = vec![signal.real];
        if transform != Transform::RealForward {
            let imaginary = signal.imaginary.unwrap_or_else(|| self.splat_like(signal.real, Scalar::Int(0)));
            parts.push(imaginary);
        }
        let last = self.ty(signal.real).shape.rank() - 1;
        for part in &mut parts {
            *part = self.swap_dims(*part, dim, last);
            *part = self.with_size(*part, last, reads);
        }
        let mut ty = self.ty(parts[0]);
        ty.shape[last] = writes;
        let results = if transform == Transform::RealInverse { 1 } else { 2 };
        let outs = self.op_many("fft", Fft { transform, lengths: vec![n] }, &parts, &vec![ty; results]);
        Signal { real: outs[0], imaginary: outs.get(1).copied() }.map(|part| self.swap_dims(part, dim, last))
    }

    /// Appends the first `n` elements of `x` along `dim`, with zeros after the last element.
    pub fn with_size(&mut self, x: ValueId, dim: usize, n: usize) -> ValueId {
        let mut ty = self.ty(x);
        let own = ty.shape[dim];
        if own == n {
            return x;
        }
        if own > n {
            return self.slice_dim(x, dim, 0, n);
        }
        let (low, mut high) = (vec![0; ty.shape.rank()], vec![0; ty.shape.rank()]);
        high[dim] = (n - own) as i64;
        ty.shape[dim] = n;
        let zero = self.scalar(ty.dtype, Scalar::Int(0));
        self.op("pad", Pad { low, high, interior: Dims::new() }, &[x, zero], ty)
    }
}
