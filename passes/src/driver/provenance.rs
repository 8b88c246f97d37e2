//! Provenance of layouts: for each mesh axis of a value, the annotation that introduced it and the ops that it was
//! propagated through.
//!
//! Sharding propagation records every step ([`Provenance::record_step`]), and passes that annotate a program record the
//! user's text ([`Provenance::record_annotation`]). [`Provenance::chain`] follows the steps backwards, from a dimension
//! to the annotation. Steps are recorded in order, so each step leads to an earlier one. Propagation visits ops in the
//! order in which axes reach them, so that chains are short.

use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::diag::Span;
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::program::Program;
use partita_ir::rule::FactorId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// A dimension of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValueDim {
    /// The value.
    pub value: ValueId,
    /// The position of the dimension.
    pub dim: u32,
}

/// Propagation of axes from one dimension to another.
#[derive(Clone, PartialEq, Debug)]
pub struct PropagationStep {
    /// The dimension that got axes.
    pub to: ValueDim,
    /// The dimension from which the axes came.
    pub from: ValueDim,
    /// The op that relates the two dimensions.
    pub op: OpId,
    /// The factor of the op's rule that relates the two dimensions.
    pub factor: FactorId,
    /// All axes of the dimension `to` after this step.
    pub axes: Axes,
}

/// A layout, rule or preset in the user's words.
#[derive(Clone, PartialEq, Debug)]
pub struct Note {
    /// The text, for example a layout or a rule.
    pub text: String,
    /// The location of the text. `None` for an annotation in the model.
    pub span: Option<Span>,
}

/// One step of the propagation of an axis.
#[derive(Clone, PartialEq, Debug)]
pub enum ProvenanceStep {
    /// The axis was annotated.
    Annotated {
        /// The annotated dimension.
        at: ValueDim,
        /// The user's text. `None` for a layout that is part of the model.
        note: Option<Note>,
    },
    /// The dimension of a contraction's result was sharded, because every device of the axis would compute the
    /// contraction in full.
    Shared {
        /// The dimension.
        at: ValueDim,
    },
    /// The axis was propagated through an op.
    Propagated(PropagationStep),
}

/// The provenance of every axis on every value.
#[derive(Clone, Default, Debug)]
pub struct Provenance {
    /// The user's texts.
    notes: Vec<Note>,
    /// The index of the note that put axes on a dimension.
    annotations: FxHashMap<ValueDim, u32>,
    /// Dimensions that were sharded to share the work of a contraction.
    shared: FxHashSet<ValueDim>,
    /// All propagation steps in order, each with the index of the previous step to the same dimension.
    steps: Vec<(PropagationStep, u32)>,
    /// The index of the last step to each dimension of each value.
    last: Vec<u32>,
    first_dim: Vec<u32>,
}

/// Index of no step.
const NO_STEP: u32 = u32::MAX;

impl Provenance {
    /// Adds a text that the user wrote, and returns its index.
    pub fn add_note(&mut self, note: Note) -> u32 {
        self.notes.push(note);
        self.notes.len() as u32 - 1
    }

    /// Records the note that put axes on a dimension.
    pub fn record_annotation(&mut self, at: ValueDim, note: u32) {
        self.annotations.insert(at, note);
    }

    /// Records that a dimension was sharded to share the work of a contraction.
    pub fn record_shared(&mut self, at: ValueDim) {
        self.shared.insert(at);
    }

    /// Returns the note that put axes on a dimension.
    pub fn note_at(&self, at: ValueDim) -> Option<&Note> {
        self.notes.get(*self.annotations.get(&at)? as usize)
    }

    /// Allocates storage for the dimensions of all values. `first_dim` contains the index of the first dimension of
    /// each value, and one entry more than values exist.
    pub fn reserve(&mut self, first_dim: &[u32]) {
        self.first_dim = first_dim.to_vec();
        self.last = vec![NO_STEP; first_dim.last().map_or(0, |&n| n as usize)];
    }

    /// Records a propagation step.
    pub fn record_step(&mut self, step: PropagationStep) {
        let Some(slot) = self.slot(step.to) else { return };
        let before = std::mem::replace(&mut self.last[slot], self.steps.len() as u32);
        self.steps.push((step, before));
    }

    fn slot(&self, at: ValueDim) -> Option<usize> {
        let slot = *self.first_dim.get(at.value.index())? + at.dim;
        (slot < *self.first_dim.get(at.value.index() + 1)?).then_some(slot as usize)
    }

    /// Returns the index of the first step before `before` that brought the axis to a dimension.
    fn arrival(&self, at: ValueDim, axis: AxisRef, before: u32) -> Option<u32> {
        let mut found = None;
        let mut next = self.last[self.slot(at)?];
        while let Some((step, earlier)) = self.steps.get(next as usize) {
            if next < before && step.axes.iter().any(|a| a.overlaps(axis)) {
                found = Some(next);
            }
            next = *earlier;
        }
        found
    }

    /// Returns the steps by which an axis reached dimension `dim` of a value, beginning with the annotation. The result
    /// is only meaningful if the axis shards the dimension in the planned program.
    pub fn chain(&self, value: ValueId, dim: usize, axis: AxisRef) -> Vec<ProvenanceStep> {
        let mut at = ValueDim { value, dim: dim as u32 };
        let mut steps = Vec::new();
        let mut before = NO_STEP;
        while let Some(step) = self.arrival(at, axis, before) {
            before = step;
            let step = self.steps[step as usize].0.clone();
            at = step.from;
            steps.push(ProvenanceStep::Propagated(step));
        }
        steps.push(match self.note_at(at) {
            None if self.shared.contains(&at) => ProvenanceStep::Shared { at },
            note => ProvenanceStep::Annotated { at, note: note.cloned() },
        });
        steps.reverse();
        steps
    }

    /// Returns the chain in words, one line for each step. `program` is the planned program, or one derived from it.
    pub fn explain(&self, program: &Program, value: ValueId, dim: usize, axis: AxisRef) -> String {
        let name = program.mesh().and_then(|(_, m)| m.axes.get(axis.axis.index())).map_or("?", |a| a.name.as_str());
        let at = ValueDim { value, dim: dim as u32 };
        let mut out = format!("{} is split by `{name}`:\n", self.dim_name(program, at));
        for step in self.chain(value, dim, axis) {
            let (place, why) = match step {
                ProvenanceStep::Annotated { at, note } => {
                    (at, note.map_or_else(|| describe_model_annotation(program, at.value), describe_note))
                }
                ProvenanceStep::Shared { at } => {
                    (at, format!("every device of `{name}` would compute this contraction in full"))
                }
                ProvenanceStep::Propagated(step) => (step.to, describe_propagation(program, &step)),
            };
            let _ = writeln!(out, "  {:<32} {why}", self.dim_name(program, place));
        }
        out
    }

    /// `up.weight dim 1`, `%h dim 0`
    fn dim_name(&self, program: &Program, at: ValueDim) -> String {
        match program.param_of(at.value) {
            Some(param) => format!("{} dim {}", program.params[param].path, at.dim),
            None => format!("%{} dim {}", program.values[at.value].name, at.dim),
        }
    }
}

/// ``you wrote `_, model` (plan.toml:3:9)``
fn describe_note(note: Note) -> String {
    let Note { text, span } = note;
    match span {
        None => format!("annotated in the model: {text}"),
        Some(span) => {
            let (line, column) = span.line_column();
            format!("you wrote `{text}` ({}:{line}:{column})", span.source.name)
        }
    }
}

/// `annotated in the model (gpt.mlir:7)`
fn describe_model_annotation(program: &Program, value: ValueId) -> String {
    let ops = program.funcs_with_layouts().into_iter().flat_map(|f| program.funcs[f].ops());
    let by = ops.map(|&op| &program.ops[op]).find(|op| op.outs.contains(&value));
    match by.and_then(|op| program.source_line(&op.origin)) {
        None => "annotated in the model".into(),
        Some((file, line)) => format!("annotated in the model ({file}:{line})"),
    }
}

/// ``through `matmul %h`, factor j (line 7)``
fn describe_propagation(program: &Program, step: &PropagationStep) -> String {
    let op = &program.ops[step.op];
    let name = op.outs.first().map_or("", |&v| program.values[v].name.as_str());
    let from = match program.param_of(step.from.value) {
        Some(param) => program.params[param].path.clone(),
        None => format!("%{}", program.values[step.from.value].name),
    };
    let mut text = format!("from {from} dim {} through `{} %{name}`", step.from.dim, op.kind.name());
    if let Some((file, line)) = program.source_line(&op.origin) {
        let _ = write!(text, " ({file}:{line})");
    }
    text
}
