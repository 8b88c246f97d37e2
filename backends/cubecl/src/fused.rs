//! Code generation for fused loops.
//!
//! A loop without reductions becomes a kernel with one unit per element. A loop with row reductions becomes a kernel in
//! which several units share a row. Each set of total reductions over the same lines becomes a separate kernel, with
//! one line per element of the result; row statistics that it needs are computed in a preceding kernel and stored in
//! scratch memory. The kernel with stores is last, since results may overwrite operands.

use crate::gpu::Gpu;
use crate::kernels::half::Half;
use crate::kernels::reduce::{Lines, Stage, UNITS};
use crate::kernels::steps::{AddressMap, AddressTerm, Reg, RegClass, Step};
use crate::launch::{Arg, Dispatch, KernelOps, Launch};
use crate::spec::KernelSpec;
use partita_ir::arena::OpId;
use partita_ir::layout::Monoid;
use partita_lowering::fusion::row_loop::{self, Access, Instr, RegKind, RowLayout, RowLoop};
use partita_lowering::view::View;
use rustc_hash::FxHashMap;

/// Returns the kernels of a fused loop, and the bytes of scratch memory that they need.
pub(crate) fn kernels(gpu: Gpu, row_loop: &RowLoop) -> (Launch, usize) {
    let fused = LoopKernels { gpu, row_loop, defined_by: defining_instrs(row_loop), rounded: rounded(row_loop) };
    let (mut kernels, scratch) = fused.total_kernels();
    kernels.extend(fused.store_kernel());
    let (dispatches, kernel_ops) = kernels.into_iter().unzip();
    (Launch::new(dispatches).with_kernel_ops(kernel_ops), scratch)
}

/// Returns the address of each element of a view.
pub(crate) fn address_map(view: &View) -> AddressMap {
    let mut divisor = 1;
    let mut terms = Vec::new();
    for (&size, &stride) in view.shape.iter().zip(&view.strides).rev() {
        terms.push((divisor, size, stride));
        divisor *= size;
    }
    terms.reverse();
    simplified_map(view.offset, terms, view.count())
}

/// Returns an address map with a minimum number of terms, over a domain of `count` elements. `dims` contains the
/// divisor, size and stride of each dimension, from outer to inner.
fn simplified_map(offset: isize, dims: Vec<(usize, usize, isize)>, count: usize) -> AddressMap {
    let mut joined: Vec<(usize, usize, i64)> = Vec::new();
    for (divisor, size, stride) in dims {
        if size == 1 {
            continue;
        }
        let stride = stride as i64;
        match joined.last_mut() {
            Some(last) if last.0 == divisor * size && last.2 == stride.wrapping_mul(size as i64) => {
                *last = (divisor, last.1 * size, stride);
            }
            _ => joined.push((divisor, size, stride)),
        }
    }
    let term = |(divisor, size, stride)| {
        let is_outermost = divisor * size >= count;
        AddressTerm { divisor, size: (!is_outermost).then_some(size), stride }
    };
    AddressMap { offset: offset as i64, terms: joined.into_iter().filter(|d| d.2 != 0).map(term).collect() }
}

/// Returns the index of the instruction that defines each register.
fn defining_instrs(row_loop: &RowLoop) -> FxHashMap<row_loop::Reg, usize> {
    let made = row_loop.instrs.iter().enumerate().filter_map(|(i, instr)| match *instr {
        Instr::Load { to, .. }
        | Instr::Iota { to, .. }
        | Instr::Unary { to, .. }
        | Instr::Binary { to, .. }
        | Instr::Compare { to, .. }
        | Instr::Select { to, .. }
        | Instr::Convert { to, .. }
        | Instr::Reduce { to, .. } => Some((to, i)),
        Instr::Narrow { .. } | Instr::Store { .. } | Instr::Accumulate { .. } => None,
    });
    made.collect()
}

/// Returns the registers that are rounded to 16-bit floats when they are defined.
fn rounded(row_loop: &RowLoop) -> FxHashMap<row_loop::Reg, Half> {
    let rounded = row_loop.instrs.iter().filter_map(|instr| match *instr {
        Instr::Narrow { reg, dtype } | Instr::Convert { to: reg, dtype, .. } | Instr::Iota { to: reg, dtype, .. } => {
            Some((reg, Half::from_dtype(dtype)?))
        }
        _ => None,
    });
    rounded.collect()
}

/// A total reduction: the monoid, the reduced register, and the result.
type TotalReduction<'l> = (Monoid, row_loop::Reg, &'l Access);

struct LoopKernels<'l> {
    gpu: Gpu,
    row_loop: &'l RowLoop,
    /// Registers that contain rounded 16-bit floats.
    rounded: FxHashMap<row_loop::Reg, Half>,
    defined_by: FxHashMap<row_loop::Reg, usize>,
}

impl LoopKernels<'_> {
    fn rows(&self) -> usize {
        self.row_loop.rows()
    }

    /// Returns divisor, size and stride of the loop's dimensions for an access, from outer to inner.
    fn dims(&self, access: &Access) -> Vec<(usize, usize, isize)> {
        let row = self.row_loop.row;
        let mut dims: Vec<(usize, usize, isize)> = Vec::new();
        let mut divisor = self.rows() * row;
        for (&size, &stride) in self.row_loop.outer.iter().zip(&access.outer) {
            divisor /= size.max(1);
            dims.push((divisor, size, stride));
        }
        match &access.layout {
            RowLayout::Contiguous => dims.push((1, row, 1)),
            RowLayout::Broadcast => dims.push((1, row, 0)),
            RowLayout::Strided(stride) => dims.push((1, row, *stride)),
            RowLayout::Box(sizes, strides) => {
                let mut divisor = row;
                for (&size, &stride) in sizes.iter().zip(strides) {
                    divisor /= size.max(1);
                    dims.push((divisor, size, stride));
                }
            }
        }
        dims
    }

    fn access_map(&self, access: &Access) -> AddressMap {
        simplified_map(access.offset, self.dims(access), self.rows() * self.row_loop.row)
    }

    /// Returns the address of the current row in an array with one element per row.
    fn row_map(&self) -> AddressMap {
        simplified_map(0, vec![(self.row_loop.row, self.rows(), 1)], self.rows() * self.row_loop.row)
    }

    fn lines(&self) -> Lines {
        let (count, row) = (self.rows(), self.row_loop.row);
        let line_map = simplified_map(0, vec![(1, count, row as isize)], count);
        let item_map = simplified_map(0, vec![(1, row, 1)], row);
        Lines { count, items: row, line_map, item_map, units: row.next_power_of_two().min(UNITS) }
    }

    /// Returns the row reductions on which registers depend, in program order.
    fn reductions(&self, registers: &[row_loop::Reg]) -> Vec<row_loop::Reg> {
        let mut needed = vec![false; self.row_loop.instrs.len()];
        let mut open: Vec<usize> = registers.iter().filter_map(|r| self.defined_by.get(r).copied()).collect();
        while let Some(i) = open.pop() {
            if !std::mem::replace(&mut needed[i], true) {
                open.extend(operands(&self.row_loop.instrs[i]).filter_map(|r| self.defined_by.get(&r).copied()));
            }
        }
        let reduced = self.row_loop.instrs.iter().zip(needed).filter_map(|(instr, needed)| match instr {
            Instr::Reduce { to, .. } if needed => Some(*to),
            _ => None,
        });
        reduced.collect()
    }

    /// Builds the stages that compute row reductions, and registers their results in `program`.
    fn stages(&self, reductions: &[row_loop::Reg], program: &mut ProgramBuilder<'_>) -> Vec<Stage> {
        let mut stages = Vec::new();
        for (number, &register) in reductions.iter().enumerate() {
            let Instr::Reduce { monoid, a, .. } = self.row_loop.instrs[self.defined_by[&register]] else { continue };
            let (_, a) = program.register(a);
            stages.push(Stage { steps: std::mem::take(&mut program.steps), a, monoid });
            program.known.insert(register, ReductionSource::Reduced(number));
            program.record_op(register);
            if !self.lines().retains_elements() {
                program.reset_registers();
            }
        }
        stages
    }

    /// Returns the kernel that computes and stores the elementwise results.
    fn store_kernel(&self) -> Option<(Dispatch, KernelOps)> {
        let stores = || {
            self.row_loop.instrs.iter().filter_map(|instr| match instr {
                Instr::Store { a, to } => Some((*a, to)),
                _ => None,
            })
        };
        let registers: Vec<row_loop::Reg> = stores().map(|(a, _)| a).collect();
        if registers.is_empty() {
            return None;
        }
        let reductions = self.reductions(&registers);
        let mut program = ProgramBuilder::new(self, FxHashMap::default());
        let stages = self.stages(&reductions, &mut program);
        let mut store = |which: &dyn Fn(&Access) -> bool| {
            let mut last = Vec::new();
            for (a, to) in stores().filter(|(_, to)| which(to)) {
                let (class, a) = program.register(a);
                last.push(self.store(&mut program.args, to, class, a));
            }
            program.reset_registers();
            // Stores follow all loads, since a result may overwrite an operand.
            std::mem::take(&mut program.steps).into_iter().chain(last).collect()
        };
        let spec = if stages.is_empty() {
            let steps = store(&|_| true);
            let count = self.rows() * self.row_loop.row;
            let (reads, writes) = program.args.counts();
            KernelSpec::Pointwise { reads, writes, count, steps }
        } else {
            let once = |to: &Access| to.layout == RowLayout::Broadcast;
            let (each, once) = (store(&|to| !once(to)), store(&once));
            let (reads, writes) = program.args.counts();
            KernelSpec::Reduce { reads, writes, lines: self.lines(), stages, each, once }
        };
        Some(program.dispatch(spec))
    }

    /// Returns the step that stores a register.
    fn store(&self, args: &mut ProgramArgs, to: &Access, class: RegClass, a: Reg) -> Step {
        let (arg, at) = (Arg::Write(to.memory), self.access_map(to));
        match self.gpu.half(to.dtype) {
            Some(half) => Step::StoreHalf { memory: position(&mut args.halves, arg), at, half, a },
            None => Step::Store { memory: position(&mut args.writes, arg), at, class, a },
        }
    }

    /// Returns the kernels of the total reductions, and the bytes of their scratch memory.
    fn total_kernels(&self) -> (Vec<(Dispatch, KernelOps)>, usize) {
        let totals = || {
            self.row_loop.instrs.iter().filter_map(|instr| match instr {
                Instr::Accumulate { monoid, a, to, .. } => Some((*monoid, *a, to)),
                _ => None,
            })
        };
        let registers: Vec<row_loop::Reg> = totals().map(|(_, a, _)| a).collect();
        let reductions = self.reductions(&registers);
        let mut dispatches = Vec::new();
        let bytes_each = (self.rows() * 4).next_multiple_of(ALIGN);
        let mut stored = FxHashMap::default();
        if !reductions.is_empty() {
            let mut program = ProgramBuilder::new(self, FxHashMap::default());
            let stages = self.stages(&reductions, &mut program);
            let mut once = Vec::new();
            for (number, &register) in reductions.iter().enumerate() {
                let address = Arg::Scratch(number * bytes_each);
                let memory = program.args.write(address);
                once.push(Step::Reduced { number, half: None });
                once.push(Step::Store { memory, at: self.row_map(), class: RegClass::F32, a: number });
                stored.insert(register, ReductionSource::Buffer(address));
            }
            let ((reads, writes), each) = (program.args.counts(), Vec::new());
            let spec = KernelSpec::Reduce { reads, writes, lines: self.lines(), stages, each, once };
            dispatches.push(program.dispatch(spec));
        }
        // Reductions over the same lines share a kernel.
        let mut same_lines: Vec<(Lines, Vec<TotalReduction<'_>>)> = Vec::new();
        for total in totals() {
            let lines = self.lines_of(total.2);
            match same_lines.iter_mut().find(|(known, _)| *known == lines) {
                Some((_, totals)) => totals.push(total),
                None => same_lines.push((lines, vec![total])),
            }
        }
        dispatches.extend(same_lines.into_iter().map(|(lines, totals)| self.total_kernel(lines, &totals, &stored)));
        (dispatches, reductions.len() * bytes_each)
    }

    /// Returns the kernel that computes total reductions over the same lines.
    fn total_kernel(
        &self,
        lines: Lines,
        totals: &[TotalReduction<'_>],
        stored: &FxHashMap<row_loop::Reg, ReductionSource>,
    ) -> (Dispatch, KernelOps) {
        let mut program = ProgramBuilder::new(self, stored.clone());
        let (mut stages, mut once, mut stores) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &(monoid, a, to)) in totals.iter().enumerate() {
            let (_, a) = program.register(a);
            stages.push(Stage { steps: std::mem::take(&mut program.steps), a, monoid });
            once.push(Step::Reduced { number, half: Half::from_dtype(to.dtype) });
            stores.push(self.store(&mut program.args, to, RegClass::F32, number));
            program.ops.push(self.row_loop.written_by[to.memory]);
            if !lines.retains_elements() {
                program.reset_registers();
            }
        }
        once.extend(stores);
        let ((reads, writes), each) = (program.args.counts(), Vec::new());
        program.dispatch(KernelSpec::Reduce { reads, writes, lines, stages, each, once })
    }

    /// Returns the lines of a total reduction: one line per element of the result, which contains the elements reduced
    /// to it.
    fn lines_of(&self, to: &Access) -> Lines {
        let (stored, added): (Vec<_>, Vec<_>) =
            self.dims(to).into_iter().filter(|d| d.1 != 1).partition(|&(_, _, stride)| stride != 0);
        // Maps positions along the given dimensions to elements of the domain.
        let walk = |dims: &[(usize, usize, isize)]| {
            let count: usize = dims.iter().map(|d| d.1).product();
            let mut left = count;
            let of = dims.iter().map(|&(divisor, size, _)| {
                left /= size.max(1);
                (left, size, divisor as isize)
            });
            let of: Vec<_> = of.collect();
            (count, simplified_map(0, of, count))
        };
        let ((count, line_map), (items, item_map)) = (walk(&stored), walk(&added));
        // For coalesced loads, units run along a line if its elements are contiguous, and otherwise across lines.
        let along = added.last().is_some_and(|d| d.0 == 1) || count < UNITS / 4;
        let units = if along { items.next_power_of_two().min(UNITS) } else { 1 };
        Lines { count, items, line_map, item_map, units }
    }
}

/// Alignment of scratch memory in bytes, as required for bound buffers.
const ALIGN: usize = 256;

fn operands(instr: &Instr) -> impl Iterator<Item = row_loop::Reg> {
    let all = match *instr {
        Instr::Load { .. } | Instr::Iota { .. } => [None; 3],
        Instr::Unary { a, .. }
        | Instr::Convert { a, .. }
        | Instr::Reduce { a, .. }
        | Instr::Store { a, .. }
        | Instr::Accumulate { a, .. } => [Some(a), None, None],
        Instr::Narrow { reg, .. } => [Some(reg), None, None],
        Instr::Binary { a, b, .. } | Instr::Compare { a, b, .. } => [Some(a), Some(b), None],
        Instr::Select { p, a, b, .. } => [Some(p), Some(a), Some(b)],
    };
    all.into_iter().flatten()
}

/// The buffers of a kernel.
#[derive(Default)]
struct ProgramArgs {
    reads: Vec<Arg>,
    writes: Vec<Arg>,
    /// Results of 16-bit floats.
    halves: Vec<Arg>,
}

impl ProgramArgs {
    fn read(&mut self, arg: Arg) -> usize {
        position(&mut self.reads, arg)
    }

    fn write(&mut self, arg: Arg) -> usize {
        position(&mut self.writes, arg)
    }

    /// Returns the numbers of operands and results.
    fn counts(&self) -> (usize, usize) {
        (self.reads.len(), self.writes.len() + self.halves.len())
    }

    fn into_args(self) -> Vec<Arg> {
        self.reads.into_iter().chain(self.writes).chain(self.halves).collect()
    }
}

fn position(args: &mut Vec<Arg>, arg: Arg) -> usize {
    args.iter().position(|a| *a == arg).unwrap_or_else(|| {
        args.push(arg);
        args.len() - 1
    })
}

/// Source of a row reduction that is not recomputed.
#[derive(Clone, Copy)]
enum ReductionSource {
    /// Result of the kernel's reduction with this number.
    Reduced(usize),
    /// Buffer with one element per row.
    Buffer(Arg),
}

/// A program under construction that computes registers of the loop.
struct ProgramBuilder<'l> {
    fused: &'l LoopKernels<'l>,
    args: ProgramArgs,
    known: FxHashMap<row_loop::Reg, ReductionSource>,
    steps: Vec<Step>,
    /// Ops of the IR that the program computes.
    ops: Vec<OpId>,
    done: FxHashMap<(row_loop::Reg, RegClass), Reg>,
    /// Number of registers of each class.
    counts: FxHashMap<RegClass, usize>,
}

impl<'l> ProgramBuilder<'l> {
    fn new(fused: &'l LoopKernels<'l>, known: FxHashMap<row_loop::Reg, ReductionSource>) -> ProgramBuilder<'l> {
        let (args, steps, ops, done, counts) = Default::default();
        ProgramBuilder { fused, args, known, steps, ops, done, counts }
    }

    /// Returns the kernel and the ops that it computes.
    fn dispatch(self, spec: KernelSpec) -> (Dispatch, KernelOps) {
        (Dispatch { spec, args: self.args.into_args() }, KernelOps { ops: self.ops, not_fused: None })
    }

    /// Records the op that defines a register.
    fn record_op(&mut self, register: row_loop::Reg) {
        let op = self.fused.row_loop.computed_by[register as usize];
        self.ops.extend(op.filter(|op| !self.ops.contains(op)));
    }

    /// Starts a program with separate registers.
    fn reset_registers(&mut self) {
        self.done.clear();
        self.counts.clear();
    }

    /// Returns the register class of a loop register; `None` for an integer constant, which takes the class of the
    /// other operand.
    fn class(&self, register: row_loop::Reg) -> Option<RegClass> {
        let holds = self.fused.row_loop.registers[register as usize];
        match holds.class() {
            row_loop::RegClass::F32 | row_loop::RegClass::F64 => return Some(RegClass::F32),
            row_loop::RegClass::Bool => return Some(RegClass::Bool),
            row_loop::RegClass::Int => {}
        }
        let instr = &self.fused.row_loop.instrs[*self.fused.defined_by.get(&register)?];
        match instr {
            Instr::Load { from, .. } => RegClass::from_dtype(from.dtype),
            Instr::Iota { dtype, .. } | Instr::Convert { dtype, .. } => RegClass::from_dtype(*dtype),
            Instr::Select { a, b, .. } => self.class(*a).or_else(|| self.class(*b)),
            other => operands(other).find_map(|r| self.class(r)),
        }
    }

    /// Computes a loop register and returns its class and its register in the program.
    fn register(&mut self, register: row_loop::Reg) -> (RegClass, Reg) {
        let class = self.class(register).unwrap_or(RegClass::I32);
        (class, self.register_in(register, class))
    }

    fn register_in(&mut self, register: row_loop::Reg, class: RegClass) -> Reg {
        if let Some(&done) = self.done.get(&(register, class)) {
            return done;
        }
        let step = self.step(register, class);
        if !self.known.contains_key(&register) {
            self.record_op(register);
        }
        // A reduction result is rounded when it is read.
        let is_rounded = matches!(step, Step::Reduced { .. });
        let mut made = self.push(step, class);
        if let Some(&half) = self.fused.rounded.get(&register)
            && class == RegClass::F32
            && !is_rounded
        {
            made = self.push(Step::Round { half, a: made }, class);
        }
        self.done.insert((register, class), made);
        made
    }

    /// Appends a step and returns its result register.
    fn push(&mut self, step: Step, class: RegClass) -> Reg {
        self.steps.push(step);
        let count = self.counts.entry(class).or_default();
        *count += 1;
        *count - 1
    }

    /// Computes both operands of a binary instruction, in the same register class.
    fn pair(&mut self, a: row_loop::Reg, b: row_loop::Reg) -> (RegClass, Reg, Reg) {
        let class = self.class(a).or_else(|| self.class(b)).unwrap_or(RegClass::I32);
        (class, self.register_in(a, class), self.register_in(b, class))
    }

    /// Returns the step that computes a loop register. Appends the steps of its operands.
    fn step(&mut self, register: row_loop::Reg, class: RegClass) -> Step {
        match self.known.get(&register) {
            Some(&ReductionSource::Reduced(number)) => {
                return Step::Reduced { number, half: self.fused.rounded.get(&register).copied() };
            }
            Some(&ReductionSource::Buffer(arg)) => {
                let memory = self.args.read(arg);
                return Step::Load { memory, at: self.fused.row_map(), class };
            }
            None => {}
        }
        if let RegKind::Constant(_, float, int) = self.fused.row_loop.registers[register as usize] {
            let bits = match class {
                RegClass::F32 => (float as f32).to_bits(),
                RegClass::I32 | RegClass::U32 => int as u32,
                RegClass::Bool => u32::from(int != 0),
            };
            return Step::Constant { class, bits };
        }
        let fused = self.fused;
        let Some(&made) = fused.defined_by.get(&register) else { return Step::Constant { class, bits: 0 } };
        match fused.row_loop.instrs[made] {
            Instr::Load { ref from, .. } => {
                let memory = self.args.read(Arg::Read(from.memory));
                match fused.gpu.half(from.dtype) {
                    Some(half) => Step::LoadHalf { memory, at: fused.access_map(from), half },
                    None => Step::Load { memory, at: fused.access_map(from), class },
                }
            }
            Instr::Iota { divisor, size, .. } => Step::Iota { divisor, size, class },
            Instr::Unary { op, a, .. } => {
                let (class, a) = self.register(a);
                Step::Unary { op, class, a }
            }
            Instr::Binary { op, a, b, .. } => {
                let (class, a, b) = self.pair(a, b);
                Step::Binary { op, class, a, b }
            }
            Instr::Compare { direction, a, b, .. } => {
                let (class, a, b) = self.pair(a, b);
                Step::Compare { direction, class, a, b }
            }
            Instr::Select { p, a, b, .. } => {
                let (_, p) = self.register(p);
                let (class, a, b) = self.pair(a, b);
                Step::Select { class, p, a, b }
            }
            Instr::Convert { a, .. } => {
                let (from, a) = self.register(a);
                Step::Convert { from, to: class, a }
            }
            // All row reductions that a program needs are in `known`. The other instructions define no register.
            Instr::Reduce { .. } | Instr::Narrow { .. } | Instr::Store { .. } | Instr::Accumulate { .. } => {
                Step::Constant { class, bits: 0 }
            }
        }
    }
}
