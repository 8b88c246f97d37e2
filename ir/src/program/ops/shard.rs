//! `shard`: this device's piece of a value that is whole along axes. No communication.

use crate::dtype::Type;
use crate::layout::piece;
use crate::mesh::Axes;
use crate::numeric::kernel::on_storage;
use crate::numeric::strided::{self, View};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::{Class, DeviceOp};
use crate::program::op::{Evaluated, Inferred, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::syntax::attr::Dims;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// This device's piece of a value that is whole along axes. No communication.
    Shard = "shard" {
        /// The dimension that is cut.
        "dim" dim: usize,
        /// The axes.
        "over" axes: Axes,
    }
}

impl Operation for Shard {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> Inferred {
        let [x] = check::exactly(args)?;
        check::dim_of(self.dim, x)?;
        let mut out = x.clone();
        out.shape[self.dim] = out.shape[self.dim].div_ceil(check::local_ways(program, &self.axes)?);
        check::one(out)
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

    fn shrink(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    /// The padding of an uneven piece is zero.
    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> Evaluated {
        let [x] = check::exactly(args)?;
        let Some(place) = &cx.device else { return Ok(vec![x.clone()]) };
        let n = x.ty.shape[self.dim];
        let piece = piece(n, &self.axes, place.mesh, &place.coords);
        let mut shape = x.ty.shape.clone();
        shape[self.dim] = piece.len;
        let mut start: Dims = smallvec![0; shape.rank()];
        start[self.dim] = piece.start.min(n);
        let from = View::whole(&x.ty.shape).part(&start, &shape);
        let to = View { shape, ..View::whole(&outs[0].shape) };
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
    fn takes_the_piece_and_pads_it() {
        let x = count_up(DType::I32, [2, 5]);
        let axes: Axes = axes()[1..].iter().copied().collect();
        let at = |b| eval_at(Shard { dim: 1, axes: axes.clone() }, std::slice::from_ref(&x), &[0, b]);
        assert_eq!(at(0), ints(DType::I32, [2, 2], &[0, 1, 5, 6]));
        assert_eq!(at(2), ints(DType::I32, [2, 2], &[4, 0, 9, 0]));
    }

    #[test]
    fn an_empty_piece_is_all_padding() {
        assert_eq!(
            eval_at(Shard { dim: 0, axes: axes() }, &[ints(DType::F32, [1], &[7])], &[1, 2]),
            ints(DType::F32, [1], &[0])
        );
    }
}
