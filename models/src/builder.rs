//! Builder of models.
//!
//! Modules are nested: inside a module, parameter names are prefixed with its path, and ops have its path as their
//! scope. All parameters are `f32`.

use partita_ir::arena::{ParamId, ValueId};
use partita_ir::build::{Builder, Namer, RandomStream, identifier};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::initializer::Initializer;
use partita_ir::ops::BinaryOp;
use partita_ir::origin::Origin;
use partita_ir::program::{Output, Param, ParamKind, Program};
use partita_ir::tensor::Scalar;

/// Appends the ops of a model to a program, and declares its parameters.
pub(crate) struct ModelBuilder<'a> {
    /// Appends to the program.
    pub b: Builder<'a>,
    /// Dotted path of the current module.
    path: String,
    /// Random key of the program, and the number of random tensors drawn from it.
    draws: RandomStream,
}

impl<'a> ModelBuilder<'a> {
    /// Creates a builder at the root module, whose path is empty.
    pub fn new(program: &'a mut Program, names: &'a mut Namer) -> ModelBuilder<'a> {
        ModelBuilder { b: Builder::new(program, names), path: String::new(), draws: RandomStream::default() }
    }

    /// Builds the submodule `name` of the current module.
    pub fn module<R>(&mut self, name: &str, build: impl FnOnce(&mut Self) -> R) -> R {
        let (outer, origin) = (self.path.len(), self.b.origin.clone());
        if outer > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        self.b.origin = Origin::new(0, self.path.as_str());
        let built = build(self);
        self.path.truncate(outer);
        self.b.origin = origin;
        built
    }

    /// Builds the submodules `name.0`, `name.1`, ... as a chain: each receives its number and the result of the
    /// previous one; the first receives `x`.
    pub fn modules(
        &mut self,
        name: &str,
        count: usize,
        x: ValueId,
        mut build: impl FnMut(&mut Self, usize, ValueId) -> ValueId,
    ) -> ValueId {
        self.module(name, |m| (0..count).fold(x, |x, i| m.module(&i.to_string(), |m| build(m, i, x))))
    }

    /// Declares a trainable parameter of the current module.
    pub fn param(&mut self, name: &str, shape: impl Into<Shape>, init: Initializer) -> ValueId {
        let id = self.declare(name, shape.into(), ParamKind::Trainable, init);
        self.b.program.params[id].value
    }

    /// Declares a state parameter of the current module, whose value each training step replaces by a result
    /// ([`Self::replace`]).
    pub fn state(&mut self, name: &str, shape: impl Into<Shape>, init: Initializer) -> ParamId {
        self.declare(name, shape.into(), ParamKind::State, init)
    }

    /// Declares a parameter under the path of the current module.
    fn declare(&mut self, name: &str, shape: Shape, kind: ParamKind, init: Initializer) -> ParamId {
        let path = self.path_of(name);
        let name = self.b.names.fresh(&identifier(&path));
        let value = self.b.program.input(name, Type::new(DType::F32, shape));
        self.b.program.params.push(Param { path, kind, value, parent: None, init: Some(init) })
    }

    /// Declares the next input: `input.0`, `input.1`, ....
    pub fn input(&mut self, dtype: DType, shape: impl Into<Shape>) -> ValueId {
        let program = &mut self.b.program;
        let number = program.inputs().len() - program.params.len();
        let name = self.b.names.fresh(&format!("input.{number}"));
        program.input(name, Type::new(dtype, shape))
    }

    /// Declares an input with a name under the path of the current module. Its memory is free after its last use.
    pub fn donated_input(&mut self, name: &str, dtype: DType, shape: impl Into<Shape>) -> ValueId {
        let name = self.b.names.fresh(&identifier(&self.path_of(name)));
        let value = self.b.program.input(name, Type::new(dtype, shape));
        self.b.program.values[value].donated = true;
        value
    }

    /// Returns a name under the path of the current module.
    pub fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Declares the result `output.0`.
    pub fn output(&mut self, value: ValueId) {
        self.b.program.output("output.0", value);
    }

    /// Declares a result that replaces the value of a parameter after a training step.
    pub fn replace(&mut self, param: ParamId, value: ValueId) {
        let Param { path, value: input, .. } = &self.b.program.params[param];
        let (name, replaces) = (path.as_str().into(), Some(*input));
        self.b.program.outputs_mut().push(Output { value, name, replaces });
    }

    /// Finishes the main function. Parameters become its first inputs, in declaration order.
    pub fn finish(self) {
        let program = &*self.b.program;
        let mut params = program.params.values().map(|param| param.value).peekable();
        let inputs = program.inputs().iter().filter(|&&input| params.next_if_eq(&input).is_none());
        let inputs: Vec<ValueId> = inputs.copied().collect();
        let inputs = program.params.values().map(|param| param.value).chain(inputs).collect();
        *self.b.program.inputs_mut() = inputs;
        let main = self.b.program.entry();
        self.b.finish(main);
    }

    /// Returns the sizes of a value of `N` dimensions.
    pub fn dims<const N: usize>(&self, x: ValueId) -> [usize; N] {
        let shape = self.b.ty(x).shape;
        std::array::from_fn(|dim| shape[dim])
    }

    /// Computes `op(x, y)` with NumPy broadcasting.
    pub fn broadcast(&mut self, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
        let (x, y) = self.broadcast_both(x, y);
        self.b.binary(op, x, y)
    }

    /// Broadcasts two values to their common shape, with dimensions aligned from the last.
    pub fn broadcast_both(&mut self, x: ValueId, y: ValueId) -> (ValueId, ValueId) {
        let rank = self.b.ty(x).shape.rank().max(self.b.ty(y).shape.rank());
        let (x, y) = (self.with_rank(x, rank), self.with_rank(y, rank));
        let (xs, ys) = (self.b.ty(x).shape, self.b.ty(y).shape);
        let shape: Shape = xs.iter().zip(ys.iter()).map(|(&a, &b)| a.max(b)).collect();
        (self.b.expand(x, &shape), self.b.expand(y, &shape))
    }

    /// Computes a batched matrix product with `f32` results. Leading dimensions are batch dimensions and broadcast.
    pub fn product(&mut self, x: ValueId, y: ValueId) -> ValueId {
        let rank = self.b.ty(x).shape.rank().max(self.b.ty(y).shape.rank());
        let (x, y) = (self.with_rank(x, rank), self.with_rank(y, rank));
        self.b.matmul(x, y, DType::F32)
    }

    /// Reshapes `x` to `rank` dimensions by prepending dimensions of size 1.
    fn with_rank(&mut self, x: ValueId, rank: usize) -> ValueId {
        let shape = self.b.ty(x).shape;
        match rank - shape.rank() {
            0 => x,
            missing => {
                self.b.reshape(x, std::iter::repeat_n(&1, missing).chain(shape.iter()).copied().collect::<Shape>())
            }
        }
    }

    /// Computes `op(x, number)`, with the number rounded to the element type of `x`.
    pub fn scalar(&mut self, op: BinaryOp, x: ValueId, number: f64) -> ValueId {
        let number = self.b.splat_like(x, Scalar::Float(number));
        self.b.binary(op, x, number)
    }

    /// Sets elements of `x` to zero with probability `prob` and scales the others by `1 / (1 - prob)`.
    pub fn dropout(&mut self, x: ValueId, prob: f64) -> ValueId {
        if prob == 0.0 {
            return x;
        }
        let keep = 1.0 - prob;
        let ty = self.b.ty(x);
        let mask = self.b.bernoulli(&mut self.draws, keep, ty);
        let masked = self.b.binary(BinaryOp::Mul, x, mask);
        self.scalar(BinaryOp::Mul, masked, 1.0 / keep)
    }
}
