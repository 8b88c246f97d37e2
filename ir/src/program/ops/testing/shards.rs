//! Evaluation of an op on the shards of one factor of its rule, for each kind of factor: the counterpart for tensors of
//! the pass `localize`, which converts programs to local ones.

use super::{assert_close, combine, eval_in};
use crate::dtype::Type;
use crate::layout::Monoid;
use crate::program::Program;
use crate::program::op::{OpKind, OutOfRange, Padding};
use crate::rule::{ArgSet, DimMap, FactorId, Rule, Window};
use crate::tensor::{Data, Scalar, Tensor};

/// An op with its unsharded operands and results.
pub(super) struct UnshardedRun<'a> {
    pub program: &'a Program,
    pub op: &'a OpKind,
    pub rule: &'a Rule,
    pub args: &'a [Tensor],
    pub results: &'a [Tensor],
}

impl UnshardedRun<'_> {
    /// Asserts that every device computes its shard of the results, for a `PassThrough` factor.
    pub(super) fn assert_pass_through(&self, factor: FactorId, shard_count: usize) {
        let split = FactorSplit { rule: self.rule, factor, shard_count };
        for k in 0..shard_count {
            self.assert_shard(&split, k, self.op, &self.shards(&split, k));
        }
    }

    /// Asserts that the combined results of all devices equal the unsharded results, for a `Reduce` factor. An operand
    /// that does not have the factor, but in which the op is jointly linear with an operand that has it, is passed to
    /// one device only; the others get zeros.
    pub(super) fn assert_reduce(&self, factor: FactorId, monoid: Monoid, shard_count: usize) {
        let split = FactorSplit { rule: self.rule, factor, shard_count };
        let shares = |arg: usize| {
            let with = |a: usize| self.rule.in_arg(a, factor);
            let joint = |set: &ArgSet| set.has(arg) && (0..self.args.len()).any(|a| set.has(a) && with(a));
            monoid == Monoid::Sum && !with(arg) && self.rule.linear.iter().any(joint)
        };
        let parts = (0..shard_count).map(|k| {
            let mut shards = self.shards(&split, k);
            for (arg, shard) in shards.iter_mut().enumerate().filter(|&(arg, _)| k > 0 && shares(arg)) {
                *shard = Tensor::zeros(self.args[arg].ty.clone());
            }
            self.eval_shard(&split, k, self.op, &shards)
        });
        let add = |sum: Vec<Tensor>, part: Vec<Tensor>| -> Vec<Tensor> {
            sum.iter().zip(&part).map(|(a, b)| combine(monoid, a, b)).collect()
        };
        for (sum, all) in parts.reduce(add).iter().flatten().zip(self.results) {
            assert_close(sum, all, &format!("partial results of factor {factor:?} of {}", self.rule));
        }
    }

    /// Asserts that every device computes its shard of the outputs from the elements that its windows read, or a
    /// partial sum, for a `Window` factor.
    pub(super) fn assert_window(&self, factor: FactorId, window: Window, shard_count: usize) {
        let outputs = self.rule.factors[factor.0 as usize].size / shard_count;
        let split = FactorSplit { rule: self.rule, factor, shard_count };
        let dim = self.rule.args[0].iter().position(|dim| dim.contains(&factor)).expect("operand 0 has windows");
        let windowed = self.op.interfaces().windowed.expect("the op has windows");
        let padding = match windowed.padding() {
            Padding::Fill(fill) => fill.scalar(self.args[0].ty.dtype),
            Padding::Operand(arg) => self.args[arg].get(0),
        };
        let shard = |k| {
            let reads = window.reads(k * outputs, outputs);
            let read = span_of(&self.args[0], dim, reads.first, reads.count, padding);
            let others = self.args.iter().zip(&self.rule.args).skip(1).map(|(x, map)| split.shard(x, map, k));
            (windowed.after_halo_exchange(dim, reads.padding), std::iter::once(read).chain(others).collect::<Vec<_>>())
        };
        if self.rule.in_results(factor) {
            for (k, (op, shards)) in (0..shard_count).map(shard).enumerate() {
                self.assert_shard(&split, k, &op, &shards);
            }
        } else {
            let parts = (0..shard_count).map(shard).enumerate();
            let parts = parts.map(|(k, (op, shards))| self.eval_shard(&split, k, &op, &shards).remove(0));
            let sum = parts.reduce(|a, b| combine(Monoid::Sum, &a, &b)).expect("two shards at least");
            assert_close(&sum, &self.results[0], &format!("sum over the taps of factor {factor:?} of {}", self.rule));
        }
    }

    /// Asserts that every device reads or writes only the elements in its shard, for an `Indexed` factor.
    pub(super) fn assert_indexed(&self, factor: FactorId, shard_count: usize) {
        let split = FactorSplit { rule: self.rule, factor, shard_count };
        let size = self.rule.factors[factor.0 as usize].size;
        let dim = self.rule.args[0].iter().position(|dim| dim.contains(&factor)).expect("operand 0 is indexed");
        let indexed = self.op.interfaces().indexed.expect("the op is indexed");
        let at = indexed.index_location(dim).expect("the op knows its indices");
        let mut sum: Option<Tensor> = None;
        for k in 0..shard_count {
            let mut op = self.op.clone();
            let mut shards = self.shards(&split, k);
            // Indices that a gather would clamp are clamped to the unsharded range first. `last` is the maximum valid
            // index of each component.
            let mut last = Vec::new();
            if let OutOfRange::Clamped(bounds, filling) = indexed.out_of_range(&self.args[0].ty) {
                last = bounds.into_iter().map(|bound| bound as i64).collect();
                op = filling;
            }
            let shape = shards[at.arg].ty.shape.clone();
            let inner: usize = shape.iter().skip(at.vector_dim + 1).product();
            let components = shape.get(at.vector_dim).copied().unwrap_or(1);
            let shifted = shards[at.arg].scalars().enumerate().map(|(i, x)| {
                let component = i / inner % components;
                let x = last.get(component).map_or(x.to_i64(), |&last| x.to_i64().clamp(0, last));
                Scalar::Int(if component == at.component { x - (k * size / shard_count) as i64 } else { x })
            });
            shards[at.arg] = tensor(shards[at.arg].ty.clone(), shifted.collect());
            if self.rule.in_results(factor) {
                self.assert_shard(&split, k, &op, &shards);
            } else {
                let part = self.eval_shard(&split, k, &op, &shards).remove(0);
                sum = Some(sum.map_or_else(|| part.clone(), |sum| combine(Monoid::Sum, &sum, &part)));
            }
        }
        if let Some(sum) = sum {
            assert_close(&sum, &self.results[0], &format!("sum over the shards of factor {factor:?} of {}", self.rule));
        }
    }

    fn shards(&self, split: &FactorSplit<'_>, k: usize) -> Vec<Tensor> {
        self.args.iter().zip(&self.rule.args).map(|(x, map)| split.shard(x, map, k)).collect()
    }

    /// Evaluates the op, converted to a local op, on one device's shards.
    fn eval_shard(&self, split: &FactorSplit<'_>, k: usize, op: &OpKind, shards: &[Tensor]) -> Vec<Tensor> {
        let global: Vec<&Type> = self.args.iter().map(|t| &t.ty).collect();
        let types: Vec<&Type> = shards.iter().map(|t| &t.ty).collect();
        let local: Vec<Type> =
            self.results.iter().zip(&self.rule.outs).map(|(x, map)| split.shard(x, map, k).ty).collect();
        let outs: Vec<&Type> = local.iter().collect();
        let op = op.to_local(&global, &types, &outs);
        let inferred = op.infer(self.program, &types, &outs).expect("a valid op on shards");
        assert_eq!(inferred[..], local[..], "types of the shards of factor {:?} of {}", split.factor, self.rule);
        eval_in(self.program, &op, shards, &local)
    }

    /// Asserts that the op on one device's shards returns the shards of the unsharded results.
    fn assert_shard(&self, split: &FactorSplit<'_>, k: usize, op: &OpKind, shards: &[Tensor]) {
        let results = self.eval_shard(split, k, op, shards);
        for ((result, all), map) in results.iter().zip(self.results).zip(&self.rule.outs) {
            let what = format!("shard {k} of factor {:?} of {}", split.factor, self.rule);
            assert_close(result, &split.shard(all, map, k), &what);
        }
    }
}

/// Partition of one factor into shards of equal size.
struct FactorSplit<'a> {
    rule: &'a Rule,
    factor: FactorId,
    shard_count: usize,
}

impl FactorSplit<'_> {
    /// Returns shard `k` of a value, or the value itself if it does not have the factor.
    fn shard(&self, x: &Tensor, map: &DimMap, k: usize) -> Tensor {
        let holds = |dim: &usize| map[*dim].contains(&self.factor);
        let Some(dim) = (0..map.len()).find(holds) else { return x.clone() };
        let sizes = self.rule.sizes(&map[dim]);
        let at = map[dim].iter().position(|&f| f == self.factor).expect("the dim has the factor");
        let size = sizes[at];
        let outer: usize = x.ty.shape[..dim].iter().chain(&sizes[..at]).product();
        let inner: usize = sizes[at + 1..].iter().chain(&x.ty.shape[dim + 1..]).product();
        let len = size / self.shard_count;
        let picked: Vec<usize> = (0..outer)
            .flat_map(|o| (0..len).map(move |i| (o * size + k * len + i) * inner))
            .flat_map(|start| start..start + inner)
            .collect();
        let mut ty = x.ty.clone();
        ty.shape[dim] /= self.shard_count;
        let data = match &x.data {
            Data::F64(v) => Data::F64(picked.iter().map(|&i| v[i]).collect()),
            Data::F32(v) => Data::F32(picked.iter().map(|&i| v[i]).collect()),
            Data::Int(v) => Data::Int(picked.iter().map(|&i| v[i]).collect()),
        };
        Tensor { ty, data }
    }
}

/// Returns `len` elements along `dim` from `start` on, with `padding` outside the tensor.
fn span_of(x: &Tensor, dim: usize, start: i64, len: usize, padding: Scalar) -> Tensor {
    let n = x.ty.shape[dim];
    let inner: usize = x.ty.shape[dim + 1..].iter().product();
    let outer: usize = x.ty.shape[..dim].iter().product();
    let mut ty = x.ty.clone();
    ty.shape[dim] = len;
    let at = |o: usize, i: usize, j: usize| {
        let element = usize::try_from(start + i as i64).ok().filter(|&e| e < n);
        element.map_or(padding, |e| x.get((o * n + e) * inner + j))
    };
    let items = (0..outer).flat_map(|o| (0..len).flat_map(move |i| (0..inner).map(move |j| (o, i, j))));
    tensor(ty, items.map(|(o, i, j)| at(o, i, j)).collect())
}

fn tensor(ty: Type, items: Vec<Scalar>) -> Tensor {
    if ty.dtype.is_float() {
        Tensor::from_floats(ty, items.into_iter().map(Scalar::to_f64).collect())
    } else {
        Tensor::from_ints(ty, items.into_iter().map(Scalar::to_i64).collect())
    }
}
