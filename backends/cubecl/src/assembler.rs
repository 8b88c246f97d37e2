//! Builder of programs: straight-line sequences of [`Step`]s on registers.

use crate::kernels::half::Half;
use crate::kernels::steps::{AddressMap, AddressTerm, Program, Reg, RegClass, Step};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::tensor::{Scalar, wrap};
use rustc_hash::FxHashMap;

/// A value of a program: the register that contains the value, and its class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    pub(crate) class: RegClass,
    pub(crate) reg: Reg,
}

/// A program under construction.
#[derive(Default)]
pub(crate) struct Assembler {
    steps: Vec<Step>,
    counts: FxHashMap<RegClass, usize>,
    constants: FxHashMap<(RegClass, u32), Value>,
}

impl Assembler {
    /// Allocates the next register of a class, for an argument of the program or for the result of the step that was
    /// just appended.
    pub(crate) fn next_register(&mut self, class: RegClass) -> Value {
        let count = self.counts.entry(class).or_default();
        *count += 1;
        Value { class, reg: *count - 1 }
    }

    /// Appends a step and returns its result.
    fn step(&mut self, step: Step) -> Value {
        // The register of a step without a result is never used.
        let class = step.defines().unwrap_or(RegClass::Bool);
        self.steps.push(step);
        self.next_register(class)
    }

    /// Returns a constant given by its bits. Equal constants share a register.
    pub(crate) fn bits(&mut self, class: RegClass, bits: u32) -> Value {
        if let Some(&known) = self.constants.get(&(class, bits)) {
            return known;
        }
        let value = self.step(Step::Constant { class, bits });
        self.constants.insert((class, bits), value);
        value
    }

    /// Returns a non-negative integer constant, clamped to 31 bits.
    pub(crate) fn int(&mut self, int: usize) -> Value {
        self.signed(int as i64)
    }

    /// Returns a signed integer constant, clamped to 32 bits.
    pub(crate) fn signed(&mut self, int: i64) -> Value {
        self.bits(RegClass::I32, int.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32 as u32)
    }

    /// Returns a float constant.
    pub(crate) fn float(&mut self, float: f32) -> Value {
        self.bits(RegClass::F32, float.to_bits())
    }

    /// Returns a constant of a dtype, or `None` if no register class represents the dtype.
    pub(crate) fn scalar(&mut self, dtype: DType, scalar: Scalar) -> Option<Value> {
        let (class, scalar) = (RegClass::from_dtype(dtype)?, wrap(dtype, scalar));
        Some(match class {
            RegClass::F32 => self.float(scalar.to_f64() as f32),
            RegClass::I32 => self.signed(scalar.to_i64()),
            RegClass::U32 => self.bits(class, scalar.to_i64() as u32),
            RegClass::Bool => self.bits(class, u32::from(scalar.to_i64() != 0)),
        })
    }

    /// Computes `of / divisor % size`, the index of the element with the linear index `of` along a dimension.
    pub(crate) fn index(&mut self, of: Value, divisor: usize, size: usize) -> Value {
        let at = AddressMap { offset: 0, terms: vec![AddressTerm { divisor, size: Some(size), stride: 1 }] };
        self.address(of, at)
    }

    /// Computes the index along each dimension of the element with the linear index `of`, in a row-major array of the
    /// shape.
    pub(crate) fn indices(&mut self, of: Value, shape: &[usize]) -> Vec<Value> {
        let mut divisor: usize = shape.iter().product();
        let mut indices = Vec::new();
        for &size in shape {
            divisor /= size.max(1);
            indices.push(if size == 1 { self.int(0) } else { self.index(of, divisor, size) });
        }
        indices
    }

    /// Returns the linear index of the current element, in a program that runs once per element.
    pub(crate) fn element(&mut self) -> Value {
        self.step(Step::Element)
    }

    /// Computes the address of the element with the linear index `of`.
    pub(crate) fn address(&mut self, of: Value, at: AddressMap) -> Value {
        self.step(Step::Address { of: of.reg, at })
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
        self.step(Step::Unary { op, class: a.class, a: a.reg })
    }

    /// Computes the inverse error function of `a`. `tail` is `(1 - a) * (1 + a)`.
    pub(crate) fn erf_inv(&mut self, a: Value, tail: Value) -> Value {
        self.step(Step::ErfInv { a: a.reg, tail: tail.reg })
    }

    /// `op(a, b)`, for operands of one register class
    pub(crate) fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.step(Step::Binary { op, class: a.class, a: a.reg, b: b.reg })
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

    /// Combines two values with a monoid.
    pub(crate) fn combine(&mut self, monoid: Monoid, a: Value, b: Value) -> Value {
        self.binary(monoid.combining_op(), a, b)
    }

    /// Compares `a` with `b`.
    pub(crate) fn compare(&mut self, direction: Direction, a: Value, b: Value) -> Value {
        self.step(Step::Compare { direction, class: a.class, a: a.reg, b: b.reg })
    }

    /// Computes the conjunction of the conditions. Returns `None` if there are none.
    pub(crate) fn conjunction(&mut self, conditions: impl IntoIterator<Item = Value>) -> Option<Value> {
        conditions.into_iter().reduce(|a, b| self.binary(BinaryOp::And, a, b))
    }

    /// Computes `0 <= index < size`.
    pub(crate) fn is_inside(&mut self, index: Value, size: usize) -> Value {
        let (none, size) = (self.int(0), self.int(size));
        let (from, to) = (self.compare(Direction::Ge, index, none), self.compare(Direction::Lt, index, size));
        self.binary(BinaryOp::And, from, to)
    }

    /// Clamps an index to `0..=last`.
    pub(crate) fn clamped(&mut self, index: Value, last: usize) -> Value {
        let (none, last) = (self.int(0), self.int(last));
        let index = self.binary(BinaryOp::Max, index, none);
        self.binary(BinaryOp::Min, index, last)
    }

    /// `a` where `p` is true, else `b`
    pub(crate) fn select(&mut self, p: Value, a: Value, b: Value) -> Value {
        self.step(Step::Select { class: a.class, p: p.reg, a: a.reg, b: b.reg })
    }

    /// Converts a value to another register class.
    pub(crate) fn convert(&mut self, to: RegClass, a: Value) -> Value {
        if a.class == to { a } else { self.step(Step::Convert { from: a.class, to, a: a.reg }) }
    }

    /// Reinterprets the bits of a value in another register class.
    pub(crate) fn bitcast(&mut self, to: RegClass, a: Value) -> Value {
        if a.class == to { a } else { self.step(Step::Bits { from: a.class, to, a: a.reg }) }
    }

    /// Loads the element at a computed address of an operand.
    pub(crate) fn load(&mut self, memory: usize, address: Value, class: RegClass) -> Value {
        self.step(Step::LoadAt { memory, address: address.reg, class })
    }

    /// Loads the element of an operand that `at` maps the current element to. With `half`, the operand has 16-bit
    /// floats.
    pub(crate) fn load_here(&mut self, memory: usize, at: AddressMap, class: RegClass, half: Option<Half>) -> Value {
        self.step(match half {
            Some(half) => Step::LoadHalf { memory, at, half },
            None => Step::Load { memory, at, class },
        })
    }

    /// Stores a value as the current element of a result.
    pub(crate) fn store_here(&mut self, memory: usize, a: Value) {
        self.steps.push(Step::Store { memory, at: AddressMap::identity(), class: a.class, a: a.reg });
    }

    /// Stores a value as the current element of a result of 16-bit floats.
    pub(crate) fn store_half_here(&mut self, memory: usize, half: Half, a: Value) {
        self.steps.push(Step::StoreHalf { memory, at: AddressMap::identity(), half, a: a.reg });
    }

    /// Loads the 16-bit float at a computed address of an operand.
    pub(crate) fn load_half(&mut self, memory: usize, address: Value, half: Half) -> Value {
        self.step(Step::LoadHalfAt { memory, address: address.reg, half })
    }

    /// Rounds a value to the nearest 16-bit float.
    pub(crate) fn rounded(&mut self, half: Half, a: Value) -> Value {
        self.step(Step::Round { half, a: a.reg })
    }

    /// Stores a value at a computed address of a result of 16-bit floats, if the condition `when` is true.
    pub(crate) fn store_half(&mut self, when: Option<Value>, memory: usize, address: Value, half: Half, a: Value) {
        let when = when.map(|when| when.reg);
        self.steps.push(Step::StoreHalfAt { memory, address: address.reg, when, half, a: a.reg });
    }

    /// Stores a value at a computed address of a result.
    pub(crate) fn store(&mut self, memory: usize, address: Value, a: Value) {
        self.store_if(None, memory, address, a);
    }

    /// Stores a value at a computed address of a result, if the condition `when` is true.
    pub(crate) fn store_if(&mut self, when: Option<Value>, memory: usize, address: Value, a: Value) {
        let when = when.map(|when| when.reg);
        self.steps.push(Step::StoreAt { memory, address: address.reg, when, class: a.class, a: a.reg });
    }

    /// Returns the steps of a program without results in registers.
    pub(crate) fn steps(self) -> Vec<Step> {
        self.steps
    }

    /// Returns the program with the registers of its results.
    pub(crate) fn program(self, results: &[Value]) -> Program {
        Program { steps: self.steps, results: results.iter().map(|r| r.reg).collect() }
    }
}

/// Returns the program that combines two values of a register class.
pub(crate) fn combine_program(monoid: Monoid, class: RegClass) -> Program {
    let mut a = Assembler::default();
    let (left, right) = (a.next_register(class), a.next_register(class));
    let both = a.combine(monoid, left, right);
    a.program(&[both])
}
