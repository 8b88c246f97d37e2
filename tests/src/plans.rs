//! Plans of our own for the models, on meshes of every kind.
//!
//! The batch is split over `data` and experts too; `model` splits heads, hidden units, channels and the vocabulary,
//! each pair of layers first by columns and then by rows (Megatron; Shoeybi et al. 2019), so that only its second half
//! has a sum to reduce.

use crate::models::{Argument, Role};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;

/// Meshes by their axes; each third one makes a good sample. Few sizes of the models are multiples of 3, 5 or 7.
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

/// Meshes that also split the height of an image.
pub const IMAGE_MESHES: [&[(&str, u32)]; 4] =
    [&[("height", 3)], &[("height", 2)], &[("height", 7)], &[("data", 2), ("height", 4)]];

/// The mesh in words: `data=2,model=4`.
pub fn name(mesh: &[(&str, u32)]) -> String {
    mesh.iter().map(|(axis, size)| format!("{axis}={size}")).collect::<Vec<_>>().join(",")
}

/// The plan for a model with those arguments on a mesh.
///
/// # Errors
/// Those of the mesh.
pub fn plan(program: &Program, arguments: &[Argument], mesh: &[(&str, u32)]) -> Result<Plan, Diagnostic> {
    let mut plan = Plan::new(Mesh::new(mesh.iter().copied())?);
    for (&value, argument) in program.inputs().iter().zip(arguments) {
        let dims: Vec<&str> = wish(argument, program.ty(value))
            .into_iter()
            .map(|axis| if mesh.iter().any(|(name, _)| *name == axis) { axis } else { "_" })
            .collect();
        if dims.iter().any(|&axis| axis != "_") {
            plan = plan.shard(program.path_of(value), dims.join(", "));
        }
    }
    Ok(plan)
}

/// The axis that should split each dimension of an argument, if the mesh has it.
fn wish(argument: &Argument, ty: &Type) -> Vec<&'static str> {
    let rank = ty.shape.rank();
    let first = |axis| [vec![axis; rank.min(1)], vec!["_"; rank.saturating_sub(1)]].concat();
    if argument.role == Role::Batch {
        // Tokens of a model without heads: their positions, too.
        return if argument.is_image(ty) {
            vec!["data", "_", "height", "_"]
        } else if rank == 3 {
            vec!["data", "model", "_"]
        } else {
            first("data")
        };
    }
    // Layers of a plain list alternate: by columns, then by rows. Biases follow.
    let by_rows = argument.name.starts_with("[1]") || argument.name.starts_with("[3]");
    match (argument.key(), rank) {
        ("w", 2) if by_rows => vec!["model", "_"],
        ("w" | "w1", 2) => vec!["_", "model"],
        ("w2" | "wte", 2) => vec!["model", "_"],
        ("wq" | "wk" | "wv", 3) => vec!["_", "model", "_"],
        ("wo", 3) => vec!["model", "_", "_"],
        // Experts, each split like a layer.
        ("w1", 3) => vec!["data", "_", "model"],
        ("w2", 3) => vec!["data", "model", "_"],
        // Filters by output channels, then by input channels.
        ("k1", 4) => vec!["model", "_", "_", "_"],
        ("k2", 4) => vec!["_", "model", "_", "_"],
        _ => vec!["_"; rank],
    }
}
