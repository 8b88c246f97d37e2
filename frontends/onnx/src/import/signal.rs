//! Lowering of Fourier transforms of signals and of the weights of mel spectrograms.

use super::elementwise::converted;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, constant_result, dim, malformed, single, size};
use crate::tensors::{dtype_of, shape_of};
use partita_ir::arena::ValueId;
use partita_ir::build::Signal;
use partita_ir::dtype::{Shape, Type};
use partita_ir::ops::{BinaryOp, Transform};
use partita_ir::tensor::Tensor;

/// Splits a tensor by its last dimension, of size 1 for real or 2 for complex numbers.
fn signal(cx: &mut Lowering<'_>, x: ValueId) -> Result<Signal, LoweringError> {
    let shape = cx.shape(x);
    let Some(last) = shape.rank().checked_sub(1) else { return malformed("transforms a scalar") };
    let part = |cx: &mut Lowering<'_>, i: usize| {
        let part = cx.b.slice_dim(x, last, i, i + 1);
        cx.b.reshape(part, Shape::from(&shape[..last]))
    };
    match shape[last] {
        1 => Ok(Signal { real: part(cx, 0), imaginary: None }),
        2 => Ok(Signal { real: part(cx, 0), imaginary: Some(part(cx, 1)) }),
        n => malformed(format!("has numbers of {n} parts")),
    }
}

/// Appends the transform of a dimension, of size `n` on the side without symmetry, and joins the parts along a new last
/// dimension. A one-sided transform computes or reads the first half of the frequencies only, of a real signal.
fn transformed(
    cx: &mut Lowering<'_>,
    signal: Signal,
    (dim, n): (usize, usize),
    inverse: bool,
    one_sided: bool,
) -> Result<ValueId, LoweringError> {
    let transform = match (inverse, one_sided, signal.imaginary) {
        (false, true, None) => Transform::RealForward,
        (true, true, _) => Transform::RealInverse,
        (false, _, _) => Transform::Forward,
        (true, false, _) => Transform::Inverse,
    };
    let mut out = cx.b.fourier(signal, transform, dim, n);
    if one_sided && transform == Transform::Forward {
        out = out.map(|part| cx.b.slice_dim(part, dim, 0, n / 2 + 1));
    }
    let rank = cx.rank(out.real);
    let parts: Vec<ValueId> = out.parts().map(|part| cx.b.unsqueeze(part, rank)).collect();
    cx.concat(&parts, rank)
}

/// Lowers a Fourier transform along one dimension.
pub fn dft(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let rank = cx.rank(x);
    // Up to opset 19 the axis is an attribute.
    let axis = match node.optional(2) {
        Some(axis) => cx.constant_number(axis, "axis")? as i64,
        None => node.int("axis", if node.opset < 20 { 1 } else { -2 }),
    };
    let axis = dim(axis, rank)?;
    if axis + 1 == rank {
        return malformed("transforms the dimension of the real and imaginary parts");
    }
    let (inverse, one_sided) = (node.flag("inverse", false), node.flag("onesided", false));
    let own = cx.shape(x)[axis];
    let length = match node.optional(1) {
        Some(length) => size(cx.constant_number(length, "length")? as i64, "length")?,
        None if inverse && one_sided => 2 * own.saturating_sub(1),
        None => own,
    };
    if length == 0 {
        return malformed("transforms no elements");
    }
    let signal = signal(cx, x)?;
    single(transformed(cx, signal, (axis, length), inverse, one_sided)?)
}

/// Lowers the Fourier transforms of overlapping frames of a signal `[batch, length, 1 or 2]`.
pub fn stft(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    let step = size(cx.constant_number(node.arg(1)?, "frame step")? as i64, "frame step")?;
    let shape = cx.shape(x);
    let window = node.optional(2);
    let length = match (node.optional(3), window) {
        (Some(length), _) => size(cx.constant_number(length, "frame length")? as i64, "frame length")?,
        (None, Some(window)) => cx.shape(window).count(),
        (None, None) => shape.get(1).copied().unwrap_or(0),
    };
    if shape.rank() != 3 || step == 0 || length == 0 || length > shape[1] {
        return malformed(format!("has frames of {length} elements, {step} apart, of the signal {shape}"));
    }
    if let Some(window) = window
        && cx.shape(window)[..] != [length]
    {
        return malformed(format!("has the window {} for frames of {length} elements", cx.b.ty(window)));
    }
    let frames = (shape[1] - length) / step + 1;
    shape_of(&[shape[0] as i64, frames as i64, length as i64]).map_err(LoweringError::Malformed)?;
    let dtype = cx.dtype(x);
    let window = window.map(|window| converted(cx, window, dtype));
    let framed = signal(cx, x)?.map(|part| {
        let framed = cx.b.overlapping_slices(part, 1, [frames, length], step);
        let Some(window) = window else { return framed };
        let window = cx.b.broadcast(window, &[2], [shape[0], frames, length]);
        cx.b.binary(BinaryOp::Mul, framed, window)
    });
    single(transformed(cx, framed, (2, length), false, node.flag("onesided", true))?)
}

/// Lowers the weights of a mel spectrogram, `[frequencies, bands]`, to a constant: triangles of height 1, whose corners
/// are equally spaced on the mel scale.
pub fn mel_weights(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let number = |i: usize, what| cx.constant_number(node.arg(i)?, what);
    let bands = size(number(0, "number of bands")? as i64, "number of bands")?;
    let length = size(number(1, "length")? as i64, "length")?;
    let rate = number(2, "sample rate")?;
    let (low, high) = (number(3, "lower edge")?, number(4, "upper edge")?);
    let dtype = dtype_of(i32::try_from(node.int("output_datatype", 1)).unwrap_or(0)).map_err(LoweringError::DType)?;
    let frequencies = length / 2 + 1;
    let shape = shape_of(&[frequencies as i64, bands as i64]).map_err(LoweringError::Malformed)?;
    if shape.count() > super::creation::MAX_LITERAL {
        return Err(LoweringError::TooLarge(format!("{dtype}{shape}")));
    }
    let mel = |hertz: f64| 2595.0 * (1.0 + hertz / 700.0).log10();
    let hertz = |mel: f64| 700.0 * (10f64.powf(mel / 2595.0) - 1.0);
    let step = (mel(high) - mel(low)) / (bands + 2) as f64;
    let corner = |i: usize| ((length + 1) as f64 * hertz(mel(low) + i as f64 * step) / rate).floor();
    let corners: Vec<f64> = (0..bands + 2).map(corner).collect();
    if corners.iter().any(|&corner| !(0.0..frequencies as f64).contains(&corner)) {
        return malformed(format!("has bands from {low} to {high} Hz, outside of {frequencies} frequencies"));
    }
    let weight = |frequency: f64, band: usize| {
        let [left, centre, right] = [corners[band], corners[band + 1], corners[band + 2]];
        if frequency >= centre && frequency < right {
            (right - frequency) / (right - centre)
        } else if frequency == centre {
            1.0
        } else if frequency >= left && frequency < centre {
            (frequency - left) / (centre - left)
        } else {
            0.0
        }
    };
    let weights = (0..frequencies).flat_map(|f| (0..bands).map(move |band| (f as f64, band)));
    let weights = weights.map(|(frequency, band)| weight(frequency, band)).collect();
    constant_result(Tensor::from_floats(Type { dtype, shape }, weights))
}
