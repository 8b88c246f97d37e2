//! Semantics of operations up to opset 6: broadcasting that an attribute enables, and attributes that later became
//! operands. The attribute `consumed_inputs` of the first opsets permits reuse of memory, and is ignored.

use super::lowering::{Lowering, LoweringError, Node, malformed};
use super::opsets::Domain;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape};

/// Last opset in which broadcasting is enabled by an attribute.
const LAST: i64 = 6;

/// Returns true for a node with the semantics of the first opsets.
pub fn is_legacy(node: &Node<'_>) -> bool {
    node.domain == Domain::Onnx && node.opset <= LAST
}

/// Returns the two operands of an elementwise operation. Up to opset 6 they have the same shape, or with the attribute
/// `broadcast` the dimensions of the second operand are those of the first one from `axis` on, by default the last
/// ones; it is reshaped so that it broadcasts.
pub fn operands(cx: &mut Lowering<'_>, node: &Node<'_>) -> Result<[ValueId; 2], LoweringError> {
    let (x, y) = (node.arg(0)?, node.arg(1)?);
    if !is_legacy(node) {
        return Ok([x, y]);
    }
    let (long, short) = (cx.shape(x), cx.shape(y));
    if !node.flag("broadcast", false) {
        return match long == short {
            true => Ok([x, y]),
            false => malformed(format!("combines {long} and {short} without `broadcast`")),
        };
    }
    let Some(last) = long.rank().checked_sub(short.rank()) else {
        return malformed(format!("broadcasts {short} to {long}"));
    };
    let axis = match node.int("axis", last as i64) {
        axis if axis < 0 => axis.saturating_add(long.rank() as i64),
        axis => axis,
    };
    match usize::try_from(axis) {
        Ok(axis) if axis <= last => {
            let shape: Shape = short.iter().copied().chain(std::iter::repeat_n(1, last - axis)).collect();
            Ok([x, cx.reshape(y, shape)?])
        }
        _ => malformed(format!("broadcasts {short} along dimension {axis} of {long}")),
    }
}

/// Returns the slope of a leaky ReLU so that it broadcasts to `x`: up to opset 6 a vector with an element for each
/// channel, the second dimension.
pub fn slope(cx: &mut Lowering<'_>, node: &Node<'_>, x: ValueId, slope: ValueId) -> Result<ValueId, LoweringError> {
    let (shape, own) = (cx.shape(x), cx.shape(slope));
    if !is_legacy(node) || own.rank() != 1 || own[0] == 1 || shape.rank() < 2 {
        return Ok(slope);
    }
    let wide: Shape = own.iter().copied().chain(std::iter::repeat_n(1, shape.rank() - 2)).collect();
    cx.reshape(slope, wide)
}

/// Returns the element type that the attribute `to` of `Cast` names, up to opset 5.
pub fn named_dtype(name: &str) -> Result<DType, LoweringError> {
    Ok(match name {
        "FLOAT" => DType::F32,
        "DOUBLE" => DType::F64,
        "FLOAT16" => DType::F16,
        "UINT8" => DType::U8,
        "UINT16" => DType::U16,
        "UINT32" => DType::U32,
        "UINT64" => DType::U64,
        "INT8" => DType::I8,
        "INT16" => DType::I16,
        "INT32" => DType::I32,
        "INT64" => DType::I64,
        "BOOL" => DType::Bool,
        other => return Err(LoweringError::DType(other.to_owned())),
    })
}
