//! `random`: random numbers that depend only on a key and the global index of each element.

use crate::arena::ValueId;
use crate::dtype::{DType, ElementStorage, Shape, Type};
use crate::mesh::Axes;
use crate::numeric::counter_rng::threefry;
use crate::numeric::{kernel, special};
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, Positional, op};
use crate::program::ops::{BinaryOp, ShardStart, check};
use crate::program::{Program, Values};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::Dims;
use crate::tensor::{Data, Tensor};
use crate::word_attr;
use smallvec::{SmallVec, smallvec};

op! {
    /// Random numbers that depend only on a key and the global index of each element: neither on the mesh, nor on the
    /// order of evaluation, nor on interruptions of the training. Operand: a key `u32[2]`.
    Random = "random" {
        /// The distribution.
        "" dist: Distribution,
        /// Global shape if the op generates one device's shard, empty otherwise. The operands after the key are then
        /// the start indices of the shard, one integer scalar per dimension.
        "piece of" global: Dims,
    }
}

/// Distribution of random numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Distribution {
    /// Uniform floats in `[0, 1)`.
    #[default]
    Uniform,
    /// Standard normal floats.
    Normal,
    /// Uniformly random bits of integers.
    Bits,
}

impl Distribution {
    /// All distributions.
    pub const ALL: [Distribution; 3] = [Distribution::Uniform, Distribution::Normal, Distribution::Bits];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            Distribution::Uniform => "uniform",
            Distribution::Normal => "normal",
            Distribution::Bits => "bits",
        }
    }
}
word_attr!(Distribution, "a distribution (uniform, normal, bits)", Distribution::ALL);

impl Distribution {
    /// Converts 64 random bits to a number, before rounding to the element type. A uniform number uses as many of the
    /// upper bits as the precision of the element type, so that different element types agree to their precision; a
    /// normal number is the quantile of a uniform one.
    fn float(self, dtype: DType, bits: u64) -> f64 {
        let top = |n: i32| (bits >> (64 - n)) as f64;
        let scale = |n: i32| 2f64.powi(-n);
        let uniform = |n| top(n) * scale(n);
        match (self, dtype) {
            (Distribution::Normal, _) => special::normal_quantile((top(52) + 0.5) * scale(52)),
            (Distribution::Uniform | Distribution::Bits, DType::F32) => uniform(24),
            (Distribution::Uniform | Distribution::Bits, DType::F16) => uniform(11),
            (Distribution::Uniform | Distribution::Bits, DType::BF16) => uniform(8),
            (Distribution::Uniform | Distribution::Bits, DType::Mini(format)) => {
                uniform(format.mantissa_bits() as i32 + 1)
            }
            (Distribution::Uniform | Distribution::Bits, _) => uniform(53),
        }
    }
}

/// Returns the global row-major position of every element of a shard, in row-major order of the shard.
fn positions(shape: &Shape, global: &Shape, start: &[i64]) -> impl Iterator<Item = u64> {
    let strides = global.strides();
    let first =
        start.iter().zip(&strides).fold(0u64, |at, (&i, &s)| at.wrapping_add((i as u64).wrapping_mul(s as u64)));
    let sizes = shape.clone();
    (0..shape.count()).map(move |i| {
        let mut rest = i;
        let mut at = first;
        for (&n, &stride) in sizes.iter().zip(&strides).rev() {
            at = at.wrapping_add(((rest % n) as u64).wrapping_mul(stride as u64));
            rest /= n;
        }
        at
    })
}

impl Operation for Random {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [key, starts @ ..] = args else { return Err("takes a key".into()) };
        let ty = check::declared_one(declared)?;
        if **key != Type::new(DType::U32, [2]) {
            return Err(format!("takes a key u32[2], not {key}"));
        }
        if self.global.is_empty() {
            if !starts.is_empty() {
                return Err("takes start operands only if it generates a shard".into());
            }
        } else {
            check::per_dim("global size", self.global.len(), ty)?;
            check::per_dim("start operand", starts.len(), ty)?;
            starts.iter().try_for_each(|start| check::index_scalar("a start", start))?;
        }
        let fits = match self.dist {
            Distribution::Uniform | Distribution::Normal => ty.dtype.is_float(),
            Distribution::Bits => ty.dtype.is_int(),
        };
        if !fits {
            return Err(format!("cannot generate {} numbers of type {}", self.dist.name(), ty.dtype));
        }
        check::single_result(ty.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Random
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::elementwise(&outs[0].shape, args.len());
        rule.args = smallvec![DimMap::new(); args.len()];
        rule.args[0] = smallvec![rule.dim(2, FactorKind::NeedReplication)];
        rule
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        check::elements(outs)
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { positional: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [key, starts @ ..] = args else { return Err("takes a key".into()) };
        let ty = outs[0].clone();
        let key = match kernel::ints(key)? {
            &[a, b] => [a as u32, b as u32],
            _ => return Err("takes a key of two numbers".into()),
        };
        let start = starts.iter().map(|s| Ok(kernel::ints(s)?[0])).collect::<Result<SmallVec<[i64; 4]>, String>>()?;
        let global = if self.global.is_empty() { ty.shape.clone() } else { self.global.iter().copied().collect() };
        let bits = positions(&ty.shape, &global, &start).map(|at| {
            let [high, low] = threefry(key, [(at >> 32) as u32, at as u32]);
            u64::from(high) << 32 | u64::from(low)
        });
        let float = |bits| self.dist.float(ty.dtype, bits);
        let data = match ty.dtype.storage() {
            ElementStorage::F64 => Data::F64(bits.map(float).collect()),
            ElementStorage::F32 => Data::F32(bits.map(|b| float(b) as f32).collect()),
            ElementStorage::Int => Data::Int(bits.map(|b| b as i64).collect()),
        };
        Ok(vec![Tensor { ty, data }.wrapped()])
    }
}

impl Positional for Random {
    fn build_shard(
        &self,
        b: &mut Builder<'_>,
        args: &[ValueId],
        dims: &[(usize, Axes)],
        locals: &[&Type],
    ) -> Option<Values> {
        let &[local] = locals else { return None };
        let (&key, starts) = args.split_first()?;
        let mut operands = vec![key];
        for (dim, (size, axes)) in dims.iter().enumerate() {
            // An op that already generates a shard generates a shard of that shard.
            let ty = starts.get(dim).map_or(Type::new(DType::I64, []), |&v| b.ty(v));
            let start = b.op("start", ShardStart { size: *size, axes: axes.clone() }, &[], ty);
            operands.push(match starts.get(dim) {
                Some(&outer) => b.binary(BinaryOp::Add, outer, start),
                None => start,
            });
        }
        let all = || dims.iter().map(|dim| dim.0).collect();
        let global = if self.global.is_empty() { all() } else { self.global.clone() };
        Some(smallvec![b.op("random", Random { dist: self.dist, global }, &operands, local.clone())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_shards_match, eval_as, infer_error_as, ints};

    fn draw(dist: Distribution, ty: &Type) -> Tensor {
        eval_as(Random { dist, global: smallvec![] }, &[ints(DType::U32, [2], &[7, 9])], ty)
    }

    #[test]
    fn uniform_numbers_are_uniform() {
        let x = draw(Distribution::Uniform, &Type::new(DType::F64, [10_000]));
        let items: Vec<f64> = x.scalars().map(|x| x.to_f64()).collect();
        assert!(items.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = items.iter().sum::<f64>() / 1e4;
        let square = items.iter().map(|x| x * x).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.01 && (square - 1.0 / 3.0).abs() < 0.01, "{mean} {square}");
    }

    #[test]
    fn normal_numbers_are_normal() {
        let x = draw(Distribution::Normal, &Type::new(DType::F32, [100, 100]));
        let moment = |n: i32| x.scalars().map(|x| x.to_f64().powi(n)).sum::<f64>() / 1e4;
        assert!(moment(1).abs() < 0.03 && (moment(2) - 1.0).abs() < 0.03 && (moment(4) - 3.0).abs() < 0.3);
    }

    #[test]
    fn dtypes_agree_as_far_as_they_can() {
        for dist in [Distribution::Uniform, Distribution::Normal] {
            let wide = draw(dist, &Type::new(DType::F64, [50]));
            for (dtype, unit) in [(DType::F32, 1e-6), (DType::F16, 2e-3), (DType::BF16, 2e-2)] {
                for (a, b) in draw(dist, &Type::new(dtype, [50])).scalars().zip(wide.scalars()) {
                    assert!((a.to_f64() - b.to_f64()).abs() < unit, "{dtype}: {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn every_device_generates_its_shard() {
        let key = ints(DType::U32, [2], &[1, 2]);
        for (dist, dtype) in
            [(Distribution::Uniform, DType::F32), (Distribution::Normal, DType::F64), (Distribution::Bits, DType::U8)]
        {
            let op = Random { dist, global: smallvec![] };
            assert_shards_match(op, std::slice::from_ref(&key), &Type::new(dtype, [5, 7]));
        }
    }

    #[test]
    fn mismatches_are_errors() {
        let (key, ty) = (Type::new(DType::U32, [2]), Type::new(DType::F32, [2]));
        let op = |dist, global: &[usize]| Random { dist, global: global.into() };
        let error = |op, args: &[&Type]| infer_error_as(op, args, &ty);
        assert_eq!(error(op(Distribution::Uniform, &[]), &[&ty]), "takes a key u32[2], not f32[2]");
        assert_eq!(error(op(Distribution::Bits, &[]), &[&key]), "cannot generate bits numbers of type f32");
        assert_eq!(error(op(Distribution::Uniform, &[4]), &[&key]), "has 0 start operands but f32[2] has 1 dimension");
    }
}
