//! Decomposition of a chunk's local program into tasks: small programs that exchange values through cells.

use super::analysis::{ChunkAnalysis, Levels};
use partita_ir::arena::{Arena, OpId, ParamId, ValueId};
use partita_ir::layout::Layout;
use partita_ir::mesh::DeviceMesh;
use partita_ir::pipeline::{Cell, CellScope, Chunk, Port, Task, TaskTime, TransferPhase};
use partita_ir::program::{Func, Name, Output, Param, ParamKind, Program, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A chunk, and the cells of the values that it sends and receives.
pub(super) struct DecomposedChunk {
    pub(super) chunk: Chunk,
    /// The cell of each seam that is sent, and the moment after which it is sent.
    pub(super) sent: FxHashMap<Name, (usize, TaskTime)>,
    /// The cell of each seam that is received.
    pub(super) received: FxHashMap<Name, usize>,
}

/// A task under construction: its ops, and the ops that it recomputes.
#[derive(Default)]
struct TaskDraft {
    ops: Vec<OpId>,
    recomputed: Vec<OpId>,
    /// Values that the task reads from cells, in order.
    takes: Vec<ValueId>,
}

/// Decomposes a program. `of_seams` contains the levels of seams that are sent after the loop.
pub(super) fn decompose(analysis: &ChunkAnalysis<'_>, of_seams: &Levels) -> DecomposedChunk {
    let levels = analysis.levels(of_seams);
    let mut drafts: BTreeMap<TaskTime, TaskDraft> = BTreeMap::new();
    for id in analysis.in_order().filter(|&id| analysis.is_executed(id)) {
        drafts.entry(analysis.moment(id, &levels)).or_default().ops.push(id);
    }
    for draft in drafts.values_mut() {
        draft.read(analysis);
    }
    let (cells, cell_of, sent_copies) = Default::default();
    let mut cells = Cells { analysis, cells, cell_of, sent_copies };
    cells.add_loop_cells();
    for draft in drafts.values() {
        draft.takes.iter().for_each(|&value| cells.add_cell(value));
    }
    analysis.program.outputs().iter().for_each(|o| cells.add_cell(o.value));
    let tasks = drafts.iter().map(|(&moment, draft)| write_task(analysis, moment, draft, &cells)).collect();
    let program = analysis.program;
    let (mut sent, mut received) = (FxHashMap::default(), FxHashMap::default());
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for &input in program.inputs() {
        let cell = cells.cell_of[&input];
        let seam = [TransferPhase::EachMicroBatch, TransferPhase::After]
            .into_iter()
            .find_map(|when| analysis.incoming_seam(input, when));
        match seam {
            Some(seam) => {
                received.insert(seam.name.clone(), cell);
            }
            None => inputs.push(Port { name: analysis.input_path(input), cell }),
        }
    }
    for output in program.outputs() {
        let cell = cells.cell_of[&analysis.outer_value(output.value)];
        match analysis.outgoing_seam(&output.name) {
            Some(seam) => {
                let after = match seam.when {
                    TransferPhase::Before => TaskTime::Before,
                    TransferPhase::EachMicroBatch => cells.producing_moment(output.value, &levels),
                    TransferPhase::After => TaskTime::After(of_seams.get(&seam.name).copied().unwrap_or(0)),
                };
                sent.insert(seam.name.clone(), (cell, after));
            }
            None => outputs.push(Port { name: output.name.clone(), cell }),
        }
    }
    let mesh = program.mesh().map_or_else(|| DeviceMesh::new::<&str>("one", []), |(_, mesh)| mesh.clone());
    let number = analysis.body.inputs.first().and_then(|number| cells.cell_of.get(number)).copied();
    let chunk =
        Chunk { program: program.clone(), mesh, cells: cells.cells, tasks, micro_batch_cell: number, inputs, outputs };
    DecomposedChunk { chunk, sent, received }
}

impl TaskDraft {
    /// Finds the values that are read from cells and the ops that are recomputed.
    fn read(&mut self, analysis: &ChunkAnalysis<'_>) {
        let mut here: FxHashSet<ValueId> = self.ops.iter().flat_map(|&id| &analysis.op(id).outs).copied().collect();
        let mut todo: Vec<ValueId> =
            self.ops.iter().rev().flat_map(|&id| analysis.op(id).args.iter().rev()).copied().collect();
        while let Some(value) = todo.pop() {
            let value = analysis.outer_value(value);
            if !here.insert(value) {
                continue;
            }
            match analysis.producer(value).filter(|_| analysis.is_cheap(value)) {
                Some(producer) => {
                    self.recomputed.push(producer);
                    here.extend(&analysis.op(producer).outs);
                    todo.extend(analysis.op(producer).args.iter().rev());
                }
                None => self.takes.push(value),
            }
        }
    }
}

/// The cells of a chunk under construction.
struct Cells<'a, 'p> {
    analysis: &'a ChunkAnalysis<'p>,
    cells: Vec<Cell>,
    cell_of: FxHashMap<ValueId, usize>,
    /// A further cell for each value that is a result of the loop and also sent for each micro-batch.
    sent_copies: FxHashMap<ValueId, usize>,
}

impl Cells<'_, '_> {
    fn push(&mut self, like: ValueId, name: Name, layout: Option<Arc<Layout>>, scope: CellScope) -> usize {
        let ty = self.analysis.program.ty(like).clone();
        self.cells.push(Cell { name, ty, layout, scope });
        self.cells.len() - 1
    }

    /// Adds cells for inputs, for accumulators, and for values that are sent for each micro-batch.
    fn add_loop_cells(&mut self) {
        let (analysis, program) = (self.analysis, self.analysis.program);
        for &input in program.inputs() {
            let is_each = analysis.incoming_seam(input, TransferPhase::EachMicroBatch).is_some();
            let scope = if is_each { CellScope::MicroBatch } else { CellScope::Step };
            let cell = self.push(input, analysis.input_path(input), program.values[input].layout.clone(), scope);
            self.cell_of.insert(input, cell);
            if is_each && let Some(position) = analysis.args.iter().position(|&arg| arg == input) {
                self.cell_of.insert(analysis.body.inputs[position], cell);
            }
        }
        let mut partial_sums: Vec<Vec<ValueId>> = vec![Vec::new(); analysis.outs.len()];
        for &value in analysis.body.ops().iter().flat_map(|&id| &analysis.op(id).outs) {
            analysis.accumulator(value).into_iter().for_each(|position| partial_sums[position].push(value));
        }
        for (position, &out) in analysis.outs.iter().enumerate() {
            let value = &program.values[out];
            let inner = analysis.body.outputs[position].value;
            if position == 0 {
                let number = analysis.body.inputs[0];
                let cell = self.push(number, "number".into(), None, CellScope::MicroBatch);
                self.cell_of.insert(number, cell);
            } else if analysis.is_sent_each(position) {
                let is_result = self.cell_of.contains_key(&inner);
                let name = if is_result { &value.name } else { &program.values[inner].name };
                let cell = self.push(out, name.clone(), value.layout.clone(), CellScope::MicroBatch);
                if is_result { &mut self.sent_copies } else { &mut self.cell_of }.insert(inner, cell);
                self.cell_of.insert(out, cell);
            } else if analysis.accumulator(out).is_some() {
                let cell = self.push(out, value.name.clone(), value.layout.clone(), CellScope::Sum);
                let own = partial_sums[position].iter().copied().chain([out, analysis.body.inputs[position]]);
                self.cell_of.extend(own.map(|v| (v, cell)));
            }
        }
    }

    /// Adds a cell for a value that has none.
    fn add_cell(&mut self, value: ValueId) {
        let value = self.analysis.outer_value(value);
        if self.cell_of.contains_key(&value) {
            return;
        }
        let scope = if self.analysis.is_of_micro_batch(value) { CellScope::MicroBatch } else { CellScope::Step };
        let Value { name, layout, .. } = self.analysis.program.values[value].clone();
        let cell = self.push(value, name, layout, scope);
        self.cell_of.insert(value, cell);
    }

    /// Returns the moment that computes a result which is sent for each micro-batch.
    fn producing_moment(&self, out: ValueId, levels: &FxHashMap<OpId, usize>) -> TaskTime {
        let position = self.analysis.outs.iter().position(|&o| o == out);
        let inner = position.map(|position| self.analysis.body.outputs[position].value);
        let producer = inner.and_then(|inner| self.analysis.producer(inner));
        producer.map_or(TaskTime::Before, |id| self.analysis.moment(id, levels))
    }
}

/// Returns the task at a moment, with its program.
fn write_task(analysis: &ChunkAnalysis<'_>, moment: TaskTime, draft: &TaskDraft, cells: &Cells<'_, '_>) -> Task {
    let mut program = analysis.program.clone();
    let here: FxHashSet<OpId> = draft.recomputed.iter().chain(&draft.ops).copied().collect();
    let body: Vec<OpId> = analysis.in_order().filter(|id| here.contains(id)).collect();
    for &id in &body {
        program.ops[id].args.iter_mut().for_each(|arg| *arg = analysis.outer_value(*arg));
    }
    let outs = draft.ops.iter().flat_map(|&id| &analysis.op(id).outs);
    let cells_of = |out: ValueId| {
        let all = [&cells.cell_of, &cells.sent_copies].into_iter().filter_map(move |of| of.get(&out));
        all.map(move |&cell| (cell, out))
    };
    let mut results: Vec<(usize, ValueId)> = outs.flat_map(|&out| cells_of(out)).collect();
    // Only the last value of an accumulator is a result of the task.
    let last: FxHashMap<usize, ValueId> = results.iter().copied().collect();
    results.retain(|(cell, out)| last[cell] == *out);
    let takes: Vec<usize> = draft.takes.iter().map(|value| cells.cell_of[value]).collect();
    retain_params(&mut program, analysis, draft, cells);
    let outputs = analysis.program.outputs().iter();
    let replaced = outputs.filter_map(|output| Some((output.value, output.replaces?)));
    let replaced: FxHashMap<ValueId, ValueId> =
        replaced.filter(|(_, input)| analysis.param(*input).is_some()).collect();
    let outputs = results.iter().map(|&(cell, value)| {
        let sum = || {
            let is_sum = cells.cells[cell].scope == CellScope::Sum;
            draft.takes.iter().copied().find(|taken| is_sum && cells.cell_of[taken] == cell)
        };
        let input = replaced.get(&value).copied().filter(|input| draft.takes.contains(input));
        Output { value, name: cells.cells[cell].name.clone(), replaces: input.or_else(sum) }
    });
    let outputs: Vec<Output> = outputs.collect();
    let main = program.entry();
    program.funcs[main] = Func::new("main", draft.takes.clone(), outputs, body);
    program.source = format!("{}, {}", program.source, moment_name(moment)).into();
    Task {
        moment,
        program: program.compact(),
        input_cells: takes,
        output_cells: results.into_iter().map(|(cell, _)| cell).collect(),
    }
}

/// Returns the name of a moment in messages.
fn moment_name(moment: TaskTime) -> String {
    match moment {
        TaskTime::Before => "before".into(),
        TaskTime::Slot(work) => work.name().into(),
        TaskTime::After(level) => format!("update {level}"),
    }
}

/// Retains the parameters that a task reads, and declares the accumulators that it updates as state.
fn retain_params(program: &mut Program, analysis: &ChunkAnalysis<'_>, draft: &TaskDraft, cells: &Cells<'_, '_>) {
    let mut params: Arena<ParamId, Param> = Arena::default();
    for &value in &draft.takes {
        program.values[value].donated = false;
        let cell = &cells.cells[cells.cell_of[&value]];
        if let Some(id) = analysis.param(value) {
            params.push(Param { parent: None, ..analysis.program.params[id].clone() });
        } else if cell.scope == CellScope::Sum {
            let path = cell.name.to_string();
            params.push(Param { path, kind: ParamKind::State, value, parent: None, init: None });
        }
    }
    program.params = params;
}
