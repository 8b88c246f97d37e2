//! An op on the pieces of one factor of its rule, each kind of factor in its way. It does to tensors what `localize`
//! does to programs.

use super::{assert_close, combine, eval_in};
use crate::dtype::Type;
use crate::layout::Monoid;
use crate::program::Program;
use crate::program::op::{OpKind, OutOfRange, Padding};
use crate::rule::{ArgSet, DimMap, FactorId, Rule, Window};
use crate::tensor::{Data, Scalar, Tensor};

/// An op that was evaluated whole.
pub(super) struct Whole<'a> {
    pub program: &'a Program,
    pub op: &'a OpKind,
    pub rule: &'a Rule,
    pub args: &'a [Tensor],
    pub results: &'a [Tensor],
}

impl Whole<'_> {
    /// Every device computes its share of the results.
    pub(super) fn assert_pass(&self, factor: FactorId, ways: usize) {
        let cut = Cut { rule: self.rule, factor, ways };
        for k in 0..ways {
            self.assert_piece(&cut, k, self.op, &self.pieces(&cut, k));
        }
    }

    /// The results of all devices combined are the results. An operand that has nothing to cut, but in which the op is
    /// linear jointly with one that has, counts once.
    pub(super) fn assert_reduce(&self, factor: FactorId, monoid: Monoid, ways: usize) {
        let cut = Cut { rule: self.rule, factor, ways };
        let shares = |arg: usize| {
            let with = |a: usize| self.rule.in_arg(a, factor);
            let joint = |set: &ArgSet| set.has(arg) && (0..self.args.len()).any(|a| set.has(a) && with(a));
            monoid == Monoid::Sum && !with(arg) && self.rule.linear.iter().any(joint)
        };
        let parts = (0..ways).map(|k| {
            let mut pieces = self.pieces(&cut, k);
            for (arg, piece) in pieces.iter_mut().enumerate().filter(|&(arg, _)| k > 0 && shares(arg)) {
                *piece = Tensor::zeros(self.args[arg].ty.clone());
            }
            self.eval_piece(&cut, k, self.op, &pieces)
        });
        let add = |sum: Vec<Tensor>, part: Vec<Tensor>| -> Vec<Tensor> {
            sum.iter().zip(&part).map(|(a, b)| combine(monoid, a, b)).collect()
        };
        for (sum, all) in parts.reduce(add).iter().flatten().zip(self.results) {
            assert_close(sum, all, &format!("partial results of factor {factor:?} of {}", self.rule));
        }
    }

    /// Every device computes its share of the outputs from the elements that its windows read.
    pub(super) fn assert_window(&self, factor: FactorId, window: Window, ways: usize) {
        let outputs = self.rule.factors[factor.0 as usize].size / ways;
        let cut = Cut { rule: self.rule, factor, ways };
        let dim = self.rule.args[0].iter().position(|dim| dim.contains(&factor)).expect("operand 0 has windows");
        let windowed = self.op.interfaces().windowed.expect("the op has windows");
        let padding = match windowed.padding() {
            Padding::Fill(fill) => fill.scalar(self.args[0].ty.dtype),
            Padding::Operand(arg) => self.args[arg].get(0),
        };
        let piece = |k| {
            let reads = window.reads(k * outputs, outputs);
            let read = span_of(&self.args[0], dim, reads.first, reads.count, padding);
            let others = self.args.iter().zip(&self.rule.args).skip(1).map(|(x, map)| cut.piece(x, map, k));
            (windowed.exchanged(dim, reads.padding), std::iter::once(read).chain(others).collect::<Vec<_>>())
        };
        if self.rule.in_results(factor) {
            for (k, (op, pieces)) in (0..ways).map(piece).enumerate() {
                self.assert_piece(&cut, k, &op, &pieces);
            }
        } else {
            let parts = (0..ways).map(piece).enumerate();
            let parts = parts.map(|(k, (op, pieces))| self.eval_piece(&cut, k, &op, &pieces).remove(0));
            let sum = parts.reduce(|a, b| combine(Monoid::Sum, &a, &b)).expect("two pieces at least");
            assert_close(&sum, &self.results[0], &format!("what the taps of {factor:?} of {} sum to", self.rule));
        }
    }

    /// Every device reads or writes what lies in its piece.
    pub(super) fn assert_indexed(&self, factor: FactorId, ways: usize) {
        let cut = Cut { rule: self.rule, factor, ways };
        let size = self.rule.factors[factor.0 as usize].size;
        let dim = self.rule.args[0].iter().position(|dim| dim.contains(&factor)).expect("operand 0 is indexed");
        let indexed = self.op.interfaces().indexed.expect("the op is indexed");
        let at = indexed.index_of(dim).expect("the op knows its indices");
        let mut sum: Option<Tensor> = None;
        for k in 0..ways {
            let mut op = self.op.clone();
            let mut pieces = self.pieces(&cut, k);
            // What a gather would have clamped is clamped before it is cut: the last places of slices, by component.
            let mut last = Vec::new();
            if let OutOfRange::Clamped(bounds, filling) = indexed.out_of_range(&self.args[0].ty) {
                last = bounds.into_iter().map(|bound| bound as i64).collect();
                op = filling;
            }
            let shape = pieces[at.arg].ty.shape.clone();
            let inner: usize = shape.iter().skip(at.vector_dim + 1).product();
            let components = shape.get(at.vector_dim).copied().unwrap_or(1);
            let shifted = pieces[at.arg].scalars().enumerate().map(|(i, x)| {
                let component = i / inner % components;
                let x = last.get(component).map_or(x.to_i64(), |&last| x.to_i64().clamp(0, last));
                Scalar::Int(if component == at.component { x - (k * size / ways) as i64 } else { x })
            });
            pieces[at.arg] = tensor(pieces[at.arg].ty.clone(), shifted.collect());
            if self.rule.in_results(factor) {
                self.assert_piece(&cut, k, &op, &pieces);
            } else {
                let part = self.eval_piece(&cut, k, &op, &pieces).remove(0);
                sum = Some(sum.map_or_else(|| part.clone(), |sum| combine(Monoid::Sum, &sum, &part)));
            }
        }
        if let Some(sum) = sum {
            assert_close(&sum, &self.results[0], &format!("what the pieces of {factor:?} of {} hold", self.rule));
        }
    }

    fn pieces(&self, cut: &Cut<'_>, k: usize) -> Vec<Tensor> {
        self.args.iter().zip(&self.rule.args).map(|(x, map)| cut.piece(x, map, k)).collect()
    }

    /// The op on one device's pieces, made local.
    fn eval_piece(&self, cut: &Cut<'_>, k: usize, op: &OpKind, pieces: &[Tensor]) -> Vec<Tensor> {
        let global: Vec<&Type> = self.args.iter().map(|t| &t.ty).collect();
        let types: Vec<&Type> = pieces.iter().map(|t| &t.ty).collect();
        let local: Vec<Type> =
            self.results.iter().zip(&self.rule.outs).map(|(x, map)| cut.piece(x, map, k).ty).collect();
        let outs: Vec<&Type> = local.iter().collect();
        let op = op.shrink(&global, &types, &outs);
        let inferred = op.infer(self.program, &types, &outs).expect("a valid op on pieces");
        assert_eq!(inferred[..], local[..], "types of the pieces of factor {:?} of {}", cut.factor, self.rule);
        eval_in(self.program, &op, pieces, &local)
    }

    /// That the op on one device's pieces gives the piece of the whole results.
    fn assert_piece(&self, cut: &Cut<'_>, k: usize, op: &OpKind, pieces: &[Tensor]) {
        let results = self.eval_piece(cut, k, op, pieces);
        for ((result, all), map) in results.iter().zip(self.results).zip(&self.rule.outs) {
            let what = format!("piece {k} of factor {:?} of {}", cut.factor, self.rule);
            assert_close(result, &cut.piece(all, map, k), &what);
        }
    }
}

/// One factor cut in equal pieces.
struct Cut<'a> {
    rule: &'a Rule,
    factor: FactorId,
    ways: usize,
}

impl Cut<'_> {
    /// Piece `k` of a value; the value itself when it does not have the factor.
    fn piece(&self, x: &Tensor, map: &DimMap, k: usize) -> Tensor {
        let holds = |dim: &usize| map[*dim].contains(&self.factor);
        let Some(dim) = (0..map.len()).find(holds) else { return x.clone() };
        let sizes = self.rule.sizes(&map[dim]);
        let at = map[dim].iter().position(|&f| f == self.factor).expect("the dim has the factor");
        let size = sizes[at];
        let outer: usize = x.ty.shape[..dim].iter().chain(&sizes[..at]).product();
        let inner: usize = sizes[at + 1..].iter().chain(&x.ty.shape[dim + 1..]).product();
        let len = size / self.ways;
        let picked: Vec<usize> = (0..outer)
            .flat_map(|o| (0..len).map(move |i| (o * size + k * len + i) * inner))
            .flat_map(|start| start..start + inner)
            .collect();
        let mut ty = x.ty.clone();
        ty.shape[dim] /= self.ways;
        let data = match &x.data {
            Data::F64(v) => Data::F64(picked.iter().map(|&i| v[i]).collect()),
            Data::F32(v) => Data::F32(picked.iter().map(|&i| v[i]).collect()),
            Data::Int(v) => Data::Int(picked.iter().map(|&i| v[i]).collect()),
        };
        Tensor { ty, data }
    }
}

/// `len` elements along `dim` from `start` on, with `padding` outside of the tensor.
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
