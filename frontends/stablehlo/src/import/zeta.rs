//! Lowering of the Hurwitz zeta function and of polygamma functions, in `f64`.

use super::Importer;
use crate::fault::Result;
use crate::syntax::Op;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Compare, Convert, Direction, Select, UnaryOp};
use partita_ir::program::Values;

/// Number of terms of the series that are added one by one.
const DIRECT_TERMS: usize = 10;

/// `B(2j) / (2j)!` for the Bernoulli numbers `B(2)`, `B(4)`, ...: coefficients of the Euler-Maclaurin remainder.
const REMAINDER: [f64; 12] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
    77_683.0 / 14_101_100_039_391_805_440_000.0,
    -236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
];

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers the Hurwitz zeta function `sum 1 / (k + q)^x` over `k` from 0.
    pub(super) fn hurwitz_zeta(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let &[x, q] = args else { return Err(self.op_fault(op, "takes two operands")) };
        let [x, q] = [x, q].map(|v| self.converted(v, DType::F64));
        let value = self.zeta(x, q);
        self.emit(op, Convert {}, &[value])
    }

    /// Lowers the polygamma function of order `n`: `digamma(x)` for 0, and `(-1)^(n + 1) n! zeta(n + 1, x)` for
    /// larger integers. NaN for other orders.
    pub(super) fn polygamma(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let &[n, x] = args else { return Err(self.op_fault(op, "takes two operands")) };
        let [n, x] = [n, x].map(|v| self.converted(v, DType::F64));
        let [zero, one, two] = [0.0, 1.0, 2.0].map(|c| self.number(c, n));
        let next = self.binary_of(BinaryOp::Add, n, one);
        let log_factorial = self.unary_of(UnaryOp::Lgamma, next);
        let factorial = self.unary_of(UnaryOp::Exp, log_factorial);
        let zeta = self.zeta(next, x);
        let size = self.binary_of(BinaryOp::Mul, factorial, zeta);
        let parity = self.binary_of(BinaryOp::Rem, n, two);
        let is_odd = self.comparison(Direction::Eq, parity, one);
        let negated = self.unary_of(UnaryOp::Neg, size);
        let value = self.choice(is_odd, size, negated);
        let is_zero = self.comparison(Direction::Eq, n, zero);
        let digamma = self.unary_of(UnaryOp::Digamma, x);
        let value = self.choice(is_zero, digamma, value);
        let nan = self.number(f64::NAN, n);
        let floor = self.unary_of(UnaryOp::Floor, n);
        let is_integer = self.comparison(Direction::Eq, floor, n);
        let value = self.choice(is_integer, value, nan);
        let is_negative = self.comparison(Direction::Lt, n, zero);
        let value = self.choice(is_negative, nan, value);
        self.emit(op, Convert {}, &[value])
    }

    /// Emits the Hurwitz zeta function by Euler-Maclaurin summation, as Cephes (`zeta.c`). Infinite for `x = 1` and
    /// where `q` is 0 or a negative integer; NaN for `x < 1`, and for negative `q` if `x` is not an integer.
    fn zeta(&mut self, x: ValueId, q: ValueId) -> ValueId {
        let [zero, half, one] = [0.0, 0.5, 1.0].map(|c| self.number(c, x));
        let exponent = self.unary_of(UnaryOp::Neg, x);
        let mut sum = self.binary_of(BinaryOp::Pow, q, exponent);
        let mut base = q;
        for _ in 1..DIRECT_TERMS {
            base = self.binary_of(BinaryOp::Add, base, one);
            let term = self.binary_of(BinaryOp::Pow, base, exponent);
            sum = self.binary_of(BinaryOp::Add, sum, term);
        }
        base = self.binary_of(BinaryOp::Add, base, one);
        // The rest of the sum: base^(1 - x) / (x - 1) + base^-x / 2 + corrections.
        let mut power = self.binary_of(BinaryOp::Pow, base, exponent);
        let tail = self.binary_of(BinaryOp::Mul, power, base);
        let below = self.binary_of(BinaryOp::Sub, x, one);
        let tail = self.binary_of(BinaryOp::Div, tail, below);
        sum = self.binary_of(BinaryOp::Add, sum, tail);
        let middle = self.binary_of(BinaryOp::Mul, power, half);
        sum = self.binary_of(BinaryOp::Add, sum, middle);
        let mut rising = one;
        for (j, coefficient) in REMAINDER.into_iter().enumerate() {
            // x (x + 1) .. (x + 2j) base^(-x - 2j - 1)
            let factors = if j == 0 { 0..=0 } else { 2 * j - 1..=2 * j };
            for i in factors {
                let i = self.number(i as f64, x);
                let factor = self.binary_of(BinaryOp::Add, x, i);
                rising = self.binary_of(BinaryOp::Mul, rising, factor);
                power = self.binary_of(BinaryOp::Div, power, base);
            }
            let product = self.binary_of(BinaryOp::Mul, rising, power);
            let coefficient = self.number(coefficient, x);
            let term = self.binary_of(BinaryOp::Mul, product, coefficient);
            sum = self.binary_of(BinaryOp::Add, sum, term);
        }
        let [infinity, nan] = [f64::INFINITY, f64::NAN].map(|c| self.number(c, x));
        let x_floor = self.unary_of(UnaryOp::Floor, x);
        let x_is_integer = self.comparison(Direction::Eq, x_floor, x);
        let q_floor = self.unary_of(UnaryOp::Floor, q);
        let q_is_integer = self.comparison(Direction::Eq, q_floor, q);
        let is_negative = self.comparison(Direction::Le, q, zero);
        let of_integer = self.choice(x_is_integer, sum, nan);
        let of_negative = self.choice(q_is_integer, infinity, of_integer);
        let value = self.choice(is_negative, of_negative, sum);
        let is_small = self.comparison(Direction::Lt, x, one);
        let value = self.choice(is_small, nan, value);
        let is_one = self.comparison(Direction::Eq, x, one);
        self.choice(is_one, infinity, value)
    }

    pub(super) fn comparison(&mut self, direction: Direction, x: ValueId, y: ValueId) -> ValueId {
        let ty = Type { dtype: DType::Bool, ..self.program.ty(x).clone() };
        self.temp("test", Compare { direction, total: false }, &[x, y], ty)
    }

    pub(super) fn choice(&mut self, test: ValueId, yes: ValueId, no: ValueId) -> ValueId {
        let ty = self.program.ty(yes).clone();
        self.temp("chosen", Select {}, &[test, yes, no], ty)
    }
}
