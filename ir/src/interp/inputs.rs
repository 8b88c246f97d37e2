//! Seeded random inputs with reasonable values, for programs that come without data.
//!
//! The values allowed in an input depend on its uses: an index must be in range, and the argument of a square root must
//! not be negative. [`InputConstraints`] propagates such constraints backwards from the ops that impose them to the
//! inputs, through ops that only move or convert elements.

use crate::arena::{FuncId, Id, OpId, ValueId};
use crate::dtype::{DType, Type};
use crate::initializer::Initializer;
use crate::interp::{MAX_LIVE_TENSOR_BYTES, storage_bytes};
use crate::numeric::counter_rng::threefry;
use crate::program::op::OpKind;
use crate::program::ops::{BinaryOp, Direction, Gather, Scatter};
use crate::program::{Op, Param, Program};
use crate::syntax::attr::Dims;
use crate::tensor::{Scalar, Tensor};
use rustc_hash::FxHashMap;

/// Returns inputs for the main function that depend only on the program and the seed. Optimizer state with a constant
/// initializer has that value. Other floats of rank 2 and more (weights) are approximately normal with standard
/// deviation `1 / sqrt(rows)`, and floats of lower rank have standard deviation 0.1. Integers are small, not negative,
/// and in range where they are used as indices.
///
/// # Errors
/// More than 16 GiB of inputs.
pub fn random_inputs(program: &Program, seed: u64) -> Result<Vec<Tensor>, String> {
    let inputs = &program.main().inputs;
    let bytes = inputs.iter().map(|&v| storage_bytes(program.ty(v))).fold(0, u64::saturating_add);
    if bytes > MAX_LIVE_TENSOR_BYTES {
        return Err(format!("random inputs need {bytes} bytes; the limit is {MAX_LIVE_TENSOR_BYTES}"));
    }
    let constraints = InputConstraints::from_program(program);
    let key = [seed as u32, (seed >> 32) as u32];
    let params: FxHashMap<ValueId, &Param> = program.params.values().map(|p| (p.value, p)).collect();
    let one = |(&v, n): (&ValueId, u32)| {
        let state = params.get(&v).and_then(|param| initial_state_of(program, param));
        state.unwrap_or_else(|| constraints.data(v, program.ty(v), key, n))
    };
    Ok(inputs.iter().zip(0..).map(one).collect())
}

/// Returns an exclusive upper bound for the integers in each input of the main function, for inputs that contain
/// indices or classes.
pub fn index_bounds(program: &Program) -> Vec<Option<usize>> {
    let constraints = InputConstraints::from_program(program);
    program.main().inputs.iter().map(|v| constraints.upper_bounds[v.index()]).collect()
}

/// Returns the initial value of optimizer state before the first step, or `None` for a value that is not optimizer
/// state with a constant initializer.
pub fn initial_optimizer_state(program: &Program, value: ValueId) -> Option<Tensor> {
    initial_state_of(program, &program.params[program.param_of(value)?])
}

fn initial_state_of(program: &Program, param: &Param) -> Option<Tensor> {
    let Some(Initializer::Constant(number)) = param.init.filter(|_| param.is_optimizer_state()) else { return None };
    Some(Tensor::splat(program.ty(param.value).clone(), Scalar::Float(number)))
}

/// Constraints that the program imposes on its values.
struct InputConstraints<'a> {
    program: &'a Program,
    /// Exclusive upper bound of each value's elements, if they are used as indices.
    upper_bounds: Vec<Option<usize>>,
    /// True for each value whose floats must not be negative.
    nonnegative: Vec<bool>,
    /// Defining op of each value.
    defining_op: Vec<Option<OpId>>,
}

impl<'a> InputConstraints<'a> {
    fn from_program(program: &'a Program) -> Self {
        let n = program.values.len();
        let mut constraints = InputConstraints {
            program,
            upper_bounds: vec![None; n],
            nonnegative: vec![false; n],
            defining_op: vec![None; n],
        };
        for &op in program.callees_first().iter().flat_map(|&f| &program.funcs[f].body) {
            for out in &program.ops[op].outs {
                constraints.defining_op[out.index()] = Some(op);
            }
        }
        constraints.walk(program.main);
        constraints
    }

    fn walk(&mut self, func: FuncId) {
        let program = self.program;
        for &op in program.funcs[func].body.iter().rev() {
            self.visit(&program.ops[op]);
        }
    }

    /// Records the constraints of an op on its operands, and propagates the constraints of its results to its operands.
    fn visit(&mut self, op: &'a Op) {
        match &op.kind {
            OpKind::Gather(gather) => self.gather(gather, op),
            OpKind::Scatter(scatter) => self.scatter(scatter, op),
            OpKind::DynamicSlice(slice) => self.bound_starts(op.args[0], &op.args[1..], &slice.sizes),
            OpKind::DynamicUpdateSlice(_) => {
                let sizes = &self.program.ty(op.args[1]).shape;
                self.bound_starts(op.args[0], &op.args[2..], sizes);
            }
            OpKind::CrossEntropy(_) => {
                let classes = self.program.ty(op.args[0]).shape.last().copied();
                self.bound_index(op.args[1], classes.unwrap_or(1));
            }
            // One-hot encoding: an index compared with an iota.
            OpKind::Compare(compare) if compare.direction == Direction::Eq => {
                for (x, y) in [(op.args[0], op.args[1]), (op.args[1], op.args[0])] {
                    if let Some(n) = self.iota_size(y) {
                        self.bound_index(x, n);
                    }
                }
            }
            OpKind::BatchNorm(_) => self.nonnegative[op.args[4].index()] = true,
            OpKind::Unary(unary) => self.nonnegative[op.args[0].index()] |= unary.op.needs_nonnegative(),
            OpKind::Binary(binary) => self.binary(binary.op, op),
            OpKind::Loop(l) => {
                let body = &self.program.funcs[l.body];
                for (output, &out) in body.outputs.iter().zip(&op.outs) {
                    self.propagate(out, output.value);
                }
                self.walk(l.body);
                for (&input, &arg) in body.inputs.iter().zip(&op.args) {
                    self.propagate(input, arg);
                }
            }
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => {}
            OpKind::Compare(_) | OpKind::Select(_) | OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) => {}
            OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => {}
            OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => {}
            OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Attention(_) | OpKind::AttentionGrad(_) => {}
            OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) => {}
            OpKind::Sort(_) | OpKind::TopK(_) | OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::Gelu(_) => {}
            OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => {}
            OpKind::HouseholderProduct(_)
            | OpKind::Svd(_)
            | OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_) => {}
            OpKind::LayerNorm(_) | OpKind::RmsNorm(_) | OpKind::Momentum(_) | OpKind::Adam(_) => {}
            OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => {}
            OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => {}
            OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => {}
        }
        for &arg in moved_operands(op) {
            self.propagate(op.outs[0], arg);
        }
    }

    fn binary(&mut self, kind: BinaryOp, op: &Op) {
        match kind {
            BinaryOp::Pow => self.nonnegative[op.args[0].index()] = true,
            // Sums, products and quotients are not negative if both operands are not. A square is never negative.
            BinaryOp::Add | BinaryOp::Mul | BinaryOp::Div => {
                if self.nonnegative[op.outs[0].index()] && op.args[0] != op.args[1] {
                    op.args.iter().for_each(|v| self.nonnegative[v.index()] = true);
                }
            }
            BinaryOp::Sub | BinaryOp::Rem | BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 => {}
            BinaryOp::NextAfter | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {}
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {}
        }
    }

    fn propagate(&mut self, from: ValueId, to: ValueId) {
        if let Some(n) = self.upper_bounds[from.index()] {
            self.bound_index(to, n);
        }
        self.nonnegative[to.index()] |= self.nonnegative[from.index()];
    }

    fn bound_index(&mut self, value: ValueId, below: usize) {
        let bound = &mut self.upper_bounds[value.index()];
        *bound = Some(bound.map_or(below, |n| n.min(below)));
    }

    fn bound_starts(&mut self, x: ValueId, starts: &[ValueId], sizes: &[usize]) {
        let shape = &self.program.ty(x).shape;
        for ((&start, &n), &size) in starts.iter().zip(shape.iter()).zip(sizes) {
            self.bound_index(start, (n + 1).saturating_sub(size));
        }
    }

    fn gather(&mut self, gather: &Gather, op: &Op) {
        let shape = &self.program.ty(op.args[0]).shape;
        let room = |d: usize| (shape[d] + 1).saturating_sub(gather.slice_sizes[d]);
        let bounds: Vec<usize> = gather.index_map.iter().map(|&d| room(d)).collect();
        self.bound_index_vectors(op.args[1], gather.index_vector_dim, &bounds);
    }

    fn scatter(&mut self, scatter: &Scatter, op: &Op) {
        let shape = &self.program.ty(op.args[0]).shape;
        let updates = &self.program.ty(op.args[2]).shape;
        let absent = |d: &usize| scatter.inserted_dims.contains(d) || scatter.operand_batch_dims.contains(d);
        let windowed: Dims = (0..shape.rank()).filter(|d| !absent(d)).collect();
        let size =
            |d: usize| windowed.iter().position(|&w| w == d).map_or(1, |w| updates[scatter.update_window_dims[w]]);
        let bounds: Vec<usize> = scatter.index_map.iter().map(|&d| (shape[d] + 1).saturating_sub(size(d))).collect();
        self.bound_index_vectors(op.args[1], scatter.index_vector_dim, &bounds);
    }

    /// Sets the bound of index vectors, separately for each component. If the indices are a concatenation of
    /// components, each operand gets its own bound.
    ///
    /// Recogniser: indices computed differently get the bounds of all components.
    fn bound_index_vectors(&mut self, indices: ValueId, vector_dim: usize, bounds: &[usize]) {
        let program = self.program;
        let defining_op = self.defining_op[indices.index()].map(|op| &program.ops[op]);
        if let Some(Op { kind: OpKind::Concatenate(c), args, .. }) = defining_op
            && c.dim == vector_dim
        {
            let mut rest = bounds;
            for &part in args {
                let n = program.ty(part).shape[c.dim].min(rest.len());
                let (these, others) = rest.split_at(n);
                rest = others;
                these.iter().for_each(|&room| self.bound_index(part, room));
            }
        } else {
            bounds.iter().for_each(|&room| self.bound_index(indices, room));
        }
    }

    /// Returns the size of the dimension that an `iota` counts along, if the value is an `iota` after data movement.
    ///
    /// Recogniser: matches `iota` through broadcasts, reshapes, transposes and converts only.
    fn iota_size(&self, value: ValueId) -> Option<usize> {
        let mut value = value;
        loop {
            let op = &self.program.ops[self.defining_op[value.index()]?];
            match &op.kind {
                OpKind::Iota(iota) => return self.program.ty(value).shape.get(iota.dim).copied(),
                OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Convert(_) => {
                    value = op.args[0];
                }
                _ => return None,
            }
        }
    }

    /// Generates data for the `n`-th input.
    fn data(&self, value: ValueId, ty: &Type, key: [u32; 2], n: u32) -> Tensor {
        let bits = (0..ty.shape.count() as u64).map(|i| {
            // Above 2^32 elements, the high word of the index selects another key.
            let [a, b] = threefry([key[0], key[1] ^ (i >> 32) as u32], [n, i as u32]);
            u64::from(a) << 32 | u64::from(b)
        });
        if ty.dtype.is_float() {
            let scale = scale(ty);
            let float = |b| if self.nonnegative[value.index()] { (normal(b) * scale).abs() } else { normal(b) * scale };
            Tensor::from_floats(ty.clone(), bits.map(float).collect())
        } else {
            let fits = if ty.dtype.bytes() == 1 { 128 } else { usize::MAX };
            let small = if ty.dtype == DType::Bool { 2 } else { 4 };
            let below = self.upper_bounds[value.index()].unwrap_or(small).min(fits).max(1) as u64;
            Tensor::from_ints(ty.clone(), bits.map(|b| (b % below) as i64).collect())
        }
    }
}

/// Returns the operands whose elements occur unchanged in the result: moved or converted, but not combined.
fn moved_operands(op: &Op) -> &[ValueId] {
    match &op.kind {
        OpKind::Convert(_)
        | OpKind::Broadcast(_)
        | OpKind::Reshape(_)
        | OpKind::Transpose(_)
        | OpKind::Reverse(_)
        | OpKind::Slice(_)
        | OpKind::Pad(_)
        | OpKind::DynamicSlice(_)
        | OpKind::Gather(_)
        | OpKind::Reduce(_)
        | OpKind::Constrain(_)
        | OpKind::Reshard(_) => &op.args[..1],
        OpKind::Clamp(_) => &op.args[1..2],
        OpKind::Select(_) => &op.args[1..],
        OpKind::DynamicUpdateSlice(_) => &op.args[..2],
        OpKind::Concatenate(_) => &op.args,
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => &[],
        OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Bitcast(_) | OpKind::Gelu(_) => &[],
        OpKind::Scatter(_) | OpKind::DotGeneral(_) | OpKind::Convolution(_) => &[],
        OpKind::Attention(_) | OpKind::AttentionGrad(_) => &[],
        OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) => &[],
        OpKind::Sort(_) | OpKind::TopK(_) | OpKind::Softmax(_) | OpKind::LogSoftmax(_) => &[],
        OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => &[],
        OpKind::HouseholderProduct(_)
        | OpKind::Svd(_)
        | OpKind::Eigh(_)
        | OpKind::Eig(_)
        | OpKind::Hessenberg(_)
        | OpKind::TridiagonalSolve(_)
        | OpKind::CustomCall(_) => &[],
        OpKind::LayerNorm(_) | OpKind::RmsNorm(_) | OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) => &[],
        OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_) => &[],
        // Inputs are generated for programs before they are partitioned.
        OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) | OpKind::AllToAll(_) => &[],
        OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) => &[],
        OpKind::Mask(_) | OpKind::ShardStart(_) => &[],
    }
}

/// Returns an approximately standard normal number computed from 64 random bits: the sum of four uniform numbers,
/// scaled to variance 1.
fn normal(bits: u64) -> f64 {
    let sum: u64 = (0..4).map(|i| bits >> (16 * i) & 0xffff).sum();
    (sum as f64 / 65536.0 - 2.0 + 0.5 / 16384.0) * 3f64.sqrt()
}

/// Returns the standard deviation of the floats of an input.
fn scale(ty: &Type) -> f64 {
    match ty.shape.split_last() {
        Some((_, rows)) if !rows.is_empty() => 1.0 / (rows.iter().product::<usize>().max(1) as f64).sqrt(),
        _ => 0.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::build::{Builder, Namer};
    use crate::program::ops::{Compare, CrossEntropy, DynamicSlice, Iota, UnaryOp};
    use crate::tensor::Scalar;

    fn program(build: impl FnOnce(&mut Builder<'_>, &[ValueId]), inputs: &[Type]) -> Program {
        let mut program = Program::default();
        let inputs: Vec<ValueId> =
            inputs.iter().enumerate().map(|(i, ty)| program.input(format!("x{i}"), ty.clone())).collect();
        let mut names = Namer::from_program(&program);
        let mut b = Builder::new(&mut program, &mut names);
        build(&mut b, &inputs);
        let main = b.program.main;
        b.finish(main);
        program
    }

    fn range(x: &Tensor) -> (f64, f64) {
        let items = || x.scalars().map(Scalar::to_f64);
        (items().fold(f64::INFINITY, f64::min), items().fold(f64::NEG_INFINITY, f64::max))
    }

    #[test]
    fn indices_are_in_range_after_data_movement() {
        let ty = |dtype, shape: &[usize]| Type::new(dtype, shape);
        let p = program(
            |b, x| {
                b.op("loss", CrossEntropy {}, &[x[0], x[1]], ty(DType::F32, &[400]));
                let wide = b.convert(x[2], DType::I32);
                let wide = b.broadcast(wide, &[0], [400, 5]);
                let count = b.op("i", Iota { dim: 1 }, &[], ty(DType::I32, &[400, 5]));
                let op = Compare { direction: Direction::Eq, total: false };
                b.op("hot", op, &[wide, count], ty(DType::Bool, &[400, 5]));
                let sizes = [397, 7].into_iter().collect();
                b.op("box", DynamicSlice { sizes }, &[x[0], x[3], x[4]], ty(DType::F32, &[397, 7]));
            },
            &[
                ty(DType::F32, &[400, 7]),
                ty(DType::I32, &[400]),
                ty(DType::U8, &[400]),
                ty(DType::I32, &[]),
                ty(DType::I32, &[]),
            ],
        );
        for seed in 0..20 {
            let data = random_inputs(&p, seed).unwrap();
            assert_eq!(range(&data[1]), (0.0, 6.0));
            assert_eq!(range(&data[2]), (0.0, 4.0));
            assert!(range(&data[3]).1 <= 3.0);
            assert_eq!(range(&data[4]).1, 0.0);
        }
    }

    #[test]
    fn arguments_of_square_roots_are_not_negative() {
        let ty = Type::new(DType::F32, [100]);
        let p = program(
            |b, x| {
                let decayed = b.binary_scalar(BinaryOp::Mul, x[0], 0.9);
                let square = b.binary(BinaryOp::Mul, x[1], x[1]);
                let sum = b.binary(BinaryOp::Add, decayed, square);
                b.unary(UnaryOp::Sqrt, sum);
            },
            &[ty.clone(), ty],
        );
        let data = random_inputs(&p, 1).unwrap();
        assert!(range(&data[0]).0 >= 0.0);
        assert!(range(&data[1]).0 < 0.0);
    }

    #[test]
    fn weights_are_scaled_by_their_rows() {
        let p = program(|_, _| {}, &[Type::new(DType::F64, [100, 50])]);
        let x = random_inputs(&p, 3).unwrap().remove(0);
        let variance = x.scalars().map(|x| x.to_f64().powi(2)).sum::<f64>() / 5000.0;
        assert!((variance * 100.0 - 1.0).abs() < 0.1, "{variance}");
        assert_eq!(random_inputs(&p, 3).unwrap().remove(0), x);
        assert_ne!(random_inputs(&p, 4).unwrap().remove(0), x);
    }

    #[test]
    fn inputs_above_the_memory_limit_are_rejected() {
        let p = program(|_, _| {}, &[Type::new(DType::F32, [1 << 40])]);
        assert!(random_inputs(&p, 0).unwrap_err().contains("the limit is"));
    }
}
