//! Element types of operations on operands of different types, as `torch.result_type` computes them.

use super::lowering::{Lowering, LoweringError, malformed};
use super::node::{Node, Operand};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::tensor::{Scalar, wrap};

/// Kind of element types: a kind includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Bool,
    Int,
    Float,
}

fn kind(dtype: DType) -> Kind {
    match dtype {
        DType::Bool => Kind::Bool,
        _ if dtype.is_float() => Kind::Float,
        _ => Kind::Int,
    }
}

/// Returns the smallest element type that contains both.
fn common(a: DType, b: DType) -> DType {
    if a == b {
        return a;
    }
    let (ka, kb) = (kind(a), kind(b));
    match ka.cmp(&kb) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Equal if ka == Kind::Float && a.bits() == b.bits() => DType::F32,
        std::cmp::Ordering::Equal if a.is_unsigned() == b.is_unsigned() || ka == Kind::Float => {
            if a.bits() >= b.bits() { a } else { b }
        }
        std::cmp::Ordering::Equal => {
            let (unsigned, signed) = if a.is_unsigned() { (a, b) } else { (b, a) };
            match unsigned.bits() {
                bits if bits < signed.bits() => signed,
                8 => DType::I16,
                16 => DType::I32,
                _ => DType::I64,
            }
        }
    }
}

/// Returns the element type in which operands are compared or combined: tensors take precedence over scalar tensors,
/// and these over numbers, unless the latter are of a higher kind.
pub fn promoted(cx: &Lowering<'_>, operands: &[&Operand<'_>]) -> Option<DType> {
    let mut groups: [Option<DType>; 3] = [None; 3];
    for operand in operands {
        let (group, dtype) = match operand {
            Operand::Tensor(value) => (usize::from(cx.rank(*value) == 0), cx.dtype(*value)),
            Operand::Bool(_) => (2, DType::Bool),
            Operand::Int(_) => (2, DType::I64),
            Operand::Float(_) => (2, DType::F32),
            Operand::Complex(_) | Operand::ComplexTensors(_) | Operand::ComplexNumber(..) => return None,
            Operand::Tensors(_) | Operand::Ints(_) | Operand::Floats(_) | Operand::Text(_) => return None,
            Operand::Absent | Operand::Other => return None,
        };
        groups[group] = Some(groups[group].map_or(dtype, |known| common(known, dtype)));
    }
    groups.into_iter().flatten().reduce(|high, low| if kind(low) > kind(high) { low } else { high })
}

/// Returns operands as tensors of an element type; a number becomes a scalar. Errors: an operand is neither a tensor
/// nor a number.
pub fn operands<const N: usize>(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    names: [&str; N],
    dtype: DType,
) -> Result<[ValueId; N], LoweringError> {
    let mut values = Vec::with_capacity(N);
    for name in names {
        values.push(match node.operand(name) {
            Operand::Tensor(x) => cx.converted(*x, dtype),
            other => match other.number() {
                Some(number) => scalar(cx, dtype, number),
                None => return malformed(format!("needs a tensor or a number for `{name}`")),
            },
        });
    }
    <[ValueId; N]>::try_from(values).or_else(|_| malformed("has another number of operands"))
}

/// Appends a scalar of an element type. A float that becomes an integer is truncated.
pub fn scalar(cx: &mut Lowering<'_>, dtype: DType, number: Scalar) -> ValueId {
    let number = match dtype {
        DType::Bool => Scalar::Int((number.to_f64() != 0.0).into()),
        _ => wrap(dtype, number),
    };
    cx.b.splat(Type::new(dtype, Shape::scalar()), number)
}
