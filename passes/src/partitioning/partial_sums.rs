//! Placement of the reductions of partial sums.
//!
//! An op whose reduced dimension is sharded leaves its result partial. The partial sum may pass through every op that
//! is linear in it, and must be reduced before each other reader. Later reductions are cheaper where partial sums are
//! added (`q + k + v` is reduced once, not three times) and more expensive where a value has grown in the meantime. The
//! cheapest placement is a minimum cut: every value that may be partial is an edge with its bytes as capacity, partial
//! results are the source, and readers that need the reduced value are the sink. [`ReductionPlacement`] selects among
//! the minimum cuts.

use crate::driver::variant::ReductionPlacement;
use partita_ir::arena::{Id, ValueId};
use partita_ir::layout::{Monoid, PartialAxis};
use partita_ir::mesh::Axes;
use partita_ir::rule::Rule;
use petgraph::graph::DiGraph;
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Partial axes of a value.
pub type PartialSums = SmallVec<[PartialAxis; 1]>;

/// An op as input of the placement.
pub struct ReductionInput<'a> {
    /// Sharding rule.
    pub rule: &'a Rule,
    /// Axes of each factor.
    pub factors: &'a [Axes],
    /// Operands.
    pub args: &'a [ValueId],
    /// For each operand, true if it is read without resharding. A reshard also reduces.
    pub unresharded: SmallVec<[bool; 3]>,
    /// Partial sums that pass through the op although its operand is resharded, because the op states its layout.
    pub restated: &'a [PartialAxis],
    /// Results.
    pub outs: &'a [ValueId],
    /// Results that are partial independently of the op's own reductions: partial values carried by a loop.
    pub carried: SmallVec<[(ValueId, PartialAxis); 1]>,
}

/// A partial sum that may pass through an op, from the operands `from` to its result.
struct SumFlow {
    out: ValueId,
    from: SmallVec<[ValueId; 2]>,
}

/// Operand indices.
type OperandIndices = SmallVec<[usize; 2]>;

/// Values through which the partial sums of one axis may pass.
#[derive(Default)]
struct Region {
    /// Values that may be partial, in program order.
    values: Vec<ValueId>,
    /// Values whose op leaves partial sums, or whose layout demands them.
    sources: Vec<ValueId>,
    flows: Vec<SumFlow>,
    /// Values with a reader that needs them reduced.
    needed_reduced: Vec<ValueId>,
}

/// Returns the partial axes of each value, by minimum cuts.
///
/// `results` are the results of the function. `demanded` returns the partial axes that a layout demands, which are
/// granted where possible. `zero` returns true for values that are zero, which are also partial zeros. `bytes` returns
/// the size of a value's reduction. `values` is the number of values of the program.
pub fn place_reductions<'a>(
    steps: &[ReductionInput<'_>],
    results: &[ValueId],
    demanded: &dyn Fn(ValueId) -> &'a [PartialAxis],
    zero: &dyn Fn(ValueId) -> bool,
    bytes: &dyn Fn(ValueId) -> u64,
    placement: ReductionPlacement,
    values: usize,
) -> Vec<PartialSums> {
    let mut possible: Vec<PartialSums> = vec![PartialSums::new(); values];
    let mut partial: Vec<PartialSums> = vec![PartialSums::new(); values];
    let mut regions: FxHashMap<PartialAxis, usize> = FxHashMap::default();
    let mut list: Vec<(PartialAxis, Region)> = Vec::new();
    for step in steps {
        let own = step.rule.partial_axes(step.factors);
        let arriving: PartialSums = union(step.args.iter().map(|a| &possible[a.index()]));
        for &sum in &arriving {
            let flow = flow_through(step, sum, &possible, zero);
            let region = &mut list[regions[&sum]].1;
            for (number, &arg) in step.args.iter().enumerate().filter(|(_, a)| possible[a.index()].contains(&sum)) {
                // Only one operand of `x * x` may be partial.
                if !flow.as_ref().is_some_and(|(_, operands)| operands.contains(&number)) {
                    region.needed_reduced.push(arg);
                }
            }
            if let Some((flow, _)) = flow {
                region.values.push(flow.out);
                possible[flow.out.index()].push(sum);
                region.flows.push(flow);
            }
        }
        for &out in step.outs {
            let carried = step.carried.iter().filter(|(v, _)| *v == out).map(|(_, sum)| *sum);
            let own: PartialSums = own.iter().copied().chain(carried).collect();
            for &sum in &own {
                let at = *regions.entry(sum).or_insert_with(|| {
                    list.push((sum, Region::default()));
                    list.len() - 1
                });
                list[at].1.values.push(out);
                list[at].1.sources.push(out);
                possible[out.index()].push(sum);
            }
            partial[out.index()].extend(own.iter().copied());
            for sum in demanded(out).iter().filter(|sum| possible[out.index()].contains(sum) && !own.contains(sum)) {
                list[regions[sum]].1.sources.push(out);
            }
        }
    }
    for &value in results {
        for sum in &possible[value.index()] {
            list[regions[sum]].1.needed_reduced.push(value);
        }
    }
    for (sum, region) in &list {
        for value in region.cut(bytes, placement) {
            if !partial[value.index()].contains(sum) {
                partial[value.index()].push(*sum);
            }
        }
    }
    for set in &mut partial {
        set.sort_unstable();
    }
    partial
}

fn union<'s>(sets: impl Iterator<Item = &'s PartialSums>) -> PartialSums {
    let mut all = PartialSums::new();
    for &p in sets.flatten() {
        if !all.contains(&p) {
            all.push(p);
        }
    }
    all
}

/// Returns the operands of one linear set of the rule through which the partial sum may pass.
pub fn linear_args(
    rule: &Rule,
    sum: PartialAxis,
    pending: impl Fn(usize) -> bool,
    zero: impl Fn(usize) -> bool,
) -> Option<SmallVec<[usize; 2]>> {
    if sum.1 != Monoid::Sum {
        return (rule.moves && pending(0)).then(|| SmallVec::from_slice(&[0]));
    }
    rule.linear.iter().find_map(|set| {
        let members: SmallVec<[usize; 2]> = (0..rule.args.len()).filter(|&a| set.has(a)).collect();
        let flows = members.iter().any(|&a| pending(a)) && members.iter().all(|&a| pending(a) || zero(a));
        flows.then_some(members)
    })
}

/// Returns the flow of a partial sum through an op, and the operands it passes through.
fn flow_through(
    step: &ReductionInput<'_>,
    sum: PartialAxis,
    possible: &[PartialSums],
    zero: &dyn Fn(ValueId) -> bool,
) -> Option<(SumFlow, OperandIndices)> {
    if step.factors.iter().flatten().any(|a| a.overlaps(sum.0)) {
        return None;
    }
    let [out] = step.outs else { return None };
    let is_restated = step.restated.contains(&sum);
    let pending = |a: usize| possible[step.args[a].index()].contains(&sum) && (step.unresharded[a] || is_restated);
    let members = linear_args(step.rule, sum, pending, |a| zero(step.args[a]))?;
    let operands: OperandIndices = members.into_iter().filter(|&a| pending(a)).collect();
    Some((SumFlow { out: *out, from: operands.iter().map(|&a| step.args[a]).collect() }, operands))
}

impl Region {
    /// Returns the values that stay partial. Without flows no cut is needed: sources stay partial and are reduced for
    /// their readers.
    fn cut(&self, bytes: &dyn Fn(ValueId) -> u64, placement: ReductionPlacement) -> Vec<ValueId> {
        if self.flows.is_empty() {
            return self.sources.clone();
        }
        if placement == ReductionPlacement::AtReader {
            return self.values.clone();
        }
        let mut stay = Vec::new();
        for part in self.components() {
            stay.extend(part.cut_component(bytes, placement));
        }
        stay
    }

    /// Returns the subregions that are connected by flows, in program order.
    fn components(&self) -> Vec<Region> {
        let index: FxHashMap<ValueId, usize> = self.values.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let mut sets = petgraph::unionfind::UnionFind::new(self.values.len());
        for flow in &self.flows {
            for from in &flow.from {
                sets.union(index[&flow.out], index[from]);
            }
        }
        let mut parts: Vec<Region> = Vec::new();
        let mut of: FxHashMap<usize, usize> = FxHashMap::default();
        let mut part = |v: ValueId, parts: &mut Vec<Region>| {
            *of.entry(sets.find(index[&v])).or_insert_with(|| {
                parts.push(Region::default());
                parts.len() - 1
            })
        };
        for &v in &self.values {
            let at = part(v, &mut parts);
            parts[at].values.push(v);
        }
        for &v in &self.sources {
            let at = part(v, &mut parts);
            parts[at].sources.push(v);
        }
        for &v in &self.needed_reduced {
            let at = part(v, &mut parts);
            parts[at].needed_reduced.push(v);
        }
        for flow in &self.flows {
            let at = part(flow.out, &mut parts);
            parts[at].flows.push(SumFlow { out: flow.out, from: flow.from.clone() });
        }
        parts
    }

    /// Computes the minimum cut of a connected region. Each value has two nodes: `made` (on the source side if the
    /// value is partial) and `read` (on the source side if all its readers take it partial). The edge between them is
    /// the reduction. The augmentation starts from a blocking flow in program order, which is nearly the maximum flow.
    fn cut_component(&self, bytes: &dyn Fn(ValueId) -> u64, placement: ReductionPlacement) -> Vec<ValueId> {
        if self.flows.is_empty() {
            return self.sources.clone();
        }
        if placement == ReductionPlacement::AtReader {
            return self.values.clone();
        }
        const UNBOUNDED_CAPACITY: u64 = 1 << 60;
        let blocking = self.blocking_flow(|v| bytes(v).clamp(1, UNBOUNDED_CAPACITY >> 20));
        let mut graph: DiGraph<(), u64> = DiGraph::new();
        let (source, sink) = (graph.add_node(()), graph.add_node(()));
        let nodes: Vec<_> = self.values.iter().map(|_| (graph.add_node(()), graph.add_node(()))).collect();
        // Residual capacities after the blocking flow.
        for (&(made, read), edge) in nodes.iter().zip(&blocking.values) {
            graph.add_edge(made, read, edge.residual);
            graph.add_edge(read, made, edge.flow);
            if edge.is_source {
                graph.add_edge(source, made, UNBOUNDED_CAPACITY);
            }
            if edge.is_sink {
                graph.add_edge(read, sink, UNBOUNDED_CAPACITY);
            }
        }
        for link in &blocking.links {
            let ((made, read), out) = (nodes[link.from], nodes[link.to].0);
            graph.add_edge(read, out, UNBOUNDED_CAPACITY); // a reduced result needs reduced operands
            graph.add_edge(out, made, UNBOUNDED_CAPACITY); // a partial result needs partial operands
            graph.add_edge(out, read, link.flow);
        }
        let (_, flows) = petgraph::algo::ford_fulkerson(&graph, source, sink);
        // In the residual graph, the nodes reachable from the source are the smallest source side, and those that
        // cannot reach the sink the largest.
        let (start, direction) = match placement {
            ReductionPlacement::Latest | ReductionPlacement::AtReader => (sink, petgraph::Direction::Incoming),
            ReductionPlacement::Earliest | ReductionPlacement::AtProducer => (source, petgraph::Direction::Outgoing),
        };
        let mut reached = vec![false; graph.node_count()];
        let mut todo = vec![start];
        reached[start.index()] = true;
        while let Some(node) = todo.pop() {
            let with = graph.edges_directed(node, direction);
            let with = with.filter(|e| flows[e.id().index()] < *e.weight());
            let against = graph.edges_directed(node, direction.opposite());
            let against = against.filter(|e| flows[e.id().index()] > 0);
            for edge in with.chain(against) {
                let next = if edge.source() == node { edge.target() } else { edge.source() };
                if !std::mem::replace(&mut reached[next.index()], true) {
                    todo.push(next);
                }
            }
        }
        let stays = |node: usize| reached[node] != (placement == ReductionPlacement::Latest);
        self.values.iter().zip(&nodes).filter(|(_, n)| stays(n.0.index())).map(|(&v, _)| v).collect()
    }

    /// Computes a blocking flow from sources to needed values, in program order only (Dinitz 1970). `weight` is the
    /// capacity of a value: the cost of reducing it.
    fn blocking_flow(&self, weight: impl Fn(ValueId) -> u64) -> BlockingFlow {
        let index: FxHashMap<ValueId, usize> = self.values.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let edge = |&v: &ValueId| ValueEdge { residual: weight(v), flow: 0, is_source: false, is_sink: false };
        let mut values: Vec<ValueEdge> = self.values.iter().map(edge).collect();
        self.sources.iter().for_each(|v| values[index[v]].is_source = true);
        self.needed_reduced.iter().for_each(|v| values[index[v]].is_sink = true);
        let link = |flow: &SumFlow, from| FlowLink { from: index[from], to: index[&flow.out], flow: 0 };
        let mut links: Vec<FlowLink> = self.flows.iter().flat_map(|f| f.from.iter().map(move |v| link(f, v))).collect();
        // Links are sorted by origin, so that those of one value are contiguous. `next` is the first link that is not
        // exhausted.
        links.sort_by_key(|l| l.from);
        let ends_before = |v: usize| links.partition_point(|l| l.from < v);
        let mut next: Vec<usize> = (0..values.len()).map(ends_before).collect();
        let last = [&next[1..], &[links.len()]].concat();
        for start in self.sources.iter().map(|v| index[v]) {
            let mut path = vec![start];
            while let Some(&v) = path.last() {
                if values[v].residual > 0 && !values[v].is_sink && next[v] < last[v] {
                    path.push(links[next[v]].to);
                    continue;
                }
                if values[v].residual > 0 && values[v].is_sink {
                    let more = path.iter().map(|&v| values[v].residual).min().unwrap_or(0);
                    for &v in &path {
                        values[v].residual -= more;
                        values[v].flow += more;
                    }
                    path[..path.len() - 1].iter().for_each(|&v| links[next[v]].flow += more);
                    let full = path.iter().position(|&v| values[v].residual == 0).unwrap_or(0);
                    path.truncate(full + 1);
                }
                path.pop();
                path.last().into_iter().for_each(|&v| next[v] += 1);
            }
        }
        BlockingFlow { values, links }
    }
}

/// Blocking flow through the values of a component and along its links.
struct BlockingFlow {
    values: Vec<ValueEdge>,
    links: Vec<FlowLink>,
}

/// The reduction of a value, as an edge of the flow network.
struct ValueEdge {
    /// Residual capacity.
    residual: u64,
    flow: u64,
    /// True if a partial sum originates here.
    is_source: bool,
    /// True if the value is needed reduced.
    is_sink: bool,
}

/// A possible flow of a partial sum from one value to another.
struct FlowLink {
    from: usize,
    to: usize,
    flow: u64,
}
