//! The node being lowered, with the values of its operands and the types of its results.

use super::lowering::{LoweringError, Parts, malformed, size, unsupported};
use crate::schema::TensorType;
use partita_ir::arena::ValueId;
use partita_ir::build::Pair;
use partita_ir::dtype::{Shape, Type};
use partita_ir::tensor::Scalar;
use std::borrow::Cow;

/// An operand of a node.
#[derive(Clone)]
pub enum Operand<'m> {
    Tensor(ValueId),
    Tensors(Vec<Option<ValueId>>),
    /// A tensor of complex numbers.
    Complex(Pair),
    /// Tensors of which at least one is complex.
    ComplexTensors(Vec<Option<Parts>>),
    ComplexNumber(f64, f64),
    Int(i64),
    Ints(Cow<'m, [i64]>),
    Float(f64),
    Floats(Vec<f64>),
    Bool(bool),
    Text(&'m str),
    /// Omitted, or an option without effect on the result, such as a memory format.
    Absent,
    /// An operand that no lowering reads, such as the element type of the result, whose type is recorded.
    Other,
}

impl From<Parts> for Operand<'_> {
    fn from(parts: Parts) -> Self {
        match parts {
            Parts::Real(value) => Operand::Tensor(value),
            Parts::Complex(pair) => Operand::Complex(pair),
        }
    }
}

impl Operand<'_> {
    /// Creates a list of tensors.
    pub fn from_tensors(tensors: Vec<Option<Parts>>) -> Self {
        let real = tensors.iter().map(|parts| match parts {
            Some(Parts::Complex(_)) => None,
            Some(Parts::Real(value)) => Some(Some(*value)),
            None => Some(None),
        });
        match real.collect::<Option<Vec<_>>>() {
            Some(values) => Operand::Tensors(values),
            None => Operand::ComplexTensors(tensors),
        }
    }

    /// Returns the operand as a number, if it is one.
    pub fn number(&self) -> Option<Scalar> {
        match *self {
            Operand::Int(x) => Some(Scalar::Int(x)),
            Operand::Float(x) => Some(Scalar::Float(x)),
            Operand::Bool(x) => Some(Scalar::Int(x.into())),
            Operand::Tensor(_)
            | Operand::Tensors(_)
            | Operand::Complex(_)
            | Operand::ComplexTensors(_)
            | Operand::ComplexNumber(..)
            | Operand::Ints(_)
            | Operand::Floats(_)
            | Operand::Text(_)
            | Operand::Absent
            | Operand::Other => None,
        }
    }
}

/// A node with the values of its operands.
#[derive(Clone)]
pub struct Node<'m> {
    /// Name of the operation without namespace and overload, such as `add`.
    pub op: &'m str,
    operands: Vec<(&'m str, Operand<'m>)>,
    results: Vec<TensorType>,
}

impl<'m> Node<'m> {
    /// Creates a node from its operands and the recorded types of its results.
    pub fn new(op: &'m str, operands: Vec<(&'m str, Operand<'m>)>, results: Vec<TensorType>) -> Node<'m> {
        Node { op, operands, results }
    }

    /// Returns true if an operand or a result is complex.
    pub fn is_complex(&self) -> bool {
        let is_complex = |operand: &Operand<'_>| {
            matches!(operand, Operand::Complex(_) | Operand::ComplexTensors(_) | Operand::ComplexNumber(..))
        };
        self.operands.iter().any(|(_, operand)| is_complex(operand)) || self.results.iter().any(|ty| ty.is_complex)
    }

    /// Returns the node with other operands; the function returns `None` for those that remain.
    pub fn with_operands(&self, mut replace: impl FnMut(&str, &Operand<'m>) -> Option<Operand<'m>>) -> Node<'m> {
        let operand = |(name, operand): &(&'m str, Operand<'m>)| {
            (*name, replace(name, operand).unwrap_or_else(|| operand.clone()))
        };
        Node { op: self.op, operands: self.operands.iter().map(operand).collect(), results: self.results.clone() }
    }

    /// Returns a node of another operation with the operands of this one, except that the given ones are replaced or
    /// added.
    pub fn as_operation<const N: usize>(&self, op: &'m str, operands: [(&'m str, Operand<'m>); N]) -> Node<'m> {
        let mut node = Node { op, operands: self.operands.clone(), results: self.results.clone() };
        node.operands.retain(|(name, _)| operands.iter().all(|(replaced, _)| replaced != name));
        node.operands.extend(operands);
        node
    }

    /// Returns an operand by its name in the definition of the operation; `Absent` if it is omitted.
    pub fn operand(&self, name: &str) -> &Operand<'m> {
        self.operands.iter().find(|(known, _)| *known == name).map_or(&Operand::Absent, |(_, operand)| operand)
    }

    /// Returns true if the operand is not omitted.
    pub fn has(&self, name: &str) -> bool {
        !matches!(self.operand(name), Operand::Absent)
    }

    /// Returns a required tensor. Errors: the operand is omitted or not a tensor.
    pub fn tensor(&self, name: &str) -> Result<ValueId, LoweringError> {
        self.optional(name)?.ok_or_else(|| LoweringError::Malformed(format!("lacks the operand `{name}`")))
    }

    /// Returns an optional tensor. Errors: the operand is not a tensor.
    pub fn optional(&self, name: &str) -> Result<Option<ValueId>, LoweringError> {
        match self.operand(name) {
            Operand::Tensor(value) => Ok(Some(*value)),
            Operand::Absent => Ok(None),
            Operand::Complex(_) => unsupported("complex numbers"),
            _ => malformed(format!("needs a tensor for `{name}`")),
        }
    }

    /// Returns a list of tensors, which may be omitted ones. Errors: the operand is not a list of tensors.
    pub fn optional_tensors(&self, name: &str) -> Result<&[Option<ValueId>], LoweringError> {
        match self.operand(name) {
            Operand::Tensors(values) => Ok(values),
            Operand::ComplexTensors(_) => unsupported("complex numbers"),
            _ => malformed(format!("needs tensors for `{name}`")),
        }
    }

    /// Returns a nonempty list of tensors. Errors: the operand is not one.
    pub fn tensors(&self, name: &str) -> Result<Vec<ValueId>, LoweringError> {
        match self.optional_tensors(name)?.iter().copied().collect::<Option<Vec<_>>>() {
            Some(values) if !values.is_empty() => Ok(values),
            _ => malformed(format!("needs at least one tensor for `{name}`")),
        }
    }

    /// Returns an optional integer. Errors: the operand is not an integer.
    pub fn optional_int(&self, name: &str) -> Result<Option<i64>, LoweringError> {
        match self.operand(name) {
            Operand::Int(x) => Ok(Some(*x)),
            Operand::Bool(x) => Ok(Some((*x).into())),
            Operand::Absent => Ok(None),
            _ => malformed(format!("needs an integer for `{name}`")),
        }
    }

    /// Returns an integer, or `default` if it is omitted. Errors: the operand is not an integer.
    pub fn int(&self, name: &str, default: i64) -> Result<i64, LoweringError> {
        Ok(self.optional_int(name)?.unwrap_or(default))
    }

    /// Returns a required integer. Errors: the operand is omitted or not an integer.
    pub fn required_int(&self, name: &str) -> Result<i64, LoweringError> {
        self.optional_int(name)?.ok_or_else(|| LoweringError::Malformed(format!("lacks the operand `{name}`")))
    }

    /// Returns a list of integers; a single integer is a list of one. `None` if it is omitted. Errors: the operand is
    /// not integers.
    pub fn ints(&self, name: &str) -> Result<Option<Cow<'_, [i64]>>, LoweringError> {
        match self.operand(name) {
            Operand::Ints(list) => Ok(Some(Cow::Borrowed(list))),
            Operand::Int(x) => Ok(Some(Cow::Owned(vec![*x]))),
            Operand::Absent => Ok(None),
            _ => malformed(format!("needs integers for `{name}`")),
        }
    }

    /// Returns `n` sizes, for example one per spatial dimension: one integer stands for all. `None` if they are omitted
    /// or an empty list. Errors: the operand is another number of integers, or one is negative or too large.
    pub fn sizes(&self, name: &str, n: usize) -> Result<Option<Vec<usize>>, LoweringError> {
        let Some(list) = self.ints(name)?.filter(|list| !list.is_empty()) else { return Ok(None) };
        let sizes = list.iter().map(|&x| size(x, name)).collect::<Result<Vec<_>, _>>()?;
        match sizes[..] {
            [one] => Ok(Some(vec![one; n])),
            _ if sizes.len() == n => Ok(Some(sizes)),
            _ => malformed(format!("has {} numbers for `{name}`, not {n}", sizes.len())),
        }
    }

    /// Returns a list of floats; `None` if it is omitted. Errors: the operand is not floats.
    pub fn floats(&self, name: &str) -> Result<Option<&[f64]>, LoweringError> {
        match self.operand(name) {
            Operand::Floats(list) => Ok(Some(list)),
            Operand::Absent => Ok(None),
            _ => malformed(format!("needs floats for `{name}`")),
        }
    }

    /// Returns a number, or `default` if it is omitted. Errors: the operand is not a number.
    pub fn float(&self, name: &str, default: f64) -> Result<f64, LoweringError> {
        Ok(self.number(name)?.map_or(default, Scalar::to_f64))
    }

    /// Returns a number; `None` if it is omitted. Errors: the operand is not a number.
    pub fn number(&self, name: &str) -> Result<Option<Scalar>, LoweringError> {
        match self.operand(name) {
            Operand::Absent => Ok(None),
            other => match other.number() {
                Some(number) => Ok(Some(number)),
                None => malformed(format!("needs a number for `{name}`")),
            },
        }
    }

    /// Returns a boolean, or `default` if it is omitted. Errors: the operand is not a boolean.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, LoweringError> {
        Ok(self.optional_int(name)?.map_or(default, |x| x != 0))
    }

    /// Returns a text; `None` if it is omitted. Errors: the operand is not a text.
    pub fn text(&self, name: &str) -> Result<Option<&'m str>, LoweringError> {
        match self.operand(name) {
            Operand::Text(text) => Ok(Some(text)),
            Operand::Absent => Ok(None),
            _ => malformed(format!("needs a text for `{name}`")),
        }
    }

    /// Returns the number of results.
    pub fn result_count(&self) -> usize {
        self.results.len()
    }

    /// Returns the recorded type of a result, or of each part of a complex result. Errors: the node does not have the
    /// result.
    pub fn result(&self, i: usize) -> Result<&Type, LoweringError> {
        Ok(&self.result_type(i)?.part)
    }

    /// Returns the recorded type of a result. Errors: the node does not have the result.
    pub fn result_type(&self, i: usize) -> Result<&TensorType, LoweringError> {
        self.results.get(i).ok_or_else(|| LoweringError::Malformed(format!("lacks result {i}")))
    }

    /// Returns the recorded shape of the first result. Errors: the node has no results.
    pub fn result_shape(&self) -> Result<&Shape, LoweringError> {
        Ok(&self.result(0)?.shape)
    }
}
