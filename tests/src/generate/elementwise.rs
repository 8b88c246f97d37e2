//! Generator steps for data sources and elementwise operations.

use super::Step;
use super::pool::{GeneratedValue, Generator};
use partita_ir::dtype::{DType, Type};
use partita_ir::mini_float::MiniFloat;
use partita_ir::ops::{
    Binary, BinaryOp, Bitcast, Clamp, Compare, Constant, Convert, Direction, Distribution, Iota, Literal, Random,
    RngAlgorithm, RngBits, Select, Unary, UnaryOp,
};
use partita_ir::tensor::Scalar;

pub(super) const STEPS: &[(&str, Step)] = &[
    ("constant", constant),
    ("iota", iota),
    ("random", random),
    ("rng_bits", rng_bits),
    ("unary", unary),
    ("unary", unary),
    ("binary", binary),
    ("binary", binary),
    ("binary", binary),
    ("compare", compare),
    ("select", select),
    ("clamp", clamp),
    ("convert", convert),
    ("bitcast", bitcast),
];

fn constant(d: &mut Generator<'_>) -> Option<()> {
    let rank = d.tape.below(3);
    let ty = Type { shape: d.shape(rank), dtype: d.tape.pick(&[DType::F32, DType::I32])? };
    let number = |i: usize| {
        let n = (i * 7 % 5) as i64 - 2;
        if ty.dtype.is_float() { Scalar::Float(n as f64) } else { Scalar::Int(n) }
    };
    let items: Vec<Scalar> = (0..ty.shape.count()).map(number).collect();
    let value = if d.tape.one_in(3) { Literal::Splat(number(2)) } else { Literal::Dense(items.into()) };
    d.push(Constant { value }, &[], ty, 2.0, true)?;
    Some(())
}

fn iota(d: &mut Generator<'_>) -> Option<()> {
    let rank = 1 + d.tape.below(3);
    let ty = Type { shape: d.shape(rank), dtype: d.tape.pick(&[DType::I32, DType::F32, DType::U32])? };
    let dim = d.tape.below(rank);
    let bound = ty.shape[dim] as f64;
    d.push(Iota { dim }, &[], ty, bound, true)?;
    Some(())
}

fn random(d: &mut Generator<'_>) -> Option<()> {
    let key = d.ranged_input(Type::new(DType::U32, [2]), 0, 1000);
    let rank = d.tape.below(4);
    let shape = d.shape(rank);
    let dist = d.tape.pick(&Distribution::ALL)?;
    let dtype = if dist == Distribution::Bits { DType::U32 } else { DType::F32 };
    let bound = if dist == Distribution::Bits { f64::from(u32::MAX) } else { 8.0 };
    let op = Random { dist, global: Default::default() };
    d.push(op, &[&key], Type { shape, dtype }, bound, dist == Distribution::Bits)?;
    Some(())
}

fn rng_bits(d: &mut Generator<'_>) -> Option<()> {
    let state = d.ranged_input(Type::new(DType::U64, [2]), 0, 1000);
    let rank = d.tape.below(3);
    let bits = Type { shape: d.shape(rank), dtype: d.tape.pick(&[DType::U32, DType::U64])? };
    let algorithm = d.tape.pick(&RngAlgorithm::ALL)?;
    let outs = d.emit(RngBits { algorithm }, &[state.id], &[state.ty.clone(), bits.clone()]);
    d.record(GeneratedValue { id: outs[0], bound: f64::MAX, ..state });
    d.record(GeneratedValue { id: outs[1], ty: bits, bound: f64::MAX, integral: true });
    Some(())
}

/// Domain of a unary operation in generated programs.
enum Domain {
    /// Integral numbers, mapped to integral numbers.
    Whole,
    /// Integers, as bit patterns.
    Bits,
    /// Floats, mapped to booleans.
    Test,
    /// Numbers in a range in which the operation is well conditioned.
    Smooth(f64, f64),
}

fn domain(op: UnaryOp) -> Domain {
    match op {
        UnaryOp::Abs
        | UnaryOp::Neg
        | UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::RoundEven
        | UnaryOp::StopGradient
        | UnaryOp::Relu => Domain::Whole,
        UnaryOp::Not | UnaryOp::PopCount | UnaryOp::CountLeadingZeros => Domain::Bits,
        UnaryOp::IsFinite | UnaryOp::IsNan | UnaryOp::IsInf => Domain::Test,
        UnaryOp::Exp | UnaryOp::Expm1 | UnaryOp::Sinh | UnaryOp::Cosh => Domain::Smooth(-3.0, 3.0),
        UnaryOp::Log
        | UnaryOp::Log1p
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Cbrt
        | UnaryOp::Lgamma
        | UnaryOp::Digamma
        | UnaryOp::Reciprocal => Domain::Smooth(1.0, 8.0),
        UnaryOp::Acosh => Domain::Smooth(2.0, 8.0),
        UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Atanh | UnaryOp::ErfInv => Domain::Smooth(-0.5, 0.5),
        UnaryOp::Tan => Domain::Smooth(-1.0, 1.0),
        UnaryOp::Sin
        | UnaryOp::Cos
        | UnaryOp::Atan
        | UnaryOp::Tanh
        | UnaryOp::Asinh
        | UnaryOp::Sigmoid
        | UnaryOp::Erf
        | UnaryOp::Erfc => Domain::Smooth(-4.0, 4.0),
    }
}

fn unary(d: &mut Generator<'_>) -> Option<()> {
    let op = d.tape.pick(&UnaryOp::ALL)?;
    match domain(op) {
        Domain::Whole => {
            let x = d.find(|v| v.integral && op.supports(v.ty.dtype))?;
            if x.ty.dtype.is_unsigned() && op == UnaryOp::Neg {
                return None;
            }
            d.push(Unary { op }, &[&x], x.ty.clone(), x.bound, true)?;
        }
        Domain::Bits => {
            let truth = op == UnaryOp::Not;
            let x = d.find(|v| v.ty.dtype.is_int() || (truth && v.ty.dtype == DType::Bool))?;
            let bound = if truth { x.bound + 1.0 } else { 64.0 };
            d.push(Unary { op }, &[&x], x.ty.clone(), bound, true)?;
        }
        Domain::Test => {
            let x = d.float(0);
            let ty = Type { shape: x.ty.shape.clone(), dtype: DType::Bool };
            d.push(Unary { op }, &[&x], ty, 1.0, true)?;
        }
        Domain::Smooth(low, high) => {
            let x = d.float(0);
            let x = d.clamp(&x, low, high);
            d.push(Unary { op }, &[&x], x.ty.clone(), 50.0, false)?;
        }
    }
    Some(())
}

fn binary(d: &mut Generator<'_>) -> Option<()> {
    let op = d.tape.pick(&BinaryOp::ALL)?;
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min => {
            let x = d.number(0);
            let y = d.value_of_type(&x.ty);
            let bound = if op == BinaryOp::Mul { x.bound * y.bound } else { x.bound + y.bound };
            d.push(Binary { op }, &[&x, &y], x.ty.clone(), bound, x.integral && y.integral)?;
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
            let x = d.find(|v| !v.ty.dtype.is_float())?;
            let y = d.value_of_type(&x.ty);
            d.push(Binary { op }, &[&x, &y], x.ty.clone(), f64::MAX, true)?;
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {
            let x = d.find(|v| v.ty.dtype.is_int())?;
            let y = d.value_of_type(&x.ty);
            let y = d.clamp(&y, 0.0, 7.0);
            d.push(Binary { op }, &[&x, &y], x.ty.clone(), f64::MAX, true)?;
        }
        BinaryOp::Div | BinaryOp::Rem => {
            let x = if op == BinaryOp::Rem { d.integral(0) } else { d.number(0) };
            let y = d.value_of_type(&x.ty);
            let y = d.clamp(&y, 1.0, 8.0);
            if op == BinaryOp::Rem && !y.integral {
                return None;
            }
            let whole = x.ty.dtype.is_int() || op == BinaryOp::Rem;
            d.push(Binary { op }, &[&x, &y], x.ty.clone(), x.bound, whole)?;
        }
        BinaryOp::Pow | BinaryOp::Atan2 => {
            let x = d.float(0);
            let y = d.value_of_type(&x.ty);
            let (x, y) = (d.clamp(&x, 1.0, 3.0), d.clamp(&y, 1.0, 3.0));
            d.push(Binary { op }, &[&x, &y], x.ty.clone(), 27.0, false)?;
        }
        BinaryOp::NextAfter => {
            let x = d.find(|v| matches!(v.ty.dtype, DType::F32 | DType::F64) && v.integral)?;
            let y = d.value_of_type(&x.ty);
            d.push(Binary { op }, &[&x, &y], x.ty.clone(), x.bound + 1.0, false)?;
        }
    }
    Some(())
}

/// Returns a boolean value with the shape of `ty`.
fn truth(d: &mut Generator<'_>, ty: &Type) -> GeneratedValue {
    let want = Type { shape: ty.shape.clone(), dtype: DType::Bool };
    match d.find(|v| v.ty == want) {
        Some(val) => val,
        None => d.input(want, 1),
    }
}

fn compare(d: &mut Generator<'_>) -> Option<()> {
    let x = d.integral(0);
    let y = d.value_of_type(&x.ty);
    if !y.integral {
        return None;
    }
    // The total order is excluded: it orders -0 before 0, and the sign of a zero may depend on the order of a sum.
    let op = Compare { direction: d.tape.pick(&Direction::ALL)?, total: false };
    let ty = Type { shape: x.ty.shape.clone(), dtype: DType::Bool };
    d.push(op, &[&x, &y], ty, 1.0, true)?;
    Some(())
}

fn select(d: &mut Generator<'_>) -> Option<()> {
    let x = d.number(0);
    let y = d.value_of_type(&x.ty);
    let scalar = d.tape.one_in(4);
    let pred = if scalar { d.input(Type::new(DType::Bool, []), 1) } else { truth(d, &x.ty) };
    d.push(Select {}, &[&pred, &x, &y], x.ty.clone(), x.bound.max(y.bound), x.integral && y.integral)?;
    Some(())
}

fn clamp(d: &mut Generator<'_>) -> Option<()> {
    let x = d.number(0);
    let full = d.tape.one_in(2);
    let ty = if full { x.ty.clone() } else { Type::new(x.ty.dtype, []) };
    let (low, high) = (d.value_of_type(&ty), d.value_of_type(&ty));
    let bound = low.bound.max(high.bound).max(x.bound);
    d.push(Clamp {}, &[&low, &x, &high], x.ty.clone(), bound, low.integral && x.integral && high.integral)?;
    Some(())
}

fn convert(d: &mut Generator<'_>) -> Option<()> {
    let dtype = d.tape.pick(&DType::ALL)?;
    // Scales have neither signs nor a zero, which sums and clamps of other steps need.
    if dtype == DType::Mini(MiniFloat::E8M0Fnu) {
        return None;
    }
    let x = if dtype.is_float() { d.number(0) } else { d.find(|v| v.integral)? };
    let x = d.clamp_within(x, super::exact_integer_limit(dtype).min(100.0));
    if dtype == DType::Bool && !x.integral {
        return None;
    }
    let ty = Type { shape: x.ty.shape.clone(), dtype };
    d.push(Convert {}, &[&x], ty, x.bound, x.integral)?;
    Some(())
}

fn bitcast(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.ty.dtype.is_int())?;
    let dtype = match x.ty.dtype {
        DType::I32 => DType::U32,
        DType::U32 => DType::I32,
        DType::I64 => DType::U64,
        DType::U64 => DType::I64,
        DType::I16 => DType::U16,
        DType::U16 => DType::I16,
        DType::I8 => DType::U8,
        DType::U8 => DType::I8,
        DType::I4 => DType::U4,
        DType::U4 => DType::I4,
        DType::I2 => DType::U2,
        DType::U2 => DType::I2,
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Mini(_) | DType::Bool => return None,
    };
    let narrow = x.ty.dtype.bytes() == 4 && d.tape.one_in(3);
    let ty = if narrow {
        Type { shape: x.ty.shape.iter().copied().chain([4]).collect(), dtype: DType::U8 }
    } else {
        Type { shape: x.ty.shape.clone(), dtype }
    };
    d.push(Bitcast {}, &[&x], ty, f64::MAX, true)?;
    Some(())
}
