//! Copies between strided views.

use crate::tuning::KernelTuning;
use partita_lowering::view::{Dims, View};
use partita_machine::host::{Cost, MemoryAccess, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use rayon::prelude::*;

/// Side of the square blocks in which a transpose is copied, so that a block stays in the cache, in elements.
const BLOCK: usize = KernelTuning::TUNED.transpose_block;

/// Kernel that copies elements between views of the same shape.
pub(crate) struct StridedCopy {
    /// Shape, outer to inner; the last two dimensions are copied in blocks if the copy transposes them.
    shape: Dims<usize>,
    /// Strides of the source and of the target, in elements.
    from: Dims<isize>,
    to: Dims<isize>,
    /// Offsets of the first elements of source and target from their addresses, in elements.
    start: (isize, isize),
    /// Bytes of an element.
    width: usize,
}

impl StridedCopy {
    /// Creates the kernel that copies from the view `from` to the view `to`, whose elements have `width` bytes.
    pub(crate) fn new(from: &View, to: &View, width: usize) -> StridedCopy {
        // Sorts the dimensions by their stride in the result and merges contiguous ones.
        let mut dims: Vec<(usize, isize, isize)> =
            (0..from.shape.len()).map(|d| (from.shape[d], from.strides[d], to.strides[d])).collect();
        dims.retain(|d| d.0 != 1);
        dims.sort_by_key(|d| std::cmp::Reverse(d.2.unsigned_abs()));
        let mut joined: Vec<(usize, isize, isize)> = Vec::new();
        for (n, a, b) in dims {
            match joined.last_mut() {
                Some(last) if last.1 == a * n as isize && last.2 == b * n as isize => *last = (last.0 * n, a, b),
                _ => joined.push((n, a, b)),
            }
        }
        // Moves the innermost dimension of the operand next to the innermost dimension of the result.
        if joined.len() > 2 && joined[joined.len() - 1].1.unsigned_abs() != 1 {
            let last = joined.len() - 1;
            if let Some(inner) = (0..last).min_by_key(|&d| joined[d].1.unsigned_abs()) {
                let dim = joined.remove(inner);
                joined.insert(last - 1, dim);
            }
        }
        StridedCopy {
            shape: joined.iter().map(|d| d.0).collect(),
            from: joined.iter().map(|d| d.1).collect(),
            to: joined.iter().map(|d| d.2).collect(),
            start: (from.offset, to.offset),
            width,
        }
    }

    /// Copies the elements in a range of the outermost dimension.
    ///
    /// # Safety
    /// Both addresses are valid for the views.
    unsafe fn part<T: Copy>(&self, from: *const T, to: *mut T, range: std::ops::Range<usize>) {
        let rank = self.shape.len();
        let outer = rank.saturating_sub(2);
        let mut index: Dims<usize> = Dims::from_elem(0, outer);
        let first = if outer > 0 { range.clone() } else { 0..1 };
        // SAFETY: guaranteed by the caller.
        unsafe {
            for i in first {
                if outer > 0 {
                    index.fill(0);
                    index[0] = i;
                }
                loop {
                    let (mut a, mut b) = (0, 0);
                    for d in 0..outer {
                        a += index[d] as isize * self.from[d];
                        b += index[d] as isize * self.to[d];
                    }
                    let rows = if outer == 0 && rank == 2 { range.clone() } else { 0..usize::MAX };
                    self.plane(
                        from.offset(a),
                        to.offset(b),
                        if outer == 0 && rank == 1 { range.clone() } else { rows },
                    );
                    let mut d = outer;
                    while d > 1 {
                        d -= 1;
                        index[d] += 1;
                        if index[d] < self.shape[d] {
                            break;
                        }
                        index[d] = 0;
                        if d == 1 {
                            d = 0;
                        }
                    }
                    if outer <= 1 || d == 0 {
                        break;
                    }
                }
            }
        }
    }

    /// Copies the last two dimensions, restricted to a range of rows; of a one-dimensional view, a range of elements.
    unsafe fn plane<T: Copy>(&self, from: *const T, to: *mut T, range: std::ops::Range<usize>) {
        let rank = self.shape.len();
        let last = |d: usize| (self.shape[d], self.from[d], self.to[d]);
        // SAFETY: guaranteed by the caller.
        unsafe {
            match rank {
                0 => *to = *from,
                1 => {
                    let (n, a, b) = last(0);
                    line(from, to, range.start.min(n)..range.end.min(n), a, b);
                }
                _ => {
                    let ((rows, ra, rb), (n, a, b)) = (last(rank - 2), last(rank - 1));
                    let (start, end) = (range.start.min(rows), range.end.min(rows));
                    if a == 1 || a == 0 || ra.unsigned_abs() >= a.unsigned_abs() {
                        for r in start as isize..end as isize {
                            line(from.offset(r * ra), to.offset(r * rb), 0..n, a, b);
                        }
                        return;
                    }
                    // Blocked transpose.
                    for r in (start..end).step_by(BLOCK) {
                        for c in (0..n).step_by(BLOCK) {
                            for i in r..(r + BLOCK).min(end) {
                                let (from, to) = (from.offset(i as isize * ra), to.offset(i as isize * rb));
                                line(from, to, c..(c + BLOCK).min(n), a, b);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Copies a range of elements from a line with stride `a` to a line with stride `b`.
#[inline(always)]
unsafe fn line<T: Copy>(from: *const T, to: *mut T, range: std::ops::Range<usize>, a: isize, b: isize) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match (a, b) {
            (1, 1) => std::ptr::copy_nonoverlapping(from.add(range.start), to.add(range.start), range.len()),
            (0, 1) => std::slice::from_raw_parts_mut(to.add(range.start), range.len()).fill(*from),
            _ => {
                for i in range.start as isize..range.end as isize {
                    *to.offset(i * b) = *from.offset(i * a);
                }
            }
        }
    }
}

impl StridedCopy {
    /// Returns the number of threads among which the outermost dimension is divided.
    fn parts(&self, threads: usize) -> usize {
        let count: usize = self.shape.iter().product();
        let n = self.shape.first().copied().unwrap_or(1);
        if count * self.width < KernelTuning::TUNED.min_parallel_copy { 1 } else { threads.min(n) }
    }

    /// Copies from one address to another, on at most the given number of threads.
    ///
    /// # Safety
    /// Both addresses are valid for the views.
    pub(super) unsafe fn copy(&self, from: usize, to: usize, threads: usize) {
        let count: usize = self.shape.iter().product();
        if count == 0 {
            return;
        }
        let (n, parts) = (self.shape.first().copied().unwrap_or(1), self.parts(threads));
        let at = |start: usize, elements: isize| start.wrapping_add_signed(elements * self.width as isize);
        let (from, to) = (at(from, self.start.0), at(to, self.start.1));
        let run = |i: usize| {
            let range = i * n / parts..(i + 1) * n / parts;
            let (from, to) = (from as *const u8, to as *mut u8);
            // SAFETY: guaranteed by the caller; parts write disjoint elements.
            unsafe {
                match self.width {
                    1 => self.part(from, to, range),
                    2 => self.part(from.cast::<u16>(), to.cast::<u16>(), range),
                    4 => self.part(from.cast::<u32>(), to.cast::<u32>(), range),
                    _ => self.part(from.cast::<u64>(), to.cast::<u64>(), range),
                }
            }
        };
        match parts {
            1 => run(0),
            parts => (0..parts).into_par_iter().for_each(run),
        }
    }
}

impl Kernel for StridedCopy {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: the step was compiled for these views.
        unsafe { self.copy(memory.reads[0] as usize, memory.writes[0] as usize, cx.threads) };
        Ok(())
    }

    fn work(&self, threads: usize) -> Work {
        let count: usize = self.shape.iter().product();
        let innermost = |strides: &[isize]| strides.last().copied().unwrap_or(0);
        let in_lines = matches!((innermost(&self.from), innermost(&self.to)), (0 | 1, 1));
        let bytes = count * self.width;
        let work = Work::default().with_access(MemoryAccess::Read(0), bytes).with_access(MemoryAccess::Write(0), bytes);
        let work = work.with_max_cores(self.parts(threads));
        match self.shape.last() {
            Some(&n) if in_lines && n > 0 => work.with(Cost::Line, count / n),
            _ => work.with(Cost::ScatteredElement, count),
        }
    }
}
