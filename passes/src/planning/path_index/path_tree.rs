//! Paths as a tree of segments: a glob visits only those whose first segments match.

use partita_ir::plan::path::{Pattern, matches_segment};
use rustc_hash::FxHashMap;

/// Items with paths, of which a level of the tree compares one segment.
pub(super) struct PathTree<'p, T> {
    /// The root is first.
    nodes: Vec<Node<'p, T>>,
}

/// The paths with certain first segments.
struct Node<'p, T> {
    /// Index of the node of each next segment.
    children: FxHashMap<&'p str, usize>,
    /// Items whose paths end here.
    items: Vec<T>,
}

impl<'p, T: Copy + Ord> PathTree<'p, T> {
    /// Creates the tree of paths and their items.
    pub(super) fn new(paths: impl IntoIterator<Item = (&'p str, T)>) -> PathTree<'p, T> {
        let node = || Node { children: FxHashMap::default(), items: Vec::new() };
        let mut nodes = vec![node()];
        for (path, item) in paths {
            let mut at = 0;
            for segment in path.split('.') {
                let new = nodes.len();
                at = *nodes[at].children.entry(segment).or_insert(new);
                if at == new {
                    nodes.push(node());
                }
            }
            nodes[at].items.push(item);
        }
        PathTree { nodes }
    }

    /// Returns the sorted items whose paths match a pattern. If the pattern names values, `%` is ignored.
    pub(super) fn matching(&self, pattern: &Pattern<'_>) -> Vec<T> {
        let text = pattern.text.strip_prefix('%').unwrap_or(pattern.text);
        let mut reached = vec![0];
        for segment in text.split('.') {
            reached = self.follow(&reached, segment);
        }
        let mut items: Vec<T> = reached.into_iter().flat_map(|at| &self.nodes[at].items).copied().collect();
        items.sort_unstable();
        items
    }

    /// Returns the nodes that a segment of a pattern leads to, each once.
    fn follow(&self, from: &[usize], segment: &str) -> Vec<usize> {
        if segment == "**" {
            return self.descendants(from);
        }
        let nodes = from.iter().map(|&at| &self.nodes[at]);
        if !segment.contains('*') {
            return nodes.filter_map(|node| node.children.get(segment).copied()).collect();
        }
        let children = nodes.flat_map(|node| &node.children);
        children.filter(|(text, _)| matches_segment(segment, text)).map(|(_, &child)| child).collect()
    }

    /// Returns nodes and all nodes below them, each once.
    fn descendants(&self, from: &[usize]) -> Vec<usize> {
        let mut is_found = vec![false; self.nodes.len()];
        let (mut found, mut left) = (Vec::new(), from.to_vec());
        while let Some(at) = left.pop() {
            if !std::mem::replace(&mut is_found[at], true) {
                found.push(at);
                left.extend(self.nodes[at].children.values());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{PathTree, Pattern};
    use proptest::prelude::*;

    proptest! {
        /// A tree finds the paths that the pattern matches one by one.
        #[test]
        fn trees_find_what_patterns_match(
            paths in prop::collection::vec("[ab1]{1,2}(\\.[ab1]{1,2}){0,3}", 0..40),
            pattern in "(\\*\\*|[ab1*]{1,3})(\\.(\\*\\*|[ab1*]{1,3})){0,3}",
        ) {
            let pattern = Pattern::new(&pattern);
            let expected: Vec<usize> = (0..paths.len()).filter(|&i| pattern.matches(&paths[i])).collect();
            let tree = PathTree::new(paths.iter().enumerate().map(|(i, path)| (path.as_str(), i)));
            prop_assert_eq!(tree.matching(&pattern), expected);
        }
    }
}
