//! What every family of the importer shares: the program under construction, a node and its operands, and why one is
//! refused.

use crate::proto::{AttributeProto, NodeProto};
use crate::tensors::{self, MAX_RANK};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::op::OpKind;
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::path::Path;

/// Why a node cannot be lowered.
#[derive(Debug)]
pub enum Refusal {
    /// There is no lowering of this operation.
    Unknown,
    /// There is none of this use of it.
    Option(String),
    /// An element type that programs do not have.
    DType(String),
    /// An operand that must be known now is only known at run time.
    Unknowable(&'static str),
    /// The node breaks the rules of its operation.
    Malformed(String),
    /// A tensor is too large to be worked with.
    TooLarge(String),
}

/// A result of a node.
#[derive(Clone, Debug)]
pub enum Out {
    /// A value of the program.
    Value(ValueId),
    /// Numbers that are known now.
    Known(Tensor),
}

/// The results of a node, in order.
pub type Outs = SmallVec<[Out; 1]>;

/// What lowering a node gives.
pub type Lowered = Result<Outs, Refusal>;

/// A lowering with one result.
pub fn one(value: ValueId) -> Lowered {
    Ok(smallvec![Out::Value(value)])
}

/// A lowering with one result, known now.
pub fn known(tensor: Tensor) -> Lowered {
    Ok(smallvec![Out::Known(tensor)])
}

/// A malformed node, with the reason.
pub fn malformed<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Malformed(why.into()))
}

/// A use of an operation that there is no lowering of.
pub fn unsupported<T>(what: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Option(what.into()))
}

/// The node that is being lowered.
pub struct Node<'m> {
    proto: &'m NodeProto,
    /// The version of the operations.
    pub opset: i64,
    args: Vec<Option<ValueId>>,
}

impl<'m> Node<'m> {
    /// A node whose operands have those values; one that was left out has none.
    pub fn new(proto: &'m NodeProto, opset: i64, args: Vec<Option<ValueId>>) -> Node<'m> {
        Node { proto, opset, args }
    }

    /// The operation's name.
    pub fn op(&self) -> &'m str {
        &self.proto.op_type
    }

    /// How many results the node has.
    pub fn results(&self) -> usize {
        self.proto.output.len()
    }

    /// Whether somebody may read that result.
    pub fn gives(&self, result: usize) -> bool {
        self.proto.output.get(result).is_some_and(|name| !name.is_empty())
    }

    /// An operand that must be there.
    pub fn arg(&self, i: usize) -> Result<ValueId, Refusal> {
        self.optional(i).ok_or_else(|| Refusal::Malformed(format!("lacks input {i}")))
    }

    /// An operand that may be left out.
    pub fn optional(&self, i: usize) -> Option<ValueId> {
        self.args.get(i).copied().flatten()
    }

    /// All operands, which must be there, and one at least.
    pub fn all(&self) -> Result<Vec<ValueId>, Refusal> {
        match self.args.iter().copied().collect::<Option<Vec<_>>>() {
            Some(all) if !all.is_empty() => Ok(all),
            _ => malformed("lacks an input"),
        }
    }

    fn attribute(&self, name: &str) -> Option<&'m AttributeProto> {
        self.proto.attribute.iter().find(|a| a.name == name)
    }

    /// Whether an attribute is there.
    pub fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// An integer attribute, with its default.
    pub fn int(&self, name: &str, default: i64) -> i64 {
        self.attribute(name).map_or(default, |a| a.i.unwrap_or(0))
    }

    /// A flag.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.int(name, default.into()) != 0
    }

    /// A float attribute, with its default: the numbers of the format are `f32`.
    pub fn float(&self, name: &str, default: f32) -> f64 {
        f64::from(self.attribute(name).map_or(default, |a| a.f.unwrap_or(0.0)))
    }

    /// A list of integers, if it is there.
    pub fn ints(&self, name: &str) -> Option<&'m [i64]> {
        self.attribute(name).map(|a| &a.ints[..])
    }

    /// A tensor attribute, whose data is in the message.
    pub fn tensor(&self, name: &str) -> Result<Option<Tensor>, Refusal> {
        let Some(proto) = self.attribute(name).and_then(|a| a.t.as_ref()) else { return Ok(None) };
        let read = tensors::read(proto, Path::new(""), &format!("its `{name}`"));
        read.map(Some).map_err(|diagnostic| Refusal::Malformed(diagnostic.title))
    }

    /// A text attribute, with its default.
    pub fn text(&self, name: &str, default: &'static str) -> &'m str {
        let text = self.attribute(name).and_then(|a| a.s.as_deref());
        text.map_or(default, |bytes| std::str::from_utf8(bytes).unwrap_or("?"))
    }
}

/// A program under construction.
pub struct Lowering<'a> {
    /// Appends to the program.
    pub b: Builder<'a>,
    /// Numbers of values that are known now.
    known: FxHashMap<ValueId, Tensor>,
}

impl<'a> Lowering<'a> {
    /// A lowering that appends to `b`.
    pub fn new(b: Builder<'a>) -> Self {
        Lowering { b, known: FxHashMap::default() }
    }

    /// Says what the elements of a value are.
    pub fn know(&mut self, value: ValueId, tensor: Tensor) {
        self.known.insert(value, tensor);
    }

    /// The elements of a value, when they are known now.
    pub fn known(&self, value: ValueId) -> Option<&Tensor> {
        self.known.get(&value)
    }

    /// The integers that an operand holds, which must be known; `what` they are.
    pub fn ints(&self, value: ValueId, what: &'static str) -> Result<Vec<i64>, Refusal> {
        let tensor = self.known(value).ok_or(Refusal::Unknowable(what))?;
        if tensor.ty.dtype.is_float() {
            return malformed(format!("needs integers for its {what}, not {}", tensor.ty));
        }
        Ok(tensor.scalars().map(|x| x.to_i64()).collect())
    }

    /// The integers that an attribute lists, or the operand that took its place in later opsets; `None` when there is
    /// neither.
    pub fn ints_of(&self, at: &Node<'_>, attribute: &'static str, arg: usize) -> Result<Option<Vec<i64>>, Refusal> {
        match (at.ints(attribute), at.optional(arg)) {
            (Some(list), _) => Ok(Some(list.to_vec())),
            (None, Some(value)) => self.ints(value, attribute).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The only number that an operand holds, when it is known and it has just one.
    pub fn number(&self, value: ValueId) -> Option<f64> {
        let tensor = self.known(value)?;
        (tensor.ty.shape.count() == 1).then(|| tensor.get(0).to_f64())
    }

    /// The shape of a value.
    pub fn shape(&self, value: ValueId) -> Shape {
        self.b.ty(value).shape
    }

    /// The element type of a value.
    pub fn dtype(&self, value: ValueId) -> DType {
        self.b.ty(value).dtype
    }

    /// The number of dimensions of a value.
    pub fn rank(&self, value: ValueId) -> usize {
        self.b.program.ty(value).shape.rank()
    }

    /// Appends an op whose result type follows from its operands.
    pub fn op(&mut self, name: &str, kind: impl Into<OpKind>, args: &[ValueId]) -> Result<ValueId, Refusal> {
        let kind = kind.into();
        let types: Vec<&Type> = args.iter().map(|&v| self.b.program.ty(v)).collect();
        let inferred = kind.infer(self.b.program, &types, &[]).map_err(Refusal::Malformed)?;
        match &inferred[..] {
            [ty] => Ok(self.b.op(name, kind, args, ty.clone())),
            _ => malformed(format!("has {} results where one is read", inferred.len())),
        }
    }

    /// `x` repeated to a shape that it broadcasts to; a number that is known is filled in.
    pub fn expand(&mut self, x: ValueId, shape: &Shape) -> Result<ValueId, Refusal> {
        let from = self.b.ty(x);
        if from.shape == *shape {
            return Ok(x);
        }
        if broadcast([&from.shape, shape])? != *shape {
            return malformed(format!("{from} does not broadcast to {shape}"));
        }
        if let Some(tensor) = self.known(x)
            && tensor.ty.shape.count() == 1
        {
            let number = tensor.get(0);
            return Ok(self.b.splat(Type { shape: shape.clone(), dtype: from.dtype }, number));
        }
        Ok(self.b.expand(x, shape))
    }

    /// Values repeated to the shape that they broadcast to together.
    pub fn together<const N: usize>(&mut self, values: [ValueId; N]) -> Result<[ValueId; N], Refusal> {
        let shapes = values.map(|v| self.shape(v));
        let shape = broadcast(&shapes)?;
        let mut out = values;
        for value in &mut out {
            *value = self.expand(*value, &shape)?;
        }
        Ok(out)
    }

    /// That an operand is of floats.
    pub fn float(&self, value: ValueId) -> Result<(), Refusal> {
        let ty = self.b.ty(value);
        if ty.dtype.is_float() { Ok(()) } else { malformed(format!("needs floats, not {ty}")) }
    }
}

/// The shape that shapes broadcast to together, counted from the last dimension.
pub fn broadcast<'s>(shapes: impl IntoIterator<Item = &'s Shape>) -> Result<Shape, Refusal> {
    let mut all = Shape::scalar();
    for shape in shapes {
        let rank = all.rank().max(shape.rank());
        let size = |s: &Shape, d: usize| (d + s.rank()).checked_sub(rank).map_or(1, |d| s[d]);
        let mut out = Shape::scalar();
        for d in 0..rank {
            out.0.push(match (size(&all, d), size(shape, d)) {
                (a, b) if a == b => a,
                (1, n) | (n, 1) => n,
                _ => return malformed(format!("{all} and {shape} do not broadcast")),
            });
        }
        all = out;
    }
    Ok(all)
}

/// A dimension of a tensor of that rank; a negative one counts from the end.
pub fn dim(axis: i64, rank: usize) -> Result<usize, Refusal> {
    let from_end = if axis < 0 { axis.checked_add(rank as i64) } else { Some(axis) };
    match from_end.and_then(|d| usize::try_from(d).ok()) {
        Some(d) if d < rank => Ok(d),
        _ => malformed(format!("there is no dimension {axis} in a tensor of rank {rank}")),
    }
}

/// Distinct dimensions of a tensor of that rank, in order.
pub fn dims(axes: &[i64], rank: usize) -> Result<SmallVec<[usize; 4]>, Refusal> {
    if axes.len() > MAX_RANK {
        return malformed(format!("names {} dimensions", axes.len()));
    }
    let mut dims = axes.iter().map(|&axis| dim(axis, rank)).collect::<Result<SmallVec<[usize; 4]>, _>>()?;
    dims.sort_unstable();
    match dims.windows(2).any(|pair| pair[0] == pair[1]) {
        true => malformed(format!("dimensions {axes:?} name one twice")),
        false => Ok(dims),
    }
}

/// A size that fits into memory, whatever it multiplies.
pub fn size(n: i64, what: &str) -> Result<usize, Refusal> {
    usize::try_from(n).ok().filter(|&n| n <= 1 << 31).ok_or_else(|| Refusal::Malformed(format!("has the {what} {n}")))
}
