//! Who carries out what. Outputs that all devices along some axes would compute alike one of them computes for all, and
//! what nothing else needs is left to that one, too.

use super::{Assembler, Event};
use crate::replicas::{AxisSet, Duty};
use crate::routine::{Action, Held, Step};
use petgraph::unionfind::UnionFind;

/// For one device alone, until somebody needs it elsewhere.
const ALL: AxisSet = AxisSet::MAX;

impl<K> Assembler<'_, K> {
    /// Decides by event who carries it out, and by slot who has it. What hangs together is one device's, and the
    /// devices get about as much to write each.
    pub(super) fn assign_duties(&mut self) {
        let axes = self.shared_axes();
        self.duties = vec![Duty::default(); self.events.len()];
        self.owners = vec![Duty::default(); self.slots.len()];
        let mut shared: Vec<(usize, &Step<K>)> = Vec::new();
        let mut is_shared = vec![false; self.slots.len()];
        for (at, event) in self.events.iter().enumerate().filter(|&(at, _)| axes[at] != 0) {
            let Event::Do(step) = event else { continue };
            shared.push((at, step));
            step.writes.iter().for_each(|span| is_shared[span.slot.index()] = true);
        }
        let mut together = UnionFind::<usize>::new(self.slots.len());
        for (_, step) in &shared {
            let first = step.writes[0].slot.index();
            let touched = step.writes.iter().chain(&step.reads).map(|span| span.slot.index());
            touched.filter(|&slot| is_shared[slot]).for_each(|slot| {
                together.union(first, slot);
            });
        }
        let mut rank_of: Vec<Option<usize>> = vec![None; self.slots.len()];
        let mut load = vec![0; self.devices.max(1)];
        for (at, step) in shared {
            let root = together.find(step.writes[0].slot.index());
            let idlest = || (0..load.len()).min_by_key(|&rank| load[rank]).unwrap_or(0);
            let rank = *rank_of[root].get_or_insert_with(idlest);
            for span in &step.writes {
                if let Held::Temporary(bytes) = self.slots[span.slot.index()] {
                    load[rank] += bytes;
                }
                self.owners[span.slot.index()] = Duty { axes: axes[at], rank };
            }
            self.duties[at] = Duty { axes: axes[at], rank };
        }
    }

    /// By event, along which axes one device carries it out for the others: the largest sets such that what it writes
    /// is read by no other device.
    fn shared_axes(&self) -> Vec<AxisSet> {
        let may = |event: &Event<K>| match event {
            Event::Do(step) => matches!(step.action, Action::Compute { .. }) && !step.writes.is_empty(),
            Event::Wait(_) => false,
        };
        let mut of_event: Vec<AxisSet> = self.events.iter().map(|e| if may(e) { ALL } else { 0 }).collect();
        let mut of_slot: Vec<AxisSet> =
            (0..self.slots.len()).map(|slot| if self.is_free(slot) { ALL } else { 0 }).collect();
        for (output, span) in self.outputs.iter().enumerate() {
            let slot = span.slot.index();
            let own = self.own_output[slot] == Some(output as u32);
            of_slot[slot] = if own { self.same.get(output).copied().unwrap_or(0) } else { 0 };
        }
        loop {
            let mut changed = false;
            let mut shrink = |set: &mut AxisSet, to: AxisSet| {
                changed |= *set & to != *set;
                *set &= to;
            };
            for (event, axes) in self.events.iter().zip(&mut of_event) {
                let Event::Do(step) = event else { continue };
                step.reads.iter().for_each(|span| shrink(&mut of_slot[span.slot.index()], *axes));
                for span in &step.writes {
                    let slot = span.slot.index();
                    shrink(axes, of_slot[slot]);
                    // Only who computes an output has memory for it.
                    if self.own_output[slot].is_some() {
                        shrink(&mut of_slot[slot], *axes);
                    }
                }
            }
            if !changed {
                return of_event;
            }
        }
    }

    /// Whether a slot is nobody's but the steps'.
    fn is_free(&self, slot: usize) -> bool {
        matches!(self.slots[slot], Held::Temporary(_)) && self.over_input[slot].is_none()
    }
}
