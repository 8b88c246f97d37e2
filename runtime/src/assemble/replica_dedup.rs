//! Replica deduplication: an output that all replicas along some axes would compute identically is computed by one of
//! them. Steps whose results only that replica needs are executed by the same replica.

use super::{Assembler, Event};
use crate::replicas::{AxisSet, ReplicaOwner};
use crate::routine::{Action, SlotKind, Step};
use petgraph::unionfind::UnionFind;

/// All axes: the optimistic initial value of the fixed-point iteration.
const ALL_AXES: AxisSet = AxisSet::MAX;

impl<K> Assembler<'_, K> {
    /// Assigns a replica to each event and to each slot. Connected steps get the same replica, and replicas are
    /// balanced by bytes written.
    pub(super) fn assign_owners(&mut self) {
        let axes = self.shared_axes();
        self.event_owners = vec![ReplicaOwner::default(); self.events.len()];
        self.slot_owners = vec![ReplicaOwner::default(); self.slots.len()];
        let mut shared: Vec<(usize, &Step<K>)> = Vec::new();
        let mut is_shared = vec![false; self.slots.len()];
        for (at, event) in self.events.iter().enumerate().filter(|&(at, _)| axes[at] != 0) {
            let Event::Execute(step) = event else { continue };
            shared.push((at, step));
            step.writes.iter().for_each(|span| is_shared[span.slot.index()] = true);
        }
        let mut components = UnionFind::<usize>::new(self.slots.len());
        for (_, step) in &shared {
            let first = step.writes[0].slot.index();
            let touched = step.writes.iter().chain(&step.reads).map(|span| span.slot.index());
            touched.filter(|&slot| is_shared[slot]).for_each(|slot| {
                components.union(first, slot);
            });
        }
        let mut rank_of: Vec<Option<usize>> = vec![None; self.slots.len()];
        let mut load = vec![0; self.devices.max(1)];
        for (at, step) in shared {
            let root = components.find(step.writes[0].slot.index());
            let least_loaded = || (0..load.len()).min_by_key(|&rank| load[rank]).unwrap_or(0);
            let rank = *rank_of[root].get_or_insert_with(least_loaded);
            for span in &step.writes {
                if let SlotKind::Temporary(bytes) = self.slots[span.slot.index()] {
                    load[rank] += bytes;
                }
                self.slot_owners[span.slot.index()] = ReplicaOwner { axes: axes[at], rank };
            }
            self.event_owners[at] = ReplicaOwner { axes: axes[at], rank };
        }
    }

    /// Returns for each event the axes along which one replica executes the event for the others: the largest sets such
    /// that no other replica reads the results. Computed as a greatest fixed point.
    fn shared_axes(&self) -> Vec<AxisSet> {
        let may = |event: &Event<K>| match event {
            Event::Execute(step) => matches!(step.action, Action::Compute { .. }) && !step.writes.is_empty(),
            Event::Wait(_) => false,
        };
        let mut event_axes: Vec<AxisSet> = self.events.iter().map(|e| if may(e) { ALL_AXES } else { 0 }).collect();
        let mut slot_axes: Vec<AxisSet> =
            (0..self.slots.len()).map(|slot| if self.is_temporary(slot) { ALL_AXES } else { 0 }).collect();
        for (output, span) in self.outputs.iter().enumerate() {
            let slot = span.slot.index();
            let own = self.output_buffer[slot] == Some(output as u32);
            slot_axes[slot] = if own { self.replicated_axes.get(output).copied().unwrap_or(0) } else { 0 };
        }
        loop {
            let mut changed = false;
            let mut shrink = |set: &mut AxisSet, to: AxisSet| {
                changed |= *set & to != *set;
                *set &= to;
            };
            for (event, axes) in self.events.iter().zip(&mut event_axes) {
                let Event::Execute(step) = event else { continue };
                step.reads.iter().for_each(|span| shrink(&mut slot_axes[span.slot.index()], *axes));
                for span in &step.writes {
                    let slot = span.slot.index();
                    shrink(axes, slot_axes[slot]);
                    // Only the replica that computes an output has memory for it.
                    if self.output_buffer[slot].is_some() {
                        shrink(&mut slot_axes[slot], *axes);
                    }
                }
            }
            if !changed {
                return event_axes;
            }
        }
    }

    /// Returns true if only steps access the slot, so that it is neither an input nor a constant.
    fn is_temporary(&self, slot: usize) -> bool {
        matches!(self.slots[slot], SlotKind::Temporary(_)) && self.input_buffer[slot].is_none()
    }
}
