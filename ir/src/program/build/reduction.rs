//! Builder methods for reductions over several dimensions, cumulative reductions, and extrema with indices.

use super::{Builder, Namer};
use crate::arena::{FuncId, ValueId};
use crate::dtype::{DType, Shape, Type};
use crate::layout::Monoid;
use crate::program::ops::{
    Binary, BinaryOp, Compare, Direction, Fill, Iota, Reduce, ReduceFunc, ReduceWindow, Select, UnaryOp,
};
use crate::program::{Func, Output};
use crate::rule::Window;
use crate::syntax::attr::Dims;
use crate::tensor::Scalar;

impl Builder<'_> {
    /// Appends a reduction of `x` over `dims`, which are removed.
    pub fn reduce_dims(&mut self, monoid: Monoid, x: ValueId, dims: Dims) -> ValueId {
        let ty = self.ty(x);
        let shape: Shape = (0..ty.shape.rank()).filter(|d| !dims.contains(d)).map(|d| ty.shape[d]).collect();
        self.op(monoid.name(), Reduce { monoid, dims }, &[x], Type::new(ty.dtype, shape))
    }

    /// Appends the mean of `x` over `dims`, which are removed.
    pub fn mean_dims(&mut self, x: ValueId, dims: Dims) -> ValueId {
        let shape = self.ty(x).shape;
        let count = dims.iter().map(|&d| shape[d]).fold(1, usize::saturating_mul);
        let sum = self.reduce_dims(Monoid::Sum, x, dims);
        self.binary_scalar(BinaryOp::Div, sum, count as f64)
    }

    /// Appends a reduction of `x` over `dims`, which remain with size 1.
    pub fn reduce_keep(&mut self, monoid: Monoid, x: ValueId, dims: &[usize]) -> ValueId {
        let mut shape = self.ty(x).shape;
        let reduced = self.reduce_dims(monoid, x, Dims::from_slice(dims));
        dims.iter().for_each(|&d| shape[d] = 1);
        self.reshape(reduced, shape)
    }

    /// Appends the mean of `x` over `dims`, which remain with size 1.
    pub fn mean_keep(&mut self, x: ValueId, dims: &[usize]) -> ValueId {
        let mut shape = self.ty(x).shape;
        let mean = self.mean_dims(x, Dims::from_slice(dims));
        dims.iter().for_each(|&d| shape[d] = 1);
        self.reshape(mean, shape)
    }

    /// Appends `(x - mean) / sqrt(variance + eps)`, with mean and variance over each of `groups` groups of channels
    /// (dimension 1) and all spatial dimensions (Wu and He 2018). The channels must be a multiple of the groups.
    pub fn normalise_groups(&mut self, x: ValueId, groups: usize, eps: f64) -> ValueId {
        let shape = self.ty(x).shape;
        let size = shape[2..].iter().copied().fold(shape[1] / groups, usize::saturating_mul);
        let grouped = Shape::from([shape[0], groups, size]);
        let flat = self.reshape(x, grouped.clone());
        let mean_of_group = |b: &mut Self, x| {
            let mean = b.mean_dims(x, Dims::from_elem(2, 1));
            b.broadcast_along(mean, 2, &grouped)
        };
        let mean = mean_of_group(self, flat);
        let centred = self.binary(BinaryOp::Sub, flat, mean);
        let squares = self.binary(BinaryOp::Mul, centred, centred);
        let variance = mean_of_group(self, squares);
        let variance = self.binary_scalar(BinaryOp::Add, variance, eps);
        let factor = self.unary(UnaryOp::Rsqrt, variance);
        let normal = self.binary(BinaryOp::Mul, centred, factor);
        self.reshape(normal, shape)
    }

    /// Appends the mean and the variance of each channel (dimension 1) of a batch.
    pub fn batch_statistics(&mut self, x: ValueId) -> (ValueId, ValueId) {
        let shape = self.ty(x).shape;
        let over: Dims = (0..shape.rank()).filter(|&d| d != 1).collect();
        let mean = self.mean_dims(x, over.clone());
        let spread = self.broadcast(mean, &[1], shape);
        let centred = self.binary(BinaryOp::Sub, x, spread);
        let squares = self.binary(BinaryOp::Mul, centred, centred);
        (mean, self.mean_dims(squares, over))
    }

    /// Appends a cumulative reduction along `dim`: each element is combined with all elements before it, or after it if
    /// `backwards`.
    pub fn cumulative(&mut self, monoid: Monoid, x: ValueId, dim: usize, backwards: bool) -> ValueId {
        let ty = self.ty(x);
        let size = ty.shape[dim];
        let mut windows = vec![Window::default(); ty.shape.rank()];
        if size > 0 {
            let (low, high) = if backwards { (0, size as i64 - 1) } else { (size as i64 - 1, 0) };
            windows[dim] = Window { size, low, high, ..Window::default() };
        }
        self.op("running", ReduceWindow { monoid, windows }, &[x], ty)
    }

    /// Appends the maximum (`better` is `Gt`) or minimum (`Lt`) along `dim`, which is removed, and the index of that
    /// element, of type `index`. The lowest index wins a tie. Returns the values, then the indices.
    pub fn extremum_with_index(
        &mut self,
        x: ValueId,
        dim: usize,
        better: Direction,
        index: DType,
    ) -> (ValueId, ValueId) {
        let ty = self.ty(x);
        let shape: Shape = (0..ty.shape.rank()).filter(|&d| d != dim).map(|d| ty.shape[d]).collect();
        let indices = self.op("iota", Iota { dim }, &[], Type::new(index, ty.shape));
        let worst = if better == Direction::Gt { Fill::Lowest } else { Fill::Highest };
        let worst = self.scalar(ty.dtype, worst.scalar(ty.dtype));
        let first = self.scalar(index, Scalar::Int(0));
        let body = self.extremum_reducer(better, ty.dtype, index);
        let types = [Type::new(ty.dtype, shape.clone()), Type::new(index, shape)];
        let reduce = ReduceFunc { dims: Dims::from_elem(dim, 1), body };
        let outs = self.op_many("best", reduce, &[x, indices, worst, first], &types);
        (outs[0], outs[1])
    }

    /// Returns the function with the given name, if the program has one.
    pub fn find_function(&self, name: &str) -> Option<FuncId> {
        self.program.funcs.iter().find(|(_, f)| f.name == name).map(|(id, _)| id)
    }

    /// Returns a reducer that selects the better of two elements together with its index; the lower index wins a tie. A
    /// reducer with the same types is created once per program.
    fn extremum_reducer(&mut self, better: Direction, dtype: DType, index: DType) -> FuncId {
        let scalar = |dtype| Type::new(dtype, Shape::scalar());
        let name = format!("{}_{dtype}_{index}", if better == Direction::Gt { "largest" } else { "smallest" });
        if let Some(func) = self.find_function(&name) {
            return func;
        }
        let program = &mut *self.program;
        let inputs: [ValueId; 4] = [("a", dtype), ("i", index), ("b", dtype), ("j", index)]
            .map(|(name, dtype)| program.value(name, scalar(dtype)));
        let func = Func { name: name.into(), inputs: inputs.to_vec(), outputs: vec![], body: vec![] };
        let func = program.funcs.push(func);
        let [a, i, b, j] = inputs;

        let mut names = Namer::default();
        let mut body = Builder::new(program, &mut names);
        let bool_ty = scalar(DType::Bool);
        let relation = |body: &mut Builder<'_>, name, direction, x, y| {
            body.op(name, Compare { direction, total: false }, &[x, y], bool_ty.clone())
        };
        let wins = relation(&mut body, "wins", better, a, b);
        let ties = relation(&mut body, "ties", Direction::Eq, a, b);
        let earlier = relation(&mut body, "earlier", Direction::Lt, i, j);
        let first = body.op("first", Binary { op: BinaryOp::And }, &[ties, earlier], bool_ty.clone());
        let keep = body.op("keep", Binary { op: BinaryOp::Or }, &[wins, first], bool_ty.clone());
        let value = body.op("value", Select {}, &[keep, a, b], scalar(dtype));
        let place = body.op("place", Select {}, &[keep, i, j], scalar(index));
        body.finish(func);
        let output = |value, name: &str| Output { value, name: name.into(), replaces: None };
        program.funcs[func].outputs = vec![output(value, "value"), output(place, "place")];
        func
    }
}
