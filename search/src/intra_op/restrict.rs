//! Restriction of layouts to fixed ones.

use super::layout_space::LayoutSpace;
use crate::problem::FixedLayouts;
use crate::target::TargetRules;
use partita_ir::mesh::DeviceMesh;

impl LayoutSpace<'_> {
    /// Restricts layouts to the fixed ones. Returns the indices of entries with an axis that no layout can satisfy. A
    /// fixed layout that no op supports is left to the plan, which reshards.
    pub fn restrict_to(&mut self, fixed: &FixedLayouts) -> Vec<usize> {
        for (value, wanted) in &fixed.layouts {
            self.restrict(*value, |layout| {
                wanted.dims.iter().zip(&layout.dims).all(|(wanted, dim)| match wanted.open {
                    true => dim.axes.starts_with(&wanted.axes),
                    false => dim.axes == wanted.axes,
                })
            });
        }
        for (value, wanted) in &fixed.stores {
            self.restrict_storage(*value, wanted);
        }
        let mut broken = Vec::new();
        for (value, axis, number) in &fixed.split_along {
            if !self.restrict(*value, |layout| layout.split_axes().any(|by| by == *axis)) && !broken.contains(number) {
                broken.push(*number);
            }
        }
        broken
    }

    /// Restricts the layouts of parameters, optimizer state, inputs and outputs to those that a target can express.
    pub(crate) fn restrict_to_target(&mut self, target: &TargetRules, mesh: &DeviceMesh) {
        let program = self.graph.program;
        let outputs = program.outputs().iter().map(|output| output.value);
        for value in program.inputs().iter().copied().chain(outputs) {
            let (ty, is_param) = (program.ty(value), program.param_of(value).is_some());
            self.restrict(value, |layout| target.value_obstacle(ty, layout, mesh, is_param).is_none());
        }
    }
}
