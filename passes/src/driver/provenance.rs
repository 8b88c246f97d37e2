//! Why values lie where they lie: for each axis on a value, the annotation it comes from and the ops it came through.
//!
//! Propagation notes every spreading of axes ([`Provenance::spread`]) as it happens, and whoever puts annotations on a
//! program notes what the user wrote ([`Provenance::wrote`]). [`Provenance::chain`] walks that back, from a dimension
//! to the annotation: since axes are noted in the order in which they spread, each step leads to an earlier one. Ops
//! are looked at in the order in which axes reach them, so that the chains are short.

use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::diag::Span;
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::program::Program;
use partita_ir::rule::FactorId;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A dimension of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Spot {
    /// The value.
    pub value: ValueId,
    /// Which of its dimensions.
    pub dim: u32,
}

/// Axes that spread from one dimension to another.
#[derive(Clone, PartialEq, Debug)]
pub struct Spread {
    /// What got axes.
    pub to: Spot,
    /// Where they came from.
    pub from: Spot,
    /// The op that ties the two together.
    pub op: OpId,
    /// The factor of its rule that does.
    pub factor: FactorId,
    /// All axes of the dimension, since then.
    pub axes: Axes,
}

/// Something that the user wrote.
#[derive(Clone, PartialEq, Debug)]
pub struct Note {
    /// What: a layout, a rule.
    pub text: String,
    /// Where; `None` for what came with the model.
    pub span: Option<Span>,
}

/// One step of the way that an axis took.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// The user put it there.
    Written {
        /// Where it was put.
        at: Spot,
        /// What was written; `None` for a layout that the model came with.
        note: Option<Note>,
    },
    /// An op carried it.
    Spread(Spread),
}

/// The origin of every axis on every value.
#[derive(Clone, Default, Debug)]
pub struct Provenance {
    /// What the user wrote.
    notes: Vec<Note>,
    /// Which note put axes on a dimension.
    written: FxHashMap<Spot, u32>,
    /// Everything that spread, in order, each with the one before it to the same dimension.
    spreads: Vec<(Spread, u32)>,
    /// The last spread to each dimension of each value.
    last: Vec<u32>,
    first_dim: Vec<u32>,
}

/// No spread.
const NONE: u32 = u32::MAX;

impl Provenance {
    /// Keeps something that the user wrote, to be referred to by its number.
    pub fn note(&mut self, note: Note) -> u32 {
        self.notes.push(note);
        self.notes.len() as u32 - 1
    }

    /// Says which note put axes on a dimension.
    pub fn wrote(&mut self, at: Spot, note: u32) {
        self.written.insert(at, note);
    }

    /// The note that put axes on a dimension.
    pub fn note_at(&self, at: Spot) -> Option<&Note> {
        self.notes.get(*self.written.get(&at)? as usize)
    }

    /// Makes room for the dimensions of all values: `first_dim` says where those of each value begin, and has one more
    /// entry than there are values.
    pub fn cover(&mut self, first_dim: &[u32]) {
        self.first_dim = first_dim.to_vec();
        self.last = vec![NONE; first_dim.last().map_or(0, |&n| n as usize)];
    }

    /// Notes that axes spread.
    pub fn spread(&mut self, spread: Spread) {
        let Some(slot) = self.slot(spread.to) else { return };
        let before = std::mem::replace(&mut self.last[slot], self.spreads.len() as u32);
        self.spreads.push((spread, before));
    }

    fn slot(&self, at: Spot) -> Option<usize> {
        let slot = *self.first_dim.get(at.value.index())? + at.dim;
        (slot < *self.first_dim.get(at.value.index() + 1)?).then_some(slot as usize)
    }

    /// The first spread that brought the axis to a dimension, of those before `before`.
    fn arrival(&self, at: Spot, axis: AxisRef, before: u32) -> Option<u32> {
        let mut found = None;
        let mut next = self.last[self.slot(at)?];
        while let Some((spread, earlier)) = self.spreads.get(next as usize) {
            if next < before && spread.axes.iter().any(|a| a.overlaps(axis)) {
                found = Some(next);
            }
            next = *earlier;
        }
        found
    }

    /// The way that an axis took to dimension `dim` of a value, from the annotation on. Only meaningful when the axis
    /// splits the dimension in the planned program.
    pub fn chain(&self, value: ValueId, dim: usize, axis: AxisRef) -> Vec<Step> {
        let mut at = Spot { value, dim: dim as u32 };
        let mut steps = Vec::new();
        let mut before = NONE;
        while let Some(spread) = self.arrival(at, axis, before) {
            before = spread;
            let spread = self.spreads[spread as usize].0.clone();
            at = spread.from;
            steps.push(Step::Spread(spread));
        }
        steps.push(Step::Written { at, note: self.note_at(at).cloned() });
        steps.reverse();
        steps
    }

    /// The chain in words, one line a step. `program` is the planned program, or one made from it.
    pub fn explain(&self, program: &Program, value: ValueId, dim: usize, axis: AxisRef) -> String {
        let name = program.mesh().and_then(|(_, m)| m.axes.get(axis.axis.index())).map_or("?", |a| a.name.as_str());
        let at = Spot { value, dim: dim as u32 };
        let mut out = format!("{} is split by `{name}`:\n", self.spell(program, at));
        for step in self.chain(value, dim, axis) {
            let (place, why) = match step {
                Step::Written { at, note } => (at, note.map_or_else(|| annotated(program, at.value), written)),
                Step::Spread(spread) => (spread.to, through(program, &spread)),
            };
            let _ = writeln!(out, "  {:<32} {why}", self.spell(program, place));
        }
        out
    }

    /// `up.weight dim 1`, `%h dim 0`
    fn spell(&self, program: &Program, at: Spot) -> String {
        match program.param_of(at.value) {
            Some(param) => format!("{} dim {}", program.params[param].path, at.dim),
            None => format!("%{} dim {}", program.values[at.value].name, at.dim),
        }
    }
}

/// ``you wrote `_, model` (plan.toml:3:9)``
fn written(note: Note) -> String {
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
fn annotated(program: &Program, value: ValueId) -> String {
    let ops = program.laid_out_funcs().into_iter().flat_map(|f| program.funcs[f].ops());
    let line = ops.map(|&op| &program.ops[op]).find(|op| op.outs.contains(&value)).map_or(0, |op| op.origin.line);
    match line {
        0 => "annotated in the model".into(),
        line => format!("annotated in the model ({}:{line})", program.source),
    }
}

/// ``through `matmul %h`, factor j (line 7)``
fn through(program: &Program, spread: &Spread) -> String {
    let op = &program.ops[spread.op];
    let name = op.outs.first().map_or("", |&v| program.values[v].name.as_str());
    let from = match program.param_of(spread.from.value) {
        Some(param) => program.params[param].path.clone(),
        None => format!("%{}", program.values[spread.from.value].name),
    };
    let mut text = format!("from {from} dim {} through `{} %{name}`", spread.from.dim, op.kind.name());
    if op.origin.line > 0 {
        let _ = write!(text, " ({}:{})", program.source, op.origin.line);
    }
    text
}
