//! Topological levels of names: names without dependencies come first, and every other name is one level above its
//! highest dependency.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeMap;
use std::fmt;

/// Names in topological levels.
pub struct Order<'n> {
    /// Levels from the bottom up; each level has groups of mutually dependent names, which are single names in the
    /// absence of cycles.
    levels: Vec<Vec<Vec<&'n str>>>,
}

impl<'n> Order<'n> {
    /// Sorts names by edges from the user to the dependency; edges to other names are ignored.
    pub fn new(
        names: impl IntoIterator<Item = &'n str>,
        edges: impl IntoIterator<Item = (&'n str, &'n str)>,
    ) -> Order<'n> {
        let mut graph: DiGraph<&str, ()> = DiGraph::new();
        let nodes: BTreeMap<&str, NodeIndex> = names.into_iter().map(|name| (name, graph.add_node(name))).collect();
        for (user, used) in edges {
            if let (Some(&user), Some(&used)) = (nodes.get(user), nodes.get(used)) {
                graph.update_edge(user, used, ());
            }
        }
        let mut level_of = vec![0; nodes.len()];
        let mut levels: Vec<Vec<Vec<&str>>> = Vec::new();
        // Tarjan's algorithm yields dependencies before their users.
        for group in tarjan_scc(&graph) {
            let used = group.iter().flat_map(|&node| graph.neighbors(node)).filter(|used| !group.contains(used));
            let level = used.map(|node| level_of[node.index()] + 1).max().unwrap_or(0);
            group.iter().for_each(|node| level_of[node.index()] = level);
            let mut members: Vec<&str> = group.iter().map(|&node| graph[node]).collect();
            members.sort_unstable();
            levels.resize(levels.len().max(level + 1), Vec::new());
            levels[level].push(members);
        }
        levels.iter_mut().for_each(|level| level.sort_unstable());
        Order { levels }
    }

    /// Returns the names of each level, sorted.
    pub fn levels(&self) -> impl Iterator<Item = impl Iterator<Item = &'n str>> {
        self.levels.iter().map(|level| level.iter().flatten().copied())
    }

    /// Returns the groups of mutually dependent names.
    pub fn cycles(&self) -> impl Iterator<Item = Vec<&'n str>> {
        self.levels.iter().flatten().filter(|group| group.len() > 1).cloned()
    }
}

/// Formats levels as `a, b < c < (d, e)`, with cycles in parentheses.
impl fmt::Display for Order<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = |group: &Vec<&str>| match &group[..] {
            [name] => (*name).to_owned(),
            names => format!("({})", names.join(", ")),
        };
        let level = |level: &Vec<Vec<&str>>| level.iter().map(group).collect::<Vec<String>>().join(", ");
        f.write_str(&self.levels.iter().map(level).collect::<Vec<String>>().join(" < "))
    }
}

#[cfg(test)]
mod tests {
    use super::Order;

    fn order(names: &str, edges: &[(&str, &str)]) -> String {
        Order::new(names.split(' '), edges.iter().copied()).to_string()
    }

    #[test]
    fn each_name_is_above_its_dependencies() {
        assert_eq!(order("d c b a", &[("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")]), "c < b, d < a");
        assert_eq!(order("b a", &[("a", "elsewhere"), ("a", "b"), ("a", "b")]), "b < a");
    }

    #[test]
    fn cycles_form_one_group() {
        assert_eq!(order("z c b a", &[("a", "b"), ("b", "c"), ("c", "b"), ("b", "z")]), "z < (b, c) < a");
        assert_eq!(order("a", &[("a", "a")]), "a");
    }
}
