//! Concatenation of a producer's and a consumer's programs for vertical fusion. The intermediate value, which the
//! producer stores and the consumer loads, becomes a register.

use super::buffers::INTERMEDIATE;
use super::is_identity;
use crate::kernels::half::Half;
use crate::kernels::steps::{AddressMap, Reg, RegClass, Step};

/// Number of registers of each [`RegClass`].
#[derive(Clone, Copy, Default)]
pub(super) struct RegCounts([usize; 4]);

impl RegCounts {
    /// Counts the registers that steps define.
    pub(super) fn new<'s>(steps: impl IntoIterator<Item = &'s Step>) -> RegCounts {
        let mut counts = RegCounts::default();
        for class in steps.into_iter().filter_map(Step::defines) {
            counts.0[class as usize] += 1;
        }
        counts
    }

    /// Returns the number of float registers.
    pub(super) fn floats(self) -> usize {
        self.0[RegClass::F32 as usize]
    }
}

/// A program whose result is the intermediate value: its steps without stores, and the result register.
pub(super) struct Producer {
    computed: Vec<Step>,
    a: Reg,
    class: RegClass,
    /// Type of the result in memory, if it is a 16-bit float.
    half: Option<Half>,
    /// True if the register already contains a value rounded to a 16-bit float.
    is_rounded: bool,
    /// Number of registers defined by programs that precede this one in the fused program.
    before: RegCounts,
}

impl Producer {
    /// Splits a program into a producer and its stores of other results. The program runs on `count` elements, after
    /// programs that define the registers `before`. Returns `None` unless the program stores the intermediate value
    /// exactly once, element by element.
    pub(super) fn new(steps: Vec<Step>, count: usize, before: RegCounts) -> Option<(Producer, Vec<Step>)> {
        let (stores, computed): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(|step| step.defines().is_none());
        let mut intermediate = None;
        let mut others = Vec::new();
        for step in stores {
            match step {
                Step::Store { memory: INTERMEDIATE, ref at, class, a }
                    if intermediate.is_none() && is_identity(at, count) =>
                {
                    intermediate = Some((a, class, None));
                }
                Step::StoreHalf { memory: INTERMEDIATE, ref at, half, a }
                    if intermediate.is_none() && is_identity(at, count) =>
                {
                    intermediate = Some((a, RegClass::F32, Some(half)));
                }
                Step::Store { memory: INTERMEDIATE, .. }
                | Step::StoreHalf { memory: INTERMEDIATE, .. }
                | Step::StoreAt { memory: INTERMEDIATE, .. }
                | Step::StoreHalfAt { memory: INTERMEDIATE, .. } => return None,
                other => others.push(other),
            }
        }
        let (a, class, half) = intermediate?;
        let number = a.checked_sub(before.0[class as usize]);
        let definition =
            number.and_then(|number| computed.iter().filter(|step| step.defines() == Some(class)).nth(number));
        let is_rounded =
            matches!(definition, Some(Step::Round { .. } | Step::LoadHalf { .. } | Step::LoadHalfAt { .. }));
        Some((Producer { computed, a, class, half, is_rounded, before }, others))
    }

    /// Returns the step that also stores the intermediate value, in the result buffer with the number `memory`.
    pub(super) fn store(&self, memory: usize) -> Step {
        let (at, class, a) = (AddressMap::identity(), self.class, self.a);
        match self.half {
            Some(half) => Step::StoreHalf { memory, at, half, a },
            None => Step::Store { memory, at, class, a },
        }
    }

    /// Returns the number of steps.
    pub(super) fn len(&self) -> usize {
        self.computed.len()
    }

    /// Returns the number of float registers that the producer defines.
    pub(super) fn floats(&self) -> usize {
        RegCounts::new(&self.computed).floats()
    }

    /// Returns true if the steps have the same result for all elements.
    pub(super) fn is_uniform(&self) -> bool {
        self.computed.iter().all(|step| match step {
            Step::Element | Step::Iota { .. } => false,
            Step::Load { at, .. } | Step::LoadHalf { at, .. } => at.terms.is_empty(),
            _ => true,
        })
    }

    /// Returns the producer with its registers shifted by `by`.
    fn shifted(&self, by: RegCounts) -> Producer {
        let mut computed = self.computed.clone();
        let mut see = |class: RegClass, a: &mut Reg| *a += by.0[class as usize];
        computed.iter_mut().for_each(|step| step.registers_mut(&mut see));
        Producer { computed, a: self.a + by.0[self.class as usize], ..*self }
    }

    /// Returns the steps of the producer followed by those of a consumer whose registers are numbered from zero.
    /// Returns `None` if the consumer does not load the intermediate value element by element.
    pub(super) fn followed_by(&self, count: usize, consumer: Vec<Step>) -> Option<Vec<Step>> {
        let own = RegCounts::new(&self.computed);
        let by = RegCounts(std::array::from_fn(|class| self.before.0[class] + own.0[class]));
        self.spliced(count, consumer, (RegCounts::default(), by))
    }

    /// Returns the steps of the producer followed by those of a consumer that also uses the registers `before` of
    /// preceding programs. Returns `None` if the consumer does not load the intermediate value element by element.
    pub(super) fn inserted_before(&self, before: RegCounts, count: usize, consumer: Vec<Step>) -> Option<Vec<Step>> {
        self.shifted(before).spliced(count, consumer, (before, RegCounts::new(&self.computed)))
    }

    /// Appends the consumer's steps to those of the producer, with loads of the intermediate value replaced. Shifts the
    /// consumer's registers from number `from` on by `by`.
    fn spliced(&self, count: usize, consumer: Vec<Step>, (from, by): (RegCounts, RegCounts)) -> Option<Vec<Step>> {
        let mut steps = self.computed.clone();
        for mut step in consumer {
            step.registers_mut(&mut |class, a| {
                if *a >= from.0[class as usize] {
                    *a += by.0[class as usize];
                }
            });
            let reads_intermediate = reads_intermediate(std::slice::from_ref(&step));
            steps.push(match &step {
                Step::Load { memory: INTERMEDIATE, at, class } if is_identity(at, count) => {
                    self.load_replacement(*class, None)?
                }
                Step::LoadHalf { memory: INTERMEDIATE, at, half } if is_identity(at, count) => {
                    self.load_replacement(RegClass::F32, Some(*half))?
                }
                _ if reads_intermediate => return None,
                _ => step,
            });
        }
        Some(steps)
    }

    /// Returns the step that replaces a load of the intermediate value, or `None` if the types of store and load are
    /// incompatible.
    fn load_replacement(&self, class: RegClass, half: Option<Half>) -> Option<Step> {
        let a = self.a;
        match (self.half, half) {
            (Some(stored), Some(read)) if stored != read => None,
            (Some(_), Some(_)) if self.is_rounded => Some(Step::Convert { from: class, to: class, a }),
            (Some(half), Some(_)) => Some(Step::Round { half, a }),
            (None, None) if self.class == class => Some(Step::Convert { from: class, to: class, a }),
            (None, None) => Some(Step::Bits { from: self.class, to: class, a }),
            _ => None,
        }
    }
}

/// Returns true if a program loads the intermediate value.
pub(super) fn reads_intermediate(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.clone().reads_mut().is_some_and(|memory| *memory == INTERMEDIATE))
}

/// Moves all stores to the end of a program, since a result may overwrite an operand that the program loads.
pub(super) fn store_last(steps: Vec<Step>) -> Vec<Step> {
    let (stores, others): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(|step| step.defines().is_none());
    [others, stores].concat()
}
