//! Assignment of ops and inputs to repetitions.
//!
//! The ops of one position in all repetitions are the members of a template. The main run of ops supplies the first
//! templates: its periods are the repetitions. Other runs (the backward pass, in which the repetitions are in
//! descending order; the updates of parameters) are aligned by the values that they share with ops already assigned.
//! Finally, inputs and ops outside of all runs that only one repetition reads (weights, their conversions, constants)
//! become templates, too.

use super::runs::Run;
use super::trace::{Definition, Trace};
use partita_ir::arena::{Id, ValueId};

/// An op or an input that belongs to one repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Member {
    /// Op at a position of the entry function.
    Op(usize),
    /// Input of the entry function.
    Input(ValueId),
}

/// Place of an op or input among the repetitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    /// Index of the template.
    pub(super) template: usize,
    /// Index of the repetition.
    pub(super) repetition: usize,
}

/// Corresponding ops or inputs, by repetition. `None` for a repetition without one.
pub(super) type Template = Vec<Option<Member>>;

/// Assignment of ops and inputs to repetitions.
pub(super) struct Alignment<'t> {
    trace: &'t Trace<'t>,
    /// Number of repetitions.
    pub(super) count: usize,
    /// Templates, in the order of their assignment.
    pub(super) templates: Vec<Template>,
    /// Slot of each op, by position.
    op_slots: Vec<Option<Slot>>,
    /// Slot of each input, by value id.
    input_slots: Vec<Option<Slot>>,
}

impl<'t> Alignment<'t> {
    /// Aligns all runs of a program with the main run, whose periods become the repetitions.
    pub(super) fn new(trace: &'t Trace<'t>, main: &Run, runs: &[Run]) -> Alignment<'t> {
        let mut alignment = Alignment {
            trace,
            count: 0,
            templates: Vec::new(),
            op_slots: vec![None; trace.ops.len()],
            input_slots: vec![None; trace.program.values.len()],
        };
        let start = alignment.best_start(main, &[]);
        alignment.count = (main.end - start) / main.period;
        let in_order: Vec<Option<usize>> = (0..alignment.count).map(Some).collect();
        alignment.add_segment(start, main.period, &in_order);
        let mut pending: Vec<&Run> = runs.iter().filter(|run| run.repetitions() + 2 >= alignment.count).collect();
        alignment.add_runs(&mut pending);
        alignment.add_sources();
        alignment.add_runs(&mut pending);
        if alignment.is_descending() {
            alignment.reverse();
        }
        alignment
    }

    /// Returns the slot of a value's definition and the index of the value among the results. `None` for a value
    /// outside of the repetitions.
    pub(super) fn slot(&self, value: ValueId) -> Option<(Slot, usize)> {
        match self.trace.definition(value)? {
            Definition::Input => Some((self.input_slots[value.index()]?, 0)),
            Definition::Op { position, result } => Some((self.op_slots[position]?, result)),
        }
    }

    /// Returns the slot of the op at a position.
    pub(super) fn op_slot(&self, position: usize) -> Option<Slot> {
        self.op_slots[position]
    }

    /// Returns the values that a member reads: the operands of an op, or the parameter that an input is state of.
    pub(super) fn operands(&self, member: Member) -> &'t [ValueId] {
        match member {
            Member::Op(position) => self.trace.args(position),
            Member::Input(value) => self.trace.parent(value).as_slice(),
        }
    }

    /// Assigns consecutive periods of ops to repetitions, given for each period.
    fn add_segment(&mut self, start: usize, period: usize, repetitions: &[Option<usize>]) {
        for offset in 0..period {
            let mut members = vec![None; self.count];
            for (step, repetition) in repetitions.iter().enumerate() {
                if let Some(repetition) = *repetition {
                    members[repetition] = Some(Member::Op(start + step * period + offset));
                }
            }
            self.add_template(members);
        }
    }

    fn add_template(&mut self, members: Template) {
        let template = self.templates.len();
        for (repetition, member) in members.iter().enumerate() {
            let slot = Some(Slot { template, repetition });
            match member {
                Some(Member::Op(position)) => self.op_slots[*position] = slot,
                Some(Member::Input(value)) => self.input_slots[value.index()] = slot,
                None => {}
            }
        }
        self.templates.push(members);
    }

    /// Adds the runs that can be aligned, and removes them from the list together with runs inside of others.
    fn add_runs(&mut self, pending: &mut Vec<&Run>) {
        loop {
            let before = pending.len();
            pending.retain(|run| !self.try_add(run));
            if pending.len() == before {
                return;
            }
        }
    }

    /// Adds a run if it can be aligned. Returns true if the run needs no further attempt.
    fn try_add(&mut self, run: &Run) -> bool {
        let is_free = |position: &usize| self.op_slots[*position].is_none();
        let Some(start) = (run.start..run.end).find(is_free) else { return true };
        let end = (start..run.end).find(|position| !is_free(position)).unwrap_or(run.end);
        // A layer that consists of equal parts has a multiple of the period.
        let parts = ((end - start) / run.period / self.count).max(1);
        let run = Run { start, end, period: run.period * parts };
        if run.repetitions() + 2 < self.count || run.repetitions() < 2 {
            return true;
        }
        let votes: Vec<Option<usize>> = (start..end).map(|position| self.vote(position)).collect();
        let start = self.best_start(&run, &votes);
        let steps = (end - start) / run.period;
        let step_votes = |step: usize| {
            let first = start - run.start + step * run.period;
            most_frequent(votes[first..first + run.period].iter().copied().flatten().collect())
        };
        let voted: Vec<Option<usize>> = (0..steps).map(step_votes).collect();
        let Some(repetitions) = self.step_repetitions(&voted) else { return false };
        self.add_segment(start, run.period, &repetitions);
        true
    }

    /// Returns the repetition of each step of a run: in ascending or descending order if most votes agree with it, or
    /// else as voted. `None` if two or more repetitions would have no step, or one of them several.
    fn step_repetitions(&self, voted: &[Option<usize>]) -> Option<Vec<Option<usize>>> {
        let is_repetition = |repetition: &usize| *repetition < self.count;
        let votes = || voted.iter().enumerate().filter_map(|(step, vote)| Some((step, (*vote)?)));
        // The repetition of step 0 plus the number of steps, so that it is not negative.
        let ascending = most_frequent(votes().map(|(step, vote)| vote + voted.len() - step).collect())?;
        let descending = most_frequent(votes().map(|(step, vote)| vote + step).collect())?;
        let lines: [Vec<Option<usize>>; 2] = [
            (0..voted.len()).map(|step| (ascending + step).checked_sub(voted.len()).filter(is_repetition)).collect(),
            (0..voted.len()).map(|step| descending.checked_sub(step).filter(is_repetition)).collect(),
        ];
        let agreeing = |line: &[Option<usize>]| votes().filter(|&(step, vote)| line[step] == Some(vote)).count();
        let [up, down] = &lines;
        let line = if agreeing(down) > agreeing(up) { down } else { up };
        let repetitions = if 2 * agreeing(line) > votes().count() { line.clone() } else { voted.to_vec() };
        let mut is_taken = vec![false; self.count];
        let are_distinct = repetitions.iter().flatten().all(|&r| !std::mem::replace(&mut is_taken[r], true));
        let missing = is_taken.iter().filter(|is_taken| !**is_taken).count();
        (are_distinct && missing < 2).then_some(repetitions)
    }

    /// Returns the repetition of most of the ops that the op at a position reads from, or that read from it.
    fn vote(&self, position: usize) -> Option<usize> {
        let read = self.trace.args(position).iter().filter_map(|&arg| Some(self.slot(arg)?.0.repetition));
        let uses = self.trace.outs(position).iter().flat_map(|&out| self.trace.uses(out));
        let readers = uses.filter_map(|&reader| Some(self.op_slots[reader]?.repetition));
        most_frequent(read.chain(readers).collect())
    }

    /// Returns the position in the first period of a run where the repetitions start: where the fewest values cross
    /// from one period to the next, then where votes change most often, then the first one.
    fn best_start(&self, run: &Run, votes: &[Option<usize>]) -> usize {
        let spare = (run.end - run.start) % run.period;
        let crossing = self.crossing_values(run);
        let mut changes = vec![0usize; run.period];
        let mut voted = votes.iter().enumerate().filter_map(|(at, vote)| Some((at, (*vote)?)));
        if let Some(mut last) = voted.next() {
            for next in voted {
                if next.1 != last.1 {
                    (last.0 + 1..=next.0).take(run.period).for_each(|at| changes[at % run.period] += 1);
                }
                last = next;
            }
        }
        let rank =
            |&offset: &usize| (crossing[offset + run.period], std::cmp::Reverse(changes[offset % run.period]), offset);
        run.start + (0..=spare).min_by_key(rank).unwrap_or(0)
    }

    /// Returns, for each position of a run, the number of values that are defined in the run before and read in the
    /// run at or after it.
    fn crossing_values(&self, run: &Run) -> Vec<usize> {
        let mut change = vec![0isize; run.end - run.start + 1];
        for position in run.start..run.end {
            for &out in self.trace.outs(position) {
                let uses = self.trace.uses(out);
                let last = uses[..uses.partition_point(|&reader| reader < run.end)].last();
                if let Some(last) = last {
                    change[position + 1 - run.start] += 1;
                    change[last + 1 - run.start] -= 1;
                }
            }
        }
        let sums = change.into_iter().scan(0, |sum, change| {
            *sum += change;
            Some(usize::try_from(*sum).unwrap_or(0))
        });
        sums.collect()
    }

    /// Adds templates for inputs and ops outside of all runs of which each repetition reads its own.
    fn add_sources(&mut self) {
        let mut template = 0;
        while template < self.templates.len() {
            let members: Option<Vec<Member>> = self.templates[template].iter().copied().collect();
            let operands: Vec<&[ValueId]> =
                members.unwrap_or_default().into_iter().map(|member| self.operands(member)).collect();
            for operand in 0..operands.iter().map(|all| all.len()).min().unwrap_or(0) {
                let values: Vec<ValueId> = operands.iter().map(|all| all[operand]).collect();
                if let Some(members) = self.sources(&values) {
                    self.add_template(members);
                }
            }
            template += 1;
        }
    }

    /// Returns the definitions of values, one for each repetition, if they are distinct and not assigned.
    fn sources(&self, values: &[ValueId]) -> Option<Template> {
        let member = |&value: &ValueId| match self.trace.definition(value)? {
            Definition::Input => Some((Some(Member::Input(value)), 0)),
            Definition::Op { position, result } => Some((Some(Member::Op(position)), result)),
        };
        let (members, results): (Template, Vec<usize>) = values.iter().map(member).collect::<Option<_>>()?;
        let are_unassigned = values.iter().all(|&value| self.slot(value).is_none());
        let mut distinct = values.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let are_distinct = distinct.len() == values.len();
        let are_inputs = |input: bool| members.iter().all(|member| matches!(member, Some(Member::Input(_))) == input);
        let are_alike = results.windows(2).all(|pair| pair[0] == pair[1]) && (are_inputs(true) || are_inputs(false));
        (are_unassigned && are_distinct && are_alike).then_some(members)
    }

    /// Returns true if the first ops that read a value of another repetition read one of a later repetition: the
    /// repetitions are in the reverse order of the forward pass.
    fn is_descending(&self) -> bool {
        let step = |position: usize| {
            let reader = self.op_slots[position]?;
            let read = self.trace.args(position).iter().filter_map(|&arg| match self.trace.definition(arg)? {
                Definition::Op { position, .. } => Some(self.op_slots[position]?.repetition),
                Definition::Input => None,
            });
            read.map(|repetition| repetition.cmp(&reader.repetition)).find(|order| order.is_ne())
        };
        (0..self.op_slots.len()).find_map(step).is_some_and(|order| order.is_gt())
    }

    /// Reverses the order of the repetitions.
    fn reverse(&mut self) {
        self.templates.iter_mut().for_each(|members| members.reverse());
        for slot in self.op_slots.iter_mut().chain(&mut self.input_slots).flatten() {
            slot.repetition = self.count - 1 - slot.repetition;
        }
    }
}

/// Returns the most frequent number, the smallest one in case of a tie.
fn most_frequent(mut numbers: Vec<usize>) -> Option<usize> {
    numbers.sort_unstable();
    let groups = numbers.chunk_by(|a, b| a == b);
    groups.max_by_key(|group| (group.len(), std::cmp::Reverse(group[0]))).map(|group| group[0])
}
