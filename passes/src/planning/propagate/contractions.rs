//! Contractions that propagation leaves unsharded along a mesh axis, so that every device of the axis computes them in
//! full. Where a gather of the result takes less time than the arithmetic that the devices can share, a dimension of
//! the result is sharded, which propagates to other values like an annotation.
//!
//! The decision depends on the program and its annotations only, not on a machine: the plan of a program has the same
//! layouts everywhere. It is made with the rates of [`ReferenceDevice`].

use super::axis_lists::ListId;
use super::graph::{DimIndex, FactorOccurrence, PropagationGraph};
use super::state::PropagationState;
use partita_cost::constants::ReferenceDevice;
use partita_ir::arena::ValueId;
use partita_ir::class::Class;
use partita_ir::dtype::DType;
use partita_ir::layout::divides;
use partita_ir::mesh::{Axes, AxisRef, shard_count};
use partita_ir::program::Program;
use partita_ir::rule::FactorKind;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// A contraction, with its tie in the propagation graph.
pub struct ContractionTie {
    /// Index in [`PropagationGraph::ties`].
    tie: u32,
    /// The result.
    result: ValueId,
    /// Element type of the result.
    dtype: DType,
    /// FLOPs of the unpartitioned contraction.
    flops: u64,
    /// Bytes of the result.
    bytes: u64,
    /// Occurrences of pass-through factors in the result, in order of preference.
    dims: SmallVec<[FactorOccurrence; 4]>,
}

/// Returns the contractions whose results propagation may shard, in program order. Results of functions are excluded:
/// their layouts are visible to the caller.
pub fn contractions(program: &Program, graph: &PropagationGraph) -> Vec<ContractionTie> {
    let funcs = program.funcs_with_layouts();
    let returned: FxHashSet<ValueId> =
        funcs.iter().flat_map(|&func| program.funcs[func].outputs.iter().map(|output| output.value)).collect();
    let mut found = Vec::new();
    for (tie, t) in (0u32..).zip(&graph.ties) {
        let op = &program.ops[t.op];
        let &[out] = &op.outs[..] else { continue };
        if op.kind.class() != Class::Product || returned.contains(&out) {
            continue;
        }
        let (args, outs) = (program.arg_types(op), program.out_types(op));
        let rule = op.kind.rule(&args, &outs);
        let factors = &graph.factors[t.factors.start as usize..t.factors.end as usize];
        let passing = factors.iter().filter(|factor| rule.kind(factor.id) == FactorKind::PassThrough);
        let occurrences = passing.flat_map(|factor| {
            graph.occurrences[factor.occurrences.start as usize..factor.occurrences.end as usize].iter()
        });
        let mut dims: SmallVec<[FactorOccurrence; 4]> = occurrences.filter(|o| o.result).copied().collect();
        // The last dimensions are those of features. Batches are shared with most of the model, so that sharding one
        // would reshard values far from the contraction.
        dims.sort_by_key(|occurrence| std::cmp::Reverse(occurrence.dim));
        let ty = program.ty(out);
        let (dtype, bytes) = (ty.dtype, ty.bytes());
        found.push(ContractionTie { tie, result: out, dtype, flops: op.kind.flops(&args, &outs), bytes, dims });
    }
    found
}

impl ContractionTie {
    /// Returns a dimension of the result and the axes that are to shard it, if sharing the work between the devices of
    /// one of `axes` takes less time than to repeat it.
    pub fn shared_dim(
        &self,
        graph: &PropagationGraph,
        state: &mut PropagationState,
        axes: &[AxisRef],
    ) -> Option<(DimIndex, ListId)> {
        let mut used = Axes::new();
        for &occurrence in &graph.occurrences[graph.tie_occurrences(&graph.ties[self.tie as usize])] {
            let list = state.occurrence_axes(graph, occurrence);
            for &axis in state.lists.axes(list) {
                if !used.iter().any(|used| used.overlaps(axis)) {
                    used.push(axis);
                }
            }
        }
        let flops = self.flops / shard_count(&used).max(1) as u64;
        let dims = graph.dims_of(self.result).map(|dim| shard_count(state.lists.axes(state.axes[dim])) as u64);
        let bytes = self.bytes / dims.product::<u64>().max(1);
        for &axis in axes.iter().filter(|axis| !used.iter().any(|used| used.axis == axis.axis)) {
            let others = f64::from(axis.size - 1) / f64::from(axis.size);
            let saved = ReferenceDevice::product_seconds(flops as f64 * others, self.dtype);
            if saved <= ReferenceDevice::collective_seconds(bytes as f64 * others) {
                continue;
            }
            for occurrence in self.dims.iter().filter(|occurrence| occurrence.sizes.1 == 1) {
                let have = state.axes[occurrence.dim as usize];
                let mut target: Axes = state.lists.axes(have).into();
                target.push(axis);
                if !divides(graph.dims[occurrence.dim as usize].size, &target) {
                    continue;
                }
                let target = state.lists.id(&target);
                if let Some(list) = state.extended(graph, *occurrence, have, target).filter(|&list| list == target) {
                    return Some((occurrence.dim, list));
                }
            }
        }
        None
    }
}
