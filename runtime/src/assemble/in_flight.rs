//! Collectives in flight: those that have been started and are not waited for yet.
//!
//! Operands keep their memory until the wait. If each collective were waited for where its result is used, all
//! gradients of ZeRO would be in memory at once, since their sums are used by the update at the end of a step.
//! Therefore the operands that only collectives in flight still need may take as much memory as those of the largest
//! collective: it is in flight while the next operand is computed.

use crate::routine::{Action, Slot, SlotKind, Span, Step};
use std::collections::VecDeque;

/// Number of a collective, and the index of its name.
pub(super) type Waited = (usize, u32);

/// Collectives in flight during the scheduling of a function, the oldest first.
pub(super) struct InFlight {
    collectives: VecDeque<StartedCollective>,
    /// Last step that accesses each slot; `usize::MAX` for outputs.
    last_access: Vec<usize>,
    /// Bytes of each temporary slot, and 0 for others.
    bytes: Vec<usize>,
    /// Maximum bytes of operands that only collectives in flight keep in memory.
    limit: usize,
}

struct StartedCollective {
    waited: Waited,
    reads: Vec<Slot>,
    writes: Vec<Slot>,
    /// Operands that the result does not overwrite.
    kept: Vec<Slot>,
}

impl InFlight {
    /// Creates an empty list for a function.
    pub(super) fn new<K>(slots: &[SlotKind], steps: &[Step<K>], outputs: &[Span]) -> InFlight {
        let bytes = slots.iter().map(|slot| match slot {
            SlotKind::Temporary(bytes) => *bytes,
            SlotKind::Input(_) | SlotKind::Constant(_) => 0,
        });
        let mut last_access = vec![0; slots.len()];
        for (at, step) in steps.iter().enumerate() {
            step.reads.iter().chain(&step.writes).for_each(|span| last_access[span.slot.index()] = at);
        }
        outputs.iter().for_each(|span| last_access[span.slot.index()] = usize::MAX);
        let mut in_flight = InFlight { collectives: VecDeque::new(), last_access, bytes: bytes.collect(), limit: 0 };
        let operand_bytes =
            |step: &Step<K>| -> usize { kept_operands(step).iter().map(|slot| in_flight.bytes[slot.index()]).sum() };
        in_flight.limit = steps.iter().map(operand_bytes).max().unwrap_or_default();
        in_flight
    }

    /// Returns the collectives that must be complete before the step at position `at`, which are no longer in flight:
    /// those whose results it accesses or whose operands it overwrites, all before a loop, and the oldest if a
    /// collective would exceed the limit of memory.
    pub(super) fn complete_before<K>(&mut self, step: &Step<K>, at: usize) -> Vec<Waited> {
        let mut waits = Vec::new();
        self.collectives.retain(|started| {
            let must_wait = accesses(&step.reads, &started.writes)
                || accesses(&step.writes, &started.writes)
                || accesses(&step.writes, &started.reads)
                || matches!(step.action, Action::Loop { .. });
            if must_wait {
                waits.push(started.waited);
            }
            !must_wait
        });
        if step.is_collective() {
            let mut kept: usize = self.collectives.iter().map(|started| self.kept_bytes(&started.kept, at)).sum();
            kept += self.kept_bytes(&kept_operands(step), at);
            while kept > self.limit
                && let Some(oldest) = self.collectives.pop_front()
            {
                kept -= self.kept_bytes(&oldest.kept, at);
                waits.push(oldest.waited);
            }
        }
        waits
    }

    /// Adds a collective that is started.
    pub(super) fn start<K>(&mut self, step: &Step<K>, waited: Waited) {
        let slots = |spans: &[Span]| spans.iter().map(|span| span.slot).collect();
        let (reads, writes) = (slots(&step.reads), slots(&step.writes));
        self.collectives.push_back(StartedCollective { waited, reads, writes, kept: kept_operands(step) });
    }

    /// Returns the remaining collectives.
    pub(super) fn complete(self) -> impl Iterator<Item = Waited> {
        self.collectives.into_iter().map(|started| started.waited)
    }

    /// Returns the bytes of slots that no step after position `at` accesses.
    fn kept_bytes(&self, slots: &[Slot], at: usize) -> usize {
        let is_dead = |slot: &&Slot| self.last_access[slot.index()] <= at;
        slots.iter().filter(is_dead).map(|slot| self.bytes[slot.index()]).sum()
    }
}

/// Returns true if spans are in some of the slots.
fn accesses(spans: &[Span], slots: &[Slot]) -> bool {
    spans.iter().any(|span| slots.contains(&span.slot))
}

/// Returns the operands of a collective that its results do not overwrite, each slot once.
fn kept_operands<K>(step: &Step<K>) -> Vec<Slot> {
    let mut slots: Vec<Slot> = match step.action {
        Action::Collective { in_place: false } => step.reads.iter().map(|span| span.slot).collect(),
        Action::Collective { in_place: true } | Action::Compute { .. } | Action::Loop { .. } => Vec::new(),
    };
    slots.sort_unstable_by_key(|slot| slot.index());
    slots.dedup();
    slots
}
