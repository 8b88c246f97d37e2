//! Annotations of a model: conversion of its layouts to a plan, and texts on its constraints.

use super::{Mesh, Plan, PlanEntry, SourceText, text};
use crate::arena::ValueId;
use crate::class::LayoutOp;
use crate::diag::Diagnostic;
use crate::layout::{Layout, Monoid};
use crate::mesh::{self, Axes, AxisRef};
use crate::ops::Constrain;
use crate::program::Program;
use crate::syntax::attr::write_axis;
use indexmap::IndexSet;
use std::fmt::Write;
use std::sync::Arc;

impl Plan {
    /// Converts the annotations of a traced program to a plan: the mesh, and the layouts of values of the main
    /// function. Parameters and inputs are addressed by path, other values as `%name`. The plan of a program without a
    /// mesh is empty.
    ///
    /// # Errors
    /// `L007` if a plan cannot declare the mesh.
    pub fn from_annotations(program: &Program) -> Result<Plan, Diagnostic> {
        let Some((_, mesh)) = program.mesh() else { return Ok(Plan::default()) };
        let mut declared = Mesh::new(mesh.axes.iter().map(|a| (a.name.as_str(), a.size)))?;
        if !mesh.devices.iter().copied().eq(0..mesh.devices.len() as u32) {
            declared = declared.with_devices(mesh.devices.clone())?;
        }
        let mut plan = Plan::new(declared);
        let main = program.main();
        let inner = main.body.iter().flat_map(|&op| &program.ops[op].outs);
        for (value, is_input) in main.inputs.iter().map(|v| (v, true)).chain(inner.map(|v| (v, false))) {
            let Some(layout) = &program.values[*value].layout else { continue };
            let name = &program.values[*value].name;
            let path = if is_input { program.path_of(*value).to_string() } else { format!("%{name}") };
            plan.shards.push(PlanEntry {
                path: SourceText::at_caller(path),
                text: SourceText::at_caller(layout_text(layout, mesh)),
            });
        }
        Ok(plan)
    }
}

impl Mesh {
    /// Creates a mesh of one device: the axes that the layouts of the model name, or else the axis `data`.
    ///
    /// # Errors
    /// `L007` for too many axes, `L008` for a text in the model that is not a layout.
    pub fn of_one_device(program: &Program) -> Result<Mesh, Diagnostic> {
        let mut names = IndexSet::new();
        for (_, written) in stated_layouts(program) {
            names.extend(text::parse_layout(written)?.axis_names().map(str::to_owned));
        }
        if names.is_empty() {
            names.insert("data".to_owned());
        }
        Mesh::new(names.into_iter().map(|name| (name, 1)))
    }
}

/// Returns the values whose layout the model states as text, in program order. After `apply-plan` there are none.
pub fn stated_layouts(program: &Program) -> Vec<(ValueId, &Arc<SourceText>)> {
    constraints(program).filter_map(|(value, constrain)| Some((value, constrain.sharding.as_ref()?))).collect()
}

/// Returns the values whose dimensions the model names, in program order. After `apply-plan` there are none.
pub fn stated_names(program: &Program) -> Vec<(ValueId, &Arc<SourceText>)> {
    constraints(program).filter_map(|(value, constrain)| Some((value, constrain.names.as_ref()?))).collect()
}

/// Returns the constraints of functions with layouts, each with its result.
fn constraints(program: &Program) -> impl Iterator<Item = (ValueId, &Constrain)> {
    let ops = program.funcs_with_layouts().into_iter().flat_map(|func| program.funcs[func].ops());
    ops.filter_map(|&op| {
        let op = &program.ops[op];
        match op.kind.class().layout()? {
            LayoutOp::Constrain(constrain) => Some((*op.outs.first()?, constrain)),
            LayoutOp::Reshard(_) => None,
        }
    })
}

/// Formats a layout in the syntax of plans: `_, data+model`.
pub fn layout_text(layout: &Layout, mesh: &mesh::DeviceMesh) -> String {
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
        let axes: Axes = layout.partial.iter().filter(|p| p.1 == monoid).map(|p| p.0).collect();
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
