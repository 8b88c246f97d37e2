//! Seeded random inputs of a sane scale, for programs that come without data.
//!
//! What a program does with an input decides what may be in it: an index must be in range, and the root of a variance
//! must exist. [`Demands`] walks every function backwards from the ops that demand such things, through the ops that
//! only move or convert numbers, to the inputs.

use crate::arena::{FuncId, Id, OpId, ValueId};
use crate::dtype::{DType, Type};
use crate::initializer::Initializer;
use crate::interp::{MAX_HELD_BYTES, held_bytes};
use crate::numeric::counter_rng::threefry;
use crate::program::op::OpKind;
use crate::program::ops::{BinaryOp, Direction, Gather, Scatter};
use crate::program::{Op, Param, Program};
use crate::syntax::attr::Dims;
use crate::tensor::{Scalar, Tensor};
use rustc_hash::FxHashMap;

/// Inputs of the main function: the same for the same program and seed. Weights (floats of rank 2 and more) are about
/// normal, scaled by the root of their rows; other floats are small. Integers are small and not negative, and in range
/// where they are used as indices.
///
/// # Errors
/// When they would take more than 16 GiB.
pub fn random_inputs(program: &Program, seed: u64) -> Result<Vec<Tensor>, String> {
    let inputs = &program.main().inputs;
    let bytes = inputs.iter().map(|&v| held_bytes(program.ty(v))).fold(0, u64::saturating_add);
    if bytes > MAX_HELD_BYTES {
        return Err(format!("random inputs need {bytes} bytes; at most {MAX_HELD_BYTES} are made up"));
    }
    let demands = Demands::of(program);
    let key = [seed as u32, (seed >> 32) as u32];
    let params: FxHashMap<ValueId, &Param> = program.params.values().map(|p| (p.value, p)).collect();
    let one = |(&v, n): (&ValueId, u32)| {
        let state = params.get(&v).and_then(|param| fresh(program, param));
        state.unwrap_or_else(|| demands.data(v, program.ty(v), key, n))
    };
    Ok(inputs.iter().zip(0..).map(one).collect())
}

/// By input of the main function: what the integers in it must be less than, where it holds indices or classes.
pub fn index_limits(program: &Program) -> Vec<Option<usize>> {
    let demands = Demands::of(program);
    program.main().inputs.iter().map(|v| demands.below[v.index()]).collect()
}

/// The state of an optimizer where training has not begun; `None` for everything else.
pub fn starting_state(program: &Program, value: ValueId) -> Option<Tensor> {
    fresh(program, &program.params[program.param_of(value)?])
}

fn fresh(program: &Program, param: &Param) -> Option<Tensor> {
    let Some(Initializer::Constant(number)) = param.init.filter(|_| param.is_optimizer_state()) else { return None };
    Some(Tensor::splat(program.ty(param.value).clone(), Scalar::Float(number)))
}

/// What the program demands of its values.
struct Demands<'a> {
    program: &'a Program,
    /// By value: indices must be less.
    below: Vec<Option<usize>>,
    /// By value: floats must not be negative.
    positive: Vec<bool>,
    /// By value: the op that makes it.
    maker: Vec<Option<OpId>>,
}

impl<'a> Demands<'a> {
    fn of(program: &'a Program) -> Self {
        let n = program.values.len();
        let mut demands = Demands { program, below: vec![None; n], positive: vec![false; n], maker: vec![None; n] };
        for &op in program.callees_first().iter().flat_map(|&f| &program.funcs[f].body) {
            for out in &program.ops[op].outs {
                demands.maker[out.index()] = Some(op);
            }
        }
        demands.walk(program.main);
        demands
    }

    fn walk(&mut self, func: FuncId) {
        let program = self.program;
        for &op in program.funcs[func].body.iter().rev() {
            self.visit(&program.ops[op]);
        }
    }

    /// Notes what an op demands of its operands, and passes on what is demanded of its results.
    fn visit(&mut self, op: &'a Op) {
        match &op.kind {
            OpKind::Gather(gather) => self.gather(gather, op),
            OpKind::Scatter(scatter) => self.scatter(scatter, op),
            OpKind::DynamicSlice(slice) => self.starts(op.args[0], &op.args[1..], &slice.sizes),
            OpKind::DynamicUpdateSlice(_) => {
                let sizes = &self.program.ty(op.args[1]).shape;
                self.starts(op.args[0], &op.args[2..], sizes);
            }
            OpKind::CrossEntropy(_) => {
                let classes = self.program.ty(op.args[0]).shape.last().copied();
                self.index(op.args[1], classes.unwrap_or(1));
            }
            // A one-hot vector: an index compared with a count.
            OpKind::Compare(compare) if compare.direction == Direction::Eq => {
                for (x, y) in [(op.args[0], op.args[1]), (op.args[1], op.args[0])] {
                    if let Some(n) = self.counts_to(y) {
                        self.index(x, n);
                    }
                }
            }
            OpKind::BatchNorm(_) => self.positive[op.args[4].index()] = true,
            OpKind::Unary(unary) => self.positive[op.args[0].index()] |= unary.op.needs_positive(),
            OpKind::Binary(binary) => self.binary(binary.op, op),
            OpKind::Loop(l) => {
                let body = &self.program.funcs[l.body];
                for (output, &out) in body.outputs.iter().zip(&op.outs) {
                    self.pass_on(out, output.value);
                }
                self.walk(l.body);
                for (&input, &arg) in body.inputs.iter().zip(&op.args) {
                    self.pass_on(input, arg);
                }
            }
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => {}
            OpKind::Compare(_) | OpKind::Select(_) | OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) => {}
            OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => {}
            OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => {}
            OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Attention(_) | OpKind::AttentionGrad(_) => {}
            OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) => {}
            OpKind::Sort(_) | OpKind::TopK(_) | OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::Gelu(_) => {}
            OpKind::LayerNorm(_) | OpKind::RmsNorm(_) | OpKind::Momentum(_) | OpKind::Adam(_) => {}
            OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => {}
            OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => {}
            OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::PieceStart(_) => {}
        }
        for &arg in moved_operands(op) {
            self.pass_on(op.outs[0], arg);
        }
    }

    fn binary(&mut self, kind: BinaryOp, op: &Op) {
        match kind {
            BinaryOp::Pow => self.positive[op.args[0].index()] = true,
            // They are positive when both operands are. A square is positive whatever is squared.
            BinaryOp::Add | BinaryOp::Mul | BinaryOp::Div => {
                if self.positive[op.outs[0].index()] && op.args[0] != op.args[1] {
                    op.args.iter().for_each(|v| self.positive[v.index()] = true);
                }
            }
            BinaryOp::Sub | BinaryOp::Rem | BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 => {}
            BinaryOp::NextAfter | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {}
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {}
        }
    }

    fn pass_on(&mut self, from: ValueId, to: ValueId) {
        if let Some(n) = self.below[from.index()] {
            self.index(to, n);
        }
        self.positive[to.index()] |= self.positive[from.index()];
    }

    fn index(&mut self, value: ValueId, below: usize) {
        let bound = &mut self.below[value.index()];
        *bound = Some(bound.map_or(below, |n| n.min(below)));
    }

    fn starts(&mut self, x: ValueId, starts: &[ValueId], sizes: &[usize]) {
        let shape = &self.program.ty(x).shape;
        for ((&start, &n), &size) in starts.iter().zip(shape.iter()).zip(sizes) {
            self.index(start, (n + 1).saturating_sub(size));
        }
    }

    fn gather(&mut self, gather: &Gather, op: &Op) {
        let shape = &self.program.ty(op.args[0]).shape;
        let room = |d: usize| (shape[d] + 1).saturating_sub(gather.slice_sizes[d]);
        let rooms: Vec<usize> = gather.index_map.iter().map(|&d| room(d)).collect();
        self.vectors(op.args[1], gather.index_vector_dim, &rooms);
    }

    fn scatter(&mut self, scatter: &Scatter, op: &Op) {
        let shape = &self.program.ty(op.args[0]).shape;
        let updates = &self.program.ty(op.args[2]).shape;
        let absent = |d: &usize| scatter.inserted_dims.contains(d) || scatter.operand_batch_dims.contains(d);
        let windowed: Dims = (0..shape.rank()).filter(|d| !absent(d)).collect();
        let size =
            |d: usize| windowed.iter().position(|&w| w == d).map_or(1, |w| updates[scatter.update_window_dims[w]]);
        let rooms: Vec<usize> = scatter.index_map.iter().map(|&d| (shape[d] + 1).saturating_sub(size(d))).collect();
        self.vectors(op.args[1], scatter.index_vector_dim, &rooms);
    }

    /// Bounds of index vectors, one for each component. When components were concatenated, each part gets its own.
    ///
    /// Recogniser: vectors that are made otherwise get the bounds of all components.
    fn vectors(&mut self, indices: ValueId, vector_dim: usize, rooms: &[usize]) {
        let program = self.program;
        let maker = self.maker[indices.index()].map(|op| &program.ops[op]);
        if let Some(Op { kind: OpKind::Concatenate(c), args, .. }) = maker
            && c.dim == vector_dim
        {
            let mut rest = rooms;
            for &part in args {
                let n = program.ty(part).shape[c.dim].min(rest.len());
                let (these, others) = rest.split_at(n);
                rest = others;
                these.iter().for_each(|&room| self.index(part, room));
            }
        } else {
            rooms.iter().for_each(|&room| self.index(indices, room));
        }
    }

    /// The size of the dimension that a value counts along, if it is an `iota`, moved about.
    ///
    /// Recogniser: what is compared with another value may have any number as its operand.
    fn counts_to(&self, value: ValueId) -> Option<usize> {
        let mut value = value;
        loop {
            let op = &self.program.ops[self.maker[value.index()]?];
            match &op.kind {
                OpKind::Iota(iota) => return self.program.ty(value).shape.get(iota.dim).copied(),
                OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Convert(_) => {
                    value = op.args[0];
                }
                _ => return None,
            }
        }
    }

    /// Data for the `n`-th input.
    fn data(&self, value: ValueId, ty: &Type, key: [u32; 2], n: u32) -> Tensor {
        let bits = (0..ty.shape.count() as u64).map(|i| {
            // Beyond 2^32 elements the high word makes another stream.
            let [a, b] = threefry([key[0], key[1] ^ (i >> 32) as u32], [n, i as u32]);
            u64::from(a) << 32 | u64::from(b)
        });
        if ty.dtype.is_float() {
            let scale = scale(ty);
            let float = |b| if self.positive[value.index()] { (normal(b) * scale).abs() } else { normal(b) * scale };
            Tensor::from_floats(ty.clone(), bits.map(float).collect())
        } else {
            let fits = if ty.dtype.bytes() == 1 { 128 } else { usize::MAX };
            let small = if ty.dtype == DType::Bool { 2 } else { 4 };
            let below = self.below[value.index()].unwrap_or(small).min(fits).max(1) as u64;
            Tensor::from_ints(ty.clone(), bits.map(|b| (b % below) as i64).collect())
        }
    }
}

/// The operands whose elements are those of the result: moved or converted, never mixed.
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
        OpKind::LayerNorm(_) | OpKind::RmsNorm(_) | OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) => &[],
        OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_) => &[],
        // Inputs are drawn for programs before they are partitioned.
        OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) | OpKind::AllToAll(_) => &[],
        OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) => &[],
        OpKind::Mask(_) | OpKind::PieceStart(_) => &[],
    }
}

/// About a standard normal number from 64 random bits: the sum of four uniform ones, scaled to variance 1.
fn normal(bits: u64) -> f64 {
    let sum: u64 = (0..4).map(|i| bits >> (16 * i) & 0xffff).sum();
    (sum as f64 / 65536.0 - 2.0 + 0.5 / 16384.0) * 3f64.sqrt()
}

/// Standard deviation of the floats of an input.
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
        let mut names = Namer::of(&program);
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
    fn indices_are_in_range_through_what_moves_them() {
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
    fn what_a_root_is_drawn_of_is_not_negative() {
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
    fn too_much_data_is_refused() {
        let p = program(|_, _| {}, &[Type::new(DType::F32, [1 << 40])]);
        assert!(random_inputs(&p, 0).unwrap_err().contains("at most"));
    }
}
