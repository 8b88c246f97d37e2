//! Range of repetitions that differ in nothing but the repetition that they belong to.
//!
//! Corresponding operands must be the same value in all repetitions, or values of repetitions at the same distance.
//! Where the distance leads out of the range, the first or the last repetitions read values outside instead. Ops and
//! outputs outside of the repetitions may read values of the first and of the last repetition only. Repetitions at
//! either end that violate this are excluded.

use super::MIN_REPETITIONS;
use super::align::{Alignment, Member, Slot, Template};
use super::trace::Trace;
use partita_ir::arena::{Id, ValueId};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum number of times that the range of repetitions is narrowed. Excluding repetitions turns their ops into
/// readers of the remaining ones, so that one more repetition may have to be excluded.
const MAX_NARROWINGS: usize = 8;

/// Value that all repetitions read as one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OperandKind {
    /// The same value.
    Shared,
    /// A value of the repetition at a distance.
    Own { distance: isize },
}

/// Consistent repetitions of an alignment.
pub(super) struct Consistent<'a> {
    trace: &'a Trace<'a>,
    alignment: &'a Alignment<'a>,
    /// The repetitions.
    pub(super) range: Range<usize>,
    /// Kind of each operand, by template.
    operand_kinds: Vec<SmallVec<[OperandKind; 3]>>,
}

impl<'a> Consistent<'a> {
    /// Returns the longest consistent range. `None` if it has fewer than [`MIN_REPETITIONS`] repetitions.
    pub(super) fn find(trace: &'a Trace<'a>, alignment: &'a Alignment<'a>) -> Option<Consistent<'a>> {
        let mut consistent = Consistent { trace, alignment, range: 0..alignment.count, operand_kinds: Vec::new() };
        for _ in 0..MAX_NARROWINGS {
            consistent.operand_kinds = alignment.templates.iter().map(|t| consistent.operand_kinds_of(t)).collect();
            let range = consistent.longest_range();
            if range.len() < MIN_REPETITIONS {
                return None;
            }
            if range == consistent.range {
                return consistent.is_ordered().then_some(consistent);
            }
            consistent.range = range;
        }
        None
    }

    /// Returns the slot of a value's definition, and the index of the value among the results. `None` for a value
    /// outside of the range.
    pub(super) fn slot(&self, value: ValueId) -> Option<(Slot, usize)> {
        self.alignment.slot(value).filter(|(slot, _)| self.range.contains(&slot.repetition))
    }

    /// Returns, for each output, its repetition. `None` for an output outside of the range.
    pub(super) fn output_repetitions(&self) -> Vec<Option<usize>> {
        let program = self.trace.program;
        let outputs = program.outputs();
        // Outputs of the values of one template, in order.
        let mut by_value: BTreeMap<(usize, usize), Vec<Vec<usize>>> = BTreeMap::new();
        for (index, output) in outputs.iter().enumerate() {
            if let Some((slot, result)) = self.slot(output.value) {
                let lists = by_value.entry((slot.template, result)).or_insert_with(|| vec![vec![]; self.range.len()]);
                lists[slot.repetition - self.range.start].push(index);
            }
        }
        let mut repetitions = vec![None; outputs.len()];
        for lists in by_value.values() {
            let is_uniform = lists.windows(2).all(|pair| {
                let mut both = pair[0].iter().zip(&pair[1]);
                pair[0].len() == pair[1].len()
                    && both.all(|(&a, &b)| match (outputs[a].replaces, outputs[b].replaces) {
                        (Some(a), Some(b)) => self.is_next(a, b),
                        (None, None) => true,
                        (Some(_), None) | (None, Some(_)) => false,
                    })
            });
            if is_uniform {
                for (list, repetition) in lists.iter().zip(self.range.clone()) {
                    list.iter().for_each(|&index| repetitions[index] = Some(repetition));
                }
            }
        }
        repetitions
    }

    /// Returns the longest part of the range whose repetitions are consistent.
    fn longest_range(&self) -> Range<usize> {
        let is_read = self.read_from_outside();
        let (mut longest, mut start) = (0..0, self.range.start);
        let keep_longer = |longest: &mut Range<usize>, found: Range<usize>| {
            if found.len() > longest.len() {
                *longest = found;
            }
        };
        for repetition in self.range.clone() {
            if is_read[repetition] && repetition > start {
                keep_longer(&mut longest, start..repetition + 1);
                start = repetition;
            }
            let next = repetition + 1;
            if next == self.range.end || !self.are_alike(repetition, next) {
                keep_longer(&mut longest, start..next);
                start = next;
            }
        }
        longest
    }

    /// Returns, for each repetition, true if an op or output outside of the range reads one of its values, or if all
    /// repetitions do.
    fn read_from_outside(&self) -> Vec<bool> {
        let program = self.trace.program;
        let mut is_read = vec![false; self.alignment.count];
        let mut read = |value: ValueId| {
            if let Some((slot, _)) = self.slot(value) {
                is_read[slot.repetition] = true;
            }
        };
        for position in 0..self.trace.ops.len() {
            if self.op_slot(position).is_none() {
                self.trace.args(position).iter().for_each(|&arg| read(arg));
            }
        }
        for param in program.params.values().filter(|param| self.slot(param.value).is_none()) {
            self.trace.parent(param.value).iter().copied().for_each(&mut read);
        }
        let repetitions = self.output_repetitions();
        for (output, _) in program.outputs().iter().zip(&repetitions).filter(|(_, repetition)| repetition.is_none()) {
            read(output.value);
            output.replaces.into_iter().for_each(&mut read);
        }
        for (template, kinds) in self.alignment.templates.iter().zip(&self.operand_kinds) {
            let Some(Some(member)) = template.get(self.range.start) else { continue };
            for (&value, kind) in self.alignment.operands(*member).iter().zip(kinds) {
                match kind {
                    OperandKind::Shared => read(value),
                    OperandKind::Own { .. } => {}
                }
            }
        }
        is_read
    }

    /// Returns the slot of an op in the range.
    fn op_slot(&self, position: usize) -> Option<Slot> {
        self.alignment.op_slot(position).filter(|slot| self.range.contains(&slot.repetition))
    }

    /// Returns true if two consecutive repetitions correspond to each other.
    fn are_alike(&self, repetition: usize, next: usize) -> bool {
        let mut templates = self.alignment.templates.iter().zip(&self.operand_kinds);
        templates.all(|(template, kinds)| match (template[repetition], template[next]) {
            (Some(a), Some(b)) => {
                let is_same_kind = match (a, b) {
                    (Member::Op(a), Member::Op(b)) => self.trace.symbols[a] == self.trace.symbols[b],
                    (Member::Input(a), Member::Input(b)) => {
                        self.trace.input_symbols[a.index()] == self.trace.input_symbols[b.index()]
                    }
                    (Member::Op(_), Member::Input(_)) | (Member::Input(_), Member::Op(_)) => false,
                };
                let (a, b) = (self.alignment.operands(a), self.alignment.operands(b));
                let mut operands = a.iter().zip(b).zip(kinds);
                is_same_kind
                    && [a.len(), b.len()] == [kinds.len(); 2]
                    && operands.all(|((&a, &b), kind)| match *kind {
                        OperandKind::Shared => a == b,
                        OperandKind::Own { distance } => {
                            self.is_at_distance(a, repetition, distance)
                                && self.is_at_distance(b, next, distance)
                                && (self.slot(a).is_none() || self.slot(b).is_none() || self.is_next(a, b))
                        }
                    })
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        })
    }

    /// Returns the kind of each operand of a template in most of the repetitions, judged by three of them.
    fn operand_kinds_of(&self, template: &Template) -> SmallVec<[OperandKind; 3]> {
        let judged = [2, 1, 3].map(|quarter| self.range.start + self.range.len() * quarter / 4);
        let [middle, early, late] = judged.map(|repetition| self.operand_kinds_in(template, repetition));
        let kind = |(operand, &of_middle): (usize, &OperandKind)| match early.get(operand) {
            Some(&of_early) if late.get(operand) == Some(&of_early) => of_early,
            Some(_) | None => of_middle,
        };
        middle.iter().enumerate().map(kind).collect()
    }

    /// Returns the kind of each operand of a template, as read by one repetition and the one before it.
    fn operand_kinds_in(&self, template: &Template, repetition: usize) -> SmallVec<[OperandKind; 3]> {
        let member = |repetition: usize| template.get(repetition).copied().flatten();
        let (Some(before), Some(read)) = (repetition.checked_sub(1).and_then(member), member(repetition)) else {
            return SmallVec::new();
        };
        let operands = self.alignment.operands(before).iter().zip(self.alignment.operands(read));
        let kind = |(&before, &read): (&ValueId, &ValueId)| match self.slot(read) {
            _ if before == read => OperandKind::Shared,
            Some((slot, _)) => OperandKind::Own { distance: slot.repetition as isize - repetition as isize },
            None => OperandKind::Own { distance: 0 },
        };
        operands.map(kind).collect()
    }

    /// Returns true if a value that a repetition reads belongs to the repetition at the given distance, or is outside
    /// if that one is outside of the range.
    fn is_at_distance(&self, value: ValueId, reader: usize, distance: isize) -> bool {
        let expected = reader.checked_add_signed(distance).filter(|repetition| self.range.contains(repetition));
        self.slot(value).map(|(slot, _)| slot.repetition) == expected
    }

    /// Returns true if `b` is the value of the next repetition at the place of `a`.
    fn is_next(&self, a: ValueId, b: ValueId) -> bool {
        match (self.slot(a), self.slot(b)) {
            (Some((a, i)), Some((b, j))) => a.template == b.template && i == j && a.repetition + 1 == b.repetition,
            (Some(_), None) | (None, Some(_)) | (None, None) => false,
        }
    }

    /// Returns true if the ops of the first repetitions may read what the last repetitions read from outside, and if
    /// ops outside may read the first repetitions instead of the last one, without a change of the order of ops.
    fn is_ordered(&self) -> bool {
        let last = self.range.end - 1;
        let positions = |template: usize| {
            let members = &self.alignment.templates[template][self.range.clone()];
            members.iter().filter_map(|member| match member {
                Some(Member::Op(position)) => Some(*position),
                Some(Member::Input(_)) | None => None,
            })
        };
        (0..self.trace.ops.len()).all(|position| {
            let reader = self.op_slot(position);
            self.trace.args(position).iter().all(|&arg| match (reader, self.slot(arg)) {
                (None, Some((slot, _))) if slot.repetition == last => {
                    positions(slot.template).all(|defined| defined < position)
                }
                (Some(reader), None) if reader.repetition > self.range.start + self.range.len() / 2 => {
                    let defined = self.trace.position(arg);
                    defined.is_none_or(|defined| positions(reader.template).all(|position| defined < position))
                }
                (Some(_), Some(_)) | (Some(_), None) | (None, Some(_)) | (None, None) => true,
            })
        })
    }
}
