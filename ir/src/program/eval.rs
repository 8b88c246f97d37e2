//! Context for the evaluation of an op.

use super::Program;
use super::op::EvalResult;
use crate::arena::FuncId;
use crate::mesh::DeviceMesh;
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// Context passed to an op during evaluation.
pub struct EvalCx<'a> {
    /// The program.
    pub program: &'a Program,
    /// Position of the device on the mesh, in a local program.
    pub device: Option<MeshPosition<'a>>,
    /// Calls a function: a reducer, a comparator or a loop body. A function of scalars is applied elementwise if the
    /// inputs are tensors of one shape.
    pub call: &'a dyn Fn(FuncId, Vec<Tensor>) -> Result<Vec<Tensor>, String>,
    /// Runs another program on one device: the decomposition of a composite.
    pub run: &'a dyn Fn(&Program, Vec<Tensor>) -> EvalResult,
}

/// Position of a device on its mesh.
#[derive(Clone)]
pub struct MeshPosition<'a> {
    /// The mesh.
    pub mesh: &'a DeviceMesh,
    /// Coordinates along the mesh axes.
    pub coords: SmallVec<[u32; 4]>,
}
