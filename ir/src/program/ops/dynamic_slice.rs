//! `dynamic_slice`: a slice of static size at a start index given at run time.

use crate::dtype::Type;
use crate::numeric::kernel;
use crate::numeric::strided::{self, View};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::Dims;
use crate::tensor::Tensor;
use smallvec::{SmallVec, smallvec};

op! {
    /// A slice of static size at a start index given at run time, clamped to the operand. Operands: x, then one scalar
    /// start index per dimension.
    DynamicSlice = "dynamic_slice" {
        /// Size of the slice.
        "" sizes: Dims,
    }
}

impl Operation for DynamicSlice {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x, starts @ ..] = args else { return Err("takes an operand and its start indices".into()) };
        check::per_dim("size", self.sizes.len(), x)?;
        check::per_dim("start index operand", starts.len(), x)?;
        for start in starts {
            check::index_scalar("a start index", start)?;
        }
        for (dim, (&n, &size)) in x.shape.iter().zip(&self.sizes).enumerate() {
            if size > n {
                return Err(format!("cannot take {size} of the {n} elements of dimension {dim} of {x}"));
            }
        }
        check::single_result(Type { shape: self.sizes.iter().copied().collect(), dtype: x.dtype })
    }

    fn class(&self) -> Class<'_> {
        Class::Indexing
    }

    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let (mut arg, mut out) = (DimMap::new(), DimMap::new());
        for (&n, &size) in args[0].shape.iter().zip(&self.sizes) {
            if n == size {
                let factor = rule.dim(n, FactorKind::PassThrough);
                arg.push(factor.clone());
                out.push(factor);
            } else {
                arg.push(rule.dim(n, FactorKind::NeedReplication));
                out.push(rule.dim(size, FactorKind::NeedReplication));
            }
        }
        rule.args = smallvec![arg];
        rule.args.resize(args.len(), DimMap::new());
        rule.outs = smallvec![out];
        rule.moving()
    }

    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], local_outs: &[&Type]) -> Self {
        DynamicSlice { sizes: local_outs[0].shape.iter().copied().collect() }
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x, starts @ ..] = args else { return Err("takes an operand and its start indices".into()) };
        let starts = clamped(starts, &x.ty.shape, &outs[0].shape)?;
        let view = View::row_major(&x.ty.shape).subview(&starts, &outs[0].shape);
        Ok(vec![Tensor { ty: outs[0].clone(), data: strided::read_data(&x.data, &view) }])
    }
}

/// Returns the start indices, clamped such that a slice of the given sizes is within the shape.
pub(crate) fn clamped(starts: &[&Tensor], shape: &[usize], sizes: &[usize]) -> Result<SmallVec<[usize; 4]>, String> {
    let one = |(start, (&n, &size)): (&&Tensor, (&usize, &usize))| {
        let room = n - size;
        // A large `u64` is negative in storage and is beyond the end.
        let at = match kernel::ints(start)?[0] {
            at if at < 0 && start.ty.dtype.is_unsigned() => room,
            at => usize::try_from(at).unwrap_or(0).min(room),
        };
        Ok(at)
    };
    starts.iter().zip(shape.iter().zip(sizes)).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error, ints};

    #[test]
    fn starts_are_clamped() {
        let take = |dtype, at| -> Vec<i64> {
            let args = [count_up(DType::F32, [5]), ints(dtype, [], &[at])];
            eval(DynamicSlice { sizes: smallvec![2] }, &args)[0].scalars().map(|x| x.to_i64()).collect()
        };
        assert_eq!(take(DType::I32, 1), [1, 2]);
        assert_eq!(take(DType::I32, -4), [0, 1]);
        assert_eq!(take(DType::I32, 4), [3, 4]);
        assert_eq!(take(DType::U64, -1), [3, 4]);
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, i) = (Type::new(DType::F32, [5]), Type::new(DType::I32, []));
        let op = |size| DynamicSlice { sizes: smallvec![size] };
        assert_eq!(infer_error(op(6), &[&x, &i]), "cannot take 6 of the 5 elements of dimension 0 of f32[5]");
        assert_eq!(infer_error(op(2), &[&x]), "has 0 start index operands but f32[5] has 1 dimension");
        assert_eq!(infer_error(op(2), &[&x, &x]), "a start index must be an integer scalar, not f32[5]");
    }

    #[test]
    fn rules_hold() {
        let args = [count_up(DType::F64, [4, 6]), ints(DType::I32, [], &[3]), ints(DType::I32, [], &[3])];
        assert_rule_holds(DynamicSlice { sizes: smallvec![4, 2] }, &args);
    }
}
