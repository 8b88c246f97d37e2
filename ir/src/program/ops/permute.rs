//! `permute`: collective permute along mesh axes. A device that receives nothing has zeros.

use crate::dtype::Type;
use crate::mesh::{Axes, shard_count};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::{Class, Collective};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::tensor::Tensor;

op! {
    /// Collective permute along mesh axes: each device sends its value to at most one device and receives from at most
    /// one device. A device that receives nothing has zeros.
    Permute = "permute" {
        /// The mesh axes.
        "over" axes: Axes,
        /// Pairs of source and target position along the axes.
        "" pairs: Vec<(u32, u32)>,
    }
}

impl Operation for Permute {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::valid_axes(program, &self.axes)?;
        let devices = shard_count(&self.axes);
        let (mut sends, mut gets) = (vec![false; devices], vec![false; devices]);
        for &(from, to) in &self.pairs {
            let (from, to) = (from as usize, to as usize);
            if from.max(to) >= devices {
                return Err(format!("{from}->{to} is not among the {devices} devices along its axes"));
            }
            if std::mem::replace(&mut sends[from], true) || std::mem::replace(&mut gets[to], true) {
                return Err(format!("{from}->{to}: a device sends to one other at most, and gets from one at most"));
            }
        }
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Collective(Collective::Permute(self))
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

    fn eval(&self, _: &EvalCx<'_>, _: &[&Tensor], _: &[&Type]) -> EvalResult {
        Err(check::collective_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{axes, local};

    #[test]
    fn each_device_sends_and_gets_once() {
        let x = Type::new(DType::F32, [2]);
        let infer = |pairs: &[(u32, u32)]| Permute { axes: axes(), pairs: pairs.into() }.infer(&local(), &[&x], &[]);
        assert_eq!(infer(&[(0, 1), (1, 2), (5, 5)]), check::single_result(x.clone()));
        assert_eq!(infer(&[(0, 6)]), Err("0->6 is not among the 6 devices along its axes".into()));
        for twice in [[(0, 1), (0, 2)], [(1, 0), (2, 0)]] {
            assert!(infer(&twice).unwrap_err().contains("one at most"));
        }
    }
}
