//! Elementary functions of complex numbers, by functions of their parts.
//!
//! Formulas avoid overflow and cancellation as in Kahan, *Branch cuts for complex elementary functions* (1987).

use super::complex::Pair;
use crate::rewrite::Output;
use crate::syntax::{Local, Opcode};

impl Output<'_> {
    /// Emits a function of one complex number; `None` if it is not defined for complex numbers.
    pub(super) fn function(&mut self, code: Opcode, z: Pair) -> Option<Pair> {
        Some(match code {
            Opcode::ChloConj => [z[0], self.neg(z[1])],
            Opcode::ChloSquare => self.product(z, z),
            Opcode::Sign => self.sign(z),
            Opcode::Exponential => self.exp(z),
            Opcode::ExponentialMinusOne => self.expm1(z),
            Opcode::Log => self.log(z),
            Opcode::LogPlusOne => self.log1p(z),
            Opcode::Logistic => self.logistic(z),
            Opcode::Sqrt => self.sqrt(z),
            Opcode::Rsqrt => self.rsqrt(z),
            Opcode::Cbrt => {
                let log = self.log(z);
                let third = log.map(|part| self.scale(part, 1.0 / 3.0));
                self.exp(third)
            }
            Opcode::Cosine => {
                let [sin, cos] = self.sin_cos(z[0]);
                let [sinh, cosh] = self.sinh_cosh(z[1]);
                let im = self.mul(sin, sinh);
                [self.mul(cos, cosh), self.neg(im)]
            }
            Opcode::Sine => {
                let [sin, cos] = self.sin_cos(z[0]);
                let [sinh, cosh] = self.sinh_cosh(z[1]);
                [self.mul(sin, cosh), self.mul(cos, sinh)]
            }
            Opcode::ChloCosh => {
                let [sin, cos] = self.sin_cos(z[1]);
                let [sinh, cosh] = self.sinh_cosh(z[0]);
                [self.mul(cosh, cos), self.mul(sinh, sin)]
            }
            Opcode::ChloSinh => {
                let [sin, cos] = self.sin_cos(z[1]);
                let [sinh, cosh] = self.sinh_cosh(z[0]);
                [self.mul(sinh, cos), self.mul(cosh, sin)]
            }
            Opcode::Tanh => self.tanh(z),
            // -i f(i z)
            Opcode::Tan | Opcode::ChloTan => self.rotated(z, Self::tanh),
            Opcode::ChloAsinh => self.rotated(z, Self::asin),
            Opcode::ChloAtan => self.rotated(z, Self::atanh),
            Opcode::ChloAsin => self.asin(z),
            Opcode::ChloAcos => self.acos(z),
            Opcode::ChloAcosh => self.acosh(z),
            Opcode::ChloAtanh => self.atanh(z),
            _ => return None,
        })
    }

    /// Emits `x y`.
    pub(super) fn product(&mut self, x: Pair, y: Pair) -> Pair {
        let [rr, ii] = [self.mul(x[0], y[0]), self.mul(x[1], y[1])];
        let [ri, ir] = [self.mul(x[0], y[1]), self.mul(x[1], y[0])];
        [self.sub(rr, ii), self.add(ri, ir)]
    }

    /// Emits `-i log((x + i y) / sqrt(x^2 + y^2))`.
    pub(super) fn atan2(&mut self, y: Pair, x: Pair) -> Pair {
        let point = [self.sub(x[0], y[1]), self.add(x[1], y[0])];
        let [x2, y2] = [x, y].map(|z| self.product(z, z));
        let square = [self.add(x2[0], y2[0]), self.add(x2[1], y2[1])];
        let distance = self.sqrt(square);
        let direction = self.quotient(point, distance);
        let [size, angle] = self.log(direction);
        [angle, self.neg(size)]
    }

    /// Emits `x / y` by the algorithm of Smith (1962), which divides by the larger part of `y` first.
    pub(super) fn quotient(&mut self, x: Pair, y: Pair) -> Pair {
        let [re_size, im_size] = y.map(|part| self.unary(Opcode::Abs, part));
        let by_real = self.compare("GE", re_size, im_size);
        let large = self.select(by_real, y[0], y[1]);
        let small = self.select(by_real, y[1], y[0]);
        let ratio = self.div(small, large);
        let scaled = self.mul(small, ratio);
        let divisor = self.add(large, scaled);
        let [xr, xi] = x.map(|part| self.mul(part, ratio));
        // By the real part: ((a + b r) / d, (b - a r) / d); by the imaginary part: ((a r + b) / d, (b r - a) / d).
        let [re_first, im_first] = [self.add(x[0], xi), self.sub(x[1], xr)];
        let [re_second, im_second] = [self.add(xr, x[1]), self.sub(xi, x[0])];
        let re = self.select(by_real, re_first, re_second);
        let im = self.select(by_real, im_first, im_second);
        [self.div(re, divisor), self.div(im, divisor)]
    }

    /// Emits `x ^ y = exp(y log x)`, and for `x = 0` the number 1 if `y = 0` and 0 otherwise.
    pub(super) fn power(&mut self, x: Pair, y: Pair) -> Pair {
        let log = self.log(x);
        let exponent = self.product(y, log);
        let power = self.exp(exponent);
        let [zero, one] = [self.number(0.0, x[0]), self.number(1.0, x[0])];
        let is_zero = |output: &mut Self, z: Pair| {
            let [re, im] = z.map(|part| output.compare("EQ", part, zero));
            output.elementwise(Opcode::And, &[re, im])
        };
        let [base_zero, exponent_zero] = [is_zero(self, x), is_zero(self, y)];
        let re = self.select(base_zero, zero, power[0]);
        let im = self.select(base_zero, zero, power[1]);
        [self.select(exponent_zero, one, re), self.select(exponent_zero, zero, im)]
    }

    /// Emits `|z|`, the larger part times `sqrt(1 + r^2)` with the ratio `r` of the parts.
    pub(super) fn modulus(&mut self, z: Pair) -> Local {
        let [re, im] = z.map(|part| self.unary(Opcode::Abs, part));
        let [large, small] =
            [self.elementwise(Opcode::Maximum, &[re, im]), self.elementwise(Opcode::Minimum, &[re, im])];
        let ratio = self.div(small, large);
        let square = self.mul(ratio, ratio);
        let sum = self.offset(square, 1.0);
        let root = self.unary(Opcode::Sqrt, sum);
        let size = self.mul(large, root);
        // 0/0 and inf/inf
        let [zero, infinity] = [self.number(0.0, large), self.number(f64::INFINITY, large)];
        let is_zero = self.compare("EQ", large, zero);
        let is_infinite = self.compare("EQ", large, infinity);
        let special = self.elementwise(Opcode::Or, &[is_zero, is_infinite]);
        self.select(special, large, size)
    }

    /// Emits `z / |z|`, or 0 for 0.
    fn sign(&mut self, z: Pair) -> Pair {
        let size = self.modulus(z);
        let zero = self.number(0.0, size);
        let is_zero = self.compare("EQ", size, zero);
        z.map(|part| {
            let quotient = self.div(part, size);
            self.select(is_zero, zero, quotient)
        })
    }

    fn sin_cos(&mut self, x: Local) -> [Local; 2] {
        [self.unary(Opcode::Sine, x), self.unary(Opcode::Cosine, x)]
    }

    fn sinh_cosh(&mut self, x: Local) -> [Local; 2] {
        [self.unary(Opcode::ChloSinh, x), self.unary(Opcode::ChloCosh, x)]
    }

    /// Emits `exp(z)`. For a real `z` the imaginary part is that of `z`, also if the exponential is infinite.
    fn exp(&mut self, z: Pair) -> Pair {
        let size = self.unary(Opcode::Exponential, z[0]);
        let [sin, cos] = self.sin_cos(z[1]);
        let [re, im] = [self.mul(size, cos), self.mul(size, sin)];
        let zero = self.number(0.0, z[1]);
        let is_real = self.compare("EQ", z[1], zero);
        [self.select(is_real, size, re), self.select(is_real, z[1], im)]
    }

    /// Emits `exp(z) - 1`; the real part is `expm1(a) cos b - 2 sin^2 (b/2)`.
    fn expm1(&mut self, z: Pair) -> Pair {
        let small = self.unary(Opcode::ExponentialMinusOne, z[0]);
        let [_, im] = self.exp(z);
        let cos = self.unary(Opcode::Cosine, z[1]);
        let half = self.scale(z[1], 0.5);
        let sin = self.unary(Opcode::Sine, half);
        let square = self.mul(sin, sin);
        let correction = self.scale(square, 2.0);
        let product = self.mul(small, cos);
        [self.sub(product, correction), im]
    }

    /// Emits `log z = log |z| + i arg z`.
    fn log(&mut self, z: Pair) -> Pair {
        let [re, im] = z.map(|part| self.unary(Opcode::Abs, part));
        let [large, small] =
            [self.elementwise(Opcode::Maximum, &[re, im]), self.elementwise(Opcode::Minimum, &[re, im])];
        // Near |z| = 1: log1p((m - 1)(m + 1) + n^2) / 2, with the parts m and n by size.
        let [below, above] = [self.offset(large, -1.0), self.offset(large, 1.0)];
        let product = self.mul(below, above);
        let square = self.mul(small, small);
        let difference = self.add(product, square);
        let near = self.unary(Opcode::LogPlusOne, difference);
        let near = self.scale(near, 0.5);
        let size = self.modulus(z);
        let far = self.unary(Opcode::Log, size);
        let [low, high] = [self.number(0.5, large), self.number(2.0, large)];
        let [at_least, at_most] = [self.compare("GE", size, low), self.compare("LE", size, high)];
        let is_near = self.elementwise(Opcode::And, &[at_least, at_most]);
        [self.select(is_near, near, far), self.elementwise(Opcode::Atan2, &[z[1], z[0]])]
    }

    /// Emits `log(1 + z)`; near 0 the real part is `log1p(a (2 + a) + b^2) / 2`.
    fn log1p(&mut self, z: Pair) -> Pair {
        let shifted = [self.offset(z[0], 1.0), z[1]];
        let [far, im] = self.log(shifted);
        let twice = self.offset(z[0], 2.0);
        let product = self.mul(z[0], twice);
        let square = self.mul(z[1], z[1]);
        let sum = self.add(product, square);
        let near = self.unary(Opcode::LogPlusOne, sum);
        let near = self.scale(near, 0.5);
        let size = self.modulus(z);
        let limit = self.number(0.5, size);
        let is_near = self.compare("LT", size, limit);
        [self.select(is_near, near, far), im]
    }

    /// Emits `1 / (1 + exp(-z)) = (1 + tanh(z / 2)) / 2`, which does not overflow.
    fn logistic(&mut self, z: Pair) -> Pair {
        let half = z.map(|part| self.scale(part, 0.5));
        let [re, im] = self.tanh(half).map(|part| self.scale(part, 0.5));
        [self.offset(re, 0.5), im]
    }

    /// Emits the principal square root: with `t = sqrt((|a| + |z|) / 2)`, `t + i b / 2t` for `a >= 0`, and
    /// `|b| / 2t + i t sign b` otherwise.
    fn sqrt(&mut self, z: Pair) -> Pair {
        let size = self.modulus(z);
        let [re_size, im_size] = z.map(|part| self.unary(Opcode::Abs, part));
        // Halves are added, since the sum may overflow.
        let halves = [re_size, size].map(|part| self.scale(part, 0.5));
        let sum = self.add(halves[0], halves[1]);
        let root = self.unary(Opcode::Sqrt, sum);
        let twice = self.scale(root, 2.0);
        let [signed, unsigned] = [self.div(z[1], twice), self.div(im_size, twice)];
        let zero = self.number(0.0, root);
        let right = self.compare("GE", z[0], zero);
        let negative = self.compare("LT", z[1], zero);
        let opposite = self.neg(root);
        let turned = self.select(negative, opposite, root);
        let re = self.select(right, root, unsigned);
        let im = self.select(right, signed, turned);
        let is_zero = self.compare("EQ", size, zero);
        [self.select(is_zero, zero, re), self.select(is_zero, z[1], im)]
    }

    /// Emits `1 / sqrt(z)`, the conjugate root divided by `|z|`.
    fn rsqrt(&mut self, z: Pair) -> Pair {
        let root = self.sqrt(z);
        let size = self.modulus(z);
        let [re, im] = root.map(|part| self.div(part, size));
        let zero = self.number(0.0, size);
        let is_zero = self.compare("EQ", size, zero);
        let infinity = self.number(f64::INFINITY, size);
        let opposite = self.neg(im);
        [self.select(is_zero, infinity, re), self.select(is_zero, zero, opposite)]
    }

    /// Emits `tanh z = (h (1 + t^2) + i t (1 - h^2)) / (1 + h^2 t^2)` with `h = tanh a` and `t = tan b`.
    fn tanh(&mut self, z: Pair) -> Pair {
        let [h, t] = [self.unary(Opcode::Tanh, z[0]), self.unary(Opcode::Tan, z[1])];
        let [h_square, t_square] = [h, t].map(|x| self.mul(x, x));
        let product = self.mul(h_square, t_square);
        let divisor = self.offset(product, 1.0);
        let t_sum = self.offset(t_square, 1.0);
        let opposite = self.neg(h_square);
        let h_rest = self.offset(opposite, 1.0);
        let [re, im] = [self.mul(h, t_sum), self.mul(t, h_rest)];
        [self.div(re, divisor), self.div(im, divisor)]
    }

    /// Emits `-i f(i z)`.
    fn rotated(&mut self, z: Pair, f: fn(&mut Self, Pair) -> Pair) -> Pair {
        let turned = [self.neg(z[1]), z[0]];
        let [re, im] = f(self, turned);
        [im, self.neg(re)]
    }

    /// Emits `sqrt(1 - z)` and `sqrt(1 + z)`.
    fn roots(&mut self, z: Pair) -> [Pair; 2] {
        let opposite = z.map(|part| self.neg(part));
        let minus = [self.offset(opposite[0], 1.0), opposite[1]];
        let plus = [self.offset(z[0], 1.0), z[1]];
        [self.sqrt(minus), self.sqrt(plus)]
    }

    fn asin(&mut self, z: Pair) -> Pair {
        let [minus, plus] = self.roots(z);
        let [product_re, _] = self.product(minus, plus);
        let re = self.elementwise(Opcode::Atan2, &[z[0], product_re]);
        let conjugate = [minus[0], self.neg(minus[1])];
        let [_, im] = self.product(conjugate, plus);
        [re, self.unary(Opcode::ChloAsinh, im)]
    }

    fn acos(&mut self, z: Pair) -> Pair {
        let [minus, plus] = self.roots(z);
        let half = self.elementwise(Opcode::Atan2, &[minus[0], plus[0]]);
        let conjugate = [plus[0], self.neg(plus[1])];
        let [_, im] = self.product(conjugate, minus);
        [self.scale(half, 2.0), self.unary(Opcode::ChloAsinh, im)]
    }

    fn acosh(&mut self, z: Pair) -> Pair {
        let below = [self.offset(z[0], -1.0), z[1]];
        let above = [self.offset(z[0], 1.0), z[1]];
        let [minus, plus] = [self.sqrt(below), self.sqrt(above)];
        let conjugate = [minus[0], self.neg(minus[1])];
        let [re, _] = self.product(conjugate, plus);
        let half = self.elementwise(Opcode::Atan2, &[minus[1], plus[0]]);
        [self.unary(Opcode::ChloAsinh, re), self.scale(half, 2.0)]
    }

    /// Emits `atanh z`: `log1p(4a / ((1 - a)^2 + b^2)) / 4 + i atan2(2b, (1 - a)(1 + a) - b^2) / 2`.
    fn atanh(&mut self, z: Pair) -> Pair {
        let opposite = self.neg(z[0]);
        let [below, above] = [self.offset(opposite, 1.0), self.offset(z[0], 1.0)];
        let square = self.mul(z[1], z[1]);
        let distance = self.mul(below, below);
        let distance = self.add(distance, square);
        let four = self.scale(z[0], 4.0);
        let ratio = self.div(four, distance);
        let log = self.unary(Opcode::LogPlusOne, ratio);
        let twice = self.scale(z[1], 2.0);
        let product = self.mul(below, above);
        let rest = self.sub(product, square);
        let angle = self.elementwise(Opcode::Atan2, &[twice, rest]);
        [self.scale(log, 0.25), self.scale(angle, 0.5)]
    }
}
