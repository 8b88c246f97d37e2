//! `reverse`: reverses the order of elements along dimensions.

use crate::arena::ValueId;
use crate::dtype::Type;
use crate::layout::local_size;
use crate::mesh::shard_count;
use crate::numeric::strided::{self, View};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::Values;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{EvalResult, ExchangedDim, Exchanging, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::Dims;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// Reverses the order of elements along dimensions.
    Reverse = "reverse" {
        /// The dimensions.
        "" dims: Dims,
    }
}

impl Operation for Reverse {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::distinct_dims(&self.dims, x)?;
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Movement
    }

    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let mut factors = |(d, &n)| {
            if self.dims.contains(&d) { rule.exchanged_dim(n, [n]) } else { rule.dim(n, FactorKind::PassThrough) }
        };
        let map: DimMap = args[0].shape.iter().enumerate().map(&mut factors).collect();
        rule.args = smallvec![map.clone()];
        rule.outs = smallvec![map];
        rule.moving()
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
        let [x] = check::exactly(args)?;
        let mut view = View::row_major(&x.ty.shape);
        for &d in &self.dims {
            view.offset += (x.ty.shape[d].saturating_sub(1)) as isize * view.strides[d];
            view.strides[d] = -view.strides[d];
        }
        Ok(vec![Tensor { ty: outs[0].clone(), data: strided::read_data(&x.data, &view) }])
    }
}

impl Exchanging for Reverse {
    /// The first device reads the last elements in reverse.
    fn exchange(&self, b: &mut Builder<'_>, args: &[ValueId], dims: &[ExchangedDim]) -> Values {
        let mut x = args[0];
        for ExchangedDim { dim, axes, sizes } in dims {
            let (devices, size) = (shard_count(axes), local_size(sizes[0], axes));
            let starts: Vec<i64> = (1..=devices).map(|past| sizes[0] as i64 - (past * size) as i64).collect();
            x = b.fetch_range(x, *dim, axes, &starts, size);
        }
        let ty = b.program.values[x].local_type();
        smallvec![b.op("reverse", self.clone(), &[x], ty)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error, ints};

    #[test]
    fn reverses() {
        let x = count_up(DType::I32, [2, 3]);
        let out = eval(Reverse { dims: smallvec![1] }, std::slice::from_ref(&x));
        assert_eq!(out, [ints(DType::I32, [2, 3], &[2, 1, 0, 5, 4, 3])]);
        assert_eq!(eval(Reverse { dims: smallvec![0, 1] }, &[x]), [ints(DType::I32, [2, 3], &[5, 4, 3, 2, 1, 0])]);
        assert_eq!(eval(Reverse { dims: smallvec![0] }, &[count_up(DType::I32, [0, 3])])[0].scalars().count(), 0);
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::I32, [2]);
        assert_eq!(infer_error(Reverse { dims: smallvec![1] }, &[&x]), "there is no dimension 1 in i32[2]");
    }

    #[test]
    fn rules_hold() {
        assert_rule_holds(Reverse { dims: smallvec![1] }, &[count_up(DType::F64, [4, 3, 2])]);
    }
}
