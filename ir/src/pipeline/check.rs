//! Consistency of pipelines: every value that a task or transfer reads has been written before, by exactly one writer,
//! and has the expected type. Sums over micro-batches have several writers and are not checked.
//!
//! Freedom from deadlock is checked for the schedule ([`crate::schedule::check`]).

use super::{CellScope, Pipeline, TaskTime};
use crate::diag::{Code, Diagnostic};
use crate::schedule::Work;
use rustc_hash::FxHashMap;

/// Times at which each cell, given as (chunk, cell), is written.
type Writers = FxHashMap<(usize, usize), Vec<TaskTime>>;

/// Checks a pipeline.
///
/// # Errors
/// `V002`, naming the inconsistent cell.
pub fn check(pipeline: &Pipeline) -> Result<(), Diagnostic> {
    let chunks = &pipeline.chunks;
    let has = |&(chunk, cell): &(usize, usize)| chunks.get(chunk).is_some_and(|chunk| cell < chunk.cells.len());
    let ends = pipeline.transfers.iter().flat_map(|t| [t.from, t.to]);
    let tasks = || chunks.iter().enumerate().flat_map(|(chunk, of)| of.tasks.iter().map(move |task| (chunk, task)));
    let mut of_tasks =
        tasks().flat_map(|(chunk, t)| t.input_cells.iter().chain(&t.output_cells).map(move |&cell| (chunk, cell)));
    if ends.clone().chain(of_tasks.by_ref()).any(|at| !has(&at))
        || pipeline.schedule.stage_of_chunk.len() != chunks.len()
    {
        return Err(Diagnostic::new(Code::V002, "a pipeline names a chunk or a cell that does not exist"));
    }
    let mut writers = Writers::default();
    for (number, chunk) in chunks.iter().enumerate() {
        let from_outside = chunk.inputs.iter().map(|port| port.cell).chain(chunk.micro_batch_cell);
        let given = chunk.tasks.iter().flat_map(|task| task.output_cells.iter().map(|&cell| (cell, task.moment)));
        for (cell, moment) in from_outside.map(|cell| (cell, TaskTime::Before)).chain(given) {
            writers.entry((number, cell)).or_default().push(moment);
        }
    }
    for transfer in &pipeline.transfers {
        let (from, to) = (&chunks[transfer.from.0].cells[transfer.from.1], &chunks[transfer.to.0].cells[transfer.to.1]);
        if from.ty != to.ty {
            let title =
                format!("`{}` is {} where it is sent and {} where it is received", transfer.name, from.ty, to.ty);
            return Err(Diagnostic::new(Code::V002, title));
        }
        // A parameter received from another chunk is also listed among the inputs.
        if transfer.after != TaskTime::Before {
            writers.entry(transfer.to).or_default().push(available_from(transfer.after));
        }
    }
    for (chunk, task) in tasks() {
        let types = task.program.main().inputs.iter().map(|&v| task.program.values[v].local_type());
        for (&cell, ty) in task.input_cells.iter().zip(types) {
            let of = &chunks[chunk].cells[cell];
            if of.local_type() != ty {
                let title =
                    format!("a task of chunk {chunk} reads {ty} from `{}`, which is {}", of.name, of.local_type());
                return Err(Diagnostic::new(Code::V002, title));
            }
            check_read(pipeline, &writers, (chunk, cell), task.moment)?;
        }
    }
    for transfer in &pipeline.transfers {
        check_read(pipeline, &writers, transfer.from, send_time(transfer.after))?;
    }
    Ok(())
}

/// Returns the earliest time in the receiving chunk after which a value sent after `after` may be read.
fn available_from(after: TaskTime) -> TaskTime {
    // Gradients arrive before the backward pass of the receiving chunk, whose preceding work is its forward pass.
    match after {
        TaskTime::Slot(Work::Backward | Work::BackwardInput | Work::BackwardWeight) => TaskTime::Slot(Work::Forward),
        moment => moment,
    }
}

/// Returns the earliest time at which the results of `after` may be sent.
fn send_time(after: TaskTime) -> TaskTime {
    match after {
        TaskTime::After(level) => TaskTime::After(level + 1),
        moment => moment,
    }
}

/// Checks that a cell that is read at `when` has been written before, by exactly one writer. Sums are not checked.
fn check_read(pipeline: &Pipeline, writers: &Writers, at: (usize, usize), when: TaskTime) -> Result<(), Diagnostic> {
    let cell = &pipeline.chunks[at.0].cells[at.1];
    if cell.scope == CellScope::Sum {
        return Ok(());
    }
    let all = writers.get(&at).map_or(&[][..], |all| &all[..]);
    let error = |what: &str| {
        let title = format!("chunk {} reads `{}`, which {what}", at.0, cell.name);
        Err(Diagnostic::new(Code::V002, title))
    };
    match all {
        [] => error("is never written"),
        [written] if *written <= when => Ok(()),
        [_] => error("is written later"),
        _ => error("is written twice"),
    }
}
