//! Placements of DTensor: for each mesh axis, the dimension that it shards.

use partita_ir::arena::ValueId;
use partita_ir::layout::{Layout, Monoid};
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::Program;
use std::fmt;

/// Placement of a tensor along one mesh axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// A dimension is split into shards.
    Shard(usize),
    /// All devices along the axis have the same elements.
    Replicate,
    /// The elements are partial results, which this reduction combines.
    Partial(Monoid),
}

impl fmt::Display for Placement {
    /// Formats the placement as an expression of Python.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Placement::Shard(dim) => write!(f, "Shard({dim})"),
            Placement::Replicate => write!(f, "Replicate()"),
            Placement::Partial(Monoid::Sum) => write!(f, "Partial()"),
            Placement::Partial(other) => write!(f, "Partial(\"{}\")", other.name()),
        }
    }
}

/// Returns the placement along each axis of the mesh.
pub fn placements(layout: &Layout, mesh: &DeviceMesh) -> Vec<Placement> {
    let placement = |axis| {
        let shards = |at: &&partita_ir::layout::DimLayout| at.axes.iter().any(|one| one.axis == axis);
        if let Some(dim) = layout.dims.iter().position(|at| shards(&at)) {
            return Placement::Shard(dim);
        }
        let partial = layout.partial.iter().find(|(one, _)| one.axis == axis);
        partial.map_or(Placement::Replicate, |(_, monoid)| Placement::Partial(*monoid))
    };
    mesh.axis_ids().map(placement).collect()
}

/// Returns the placements of a value of a planned program. A value without a layout is replicated.
pub(super) fn placements_of(program: &Program, value: ValueId, mesh: &DeviceMesh) -> Vec<Placement> {
    match program.values[value].layout.as_deref() {
        Some(layout) => placements(layout, mesh),
        None => vec![Placement::Replicate; mesh.axes.len()],
    }
}

/// Formats placements as a list of Python.
pub(super) fn list(all: &[Placement]) -> String {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    format!("[{}]", all.join(", "))
}
