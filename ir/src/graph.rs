//! A function as a graph for petgraph: operations are nodes, and a value is an edge from the operation that makes it to
//! each one that uses it (once for every operand).
//!
//! [`OpGraph`] implements petgraph's visit traits, so that toposort, dominators, strongly connected components,
//! reachability and dot output come from there. A program keeps no list of users; the graph is that list, built in
//! linear time.

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

/// The operations of one function and the values between them.
pub struct OpGraph<'a> {
    program: &'a Program,
    body: &'a [OpId],
    /// Position in the body of each op of the program.
    position: Vec<u32>,
    /// Every use, in program order.
    uses: Vec<Use>,
    /// Uses by the position of the op that makes the value.
    outgoing: Groups,
    /// Uses by the position of the op that uses it.
    incoming: Groups,
}

/// A value on its way from the op that makes it to one that uses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The op that makes the value.
    pub from: OpId,
    /// The op that uses it.
    pub to: OpId,
    /// The value.
    pub value: ValueId,
    /// Which operand of the user it is.
    pub operand: u32,
}

/// An edge of an [`OpGraph`].
#[derive(Clone, Copy, Debug)]
pub struct UseRef<'g> {
    id: u32,
    used: &'g Use,
}

/// Positions of ops that are not in the function.
const ELSEWHERE: u32 = u32::MAX;

impl<'a> OpGraph<'a> {
    /// The graph of a function. Its ids must be in range; nothing else is asked of it.
    pub fn of(program: &'a Program, func: FuncId) -> OpGraph<'a> {
        let body = &program.funcs[func].body[..];
        let mut position = vec![ELSEWHERE; program.ops.len()];
        let mut maker: Vec<Option<OpId>> = vec![None; program.values.len()];
        for (at, &op) in (0u32..).zip(body) {
            position[op.index()] = at;
            program.ops[op].outs.iter().for_each(|out| maker[out.index()] = Some(op));
        }
        let mut uses = Vec::new();
        for &to in body {
            for (operand, &value) in (0u32..).zip(&program.ops[to].args) {
                if let Some(from) = maker[value.index()] {
                    uses.push(Use { from, to, value, operand });
                }
            }
        }
        let outgoing = Groups::new(body.len(), uses.iter().map(|u| position[u.from.index()]));
        let incoming = Groups::new(body.len(), uses.iter().map(|u| position[u.to.index()]));
        OpGraph { program, body, position, uses, outgoing, incoming }
    }

    /// The graph of the main function.
    pub fn main(program: &'a Program) -> OpGraph<'a> {
        OpGraph::of(program, program.main)
    }

    /// Graphviz text: ops with the names of their first results, values with their types.
    pub fn dot(&self) -> String {
        let edge = |_: &OpGraph<'a>, e: UseRef<'_>| format!("label = \"{}\"", self.program.ty(e.used.value));
        let node = |_: &OpGraph<'a>, (_, op): (OpId, &Op)| {
            let name = op.outs.first().map_or("", |&v| self.program.values[v].name.as_str());
            format!("label = \"{} %{name}\"", op.kind.name())
        };
        let config = [Config::NodeNoLabel, Config::EdgeNoLabel];
        format!("{:?}", Dot::with_attr_getters(self, &config, &|_, e| edge(self, e), &|_, n| node(self, n)))
    }

    fn edges_of(&self, op: OpId, direction: Direction) -> Uses<'_> {
        let groups = match direction {
            Direction::Outgoing => &self.outgoing,
            Direction::Incoming => &self.incoming,
        };
        Uses { uses: &self.uses, ids: groups.of(self.position[op.index()]) }
    }
}

/// Items numbered in order and sorted into groups, by counting.
struct Groups {
    /// Where each group starts in `items`, and the end of the last one.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Groups {
    fn new(groups: usize, keys: impl Iterator<Item = u32> + Clone) -> Groups {
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
        Groups { starts, items }
    }

    fn of(&self, group: u32) -> slice::Iter<'_, u32> {
        let g = group as usize;
        self.items[self.starts[g] as usize..self.starts[g + 1] as usize].iter()
    }
}

/// The edges of an op in one direction.
#[derive(Clone)]
pub struct Uses<'g> {
    uses: &'g [Use],
    ids: slice::Iter<'g, u32>,
}

impl<'g> Iterator for Uses<'g> {
    type Item = UseRef<'g>;
    fn next(&mut self) -> Option<UseRef<'g>> {
        self.ids.next().map(|&id| UseRef { id, used: &self.uses[id as usize] })
    }
}

/// The ops at the other end of an op's edges; one that uses a value twice comes twice.
#[derive(Clone)]
pub struct Neighbors<'g> {
    uses: Uses<'g>,
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

/// Every edge, in program order.
#[derive(Clone)]
pub struct AllUses<'g>(std::iter::Enumerate<slice::Iter<'g, Use>>);

impl<'g> Iterator for AllUses<'g> {
    type Item = UseRef<'g>;
    fn next(&mut self) -> Option<UseRef<'g>> {
        self.0.next().map(|(id, used)| UseRef { id: id as u32, used })
    }
}

/// Every op with its data, in program order.
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

impl<'g> EdgeRef for UseRef<'g> {
    type NodeId = OpId;
    type EdgeId = u32;
    type Weight = Use;
    fn source(&self) -> OpId {
        self.used.from
    }
    fn target(&self) -> OpId {
        self.used.to
    }
    fn weight(&self) -> &Use {
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
    type EdgeWeight = Use;
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

/// The ops that a traversal has visited.
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
    type EdgeRef = UseRef<'g>;
    type EdgeReferences = AllUses<'g>;
    fn edge_references(self) -> AllUses<'g> {
        AllUses(self.uses.iter().enumerate())
    }
}

impl<'g> IntoEdges for &'g OpGraph<'_> {
    type Edges = Uses<'g>;
    fn edges(self, op: OpId) -> Uses<'g> {
        self.edges_of(op, Direction::Outgoing)
    }
}

impl<'g> IntoEdgesDirected for &'g OpGraph<'_> {
    type EdgesDirected = Uses<'g>;
    fn edges_directed(self, op: OpId, direction: Direction) -> Uses<'g> {
        self.edges_of(op, direction)
    }
}
