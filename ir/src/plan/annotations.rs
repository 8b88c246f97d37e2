//! The layouts that a model came with, as a plan.

use super::{Entry, Mesh, Plan, Written};
use crate::diag::Diagnostic;
use crate::layout::{Layout, Monoid};
use crate::mesh::{self, Axes, AxisRef};
use crate::program::Program;
use crate::syntax::attr::write_axis;
use std::fmt::Write;

impl Plan {
    /// What a traced program says itself: its mesh, and the layouts of the values of its main function, parameters and
    /// inputs by path and the others as `%name`. A program without a mesh says nothing.
    ///
    /// # Errors
    /// `L007` when the mesh is none that a plan could declare.
    pub fn of_annotations(program: &Program) -> Result<Plan, Diagnostic> {
        let Some((_, mesh)) = program.mesh() else { return Ok(Plan::default()) };
        let mut declared = Mesh::new(mesh.axes.iter().map(|a| (a.name.as_str(), a.size)))?;
        if !mesh.devices.iter().copied().eq(0..mesh.devices.len() as u32) {
            declared = declared.over(mesh.devices.clone())?;
        }
        let mut plan = Plan::new(declared);
        let main = program.main();
        let inner = main.body.iter().flat_map(|&op| &program.ops[op].outs);
        for (value, is_input) in main.inputs.iter().map(|v| (v, true)).chain(inner.map(|v| (v, false))) {
            let Some(layout) = &program.values[*value].layout else { continue };
            let name = &program.values[*value].name;
            let path = if is_input { program.path_of(*value).to_string() } else { format!("%{name}") };
            plan.shards.push(Entry { path: Written::here(path), text: Written::here(layout_text(layout, mesh)) });
        }
        Ok(plan)
    }
}

/// A layout in the language of plans: `_, data+model`.
pub fn layout_text(layout: &Layout, mesh: &mesh::Mesh) -> String {
    let list = |axes: &[AxisRef]| {
        let name = |&axis: &AxisRef| {
            let mut text = String::new();
            write_axis(axis, Some(mesh), &mut text);
            text
        };
        axes.iter().map(name).collect::<Vec<_>>().join("+")
    };
    let dim = |dim: &crate::layout::DimLayout| {
        let mut text = if dim.axes.is_empty() { "_".to_string() } else { list(&dim.axes) };
        if dim.open {
            text.push('?');
        }
        if dim.priority > 0 {
            let _ = write!(text, "!{}", dim.priority);
        }
        text
    };
    let dims = layout.dims.iter().map(dim).collect::<Vec<_>>().join(", ");
    let mut parts = vec![dims];
    for monoid in Monoid::ALL {
        let axes: Axes = layout.pending.iter().filter(|p| p.1 == monoid).map(|p| p.0).collect();
        if !axes.is_empty() {
            parts.push(format!("{}({})", monoid.name(), list(&axes)));
        }
    }
    if !layout.replicated.is_empty() {
        parts.push(format!("all({})", list(&layout.replicated)));
    }
    let text = parts.join(" ").trim().to_string();
    if text.is_empty() { "whole".into() } else { text }
}
