//! Pipelines: pieces of a model on meshes of their own, each a list of tasks, what they hand each other, and in which
//! order all of it happens.
//!
//! A [`Chunk`] is a piece of the model as one of its devices sees it. What it does is taken apart into [`Task`]s, small
//! programs in form local: the forward part for a micro-batch, its gradients, and what is done once for all of them.
//! Between tasks values lie in [`Cell`]s, of which those of a micro-batch are there once for each that is under way. A
//! [`Transfer`] brings a value from the devices of one chunk to those of another, which may lay it out otherwise. Slots
//! of the [`Schedule`](crate::schedule::Schedule) say which task runs when; nothing is unrolled, so that a thousand
//! micro-batches cost as many slots.

pub mod check;
pub mod events;
pub mod memory;
mod transfer;

pub use transfer::{Message, messages};

use crate::dtype::Type;
use crate::interp::{widen, widened};
use crate::layout::Layout;
use crate::mesh::Mesh;
use crate::plan::layout_text;
use crate::program::{Name, Program, Space, Value};
use crate::schedule::check::Checked;
use crate::schedule::{Part, Parts, Work};
use events::Instance;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::Arc;

/// When a value goes from one chunk to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum When {
    /// Once, before the first micro-batch: a parameter that two chunks share.
    Before,
    /// For each micro-batch: activations and their gradients.
    Each,
    /// Once, behind the last micro-batch: sums of gradients, norms.
    After,
}

/// Prefix of the names of values that go from one chunk to another.
pub const SEAM: &str = "seam.";

/// A value that goes from one chunk to another: an output of the one's program and an input of the other's. A parameter
/// enters by its path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seam {
    /// Name in both programs: [`SEAM`] and the name of the value in the step.
    pub name: Name,
    /// The chunk that has it.
    pub from: usize,
    /// The chunk that gets it.
    pub to: usize,
    /// When it goes.
    pub when: When,
}

/// A training step, or a model that predicts, in chunks.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Pieces of the model, in its order.
    pub chunks: Vec<Chunk>,
    /// What they hand each other.
    pub transfers: Vec<Transfer>,
    /// When which chunk does what.
    pub schedule: Checked,
}

/// A piece of the model on the devices of one stage.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The program that the tasks were made of, in form local, with a loop in place of the micro-batches.
    pub program: Program,
    /// Its devices.
    pub mesh: Mesh,
    /// Where values lie between tasks.
    pub cells: Vec<Cell>,
    /// What is done.
    pub tasks: Vec<Task>,
    /// The cell that holds the number of the micro-batch, if a task asks for it.
    pub number: Option<usize>,
    /// What enters from outside, by path.
    pub inputs: Vec<Port>,
    /// What is given.
    pub outputs: Vec<Port>,
}

/// A cell that enters or leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// The path of a parameter, the name of an input or an output.
    pub name: Name,
    /// Its cell.
    pub cell: usize,
}

/// What enters a stage or leaves it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The path of a parameter, the name of an input or an output.
    pub name: Name,
    /// The chunk.
    pub chunk: usize,
    /// Its cell.
    pub cell: usize,
}

/// Where a value lies between tasks.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// What it is called.
    pub name: Name,
    /// The type of the whole where a layout says how it is cut, else of what one device holds.
    pub ty: Type,
    /// How it is cut, if that is known.
    pub layout: Option<Arc<Layout>>,
    /// How often there is one.
    pub scope: Scope,
}

/// How often there is a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Once in a step.
    Step,
    /// Once in a step, and zero before the first micro-batch.
    Sum,
    /// Once for each micro-batch under way.
    MicroBatch,
}

/// When a task is done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Moment {
    /// Before the first micro-batch.
    Before,
    /// In that work of each micro-batch.
    Slot(Work),
    /// Behind the last micro-batch: those of one level read what was sent after the levels below it.
    After(usize),
}

/// Something that a device does at once.
#[derive(Clone, Debug)]
pub struct Task {
    /// When.
    pub moment: Moment,
    /// What, in form local. A result that replaces a parameter of it is given to the cell that the parameter is taken
    /// from.
    pub program: Program,
    /// By input, the cell.
    pub takes: Vec<usize>,
    /// By output, the cell.
    pub gives: Vec<usize>,
}

/// A value on its way from one chunk to another.
#[derive(Clone, PartialEq, Debug)]
pub struct Transfer {
    /// What it is called.
    pub name: Name,
    /// The chunk that has it, and its cell there.
    pub from: (usize, usize),
    /// The chunk that gets it, and its cell there.
    pub to: (usize, usize),
    /// When: behind which work for each micro-batch, or behind which level.
    pub behind: Moment,
}

impl Transfer {
    /// The name of the value in the step.
    pub fn value(&self) -> &str {
        self.name.strip_prefix(SEAM).unwrap_or(&self.name)
    }
}

impl Cell {
    /// What one device holds of it.
    pub fn local_type(&self) -> Type {
        let shape = crate::layout::local_shape(&self.ty.shape, self.layout.as_deref());
        Type { shape, dtype: self.ty.dtype }
    }

    /// The cell as a value on devices.
    pub fn value(&self) -> Value {
        let (name, ty, layout) = (self.name.clone(), self.ty.clone(), self.layout.clone());
        Value { name, ty, layout, space: Space::Device, donated: false }
    }
}

impl Chunk {
    /// The task of a moment.
    pub fn task(&self, moment: Moment) -> Option<&Task> {
        self.tasks.iter().find(|task| task.moment == moment)
    }

    /// The works of this chunk. A chunk with a backward pass has a forward pass, too: full recomputation may leave it
    /// without a task, but its slot still orders the backward pass behind the forward passes that the chunk reads.
    pub fn part(&self) -> Part {
        let has = |work| self.task(Moment::Slot(work)).is_some();
        let backward_input = has(Work::BackwardInput) || has(Work::Backward);
        let backward_weight = has(Work::BackwardWeight) || has(Work::Backward);
        Part { forward: has(Work::Forward) || backward_input || backward_weight, backward_input, backward_weight }
    }
}

impl Pipeline {
    /// The same pipeline in `f64`: see [`widen`].
    pub fn widened(&self) -> Pipeline {
        let mut wide = self.clone();
        for chunk in &mut wide.chunks {
            chunk.program = widen(&chunk.program);
            chunk.tasks.iter_mut().for_each(|task| task.program = widen(&task.program));
            chunk.cells.iter_mut().for_each(|cell| cell.ty.dtype = widened(cell.ty.dtype));
        }
        wide
    }

    /// How often a chunk does in one step what is done at that moment.
    pub fn times(&self, chunk: usize, moment: Moment) -> u64 {
        match moment {
            Moment::Slot(_) => self.schedule.share(chunk).len() as u64,
            Moment::Before | Moment::After(_) => 1,
        }
    }

    /// The chunks of a stage.
    pub fn chunks_of(&self, stage: usize) -> impl Iterator<Item = usize> {
        (0..self.chunks.len()).filter(move |&chunk| self.schedule.home[chunk] == stage)
    }

    /// Meshes of the stages: `data=2,model=4`, or `data=2 | data=4` where they differ.
    pub fn list_meshes(&self) -> String {
        let text =
            |mesh: &Mesh| mesh.axes.iter().map(|a| format!("{}={}", a.name, a.size)).collect::<Vec<_>>().join(",");
        let first_chunks = (0..self.schedule.stages).filter_map(|stage| self.chunks_of(stage).next());
        let mut all: Vec<String> = first_chunks.map(|chunk| text(&self.chunks[chunk].mesh)).collect();
        if all.windows(2).all(|pair| pair[0] == pair[1]) {
            all.truncate(1);
        }
        all.join(" | ")
    }

    /// Layouts of parameters, state and inputs, by path.
    pub fn input_layouts(&self) -> IndexMap<String, String> {
        let mut all = IndexMap::new();
        for chunk in &self.chunks {
            let program = &chunk.program;
            // In the program of a chunk, a value that another chunk sends is an input, too.
            for path in chunk.inputs.iter().map(|port| port.name.as_str()) {
                let value = program.inputs().iter().find(|&&value| program.path_of(value) == path);
                if let Some(layout) = value.and_then(|&value| program.values[value].layout.as_ref()) {
                    all.entry(path.to_owned()).or_insert_with(|| layout_text(layout, &chunk.mesh));
                }
            }
        }
        all
    }

    /// What enters a stage from outside: a parameter of another stage comes from there.
    pub fn inputs_of(&self, stage: usize) -> Vec<Entry> {
        let received = self.transfers.iter().filter(|transfer| transfer.behind == Moment::Before);
        let received: FxHashSet<(usize, usize)> = received.map(|transfer| transfer.to).collect();
        let mut entries = self.entries(stage, |chunk| &chunk.inputs);
        entries.retain(|entry| !received.contains(&(entry.chunk, entry.cell)));
        entries
    }

    /// What a stage gives.
    pub fn outputs_of(&self, stage: usize) -> Vec<Entry> {
        self.entries(stage, |chunk| &chunk.outputs)
    }

    fn entries(&self, stage: usize, ports: fn(&Chunk) -> &Vec<Port>) -> Vec<Entry> {
        let ports = self.chunks_of(stage).flat_map(|chunk| ports(&self.chunks[chunk]).iter().map(move |p| (chunk, p)));
        ports.map(|(chunk, port)| Entry { name: port.name.clone(), chunk, cell: port.cell }).collect()
    }

    /// The type of a value on one device. Values without a cell are numbered behind the cells, and have the type of the
    /// cell that they stand for.
    pub fn local_type(&self, instance: Instance) -> Type {
        let cells = &self.chunks[instance.chunk].cells;
        cells[instance.cell % cells.len()].local_type()
    }

    /// How many devices there are, of all stages together.
    pub fn device_count(&self) -> usize {
        let of_stage = |stage| self.schedule.home.iter().position(|&home| home == stage);
        let chunks = (0..self.schedule.stages).filter_map(of_stage);
        chunks.map(|chunk| self.chunks[chunk].mesh.device_count()).sum()
    }
}

/// What there is to do in chunks that hand each other these values, each for its share of the micro-batches.
pub fn parts(chunks: &[Chunk], transfers: &[Transfer], shares: Vec<Range<u32>>) -> Parts {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    let forward = transfers.iter().filter(|transfer| transfer.behind == Moment::Slot(Work::Forward));
    for edge in forward.map(|transfer| (transfer.from.0, transfer.to.0)) {
        // What an earlier chunk reads of a later one, its gradients read.
        if edge.0 < edge.1 && !edges.contains(&edge) {
            edges.push(edge);
        }
    }
    edges.sort_unstable();
    Parts { chunks: chunks.iter().map(Chunk::part).collect(), edges, shares }
}
