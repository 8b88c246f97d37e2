//! Classification of initializers as parameters or constants.
//!
//! An ONNX file does not record which tensors were learned. A float initializer with several elements counts as a
//! weight, and so does an operand in a position that only weights have. A scalar counts as a weight only if its name is
//! a module path (`norm.scale`) or if it is in such a position. All others (shapes, indices, small constants, masks)
//! become constants of the program, or constant parameters if they are large.

use crate::proto::GraphProto;
use partita_ir::program::ParamKind;
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;

/// Number of elements above which a constant becomes a constant parameter instead of a literal in the program text.
const MAX_LITERAL_ELEMENTS: usize = 1 << 16;

/// Role of an operand in a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A learned weight.
    Weight,
    /// A running statistic of batch normalisation.
    Statistic,
    /// A number that determines a shape, which must be constant.
    Shape,
}

/// Returns the names of operands in positions that weights or statistics have, in a graph and its nested graphs.
pub fn roles(graph: &GraphProto) -> FxHashMap<&str, Role> {
    let mut roles = FxHashMap::default();
    for node in graph.all_nodes() {
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
        // Floats in positions that determine shapes.
        let shapes: &[usize] = match node.op_type.as_str() {
            "Resize" => &[1, 2],
            "Upsample" => &[1],
            _ => &[],
        };
        roles.extend(shapes.iter().filter_map(|&i| named(i)).map(|name| (name, Role::Shape)));
        if node.op_type == "BatchNormalization" {
            roles.extend([3, 4].into_iter().filter_map(named).map(|name| (name, Role::Statistic)));
        }
    }
    roles
}

/// Returns the kind of parameter of an initializer; `None` for a constant.
pub fn param_kind(name: &str, tensor: &Tensor, role: Option<Role>) -> Option<ParamKind> {
    let count = tensor.ty.shape.count();
    if !tensor.ty.dtype.is_float() {
        return (count > MAX_LITERAL_ELEMENTS).then_some(ParamKind::Const);
    }
    // Infinities and very negative numbers: a mask that is added to attention scores.
    if count > 1 && tensor.scalars().any(|x| !x.to_f64().is_finite() || x.to_f64() < -1e30) {
        return Some(ParamKind::Const);
    }
    let is_path = name.contains('.') && !name.contains(['/', ':']);
    match role {
        Some(Role::Shape) => None,
        Some(Role::Statistic) => Some(ParamKind::State),
        Some(Role::Weight) if tensor.ty.shape.rank() > 0 => Some(ParamKind::Trainable),
        _ if count > 1 || is_path => Some(ParamKind::Trainable),
        _ => None,
    }
}

/// Returns the kind of parameter of an initializer that is known not to be trained; `None` for a constant.
pub fn untrained_kind(tensor: &Tensor, role: Option<Role>) -> Option<ParamKind> {
    let most = if tensor.ty.dtype.is_float() { 1 } else { MAX_LITERAL_ELEMENTS };
    match role {
        Some(Role::Shape) => None,
        Some(Role::Statistic) => Some(ParamKind::State),
        Some(Role::Weight) | None => (tensor.ty.shape.count() > most).then_some(ParamKind::Const),
    }
}

/// Returns the kind of parameter of a `Constant` node; `None` unless it is in a position that only weights have.
pub fn constant_param_kind(tensor: &Tensor, role: Role) -> Option<ParamKind> {
    let is_weight = tensor.ty.dtype.is_float() && tensor.ty.shape.rank() > 0;
    match role {
        Role::Weight => is_weight.then_some(ParamKind::Trainable),
        Role::Statistic => is_weight.then_some(ParamKind::State),
        Role::Shape => None,
    }
}

/// Returns the module path of a node: exporters name nodes `/encoder/layers.0/MatMul` in module `encoder.layers.0`.
pub fn scope(node: &str) -> String {
    let path = node.rsplit_once('/').map_or("", |(module, _)| module);
    path.trim_start_matches('/').replace('/', ".")
}
