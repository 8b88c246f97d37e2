//! Pipelines: chunks of a model on separate meshes, with their tasks, the values transferred between chunks, and the
//! schedule.
//!
//! A [`Chunk`] is the program of one device for a contiguous part of the model. It is divided into [`Task`]s, which are
//! small programs in form `local`: the forward pass of a micro-batch, its gradients, and work that is done once per
//! step. Values that are live between tasks are stored in [`Cell`]s; a cell with per-micro-batch values has one for
//! each micro-batch in flight. A [`Transfer`] sends a value from the devices of one chunk to those of another, where
//! its layout may differ. Slots of the [`Schedule`](crate::schedule::Schedule) determine when each task runs. Nothing
//! is unrolled: a thousand micro-batches only take more slots.

pub mod check;
pub mod events;
pub mod memory;
mod transfer;

pub use transfer::{Message, messages, messages_to_first};

use crate::arena::ValueId;
use crate::dtype::Type;
use crate::interp::{widen, widened};
use crate::layout::Layout;
use crate::mesh::DeviceMesh;
use crate::plan::layout_text;
use crate::program::{MemorySpace, Name, Program, Value};
use crate::schedule::check::CheckedSchedule;
use crate::schedule::{ChunkWork, StepWork, Work};
use events::Instance;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// Phase of a step in which a value is sent from one chunk to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TransferPhase {
    /// Once, before the first micro-batch: a parameter that two chunks share.
    Before,
    /// Once per micro-batch: activations and their gradients.
    EachMicroBatch,
    /// Once, after the last micro-batch: sums of gradients, norms.
    After,
}

/// Prefix of the names of values that are sent between chunks.
pub const BOUNDARY_PREFIX: &str = "seam.";

/// Value that is sent between chunks: an output of one chunk's program and an input of another's. A shared parameter is
/// an input by its path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundaryValue {
    /// Name in both programs: [`BOUNDARY_PREFIX`] followed by the name of the value in the step.
    pub name: Name,
    /// Sending chunk.
    pub from: usize,
    /// Receiving chunk.
    pub to: usize,
    /// Phase in which the value is sent.
    pub when: TransferPhase,
}

/// Training step or inference model, divided into chunks.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Chunks, in the order of the model.
    pub chunks: Vec<Chunk>,
    /// Transfers between chunks.
    pub transfers: Vec<Transfer>,
    /// Verified schedule: the order in which stages execute the work of their chunks.
    pub schedule: CheckedSchedule,
}

/// Part of the model that runs on the devices of one stage.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Program that the tasks were extracted from, in form `local`, with a loop over the micro-batches.
    pub program: Program,
    /// Mesh of the stage.
    pub mesh: DeviceMesh,
    /// Storage of values between tasks.
    pub cells: Vec<Cell>,
    /// Tasks of the chunk.
    pub tasks: Vec<Task>,
    /// Cell with the index of the current micro-batch, if a task reads it.
    pub micro_batch_cell: Option<usize>,
    /// Inputs from outside of the pipeline.
    pub inputs: Vec<Port>,
    /// Outputs of the pipeline.
    pub outputs: Vec<Port>,
}

/// Cell that is an input or output of a chunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Path of a parameter, or name of an input or output.
    pub name: Name,
    /// Cell index within the chunk.
    pub cell: usize,
}

/// Input or output of a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StagePort {
    /// Path of a parameter, or name of an input or output.
    pub name: Name,
    /// Chunk index.
    pub chunk: usize,
    /// Cell index within the chunk.
    pub cell: usize,
}

/// Storage of a value between tasks.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// Name of the value.
    pub name: Name,
    /// Global type if `layout` is given, otherwise the type on one device.
    pub ty: Type,
    /// Layout, if known.
    pub layout: Option<Arc<Layout>>,
    /// Number of values per step, and their initialization.
    pub scope: CellScope,
}

/// Number of values that a cell has per step, and their initialization.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellScope {
    /// One value per step.
    Step,
    /// One value per step, set to zero before the first micro-batch.
    Sum,
    /// One value per micro-batch.
    MicroBatch,
}

/// Time at which a task runs within a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TaskTime {
    /// Once, before the first micro-batch.
    Before,
    /// In each slot of this work, once per micro-batch.
    Slot(Work),
    /// Once, after the last micro-batch. Tasks of one level read values that were sent after lower levels.
    After(usize),
}

/// Unit of work that a device executes without communication with other stages.
#[derive(Clone, Debug)]
pub struct Task {
    /// Time at which the task runs.
    pub moment: TaskTime,
    /// Program in form `local`. A result that replaces a parameter is stored in the cell of that parameter.
    pub program: Program,
    /// Cell of each input.
    pub input_cells: Vec<usize>,
    /// Cell of each output.
    pub output_cells: Vec<usize>,
}

/// Point-to-point transfer of a value between chunks.
#[derive(Clone, PartialEq, Debug)]
pub struct Transfer {
    /// Name of the value.
    pub name: Name,
    /// Sending chunk, and cell of the value in it.
    pub from: (usize, usize),
    /// Receiving chunk, and cell of the value in it.
    pub to: (usize, usize),
    /// Time after which the value is sent: a work of each micro-batch, or a level.
    pub after: TaskTime,
}

impl Transfer {
    /// Returns the name of the value in the step, without [`BOUNDARY_PREFIX`].
    pub fn value(&self) -> &str {
        self.name.strip_prefix(BOUNDARY_PREFIX).unwrap_or(&self.name)
    }
}

impl Cell {
    /// Returns the type of the value on one device.
    pub fn local_type(&self) -> Type {
        let shape = crate::layout::local_shape(&self.ty.shape, self.layout.as_deref());
        Type { shape, dtype: self.ty.dtype }
    }

    /// Returns the program value with the type and layout of the cell.
    pub fn value(&self) -> Value {
        let (name, ty, layout) = (self.name.clone(), self.ty.clone(), self.layout.clone());
        Value { name, ty, layout, space: MemorySpace::Device, donated: false }
    }
}

impl Chunk {
    /// Returns the task that runs at `moment`.
    pub fn task(&self, moment: TaskTime) -> Option<&Task> {
        self.tasks.iter().find(|task| task.moment == moment)
    }

    /// Returns the kinds of work of this chunk. A chunk with a backward pass always has a forward pass: full
    /// recomputation may leave it without a forward task, but its slot still orders the backward pass after the forward
    /// passes that the chunk reads.
    pub fn work(&self) -> ChunkWork {
        let has = |work| self.task(TaskTime::Slot(work)).is_some();
        let backward_input = has(Work::BackwardInput) || has(Work::Backward);
        let backward_weight = has(Work::BackwardWeight) || has(Work::Backward);
        ChunkWork { forward: has(Work::Forward) || backward_input || backward_weight, backward_input, backward_weight }
    }
}

impl Pipeline {
    /// Returns the same pipeline with floats widened to `f64`: see [`widen`].
    pub fn widened(&self) -> Pipeline {
        let mut wide = self.clone();
        for chunk in &mut wide.chunks {
            chunk.program = widen(&chunk.program);
            chunk.tasks.iter_mut().for_each(|task| task.program = widen(&task.program));
            chunk.cells.iter_mut().for_each(|cell| cell.ty.dtype = widened(cell.ty.dtype));
        }
        wide
    }

    /// Returns the number of times per step that the task of `chunk` at `moment` runs.
    pub fn runs_per_step(&self, chunk: usize, moment: TaskTime) -> u64 {
        match moment {
            TaskTime::Slot(_) => self.schedule.share(chunk).len() as u64,
            TaskTime::Before | TaskTime::After(_) => 1,
        }
    }

    /// Returns the chunks of a stage.
    pub fn chunks_of(&self, stage: usize) -> impl Iterator<Item = usize> {
        (0..self.chunks.len()).filter(move |&chunk| self.schedule.stage_of_chunk[chunk] == stage)
    }

    /// Returns the meshes of the stages as text: `data=2,model=4`, or `data=2 | data=4` if they differ.
    pub fn list_meshes(&self) -> String {
        let text = |mesh: &DeviceMesh| {
            mesh.axes.iter().map(|a| format!("{}={}", a.name, a.size)).collect::<Vec<_>>().join(",")
        };
        let first_chunks = (0..self.schedule.stages).filter_map(|stage| self.chunks_of(stage).next());
        let mut all: Vec<String> = first_chunks.map(|chunk| text(&self.chunks[chunk].mesh)).collect();
        if all.windows(2).all(|pair| pair[0] == pair[1]) {
            all.truncate(1);
        }
        all.join(" | ")
    }

    /// Returns the layouts of parameters, optimizer state and inputs, by path, in the syntax of plans. Values without a
    /// layout are omitted.
    pub fn input_layouts(&self) -> IndexMap<String, String> {
        let mut all = IndexMap::new();
        for chunk in &self.chunks {
            let program = &chunk.program;
            let values: FxHashMap<&str, ValueId> =
                program.inputs().iter().rev().map(|&value| (program.path_of(value), value)).collect();
            // The inputs of a chunk's program include values received from other chunks, so only ports are listed.
            for path in chunk.inputs.iter().map(|port| port.name.as_str()) {
                let value = values.get(path);
                if let Some(layout) = value.and_then(|&value| program.values[value].layout.as_ref()) {
                    all.entry(path.to_owned()).or_insert_with(|| layout_text(layout, &chunk.mesh));
                }
            }
        }
        all
    }

    /// Returns the inputs that a stage reads from outside of the pipeline. Excludes parameters that are received from
    /// another stage.
    pub fn inputs_of(&self, stage: usize) -> Vec<StagePort> {
        let received = self.transfers.iter().filter(|transfer| transfer.after == TaskTime::Before);
        let received: FxHashSet<(usize, usize)> = received.map(|transfer| transfer.to).collect();
        let mut entries = self.entries(stage, |chunk| &chunk.inputs);
        entries.retain(|entry| !received.contains(&(entry.chunk, entry.cell)));
        entries
    }

    /// Returns the outputs of a stage.
    pub fn outputs_of(&self, stage: usize) -> Vec<StagePort> {
        self.entries(stage, |chunk| &chunk.outputs)
    }

    fn entries(&self, stage: usize, ports: fn(&Chunk) -> &Vec<Port>) -> Vec<StagePort> {
        let ports = self.chunks_of(stage).flat_map(|chunk| ports(&self.chunks[chunk]).iter().map(move |p| (chunk, p)));
        ports.map(|(chunk, port)| StagePort { name: port.name.clone(), chunk, cell: port.cell }).collect()
    }

    /// Returns the type of a value on one device. Temporary values have cell indices beyond those of the cells,
    /// congruent to the cell whose type they have.
    pub fn local_type(&self, instance: Instance) -> Type {
        let cells = &self.chunks[instance.chunk].cells;
        cells[instance.cell % cells.len()].local_type()
    }

    /// Returns the number of devices of all stages.
    pub fn device_count(&self) -> usize {
        let of_stage = |stage| self.schedule.stage_of_chunk.iter().position(|&home| home == stage);
        let chunks = (0..self.schedule.stages).filter_map(of_stage);
        chunks.map(|chunk| self.chunks[chunk].mesh.device_count()).sum()
    }
}

/// Returns the work and dependencies of chunks with these transfers. `shares` are the ranges of micro-batches of each
/// chunk.
pub fn step_work(chunks: &[Chunk], transfers: &[Transfer], shares: Vec<Range<u32>>) -> StepWork {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for transfer in transfers.iter().filter(|transfer| matches!(transfer.after, TaskTime::Slot(_))) {
        // A value that an earlier chunk reads of a later one is read by its gradient work, and counts as a gradient.
        let (from, to) = (transfer.from.0, transfer.to.0);
        let edge = (from.min(to), from.max(to));
        if edge.0 < edge.1 && !edges.contains(&edge) {
            edges.push(edge);
        }
    }
    edges.sort_unstable();
    StepWork { chunks: chunks.iter().map(Chunk::work).collect(), edges, shares }
}
