//! Builder methods for pooling over any number of spatial dimensions, which follow batch and channel.

use super::Builder;
use crate::arena::ValueId;
use crate::dtype::{Shape, Type};
use crate::layout::Monoid;
use crate::program::ops::{BinaryOp, ReduceWindow};
use crate::rule::Window;
use crate::tensor::Scalar;

/// Returns a window of pooling in ceil mode over `size` elements: the high padding is extended to cover the last
/// windows. A window that would start in the high padding is dropped.
pub fn with_last_windows(window: Window, size: usize) -> Window {
    let between = window.size.saturating_sub(1).saturating_mul(window.dilation);
    let reach = between.min(1 << 60) as i64 + 1;
    let (size, stride) = (size as i64, window.stride as i64);
    let room = size + window.low + window.high - reach;
    let mut steps = (room.max(0) + stride - 1) / stride;
    if steps * stride >= size + window.low {
        steps -= 1;
    }
    Window { high: window.high.max(steps * stride + reach - size - window.low), ..window }
}

impl Builder<'_> {
    /// Appends average pooling of `x: [batch, channel, space ..]` with one window per dimension. The divisor of each
    /// window is the number of its operand elements; with `counts_padding` the explicit padding, `pads` before and
    /// after each spatial dimension, is counted too. Padding that ceil mode adds is never counted.
    ///
    /// # Errors
    /// The windows do not fit the operand.
    pub fn average_pool(
        &mut self,
        x: ValueId,
        windows: &[Window],
        pads: &[(usize, usize)],
        counts_padding: bool,
    ) -> Result<ValueId, String> {
        let ty = self.ty(x);
        let sum = ReduceWindow { monoid: Monoid::Sum, windows: windows.to_vec() };
        let sum = self.checked_op("sum_pool", sum, &[x])?;
        let is_even = windows[2..].iter().zip(pads).all(|(w, pad)| w.high <= pad.1 as i64);
        if is_even && (counts_padding || pads.iter().all(|&pad| pad == (0, 0))) {
            let taps = windows.iter().map(|w| w.size).fold(1, usize::saturating_mul);
            return Ok(self.binary_scalar(BinaryOp::Div, sum, taps as f64));
        }
        // The divisor is a sum pooling of ones. The tensor of ones covers the explicit padding if that is counted.
        let margin = |d: usize| if counts_padding && d >= 2 { pads[d - 2] } else { (0, 0) };
        let ones: Shape = (ty.shape.iter().enumerate())
            .map(|(d, &n)| if d < 2 { 1 } else { n + margin(d).0 + margin(d).1 })
            .collect();
        let ones = self.splat(Type::new(ty.dtype, ones), Scalar::Float(1.0));
        let inner = |(d, w): (usize, &Window)| {
            let (low, high) = margin(d);
            Window { low: w.low - low as i64, high: w.high - high as i64, ..*w }
        };
        let count = ReduceWindow { monoid: Monoid::Sum, windows: windows.iter().enumerate().map(inner).collect() };
        let count = self.checked_op("count", count, &[ones])?;
        let shape = self.ty(sum).shape;
        let count = self.expand(count, &shape);
        Ok(self.binary(BinaryOp::Div, sum, count))
    }
}
