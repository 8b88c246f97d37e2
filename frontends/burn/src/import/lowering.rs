//! What every family of the importer shares: the program under construction and the tensors seen so far.

use burn::tensor::DType as BurnDType;
use burn_ir::{BinaryOpIr, CastOpIr, ScalarIr, ScalarOpIr, TensorId, TensorIr, UnaryOpIr};
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Draws};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// Why an operation cannot be lowered.
#[derive(Debug)]
pub(super) enum Refusal {
    /// There is no lowering of this operation.
    Unknown,
    /// There is none of this use of it.
    Option(&'static str),
    /// A tensor has an element type that programs do not have.
    DType(BurnDType),
    /// A tensor has more elements than can be counted.
    TooLarge(Shape),
    /// The operation reads a tensor that the trace did not record, such as one made on another device.
    Stranger,
    /// The lowering gives another type than Burn recorded.
    Mismatch(Type, Type),
}

/// What lowering an operation gives: its results are written to the [`Lowering`].
pub(super) type Lowered = Result<(), Refusal>;

/// A program under construction.
pub(super) struct Lowering<'a> {
    /// Appends to the program.
    pub b: Builder<'a>,
    /// The random tensors drawn so far.
    pub draws: Draws,
    /// The logits of every log-softmax over a last dimension.
    pub logits: FxHashMap<ValueId, ValueId>,
    values: FxHashMap<TensorId, ValueId>,
    reads: FxHashSet<TensorId>,
}

impl<'a> Lowering<'a> {
    /// A lowering that appends to `b`; `reads` are the tensors that operations to come or the results read.
    pub(super) fn new(b: Builder<'a>, reads: FxHashSet<TensorId>) -> Self {
        Lowering { b, draws: Draws::default(), logits: FxHashMap::default(), values: FxHashMap::default(), reads }
    }

    /// Whether anything reads that tensor.
    pub(super) fn is_read(&self, id: TensorId) -> bool {
        self.reads.contains(&id)
    }

    /// The value of a tensor that was lowered before.
    pub(super) fn read(&self, tensor: &TensorIr) -> Result<ValueId, Refusal> {
        self.find(tensor.id).ok_or(Refusal::Stranger)
    }

    /// The value of the tensor with that id.
    pub(super) fn find(&self, id: TensorId) -> Option<ValueId> {
        self.values.get(&id).copied()
    }

    /// Says which value a tensor is.
    pub(super) fn bind(&mut self, id: TensorId, value: ValueId) {
        self.values.insert(id, value);
    }

    /// Says which value a result is, and checks that it has the type that Burn recorded.
    pub(super) fn write(&mut self, tensor: &TensorIr, value: ValueId) -> Lowered {
        let (want, got) = (type_of(tensor)?, self.b.ty(value));
        if want != got {
            return Err(Refusal::Mismatch(want, got));
        }
        self.bind(tensor.id, value);
        Ok(())
    }

    /// The shape of a value.
    pub(super) fn shape(&self, value: ValueId) -> Shape {
        self.b.ty(value).shape
    }

    /// `f` of the operand.
    pub(super) fn unary(&mut self, op: &UnaryOpIr, f: impl FnOnce(&mut Self, ValueId) -> ValueId) -> Lowered {
        let x = self.read(&op.input)?;
        let y = f(self, x);
        self.write(&op.out, y)
    }

    /// `f` of both operands, repeated to the shape of the result.
    pub(super) fn binary(
        &mut self,
        op: &BinaryOpIr,
        f: impl FnOnce(&mut Self, ValueId, ValueId) -> ValueId,
    ) -> Lowered {
        let (x, y) = (self.read(&op.lhs)?, self.read(&op.rhs)?);
        let shape = shape_of(&op.out);
        let (x, y) = (self.b.expand(x, &shape), self.b.expand(y, &shape));
        let z = f(self, x, y);
        self.write(&op.out, z)
    }

    /// `f` of the operand and a tensor filled with the number.
    pub(super) fn scalar_op(
        &mut self,
        op: &ScalarOpIr,
        f: impl FnOnce(&mut Self, ValueId, ValueId) -> ValueId,
    ) -> Lowered {
        let x = self.read(&op.lhs)?;
        let y = self.b.splat_like(x, number(op.rhs));
        let z = f(self, x, y);
        self.write(&op.out, z)
    }

    /// The operand in the element type of the result.
    pub(super) fn cast(&mut self, op: &CastOpIr) -> Lowered {
        let x = self.read(&op.input)?;
        let dtype = dtype_of(op.out.dtype)?;
        let y = if self.b.ty(x).dtype == dtype { x } else { self.b.convert(x, dtype) };
        self.write(&op.out, y)
    }
}

/// The element type of programs for one of Burn.
pub(super) fn dtype_of(dtype: BurnDType) -> Result<DType, Refusal> {
    Ok(match dtype {
        BurnDType::F64 => DType::F64,
        BurnDType::F32 | BurnDType::Flex32 => DType::F32,
        BurnDType::F16 => DType::F16,
        BurnDType::BF16 => DType::BF16,
        BurnDType::I64 => DType::I64,
        BurnDType::I32 => DType::I32,
        BurnDType::I8 => DType::I8,
        BurnDType::U64 => DType::U64,
        BurnDType::U32 => DType::U32,
        BurnDType::U8 => DType::U8,
        BurnDType::Bool(_) => DType::Bool,
        BurnDType::I16 | BurnDType::U16 | BurnDType::QFloat(_) => return Err(Refusal::DType(dtype)),
    })
}

/// The shape of a tensor.
pub(super) fn shape_of(tensor: &TensorIr) -> Shape {
    Shape::from(tensor.shape.as_slice())
}

/// The type of a tensor.
pub(super) fn type_of(tensor: &TensorIr) -> Result<Type, Refusal> {
    let ty = Type::new(dtype_of(tensor.dtype)?, shape_of(tensor));
    match ty.shape.checked_count() {
        Some(_) => Ok(ty),
        None => Err(Refusal::TooLarge(ty.shape)),
    }
}

/// A number of the recording.
pub(super) fn number(scalar: ScalarIr) -> Scalar {
    match scalar {
        ScalarIr::Float(x) => Scalar::Float(x),
        ScalarIr::Int(x) => Scalar::Int(x),
        ScalarIr::UInt(x) => Scalar::Int(x as i64),
        ScalarIr::Bool(x) => Scalar::Int(i64::from(x)),
    }
}
