//! Loads and stores between tensors and the registers of a fused loop.

use super::compute::Operand;
use partita_ir::dtype::DType;
use partita_lowering::fusion::row_loop::{Access, RegClass, RowLayout};

/// Returns the address of element `start` of a row. For a box, `start` is not included in the address.
#[inline(always)]
pub(super) fn element(access: &Access, memory: *mut u8, index: &[usize], start: usize) -> *mut u8 {
    let outer: isize = access.outer.iter().zip(index).map(|(stride, &i)| stride * i as isize).sum();
    let inner = if matches!(access.layout, RowLayout::Box(..)) { 0 } else { access.layout.offset(start) };
    memory.wrapping_offset((access.offset + outer + inner) * access.dtype.bytes() as isize)
}

/// Loads `n` elements into a register. For a box, `start` is added here; otherwise it is included in the address.
#[inline(always)]
pub(super) unsafe fn load(access: &Access, n: usize, start: usize, from: *const u8, to: *mut u8) {
    #[inline(always)]
    unsafe fn convert<S: Copy, D>(
        access: &Access,
        n: usize,
        start: usize,
        from: *const u8,
        to: *mut u8,
        f: impl Fn(S) -> D,
    ) {
        let (from, to) = (from.cast::<S>(), to.cast::<D>());
        // SAFETY: guaranteed by the caller.
        unsafe {
            match &access.layout {
                _ if n == 1 => {
                    to.write(f(*from.wrapping_offset(if start == 0 { 0 } else { box_offset(&access.layout, start) })))
                }
                RowLayout::Contiguous => for_each_index!(i, n, to.add(i).write(f(*from.add(i)))),
                RowLayout::Broadcast => {
                    let x = *from;
                    for_each_index!(i, n, to.add(i).write(f(x)))
                }
                RowLayout::Strided(stride) => {
                    for_each_index!(i, n, to.add(i).write(f(*from.offset(i as isize * stride))))
                }
                RowLayout::Box(sizes, strides) => {
                    // Runs along the innermost dimension.
                    let (inner, stride) = (sizes[sizes.len() - 1], strides[strides.len() - 1]);
                    let mut i = 0;
                    while i < n {
                        let (line, within) = ((start + i) / inner, (start + i) % inner);
                        let run = (inner - within).min(n - i);
                        let first = from.offset(access.layout.offset(line * inner + within));
                        for j in 0..run {
                            to.add(i + j).write(f(*first.offset(j as isize * stride)));
                        }
                        i += run;
                    }
                }
            }
        }
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        match access.dtype {
            DType::F32 => convert(access, n, start, from, to, |x: u32| x),
            DType::F64 | DType::I64 | DType::U64 => convert(access, n, start, from, to, |x: u64| x),
            DType::BF16 => convert(access, n, start, from, to, |x: u16| u32::from(x) << 16),
            DType::F16 => convert(access, n, start, from, to, |x: half::f16| x.to_f32()),
            DType::I32 => convert(access, n, start, from, to, |x: i32| i64::from(x)),
            DType::U32 => convert(access, n, start, from, to, |x: u32| i64::from(x)),
            DType::I16 => convert(access, n, start, from, to, |x: i16| i64::from(x)),
            DType::U16 => convert(access, n, start, from, to, |x: u16| i64::from(x)),
            DType::I8 | DType::I4 | DType::I2 => convert(access, n, start, from, to, |x: i8| i64::from(x)),
            DType::U8 | DType::U4 | DType::U2 => convert(access, n, start, from, to, |x: u8| i64::from(x)),
            DType::Mini(format) => convert(access, n, start, from, to, |x: u8| format.decode(x)),
            DType::Bool => convert(access, n, start, from, to, |x: u8| u32::from(x != 0)),
        }
    }
}

/// Returns [`RowLayout::offset`] for a box, otherwise 0.
#[inline(always)]
fn box_offset(run: &RowLayout, i: usize) -> isize {
    if matches!(run, RowLayout::Box(..)) { run.offset(i) } else { 0 }
}

/// Stores `n` elements of a register, which have been narrowed to the dtype.
#[inline(always)]
pub(super) unsafe fn store(dtype: DType, n: usize, from: Operand, to: *mut u8) {
    #[inline(always)]
    unsafe fn convert<S: Copy, D>(n: usize, from: Operand, to: *mut u8, f: impl Fn(S) -> D) {
        let (x, to) = (from.start.cast::<S>(), to.cast::<D>());
        // SAFETY: guaranteed by the caller.
        unsafe {
            if from.single {
                let x = *x;
                for_each_index!(i, n, to.add(i).write(f(x)))
            } else {
                for_each_index!(i, n, to.add(i).write(f(*x.add(i))))
            }
        }
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        match dtype {
            DType::F32 => convert(n, from, to, |x: u32| x),
            DType::F64 | DType::I64 | DType::U64 => convert(n, from, to, |x: u64| x),
            DType::BF16 => convert(n, from, to, |x: f32| half::bf16::from_f32(x)),
            DType::F16 => convert(n, from, to, |x: f32| half::f16::from_f32(x)),
            DType::I32 | DType::U32 => convert(n, from, to, |x: i64| x as u32),
            DType::I16 | DType::U16 => convert(n, from, to, |x: i64| x as u16),
            DType::I8 | DType::I4 | DType::I2 => convert(n, from, to, |x: i64| x as u8),
            DType::U8 | DType::U4 | DType::U2 => convert(n, from, to, |x: i64| x as u8),
            DType::Mini(format) => convert(n, from, to, |x: f32| format.encode(x)),
            DType::Bool => convert(n, from, to, |x: u32| x as u8),
        }
    }
}

/// Writes `n` indices of an iota, starting at position `first`.
#[inline(always)]
pub(super) unsafe fn iota(class: RegClass, divisor: usize, size: usize, first: usize, n: usize, to: *mut u8) {
    let at = |i: usize| (first + i) / divisor % size;
    // SAFETY: the register has room for `n` elements.
    unsafe {
        match class {
            RegClass::F32 => for_each_index!(i, n, to.cast::<f32>().add(i).write(at(i) as f32)),
            RegClass::F64 => for_each_index!(i, n, to.cast::<f64>().add(i).write(at(i) as f64)),
            RegClass::Int => for_each_index!(i, n, to.cast::<i64>().add(i).write(at(i) as i64)),
            RegClass::Bool => for_each_index!(i, n, to.cast::<u32>().add(i).write(at(i) as u32)),
        }
    }
}
