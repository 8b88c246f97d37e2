//! From a fused loop to kernels.
//!
//! Without reductions a unit computes an element. With reductions over rows, units go over a row together. What is
//! added up over rows is a kernel of its own for each result, with one line an element; statistics of rows that it
//! needs are computed before, into scratch memory. What is stored comes last, since it may take the place of operands.

use crate::gpu::Gpu;
use crate::kernels::half::Half;
use crate::kernels::reduce::{Lines, Stage, UNITS};
use crate::kernels::steps::{At, Lane, Reg, Step, Term};
use crate::launch::{Arg, Dispatch, Launch, Share};
use crate::spec::Spec;
use partita_ir::arena::OpId;
use partita_ir::layout::Monoid;
use partita_lowering::fusion::row_loop::{self, Access, Holds, Instr, RowLoop, Run};
use partita_lowering::view::View;
use rustc_hash::FxHashMap;

/// The kernels of a fused loop, and how many bytes of scratch memory they want.
pub(crate) fn kernels(gpu: Gpu, row_loop: &RowLoop) -> (Launch, usize) {
    let fused = Fused { gpu, row_loop, maker: makers(row_loop), rounded: rounded(row_loop) };
    let (mut kernels, scratch) = fused.totals();
    kernels.extend(fused.stores());
    let (dispatches, shares) = kernels.into_iter().unzip();
    (Launch::new(dispatches).with(shares), scratch)
}

/// Where the elements of a view are.
pub(crate) fn at(view: &View) -> At {
    let mut divisor = 1;
    let mut terms = Vec::new();
    for (&size, &stride) in view.shape.iter().zip(&view.strides).rev() {
        terms.push((divisor, size, stride));
        divisor *= size;
    }
    terms.reverse();
    place(view.offset, terms, view.count())
}

/// A place in a domain of so many elements, with as few terms as say the same: dimensions with a divisor, a size and a
/// stride each, from outer to inner.
fn place(offset: isize, dims: Vec<(usize, usize, isize)>, count: usize) -> At {
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
        Term { divisor, size: (!is_outermost).then_some(size), stride }
    };
    At { offset: offset as i64, terms: joined.into_iter().filter(|d| d.2 != 0).map(term).collect() }
}

/// By register, the instruction that gives it.
fn makers(row_loop: &RowLoop) -> FxHashMap<row_loop::Reg, usize> {
    let made = row_loop.instrs.iter().enumerate().filter_map(|(i, instr)| match *instr {
        Instr::Load { to, .. }
        | Instr::Count { to, .. }
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

/// Registers whose floats are rounded when they are made.
fn rounded(row_loop: &RowLoop) -> FxHashMap<row_loop::Reg, Half> {
    let rounded = row_loop.instrs.iter().filter_map(|instr| match *instr {
        Instr::Narrow { reg, dtype } | Instr::Convert { to: reg, dtype, .. } | Instr::Count { to: reg, dtype, .. } => {
            Some((reg, Half::of(dtype)?))
        }
        _ => None,
    });
    rounded.collect()
}

/// What is added up: how, which register, and where to.
type Total<'l> = (Monoid, row_loop::Reg, &'l Access);

struct Fused<'l> {
    gpu: Gpu,
    row_loop: &'l RowLoop,
    /// Registers that hold narrow floats.
    rounded: FxHashMap<row_loop::Reg, Half>,
    maker: FxHashMap<row_loop::Reg, usize>,
}

impl Fused<'_> {
    fn rows(&self) -> usize {
        self.row_loop.rows()
    }

    /// The loop's dimensions, outer to inner, as an access sees them: divisor, size and stride.
    fn dims(&self, access: &Access) -> Vec<(usize, usize, isize)> {
        let row = self.row_loop.row;
        let mut dims: Vec<(usize, usize, isize)> = Vec::new();
        let mut divisor = self.rows() * row;
        for (&size, &stride) in self.row_loop.outer.iter().zip(&access.outer) {
            divisor /= size.max(1);
            dims.push((divisor, size, stride));
        }
        match &access.run {
            Run::Dense => dims.push((1, row, 1)),
            Run::Same => dims.push((1, row, 0)),
            Run::Strided(stride) => dims.push((1, row, *stride)),
            Run::Box(sizes, strides) => {
                let mut divisor = row;
                for (&size, &stride) in sizes.iter().zip(strides) {
                    divisor /= size.max(1);
                    dims.push((divisor, size, stride));
                }
            }
        }
        dims
    }

    fn at(&self, access: &Access) -> At {
        place(access.offset, self.dims(access), self.rows() * self.row_loop.row)
    }

    /// The element `row` of an array with one element a row.
    fn of_row(&self) -> At {
        place(0, vec![(self.row_loop.row, self.rows(), 1)], self.rows() * self.row_loop.row)
    }

    fn lines(&self) -> Lines {
        let (count, row) = (self.rows(), self.row_loop.row);
        let of_line = place(0, vec![(1, count, row as isize)], count);
        let of_item = place(0, vec![(1, row, 1)], row);
        Lines { count, items: row, of_line, of_item, units: row.next_power_of_two().min(UNITS) }
    }

    /// Reductions over rows on which registers depend, in order.
    fn reductions(&self, registers: &[row_loop::Reg]) -> Vec<row_loop::Reg> {
        let mut needed = vec![false; self.row_loop.instrs.len()];
        let mut open: Vec<usize> = registers.iter().filter_map(|r| self.maker.get(r).copied()).collect();
        while let Some(i) = open.pop() {
            if !std::mem::replace(&mut needed[i], true) {
                open.extend(operands(&self.row_loop.instrs[i]).filter_map(|r| self.maker.get(&r).copied()));
            }
        }
        let reduced = self.row_loop.instrs.iter().zip(needed).filter_map(|(instr, needed)| match instr {
            Instr::Reduce { to, .. } if needed => Some(*to),
            _ => None,
        });
        reduced.collect()
    }

    /// The stages that compute reductions over rows. The program knows of them afterwards.
    fn stages(&self, reductions: &[row_loop::Reg], program: &mut Program<'_>) -> Vec<Stage> {
        let mut stages = Vec::new();
        for (number, &register) in reductions.iter().enumerate() {
            let Instr::Reduce { monoid, a, .. } = self.row_loop.instrs[self.maker[&register]] else { continue };
            let (_, a) = program.register(a);
            stages.push(Stage { steps: std::mem::take(&mut program.steps), a, monoid });
            program.known.insert(register, Leaf::Reduced(number));
            program.note(register);
            if !self.lines().is_kept() {
                program.forget();
            }
        }
        stages
    }

    /// The kernel that stores.
    fn stores(&self) -> Option<(Dispatch, Share)> {
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
        let mut program = Program::new(self, FxHashMap::default());
        let stages = self.stages(&reductions, &mut program);
        let mut store = |which: &dyn Fn(&Access) -> bool| {
            let mut last = Vec::new();
            for (a, to) in stores().filter(|(_, to)| which(to)) {
                let (lane, a) = program.register(a);
                last.push(self.store(&mut program.args, to, lane, a));
            }
            program.forget();
            // A result may take the place of an operand that another one needs.
            std::mem::take(&mut program.steps).into_iter().chain(last).collect()
        };
        let spec = if stages.is_empty() {
            let steps = store(&|_| true);
            let count = self.rows() * self.row_loop.row;
            let (reads, writes) = program.args.counts();
            Spec::Pointwise { reads, writes, count, steps }
        } else {
            let once = |to: &Access| to.run == Run::Same;
            let (each, once) = (store(&|to| !once(to)), store(&once));
            let (reads, writes) = program.args.counts();
            Spec::Reduce { reads, writes, lines: self.lines(), stages, each, once }
        };
        Some(program.dispatch(spec))
    }

    /// The step that writes a register.
    fn store(&self, args: &mut Args, to: &Access, lane: Lane, a: Reg) -> Step {
        let (arg, at) = (Arg::Write(to.memory), self.at(to));
        match self.gpu.half(to.dtype) {
            Some(half) => Step::StoreHalf { memory: position(&mut args.halves, arg), at, half, a },
            None => Step::Store { memory: position(&mut args.writes, arg), at, lane, a },
        }
    }

    /// The kernels that add up, and their scratch memory.
    fn totals(&self) -> (Vec<(Dispatch, Share)>, usize) {
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
        let mut kept = FxHashMap::default();
        if !reductions.is_empty() {
            let mut program = Program::new(self, FxHashMap::default());
            let stages = self.stages(&reductions, &mut program);
            let mut once = Vec::new();
            for (number, &register) in reductions.iter().enumerate() {
                let place = Arg::Scratch(number * bytes_each);
                let memory = program.args.write(place);
                once.push(Step::Reduced { number, half: None });
                once.push(Step::Store { memory, at: self.of_row(), lane: Lane::F32, a: number });
                kept.insert(register, Leaf::Kept(place));
            }
            let ((reads, writes), each) = (program.args.counts(), Vec::new());
            let spec = Spec::Reduce { reads, writes, lines: self.lines(), stages, each, once };
            dispatches.push(program.dispatch(spec));
        }
        // Those that go over the same lines go together.
        let mut alike: Vec<(Lines, Vec<Total<'_>>)> = Vec::new();
        for total in totals() {
            let lines = self.lines_of(total.2);
            match alike.iter_mut().find(|(known, _)| *known == lines) {
                Some((_, totals)) => totals.push(total),
                None => alike.push((lines, vec![total])),
            }
        }
        dispatches.extend(alike.into_iter().map(|(lines, totals)| self.added_up(lines, &totals, &kept)));
        (dispatches, reductions.len() * bytes_each)
    }

    /// The kernel that adds up results, each over the same lines.
    fn added_up(&self, lines: Lines, totals: &[Total<'_>], kept: &FxHashMap<row_loop::Reg, Leaf>) -> (Dispatch, Share) {
        let mut program = Program::new(self, kept.clone());
        let (mut stages, mut once, mut stores) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &(monoid, a, to)) in totals.iter().enumerate() {
            let (_, a) = program.register(a);
            stages.push(Stage { steps: std::mem::take(&mut program.steps), a, monoid });
            once.push(Step::Reduced { number, half: Half::of(to.dtype) });
            stores.push(self.store(&mut program.args, to, Lane::F32, number));
            program.ops.push(self.row_loop.gives[to.memory]);
            if !lines.is_kept() {
                program.forget();
            }
        }
        once.extend(stores);
        let ((reads, writes), each) = (program.args.counts(), Vec::new());
        program.dispatch(Spec::Reduce { reads, writes, lines, stages, each, once })
    }

    /// A line for each element of a result: what is added up to it.
    fn lines_of(&self, to: &Access) -> Lines {
        let (kept, added): (Vec<_>, Vec<_>) =
            self.dims(to).into_iter().filter(|d| d.1 != 1).partition(|&(_, _, stride)| stride != 0);
        // Of the elements of a line, or of the lines, by position: where they are in the domain.
        let walk = |dims: &[(usize, usize, isize)]| {
            let count: usize = dims.iter().map(|d| d.1).product();
            let mut left = count;
            let of = dims.iter().map(|&(divisor, size, _)| {
                left /= size.max(1);
                (left, size, divisor as isize)
            });
            let of: Vec<_> = of.collect();
            (count, place(0, of, count))
        };
        let ((count, of_line), (items, of_item)) = (walk(&kept), walk(&added));
        // Neighbours read neighbours: along a line when its last elements lie side by side, else across lines.
        let along = added.last().is_some_and(|d| d.0 == 1) || count < UNITS / 4;
        let units = if along { items.next_power_of_two().min(UNITS) } else { 1 };
        Lines { count, items, of_line, of_item, units }
    }
}

/// Scratch memory begins at multiples of so many bytes, as buffers do that are bound.
const ALIGN: usize = 256;

fn operands(instr: &Instr) -> impl Iterator<Item = row_loop::Reg> {
    let all = match *instr {
        Instr::Load { .. } | Instr::Count { .. } => [None; 3],
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
struct Args {
    reads: Vec<Arg>,
    writes: Vec<Arg>,
    /// Those of narrow floats.
    halves: Vec<Arg>,
}

impl Args {
    fn read(&mut self, arg: Arg) -> usize {
        position(&mut self.reads, arg)
    }

    fn write(&mut self, arg: Arg) -> usize {
        position(&mut self.writes, arg)
    }

    /// How many are read and written.
    fn counts(&self) -> (usize, usize) {
        (self.reads.len(), self.writes.len() + self.halves.len())
    }

    fn all(self) -> Vec<Arg> {
        self.reads.into_iter().chain(self.writes).chain(self.halves).collect()
    }
}

fn position(args: &mut Vec<Arg>, arg: Arg) -> usize {
    args.iter().position(|a| *a == arg).unwrap_or_else(|| {
        args.push(arg);
        args.len() - 1
    })
}

/// Where a reduction over rows comes from that is not computed here.
#[derive(Clone, Copy)]
enum Leaf {
    /// The kernel's reduction of that number.
    Reduced(usize),
    /// Memory with an element a row.
    Kept(Arg),
}

/// A program that computes registers of the loop.
struct Program<'l> {
    fused: &'l Fused<'l>,
    args: Args,
    known: FxHashMap<row_loop::Reg, Leaf>,
    steps: Vec<Step>,
    /// What it computes of the program.
    ops: Vec<OpId>,
    done: FxHashMap<(row_loop::Reg, Lane), Reg>,
    /// By lane, how many registers there are.
    counts: FxHashMap<Lane, usize>,
}

impl<'l> Program<'l> {
    fn new(fused: &'l Fused<'l>, known: FxHashMap<row_loop::Reg, Leaf>) -> Program<'l> {
        let (args, steps, ops, done, counts) = Default::default();
        Program { fused, args, known, steps, ops, done, counts }
    }

    /// The kernel, with its share of the program.
    fn dispatch(self, spec: Spec) -> (Dispatch, Share) {
        (Dispatch { spec, args: self.args.all() }, Share { ops: self.ops, alone: None })
    }

    /// Notes that the op is computed which gives a register.
    fn note(&mut self, register: row_loop::Reg) {
        let op = self.fused.row_loop.computes[register as usize];
        self.ops.extend(op.filter(|op| !self.ops.contains(op)));
    }

    /// What comes next has registers of its own.
    fn forget(&mut self) {
        self.done.clear();
        self.counts.clear();
    }

    /// The lane of a register; none for an integer constant, which is of the lane of what it meets.
    fn lane(&self, register: row_loop::Reg) -> Option<Lane> {
        let holds = self.fused.row_loop.registers[register as usize];
        match holds.lane() {
            row_loop::Lane::F32 | row_loop::Lane::F64 => return Some(Lane::F32),
            row_loop::Lane::Bool => return Some(Lane::Bool),
            row_loop::Lane::Int => {}
        }
        let instr = &self.fused.row_loop.instrs[*self.fused.maker.get(&register)?];
        match instr {
            Instr::Load { from, .. } => Lane::fused(from.dtype),
            Instr::Count { dtype, .. } | Instr::Convert { dtype, .. } => Lane::fused(*dtype),
            Instr::Select { a, b, .. } => self.lane(*a).or_else(|| self.lane(*b)),
            other => operands(other).find_map(|r| self.lane(r)),
        }
    }

    /// Where a register of the loop is.
    fn register(&mut self, register: row_loop::Reg) -> (Lane, Reg) {
        let lane = self.lane(register).unwrap_or(Lane::I32);
        (lane, self.register_in(register, lane))
    }

    fn register_in(&mut self, register: row_loop::Reg, lane: Lane) -> Reg {
        if let Some(&done) = self.done.get(&(register, lane)) {
            return done;
        }
        let step = self.step(register, lane);
        if !self.known.contains_key(&register) {
            self.note(register);
        }
        // A reduction that the kernel gives is rounded when it is read.
        let is_rounded = matches!(step, Step::Reduced { .. });
        let mut made = self.push(step, lane);
        if let Some(&half) = self.fused.rounded.get(&register)
            && lane == Lane::F32
            && !is_rounded
        {
            made = self.push(Step::Round { half, a: made }, lane);
        }
        self.done.insert((register, lane), made);
        made
    }

    /// Adds a step; its register.
    fn push(&mut self, step: Step, lane: Lane) -> Reg {
        self.steps.push(step);
        let count = self.counts.entry(lane).or_default();
        *count += 1;
        *count - 1
    }

    /// Both operands, in the lane of the one that has one.
    fn pair(&mut self, a: row_loop::Reg, b: row_loop::Reg) -> (Lane, Reg, Reg) {
        let lane = self.lane(a).or_else(|| self.lane(b)).unwrap_or(Lane::I32);
        (lane, self.register_in(a, lane), self.register_in(b, lane))
    }

    /// The step that gives a register, behind those that give its operands.
    fn step(&mut self, register: row_loop::Reg, lane: Lane) -> Step {
        match self.known.get(&register) {
            Some(&Leaf::Reduced(number)) => {
                return Step::Reduced { number, half: self.fused.rounded.get(&register).copied() };
            }
            Some(&Leaf::Kept(arg)) => {
                let memory = self.args.read(arg);
                return Step::Load { memory, at: self.fused.of_row(), lane };
            }
            None => {}
        }
        if let Holds::Constant(_, float, int) = self.fused.row_loop.registers[register as usize] {
            let bits = match lane {
                Lane::F32 => (float as f32).to_bits(),
                Lane::I32 | Lane::U32 => int as u32,
                Lane::Bool => u32::from(int != 0),
            };
            return Step::Constant { lane, bits };
        }
        let fused = self.fused;
        let Some(&made) = fused.maker.get(&register) else { return Step::Constant { lane, bits: 0 } };
        match fused.row_loop.instrs[made] {
            Instr::Load { ref from, .. } => {
                let memory = self.args.read(Arg::Read(from.memory));
                match fused.gpu.half(from.dtype) {
                    Some(half) => Step::LoadHalf { memory, at: fused.at(from), half },
                    None => Step::Load { memory, at: fused.at(from), lane },
                }
            }
            Instr::Count { divisor, size, .. } => Step::Count { divisor, size, lane },
            Instr::Unary { op, a, .. } => {
                let (lane, a) = self.register(a);
                Step::Unary { op, lane, a }
            }
            Instr::Binary { op, a, b, .. } => {
                let (lane, a, b) = self.pair(a, b);
                Step::Binary { op, lane, a, b }
            }
            Instr::Compare { direction, a, b, .. } => {
                let (lane, a, b) = self.pair(a, b);
                Step::Compare { direction, lane, a, b }
            }
            Instr::Select { p, a, b, .. } => {
                let (_, p) = self.register(p);
                let (lane, a, b) = self.pair(a, b);
                Step::Select { lane, p, a, b }
            }
            Instr::Convert { a, .. } => {
                let (from, a) = self.register(a);
                Step::Convert { from, to: lane, a }
            }
            // Every reduction that a program needs is known to it; the others give nothing.
            Instr::Reduce { .. } | Instr::Narrow { .. } | Instr::Store { .. } | Instr::Accumulate { .. } => {
                Step::Constant { lane, bits: 0 }
            }
        }
    }
}
