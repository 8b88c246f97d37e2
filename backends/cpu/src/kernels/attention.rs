//! Tiled attention, which computes the scores of a tile of rows and columns at a time and never stores all scores.
//!
//! The softmax is computed online: each row has a running maximum of the scores and a running sum of exponentials, and
//! previous sums are rescaled when the maximum increases (Milakov and Gimelshein 2018; Dao et al. 2022,
//! FlashAttention).

use super::Lowerer;
use super::float::Float;
use crate::tuning::KernelTuning;
use gemm::Parallelism;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::ops::{Attention, OptionalOperands};
use partita_lowering::lowerer::offset;
use partita_lowering::view::{Dims, View};
use partita_machine::host::{Cost, MemoryAccess, OperandOrder, Product, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;
use std::sync::Arc;

/// Rows and columns of a tile.
const TILE_ROWS: usize = KernelTuning::TUNED.attention_rows;
const TILE_COLUMNS: usize = KernelTuning::TUNED.attention_columns;

/// Attention kernel for `f32` or `f64`.
struct AttentionKernel {
    dtype: DType,
    causal: bool,
    scale: f64,
    /// Sizes of the batch dimensions, and their strides in q, k, v, the result and the mask.
    batch: Dims<usize>,
    batch_strides: [Dims<isize>; 5],
    /// Rows, columns, elements of a key and elements of a value.
    sizes: [usize; 4],
    /// Strides of the last two dimensions of q, k, v, the result and the mask.
    strides: [(isize, isize); 5],
    masked: bool,
    /// Strides of the positions of rows and columns, and their element type, if the attention has positions.
    positions: Option<([isize; 2], DType)>,
    /// Estimated fraction of the scores that positions leave visible.
    visible: f64,
    /// True if the log-sum-exp of each row is a second result.
    log_sum_exp: bool,
    threads: usize,
}

/// Memory of the operands and results.
#[derive(Clone, Copy)]
struct Addresses {
    /// q, k, v, the result and the mask.
    matrices: [usize; 5],
    positions: [usize; 2],
    log_sum_exp: usize,
}

/// Lowers an attention op. Returns false for unsupported dtypes and empty operands.
pub(super) fn lower(to: &mut Lowerer<'_>, id: OpId, op: &Attention) -> bool {
    let program = to.program;
    let args = &program.ops[id].args;
    let (q, v) = (program.ty(args[0]).clone(), program.ty(args[2]).clone());
    let Ok(optional) = OptionalOperands::from_slice(&args[3..], |v| program.ty(v).dtype) else { return false };
    let has_positions_of = |dtype| optional.positions.is_none_or(|[rows, _]| program.ty(rows).dtype == dtype);
    let is_supported = has_positions_of(DType::I32) || has_positions_of(DType::I64);
    if !is_supported || !matches!(q.dtype, DType::F32 | DType::F64) || q.shape.count() == 0 || v.shape.count() == 0 {
        return false;
    }
    let rank = q.shape.rank();
    let width = q.dtype.bytes() as usize;
    let (rows, columns) = (q.shape[rank - 2], v.shape[rank - 2]);
    let batch: Dims<usize> = q.shape[..rank - 2].into();
    let mut views: Vec<View> = Vec::new();
    let mut reads = Vec::new();
    for &arg in args {
        let (span, view) = to.span_and_view(arg);
        let width = program.ty(arg).dtype.bytes() as usize;
        reads.push(offset(span, view.offset, width));
        views.push(view);
    }
    let outs = &program.ops[id].outs;
    let positions = optional.positions.map(|[first, _]| {
        let vectors = views.split_off(views.len() - 2);
        ([vectors[0].strides[0], vectors[1].strides[0]], program.ty(first).dtype)
    });
    views.insert(3, View::dense(&program.ty(outs[0]).shape));
    if let Some(mask) = views.get_mut(4) {
        // The mask broadcasts to the scores, with trailing dimensions aligned.
        let shape: Vec<usize> = batch.iter().copied().chain([rows, columns]).collect();
        let first = shape.len() - mask.shape.len();
        *mask = mask.broadcast(&(first..shape.len()).collect::<Vec<_>>(), &shape);
    }
    let masked = views.len() > 4;
    let split = |i: usize| -> (Dims<isize>, (isize, isize)) {
        let Some(view) = views.get(i) else { return (Dims::from_elem(0, rank - 2), (0, 0)) };
        (view.strides[..rank - 2].into(), (view.strides[rank - 2], view.strides[rank - 1]))
    };
    let parts: [(Dims<isize>, (isize, isize)); 5] = std::array::from_fn(split);
    let kernel = AttentionKernel {
        dtype: q.dtype,
        causal: op.causal,
        scale: op.scale,
        batch,
        strides: std::array::from_fn(|i| parts[i].1),
        batch_strides: parts.map(|p| p.0),
        sizes: [rows, columns, q.shape[rank - 1], v.shape[rank - 1]],
        masked,
        positions,
        visible: if op.visible > 0.0 { op.visible } else { 1.0 },
        log_sum_exp: op.log_sum_exp,
        threads: to.threads(),
    };
    let scratch = kernel.thread_elements() * width * kernel.threads;
    let writes = match outs[..] {
        [_] => vec![to.result(id)],
        _ => outs.iter().map(|&out| to.new_slot(out)).collect(),
    };
    to.compute_with(id, Arc::new(kernel), scratch, Vec::new(), reads, writes);
    true
}

impl Kernel for AttentionKernel {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: the step was compiled for these shapes.
        unsafe {
            match self.dtype {
                DType::F64 => self.run_typed::<f64>(cx.threads, memory),
                _ => self.run_typed::<f32>(cx.threads, memory),
            }
        }
        Ok(())
    }

    fn work(&self, threads: usize) -> Work {
        let [rows, columns, d, e] = self.sizes;
        let batch: usize = self.batch.iter().product();
        let blocks = batch * rows.div_ceil(TILE_ROWS);
        let shares = threads.min(self.threads).min(blocks).max(1);
        let [q, k, v, ..] = self.strides.map(|(row, column)| column.unsigned_abs() <= row.unsigned_abs());
        let mut work = Work::default().with_max_cores(shares);
        for first in (0..rows).step_by(TILE_ROWS) {
            let n = TILE_ROWS.min(rows - first);
            let visible_columns = match (self.causal, self.positions) {
                (true, None) => (first + n + columns).saturating_sub(rows).min(columns),
                (true, Some(_)) => (columns as f64 * self.visible).ceil() as usize,
                (false, _) => columns,
            };
            for column in (0..visible_columns).step_by(TILE_COLUMNS) {
                let m = TILE_COLUMNS.min(columns - column);
                let product = |order, size| Product { dtype: self.dtype, order, size };
                work = work
                    .with_product(product(OperandOrder(q, !k), [n, m, d]), batch)
                    .with_product(product(OperandOrder(true, v), [n, e, m]), batch)
                    .with(Cost::Score, batch * n * m);
            }
        }
        let bytes = |elements: usize| batch * elements * self.dtype.bytes() as usize;
        let read = work
            .with_access(MemoryAccess::Read(0), bytes(rows * d))
            .with_access(MemoryAccess::Read(1), bytes(columns * d));
        read.with_access(MemoryAccess::Read(2), bytes(columns * e)).with_access(MemoryAccess::Write(0), bytes(rows * e))
    }
}

impl AttentionKernel {
    /// Returns the scratch elements of a thread: scores, sums of values, and two numbers for each row.
    fn thread_elements(&self) -> usize {
        TILE_ROWS * (TILE_COLUMNS + self.sizes[3] + 2)
    }

    unsafe fn run_typed<T: Float>(&self, threads: usize, memory: Memory<'_>) {
        let threads = threads.min(self.threads);
        let [rows, ..] = self.sizes;
        let blocks = rows.div_ceil(TILE_ROWS);
        let items = self.batch.iter().product::<usize>() * blocks;
        let read = |i: usize| memory.reads.get(i).map_or(0, |&at| at as usize);
        let masks = usize::from(self.masked);
        let at = Addresses {
            matrices: [read(0), read(1), read(2), memory.writes[0] as usize, if self.masked { read(3) } else { 0 }],
            positions: [read(3 + masks), read(4 + masks)],
            log_sum_exp: if self.log_sum_exp { memory.writes[1] as usize } else { 0 },
        };
        let scratch = memory.scratch as usize;
        let run = |thread: usize, range: std::ops::Range<usize>| {
            let scratch = scratch + thread * self.thread_elements() * size_of::<T>();
            for item in range {
                // SAFETY: threads have separate scratch memory, and items write different rows.
                unsafe { self.block::<T>(item / blocks, item % blocks * TILE_ROWS, at, scratch as *mut T) };
            }
        };
        if threads < 2 || items < 2 {
            run(0, 0..items);
        } else {
            (0..threads).into_par_iter().for_each(|t| run(t, t * items / threads..(t + 1) * items / threads));
        }
    }

    /// Computes a block of rows of one batch element.
    unsafe fn block<T: Float>(&self, batch: usize, first: usize, addresses: Addresses, scratch: *mut T) {
        let [rows, columns, d, e] = self.sizes;
        let n = TILE_ROWS.min(rows - first);
        let mut start = [0isize; 5];
        let mut rest = batch;
        for (dim, &size) in self.batch.iter().enumerate().rev() {
            let index = (rest % size) as isize;
            rest /= size;
            start.iter_mut().zip(&self.batch_strides).for_each(|(s, strides)| *s += index * strides[dim]);
        }
        let [q, k, v, out, mask] = self.strides;
        let at = addresses.matrices;
        // SAFETY: guaranteed by the caller; tiles are inside of the operands.
        unsafe {
            let scores = scratch;
            let sums = scores.add(TILE_ROWS * TILE_COLUMNS);
            let largest = std::slice::from_raw_parts_mut(sums.add(TILE_ROWS * e), n);
            let total = std::slice::from_raw_parts_mut(sums.add(TILE_ROWS * e + TILE_ROWS), n);
            largest.fill(T::LOWEST);
            total.fill(T::ZERO);
            std::slice::from_raw_parts_mut(sums, n * e).fill(T::ZERO);
            let mut row_positions = [i64::MAX; TILE_ROWS];
            for (i, position) in row_positions[..n].iter_mut().enumerate() {
                *position = self.row_position(first + i, addresses);
            }
            let first_position = row_positions[..n].iter().copied().min().unwrap_or(i64::MAX);
            let last_position = row_positions[..n].iter().copied().max().unwrap_or(i64::MAX);
            let mut column_positions = [0i64; TILE_COLUMNS];
            for column in (0..columns).step_by(TILE_COLUMNS) {
                let m = TILE_COLUMNS.min(columns - column);
                let column_positions = &mut column_positions[..m];
                for (j, position) in column_positions.iter_mut().enumerate() {
                    *position = self.column_position(column + j, addresses);
                }
                if column_positions.iter().all(|&position| position > last_position) {
                    continue;
                }
                let is_hidden_by_order = column_positions.iter().any(|&position| position > first_position);
                let q_at = (at[0] as *const T).offset(start[0] + first as isize * q.0);
                let k_at = (at[1] as *const T).offset(start[1] + column as isize * k.0);
                let scale = T::from(self.scale);
                product(n, m, d, scores, m, q_at, q, k_at, (k.1, k.0), T::ZERO, scale);
                for (i, &row_position) in row_positions[..n].iter().enumerate() {
                    let row = std::slice::from_raw_parts_mut(scores.add(i * m), m);
                    if is_hidden_by_order {
                        for (x, &position) in row.iter_mut().zip(&*column_positions) {
                            *x = if position > row_position { T::HIDDEN } else { *x };
                        }
                    }
                    if self.masked {
                        let line = (at[4] as *const u8)
                            .offset(start[4] + (first + i) as isize * mask.0 + column as isize * mask.1);
                        for (j, x) in row.iter_mut().enumerate() {
                            if *line.offset(j as isize * mask.1) == 0 {
                                *x = T::HIDDEN;
                            }
                        }
                    }
                }
                let scores_of_tile = std::slice::from_raw_parts_mut(scores, n * m);
                let sums = std::slice::from_raw_parts_mut(sums, n * e);
                let (largest, total) = (&mut *largest, &mut *total);
                Arch::new().dispatch(OnlineSoftmax { scores: scores_of_tile, sums: &mut *sums, largest, total });
                let v_at = (at[2] as *const T).offset(start[2] + column as isize * v.0);
                product(n, e, m, sums.as_mut_ptr(), e, scores, (m as isize, 1), v_at, v, T::ONE, T::ONE);
            }
            for (i, &sum) in total.iter().enumerate() {
                // A fully masked row becomes zero.
                let sum = if sum < T::SMALLEST { T::SMALLEST } else { sum };
                let inverse = sum.inverse();
                let to = (at[3] as *mut T).offset(start[3] + (first + i) as isize * out.0);
                for j in 0..e {
                    *to.offset(j as isize * out.1) = *sums.add(i * e + j) * inverse;
                }
                if self.log_sum_exp {
                    let mut log = largest[i];
                    log += sum.ln();
                    *(addresses.log_sum_exp as *mut T).add(batch * rows + first + i) = log;
                }
            }
        }
    }

    /// Returns the position of a row: without positions, the last column that it attends to.
    unsafe fn row_position(&self, row: usize, addresses: Addresses) -> i64 {
        match (self.causal, self.positions) {
            (true, Some((strides, dtype))) => {
                // SAFETY: guaranteed by the caller.
                unsafe { position(addresses.positions[0], row as isize * strides[0], dtype) }
            }
            (true, None) => row as i64 + self.sizes[1] as i64 - self.sizes[0] as i64,
            (false, _) => i64::MAX,
        }
    }

    /// Returns the position of a column.
    unsafe fn column_position(&self, column: usize, addresses: Addresses) -> i64 {
        match self.positions {
            // SAFETY: guaranteed by the caller.
            Some((strides, dtype)) => unsafe { position(addresses.positions[1], column as isize * strides[1], dtype) },
            None => column as i64,
        }
    }
}

/// Update of the online softmax of several rows by a tile of scores: replaces scores by exponentials, and rescales
/// the previous sums of values and of exponentials if the maximum of a row increases.
struct OnlineSoftmax<'a, T> {
    /// Scores of the tile, by row.
    scores: &'a mut [T],
    /// Sums of values, by row.
    sums: &'a mut [T],
    /// Maximum of the scores of each row.
    largest: &'a mut [T],
    /// Sum of the exponentials of each row.
    total: &'a mut [T],
}

/// Elements of a row of scores whose maximum and sum are computed in parallel.
const LANES: usize = 16;

impl<T: Float> NullaryFnOnce for OnlineSoftmax<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let OnlineSoftmax { scores, sums, largest, total } = self;
        let n = largest.len();
        let (m, e) = (scores.len() / n, sums.len() / n);
        let mut i = 0;
        while i < n {
            let row = &mut scores[i * m..][..m];
            let larger = |x: T, top: T| if x > top || x.is_nan() { x } else { top };
            let full = m / LANES * LANES;
            let mut tops = [largest[i]; LANES];
            let mut j = 0;
            while j < full {
                // SAFETY: the row has `full` elements.
                let chunk = unsafe { &*row.as_ptr().add(j).cast::<[T; LANES]>() };
                for_each_index!(lane, LANES, tops[lane] = larger(chunk[lane], tops[lane]));
                j += LANES;
            }
            while j < m {
                tops[0] = larger(row[j], tops[0]);
                j += 1;
            }
            let mut top = tops[0];
            for_each_index!(lane, LANES, top = larger(tops[lane], top));
            let shrink = (largest[i] - top).exp();
            largest[i] = top;
            let mut lanes = [T::ZERO; LANES];
            let mut j = 0;
            while j < full {
                // SAFETY: as above.
                let chunk = unsafe { &mut *row.as_mut_ptr().add(j).cast::<[T; LANES]>() };
                for_each_index!(lane, LANES, {
                    chunk[lane] = (chunk[lane] - top).exp();
                    lanes[lane] += chunk[lane];
                });
                j += LANES;
            }
            let mut sum = T::ZERO;
            while j < m {
                row[j] = (row[j] - top).exp();
                sum += row[j];
                j += 1;
            }
            for_each_index!(lane, LANES, sum += lanes[lane]);
            total[i] = total[i] * shrink;
            total[i] += sum;
            let values = &mut sums[i * e..][..e];
            for_each_index!(j, e, values[j] = values[j] * shrink);
            i += 1;
        }
    }
}

/// Reads a position.
unsafe fn position(address: usize, offset: isize, dtype: DType) -> i64 {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match dtype {
            DType::I64 => *(address as *const i64).offset(offset),
            _ => i64::from(*(address as *const i32).offset(offset)),
        }
    }
}

/// Computes `to = old * to + new * a b` for matrices of `m x k` and `k x n`, with strides of rows and columns.
#[inline]
unsafe fn product<T: 'static + Float>(
    m: usize,
    n: usize,
    k: usize,
    to: *mut T,
    to_row: usize,
    a: *const T,
    a_strides: (isize, isize),
    b: *const T,
    b_strides: (isize, isize),
    old: T,
    new: T,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            to,
            1,
            to_row as isize,
            old != T::ZERO,
            a,
            a_strides.1,
            a_strides.0,
            b,
            b_strides.1,
            b_strides.0,
            old,
            new,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
