//! Resolution of the names and layouts that a model states as text on its constraints. A layout becomes the layout of
//! the constraint's result, like one of an imported model that has a mesh.

use super::layout::{PlanMesh, TargetValue, resolve};
use super::{AssignedLayout, PathLayout};
use crate::driver::provenance::Provenance;
use crate::planning::path_index::PathIndex;
use partita_ir::diag::Diagnostic;
use partita_ir::op::OpKind;
use partita_ir::plan::{stated_layouts, text};
use partita_ir::program::Program;

/// Assigns the layouts that the model states to the results of its constraints.
///
/// # Errors
/// `L001`, `L002`, `L008` and `L009` for layouts that are invalid on the mesh.
pub(super) fn assign_layouts(
    program: &mut Program,
    grid: &PlanMesh<'_>,
    provenance: &mut Provenance,
) -> Result<(), Vec<Diagnostic>> {
    let (mut assigned, mut errors) = (Vec::new(), Vec::new());
    let entries = PathIndex::new(program);
    for (value, written) in stated_layouts(program) {
        let target = TargetValue { path: &entries.path(value), ty: program.ty(value) };
        match text::parse_layout(written).map_err(Vec::from).and_then(|text| resolve(&text, written, &target, grid)) {
            Ok(layout) => {
                let stated = PathLayout { layout, written, allows_reshard: false };
                assigned.push(AssignedLayout::explicit(value, stated));
            }
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    assigned.into_iter().for_each(|layout| layout.assign(program, provenance));
    Ok(())
}

/// Removes the texts from the constraints.
///
/// Recogniser: only `constrain` states names or layouts.
pub(super) fn remove_texts(program: &mut Program) {
    for op in program.ops.values_mut() {
        if let OpKind::Constrain(constrain) = &mut op.kind {
            (constrain.names, constrain.sharding) = (None, None);
        }
    }
}
