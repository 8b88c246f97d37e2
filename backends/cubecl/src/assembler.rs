//! Writes programs of steps.

use crate::kernels::half::Half;
use crate::kernels::steps::{At, Lane, Program, Reg, Step, Term};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::tensor::{Scalar, wrap};
use rustc_hash::FxHashMap;

/// A register, with its lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    pub(crate) lane: Lane,
    pub(crate) reg: Reg,
}

/// A program on its way.
#[derive(Default)]
pub(crate) struct Assembler {
    steps: Vec<Step>,
    counts: FxHashMap<Lane, usize>,
    numbers: FxHashMap<(Lane, u32), Value>,
}

impl Assembler {
    /// A register that the kernel gives, or that the next step gives.
    pub(crate) fn given(&mut self, lane: Lane) -> Value {
        let count = self.counts.entry(lane).or_default();
        *count += 1;
        Value { lane, reg: *count - 1 }
    }

    fn step(&mut self, step: Step) -> Value {
        // What gives nothing is not asked for it.
        let lane = step.gives().unwrap_or(Lane::Bool);
        self.steps.push(step);
        self.given(lane)
    }

    /// A constant.
    pub(crate) fn bits(&mut self, lane: Lane, bits: u32) -> Value {
        if let Some(&known) = self.numbers.get(&(lane, bits)) {
            return known;
        }
        let value = self.step(Step::Constant { lane, bits });
        self.numbers.insert((lane, bits), value);
        value
    }

    /// An integer.
    pub(crate) fn int(&mut self, int: usize) -> Value {
        self.signed(int as i64)
    }

    /// An integer that may be negative.
    pub(crate) fn signed(&mut self, int: i64) -> Value {
        self.bits(Lane::I32, int.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32 as u32)
    }

    /// A float.
    pub(crate) fn float(&mut self, float: f32) -> Value {
        self.bits(Lane::F32, float.to_bits())
    }

    /// A number of a dtype, in its lane.
    pub(crate) fn scalar(&mut self, dtype: DType, scalar: Scalar) -> Option<Value> {
        let (lane, scalar) = (Lane::fused(dtype)?, wrap(dtype, scalar));
        Some(match lane {
            Lane::F32 => self.float(scalar.to_f64() as f32),
            Lane::I32 => self.signed(scalar.to_i64()),
            Lane::U32 => self.bits(lane, scalar.to_i64() as u32),
            Lane::Bool => self.bits(lane, u32::from(scalar.to_i64() != 0)),
        })
    }

    /// Index along a dimension of `size` of element `of`; `divisor` elements have the same one.
    pub(crate) fn index(&mut self, of: Value, divisor: usize, size: usize) -> Value {
        let at = At { offset: 0, terms: vec![Term { divisor, size: Some(size), stride: 1 }] };
        self.place(of, at)
    }

    /// Indices of element `of` of an array of that shape.
    pub(crate) fn indices(&mut self, of: Value, shape: &[usize]) -> Vec<Value> {
        let mut divisor: usize = shape.iter().product();
        let mut indices = Vec::new();
        for &size in shape {
            divisor /= size.max(1);
            indices.push(if size == 1 { self.int(0) } else { self.index(of, divisor, size) });
        }
        indices
    }

    /// The number of the element that is computed, in a program on the elements of a domain.
    pub(crate) fn element(&mut self) -> Value {
        self.step(Step::Element)
    }

    /// Where element `of` is.
    pub(crate) fn place(&mut self, of: Value, at: At) -> Value {
        self.step(Step::Place { of: of.reg, at })
    }

    /// `sum(values * strides) + offset`
    pub(crate) fn dot(&mut self, values: &[Value], strides: &[isize], offset: isize) -> Value {
        let mut sum = self.signed(offset as i64);
        for (&value, &stride) in values.iter().zip(strides).filter(|(_, stride)| **stride != 0) {
            let stride = self.signed(stride as i64);
            let product = self.mul(value, stride);
            sum = self.add(sum, product);
        }
        sum
    }

    /// `op(a)`
    pub(crate) fn unary(&mut self, op: UnaryOp, a: Value) -> Value {
        self.step(Step::Unary { op, lane: a.lane, a: a.reg })
    }

    /// The number whose `erf` is `a`, where `tail` is `(1 - a) * (1 + a)`.
    pub(crate) fn erf_inv(&mut self, a: Value, tail: Value) -> Value {
        self.step(Step::ErfInv { a: a.reg, tail: tail.reg })
    }

    /// `op(a, b)`, of one lane.
    pub(crate) fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.step(Step::Binary { op, lane: a.lane, a: a.reg, b: b.reg })
    }

    /// `a + b`
    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Add, a, b)
    }

    /// `a - b`
    pub(crate) fn sub(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Sub, a, b)
    }

    /// `a * b`
    pub(crate) fn mul(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// Both as a monoid combines them.
    pub(crate) fn combine(&mut self, monoid: Monoid, a: Value, b: Value) -> Value {
        let op = match monoid {
            Monoid::Sum => BinaryOp::Add,
            Monoid::Prod => BinaryOp::Mul,
            Monoid::Max => BinaryOp::Max,
            Monoid::Min => BinaryOp::Min,
            Monoid::And => BinaryOp::And,
            Monoid::Or => BinaryOp::Or,
        };
        self.binary(op, a, b)
    }

    /// Whether `a` is to `b` as the direction says.
    pub(crate) fn compare(&mut self, direction: Direction, a: Value, b: Value) -> Value {
        self.step(Step::Compare { direction, lane: a.lane, a: a.reg, b: b.reg })
    }

    /// Whether all hold.
    pub(crate) fn all(&mut self, conditions: impl IntoIterator<Item = Value>) -> Option<Value> {
        conditions.into_iter().reduce(|a, b| self.binary(BinaryOp::And, a, b))
    }

    /// Whether `0 <= index < size`.
    pub(crate) fn is_inside(&mut self, index: Value, size: usize) -> Value {
        let (none, size) = (self.int(0), self.int(size));
        let (from, to) = (self.compare(Direction::Ge, index, none), self.compare(Direction::Lt, index, size));
        self.binary(BinaryOp::And, from, to)
    }

    /// The nearest number from `0` to `last`.
    pub(crate) fn clamped(&mut self, index: Value, last: usize) -> Value {
        let (none, last) = (self.int(0), self.int(last));
        let index = self.binary(BinaryOp::Max, index, none);
        self.binary(BinaryOp::Min, index, last)
    }

    /// `a` where `p` holds, else `b`.
    pub(crate) fn select(&mut self, p: Value, a: Value, b: Value) -> Value {
        self.step(Step::Select { lane: a.lane, p: p.reg, a: a.reg, b: b.reg })
    }

    /// In another lane.
    pub(crate) fn convert(&mut self, to: Lane, a: Value) -> Value {
        if a.lane == to { a } else { self.step(Step::Convert { from: a.lane, to, a: a.reg }) }
    }

    /// The same bits in another lane.
    pub(crate) fn bitcast(&mut self, to: Lane, a: Value) -> Value {
        if a.lane == to { a } else { self.step(Step::Bits { from: a.lane, to, a: a.reg }) }
    }

    /// Reads from an operand.
    pub(crate) fn load(&mut self, memory: usize, place: Value, lane: Lane) -> Value {
        self.step(Step::LoadAt { memory, place: place.reg, lane })
    }

    /// Reads the element of an operand that is at that place for the element that is computed.
    pub(crate) fn load_here(&mut self, memory: usize, at: At, lane: Lane, half: Option<Half>) -> Value {
        self.step(match half {
            Some(half) => Step::LoadHalf { memory, at, half },
            None => Step::Load { memory, at, lane },
        })
    }

    /// Writes the element that is computed to a result.
    pub(crate) fn store_here(&mut self, memory: usize, a: Value) {
        self.steps.push(Step::Store { memory, at: At::dense(), lane: a.lane, a: a.reg });
    }

    /// Writes the element that is computed to a result of narrow floats.
    pub(crate) fn store_half_here(&mut self, memory: usize, half: Half, a: Value) {
        self.steps.push(Step::StoreHalf { memory, at: At::dense(), half, a: a.reg });
    }

    /// Reads a narrow float from an operand.
    pub(crate) fn load_half(&mut self, memory: usize, place: Value, half: Half) -> Value {
        self.step(Step::LoadHalfAt { memory, place: place.reg, half })
    }

    /// The nearest narrow float.
    pub(crate) fn rounded(&mut self, half: Half, a: Value) -> Value {
        self.step(Step::Round { half, a: a.reg })
    }

    /// Writes to a result of narrow floats where a condition holds.
    pub(crate) fn store_half(&mut self, when: Option<Value>, memory: usize, place: Value, half: Half, a: Value) {
        let when = when.map(|when| when.reg);
        self.steps.push(Step::StoreHalfAt { memory, place: place.reg, when, half, a: a.reg });
    }

    /// Writes to a result.
    pub(crate) fn store(&mut self, memory: usize, place: Value, a: Value) {
        self.store_if(None, memory, place, a);
    }

    /// Writes to a result where a condition holds.
    pub(crate) fn store_if(&mut self, when: Option<Value>, memory: usize, place: Value, a: Value) {
        let when = when.map(|when| when.reg);
        self.steps.push(Step::StoreAt { memory, place: place.reg, when, lane: a.lane, a: a.reg });
    }

    /// The steps.
    pub(crate) fn steps(self) -> Vec<Step> {
        self.steps
    }

    /// The program, with those results.
    pub(crate) fn program(self, results: &[Value]) -> Program {
        Program { steps: self.steps, results: results.iter().map(|r| r.reg).collect() }
    }
}

/// The program that combines two numbers of that lane.
pub(crate) fn combination(monoid: Monoid, lane: Lane) -> Program {
    let mut a = Assembler::default();
    let (left, right) = (a.given(lane), a.given(lane));
    let both = a.combine(monoid, left, right);
    a.program(&[both])
}
