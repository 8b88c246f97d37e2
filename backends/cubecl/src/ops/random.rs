//! Random numbers. They have the bits of the reference interpreter, generated from the same counters.

use super::operands::LoweredOp;
use crate::assembler::{Assembler, Value};
use crate::gpu::Lowerer;
use crate::kernels::steps::RegClass;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, Direction, Distribution, Random, RngAlgorithm, RngBits, UnaryOp};

/// Arithmetic on `u32` registers.
struct WordBuilder<'a>(&'a mut Assembler);

impl WordBuilder<'_> {
    fn number(&mut self, number: u32) -> Value {
        self.0.bits(RegClass::U32, number)
    }

    fn op(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.0.binary(op, a, b)
    }

    fn with(&mut self, op: BinaryOp, a: Value, number: u32) -> Value {
        let number = self.number(number);
        self.op(op, a, number)
    }

    fn rotated(&mut self, a: Value, by: u32) -> Value {
        let (left, right) = (self.with(BinaryOp::ShiftLeft, a, by), self.with(BinaryOp::ShiftRight, a, 32 - by));
        self.op(BinaryOp::Or, left, right)
    }

    /// Computes the sum of a two-word number `[low, high]` and a word.
    fn sum(&mut self, [low, high]: [Value; 2], add: Value) -> [Value; 2] {
        let sum = self.op(BinaryOp::Add, low, add);
        let overflows = self.0.compare(Direction::Lt, sum, add);
        let carry = self.0.convert(RegClass::U32, overflows);
        [sum, self.op(BinaryOp::Add, high, carry)]
    }

    /// Computes the product of two words as `[high, low]`, from products of 16-bit halves.
    fn product(&mut self, a: Value, by: u32) -> [Value; 2] {
        let (low, high) = (self.with(BinaryOp::And, a, 0xffff), self.with(BinaryOp::ShiftRight, a, 16));
        let lowest = self.with(BinaryOp::Mul, low, by & 0xffff);
        let carried = self.with(BinaryOp::ShiftRight, lowest, 16);
        let one = self.with(BinaryOp::Mul, high, by & 0xffff);
        let one = self.op(BinaryOp::Add, one, carried);
        let part = self.with(BinaryOp::And, one, 0xffff);
        let other = self.with(BinaryOp::Mul, low, by >> 16);
        let other = self.op(BinaryOp::Add, other, part);
        let top = self.with(BinaryOp::Mul, high, by >> 16);
        let (one, other) = (self.with(BinaryOp::ShiftRight, one, 16), self.with(BinaryOp::ShiftRight, other, 16));
        let top = self.op(BinaryOp::Add, top, one);
        [self.op(BinaryOp::Add, top, other), self.with(BinaryOp::Mul, a, by)]
    }

    /// Threefry 2x32 with 20 rounds, as in [`partita_ir::numeric::counter_rng::threefry`].
    fn threefry(&mut self, key: [Value; 2], counter: [Value; 2]) -> [Value; 2] {
        const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
        let both = self.op(BinaryOp::Xor, key[0], key[1]);
        let keys = [key[0], key[1], self.with(BinaryOp::Xor, both, 0x1bd1_1bda)];
        let mut x = [self.op(BinaryOp::Add, counter[0], keys[0]), self.op(BinaryOp::Add, counter[1], keys[1])];
        for group in 0..5u32 {
            for rotation in ROTATIONS[group as usize % 2] {
                x[0] = self.op(BinaryOp::Add, x[0], x[1]);
                let rotated = self.rotated(x[1], rotation);
                x[1] = self.op(BinaryOp::Xor, rotated, x[0]);
            }
            let next = group as usize + 1;
            x[0] = self.op(BinaryOp::Add, x[0], keys[next % 3]);
            let second = self.op(BinaryOp::Add, x[1], keys[(next + 1) % 3]);
            x[1] = self.with(BinaryOp::Add, second, group + 1);
        }
        x
    }

    /// Philox 4x32 with 10 rounds.
    fn philox(&mut self, mut key: [Value; 2], mut x: [Value; 4]) -> [Value; 4] {
        for _ in 0..10 {
            let (a, b) = (self.product(x[0], 0xd251_1f53), self.product(x[2], 0xcd9e_8d57));
            let (first, third) = (self.op(BinaryOp::Xor, b[0], x[1]), self.op(BinaryOp::Xor, a[0], x[3]));
            x = [self.op(BinaryOp::Xor, first, key[0]), b[1], self.op(BinaryOp::Xor, third, key[1]), a[1]];
            key = [self.with(BinaryOp::Add, key[0], 0x9e37_79b9), self.with(BinaryOp::Add, key[1], 0xbb67_ae85)];
        }
        x
    }
}

/// Lowers `random`: each number is a function of a key and the global index of its element.
pub(crate) fn random(to: &mut Lowerer<'_>, id: OpId, op: &Random) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let (key, starts) = operands.split_first()?;
    let out = to.program.ty(to.program.ops[id].outs[0]);
    let global = if op.global.is_empty() { out.shape.to_vec() } else { op.global.to_vec() };
    // Element positions are 32-bit words.
    let positions = global.iter().try_fold(1usize, |n, &size| n.checked_mul(size))?;
    u32::try_from(positions).ok()?;
    let mut a = Assembler::default();
    let element = a.element();
    let mut at = a.indices(element, &out.shape);
    for (at, start) in at.iter_mut().zip(starts) {
        let start = start.load_scalar(&mut a);
        let start = a.convert(RegClass::I32, start);
        *at = a.add(*at, start);
    }
    let position = a.dot(&at, &partita_lowering::view::dense_strides(&global), 0);
    let position = a.bitcast(RegClass::U32, position);
    let keys = [0, 1].map(|i| {
        let i = a.int(i);
        key.load(&mut a, &[i])
    });
    let zero = a.bits(RegClass::U32, 0);
    let bits = WordBuilder(&mut a).threefry(keys, [zero, position]);
    let number = match (op.dist, out.dtype) {
        (Distribution::Uniform, DType::F32) => uniform(&mut a, bits, 24),
        (Distribution::Uniform, DType::F16) => uniform(&mut a, bits, 11),
        (Distribution::Uniform, DType::BF16) => uniform(&mut a, bits, 8),
        (Distribution::Normal, DType::F32 | DType::F16 | DType::BF16) => normal(&mut a, bits),
        (Distribution::Bits, DType::U32 | DType::I32) => a.bitcast(RegClass::from_stored_dtype(out.dtype)?, bits[1]),
        _ => return None,
    };
    lowered.output(0).store_here(&mut a, number);
    lowered.pointwise(to, out.shape.count(), a);
    Some(())
}

/// Computes a uniform number in `[0, 1)` from the upper `bits` bits, which the dtype represents exactly.
fn uniform(a: &mut Assembler, [high, _]: [Value; 2], bits: u32) -> Value {
    let top = WordBuilder(a).with(BinaryOp::ShiftRight, high, 32 - bits);
    let (top, scale) = (a.convert(RegClass::F32, top), a.float(2f32.powi(-(bits as i32))));
    a.mul(top, scale)
}

/// Computes the normal quantile of the fraction `p` in the upper 52 bits. The reference computes it in `f64`; here the
/// smaller of `p` and `1 - p` preserves the significant bits.
fn normal(a: &mut Assembler, [high, low]: [Value; 2]) -> Value {
    let half = a.bits(RegClass::U32, 1 << 31);
    let is_small = a.compare(Direction::Lt, high, half);
    let (not_high, not_low) = (a.unary(UnaryOp::Not, high), a.unary(UnaryOp::Not, low));
    let (high, low) = (a.select(is_small, high, not_high), a.select(is_small, low, not_low));
    let mut w = WordBuilder(a);
    let (low, rest) = (w.with(BinaryOp::ShiftRight, low, 12), w.op(BinaryOp::Sub, half, high));
    let (high, low, rest) =
        (a.convert(RegClass::F32, high), a.convert(RegClass::F32, low), a.convert(RegClass::F32, rest));
    let middle = a.float(0.5);
    let low = a.add(low, middle);
    let scaled = |a: &mut Assembler, x: Value, power: i32| {
        let scale = a.float(2f32.powi(power));
        a.mul(x, scale)
    };
    let (upper, lower) = (scaled(a, high, -32), scaled(a, low, -52));
    let p = a.add(upper, lower);
    // `2p - 1`, the distance of `2p` from 1.
    let (upper, lower) = (scaled(a, rest, -31), scaled(a, low, -51));
    let x = a.sub(upper, lower);
    let negative = a.unary(UnaryOp::Neg, x);
    let x = a.select(is_small, negative, x);
    let one = a.float(1.0);
    let other = a.sub(one, p);
    let tail = a.mul(p, other);
    let four = a.float(4.0);
    let tail = a.mul(tail, four);
    let quantile = a.erf_inv(x, tail);
    let root = a.float(std::f32::consts::SQRT_2);
    a.mul(quantile, root)
}

/// Lowers `rng_bits` with a state of four words: computes the next state and the bits.
pub(crate) fn rng_bits(to: &mut Lowerer<'_>, id: OpId, op: &RngBits) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [state] = &operands[..] else { return None };
    let out = to.program.ty(to.program.ops[id].outs[1]);
    if state.dtype != DType::U32 || !matches!(out.dtype, DType::U32 | DType::I32) {
        return None;
    }
    let shape = &out.shape;
    let count = shape.count();
    let mut a = Assembler::default();
    let element = a.element();
    let words = [0, 1, 2, 3].map(|i| {
        let i = a.int(i);
        state.load(&mut a, &[i])
    });
    let (key, counter) = ([words[0], words[1]], [words[2], words[3]]);
    // Distance of the element's counter from the state's counter, and index of the element's word in the generated
    // block.
    let (ahead, which, moved) = match op.algorithm {
        RngAlgorithm::Threefry => {
            let even = shape.iter().position(|n| n.is_multiple_of(2));
            match even.or_else(|| (0..shape.rank()).rev().max_by_key(|&d| shape[d])) {
                None => (a.int(0), a.int(0), 1),
                Some(split) => {
                    let (n, half) = (shape[split], shape[split].div_ceil(2));
                    let inner: usize = shape[split + 1..].iter().product();
                    let outer = count / inner.max(1) / n.max(1);
                    let (outer, at) = (a.index(element, inner * n, outer), a.index(element, inner, n));
                    let rest = a.index(element, 1, inner);
                    let two = a.int(2);
                    let (pair, which) = (a.binary(BinaryOp::Div, at, two), a.binary(BinaryOp::Rem, at, two));
                    let ahead = a.dot(&[outer, pair, rest], &[(half * inner) as isize, inner as isize, 1], 0);
                    (ahead, which, count / n.max(1) * half)
                }
            }
        }
        RngAlgorithm::Philox => {
            let four = a.int(4);
            let block = a.binary(BinaryOp::Div, element, four);
            (block, a.binary(BinaryOp::Rem, element, four), count.div_ceil(4))
        }
    };
    let ahead = a.bitcast(RegClass::U32, ahead);
    let mut w = WordBuilder(&mut a);
    let at = w.sum(counter, ahead);
    let drawn = match op.algorithm {
        RngAlgorithm::Threefry => w.threefry(key, at).to_vec(),
        RngAlgorithm::Philox => {
            // The Philox counter has four words. Its upper half is the key, since the state has no separate words for
            // it.
            let low_is_over = w.0.compare(Direction::Lt, at[1], counter[1]);
            let carry = w.0.convert(RegClass::U32, low_is_over);
            let high = w.sum(key, carry);
            w.philox(key, [at[0], at[1], high[0], high[1]]).to_vec()
        }
    };
    let mut number = drawn[0];
    for (i, &word) in drawn.iter().enumerate().skip(1) {
        let i = a.int(i);
        let is_selected = a.compare(Direction::Eq, which, i);
        number = a.select(is_selected, word, number);
    }
    let number = a.bitcast(RegClass::from_stored_dtype(out.dtype)?, number);
    a.store(1, element, number);
    // The first unit advances the state.
    let none = a.int(0);
    let is_first = a.compare(Direction::Eq, element, none);
    let moved = a.bits(RegClass::U32, u32::try_from(moved).ok()?);
    let next = WordBuilder(&mut a).sum(counter, moved);
    for (i, word) in [key[0], key[1], next[0], next[1]].into_iter().enumerate() {
        let address = a.int(i);
        a.store_if(Some(is_first), 0, address, word);
    }
    // At least one unit must advance the state.
    lowered.pointwise(to, count.max(1), a);
    Some(())
}
