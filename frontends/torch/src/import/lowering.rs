//! State shared by the lowering functions of all operation families: the program under construction, and the reasons
//! why a node cannot be lowered.

use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, OpTypeError, Pair, RandomStream, broadcast_shape};
use partita_ir::dtype::{DType, Shape};
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::program::{COMPLEX_PARTS, ParamKind};
use partita_ir::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// Reason why a node cannot be lowered.
#[derive(Debug)]
pub enum LoweringError {
    /// The operation is not supported.
    Unsupported,
    /// The operation is not supported with the described option.
    UnsupportedOption(String),
    /// The shape of the result depends on the elements of an operand.
    DynamicShape,
    /// The element type with this name is not supported.
    DType(String),
    /// The size with this name is symbolic or computed at run time.
    Symbolic(String),
    /// The number with this name is computed from elements of a tensor.
    Element(String),
    /// The operand with this name is a tensor that another name has changed in place.
    ChangedInPlace(String),
    /// The operand with this name is a result that the lowering of an operation does not compute.
    MissingResult(String),
    /// The node violates the definition of its operation, for the given reason.
    Malformed(String),
    /// The tensor with this type is too large.
    TooLarge(String),
    /// The node reads a result of a node whose error has been reported.
    Reported,
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

/// A tensor of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// A tensor of numbers that are not complex.
    Real(ValueId),
    /// The real and the imaginary parts of a tensor of complex numbers.
    Complex(Pair),
}

impl Parts {
    /// Returns the value, or those of both parts.
    pub fn values(&self) -> &[ValueId] {
        match self {
            Parts::Real(value) => std::slice::from_ref(value),
            Parts::Complex(pair) => pair,
        }
    }

    /// Returns the values with their names, which for complex numbers have suffixes.
    pub fn named(self, name: &str) -> Vec<(String, ValueId)> {
        match self {
            Parts::Real(value) => vec![(name.to_owned(), value)],
            Parts::Complex(pair) => {
                COMPLEX_PARTS.iter().zip(pair).map(|(suffix, value)| (format!("{name}{suffix}"), value)).collect()
            }
        }
    }
}

impl From<ValueId> for Parts {
    fn from(value: ValueId) -> Parts {
        Parts::Real(value)
    }
}

impl From<Pair> for Parts {
    fn from(pair: Pair) -> Parts {
        Parts::Complex(pair)
    }
}

/// The results of a node, in order; `None` for a result that the lowering does not compute, such as the statistics of a
/// normalisation.
pub type Outs = SmallVec<[Option<Parts>; 1]>;

/// Result of lowering a node.
pub type LoweringResult = Result<Outs, LoweringError>;

/// Returns the result of a node with one result.
pub fn single(value: impl Into<Parts>) -> LoweringResult {
    Ok(smallvec![Some(value.into())])
}

/// Returns the results of a node whose results are all computed.
pub fn all(values: impl IntoIterator<Item = ValueId>) -> LoweringResult {
    Ok(values.into_iter().map(|value| Some(value.into())).collect())
}

/// Returns the first result of a node, whose other results are not computed.
pub fn first_of(value: ValueId, count: usize) -> LoweringResult {
    Ok(std::iter::once(Some(value.into())).chain(std::iter::repeat_n(None, count - 1)).collect())
}

/// Returns the first result of a node, which must be computed and not complex.
pub fn real_result(outs: &Outs) -> Result<ValueId, LoweringError> {
    match outs.first() {
        Some(Some(Parts::Real(value))) => Ok(*value),
        Some(Some(Parts::Complex(_)) | None) | None => malformed("has no result"),
    }
}

/// Returns the error for a malformed node; `why` follows the name of the node in the message.
pub fn malformed<T>(why: impl Into<String>) -> Result<T, LoweringError> {
    Err(LoweringError::Malformed(why.into()))
}

/// Returns the error for an unsupported option of a supported operation.
pub fn unsupported<T>(what: impl Into<String>) -> Result<T, LoweringError> {
    Err(LoweringError::UnsupportedOption(what.into()))
}

/// A program under construction.
pub struct Lowering<'a> {
    /// Appends to the program.
    pub b: Builder<'a>,
    /// Random key of the program, and the number of random tensors drawn from it.
    pub draws: RandomStream,
    /// Logits of each log-softmax, and its dimension, by the result.
    pub logits: FxHashMap<ValueId, (ValueId, usize)>,
    /// Values that replace operands of the current node, by the name of the operand: running statistics.
    pub updates: Vec<(&'static str, ValueId)>,
    /// Values that depend on parameters with gradients, among those of the first `visited_ops` ops.
    with_gradient: FxHashSet<ValueId>,
    visited_ops: usize,
}

impl<'a> Lowering<'a> {
    /// Creates a lowering that appends to `b`.
    pub fn new(b: Builder<'a>) -> Self {
        Lowering {
            b,
            draws: RandomStream::default(),
            logits: FxHashMap::default(),
            updates: Vec::new(),
            with_gradient: FxHashSet::default(),
            visited_ops: 0,
        }
    }

    /// Appends the identity through which no gradient flows, if `x` depends on parameters with gradients; otherwise
    /// returns `x`.
    pub fn stop_gradient(&mut self, x: ValueId) -> ValueId {
        if !self.dtype(x).is_float() || !self.has_gradient(x) {
            return x;
        }
        self.b.unary(UnaryOp::StopGradient, x)
    }

    /// Begins the body of a loop with the given inputs, which may depend on parameters with gradients. Returns the
    /// number of ops of the enclosing function to continue with.
    pub fn enter_loop(&mut self, inputs: impl IntoIterator<Item = ValueId>) -> usize {
        self.with_gradient.extend(inputs);
        std::mem::take(&mut self.visited_ops)
    }

    /// Ends the body of a loop.
    pub fn leave_loop(&mut self, visited_ops: usize) {
        self.visited_ops = visited_ops;
    }

    /// Returns true if a value depends on parameters with gradients.
    fn has_gradient(&mut self, x: ValueId) -> bool {
        let program = &*self.b.program;
        let trained = program.params.values().filter(|param| param.kind == ParamKind::Trainable);
        self.with_gradient.extend(trained.map(|param| param.value));
        for &id in &self.b.body[self.visited_ops..] {
            let op = &program.ops[id];
            if !op.kind.is_stop_gradient() && op.args.iter().any(|arg| self.with_gradient.contains(arg)) {
                self.with_gradient.extend(op.outs.iter().copied());
            }
        }
        self.visited_ops = self.b.body.len();
        self.with_gradient.contains(&x)
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

    /// Converts `x` to another element type. In a conversion to `bool` nonzero elements become true.
    pub fn converted(&mut self, x: ValueId, dtype: DType) -> ValueId {
        match self.dtype(x) {
            same if same == dtype => x,
            DType::Bool => self.b.convert(x, dtype),
            _ if dtype == DType::Bool => {
                let zero = self.b.splat_like(x, Scalar::Int(0));
                self.b.compare(x, Direction::Ne, zero)
            }
            _ => self.b.convert(x, dtype),
        }
    }

    /// Broadcasts `x` to a shape. Errors: `x` does not broadcast to the shape.
    pub fn expand(&mut self, x: ValueId, shape: &Shape) -> Result<ValueId, LoweringError> {
        let from = self.shape(x);
        if broadcast_shape([&from, shape])? != *shape {
            return malformed(format!("{from} does not broadcast to {shape}"));
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

    /// Appends `op(x, y)` with broadcasting. Errors: the shapes do not broadcast.
    pub fn binary(&mut self, op: BinaryOp, x: ValueId, y: ValueId) -> Result<ValueId, LoweringError> {
        let [x, y] = self.broadcast_all([x, y])?;
        self.op(op.name(), partita_ir::ops::Binary { op }, &[x, y])
    }

    /// Appends the comparison of `x` and a number.
    pub fn compare_scalar(&mut self, x: ValueId, direction: Direction, number: Scalar) -> ValueId {
        let number = self.b.splat_like(x, number);
        self.b.compare(x, direction, number)
    }

    /// Appends `condition ? x : number` with broadcasting.
    pub fn select_or(&mut self, condition: ValueId, x: ValueId, number: Scalar) -> Result<ValueId, LoweringError> {
        let [condition, x] = self.broadcast_all([condition, x])?;
        let other = self.b.splat_like(x, number);
        Ok(self.b.select(condition, x, other))
    }

    /// Returns the shape of a value with another size of one dimension.
    pub fn resized(&self, value: ValueId, dim: usize, size: usize) -> Shape {
        let mut shape = self.shape(value);
        shape[dim] = size;
        shape
    }
}

/// Resolves a dimension of a tensor with the given rank; a negative one counts from the end. A scalar has the dimension
/// 0, as in PyTorch. Errors: the dimension is out of range.
pub fn dim(number: i64, rank: usize) -> Result<usize, LoweringError> {
    let count = rank.max(1) as i64;
    let from_start = if number < 0 { number.saturating_add(count) } else { number };
    match usize::try_from(from_start) {
        Ok(d) if d < rank.max(1) => Ok(d),
        _ => malformed(format!("there is no dimension {number} in a tensor of rank {rank}")),
    }
}

/// Resolves dimensions of a tensor with the given rank, and returns them in ascending order. Errors: a dimension is out
/// of range or occurs twice.
pub fn dims(numbers: &[i64], rank: usize) -> Result<Vec<usize>, LoweringError> {
    if numbers.len() > rank {
        return malformed(format!("has {} dimensions for a tensor of rank {rank}", numbers.len()));
    }
    let mut dims = numbers.iter().map(|&number| dim(number, rank)).collect::<Result<Vec<_>, _>>()?;
    dims.sort_unstable();
    match dims.windows(2).any(|pair| pair[0] == pair[1]) {
        true => malformed(format!("has duplicate dimensions {numbers:?}")),
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

/// Returns the operand `self` or `input`, which many operations have as their first.
pub fn first_operand(node: &Node<'_>) -> Result<ValueId, LoweringError> {
    match node.optional("self")? {
        Some(x) => Ok(x),
        None => node.tensor("input"),
    }
}
