//! Convolutions as matrix products: what the windows read becomes a matrix (im2col; Chellapilla et al. 2006), piece by
//! piece, so that the matrix stays in the cache.
//!
//! With `m` output features, `n` output positions and `k` elements of a window, a piece is some positions and some
//! input features. The gradients of a convolution are convolutions, too; that of the kernel has few positions and large
//! windows. So a piece is filled along positions or along the window, whichever is longer.

use super::Lowerer;
use super::copy::Strided;
use super::float::Float;
use crate::tuning::KernelTuning;
use gemm::Parallelism;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::ops::Convolution;
use partita_ir::rule::Window;
use partita_lowering::lowerer::offset;
use partita_lowering::view::{Dims, View, dense_strides};
use partita_machine::host::{Cost, Order, Product, Touch, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use rayon::prelude::*;
use std::sync::Arc;

/// A convolution of one kind of float.
pub(crate) struct Conv {
    dtype: DType,
    groups: usize,
    /// Of the images, the input features and output features of a group.
    images: usize,
    features: usize,
    outputs: usize,
    windows: Vec<Window>,
    /// Sizes of the input's and the output's space.
    space: Dims<usize>,
    positions: Dims<usize>,
    /// Distances in the input: group, image, feature, space.
    input: (isize, isize, isize, Dims<isize>),
    /// Distances in the kernel: group, output feature, element of the window.
    kernel: (isize, isize, isize),
    /// Distances in the result: group, image, output feature, position.
    output: (isize, isize, isize, isize),
    /// Images and features of a piece.
    piece: (usize, usize),
    threads: usize,
}

/// Lowers a convolution of `f32` or `f64`.
pub(super) fn lower(to: &mut Lowerer<'_>, id: OpId, conv: &Convolution) -> bool {
    let program = to.program;
    let op = &program.ops[id];
    let (x, w, y) = (program.ty(op.args[0]), program.ty(op.args[1]), program.ty(op.outs[0]));
    let fits = matches!(y.dtype, DType::F32 | DType::F64) && x.dtype == y.dtype && w.dtype == y.dtype;
    if !fits || x.shape.count() == 0 || y.shape.count() == 0 || w.shape.count() == 0 || conv.windows.is_empty() {
        return false;
    }
    let (xd, wd, yd) = (&conv.dims.input, &conv.dims.kernel, &conv.dims.output);
    let positions: Dims<usize> = yd[2..].iter().map(|&d| y.shape[d]).collect();
    let dense = dense_strides(&y.shape);
    let spatial = View { shape: positions.clone(), strides: yd[2..].iter().map(|&d| dense[d]).collect(), offset: 0 };
    let count = spatial.count();
    let Some(flat) = spatial.reshaped(&[count]) else { return false };
    let groups = conv.feature_groups.0.max(conv.batch_groups.0);
    let by_batch = conv.batch_groups.0 > 1;
    let width = y.dtype.bytes() as usize;

    let (input, input_view) = to.strided(op.args[0]);
    let (kernel, kernel_view) = to.strided(op.args[1]);
    let mirrored: Vec<usize> = conv.reverse.iter().map(|&d| wd[d + 2]).collect();
    // Output feature, then the elements of a window: input feature and space.
    let order: Vec<usize> = [&wd[1..2], &wd[0..1], &wd[2..]].concat();
    let kernel_view = kernel_view.reversed(&mirrored).permuted(&order);
    let k = kernel_view.shape[1..].iter().product::<usize>();
    let (kernel, kernel_view) = match kernel_view.reshaped(&[kernel_view.shape[0], k]) {
        Some(view) => (kernel, view),
        None => {
            let copy = to.temporary(kernel_view.count() * width);
            let strided = Strided::new(&kernel_view, &View::dense(&kernel_view.shape), width);
            to.compute(id, Arc::new(strided), vec![kernel], vec![copy]);
            (copy, View::dense(&[kernel_view.shape[0], k]))
        }
    };
    let at = |d: usize| input_view.strides[d];
    let outputs = w.shape[wd[1]] / groups;
    let features = w.shape[wd[0]];
    let images = y.shape[yd[0]];
    let input_group = if by_batch { at(xd[0]) * images as isize } else { at(xd[1]) * features as isize };
    let mut kernel_op = Conv {
        dtype: y.dtype,
        groups,
        images,
        features,
        outputs,
        windows: conv.windows.clone(),
        space: xd[2..].iter().map(|&d| x.shape[d]).collect(),
        positions,
        input: (input_group, at(xd[0]), at(xd[1]), xd[2..].iter().map(|&d| at(d)).collect()),
        kernel: (kernel_view.strides[0] * outputs as isize, kernel_view.strides[0], kernel_view.strides[1]),
        output: (dense[yd[1]] * outputs as isize, dense[yd[0]], dense[yd[1]], flat.strides[0]),
        piece: (1, 1),
        threads: to.threads(),
    };
    kernel_op.choose_piece();
    let scratch = kernel_op.thread_bytes() * kernel_op.threads;
    let reads = vec![offset(input, input_view.offset, width), offset(kernel, kernel_view.offset, width)];
    let result = to.result(id);
    to.compute_with(id, Arc::new(kernel_op), scratch, Vec::new(), reads, vec![result]);
    true
}

impl Conv {
    fn taps(&self) -> usize {
        self.windows.iter().map(|w| w.size).product()
    }

    fn count(&self) -> usize {
        self.positions.iter().product()
    }

    /// Whether pieces are filled along the window, which is longer than the positions.
    fn along_window(&self) -> bool {
        let last = self.windows.len() - 1;
        self.windows[last].size > self.positions[last]
    }

    /// Whether positions of several images lie at equal distances in the result.
    fn images_join(&self) -> bool {
        self.output.1 == self.output.3 * self.count() as isize
    }

    fn choose_piece(&mut self) {
        let (taps, count) = (self.taps(), self.count());
        let images = if self.images_join() || count < KernelTuning::TUNED.window_positions {
            let enough = (2 * KernelTuning::TUNED.window_positions).div_ceil(count);
            // All of them, when they are few: the kernel's gradient.
            let all = self.images.saturating_mul(count).saturating_mul(taps) <= KernelTuning::TUNED.window_elements;
            if all { self.images } else { enough.min(self.images) }
        } else {
            1
        };
        let features = (KernelTuning::TUNED.window_elements / (images * count * taps).max(1)).clamp(1, self.features);
        self.piece = (images, features);
    }

    /// Bytes of a piece, and of the sums of its positions.
    fn thread_bytes(&self) -> usize {
        let (images, features) = self.piece;
        let n = images * self.count();
        let width = self.dtype.bytes() as usize;
        (n * features * self.taps() * width).next_multiple_of(64) + (n * self.outputs * width).next_multiple_of(64)
    }
}

impl Kernel for Conv {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: the step was compiled for these shapes.
        unsafe {
            match self.dtype {
                DType::F64 => self.all::<f64>(cx.threads, memory),
                _ => self.all::<f32>(cx.threads, memory),
            }
        }
        Ok(())
    }

    fn work(&self, threads: usize) -> Work {
        let (images, features) = self.piece;
        let (taps, count) = (self.taps(), self.count());
        let items = self.groups * self.images.div_ceil(images);
        let blocks = self.features.div_ceil(features);
        let threads = threads.min(self.threads);
        let ways = if threads < 2 || items >= threads { threads } else { threads.min(blocks) };
        let (n, k) = (images.min(self.images) * count, features.min(self.features) * taps);
        let along_window = self.along_window();
        let inner = if along_window {
            self.windows.last().map_or(1, |w| w.size)
        } else {
            self.positions.last().copied().unwrap_or(1)
        };
        let filled = items * blocks * n * k;
        let direct = images == 1 || self.images_join();
        let by_rows = self.kernel.2.unsigned_abs() <= self.kernel.1.unsigned_abs();
        let product = Product { dtype: self.dtype, order: Order(by_rows, !along_window), size: [self.outputs, n, k] };
        let scattered = if direct { 0 } else { items * n * self.outputs };
        let [read, written] = [self.images * self.features, self.images * self.outputs].map(|n| n * self.groups);
        Work::default()
            .multiplying(product, items * blocks)
            .with(Cost::Line, filled / inner.max(1))
            .with(Cost::Plain, filled)
            .with(Cost::Scattered, scattered)
            .over(Touch::Read(0), read * self.space.iter().product::<usize>() * self.dtype.bytes() as usize)
            .over(Touch::Written(0), written * count * self.dtype.bytes() as usize)
            .shared_by(ways.max(1))
    }
}

impl Conv {
    unsafe fn all<T: Float>(&self, threads: usize, memory: Memory<'_>) {
        let threads = threads.min(self.threads);
        let (images, features) = self.piece;
        let chunks = self.images.div_ceil(images);
        let items = self.groups * chunks;
        let blocks = self.features.div_ceil(features);
        let at =
            [memory.reads[0] as usize, memory.reads[1] as usize, memory.writes[0] as usize, memory.scratch as usize];
        let item = |i: usize, blocks: std::ops::Range<usize>, thread: usize, add: bool| {
            let (group, chunk) = (i / chunks, i % chunks);
            let range = chunk * images..((chunk + 1) * images).min(self.images);
            let scratch = at[3] + thread * self.thread_bytes();
            // SAFETY: threads have scratch memory of their own, and items write different positions.
            unsafe { self.item::<T>(group, range, blocks, at, scratch, add) };
        };
        if threads < 2 {
            (0..items).for_each(|i| item(i, 0..blocks, 0, true));
        } else if items >= threads {
            (0..threads).into_par_iter().for_each(|t| {
                (t * items / threads..(t + 1) * items / threads).for_each(|i| item(i, 0..blocks, t, true));
            });
        } else {
            // Each thread sums over some of the features; then the sums are added.
            let ways = threads.min(blocks);
            for i in 0..items {
                (0..ways).into_par_iter().for_each(|t| {
                    item(i, t * blocks / ways..(t + 1) * blocks / ways, t, false);
                });
                let (group, chunk) = (i / chunks, i % chunks);
                let range = chunk * images..((chunk + 1) * images).min(self.images);
                for t in 0..ways {
                    let sums = at[3] + t * self.thread_bytes();
                    // SAFETY: as above.
                    unsafe { self.put::<T>(group, range.clone(), sums as *const T, at[2], t == 0) };
                }
            }
        }
    }

    /// Sums over blocks of features for the positions of some images; writes the result, or leaves the sums in scratch
    /// memory.
    unsafe fn item<T: Float>(
        &self,
        group: usize,
        images: std::ops::Range<usize>,
        blocks: std::ops::Range<usize>,
        at: [usize; 4],
        scratch: usize,
        write: bool,
    ) {
        let (taps, count) = (self.taps(), self.count());
        let n = images.len() * count;
        let (features, g) = (self.piece.1, group as isize);
        let sums = scratch as *mut T;
        let sum_bytes = (self.piece.0 * count * self.outputs * size_of::<T>()).next_multiple_of(64);
        let piece = (scratch + sum_bytes) as *mut T;
        // Straight to the result where its positions lie at equal distances.
        let direct = write && (images.len() == 1 || self.images_join());
        // SAFETY: what the caller promises.
        unsafe {
            let result = (at[2] as *mut T).offset(g * self.output.0 + images.start as isize * self.output.1);
            let (target, row, column) =
                if direct { (result, self.output.2, self.output.3) } else { (sums, n as isize, 1) };
            let first = blocks.start;
            for block in blocks {
                let range = block * features..((block + 1) * features).min(self.features);
                let k = range.len() * taps;
                let input = (at[0] as *const T).offset(g * self.input.0);
                let along_window = self.fill(input, images.clone(), range.clone(), piece);
                let (k_stride, n_stride) = if along_window { (1, k as isize) } else { (n as isize, 1) };
                let kernel =
                    (at[1] as *const T).offset(g * self.kernel.0 + (range.start * taps) as isize * self.kernel.2);
                gemm::gemm(
                    self.outputs,
                    n,
                    k,
                    target,
                    column,
                    row,
                    block != first,
                    kernel,
                    self.kernel.2,
                    self.kernel.1,
                    piece.cast_const(),
                    n_stride,
                    k_stride,
                    if block == first { T::ZERO } else { T::ONE },
                    T::ONE,
                    false,
                    false,
                    false,
                    Parallelism::None,
                );
            }
            if write && !direct {
                self.put::<T>(group, images, sums, at[2], true);
            }
        }
    }

    /// Puts sums where they belong in the result, or adds them to what is there.
    unsafe fn put<T: Float>(
        &self,
        group: usize,
        images: std::ops::Range<usize>,
        sums: *const T,
        result: usize,
        first: bool,
    ) {
        let count = self.count();
        let n = images.len() * count;
        for feature in 0..self.outputs {
            for (i, image) in images.clone().enumerate() {
                // SAFETY: what the caller promises.
                unsafe {
                    let to = (result as *mut T).offset(
                        group as isize * self.output.0
                            + image as isize * self.output.1
                            + feature as isize * self.output.2,
                    );
                    for p in 0..count {
                        let (to, x) =
                            (&mut *to.offset(p as isize * self.output.3), *sums.add(feature * n + i * count + p));
                        if first {
                            *to = x;
                        } else {
                            *to += x;
                        }
                    }
                }
            }
        }
    }

    /// Fills a piece with what the windows of some images read of some features; whether it lies along the window.
    unsafe fn fill<T: Float>(
        &self,
        input: *const T,
        images: std::ops::Range<usize>,
        features: std::ops::Range<usize>,
        piece: *mut T,
    ) -> bool {
        let last = self.windows.len() - 1;
        let (taps, count) = (self.taps(), self.count());
        let along_window = self.along_window();
        let (inner_taps, inner_positions) = (self.windows[last].size, self.positions[last]);
        let (k, n) = (features.len() * taps, images.len() * count);
        let lines = |size: usize, inner: usize| size / inner;
        // SAFETY: the piece has room for `k` times `n` elements, and windows read only what the input has.
        unsafe {
            for (f, feature) in features.enumerate() {
                for (i, image) in images.clone().enumerate() {
                    let source = input.offset(image as isize * self.input.1 + feature as isize * self.input.2);
                    for tap_line in 0..lines(taps, inner_taps) {
                        for position_line in 0..lines(count, inner_positions) {
                            let start = self.outer_offset(tap_line, position_line);
                            if along_window {
                                for p in 0..inner_positions {
                                    let row = i * count + position_line * inner_positions + p;
                                    let to = piece.add(row * k + f * taps + tap_line * inner_taps);
                                    self.line(source, start, inner_taps, to, p, true);
                                }
                            } else {
                                for t in 0..inner_taps {
                                    let row = f * taps + tap_line * inner_taps + t;
                                    let to = piece.add(row * n + i * count + position_line * inner_positions);
                                    self.line(source, start, inner_positions, to, t, false);
                                }
                            }
                        }
                    }
                }
            }
        }
        along_window
    }

    /// Where the outer dimensions of a tap and a position meet in the input; `None` in the padding.
    #[inline]
    fn outer_offset(&self, mut tap: usize, mut position: usize) -> Option<isize> {
        let mut offset = 0;
        for d in (0..self.windows.len() - 1).rev() {
            let w = &self.windows[d];
            let (t, p) = (tap % w.size, position % self.positions[d]);
            (tap, position) = (tap / w.size, position / self.positions[d]);
            offset += element(w, p, t, self.space[d])? as isize * self.input.3[d];
        }
        Some(offset)
    }

    /// One line along the innermost dimension: of the window at one position, or of the positions for one tap.
    #[inline]
    unsafe fn line<T: Float>(
        &self,
        source: *const T,
        start: Option<isize>,
        len: usize,
        to: *mut T,
        fixed: usize,
        along_window: bool,
    ) {
        let last = self.windows.len() - 1;
        let (w, size, stride) = (&self.windows[last], self.space[last], self.input.3[last]);
        // SAFETY: the line has `len` elements.
        let line = unsafe { std::slice::from_raw_parts_mut(to, len) };
        let Some(start) = start else { return line.fill(T::ZERO) };
        if w.base != 1 {
            for (i, x) in line.iter_mut().enumerate() {
                let (p, t) = if along_window { (fixed, i) } else { (i, fixed) };
                // SAFETY: the element is one of the input's.
                *x = element(w, p, t, size).map_or(T::ZERO, |e| unsafe { *source.offset(start + e as isize * stride) });
            }
            return;
        }
        let (step, begin) = if along_window {
            (w.dilation as i64, fixed as i64 * w.stride as i64 - w.low)
        } else {
            (w.stride as i64, fixed as i64 * w.dilation as i64 - w.low)
        };
        // Elements `begin + i * step` that the input has.
        let first = if begin < 0 { ((-begin + step - 1) / step) as usize } else { 0 }.min(len);
        let room = size as i64 - begin;
        let behind = if room <= 0 { 0 } else { ((room + step - 1) / step) as usize }.clamp(first, len);
        line[..first].fill(T::ZERO);
        line[behind..].fill(T::ZERO);
        let distance = stride * step as isize;
        // SAFETY: as above.
        unsafe {
            let from = source.offset(start + begin as isize * stride + first as isize * distance);
            if distance == 1 {
                std::ptr::copy_nonoverlapping(from, to.add(first), behind - first);
            } else {
                line[first..behind].iter_mut().enumerate().for_each(|(i, x)| *x = *from.offset(i as isize * distance));
            }
        }
    }
}

/// The element that a tap of a window reads at an output; `None` in the padding, or in a hole.
#[inline]
fn element(w: &Window, output: usize, tap: usize, size: usize) -> Option<usize> {
    let at = (output * w.stride + tap * w.dilation) as i64 - w.low;
    let at = usize::try_from(at).ok().filter(|at| at.is_multiple_of(w.base))? / w.base;
    (at < size).then_some(at)
}
