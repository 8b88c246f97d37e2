//! Plans for the imported models, on meshes of many shapes.
//!
//! The batch and experts are sharded over `data`; heads, hidden units, channels and the vocabulary over `model`. Of
//! each pair of layers, the first is sharded by columns and the second by rows (Megatron; Shoeybi et al. 2019), so that
//! only the result of the second is partial.

use crate::models::{Argument, Role};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;

/// Meshes, each as names and sizes of axes. Every third mesh is a representative sample. Few sizes of the models are
/// multiples of 3, 5 or 7, so that these axes shard unevenly.
pub const MESHES: [&[(&str, u32)]; 13] = [
    &[("data", 2), ("model", 4)],
    &[("data", 8)],
    &[("model", 8)],
    &[("data", 7)],
    &[("data", 4), ("model", 2)],
    &[("data", 3)],
    &[("model", 5)],
    &[("data", 5)],
    &[("model", 3)],
    &[("data", 2), ("model", 3)],
    &[("data", 3), ("model", 2)],
    &[("model", 7)],
    &[("data", 1), ("model", 1)],
];

/// Meshes with an axis for the height of images.
pub const IMAGE_MESHES: [&[(&str, u32)]; 4] =
    [&[("height", 3)], &[("height", 2)], &[("height", 7)], &[("data", 2), ("height", 4)]];

/// Formats the mesh as `data=2,model=4`.
pub fn mesh_name(mesh: &[(&str, u32)]) -> String {
    mesh.iter().map(|(axis, size)| format!("{axis}={size}")).collect::<Vec<_>>().join(",")
}

/// Returns the plan that shards the arguments of a model on a mesh.
///
/// # Errors
/// An invalid mesh.
pub fn plan(program: &Program, arguments: &[Argument], mesh: &[(&str, u32)]) -> Result<Plan, Diagnostic> {
    let mut plan = Plan::new(Mesh::new(mesh.iter().copied())?);
    for (&value, argument) in program.inputs().iter().zip(arguments) {
        let dims: Vec<&str> = preferred_axes(argument, program.ty(value))
            .into_iter()
            .map(|axis| if mesh.iter().any(|(name, _)| *name == axis) { axis } else { "_" })
            .collect();
        if dims.iter().any(|&axis| axis != "_") {
            plan = plan.shard(program.path_of(value), dims.join(", "));
        }
    }
    Ok(plan)
}

/// Returns the preferred axis for each dimension of an argument, `_` for none. The mesh may lack the axis.
fn preferred_axes(argument: &Argument, ty: &Type) -> Vec<&'static str> {
    let rank = ty.shape.rank();
    let first = |axis| [vec![axis; rank.min(1)], vec!["_"; rank.saturating_sub(1)]].concat();
    if argument.role == Role::Batch {
        // A batch of rank 3 is also sharded by position, for models without heads.
        return if argument.is_image(ty) {
            vec!["data", "_", "height", "_"]
        } else if rank == 3 {
            vec!["data", "model", "_"]
        } else {
            first("data")
        };
    }
    // Layers of a plain list alternate between column and row sharding. Biases follow their layer.
    let by_rows = argument.name.starts_with("[1]") || argument.name.starts_with("[3]");
    match (argument.key(), rank) {
        ("w", 2) if by_rows => vec!["model", "_"],
        ("w" | "w1", 2) => vec!["_", "model"],
        ("w2" | "wte", 2) => vec!["model", "_"],
        ("wq" | "wk" | "wv", 3) => vec!["_", "model", "_"],
        ("wo", 3) => vec!["model", "_", "_"],
        // Expert weights, each sharded like a layer.
        ("w1", 3) => vec!["data", "_", "model"],
        ("w2", 3) => vec!["data", "model", "_"],
        // Filters, sharded by output channels, then by input channels.
        ("k1", 4) => vec!["model", "_", "_", "_"],
        ("k2", 4) => vec!["_", "model", "_", "_"],
        _ => vec!["_"; rank],
    }
}
