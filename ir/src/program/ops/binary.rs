//! The family `binary`: elementwise functions of two operands.

use crate::arena::FuncId;
use crate::dtype::{DType, Type};
use crate::numeric::kernel::{self, Real};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, Syntax};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::syntax::attr::AttrNames;
use crate::syntax::{Attr, Cursor, lex};
use crate::tensor::{Data, Tensor};
use crate::word_attr;
use num_traits::Float;
use std::ops::{BitAnd, BitOr, BitXor};

/// An elementwise function of two operands.
#[derive(Clone, PartialEq, Debug)]
pub struct Binary {
    /// The function.
    pub op: BinaryOp,
}

/// Prints as the name of the function, such as `add`. The parser looks up function names before op names.
impl Syntax for Binary {
    const NAME: &'static str = "binary";
    fn write(&self, _: &mut String, _: &AttrNames<'_>) {}
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> lex::Result<Self> {
        Ok(Binary { op: BinaryOp::read(c, names)? })
    }
    fn printed_name(&self) -> &'static str {
        self.op.name()
    }
    fn text_name(&self) -> &'static str {
        self.op.name()
    }
    fn func(&self) -> Option<FuncId> {
        None
    }
    fn func_mut(&mut self) -> Option<&mut FuncId> {
        None
    }
}

/// Functions of the op family [`Binary`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    #[default]
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Max,
    Min,
    Atan2,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightLogical,
    NextAfter,
}

impl BinaryOp {
    /// All functions.
    pub const ALL: [BinaryOp; 16] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::Pow,
        BinaryOp::Max,
        BinaryOp::Min,
        BinaryOp::Atan2,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight,
        BinaryOp::ShiftRightLogical,
        BinaryOp::NextAfter,
    ];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Rem => "rem",
            BinaryOp::Pow => "pow",
            BinaryOp::Max => "max",
            BinaryOp::Min => "min",
            BinaryOp::Atan2 => "atan2",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
            BinaryOp::ShiftLeft => "shl",
            BinaryOp::ShiftRight => "shr",
            BinaryOp::ShiftRightLogical => "shr_logical",
            BinaryOp::NextAfter => "next_after",
        }
    }

    /// Returns the function with the given name in program text.
    pub fn from_name(name: &str) -> Option<BinaryOp> {
        BinaryOp::ALL.into_iter().find(|op| op.name() == name)
    }
}
word_attr!(BinaryOp, "an operation", BinaryOp::ALL);

impl BinaryOp {
    /// Returns true if the function is defined for an element type.
    pub fn supports(self, dtype: DType) -> bool {
        match self {
            BinaryOp::Add | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min => true,
            BinaryOp::Sub | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow => dtype != DType::Bool,
            BinaryOp::Atan2 => dtype.is_float(),
            BinaryOp::NextAfter => dtype.is_float(),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !dtype.is_float(),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => dtype.is_int(),
        }
    }

    /// Evaluates the function on floats narrower than `f32`, before rounding. Returns `None` for functions of integers
    /// only.
    fn eval_narrow(self, dtype: DType, x: &[f32], y: &[f32]) -> Option<Vec<f32>> {
        match self {
            BinaryOp::NextAfter => Some(kernel::zip(x, y, |a, b| kernel::next_narrow(dtype, a, b))),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow => {
                self.eval_floats(x, y)
            }
            BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 => self.eval_floats(x, y),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => None,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => None,
        }
    }

    /// Evaluates the function on floats. Returns `None` for functions of integers only.
    fn eval_floats<T: Real>(self, x: &[T], y: &[T]) -> Option<Vec<T>> {
        let zip = |f: fn(T, T) -> T| kernel::zip(x, y, f);
        Some(match self {
            BinaryOp::Add => kernel::zip(x, y, |a, b| a + b),
            BinaryOp::Sub => kernel::zip(x, y, |a, b| a - b),
            BinaryOp::Mul => kernel::zip(x, y, |a, b| a * b),
            BinaryOp::Div => kernel::zip(x, y, |a, b| a / b),
            BinaryOp::Max => kernel::zip(x, y, maximum),
            BinaryOp::Min => kernel::zip(x, y, minimum),
            BinaryOp::Rem => zip(|a, b| a % b),
            BinaryOp::Pow => zip(T::powf),
            BinaryOp::Atan2 => zip(T::atan2),
            BinaryOp::NextAfter => zip(T::next_towards),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => return None,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => return None,
        })
    }

    /// Evaluates the function on integers and `bool`, before wrapping. As in XLA, division by zero returns -1, and the
    /// remainder of a division by zero is the dividend. A shift by the width or more shifts out all bits. Returns
    /// `None` for functions of floats only.
    fn eval_ints(self, dtype: DType, x: &[i64], y: &[i64]) -> Option<Vec<i64>> {
        let zip = |f: fn(i64, i64) -> i64| kernel::zip(x, y, f);
        let unsigned = |f: fn(u64, u64) -> u64| kernel::zip(x, y, |a, b| f(a as u64, b as u64) as i64);
        let bits = i64::from(dtype.bits());
        let inside = |n: i64| (0..bits).contains(&n);
        let wide = dtype == DType::U64;
        Some(match self {
            BinaryOp::Add if dtype == DType::Bool => zip(i64::bitor),
            BinaryOp::Add => zip(i64::wrapping_add),
            BinaryOp::Sub => zip(i64::wrapping_sub),
            BinaryOp::Mul => zip(i64::wrapping_mul),
            BinaryOp::Div if wide => unsigned(|a, b| a.checked_div(b).unwrap_or(u64::MAX)),
            BinaryOp::Div => zip(|a, b| if b == 0 { -1 } else { a.wrapping_div(b) }),
            BinaryOp::Rem if wide => unsigned(|a, b| a.checked_rem(b).unwrap_or(a)),
            BinaryOp::Rem => zip(|a, b| if b == 0 { a } else { a.wrapping_rem(b) }),
            BinaryOp::Pow if dtype.is_unsigned() => zip(|a, b| power(a, b as u64)),
            BinaryOp::Pow => zip(signed_power),
            BinaryOp::Max if wide => unsigned(u64::max),
            BinaryOp::Max => zip(i64::max),
            BinaryOp::Min if wide => unsigned(u64::min),
            BinaryOp::Min => zip(i64::min),
            BinaryOp::And => zip(i64::bitand),
            BinaryOp::Or => zip(i64::bitor),
            BinaryOp::Xor => zip(i64::bitxor),
            BinaryOp::ShiftLeft => kernel::zip(x, y, |a, n| if inside(n) { a << n } else { 0 }),
            BinaryOp::ShiftRight if wide => {
                kernel::zip(x, y, |a, n| if inside(n) { (a as u64 >> n) as i64 } else { 0 })
            }
            BinaryOp::ShiftRight => kernel::zip(x, y, |a, n| if inside(n) { a >> n } else { a >> 63 }),
            BinaryOp::ShiftRightLogical => {
                kernel::zip(x, y, |a, n| if inside(n) { (kernel::raw_bits(dtype, a) >> n) as i64 } else { 0 })
            }
            BinaryOp::Atan2 | BinaryOp::NextAfter => return None,
        })
    }
}

/// Returns the larger number, where +0 is larger than -0; NaN if an operand is NaN (`maximum` of IEEE 754-2019).
#[inline(always)]
pub fn maximum<T: Float>(a: T, b: T) -> T {
    if a > b || a.is_nan() || a == b && a.is_sign_positive() { a } else { b }
}

/// Returns the smaller number, where -0 is smaller than +0; NaN if an operand is NaN (`minimum` of IEEE 754-2019).
#[inline(always)]
pub fn minimum<T: Float>(a: T, b: T) -> T {
    if a < b || a.is_nan() || a == b && a.is_sign_negative() { a } else { b }
}

/// Returns `base` to the power of `exponent`, wrapping, by repeated squaring.
fn power(mut base: i64, mut exponent: u64) -> i64 {
    let mut result = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

/// Same as [`power`] for signed exponents: for a negative exponent the truncated inverse, which is 0 unless the base is
/// 1 or -1.
fn signed_power(base: i64, exponent: i64) -> i64 {
    match (u64::try_from(exponent), base) {
        (Ok(n), _) => power(base, n),
        (Err(_), 1) => 1,
        (Err(_), -1) => power(-1, exponent.unsigned_abs()),
        (Err(_), _) => 0,
    }
}

impl Operation for Binary {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x, y] = check::exactly(args)?;
        check::same_type(x, y)?;
        if !self.op.supports(x.dtype) {
            return Err(format!("is not defined for {}", x.dtype));
        }
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Elementwise
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let rule = Rule::elementwise(&outs[0].shape, args.len());
        let dtype = outs[0].dtype;
        match self.op {
            _ if dtype == DType::Bool => rule,
            BinaryOp::Add | BinaryOp::Sub => rule.linear_in([0, 1]),
            BinaryOp::Mul => rule.linear_in([0]).linear_in([1]),
            // Integer division truncates.
            BinaryOp::Div if dtype.is_float() => rule.linear_in([0]),
            BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow | BinaryOp::Max | BinaryOp::Min => rule,
            BinaryOp::Atan2 | BinaryOp::NextAfter | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => rule,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => rule,
        }
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        check::elements(outs)
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x, y] = check::exactly(args)?;
        let dtype = x.ty.dtype;
        let narrow = dtype.is_float() && dtype.bits() < 32;
        let data = match (&x.data, &y.data) {
            (Data::F32(x), Data::F32(y)) if narrow => self.op.eval_narrow(dtype, x, y).map(Data::F32),
            (Data::F64(x), Data::F64(y)) => self.op.eval_floats(x, y).map(Data::F64),
            (Data::F32(x), Data::F32(y)) => self.op.eval_floats(x, y).map(Data::F32),
            (Data::Int(x), Data::Int(y)) => self.op.eval_ints(dtype, x, y).map(Data::Int),
            _ => return Err(kernel::MIXED_DTYPES_ERROR.into()),
        };
        let data = data.ok_or_else(|| format!("is not defined for {dtype}"))?;
        let ty = Type { shape: outs[0].shape.clone(), dtype };
        Ok(vec![Tensor { ty, data }.wrapped()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats, infer_error, ints};

    fn int(op: BinaryOp, dtype: DType, x: i64, y: i64) -> i64 {
        let outs = eval(Binary { op }, &[ints(dtype, [1], &[x]), ints(dtype, [1], &[y])]);
        outs[0].get(0).to_i64()
    }

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(int(BinaryOp::Add, DType::I8, 127, 1), -128);
        assert_eq!(int(BinaryOp::Sub, DType::U32, 0, 1), 0xffff_ffff);
        assert_eq!(int(BinaryOp::Mul, DType::I32, 1 << 20, 1 << 12), 0);
        assert_eq!(int(BinaryOp::Pow, DType::I64, -3, 3), -27);
        assert_eq!(int(BinaryOp::Pow, DType::I64, -1, -3), -1);
        assert_eq!(int(BinaryOp::Pow, DType::I64, 2, -1), 0);
    }

    #[test]
    fn division_by_zero_is_defined() {
        assert_eq!(int(BinaryOp::Div, DType::I32, 7, 0), -1);
        assert_eq!(int(BinaryOp::Rem, DType::I32, -7, 0), -7);
        assert_eq!(int(BinaryOp::Div, DType::I64, i64::MIN, -1), i64::MIN);
        assert_eq!(int(BinaryOp::Rem, DType::I64, i64::MIN, -1), 0);
        assert_eq!(int(BinaryOp::Rem, DType::I32, -7, 3), -1);
    }

    #[test]
    fn u64_is_unsigned() {
        assert_eq!(int(BinaryOp::Max, DType::U64, -1, 5), -1);
        assert_eq!(int(BinaryOp::Div, DType::U64, -1, 2), i64::MAX);
        assert_eq!(int(BinaryOp::ShiftRight, DType::U64, -1, 63), 1);
    }

    #[test]
    fn shifts_by_the_width_shift_everything_out() {
        assert_eq!(int(BinaryOp::ShiftLeft, DType::U32, 1, 31), 1 << 31);
        assert_eq!(int(BinaryOp::ShiftLeft, DType::U32, 1, 32), 0);
        assert_eq!(int(BinaryOp::ShiftRight, DType::I8, -128, 9), -1);
        assert_eq!(int(BinaryOp::ShiftRightLogical, DType::I8, -1, 4), 15);
        assert_eq!(int(BinaryOp::ShiftRightLogical, DType::I64, -1, -1), 0);
    }

    #[test]
    fn narrow_floats_are_rounded() {
        let x = floats(DType::BF16, [1], &[256.0]);
        let y = floats(DType::BF16, [1], &[1.0]);
        assert_eq!(eval(Binary { op: BinaryOp::Add }, &[x, y])[0].get(0).to_f64(), 256.0);
    }

    #[test]
    fn a_maximum_propagates_nan() {
        let x = floats(DType::F32, [2], &[f64::NAN, 1.0]);
        let y = floats(DType::F32, [2], &[1.0, f64::NAN]);
        for op in [BinaryOp::Max, BinaryOp::Min] {
            let out = eval(Binary { op }, &[x.clone(), y.clone()]).remove(0);
            assert!(out.scalars().all(|x| x.to_f64().is_nan()));
        }
    }

    #[test]
    fn extremes_distinguish_signed_zeros() {
        let x = floats(DType::F64, [4], &[0.0, -0.0, 0.0, -0.0]);
        let y = floats(DType::F64, [4], &[0.0, 0.0, -0.0, -0.0]);
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            let [x, y] = [&x, &y].map(|t| kernel::cast(t, dtype));
            let negative = |op| -> Vec<bool> {
                let out = eval(Binary { op }, &[x.clone(), y.clone()]).remove(0);
                out.scalars().map(|x| x.to_f64().is_sign_negative()).collect()
            };
            assert_eq!(negative(BinaryOp::Max), [false, false, false, true]);
            assert_eq!(negative(BinaryOp::Min), [false, true, true, true]);
        }
    }

    #[test]
    fn mismatches_are_errors() {
        let op = Binary { op: BinaryOp::Add };
        let (a, b) = (Type::new(DType::F32, [2]), Type::new(DType::F32, [3]));
        assert_eq!(infer_error(op.clone(), &[&a, &b]), "operands must have the same type, not f32[2] and f32[3]");
        assert_eq!(infer_error(op, &[&a]), "takes 2 operands, not 1");
        assert_eq!(infer_error(Binary { op: BinaryOp::And }, &[&a, &a]), "is not defined for f32");
    }

    #[test]
    fn rules_hold() {
        for op in BinaryOp::ALL {
            for dtype in [DType::F64, DType::I32, DType::Bool].into_iter().filter(|&d| op.supports(d)) {
                let x = ints(dtype, [4, 3], &[5, -3, 2, 7, 1, 4, -6, 8, 9, 3, 2, 11]);
                let y = ints(dtype, [4, 3], &[1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5]);
                assert_rule_holds(Binary { op }, &[x, y]);
            }
        }
    }
}
