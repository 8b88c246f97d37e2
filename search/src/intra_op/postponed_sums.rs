//! Values in which partial sums can be reduced instead of an earlier one: partial sums pass through ops that are linear
//! in one operand (the pass `insert-reshards`), and a later value can be smaller.

use super::layout_space::LayoutSpace;
use super::search_graph::SearchGraph;
use partita_ir::arena::{Id, ValueId};
use partita_ir::program::Op;
use partita_ir::rule::ArgSet;

impl LayoutSpace<'_> {
    /// Returns the least bytes of all devices together that are reduced if each value is partial: those of the value,
    /// or of the results of its readers, if all of them pass partial sums on.
    pub(super) fn least_reduced_bytes(&self) -> Vec<f64> {
        let SearchGraph { program, groups, .. } = self.graph;
        let mut least: Vec<f64> = program.values.iter().map(|(_, value)| value.ty.bytes() as f64).collect();
        let result_of = |(node, arg): (usize, usize)| -> Option<ValueId> {
            let node = &groups.nodes[node];
            let Op { outs, .. } = &program.ops[node.op];
            let is_linear = node.rule.linear.contains(&ArgSet::from_args([arg]));
            outs.first().copied().filter(|_| is_linear && outs.len() == 1)
        };
        let is_output = |value: ValueId| program.outputs().iter().any(|output| output.value == value);
        for node in groups.nodes.iter().rev() {
            for &value in &program.ops[node.op].outs {
                let Some(def_use) = groups.def_use(value).filter(|_| !is_output(value)) else { continue };
                let results = def_use.uses.iter().map(|&reader| result_of(reader).map(|result| least[result.index()]));
                // A reader that does not pass partial sums on needs the value.
                let later = results.collect::<Option<Vec<f64>>>().filter(|all| !all.is_empty());
                let later = later.map_or(f64::INFINITY, |all| all.into_iter().fold(0.0, f64::max));
                least[value.index()] = least[value.index()].min(later);
            }
        }
        least
    }
}
