//! Reductions over several dimensions, running ones, and the place of the best element.

use super::{Builder, Namer};
use crate::arena::{FuncId, ValueId};
use crate::dtype::{DType, Shape, Type};
use crate::layout::Monoid;
use crate::program::ops::{Binary, BinaryOp, Compare, Direction, Fill, Iota, Reduce, ReduceFunc, ReduceWindow, Select};
use crate::program::{Func, Output};
use crate::rule::Window;
use crate::syntax::attr::Dims;
use crate::tensor::Scalar;

impl Builder<'_> {
    /// `x` combined along dimensions, which go away.
    pub fn reduce_dims(&mut self, monoid: Monoid, x: ValueId, dims: Dims) -> ValueId {
        let ty = self.ty(x);
        let shape: Shape = (0..ty.shape.rank()).filter(|d| !dims.contains(d)).map(|d| ty.shape[d]).collect();
        self.op(monoid.name(), Reduce { monoid, dims }, &[x], Type::new(ty.dtype, shape))
    }

    /// The mean along dimensions, which go away.
    pub fn mean_dims(&mut self, x: ValueId, dims: Dims) -> ValueId {
        let shape = self.ty(x).shape;
        let count = dims.iter().map(|&d| shape[d]).fold(1, usize::saturating_mul);
        let sum = self.reduce_dims(Monoid::Sum, x, dims);
        self.binary_scalar(BinaryOp::Div, sum, count as f64)
    }

    /// Every element combined with all before it along a dimension, or with all behind it.
    pub fn running(&mut self, monoid: Monoid, x: ValueId, dim: usize, backwards: bool) -> ValueId {
        let ty = self.ty(x);
        let size = ty.shape[dim];
        let mut windows = vec![Window::default(); ty.shape.rank()];
        if size > 0 {
            let (low, high) = if backwards { (0, size as i64 - 1) } else { (size as i64 - 1, 0) };
            windows[dim] = Window { size, low, high, ..Window::default() };
        }
        self.op("running", ReduceWindow { monoid, windows }, &[x], ty)
    }

    /// The largest (`Gt`) or smallest (`Lt`) element along a dimension, which goes away, and its index, the first one
    /// on a tie.
    pub fn best(&mut self, x: ValueId, dim: usize, better: Direction, index: DType) -> (ValueId, ValueId) {
        let ty = self.ty(x);
        let shape: Shape = (0..ty.shape.rank()).filter(|&d| d != dim).map(|d| ty.shape[d]).collect();
        let indices = self.op("iota", Iota { dim }, &[], Type::new(index, ty.shape));
        let worst = if better == Direction::Gt { Fill::Lowest } else { Fill::Highest };
        let worst = self.scalar(ty.dtype, worst.scalar(ty.dtype));
        let first = self.scalar(index, Scalar::Int(0));
        let body = self.better_of(better, ty.dtype, index);
        let types = [Type::new(ty.dtype, shape.clone()), Type::new(index, shape)];
        let reduce = ReduceFunc { dims: Dims::from_elem(dim, 1), body };
        let outs = self.op_many("best", reduce, &[x, indices, worst, first], &types);
        (outs[0], outs[1])
    }

    /// The function of that name, if it was made before.
    pub fn function(&self, name: &str) -> Option<FuncId> {
        self.program.funcs.iter().find(|(_, f)| f.name == name).map(|(id, _)| id)
    }

    /// The function of two elements with their indices that gives the better one; the lower index on a tie.
    fn better_of(&mut self, better: Direction, dtype: DType, index: DType) -> FuncId {
        let scalar = |dtype| Type::new(dtype, Shape::scalar());
        let name = format!("{}_{dtype}_{index}", if better == Direction::Gt { "largest" } else { "smallest" });
        if let Some(func) = self.function(&name) {
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
        let output = |value, name: &str| Output { value, name: name.into(), alias: None };
        program.funcs[func].outputs = vec![output(value, "value"), output(place, "place")];
        func
    }
}
