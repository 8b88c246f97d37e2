//! `reduce_window`: combines the elements of a sliding window (pooling, cumulative sums).

use crate::dtype::Type;
use crate::layout::Monoid;
use crate::numeric::kernel::map;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, OpKind, Operation, Padding, Windowed, op};
use crate::program::ops::{check, sliding};
use crate::rule::{DimMap, FactorKind, Rule, Window};
use crate::tensor::{Data, Tensor};
use smallvec::smallvec;

op! {
    /// Combines the elements of a sliding window (pooling, cumulative sums). Padding is the monoid's identity. Floats
    /// are combined in `f64`.
    ReduceWindow = "reduce_window" {
        /// The monoid that combines elements.
        "" monoid: Monoid,
        /// One window per dimension.
        "" windows: Vec<Window>,
    }
}

impl ReduceWindow {
    /// Returns `Some(false)` for a scan along a dimension (inclusive, such as a cumulative sum), `Some(true)` for a
    /// reversed one, which combines the elements from each position to the end, and `None` otherwise.
    pub fn scan_direction(&self, dim: usize, size: usize) -> Option<bool> {
        let all = Window { size, ..Window::default() };
        let around = i64::try_from(size.checked_sub(1).filter(|&n| n > 0)?).ok()?;
        match *self.windows.get(dim)? {
            w if w == (Window { low: around, ..all }) => Some(false),
            w if w == (Window { high: around, ..all }) => Some(true),
            _ => None,
        }
    }
}

/// Returns the type of the outputs of one window per dimension.
pub(crate) fn window_outputs(ty: &Type, windows: &[Window]) -> Result<Type, String> {
    check::per_dim("window", windows.len(), ty)?;
    let outputs = windows.iter().zip(ty.shape.iter()).map(|(w, &n)| sliding::outputs(w, n));
    Ok(Type { shape: outputs.collect::<Result<_, _>>()?, dtype: ty.dtype })
}

impl Operation for ReduceWindow {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::monoid_supports(self.monoid, x.dtype)?;
        check::single_result(window_outputs(x, &self.windows)?)
    }

    fn class(&self) -> Class<'_> {
        Class::Reduction
    }

    /// `[y] -> [y]` for a sliding window, which may need a halo; `[k] -> []` if one window covers the input, which is
    /// then a reduction. A scan must be decomposed to be sharded (`split-scans`). Several windows that each
    /// cover the whole input cannot be sharded.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let (mut input, mut output) = (DimMap::new(), DimMap::new());
        let inner = self.monoid.factor_kind(args[0].dtype);
        let slides = inner != FactorKind::NeedReplication;
        for (dim, (window, (&x, &y))) in
            self.windows.iter().zip(args[0].shape.iter().zip(outs[0].shape.iter())).enumerate()
        {
            if self.scan_direction(dim, x).is_some() {
                let along = rule.dim(x, FactorKind::Inner);
                input.push(along.clone());
                output.push(along);
                continue;
            }
            let factors = sliding::factors(&mut rule, window, x, y, inner, slides);
            input.push(factors.input);
            output.push(factors.output);
        }
        rule.args = smallvec![input];
        rule.outs = smallvec![output];
        if self.monoid == Monoid::Sum { rule.linear_in([0]) } else { rule }
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        self.windows.iter().fold(outs[0].shape.count() as u64, |flops, w| flops.saturating_mul(w.size as u64))
    }

    fn to_local(&self, global_args: &[&Type], local_args: &[&Type], local_outs: &[&Type]) -> Self {
        let mut op = self.clone();
        let ([global], [local], [out]) = (global_args, local_args, local_outs) else { return op };
        for (d, window) in op.windows.iter_mut().enumerate() {
            let tiles = global.shape[d].checked_div(window.size).unwrap_or(0);
            if sliding::tiles(window, global.shape[d], tiles) {
                let size = local.shape[d].checked_div(out.shape[d]).unwrap_or(window.size);
                window.stride = if window.stride == window.size { size } else { window.stride };
                window.size = size;
            }
        }
        op
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { windowed: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x] = check::exactly(args)?;
        let ty = check::declared_one(outs)?.clone();
        let (monoid, dtype) = (self.monoid, ty.dtype);
        let identity = monoid.identity(dtype);
        let floats = |v: Vec<f64>| self.slide(v, &x.ty, &ty, identity.to_f64(), |a, b| monoid.combine_floats(a, b));
        let data = match &x.data {
            Data::F64(v) => Data::F64(floats(v.clone())),
            Data::F32(v) => Data::F32(map(&floats(map(v, f64::from)), |x| x as f32)),
            Data::Int(v) => {
                Data::Int(self.slide(v.clone(), &x.ty, &ty, identity.to_i64(), |a, b| monoid.combine_ints(dtype, a, b)))
            }
        };
        Ok(vec![Tensor { ty, data }.wrapped()])
    }
}

impl Windowed for ReduceWindow {
    fn after_halo_exchange(&self, dim: usize, padding: (i64, i64)) -> OpKind {
        let mut op = self.clone();
        (op.windows[dim].low, op.windows[dim].high) = padding;
        op.into()
    }

    fn padding(&self) -> Padding {
        Padding::Fill(self.monoid.fill())
    }
}

impl ReduceWindow {
    /// Combines one dimension after the other. Dimensions that shrink are first, so that no intermediate result is
    /// larger than both operand and result.
    fn slide<T: Copy>(&self, x: Vec<T>, from: &Type, to: &Type, identity: T, combine: impl Fn(T, T) -> T) -> Vec<T> {
        let mut shape = from.shape.clone();
        let mut x = x;
        let (shrink, grow): (Vec<usize>, Vec<usize>) = (0..shape.rank()).partition(|&d| to.shape[d] <= shape[d]);
        for d in shrink.into_iter().chain(grow).filter(|&d| self.windows[d] != Window::default()) {
            let outer: usize = shape[..d].iter().product();
            let inner: usize = shape[d + 1..].iter().product();
            let line = Line { window: self.windows[d], input: shape[d], output: to.shape[d], inner };
            shape[d] = to.shape[d];
            if shape.count() == 0 {
                // Padding in a later dimension may still add elements.
                x.clear();
                continue;
            }
            x = (0..outer).flat_map(|o| line.combine(&x[o * line.input * inner..], identity, &combine)).collect();
        }
        x
    }
}

/// Windows along one dimension, applied elementwise to rows of `inner` elements.
struct Line {
    window: Window,
    input: usize,
    output: usize,
    inner: usize,
}

impl Line {
    fn combine<T: Copy>(&self, x: &[T], identity: T, combine: &impl Fn(T, T) -> T) -> Vec<T> {
        let mut out = vec![identity; self.output * self.inner];
        let add = |sum: &mut [T], element: usize| {
            let row = &x[element * self.inner..][..self.inner];
            sum.iter_mut().zip(row).for_each(|(sum, &x)| *sum = combine(*sum, x));
        };
        let Some(from_end) = self.running_direction() else {
            for (o, sum) in out.chunks_exact_mut(self.inner).enumerate() {
                sliding::reads(&self.window, o, self.input).for_each(|(_, element)| add(sum, element));
            }
            return out;
        };
        // Each window contains the previous one, so that a running total suffices.
        let mut running = vec![identity; self.inner];
        let mut done = 0;
        for step in 0..self.output {
            let o = if from_end { self.output - 1 - step } else { step };
            let count = self.reach(o, from_end);
            for element in done..count {
                add(&mut running, if from_end { self.input - 1 - element } else { element });
            }
            done = done.max(count);
            out[o * self.inner..][..self.inner].copy_from_slice(&running);
        }
        out
    }

    /// Returns the number of elements between the start of the input (or the end, if `from_end`) and the far end of
    /// window `o`.
    fn reach(&self, o: usize, from_end: bool) -> usize {
        let start = (o * self.window.stride) as i128 - i128::from(self.window.low);
        let end = start + self.window.size as i128;
        let count = if from_end { self.input as i128 - start } else { end };
        count.clamp(0, self.input as i128) as usize
    }

    /// Returns `Some(false)` if all windows begin at or before the first element, `Some(true)` if all end at or after
    /// the last one, and `None` otherwise.
    fn running_direction(&self) -> Option<bool> {
        let last = self.output.checked_sub(1)?;
        let solid = (self.window.dilation, self.window.base) == (1, 1);
        let begin = self.reach(last, true) == self.input;
        let end = self.reach(0, false) == self.input;
        (solid && (begin || end)).then_some(!begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, floats, infer_error, ints};
    use proptest::prelude::*;

    fn window(size: usize) -> Window {
        Window { size, ..Window::default() }
    }

    fn pool(monoid: Monoid, windows: &[Window]) -> ReduceWindow {
        ReduceWindow { monoid, windows: windows.to_vec() }
    }

    #[test]
    fn pools() {
        let x = ints(DType::F32, [2, 4], &[1, 5, 2, 8, 3, -1, 7, 0]);
        let two = Window { stride: 2, ..window(2) };
        let out = eval(pool(Monoid::Max, &[two, two]), std::slice::from_ref(&x));
        assert_eq!(out, [ints(DType::F32, [1, 2], &[5, 8])]);
        let padded = Window { low: 1, high: 1, ..window(2) };
        let out = eval(pool(Monoid::Max, &[window(1), padded]), std::slice::from_ref(&x));
        assert_eq!(out, [ints(DType::F32, [2, 5], &[1, 5, 5, 8, 8, 3, 3, 7, 7, 0])]);
        let outside = Window { low: 2, high: -3, ..window(2) };
        let out = eval(pool(Monoid::Max, &[window(1), outside]), &[x]);
        assert_eq!(out, [floats(DType::F32, [2, 2], &[f64::NEG_INFINITY, 1.0, f64::NEG_INFINITY, 3.0])]);
    }

    #[test]
    fn cumulative_sums() {
        let n = 100_000;
        let x = count_up(DType::I64, [n]);
        let from_start = Window { low: n as i64 - 1, ..window(n) };
        let out = eval(pool(Monoid::Sum, &[from_start]), std::slice::from_ref(&x)).remove(0);
        assert_eq!([1, 2, n - 1].map(|i| out.get(i).to_i64()), [1, 3, (n * (n - 1) / 2) as i64]);
        let from_end = Window { high: n as i64 - 1, ..window(n) };
        let out = eval(pool(Monoid::Sum, &[from_end]), &[x]).remove(0);
        assert_eq!([0, n - 1].map(|i| out.get(i).to_i64()), [(n * (n - 1) / 2) as i64, n as i64 - 1]);
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::F32, [4, 4]);
        assert_eq!(infer_error(pool(Monoid::Max, &[window(1)]), &[&x]), "has 1 window but f32[4, 4] has 2 dimensions");
        assert_eq!(infer_error(pool(Monoid::Max, &[window(1), window(0)]), &[&x]), "a window has size 0");
        assert_eq!(infer_error(pool(Monoid::Or, &[window(1), window(2)]), &[&x]), "or is not defined for f32");
        let endless = Window { low: i64::MAX - 10, ..window(1) };
        assert!(
            infer_error(pool(Monoid::Max, &[endless, endless]), &[&x]).contains("more elements than can be counted")
        );
    }

    #[test]
    fn the_rule_distinguishes_tiles_from_halos() {
        let x = Type::new(DType::F32, [4, 8, 8, 6]);
        let two = Window { stride: 2, ..window(2) };
        let rule = |monoid, last: Window| {
            let op = pool(monoid, &[window(1), two, Window { low: 1, ..window(3) }, last]);
            let outs = op.infer(&Program::default(), &[&x], &[]).unwrap();
            op.rule(&[&x], &[&outs[0]]).to_string()
        };
        assert_eq!(
            rule(Monoid::Sum, window(6)),
            "([a,b,c,d])->([a,b,c,]) {a=4,b=4,c=7,d=6} kinds={b:window,c:window,d:sum} linear=[{0}]"
        );
        assert_eq!(
            rule(Monoid::Max, Window { low: 5, ..window(6) }),
            "([a,b,c,d])->([a,b,c,d]) {a=4,b=4,c=7,d=6} kinds={b:window,c:window,d:inner}"
        );
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            windows in proptest::collection::vec(
                (1usize..5, 1usize..4, -2i64..5, -2i64..5, 1usize..3, 1usize..3, 1usize..7), 1..3),
            monoid in proptest::sample::select(&[Monoid::Sum, Monoid::Max, Monoid::Min][..]),
        ) {
            let shape: crate::dtype::Shape = windows.iter().map(|w| w.6).collect();
            let windows: Vec<Window> = windows
                .into_iter()
                .map(|(size, stride, low, high, dilation, base, _)| Window { size, stride, low, high, dilation, base })
                .collect();
            let x = count_up(DType::F64, shape.clone());
            let op = pool(monoid, &windows);
            let inferred = op.infer(&Program::default(), &[&x.ty], &[]);
            prop_assume!(inferred.is_ok());
            let ty = inferred.unwrap().remove(0);
            let out = eval(op.clone(), std::slice::from_ref(&x)).remove(0);
            let (outputs, inputs) = (ty.shape.strides(), shape.strides());
            for at in 0..ty.shape.count() {
                let mut elements = vec![0];
                for (d, window) in windows.iter().enumerate() {
                    let o = at / outputs[d] % ty.shape[d];
                    let step = |base: usize| sliding::reads(window, o, shape[d]).map(move |(_, e)| (base, e));
                    elements = elements.iter().flat_map(|&e| step(e)).map(|(base, e)| base + e * inputs[d]).collect();
                }
                let identity = monoid.identity(DType::F64).to_f64();
                let want = elements.into_iter().map(|e| e as f64).fold(identity, |a, b| monoid.combine_floats(a, b));
                prop_assert_eq!(out.get(at).to_f64(), want);
            }
            assert_rule_holds(op, &[x]);
        }
    }
}
