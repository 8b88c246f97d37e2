//! Ops on global values that an op on shards may correspond to. Laws decide whether a candidate is right.

use super::{OpOnShards, Reader};
use crate::placement::ShardedOperands;
use crate::term::{Call, Head, Term};
use egg::Id;
use partita_ir::arena::ValueId;
use partita_ir::dtype::Type;
use partita_ir::op::{OpKind, OutOfRange};
use partita_ir::program::{Form, Op};
use partita_ir::rule::FactorId;
use smallvec::SmallVec;

impl Reader<'_> {
    /// Returns the ops of the e-graph with these operands that may be the global op of an op on shards. In explicit
    /// form this is the op itself.
    pub(super) fn known_candidates(&mut self, site: &OpOnShards<'_>, globals: &[Id]) -> Vec<u32> {
        let OpOnShards { op, kind, .. } = *site;
        let outs: Vec<Type> = op.outs.iter().map(|&v| self.program.ty(v).clone()).collect();
        if self.program.form == Form::Explicit {
            return vec![self.terms.analysis.add_call(Call { kind: kind.clone(), outs })];
        }
        let same_dtypes = |call: &Call| {
            call.outs.len() == outs.len()
                && call.outs.iter().zip(&outs).all(|(a, b)| a.dtype == b.dtype && a.shape.rank() == b.shape.rank())
        };
        let canonical: Vec<Id> = globals.iter().map(|&global| self.terms.find(global)).collect();
        let known: Vec<u32> = self.terms.analysis.calls_of_family(kind).to_vec();
        let known = known.into_iter().filter(|&call| {
            let term = Term::new(Head::Op { call, out: 0, placement: None }, canonical.iter().copied());
            same_dtypes(self.terms.analysis.call_at(call)) && self.terms.lookup(term).is_some()
        });
        known.collect()
    }

    /// Returns the variants of indexing ops of the e-graph that read zero out of range, as ops on shards do.
    pub(super) fn zero_filling_candidates(&mut self, kind: &OpKind, types: &[&Type]) -> Vec<u32> {
        let known: Vec<u32> = self.terms.analysis.calls_of_family(kind).to_vec();
        let filling = known.into_iter().filter_map(|call| {
            let Call { kind, outs } = self.terms.analysis.call_at(call).clone();
            let inferred = kind.infer(self.program, types, &outs.iter().collect::<Vec<_>>()).ok()?;
            match kind.interfaces().indexed.filter(|_| inferred[..] == outs[..])?.out_of_range(types[0]) {
                OutOfRange::Clamped(_, filling) => Some(self.terms.analysis.add_call(Call { kind: filling, outs })),
                OutOfRange::Skipped | OutOfRange::Zero => None,
            }
        });
        filling.collect()
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
                let probable = [self.types_by_factors(op, args), self.types_by_hints(op)];
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
                let minor_size: usize = minor.iter().map(|minor| sizes[minor.0 as usize]).product();
                if minor_size > 0 && global.is_multiple_of(minor_size) {
                    sizes[major.0 as usize] = global / minor_size;
                }
            }
        }
        let global = rule.outs.iter().zip(outs).map(|(map, local)| {
            let dim =
                |factors: &SmallVec<[FactorId; 2]>| factors.iter().map(|f| sizes[f.0 as usize]).product::<usize>();
            Type { shape: map.iter().map(dim).collect(), ..local }
        });
        global.collect()
    }
}
