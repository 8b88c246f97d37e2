//! Lowering of the `check` dialect, with which the StableHLO project compares results with expected values.
//!
//! Each comparison becomes an output of the program, `check.LINE`: true if all elements are as expected. `run` reports
//! those that are false.

use super::Importer;
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Op, Opcode};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Bitcast, Compare, Convert, Direction, Reduce, Select, Unary, UnaryOp};
use partita_ir::program::{CHECK_PREFIX, Values};
use partita_ir::tensor::Scalar;

/// Tolerance of `check.expect_almost_eq` without one.
const DEFAULT_TOLERANCE: f64 = 1e-4;

/// Number of representable numbers between two close ones, in `check.expect_close` without one.
const DEFAULT_ULPS: i64 = 3;

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers a comparison of an actual with an expected tensor.
    pub(super) fn check_values(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let &[actual, expected] = args else { return Err(self.op_fault(op, "compares two tensors")) };
        if !self.frame.scopes.is_empty() {
            let title = format!("`{}` is inside of a loop or a branch", op.code.name());
            return Err(Fault::unsupported(title, op.span()).help("move the check behind it"));
        }
        let equal = match op.code {
            Opcode::CheckExpectAlmostEq => {
                let tolerance = op.attr("tolerance").and_then(Attr::as_float).unwrap_or(DEFAULT_TOLERANCE);
                self.almost_equal(actual, expected, tolerance)
            }
            Opcode::CheckExpectClose => {
                let ulps = op.attr("max_ulp_difference").and_then(Attr::as_int).unwrap_or(DEFAULT_ULPS);
                self.close(actual, expected, ulps)
            }
            _ => self.equal(actual, expected),
        };
        let rank = self.program.ty(equal).shape.rank();
        let dims = (0..rank).collect();
        let holds = self.temp("check", Reduce { monoid: Monoid::And, dims }, &[equal], Type::new(DType::Bool, []));
        if op.code == Opcode::CheckEq {
            return Ok(Values::from_slice(&[holds]));
        }
        let name = format!("{CHECK_PREFIX}{}", op.line);
        // The parts of a complex number are compared in turn.
        match self.checks.iter().position(|(_, other)| *other == name) {
            Some(earlier) => {
                let both = self.binary_of(BinaryOp::And, self.checks[earlier].0, holds);
                self.checks[earlier].0 = both;
            }
            None => self.checks.push((holds, name)),
        }
        Ok(Values::new())
    }

    /// Emits `x == y`, where NaN equals NaN.
    fn equal(&mut self, x: ValueId, y: ValueId) -> ValueId {
        let equal = self.compared(Direction::Eq, x, y);
        if !self.program.ty(x).dtype.is_float() {
            return equal;
        }
        let [x_nan, y_nan] = [self.compared(Direction::Ne, x, x), self.compared(Direction::Ne, y, y)];
        let both = self.binary_of(BinaryOp::And, x_nan, y_nan);
        self.binary_of(BinaryOp::Or, equal, both)
    }

    /// Emits `|x - y| <= tolerance`, or equality of numbers that are not finite.
    fn almost_equal(&mut self, x: ValueId, y: ValueId, tolerance: f64) -> ValueId {
        let equal = self.equal(x, y);
        if !self.program.ty(x).dtype.is_float() {
            return equal;
        }
        let ty = Type { dtype: DType::F64, ..self.program.ty(x).clone() };
        let [x, y] = [x, y].map(|v| self.temp("wide", Convert {}, &[v], ty.clone()));
        let difference = self.binary_of(BinaryOp::Sub, x, y);
        let distance = self.temp("distance", Unary { op: UnaryOp::Abs }, &[difference], ty.clone());
        let limit = self.filled_like(Scalar::Float(tolerance), distance);
        let near = self.compared(Direction::Le, distance, limit);
        self.binary_of(BinaryOp::Or, equal, near)
    }

    /// Emits a test for at most `ulps` representable numbers between `x` and `y`. Infinite numbers must be equal.
    fn close(&mut self, x: ValueId, y: ValueId, ulps: i64) -> ValueId {
        let equal = self.equal(x, y);
        let ty = self.program.ty(x).clone();
        let bits = match ty.dtype.bits() {
            64 => DType::I64,
            32 => DType::I32,
            16 => DType::I16,
            _ => DType::I8,
        };
        if !ty.dtype.is_float() || bits.bits() != ty.dtype.bits() {
            return equal;
        }
        let bits = Type { dtype: bits, shape: ty.shape.clone() };
        let wide = Type { dtype: DType::I64, shape: ty.shape.clone() };
        // Positions on the line of all numbers: the bits of a positive number, and the negated magnitude of others.
        let positions = [x, y].map(|v| {
            let bits_of = self.temp("bits", Bitcast {}, &[v], bits.clone());
            let position = self.temp("position", Convert {}, &[bits_of], wide.clone());
            let lowest = self.filled_like(Scalar::Int(bits.dtype.int_range().0), position);
            let mirrored = self.binary_of(BinaryOp::Sub, lowest, position);
            let zero = self.filled_like(Scalar::Int(0), position);
            let negative = self.compared(Direction::Lt, position, zero);
            self.temp("position", Select {}, &[negative, mirrored, position], wide.clone())
        });
        let difference = self.binary_of(BinaryOp::Sub, positions[0], positions[1]);
        let distance = self.temp("distance", Unary { op: UnaryOp::Abs }, &[difference], wide.clone());
        let limit = self.filled_like(Scalar::Int(ulps), distance);
        let near = self.compared(Direction::Le, distance, limit);
        let finite = [x, y].map(|v| {
            let answer = Type { dtype: DType::Bool, shape: ty.shape.clone() };
            self.temp("finite", Unary { op: UnaryOp::IsFinite }, &[v], answer)
        });
        let both = self.binary_of(BinaryOp::And, finite[0], finite[1]);
        let near = self.binary_of(BinaryOp::And, near, both);
        self.binary_of(BinaryOp::Or, equal, near)
    }

    fn compared(&mut self, direction: Direction, x: ValueId, y: ValueId) -> ValueId {
        let ty = Type { dtype: DType::Bool, ..self.program.ty(x).clone() };
        self.temp("test", Compare { direction, total: false }, &[x, y], ty)
    }
}
