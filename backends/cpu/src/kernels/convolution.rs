//! Convolutions as matrix products: the input windows are copied to a matrix (im2col; Chellapilla et al. 2006), in
//! blocks that stay in the cache.
//!
//! For each image and group, the result of `m` output features by `n` output positions is the product of the kernel (`m
//! x k`) and the im2col matrix (`k x n`), where `k` counts the elements of a window over all input features. A block
//! contains the rows of some input features and the columns of some images. The gradients of a convolution are also
//! convolutions; the gradient with respect to the kernel has few positions and large windows. A block is therefore
//! filled along positions or along the window, whichever is longer.

use super::Lowerer;
use super::copy::StridedCopy;
use super::float::Float;
use crate::tuning::KernelTuning;
use gemm::Parallelism;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::ops::Convolution;
use partita_ir::rule::Window;
use partita_lowering::lowerer::offset;
use partita_lowering::view::{Dims, View, dense_strides};
use partita_machine::host::{Cost, MemoryAccess, OperandOrder, Product, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use rayon::prelude::*;
use std::sync::Arc;

/// Columns of a product that fill the widest vectors.
const VECTOR_COLUMNS: usize = 16;

/// Kernel of a convolution for `f32` or `f64`.
pub(crate) struct ConvolutionKernel {
    dtype: DType,
    groups: usize,
    /// Number of images in the result.
    images: usize,
    /// Number of input features of a group.
    features: usize,
    /// Number of output features of a group.
    outputs: usize,
    /// Window of each spatial dimension. A tap is an element of a window.
    windows: Vec<Window>,
    /// Spatial sizes of the input.
    space: Dims<usize>,
    /// Spatial sizes of the output.
    positions: Dims<usize>,
    /// Strides of the input: group, image, feature, spatial dimensions.
    input: (isize, isize, isize, Dims<isize>),
    /// Strides of the kernel: group, output feature, element of the window.
    kernel: (isize, isize, isize),
    /// Strides of the result: group, image, output feature, position.
    output: (isize, isize, isize, isize),
    /// Numbers of images and of input features of a block.
    block_size: (usize, usize),
    /// Copies that fill a block.
    block_lines: BlockLines,
    /// Maximum number of threads, for which scratch memory is allocated.
    threads: usize,
}

/// Lowers a convolution of `f32` or `f64`. Returns false for other dtypes and empty operands.
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

    let (input, input_view) = to.span_and_view(op.args[0]);
    let (kernel, kernel_view) = to.span_and_view(op.args[1]);
    let mirrored: Vec<usize> = conv.reverse.iter().map(|&d| wd[d + 2]).collect();
    // Output feature, then the elements of a window: input feature and spatial dimensions.
    let order: Vec<usize> = [&wd[1..2], &wd[0..1], &wd[2..]].concat();
    let kernel_view = kernel_view.reversed(&mirrored).permuted(&order);
    let k = kernel_view.shape[1..].iter().product::<usize>();
    let (kernel, kernel_view) = match kernel_view.reshaped(&[kernel_view.shape[0], k]) {
        Some(view) => (kernel, view),
        None => {
            let copy = to.temporary(kernel_view.count() * width);
            let strided = StridedCopy::new(&kernel_view, &View::dense(&kernel_view.shape), width);
            to.compute(id, Arc::new(strided), vec![kernel], vec![copy]);
            (copy, View::dense(&[kernel_view.shape[0], k]))
        }
    };
    let at = |d: usize| input_view.strides[d];
    let outputs = w.shape[wd[1]] / groups;
    let features = w.shape[wd[0]];
    let images = y.shape[yd[0]];
    let input_group = if by_batch { at(xd[0]) * images as isize } else { at(xd[1]) * features as isize };
    let mut kernel_op = ConvolutionKernel {
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
        block_size: (1, 1),
        block_lines: BlockLines::default(),
        threads: to.threads(),
    };
    kernel_op.choose_block_size();
    kernel_op.block_lines = kernel_op.block_lines();
    let scratch = kernel_op.thread_bytes() * kernel_op.threads;
    let reads = vec![offset(input, input_view.offset, width), offset(kernel, kernel_view.offset, width)];
    let result = to.result(id);
    to.compute_with(id, Arc::new(kernel_op), scratch, Vec::new(), reads, vec![result]);
    true
}

impl ConvolutionKernel {
    /// Returns the number of taps of a window.
    fn taps(&self) -> usize {
        self.windows.iter().map(|w| w.size).product()
    }

    /// Returns the number of output positions of an image.
    fn count(&self) -> usize {
        self.positions.iter().product()
    }

    /// Returns true if blocks are filled along the innermost dimension of the window because it is longer than that of
    /// the positions.
    fn along_window(&self) -> bool {
        let last = self.windows.len() - 1;
        self.windows[last].size > self.positions[last]
    }

    /// Returns true if positions of consecutive images are equally spaced in the result.
    fn images_are_contiguous(&self) -> bool {
        self.output.1 == self.output.3 * self.count() as isize
    }

    /// Determines how many images and input features a block contains.
    fn choose_block_size(&mut self) {
        let (taps, count) = (self.taps(), self.count());
        let images = if self.images_are_contiguous() || count < KernelTuning::TUNED.min_product_positions {
            let enough = (2 * KernelTuning::TUNED.min_product_positions).div_ceil(count);
            // All images if they are few, as in the gradient of the kernel.
            let all = self.images.saturating_mul(count).saturating_mul(taps) <= KernelTuning::TUNED.im2col_elements;
            if all { self.images } else { enough.min(self.images) }
        } else {
            1
        };
        let features = (KernelTuning::TUNED.im2col_elements / (images * count * taps).max(1)).clamp(1, self.features);
        self.block_size = (images, features);
    }

    /// Returns the scratch memory of a thread in bytes: the sums for the positions of a block, and the block.
    fn thread_bytes(&self) -> usize {
        let (images, features) = self.block_size;
        let n = images * self.count();
        let width = self.dtype.bytes() as usize;
        (n * features * self.taps() * width).next_multiple_of(64) + (n * self.outputs * width).next_multiple_of(64)
    }
}

impl Kernel for ConvolutionKernel {
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
        let (images, features) = self.block_size;
        let (taps, count) = (self.taps(), self.count());
        let items = self.groups * self.images.div_ceil(images);
        let blocks = self.features.div_ceil(features);
        let threads = threads.min(self.threads);
        let parts = if threads < 2 || items >= threads { threads } else { threads.min(blocks) };
        let (n, k) = (images.min(self.images) * count, features.min(self.features) * taps);
        let along_window = self.along_window();
        let inner = if along_window {
            self.windows.last().map_or(1, |w| w.size)
        } else {
            self.positions.last().copied().unwrap_or(1)
        };
        let filled = items * blocks * n * k;
        let direct = !along_window && (images == 1 || self.images_are_contiguous());
        let by_rows = self.kernel.2.unsigned_abs() <= self.kernel.1.unsigned_abs();
        let product =
            Product { dtype: self.dtype, order: OperandOrder(by_rows, !along_window), size: [self.outputs, n, k] };
        let scattered = if direct { 0 } else { items * n * self.outputs };
        let [read, written] = [self.images * self.features, self.images * self.outputs].map(|n| n * self.groups);
        Work::default()
            .with_product(product, items * blocks)
            .with(Cost::Line, filled / inner.max(1))
            .with(Cost::Arithmetic, filled)
            .with(Cost::ScatteredElement, scattered)
            .with_access(
                MemoryAccess::Read(0),
                read * self.space.iter().product::<usize>() * self.dtype.bytes() as usize,
            )
            .with_access(MemoryAccess::Write(0), written * count * self.dtype.bytes() as usize)
            .with_max_cores(parts.max(1))
    }
}

impl ConvolutionKernel {
    unsafe fn run_typed<T: Float>(&self, threads: usize, memory: Memory<'_>) {
        let threads = threads.min(self.threads);
        let (images, features) = self.block_size;
        let chunks = self.images.div_ceil(images);
        let items = self.groups * chunks;
        let blocks = self.features.div_ceil(features);
        let at =
            [memory.reads[0] as usize, memory.reads[1] as usize, memory.writes[0] as usize, memory.scratch as usize];
        let item = |i: usize, blocks: std::ops::Range<usize>, thread: usize, write: bool| {
            let (group, chunk) = (i / chunks, i % chunks);
            let range = chunk * images..((chunk + 1) * images).min(self.images);
            let scratch = at[3] + thread * self.thread_bytes();
            // SAFETY: threads have separate scratch memory, and items write different positions.
            unsafe { self.item::<T>(group, range, blocks, at, scratch, write) };
        };
        if threads < 2 {
            (0..items).for_each(|i| item(i, 0..blocks, 0, true));
        } else if items >= threads {
            (0..threads).into_par_iter().for_each(|t| {
                (t * items / threads..(t + 1) * items / threads).for_each(|i| item(i, 0..blocks, t, true));
            });
        } else {
            // Each thread sums over some of the input features; then the sums of all threads are added.
            let parts = threads.min(blocks);
            for i in 0..items {
                (0..parts).into_par_iter().for_each(|t| {
                    item(i, t * blocks / parts..(t + 1) * blocks / parts, t, false);
                });
                let (group, chunk) = (i / chunks, i % chunks);
                let range = chunk * images..((chunk + 1) * images).min(self.images);
                for t in 0..parts {
                    let sums = at[3] + t * self.thread_bytes();
                    // SAFETY: as above.
                    unsafe { self.write_sums::<T>(group, range.clone(), sums as *const T, at[2], t == 0) };
                }
            }
        }
    }

    /// Computes the product for some images of a group, summed over blocks of input features. Writes the result if
    /// `write` is true, otherwise leaves the sums in scratch memory. `at` contains the addresses of input, kernel,
    /// result and scratch memory.
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
        let (features, g) = (self.block_size.1, group as isize);
        let sums = scratch as *mut T;
        let sum_bytes = (self.block_size.0 * count * self.outputs * size_of::<T>()).next_multiple_of(64);
        let block_start = (scratch + sum_bytes) as *mut T;
        let along_window = self.along_window();
        // Writes directly to the result if its positions are equally spaced. A block that is filled along the window is
        // column-major, and `gemm` computes its products faster into column-major sums.
        let direct = write && !along_window && (images.len() == 1 || self.images_are_contiguous());
        let (sums_row, sums_column) = if along_window { (1, self.outputs as isize) } else { (n as isize, 1) };
        // SAFETY: guaranteed by the caller.
        unsafe {
            let result = (at[2] as *mut T).offset(g * self.output.0 + images.start as isize * self.output.1);
            let (target, row, column) =
                if direct { (result, self.output.2, self.output.3) } else { (sums, sums_row, sums_column) };
            let first = blocks.start;
            for block in blocks {
                let range = block * features..((block + 1) * features).min(self.features);
                let k = range.len() * taps;
                let input = (at[0] as *const T).offset(g * self.input.0);
                self.fill(input, images.clone(), range.clone(), block_start);
                let (k_stride, n_stride) = if along_window { (1, k as isize) } else { (n as isize, 1) };
                let kernel =
                    (at[1] as *const T).offset(g * self.kernel.0 + (range.start * taps) as isize * self.kernel.2);
                // `gemm` would reorder the block if its columns did not fill vectors.
                let aligned = if along_window { n } else { n - n % VECTOR_COLUMNS };
                for columns in [0..aligned, aligned..n] {
                    if columns.is_empty() {
                        continue;
                    }
                    gemm::gemm(
                        self.outputs,
                        columns.len(),
                        k,
                        target.offset(columns.start as isize * column),
                        column,
                        row,
                        block != first,
                        kernel,
                        self.kernel.2,
                        self.kernel.1,
                        block_start.offset(columns.start as isize * n_stride).cast_const(),
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
            }
            if write && !direct {
                self.write_sums::<T>(group, images, sums, at[2], true);
            }
        }
    }

    /// Writes sums to the result, or if `first` is false adds them to the result.
    unsafe fn write_sums<T: Float>(
        &self,
        group: usize,
        images: std::ops::Range<usize>,
        sums: *const T,
        result: usize,
        first: bool,
    ) {
        let count = self.count();
        let n = images.len() * count;
        let (row, column) = if self.along_window() { (1, self.outputs) } else { (n, 1) };
        for feature in 0..self.outputs {
            for (i, image) in images.clone().enumerate() {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    let to = (result as *mut T).offset(
                        group as isize * self.output.0
                            + image as isize * self.output.1
                            + feature as isize * self.output.2,
                    );
                    for p in 0..count {
                        let sum = *sums.add(feature * row + (i * count + p) * column);
                        let to = &mut *to.offset(p as isize * self.output.3);
                        if first {
                            *to = sum;
                        } else {
                            *to += sum;
                        }
                    }
                }
            }
        }
    }

    /// Returns the copies that fill a block for one image and input feature.
    fn block_lines(&self) -> BlockLines {
        let last = self.windows.len() - 1;
        let (inner_taps, inner_positions) = (self.windows[last].size, self.positions[last]);
        let tap_lines = self.taps() / inner_taps;
        let position_lines = self.count() / inner_positions;
        let starts = |tap| (0..position_lines).map(move |position| self.outer_offset(tap, position));
        let lines = if self.along_window() { inner_positions } else { inner_taps };
        BlockLines {
            starts: (0..tap_lines).flat_map(starts).collect(),
            position_lines,
            lines: (0..lines).map(|fixed| self.line(fixed)).collect(),
        }
    }

    /// Returns the offset in the input of a tap and a position, in all spatial dimensions but the innermost; `None` in
    /// the padding.
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

    /// Returns one line of a block along the innermost dimension: all taps of the window at position `fixed`, or all
    /// positions for tap `fixed`.
    fn line(&self, fixed: usize) -> Line {
        let last = self.windows.len() - 1;
        let (w, size, stride) = (&self.windows[last], self.space[last], self.input.3[last]);
        // Element `i` reads the dilated input at `begin + i * stride_in_window`.
        let (len, begin, stride_in_window) = match self.along_window() {
            true => (w.size, (fixed * w.stride) as i64 - w.low, w.dilation as i64),
            false => (self.positions[last], (fixed * w.dilation) as i64 - w.low, w.stride as i64),
        };
        let base = w.base as i64;
        // Elements that read the input between gaps have a distance of `step`.
        let step = base / gcd(base, stride_in_window);
        let dilated = |i: i64| begin + i * stride_in_window;
        let after_padding = div_ceil((-begin).max(0), stride_in_window);
        let first = (after_padding..after_padding + step).find(|&i| dilated(i) % base == 0);
        let end = div_ceil((size as i64 * base - begin).max(0), stride_in_window).clamp(0, len as i64);
        let Some(first) = first.filter(|&first| first < end) else { return Line { first: len, ..Line::default() } };
        Line {
            first: first as usize,
            count: div_ceil(end - first, step) as usize,
            step: step as usize,
            start: (dilated(first) / base) as isize * stride,
            distance: (step * stride_in_window / base) as isize * stride,
        }
    }

    /// Fills a block with the windows of some images and input features. The block is row-major, or column-major if
    /// it is filled along the window.
    unsafe fn fill<T: Float>(
        &self,
        input: *const T,
        images: std::ops::Range<usize>,
        features: std::ops::Range<usize>,
        block_start: *mut T,
    ) {
        let last = self.windows.len() - 1;
        let (taps, count) = (self.taps(), self.count());
        let along_window = self.along_window();
        let (inner_taps, inner_positions) = (self.windows[last].size, self.positions[last]);
        let (k, n) = (features.len() * taps, images.len() * count);
        let BlockLines { starts, position_lines, lines } = &self.block_lines;
        // Distance in the block of consecutive lines, and number of elements of a line.
        let (distance, len) = if along_window { (k, inner_taps) } else { (n, inner_positions) };
        for (f, feature) in features.enumerate() {
            for (i, image) in images.clone().enumerate() {
                for (tap_line, starts) in starts.chunks_exact(*position_lines).enumerate() {
                    for (position_line, start) in starts.iter().enumerate() {
                        let tap = f * taps + tap_line * inner_taps;
                        let position = i * count + position_line * inner_positions;
                        let first = if along_window { position * k + tap } else { tap * n + position };
                        // SAFETY: the block has room for `k` times `n` elements, and windows read only elements of the
                        // input.
                        unsafe {
                            let source = input.offset(image as isize * self.input.1 + feature as isize * self.input.2);
                            for (l, line) in lines.iter().enumerate() {
                                let to = std::slice::from_raw_parts_mut(block_start.add(first + l * distance), len);
                                match start {
                                    Some(start) => line.copy(source.offset(*start), to),
                                    None => to.fill(T::ZERO),
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Copies that fill a block for one image and input feature: each start and line is one copy.
#[derive(Default)]
struct BlockLines {
    /// Offset in the input of each combination of a tap and a position in all spatial dimensions but the innermost, by
    /// tap; `None` in the padding.
    starts: Vec<Option<isize>>,
    /// Number of positions in all spatial dimensions but the innermost.
    position_lines: usize,
    /// Lines along the innermost dimension.
    lines: Vec<Line>,
}

/// Line of a block along the innermost spatial dimension. Elements that it does not read from the input are padding.
#[derive(Default)]
struct Line {
    /// First element that is read.
    first: usize,
    /// Number of elements that are read.
    count: usize,
    /// Distance of consecutive elements in the line.
    step: usize,
    /// Offset of the first element in the input.
    start: isize,
    /// Distance of consecutive elements in the input.
    distance: isize,
}

impl Line {
    /// Writes the line.
    ///
    /// # Safety
    /// The elements that the line reads are valid, relative to `source`.
    #[inline]
    unsafe fn copy<T: Float>(&self, source: *const T, to: &mut [T]) {
        let Line { first, count, step, start, distance } = *self;
        if step > 1 {
            to.fill(T::ZERO);
        } else {
            to[..first].fill(T::ZERO);
            to[first + count..].fill(T::ZERO);
        }
        // SAFETY: guaranteed by the caller.
        unsafe {
            let from = source.offset(start);
            if step == 1 && distance == 1 {
                std::ptr::copy_nonoverlapping(from, to[first..first + count].as_mut_ptr(), count);
            } else {
                for i in 0..count {
                    to[first + i * step] = *from.offset(i as isize * distance);
                }
            }
        }
    }
}

/// Returns the index of the input element that a tap reads for an output position in one dimension; `None` in the
/// padding or in a gap of the base dilation.
fn element(w: &Window, output: usize, tap: usize, size: usize) -> Option<usize> {
    let at = (output * w.stride + tap * w.dilation) as i64 - w.low;
    let at = usize::try_from(at).ok().filter(|at| at.is_multiple_of(w.base))? / w.base;
    (at < size).then_some(at)
}

/// Returns the greatest common divisor of two positive numbers.
fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns the quotient of a non-negative and a positive number, rounded up.
fn div_ceil(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}
