//! Ops on global values that an op on shards may correspond to. Laws decide whether a candidate is right.

use super::{OpOnShards, Reader};
use crate::placement::ShardedOperands;
use crate::term::{Call, Head, Term};
use egg::Id;
use partita_ir::arena::ValueId;
use partita_ir::dtype::Type;
use partita_ir::op::OutOfRange;
use partita_ir::program::{Form, Op};
use partita_ir::rule::FactorId;
use smallvec::SmallVec;

impl Reader<'_> {
    /// Returns the ops of the e-graph with these operands that may be the global op of an op on shards. In explicit
    /// form this is the op itself.
    pub(super) fn known_candidates(&mut self, site: &OpOnShards<'_>, globals: &[Id]) -> Vec<u32> {
        let OpOnShards { op, kind, .. } = *site;
        if self.program.form == Form::Explicit {
            let outs: Vec<Type> = op.outs.iter().map(|&v| self.program.ty(v).clone()).collect();
            return vec![self.terms.analysis.add_call(Call { kind: kind.clone(), outs })];
        }
        let canonical: Vec<Id> = globals.iter().map(|&global| self.terms.find(global)).collect();
        let known: Vec<u32> = self.terms.analysis.calls_of_family(kind).to_vec();
        let known = known.into_iter().filter(|&call| {
            let term = Term::new(Head::Op { call, out: 0, placement: None }, canonical.iter().copied());
            self.resemble(&self.terms.analysis.call_at(call).outs, op) && self.terms.lookup(term).is_some()
        });
        known.collect()
    }

    /// Returns true if global values have the ranks and element types of an op's results.
    fn resemble(&self, global: &[Type], op: &Op) -> bool {
        let locals = op.outs.iter().map(|&value| self.program.ty(value));
        global.iter().map(|ty| (ty.dtype, ty.shape.rank())).eq(locals.map(|ty| (ty.dtype, ty.shape.rank())))
    }

    /// Returns the ops of the e-graph that may be the global op of an op on shards if applied to operands of these
    /// types, since global attributes, such as the end of a slice, cannot be inferred. If indices are relative to a
    /// shard, these are the variants that read zero out of range.
    pub(super) fn similar_candidates(&mut self, site: &OpOnShards<'_>, types: &[&Type]) -> Vec<u32> {
        let mut similar: Vec<Call> = Vec::new();
        for &call in self.terms.analysis.calls_of_family(site.kind) {
            let Call { kind, outs } = self.terms.analysis.call_at(call);
            let locals = site.op.outs.iter().map(|&value| self.program.ty(value));
            let declared: Vec<Type> =
                outs.iter().zip(locals).map(|(out, local)| Type { dtype: local.dtype, ..out.clone() }).collect();
            let inferred = kind.infer(self.program, types, &declared.iter().collect::<Vec<_>>());
            let Some(outs) = inferred.ok().filter(|outs| self.resemble(outs, site.op)) else { continue };
            let kind = match kind.interfaces().indexed.map(|indexed| indexed.out_of_range(types[0])) {
                Some(OutOfRange::Clamped(_, filling)) if !site.shifts.is_empty() => filling,
                Some(OutOfRange::Clamped(..) | OutOfRange::Skipped | OutOfRange::Zero) | None => kind.clone(),
            };
            let call = Call { kind, outs: outs.into_vec() };
            if !similar.contains(&call) {
                similar.push(call);
            }
        }
        similar.into_iter().map(|call| self.terms.analysis.add_call(call)).collect()
    }

    /// Returns an op on shards as ops on global values, with probable types if the operands do not determine them.
    pub(super) fn inferred_candidates(&mut self, site: &OpOnShards<'_>, args: &ShardedOperands<'_>) -> Vec<u32> {
        let OpOnShards { op, kind, .. } = *site;
        if self.program.form == Form::Explicit {
            return Vec::new();
        }
        let inferred = match op.kind.infer(self.program, args.types, &[]) {
            Ok(outs) => vec![outs],
            Err(_) => {
                let by_factors = self.types_by_factors(op, args);
                let with_long_dims = longer_dims(&by_factors, args.types);
                let probable: Vec<Vec<Type>> =
                    [by_factors, self.types_by_hints(op)].into_iter().chain(with_long_dims).collect();
                let infer =
                    |outs: &Vec<Type>| op.kind.infer(self.program, args.types, &outs.iter().collect::<Vec<_>>()).ok();
                probable.iter().filter_map(infer).collect()
            }
        };
        let calls = inferred.into_iter().map(|outs| Call { kind: kind.clone(), outs: outs.into_vec() });
        calls.map(|call| self.terms.analysis.add_call(call)).collect()
    }

    /// Returns the probable types of an op's results as global values, by the probable sharding of their dimensions.
    fn types_by_hints(&self, op: &Op) -> Vec<Type> {
        let probable = op.outs.iter().map(|&value| {
            let local = self.program.values[value].local_type();
            let sizes = local.shape.iter().enumerate().map(|(dim, &size)| self.hints.global_dim(value, dim, size).0);
            Type { shape: sizes.collect(), dtype: local.dtype }
        });
        probable.collect()
    }

    /// Returns the probable types of an op's results as global values, by the sizes of the op's factors in the global
    /// operands.
    fn types_by_factors(&self, op: &Op, args: &ShardedOperands<'_>) -> Vec<Type> {
        let local_types = |values: &[ValueId]| -> Vec<Type> {
            values.iter().map(|&value| self.program.values[value].local_type()).collect()
        };
        let (locals, outs) = (local_types(&op.args), local_types(&op.outs));
        let rule = op.kind.rule(&locals.iter().collect::<Vec<_>>(), &outs.iter().collect::<Vec<_>>());
        let mut sizes: Vec<usize> = rule.factors.iter().map(|factor| factor.size).collect();
        for (map, ty) in rule.args.iter().zip(args.types) {
            for (factors, &global) in map.iter().zip(ty.shape.iter()) {
                let Some((major, minor)) = factors.split_first() else { continue };
                let minor_size = minor.iter().fold(1, |size: usize, f| size.saturating_mul(sizes[f.0 as usize]));
                if minor_size > 0 && global.is_multiple_of(minor_size) {
                    sizes[major.0 as usize] = global / minor_size;
                }
            }
        }
        let global = rule.outs.iter().zip(outs).map(|(map, local)| {
            let dim = |factors: &SmallVec<[FactorId; 2]>| {
                factors.iter().fold(1, |size: usize, f| size.saturating_mul(sizes[f.0 as usize]))
            };
            Type { shape: map.iter().map(dim).collect(), ..local }
        });
        global.collect()
    }
}

/// Returns the types of which one dimension of size 1 is longer, so that the result has as many elements as the
/// operand: shards of size 1 have no factor in the rule of a reshape.
fn longer_dims(outs: &[Type], args: &[&Type]) -> Vec<Vec<Type>> {
    let ([out], [arg]) = (outs, args) else { return Vec::new() };
    let (count, whole) = (out.shape.count(), arg.shape.count());
    if count == 0 || whole <= count || !whole.is_multiple_of(count) {
        return Vec::new();
    }
    let longer = (0..out.shape.rank()).filter(|&dim| out.shape[dim] == 1).map(|dim| {
        let mut out = out.clone();
        out.shape[dim] = whole / count;
        vec![out]
    });
    longer.collect()
}
