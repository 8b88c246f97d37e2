//! The values that chunks exchange, and their names.

use super::chunk_contents::ChunkContents;
use super::placement::Placement;
use super::step_analysis::StepAnalysis;
use partita_ir::arena::ValueId;
use partita_ir::pipeline::{BOUNDARY_PREFIX, BoundaryValue, TransferPhase};
use partita_ir::program::Name;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The values that chunks exchange.
#[derive(Default)]
pub(super) struct Seams {
    /// The name of each seam, by value, time and source chunk.
    names: BTreeMap<(ValueId, TransferPhase, usize), Name>,
    /// Names that are in use.
    used_names: FxHashSet<Name>,
    /// All seams, in order of creation.
    pub(super) all: Vec<BoundaryValue>,
}

impl Seams {
    /// Returns the seams of all chunks.
    pub(super) fn new(step: &StepAnalysis<'_>, placement: &Placement, contents: &[ChunkContents]) -> Seams {
        let mut seams = Seams::default();
        for (to, contents) in contents.iter().enumerate() {
            for &input in &contents.inputs {
                let owner = step.param(input).and_then(|param| placement.owners.get(&param));
                let is_shared = step.is_shared(input);
                if let Some(&from) = owner.filter(|&&owner| owner != to && !is_shared) {
                    seams.add(step, input, TransferPhase::Before, from, to);
                }
            }
            contents
                .received_each
                .iter()
                .for_each(|received| seams.add(step, received.value, TransferPhase::EachMicroBatch, received.from, to));
            contents
                .received_after
                .iter()
                .for_each(|received| seams.add(step, received.value, TransferPhase::After, received.from, to));
            for &position in &contents.joins {
                let others = placement.summand_chunks(position).into_iter().filter(|&chunk| chunk != to);
                others.for_each(|from| seams.add(step, step.loop_op().outs[position], TransferPhase::After, from, to));
            }
        }
        seams
    }

    fn add(&mut self, step: &StepAnalysis<'_>, value: ValueId, when: TransferPhase, from: usize, to: usize) {
        let name = match self.names.get(&(value, when, from)) {
            Some(name) => name.clone(),
            None => self.new_name(&step.program.values[value].name, (value, when, from)),
        };
        let seam = BoundaryValue { name, from, to, when };
        if !self.all.contains(&seam) {
            self.all.push(seam);
        }
    }

    /// Returns a new name for a seam. The name contains the source chunk if several chunks send parts of a value.
    fn new_name(&mut self, of: &str, seam: (ValueId, TransferPhase, usize)) -> Name {
        let alone = [format!("{BOUNDARY_PREFIX}{of}"), format!("{BOUNDARY_PREFIX}{of}.of.{}", seam.2)];
        let others = (0..).map(|next| format!("{BOUNDARY_PREFIX}{of}.of.{}.{next}", seam.2));
        let mut names = alone.into_iter().chain(others).map(Name::from);
        let name = names.find(|name| !self.used_names.contains(name)).unwrap_or_default();
        self.used_names.insert(name.clone());
        self.names.insert(seam, name.clone());
        name
    }

    /// Returns the name of a seam.
    pub(super) fn name(&self, value: ValueId, when: TransferPhase, from: usize) -> Name {
        self.names.get(&(value, when, from)).cloned().unwrap_or_default()
    }

    /// Returns the values that a chunk stores and sends to others before the micro-batches.
    pub(super) fn sent_before(&self, from: usize) -> impl Iterator<Item = ValueId> + '_ {
        self.names
            .keys()
            .filter(move |(_, when, f)| (*when, *f) == (TransferPhase::Before, from))
            .map(|(value, ..)| *value)
    }

    /// Returns the values that a chunk sends at this time, with their names, in the order of ids.
    pub(super) fn sent(&self, when: TransferPhase, from: usize) -> Vec<(ValueId, Name)> {
        let sent_here = self.names.iter().filter(|((_, w, f), _)| (*w, *f) == (when, from));
        sent_here.map(|((value, ..), name)| (*value, name.clone())).collect()
    }
}
