//! Operations on quantised numbers.
//!
//! Operations that only move elements move the stored integers. All others compute with the real numbers that their
//! operands represent and round the result, as the specification defines them. Inside of reductions, only the final
//! result is rounded.

use super::complex::data_operands;
use super::{Parts, TypeLowering};
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Attrs, Element, Ints, Local, Opcode, ParsedOp, Quantization, TensorType};
use partita_ir::diag::Code;
use partita_ir::dtype::Type;
use partita_ir::ops::Literal;
use partita_ir::tensor::Scalar;
use smallvec::smallvec;
use std::sync::Arc;

impl<'a> TypeLowering<'a> {
    /// Lowers an operation with quantised operands or results.
    pub(super) fn quantized_op(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        if self.expressed {
            return self.flattened(op, op.attrs.clone());
        }
        match op.code {
            Opcode::UniformQuantize | Opcode::UniformDequantize => {
                let x = self.real_operand(op, 0)?;
                let Some(ty) = op.types.first() else { return Err(self.unsupported(op, "of quantised numbers")) };
                let result = match &ty.element {
                    Element::Quantized(q) => self.quantize(op, x, q)?,
                    Element::Plain(dtype) => self.out.convert(x, *dtype),
                    Element::Complex(_) | Element::Token => return Err(self.unsupported(op, "of quantised numbers")),
                };
                self.results(op, &[result])
            }
            Opcode::BitcastConvert
            | Opcode::Case
            | Opcode::Composite
            | Opcode::Constant
            | Opcode::CustomCall
            | Opcode::FuncCall
            | Opcode::FuncReturn
            | Opcode::If
            | Opcode::OptimizationBarrier
            | Opcode::Return
            | Opcode::While => self.flattened(op, op.attrs.clone()),
            _ if moves_elements(op.code) && self.has_one_quantization(op) => self.flattened(op, op.attrs.clone()),
            _ => self.in_real_numbers(op),
        }
    }

    /// Returns true if all quantised operands and results have the same parameters.
    fn has_one_quantization(&self, op: &ParsedOp<'a>) -> bool {
        let is_stored = |index: usize| matches!(self.parts_of(op.operands[index]), Ok(Parts::Stored(_)));
        if !data_operands(op.code, op.operands.len()).all(is_stored) {
            return false;
        }
        let operands = op.operands.iter().filter_map(|&x| self.source.get(x as usize)).map(|value| &value.ty);
        let mut all = operands.chain(&op.types).filter_map(|ty| match &ty.element {
            Element::Quantized(q) => Some((q, ty.shape.rank())),
            Element::Plain(_) | Element::Complex(_) | Element::Token => None,
        });
        let Some((first, _)) = all.next() else { return true };
        all.all(|(q, _)| q == first)
    }

    /// Emits the operation on the numbers that its operands represent, and quantises its results.
    fn in_real_numbers(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        let stored: Vec<Option<Parts>> =
            op.operands.iter().map(|&x| self.parts.get(x as usize).copied().flatten()).collect();
        for (i, &operand) in op.operands.iter().enumerate() {
            if let Some(Parts::Stored(_)) = self.parts[operand as usize] {
                let real = self.real_operand(op, i)?;
                self.parts[operand as usize] = Some(Parts::Expressed(real));
            }
        }
        self.expressed = true;
        let emitted = self.flattened(op, op.attrs.clone());
        self.expressed = false;
        for (&operand, parts) in op.operands.iter().zip(stored) {
            self.parts[operand as usize] = parts;
        }
        emitted?;
        for (local, ty) in op.results().zip(&op.types) {
            if let (Element::Quantized(q), Parts::Expressed(x)) = (&ty.element, self.parts_of(local)?) {
                let result = self.quantize(op, x, q)?;
                self.define(local, ty, &[result]);
            }
        }
        Ok(())
    }

    /// Returns an operand as real numbers.
    fn real_operand(&mut self, op: &ParsedOp<'a>, index: usize) -> Result<Local> {
        let operand = op.operands[index];
        let ty: Option<TensorType> = self.source.get(operand as usize).map(|value| value.ty.clone());
        match (self.parts_of(operand)?, ty.map(|ty| ty.element)) {
            (Parts::Stored(x), Some(Element::Quantized(q))) => self.dequantize(op, x, &q),
            (Parts::Plain(x) | Parts::Expressed(x), _) => Ok(x),
            _ => Err(self.unsupported(op, "of quantised numbers")),
        }
    }

    /// Emits `(x - zero_point) * scale`.
    fn dequantize(&mut self, op: &ParsedOp<'a>, x: Local, q: &Arc<Quantization>) -> Result<Local> {
        let x = self.out.convert(x, q.expressed);
        let [scale, zero_point] = self.parameters(op, x, q)?;
        let centred = self.out.sub(x, zero_point);
        Ok(self.out.mul(centred, scale))
    }

    /// Emits `x / scale + zero_point`, rounded to nearest even and clamped to the range of the stored integers.
    fn quantize(&mut self, op: &ParsedOp<'a>, x: Local, q: &Arc<Quantization>) -> Result<Local> {
        let x = self.out.convert(x, q.expressed);
        let [scale, zero_point] = self.parameters(op, x, q)?;
        let scaled = self.out.div(x, scale);
        let rounded = self.out.unary(Opcode::RoundNearestEven, scaled);
        let shifted = self.out.add(rounded, zero_point);
        let [low, high] = [q.range.0, q.range.1].map(|bound| self.out.number(bound as f64, shifted));
        let above = self.out.elementwise(Opcode::Maximum, &[low, shifted]);
        let clamped = self.out.elementwise(Opcode::Minimum, &[high, above]);
        Ok(self.out.convert(clamped, q.storage))
    }

    /// Emits scale and zero point with the shape of `like`. Errors: a number of channels other than the size of the
    /// channel dimension.
    fn parameters(&mut self, op: &ParsedOp<'a>, like: Local, q: &Arc<Quantization>) -> Result<[Local; 2]> {
        let zero_points: Vec<f64> = q.zero_points.iter().map(|&zero| zero as f64).collect();
        let Some(dim) = q.channel_dim else {
            return Ok([self.out.number(q.scales[0], like), self.out.number(zero_points[0], like)]);
        };
        let ty = self.out.ty(like);
        let channels = q.scales.len();
        if ty.shape.get(dim) != Some(&channels) {
            let title = format!(
                "`{}` has {channels} scales for dimension {dim} of a tensor of shape {}",
                op.code.name(),
                ty.shape
            );
            return Err(Fault::new(Code::V001, title, op.span()));
        }
        let vector = Type::new(ty.dtype, [channels]);
        Ok([&q.scales, &zero_points].map(|numbers| {
            let literal = Literal::Dense(numbers.iter().map(|&x| Scalar::Float(x)).collect());
            let numbers = self.out.literal(literal, vector.clone());
            let attrs: Attrs<'a> = smallvec![("broadcast_dimensions", Attr::Ints(Ints::from_elem(dim as i64, 1)))];
            self.out.emit(Opcode::BroadcastInDim, &[numbers], ty.clone(), attrs)
        }))
    }
}

/// Returns true if the results of an operation consist of elements of its operands.
fn moves_elements(code: Opcode) -> bool {
    const MOVEMENT: [Opcode; 13] = [
        Opcode::BroadcastInDim,
        Opcode::Concatenate,
        Opcode::DynamicSlice,
        Opcode::DynamicUpdateSlice,
        Opcode::Gather,
        Opcode::Pad,
        Opcode::Reshape,
        Opcode::Reverse,
        Opcode::SdyReshard,
        Opcode::SdyShardingConstraint,
        Opcode::Select,
        Opcode::Slice,
        Opcode::Transpose,
    ];
    MOVEMENT.contains(&code)
}
