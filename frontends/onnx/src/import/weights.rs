//! Which of the file's numbers are parameters.
//!
//! A file does not say what was learnt. A float initializer of several elements is taken for a weight, and so is what
//! stands where only weights do; a single number is one only where its name is a module's (`norm.scale`) or where it
//! stands as a weight. All others (shapes, indices, small constants, masks) are constants of the program, or fixed
//! parameters if they are large.

use crate::proto::GraphProto;
use partita_ir::program::ParamKind;
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;

/// Numbers beyond this are kept as a fixed parameter and not written into the program.
const LARGE: usize = 1 << 16;

/// What an operand is to its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It was learnt.
    Weight,
    /// It is a statistic of the data.
    Statistic,
}

/// The names that stand where weights do.
pub fn roles(graph: &GraphProto) -> FxHashMap<&str, Role> {
    let mut roles = FxHashMap::default();
    for node in &graph.node {
        let operands: &[usize] = match node.op_type.as_str() {
            "MatMul" => &[0, 1],
            "Gather" => &[0],
            "Conv"
            | "ConvTranspose"
            | "Gemm"
            | "LayerNormalization"
            | "InstanceNormalization"
            | "GroupNormalization"
            | "BatchNormalization" => &[1, 2],
            "PRelu" => &[1],
            _ => &[],
        };
        let named = |i: usize| node.input.get(i).map(String::as_str).filter(|name| !name.is_empty());
        roles.extend(operands.iter().filter_map(|&i| named(i)).map(|name| (name, Role::Weight)));
        if node.op_type == "BatchNormalization" {
            roles.extend([3, 4].into_iter().filter_map(named).map(|name| (name, Role::Statistic)));
        }
    }
    roles
}

/// What an initializer is to training; `None` for one that is a constant.
pub fn kind(name: &str, tensor: &Tensor, role: Option<Role>) -> Option<ParamKind> {
    let count = tensor.ty.shape.count();
    if !tensor.ty.dtype.is_float() {
        return (count > LARGE).then_some(ParamKind::Const);
    }
    // A mask that is added to scores.
    if count > 1 && tensor.scalars().any(|x| !x.to_f64().is_finite() || x.to_f64() < -1e30) {
        return Some(ParamKind::Const);
    }
    let is_path = name.contains('.') && !name.contains(['/', ':']);
    match role {
        Some(Role::Statistic) => Some(ParamKind::State),
        Some(Role::Weight) if tensor.ty.shape.rank() > 0 => Some(ParamKind::Trainable),
        _ if count > 1 || is_path => Some(ParamKind::Trainable),
        _ => None,
    }
}

/// What the tensor of a `Constant` node is to training: a weight only where nothing else stands.
pub fn kind_of_constant(tensor: &Tensor, role: Role) -> Option<ParamKind> {
    let is_weight = tensor.ty.dtype.is_float() && tensor.ty.shape.rank() > 0;
    is_weight.then_some(match role {
        Role::Weight => ParamKind::Trainable,
        Role::Statistic => ParamKind::State,
    })
}

/// The module that a node belongs to: exporters write `/encoder/layers.0/MatMul` for one in `encoder.layers.0`.
pub fn scope(node: &str) -> String {
    let path = node.rsplit_once('/').map_or("", |(module, _)| module);
    path.trim_start_matches('/').replace('/', ".")
}
