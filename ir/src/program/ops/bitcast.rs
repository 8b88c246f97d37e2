//! `bitcast`: reinterprets bits as another element type.

use crate::dtype::{DType, Shape, Type};
use crate::numeric::kernel;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::{Data, Tensor, wrap_int};
use smallvec::smallvec;

op! {
    /// Reinterprets bits as another element type. A conversion to a wider type combines the last dimension to one
    /// element, lowest bits first: `u32[3, 2]` becomes `u64[3]`, and vice versa.
    Bitcast = "bitcast" {}
}

/// Returns the bits of every element.
fn to_bits(x: &Tensor) -> Vec<u64> {
    match (&x.data, x.ty.dtype) {
        (Data::F64(v), _) => kernel::map(v, f64::to_bits),
        (Data::F32(v), DType::F16) => kernel::map(v, |x| u64::from(half::f16::from_f32(x).to_bits())),
        (Data::F32(v), DType::BF16) => kernel::map(v, |x| u64::from(half::bf16::from_f32(x).to_bits())),
        (Data::F32(v), DType::Mini(format)) => kernel::map(v, |x| u64::from(format.encode(x))),
        (Data::F32(v), _) => kernel::map(v, |x| u64::from(x.to_bits())),
        (Data::Int(v), dtype) => kernel::map(v, |x| kernel::raw_bits(dtype, x)),
    }
}

/// Converts bits to elements.
fn from_bits(dtype: DType, bits: &[u64]) -> Data {
    match dtype {
        DType::F64 => Data::F64(kernel::map(bits, f64::from_bits)),
        DType::F32 => Data::F32(kernel::map(bits, |b| f32::from_bits(b as u32))),
        DType::F16 => Data::F32(kernel::map(bits, |b| half::f16::from_bits(b as u16).to_f32())),
        DType::BF16 => Data::F32(kernel::map(bits, |b| half::bf16::from_bits(b as u16).to_f32())),
        DType::Mini(format) => Data::F32(kernel::map(bits, |b| format.decode(b as u8))),
        _ => Data::Int(kernel::map(bits, |b| wrap_int(dtype, b as i64))),
    }
}

impl Operation for Bitcast {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        let out = check::declared_one(declared)?;
        let (from, to) = (x.dtype.bits() as usize, out.dtype.bits() as usize);
        let want = if from == to {
            Some(x.shape.clone())
        } else if from > to {
            Some(x.shape.iter().copied().chain([from / to]).collect())
        } else {
            x.shape.split_last().filter(|(last, _)| **last == to / from).map(|(_, rest)| Shape::from(rest))
        };
        if want.as_ref() != Some(&out.shape) {
            return Err(format!("the bits of {x} are not those of {out}"));
        }
        check::single_result(out.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Elementwise
    }

    /// The dimension that is combined to wider elements cannot be sharded.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let rank = args[0].shape.rank().min(outs[0].shape.rank());
        let mut rule = Rule::default();
        let shared: DimMap = args[0].shape[..rank].iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
        let mut map = |ty: &Type| -> DimMap {
            let parts = ty.shape[rank..].iter().map(|&n| rule.dim(n, FactorKind::NeedReplication));
            shared.iter().cloned().chain(parts).collect()
        };
        let (arg, out) = (map(args[0]), map(outs[0]));
        rule.args = smallvec![arg];
        rule.outs = smallvec![out];
        rule
    }

    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x] = check::exactly(args)?;
        let bits = to_bits(x);
        let (from, to) = (u64::from(x.ty.dtype.bits()), u64::from(outs[0].dtype.bits()));
        let bits = if from > to {
            let part = |b: u64, i: u64| (b >> (to * i)) & (u64::MAX >> (64 - to));
            bits.iter().flat_map(|&b| (0..from / to).map(move |i| part(b, i))).collect()
        } else {
            let combine = |parts: &[u64]| {
                parts.iter().rev().fold(0, |sum, part| if from < 64 { sum << from | part } else { *part })
            };
            bits.chunks_exact((to / from) as usize).map(combine).collect::<Vec<_>>()
        };
        Ok(vec![Tensor { ty: outs[0].clone(), data: from_bits(outs[0].dtype, &bits) }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_rule_holds_as, count_up, eval_as, floats, infer_error_as, ints};

    #[test]
    fn bits_are_unchanged() {
        let one = floats(DType::F32, [1], &[1.0]);
        let bits = ints(DType::U32, [1], &[0x3f80_0000]);
        assert_eq!(eval_as(Bitcast {}, std::slice::from_ref(&one), &bits.ty), bits);
        assert_eq!(eval_as(Bitcast {}, &[bits], &one.ty), one);
        let minus = floats(DType::BF16, [1], &[-2.0]);
        assert_eq!(eval_as(Bitcast {}, &[minus], &Type::new(DType::F16, [1])).get(0).to_f64(), -2.0);
    }

    #[test]
    fn wide_elements_combine_parts_lowest_first() {
        let wide = ints(DType::U64, [1], &[2 << 32 | 1]);
        let parts = ints(DType::U32, [1, 2], &[1, 2]);
        assert_eq!(eval_as(Bitcast {}, std::slice::from_ref(&wide), &parts.ty), parts);
        assert_eq!(eval_as(Bitcast {}, &[parts], &wide.ty), wide);
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::U32, [3]);
        for out in [
            Type::new(DType::U64, []),
            Type::new(DType::U8, [3]),
            Type::new(DType::F32, [2]),
            Type::new(DType::Bool, [3, 4]),
        ] {
            assert_eq!(infer_error_as(Bitcast {}, &[&x], &out), format!("the bits of u32[3] are not those of {out}"));
        }
    }

    #[test]
    fn rules_hold() {
        assert_rule_holds_as(Bitcast {}, &[count_up(DType::I32, [4, 2])], &Type::new(DType::U32, [4, 2]));
        assert_rule_holds_as(Bitcast {}, &[count_up(DType::I32, [4, 2])], &Type::new(DType::U64, [4]));
        assert_rule_holds_as(Bitcast {}, &[count_up(DType::I64, [4])], &Type::new(DType::U8, [4, 8]));
    }
}
