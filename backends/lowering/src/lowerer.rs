//! Lowering of a function to a routine.
//!
//! First, every value is resolved to a view of a computed value (`Views`). Then the ops are visited in program order. A
//! fusible op joins a group of ops. A group is closed, that is, lowered to a fused loop, as soon as an op outside of it
//! needs one of its results, or when no op that reads its results remains. Every other op becomes a separate step.

mod candidate;
mod movement;
mod target;
mod views;

use crate::fusion::build::build_loop;
use crate::fusion::group::{self, Group, Source};
use crate::view::View;
pub use movement::CopyOp;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Tensor;
use partita_runtime::compile::Lowering;
use partita_runtime::routine::{Action, Routine, Slot, SlotKind, Span, Step};
use rustc_hash::FxHashMap;
use std::sync::Arc;
pub use target::Target;
use views::Views;

/// Minimum elements of a domain for which a strided operand is copied to row-major order before a fused loop reads it.
const MIN_COPIED_ELEMENTS: usize = 1 << 12;

/// Lowers a function for a target.
///
/// # Errors
/// Returns `R004` for an op that the target does not support.
pub fn lower<T: Target>(target: &T, lowering: &mut Lowering, func: FuncId) -> Result<Routine<T::Kernel>, Diagnostic> {
    let program = lowering.program.clone();
    let mut lowerer = Lowerer {
        target,
        views: Views::new(target, &program, func),
        program: &program,
        lowering,
        routine: Routine::default(),
        slots: FxHashMap::default(),
        groups: Vec::new(),
        copies: 0,
        rejected: None,
    };
    for (i, &input) in program.funcs[func].inputs.iter().enumerate() {
        let slot = lowerer.routine.add_slot(SlotKind::Input(i));
        lowerer.slots.insert(input, slot);
    }
    for (position, &op) in program.funcs[func].ops().iter().enumerate() {
        lowerer.op(op, position);
        lowerer.close_finished(position);
    }
    for output in &program.funcs[func].outputs {
        lowerer.close_group_of(output.value);
    }
    let last = program.funcs[func].ops().last().copied();
    lowerer.routine.outputs =
        program.funcs[func].outputs.iter().map(|o| lowerer.dense(last.unwrap_or(OpId(0)), o.value)).collect();
    match lowerer.rejected {
        None => Ok(lowerer.routine),
        Some(op) => Err(unsupported_op(&program, &program.ops[op])),
    }
}

fn unsupported_op(program: &Program, op: &Op) -> Diagnostic {
    if let Some(call) = op.kind.class().opaque() {
        let title = format!("the function `@{}` that the program calls is not part of it", call.target.0);
        let error = Diagnostic::new(Code::R004, title)
            .help("replace the call by operations of StableHLO to run the program; `plan` and `simulate` accept it");
        return program.locate_error(op, error);
    }
    let types: Vec<String> = op.args.iter().map(|&arg| program.ty(arg).to_string()).collect();
    let out = op.outs.first().map_or("", |&out| program.values[out].name.as_str());
    let title = format!("this target has no kernel for `%{out} = {}` of {}", op.kind.name(), types.join(", "));
    program.locate_error(op, Diagnostic::new(Code::R004, title))
}

/// The state of lowering a function.
pub struct Lowerer<'a, T: Target> {
    /// The program of one device.
    pub program: &'a Program,
    target: &'a T,
    lowering: &'a mut Lowering,
    views: Views,
    routine: Routine<T::Kernel>,
    /// The slots that store computed values in row-major order, or in the order of [`Lowerer::stored_layout`].
    slots: FxHashMap<ValueId, Slot>,
    /// The groups that ops may still join.
    groups: Vec<Group>,
    /// Number of copied operands of fused loops. Their value ids follow those of the program.
    copies: usize,
    /// The first op that the target does not support.
    rejected: Option<OpId>,
}

impl<T: Target> Lowerer<'_, T> {
    /// Lowers an op, or adds it to a group.
    fn op(&mut self, id: OpId, position: usize) {
        let program = self.program;
        let op = &program.ops[id];
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            return self.loop_op(id, op, l);
        }
        if op.outs.iter().all(|&out| self.views.is_view(out)) {
            return;
        }
        if let Some(collective) = op.kind.collective() {
            let reads = op.args.iter().map(|&arg| self.dense(id, arg)).collect();
            let writes = op.outs.iter().map(|&out| self.new_slot(out)).collect();
            let action = Action::Collective { in_place: collective.may_overwrite() };
            return self.routine.steps.push(Step { op: id, reads, writes, action });
        }
        match candidate::from_op(self.target, program, id, position, &|value| self.views.source_and_view(value)) {
            Some(candidate) => self.fuse(candidate),
            None => match CopyOp::from_kind(&op.kind) {
                Some(copies) => movement::lower(self, id, copies),
                None => T::lower_op(self, id),
            },
        }
    }

    /// Lowers a loop. A loop-invariant result shares the slot of its operand.
    fn loop_op(&mut self, id: OpId, op: &Op, l: &partita_ir::ops::Loop) {
        let reads: Vec<Span> = op.args.iter().map(|&arg| self.dense(id, arg)).collect();
        let unchanged = self.lowering.loop_invariant(l);
        let mut writes = Vec::new();
        for ((&out, read), same) in op.outs.iter().zip(&reads).zip(unchanged) {
            if same {
                // A dense operand starts at the beginning of its slot, or was copied to a new one.
                self.slots.insert(out, read.slot);
            } else {
                writes.push(self.new_slot(out));
            }
        }
        let step = self.lowering.loop_step(id, l, reads, writes);
        self.routine.steps.push(step);
    }

    /// Adds an op to the groups that compute its operands, if the ops can be computed in one loop.
    fn fuse(&mut self, candidate: group::Candidate) {
        let reads_from = |group: &Group| {
            candidate.node.operands.iter().any(|o| matches!(o.source, Source::Value(v) if group.member(v).is_some()))
        };
        let mut found: Vec<usize> = (0..self.groups.len()).filter(|&g| reads_from(&self.groups[g])).collect();
        // First attempt: merge all groups.
        if let [first, others @ ..] = &found[..]
            && !others.is_empty()
        {
            let all = self.groups[*first].clone();
            let all = others.iter().try_fold(all, |all, &other| all.merged(&self.groups[other]));
            if let Some(mut all) = all
                && all.join(candidate.clone())
                && self.is_within_limits(&all)
            {
                self.groups[*first] = all;
                others.iter().rev().for_each(|&other| {
                    self.groups.remove(other);
                });
                return;
            }
        }
        // Second attempt: join the largest group and read the results of the others from memory.
        found.sort_by_key(|&g| std::cmp::Reverse(self.groups[g].members.len()));
        for &g in &found {
            let mut joined = self.groups[g].clone();
            if joined.join(candidate.clone()) && self.is_within_limits(&joined) {
                self.groups[g] = joined;
                let mut others: Vec<usize> = found.iter().copied().filter(|&other| other != g).collect();
                others.sort_unstable();
                others.into_iter().rev().for_each(|other| self.close(other));
                return;
            }
        }
        found.sort_unstable();
        found.into_iter().rev().for_each(|g| self.close(g));
        self.groups.push(Group::new(candidate));
    }

    /// Returns true if a group has about as many operands and results as the target supports, or fewer. They are
    /// counted only for groups with more members than a quarter of the limit.
    fn is_within_limits(&self, group: &Group) -> bool {
        let max_operands = self.target.max_operands();
        if group.members.len() <= max_operands / 4 {
            return true;
        }
        let mut reads: Vec<ValueId> = Vec::new();
        for operand in group.members.iter().flat_map(|member| &member.node.operands) {
            if let Source::Value(value) = operand.source
                && group.member(value).is_none()
                && !reads.contains(&value)
            {
                reads.push(value);
            }
        }
        let members: Vec<OpId> = group.members.iter().map(|m| m.node.op).collect();
        let writes = group.members.iter().filter(|m| self.views.is_read_outside(m.node.value, &members)).count();
        reads.len() + writes <= max_operands
    }

    /// Closes groups whose results are not read by ops after `position`.
    fn close_finished(&mut self, position: usize) {
        let done = |group: &Group| group.members.iter().all(|m| self.views.last_read(m.node.value) <= position);
        let done: Vec<usize> = (0..self.groups.len()).filter(|&g| done(&self.groups[g])).collect();
        done.into_iter().rev().for_each(|g| self.close(g));
    }

    /// Closes the group that computes the value, or the value of which it is a view.
    fn close_group_of(&mut self, value: ValueId) {
        if let Source::Value(root) = self.views.source_and_view(value).0
            && let Some(g) = self.groups.iter().position(|g| g.member(root).is_some())
        {
            self.close(g);
        }
    }

    /// Lowers a group to the step of its fused loop.
    fn close(&mut self, g: usize) {
        let mut group = self.groups.remove(g);
        self.copy_strided_operands(&mut group);
        let members: Vec<OpId> = group.members.iter().map(|m| m.node.op).collect();
        let built = build_loop(&group, &|value| self.views.is_read_outside(value, &members));
        if built.writes.is_empty() {
            return;
        }
        let reads = built.reads.iter().map(|&v| Span::from_slot(self.slot_of(v))).collect();
        let writes = built.writes.iter().map(|&v| self.new_slot(v)).collect();
        let mut in_place = built.in_place;
        in_place.retain(|&(write, _)| self.target.writes_in_place(self.program.ty(built.writes[write]).dtype));
        let (kernel, scratch) = self.target.fused_kernel(built.row_loop, self.lowering.threads);
        let op = members.last().copied().unwrap_or(OpId(0));
        let action = Action::Compute { kernel, scratch, in_place };
        self.routine.steps.push(Step { op, reads, writes, action });
    }

    /// Copies operands that the loop would read with an innermost stride other than 0, 1 and -1 to row-major order.
    fn copy_strided_operands(&mut self, group: &mut Group) {
        let Some(last) = (0..group.domain.len()).rev().find(|&d| group.domain[d] != 1) else { return };
        if group.domain.iter().product::<usize>() < MIN_COPIED_ELEMENTS {
            return;
        }
        let own: Vec<ValueId> = group.members.iter().map(|m| m.node.value).collect();
        let mut copies: Vec<(ValueId, View, ValueId)> = Vec::new();
        for member in &mut group.members {
            for operand in &mut member.node.operands {
                let Source::Value(value) = operand.source else { continue };
                let is_small_stride = matches!(operand.view.strides[last], -1..=1);
                if is_small_stride || own.contains(&value) {
                    continue;
                }
                let made = copies.iter().find(|c| c.0 == value && c.1.selects_same(&operand.view)).map(|c| c.2);
                let copy = made.unwrap_or_else(|| {
                    let width = self.lowering.width(operand.dtype);
                    // Repeated elements are copied once.
                    let mut shape = operand.view.shape.clone();
                    shape.iter_mut().zip(&operand.view.strides).filter(|(_, s)| **s == 0).for_each(|(n, _)| *n = 1);
                    let from = View { shape: shape.clone(), ..operand.view.clone() };
                    let slot = self.routine.add_slot(SlotKind::Temporary(from.count() * width));
                    let read = Span::from_slot(self.slot_of(value));
                    let kernel = self.target.copy_kernel(&from, &View::dense(&shape), width);
                    self.compute(member.node.op, kernel, vec![read], vec![Span::from_slot(slot)]);
                    let copy = ValueId((self.program.values.len() + self.copies) as u32);
                    self.copies += 1;
                    self.slots.insert(copy, slot);
                    copies.push((value, operand.view.clone(), copy));
                    copy
                });
                let mut view = View::dense(&operand.view.shape);
                let mut stride = 1;
                for d in (0..view.shape.len()).rev() {
                    let repeats = operand.view.strides[d] == 0;
                    view.strides[d] = if repeats { 0 } else { stride };
                    stride *= if repeats { 1 } else { view.shape[d] as isize };
                }
                (operand.source, operand.view) = (Source::Value(copy), view);
            }
        }
    }

    /// Allocates the slot of a computed value and returns its span.
    pub fn new_slot(&mut self, value: ValueId) -> Span {
        let bytes = self.lowering.bytes(value);
        let slot = self.routine.add_slot(SlotKind::Temporary(bytes));
        self.slots.insert(value, slot);
        Span::from_slot(slot)
    }

    /// Returns the slot of a computed value or of a dense constant.
    fn slot_of(&mut self, root: ValueId) -> Slot {
        if let Some(&slot) = self.slots.get(&root) {
            return slot;
        }
        // Computed values already have a slot, so this value is a dense constant.
        let slot_kind = match self.views.constant(root) {
            Some(tensor) => self.lowering.add_constant(&tensor),
            None => SlotKind::Temporary(self.lowering.bytes(root)),
        };
        let slot = self.routine.add_slot(slot_kind);
        self.slots.insert(root, slot);
        slot
    }

    /// Returns the layout in which an op stores a result in its slot.
    pub fn stored_layout(&self, value: ValueId) -> View {
        self.views.source_and_view(value).1
    }

    /// Returns the memory and the view of a value. Closes the group that computes the value.
    pub fn span_and_view(&mut self, value: ValueId) -> (Span, View) {
        self.close_group_of(value);
        let (source, view) = self.views.source_and_view(value);
        let ty = self.program.ty(value).clone();
        match source {
            Source::Value(root) => (Span::from_slot(self.slot_of(root)), view),
            Source::Number(number) => {
                let one = Tensor::splat(Type::new(ty.dtype, []), number);
                let held = self.lowering.add_constant(&one);
                (Span::from_slot(self.routine.add_slot(held)), View::repeated(&ty.shape))
            }
        }
    }

    /// Returns memory with the value in row-major order. Copies the value if necessary.
    pub fn dense(&mut self, op: OpId, value: ValueId) -> Span {
        let (span, view) = self.span_and_view(value);
        let ty = self.program.ty(value);
        let width = self.lowering.width(ty.dtype);
        // Outputs and values carried by loops are entire slots, so a value that starts within a slot is copied.
        if view.is_dense() && view.offset == 0 {
            return span;
        }
        let slot = self.routine.add_slot(SlotKind::Temporary(self.lowering.bytes(value)));
        let kernel = self.target.copy_kernel(&view, &View::dense(&ty.shape), width);
        self.compute(op, kernel, vec![span], vec![Span::from_slot(slot)]);
        Span::from_slot(slot)
    }

    /// Returns the bytes of an element in device memory.
    pub fn width(&self, dtype: DType) -> usize {
        self.lowering.width(dtype)
    }

    /// Adds a step that copies elements from one view to another of the same shape.
    pub fn copy(&mut self, op: OpId, dtype: DType, from: (Span, &View), to: (Span, &View)) {
        let kernel = self.target.copy_kernel(from.1, to.1, self.width(dtype));
        self.compute(op, kernel, vec![from.0], vec![to.0]);
    }

    /// Records an op that the target does not support.
    pub fn reject(&mut self, op: OpId) {
        self.rejected.get_or_insert(op);
    }

    /// Adds a compute step.
    pub fn compute(&mut self, op: OpId, kernel: T::Kernel, reads: Vec<Span>, writes: Vec<Span>) {
        self.compute_with(op, kernel, 0, Vec::new(), reads, writes);
    }

    /// Adds a compute step with `scratch` bytes of scratch memory. `in_place` contains pairs (index of a write, index
    /// of a read) that may share memory.
    pub fn compute_with(
        &mut self,
        op: OpId,
        kernel: T::Kernel,
        scratch: usize,
        in_place: Vec<(usize, usize)>,
        reads: Vec<Span>,
        writes: Vec<Span>,
    ) {
        let action = Action::Compute { kernel, scratch, in_place };
        self.routine.steps.push(Step { op, reads, writes, action });
    }

    /// Allocates the slot of an op's first result.
    pub fn result(&mut self, op: OpId) -> Span {
        let out = self.program.ops[op].outs[0];
        self.new_slot(out)
    }

    /// Allocates a temporary slot that belongs to no value.
    pub fn temporary(&mut self, bytes: usize) -> Span {
        Span::from_slot(self.routine.add_slot(SlotKind::Temporary(bytes)))
    }

    /// Returns the target.
    pub fn target(&self) -> &T {
        self.target
    }

    /// Returns a shared reference to the program.
    pub fn shared_program(&self) -> Arc<Program> {
        self.lowering.program.clone()
    }

    /// Returns the maximum number of threads of a kernel.
    pub fn threads(&self) -> usize {
        self.lowering.threads
    }
}

/// Returns the span advanced by a number of elements of `width` bytes.
pub fn offset(span: Span, elements: isize, width: usize) -> Span {
    Span { offset: span.offset.wrapping_add_signed(elements * width as isize), ..span }
}
