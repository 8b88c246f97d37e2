//! The layers of a step, and what each comes to with the layouts that were found for a submesh.

use super::layout_space::{Assumptions, LayoutSpace};
use super::search_graph::SearchGraph;
use super::writer::When;
use crate::limits::SearchLimits;
use partita_ir::arena::{Id, ValueId};
use partita_ir::program::Phase;

/// Cost of a layer on a submesh.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct LayerCost {
    /// Seconds of a micro-batch, with its gradients and its share of work that is done once in a step.
    pub seconds: f64,
    /// Bytes of a device that are always held: parameters, their state, accumulated gradients.
    pub kept: f64,
    /// Bytes of a device for each micro-batch under way.
    pub alive: f64,
}

/// A step as a row of layers.
pub struct Layers {
    /// How many there are.
    pub count: usize,
    /// By node of the step, its layer.
    of_node: Vec<usize>,
    /// By value, the layer that makes it; of what comes from outside the one that needs it first.
    of_value: Vec<Option<usize>>,
}

impl Layers {
    /// About so many layers of a step, which take about equally long: each ends where little goes on to the next one.
    pub fn of(graph: &SearchGraph<'_>, about: usize) -> Layers {
        let SearchGraph { program, groups, .. } = graph;
        let phase = |node: usize| program.ops[groups.nodes[node].op].phase;
        let forward: Vec<usize> = (0..groups.nodes.len()).filter(|&node| phase(node) == Phase::Forward).collect();
        let ends = ends(graph, &forward, about.max(1));
        let mut layers = Layers {
            count: ends.len(),
            of_node: vec![0; groups.nodes.len()],
            of_value: vec![None; program.values.len()],
        };
        let mut layer = 0;
        for (at, &node) in forward.iter().enumerate() {
            while at >= ends[layer] {
                layer += 1;
            }
            layers.put(graph, node, layer);
        }
        // Gradients flow from the last layer to the first, and are made where all that they are made from is.
        for node in (0..groups.nodes.len()).filter(|&node| phase(node) != Phase::Forward) {
            let args = program.ops[groups.nodes[node].op].args.iter();
            let known = args.filter_map(|arg| layers.of_value[groups.alias(*arg).index()]).min();
            layers.put(graph, node, known.unwrap_or(layers.count - 1));
        }
        layers
    }

    /// The layer of a value; the first one of what nobody makes or reads.
    pub fn of_value(&self, graph: &SearchGraph<'_>, value: ValueId) -> usize {
        self.of_value[graph.groups.alias(value).index()].unwrap_or(0)
    }

    fn put(&mut self, graph: &SearchGraph<'_>, node: usize, layer: usize) {
        let SearchGraph { program, groups, .. } = graph;
        let op = &program.ops[groups.nodes[node].op];
        self.of_node[node] = layer;
        for &value in op.args.iter().chain(&op.outs) {
            self.of_value[groups.alias(value).index()].get_or_insert(layer);
        }
    }
}

/// Behind which of the forward ops layers end; the last one ends behind all of them.
fn ends(graph: &SearchGraph<'_>, forward: &[usize], about: usize) -> Vec<usize> {
    let SearchGraph { program, groups, .. } = graph;
    let op = |node: usize| &program.ops[groups.nodes[node].op];
    let work = |&node: &usize| {
        let (args, outs) = (program.arg_types(op(node)), program.out_types(op(node)));
        let kind = &op(node).kind;
        kind.flops(&args, &outs) as f64 + SearchLimits::TUNED.flops_per_byte * kind.bytes(&args, &outs) as f64
    };
    let work: Vec<f64> = forward.iter().map(work).collect();
    let crossing = crossing(graph, forward);
    let each = work.iter().sum::<f64>() / about as f64;
    let (mut ends, mut done, mut from) = (Vec::new(), 0.0, 0);
    for (at, work) in work.iter().enumerate() {
        done += work;
        if done >= each * (ends.len() + 1) as f64 {
            // Of the places since the last end, the one where least crosses; of equal ones the last.
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

/// By place between forward ops, bytes that are made in front of it and read behind it.
fn crossing(graph: &SearchGraph<'_>, forward: &[usize]) -> Vec<f64> {
    let SearchGraph { program, groups, .. } = graph;
    let mut position = vec![usize::MAX; groups.nodes.len()];
    forward.iter().enumerate().for_each(|(at, &node)| position[node] = at);
    let mut change = vec![0i128; forward.len() + 1];
    for (value, flow) in &groups.flows {
        let Some(made) = flow.maker.map(|(maker, _)| position[maker]).filter(|&made| made != usize::MAX) else {
            continue;
        };
        let readers =
            flow.readers.iter().map(|&(reader, _)| position[reader]).filter(|&at| at != usize::MAX && at > made);
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
    /// What each layer comes to with these layouts, for one of so many micro-batches.
    pub(crate) fn layer_costs(
        &mut self,
        layers: &Layers,
        assumptions: &Assumptions,
        choice: &[usize],
        micro_batches: u64,
    ) -> Vec<LayerCost> {
        let mut row = vec![LayerCost::default(); layers.count];
        let parts = micro_batches.max(1) as f64;
        for (node, &layer) in layers.of_node.iter().enumerate() {
            row[layer].seconds += self.kernels(node, choice) / parts;
        }
        let of_value = |value: ValueId| layers.of_value[value.index()].unwrap_or(0);
        for (value, seconds) in self.moves(assumptions, choice) {
            row[of_value(value)].seconds += seconds / parts;
        }
        for (value, when, bytes) in self.held(choice) {
            let layer = &mut row[of_value(value)];
            match when {
                When::Between => layer.alive += bytes,
                When::Always | When::Copied | When::Behind => layer.kept += bytes,
            }
        }
        row
    }
}
