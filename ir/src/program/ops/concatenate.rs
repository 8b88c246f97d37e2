//! `concatenate`: concatenates operands along a dimension.

use crate::arena::ValueId;
use crate::dtype::Type;
use crate::layout::local_size;
use crate::mesh::shard_count;
use crate::numeric::kernel;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::Values;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{EvalResult, ExchangedDim, Exchanging, InferResult, Interfaces, Operation, op};
use crate::program::ops::{Direction, Reshape, Select, check};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::{Data, Scalar, Tensor};
use smallvec::smallvec;

op! {
    /// Concatenates operands along a dimension.
    Concatenate = "concatenate" {
        /// The dimension.
        "dim" dim: usize,
    }
}

impl Operation for Concatenate {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [first, others @ ..] = args else { return Err("takes at least 1 operand".into()) };
        check::dim_exists(self.dim, first)?;
        let mut ty = (*first).clone();
        for other in others {
            let fits = other.dtype == ty.dtype && other.shape.rank() == ty.shape.rank();
            let is_compatible = |d: usize| d == self.dim || other.shape[d] == ty.shape[d];
            if !fits || !(0..ty.shape.rank()).all(is_compatible) {
                return Err(format!("operands may differ in dimension {} only, unlike {first} and {other}", self.dim));
            }
            ty.shape[self.dim] = ty.shape[self.dim].saturating_add(other.shape[self.dim]);
        }
        check::single_result(ty)
    }

    fn class(&self) -> Class<'_> {
        Class::Movement
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let counts = || args.iter().map(|arg| arg.shape[self.dim]).filter(|&n| n > 1);
        let mut factors = |(d, &n)| {
            if d == self.dim { rule.exchanged_dim(n, counts()) } else { rule.dim(n, FactorKind::PassThrough) }
        };
        let out: DimMap = outs[0].shape.iter().enumerate().map(&mut factors).collect();
        for arg in args {
            let mut map = out.clone();
            if arg.shape[self.dim] < 2 {
                map[self.dim].clear();
            }
            rule.args.push(map);
        }
        rule.outs = smallvec![out];
        rule.linear_in(0..args.len())
    }

    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { exchanging: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let ty = outs[0].clone();
        let outer: usize = ty.shape[..self.dim].iter().product();
        let rows: Vec<usize> = args.iter().map(|x| x.ty.shape[self.dim..].iter().product()).collect();
        let mut out = Tensor::zeros(Type::new(ty.dtype, [0])).data;
        for o in 0..outer {
            for (x, &row) in args.iter().zip(&rows) {
                let at = o * row..(o + 1) * row;
                match (&mut out, &x.data) {
                    (Data::F64(out), Data::F64(x)) => out.extend_from_slice(&x[at]),
                    (Data::F32(out), Data::F32(x)) => out.extend_from_slice(&x[at]),
                    (Data::Int(out), Data::Int(x)) => out.extend_from_slice(&x[at]),
                    _ => return Err(kernel::MIXED_DTYPES_ERROR.into()),
                }
            }
        }
        Ok(vec![Tensor { ty, data: out }])
    }
}

impl Exchanging for Concatenate {
    /// Each device fetches what its shard of the result has of each operand.
    fn exchange(&self, b: &mut Builder<'_>, args: &[ValueId], dims: &[ExchangedDim]) -> Values {
        let [ExchangedDim { dim, axes, sizes }] = dims else { return Values::new() };
        let (devices, size) = (shard_count(axes), local_size(sizes.iter().sum(), axes));
        let mut shape = b.program.values[args[0]].local_type().shape;
        shape[*dim] = size;
        let ty = Type { shape, dtype: b.ty(args[0]).dtype };
        let index = b.global_index(*dim, axes, &ty.shape);
        let mut joined: Option<ValueId> = None;
        let mut end = 0;
        for (&x, &count) in args.iter().zip(sizes).filter(|(_, count)| **count > 0) {
            let starts: Vec<i64> = (0..devices).map(|device| (device * size) as i64 - end as i64).collect();
            let part = match count {
                1 => repeat(b, x, *dim, &ty),
                _ => b.fetch_range(x, *dim, axes, &starts, size),
            };
            joined = Some(match joined {
                None => part,
                Some(before) => {
                    let bound = b.splat_like(index, Scalar::Int(end as i64));
                    let is_before = b.compare(index, Direction::Lt, bound);
                    b.op("joined", Select {}, &[is_before, before, part], ty.clone())
                }
            });
            end += count;
        }
        joined.into_iter().collect()
    }
}

/// Appends copies of the only element along a dimension.
fn repeat(b: &mut Builder<'_>, x: ValueId, dim: usize, ty: &Type) -> ValueId {
    let mut shape = ty.shape.clone();
    shape.0.remove(dim);
    let x = b.op("only", Reshape {}, &[x], Type { shape, dtype: ty.dtype });
    let others: Vec<usize> = (0..ty.shape.rank()).filter(|d| *d != dim).collect();
    b.broadcast(x, &others, ty.shape.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error, ints};

    #[test]
    fn concatenates_operands() {
        let args = [count_up(DType::I32, [2, 1]), count_up(DType::I32, [2, 0]), count_up(DType::I32, [2, 2])];
        assert_eq!(eval(Concatenate { dim: 1 }, &args), [ints(DType::I32, [2, 3], &[0, 0, 1, 1, 2, 3])]);
        let args = [ints(DType::F32, [1], &[1]), ints(DType::F32, [2], &[2, 3])];
        assert_eq!(eval(Concatenate { dim: 0 }, &args), [ints(DType::F32, [3], &[1, 2, 3])]);
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, y) = (Type::new(DType::F32, [2, 3]), Type::new(DType::F32, [3, 3]));
        let error = "operands may differ in dimension 1 only, unlike f32[2, 3] and f32[3, 3]";
        assert_eq!(infer_error(Concatenate { dim: 1 }, &[&x, &y]), error);
        assert_eq!(infer_error(Concatenate { dim: 2 }, &[&x]), "there is no dimension 2 in f32[2, 3]");
        assert_eq!(infer_error(Concatenate { dim: 0 }, &[]), "takes at least 1 operand");
        let huge = Type::new(DType::F32, [usize::MAX]);
        assert!(infer_error(Concatenate { dim: 0 }, &[&huge, &huge]).contains("more elements than can be counted"));
    }

    #[test]
    fn rules_hold() {
        let args = [count_up(DType::F64, [4, 2]), count_up(DType::F64, [4, 6])];
        assert_rule_holds(Concatenate { dim: 1 }, &args);
    }
}
