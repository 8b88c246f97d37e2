//! State shared by the lowering functions of all operator families: the program under construction, the node being
//! lowered with its operands, and the reasons why a node cannot be lowered.

use super::opsets::Domain;
use crate::proto::{AttributeProto, NodeProto};
use crate::tensors;
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, MAX_RANK, OpTypeError, broadcast_shape};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::op::OpKind;
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::path::Path;

/// Reason why a node cannot be lowered.
#[derive(Debug)]
pub enum LoweringError {
    /// The operation is not supported.
    Unsupported,
    /// The operation is not supported with the described option.
    UnsupportedOption(String),
    /// The element type with this ONNX name is not supported.
    DType(String),
    /// An operand must be constant, but is a run-time value.
    NotConstant {
        /// Name of the operand.
        operand: &'static str,
        value: ValueId,
    },
    /// The branches of an `If` whose condition is a run-time value return different types.
    BranchTypes { condition: ValueId, yes: String, no: String },
    /// The errors of nodes in a graph of the node have been reported.
    Reported,
    /// The node violates the definition of its operation, for the given reason.
    Malformed(String),
    /// The tensor with this type is too large.
    TooLarge(String),
}

impl From<String> for LoweringError {
    /// Converts the error of a checked builder method.
    fn from(why: String) -> LoweringError {
        LoweringError::Malformed(why)
    }
}

impl From<OpTypeError> for LoweringError {
    fn from(error: OpTypeError) -> LoweringError {
        match error {
            OpTypeError::Invalid(why) => LoweringError::Malformed(why),
            OpTypeError::TooLarge(ty) => LoweringError::TooLarge(ty),
        }
    }
}

/// A result of a node.
#[derive(Clone, Debug)]
pub enum Out {
    /// A value of the program.
    Value(ValueId),
    /// A constant.
    Constant(Tensor),
}

/// The results of a node, in order.
pub type Outs = SmallVec<[Out; 1]>;

/// Result of lowering a node.
pub type LoweringResult = Result<Outs, LoweringError>;

/// Returns the result of a node with one result, a program value.
pub fn single(value: ValueId) -> LoweringResult {
    Ok(smallvec![Out::Value(value)])
}

/// Returns the result of a node with one result, a constant.
pub fn constant_result(tensor: Tensor) -> LoweringResult {
    Ok(smallvec![Out::Constant(tensor)])
}

/// Returns the error for a malformed node; `why` follows the name of the node in the message.
pub fn malformed<T>(why: impl Into<String>) -> Result<T, LoweringError> {
    Err(LoweringError::Malformed(why.into()))
}

/// Returns the error for an unsupported option of a supported operation.
pub fn unsupported<T>(what: impl Into<String>) -> Result<T, LoweringError> {
    Err(LoweringError::UnsupportedOption(what.into()))
}

/// The node being lowered, with the values of its operands.
pub struct Node<'m> {
    proto: &'m NodeProto,
    /// Operator set of the operation.
    pub domain: Domain,
    /// Opset of the model: the version of the ONNX operator set.
    pub opset: i64,
    args: Vec<Option<ValueId>>,
}

impl<'m> Node<'m> {
    /// Creates a node with the given operand values; an omitted operand is `None`.
    pub fn new(proto: &'m NodeProto, (domain, opset): (Domain, i64), args: Vec<Option<ValueId>>) -> Node<'m> {
        Node { proto, domain, opset, args }
    }

    /// Returns the name of the operation.
    pub fn op(&self) -> &'m str {
        &self.proto.op_type
    }

    /// Returns the number of results.
    pub fn result_count(&self) -> usize {
        self.proto.output.len()
    }

    /// Returns true if the result has a name, so that other nodes may read it.
    pub fn has_result(&self, result: usize) -> bool {
        self.proto.output.get(result).is_some_and(|name| !name.is_empty())
    }

    /// Returns a required operand. Errors: the operand is omitted.
    pub fn arg(&self, i: usize) -> Result<ValueId, LoweringError> {
        self.optional(i).ok_or_else(|| LoweringError::Malformed(format!("lacks input {i}")))
    }

    /// Returns an optional operand; `None` if it is omitted.
    pub fn optional(&self, i: usize) -> Option<ValueId> {
        self.args.get(i).copied().flatten()
    }

    /// Returns all operands. Errors: an operand is omitted, or there are none.
    pub fn all_args(&self) -> Result<Vec<ValueId>, LoweringError> {
        match self.args.iter().copied().collect::<Option<Vec<_>>>() {
            Some(all) if !all.is_empty() => Ok(all),
            _ => malformed("lacks an input"),
        }
    }

    fn attribute(&self, name: &str) -> Option<&'m AttributeProto> {
        self.proto.attribute.iter().find(|a| a.name == name)
    }

    /// Returns true if the node has the attribute.
    pub fn has_attribute(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// Returns an integer attribute, or `default` if the node lacks it.
    pub fn int(&self, name: &str, default: i64) -> i64 {
        self.attribute(name).map_or(default, |a| a.i.unwrap_or(0))
    }

    /// Returns a boolean attribute, or `default` if the node lacks it.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.int(name, default.into()) != 0
    }

    /// Returns a float attribute, or `default` if the node lacks it. ONNX stores `f32`.
    pub fn float(&self, name: &str, default: f32) -> f64 {
        f64::from(self.attribute(name).map_or(default, |a| a.f.unwrap_or(0.0)))
    }

    /// Returns a list of integers, if the attribute is present.
    pub fn ints(&self, name: &str) -> Option<&'m [i64]> {
        self.attribute(name).map(|a| &a.ints[..])
    }

    /// Returns a list of texts, if the attribute is present.
    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        let text = |bytes: &prost::bytes::Bytes| String::from_utf8_lossy(bytes).into_owned();
        self.attribute(name).map(|a| a.strings.iter().map(text).collect())
    }

    /// Returns a list of floats, if the attribute is present.
    pub fn floats(&self, name: &str) -> Option<&'m [f32]> {
        self.attribute(name).map(|a| &a.floats[..])
    }

    /// Returns a tensor attribute; `None` if the node lacks it. Errors: its data is malformed or cannot be read.
    pub fn tensor(&self, name: &str) -> Result<Option<Tensor>, LoweringError> {
        let Some(proto) = self.attribute(name).and_then(|a| a.t.as_ref()) else { return Ok(None) };
        let read = tensors::read(proto, Path::new(""), &format!("its `{name}`"));
        read.map(Some).map_err(|diagnostic| LoweringError::Malformed(diagnostic.title))
    }

    /// Returns a string attribute, or `default` if the node lacks it.
    pub fn text(&self, name: &str, default: &'static str) -> &'m str {
        let text = self.attribute(name).and_then(|a| a.s.as_deref());
        text.map_or(default, |bytes| std::str::from_utf8(bytes).unwrap_or("?"))
    }
}

/// A program under construction.
pub struct Lowering<'a> {
    /// Appends to the program.
    pub b: Builder<'a>,
    /// Constant values and their elements.
    constants: FxHashMap<ValueId, Tensor>,
}

impl<'a> Lowering<'a> {
    /// Creates a lowering that appends to `b`.
    pub fn new(b: Builder<'a>) -> Self {
        Lowering { b, constants: FxHashMap::default() }
    }

    /// Records the elements of a constant value.
    pub fn set_constant(&mut self, value: ValueId, tensor: Tensor) {
        self.constants.insert(value, tensor);
    }

    /// Returns the elements of a value, if it is constant.
    pub fn constant_value(&self, value: ValueId) -> Option<&Tensor> {
        self.constants.get(&value)
    }

    /// Returns the elements of a constant integer operand; `what` names the operand in messages. Errors: not constant,
    /// not integers.
    pub fn ints(&self, value: ValueId, what: &'static str) -> Result<Vec<i64>, LoweringError> {
        let tensor = self.constant_value(value).ok_or(LoweringError::NotConstant { operand: what, value })?;
        if tensor.ty.dtype.is_float() {
            return malformed(format!("needs integers for its {what}, not {}", tensor.ty));
        }
        Ok(tensor.scalars().map(|x| x.to_i64()).collect())
    }

    /// Returns the integers of an attribute, or else of operand `arg`, which replaced the attribute in later opsets;
    /// `None` if both are absent. Errors: the operand is not constant or not integers.
    pub fn attribute_or_operand_ints(
        &self,
        node: &Node<'_>,
        attribute: &'static str,
        arg: usize,
    ) -> Result<Option<Vec<i64>>, LoweringError> {
        match (node.ints(attribute), node.optional(arg)) {
            (Some(list), _) => Ok(Some(list.to_vec())),
            (None, Some(value)) => self.ints(value, attribute).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Returns the element of a constant with one element. Errors: not constant, or not one element.
    pub fn constant_number(&self, value: ValueId, what: &'static str) -> Result<f64, LoweringError> {
        let tensor = self.constant_value(value).ok_or(LoweringError::NotConstant { operand: what, value })?;
        match tensor.ty.shape.count() {
            1 => Ok(tensor.get(0).to_f64()),
            _ => malformed(format!("needs one number for its {what}, not {}", tensor.ty)),
        }
    }

    /// Returns the elements of a constant operand as floats; `what` names the operand in messages. Errors: not
    /// constant.
    pub fn numbers(&self, value: ValueId, what: &'static str) -> Result<Vec<f64>, LoweringError> {
        let tensor = self.constant_value(value).ok_or(LoweringError::NotConstant { operand: what, value })?;
        Ok(tensor.scalars().map(|x| x.to_f64()).collect())
    }

    /// Returns the element of a constant with one element; `None` for any other value.
    pub fn number(&self, value: ValueId) -> Option<f64> {
        let tensor = self.constant_value(value)?;
        (tensor.ty.shape.count() == 1).then(|| tensor.get(0).to_f64())
    }

    /// Returns the shape of a value.
    pub fn shape(&self, value: ValueId) -> Shape {
        self.b.ty(value).shape
    }

    /// Returns the element type of a value.
    pub fn dtype(&self, value: ValueId) -> DType {
        self.b.ty(value).dtype
    }

    /// Returns the number of dimensions of a value.
    pub fn rank(&self, value: ValueId) -> usize {
        self.b.program.ty(value).shape.rank()
    }

    /// Appends an op with one result, whose type is inferred from the operands. Errors: the operands are invalid for
    /// the op.
    pub fn op(&mut self, name: &str, kind: impl Into<OpKind>, args: &[ValueId]) -> Result<ValueId, LoweringError> {
        Ok(self.b.checked_op(name, kind, args)?)
    }

    /// Broadcasts `x` to a shape. A constant with one element becomes a splat. Errors: `x` does not broadcast to the
    /// shape.
    pub fn expand(&mut self, x: ValueId, shape: &Shape) -> Result<ValueId, LoweringError> {
        let from = self.b.ty(x);
        if from.shape == *shape {
            return Ok(x);
        }
        if broadcast_shape([&from.shape, shape])? != *shape {
            return malformed(format!("{from} does not broadcast to {shape}"));
        }
        if let Some(tensor) = self.constant_value(x)
            && tensor.ty.shape.count() == 1
        {
            let number = tensor.get(0);
            return Ok(self.b.splat(Type { shape: shape.clone(), dtype: from.dtype }, number));
        }
        Ok(self.b.expand(x, shape))
    }

    /// Broadcasts values to their common shape. Errors: the shapes do not broadcast.
    pub fn broadcast_all<const N: usize>(&mut self, values: [ValueId; N]) -> Result<[ValueId; N], LoweringError> {
        let shapes = values.map(|v| self.shape(v));
        let shape = broadcast_shape(&shapes)?;
        let mut out = values;
        for value in &mut out {
            *value = self.expand(*value, &shape)?;
        }
        Ok(out)
    }

    /// Checks that an operand has a float element type.
    pub fn require_float(&self, value: ValueId) -> Result<(), LoweringError> {
        let ty = self.b.ty(value);
        if ty.dtype.is_float() { Ok(()) } else { malformed(format!("needs floats, not {ty}")) }
    }
}

/// Resolves an axis of a tensor with the given rank; a negative axis counts from the end. Errors: the axis is out of
/// range.
pub fn dim(axis: i64, rank: usize) -> Result<usize, LoweringError> {
    let from_end = if axis < 0 { axis.checked_add(rank as i64) } else { Some(axis) };
    match from_end.and_then(|d| usize::try_from(d).ok()) {
        Some(d) if d < rank => Ok(d),
        _ => malformed(format!("there is no dimension {axis} in a tensor of rank {rank}")),
    }
}

/// Resolves axes of a tensor with the given rank, and returns them in ascending order. Errors: an axis is out of range
/// or occurs twice.
pub fn dims(axes: &[i64], rank: usize) -> Result<SmallVec<[usize; 4]>, LoweringError> {
    if axes.len() > MAX_RANK {
        return malformed(format!("has {} axes", axes.len()));
    }
    let mut dims = axes.iter().map(|&axis| dim(axis, rank)).collect::<Result<SmallVec<[usize; 4]>, _>>()?;
    dims.sort_unstable();
    match dims.windows(2).any(|pair| pair[0] == pair[1]) {
        true => malformed(format!("has duplicate axes {axes:?}")),
        false => Ok(dims),
    }
}

/// Converts a size; `what` names it in messages. Errors: the size is negative or above 2^31. The limit ensures that
/// products of a few sizes do not overflow.
pub fn size(n: i64, what: &str) -> Result<usize, LoweringError> {
    usize::try_from(n)
        .ok()
        .filter(|&n| n <= 1 << 31)
        .ok_or_else(|| LoweringError::Malformed(format!("has the {what} {n}")))
}
