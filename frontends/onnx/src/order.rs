//! Topological order of the nodes of graphs. ONNX requires it, but some tools append nodes at the end of a graph, and
//! ONNX Runtime sorts them.

use crate::proto::{AttributeProto, GraphProto, NodeProto};
use partita_ir::diag::{Code, Diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Maximum number of nodes of a cycle that are listed.
const MAX_LISTED: usize = 8;

/// Returns a graph in which each node follows the nodes whose results it reads, also in nested graphs. Sorted nodes
/// keep their order.
///
/// # Errors
/// Returns `F002` if nodes form a cycle.
pub fn sorted(graph: &GraphProto) -> Result<Cow<'_, GraphProto>, Diagnostic> {
    if is_sorted(graph) {
        return Ok(Cow::Borrowed(graph));
    }
    let mut graph = graph.clone();
    sort(&mut graph)?;
    Ok(Cow::Owned(graph))
}

fn is_sorted(graph: &GraphProto) -> bool {
    let in_order = dependencies(graph).iter().enumerate().all(|(i, reads)| reads.iter().all(|&node| node < i));
    in_order && graph.node.iter().flat_map(NodeProto::graphs).all(is_sorted)
}

fn sort(graph: &mut GraphProto) -> Result<(), Diagnostic> {
    for attribute in graph.node.iter_mut().flat_map(|node| &mut node.attribute) {
        let AttributeProto { g, graphs, .. } = attribute;
        g.iter_mut().chain(graphs).try_for_each(sort)?;
    }
    let order = topological_order(graph)?;
    let mut nodes: Vec<Option<NodeProto>> = std::mem::take(&mut graph.node).into_iter().map(Some).collect();
    graph.node = order.into_iter().filter_map(|node| nodes[node].take()).collect();
    Ok(())
}

/// Progress of the depth-first search at a node.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    /// Some of the nodes that it depends on are not finished.
    Open,
    Finished,
}

/// Returns the nodes of a graph in the order in which a depth-first search finishes them.
fn topological_order(graph: &GraphProto) -> Result<Vec<usize>, Diagnostic> {
    let dependencies = dependencies(graph);
    let mut visits = vec![Visit::New; dependencies.len()];
    let mut order = Vec::with_capacity(dependencies.len());
    for start in 0..dependencies.len() {
        // Each node with the number of its dependencies that have been visited.
        let mut path: Vec<(usize, usize)> = Vec::new();
        if visits[start] == Visit::New {
            path.push((start, 0));
        }
        while let Some((node, visited)) = path.last_mut() {
            visits[*node] = Visit::Open;
            match dependencies[*node].get(*visited) {
                Some(&next) => {
                    *visited += 1;
                    match visits[next] {
                        Visit::New => path.push((next, 0)),
                        Visit::Open => {
                            let cycle = path.iter().map(|&(node, _)| node).skip_while(|&node| node != next);
                            return Err(cycle_error(graph, &cycle.collect::<Vec<_>>()));
                        }
                        Visit::Finished => {}
                    }
                }
                None => {
                    visits[*node] = Visit::Finished;
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    Ok(order)
}

/// Returns for each node of a graph the nodes whose results it reads, also in its nested graphs.
fn dependencies(graph: &GraphProto) -> Vec<Vec<usize>> {
    let mut producers: FxHashMap<&str, usize> = FxHashMap::default();
    for (i, node) in graph.node.iter().enumerate() {
        for name in &node.output {
            producers.entry(name).or_insert(i);
        }
    }
    let reads = |node| node_reads(node).into_iter().filter_map(|name| producers.get(name).copied()).collect();
    graph.node.iter().map(reads).collect()
}

/// Returns the names that a node reads from its graph and the graphs around it.
fn node_reads(node: &NodeProto) -> Vec<&str> {
    let own = node.input.iter().map(String::as_str).filter(|name| !name.is_empty());
    own.chain(node.graphs().flat_map(graph_reads)).collect()
}

/// Returns the names that a nested graph reads from the graphs around it.
fn graph_reads(graph: &GraphProto) -> Vec<&str> {
    let results = graph.node.iter().flat_map(|node| &node.output);
    let inputs = graph.input.iter().map(|input| &input.name);
    let initializers = graph.initializer.iter().map(|tensor| &tensor.name);
    let bound: FxHashSet<&str> = results.chain(inputs).chain(initializers).map(String::as_str).collect();
    let outputs = graph.output.iter().map(|output| output.name.as_str());
    graph.node.iter().flat_map(node_reads).chain(outputs).filter(|name| !bound.contains(name)).collect()
}

/// Builds the error for nodes of which each reads a result of the next, and the last a result of the first.
fn cycle_error(graph: &GraphProto, cycle: &[usize]) -> Diagnostic {
    let name = |&node: &usize| {
        let node = &graph.node[node];
        match (node.name.as_str(), node.output.iter().find(|name| !name.is_empty())) {
            ("", Some(output)) => format!("the node that computes `{output}`"),
            (name, _) => format!("node `{name}`"),
        }
    };
    let mut names: Vec<String> = cycle.iter().take(MAX_LISTED).map(name).collect();
    match cycle.len().checked_sub(MAX_LISTED) {
        None | Some(0) => names.extend(cycle.first().map(name)),
        Some(more) => names.push(format!("and {more} more")),
    }
    Diagnostic::new(Code::F002, "the nodes of the graph form a cycle")
        .note(format!("each reads a result of the next one: {}", names.join(", ")))
}
