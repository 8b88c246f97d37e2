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
    2.77791411276104639959E-18,
    -2.11142121435816608115E-17,
    1.55363195773620046921E-16,
    -1.10559694773538630805E-15,
    7.60068429473540693410E-15,
    -5.04218550472791168711E-14,
    3.22379336594557470981E-13,
    -1.98397439776494371520E-12,
    1.17361862988909016308E-11,
    -6.66348972350202774223E-11,
    3.62559028155211703701E-10,
    -1.88724975172282928790E-9,
    9.38153738649577178388E-9,
    -4.44505912879632808065E-8,
    2.00329475355213526229E-7,
    -8.56872026469545474066E-7,
    3.47025130813767847674E-6,
    -1.32731636560394358279E-5,
    4.78156510755005422638E-5,
    -1.61760815825896745588E-4,
    5.12285956168575772895E-4,
    -1.51357245063125314899E-3,
    4.15642294431288815669E-3,
    -1.05640848946261981558E-2,
    2.47264490306265168283E-2,
    -5.29459812080949914269E-2,
    1.02643658689847095384E-1,
    -1.76416518357834055153E-1,
    2.52587186443633654823E-1,
];

/// Chebyshev coefficients of `exp(-x) sqrt(x) I1(x)` for `32 / x - 2` in [-2, 2] (Cephes, `i1.c`, for `x > 8`).
const BESSEL_LARGE: [f64; 25] = [
    7.51729631084210481353E-18,
    4.41434832307170791151E-18,
    -4.65030536848935832153E-17,
    -3.20952592199342395980E-17,
    2.96262899764595013876E-16,
    3.30820231092092828324E-16,
    -1.88035477551078244854E-15,
    -3.81440307243700780478E-15,
    1.04202769841288027642E-14,
    4.27244001671195135429E-14,
    -2.10154184277266431302E-14,
    -4.08355111109219731823E-13,
    -7.19855177624590851209E-13,
    2.03562854414708950722E-12,
    1.41258074366137813316E-11,
    3.25260358301548823856E-11,
    -1.89749581235054123450E-11,
    -5.58974346219658380687E-10,
    -3.83538038596423702205E-9,
    -2.63146884688951950684E-8,
    -2.51223623787020892529E-7,
    -3.88256480887769039346E-6,
    -1.10588938762623716291E-4,
    -9.76109749136146840777E-3,
    7.78576235018280120474E-1,
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

    fn converted(&mut self, x: ValueId, dtype: DType) -> ValueId {
        let ty = self.program.ty(x).clone();
        if ty.dtype == dtype { x } else { self.temp("wide", Convert {}, &[x], Type { dtype, ..ty }) }
    }

    fn unary_of(&mut self, op: UnaryOp, x: ValueId) -> ValueId {
        let ty = self.program.ty(x).clone();
        self.temp(op.name(), Unary { op }, &[x], ty)
    }

    pub(super) fn binary_of(&mut self, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
        let ty = self.program.ty(x).clone();
        self.temp(op.name(), Binary { op }, &[x, y], ty)
    }

    fn number(&mut self, x: f64, like: ValueId) -> ValueId {
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
