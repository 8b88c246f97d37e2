//! `pad`: adds padding around and between the elements of the operand.

use crate::dtype::{Shape, Type};
use crate::numeric::kernel::on_same_storage;
use crate::numeric::strided::{self, View};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, OpKind, Operation, Padding, Windowed, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule, Window};
use crate::syntax::attr::Dims;
use crate::tensor::Tensor;
use smallvec::{SmallVec, smallvec};

op! {
    /// Adds padding around the operand and `interior` copies of it between elements. Operands: x, padding value
    /// (scalar). Negative padding crops.
    Pad = "pad" {
        /// Padding before the elements; empty if 0 in all dimensions.
        "low" low: Vec<i64>,
        /// Padding after the elements; empty if 0 in all dimensions.
        "high" high: Vec<i64>,
        /// Padding between adjacent elements; empty if 0 in all dimensions.
        "interior" interior: Dims,
    }
}

impl Pad {
    /// Returns the padding of a dimension as a window of one element.
    fn window(&self, dim: usize) -> Option<Window> {
        let at = |list: &[i64]| list.get(dim).copied().unwrap_or(0);
        let base = self.interior.get(dim).copied().unwrap_or(0).checked_add(1)?;
        Some(Window { low: at(&self.low), high: at(&self.high), base, ..Window::default() })
    }
}

impl Operation for Pad {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x, value] = check::exactly(args)?;
        if *value != (Type { shape: Shape::scalar(), dtype: x.dtype }) {
            return Err(format!("pads {x} with {}[], not with {value}", x.dtype));
        }
        for (what, len) in [("low", self.low.len()), ("high", self.high.len()), ("interior", self.interior.len())] {
            if len > 0 {
                check::per_dim(&format!("{what} number"), len, x)?;
            }
        }
        let mut shape = x.shape.clone();
        for (dim, size) in shape.iter_mut().enumerate() {
            *size = self.window(dim).and_then(|w| w.outputs(*size)).ok_or_else(|| {
                format!(
                    "dimension {dim} of {x} does not have the elements that the padding crops, or it becomes too large"
                )
            })?;
        }
        check::single_result(Type { shape, dtype: x.dtype })
    }

    fn class(&self) -> Class<'_> {
        Class::Movement
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let (mut arg, mut out) = (DimMap::new(), DimMap::new());
        for (dim, (&n, &padded)) in args[0].shape.iter().zip(outs[0].shape.iter()).enumerate() {
            let window = self.window(dim).unwrap_or_default();
            if window == Window::default() || n > 1 && padded > 1 {
                let kind =
                    if window == Window::default() { FactorKind::PassThrough } else { FactorKind::Window(window) };
                let factor = rule.dim(padded, kind);
                arg.push(factor.clone());
                out.push(factor);
            } else {
                arg.push(rule.dim(n, FactorKind::NeedReplication));
                out.push(rule.dim(padded, FactorKind::NeedReplication));
            }
        }
        rule.args = smallvec![arg, SmallVec::new()];
        rule.outs = smallvec![out];
        rule.linear_in([0, 1])
    }

    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { windowed: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x, value] = check::exactly(args)?;
        // The elements that are not cropped, and their positions: element i of a dimension is at low + i * base.
        let mut from = View::row_major(&x.ty.shape);
        let mut to = View::row_major(&outs[0].shape);
        for (dim, &n) in x.ty.shape.iter().enumerate() {
            let window = self.window(dim).unwrap_or_default();
            let (low, base) = (window.low as isize, window.base as isize);
            let end = outs[0].shape[dim] as isize;
            let first = if low < 0 { low.unsigned_abs().div_ceil(window.base) } else { 0 } as isize;
            let past_last = if end > low { (end - low - 1) / base + 1 } else { 0 }.min(n as isize);
            let copied = (past_last - first).max(0) as usize;
            (from.shape[dim], to.shape[dim]) = (copied, copied);
            if copied > 0 {
                from.offset += first * from.strides[dim];
                to.offset += (low + first * base) * to.strides[dim];
            }
            to.strides[dim] *= base;
        }
        let count = outs[0].shape.count();
        let data = on_same_storage!((&x.data, &value.data), (x, value) => {
            let mut out = vec![value[0]; count];
            strided::write(&mut out, &to, &strided::read(x, &from));
            out
        })?;
        Ok(vec![Tensor { ty: outs[0].clone(), data }])
    }
}

impl Windowed for Pad {
    /// The attributes contain no sizes. The exchanged operand includes its padding, except for holes.
    fn after_halo_exchange(&self, dim: usize, padding: (i64, i64)) -> OpKind {
        let mut op = self.clone();
        // Lists of zeros may be omitted.
        let rank = op.low.len().max(op.high.len()).max(op.interior.len());
        for (list, padding) in [(&mut op.low, padding.0), (&mut op.high, padding.1)] {
            list.resize(rank, 0);
            list[dim] = padding;
        }
        op.into()
    }

    fn padding(&self) -> Padding {
        Padding::Operand(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error, ints};

    fn pad(low: &[i64], high: &[i64], interior: &[usize]) -> Pad {
        Pad { low: low.into(), high: high.into(), interior: interior.into() }
    }

    #[test]
    fn surrounds_separates_and_crops() {
        let out = |low: i64, high: i64, interior: usize| -> Vec<i64> {
            let args = [ints(DType::I32, [3], &[1, 2, 3]), ints(DType::I32, [], &[9])];
            eval(pad(&[low], &[high], &[interior]), &args)[0].scalars().map(|x| x.to_i64()).collect()
        };
        assert_eq!(out(1, 2, 0), [9, 1, 2, 3, 9, 9]);
        assert_eq!(out(0, 1, 2), [1, 9, 9, 2, 9, 9, 3, 9]);
        assert_eq!(out(-1, -1, 2), [9, 9, 2, 9, 9]);
        assert_eq!(out(-2, 1, 0), [3, 9]);
        assert_eq!(out(-3, 2, 0), [9, 9]);
        assert_eq!(out(2, -4, 0), [9]);
        assert_eq!(out(-4, 5, 0), [9, 9, 9, 9]);
    }

    #[test]
    fn pads_every_dim() {
        let out = eval(pad(&[1, 0], &[0, 1], &[]), &[count_up(DType::F32, [2, 2]), ints(DType::F32, [], &[7])]);
        assert_eq!(out, [ints(DType::F32, [3, 3], &[7, 7, 7, 0, 1, 7, 2, 3, 7])]);
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, value) = (Type::new(DType::F32, [3]), Type::new(DType::F32, Shape::scalar()));
        assert_eq!(infer_error(pad(&[1], &[1], &[0]), &[&x, &x]), "pads f32[3] with f32[], not with f32[3]");
        assert_eq!(infer_error(pad(&[1, 1], &[], &[]), &[&x, &value]), "has 2 low numbers but f32[3] has 1 dimension");
        for (low, high, interior) in [(-2, -2, 0), (i64::MAX, i64::MAX, 0), (0, 0, usize::MAX), (0, 0, usize::MAX / 2)]
        {
            assert!(infer_error(pad(&[low], &[high], &[interior]), &[&x, &value]).contains("too large"));
        }
    }

    #[test]
    fn rules_hold() {
        let args = [count_up(DType::F64, [4, 3, 5]), ints(DType::F64, [], &[7])];
        assert_rule_holds(pad(&[0, 1, -1], &[0, 2, 3], &[0, 2, 0]), &args);
        assert_rule_holds(pad(&[], &[], &[]), &args);
    }
}
