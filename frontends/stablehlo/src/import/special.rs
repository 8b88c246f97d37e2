//! Lowering of special functions of CHLO by functions that programs have.

use super::Importer;
use crate::fault::Result;
use crate::syntax::Op;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{
    Binary, BinaryOp, Broadcast, Compare, Constant, Convert, Direction, Literal, Select, Unary, UnaryOp,
};
use partita_ir::program::Values;
use partita_ir::tensor::Scalar;

/// Chebyshev coefficients of `exp(-x) I1(x) / x` for `x / 2 - 2` in [-2, 0] (Cephes, `i1.c`, for `x <= 8`).
const BESSEL_SMALL: [f64; 29] = [
    2.7779141127610464e-18,
    -2.111421214358166e-17,
    1.5536319577362005e-16,
    -1.1055969477353862e-15,
    7.600684294735408e-15,
    -5.042185504727912e-14,
    3.223793365945575e-13,
    -1.9839743977649436e-12,
    1.1736186298890901e-11,
    -6.663489723502027e-11,
    3.625590281552117e-10,
    -1.8872497517228294e-09,
    9.381537386495773e-09,
    -4.445059128796328e-08,
    2.0032947535521353e-07,
    -8.568720264695455e-07,
    3.4702513081376785e-06,
    -1.3273163656039436e-05,
    4.781565107550054e-05,
    -0.00016176081582589674,
    0.0005122859561685758,
    -0.0015135724506312532,
    0.004156422944312888,
    -0.010564084894626197,
    0.024726449030626516,
    -0.05294598120809499,
    0.1026436586898471,
    -0.17641651835783406,
    0.25258718644363365,
];

/// Chebyshev coefficients of `exp(-x) sqrt(x) I1(x)` for `32 / x - 2` in [-2, 2] (Cephes, `i1.c`, for `x > 8`).
const BESSEL_LARGE: [f64; 25] = [
    7.517296310842105e-18,
    4.414348323071708e-18,
    -4.6503053684893586e-17,
    -3.209525921993424e-17,
    2.96262899764595e-16,
    3.3082023109209285e-16,
    -1.8803547755107825e-15,
    -3.8144030724370075e-15,
    1.0420276984128802e-14,
    4.272440016711951e-14,
    -2.1015418427726643e-14,
    -4.0835511110921974e-13,
    -7.198551776245908e-13,
    2.0356285441470896e-12,
    1.4125807436613782e-11,
    3.2526035830154884e-11,
    -1.8974958123505413e-11,
    -5.589743462196584e-10,
    -3.835380385964237e-09,
    -2.6314688468895196e-08,
    -2.512236237870209e-07,
    -3.882564808877691e-06,
    -0.00011058893876262371,
    -0.009761097491361469,
    0.7785762350182801,
];

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers the modified Bessel function of order 1, scaled by `exp(-|x|)`, in `f64`.
    pub(super) fn bessel_i1e(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let &[x] = args else { return Err(self.op_fault(op, "takes one operand")) };
        let x = self.converted(x, DType::F64);
        let size = self.unary_of(UnaryOp::Abs, x);
        let half = self.number(0.5, size);
        let two = self.number(2.0, size);
        let scaled = self.binary_of(BinaryOp::Mul, size, half);
        let near = self.binary_of(BinaryOp::Sub, scaled, two);
        let near = self.chebyshev(near, &BESSEL_SMALL);
        let near = self.binary_of(BinaryOp::Mul, near, size);
        let thirty_two = self.number(32.0, size);
        let inverse = self.binary_of(BinaryOp::Div, thirty_two, size);
        let far = self.binary_of(BinaryOp::Sub, inverse, two);
        let far = self.chebyshev(far, &BESSEL_LARGE);
        let root = self.unary_of(UnaryOp::Sqrt, size);
        let far = self.binary_of(BinaryOp::Div, far, root);
        let eight = self.number(8.0, size);
        let answer = Type { dtype: DType::Bool, ..self.program.ty(size).clone() };
        let is_near = self.temp("near", Compare { direction: Direction::Le, total: false }, &[size, eight], answer);
        let ty = self.program.ty(size).clone();
        let value = self.temp("bessel", Select {}, &[is_near, near, far], ty);
        let sign = self.unary_of(UnaryOp::Sign, x);
        let value = self.binary_of(BinaryOp::Mul, sign, value);
        self.emit(op, Convert {}, &[value])
    }

    /// Emits a Chebyshev series by Clenshaw's recurrence; the constant coefficient is last.
    fn chebyshev(&mut self, x: ValueId, coefficients: &[f64]) -> ValueId {
        let zero = self.number(0.0, x);
        let (mut sum, mut before, mut two_before) = (zero, zero, zero);
        for &coefficient in coefficients {
            (two_before, before) = (before, sum);
            let product = self.binary_of(BinaryOp::Mul, x, before);
            let difference = self.binary_of(BinaryOp::Sub, product, two_before);
            let coefficient = self.number(coefficient, x);
            sum = self.binary_of(BinaryOp::Add, difference, coefficient);
        }
        let difference = self.binary_of(BinaryOp::Sub, sum, two_before);
        let half = self.number(0.5, x);
        self.binary_of(BinaryOp::Mul, difference, half)
    }

    /// Lowers the upper half of the product of integers. Narrow integers are multiplied in 64 bits, and 64-bit integers
    /// in halves, from the products of their magnitudes' halves.
    pub(super) fn high_product(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let &[x, y] = args else { return Err(self.op_fault(op, "takes two operands")) };
        let dtype = self.program.ty(x).dtype;
        let unsigned = dtype.is_unsigned();
        let shift = if unsigned { BinaryOp::ShiftRightLogical } else { BinaryOp::ShiftRight };
        if dtype.bits() < 64 {
            let wide = if unsigned { DType::U64 } else { DType::I64 };
            let [x, y] = [x, y].map(|v| self.converted(v, wide));
            let product = self.binary_of(BinaryOp::Mul, x, y);
            let bits = self.integer(dtype.bits().into(), product);
            let high = self.binary_of(shift, product, bits);
            return self.emit(op, Convert {}, &[high]);
        }
        let (bits, mask) = (self.integer(32, x), self.integer(0xffff_ffff, x));
        let [x_high, y_high] = [x, y].map(|v| self.binary_of(shift, v, bits));
        let [x_low, y_low] = [x, y].map(|v| self.binary_of(BinaryOp::And, v, mask));
        // The product of low halves is unsigned; the others are below 2^63 in size.
        let low = self.binary_of(BinaryOp::Mul, x_low, y_low);
        let carry = self.binary_of(BinaryOp::ShiftRightLogical, low, bits);
        let cross = self.binary_of(BinaryOp::Mul, x_high, y_low);
        let sum = self.binary_of(BinaryOp::Add, cross, carry);
        let sum_low = self.binary_of(BinaryOp::And, sum, mask);
        let sum_high = self.binary_of(shift, sum, bits);
        let other = self.binary_of(BinaryOp::Mul, x_low, y_high);
        let other = self.binary_of(BinaryOp::Add, other, sum_low);
        let other_high = self.binary_of(shift, other, bits);
        let high = self.binary_of(BinaryOp::Mul, x_high, y_high);
        let high = self.binary_of(BinaryOp::Add, high, sum_high);
        self.emit(op, Binary { op: BinaryOp::Add }, &[high, other_high])
    }

    pub(super) fn converted(&mut self, x: ValueId, dtype: DType) -> ValueId {
        let ty = self.program.ty(x).clone();
        if ty.dtype == dtype { x } else { self.temp("wide", Convert {}, &[x], Type { dtype, ..ty }) }
    }

    pub(super) fn unary_of(&mut self, op: UnaryOp, x: ValueId) -> ValueId {
        let ty = self.program.ty(x).clone();
        self.temp(op.name(), Unary { op }, &[x], ty)
    }

    pub(super) fn binary_of(&mut self, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
        let ty = self.program.ty(x).clone();
        self.temp(op.name(), Binary { op }, &[x, y], ty)
    }

    pub(super) fn number(&mut self, x: f64, like: ValueId) -> ValueId {
        self.filled_like(Scalar::Float(x), like)
    }

    fn integer(&mut self, x: i64, like: ValueId) -> ValueId {
        self.filled_like(Scalar::Int(x), like)
    }

    pub(super) fn filled_like(&mut self, value: Scalar, like: ValueId) -> ValueId {
        let ty = self.program.ty(like).clone();
        let scalar = self.temp("c", Constant { value: Literal::Splat(value) }, &[], Type::new(ty.dtype, []));
        self.temp("c", Broadcast { dims: Default::default() }, &[scalar], ty)
    }
}
