//! Running a fused loop.

use super::compute::{self, Operand};
use super::memory::{count, element, from_memory, to_memory};
use super::work::work;
use crate::tuning::KernelTuning;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::tensor::Scalar;
use partita_lowering::fusion::row_loop::{Access, Holds, Instr, Lane, Reg, RowLoop, Run};
use partita_lowering::view::Dims;
use partita_machine::host::Work;
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

/// A fused loop as a kernel.
pub(crate) struct Fused {
    pub(crate) row_loop: RowLoop,
    pub(crate) arch: Arch,
    /// On how many threads it was planned to run.
    pub(crate) threads: usize,
}

/// A part of the work: rows, and elements of each.
#[derive(Clone)]
struct Part {
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
}

impl Fused {
    /// Bytes of scratch memory: registers for each thread, and sums of its own for each thread but the first.
    pub(crate) fn scratch(&self) -> usize {
        self.row_loop.register_bytes() * self.threads + self.sums_bytes() * self.threads
    }

    fn sums_bytes(&self) -> usize {
        let each = self.row_loop.accumulated.iter().zip(self.sum_lanes());
        each.map(|(&(_, count, ..), lane)| sum_bytes(count, lane)).sum()
    }

    /// The lane of each accumulated result's sums: `f64` for those of so many `f32`s that their error would grow, else
    /// that of the result.
    fn sum_lanes(&self) -> Vec<Lane> {
        let p = &self.row_loop;
        let elements = p.rows().saturating_mul(p.row);
        let lane = |&(_, count, dtype, monoid): &(usize, usize, DType, Monoid)| match Lane::of(dtype) {
            Lane::F32 if monoid == Monoid::Sum && elements / count.max(1) > compute::SUM_BLOCK => Lane::F64,
            lane => lane,
        };
        p.accumulated.iter().map(lane).collect()
    }

    /// The parts into which the work falls, and whether their sums are of the same elements.
    fn parts(&self, threads: usize) -> (Vec<Part>, bool) {
        let p = &self.row_loop;
        let (rows, row) = (p.rows(), p.row);
        let threads = threads.min(self.threads);
        let work = rows.saturating_mul(row).saturating_mul(p.instrs.len());
        if threads < 2 || work < KernelTuning::TUNED.shared_loop {
            return (vec![Part { rows: 0..rows, columns: 0..row }], false);
        }
        let cut = |n: usize, i: usize| i * n / threads;
        let sums = !p.accumulated.is_empty();
        // Columns fall apart where nothing is combined along them; then no two threads add to the same sum.
        let columns_apart = !p.instrs.iter().any(|i| matches!(i, Instr::Reduce { .. })) && self.simple_rows();
        let adds_along_row = p.instrs.iter().any(|i| matches!(i, Instr::Accumulate { to, .. } if to.run != Run::Dense));
        if columns_apart && !adds_along_row && row >= threads * 64 && (sums || rows < threads) {
            let columns = |i: usize| (cut(row, i) & !15)..(if i + 1 == threads { row } else { cut(row, i + 1) & !15 });
            return ((0..threads).map(|i| Part { rows: 0..rows, columns: columns(i) }).collect(), false);
        }
        let parts = (0..threads).map(|i| Part { rows: cut(rows, i)..cut(rows, i + 1), columns: 0..row });
        (parts.filter(|part| !part.rows.is_empty()).collect(), sums)
    }

    /// Whether a row can be entered in the middle.
    fn simple_rows(&self) -> bool {
        self.row_loop.instrs.iter().all(|i| match i {
            Instr::Load { from: access, .. }
            | Instr::Store { to: access, .. }
            | Instr::Accumulate { to: access, .. } => !matches!(access.run, Run::Box(..)),
            _ => true,
        })
    }
}

/// Bytes of sums in a thread's own memory.
fn sum_bytes(count: usize, lane: Lane) -> usize {
    (count * lane.bytes()).next_multiple_of(64)
}

/// Whether elements lie in memory as in registers.
pub(super) fn is_native(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64 | DType::I64 | DType::U64)
}

/// Returns whether a reduction accumulates in the memory of its result.
fn is_in_place(dtype: DType, sums: Lane) -> bool {
    is_native(dtype) && sums == Lane::of(dtype)
}

impl Kernel for Fused {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let p = &self.row_loop;
        let (parts, same_sums) = self.parts(cx.threads);
        let lanes = self.sum_lanes();
        // By part and accumulated result, where its sums are: a part has its own where others add to the same ones, or
        // where results are narrower than sums.
        let mut next = memory.scratch.wrapping_add(p.register_bytes() * self.threads) as usize;
        let mut sums_of = |part: usize| -> Vec<usize> {
            let place = |(&(write, count, dtype, _), &lane): (&(usize, usize, DType, Monoid), &Lane)| {
                if part == 0 && is_in_place(dtype, lane) {
                    return memory.writes[write] as usize;
                }
                next += sum_bytes(count, lane);
                next - sum_bytes(count, lane)
            };
            p.accumulated.iter().zip(&lanes).map(place).collect()
        };
        // Parts that add to different elements share the memory of sums.
        let sums: Vec<Vec<usize>> = match same_sums {
            true => (0..parts.len()).map(sums_of).collect(),
            false => vec![sums_of(0); parts.len()],
        };
        let distinct = if same_sums { parts.len() } else { 1 };
        for of_part in sums.iter().take(distinct) {
            for ((&at, &(_, count, dtype, monoid)), &lane) in of_part.iter().zip(&p.accumulated).zip(&lanes) {
                // SAFETY: there is room for so many elements.
                unsafe { fill(at as *mut u8, count, lane, monoid.identity(dtype)) };
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
                lanes: &lanes,
            };
            // SAFETY: parts write different rows or columns, and have registers of their own.
            unsafe { thread.run(part) };
        };
        match &parts[..] {
            [part] => run((0, part)),
            parts => parts.par_iter().enumerate().for_each(run),
        }
        for (a, &(write, count, dtype, monoid)) in p.accumulated.iter().enumerate() {
            let lane = lanes[a];
            let first = sums[0][a] as *mut u8;
            for other in sums.iter().take(distinct).skip(1) {
                let from = Operand { start: other[a] as *const u8, single: false };
                self.arch.dispatch(Add { monoid, lane, count, from, to: first });
            }
            if !is_in_place(dtype, lane) {
                // SAFETY: as above; the result has so many elements of its dtype. A narrower sum takes the place of its
                // own wider one.
                unsafe {
                    let sums = Operand { start: first, single: false };
                    if lane != Lane::of(dtype) {
                        compute::convert(lane, Lane::of(dtype), dtype, count, sums, first);
                    }
                    compute::narrow(dtype, count, first);
                    to_memory(dtype, count, sums, memory.writes[write]);
                }
            }
        }
        Ok(())
    }

    fn work(&self, threads: usize) -> Work {
        work(&self.row_loop).shared_by(self.parts(threads).0.len())
    }
}

/// Fills sums with what changes nothing.
unsafe fn fill(at: *mut u8, count: usize, lane: Lane, identity: Scalar) {
    // SAFETY: the caller has room for so many elements of the lane.
    unsafe {
        match lane {
            Lane::F32 => std::slice::from_raw_parts_mut(at.cast::<f32>(), count).fill(identity.to_f64() as f32),
            Lane::F64 => std::slice::from_raw_parts_mut(at.cast::<f64>(), count).fill(identity.to_f64()),
            Lane::Int => std::slice::from_raw_parts_mut(at.cast::<i64>(), count).fill(identity.to_i64()),
            Lane::Bool => std::slice::from_raw_parts_mut(at.cast::<u32>(), count).fill(identity.to_i64() as u32),
        }
    }
}

/// A tile to be computed, in code for the vectors of the machine. A closure would not be compiled for them: it may be
/// called instead of taken in.
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
        // SAFETY: as [`Thread::run`].
        unsafe { self.thread.tile(self.row, self.index, self.start, self.len, self.at) }
    }
}

/// Sums of a thread to be added to those of the first.
struct Add {
    monoid: Monoid,
    lane: Lane,
    count: usize,
    from: Operand,
    to: *mut u8,
}

impl NullaryFnOnce for Add {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        // SAFETY: both have so many elements.
        unsafe { compute::combine(self.monoid, self.lane, self.count, self.from, self.to) }
    }
}

/// One thread's registers.
struct Thread<'a> {
    row_loop: &'a RowLoop,
    arch: Arch,
    memory: Memory<'a>,
    registers: *mut u8,
    /// By accumulated result, where its sums are.
    sums: &'a [usize],
    /// And their lane.
    lanes: &'a [Lane],
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
        // Where each register's elements are now.
        let mut at: Vec<*mut u8> = (0..p.registers.len()).map(|r| self.home(r as Reg)).collect();
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

    /// The register's own memory. Numbers come behind the tiles.
    fn home(&self, reg: Reg) -> *mut u8 {
        let p = self.row_loop;
        let tiles = (p.tile * 8).next_multiple_of(64);
        match p.registers[reg as usize] {
            Holds::Row(_) => self.registers.wrapping_add(p.places[reg as usize] as usize * tiles),
            Holds::Number(_) | Holds::Constant(..) => {
                self.registers.wrapping_add(p.place_count * tiles + reg as usize * 64)
            }
        }
    }

    fn set_constants(&self) {
        for (reg, holds) in self.row_loop.registers.iter().enumerate() {
            let Holds::Constant(lane, float, int) = *holds else { continue };
            let at = self.home(reg as Reg);
            // SAFETY: each number has 64 bytes of its own.
            unsafe {
                match lane {
                    Lane::F32 => at.cast::<f32>().write(float as f32),
                    Lane::F64 => at.cast::<f64>().write(float),
                    Lane::Int => at.cast::<i64>().write(int),
                    Lane::Bool => at.cast::<u32>().write(int as u32),
                }
            }
        }
    }

    #[inline(always)]
    fn operand(&self, reg: Reg, at: &[*mut u8]) -> Operand {
        let single = !matches!(self.row_loop.registers[reg as usize], Holds::Row(_));
        Operand { start: at[reg as usize], single }
    }

    /// How many elements an instruction gives.
    #[inline(always)]
    fn count(&self, reg: Reg, len: usize) -> usize {
        if matches!(self.row_loop.registers[reg as usize], Holds::Row(_)) { len } else { 1 }
    }

    /// Computes `len` elements of a row from `start` on. The row's number and its index along outer dimensions say the
    /// same.
    #[inline(always)]
    unsafe fn tile(&mut self, row: usize, index: &[usize], start: usize, len: usize, at: &mut [*mut u8]) {
        let p = self.row_loop;
        let lane = |reg: Reg| p.registers[reg as usize].lane();
        // SAFETY: registers have room for a tile, and accesses were made for the memory that the kernel is given.
        unsafe {
            for instr in &p.instrs {
                match *instr {
                    Instr::Load { to, ref from } => {
                        let memory = self.memory.reads[from.memory].cast_mut();
                        let n = self.count(to, len);
                        let source = element(from, memory, index, start);
                        if is_native(from.dtype) && (from.run == Run::Dense || n == 1) {
                            at[to as usize] = source;
                        } else {
                            at[to as usize] = self.home(to);
                            from_memory(from, n, start, source, at[to as usize]);
                        }
                    }
                    Instr::Count { to, dtype, divisor, size } => {
                        let n = self.count(to, len);
                        count(lane(to), divisor, size, row * p.row + start, n, at[to as usize]);
                        compute::narrow(dtype, n, at[to as usize]);
                    }
                    Instr::Unary { op, to, a } => {
                        compute::unary(op, lane(a), self.count(to, len), self.operand(a, at), at[to as usize]);
                    }
                    Instr::Binary { op, to, a, b } => {
                        let (n, d) = (self.count(to, len), at[to as usize]);
                        compute::binary(op, lane(a), n, self.operand(a, at), self.operand(b, at), d);
                    }
                    Instr::Compare { direction, to, a, b } => {
                        let (n, d) = (self.count(to, len), at[to as usize]);
                        compute::compare(direction, lane(a), n, self.operand(a, at), self.operand(b, at), d);
                    }
                    Instr::Select { to, p: q, a, b } => {
                        let (n, d) = (self.count(to, len), at[to as usize]);
                        let q = self.operand(q, at);
                        compute::select(lane(to), n, q, self.operand(a, at), self.operand(b, at), d);
                    }
                    Instr::Convert { to, a, dtype } => {
                        let (n, d) = (self.count(to, len), at[to as usize]);
                        compute::convert(lane(a), lane(to), dtype, n, self.operand(a, at), d);
                        compute::narrow(dtype, n, d);
                    }
                    Instr::Narrow { reg, dtype } => {
                        compute::narrow(dtype, self.count(reg, len), at[reg as usize]);
                    }
                    Instr::Reduce { monoid, to, a } => {
                        compute::reduce(monoid, lane(a), len, self.operand(a, at), at[to as usize]);
                    }
                    Instr::Store { a, ref to } => {
                        let from = self.operand(a, at);
                        // A number for the whole row is written once, however many tiles it has.
                        let n = if to.run == Run::Same { usize::from(start == 0) } else { len };
                        let place = element(to, self.memory.writes[to.memory], index, start);
                        to_memory(to.dtype, n, from, place);
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
        let (lane, from_lane) = (self.lanes[number], p.registers[a as usize].lane());
        let first: isize = to.offset + to.outer.iter().zip(index).map(|(s, &i)| s * i as isize).sum::<isize>();
        let from = self.operand(a, at);
        let sums = self.sums[number] as *mut u8;
        let place = |element: isize| sums.wrapping_offset(element * lane.bytes() as isize);
        let is_wide = lane != from_lane;
        // SAFETY: the sums have an element for each that the access reaches.
        unsafe {
            let add = |n: usize, from: Operand, to: *mut u8| match is_wide {
                true => compute::add_to_wide(n, from, to),
                false => compute::combine(monoid, lane, n, from, to),
            };
            match &to.run {
                Run::Dense => add(len, from, place(first + start as isize)),
                Run::Same if over_row && is_wide => compute::sum_to_wide(len, from, place(first)),
                Run::Same if over_row => {
                    let mut all = [0u64; 1];
                    let all = all.as_mut_ptr().cast::<u8>();
                    compute::reduce(monoid, lane, len, from, all);
                    add(1, Operand { start: all, single: true }, place(first));
                }
                // A number for the whole row, however many tiles it has.
                Run::Same if start == 0 => add(1, from, place(first)),
                Run::Same => {}
                run => {
                    for i in 0..len {
                        let one = from.start.wrapping_add(if from.single { 0 } else { i * from_lane.bytes() });
                        add(1, Operand { start: one, single: true }, place(first + run.offset(start + i)));
                    }
                }
            }
        }
    }
}
