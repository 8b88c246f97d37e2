//! Whether a pipeline hangs together: what tasks and transfers read is there, once, and of the right type.
//!
//! That nobody waits for ever is for the schedule's own proof ([`crate::schedule::check`]).

use super::{Moment, Pipeline, Scope};
use crate::diag::{Code, Diagnostic};
use crate::schedule::Work;
use rustc_hash::FxHashMap;

/// Who puts something into a cell.
type Writers = FxHashMap<(usize, usize), Vec<Moment>>;

/// Checks a pipeline.
///
/// # Errors
/// `V002`, with the cell that is wrong.
pub fn check(pipeline: &Pipeline) -> Result<(), Diagnostic> {
    let chunks = &pipeline.chunks;
    let has = |&(chunk, cell): &(usize, usize)| chunks.get(chunk).is_some_and(|chunk| cell < chunk.cells.len());
    let ends = pipeline.transfers.iter().flat_map(|t| [t.from, t.to]);
    let tasks = || chunks.iter().enumerate().flat_map(|(chunk, of)| of.tasks.iter().map(move |task| (chunk, task)));
    let mut of_tasks = tasks().flat_map(|(chunk, t)| t.takes.iter().chain(&t.gives).map(move |&cell| (chunk, cell)));
    if ends.clone().chain(of_tasks.by_ref()).any(|at| !has(&at)) || pipeline.schedule.home.len() != chunks.len() {
        return Err(Diagnostic::new(Code::V002, "a pipeline names a chunk or a cell that does not exist"));
    }
    let mut writers = Writers::default();
    for (number, chunk) in chunks.iter().enumerate() {
        let from_outside = chunk.inputs.iter().map(|port| port.cell).chain(chunk.number);
        let given = chunk.tasks.iter().flat_map(|task| task.gives.iter().map(|&cell| (cell, task.moment)));
        for (cell, moment) in from_outside.map(|cell| (cell, Moment::Before)).chain(given) {
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
        // A parameter of another chunk stands among the inputs as well.
        if transfer.behind != Moment::Before {
            writers.entry(transfer.to).or_default().push(received(transfer.behind));
        }
    }
    for (chunk, task) in tasks() {
        let types = task.program.main().inputs.iter().map(|&v| task.program.values[v].local_type());
        for (&cell, ty) in task.takes.iter().zip(types) {
            let of = &chunks[chunk].cells[cell];
            if of.local_type() != ty {
                let title =
                    format!("a task of chunk {chunk} takes {ty} from `{}`, which is {}", of.name, of.local_type());
                return Err(Diagnostic::new(Code::V002, title));
            }
            read(pipeline, &writers, (chunk, cell), task.moment)?;
        }
    }
    for transfer in &pipeline.transfers {
        read(pipeline, &writers, transfer.from, after(transfer.behind))?;
    }
    Ok(())
}

/// When something is there that was sent behind a moment: as if it had been made then.
fn received(behind: Moment) -> Moment {
    // What other chunks make in their gradients of operands, this one reads in its own.
    match behind {
        Moment::Slot(Work::Backward | Work::BackwardInput | Work::BackwardWeight) => Moment::Slot(Work::Forward),
        moment => moment,
    }
}

/// A moment at which all is there that was made in another one.
fn after(behind: Moment) -> Moment {
    match behind {
        Moment::After(level) => Moment::After(level + 1),
        moment => moment,
    }
}

/// Refuses a read of what nobody has written by then, or what several have.
fn read(pipeline: &Pipeline, writers: &Writers, at: (usize, usize), when: Moment) -> Result<(), Diagnostic> {
    let cell = &pipeline.chunks[at.0].cells[at.1];
    if cell.scope == Scope::Sum {
        return Ok(());
    }
    let all = writers.get(&at).map_or(&[][..], |all| &all[..]);
    let error = |what: &str| {
        let title = format!("chunk {} reads `{}`, which {what}", at.0, cell.name);
        Err(Diagnostic::new(Code::V002, title))
    };
    match all {
        [] => error("nobody gives"),
        [made] if *made <= when => Ok(()),
        [_] => error("is given later"),
        _ => error("is given twice"),
    }
}
