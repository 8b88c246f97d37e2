//! A step without stages as a pipeline with one task: the local program.
//!
//! The program is the one that a partition on a single mesh runs, including the loop over micro-batches, so that
//! predictions and comparisons apply to the step that runs.

use crate::pipelining::schedule::{ScheduleInput, build};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::mesh::DeviceMesh;
use partita_ir::pipeline::{Cell, CellScope, Chunk, Pipeline, Port, Task, TaskTime, step_work};
use partita_ir::program::{Name, Output, Program};
use partita_ir::schedule::check::check;
use partita_ir::schedule::{ScheduleKind, Work};
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns a pipeline with one device's program as its only task.
///
/// # Errors
/// Internal errors only.
pub fn pipeline(local: Program) -> Result<Pipeline, Diagnostic> {
    let chunks = vec![chunk(local)];
    let parts = step_work(&chunks, &[], Vec::new());
    let order = build(
        ScheduleKind::Vanilla,
        &ScheduleInput { stages: 1, micro_batches: 1, parts: &parts, durations: &[], max_in_flight: None },
    );
    let bug = |fault| Diagnostic::new(Code::B001, format!("internal error: generated an invalid schedule: {fault}"));
    Ok(Pipeline { chunks, transfers: Vec::new(), schedule: check(order, parts).map_err(bug)? })
}

/// Returns the only chunk: a cell for each input and each result, and a task that reads the former and writes the
/// latter.
fn chunk(program: Program) -> Chunk {
    let mut cells: Vec<Cell> = Vec::new();
    let mut cell_of: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut cell = |value: ValueId, name: Name| {
        *cell_of.entry(value).or_insert_with(|| {
            let of = &program.values[value];
            cells.push(Cell { name, ty: of.ty.clone(), layout: of.layout.clone(), scope: CellScope::Step });
            cells.len() - 1
        })
    };
    let main = &program.funcs[program.entry()];
    let paths: FxHashMap<ValueId, &str> = program.params.values().map(|p| (p.value, p.path.as_str())).collect();
    let input_port = |&value: &ValueId| {
        let name = paths.get(&value).map_or_else(|| program.values[value].name.clone(), Name::new);
        Port { cell: cell(value, name.clone()), name }
    };
    let inputs: Vec<Port> = main.inputs.iter().map(input_port).collect();
    let output_port =
        |output: &Output| Port { name: output.name.clone(), cell: cell(output.value, output.name.clone()) };
    let outputs: Vec<Port> = main.outputs.iter().map(output_port).collect();
    let takes: Vec<usize> = inputs.iter().map(|port| port.cell).collect();
    // A result with several names is written once, and an input that is also a result is in its cell already.
    let mut task = program.clone();
    let mut gives: Vec<usize> = Vec::new();
    let mut filled: FxHashSet<usize> = takes.iter().copied().collect();
    let results = main.outputs.iter().zip(&outputs).filter(|(_, port)| {
        let is_result = filled.insert(port.cell);
        gives.extend(is_result.then_some(port.cell));
        is_result
    });
    let results: Vec<Output> = results.map(|(output, _)| output.clone()).collect();
    *task.outputs_mut() = results;
    main.inputs.iter().for_each(|&input| task.values[input].donated = false);
    let task = Task { moment: TaskTime::Slot(Work::Forward), program: task, input_cells: takes, output_cells: gives };
    let mesh = program.mesh().map_or_else(|| DeviceMesh::new::<&str>("one", []), |(_, mesh)| mesh.clone());
    Chunk { mesh, cells, tasks: vec![task], micro_batch_cell: None, inputs, outputs, program }
}
