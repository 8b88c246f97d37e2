//! Kernel of a fused loop.

use super::compute::{self, Operand};
use super::memory::{element, iota, load, store};
use super::work::work;
use crate::tuning::KernelTuning;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::tensor::Scalar;
use partita_lowering::fusion::row_loop::{Access, Instr, Reg, RegClass, RegKind, RowLayout, RowLoop};
use partita_lowering::view::Dims;
use partita_machine::host::Work;
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

/// Fused loop as a kernel.
pub(crate) struct FusedKernel {
    pub(crate) row_loop: RowLoop,
    pub(crate) arch: Arch,
    /// Maximum number of threads, for which scratch memory is allocated.
    pub(crate) threads: usize,
}

/// Part of the iteration space: rows and elements of each row.
#[derive(Clone)]
struct Part {
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
}

impl FusedKernel {
    /// Returns the bytes of scratch memory: registers and accumulators for each thread.
    pub(crate) fn scratch(&self) -> usize {
        self.row_loop.register_bytes() * self.threads + self.sums_bytes() * self.threads
    }

    fn sums_bytes(&self) -> usize {
        let each = self.row_loop.accumulated.iter().zip(self.sum_classes());
        each.map(|(&(_, count, ..), class)| sum_bytes(count, class)).sum()
    }

    /// Returns the register class of the accumulators of each accumulated result: `f64` for long sums of `f32`, whose
    /// error would grow, otherwise the class of the result.
    fn sum_classes(&self) -> Vec<RegClass> {
        let p = &self.row_loop;
        let elements = p.rows().saturating_mul(p.row);
        let class = |&(_, count, dtype, monoid): &(usize, usize, DType, Monoid)| match RegClass::from_dtype(dtype) {
            RegClass::F32 if monoid == Monoid::Sum && elements / count.max(1) > compute::MAX_F32_SUM_ELEMENTS => {
                RegClass::F64
            }
            class => class,
        };
        p.accumulated.iter().map(class).collect()
    }

    /// Partitions the iteration space among threads. Also returns true if several parts accumulate into the same
    /// elements.
    fn parts(&self, threads: usize) -> (Vec<Part>, bool) {
        let p = &self.row_loop;
        let (rows, row) = (p.rows(), p.row);
        let threads = threads.min(self.threads);
        let work = rows.saturating_mul(row).saturating_mul(p.instrs.len());
        if threads < 2 || work < KernelTuning::TUNED.min_parallel_loop {
            return (vec![Part { rows: 0..rows, columns: 0..row }], false);
        }
        let cut = |n: usize, i: usize| i * n / threads;
        let sums = !p.accumulated.is_empty();
        // Columns can be partitioned if no instruction reduces along them; then no two threads accumulate into the same
        // element.
        let columns_are_independent =
            !p.instrs.iter().any(|i| matches!(i, Instr::Reduce { .. })) && self.rows_are_divisible();
        let adds_along_row =
            p.instrs.iter().any(|i| matches!(i, Instr::Accumulate { to, .. } if to.layout != RowLayout::Contiguous));
        if columns_are_independent && !adds_along_row && row >= threads * 64 && (sums || rows < threads) {
            let columns = |i: usize| (cut(row, i) & !15)..(if i + 1 == threads { row } else { cut(row, i + 1) & !15 });
            return ((0..threads).map(|i| Part { rows: 0..rows, columns: columns(i) }).collect(), false);
        }
        let parts = (0..threads).map(|i| Part { rows: cut(rows, i)..cut(rows, i + 1), columns: 0..row });
        (parts.filter(|part| !part.rows.is_empty()).collect(), sums)
    }

    /// Returns true if computation of a row can start at any element.
    fn rows_are_divisible(&self) -> bool {
        self.row_loop.instrs.iter().all(|i| match i {
            Instr::Load { from: access, .. }
            | Instr::Store { to: access, .. }
            | Instr::Accumulate { to: access, .. } => !matches!(access.layout, RowLayout::Box(..)),
            _ => true,
        })
    }
}

/// Returns the bytes of the accumulators of one result in scratch memory.
fn sum_bytes(count: usize, class: RegClass) -> usize {
    (count * class.bytes()).next_multiple_of(64)
}

/// Returns true if a dtype has the same representation in memory and in registers.
pub(super) fn is_native(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64 | DType::I64 | DType::U64)
}

/// Returns true if a reduction accumulates in the memory of its result.
fn accumulates_in_result(dtype: DType, sums: RegClass) -> bool {
    is_native(dtype) && sums == RegClass::from_dtype(dtype)
}

impl Kernel for FusedKernel {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let p = &self.row_loop;
        let (parts, shares_sums) = self.parts(cx.threads);
        let sum_classes = self.sum_classes();
        // Address of the accumulators of each accumulated result for each part. A part has separate accumulators if
        // others accumulate into the same elements, or if the result is narrower than the accumulators.
        let mut next = memory.scratch.wrapping_add(p.register_bytes() * self.threads) as usize;
        let mut sums_of = |part: usize| -> Vec<usize> {
            let place = |(&(write, count, dtype, _), &class): (&(usize, usize, DType, Monoid), &RegClass)| {
                if part == 0 && accumulates_in_result(dtype, class) {
                    return memory.writes[write] as usize;
                }
                next += sum_bytes(count, class);
                next - sum_bytes(count, class)
            };
            p.accumulated.iter().zip(&sum_classes).map(place).collect()
        };
        // Parts that accumulate into disjoint elements share accumulators.
        let sums: Vec<Vec<usize>> = match shares_sums {
            true => (0..parts.len()).map(sums_of).collect(),
            false => vec![sums_of(0); parts.len()],
        };
        let distinct = if shares_sums { parts.len() } else { 1 };
        for of_part in sums.iter().take(distinct) {
            for ((&at, &(_, count, dtype, monoid)), &class) in of_part.iter().zip(&p.accumulated).zip(&sum_classes) {
                // SAFETY: the memory has room for `count` elements.
                unsafe { fill_identity(at as *mut u8, count, class, monoid.identity(dtype)) };
            }
        }
        let run = |(i, part): (usize, &Part)| {
            let registers = memory.scratch.wrapping_add(p.register_bytes() * i) as usize;
            let mut thread = Thread {
                row_loop: p,
                arch: self.arch,
                memory,
                registers: registers as *mut u8,
                sums: &sums[i],
                sum_classes: &sum_classes,
            };
            // SAFETY: parts write disjoint rows or columns, and have separate registers.
            unsafe { thread.run(part) };
        };
        match &parts[..] {
            [part] => run((0, part)),
            parts => parts.par_iter().enumerate().for_each(run),
        }
        for (a, &(write, count, dtype, monoid)) in p.accumulated.iter().enumerate() {
            let class = sum_classes[a];
            let first = sums[0][a] as *mut u8;
            for other in sums.iter().take(distinct).skip(1) {
                let from = Operand { start: other[a] as *const u8, single: false };
                self.arch.dispatch(AddAccumulators { monoid, class, count, from, to: first });
            }
            if !accumulates_in_result(dtype, class) {
                // SAFETY: as above; the result has `count` elements of its dtype. Narrowed accumulators overwrite the
                // wider ones in place.
                unsafe {
                    let sums = Operand { start: first, single: false };
                    if class != RegClass::from_dtype(dtype) {
                        compute::convert(class, RegClass::from_dtype(dtype), dtype, count, sums, first);
                    }
                    compute::narrow(dtype, count, first);
                    store(dtype, count, sums, memory.writes[write]);
                }
            }
        }
        Ok(())
    }

    fn work(&self, threads: usize) -> Work {
        work(&self.row_loop).with_max_cores(self.parts(threads).0.len())
    }
}

/// Initialises accumulators with the identity of the reduction.
unsafe fn fill_identity(at: *mut u8, count: usize, class: RegClass, identity: Scalar) {
    // SAFETY: the caller provides room for `count` elements of the class.
    unsafe {
        match class {
            RegClass::F32 => std::slice::from_raw_parts_mut(at.cast::<f32>(), count).fill(identity.to_f64() as f32),
            RegClass::F64 => std::slice::from_raw_parts_mut(at.cast::<f64>(), count).fill(identity.to_f64()),
            RegClass::Int => std::slice::from_raw_parts_mut(at.cast::<i64>(), count).fill(identity.to_i64()),
            RegClass::Bool => std::slice::from_raw_parts_mut(at.cast::<u32>(), count).fill(identity.to_i64() as u32),
        }
    }
}

/// Computation of a tile, compiled for the vector instructions of the machine. A closure might be called instead of
/// inlined, and would then not be compiled for them.
struct Tile<'t, 'a> {
    thread: &'t mut Thread<'a>,
    row: usize,
    index: &'t [usize],
    start: usize,
    len: usize,
    at: &'t mut [*mut u8],
}

impl NullaryFnOnce for Tile<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        // SAFETY: same as [`Thread::run`].
        unsafe { self.thread.tile(self.row, self.index, self.start, self.len, self.at) }
    }
}

/// Addition of one thread's accumulators to those of the first thread.
struct AddAccumulators {
    monoid: Monoid,
    class: RegClass,
    count: usize,
    from: Operand,
    to: *mut u8,
}

impl NullaryFnOnce for AddAccumulators {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        // SAFETY: both have `count` elements.
        unsafe { compute::combine(self.monoid, self.class, self.count, self.from, self.to) }
    }
}

/// State of one thread.
struct Thread<'a> {
    row_loop: &'a RowLoop,
    arch: Arch,
    memory: Memory<'a>,
    registers: *mut u8,
    /// Address of the accumulators of each accumulated result.
    sums: &'a [usize],
    /// Register class of the accumulators of each accumulated result.
    sum_classes: &'a [RegClass],
}

impl Thread<'_> {
    unsafe fn run(&mut self, part: &Part) {
        let p = self.row_loop;
        self.set_constants();
        let mut index: Dims<usize> = Dims::from_elem(0, p.outer.len());
        let mut rest = part.rows.start;
        for d in (0..p.outer.len()).rev() {
            index[d] = rest % p.outer[d];
            rest /= p.outer[d];
        }
        // Current address of each register's elements.
        let mut at: Vec<*mut u8> = (0..p.registers.len()).map(|r| self.register_memory(r as Reg)).collect();
        for row in part.rows.clone() {
            let mut start = part.columns.start;
            while start < part.columns.end {
                let len = p.tile.min(part.columns.end - start);
                let arch = self.arch;
                arch.dispatch(Tile { thread: self, row, index: &index, start, len, at: &mut at });
                start += len;
            }
            for d in (0..p.outer.len()).rev() {
                index[d] += 1;
                if index[d] < p.outer[d] {
                    break;
                }
                index[d] = 0;
            }
        }
    }

    /// Returns the memory of a register. Scalars are stored after the tiles.
    fn register_memory(&self, reg: Reg) -> *mut u8 {
        let p = self.row_loop;
        let tiles = (p.tile * 8).next_multiple_of(64);
        match p.registers[reg as usize] {
            RegKind::Vector(_) => self.registers.wrapping_add(p.slots[reg as usize] as usize * tiles),
            RegKind::Scalar(_) | RegKind::Constant(..) => {
                self.registers.wrapping_add(p.slot_count * tiles + reg as usize * 64)
            }
        }
    }

    fn set_constants(&self) {
        for (reg, holds) in self.row_loop.registers.iter().enumerate() {
            let RegKind::Constant(class, float, int) = *holds else { continue };
            let at = self.register_memory(reg as Reg);
            // SAFETY: each scalar has separate 64 bytes.
            unsafe {
                match class {
                    RegClass::F32 => at.cast::<f32>().write(float as f32),
                    RegClass::F64 => at.cast::<f64>().write(float),
                    RegClass::Int => at.cast::<i64>().write(int),
                    RegClass::Bool => at.cast::<u32>().write(int as u32),
                }
            }
        }
    }

    #[inline(always)]
    fn operand(&self, reg: Reg, at: &[*mut u8]) -> Operand {
        let single = !matches!(self.row_loop.registers[reg as usize], RegKind::Vector(_));
        Operand { start: at[reg as usize], single }
    }

    /// Returns the number of elements of an instruction's result.
    #[inline(always)]
    fn count(&self, reg: Reg, len: usize) -> usize {
        if matches!(self.row_loop.registers[reg as usize], RegKind::Vector(_)) { len } else { 1 }
    }

    /// Computes `len` elements of a row from `start` on. `row` is the linear index and `index` the multi-index of the
    /// same row.
    #[inline(always)]
    unsafe fn tile(&mut self, row: usize, index: &[usize], start: usize, len: usize, at: &mut [*mut u8]) {
        let p = self.row_loop;
        let class = |reg: Reg| p.registers[reg as usize].class();
        // SAFETY: registers have room for a tile, and accesses were compiled for the memory passed to the kernel.
        unsafe {
            for instr in &p.instrs {
                match *instr {
                    Instr::Load { to, ref from } => {
                        let memory = self.memory.reads[from.memory].cast_mut();
                        let n = self.count(to, len);
                        let source = element(from, memory, index, start);
                        if is_native(from.dtype) && (from.layout == RowLayout::Contiguous || n == 1) {
                            at[to as usize] = source;
                        } else {
                            at[to as usize] = self.register_memory(to);
                            load(from, n, start, source, at[to as usize]);
                        }
                    }
                    Instr::Iota { to, dtype, divisor, size } => {
                        let n = self.count(to, len);
                        iota(class(to), divisor, size, row * p.row + start, n, at[to as usize]);
                        compute::narrow(dtype, n, at[to as usize]);
                    }
                    Instr::Unary { op, to, a } => {
                        compute::unary(op, class(a), self.count(to, len), self.operand(a, at), at[to as usize]);
                    }
                    Instr::Binary { op, to, a, b } => {
                        let (n, d) = (self.count(to, len), at[to as usize]);
                        compute::binary(op, class(a), n, self.operand(a, at), self.operand(b, at), d);
                    }
                    Instr::Compare { direction, to, a, b } => {
                        let (n, d) = (self.count(to, len), at[to as usize]);
                        compute::compare(direction, class(a), n, self.operand(a, at), self.operand(b, at), d);
                    }
                    Instr::Select { to, p: q, a, b } => {
                        let (n, d) = (self.count(to, len), at[to as usize]);
                        let q = self.operand(q, at);
                        compute::select(class(to), n, q, self.operand(a, at), self.operand(b, at), d);
                    }
                    Instr::Convert { to, a, dtype } => {
                        let (n, d) = (self.count(to, len), at[to as usize]);
                        compute::convert(class(a), class(to), dtype, n, self.operand(a, at), d);
                        compute::narrow(dtype, n, d);
                    }
                    Instr::Narrow { reg, dtype } => {
                        compute::narrow(dtype, self.count(reg, len), at[reg as usize]);
                    }
                    Instr::Reduce { monoid, to, a } => {
                        compute::reduce(monoid, class(a), len, self.operand(a, at), at[to as usize]);
                    }
                    Instr::Store { a, ref to } => {
                        let from = self.operand(a, at);
                        // A scalar result of a row is written only for the first tile.
                        let n = if to.layout == RowLayout::Broadcast { usize::from(start == 0) } else { len };
                        let place = element(to, self.memory.writes[to.memory], index, start);
                        store(to.dtype, n, from, place);
                    }
                    Instr::Accumulate { monoid, a, ref to, over_row } => {
                        self.accumulate(monoid, a, to, index, start, len, at, over_row);
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn accumulate(
        &self,
        monoid: Monoid,
        a: Reg,
        to: &Access,
        index: &[usize],
        start: usize,
        len: usize,
        at: &[*mut u8],
        over_row: bool,
    ) {
        let p = self.row_loop;
        let number = p.accumulated.iter().position(|x| x.0 == to.memory).unwrap_or(0);
        let (class, from_class) = (self.sum_classes[number], p.registers[a as usize].class());
        let first: isize = to.offset + to.outer.iter().zip(index).map(|(s, &i)| s * i as isize).sum::<isize>();
        let from = self.operand(a, at);
        let sums = self.sums[number] as *mut u8;
        let place = |element: isize| sums.wrapping_offset(element * class.bytes() as isize);
        let is_wide = class != from_class;
        // SAFETY: the accumulators have an element for each that the access reaches.
        unsafe {
            let add = |n: usize, from: Operand, to: *mut u8| match is_wide {
                true => compute::add_to_wide(n, from, to),
                false => compute::combine(monoid, class, n, from, to),
            };
            match &to.layout {
                RowLayout::Contiguous => add(len, from, place(first + start as isize)),
                RowLayout::Broadcast if over_row && is_wide => compute::sum_to_wide(len, from, place(first)),
                RowLayout::Broadcast if over_row => {
                    let mut all = [0u64; 1];
                    let all = all.as_mut_ptr().cast::<u8>();
                    compute::reduce(monoid, class, len, from, all);
                    add(1, Operand { start: all, single: true }, place(first));
                }
                // A scalar value of a row is accumulated only for the first tile.
                RowLayout::Broadcast if start == 0 => add(1, from, place(first)),
                RowLayout::Broadcast => {}
                run => {
                    for i in 0..len {
                        let one = from.start.wrapping_add(if from.single { 0 } else { i * from_class.bytes() });
                        add(1, Operand { start: one, single: true }, place(first + run.offset(start + i)));
                    }
                }
            }
        }
    }
}
