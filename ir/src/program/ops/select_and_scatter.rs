//! `select_and_scatter`: the gradient of max (or min) pooling.

mod overlap;

use crate::dtype::{Shape, Type};
use crate::layout::Monoid;
use crate::numeric::kernel::map;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::reduce_window::window_outputs;
use crate::program::ops::{check, sliding};
use crate::rule::{DimMap, FactorKind, Rule, Window};
use crate::tensor::{Data, Tensor};
use smallvec::{SmallVec, smallvec};

op! {
    /// The gradient of max (or min) pooling: each source element is added to the position in its window that the
    /// pooling selected; the first position wins a tie. Operands: operand, source.
    SelectAndScatter = "select_and_scatter" {
        /// `max` or `min`: the selection of the pooling.
        "" monoid: Monoid,
        /// One window per dimension; undilated.
        "" windows: Vec<Window>,
    }
}

impl SelectAndScatter {
    /// Returns the element that each window selects, or `None` for a window that contains only padding.
    fn selected<T: Copy>(
        &self,
        x: &[T],
        from: &Shape,
        to: &Shape,
        is_selected: impl Fn(T, T) -> bool,
    ) -> Vec<Option<usize>> {
        let (strides, outputs) = (from.strides(), to.strides());
        let select = |at: usize| {
            let mut elements: SmallVec<[usize; 16]> = smallvec![0];
            for (d, window) in self.windows.iter().enumerate() {
                let reads = || sliding::reads(window, at / outputs[d] % to[d], from[d]);
                elements = elements
                    .iter()
                    .flat_map(|&base| reads().map(move |(_, e)| (base, e)))
                    .map(|(base, e)| base + e * strides[d])
                    .collect();
            }
            elements.into_iter().reduce(|best, e| if is_selected(x[best], x[e]) { best } else { e })
        };
        (0..to.count()).map(select).collect()
    }
}

/// Returns true if positions of windows and elements fit in 32 bits, with room for twice the size of the operand.
fn fits_index_type(window: &Window, size: usize) -> bool {
    let padding = u128::from(window.low.unsigned_abs()) + u128::from(window.high.unsigned_abs());
    let reach = window.size as u128 + window.stride as u128;
    2 * size as u128 + reach + padding < 1 << 31
}

impl Operation for SelectAndScatter {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x, source] = check::exactly(args)?;
        if !matches!(self.monoid, Monoid::Max | Monoid::Min) {
            return Err(format!("selects by max or min, not by {}", self.monoid.name()));
        }
        let windows = window_outputs(x, &self.windows)?;
        if self.windows.iter().any(|w| (w.dilation, w.base) != (1, 1)) {
            return Err("cannot have dilated windows".into());
        }
        if windows != *source {
            return Err(format!("the windows over {x} need a source of {windows}, not {source}"));
        }
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Reduction
    }

    /// `[x],[x] -> [x]`: windows overlap with several shards and are computed by each of their devices. One window that
    /// covers the operand cannot be sharded.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let (mut operand, mut source) = (DimMap::new(), DimMap::new());
        for ((window, &x), &y) in self.windows.iter().zip(args[0].shape.iter()).zip(args[1].shape.iter()) {
            let is_exchanged = window.size > 1 && y > 1 && y <= x && fits_index_type(window, x);
            if is_exchanged {
                let along = rule.exchanged_dim(x, [y]);
                operand.push(along.clone());
                source.push(along);
                continue;
            }
            let factors = sliding::factors(&mut rule, window, x, y, FactorKind::NeedReplication, false);
            operand.push(factors.input);
            source.push(factors.output);
        }
        rule.args = smallvec![operand.clone(), source];
        rule.outs = smallvec![operand];
        rule.linear_in([1])
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        self.windows.iter().fold(args[1].shape.count() as u64, |flops, w| flops.saturating_mul(w.size as u64))
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { exchanging: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x, source] = check::exactly(args)?;
        let ty = check::declared_one(outs)?.clone();
        let (from, to) = (x.shape(), source.shape());
        let floats = |x: &[f64]| match self.monoid {
            Monoid::Min => self.selected(x, from, to, |a, b| a <= b),
            _ => self.selected(x, from, to, |a, b| a >= b),
        };
        // The monoid returns the selected element.
        let ints = |x: &[i64]| self.selected(x, from, to, |a, b| self.monoid.combine_ints(ty.dtype, a, b) == a);
        let scatter = |selected: Vec<Option<usize>>, source: &[f64]| {
            let mut sums = vec![0.0; ty.shape.count()];
            selected.into_iter().zip(source).filter_map(|(at, x)| Some((at?, x))).for_each(|(at, x)| sums[at] += x);
            sums
        };
        let data = match (&x.data, &source.data) {
            (Data::F64(x), Data::F64(source)) => Data::F64(scatter(floats(x), source)),
            (Data::F32(x), Data::F32(source)) => {
                Data::F32(map(&scatter(floats(&map(x, f64::from)), &map(source, f64::from)), |x| x as f32))
            }
            (Data::Int(x), Data::Int(source)) => {
                let mut sums = vec![0i64; ty.shape.count()];
                for (at, &x) in ints(x).into_iter().zip(source) {
                    at.into_iter().for_each(|at| sums[at] = sums[at].wrapping_add(x));
                }
                Data::Int(sums)
            }
            _ => return Err(crate::numeric::kernel::MIXED_DTYPES_ERROR.into()),
        };
        Ok(vec![Tensor { ty, data }.wrapped()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, eval, infer_error, ints};

    fn gradient(monoid: Monoid, windows: &[Window]) -> SelectAndScatter {
        SelectAndScatter { monoid, windows: windows.to_vec() }
    }

    fn window(size: usize, stride: usize) -> Window {
        Window { size, stride, ..Window::default() }
    }

    #[test]
    fn gradients_go_to_the_selected_elements() {
        for dtype in [DType::F64, DType::BF16, DType::I32] {
            let x = ints(dtype, [6], &[1, 3, 2, 2, 0, 5]);
            let source = ints(dtype, [3], &[10, 20, 30]);
            let out = |op: SelectAndScatter, source: &Tensor| eval(op, &[x.clone(), source.clone()]).remove(0);
            assert_eq!(out(gradient(Monoid::Max, &[window(2, 2)]), &source), ints(dtype, [6], &[0, 10, 20, 0, 0, 30]));
            assert_eq!(out(gradient(Monoid::Min, &[window(2, 2)]), &source), ints(dtype, [6], &[10, 0, 20, 0, 30, 0]));
            // Windows [0, 3), [1, 4), [2, 5), [3, 6): the 3 is selected twice, and the first 2 before the second.
            let source = ints(dtype, [4], &[1, 2, 4, 8]);
            assert_eq!(out(gradient(Monoid::Max, &[window(3, 1)]), &source), ints(dtype, [6], &[0, 3, 4, 0, 0, 8]));
            // Padding is never selected.
            let padded = Window { low: 2, ..window(2, 4) };
            let source = ints(dtype, [2], &[1, 2]);
            assert_eq!(out(gradient(Monoid::Max, &[padded]), &source), ints(dtype, [6], &[0, 0, 2, 0, 0, 0]));
        }
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, y) = (Type::new(DType::F32, [6]), Type::new(DType::F32, [2]));
        assert_eq!(
            infer_error(gradient(Monoid::Max, &[window(2, 2)]), &[&x, &y]),
            "the windows over f32[6] need a source of f32[3], not f32[2]"
        );
        assert_eq!(infer_error(gradient(Monoid::Sum, &[window(3, 3)]), &[&x, &y]), "selects by max or min, not by sum");
        let dilated = Window { dilation: 2, ..window(2, 3) };
        assert_eq!(infer_error(gradient(Monoid::Max, &[dilated]), &[&x, &y]), "cannot have dilated windows");
    }

    #[test]
    fn rules_hold() {
        let op = gradient(Monoid::Max, &[window(1, 1), window(2, 2)]);
        let x = ints(DType::F64, [2, 4], &[1, 5, 2, 8, 3, -1, 7, 0]);
        let source = ints(DType::F64, [2, 2], &[1, 2, 3, 4]);
        let rule = op.rule(&[&x.ty, &source.ty], &[&x.ty]);
        assert_eq!(rule.to_string(), "([a,b],[a,b])->([a,b]) {a=2,b=4} kinds={b:exchanged} linear=[{1}]");
        assert_rule_holds(op, &[x.clone(), source]);
        let overlapping = gradient(Monoid::Min, &[window(1, 1), window(2, 1)]);
        assert_rule_holds(overlapping, &[x, ints(DType::F64, [2, 3], &[1, 2, 3, 4, 5, 6])]);
    }
}
