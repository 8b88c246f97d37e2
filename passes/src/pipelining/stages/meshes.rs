//! The step with its layouts, on the mesh of each stage.
//!
//! The plan is applied once, on a mesh whose axes have the largest size among the stages, so that all stages shard the
//! same dimensions over the same axes. The mesh is then replaced by the mesh of each stage, and sharding propagation
//! runs for each.

use super::Observer;
use crate::driver::{Findings, Input};
use crate::pipelines::{Milestone, pipeline};
use partita_ir::arena::Id;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::Layout;
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_ir::plan::Mesh as Declared;
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::program::Program;
use std::sync::Arc;

/// A program in form planned, with the input of later passes and the findings of earlier ones.
pub struct StageVersion {
    /// The program.
    pub program: Program,
    /// The input of later passes.
    pub input: Input,
    /// The findings of earlier passes.
    pub findings: Findings,
}

/// Versions of a step that differ only in layouts, one for each distinct mesh.
pub struct StageLayouts {
    versions: Vec<StageVersion>,
    /// The index of each stage's version. Version 0 for stages without an entry.
    stages: Vec<usize>,
}

impl StageLayouts {
    /// Returns the version of a stage.
    pub fn version(&self, stage: usize) -> &StageVersion {
        &self.versions[self.version_index(stage)]
    }

    /// Returns the position of a stage's version in [`StageLayouts::versions`].
    pub(super) fn version_index(&self, stage: usize) -> usize {
        self.stages.get(stage).copied().unwrap_or(0)
    }

    /// Returns all versions.
    pub(super) fn versions(&self) -> &[StageVersion] {
        &self.versions
    }

    /// Returns the first version. All versions have the same ops and ids.
    pub fn first(&self) -> &StageVersion {
        &self.versions[0]
    }

    /// Returns all versions, and the index of each stage's version.
    pub fn into_versions(self) -> (Vec<StageVersion>, Vec<usize>) {
        (self.versions, self.stages)
    }

    /// Returns the versions of the stages that remain after frozen ones are merged. `left` contains their original
    /// numbers.
    pub(super) fn for_stages(self, left: &[usize]) -> StageLayouts {
        let stages = left.iter().map(|&stage| self.stages.get(stage).copied().unwrap_or(0)).collect();
        StageLayouts { stages, ..self }
    }
}

/// Assigns layouts for each mesh.
///
/// # Errors
/// Errors in the plan; `G002` when a layout uses a factor of an axis whose size differs between stages.
pub(super) fn assign_layouts(
    step: &Program,
    how: &PipelineConfig,
    input: &Input,
    findings: &Findings,
    watch: Observer<'_>,
) -> Result<StageLayouts, Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    let mut input = input.clone();
    if let Some(largest_mesh) = largest_mesh(&how.meshes) {
        input.plan.mesh = Some(largest_mesh);
    }
    let (mut annotated, mut annotated_findings) = (step.clone(), findings.clone());
    let annotate = pipeline(Milestone::Step, Milestone::Annotated, input.variant).map_err(one)?;
    annotate.run(&mut annotated, &input, &mut annotated_findings, &mut |ran| watch(&ran))?;
    // The resolved plan contains the layouts and axes of presets, which are part of the program by now.
    input.plan = annotated_findings.plan(&input.plan).clone();
    let mut meshes: Vec<&Declared> = Vec::new();
    let mut stages = Vec::with_capacity(how.meshes.len());
    for mesh in &how.meshes {
        let index = meshes.iter().position(|other| *other == mesh);
        stages.push(index.unwrap_or(meshes.len()));
        if index.is_none() {
            meshes.push(mesh);
        }
    }
    let mut versions = Vec::with_capacity(meshes.len().max(1));
    let no_mesh = [None];
    let each: Vec<Option<&Declared>> = meshes.into_iter().map(Some).collect();
    for mesh in if each.is_empty() { &no_mesh[..] } else { &each[..] } {
        let mut version =
            StageVersion { program: annotated.clone(), input: input.clone(), findings: annotated_findings.clone() };
        if let Some(mesh) = mesh {
            replace_mesh(&mut version.program, mesh)?;
            version.input.plan.mesh = Some((*mesh).clone());
        }
        version.findings.resolved = Some(version.input.plan.clone());
        let StageVersion { program, input, findings } = &mut version;
        let lay_out = pipeline(Milestone::Annotated, Milestone::LaidOut, input.variant).map_err(one)?;
        lay_out.run(program, input, findings, &mut |ran| watch(&ran))?;
        versions.push(version);
    }
    Ok(StageLayouts { versions, stages })
}

/// Returns the mesh whose axes have the largest size among these meshes.
fn largest_mesh(meshes: &[Declared]) -> Option<Declared> {
    let (first, others) = meshes.split_first()?;
    let mut largest_mesh = first.clone();
    for (position, axis) in largest_mesh.axes.iter_mut().enumerate() {
        axis.size = others.iter().map(|mesh| mesh.axes[position].size).fold(axis.size, u32::max);
    }
    Some(largest_mesh)
}

/// Replaces the mesh of a program by one with the same axis names.
fn replace_mesh(program: &mut Program, declared: &Declared) -> Result<(), Vec<Diagnostic>> {
    let Some((id, old)) = program.mesh().map(|(id, mesh)| (id, mesh.clone())) else { return Ok(()) };
    let axes = declared.axes.iter().map(|axis| (axis.name.clone(), axis.size));
    let new = DeviceMesh::new(&old.name, axes);
    for value in program.values.values_mut() {
        let Some(layout) = &value.layout else { continue };
        let Some(resized) = resize_layout(layout, &old, &new) else {
            let title =
                format!("`{}` is sharded over a factor of an axis whose size differs between stages", value.name);
            let error = Diagnostic::new(Code::G002, title).label(declared.place.span(), "different size");
            return Err(vec![error.help("shard it over entire axes, or give all stages the same mesh")]);
        };
        value.layout = Some(Arc::new(resized));
    }
    program.meshes[id] = new;
    Ok(())
}

/// Returns a layout on a mesh of other sizes, or `None` if it uses a factor of an axis whose size differs.
fn resize_layout(layout: &Layout, old: &DeviceMesh, new: &DeviceMesh) -> Option<Layout> {
    let mut layout = layout.clone();
    let resized = |axis: &AxisRef| match axis.is_full(old) {
        true => Some(AxisRef::full(new, axis.axis)),
        false => (old.axes[axis.axis.index()] == new.axes[axis.axis.index()]).then_some(*axis),
    };
    for axes in layout.dims.iter_mut().map(|dim| &mut dim.axes).chain([&mut layout.replicated]) {
        *axes = axes.iter().map(resized).collect::<Option<_>>()?;
    }
    for (axis, _) in &mut layout.partial {
        *axis = resized(axis)?;
    }
    Some(layout)
}
