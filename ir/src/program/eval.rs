//! What an op is given besides its operands when it is evaluated.

use super::Program;
use super::op::Evaluated;
use crate::arena::FuncId;
use crate::mesh::Mesh;
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// What an op may see while it is evaluated.
pub struct EvalCx<'a> {
    /// The program.
    pub program: &'a Program,
    /// Where this device is, in a local program.
    pub device: Option<Place<'a>>,
    /// Runs a function: a reducer, a comparator, a loop's body. A function of scalars may be given tensors of one
    /// shape: it is then applied element by element.
    pub call: &'a dyn Fn(FuncId, Vec<Tensor>) -> Result<Vec<Tensor>, String>,
    /// Runs another program on one device: the one that a composite stands for.
    pub run: &'a dyn Fn(&Program, Vec<Tensor>) -> Evaluated,
}

/// A device's place on its mesh.
#[derive(Clone)]
pub struct Place<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Coordinates along its axes.
    pub coords: SmallVec<[u32; 4]>,
}
