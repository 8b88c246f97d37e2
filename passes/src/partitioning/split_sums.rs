//! `split-sums` (planned -> planned): cumulative sums along a split dimension.
//!
//! Each device sums up its own piece, and adds what the pieces before it (behind it, for a sum from the end) come to.
//! Those totals are few, one a piece: a triangular matrix of as many rows as there are pieces adds them up, and leaves
//! each device its own (Blelloch 1990, "Prefix sums and their applications", section 1.3).
//!
//! Before:
//!
//! ```text
//! mesh @m = [a=3]
//! input %x : f32[2, 6@a]
//! %y = reduce_window sum [(1), (6 pad 5 0)] %x : f32[2, 6@a]
//! output %y
//! ```
//!
//! After:
//!
//! ```text
//! %reshape = reshape %x : f32[2, 3@a, 2]
//! %own = reduce_window sum [(1), (1), (2 pad 1 0)] %reshape : f32[2, 3@a, 2]
//! %part = slice [0, 0, 1] to [2, 3, 2] %own : f32[2, 3@a, 1]
//! %reshape.1 = reshape %part : f32[2, 3@a]
//! %i = iota dim 0 : i32[3, 3] whole
//! %i.1 = iota dim 1 : i32[3, 3] whole
//! %apart = compare lt %i, %i.1 : bool[3, 3] whole
//! %convert = convert %apart : f32[3, 3] whole
//! %before = matmul %reshape.1, %convert : f32[2, 3] whole
//! %before.1 = transpose [0, 1] %before : f32[2, 3] whole
//! %broadcast = broadcast [0, 1] %before.1 : f32[2, 3, 2] whole
//! %add = add %own, %broadcast : f32[2, 3@a, 2]
//! %reshape.2 = reshape %add : f32[2, 6@a]
//! output %reshape.2 "y"
//! ```

use crate::driver::{Findings, Info, Input, Pass, any_op};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::expand::expand_all;
use partita_ir::layout::{Monoid, divides};
use partita_ir::mesh::ways;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Compare, Direction, DotGeneral, Iota, Pad, ReduceWindow, Slice, Transpose};
use partita_ir::program::{Form, Op, Program};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Pairs;
use partita_ir::tensor::Scalar;
use smallvec::{SmallVec, smallvec};

/// The pass.
pub struct SplitSums;

impl Pass for SplitSums {
    fn info(&self) -> Info {
        Info { name: "split-sums", needs: Form::Planned, gives: Form::Planned, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, is_split)
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        expand_all(program, is_split, |b, op, types| {
            let split = split(b.program, op)?;
            Some(smallvec![summed(b, &split, op.args[0], types[0])])
        });
        Ok(())
    }
}

fn is_split(program: &Program, op: OpId) -> bool {
    split(program, &program.ops[op]).is_some()
}

/// A cumulative sum along a split dimension.
struct Split {
    dim: usize,
    /// From the end on.
    backwards: bool,
    /// Pieces, and elements of each.
    pieces: usize,
    piece: usize,
}

/// The only dimension along which an op sums cumulatively, if that is split in a way that keeps the pieces of the
/// padded dimension where they are.
///
/// Recogniser: a dimension along which another op sums up is gathered, and reported as a fallback.
fn split(program: &Program, op: &Op) -> Option<Split> {
    let (OpKind::ReduceWindow(kind), &[x]) = (&op.kind, &op.args[..]) else { return None };
    let (ty, layout) = (program.ty(x), program.values[x].layout.as_ref()?);
    let mut sums = (0..ty.shape.rank()).filter_map(|dim| Some((dim, kind.cumulates(dim, ty.shape[dim])?)));
    let (dim, backwards) = sums.next()?;
    let others_are_still = kind.windows.iter().enumerate().all(|(d, w)| d == dim || *w == Window::default());
    let (axes, size) = (&layout.dims[dim].axes, ty.shape[dim]);
    let pieces = ways(axes);
    let keeps = divides(size, axes) || axes.len() == 1;
    (pieces > 1 && keeps && others_are_still).then(|| Split { dim, backwards, pieces, piece: size.div_ceil(pieces) })
}

/// What takes the place of the sum of `x`.
fn summed(b: &mut Builder<'_>, split: &Split, x: ValueId, out: &Type) -> ValueId {
    let &Split { dim, backwards, pieces, piece } = split;
    let rank = out.shape.rank();
    let padded = padded(b, x, dim, pieces * piece);
    let mut cut: Shape = out.shape.clone();
    cut[dim] = pieces;
    let totals_shape = cut.clone();
    cut.0.insert(dim + 1, piece);
    let cut_x = b.reshape(padded, cut.clone());

    let mut windows = vec![Window::default(); rank + 1];
    let around = piece as i64 - 1;
    let (low, high) = if backwards { (0, around) } else { (around, 0) };
    windows[dim + 1] = Window { size: piece, low, high, ..Window::default() };
    let sum = ReduceWindow { monoid: Monoid::Sum, windows };
    let own = b.op("own", sum, &[cut_x], Type { shape: cut.clone(), dtype: out.dtype });

    let last = if backwards { 0 } else { piece - 1 };
    let totals = sliced(b, own, dim + 1, last, last + 1);
    let totals = b.reshape(totals, totals_shape.clone());
    let triangle = triangle(b, pieces, out.dtype, backwards);
    // The contracted dimension comes back as the last one.
    let contract = Pairs { lhs: smallvec![dim], rhs: smallvec![0] };
    let dot = DotGeneral { contract, batch: Pairs::default() };
    let mut order: SmallVec<[usize; 4]> = (0..rank - 1).collect();
    order.insert(dim, rank - 1);
    let mut moved = totals_shape.clone();
    let size = moved.0.remove(dim);
    moved.0.push(size);
    let before = b.op("before", dot, &[totals, triangle], Type { shape: moved, dtype: out.dtype });
    let before = b.op("before", Transpose { perm: order }, &[before], Type { shape: totals_shape, dtype: out.dtype });

    let dims: Vec<usize> = (0..=rank).filter(|&d| d != dim + 1).collect();
    let before = b.broadcast(before, &dims, cut);
    let all = b.binary(BinaryOp::Add, own, before);
    let mut whole = out.shape.clone();
    whole[dim] = pieces * piece;
    let all = b.reshape(all, whole);
    sliced(b, all, dim, 0, out.shape[dim])
}

/// `x` with zeros behind it along a dimension.
fn padded(b: &mut Builder<'_>, x: ValueId, dim: usize, size: usize) -> ValueId {
    let mut ty = b.ty(x);
    if ty.shape[dim] == size {
        return x;
    }
    let mut high = vec![0; ty.shape.rank()];
    high[dim] = (size - ty.shape[dim]) as i64;
    ty.shape[dim] = size;
    let zero = if ty.dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) };
    let zero = b.splat(Type::new(ty.dtype, []), zero);
    b.op("padded", Pad { low: Vec::new(), high, interior: SmallVec::new() }, &[x, zero], ty)
}

/// Elements `from..to` along a dimension.
fn sliced(b: &mut Builder<'_>, x: ValueId, dim: usize, from: usize, to: usize) -> ValueId {
    let mut ty = b.ty(x);
    if (from, to) == (0, ty.shape[dim]) {
        return x;
    }
    let mut slice = Slice {
        start: smallvec![0; ty.shape.rank()],
        limit: ty.shape.iter().copied().collect(),
        stride: SmallVec::new(),
    };
    (slice.start[dim], slice.limit[dim]) = (from, to);
    ty.shape[dim] = to - from;
    b.op("part", slice, &[x], ty)
}

/// One where the row's piece comes before the column's (behind it, backwards), else zero.
fn triangle(b: &mut Builder<'_>, pieces: usize, dtype: DType, backwards: bool) -> ValueId {
    let index = Type::new(DType::I32, [pieces, pieces]);
    let [row, column] = [0, 1].map(|dim| b.op("i", Iota { dim }, &[], index.clone()));
    let direction = if backwards { Direction::Gt } else { Direction::Lt };
    let compare = Compare { direction, total: false };
    let apart = b.op("apart", compare, &[row, column], Type::new(DType::Bool, [pieces, pieces]));
    b.convert(apart, dtype)
}
