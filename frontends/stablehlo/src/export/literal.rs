//! Formatting of literals as MLIR text.

use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::Literal;
use partita_ir::tensor::Scalar;
use std::fmt::Write;

/// Formats a literal with its type: `dense<[[1.0e0, 2.0e0]]> : tensor<1x2xf32>`.
pub fn dense(value: &Literal, ty: &Type) -> String {
    let mut text = String::from("dense<");
    match value {
        Literal::Splat(_) if ty.shape.count() == 0 => {}
        Literal::Splat(x) => element(*x, ty.dtype, &mut text),
        Literal::Dense(items) => nested(items, &ty.shape, ty.dtype, &mut text),
    }
    let _ = write!(text, "> : {}", super::tensor(ty));
    text
}

/// Appends elements in row-major order as nested lists, one level per dimension.
fn nested(items: &[Scalar], shape: &Shape, dtype: DType, text: &mut String) {
    let strides = shape.strides();
    // Number of nested lists that begin before an element, which is also the number that end before it.
    let starts = |i: usize| shape.iter().zip(&strides).filter(|(n, s)| i.is_multiple_of(*n * *s)).count();
    for (i, &x) in items.iter().enumerate() {
        let lists = starts(i);
        if i > 0 {
            text.extend(std::iter::repeat_n(']', lists));
            text.push_str(", ");
        }
        text.extend(std::iter::repeat_n('[', lists));
        element(x, dtype, text);
    }
    if !items.is_empty() {
        text.extend(std::iter::repeat_n(']', shape.rank()));
    }
}

/// Appends one element: `1.0e-5`, `-3`, `true`; hexadecimal bits for a float that is not finite.
pub fn element(x: Scalar, dtype: DType, text: &mut String) {
    let _ = match (dtype, x) {
        (DType::Bool, x) => write!(text, "{}", x.to_i64() != 0),
        (DType::U64, x) => write!(text, "{}", x.to_i64() as u64),
        (dtype, x) if !dtype.is_float() => write!(text, "{}", x.to_i64()),
        (dtype, x) if !x.to_f64().is_finite() => write!(text, "{}", bits(x.to_f64(), dtype)),
        (DType::F64, x) => write!(text, "{}", with_point(format!("{:e}", x.to_f64()))),
        // All narrower floats are exactly representable as f32.
        (_, x) => write!(text, "{}", with_point(format!("{:e}", x.to_f64() as f32))),
    };
}

/// Adds the decimal point that MLIR requires to a float in exponent notation.
fn with_point(number: String) -> String {
    match number.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => number,
    }
}

/// Formats the bits of a float as hexadecimal digits.
fn bits(x: f64, dtype: DType) -> String {
    match dtype {
        DType::F16 => format!("{:#06X}", half::f16::from_f64(x).to_bits()),
        DType::BF16 => format!("{:#06X}", half::bf16::from_f64(x).to_bits()),
        DType::F32 => format!("{:#010X}", (x as f32).to_bits()),
        DType::Mini(format) => format!("{:#04X}", format.encode(x as f32)),
        _ => format!("{:#018X}", x.to_bits()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let ints = |items: &[i64]| Literal::Dense(items.iter().map(|&x| Scalar::Int(x)).collect());
        let floats = |items: &[f64]| Literal::Dense(items.iter().map(|&x| Scalar::Float(x)).collect());
        let show = |value: &Literal, dtype, shape: &[usize]| dense(value, &Type::new(dtype, shape));
        assert_eq!(show(&ints(&[1, 2, 3, 4]), DType::I32, &[2, 2]), "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>");
        assert_eq!(show(&ints(&[0, 1]), DType::Bool, &[2, 1]), "dense<[[false], [true]]> : tensor<2x1xi1>");
        assert_eq!(show(&ints(&[-1]), DType::U64, &[1]), "dense<[18446744073709551615]> : tensor<1xui64>");
        assert_eq!(show(&floats(&[]), DType::F32, &[0, 4]), "dense<> : tensor<0x4xf32>");
        let numbers = floats(&[1.0, f64::from(1e-5f32), f64::NEG_INFINITY]);
        assert_eq!(show(&numbers, DType::F32, &[3]), "dense<[1.0e0, 1.0e-5, 0xFF800000]> : tensor<3xf32>");
        let half = Literal::Splat(Scalar::Float(f64::INFINITY));
        assert_eq!(show(&half, DType::BF16, &[]), "dense<0x7F80> : tensor<bf16>");
    }
}
