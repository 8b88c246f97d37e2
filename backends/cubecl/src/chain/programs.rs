//! Programs behind each other, as one.

use super::buffers::HANDED;
use super::is_dense;
use crate::kernels::half::Half;
use crate::kernels::steps::{At, Lane, Reg, Step};

/// How many registers there are, by lane.
#[derive(Clone, Copy, Default)]
pub(super) struct Given([usize; 4]);

impl Given {
    /// Those that steps give.
    pub(super) fn of<'s>(steps: impl IntoIterator<Item = &'s Step>) -> Given {
        let mut given = Given::default();
        for lane in steps.into_iter().filter_map(Step::gives) {
            given.0[lane as usize] += 1;
        }
        given
    }

    /// How many of them are floats.
    pub(super) fn floats(self) -> usize {
        self.0[Lane::F32 as usize]
    }
}

/// A program that hands an element on: the steps that do not store, and the register.
pub(super) struct Front {
    computed: Vec<Step>,
    a: Reg,
    lane: Lane,
    /// Of narrow floats in memory, which ones; and whether the register is rounded to one.
    half: Option<Half>,
    is_rounded: bool,
    /// How many registers there are before its own.
    before: Given,
}

impl Front {
    /// A program on so many elements behind registers that it knows, and what it stores besides.
    pub(super) fn of(steps: Vec<Step>, count: usize, before: Given) -> Option<(Front, Vec<Step>)> {
        let (stores, computed): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(|step| step.gives().is_none());
        let mut handed = None;
        let mut others = Vec::new();
        for step in stores {
            match step {
                Step::Store { memory: HANDED, ref at, lane, a } if handed.is_none() && is_dense(at, count) => {
                    handed = Some((a, lane, None));
                }
                Step::StoreHalf { memory: HANDED, ref at, half, a } if handed.is_none() && is_dense(at, count) => {
                    handed = Some((a, Lane::F32, Some(half)));
                }
                Step::Store { memory: HANDED, .. }
                | Step::StoreHalf { memory: HANDED, .. }
                | Step::StoreAt { memory: HANDED, .. }
                | Step::StoreHalfAt { memory: HANDED, .. } => return None,
                other => others.push(other),
            }
        }
        let (a, lane, half) = handed?;
        let own = a.checked_sub(before.0[lane as usize]);
        let maker = own.and_then(|own| computed.iter().filter(|step| step.gives() == Some(lane)).nth(own));
        let is_rounded = matches!(maker, Some(Step::Round { .. } | Step::LoadHalf { .. } | Step::LoadHalfAt { .. }));
        Some((Front { computed, a, lane, half, is_rounded, before }, others))
    }

    /// The step that keeps what it hands on in a result of that number.
    pub(super) fn store(&self, memory: usize) -> Step {
        let (at, lane, a) = (At::dense(), self.lane, self.a);
        match self.half {
            Some(half) => Step::StoreHalf { memory, at, half, a },
            None => Step::Store { memory, at, lane, a },
        }
    }

    /// How many steps it has.
    pub(super) fn len(&self) -> usize {
        self.computed.len()
    }

    /// How many floats it makes.
    pub(super) fn floats(&self) -> usize {
        Given::of(&self.computed).floats()
    }

    /// Whether it gives the same for whatever element it is carried out.
    pub(super) fn is_everywhere(&self) -> bool {
        self.computed.iter().all(|step| match step {
            Step::Element | Step::Count { .. } => false,
            Step::Load { at, .. } | Step::LoadHalf { at, .. } => at.terms.is_empty(),
            _ => true,
        })
    }

    /// The same program behind registers that it does not know.
    fn moved(&self, by: Given) -> Front {
        let mut computed = self.computed.clone();
        let mut see = |lane: Lane, a: &mut Reg| *a += by.0[lane as usize];
        computed.iter_mut().for_each(|step| step.registers_mut(&mut see));
        Front { computed, a: self.a + by.0[self.lane as usize], ..*self }
    }

    /// The program, and behind it one that was carried out instead of it, behind the registers that it knows itself.
    pub(super) fn then(&self, count: usize, behind: Vec<Step>) -> Option<Vec<Step>> {
        let own = Given::of(&self.computed);
        let by = Given(std::array::from_fn(|lane| self.before.0[lane] + own.0[lane]));
        self.spliced(count, behind, (Given::default(), by))
    }

    /// The program between registers that the one behind it knows and that one, which knows none of its own.
    pub(super) fn between(&self, before: Given, count: usize, behind: Vec<Step>) -> Option<Vec<Step>> {
        self.moved(before).spliced(count, behind, (before, Given::of(&self.computed)))
    }

    /// Registers of the program behind count on `by` that many more, from those on.
    fn spliced(&self, count: usize, behind: Vec<Step>, (from, by): (Given, Given)) -> Option<Vec<Step>> {
        let mut steps = self.computed.clone();
        for mut step in behind {
            step.registers_mut(&mut |lane, a| {
                if *a >= from.0[lane as usize] {
                    *a += by.0[lane as usize];
                }
            });
            let asks = asks(std::slice::from_ref(&step));
            steps.push(match &step {
                Step::Load { memory: HANDED, at, lane } if is_dense(at, count) => self.taken(*lane, None)?,
                Step::LoadHalf { memory: HANDED, at, half } if is_dense(at, count) => {
                    self.taken(Lane::F32, Some(*half))?
                }
                _ if asks => return None,
                _ => step,
            });
        }
        Some(steps)
    }

    /// The step that gives what memory would have given.
    fn taken(&self, lane: Lane, half: Option<Half>) -> Option<Step> {
        let a = self.a;
        match (self.half, half) {
            (Some(stored), Some(read)) if stored != read => None,
            (Some(_), Some(_)) if self.is_rounded => Some(Step::Convert { from: lane, to: lane, a }),
            (Some(half), Some(_)) => Some(Step::Round { half, a }),
            (None, None) if self.lane == lane => Some(Step::Convert { from: lane, to: lane, a }),
            (None, None) => Some(Step::Bits { from: self.lane, to: lane, a }),
            _ => None,
        }
    }
}

/// Whether a program reads what it is handed.
pub(super) fn asks(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.clone().reads_mut().is_some_and(|memory| *memory == HANDED))
}

/// The program with what it stores behind all that it reads: a result may take the place of an operand.
pub(super) fn store_last(steps: Vec<Step>) -> Vec<Step> {
    let (stores, others): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(|step| step.gives().is_none());
    [others, stores].concat()
}
