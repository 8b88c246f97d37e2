//! Lowering of Fourier transforms.

use super::lowering::{Lowering, LoweringError, LoweringResult, dim, malformed, single, size, unsupported};
use super::node::{Node, Operand};
use partita_ir::build::Signal;
use partita_ir::ops::{BinaryOp, Pad, Transform};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Factor of a transform of `n` elements in each direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Normalization {
    None,
    BySqrt,
    ByCount,
}

/// A transform of several dimensions.
struct Plan {
    inverse: bool,
    sides: Sides,
    /// Dimensions with their sizes; on a complex side opposite a real one, the last of them has half of its size.
    dims: Vec<(usize, usize)>,
    normalization: Normalization,
}

/// Numbers before and after a transform.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sides {
    ComplexToComplex,
    RealToComplex,
    ComplexToReal,
}

/// Lowers a transform of one or several dimensions.
pub fn transform(cx: &mut Lowering<'_>, node: &Node<'_>, name: &str) -> LoweringResult {
    let signal = match node.operand("self") {
        Operand::Complex([real, imaginary]) => Signal { real: *real, imaginary: Some(*imaginary) },
        _ => {
            let x = node.tensor("self")?;
            Signal::of_real(cx.converted(x, node.result(0)?.dtype))
        }
    };
    let plan = match name.starts_with('_') {
        true => primitive_plan(cx, node, name, signal)?,
        false => plan(cx, node, name, signal)?,
    };
    if plan.dims.is_empty() || plan.dims.iter().any(|&(_, n)| n == 0) {
        return malformed(format!("transforms no elements of {}", cx.shape(signal.real)));
    }
    let out = plan.apply(cx, signal);
    match (out.imaginary, node.result_type(0)?.is_complex) {
        (Some(imaginary), true) => single([out.real, imaginary]),
        _ => single(out.real),
    }
}

/// Reads the operands of a function of `torch.fft`.
fn plan(cx: &Lowering<'_>, node: &Node<'_>, name: &str, signal: Signal) -> Result<Plan, LoweringError> {
    let name = name.trim_start_matches("fft_");
    let base = name.trim_end_matches(['2', 'n']);
    let (inverse, sides) = match base {
        "fft" => (false, Sides::ComplexToComplex),
        "ifft" => (true, Sides::ComplexToComplex),
        "rfft" => (false, Sides::RealToComplex),
        "irfft" => (true, Sides::ComplexToReal),
        _ => return Err(LoweringError::Unsupported),
    };
    let shape = cx.shape(signal.real);
    let rank = shape.rank();
    let sizes = node.ints(if base == name { "n" } else { "s" })?;
    let dims: Vec<usize> = match (node.ints("dim")?, &sizes) {
        (Some(list), _) => list.iter().map(|&d| dim(d, rank)).collect::<Result<_, _>>()?,
        (None, _) if base == name => vec![rank.saturating_sub(1)],
        (None, Some(sizes)) => (rank.saturating_sub(sizes.len())..rank).collect(),
        (None, None) if name.ends_with('2') => (rank.saturating_sub(2)..rank).collect(),
        (None, None) => (0..rank).collect(),
    };
    if rank == 0 || sizes.as_ref().is_some_and(|sizes| sizes.len() != dims.len()) {
        return malformed(format!("transforms dimensions {dims:?} of {shape}"));
    }
    let last = dims.len().saturating_sub(1);
    let length = |(i, &d): (usize, &usize)| match sizes.as_ref().map(|sizes| sizes[i]).filter(|&n| n != -1) {
        Some(n) => size(n, "size"),
        None if sides == Sides::ComplexToReal && i == last => Ok(2 * shape[d].saturating_sub(1)),
        None => Ok(shape[d]),
    };
    let lengths = dims.iter().enumerate().map(length).collect::<Result<Vec<_>, _>>()?;
    let normalization = match (node.text("norm")?, inverse) {
        (None | Some("backward"), false) | (Some("forward"), true) => Normalization::None,
        (None | Some("backward"), true) | (Some("forward"), false) => Normalization::ByCount,
        (Some("ortho"), _) => Normalization::BySqrt,
        (Some(other), _) => return malformed(format!("has the normalization `{other}`")),
    };
    Ok(Plan { inverse, sides, dims: dims.into_iter().zip(lengths).collect(), normalization })
}

/// Reads the operands of a transform to which PyTorch decomposes others.
fn primitive_plan(cx: &Lowering<'_>, node: &Node<'_>, name: &str, signal: Signal) -> Result<Plan, LoweringError> {
    let shape = cx.shape(signal.real);
    let (inverse, sides) = match name {
        "_fft_r2c" if node.flag("onesided", true)? => (false, Sides::RealToComplex),
        "_fft_r2c" => (false, Sides::ComplexToComplex),
        "_fft_c2r" => (true, Sides::ComplexToReal),
        "_fft_c2c" => (!node.flag("forward", true)?, Sides::ComplexToComplex),
        _ => return Err(LoweringError::Unsupported),
    };
    let dims = node.ints("dim")?.unwrap_or_default();
    let dims = dims.iter().map(|&d| dim(d, shape.rank())).collect::<Result<Vec<_>, _>>()?;
    if shape.rank() == 0 {
        return malformed("transforms a scalar");
    }
    let mut dims: Vec<(usize, usize)> = dims.into_iter().map(|d| (d, shape[d])).collect();
    if let (Sides::ComplexToReal, Some(last)) = (sides, dims.last_mut()) {
        last.1 = size(node.required_int("last_dim_size")?, "size")?;
    }
    let normalization = match node.int("normalization", 0)? {
        0 => Normalization::None,
        1 => Normalization::BySqrt,
        2 => Normalization::ByCount,
        other => return malformed(format!("has the normalization {other}")),
    };
    Ok(Plan { inverse, sides, dims, normalization })
}

impl Plan {
    /// Appends the transform of each dimension, with the real side at the last one.
    fn apply(&self, cx: &mut Lowering<'_>, signal: Signal) -> Signal {
        let complex = if self.inverse { Transform::Inverse } else { Transform::Forward };
        let (&(last, n), others) = match self.dims.split_last() {
            Some(split) => split,
            None => return signal,
        };
        let mut out = signal;
        if self.sides == Sides::RealToComplex {
            out = cx.b.fourier(out, Transform::RealForward, last, n);
        }
        for &(dim, n) in others {
            out = cx.b.fourier(out, complex, dim, n);
        }
        out = match self.sides {
            Sides::RealToComplex => out,
            Sides::ComplexToReal => cx.b.fourier(out, Transform::RealInverse, last, n),
            Sides::ComplexToComplex => cx.b.fourier(out, complex, last, n),
        };
        // The inverse transform of the program divides by the number of elements.
        let count: f64 = self.dims.iter().map(|&(_, n)| n as f64).product();
        let divisor = match self.normalization {
            Normalization::None => 1.0,
            Normalization::BySqrt => count.sqrt(),
            Normalization::ByCount => count,
        };
        let factor = if self.inverse { count / divisor } else { divisor.recip() };
        match factor == 1.0 {
            true => out,
            false => out.map(|part| cx.b.binary_scalar(BinaryOp::Mul, part, factor)),
        }
    }
}

/// Lowers the transforms of overlapping frames of real signals `[batch, length]`, to `[batch, frequency, frame]`.
pub fn short_time(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    if matches!(node.operand("self"), Operand::Complex(_)) || !node.result_type(0)?.is_complex {
        return unsupported("signals of complex numbers, or with results of real numbers");
    }
    if node.flag("align_to_window", false)? {
        return unsupported("frames that begin with a shorter window");
    }
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    let n = size(node.required_int("n_fft")?, "n_fft")?;
    let step = match node.optional_int("hop_length")? {
        Some(step) => size(step, "hop_length")?,
        None => n / 4,
    };
    let width = match node.optional_int("win_length")? {
        Some(width) => size(width, "win_length")?,
        None => n,
    };
    let (Some(&length), 1..=2) = (shape.last(), shape.rank()) else {
        return malformed(format!("has the signal {shape}"));
    };
    if step == 0 || n == 0 || n > length || width > n {
        return malformed(format!("has frames of {n} elements, {step} apart, of the signal {shape}"));
    }
    let axis = shape.rank() - 1;
    let frames = (length - n) / step + 1;
    if frames.checked_mul(n).is_none() {
        return Err(LoweringError::TooLarge(format!("{frames} frames of {n} elements")));
    }
    let framed = cx.b.overlapping_slices(x, axis, [frames, n], step);
    let dtype = node.result(0)?.dtype;
    let mut framed = cx.converted(framed, dtype);
    if let Some(window) = node.optional("window")? {
        let window = cx.converted(window, dtype);
        if cx.shape(window)[..] != [width] {
            return malformed(format!("has the window {} for {width} elements", cx.b.ty(window)));
        }
        // A shorter window is in the middle of the frame.
        let (low, missing) = ((n - width) / 2, n - width);
        let pad = Pad { low: vec![low as i64], high: vec![(missing - low) as i64], interior: Dims::new() };
        let zero = cx.b.scalar(dtype, Scalar::Int(0));
        let window = cx.op("window", pad, &[window, zero])?;
        let wide = cx.shape(framed);
        let window = cx.b.broadcast(window, &[axis + 1], wide);
        framed = cx.b.binary(BinaryOp::Mul, framed, window);
    }
    let one_sided = node.flag("onesided", true)?;
    let plan = Plan {
        inverse: false,
        sides: if one_sided { Sides::RealToComplex } else { Sides::ComplexToComplex },
        dims: vec![(axis + 1, n)],
        normalization: if node.flag("normalized", false)? { Normalization::BySqrt } else { Normalization::None },
    };
    let out = plan.apply(cx, Signal::of_real(framed)).map(|part| cx.b.swap_dims(part, axis, axis + 1));
    match out.imaginary {
        Some(imaginary) => single([out.real, imaginary]),
        None => malformed("has no imaginary part"),
    }
}
