//! Partition of a step into layers, and the cost of each layer with the layouts chosen for a submesh.

use super::layout_space::{Assumptions, LayoutSpace};
use super::problem_builder::Lifetime;
use super::search_graph::SearchGraph;
use crate::limits::SearchLimits;
use partita_ir::arena::{Id, ValueId};
use partita_ir::program::Phase;

/// Cost of a layer on a submesh.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct LayerCost {
    /// Seconds of a micro-batch, including gradients and a share of once-per-step work.
    pub seconds: f64,
    /// Bytes per device that are permanently allocated: parameters, optimizer state, accumulated gradients.
    pub persistent_bytes: f64,
    /// Bytes per device for each micro-batch in flight.
    pub activation_bytes: f64,
}

/// Partition of a step into a sequence of layers.
pub struct Layers {
    /// Number of layers.
    pub count: usize,
    /// Layer of each node.
    node_layers: Vec<usize>,
    /// Layer that defines each value, or that first uses it for an input of the program.
    value_layers: Vec<Option<usize>>,
}

impl Layers {
    /// Partitions a step into about `target_count` layers of similar duration. Each layer ends where few bytes cross to
    /// the next one.
    pub fn partition(graph: &SearchGraph<'_>, target_count: usize) -> Layers {
        let SearchGraph { program, groups, .. } = graph;
        let phase = |node: usize| program.ops[groups.nodes[node].op].phase;
        let forward: Vec<usize> = (0..groups.nodes.len()).filter(|&node| phase(node) == Phase::Forward).collect();
        let ends = layer_ends(graph, &forward, target_count.max(1));
        let mut layers = Layers {
            count: ends.len(),
            node_layers: vec![0; groups.nodes.len()],
            value_layers: vec![None; program.values.len()],
        };
        // Last layer that has each value: it computes or reads the value.
        let mut available: Vec<Option<usize>> = vec![None; program.values.len()];
        let mut layer = 0;
        for (at, &node) in forward.iter().enumerate() {
            while at >= ends[layer] {
                layer += 1;
            }
            layers.set_layer(graph, node, layer);
            let op = &program.ops[groups.nodes[node].op];
            op.args.iter().chain(&op.outs).for_each(|&v| available[groups.alias(v).index()] = Some(layer));
        }
        // Gradients flow from the last layer to the first. A gradient belongs to the last layer that has its operands.
        // Functions of the optimizer's state alone belong to the layer of the gradient that they are combined with.
        let mut of_state: Vec<usize> = Vec::new();
        for node in (0..groups.nodes.len()).filter(|&node| phase(node) != Phase::Forward) {
            let op = &program.ops[groups.nodes[node].op];
            let Some(layer) = op.args.iter().filter_map(|&arg| available[groups.alias(arg).index()]).min() else {
                of_state.push(node);
                continue;
            };
            layers.set_layer(graph, node, layer);
            op.outs.iter().for_each(|&out| available[groups.alias(out).index()] = Some(layer));
        }
        for node in of_state.into_iter().rev() {
            let outs = program.ops[groups.nodes[node].op].outs.iter();
            let readers = outs.filter_map(|&out| groups.def_uses.get(&groups.alias(out))).flat_map(|of| &of.uses);
            let layer = readers.map(|&(reader, _)| layers.node_layers[reader]).min().unwrap_or(layers.count - 1);
            layers.set_layer(graph, node, layer);
        }
        layers
    }

    /// Returns the layer of a value. Returns the first layer for a value without definition and uses.
    pub fn layer_of(&self, graph: &SearchGraph<'_>, value: ValueId) -> usize {
        self.value_layers[graph.groups.alias(value).index()].unwrap_or(0)
    }

    /// Returns the layer of each op node.
    pub(crate) fn node_layers(&self) -> &[usize] {
        &self.node_layers
    }

    /// Returns the least number of bytes that forward ops after any end of a layer but the last one need from forward
    /// ops before it. Values that are computed from parameters only, and constants, are computed where they are needed.
    pub(crate) fn least_crossing_bytes(&self, graph: &SearchGraph<'_>) -> f64 {
        let SearchGraph { program, groups, .. } = graph;
        let layer_of = |node: usize| (groups.nodes[node].phase == Phase::Forward).then(|| self.node_layers[node]);
        let mut change = vec![0i128; self.count + 1];
        for (value, def_use) in &groups.def_uses {
            let Some(first) = def_use.def.and_then(|(def, _)| layer_of(def)) else { continue };
            let Some(last) = def_use.uses.iter().filter_map(|&(reader, _)| layer_of(reader)).max() else { continue };
            if !graph.is_weight(*value) && last > first {
                change[first] += i128::from(program.ty(*value).bytes());
                change[last] -= i128::from(program.ty(*value).bytes());
            }
        }
        let after = change.into_iter().scan(0, |now, change| {
            *now += change;
            Some(*now as f64)
        });
        let least = after.filter(|&bytes| bytes > 0.0).fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }

    fn set_layer(&mut self, graph: &SearchGraph<'_>, node: usize, layer: usize) {
        let SearchGraph { program, groups, .. } = graph;
        let op = &program.ops[groups.nodes[node].op];
        self.node_layers[node] = layer;
        for &value in op.args.iter().chain(&op.outs) {
            self.value_layers[groups.alias(value).index()].get_or_insert(layer);
        }
    }
}

/// Returns the forward ops after which layers end. The last layer ends after all of them.
fn layer_ends(graph: &SearchGraph<'_>, forward: &[usize], target_count: usize) -> Vec<usize> {
    let SearchGraph { program, groups, .. } = graph;
    let op = |node: usize| &program.ops[groups.nodes[node].op];
    let work = |&node: &usize| {
        let (args, outs) = (program.arg_types(op(node)), program.out_types(op(node)));
        let kind = &op(node).kind;
        kind.flops(&args, &outs) as f64 + SearchLimits::TUNED.flops_per_byte * kind.bytes(&args, &outs) as f64
    };
    let work: Vec<f64> = forward.iter().map(work).collect();
    let crossing = crossing_bytes(graph, forward);
    let each = work.iter().sum::<f64>() / target_count as f64;
    let (mut ends, mut done, mut from) = (Vec::new(), 0.0, 0);
    for (at, work) in work.iter().enumerate() {
        done += work;
        if done >= each * (ends.len() + 1) as f64 {
            // The layer ends at the position with the fewest crossing bytes, the last one in case of a tie.
            let least = (from + 1..=at + 1).min_by(|&a, &b| crossing[a].total_cmp(&crossing[b]).then(b.cmp(&a)));
            let end = least.unwrap_or(at + 1);
            ends.push(end);
            from = end;
        }
    }
    if ends.last() != Some(&forward.len()) {
        ends.push(forward.len());
    }
    ends
}

/// Returns, for each position between forward ops, the bytes that are defined before and used after it.
fn crossing_bytes(graph: &SearchGraph<'_>, forward: &[usize]) -> Vec<f64> {
    let SearchGraph { program, groups, .. } = graph;
    let mut position = vec![usize::MAX; groups.nodes.len()];
    forward.iter().enumerate().for_each(|(at, &node)| position[node] = at);
    let mut change = vec![0i128; forward.len() + 1];
    for (value, def_use) in &groups.def_uses {
        let Some(made) = def_use.def.map(|(def, _)| position[def]).filter(|&made| made != usize::MAX) else {
            continue;
        };
        let readers =
            def_use.uses.iter().map(|&(reader, _)| position[reader]).filter(|&at| at != usize::MAX && at > made);
        let Some(last) = readers.max() else { continue };
        let bytes = i128::from(program.ty(*value).bytes());
        change[made + 1] += bytes;
        change[last + 1] -= bytes;
    }
    let sum = change.into_iter().scan(0, |now, change| {
        *now += change;
        Some(*now as f64)
    });
    sum.collect()
}

impl LayoutSpace<'_> {
    /// Returns the cost of each layer with the given layouts, for one of `micro_batches` micro-batches.
    pub(crate) fn layer_costs(
        &mut self,
        layers: &Layers,
        assumptions: &Assumptions,
        choice: &[usize],
        micro_batches: u64,
    ) -> Vec<LayerCost> {
        let mut row = vec![LayerCost::default(); layers.count];
        let parts = micro_batches.max(1) as f64;
        for (node, &layer) in layers.node_layers.iter().enumerate() {
            row[layer].seconds += self.kernel_seconds(node, choice) / parts;
        }
        let layer_of = |value: ValueId| layers.value_layers[value.index()].unwrap_or(0);
        for (value, seconds) in self.reshard_seconds(assumptions, choice) {
            row[layer_of(value)].seconds += seconds / parts;
        }
        for (value, when, bytes) in self.long_lived_bytes(choice) {
            let layer = &mut row[layer_of(value)];
            match when {
                Lifetime::ForwardToBackward => layer.activation_bytes += bytes,
                Lifetime::Always | Lifetime::WeightCopy | Lifetime::BackwardToUpdate => layer.persistent_bytes += bytes,
            }
        }
        row
    }
}
