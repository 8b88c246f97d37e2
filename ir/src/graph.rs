//! Graph view of a function for petgraph: nodes are operations, and each use of a value as an operand is an edge from
//! the operation that defines the value to the operation that uses it.
//!
//! [`OpGraph`] implements petgraph's visit traits, which provide topological sort, dominators, strongly connected
//! components, reachability and Graphviz output. A program stores no use lists; the graph is built in linear time.

use crate::arena::{FuncId, Id, OpId, ValueId};
use crate::program::{Op, Program};
use petgraph::Direction;
use petgraph::dot::{Config, Dot};
use petgraph::visit::{
    Data, EdgeCount, EdgeRef, GraphBase, GraphProp, IntoEdgeReferences, IntoEdges, IntoEdgesDirected, IntoNeighbors,
    IntoNeighborsDirected, IntoNodeIdentifiers, IntoNodeReferences, NodeCompactIndexable, NodeCount, NodeIndexable,
    VisitMap, Visitable,
};
use std::iter::Copied;
use std::slice;

/// Operations of one function as nodes, uses of values as edges.
pub struct OpGraph<'a> {
    program: &'a Program,
    body: &'a [OpId],
    /// Position in the body of each op of the program, or [`NOT_IN_FUNCTION`].
    position: Vec<u32>,
    /// All uses, in program order.
    uses: Vec<UseEdge>,
    /// Uses grouped by the position of the defining op.
    outgoing: GroupedEdges,
    /// Uses grouped by the position of the using op.
    incoming: GroupedEdges,
}

/// Use of a value: an edge from the defining op to a using op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UseEdge {
    /// Op that defines the value.
    pub from: OpId,
    /// Op that uses the value.
    pub to: OpId,
    /// Used value.
    pub value: ValueId,
    /// Operand index at the using op.
    pub operand: u32,
}

/// Edge of an [`OpGraph`].
#[derive(Clone, Copy, Debug)]
pub struct UseEdgeRef<'g> {
    id: u32,
    used: &'g UseEdge,
}

/// Position of ops that do not belong to the function.
const NOT_IN_FUNCTION: u32 = u32::MAX;

impl<'a> OpGraph<'a> {
    /// Builds the graph of a function. Its ids must be in range; the function need not be otherwise valid.
    pub fn new(program: &'a Program, func: FuncId) -> OpGraph<'a> {
        let body = &program.funcs[func].body[..];
        let mut position = vec![NOT_IN_FUNCTION; program.ops.len()];
        let mut maker: Vec<Option<OpId>> = vec![None; program.values.len()];
        for (at, &op) in (0u32..).zip(body) {
            position[op.index()] = at;
            program.ops[op].outs.iter().for_each(|out| maker[out.index()] = Some(op));
        }
        let mut uses = Vec::new();
        for &to in body {
            for (operand, &value) in (0u32..).zip(&program.ops[to].args) {
                if let Some(from) = maker[value.index()] {
                    uses.push(UseEdge { from, to, value, operand });
                }
            }
        }
        let outgoing = GroupedEdges::new(body.len(), uses.iter().map(|u| position[u.from.index()]));
        let incoming = GroupedEdges::new(body.len(), uses.iter().map(|u| position[u.to.index()]));
        OpGraph { program, body, position, uses, outgoing, incoming }
    }

    /// Builds the graph of the main function.
    pub fn main(program: &'a Program) -> OpGraph<'a> {
        OpGraph::new(program, program.main)
    }

    /// Returns Graphviz text: ops labelled with the names of their first results, edges with the types of values.
    pub fn dot(&self) -> String {
        let edge = |_: &OpGraph<'a>, e: UseEdgeRef<'_>| format!("label = \"{}\"", self.program.ty(e.used.value));
        let node = |_: &OpGraph<'a>, (_, op): (OpId, &Op)| {
            let name = op.outs.first().map_or("", |&v| self.program.values[v].name.as_str());
            format!("label = \"{} %{name}\"", op.kind.name())
        };
        let config = [Config::NodeNoLabel, Config::EdgeNoLabel];
        format!("{:?}", Dot::with_attr_getters(self, &config, &|_, e| edge(self, e), &|_, n| node(self, n)))
    }

    fn edges_of(&self, op: OpId, direction: Direction) -> UseEdges<'_> {
        let groups = match direction {
            Direction::Outgoing => &self.outgoing,
            Direction::Incoming => &self.incoming,
        };
        UseEdges { uses: &self.uses, ids: groups.group(self.position[op.index()]) }
    }
}

/// Item indices grouped by key, built with a counting sort.
struct GroupedEdges {
    /// Start of each group in `items`, followed by the end of the last group.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl GroupedEdges {
    fn new(groups: usize, keys: impl Iterator<Item = u32> + Clone) -> GroupedEdges {
        let mut starts = vec![0u32; groups + 1];
        for key in keys.clone() {
            starts[key as usize + 1] += 1;
        }
        for g in 1..starts.len() {
            starts[g] += starts[g - 1];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[groups] as usize];
        for (item, key) in (0u32..).zip(keys) {
            items[next[key as usize] as usize] = item;
            next[key as usize] += 1;
        }
        GroupedEdges { starts, items }
    }

    fn group(&self, group: u32) -> slice::Iter<'_, u32> {
        let g = group as usize;
        self.items[self.starts[g] as usize..self.starts[g + 1] as usize].iter()
    }
}

/// Iterator over the edges of an op in one direction.
#[derive(Clone)]
pub struct UseEdges<'g> {
    uses: &'g [UseEdge],
    ids: slice::Iter<'g, u32>,
}

impl<'g> Iterator for UseEdges<'g> {
    type Item = UseEdgeRef<'g>;
    fn next(&mut self) -> Option<UseEdgeRef<'g>> {
        self.ids.next().map(|&id| UseEdgeRef { id, used: &self.uses[id as usize] })
    }
}

/// Iterator over the adjacent ops of an op. An op that uses the same value twice is returned twice.
#[derive(Clone)]
pub struct Neighbors<'g> {
    uses: UseEdges<'g>,
    direction: Direction,
}

impl Iterator for Neighbors<'_> {
    type Item = OpId;
    fn next(&mut self) -> Option<OpId> {
        self.uses.next().map(|e| match self.direction {
            Direction::Outgoing => e.used.to,
            Direction::Incoming => e.used.from,
        })
    }
}

/// Iterator over all edges, in program order.
#[derive(Clone)]
pub struct AllUseEdges<'g>(std::iter::Enumerate<slice::Iter<'g, UseEdge>>);

impl<'g> Iterator for AllUseEdges<'g> {
    type Item = UseEdgeRef<'g>;
    fn next(&mut self) -> Option<UseEdgeRef<'g>> {
        self.0.next().map(|(id, used)| UseEdgeRef { id: id as u32, used })
    }
}

/// Iterator over all ops with their data, in program order.
#[derive(Clone)]
pub struct Nodes<'g> {
    program: &'g Program,
    body: slice::Iter<'g, OpId>,
}

impl<'g> Iterator for Nodes<'g> {
    type Item = (OpId, &'g Op);
    fn next(&mut self) -> Option<(OpId, &'g Op)> {
        self.body.next().map(|&op| (op, &self.program.ops[op]))
    }
}

impl<'g> EdgeRef for UseEdgeRef<'g> {
    type NodeId = OpId;
    type EdgeId = u32;
    type Weight = UseEdge;
    fn source(&self) -> OpId {
        self.used.from
    }
    fn target(&self) -> OpId {
        self.used.to
    }
    fn weight(&self) -> &UseEdge {
        self.used
    }
    fn id(&self) -> u32 {
        self.id
    }
}

impl GraphBase for OpGraph<'_> {
    type NodeId = OpId;
    type EdgeId = u32;
}

impl Data for OpGraph<'_> {
    type NodeWeight = Op;
    type EdgeWeight = UseEdge;
}

impl GraphProp for OpGraph<'_> {
    type EdgeType = petgraph::Directed;
}

impl NodeIndexable for OpGraph<'_> {
    fn node_bound(&self) -> usize {
        self.body.len()
    }
    fn to_index(&self, op: OpId) -> usize {
        self.position[op.index()] as usize
    }
    fn from_index(&self, i: usize) -> OpId {
        self.body[i]
    }
}

impl NodeCount for OpGraph<'_> {
    fn node_count(&self) -> usize {
        self.body.len()
    }
}

impl NodeCompactIndexable for OpGraph<'_> {}

impl EdgeCount for OpGraph<'_> {
    fn edge_count(&self) -> usize {
        self.uses.len()
    }
}

impl Visitable for OpGraph<'_> {
    type Map = Visited;
    fn visit_map(&self) -> Visited {
        Visited(vec![false; self.program.ops.len()])
    }
    fn reset_map(&self, map: &mut Visited) {
        *map = self.visit_map();
    }
}

/// Set of ops that a traversal has visited.
pub struct Visited(Vec<bool>);

impl VisitMap<OpId> for Visited {
    fn visit(&mut self, op: OpId) -> bool {
        !std::mem::replace(&mut self.0[op.index()], true)
    }
    fn is_visited(&self, op: &OpId) -> bool {
        self.0[op.index()]
    }
    fn unvisit(&mut self, op: OpId) -> bool {
        std::mem::replace(&mut self.0[op.index()], false)
    }
}

impl<'g> IntoNodeIdentifiers for &'g OpGraph<'_> {
    type NodeIdentifiers = Copied<slice::Iter<'g, OpId>>;
    fn node_identifiers(self) -> Self::NodeIdentifiers {
        self.body.iter().copied()
    }
}

impl<'g> IntoNodeReferences for &'g OpGraph<'_> {
    type NodeRef = (OpId, &'g Op);
    type NodeReferences = Nodes<'g>;
    fn node_references(self) -> Nodes<'g> {
        Nodes { program: self.program, body: self.body.iter() }
    }
}

impl<'g> IntoNeighbors for &'g OpGraph<'_> {
    type Neighbors = Neighbors<'g>;
    fn neighbors(self, op: OpId) -> Neighbors<'g> {
        self.neighbors_directed(op, Direction::Outgoing)
    }
}

impl<'g> IntoNeighborsDirected for &'g OpGraph<'_> {
    type NeighborsDirected = Neighbors<'g>;
    fn neighbors_directed(self, op: OpId, direction: Direction) -> Neighbors<'g> {
        Neighbors { uses: self.edges_of(op, direction), direction }
    }
}

impl<'g> IntoEdgeReferences for &'g OpGraph<'_> {
    type EdgeRef = UseEdgeRef<'g>;
    type EdgeReferences = AllUseEdges<'g>;
    fn edge_references(self) -> AllUseEdges<'g> {
        AllUseEdges(self.uses.iter().enumerate())
    }
}

impl<'g> IntoEdges for &'g OpGraph<'_> {
    type Edges = UseEdges<'g>;
    fn edges(self, op: OpId) -> UseEdges<'g> {
        self.edges_of(op, Direction::Outgoing)
    }
}

impl<'g> IntoEdgesDirected for &'g OpGraph<'_> {
    type EdgesDirected = UseEdges<'g>;
    fn edges_directed(self, op: OpId, direction: Direction) -> UseEdges<'g> {
        self.edges_of(op, direction)
    }
}
