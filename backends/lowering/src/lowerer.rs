//! From a function to a routine.
//!
//! First every value is found out to be a view of some value that is computed (`Views`). Then the ops are walked in
//! order: what can be fused joins a group, and a group becomes a loop as soon as somebody else needs what it gives;
//! every other op becomes a step of its own.

mod candidate;
mod movement;
mod target;
mod views;

use crate::fusion::build::build;
use crate::fusion::group::{self, Group, Source};
use crate::view::View;
pub use movement::Copies;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Tensor;
use partita_runtime::compile::Lowering;
use partita_runtime::routine::{Action, Held, Routine, Slot, Span, Step};
use rustc_hash::FxHashMap;
use std::sync::Arc;
pub use target::Target;
use views::Views;

/// Elements from which on it is worth a copy to read them in order.
const WORTH_STRAIGHTENING: usize = 1 << 12;

/// Lowers a function for a target.
///
/// # Errors
/// `R004` for an op that the target has nothing for.
pub fn lower<T: Target>(target: &T, lowering: &mut Lowering, func: FuncId) -> Result<Routine<T::Kernel>, Diagnostic> {
    let program = lowering.program.clone();
    let mut lowerer = Lowerer {
        target,
        views: Views::of(target, &program, func),
        program: &program,
        lowering,
        routine: Routine::default(),
        slots: FxHashMap::default(),
        groups: Vec::new(),
        copies: 0,
        refused: None,
    };
    for (i, &input) in program.funcs[func].inputs.iter().enumerate() {
        let slot = lowerer.routine.slot(Held::Input(i));
        lowerer.slots.insert(input, slot);
    }
    for (position, &op) in program.funcs[func].ops().iter().enumerate() {
        lowerer.op(op, position);
        lowerer.close_done(position);
    }
    for output in &program.funcs[func].outputs {
        lowerer.close_with(output.value);
    }
    let last = program.funcs[func].ops().last().copied();
    lowerer.routine.outputs =
        program.funcs[func].outputs.iter().map(|o| lowerer.dense(last.unwrap_or(OpId(0)), o.value)).collect();
    match lowerer.refused {
        None => Ok(lowerer.routine),
        Some(op) => Err(refusal(&program, &program.ops[op])),
    }
}

fn refusal(program: &Program, op: &Op) -> Diagnostic {
    let types: Vec<String> = op.args.iter().map(|&arg| program.ty(arg).to_string()).collect();
    let out = op.outs.first().map_or("", |&out| program.values[out].name.as_str());
    let title = format!("this target has no kernel for `%{out} = {}` of {}", op.kind.name(), types.join(", "));
    program.located(op, Diagnostic::new(Code::R004, title))
}

/// The state of lowering a function.
pub struct Lowerer<'a, T: Target> {
    /// The program as one device sees it.
    pub program: &'a Program,
    target: &'a T,
    lowering: &'a mut Lowering,
    views: Views,
    routine: Routine<T::Kernel>,
    /// Where values lie that are computed, dense.
    slots: FxHashMap<ValueId, Slot>,
    /// Open groups.
    groups: Vec<Group>,
    /// How many copies were made that no value of the program is.
    copies: usize,
    /// The first op that the target has nothing for.
    refused: Option<OpId>,
}

impl<T: Target> Lowerer<'_, T> {
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
            let action = Action::Meet { in_place: collective.may_overwrite() };
            return self.routine.steps.push(Step { op: id, reads, writes, action });
        }
        match candidate::of(self.target, program, id, position, &|value| self.views.get(value)) {
            Some(candidate) => self.fuse(candidate),
            None => match Copies::of(&op.kind) {
                Some(copies) => movement::lower(self, id, copies),
                None => T::op(self, id),
            },
        }
    }

    fn loop_op(&mut self, id: OpId, op: &Op, l: &partita_ir::ops::Loop) {
        let reads: Vec<Span> = op.args.iter().map(|&arg| self.dense(id, arg)).collect();
        let unchanged = self.lowering.unchanged(l);
        let mut writes = Vec::new();
        for ((&out, read), same) in op.outs.iter().zip(&reads).zip(unchanged) {
            if same {
                // A dense operand begins a slot, or is copied to one.
                self.slots.insert(out, read.slot);
            } else {
                writes.push(self.new_slot(out));
            }
        }
        let step = self.lowering.loop_step(id, l, reads, writes);
        self.routine.steps.push(step);
    }

    /// Lets an op join the groups that it reads from, as far as they go together.
    fn fuse(&mut self, candidate: group::Candidate) {
        let reads_from = |group: &Group| {
            candidate.node.operands.iter().any(|o| matches!(o.source, Source::Value(v) if group.member(v).is_some()))
        };
        let mut found: Vec<usize> = (0..self.groups.len()).filter(|&g| reads_from(&self.groups[g])).collect();
        // All as one.
        if let [first, others @ ..] = &found[..]
            && !others.is_empty()
        {
            let all = self.groups[*first].clone();
            let all = others.iter().try_fold(all, |all, &other| all.merged(&self.groups[other]));
            if let Some(mut all) = all
                && all.join(candidate.clone())
                && self.is_small(&all)
            {
                self.groups[*first] = all;
                others.iter().rev().for_each(|&other| {
                    self.groups.remove(other);
                });
                return;
            }
        }
        // Or the one with most members, with what the others give from memory.
        found.sort_by_key(|&g| std::cmp::Reverse(self.groups[g].members.len()));
        for &g in &found {
            let mut joined = self.groups[g].clone();
            if joined.join(candidate.clone()) && self.is_small(&joined) {
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

    /// Whether a group has no more operands and results than the target takes.
    fn is_small(&self, group: &Group) -> bool {
        let most = self.target.most_operands();
        if group.members.len() <= most / 4 {
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
        reads.len() + writes <= most
    }

    /// Closes groups whose values have all been read.
    fn close_done(&mut self, position: usize) {
        let done = |group: &Group| group.members.iter().all(|m| self.views.last_read(m.node.value) <= position);
        let done: Vec<usize> = (0..self.groups.len()).filter(|&g| done(&self.groups[g])).collect();
        done.into_iter().rev().for_each(|g| self.close(g));
    }

    /// Closes the group that computes what this is a view of.
    fn close_with(&mut self, value: ValueId) {
        if let Source::Value(root) = self.views.get(value).0
            && let Some(g) = self.groups.iter().position(|g| g.member(root).is_some())
        {
            self.close(g);
        }
    }

    /// Makes a loop of a group.
    fn close(&mut self, g: usize) {
        let mut group = self.groups.remove(g);
        self.straighten(&mut group);
        let members: Vec<OpId> = group.members.iter().map(|m| m.node.op).collect();
        let built = build(&group, &|value| self.views.is_read_outside(value, &members));
        if built.writes.is_empty() {
            return;
        }
        let reads = built.reads.iter().map(|&v| Span::whole(self.slot_of(v))).collect();
        let writes = built.writes.iter().map(|&v| self.new_slot(v)).collect();
        let mut in_place = built.in_place;
        in_place.retain(|&(write, _)| self.target.writes_in_place(self.program.ty(built.writes[write]).dtype));
        let (kernel, scratch) = self.target.fused(built.row_loop, self.lowering.threads);
        let op = members.last().copied().unwrap_or(OpId(0));
        let action = Action::Compute { kernel, scratch, in_place };
        self.routine.steps.push(Step { op, reads, writes, action });
    }

    /// Copies what a group would read against the grain of memory, element by element from far apart.
    fn straighten(&mut self, group: &mut Group) {
        let Some(last) = (0..group.domain.len()).rev().find(|&d| group.domain[d] != 1) else { return };
        if group.domain.iter().product::<usize>() < WORTH_STRAIGHTENING {
            return;
        }
        let own: Vec<ValueId> = group.members.iter().map(|m| m.node.value).collect();
        let mut copies: Vec<(ValueId, View, ValueId)> = Vec::new();
        for member in &mut group.members {
            for operand in &mut member.node.operands {
                let Source::Value(value) = operand.source else { continue };
                let with_grain = matches!(operand.view.strides[last], -1..=1);
                if with_grain || own.contains(&value) {
                    continue;
                }
                let made = copies.iter().find(|c| c.0 == value && c.1.sees_same(&operand.view)).map(|c| c.2);
                let copy = made.unwrap_or_else(|| {
                    let width = self.lowering.width(operand.dtype);
                    // Of what is repeated one copy is enough.
                    let mut shape = operand.view.shape.clone();
                    shape.iter_mut().zip(&operand.view.strides).filter(|(_, s)| **s == 0).for_each(|(n, _)| *n = 1);
                    let from = View { shape: shape.clone(), ..operand.view.clone() };
                    let slot = self.routine.slot(Held::Temporary(from.count() * width));
                    let read = Span::whole(self.slot_of(value));
                    let kernel = self.target.strided(&from, &View::dense(&shape), width);
                    self.compute(member.node.op, kernel, vec![read], vec![Span::whole(slot)]);
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

    /// A slot for a value that is computed.
    pub fn new_slot(&mut self, value: ValueId) -> Span {
        let bytes = self.lowering.bytes(value);
        let slot = self.routine.slot(Held::Temporary(bytes));
        self.slots.insert(value, slot);
        Span::whole(slot)
    }

    /// Where a value lies that is computed, not a view.
    fn slot_of(&mut self, root: ValueId) -> Slot {
        if let Some(&slot) = self.slots.get(&root) {
            return slot;
        }
        // A dense constant: what is computed has a slot by now.
        let held = match self.views.constant(root) {
            Some(tensor) => self.lowering.constant(&tensor),
            None => Held::Temporary(self.lowering.bytes(root)),
        };
        let slot = self.routine.slot(held);
        self.slots.insert(root, slot);
        slot
    }

    /// How what an op computes is to lie in its slot.
    pub fn stored(&self, value: ValueId) -> View {
        self.views.get(value).1
    }

    /// Where the elements of a value lie, once they are computed.
    pub fn strided(&mut self, value: ValueId) -> (Span, View) {
        self.close_with(value);
        let (source, view) = self.views.get(value);
        let ty = self.program.ty(value).clone();
        match source {
            Source::Value(root) => (Span::whole(self.slot_of(root)), view),
            Source::Number(number) => {
                let one = Tensor::splat(Type::new(ty.dtype, []), number);
                let held = self.lowering.constant(&one);
                (Span::whole(self.routine.slot(held)), View::repeated(&ty.shape))
            }
        }
    }

    /// A slot's memory that holds the value in row-major order.
    pub fn dense(&mut self, op: OpId, value: ValueId) -> Span {
        let (span, view) = self.strided(value);
        let ty = self.program.ty(value);
        let width = self.lowering.width(ty.dtype);
        // A loop carries slots, so that what begins inside of one is copied.
        if view.is_dense() && view.offset == 0 {
            return span;
        }
        let slot = self.routine.slot(Held::Temporary(self.lowering.bytes(value)));
        let kernel = self.target.strided(&view, &View::dense(&ty.shape), width);
        self.compute(op, kernel, vec![span], vec![Span::whole(slot)]);
        Span::whole(slot)
    }

    /// How many bytes an element takes in the memory of devices.
    pub fn width(&self, dtype: DType) -> usize {
        self.lowering.width(dtype)
    }

    /// Copies elements from where one view shows them to where another one does.
    pub fn copy(&mut self, op: OpId, dtype: DType, from: (Span, &View), to: (Span, &View)) {
        let kernel = self.target.strided(from.1, to.1, self.width(dtype));
        self.compute(op, kernel, vec![from.0], vec![to.0]);
    }

    /// Notes an op that the target has nothing for.
    pub fn refuse(&mut self, op: OpId) {
        self.refused.get_or_insert(op);
    }

    /// Adds a step.
    pub fn compute(&mut self, op: OpId, kernel: T::Kernel, reads: Vec<Span>, writes: Vec<Span>) {
        self.compute_with(op, kernel, 0, Vec::new(), reads, writes);
    }

    /// Adds a step with scratch memory, that may write over operands.
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

    /// A slot for the only result of an op.
    pub fn result(&mut self, op: OpId) -> Span {
        let out = self.program.ops[op].outs[0];
        self.new_slot(out)
    }

    /// A slot that no value has.
    pub fn temporary(&mut self, bytes: usize) -> Span {
        Span::whole(self.routine.slot(Held::Temporary(bytes)))
    }

    /// The target.
    pub fn target(&self) -> &T {
        self.target
    }

    /// The program, to keep.
    pub fn shared_program(&self) -> Arc<Program> {
        self.lowering.program.clone()
    }

    /// On how many threads a kernel may compute.
    pub fn threads(&self) -> usize {
        self.lowering.threads
    }
}

/// A place so many elements further on.
pub fn offset(span: Span, elements: isize, width: usize) -> Span {
    Span { offset: span.offset.wrapping_add_signed(elements * width as isize), ..span }
}
