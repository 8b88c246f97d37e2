//! Lowering of precision reductions to formats with fewer exponent and mantissa bits.

use super::Importer;
use crate::fault::{Fault, Result};
use crate::syntax::Op;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Bitcast, Compare, Convert, Direction, Select};
use partita_ir::program::Values;
use partita_ir::tensor::Scalar;

/// Numbers of exponent and mantissa bits.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Format {
    exponent: u32,
    mantissa: u32,
}

impl Format {
    /// Returns the format of a type and the unsigned integers of the same size. `None` for types that are not reduced.
    fn from_dtype(dtype: DType) -> Option<(Format, DType)> {
        let (exponent, mantissa, bits) = match dtype {
            DType::F64 => (11, 52, DType::U64),
            DType::F32 => (8, 23, DType::U32),
            DType::F16 => (5, 10, DType::U16),
            DType::BF16 => (8, 7, DType::U16),
            _ => return None,
        };
        Some((Format { exponent, mantissa }, bits))
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }
}

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers a precision reduction with XLA's definition: the mantissa is rounded to nearest even, numbers above the
    /// largest exponent become infinite, and those below the smallest one become zero of the same sign. NaN becomes
    /// infinity in a format without mantissa. The result has the type of the operand.
    ///
    /// `f32` is reduced to `bf16`, which has the same exponents, by conversions, which have a gradient.
    pub(super) fn reduce_precision(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let exponent = u32::try_from(op.size("exponent_bits")?).unwrap_or(u32::MAX);
        let mantissa = u32::try_from(op.size("mantissa_bits")?).unwrap_or(u32::MAX);
        let &[x] = args else { return Err(self.op_fault(op, "takes one operand")) };
        let ty = self.program.ty(x).clone();
        let Some((source, bits)) = Format::from_dtype(ty.dtype) else {
            let title = format!("`{}` of {} is not supported", op.code.name(), ty.dtype);
            return Err(Fault::unsupported(title, op.span()).help("convert the operand to f32 first"));
        };
        if exponent == 0 {
            return Err(self.op_fault(op, "needs at least one exponent bit"));
        }
        let to = Format { exponent: exponent.min(source.exponent), mantissa: mantissa.min(source.mantissa) };
        if to == source {
            return self.emit(op, Bitcast {}, &[x]);
        }
        if (ty.dtype, Some(to)) == (DType::F32, Format::from_dtype(DType::BF16).map(|(format, _)| format)) {
            let narrow = self.temp("narrow", Convert {}, &[x], Type { dtype: DType::BF16, ..ty });
            return self.emit(op, Convert {}, &[narrow]);
        }
        let mut pattern = self.temp("bits", Bitcast {}, &[x], Type { dtype: bits, ..ty.clone() });
        if to.mantissa < source.mantissa {
            pattern = self.rounded_mantissa(pattern, source.mantissa - to.mantissa);
        }
        if to.exponent < source.exponent {
            pattern = self.limited_exponent(pattern, source, to);
        }
        let reduced = self.temp("reduced", Bitcast {}, &[pattern], ty.clone());
        let differs = Compare { direction: Direction::Ne, total: false };
        let is_nan = self.temp("is_nan", differs, &[x, x], Type { dtype: DType::Bool, ..ty });
        let nan = if to.mantissa > 0 { x } else { self.number(f64::INFINITY, x) };
        self.emit(op, Select {}, &[is_nan, nan, reduced])
    }

    /// Rounds the bits of floats to a multiple of `2^dropped`, to nearest even.
    fn rounded_mantissa(&mut self, bits: ValueId, dropped: u32) -> ValueId {
        let [one, below_half, shift] =
            [1, (1 << (dropped - 1)) - 1, i64::from(dropped)].map(|n| self.filled_like(Scalar::Int(n), bits));
        let last = self.binary_of(BinaryOp::ShiftRightLogical, bits, shift);
        let last = self.binary_of(BinaryOp::And, last, one);
        let bias = self.binary_of(BinaryOp::Add, last, below_half);
        let rounded = self.binary_of(BinaryOp::Add, bits, bias);
        let rounded = self.binary_of(BinaryOp::ShiftRightLogical, rounded, shift);
        self.binary_of(BinaryOp::ShiftLeft, rounded, shift)
    }

    /// Replaces the bits of floats with exponents that `to` does not have: those of infinity or zero.
    fn limited_exponent(&mut self, bits: ValueId, source: Format, to: Format) -> ValueId {
        let infinity = ((1 << source.exponent) - 1) << source.mantissa;
        let magnitudes = infinity + ((1 << source.mantissa) - 1);
        let [least, most] = [source.bias() - to.bias(), source.bias() + to.bias()].map(|e| e << source.mantissa);
        let [infinity, magnitudes, least, most] =
            [infinity, magnitudes, least, most].map(|n| self.filled_like(Scalar::Int(n), bits));
        let exponent = self.binary_of(BinaryOp::And, bits, infinity);
        let magnitude = self.binary_of(BinaryOp::And, bits, magnitudes);
        let zero = self.binary_of(BinaryOp::Sub, bits, magnitude);
        let infinite = self.binary_of(BinaryOp::Or, zero, infinity);
        let ty = self.program.ty(bits).clone();
        let condition = Type { dtype: DType::Bool, ..ty.clone() };
        let [is_large, is_small] = [(Direction::Gt, most), (Direction::Le, least)].map(|(direction, limit)| {
            self.temp("exceeds", Compare { direction, total: false }, &[exponent, limit], condition.clone())
        });
        let bits = self.temp("bits", Select {}, &[is_large, infinite, bits], ty.clone());
        self.temp("bits", Select {}, &[is_small, zero, bits], ty)
    }
}
