//! From a group to a fused loop.

use super::group::{Calc, Class, Group, Member, Operand, Source};
use super::row_loop::{Access, Holds, Instr, Lane, Reg, RowLoop, Run};
use crate::view::{Dims, View};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::BinaryOp;
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// Elements of a tile of a row that is computed piece by piece.
const TILE: usize = 1024;

/// A row is made of inner dimensions until it has so many elements.
const LONG_ENOUGH: usize = 128;

/// A fused loop, and what it reads and writes.
pub struct Built {
    /// The loop.
    pub row_loop: RowLoop,
    /// In the kernel's order.
    pub reads: Vec<ValueId>,
    /// In the kernel's order.
    pub writes: Vec<ValueId>,
    /// A write and a read whose elements meet in the same place of the loop.
    pub in_place: Vec<(usize, usize)>,
}

/// Makes a loop of a group that writes the values for which `is_read` says so.
pub fn build(group: &Group, is_read: &dyn Fn(ValueId) -> bool) -> Built {
    let mut builder = Builder::new(group);
    for member in &group.members {
        builder.member(member);
    }
    for member in &group.members {
        if is_read(member.node.value) || member.class == Class::Total {
            builder.write(member);
        }
    }
    builder.finish()
}

struct Builder<'g> {
    group: &'g Group,
    /// Runs of the domain's dimensions that all views see as one: their first dimensions, and how many are outer.
    cuts: Vec<usize>,
    outer: usize,
    registers: Vec<Holds>,
    instrs: Vec<Instr>,
    /// By register and by write, the op that gives it.
    computes: Vec<Option<OpId>>,
    gives: Vec<OpId>,
    /// By value, the register of a member.
    of_member: FxHashMap<ValueId, Reg>,
    loaded: Vec<(ValueId, DType, View, Reg)>,
    constants: Vec<(Lane, Scalar, Reg)>,
    reads: Vec<ValueId>,
    /// By read, the views through which it is read.
    read_views: Vec<Vec<(View, DType)>>,
    writes: Vec<ValueId>,
    in_place: Vec<(usize, usize)>,
    accumulated: Vec<(usize, usize, DType, Monoid)>,
    /// What is added up, and then what is written: it may take the place of what is added up.
    sums: Vec<Instr>,
    stores: Vec<Instr>,
}

impl<'g> Builder<'g> {
    fn new(group: &'g Group) -> Builder<'g> {
        let domain = &group.domain;
        let views = || group.members.iter().flat_map(|m| m.node.operands.iter().map(|o| &o.view).chain([&m.result]));
        let joins = |d: usize| views().all(|v| v.strides[d - 1] == v.strides[d] * domain[d] as isize);
        let cuts: Vec<usize> = (0..domain.len()).filter(|&d| d == 0 || group.row == Some(d) || !joins(d)).collect();
        // The row: what was reduced over, or else inner dimensions until there are enough elements.
        let sizes: Vec<usize> = (0..cuts.len())
            .map(|c| domain[cuts[c]..cuts.get(c + 1).copied().unwrap_or(domain.len())].iter().product())
            .collect();
        let outer = match group.row {
            Some(row) => cuts.iter().position(|&d| d >= row).unwrap_or(cuts.len()),
            None => {
                let mut outer = cuts.len();
                let mut len = 1;
                while outer > 0 && len < LONG_ENOUGH {
                    outer -= 1;
                    len *= sizes[outer];
                }
                outer
            }
        };
        Builder {
            group,
            cuts,
            outer,
            registers: Vec::new(),
            instrs: Vec::new(),
            computes: Vec::new(),
            gives: Vec::new(),
            of_member: FxHashMap::default(),
            loaded: Vec::new(),
            constants: Vec::new(),
            reads: Vec::new(),
            read_views: Vec::new(),
            writes: Vec::new(),
            in_place: Vec::new(),
            accumulated: Vec::new(),
            sums: Vec::new(),
            stores: Vec::new(),
        }
    }

    /// Size of a run of dimensions.
    fn size(&self, cut: usize) -> usize {
        let end = self.cuts.get(cut + 1).copied().unwrap_or(self.group.domain.len());
        self.group.domain[self.cuts[cut]..end].iter().product()
    }

    /// Stride of a view along a run of dimensions.
    fn stride(&self, view: &View, cut: usize) -> isize {
        let end = self.cuts.get(cut + 1).copied().unwrap_or(self.group.domain.len());
        // That of the innermost dimension that has more than one element.
        let inner = (self.cuts[cut]..end).rev().find(|&d| view.shape[d] != 1);
        inner.map_or(0, |d| view.strides[d])
    }

    fn row_len(&self) -> usize {
        (self.outer..self.cuts.len()).map(|c| self.size(c)).product()
    }

    fn access(&self, view: &View, memory: usize, dtype: DType) -> Access {
        let outer = (0..self.outer).map(|c| self.stride(view, c)).collect();
        // Inner runs of one element do not matter.
        let inner: Vec<usize> = (self.outer..self.cuts.len()).filter(|&c| self.size(c) != 1).collect();
        let sizes: Dims<usize> = inner.iter().map(|&c| self.size(c)).collect();
        let strides: Dims<isize> = inner.iter().map(|&c| self.stride(view, c)).collect();
        let joined = (1..sizes.len()).all(|i| strides[i - 1] == strides[i] * sizes[i] as isize);
        let run = match strides.last() {
            None => Run::Same,
            Some(_) if strides.iter().all(|&s| s == 0) => Run::Same,
            Some(1) if joined => Run::Dense,
            Some(&stride) if joined => Run::Strided(stride),
            Some(_) => Run::Box(sizes, strides),
        };
        Access { memory, dtype, offset: view.offset, outer, run }
    }

    fn register(&mut self, holds: Holds) -> Reg {
        self.registers.push(holds);
        self.computes.push(None);
        (self.registers.len() - 1) as Reg
    }

    /// Whether a view sees one element all along a row.
    fn is_number(&self, view: &View) -> bool {
        (self.outer..self.cuts.len()).all(|c| self.size(c) == 1 || self.stride(view, c) == 0)
    }

    fn constant(&mut self, dtype: DType, value: Scalar) -> Reg {
        let lane = Lane::of(dtype);
        if let Some(&(_, _, reg)) = self.constants.iter().find(|c| c.0 == lane && same_bits(c.1, value)) {
            return reg;
        }
        let reg = self.register(Holds::Constant(lane, value.to_f64(), value.to_i64()));
        self.constants.push((lane, value, reg));
        reg
    }

    fn operand(&mut self, operand: &Operand) -> Reg {
        let value = match operand.source {
            Source::Number(number) => return self.constant(operand.dtype, number),
            Source::Value(value) => value,
        };
        if let Some(&reg) = self.of_member.get(&value) {
            return reg;
        }
        let seen = self
            .loaded
            .iter()
            .find(|(v, dtype, view, _)| *v == value && *dtype == operand.dtype && view.sees_same(&operand.view));
        if let Some(&(.., reg)) = seen {
            return reg;
        }
        let memory = self.reads.iter().position(|&v| v == value).unwrap_or_else(|| {
            self.reads.push(value);
            self.read_views.push(Vec::new());
            self.reads.len() - 1
        });
        self.read_views[memory].push((operand.view.clone(), operand.dtype));
        let lane = Lane::of(operand.dtype);
        let holds = if self.is_number(&operand.view) { Holds::Number(lane) } else { Holds::Row(lane) };
        let to = self.register(holds);
        let from = self.access(&operand.view, memory, operand.dtype);
        self.instrs.push(Instr::Load { to, from });
        self.loaded.push((value, operand.dtype, operand.view.clone(), to));
        to
    }

    /// A register for what is computed from others: a number when all of them are.
    fn result(&mut self, lane: Lane, from: &[Reg]) -> Reg {
        let rows = from.iter().any(|&r| matches!(self.registers[r as usize], Holds::Row(_)));
        self.register(if rows { Holds::Row(lane) } else { Holds::Number(lane) })
    }

    fn member(&mut self, member: &Member) {
        let args: Vec<Reg> = member.node.operands.iter().map(|o| self.operand(o)).collect();
        let own = self.registers.len();
        let lane = Lane::of(member.node.dtype);
        let reg = match (&member.node.calc, &args[..]) {
            (Calc::Unary(op), &[a]) => {
                let to = self.result(lane, &args);
                self.instrs.push(Instr::Unary { op: *op, to, a });
                to
            }
            (Calc::Binary(op), &[a, b]) => {
                let to = self.result(lane, &args);
                self.instrs.push(Instr::Binary { op: *op, to, a, b });
                to
            }
            (Calc::Compare(direction), &[a, b]) => {
                let to = self.result(lane, &args);
                self.instrs.push(Instr::Compare { direction: *direction, to, a, b });
                to
            }
            (Calc::Select, &[p, a, b]) => {
                let to = self.result(lane, &args);
                self.instrs.push(Instr::Select { to, p, a, b });
                to
            }
            (Calc::Clamp, &[low, x, high]) => {
                let above = self.result(lane, &[low, x]);
                self.instrs.push(Instr::Binary { op: BinaryOp::Max, to: above, a: x, b: low });
                let to = self.result(lane, &[above, high]);
                self.instrs.push(Instr::Binary { op: BinaryOp::Min, to, a: above, b: high });
                to
            }
            (Calc::Convert, &[a]) => {
                let to = self.result(lane, &args);
                self.instrs.push(Instr::Convert { to, a, dtype: member.node.dtype });
                to
            }
            (&Calc::Iota { divisor, size }, _) => self.iota(member.node.dtype, divisor, size),
            (Calc::Reduce(monoid), &[a]) if member.class == Class::Row => {
                let to = self.register(Holds::Number(lane));
                self.instrs.push(Instr::Reduce { monoid: *monoid, to, a });
                to
            }
            (Calc::Reduce(_), &[a]) => a,
            // A member has as many operands as its op.
            _ => self.constant(member.node.dtype, Scalar::Int(0)),
        };
        self.computes[own..].fill(Some(member.node.op));
        let narrow = !matches!(member.node.dtype, DType::F32 | DType::F64 | DType::I64 | DType::U64 | DType::Bool);
        let is_total = matches!(member.node.calc, Calc::Reduce(_)) && member.class == Class::Total;
        let computes = !is_total && !matches!(member.node.calc, Calc::Convert | Calc::Iota { .. } | Calc::Compare(_));
        if narrow && computes {
            self.instrs.push(Instr::Narrow { reg, dtype: member.node.dtype });
        }
        if member.class != Class::Total {
            self.of_member.insert(member.node.value, reg);
        }
    }

    /// The index of an element's position.
    fn iota(&mut self, dtype: DType, divisor: usize, size: usize) -> Reg {
        let lane = Lane::of(dtype);
        let same = divisor.is_multiple_of(self.row_len());
        let to = self.register(if same { Holds::Number(lane) } else { Holds::Row(lane) });
        self.instrs.push(Instr::Count { to, dtype, divisor, size });
        to
    }

    fn write(&mut self, member: &Member) {
        let memory = self.writes.len();
        self.writes.push(member.node.value);
        self.gives.push(member.node.op);
        let to = self.access(&member.result, memory, member.node.dtype);
        match (&member.node.calc, member.class) {
            (Calc::Reduce(monoid), Class::Total) => {
                let a = match &member.node.operands[..] {
                    [operand] => self.operand(operand),
                    _ => return,
                };
                let domain = &self.group.domain;
                let count = (0..domain.len()).filter(|&d| member.result.strides[d] != 0).map(|d| domain[d]).product();
                let over_row = to.run == Run::Same && self.row_len() != 1;
                self.accumulated.push((memory, count, member.node.dtype, *monoid));
                self.sums.push(Instr::Accumulate { monoid: *monoid, a, to, over_row });
            }
            _ => {
                let Some(&a) = self.of_member.get(&member.node.value) else { return };
                if member.class == Class::Full {
                    // It may take the place of what is read in the same order only.
                    for (read, views) in self.read_views.iter().enumerate() {
                        let alike = |(view, dtype): &(View, DType)| {
                            view.sees_same(&member.result) && dtype.bytes() == member.node.dtype.bytes()
                        };
                        if views.iter().all(alike) {
                            self.in_place.push((memory, read));
                        }
                    }
                }
                self.stores.push(Instr::Store { a, to });
            }
        }
    }

    fn finish(mut self) -> Built {
        let row = self.row_len();
        let whole =
            self.group.row.is_some() || self.instrs.iter().any(|i| matches!(i, Instr::Reduce { .. })) || row <= TILE;
        let tile = if whole { row } else { TILE };
        self.instrs.append(&mut self.sums);
        self.instrs.append(&mut self.stores);
        let (places, place_count) = places(&self.registers, &self.instrs);
        let row_loop = RowLoop {
            outer: (0..self.outer).map(|c| self.size(c)).collect(),
            row,
            tile: tile.max(1),
            registers: self.registers,
            places,
            place_count,
            instrs: self.instrs,
            computes: self.computes,
            gives: self.gives,
            accumulated: self.accumulated,
        };
        Built { row_loop, reads: self.reads, writes: self.writes, in_place: self.in_place }
    }
}

fn same_bits(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits(),
        (Scalar::Int(a), Scalar::Int(b)) => a == b,
        _ => false,
    }
}

/// Gives registers that are needed at different times the same place.
fn places(registers: &[Holds], instrs: &[Instr]) -> (Vec<u16>, usize) {
    let mut last = vec![0; registers.len()];
    for (at, instr) in instrs.iter().enumerate() {
        instr.visit(&mut |reg, _| last[reg as usize] = at);
    }
    let mut places = vec![u16::MAX; registers.len()];
    let (mut free, mut count): (Vec<u16>, u16) = (Vec::new(), 0);
    for (at, instr) in instrs.iter().enumerate() {
        instr.visit(&mut |reg, writes| {
            if writes && places[reg as usize] == u16::MAX && matches!(registers[reg as usize], Holds::Row(_)) {
                places[reg as usize] = free.pop().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                });
            }
        });
        let mut given: Vec<Reg> = Vec::new();
        instr.visit(&mut |reg, _| {
            if last[reg as usize] == at && places[reg as usize] != u16::MAX && !given.contains(&reg) {
                given.push(reg);
                free.push(places[reg as usize]);
            }
        });
    }
    places.iter_mut().filter(|p| **p == u16::MAX).for_each(|p| *p = 0);
    (places, count as usize)
}

impl Instr {
    /// Every register, and whether it is written.
    fn visit(&self, see: &mut dyn FnMut(Reg, bool)) {
        match *self {
            Instr::Load { to, .. } | Instr::Count { to, .. } => see(to, true),
            Instr::Unary { to, a, .. } | Instr::Convert { to, a, .. } | Instr::Reduce { to, a, .. } => {
                see(to, true);
                see(a, false);
            }
            Instr::Binary { to, a, b, .. } | Instr::Compare { to, a, b, .. } => {
                see(to, true);
                see(a, false);
                see(b, false);
            }
            Instr::Select { to, p, a, b } => {
                see(to, true);
                [p, a, b].into_iter().for_each(|r| see(r, false));
            }
            Instr::Narrow { reg, .. } => see(reg, true),
            Instr::Store { a, .. } | Instr::Accumulate { a, .. } => see(a, false),
        }
    }
}
