//! Def-use information of a routine's slots, and fusion of adjacent steps.

use crate::launch::{Dispatch, Launch};
use partita_runtime::routine::{Action, Routine, Slot, SlotKind, Step};

/// Steps that write and read each slot, and the slots of outputs.
pub(crate) struct DefUse {
    writers: Vec<Vec<usize>>,
    readers: Vec<Vec<usize>>,
    is_output: Vec<bool>,
}

/// Returns a step's kernel, if the step has exactly one.
pub(crate) fn single_dispatch(step: &Step<Launch>) -> Option<&Dispatch> {
    match &step.action {
        Action::Compute { kernel, .. } => match &kernel.dispatches[..] {
            [dispatch] => Some(dispatch),
            _ => None,
        },
        Action::Collective { .. } | Action::Loop { .. } => None,
    }
}

/// Fuses producers into their consumers as long as `join` succeeds. The arguments of `join` are the producer, the
/// consumer, the number of the consumer's operand that the producer computes, and true if other steps read that value.
pub(crate) fn fuse_neighbours(
    routine: &mut Routine<Launch>,
    join: impl Fn(&Step<Launch>, &Step<Launch>, usize, bool) -> Option<Step<Launch>>,
) {
    let mut def_use = DefUse::new(routine);
    let mut gone = vec![false; routine.steps.len()];
    for consumer in 0..routine.steps.len() {
        let joined = |def_use: &DefUse, routine: &Routine<Launch>| {
            let step = &routine.steps[consumer];
            (0..step.reads.len()).find_map(|read| {
                let producer = def_use.producer(routine, consumer, read)?;
                let stored = def_use.is_read_after(step.reads[read].slot, consumer);
                Some((producer, join(&routine.steps[producer], step, read, stored)?))
            })
        };
        while let Some((producer, joined)) = joined(&def_use, routine) {
            def_use.move_step(&routine.steps[producer], producer, consumer);
            routine.steps[consumer] = joined;
            gone[producer] = true;
        }
    }
    let mut gone = gone.into_iter();
    routine.steps.retain(|_| !gone.next().unwrap_or(false));
}

impl DefUse {
    pub(crate) fn new(routine: &Routine<Launch>) -> DefUse {
        let none = || vec![Vec::new(); routine.slots.len()];
        let mut def_use = DefUse { writers: none(), readers: none(), is_output: vec![false; routine.slots.len()] };
        for (at, step) in routine.steps.iter().enumerate() {
            step.writes.iter().for_each(|span| def_use.writers[span.slot.0 as usize].push(at));
            step.reads.iter().for_each(|span| def_use.readers[span.slot.0 as usize].push(at));
        }
        routine.outputs.iter().for_each(|span| def_use.is_output[span.slot.0 as usize] = true);
        def_use
    }

    /// Returns the step that computes operand `read` of step `consumer`, if its execution can be postponed to that
    /// step.
    pub(crate) fn producer(&self, routine: &Routine<Launch>, consumer: usize, read: usize) -> Option<usize> {
        let span = routine.steps[consumer].reads[read];
        let is_temporary = matches!(routine.slots[span.slot.0 as usize], SlotKind::Temporary(_)) && span.offset == 0;
        let &[producer] = &self.writers[span.slot.0 as usize][..] else { return None };
        let waits = |slot: Slot| self.readers[slot.0 as usize].iter().any(|&r| producer < r && r < consumer);
        let can_wait = producer < consumer && !routine.steps[producer].writes.iter().any(|span| waits(span.slot));
        (is_temporary && can_wait).then_some(producer)
    }

    /// Returns true if a later step reads the slot, or if it is an output.
    pub(crate) fn is_read_after(&self, slot: Slot, step: usize) -> bool {
        self.is_output[slot.0 as usize] || self.readers[slot.0 as usize].iter().any(|&r| r > step)
    }

    /// Records that a step is executed at the position of a later one.
    pub(crate) fn move_step(&mut self, step: &Step<Launch>, from: usize, to: usize) {
        for (all, spans) in [(&mut self.writers, &step.writes), (&mut self.readers, &step.reads)] {
            for span in spans {
                let steps = &mut all[span.slot.0 as usize];
                steps.iter_mut().filter(|at| **at == from).for_each(|at| *at = to);
            }
        }
    }
}
