//! `slice`: a strided slice with static bounds.

use crate::dtype::Type;
use crate::numeric::strided::{self, View};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, OpKind, Operation, Padding, Windowed, op};
use crate::program::ops::{Fill, check};
use crate::rule::{DimMap, FactorKind, Rule, Window};
use crate::syntax::attr::Dims;
use crate::tensor::Tensor;
use smallvec::{SmallVec, smallvec};

op! {
    /// A strided slice with static bounds: elements `start, start + stride, ... < limit` of each dimension.
    Slice = "slice" {
        /// First index of each dimension.
        "" start: Dims,
        /// End index of each dimension, exclusive.
        "to" limit: Dims,
        /// Stride of each dimension; empty if all are 1.
        "by" stride: Dims,
    }
}

impl Slice {
    fn stride(&self, dim: usize) -> usize {
        self.stride.get(dim).copied().unwrap_or(1)
    }

    /// Returns the number of elements of a dimension of the result.
    fn sliced_size(&self, dim: usize) -> usize {
        (self.limit[dim] - self.start[dim]).div_ceil(self.stride(dim))
    }

    /// Returns true if the slice covers a dimension of the given size.
    fn covers_dim(&self, dim: usize, size: usize) -> bool {
        (self.start[dim], self.limit[dim], self.stride(dim)) == (0, size, 1)
    }
}

impl Operation for Slice {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::per_dim("start", self.start.len(), x)?;
        check::per_dim("limit", self.limit.len(), x)?;
        if !self.stride.is_empty() {
            check::per_dim("stride", self.stride.len(), x)?;
        }
        let mut shape = x.shape.clone();
        for (dim, size) in shape.iter_mut().enumerate() {
            let (start, limit, stride) = (self.start[dim], self.limit[dim], self.stride(dim));
            if start > limit || limit > *size || stride == 0 {
                return Err(format!(
                    "cannot take {start} to {limit} by {stride} of the {size} elements of dimension {dim} of {x}"
                ));
            }
            *size = self.sliced_size(dim);
        }
        check::single_result(Type { shape, dtype: x.dtype })
    }

    fn class(&self) -> Class<'_> {
        Class::Movement
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let (mut arg, mut out) = (DimMap::new(), DimMap::new());
        for (dim, (&n, &taken)) in args[0].shape.iter().zip(outs[0].shape.iter()).enumerate() {
            if self.covers_dim(dim, n) {
                let factor = rule.dim(n, FactorKind::PassThrough);
                arg.push(factor.clone());
                out.push(factor);
            } else if taken < 2 {
                arg.push(rule.dim(n, FactorKind::NeedReplication));
                out.push(SmallVec::new());
            } else {
                let (start, stride) = (self.start[dim], self.stride(dim));
                let read = start + (taken - 1) * stride + 1;
                let window = Window { stride, low: -(start as i64), high: read as i64 - n as i64, ..Window::default() };
                let factor = rule.dim(taken, FactorKind::Window(window));
                arg.push(factor.clone());
                out.push(factor);
            }
        }
        rule.args = smallvec![arg];
        rule.outs = smallvec![out];
        rule.moving()
    }

    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    /// A covered dimension is covered in each shard; an exchanged dimension is read from its first element.
    fn to_local(&self, global_args: &[&Type], local_args: &[&Type], local_outs: &[&Type]) -> Self {
        let mut local = self.clone();
        for (dim, (&n, &taken)) in local_args[0].shape.iter().zip(local_outs[0].shape.iter()).enumerate() {
            if self.covers_dim(dim, global_args[0].shape[dim]) {
                local.limit[dim] = n;
            } else if taken < self.sliced_size(dim) {
                local.start[dim] = 0;
                local.limit[dim] = taken.saturating_sub(1) * self.stride(dim) + usize::from(taken > 0);
            }
        }
        local
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { windowed: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x] = check::exactly(args)?;
        let mut view = View::row_major(&x.ty.shape).subview(&self.start, &outs[0].shape);
        for (dim, stride) in view.strides.iter_mut().enumerate() {
            *stride *= self.stride(dim) as isize;
        }
        Ok(vec![Tensor { ty: outs[0].clone(), data: strided::read_data(&x.data, &view) }])
    }
}

impl Windowed for Slice {
    fn after_halo_exchange(&self, dim: usize, _: (i64, i64)) -> OpKind {
        let mut op = self.clone();
        op.limit[dim] -= op.start[dim];
        op.start[dim] = 0;
        op.into()
    }

    fn padding(&self) -> Padding {
        Padding::Fill(Fill::Zero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error, ints};

    fn slice(start: &[usize], limit: &[usize], stride: &[usize]) -> Slice {
        Slice { start: start.into(), limit: limit.into(), stride: stride.into() }
    }

    #[test]
    fn slices_with_strides() {
        let x = count_up(DType::I32, [4, 5]);
        let out = eval(slice(&[1, 0], &[3, 5], &[1, 3]), std::slice::from_ref(&x));
        assert_eq!(out, [ints(DType::I32, [2, 2], &[5, 8, 10, 13])]);
        assert_eq!(eval(slice(&[4, 0], &[4, 5], &[]), &[x])[0].scalars().count(), 0);
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::I32, [4]);
        let error = |start, limit, stride| infer_error(slice(&[start], &[limit], &[stride]), &[&x]);
        assert_eq!(error(2, 1, 1), "cannot take 2 to 1 by 1 of the 4 elements of dimension 0 of i32[4]");
        assert_eq!(error(0, 5, 1), "cannot take 0 to 5 by 1 of the 4 elements of dimension 0 of i32[4]");
        assert_eq!(error(0, 4, 0), "cannot take 0 to 4 by 0 of the 4 elements of dimension 0 of i32[4]");
        assert_eq!(infer_error(slice(&[], &[4], &[]), &[&x]), "has 0 starts but i32[4] has 1 dimension");
    }

    #[test]
    fn rules_hold() {
        let x = count_up(DType::F64, [4, 9, 6]);
        for stride in [1, 2, 3] {
            assert_rule_holds(slice(&[0, 2, 5], &[4, 8, 6], &[1, stride, 1]), std::slice::from_ref(&x));
        }
    }

    #[test]
    fn a_shard_after_halo_exchange_is_read_from_its_start() {
        let op = slice(&[3], &[8], &[2]).after_halo_exchange(0, (0, 0));
        let (global, local) = (Type::new(DType::F32, [9]), Type::new(DType::F32, [3]));
        assert_eq!(
            op.to_local(&[&global], &[&local], &[&Type::new(DType::F32, [2])]),
            OpKind::from(slice(&[0], &[3], &[2]))
        );
    }
}
