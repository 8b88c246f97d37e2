//! The values drawn so far, and the means to draw another one.

use super::{Drawn, Numbers, Palette, fits, limit, place};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::mesh::Mesh;
use partita_ir::op::OpKind;
use partita_ir::ops::{Broadcast, Clamp, Constant, Convert, Literal, Reshape};
use partita_ir::program::{Func, Output, Phase, Program};
use partita_ir::tensor::Scalar;

/// Choices, read off numbers; all zero when the numbers are used up.
pub struct Tape<'t> {
    numbers: &'t [u16],
}

impl<'t> Tape<'t> {
    /// Reads those numbers.
    pub fn new(numbers: &'t [u16]) -> Tape<'t> {
        Tape { numbers }
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: usize) -> usize {
        let Some((&first, rest)) = self.numbers.split_first() else { return 0 };
        self.numbers = rest;
        usize::from(first) % n.max(1)
    }

    /// One of those.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())).cloned() }
    }

    /// True once in `n` times; false when the numbers are used up.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) + 1 == n
    }

    /// A permutation of `0..n`.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..n).collect();
        (0..n).map(|_| rest.remove(self.below(rest.len()))).collect()
    }

    /// A subset of `0..n`, in order.
    pub fn subset(&mut self, n: usize) -> Vec<usize> {
        (0..n).filter(|_| self.below(2) == 1).collect()
    }
}

/// A value and what is known about it.
#[derive(Clone, Debug)]
pub struct Val {
    /// The value.
    pub id: ValueId,
    /// Its type.
    pub ty: Type,
    /// No element is farther from zero.
    pub bound: f64,
    /// Every element is a whole number that the type holds exactly.
    pub whole: bool,
}

impl Val {
    /// Its rank.
    pub fn rank(&self) -> usize {
        self.ty.shape.rank()
    }

    /// The same facts about another type.
    fn as_type(&self, ty: &Type) -> Val {
        Val { ty: ty.clone(), ..self.clone() }
    }
}

/// A program while it is drawn.
pub struct Draw<'t> {
    /// The program.
    pub program: Program,
    /// The choices of this step.
    pub tape: Tape<'t>,
    palette: &'static Palette,
    names: Namer,
    body: Vec<OpId>,
    pool: Vec<Val>,
    ranges: Vec<(i64, i64)>,
    outer: Vec<(Vec<OpId>, Vec<Val>)>,
}

impl<'t> Draw<'t> {
    /// An empty program on that mesh.
    pub fn new(mesh: Mesh, palette: &'static Palette) -> Draw<'t> {
        let mut program = Program::default();
        program.meshes.push(mesh);
        let names = Namer::of(&program);
        let tape = Tape::new(&[]);
        Draw { program, tape, palette, names, body: vec![], pool: vec![], ranges: vec![], outer: vec![] }
    }

    /// The choices to come.
    pub fn set_tape(&mut self, numbers: &'t Numbers) {
        self.tape = Tape::new(numbers);
    }

    /// Ends the program: what nobody uses is an output.
    pub fn finish(mut self) -> Drawn {
        let mut used = vec![false; self.program.values.len()];
        for op in self.program.ops.values() {
            op.args.iter().for_each(|v| used[v.index()] = true);
        }
        self.program.inputs().iter().for_each(|v| used[v.index()] = true);
        let mut ends: Vec<Val> = self.pool.iter().filter(|v| !used[v.id.index()]).cloned().collect();
        if ends.is_empty() {
            ends.extend(self.pool.last().cloned());
        }
        for val in &ends {
            let name = self.program.values[val.id].name.clone();
            self.program.output(name, val.id);
        }
        let main = self.program.entry();
        *self.program.funcs[main].ops_mut() = self.body;
        let exact = ends.iter().map(|v| v.whole).collect();
        Drawn { program: self.program, ranges: self.ranges, exact }
    }

    // Types.

    /// A size of a dimension.
    pub fn size(&mut self) -> usize {
        let sizes = self.palette.sizes;
        sizes[self.tape.below(sizes.len())]
    }

    /// A shape of that rank that is not too large.
    pub fn shape(&mut self, rank: usize) -> Shape {
        let mut shape = Shape::default();
        for _ in 0..rank {
            let size = self.size();
            let room = super::MAX_ELEMENTS / shape.count().max(1);
            shape.0.push(size.min(room.max(1)));
        }
        shape
    }

    // Values.

    /// Adds an input of the main function: a type, and perhaps a layout.
    pub fn draw_input(&mut self) {
        let (dtypes, ranks) = (self.palette.dtypes, self.palette.ranks);
        let dtype = dtypes[self.tape.below(dtypes.len())];
        let rank = ranks[self.tape.below(ranks.len())];
        let shape = self.shape(rank);
        let val = self.input(Type { shape, dtype }, 3);
        self.pool.push(val);
    }

    /// Adds an input of the main function that holds whole numbers up to `high`, from `-high` where the type has them.
    pub fn input(&mut self, ty: Type, high: i64) -> Val {
        let low = if ty.dtype.is_unsigned() || ty.dtype == DType::Bool { 0 } else { -high };
        self.ranged_input(ty, low, high)
    }

    /// Adds an input of the main function that holds whole numbers from `low` to `high`, perhaps with a layout. Within
    /// another function there are none: a constant stands for it.
    pub fn ranged_input(&mut self, ty: Type, low: i64, high: i64) -> Val {
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
        Val { id, ty, bound, whole: true }
    }

    /// A constant of one number.
    pub fn splat(&mut self, ty: &Type, number: f64) -> Val {
        let value = if ty.dtype.is_float() { Scalar::Float(number) } else { Scalar::Int(number as i64) };
        let id = self.emit(Constant { value: Literal::Splat(value) }, &[], std::slice::from_ref(ty))[0];
        Val { id, ty: ty.clone(), bound: number.abs(), whole: number.fract() == 0.0 }
    }

    /// A value drawn before that fits, recent ones more often.
    pub fn find(&mut self, fit: impl Fn(&Val) -> bool) -> Option<Val> {
        let found: Vec<Val> = self.pool.iter().rev().filter(|v| fit(v)).cloned().collect();
        let n = found.len();
        let (a, b) = (self.tape.below(n), self.tape.below(n));
        found.get(a.min(b)).cloned()
    }

    /// A value that fits, or a fresh input of that rank and type.
    pub fn find_or(&mut self, rank: usize, dtype: DType, fit: impl Fn(&Val) -> bool) -> Val {
        match self.find(&fit) {
            Some(val) => val,
            None => {
                let shape = self.shape(rank);
                self.input(Type { shape, dtype }, 3)
            }
        }
    }

    /// A float value of at least that rank.
    pub fn float(&mut self, rank: usize) -> Val {
        self.find_or(rank.max(2), DType::F32, |v| v.ty.dtype.is_float() && v.rank() >= rank)
    }

    /// A value of whole numbers of at least that rank.
    pub fn whole(&mut self, rank: usize) -> Val {
        self.find_or(rank.max(2), DType::I32, |v| v.whole && v.ty.dtype != DType::Bool && v.rank() >= rank)
    }

    /// A number of at least that rank.
    pub fn number(&mut self, rank: usize) -> Val {
        self.find_or(rank.max(2), DType::F32, |v| v.ty.dtype != DType::Bool && v.rank() >= rank)
    }

    /// Another value of exactly that type: one that is there, a constant, a broadcast vector, or a fresh input.
    pub fn another(&mut self, ty: &Type) -> Val {
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
            return Val { id, ..vector.as_type(ty) };
        }
        self.input(ty.clone(), 3)
    }

    // Operations.

    /// Appends an op. Nothing is noted about its results.
    pub fn emit(&mut self, kind: impl Into<OpKind>, args: &[ValueId], types: &[Type]) -> Vec<ValueId> {
        let kind = kind.into();
        let mut b = Builder::new(&mut self.program, &mut self.names);
        b.phase = Phase::Forward;
        let outs = b.op_many(kind.name(), kind, args, types);
        self.body.append(&mut b.body);
        outs.to_vec()
    }

    /// Appends an op with one result, which is not larger than `bound`. A result that its type cannot hold exactly is
    /// clamped. `None` when it is too large to be drawn.
    pub fn push(&mut self, kind: impl Into<OpKind>, args: &[&Val], ty: Type, bound: f64, whole: bool) -> Option<Val> {
        if !fits(&ty) {
            return None;
        }
        let args: Vec<ValueId> = args.iter().map(|v| v.id).collect();
        let id = self.emit(kind, &args, std::slice::from_ref(&ty))[0];
        let val = Val { id, ty, bound, whole };
        Some(self.keep(val))
    }

    /// Notes a value for later steps, clamped when its type cannot hold it exactly.
    pub fn keep(&mut self, val: Val) -> Val {
        let val = self.within(val, f64::INFINITY);
        self.pool.push(val.clone());
        val
    }

    /// The value, clamped unless it is within `bound` and what its type holds exactly.
    pub fn within(&mut self, val: Val, bound: f64) -> Val {
        if val.bound <= bound.min(limit(val.ty.dtype)) || val.ty.dtype == DType::Bool {
            return val;
        }
        let high = bound.min(4.0);
        let low = if val.ty.dtype.is_unsigned() { 0.0 } else { -high };
        self.clamped(&val, low, high)
    }

    /// The value between two numbers.
    pub fn clamped(&mut self, val: &Val, low: f64, high: f64) -> Val {
        let scalar = Type { shape: Shape::scalar(), dtype: val.ty.dtype };
        let (a, b) = (self.splat(&scalar, low), self.splat(&scalar, high));
        let id = self.emit(Clamp {}, &[a.id, val.id, b.id], std::slice::from_ref(&val.ty))[0];
        let whole = val.whole && a.whole && b.whole;
        Val { id, ty: val.ty.clone(), bound: low.abs().max(high.abs()), whole }
    }

    /// The value as another element type.
    pub fn convert(&mut self, val: &Val, dtype: DType) -> Val {
        if val.ty.dtype == dtype {
            return val.clone();
        }
        let val = self.within(val.clone(), limit(dtype).min(100.0));
        let ty = Type { shape: val.ty.shape.clone(), dtype };
        let id = self.emit(Convert {}, &[val.id], std::slice::from_ref(&ty))[0];
        Val { id, ty, bound: val.bound.max(1.0), whole: val.whole || !dtype.is_float() }
    }

    /// The value in another shape of as many elements.
    pub fn reshape(&mut self, val: &Val, shape: Shape) -> Val {
        if val.ty.shape == shape {
            return val.clone();
        }
        let ty = Type { shape, dtype: val.ty.dtype };
        let id = self.emit(Reshape {}, &[val.id], std::slice::from_ref(&ty))[0];
        Val { id, ..val.as_type(&ty) }
    }

    // Functions.

    /// Draws another function, from values of those types to what `draw` returns.
    pub fn function(
        &mut self,
        name: &str,
        inputs: &[(Type, f64, bool)],
        draw: impl FnOnce(&mut Draw<'t>, &[Val]) -> Vec<ValueId>,
    ) -> FuncId {
        self.outer.push((std::mem::take(&mut self.body), std::mem::take(&mut self.pool)));
        let inputs: Vec<Val> = inputs
            .iter()
            .map(|(ty, bound, whole)| {
                let id = self.program.value(self.names.fresh("a"), ty.clone());
                Val { id, ty: ty.clone(), bound: *bound, whole: *whole }
            })
            .collect();
        self.pool = inputs.clone();
        let results = draw(self, &inputs);
        let outputs = results
            .into_iter()
            .map(|value| Output { value, name: self.program.values[value].name.clone(), alias: None })
            .collect();
        let (body, pool) = self.outer.pop().unwrap_or_default();
        let body = std::mem::replace(&mut self.body, body);
        self.pool = pool;
        let name = self.names.fresh(name);
        self.program.funcs.push(Func::new(name, inputs.iter().map(|v| v.id).collect(), outputs, body))
    }

    /// Whether the op is drawn in a function other than main.
    pub fn is_inside(&self) -> bool {
        !self.outer.is_empty()
    }
}
