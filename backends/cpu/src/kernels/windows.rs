//! Kernels of `reduce_window` (pooling) and `select_and_scatter` (the gradient of max and min pooling), for `f32`.

use super::Lowerer;
use super::adjacent_windows::{AdjacentPool, AdjacentUnpool};
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{ReduceWindow, SelectAndScatter};
use partita_ir::rule::Window;
use partita_lowering::lowerer::offset;
use partita_lowering::view::{Dims, dense_strides};
use partita_machine::host::{Cost, MemoryAccess, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use pulp::Arch;
use rayon::prelude::*;
use std::sync::Arc;

/// Windows over the trailing dimensions of an operand. A tap is an element of a window.
struct Windows {
    monoid: Monoid,
    /// Number of planes: the product of the dimensions before the first non-trivial window. Each plane is pooled
    /// separately.
    planes: usize,
    windows: Vec<Window>,
    /// Sizes of the trailing dimensions of the operand.
    input: Dims<usize>,
    /// Sizes of the trailing dimensions of the output.
    output: Dims<usize>,
}

impl Windows {
    /// Creates the windows of an operand with shape `input` and a result with shape `output`, given one window per
    /// dimension.
    fn new(monoid: Monoid, windows: &[Window], input: &[usize], output: &[usize]) -> Windows {
        let first = windows.iter().position(|w| *w != Window::default()).unwrap_or(windows.len());
        Windows {
            monoid,
            planes: input[..first].iter().product(),
            windows: windows[first..].to_vec(),
            input: input[first..].into(),
            output: output[first..].into(),
        }
    }

    /// Calls `visit_output` for each output of a plane, with its index and a function that visits the elements in its
    /// window.
    #[inline(always)]
    fn each(&self, mut visit_output: impl FnMut(usize, &mut dyn FnMut(&mut dyn FnMut(usize)))) {
        let strides = dense_strides(&self.input);
        let rank = self.windows.len();
        let mut index: Dims<usize> = Dims::from_elem(0, rank);
        for output in 0..self.output.iter().product() {
            let mut elements = |visit: &mut dyn FnMut(usize)| self.visit(0, 0, &index, &strides, visit);
            visit_output(output, &mut elements);
            for d in (0..rank).rev() {
                index[d] += 1;
                if index[d] < self.output[d] {
                    break;
                }
                index[d] = 0;
            }
        }
    }

    /// Visits the elements of a window along the dimensions from `d` on, in row-major order. `base` is the offset in
    /// the preceding dimensions. Padding is skipped.
    fn visit(&self, d: usize, base: usize, index: &[usize], strides: &[isize], visit: &mut dyn FnMut(usize)) {
        let Some(w) = self.windows.get(d) else { return visit(base) };
        for tap in 0..w.size {
            let at = (index[d] * w.stride + tap * w.dilation) as i64 - w.low;
            let Some(at) = usize::try_from(at).ok().filter(|at| at.is_multiple_of(w.base)) else { continue };
            if at / w.base < self.input[d] {
                self.visit(d + 1, base + at / w.base * strides[d] as usize, index, strides, visit);
            }
        }
    }

    /// Calls `run` for each plane, on several threads if available.
    fn planes(&self, threads: usize, run: impl Fn(usize) + Send + Sync) {
        if threads > 1 && self.planes > 1 {
            (0..self.planes).into_par_iter().for_each(run);
        } else {
            (0..self.planes).for_each(run);
        }
    }

    /// Returns the work of one visit to every window.
    fn work(&self, threads: usize) -> Work {
        let count = |sizes: &[usize]| sizes.iter().product::<usize>();
        let taps: usize = self.windows.iter().map(|w| w.size).product();
        let reads = self.planes * count(&self.output) * taps;
        let cost = if self.adjacent_windows().is_some() { Cost::Window } else { Cost::WindowVisit };
        let [read, written] = [&self.input, &self.output].map(|sizes| 4 * self.planes * count(sizes));
        let shares = if threads > 1 && self.planes > 1 { threads } else { 1 };
        Work::default()
            .with(cost, reads)
            .with_access(MemoryAccess::Read(0), read)
            .with_access(MemoryAccess::Write(0), written)
            .with_max_cores(shares)
    }

    /// Returns the window sizes if the windows are two-dimensional, tile the operand without overlap or gaps, and
    /// contain no padding.
    fn adjacent_windows(&self) -> Option<[usize; 2]> {
        let [a, b] = &self.windows[..] else { return None };
        let plain = |w: &Window| (w.low, w.dilation, w.base) == (0, 1, 1) && w.stride == w.size;
        let inside = |d: usize| self.output[d] > 0 && self.output[d] * self.windows[d].size <= self.input[d];
        (plain(a) && plain(b) && inside(0) && inside(1)).then_some([a.size, b.size])
    }
}

/// Kernel of `reduce_window` for `f32`.
struct PoolKernel(Windows);

/// Kernel of `select_and_scatter` for `f32`.
struct UnpoolKernel(Windows);

/// Lowers a `reduce_window` with a sum, maximum or minimum. Returns false for unsupported ops.
pub(super) fn lower_pool(to: &mut Lowerer<'_>, id: OpId, op: &ReduceWindow) -> bool {
    let (x, y) = (to.program.ty(to.program.ops[id].args[0]), to.program.ty(to.program.ops[id].outs[0]));
    let fits = matches!(op.monoid, Monoid::Sum | Monoid::Max | Monoid::Min) && x.dtype == DType::F32;
    // Large windows, such as those of a cumulative sum, are not supported.
    let taps: usize = op.windows.iter().map(|w| w.size).product();
    if !fits || taps > 256 {
        return false;
    }
    let kernel = PoolKernel(Windows::new(op.monoid, &op.windows, &x.shape, &y.shape));
    let arg = to.program.ops[id].args[0];
    let read = to.dense(id, arg);
    let result = to.result(id);
    to.compute(id, Arc::new(kernel), vec![offset(read, 0, 4)], vec![result]);
    true
}

/// Lowers a `select_and_scatter`. Returns false for unsupported dtypes.
pub(super) fn lower_unpool(to: &mut Lowerer<'_>, id: OpId, op: &SelectAndScatter) -> bool {
    let args = &to.program.ops[id].args;
    let (x, y) = (to.program.ty(args[0]), to.program.ty(args[1]));
    if x.dtype != DType::F32 {
        return false;
    }
    let kernel = UnpoolKernel(Windows::new(op.monoid, &op.windows, &x.shape, &y.shape));
    let (x, y) = (args[0], args[1]);
    let reads = vec![to.dense(id, x), to.dense(id, y)];
    let result = to.result(id);
    to.compute(id, Arc::new(kernel), reads, vec![result]);
    true
}

impl Kernel for PoolKernel {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let w = &self.0;
        let (from, to) = (memory.reads[0] as usize, memory.writes[0] as usize);
        let (each_in, each_out) = (w.input.iter().product::<usize>(), w.output.iter().product::<usize>());
        w.planes(cx.threads, |plane| {
            // SAFETY: planes are disjoint parts of operand and result.
            let x = unsafe { std::slice::from_raw_parts((from as *const f32).add(plane * each_in), each_in) };
            // SAFETY: as above.
            let y = unsafe { std::slice::from_raw_parts_mut((to as *mut f32).add(plane * each_out), each_out) };
            if let Some([rows, columns]) = w.adjacent_windows() {
                let (input, output) = (w.input[1], w.output[1]);
                return Arch::new().dispatch(AdjacentPool { monoid: w.monoid, rows, columns, input, output, x, y });
            }
            let identity = w.monoid.identity(DType::F32).to_f64();
            w.each(|output, elements| {
                let mut all = identity;
                elements(&mut |e| all = w.monoid.combine_floats(all, f64::from(x[e])));
                y[output] = all as f32;
            });
        });
        Ok(())
    }

    fn work(&self, threads: usize) -> Work {
        self.0.work(threads)
    }
}

impl Kernel for UnpoolKernel {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let w = &self.0;
        let at = (memory.reads[0] as usize, memory.reads[1] as usize, memory.writes[0] as usize);
        let (each_in, each_out) = (w.input.iter().product::<usize>(), w.output.iter().product::<usize>());
        // Selects the earlier element on ties.
        let is_selected = |a: f32, b: f32| if w.monoid == Monoid::Max { a >= b } else { a <= b };
        w.planes(cx.threads, |plane| {
            // SAFETY: planes are disjoint parts of operands and result.
            let x = unsafe { std::slice::from_raw_parts((at.0 as *const f32).add(plane * each_in), each_in) };
            // SAFETY: as above.
            let source = unsafe { std::slice::from_raw_parts((at.1 as *const f32).add(plane * each_out), each_out) };
            // SAFETY: as above.
            let sums = unsafe { std::slice::from_raw_parts_mut((at.2 as *mut f32).add(plane * each_in), each_in) };
            sums.fill(0.0);
            if let Some([rows, columns]) = w.adjacent_windows() {
                let (input, output) = (w.input[1], w.output[1]);
                let is_max = w.monoid == Monoid::Max;
                return Arch::new().dispatch(AdjacentUnpool { is_max, rows, columns, input, output, x, source, sums });
            }
            w.each(|output, elements| {
                let mut best = None;
                elements(&mut |e| best = Some(best.filter(|&b: &usize| is_selected(x[b], x[e])).unwrap_or(e)));
                if let Some(best) = best {
                    sums[best] += source[output];
                }
            });
        });
        Ok(())
    }

    fn work(&self, threads: usize) -> Work {
        self.0.work(threads)
    }
}
