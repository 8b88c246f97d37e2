//! Between the memory of operands and results and the registers of a fused loop.

use super::compute::Operand;
use partita_ir::dtype::DType;
use partita_lowering::fusion::row_loop::{Access, Lane, Run};

/// The address of element `start` of a row.
#[inline(always)]
pub(super) fn element(access: &Access, memory: *mut u8, index: &[usize], start: usize) -> *mut u8 {
    let outer: isize = access.outer.iter().zip(index).map(|(stride, &i)| stride * i as isize).sum();
    let inner = if matches!(access.run, Run::Box(..)) { 0 } else { access.run.offset(start) };
    memory.wrapping_offset((access.offset + outer + inner) * access.dtype.bytes() as isize)
}

/// Reads `n` elements into a register. Of a box the row's `start` is added here, elsewhere it is in the address.
#[inline(always)]
pub(super) unsafe fn from_memory(access: &Access, n: usize, start: usize, from: *const u8, to: *mut u8) {
    #[inline(always)]
    unsafe fn all<S: Copy, D>(
        access: &Access,
        n: usize,
        start: usize,
        from: *const u8,
        to: *mut u8,
        f: impl Fn(S) -> D,
    ) {
        let (from, to) = (from.cast::<S>(), to.cast::<D>());
        // SAFETY: what the caller promises.
        unsafe {
            match &access.run {
                _ if n == 1 => {
                    to.write(f(*from.wrapping_offset(if start == 0 { 0 } else { box_offset(&access.run, start) })))
                }
                Run::Dense => below!(i, n, to.add(i).write(f(*from.add(i)))),
                Run::Same => {
                    let x = *from;
                    below!(i, n, to.add(i).write(f(x)))
                }
                Run::Strided(stride) => below!(i, n, to.add(i).write(f(*from.offset(i as isize * stride)))),
                Run::Box(sizes, strides) => {
                    // Runs along the innermost dimension.
                    let (inner, stride) = (sizes[sizes.len() - 1], strides[strides.len() - 1]);
                    let mut i = 0;
                    while i < n {
                        let (line, within) = ((start + i) / inner, (start + i) % inner);
                        let run = (inner - within).min(n - i);
                        let first = from.offset(access.run.offset(line * inner + within));
                        for j in 0..run {
                            to.add(i + j).write(f(*first.offset(j as isize * stride)));
                        }
                        i += run;
                    }
                }
            }
        }
    }
    // SAFETY: what the caller promises.
    unsafe {
        match access.dtype {
            DType::F32 => all(access, n, start, from, to, |x: u32| x),
            DType::F64 | DType::I64 | DType::U64 => all(access, n, start, from, to, |x: u64| x),
            DType::BF16 => all(access, n, start, from, to, |x: u16| u32::from(x) << 16),
            DType::F16 => all(access, n, start, from, to, |x: half::f16| x.to_f32()),
            DType::I32 => all(access, n, start, from, to, |x: i32| i64::from(x)),
            DType::U32 => all(access, n, start, from, to, |x: u32| i64::from(x)),
            DType::I8 => all(access, n, start, from, to, |x: i8| i64::from(x)),
            DType::U8 => all(access, n, start, from, to, |x: u8| i64::from(x)),
            DType::Bool => all(access, n, start, from, to, |x: u8| u32::from(x != 0)),
        }
    }
}

/// As [`Run::offset`], of a box only.
#[inline(always)]
fn box_offset(run: &Run, i: usize) -> isize {
    if matches!(run, Run::Box(..)) { run.offset(i) } else { 0 }
}

/// Writes `n` elements of a register, which are as narrow as the dtype.
#[inline(always)]
pub(super) unsafe fn to_memory(dtype: DType, n: usize, from: Operand, to: *mut u8) {
    #[inline(always)]
    unsafe fn all<S: Copy, D>(n: usize, from: Operand, to: *mut u8, f: impl Fn(S) -> D) {
        let (x, to) = (from.start.cast::<S>(), to.cast::<D>());
        // SAFETY: what the caller promises.
        unsafe {
            if from.single {
                let x = *x;
                below!(i, n, to.add(i).write(f(x)))
            } else {
                below!(i, n, to.add(i).write(f(*x.add(i))))
            }
        }
    }
    // SAFETY: what the caller promises.
    unsafe {
        match dtype {
            DType::F32 => all(n, from, to, |x: u32| x),
            DType::F64 | DType::I64 | DType::U64 => all(n, from, to, |x: u64| x),
            DType::BF16 => all(n, from, to, |x: f32| half::bf16::from_f32(x)),
            DType::F16 => all(n, from, to, |x: f32| half::f16::from_f32(x)),
            DType::I32 | DType::U32 => all(n, from, to, |x: i64| x as u32),
            DType::I8 | DType::U8 => all(n, from, to, |x: i64| x as u8),
            DType::Bool => all(n, from, to, |x: u32| x as u8),
        }
    }
}

/// Writes indices of the positions from `first` on.
#[inline(always)]
pub(super) unsafe fn count(lane: Lane, divisor: usize, size: usize, first: usize, n: usize, to: *mut u8) {
    let at = |i: usize| (first + i) / divisor % size;
    // SAFETY: the register has room for so many elements.
    unsafe {
        match lane {
            Lane::F32 => below!(i, n, to.cast::<f32>().add(i).write(at(i) as f32)),
            Lane::F64 => below!(i, n, to.cast::<f64>().add(i).write(at(i) as f64)),
            Lane::Int => below!(i, n, to.cast::<i64>().add(i).write(at(i) as i64)),
            Lane::Bool => below!(i, n, to.cast::<u32>().add(i).write(at(i) as u32)),
        }
    }
}
