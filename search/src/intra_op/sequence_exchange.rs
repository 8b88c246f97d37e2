//! Lower bounds of the exchange of keys and values between devices that have shards of a sequence.
//!
//! The exchange is the cheapest of three (the pass `lower-attention`): shards circulate in a ring, while the devices
//! attend to those that they have; keys and values are gathered; or heads are exchanged for rows. The gradients of keys
//! and values return to the devices of their shards.

use super::critical_path::PathEdge;
use super::layout_space::{LayoutSite, LayoutSpace};
use super::pricing::{Bucketing, LayoutId};
use super::problem_builder::ReshardEdge;
use super::search_graph::SearchGraph;
use partita_ir::arena::ValueId;
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, Monoid};
use partita_ir::mesh::{Axes, shard_count};
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, AllToAll, Permute, ReduceScatter};
use std::iter::zip;

/// Position of the keys among the operands of attention, and of their gradients among the results of its gradient.
const KEYS: usize = 1;

/// Position of the values and of their gradients.
const VALUES: usize = 2;

/// Direction of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    /// Shards of keys or values to the devices that attend to them.
    ToRows,
    /// Gradients to the devices that have the shards.
    ToShards,
}

impl LayoutSpace<'_> {
    /// Returns the exchanges of all attentions for all layouts, given the seconds of the kernels of each node, and the
    /// first kernel that waits for each node.
    pub(super) fn sequence_exchanges(
        &mut self,
        kernels: &[Vec<f64>],
        waiting: &[Option<usize>],
    ) -> Vec<(ReshardEdge, PathEdge)> {
        let SearchGraph { program, groups, .. } = self.graph;
        let mut exchanges = Vec::new();
        for (number, node) in groups.nodes.iter().enumerate() {
            let op = &program.ops[node.op];
            let Some(attention) = op.kind.class().attention() else { continue };
            let is_gradient = attention.is_gradient();
            // Exchanges of one attention share the time of its kernel.
            let count = if is_gradient { 4.0 } else { 2.0 };
            let [keys, values] = [KEYS, VALUES].map(|arg| program.ty(op.args[arg]));
            let share = if keys == values { 1.0 / count } else { 1.0 };
            for arg in [KEYS, VALUES] {
                let (value, site) = (op.args[arg], self.use_site((number, arg)));
                let seconds = self.exchange_seconds(value, site, (&kernels[number], share), Direction::ToRows);
                let def_use = groups.def_use(value).filter(|def_use| !is_gradient && def_use.def.is_some());
                let from = def_use.and_then(|def_use| self.def_site(def_use));
                let (from, table) = match from {
                    Some(from) => (from, self.extra_seconds(value, from, site, &seconds)),
                    None => (site, diagonal(&seconds)),
                };
                let path = PathEdge::before(number, Some(number));
                exchanges.push((edge(value, (from, site), table, node.times as f64), path));
            }
            for result in [KEYS, VALUES].into_iter().filter(|_| is_gradient) {
                let value = op.outs[result];
                let site = (node.group, self.strategy_table.ops[number].results[result]);
                let seconds = self.exchange_seconds(value, site, (&kernels[number], share), Direction::ToShards);
                let uses = groups.def_use(value).into_iter().flat_map(|def_use| &def_use.uses);
                let reader = uses.map(|reader| reader.0).min().and_then(|reader| waiting[reader]);
                let path = PathEdge::before(number + 1, reader);
                exchanges.push((edge(value, (site, site), diagonal(&seconds), node.times as f64), path));
            }
        }
        exchanges.retain(|(edge, _)| edge.table.iter().any(|&seconds| seconds > 0.0));
        exchanges
    }

    /// Returns the least seconds of the exchange of a value for each of its layouts at a site. `share` is the part of
    /// the seconds of the kernel that the exchange can overlap with.
    fn exchange_seconds(
        &mut self,
        value: ValueId,
        site: LayoutSite,
        (kernel, share): (&[f64], f64),
        direction: Direction,
    ) -> Vec<f64> {
        let ty = self.graph.program.ty(value);
        let layouts = self.pricing.layouts(site.1).clone();
        let all = zip(layouts.iter(), kernel.iter().copied().chain(std::iter::repeat(0.0)));
        all.map(|(&layout, kernel)| self.least_exchange_seconds(ty, layout, kernel * share, direction)).collect()
    }

    fn least_exchange_seconds(&mut self, ty: &Type, layout: LayoutId, kernel: f64, direction: Direction) -> f64 {
        let Some((dim, axes)) = sequence_axes(self.pricing.layout(layout)) else { return 0.0 };
        let devices = shard_count(&axes);
        let n = devices as f64;
        let shard = self.pricing.bytes(ty, layout);
        let all = shard.saturating_mul(devices as u64);
        let count = devices as u32;
        let pairs = (0..count).map(|rank| (rank, (rank + count - 1) % count)).collect();
        let permute = OpKind::from(Permute { axes: axes.clone(), pairs });
        let heads = OpKind::from(AllToAll { from: dim, to: dim.saturating_sub(1), axes: axes.clone() });
        let (gather, before, after, exchanges) = match direction {
            Direction::ToRows => (OpKind::from(AllGather { dim, axes }), shard, all, n - 1.0),
            Direction::ToShards => (ReduceScatter { monoid: Monoid::Sum, dim, axes }.into(), all, shard, n),
        };
        let ring = exchanges * self.pricing.least_collective_seconds(&permute, shard, shard);
        let ring = (ring - kernel * (1.0 - 1.0 / n)).max(0.0);
        let gathering = self.pricing.least_collective_seconds(&gather, before, after);
        ring.min(gathering).min(self.pricing.least_collective_seconds(&heads, shard, shard))
    }

    /// Returns the seconds of an exchange in the forward pass in addition to those of the resharding before it, for
    /// each pair of layouts. All keys and values can also be resharded to every device.
    fn extra_seconds(&mut self, value: ValueId, from: LayoutSite, to: LayoutSite, exchange: &[f64]) -> Vec<f64> {
        let ty = self.graph.program.ty(value);
        let [sources, targets] = [from, to].map(|site| self.pricing.layouts(site.1).clone());
        let mut table = Vec::with_capacity(sources.len() * targets.len());
        for &have in sources.iter() {
            let is_partial = !self.pricing.layout(have).partial.is_empty();
            for (&need, &exchange) in zip(targets.iter(), exchange) {
                if exchange == 0.0 || is_partial {
                    table.push(0.0);
                    continue;
                }
                let mut whole = self.pricing.layout(need).clone();
                if let Some((dim, _)) = sequence_axes(&whole) {
                    whole.dims[dim].axes.clear();
                }
                let whole = self.pricing.layout_id(whole);
                let mut seconds =
                    |need: LayoutId| self.pricing.least_reshard_seconds(ty, (have, need), Bucketing::Separate);
                table.push(exchange.min((seconds(whole) - seconds(need)).max(0.0)));
            }
        }
        table
    }
}

/// Returns the dimension of rows and the axes that shard it. `None` if it is not sharded.
fn sequence_axes(layout: &Layout) -> Option<(usize, Axes)> {
    let dim = layout.dims.len().checked_sub(2)?;
    let axes = &layout.dims[dim].axes;
    (!axes.is_empty()).then(|| (dim, axes.clone()))
}

/// Returns the table of costs of a decision with itself.
fn diagonal(seconds: &[f64]) -> Vec<f64> {
    let n = seconds.len();
    let mut table = vec![0.0; n * n];
    seconds.iter().enumerate().for_each(|(at, &seconds)| table[at * n + at] = seconds);
    table
}

fn edge(value: ValueId, (from, to): (LayoutSite, LayoutSite), table: Vec<f64>, times: f64) -> ReshardEdge {
    let (table, bucketing) = (table.into(), Bucketing::Separate);
    ReshardEdge { value, from, to, table, bucketing, times, is_overlapped_reduction: false }
}
