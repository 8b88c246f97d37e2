//! State shared by all operation families of the importer: the program under construction and the tensors lowered so
//! far.

use burn::tensor::DType as BurnDType;
use burn_ir::{BinaryOpIr, CastOpIr, ScalarIr, ScalarOpIr, TensorId, TensorIr, UnaryOpIr};
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, RandomStream};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// Reason why an operation cannot be lowered.
#[derive(Debug)]
pub(crate) enum LoweringError {
    /// The operation is not supported.
    Unsupported,
    /// The operation is not supported with this option.
    UnsupportedOption(&'static str),
    /// A tensor has an unsupported element type.
    DType(BurnDType),
    /// The element count of a tensor overflows.
    TooLarge(Shape),
    /// The operation reads a tensor that the trace did not record, such as one created on another device.
    ForeignTensor,
    /// The lowered type differs from the recorded type: recorded, lowered.
    TypeMismatch(Type, Type),
}

/// Result of lowering an operation; result values are stored in the [`Lowering`].
pub(super) type LoweringResult = Result<(), LoweringError>;

/// A program under construction.
pub(super) struct Lowering<'a> {
    /// Appends to the program.
    pub b: Builder<'a>,
    /// Random key of the program, and the number of random tensors drawn from it.
    pub draws: RandomStream,
    /// Logits of each log-softmax over a last dimension, by its result.
    pub logits: FxHashMap<ValueId, ValueId>,
    values: FxHashMap<TensorId, ValueId>,
    reads: FxHashSet<TensorId>,
}

impl<'a> Lowering<'a> {
    /// Creates a lowering that appends to `b`. `reads` are the tensors read by live operations and the outputs.
    pub(super) fn new(b: Builder<'a>, reads: FxHashSet<TensorId>) -> Self {
        Lowering {
            b,
            draws: RandomStream::default(),
            logits: FxHashMap::default(),
            values: FxHashMap::default(),
            reads,
        }
    }

    /// Returns true if a live operation or an output reads the tensor.
    pub(super) fn is_read(&self, id: TensorId) -> bool {
        self.reads.contains(&id)
    }

    /// Returns the value of a tensor that was lowered before. Errors: the trace did not record the tensor.
    pub(super) fn read(&self, tensor: &TensorIr) -> Result<ValueId, LoweringError> {
        self.find(tensor.id).ok_or(LoweringError::ForeignTensor)
    }

    /// Returns the value of the tensor with the given id; `None` if the tensor was not lowered.
    pub(super) fn find(&self, id: TensorId) -> Option<ValueId> {
        self.values.get(&id).copied()
    }

    /// Records the value of a tensor.
    pub(super) fn bind(&mut self, id: TensorId, value: ValueId) {
        self.values.insert(id, value);
    }

    /// Records the value of a result. Errors: the type of the value differs from the recorded type.
    pub(super) fn write(&mut self, tensor: &TensorIr, value: ValueId) -> LoweringResult {
        let (want, got) = (type_of(tensor)?, self.b.ty(value));
        if want != got {
            return Err(LoweringError::TypeMismatch(want, got));
        }
        self.bind(tensor.id, value);
        Ok(())
    }

    /// Returns the shape of a value.
    pub(super) fn shape(&self, value: ValueId) -> Shape {
        self.b.ty(value).shape
    }

    /// Lowers a unary operation with the builder `f`.
    pub(super) fn unary(&mut self, op: &UnaryOpIr, f: impl FnOnce(&mut Self, ValueId) -> ValueId) -> LoweringResult {
        let x = self.read(&op.input)?;
        let y = f(self, x);
        self.write(&op.out, y)
    }

    /// Lowers a binary operation with the builder `f`, after broadcasting both operands to the shape of the result.
    pub(super) fn binary(
        &mut self,
        op: &BinaryOpIr,
        f: impl FnOnce(&mut Self, ValueId, ValueId) -> ValueId,
    ) -> LoweringResult {
        let (x, y) = (self.read(&op.lhs)?, self.read(&op.rhs)?);
        let shape = shape_of(&op.out);
        let (x, y) = (self.b.expand(x, &shape), self.b.expand(y, &shape));
        let z = f(self, x, y);
        self.write(&op.out, z)
    }

    /// Lowers an operation on a tensor and a scalar with the builder `f`; the scalar becomes a tensor of the operand's
    /// shape.
    pub(super) fn scalar_op(
        &mut self,
        op: &ScalarOpIr,
        f: impl FnOnce(&mut Self, ValueId, ValueId) -> ValueId,
    ) -> LoweringResult {
        let x = self.read(&op.lhs)?;
        let y = self.b.splat_like(x, number(op.rhs));
        let z = f(self, x, y);
        self.write(&op.out, z)
    }

    /// Lowers a conversion to the element type of the result.
    pub(super) fn cast(&mut self, op: &CastOpIr) -> LoweringResult {
        let x = self.read(&op.input)?;
        let dtype = dtype_of(op.out.dtype)?;
        let y = if self.b.ty(x).dtype == dtype { x } else { self.b.convert(x, dtype) };
        self.write(&op.out, y)
    }
}

/// Converts Burn's element type. Errors: an unsupported element type.
pub(crate) fn dtype_of(dtype: BurnDType) -> Result<DType, LoweringError> {
    Ok(match dtype {
        BurnDType::F64 => DType::F64,
        BurnDType::F32 | BurnDType::Flex32 => DType::F32,
        BurnDType::F16 => DType::F16,
        BurnDType::BF16 => DType::BF16,
        BurnDType::I64 => DType::I64,
        BurnDType::I32 => DType::I32,
        BurnDType::I16 => DType::I16,
        BurnDType::I8 => DType::I8,
        BurnDType::U64 => DType::U64,
        BurnDType::U32 => DType::U32,
        BurnDType::U16 => DType::U16,
        BurnDType::U8 => DType::U8,
        BurnDType::Bool(_) => DType::Bool,
        BurnDType::QFloat(_) => return Err(LoweringError::DType(dtype)),
    })
}

/// Returns the shape of a recorded tensor.
pub(super) fn shape_of(tensor: &TensorIr) -> Shape {
    Shape::from(tensor.shape.as_slice())
}

/// Returns the type of a recorded tensor. Errors: an unsupported element type, an overflowing element count.
pub(super) fn type_of(tensor: &TensorIr) -> Result<Type, LoweringError> {
    let ty = Type::new(dtype_of(tensor.dtype)?, shape_of(tensor));
    match ty.shape.checked_count() {
        Some(_) => Ok(ty),
        None => Err(LoweringError::TooLarge(ty.shape)),
    }
}

/// Converts a scalar of the recording.
pub(super) fn number(scalar: ScalarIr) -> Scalar {
    match scalar {
        ScalarIr::Float(x) => Scalar::Float(x),
        ScalarIr::Int(x) => Scalar::Int(x),
        ScalarIr::UInt(x) => Scalar::Int(x as i64),
        ScalarIr::Bool(x) => Scalar::Int(i64::from(x)),
    }
}
