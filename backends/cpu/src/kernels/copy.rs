//! Moving elements from one order to another.

use crate::lower::{Lowerer, offset};
use crate::view::{Dims, View, dense_strides};
use partita_ir::arena::OpId;
use partita_ir::ops::{Concatenate, Pad};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use rayon::prelude::*;

/// Bytes from which on threads share the work.
const WORTH_SHARING: usize = 1 << 17;

/// Side of the square in which a transposition goes through the cache.
const BLOCK: usize = 16;

/// Copies elements from a view to a view of the same shape; offsets are in the addresses.
pub(crate) struct Strided {
    /// Outer to inner; the last two are copied in blocks.
    shape: Dims<usize>,
    from: Dims<isize>,
    to: Dims<isize>,
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
    /// Copies from one address to the other on so many threads.
    ///
    /// # Safety
    /// Both addresses are good for the views.
    pub(super) unsafe fn copy(&self, from: usize, to: usize, threads: usize) {
        let count: usize = self.shape.iter().product();
        if count == 0 {
            return;
        }
        let n = self.shape.first().copied().unwrap_or(1);
        let parts = if count * self.width < WORTH_SHARING { 1 } else { threads.min(n) };
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
}

/// A reshape of what does not lie as its result wants it.
pub(super) fn lower_reshape(to: &mut Lowerer<'_>, id: OpId) -> bool {
    let op = &to.program.ops[id];
    let (span, view) = to.strided(op.args[0]);
    let ty = to.program.ty(op.args[0]);
    let width = ty.dtype.bytes() as usize;
    let result = to.result(id);
    let kernel = Strided::new(&view, &View::dense(&ty.shape), width);
    to.compute(id, kernel, vec![offset(span, view.offset, width)], vec![result]);
    true
}

/// Each operand is copied to its place.
pub(super) fn lower_concatenate(to: &mut Lowerer<'_>, id: OpId, concatenate: &Concatenate) -> bool {
    let program = to.program;
    let op = &program.ops[id];
    let out = program.ty(op.outs[0]);
    let width = out.dtype.bytes() as usize;
    let strides = dense_strides(&out.shape);
    let result = to.result(id);
    let mut at = 0;
    for &arg in &op.args {
        let (span, view) = to.strided(arg);
        let part = View { shape: view.shape.clone(), strides: strides.clone(), offset: 0 };
        let place = offset(result, at as isize * strides[concatenate.dim], width);
        at += view.shape[concatenate.dim];
        if view.count() > 0 {
            let kernel = Strided::new(&view, &part, width);
            to.compute(id, kernel, vec![offset(span, view.offset, width)], vec![place]);
        }
    }
    true
}

/// The padding everywhere, then the operand over it.
pub(super) fn lower_pad(to: &mut Lowerer<'_>, id: OpId, pad: &Pad) -> bool {
    let program = to.program;
    let op = &program.ops[id];
    let out = program.ty(op.outs[0]);
    let width = out.dtype.bytes() as usize;
    let (fill, fill_view) = to.strided(op.args[1]);
    let (span, mut view) = to.strided(op.args[0]);
    let result = to.result(id);
    let everywhere = Strided::new(&View::repeated(&out.shape), &View::dense(&out.shape), width);
    to.compute(id, everywhere, vec![offset(fill, fill_view.offset, width)], vec![result]);
    let mut part = View::dense(&out.shape);
    for d in 0..out.shape.rank() {
        let step = pad.interior.get(d).copied().unwrap_or(0) + 1;
        let low = pad.low.get(d).copied().unwrap_or(0);
        // Of the operand what lies inside of the result: element i is at low + i * step.
        let (n, size) = (view.shape[d] as i64, out.shape[d] as i64);
        let first = if low < 0 { (-low + step as i64 - 1) / step as i64 } else { 0 };
        let behind = if size > low { ((size - 1 - low).max(-1) / step as i64 + 1).min(n) } else { 0 };
        let len = (behind - first).max(0) as usize;
        view = view.sliced(d, if len == 0 { 0 } else { first as usize }, len, 1);
        let start = low + first * step as i64;
        part = part.sliced(d, if len == 0 { 0 } else { start as usize }, len, step);
    }
    if view.count() > 0 {
        let kernel = Strided::new(&view, &part, width);
        to.compute(id, kernel, vec![offset(span, view.offset, width)], vec![offset(result, part.offset, width)]);
    }
    true
}
