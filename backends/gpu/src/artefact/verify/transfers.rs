//! Verification of transfers between stages: every transfer is used, no message is sent or received twice, no stage
//! waits forever, no task reads a value before its arrival, and no task overwrites a value that is being sent or
//! received.
//!
//! A message is one transfer of one micro-batch. Only main functions may communicate with other stages; the values of a
//! main function are identified by their addresses.

use crate::module::{Launch, Module};
use partita_ir::pipeline::events::TransferId;
use partita_runtime::code::{Address, Addresses, Base, Code, CommunicationOrigin, Output, Task, TaskAction};
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks the transfers of a module.
///
/// # Errors
/// A description of the violated rule.
pub(super) fn verify(module: &Module) -> Result<(), String> {
    let transfers = &module.program.transfers;
    let mut stages: Vec<Progress<'_>> = Vec::new();
    for (number, code) in module.code.iter().enumerate() {
        let communicates = |act: &TaskAction<Launch>| match *act {
            TaskAction::Start(site) | TaskAction::Wait(site) => message(code, site).is_some(),
            TaskAction::Compute(..) | TaskAction::Loop { .. } => false,
        };
        let (main, functions) = code.bodies.split_last().ok_or("it has no functions")?;
        if functions.iter().flat_map(|body| &body.tasks).any(|task| communicates(&task.action)) {
            return Err(format!("stage {number}: a function communicates with another stage"));
        }
        if !transfers.is_empty() {
            verify_order(code, &main.tasks).map_err(|why| format!("stage {number}: {why}"))?;
        }
        stages.push(Progress { code, tasks: &main.tasks, next: 0 });
    }
    let mut messages = Messages::default();
    loop {
        let before: usize = stages.iter().map(|stage| stage.next).sum();
        for (number, stage) in stages.iter_mut().enumerate() {
            stage.advance(module, number, &mut messages)?;
        }
        if stages.iter().map(|stage| stage.next).sum::<usize>() == before {
            break;
        }
    }
    if let Some(number) = stages.iter().position(|stage| stage.next < stage.tasks.len()) {
        return Err(format!("stage {number} waits forever"));
    }
    let is_used = |number: usize| messages.complete.iter().any(|message| message.transfer == number);
    match (0..transfers.len()).find(|&number| !is_used(number)) {
        Some(unused) => Err(format!("`{}` is never sent", transfers[unused].name)),
        None => Ok(()),
    }
}

/// Returns the message of a communication site, or `None` for a collective.
fn message(code: &Code<Launch>, site: usize) -> Option<TransferId> {
    match code.sites.get(site)?.origin {
        CommunicationOrigin::Transfer(message) => Some(message),
        CommunicationOrigin::Collective { .. } => None,
    }
}

/// Messages whose transfer has been started by a stage.
#[derive(Default)]
struct Messages {
    /// Pairs of a stage and a message that it has started to send or receive.
    started: FxHashSet<(usize, TransferId)>,
    /// Messages started by both sender and receiver; a stage may finish its wait for these.
    complete: FxHashSet<TransferId>,
}

/// Progress of the simulated execution of a stage's main function.
struct Progress<'m> {
    code: &'m Code<Launch>,
    tasks: &'m [Task<Launch>],
    next: usize,
}

impl Progress<'_> {
    /// Advances to the end of the main function, or to the first wait for a message that is not complete.
    fn advance(&mut self, module: &Module, stage: usize, messages: &mut Messages) -> Result<(), String> {
        while let Some(task) = self.tasks.get(self.next) {
            match task.action {
                TaskAction::Start(site) => {
                    if let Some(message_id) = message(self.code, site) {
                        record_start(module, stage, message_id, task, messages)?;
                    }
                }
                TaskAction::Wait(site) => {
                    if message(self.code, site).is_some_and(|message_id| !messages.complete.contains(&message_id)) {
                        return Ok(());
                    }
                }
                TaskAction::Compute(..) | TaskAction::Loop { .. } => {}
            }
            self.next += 1;
        }
        Ok(())
    }
}

/// Records that a stage starts to send or receive a message. Completes the message if the other stage has started it.
///
/// # Errors
/// A description of the violated rule: the stage neither sends nor receives the transfer, or has started the message
/// before.
fn record_start(
    module: &Module,
    stage: usize,
    message_id: TransferId,
    task: &Task<Launch>,
    messages: &mut Messages,
) -> Result<(), String> {
    let transfer = module.program.transfers.get(message_id.transfer).ok_or("there is no such transfer")?;
    let (sends, receives) = (transfer.from.stage == stage, transfer.to.stage == stage);
    if [task.reads.len(), task.writes.len()] != [usize::from(sends), usize::from(receives)] {
        return Err(format!("stage {stage} does not send and receive `{}` as it should", transfer.name));
    }
    if !messages.started.insert((stage, message_id)) {
        return Err(format!("`{}` is listed twice", transfer.name));
    }
    let other = if sends { transfer.to.stage } else { transfer.from.stage };
    if messages.started.contains(&(other, message_id)) {
        messages.complete.insert(message_id);
    }
    Ok(())
}

/// State of a value in memory with respect to pending messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The value is available.
    Ready,
    /// The value is available and is being sent by this many messages.
    Sending(usize),
    /// The value is being received.
    Arriving,
}

/// Checks that a main function reads only available values, does not overwrite values in transit, waits for every
/// operation that it starts, and writes every output.
///
/// # Errors
/// A description of the violated rule.
fn verify_order(code: &Code<Launch>, tasks: &[Task<Launch>]) -> Result<(), String> {
    let mut states: FxHashMap<Address, State> = FxHashMap::default();
    let mut open: FxHashMap<usize, (Addresses, Addresses)> = FxHashMap::default();
    let mut started: FxHashSet<usize> = FxHashSet::default();
    for task in tasks {
        let name = || code.names.get(task.name as usize).map_or("a task", String::as_str);
        for at in &task.reads {
            match states.get(at) {
                Some(State::Arriving) => return Err(format!("`{}` reads a value that has not arrived", name())),
                None if matches!(at.base, Base::Frame | Base::Output(_)) => {
                    return Err(format!("`{}` reads a value that is never written", name()));
                }
                Some(State::Ready | State::Sending(_)) | None => {}
            }
        }
        let is_in_transit = |at: &Address| matches!(states.get(at), Some(State::Arriving | State::Sending(_)));
        if task.writes.iter().any(is_in_transit) {
            return Err(format!("`{}` overwrites a value in transit", name()));
        }
        match task.action {
            TaskAction::Start(site) => {
                if !started.insert(site) {
                    return Err(format!("`{}` begins twice", name()));
                }
                for at in &task.reads {
                    let state = states.entry(*at).or_insert(State::Ready);
                    *state = State::Sending(if let State::Sending(count) = *state { count + 1 } else { 1 });
                }
                states.extend(task.writes.iter().map(|at| (*at, State::Arriving)));
                open.insert(site, (task.reads.clone(), task.writes.clone()));
            }
            TaskAction::Wait(site) => {
                if !started.contains(&site) {
                    return Err(format!("`{}` is awaited before it begins", name()));
                }
                let (reads, writes) = open.remove(&site).unwrap_or_default();
                for at in &reads {
                    if let Some(State::Sending(count)) = states.get(at).copied() {
                        let left = if count > 1 { State::Sending(count - 1) } else { State::Ready };
                        states.insert(*at, left);
                    }
                }
                states.extend(writes.iter().map(|at| (*at, State::Ready)));
            }
            TaskAction::Compute(..) | TaskAction::Loop { .. } => {
                states.extend(task.writes.iter().map(|at| (*at, State::Ready)));
            }
        }
    }
    let is_written = |output: usize| states.contains_key(&Address { base: Base::Output(output as u32), offset: 0 });
    match code.outputs.iter().enumerate().find(|(i, at)| matches!(at, Output::Buffer(..)) && !is_written(*i)) {
        Some((output, _)) => Err(format!("it never writes its output {output}")),
        None if open.is_empty() => Ok(()),
        None => Err("a started operation is not awaited".into()),
    }
}
