//! The step with its layouts, for the mesh of each stage.
//!
//! What the plan says is put on the step once, on a mesh that is as long along each axis as the longest of the stages,
//! so that all stages split the same dimensions by the same axes. Then each mesh takes the place of that one, and
//! layouts spread for each of them.

use super::Watch;
use crate::driver::{Findings, Input};
use crate::pipelines::{Milestone, pipeline};
use partita_ir::arena::Id;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::Layout;
use partita_ir::mesh::{AxisRef, Mesh};
use partita_ir::plan::Mesh as Declared;
use partita_ir::plan::pipeline::Pipelined;
use partita_ir::program::Program;
use std::sync::Arc;

/// A program in form planned, with the input of the passes that come next and the findings of those that ran.
pub struct Version {
    /// The program.
    pub program: Program,
    /// The input of the passes that come next.
    pub input: Input,
    /// The findings of those that ran.
    pub findings: Findings,
}

/// Versions of a step that differ in layouts alone, one for each distinct mesh.
pub struct LaidOut {
    versions: Vec<Version>,
    /// By stage, its version; that of all if it says nothing.
    stages: Vec<usize>,
}

impl LaidOut {
    /// The version of a stage.
    pub fn of_stage(&self, stage: usize) -> &Version {
        &self.versions[self.stages.get(stage).copied().unwrap_or(0)]
    }

    /// The first of them: ops and ids are those of all.
    pub fn first(&self) -> &Version {
        &self.versions[0]
    }

    /// All of them, and by stage the position of its version.
    pub fn into_parts(self) -> (Vec<Version>, Vec<usize>) {
        (self.versions, self.stages)
    }

    /// Returns the versions of the stages that are left after frozen ones are merged; `left` has their original
    /// numbers.
    pub(super) fn for_stages(self, left: &[usize]) -> LaidOut {
        let stages = left.iter().map(|&stage| self.stages.get(stage).copied().unwrap_or(0)).collect();
        LaidOut { stages, ..self }
    }
}

/// Lays the step out for each mesh.
///
/// # Errors
/// What is wrong with the plan, and `G002` where a layout has a factor of an axis that is not the same in all meshes.
pub(super) fn laid_out(
    step: &Program,
    how: &Pipelined,
    input: &Input,
    findings: &Findings,
    watch: Watch<'_>,
) -> Result<LaidOut, Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    let mut input = input.clone();
    if let Some(widest) = widest(&how.meshes) {
        input.plan.mesh = Some(widest);
    }
    let (mut annotated, mut known) = (step.clone(), findings.clone());
    let annotate = pipeline(Milestone::Step, Milestone::Annotated, input.variant).map_err(one)?;
    annotate.run(&mut annotated, &input, &mut known, &mut |ran| watch(&ran))?;
    // Layouts of presets are in the program by now, and their axes in the plan that says so.
    input.plan = known.plan(&input.plan).clone();
    let mut meshes: Vec<&Declared> = Vec::new();
    let mut stages = Vec::with_capacity(how.meshes.len());
    for mesh in &how.meshes {
        let known = meshes.iter().position(|known| *known == mesh);
        stages.push(known.unwrap_or(meshes.len()));
        if known.is_none() {
            meshes.push(mesh);
        }
    }
    let mut versions = Vec::with_capacity(meshes.len().max(1));
    let everywhere = [None];
    let each: Vec<Option<&Declared>> = meshes.into_iter().map(Some).collect();
    for mesh in if each.is_empty() { &everywhere[..] } else { &each[..] } {
        let mut version = Version { program: annotated.clone(), input: input.clone(), findings: known.clone() };
        if let Some(mesh) = mesh {
            resize(&mut version.program, mesh)?;
            version.input.plan.mesh = Some((*mesh).clone());
        }
        version.findings.resolved = Some(version.input.plan.clone());
        let Version { program, input, findings } = &mut version;
        let lay_out = pipeline(Milestone::Annotated, Milestone::LaidOut, input.variant).map_err(one)?;
        lay_out.run(program, input, findings, &mut |ran| watch(&ran))?;
        versions.push(version);
    }
    Ok(LaidOut { versions, stages })
}

/// The mesh that is as long along each axis as the longest of those.
fn widest(meshes: &[Declared]) -> Option<Declared> {
    let (first, others) = meshes.split_first()?;
    let mut widest = first.clone();
    for (position, axis) in widest.axes.iter_mut().enumerate() {
        axis.size = others.iter().map(|mesh| mesh.axes[position].size).fold(axis.size, u32::max);
    }
    Some(widest)
}

/// Puts another mesh, with axes of the same names, in the place of the program's.
fn resize(program: &mut Program, declared: &Declared) -> Result<(), Vec<Diagnostic>> {
    let Some((id, old)) = program.mesh().map(|(id, mesh)| (id, mesh.clone())) else { return Ok(()) };
    let axes = declared.axes.iter().map(|axis| (axis.name.clone(), axis.size));
    let new = Mesh::new(&old.name, axes);
    for value in program.values.values_mut() {
        let Some(layout) = &value.layout else { continue };
        let Some(resized) = on(layout, &old, &new) else {
            let title =
                format!("`{}` is split by a factor of an axis, which stages have in different sizes", value.name);
            let error = Diagnostic::new(Code::G002, title).at(declared.place.span(), "another size");
            return Err(vec![error.help("split it by whole axes, or give all stages the same mesh")]);
        };
        value.layout = Some(Arc::new(resized));
    }
    program.meshes[id] = new;
    Ok(())
}

/// A layout with axes of other sizes; nothing where it has a factor of one whose size is another.
fn on(layout: &Layout, old: &Mesh, new: &Mesh) -> Option<Layout> {
    let mut layout = layout.clone();
    let resized = |axis: &AxisRef| match axis.is_whole(old) {
        true => Some(AxisRef::whole(new, axis.axis)),
        false => (old.axes[axis.axis.index()] == new.axes[axis.axis.index()]).then_some(*axis),
    };
    for axes in layout.dims.iter_mut().map(|dim| &mut dim.axes).chain([&mut layout.replicated]) {
        *axes = axes.iter().map(resized).collect::<Option<_>>()?;
    }
    for (axis, _) in &mut layout.pending {
        *axis = resized(axis)?;
    }
    Some(layout)
}
