//! Moving elements from one order to another.

use crate::tuning::KernelTuning;
use partita_lowering::view::{Dims, View};
use partita_machine::host::{Cost, Touch, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use rayon::prelude::*;

/// Side of the square in which a transposition goes through the cache.
const BLOCK: usize = KernelTuning::TUNED.transposed_side;

/// Copies elements from a view to a view of the same shape.
pub(crate) struct Strided {
    /// Outer to inner; the last two are copied in blocks.
    shape: Dims<usize>,
    from: Dims<isize>,
    to: Dims<isize>,
    /// Elements from the addresses to the first ones.
    start: (isize, isize),
    /// Bytes of an element.
    width: usize,
}

impl Strided {
    pub(crate) fn new(from: &View, to: &View, width: usize) -> Strided {
        // Dimensions by their stride in the result, those that lie together as one.
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
        // The dimension that is innermost in the operand comes next to the one that is innermost in the result.
        if joined.len() > 2 && joined[joined.len() - 1].1.unsigned_abs() != 1 {
            let last = joined.len() - 1;
            if let Some(inner) = (0..last).min_by_key(|&d| joined[d].1.unsigned_abs()) {
                let dim = joined.remove(inner);
                joined.insert(last - 1, dim);
            }
        }
        Strided {
            shape: joined.iter().map(|d| d.0).collect(),
            from: joined.iter().map(|d| d.1).collect(),
            to: joined.iter().map(|d| d.2).collect(),
            start: (from.offset, to.offset),
            width,
        }
    }

    /// Copies the part of the outermost dimension.
    ///
    /// # Safety
    /// Both addresses are good for the views.
    unsafe fn part<T: Copy>(&self, from: *const T, to: *mut T, range: std::ops::Range<usize>) {
        let rank = self.shape.len();
        let outer = rank.saturating_sub(2);
        let mut index: Dims<usize> = Dims::from_elem(0, outer);
        let first = if outer > 0 { range.clone() } else { 0..1 };
        // SAFETY: what the caller promises.
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

    /// Copies the last two dimensions, of the first of them the rows in the range.
    unsafe fn plane<T: Copy>(&self, from: *const T, to: *mut T, range: std::ops::Range<usize>) {
        let rank = self.shape.len();
        let last = |d: usize| (self.shape[d], self.from[d], self.to[d]);
        // SAFETY: what the caller promises.
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
                    // A transposition, block by block.
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

/// Copies elements at equal distances.
#[inline(always)]
unsafe fn line<T: Copy>(from: *const T, to: *mut T, range: std::ops::Range<usize>, a: isize, b: isize) {
    // SAFETY: what the caller promises.
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

impl Strided {
    /// How many threads share the work.
    fn parts(&self, threads: usize) -> usize {
        let count: usize = self.shape.iter().product();
        let n = self.shape.first().copied().unwrap_or(1);
        if count * self.width < KernelTuning::TUNED.shared_copy { 1 } else { threads.min(n) }
    }

    /// Copies from one address to the other on so many threads.
    ///
    /// # Safety
    /// Both addresses are good for the views.
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
            // SAFETY: what the caller promises; parts write different elements.
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

impl Kernel for Strided {
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
        let work = Work::default().over(Touch::Read(0), bytes).over(Touch::Written(0), bytes);
        let work = work.shared_by(self.parts(threads));
        match self.shape.last() {
            Some(&n) if in_lines && n > 0 => work.with(Cost::Line, count / n),
            _ => work.with(Cost::Scattered, count),
        }
    }
}
