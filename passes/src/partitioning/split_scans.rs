//! `split-scans` (planned -> planned): computes scans, such as cumulative sums and maxima, along a sharded dimension.
//!
//! Each device computes the scan of its shard and combines it with the totals of all shards before it (after it, for a
//! scan from the end; Blelloch 1990, "Prefix sums and their applications", section 1.3). There is one total per shard.
//! Sums are combined by a product with a triangular matrix of that size, and others by a masked reduction.
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

use crate::driver::{Findings, Input, Pass, PassInfo, any_op};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::expand::expand_all;
use partita_ir::layout::{Monoid, divides};
use partita_ir::mesh::shard_count;
use partita_ir::op::OpKind;
use partita_ir::ops::{Compare, Direction, DotGeneral, Iota, Pad, Reduce, ReduceWindow, Select, Slice, Transpose};
use partita_ir::program::{Form, Op, Program};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::DimPairs;
use smallvec::{SmallVec, smallvec};

/// The pass `split-scans`; see the module documentation.
pub struct SplitScans;

impl Pass for SplitScans {
    fn info(&self) -> PassInfo {
        PassInfo { name: "split-scans", input_form: Form::Planned, output_form: Form::Planned, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, is_split)
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        expand_all(program, is_split, |b, op, types| {
            let split = sharded_scan(b.program, op)?;
            Some(smallvec![distributed_scan(b, &split, op.args[0], types[0])])
        });
        Ok(())
    }
}

fn is_split(program: &Program, op: OpId) -> bool {
    sharded_scan(program, &program.ops[op]).is_some()
}

/// A scan along a sharded dimension.
struct ShardedScan {
    monoid: Monoid,
    dim: usize,
    /// True if the scan starts at the end.
    backwards: bool,
    /// Number of shards, and elements of each.
    shards: usize,
    shard_size: usize,
}

/// Returns the single dimension along which an op scans, if its sharding has the same shard boundaries after padding.
///
/// Recogniser: a dimension of another scan is gathered, and reported as a fallback.
fn sharded_scan(program: &Program, op: &Op) -> Option<ShardedScan> {
    let (OpKind::ReduceWindow(kind), &[x]) = (&op.kind, &op.args[..]) else { return None };
    let (ty, layout) = (program.ty(x), program.values[x].layout.as_ref()?);
    let mut scans = (0..ty.shape.rank()).filter_map(|dim| Some((dim, kind.scan_direction(dim, ty.shape[dim])?)));
    let (dim, backwards) = scans.next()?;
    let is_only_window = kind.windows.iter().enumerate().all(|(d, w)| d == dim || *w == Window::default());
    let (axes, size) = (&layout.dims[dim].axes, ty.shape[dim]);
    let shards = shard_count(axes);
    let boundaries_agree = divides(size, axes) || axes.len() == 1;
    (shards > 1 && boundaries_agree && is_only_window).then(|| ShardedScan {
        monoid: kind.monoid,
        dim,
        backwards,
        shards,
        shard_size: size.div_ceil(shards),
    })
}

/// Appends the distributed scan of `x`.
fn distributed_scan(b: &mut Builder<'_>, split: &ShardedScan, x: ValueId, out: &Type) -> ValueId {
    let &ShardedScan { monoid, dim, backwards, shards, shard_size } = split;
    let rank = out.shape.rank();
    let padded = pad_dim(b, x, dim, shards * shard_size, monoid);
    let mut cut: Shape = out.shape.clone();
    cut[dim] = shards;
    let totals_shape = cut.clone();
    cut.0.insert(dim + 1, shard_size);
    let cut_x = b.reshape(padded, cut.clone());

    let mut windows = vec![Window::default(); rank + 1];
    let around = shard_size as i64 - 1;
    let (low, high) = if backwards { (0, around) } else { (around, 0) };
    windows[dim + 1] = Window { size: shard_size, low, high, ..Window::default() };
    let scan = ReduceWindow { monoid, windows };
    let own = b.op("own", scan, &[cut_x], Type { shape: cut.clone(), dtype: out.dtype });

    let last = if backwards { 0 } else { shard_size - 1 };
    let totals = slice_dim(b, own, dim + 1, last, last + 1);
    let totals = b.reshape(totals, totals_shape.clone());
    let before = match monoid {
        Monoid::Sum => sums_before(b, split, totals, &totals_shape, out.dtype),
        Monoid::Prod | Monoid::Max | Monoid::Min | Monoid::And | Monoid::Or => {
            reduced_before(b, split, totals, &totals_shape, out.dtype)
        }
    };

    let dims: Vec<usize> = (0..=rank).filter(|&d| d != dim + 1).collect();
    let before = b.broadcast(before, &dims, cut);
    let total = b.binary(monoid.combining_op(), own, before);
    let mut padded_shape = out.shape.clone();
    padded_shape[dim] = shards * shard_size;
    let total = b.reshape(total, padded_shape);
    slice_dim(b, total, dim, 0, out.shape[dim])
}

/// Appends the sums of the totals before each shard.
fn sums_before(b: &mut Builder<'_>, split: &ShardedScan, totals: ValueId, shape: &Shape, dtype: DType) -> ValueId {
    let (dim, rank) = (split.dim, shape.rank());
    let before = shards_before(b, split);
    let matrix = b.convert(before, dtype);
    // The product appends the contracted dimension as the last one.
    let contract = DimPairs { lhs: smallvec![dim], rhs: smallvec![0] };
    let dot = DotGeneral { contract, batch: DimPairs::default() };
    let mut order: SmallVec<[usize; 4]> = (0..rank - 1).collect();
    order.insert(dim, rank - 1);
    let mut moved = shape.clone();
    let size = moved.0.remove(dim);
    moved.0.push(size);
    let before = b.op("before", dot, &[totals, matrix], Type { shape: moved, dtype });
    b.op("before", Transpose { perm: order }, &[before], Type { shape: shape.clone(), dtype })
}

/// Appends the reductions of the totals before each shard.
fn reduced_before(b: &mut Builder<'_>, split: &ShardedScan, totals: ValueId, shape: &Shape, dtype: DType) -> ValueId {
    let &ShardedScan { monoid, dim, shards, .. } = split;
    let before = shards_before(b, split);
    // One copy of the totals for each shard, in which those of other shards are the identity.
    let mut copies = shape.clone();
    copies.0.insert(dim + 1, shards);
    let others: Vec<usize> = (0..=shape.rank()).filter(|&d| d != dim + 1).collect();
    let every = b.broadcast(totals, &others, copies.clone());
    let before = b.broadcast(before, &[dim, dim + 1], copies.clone());
    let copies = Type { shape: copies, dtype };
    let identity = b.splat(copies.clone(), monoid.identity(dtype));
    let kept = b.op("kept", Select {}, &[before, every, identity], copies);
    b.op("before", Reduce { monoid, dims: smallvec![dim] }, &[kept], Type { shape: shape.clone(), dtype })
}

/// Appends the identity of the monoid to `x` along a dimension, up to `size` elements.
fn pad_dim(b: &mut Builder<'_>, x: ValueId, dim: usize, size: usize, monoid: Monoid) -> ValueId {
    let mut ty = b.ty(x);
    if ty.shape[dim] == size {
        return x;
    }
    let mut high = vec![0; ty.shape.rank()];
    high[dim] = (size - ty.shape[dim]) as i64;
    ty.shape[dim] = size;
    let identity = b.splat(Type::new(ty.dtype, []), monoid.identity(ty.dtype));
    b.op("padded", Pad { low: Vec::new(), high, interior: SmallVec::new() }, &[x, identity], ty)
}

/// Returns the elements `from..to` along a dimension.
fn slice_dim(b: &mut Builder<'_>, x: ValueId, dim: usize, from: usize, to: usize) -> ValueId {
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

/// Returns a square matrix: true where the row's shard comes before the column's (after it, in a scan from the end).
fn shards_before(b: &mut Builder<'_>, split: &ShardedScan) -> ValueId {
    let shape = [split.shards, split.shards];
    let index = Type::new(DType::I32, shape);
    let [row, column] = [0, 1].map(|dim| b.op("i", Iota { dim }, &[], index.clone()));
    let direction = if split.backwards { Direction::Gt } else { Direction::Lt };
    b.op("apart", Compare { direction, total: false }, &[row, column], Type::new(DType::Bool, shape))
}
