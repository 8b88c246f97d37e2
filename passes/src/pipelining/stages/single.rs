//! A step without stages as a pipeline of one: one device's program is the only task, and nothing is ordered.
//!
//! The program is the one that a partition on one mesh runs, micro-batches included, which are a loop of it. So what is
//! predicted and compared of a step in one stage is the step that runs.

use crate::pipelining::schedule::{Works, build};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::mesh::Mesh;
use partita_ir::pipeline::{Cell, Chunk, Moment, Pipeline, Port, Scope, Task, parts};
use partita_ir::program::{Name, Output, Program};
use partita_ir::schedule::check::check;
use partita_ir::schedule::{Kind, Work};
use rustc_hash::FxHashMap;

/// Makes a pipeline of a single task of one device's program.
///
/// # Errors
/// Only bugs.
pub fn pipeline(local: Program) -> Result<Pipeline, Diagnostic> {
    let chunks = vec![chunk(local)];
    let parts = parts(&chunks, &[], Vec::new());
    let order =
        build(Kind::Vanilla, &Works { stages: 1, micro_batches: 1, parts: &parts, durations: &[], limit: None });
    let bug = |fault| Diagnostic::new(Code::B001, format!("a schedule that was made is wrong: {fault}"));
    Ok(Pipeline { chunks, transfers: Vec::new(), schedule: check(order, parts).map_err(bug)? })
}

/// The only chunk: a cell for each input and for each result, and a task that takes the ones and gives the others.
fn chunk(program: Program) -> Chunk {
    let mut cells: Vec<Cell> = Vec::new();
    let mut cell_of: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut cell = |value: ValueId, name: Name| {
        *cell_of.entry(value).or_insert_with(|| {
            let of = &program.values[value];
            cells.push(Cell { name, ty: of.ty.clone(), layout: of.layout.clone(), scope: Scope::Step });
            cells.len() - 1
        })
    };
    let main = &program.funcs[program.entry()];
    let enters = |&value: &ValueId| Port {
        name: program.path_of(value).into(),
        cell: cell(value, program.path_of(value).into()),
    };
    let inputs: Vec<Port> = main.inputs.iter().map(enters).collect();
    let leaves = |output: &Output| Port { name: output.name.clone(), cell: cell(output.value, output.name.clone()) };
    let outputs: Vec<Port> = main.outputs.iter().map(leaves).collect();
    let takes: Vec<usize> = inputs.iter().map(|port| port.cell).collect();
    // A result that leaves under several names is given once, and an input that is a result is there already.
    let mut task = program.clone();
    let mut gives: Vec<usize> = Vec::new();
    let given = main.outputs.iter().zip(&outputs).filter(|(_, port)| {
        let is_given = !takes.contains(&port.cell) && !gives.contains(&port.cell);
        gives.extend(is_given.then_some(port.cell));
        is_given
    });
    let given: Vec<Output> = given.map(|(output, _)| output.clone()).collect();
    *task.outputs_mut() = given;
    main.inputs.iter().for_each(|&input| task.values[input].donated = false);
    let task = Task { moment: Moment::Slot(Work::Forward), program: task, takes, gives };
    let mesh = program.mesh().map_or_else(|| Mesh::new::<&str>("one", []), |(_, mesh)| mesh.clone());
    Chunk { mesh, cells, tasks: vec![task], number: None, inputs, outputs, program }
}
