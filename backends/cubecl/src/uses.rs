//! Which steps of a routine write and read each slot, and which may become one.

use crate::launch::{Dispatch, Launch};
use partita_runtime::routine::{Action, Held, Routine, Slot, Step};

/// Steps by slot, and which slots are results.
pub(crate) struct Uses {
    writers: Vec<Vec<usize>>,
    readers: Vec<Vec<usize>>,
    is_output: Vec<bool>,
}

/// A step's kernel, if it is only one.
pub(crate) fn only(step: &Step<Launch>) -> Option<&Dispatch> {
    match &step.action {
        Action::Compute { kernel, .. } => match &kernel.dispatches[..] {
            [dispatch] => Some(dispatch),
            _ => None,
        },
        Action::Meet { .. } | Action::Loop { .. } => None,
    }
}

/// Lets a step do what one before it does, too, as often as `join` knows how: it is given both, which operand of the
/// second the first computes, and whether others read that.
pub(crate) fn join_neighbours(
    routine: &mut Routine<Launch>,
    join: impl Fn(&Step<Launch>, &Step<Launch>, usize, bool) -> Option<Step<Launch>>,
) {
    let mut uses = Uses::of(routine);
    let mut gone = vec![false; routine.steps.len()];
    for behind in 0..routine.steps.len() {
        let joined = |uses: &Uses, routine: &Routine<Launch>| {
            let step = &routine.steps[behind];
            (0..step.reads.len()).find_map(|read| {
                let front = uses.front(routine, behind, read)?;
                let kept = uses.is_read_behind(step.reads[read].slot, behind);
                Some((front, join(&routine.steps[front], step, read, kept)?))
            })
        };
        while let Some((front, joined)) = joined(&uses, routine) {
            uses.moved(&routine.steps[front], front, behind);
            routine.steps[behind] = joined;
            gone[front] = true;
        }
    }
    let mut gone = gone.into_iter();
    routine.steps.retain(|_| !gone.next().unwrap_or(false));
}

impl Uses {
    pub(crate) fn of(routine: &Routine<Launch>) -> Uses {
        let none = || vec![Vec::new(); routine.slots.len()];
        let mut uses = Uses { writers: none(), readers: none(), is_output: vec![false; routine.slots.len()] };
        for (at, step) in routine.steps.iter().enumerate() {
            step.writes.iter().for_each(|span| uses.writers[span.slot.0 as usize].push(at));
            step.reads.iter().for_each(|span| uses.readers[span.slot.0 as usize].push(at));
        }
        routine.outputs.iter().for_each(|span| uses.is_output[span.slot.0 as usize] = true);
        uses
    }

    /// The step before that one which computes what it reads as its operand of that number, if that can wait until
    /// then.
    pub(crate) fn front(&self, routine: &Routine<Launch>, behind: usize, read: usize) -> Option<usize> {
        let span = routine.steps[behind].reads[read];
        let is_temporary = matches!(routine.slots[span.slot.0 as usize], Held::Temporary(_)) && span.offset == 0;
        let &[front] = &self.writers[span.slot.0 as usize][..] else { return None };
        let waits = |slot: Slot| self.readers[slot.0 as usize].iter().any(|&r| front < r && r < behind);
        let can_wait = front < behind && !routine.steps[front].writes.iter().any(|span| waits(span.slot));
        (is_temporary && can_wait).then_some(front)
    }

    /// Whether anybody reads a slot behind a step.
    pub(crate) fn is_read_behind(&self, slot: Slot, step: usize) -> bool {
        self.is_output[slot.0 as usize] || self.readers[slot.0 as usize].iter().any(|&r| r > step)
    }

    /// Notes that a step is now done where a later one was.
    pub(crate) fn moved(&mut self, step: &Step<Launch>, from: usize, to: usize) {
        for (all, spans) in [(&mut self.writers, &step.writes), (&mut self.readers, &step.reads)] {
            for span in spans {
                let steps = &mut all[span.slot.0 as usize];
                steps.iter_mut().filter(|at| **at == from).for_each(|at| *at = to);
            }
        }
    }
}
