//! `top_k`: the `k` largest elements of the last dimension in descending order, and their indices.

use crate::arena::ValueId;
use crate::dtype::{DType, Type};
use crate::layout::divides;
use crate::mesh::{Axes, shard_count};
use crate::numeric::kernel::Real;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::Values;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{EvalResult, ExchangedDim, Exchanging, InferResult, Interfaces, Operation, op};
use crate::program::ops::{AllGather, BinaryOp, Bitcast, Direction, Fill, Select, check};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::{Data, Scalar, Tensor};
use smallvec::smallvec;
use std::cmp::Ordering;

op! {
    /// The `k` largest elements of the last dimension in descending order, and their indices (`i32`). The lowest index
    /// is first on a tie. Floats are in total order: NaN is the largest.
    TopK = "top_k" {
        /// Number of elements.
        "" k: usize,
    }
}

impl TopK {
    /// Returns the indices of the largest elements of each row of `n` elements.
    fn largest<T>(&self, x: &[T], n: usize, compare: impl Fn(&T, &T) -> Ordering) -> Vec<usize> {
        x.chunks_exact(n.max(1))
            .flat_map(|row| {
                let mut order: Vec<usize> = (0..n).collect();
                order.sort_by(|&a, &b| compare(&row[b], &row[a]));
                order.truncate(self.k);
                order
            })
            .collect()
    }
}

impl Operation for TopK {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        let mut shape = x.shape.clone();
        let Some(last) = shape.last_mut() else { return Err("needs a dimension to look along".into()) };
        if self.k > *last {
            return Err(format!("cannot take the {} largest of {last} elements", self.k));
        }
        *last = self.k;
        let values = check::single_result(Type { shape: shape.clone(), dtype: x.dtype })?;
        let indices = check::single_result(Type { shape, dtype: DType::I32 })?;
        Ok(values.into_iter().chain(indices).collect())
    }

    fn class(&self) -> Class<'_> {
        Class::Sorting
    }

    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let outer = args[0].shape.rank() - 1;
        let mut input: DimMap = args[0].shape[..outer].iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
        let mut output = input.clone();
        let size = args[0].shape[outer];
        // Without rows there is nothing to select.
        let selects = self.k > 0 && args[0].shape.count() > 0;
        input.push(if selects {
            rule.exchanged_dim(size, [size])
        } else {
            rule.dim(size, FactorKind::NeedReplication)
        });
        output.push(rule.dim(self.k, FactorKind::NeedReplication));
        rule.args = smallvec![input];
        rule.outs = smallvec![output.clone(), output];
        rule
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        args[0].shape.count() as u64
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { exchanging: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x] = check::exactly(args)?;
        let [values, indices] = check::exactly(outs)?;
        let n = x.shape().last().copied().unwrap_or(1);
        let order = match &x.data {
            Data::F64(v) => self.largest(v, n, |a, b| a.total(*b)),
            Data::F32(v) => self.largest(v, n, |a, b| a.total(*b)),
            Data::Int(v) if x.ty.dtype == DType::U64 => self.largest(v, n, |a, b| (*a as u64).cmp(&(*b as u64))),
            Data::Int(v) => self.largest(v, n, i64::cmp),
        };
        let places: Vec<usize> = order.iter().enumerate().map(|(i, &at)| i / self.k * n + at).collect();
        let data = crate::numeric::kernel::on_storage!(&x.data, v => places.iter().map(|&i| v[i]).collect());
        let order = order.into_iter().map(|at| at as i64).collect();
        Ok(vec![Tensor { ty: values.clone(), data }, Tensor::from_ints(indices.clone(), order)])
    }
}

impl Exchanging for TopK {
    /// Each device selects among the elements of its shard, and all devices select among the candidates of all. The
    /// candidates are in the order of their indices where they are equal, so that the lowest index is first.
    fn exchange(&self, b: &mut Builder<'_>, args: &[ValueId], dims: &[ExchangedDim]) -> Values {
        let [ExchangedDim { dim, axes, sizes }] = dims else { return Values::new() };
        let ty = b.program.values[args[0]].local_type();
        let shard = ty.shape[*dim];
        let x = if divides(sizes[0], axes) { args[0] } else { last_in_padding(b, args[0], *dim, axes, sizes[0]) };
        if self.k >= shard {
            // All elements are candidates, and the position of a candidate is its index.
            let all = gathered(b, x, *dim, axes);
            return self.select(b, all);
        }
        let own = self.select(b, x);
        let position = b.position(axes);
        let start = b.binary_scalar(BinaryOp::Mul, position, shard as f64);
        let start = b.broadcast(start, &[], b.ty(own[1]).shape);
        let indices = b.binary(BinaryOp::Add, own[1], start);
        let candidates = gathered(b, own[0], *dim, axes);
        let indices = gathered(b, indices, *dim, axes);
        let best = self.select(b, candidates);
        smallvec![best[0], b.take_along(indices, best[1], *dim)]
    }
}

impl TopK {
    /// Appends the op on `x`.
    fn select(&self, b: &mut Builder<'_>, x: ValueId) -> Values {
        let Type { mut shape, dtype } = b.program.values[x].local_type();
        let last = shape.rank() - 1;
        shape[last] = self.k;
        let types = [dtype, DType::I32].map(|dtype| Type { shape: shape.clone(), dtype });
        b.op_many("largest", self.clone(), &[x], &types)
    }
}

/// Appends the shards of all devices along a dimension.
fn gathered(b: &mut Builder<'_>, x: ValueId, dim: usize, axes: &Axes) -> ValueId {
    let mut ty = b.program.values[x].local_type();
    ty.shape[dim] *= shard_count(axes);
    b.op("gathered", AllGather { dim, axes: axes.clone() }, &[x], ty)
}

/// Overwrites the padding of a shard by the last number in total order, which is a NaN of negative sign for floats.
fn last_in_padding(b: &mut Builder<'_>, x: ValueId, dim: usize, axes: &Axes, size: usize) -> ValueId {
    let ty = b.program.values[x].local_type();
    let index = b.global_index(dim, axes, &ty.shape);
    let bound = b.splat_like(index, Scalar::Int(size as i64));
    let exists = b.compare(index, Direction::Lt, bound);
    let types = match ty.dtype {
        DType::F64 => Some((DType::I64, DType::F64)),
        DType::F32 | DType::F16 | DType::BF16 => Some((DType::I32, DType::F32)),
        _ => None,
    };
    let last = match types {
        Some((bits, float)) => {
            let ones = b.scalar(bits, Scalar::Int(-1));
            let mut last = b.op("last", Bitcast {}, &[ones], Type::new(float, []));
            if float != ty.dtype {
                last = b.convert(last, ty.dtype);
            }
            b.broadcast(last, &[], ty.shape.clone())
        }
        None => b.splat(ty.clone(), Fill::Lowest.scalar(ty.dtype)),
    };
    b.op("shard", Select {}, &[exists, x, last], ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, floats, infer_error, ints};

    #[test]
    fn finds_the_largest() {
        let x = ints(DType::I32, [2, 4], &[3, 1, 3, 2, -1, 5, 0, 7]);
        let want = [ints(DType::I32, [2, 2], &[3, 3, 7, 5]), ints(DType::I32, [2, 2], &[0, 2, 3, 1])];
        assert_eq!(eval(TopK { k: 2 }, &[x]), want);
        let x = floats(DType::F32, [3], &[1.0, f64::NAN, f64::INFINITY]);
        assert_eq!(eval(TopK { k: 3 }, &[x])[1], ints(DType::I32, [3], &[1, 2, 0]));
        let x = ints(DType::U64, [2], &[5, -1]);
        assert_eq!(eval(TopK { k: 1 }, &[x])[1], ints(DType::I32, [1], &[1]));
        assert_eq!(eval(TopK { k: 0 }, &[count_up(DType::F32, [2, 2])])[0], floats(DType::F32, [2, 0], &[]));
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::F32, [2, 3]);
        assert_eq!(infer_error(TopK { k: 4 }, &[&x]), "cannot take the 4 largest of 3 elements");
        assert_eq!(infer_error(TopK { k: 0 }, &[&Type::new(DType::F32, [])]), "needs a dimension to look along");
    }

    #[test]
    fn rules_hold() {
        let x = count_up(DType::F64, [4, 6]);
        let op = TopK { k: 2 };
        assert_eq!(
            op.rule(&[&x.ty], &[]).to_string(),
            "([a,b])->([a,c],[a,c]) {a=4,b=6,c=2} kinds={b:exchanged,c:need_replication}"
        );
        assert_rule_holds(op, &[x]);
    }
}
