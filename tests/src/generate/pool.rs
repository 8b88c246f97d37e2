//! Program under construction by the generator: random choices, the pool of generated values, and builders of values
//! and ops.

use super::{GeneratedProgram, Numbers, Palette, exact_integer_limit, is_within_element_limit, place};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::mesh::DeviceMesh;
use partita_ir::op::OpKind;
use partita_ir::ops::{Broadcast, Clamp, Constant, Convert, Literal, Reshape};
use partita_ir::program::{Func, Output, Phase, Program};
use partita_ir::tensor::Scalar;

/// Source of random choices: a sequence of numbers, followed by zeros.
pub struct Tape<'t> {
    numbers: &'t [u16],
}

impl<'t> Tape<'t> {
    /// Creates a tape over the numbers.
    pub fn new(numbers: &'t [u16]) -> Tape<'t> {
        Tape { numbers }
    }

    /// Returns a number below `n`, which is at least 1.
    pub fn below(&mut self, n: usize) -> usize {
        let Some((&first, rest)) = self.numbers.split_first() else { return 0 };
        self.numbers = rest;
        usize::from(first) % n.max(1)
    }

    /// Returns a clone of one of the items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())).cloned() }
    }

    /// Returns true in one of `n` cases; false after the end of the numbers if `n` is greater than 1.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) + 1 == n
    }

    /// Returns a permutation of `0..n`.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..n).collect();
        (0..n).map(|_| rest.remove(self.below(rest.len()))).collect()
    }

    /// Returns a subset of `0..n`, in order.
    pub fn subset(&mut self, n: usize) -> Vec<usize> {
        (0..n).filter(|_| self.below(2) == 1).collect()
    }
}

/// A value and its known properties.
#[derive(Clone, Debug)]
pub struct GeneratedValue {
    /// The value.
    pub id: ValueId,
    /// Type of the value.
    pub ty: Type,
    /// Upper bound of the magnitude of its elements.
    pub bound: f64,
    /// True if every element is an integer that the type represents exactly.
    pub integral: bool,
}

impl GeneratedValue {
    /// Returns the rank of the value.
    pub fn rank(&self) -> usize {
        self.ty.shape.rank()
    }

    /// Returns the same properties with another type.
    fn as_type(&self, ty: &Type) -> GeneratedValue {
        GeneratedValue { ty: ty.clone(), ..self.clone() }
    }
}

/// A program under construction.
pub struct Generator<'t> {
    /// The program.
    pub program: Program,
    /// Choices of the current step.
    pub tape: Tape<'t>,
    palette: &'static Palette,
    names: Namer,
    body: Vec<OpId>,
    pool: Vec<GeneratedValue>,
    /// Range of the integral elements of each input of the main function.
    ranges: Vec<(i64, i64)>,
    /// Body and pool of each enclosing function while a nested function is generated.
    outer: Vec<(Vec<OpId>, Vec<GeneratedValue>)>,
}

impl<'t> Generator<'t> {
    /// Creates an empty program on the mesh.
    pub fn new(mesh: DeviceMesh, palette: &'static Palette) -> Generator<'t> {
        let mut program = Program::default();
        program.meshes.push(mesh);
        let names = Namer::from_program(&program);
        let tape = Tape::new(&[]);
        Generator { program, tape, palette, names, body: vec![], pool: vec![], ranges: vec![], outer: vec![] }
    }

    /// Replaces the choices for the next step.
    pub fn set_tape(&mut self, numbers: &'t Numbers) {
        self.tape = Tape::new(numbers);
    }

    /// Finishes the program: unused values become outputs.
    pub fn finish(mut self) -> GeneratedProgram {
        let mut used = vec![false; self.program.values.len()];
        for op in self.program.ops.values() {
            op.args.iter().for_each(|v| used[v.index()] = true);
        }
        self.program.inputs().iter().for_each(|v| used[v.index()] = true);
        let mut ends: Vec<GeneratedValue> = self.pool.iter().filter(|v| !used[v.id.index()]).cloned().collect();
        if ends.is_empty() {
            ends.extend(self.pool.last().cloned());
        }
        for val in &ends {
            let name = self.program.values[val.id].name.clone();
            self.program.output(name, val.id);
        }
        let main = self.program.entry();
        *self.program.funcs[main].ops_mut() = self.body;
        let exact = ends.iter().map(|v| v.integral).collect();
        GeneratedProgram { program: self.program, ranges: self.ranges, exact }
    }

    // Generation of types.

    /// Returns a dimension size.
    pub fn size(&mut self) -> usize {
        let sizes = self.palette.sizes;
        sizes[self.tape.below(sizes.len())]
    }

    /// Returns a shape of the given rank within the element limit.
    pub fn shape(&mut self, rank: usize) -> Shape {
        let mut shape = Shape::default();
        for _ in 0..rank {
            let size = self.size();
            let room = super::MAX_VALUE_ELEMENTS / shape.count().max(1);
            shape.0.push(size.min(room.max(1)));
        }
        shape
    }

    // Generation of values.

    /// Adds an input of the main function with a random type and, at random, a layout.
    pub fn draw_input(&mut self) {
        let (dtypes, ranks) = (self.palette.dtypes, self.palette.ranks);
        let dtype = dtypes[self.tape.below(dtypes.len())];
        let rank = ranks[self.tape.below(ranks.len())];
        let shape = self.shape(rank);
        let val = self.input(Type { shape, dtype }, 3);
        self.pool.push(val);
    }

    /// Adds an input of the main function with integral values up to `high`, from `-high` if the type is signed.
    pub fn input(&mut self, ty: Type, high: i64) -> GeneratedValue {
        let low = if ty.dtype.is_unsigned() || ty.dtype == DType::Bool { 0 } else { -high };
        self.ranged_input(ty, low, high)
    }

    /// Adds an input of the main function with integral values from `low` to `high` and, at random, a layout. In other
    /// functions, which cannot have new inputs, a constant replaces the input.
    pub fn ranged_input(&mut self, ty: Type, low: i64, high: i64) -> GeneratedValue {
        let high = if ty.dtype == DType::Bool { 1 } else { high };
        let bound = low.unsigned_abs().max(high.unsigned_abs()) as f64;
        if !self.outer.is_empty() {
            return self.splat(&ty, low.max(0).min(high) as f64);
        }
        let name = self.names.fresh("x");
        let id = if self.tape.one_in(2) {
            self.program.param(name.clone(), name.as_str(), ty.clone())
        } else {
            self.program.input(name, ty.clone())
        };
        self.ranges.push((low, high));
        if self.tape.below(4) > 0 {
            let layout = place::draw_layout(&mut self.tape, &self.program, &ty.shape);
            self.program.values[id].layout = layout.map(Into::into);
        }
        GeneratedValue { id, ty, bound, integral: true }
    }

    /// Returns a constant whose elements all equal `number`.
    pub fn splat(&mut self, ty: &Type, number: f64) -> GeneratedValue {
        let value = if ty.dtype.is_float() { Scalar::Float(number) } else { Scalar::Int(number as i64) };
        let id = self.emit(Constant { value: Literal::Splat(value) }, &[], std::slice::from_ref(ty))[0];
        GeneratedValue { id, ty: ty.clone(), bound: number.abs(), integral: number.fract() == 0.0 }
    }

    /// Returns an earlier value that satisfies `fit`, or `None`. Recent values are preferred.
    pub fn find(&mut self, fit: impl Fn(&GeneratedValue) -> bool) -> Option<GeneratedValue> {
        let found: Vec<GeneratedValue> = self.pool.iter().rev().filter(|v| fit(v)).cloned().collect();
        let n = found.len();
        let (a, b) = (self.tape.below(n), self.tape.below(n));
        found.get(a.min(b)).cloned()
    }

    /// Returns an earlier value that satisfies `fit`, or a new input of the given rank and dtype.
    pub fn find_or_input(
        &mut self,
        rank: usize,
        dtype: DType,
        fit: impl Fn(&GeneratedValue) -> bool,
    ) -> GeneratedValue {
        match self.find(&fit) {
            Some(val) => val,
            None => {
                let shape = self.shape(rank);
                self.input(Type { shape, dtype }, 3)
            }
        }
    }

    /// Returns an earlier float value of at least the given rank, or a new input.
    pub fn float(&mut self, rank: usize) -> GeneratedValue {
        self.find_or_input(rank.max(2), DType::F32, |v| v.ty.dtype.is_float() && v.rank() >= rank)
    }

    /// Returns an earlier integral value of at least the given rank, or a new input.
    pub fn integral(&mut self, rank: usize) -> GeneratedValue {
        self.find_or_input(rank.max(2), DType::I32, |v| v.integral && v.ty.dtype != DType::Bool && v.rank() >= rank)
    }

    /// Returns an earlier numeric value of at least the given rank, or a new input.
    pub fn number(&mut self, rank: usize) -> GeneratedValue {
        self.find_or_input(rank.max(2), DType::F32, |v| v.ty.dtype != DType::Bool && v.rank() >= rank)
    }

    /// Returns a value of exactly the given type: an earlier value, a constant, a broadcast vector, or a new input.
    pub fn value_of_type(&mut self, ty: &Type) -> GeneratedValue {
        let way = self.tape.below(4);
        if way < 2
            && let Some(val) = self.find(|v| v.ty == *ty)
        {
            return val;
        }
        if way == 2 {
            let number = self.tape.below(3) as f64;
            return self.splat(ty, number);
        }
        if way == 1 && ty.shape.rank() > 1 {
            let dim = self.tape.below(ty.shape.rank());
            let vector = self.input(Type::new(ty.dtype, [ty.shape[dim]]), 3);
            let id =
                self.emit(Broadcast { dims: [dim].into_iter().collect() }, &[vector.id], std::slice::from_ref(ty))[0];
            return GeneratedValue { id, ..vector.as_type(ty) };
        }
        self.input(ty.clone(), 3)
    }

    // Generation of operations.

    /// Appends an op without adding its results to the pool.
    pub fn emit(&mut self, kind: impl Into<OpKind>, args: &[ValueId], types: &[Type]) -> Vec<ValueId> {
        let kind = kind.into();
        let mut b = Builder::new(&mut self.program, &mut self.names);
        b.phase = Phase::Forward;
        let outs = b.op_many(kind.name(), kind, args, types);
        self.body.append(&mut b.body);
        outs.to_vec()
    }

    /// Appends an op with one result of magnitude up to `bound` and adds the result to the pool. A result whose bound
    /// exceeds the exact integers of its type is clamped. Returns `None` if the result has too many elements.
    pub fn push(
        &mut self,
        kind: impl Into<OpKind>,
        args: &[&GeneratedValue],
        ty: Type,
        bound: f64,
        whole: bool,
    ) -> Option<GeneratedValue> {
        if !is_within_element_limit(&ty) {
            return None;
        }
        let args: Vec<ValueId> = args.iter().map(|v| v.id).collect();
        let id = self.emit(kind, &args, std::slice::from_ref(&ty))[0];
        let val = GeneratedValue { id, ty, bound, integral: whole };
        Some(self.record(val))
    }

    /// Adds a value to the pool, clamped if its bound exceeds the exact integers of its type.
    pub fn record(&mut self, val: GeneratedValue) -> GeneratedValue {
        let val = self.clamp_within(val, f64::INFINITY);
        self.pool.push(val.clone());
        val
    }

    /// Returns the value if its bound is within `bound` and the exact integers of its type. Otherwise returns the value
    /// clamped to a magnitude of at most 4.
    pub fn clamp_within(&mut self, val: GeneratedValue, bound: f64) -> GeneratedValue {
        if val.bound <= bound.min(exact_integer_limit(val.ty.dtype)) || val.ty.dtype == DType::Bool {
            return val;
        }
        let high = bound.min(4.0);
        let low = if val.ty.dtype.is_unsigned() { 0.0 } else { -high };
        self.clamp(&val, low, high)
    }

    /// Returns the value clamped between two numbers.
    pub fn clamp(&mut self, val: &GeneratedValue, low: f64, high: f64) -> GeneratedValue {
        let scalar = Type { shape: Shape::scalar(), dtype: val.ty.dtype };
        let (a, b) = (self.splat(&scalar, low), self.splat(&scalar, high));
        let id = self.emit(Clamp {}, &[a.id, val.id, b.id], std::slice::from_ref(&val.ty))[0];
        let whole = val.integral && a.integral && b.integral;
        GeneratedValue { id, ty: val.ty.clone(), bound: low.abs().max(high.abs()), integral: whole }
    }

    /// Returns the value converted to another element type.
    pub fn convert(&mut self, val: &GeneratedValue, dtype: DType) -> GeneratedValue {
        if val.ty.dtype == dtype {
            return val.clone();
        }
        let val = self.clamp_within(val.clone(), exact_integer_limit(dtype).min(100.0));
        let ty = Type { shape: val.ty.shape.clone(), dtype };
        let id = self.emit(Convert {}, &[val.id], std::slice::from_ref(&ty))[0];
        GeneratedValue { id, ty, bound: val.bound.max(1.0), integral: val.integral || !dtype.is_float() }
    }

    /// Returns the value reshaped to another shape with as many elements.
    pub fn reshape(&mut self, val: &GeneratedValue, shape: Shape) -> GeneratedValue {
        if val.ty.shape == shape {
            return val.clone();
        }
        let ty = Type { shape, dtype: val.ty.dtype };
        let id = self.emit(Reshape {}, &[val.id], std::slice::from_ref(&ty))[0];
        GeneratedValue { id, ..val.as_type(&ty) }
    }

    // Generation of functions.

    /// Generates another function. `inputs` contains the type, magnitude bound and integral flag of each input; `draw`
    /// returns the results.
    pub fn function(
        &mut self,
        name: &str,
        inputs: &[(Type, f64, bool)],
        draw: impl FnOnce(&mut Generator<'t>, &[GeneratedValue]) -> Vec<ValueId>,
    ) -> FuncId {
        self.outer.push((std::mem::take(&mut self.body), std::mem::take(&mut self.pool)));
        let inputs: Vec<GeneratedValue> = inputs
            .iter()
            .map(|(ty, bound, whole)| {
                let id = self.program.value(self.names.fresh("a"), ty.clone());
                GeneratedValue { id, ty: ty.clone(), bound: *bound, integral: *whole }
            })
            .collect();
        self.pool = inputs.clone();
        let results = draw(self, &inputs);
        let outputs = results
            .into_iter()
            .map(|value| Output { value, name: self.program.values[value].name.clone(), replaces: None })
            .collect();
        let (body, pool) = self.outer.pop().unwrap_or_default();
        let body = std::mem::replace(&mut self.body, body);
        self.pool = pool;
        let name = self.names.fresh(name);
        self.program.funcs.push(Func::new(name, inputs.iter().map(|v| v.id).collect(), outputs, body))
    }

    /// Returns true while generating a function other than main.
    pub fn is_in_nested_function(&self) -> bool {
        !self.outer.is_empty()
    }
}
