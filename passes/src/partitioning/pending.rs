//! Where partial sums are reduced.
//!
//! An op whose reduction is split leaves its result pending. The sum may flow on through every op that is linear in it,
//! and somewhere it must be reduced: before each reader that is not linear. Reducing later is cheaper where sums meet
//! (`q + k + v` is reduced once, not three times) and dearer where a value has grown on the way. The cheapest set of
//! places is a minimum cut: every value that may be pending is an edge as heavy as its bytes, partial results are the
//! source, and readers that need the final value are the sink. Among the cheapest cuts one is taken by [`When`].

use crate::driver::variant::When;
use partita_ir::arena::{Id, ValueId};
use partita_ir::layout::{Monoid, Pending};
use partita_ir::mesh::Axes;
use partita_ir::rule::Rule;
use petgraph::graph::DiGraph;
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What is pending on a value.
pub type PendingSet = SmallVec<[Pending; 1]>;

/// One op, as far as pending sums are concerned.
pub struct Step<'a> {
    /// Its rule.
    pub rule: &'a Rule,
    /// The axes of each factor.
    pub factors: &'a [Axes],
    /// Its operands.
    pub args: &'a [ValueId],
    /// Whether each operand is taken as it lies; one that must be resharded is reduced on the way.
    pub as_it_lies: SmallVec<[bool; 3]>,
    /// Its results.
    pub outs: &'a [ValueId],
    /// Results that come pending whatever its own reductions do: what a loop carries so.
    pub given: SmallVec<[(ValueId, Pending); 1]>,
}

/// A pending sum that may flow through a step, from those operands to its result.
struct Flow {
    out: ValueId,
    from: SmallVec<[ValueId; 2]>,
}

/// Operands of a step, by number.
type Operands = SmallVec<[usize; 2]>;

/// Where one pending axis may go.
#[derive(Default)]
struct Region {
    /// Values that may be pending, in program order.
    values: Vec<ValueId>,
    /// Those of them where partial sums arise, or must stay.
    sources: Vec<ValueId>,
    flows: Vec<Flow>,
    /// Values that somebody needs reduced, whatever is decided.
    needed: Vec<ValueId>,
}

/// What is pending on each value: the result of the minimum cuts. `zero` says which values are zero, and so as good
/// pending as not; `bytes` what reducing a value moves; `finals` are the values that leave the function. What is
/// `asked` to be pending is, where it may be.
pub fn place_reductions<'a>(
    steps: &[Step<'_>],
    finals: &[ValueId],
    asked: &dyn Fn(ValueId) -> &'a [Pending],
    zero: &dyn Fn(ValueId) -> bool,
    bytes: &dyn Fn(ValueId) -> u64,
    when: When,
    values: usize,
) -> Vec<PendingSet> {
    let mut may: Vec<PendingSet> = vec![PendingSet::new(); values];
    let mut pending: Vec<PendingSet> = vec![PendingSet::new(); values];
    let mut regions: FxHashMap<Pending, usize> = FxHashMap::default();
    let mut list: Vec<(Pending, Region)> = Vec::new();
    for step in steps {
        let own = step.rule.pending(step.factors);
        let arriving: PendingSet = union(step.args.iter().map(|a| &may[a.index()]));
        for &sum in &arriving {
            let flow = flow(step, sum, &may, zero);
            let region = &mut list[regions[&sum]].1;
            for (number, &arg) in step.args.iter().enumerate().filter(|(_, a)| may[a.index()].contains(&sum)) {
                // Of `x * x` only one operand may be pending.
                if !flow.as_ref().is_some_and(|(_, operands)| operands.contains(&number)) {
                    region.needed.push(arg);
                }
            }
            if let Some((flow, _)) = flow {
                region.values.push(flow.out);
                may[flow.out.index()].push(sum);
                region.flows.push(flow);
            }
        }
        for &out in step.outs {
            let given = step.given.iter().filter(|(v, _)| *v == out).map(|(_, sum)| *sum);
            let own: PendingSet = own.iter().copied().chain(given).collect();
            for &sum in &own {
                let at = *regions.entry(sum).or_insert_with(|| {
                    list.push((sum, Region::default()));
                    list.len() - 1
                });
                list[at].1.values.push(out);
                list[at].1.sources.push(out);
                may[out.index()].push(sum);
            }
            pending[out.index()].extend(own.iter().copied());
            for sum in asked(out).iter().filter(|sum| may[out.index()].contains(sum) && !own.contains(sum)) {
                list[regions[sum]].1.sources.push(out);
            }
        }
    }
    for &value in finals {
        for sum in &may[value.index()] {
            list[regions[sum]].1.needed.push(value);
        }
    }
    for (sum, region) in &list {
        for value in region.cut(bytes, when) {
            if !pending[value.index()].contains(sum) {
                pending[value.index()].push(*sum);
            }
        }
    }
    for set in &mut pending {
        set.sort_unstable();
    }
    pending
}

fn union<'s>(sets: impl Iterator<Item = &'s PendingSet>) -> PendingSet {
    let mut all = PendingSet::new();
    for &p in sets.flatten() {
        if !all.contains(&p) {
            all.push(p);
        }
    }
    all
}

/// The operands of one linear set of the rule, if the sum may flow through all of them.
pub fn linear_args(
    rule: &Rule,
    sum: Pending,
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

/// How a sum may flow through a step, and by which operands.
fn flow(step: &Step<'_>, sum: Pending, may: &[PendingSet], zero: &dyn Fn(ValueId) -> bool) -> Option<(Flow, Operands)> {
    if step.factors.iter().flatten().any(|a| a.overlaps(sum.0)) {
        return None;
    }
    let [out] = step.outs else { return None };
    let pending = |a: usize| may[step.args[a].index()].contains(&sum) && step.as_it_lies[a];
    let members = linear_args(step.rule, sum, pending, |a| zero(step.args[a]))?;
    let operands: Operands = members.into_iter().filter(|&a| pending(a)).collect();
    Some((Flow { out: *out, from: operands.iter().map(|&a| step.args[a]).collect() }, operands))
}

impl Region {
    /// The values that stay pending. Values that are not connected by flows are cut one by one without a search: what
    /// is a source stays pending, and is reduced for its readers.
    fn cut(&self, bytes: &dyn Fn(ValueId) -> u64, when: When) -> Vec<ValueId> {
        if self.flows.is_empty() {
            return self.sources.clone();
        }
        let mut stay = Vec::new();
        for part in self.components() {
            stay.extend(part.cut_component(bytes, when));
        }
        stay
    }

    /// The parts of the region that are connected by flows, in program order.
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
        for &v in &self.needed {
            let at = part(v, &mut parts);
            parts[at].needed.push(v);
        }
        for flow in &self.flows {
            let at = part(flow.out, &mut parts);
            parts[at].flows.push(Flow { out: flow.out, from: flow.from.clone() });
        }
        parts
    }

    /// The minimum cut of one component. Each value has two nodes: `made` (on the source's side when the value is
    /// pending) and `read` (on the source's side when all its readers take it pending); the edge between them is the
    /// reduction. The search starts from the flow that goes straight along the program, which is nearly all of it.
    fn cut_component(&self, bytes: &dyn Fn(ValueId) -> u64, when: When) -> Vec<ValueId> {
        if self.flows.is_empty() {
            return self.sources.clone();
        }
        const FOREVER: u64 = 1 << 60;
        let straight = self.straight_flow(|v| bytes(v).clamp(1, FOREVER >> 20));
        let mut graph: DiGraph<(), u64> = DiGraph::new();
        let (source, sink) = (graph.add_node(()), graph.add_node(()));
        let nodes: Vec<_> = self.values.iter().map(|_| (graph.add_node(()), graph.add_node(()))).collect();
        // The capacities that the straight flow leaves, and what of it could be taken back.
        for (&(made, read), edge) in nodes.iter().zip(&straight.values) {
            graph.add_edge(made, read, edge.room);
            graph.add_edge(read, made, edge.flow);
            if edge.starts {
                graph.add_edge(source, made, FOREVER);
            }
            if edge.ends {
                graph.add_edge(read, sink, FOREVER);
            }
        }
        for link in &straight.links {
            let ((made, read), out) = (nodes[link.from], nodes[link.to].0);
            graph.add_edge(read, out, FOREVER); // a final result needs final operands
            graph.add_edge(out, made, FOREVER); // a pending result needs pending operands
            graph.add_edge(out, read, link.flow);
        }
        let (_, flows) = petgraph::algo::ford_fulkerson(&graph, source, sink);
        // In the residual graph what the source reaches is the smallest source side, and what cannot reach the sink the
        // largest.
        let (start, direction) = match when {
            When::Latest => (sink, petgraph::Direction::Incoming),
            When::Earliest | When::AtOnce => (source, petgraph::Direction::Outgoing),
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
        let stays = |made: usize| reached[made] != (when == When::Latest);
        self.values.iter().zip(&nodes).filter(|(_, n)| stays(n.0.index())).map(|(&v, _)| v).collect()
    }

    /// A blocking flow from where sums arise to where they are needed, along the program only (Dinitz 1970). `weight`
    /// is what reducing a value costs.
    fn straight_flow(&self, weight: impl Fn(ValueId) -> u64) -> StraightFlow {
        let index: FxHashMap<ValueId, usize> = self.values.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let edge = |&v: &ValueId| ValueEdge { room: weight(v), flow: 0, starts: false, ends: false };
        let mut values: Vec<ValueEdge> = self.values.iter().map(edge).collect();
        self.sources.iter().for_each(|v| values[index[v]].starts = true);
        self.needed.iter().for_each(|v| values[index[v]].ends = true);
        let link = |flow: &Flow, from| Link { from: index[from], to: index[&flow.out], flow: 0 };
        let mut links: Vec<Link> = self.flows.iter().flat_map(|f| f.from.iter().map(move |v| link(f, v))).collect();
        // Links in the order of where they start, so that those of one value are a range; `next` is the first that may
        // still lead on.
        links.sort_by_key(|l| l.from);
        let ends_before = |v: usize| links.partition_point(|l| l.from < v);
        let mut next: Vec<usize> = (0..values.len()).map(ends_before).collect();
        let last = [&next[1..], &[links.len()]].concat();
        for start in self.sources.iter().map(|v| index[v]) {
            let mut path = vec![start];
            while let Some(&v) = path.last() {
                if values[v].room > 0 && !values[v].ends && next[v] < last[v] {
                    path.push(links[next[v]].to);
                    continue;
                }
                if values[v].room > 0 && values[v].ends {
                    let more = path.iter().map(|&v| values[v].room).min().unwrap_or(0);
                    for &v in &path {
                        values[v].room -= more;
                        values[v].flow += more;
                    }
                    path[..path.len() - 1].iter().for_each(|&v| links[next[v]].flow += more);
                    let full = path.iter().position(|&v| values[v].room == 0).unwrap_or(0);
                    path.truncate(full + 1);
                }
                path.pop();
                path.last().into_iter().for_each(|&v| next[v] += 1);
            }
        }
        StraightFlow { values, links }
    }
}

/// The flow through the values of a component and along its links.
struct StraightFlow {
    values: Vec<ValueEdge>,
    links: Vec<Link>,
}

/// The edge that reducing a value is.
struct ValueEdge {
    /// What it can still carry.
    room: u64,
    flow: u64,
    /// Whether a sum arises here.
    starts: bool,
    /// Whether the value is needed reduced.
    ends: bool,
}

/// A pending sum may flow from a value to another.
struct Link {
    from: usize,
    to: usize,
    flow: u64,
}
