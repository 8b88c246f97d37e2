//! Lowering of operations that create, compare, select, move or convert elements.

use super::Importer;
use crate::counterparts::direction;
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Op, Opcode, unsupported_op_help};
use partita_ir::arena::{Id, ValueId};
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::ops::{
    Binary, BinaryOp, Bitcast, Broadcast, Clamp, Compare, Concatenate, Constant, Convert, DynamicUpdateSlice, Iota,
    Literal, Pad, Reshape, Reverse, RngAlgorithm, RngBits, Select, Slice, Transpose, Unary, UnaryOp,
};
use partita_ir::program::Values;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers an operation of this family.
    pub(super) fn movement(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let kind: OpKind = match op.code {
            Opcode::Constant => return self.constant(op),
            Opcode::BroadcastInDim => {
                return self.emit_splat_preserving(op, Broadcast { dims: op.dims("broadcast_dimensions")? }, args);
            }
            Opcode::Reshape => return self.emit_splat_preserving(op, Reshape {}, args),
            // The real part of a real number.
            Opcode::Real | Opcode::ChloConj => return Ok(args.into()),
            Opcode::Imag => return self.zeros(op),
            Opcode::BitcastConvert => return self.bitcast(op, args),
            Opcode::ReducePrecision => return self.reduce_precision(op, args),
            Opcode::ChloTan => return self.emit(op, Unary { op: UnaryOp::Tan }, args),
            Opcode::ChloSquare => {
                return self.emit(op, Binary { op: BinaryOp::Mul }, &[args, args].concat());
            }
            Opcode::Clamp => Clamp {}.into(),
            Opcode::Compare => compare(op)?.into(),
            Opcode::Concatenate => Concatenate { dim: op.size("dimension")? }.into(),
            Opcode::Convert => Convert {}.into(),
            Opcode::DynamicUpdateSlice => DynamicUpdateSlice {}.into(),
            Opcode::Iota => Iota { dim: op.size("iota_dimension")? }.into(),
            Opcode::Pad => pad(op)?.into(),
            Opcode::Reverse => Reverse { dims: op.dims("dimensions")? }.into(),
            Opcode::RngBitGenerator => RngBits { algorithm: rng_algorithm(op)? }.into(),
            Opcode::Select => Select {}.into(),
            Opcode::Slice => slice(op)?.into(),
            Opcode::Transpose => Transpose { perm: op.dims("permutation")? }.into(),
            Opcode::AllGather
            | Opcode::AllReduce
            | Opcode::AllToAll
            | Opcode::CollectiveBroadcast
            | Opcode::CollectivePermute
            | Opcode::PartitionId
            | Opcode::ReduceScatter
            | Opcode::ReplicaId => {
                let title = format!("`{}` is outside of a manual computation", op.code.name());
                return Err(Fault::new(Code::F001, title, op.span()).help(unsupported_op_help(op.code.name())));
            }
            _ => return Err(Fault::unsupported(format!("`{}` is not allowed here", op.code.name()), op.span())),
        };
        self.emit(op, kind, args)
    }

    fn constant(&mut self, op: &Op<'a>) -> Result<Values> {
        let value = match (op.attr("value"), &op.types[..]) {
            (Some(Attr::Dense(dense)), [ty]) => dense.read(ty)?,
            (Some(Attr::Literal(literal)), [_]) => literal.clone(),
            _ => return Err(Fault::malformed("a constant needs a literal `dense<..>` and a type", op.span())),
        };
        let splat = match &value {
            Literal::Splat(x) => Some(*x),
            Literal::Dense(items) => items.first().copied().filter(|_| items.len() == 1),
        };
        let value = splat.map_or(value, Literal::Splat);
        let outs = self.emit(op, Constant { value }, &[])?;
        self.splats[outs[0].index()] = splat;
        Ok(outs)
    }

    /// Lowers the imaginary part of a real number.
    fn zeros(&mut self, op: &Op<'a>) -> Result<Values> {
        let outs = self.emit(op, Constant { value: Literal::Splat(Scalar::Float(0.0)) }, &[])?;
        self.splats[outs[0].index()] = Some(Scalar::Float(0.0));
        Ok(outs)
    }

    /// Emits an op that maps a splat to a splat with the same value.
    fn emit_splat_preserving(&mut self, op: &Op<'a>, kind: impl Into<OpKind>, args: &[ValueId]) -> Result<Values> {
        let outs = self.emit(op, kind, args)?;
        if let ([arg], [out]) = (args, &outs[..]) {
            self.splats[out.index()] = self.splat(*arg);
        }
        Ok(outs)
    }

    /// Lowers a bitcast. Between `u64` and pairs of `u32`, which JAX's random keys use, halves are combined by shifts,
    /// the low half first.
    fn bitcast(&mut self, op: &Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (&[arg], [to]) = (args, &op.types[..]) else {
            return Err(self.op_fault(op, "takes one operand"));
        };
        let from = self.program.ty(arg).clone();
        let paired = |halves: &Type, whole: &Type| {
            (halves.dtype, whole.dtype) == (DType::U32, DType::U64)
                && halves.shape.split_last().is_some_and(|(&two, dims)| two == 2 && *dims == *whole.shape)
        };
        let last = from.shape.rank().max(1) - 1;
        if paired(&from, to) {
            let wide = Type { shape: from.shape.clone(), dtype: DType::U64 };
            let wide = self.temp("wide", Convert {}, &[arg], wide);
            let [low, high] = [0, 1].map(|half| self.half(wide, last, half, to));
            let shift = self.filled(32, to);
            let high = self.temp("high", Binary { op: BinaryOp::ShiftLeft }, &[high, shift], to.clone());
            return self.emit(op, Binary { op: BinaryOp::Or }, &[low, high]);
        }
        if paired(to, &from) {
            let shift = self.filled(32, &from);
            let high = self.temp("high", Binary { op: BinaryOp::ShiftRightLogical }, &[arg, shift], from.clone());
            let mut halves_shape = from.shape.clone();
            halves_shape.0.push(1);
            let halves = [arg, high].map(|half| {
                let narrow = Type { shape: from.shape.clone(), dtype: DType::U32 };
                let narrow = self.temp("half", Convert {}, &[half], narrow);
                self.temp("half", Reshape {}, &[narrow], Type { shape: halves_shape.clone(), dtype: DType::U32 })
            });
            return self.emit(op, Concatenate { dim: from.shape.rank() }, &halves);
        }
        self.emit(op, Bitcast {}, args)
    }

    /// Extracts element `which` (0 or 1) along the last dimension, which has size 2.
    fn half(&mut self, pairs: ValueId, last: usize, which: usize, ty: &Type) -> ValueId {
        let shape = self.program.ty(pairs).shape.clone();
        let start = Dims::from_elem(0, shape.rank());
        let mut slice = Slice { start, limit: shape.0.clone(), stride: Dims::new() };
        slice.start[last] = which;
        slice.limit[last] = which + 1;
        let mut one = shape;
        one[last] = 1;
        let half = self.temp("half", slice, &[pairs], Type { shape: one, dtype: ty.dtype });
        self.temp("half", Reshape {}, &[half], ty.clone())
    }

    /// Emits a splat of type `ty` filled with an integer.
    fn filled(&mut self, number: i64, ty: &Type) -> ValueId {
        let value = Literal::Splat(Scalar::Int(number));
        self.temp("c", Constant { value }, &[], ty.clone())
    }
}

fn compare(op: &Op<'_>) -> Result<Compare> {
    let name = op.word("comparison_direction")?;
    let Some(direction) = direction(name) else {
        return Err(Fault::malformed(format!("`{name}` is not a comparison"), op.span()));
    };
    let total = op.attr("compare_type").and_then(Attr::as_word) == Some("TOTALORDER");
    Ok(Compare { direction, total })
}

fn pad(op: &Op<'_>) -> Result<Pad> {
    let edge = |name| -> Result<Vec<i64>> {
        let edge = op.ints(name)?.unwrap_or_default();
        Ok(if edge.iter().all(|&n| n == 0) { Vec::new() } else { edge.to_vec() })
    };
    let (low, high) = (edge("edge_padding_low")?, edge("edge_padding_high")?);
    let interior = op.dims("interior_padding")?;
    let interior = if interior.iter().all(|&n| n == 0) { Default::default() } else { interior };
    Ok(Pad { low, high, interior })
}

fn slice(op: &Op<'_>) -> Result<Slice> {
    let (start, limit, stride) = (op.dims("start_indices")?, op.dims("limit_indices")?, op.dims("strides")?);
    let stride = if stride.iter().all(|&n| n == 1) { Default::default() } else { stride };
    Ok(Slice { start, limit, stride })
}

/// Reads the algorithm of random bits. `DEFAULT` is Philox in XLA on CPU and GPU.
fn rng_algorithm(op: &Op<'_>) -> Result<RngAlgorithm> {
    match op.word("rng_algorithm")? {
        "THREE_FRY" => Ok(RngAlgorithm::Threefry),
        "PHILOX" | "DEFAULT" => Ok(RngAlgorithm::Philox),
        other => Err(Fault::malformed(format!("`{other}` is not an algorithm of random bits"), op.span())),
    }
}
