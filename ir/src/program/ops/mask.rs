//! `mask`: overwrites the padding of an unevenly sharded dimension with an identity element.

use crate::dtype::{DType, Type};
use crate::layout::{dim_shard, local_size};
use crate::mesh::Axes;
use crate::program::EvalCx;
use crate::program::class::{Class, DeviceOp};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::program::{Form, Program};
use crate::rule::Rule;
use crate::tensor::{Data, Scalar, Tensor};
use crate::word_attr;

op! {
    /// Overwrites the padding of an unevenly sharded dimension, so that the following ops do not depend on it.
    Mask = "mask" {
        /// The value that replaces padding.
        "" fill: Fill,
        /// The dimension.
        "dim" dim: usize,
        /// Global size of the dimension.
        "of" size: usize,
        /// The mesh axes that shard the dimension.
        "over" axes: Axes,
    }
}

/// An identity element, used to overwrite padding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Fill {
    /// 0, the identity of a sum and of `or`.
    #[default]
    Zero,
    /// 1, the identity of a product and of `and`.
    One,
    /// The smallest number, the identity of a maximum.
    Lowest,
    /// The largest number, the identity of a minimum.
    Highest,
}

impl Fill {
    /// All values.
    pub const ALL: [Fill; 4] = [Fill::Zero, Fill::One, Fill::Lowest, Fill::Highest];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            Fill::Zero => "zero",
            Fill::One => "one",
            Fill::Lowest => "lowest",
            Fill::Highest => "highest",
        }
    }
}

impl Fill {
    /// Returns the value as a number of an element type. The extremes are infinities for floats, and the smallest and
    /// largest number for integers.
    pub fn scalar(self, dtype: DType) -> Scalar {
        let float = dtype.is_float();
        match self {
            Fill::Zero if float => Scalar::Float(0.0),
            Fill::Zero => Scalar::Int(0),
            Fill::One if float => Scalar::Float(1.0),
            Fill::One => Scalar::Int(1),
            Fill::Lowest => lowest(dtype),
            Fill::Highest => highest(dtype),
        }
    }
}

/// Returns the smallest number of an element type.
fn lowest(dtype: DType) -> Scalar {
    match dtype {
        DType::Mini(format) => Scalar::Float(f64::from(format.range().0)),
        _ if dtype.is_float() => Scalar::Float(f64::NEG_INFINITY),
        _ => Scalar::Int(dtype.int_range().0),
    }
}

/// Returns the largest number of an element type; for `u64` as its bits.
fn highest(dtype: DType) -> Scalar {
    match dtype {
        DType::Mini(format) => Scalar::Float(f64::from(format.range().1)),
        _ if dtype.is_float() => Scalar::Float(f64::INFINITY),
        _ => Scalar::Int(dtype.int_range().1),
    }
}
word_attr!(Fill, "an identity (zero, one, lowest, highest)", Fill::ALL);

impl Operation for Mask {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::dim_exists(self.dim, x)?;
        check::valid_axes(program, &self.axes)?;
        let want = if program.form >= Form::Local { local_size(self.size, &self.axes) } else { self.size };
        if x.shape[self.dim] != want {
            return Err(format!("dimension {} of {x} must have {want} elements to be of {}", self.dim, self.size));
        }
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Device(DeviceOp::Mask(self))
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        Rule::elementwise(&outs[0].shape, args.len())
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

    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x] = check::exactly(args)?;
        let Some(place) = &cx.device else { return Ok(vec![x.clone()]) };
        let len = dim_shard(self.size, &self.axes, place.mesh, &place.coords).len;
        let inner = x.ty.shape.strides()[self.dim];
        let (valid, row) = (len * inner, x.ty.shape[self.dim] * inner);
        let fill = self.fill.scalar(x.ty.dtype);
        let data = match &x.data {
            Data::F64(v) => Data::F64(overwrite(v, valid, row, fill.to_f64())),
            Data::F32(v) => Data::F32(overwrite(v, valid, row, fill.to_f64() as f32)),
            Data::Int(v) => Data::Int(overwrite(v, valid, row, fill.to_i64())),
        };
        Ok(vec![Tensor { ty: outs[0].clone(), data }])
    }
}

/// Returns rows of `row` elements with the elements from `valid` on replaced.
fn overwrite<T: Copy>(x: &[T], valid: usize, row: usize, fill: T) -> Vec<T> {
    let mut out = x.to_vec();
    if row > 0 {
        out.chunks_mut(row).for_each(|row| row[valid..].fill(fill));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{axes, eval_at, ints, local};

    #[test]
    fn overwrites_padding_only() {
        let last: Axes = axes()[1..].iter().copied().collect();
        let mask = |fill| Mask { fill, dim: 1, size: 5, axes: last.clone() };
        for (dtype, fill, want) in [
            (DType::I32, Fill::Zero, Scalar::Int(0)),
            (DType::I8, Fill::Lowest, Scalar::Int(-128)),
            (DType::U64, Fill::Highest, Scalar::Int(-1)),
            (DType::F32, Fill::Lowest, Scalar::Float(f64::NEG_INFINITY)),
            (DType::F64, Fill::One, Scalar::Float(1.0)),
            (DType::Bool, Fill::Highest, Scalar::Int(1)),
        ] {
            let x = ints(dtype, [2, 2], &[1, 0, 0, 1]);
            let out = eval_at(mask(fill), std::slice::from_ref(&x), &[0, 2]);
            let items: Vec<Scalar> = out.scalars().collect();
            assert_eq!(items, [x.get(0), want, x.get(2), want], "{dtype} {fill:?}");
            assert_eq!(eval_at(mask(fill), std::slice::from_ref(&x), &[1, 1]), x);
        }
    }

    #[test]
    fn the_local_size_is_checked() {
        let op = Mask { fill: Fill::Zero, dim: 0, size: 13, axes: axes() };
        assert!(op.infer(&local(), &[&Type::new(DType::F32, [3])], &[]).is_ok());
        let error = op.infer(&local(), &[&Type::new(DType::F32, [4])], &[]).unwrap_err();
        assert_eq!(error, "dimension 0 of f32[4] must have 3 elements to be of 13");
    }
}
