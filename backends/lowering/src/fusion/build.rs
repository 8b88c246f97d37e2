//! Construction of a fused loop from a group of ops.

use super::group::{Calc, Group, Member, Operand, ResultKind, Source};
use super::row_loop::{Access, Instr, Reg, RegClass, RegKind, RowLayout, RowLoop};
use crate::view::{Dims, View};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::BinaryOp;
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// Elements of a tile, for rows that are computed in several tiles.
const TILE_ELEMENTS: usize = 1024;

/// Minimum elements of a row of a loop without row reductions: inner dimensions are added to the row up to this size.
const MIN_ROW_ELEMENTS: usize = 128;

/// A fused loop with its operands and results.
pub struct FusedLoop {
    /// The loop.
    pub row_loop: RowLoop,
    /// Values that the loop reads, in the order of the kernel's operands.
    pub reads: Vec<ValueId>,
    /// Values that the loop writes, in the order of the kernel's results.
    pub writes: Vec<ValueId>,
    /// Pairs (write, read) that may share memory: both access the same elements in the same order.
    pub in_place: Vec<(usize, usize)>,
}

/// Builds the loop of a group. The loop writes the members for which `is_read` returns true, and all total reductions.
pub fn build_loop(group: &Group, is_read: &dyn Fn(ValueId) -> bool) -> FusedLoop {
    let mut builder = LoopBuilder::new(group);
    for member in &group.members {
        builder.member(member);
    }
    for member in &group.members {
        if is_read(member.node.value) || member.result_kind == ResultKind::Total {
            builder.write(member);
        }
    }
    builder.finish()
}

struct LoopBuilder<'g> {
    group: &'g Group,
    /// First domain dimension of each run. A run is a maximal range of dimensions that every view addresses with a
    /// single stride. The first `outer` runs are outer dimensions, the others form the row.
    run_starts: Vec<usize>,
    outer: usize,
    registers: Vec<RegKind>,
    instrs: Vec<Instr>,
    /// The op that computes each register.
    computed_by: Vec<Option<OpId>>,
    written_by: Vec<OpId>,
    /// The register of each member's result, except for total reductions.
    member_registers: FxHashMap<ValueId, Reg>,
    loaded: Vec<(ValueId, DType, View, Reg)>,
    constants: Vec<(RegClass, Scalar, Reg)>,
    reads: Vec<ValueId>,
    /// The views through which each read is accessed.
    read_views: Vec<Vec<(View, DType)>>,
    writes: Vec<ValueId>,
    in_place: Vec<(usize, usize)>,
    accumulated: Vec<(usize, usize, DType, Monoid)>,
    /// Accumulations, which precede the stores: a store may overwrite the memory of an accumulated operand.
    accumulates: Vec<Instr>,
    stores: Vec<Instr>,
}

impl<'g> LoopBuilder<'g> {
    fn new(group: &'g Group) -> LoopBuilder<'g> {
        let domain = &group.domain;
        let views = || group.members.iter().flat_map(|m| m.node.operands.iter().map(|o| &o.view).chain([&m.result]));
        let joins = |d: usize| views().all(|v| v.strides[d - 1] == v.strides[d] * domain[d] as isize);
        let run_starts: Vec<usize> =
            (0..domain.len()).filter(|&d| d == 0 || group.row == Some(d) || !joins(d)).collect();
        // The row consists of the reduced dimensions, or else of inner dimensions until it has enough elements.
        let sizes: Vec<usize> = (0..run_starts.len())
            .map(|c| domain[run_starts[c]..run_starts.get(c + 1).copied().unwrap_or(domain.len())].iter().product())
            .collect();
        let outer = match group.row {
            Some(row) => run_starts.iter().position(|&d| d >= row).unwrap_or(run_starts.len()),
            None => {
                let mut outer = run_starts.len();
                let mut len = 1;
                while outer > 0 && len < MIN_ROW_ELEMENTS {
                    outer -= 1;
                    len *= sizes[outer];
                }
                outer
            }
        };
        LoopBuilder {
            group,
            run_starts,
            outer,
            registers: Vec::new(),
            instrs: Vec::new(),
            computed_by: Vec::new(),
            written_by: Vec::new(),
            member_registers: FxHashMap::default(),
            loaded: Vec::new(),
            constants: Vec::new(),
            reads: Vec::new(),
            read_views: Vec::new(),
            writes: Vec::new(),
            in_place: Vec::new(),
            accumulated: Vec::new(),
            accumulates: Vec::new(),
            stores: Vec::new(),
        }
    }

    /// Returns the number of elements of a run of dimensions.
    fn size(&self, run: usize) -> usize {
        let end = self.run_starts.get(run + 1).copied().unwrap_or(self.group.domain.len());
        self.group.domain[self.run_starts[run]..end].iter().product()
    }

    /// Returns the stride of a view along a run of dimensions.
    fn stride(&self, view: &View, run: usize) -> isize {
        let end = self.run_starts.get(run + 1).copied().unwrap_or(self.group.domain.len());
        // The stride of the innermost dimension with more than one element.
        let inner = (self.run_starts[run]..end).rev().find(|&d| view.shape[d] != 1);
        inner.map_or(0, |d| view.strides[d])
    }

    fn row_len(&self) -> usize {
        (self.outer..self.run_starts.len()).map(|c| self.size(c)).product()
    }

    fn access(&self, view: &View, memory: usize, dtype: DType) -> Access {
        let outer = (0..self.outer).map(|c| self.stride(view, c)).collect();
        // Runs with one element have no influence on the access pattern.
        let inner: Vec<usize> = (self.outer..self.run_starts.len()).filter(|&c| self.size(c) != 1).collect();
        let sizes: Dims<usize> = inner.iter().map(|&c| self.size(c)).collect();
        let strides: Dims<isize> = inner.iter().map(|&c| self.stride(view, c)).collect();
        let joined = (1..sizes.len()).all(|i| strides[i - 1] == strides[i] * sizes[i] as isize);
        let layout = match strides.last() {
            None => RowLayout::Broadcast,
            Some(_) if strides.iter().all(|&s| s == 0) => RowLayout::Broadcast,
            Some(1) if joined => RowLayout::Contiguous,
            Some(&stride) if joined => RowLayout::Strided(stride),
            Some(_) => RowLayout::Box(sizes, strides),
        };
        Access { memory, dtype, offset: view.offset, outer, layout }
    }

    fn register(&mut self, kind: RegKind) -> Reg {
        self.registers.push(kind);
        self.computed_by.push(None);
        (self.registers.len() - 1) as Reg
    }

    /// Returns true if a view reads the same element for all elements of a row.
    fn is_row_constant(&self, view: &View) -> bool {
        (self.outer..self.run_starts.len()).all(|c| self.size(c) == 1 || self.stride(view, c) == 0)
    }

    fn constant(&mut self, dtype: DType, value: Scalar) -> Reg {
        let class = RegClass::from_dtype(dtype);
        if let Some(&(_, _, reg)) = self.constants.iter().find(|c| c.0 == class && same_bits(c.1, value)) {
            return reg;
        }
        let reg = self.register(RegKind::Constant(class, value.to_f64(), value.to_i64()));
        self.constants.push((class, value, reg));
        reg
    }

    fn operand(&mut self, operand: &Operand) -> Reg {
        let value = match operand.source {
            Source::Number(number) => return self.constant(operand.dtype, number),
            Source::Value(value) => value,
        };
        if let Some(&reg) = self.member_registers.get(&value) {
            return reg;
        }
        let seen = self
            .loaded
            .iter()
            .find(|(v, dtype, view, _)| *v == value && *dtype == operand.dtype && view.selects_same(&operand.view));
        if let Some(&(.., reg)) = seen {
            return reg;
        }
        let memory = self.reads.iter().position(|&v| v == value).unwrap_or_else(|| {
            self.reads.push(value);
            self.read_views.push(Vec::new());
            self.reads.len() - 1
        });
        self.read_views[memory].push((operand.view.clone(), operand.dtype));
        let class = RegClass::from_dtype(operand.dtype);
        let kind = if self.is_row_constant(&operand.view) { RegKind::Scalar(class) } else { RegKind::Vector(class) };
        let to = self.register(kind);
        let from = self.access(&operand.view, memory, operand.dtype);
        self.instrs.push(Instr::Load { to, from });
        self.loaded.push((value, operand.dtype, operand.view.clone(), to));
        to
    }

    /// Adds a register for a value computed from the registers `from`: a scalar if all of them are scalars.
    fn result(&mut self, class: RegClass, from: &[Reg]) -> Reg {
        let rows = from.iter().any(|&r| matches!(self.registers[r as usize], RegKind::Vector(_)));
        self.register(if rows { RegKind::Vector(class) } else { RegKind::Scalar(class) })
    }

    fn member(&mut self, member: &Member) {
        let args: Vec<Reg> = member.node.operands.iter().map(|o| self.operand(o)).collect();
        let own = self.registers.len();
        let class = RegClass::from_dtype(member.node.dtype);
        let reg = match (&member.node.calc, &args[..]) {
            (Calc::Unary(op), &[a]) => {
                let to = self.result(class, &args);
                self.instrs.push(Instr::Unary { op: *op, to, a });
                to
            }
            (Calc::Binary(op), &[a, b]) => {
                let to = self.result(class, &args);
                self.instrs.push(Instr::Binary { op: *op, to, a, b });
                to
            }
            (Calc::Compare(direction), &[a, b]) => {
                let to = self.result(class, &args);
                self.instrs.push(Instr::Compare { direction: *direction, to, a, b });
                to
            }
            (Calc::Select, &[p, a, b]) => {
                let to = self.result(class, &args);
                self.instrs.push(Instr::Select { to, p, a, b });
                to
            }
            (Calc::Clamp, &[low, x, high]) => {
                let above = self.result(class, &[low, x]);
                self.instrs.push(Instr::Binary { op: BinaryOp::Max, to: above, a: x, b: low });
                let to = self.result(class, &[above, high]);
                self.instrs.push(Instr::Binary { op: BinaryOp::Min, to, a: above, b: high });
                to
            }
            (Calc::Convert, &[a]) => {
                let to = self.result(class, &args);
                self.instrs.push(Instr::Convert { to, a, dtype: member.node.dtype });
                to
            }
            (&Calc::Iota { divisor, size }, _) => self.iota(member.node.dtype, divisor, size),
            (Calc::Reduce(monoid), &[a]) if member.result_kind == ResultKind::Row => {
                let to = self.register(RegKind::Scalar(class));
                self.instrs.push(Instr::Reduce { monoid: *monoid, to, a });
                to
            }
            (Calc::Reduce(_), &[a]) => a,
            // The number of operands of a member always matches its op.
            _ => self.constant(member.node.dtype, Scalar::Int(0)),
        };
        self.computed_by[own..].fill(Some(member.node.op));
        let narrow = !matches!(member.node.dtype, DType::F32 | DType::F64 | DType::I64 | DType::U64 | DType::Bool);
        let is_total = matches!(member.node.calc, Calc::Reduce(_)) && member.result_kind == ResultKind::Total;
        let computes = !is_total && !matches!(member.node.calc, Calc::Convert | Calc::Iota { .. } | Calc::Compare(_));
        if narrow && computes {
            self.instrs.push(Instr::Narrow { reg, dtype: member.node.dtype });
        }
        if member.result_kind != ResultKind::Total {
            self.member_registers.insert(member.node.value, reg);
        }
    }

    /// Adds the instruction that computes the index of each element along an `iota` dimension.
    fn iota(&mut self, dtype: DType, divisor: usize, size: usize) -> Reg {
        let class = RegClass::from_dtype(dtype);
        let same = divisor.is_multiple_of(self.row_len());
        let to = self.register(if same { RegKind::Scalar(class) } else { RegKind::Vector(class) });
        self.instrs.push(Instr::Iota { to, dtype, divisor, size });
        to
    }

    fn write(&mut self, member: &Member) {
        let memory = self.writes.len();
        self.writes.push(member.node.value);
        self.written_by.push(member.node.op);
        let to = self.access(&member.result, memory, member.node.dtype);
        match (&member.node.calc, member.result_kind) {
            (Calc::Reduce(monoid), ResultKind::Total) => {
                let a = match &member.node.operands[..] {
                    [operand] => self.operand(operand),
                    _ => return,
                };
                let domain = &self.group.domain;
                let count = (0..domain.len()).filter(|&d| member.result.strides[d] != 0).map(|d| domain[d]).product();
                let over_row = to.layout == RowLayout::Broadcast && self.row_len() != 1;
                self.accumulated.push((memory, count, member.node.dtype, *monoid));
                self.accumulates.push(Instr::Accumulate { monoid: *monoid, a, to, over_row });
            }
            _ => {
                let Some(&a) = self.member_registers.get(&member.node.value) else { return };
                if member.result_kind == ResultKind::Full {
                    // The result may overwrite an operand only if every read of the operand uses the same order of
                    // elements.
                    for (read, views) in self.read_views.iter().enumerate() {
                        let is_same_order = |(view, dtype): &(View, DType)| {
                            view.selects_same(&member.result) && dtype.bytes() == member.node.dtype.bytes()
                        };
                        if views.iter().all(is_same_order) {
                            self.in_place.push((memory, read));
                        }
                    }
                }
                self.stores.push(Instr::Store { a, to });
            }
        }
    }

    fn finish(mut self) -> FusedLoop {
        let row = self.row_len();
        let is_full_row = self.group.row.is_some()
            || self.instrs.iter().any(|i| matches!(i, Instr::Reduce { .. }))
            || row <= TILE_ELEMENTS;
        let tile = if is_full_row { row } else { TILE_ELEMENTS };
        self.instrs.append(&mut self.accumulates);
        self.instrs.append(&mut self.stores);
        let (slots, slot_count) = allocate_slots(&self.registers, &self.instrs);
        let row_loop = RowLoop {
            outer: (0..self.outer).map(|c| self.size(c)).collect(),
            row,
            tile: tile.max(1),
            registers: self.registers,
            slots,
            slot_count,
            instrs: self.instrs,
            computed_by: self.computed_by,
            written_by: self.written_by,
            accumulated: self.accumulated,
        };
        FusedLoop { row_loop, reads: self.reads, writes: self.writes, in_place: self.in_place }
    }
}

fn same_bits(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits(),
        (Scalar::Int(a), Scalar::Int(b)) => a == b,
        _ => false,
    }
}

/// Allocates tile memory: vector registers with disjoint live ranges get the same slot. Returns the slot of each
/// register and the number of slots.
fn allocate_slots(registers: &[RegKind], instrs: &[Instr]) -> (Vec<u16>, usize) {
    let mut last = vec![0; registers.len()];
    for (at, instr) in instrs.iter().enumerate() {
        instr.visit(&mut |reg, _| last[reg as usize] = at);
    }
    let mut slots = vec![u16::MAX; registers.len()];
    let (mut free, mut count): (Vec<u16>, u16) = (Vec::new(), 0);
    for (at, instr) in instrs.iter().enumerate() {
        instr.visit(&mut |reg, writes| {
            if writes && slots[reg as usize] == u16::MAX && matches!(registers[reg as usize], RegKind::Vector(_)) {
                slots[reg as usize] = free.pop().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                });
            }
        });
        let mut released: Vec<Reg> = Vec::new();
        instr.visit(&mut |reg, _| {
            if last[reg as usize] == at && slots[reg as usize] != u16::MAX && !released.contains(&reg) {
                released.push(reg);
                free.push(slots[reg as usize]);
            }
        });
    }
    slots.iter_mut().filter(|p| **p == u16::MAX).for_each(|p| *p = 0);
    (slots, count as usize)
}

impl Instr {
    /// Calls `see` with every register of the instruction, and true for a written one.
    fn visit(&self, see: &mut dyn FnMut(Reg, bool)) {
        match *self {
            Instr::Load { to, .. } | Instr::Iota { to, .. } => see(to, true),
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
