//! `shard`: slices this device's shard out of a value that is replicated along mesh axes.

use crate::dtype::Type;
use crate::layout::dim_shard;
use crate::mesh::Axes;
use crate::numeric::kernel::on_storage;
use crate::numeric::strided::{self, View};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::{Class, DeviceOp};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::syntax::attr::Dims;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// Slices this device's shard out of a value that is replicated along mesh axes, without communication. In forms
    /// with global types, the op is the identity and adds the axes to the layout of the dimension. Operand: x.
    Shard = "shard" {
        /// The dimension that becomes sharded.
        "dim" dim: usize,
        /// The mesh axes along which the dimension becomes sharded, major to minor.
        "over" axes: Axes,
    }
}

impl Operation for Shard {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::dim_exists(self.dim, x)?;
        let mut out = x.clone();
        out.shape[self.dim] = out.shape[self.dim].div_ceil(check::local_shard_count(program, &self.axes)?);
        check::single_result(out)
    }

    fn class(&self) -> Class<'_> {
        Class::Device(DeviceOp::Shard(self))
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

    /// Fills the padding of an uneven shard with zeros. Outside a local program, returns the operand.
    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x] = check::exactly(args)?;
        let Some(place) = &cx.device else { return Ok(vec![x.clone()]) };
        let n = x.ty.shape[self.dim];
        let shard = dim_shard(n, &self.axes, place.mesh, &place.coords);
        let mut shape = x.ty.shape.clone();
        shape[self.dim] = shard.len;
        let mut start: Dims = smallvec![0; shape.rank()];
        start[self.dim] = shard.start.min(n);
        let from = View::row_major(&x.ty.shape).subview(&start, &shape);
        let to = View { shape, ..View::row_major(&outs[0].shape) };
        let data = on_storage!(&x.data, x => {
            let mut out = vec![Default::default(); outs[0].shape.count()];
            strided::write(&mut out, &to, &strided::read(x, &from));
            out
        });
        Ok(vec![Tensor { ty: outs[0].clone(), data }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{axes, count_up, eval_at, ints};

    #[test]
    fn slices_the_shard_and_pads_it() {
        let x = count_up(DType::I32, [2, 5]);
        let axes: Axes = axes()[1..].iter().copied().collect();
        let at = |b| eval_at(Shard { dim: 1, axes: axes.clone() }, std::slice::from_ref(&x), &[0, b]);
        assert_eq!(at(0), ints(DType::I32, [2, 2], &[0, 1, 5, 6]));
        assert_eq!(at(2), ints(DType::I32, [2, 2], &[4, 0, 9, 0]));
    }

    #[test]
    fn an_empty_shard_is_all_padding() {
        assert_eq!(
            eval_at(Shard { dim: 0, axes: axes() }, &[ints(DType::F32, [1], &[7])], &[1, 2]),
            ints(DType::F32, [1], &[0])
        );
    }
}
