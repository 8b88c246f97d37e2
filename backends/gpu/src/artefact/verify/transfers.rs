//! Rules for values that stages send each other: every message is sent and received once, no stage waits for ever, and
//! no task reads a value before it has arrived or overwrites one that is under way.
//!
//! Only main functions communicate with other stages, and there values are known by their addresses.

use crate::module::{Launch, Module};
use partita_ir::pipeline::events::Sent;
use partita_runtime::code::{Act, Address, Addresses, Base, Code, Meeting, Output, Task};
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks the transfers of a module.
///
/// # Errors
/// The violated rule, in words.
pub(super) fn verify(module: &Module) -> Result<(), String> {
    let transfers = &module.program.transfers;
    let mut stages: Vec<Progress<'_>> = Vec::new();
    for (number, code) in module.code.iter().enumerate() {
        let communicates = |act: &Act<Launch>| match *act {
            Act::Start(site) | Act::Wait(site) => message(code, site).is_some(),
            Act::Compute(..) | Act::Loop { .. } => false,
        };
        let (main, functions) = code.bodies.split_last().ok_or("it has no functions")?;
        if functions.iter().flat_map(|body| &body.tasks).any(|task| communicates(&task.act)) {
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
        return Err(format!("stage {number} waits for ever"));
    }
    let is_used = |number: usize| messages.complete.iter().any(|message| message.transfer == number);
    match (0..transfers.len()).find(|&number| !is_used(number)) {
        Some(unused) => Err(format!("nobody sends `{}`", transfers[unused].name)),
        None => Ok(()),
    }
}

/// The message of a site; nothing for a collective.
fn message(code: &Code<Launch>, site: usize) -> Option<Sent> {
    match code.sites.get(site)?.meeting {
        Meeting::Transfer(message) => Some(message),
        Meeting::Collective { .. } => None,
    }
}

/// Messages of all stages.
#[derive(Default)]
struct Messages {
    /// Started, by stage.
    begun: FxHashSet<(usize, Sent)>,
    /// Started by all that take part.
    complete: FxHashSet<Sent>,
}

/// A stage at a task of its main function.
struct Progress<'m> {
    code: &'m Code<Launch>,
    tasks: &'m [Task<Launch>],
    next: usize,
}

impl Progress<'_> {
    /// Goes on to the end, or to a message that is not complete.
    fn advance(&mut self, module: &Module, stage: usize, messages: &mut Messages) -> Result<(), String> {
        while let Some(task) = self.tasks.get(self.next) {
            match task.act {
                Act::Start(site) => {
                    if let Some(sent) = message(self.code, site) {
                        start(module, stage, sent, task, messages)?;
                    }
                }
                Act::Wait(site) => {
                    if message(self.code, site).is_some_and(|sent| !messages.complete.contains(&sent)) {
                        return Ok(());
                    }
                }
                Act::Compute(..) | Act::Loop { .. } => {}
            }
            self.next += 1;
        }
        Ok(())
    }
}

/// A stage starts its part of a message.
fn start(
    module: &Module,
    stage: usize,
    sent: Sent,
    task: &Task<Launch>,
    messages: &mut Messages,
) -> Result<(), String> {
    let transfer = module.program.transfers.get(sent.transfer).ok_or("there is no such transfer")?;
    let (sends, receives) = (transfer.from.stage == stage, transfer.to.stage == stage);
    if [task.reads.len(), task.writes.len()] != [usize::from(sends), usize::from(receives)] {
        return Err(format!("stage {stage} does not send and receive `{}` as it should", transfer.name));
    }
    if !messages.begun.insert((stage, sent)) {
        return Err(format!("`{}` goes twice", transfer.name));
    }
    let other = if sends { transfer.to.stage } else { transfer.from.stage };
    if messages.begun.contains(&(other, sent)) {
        messages.complete.insert(sent);
    }
    Ok(())
}

/// State of a value in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It is there.
    Ready,
    /// It is there, and so many messages send it.
    Sending(usize),
    /// A message brings it.
    Arriving,
}

/// Checks that a main function reads only what is there, and leaves alone what is under way.
fn verify_order(code: &Code<Launch>, tasks: &[Task<Launch>]) -> Result<(), String> {
    let mut states: FxHashMap<Address, State> = FxHashMap::default();
    let mut open: FxHashMap<usize, (Addresses, Addresses)> = FxHashMap::default();
    let mut started: FxHashSet<usize> = FxHashSet::default();
    for task in tasks {
        let name = || code.names.get(task.name as usize).map_or("a task", String::as_str);
        for at in &task.reads {
            match states.get(at) {
                Some(State::Arriving) => return Err(format!("`{}` reads what is still on its way", name())),
                None if matches!(at.base, Base::Frame | Base::Output(_)) => {
                    return Err(format!("`{}` reads what nobody has written", name()));
                }
                Some(State::Ready | State::Sending(_)) | None => {}
            }
        }
        let is_under_way = |at: &Address| matches!(states.get(at), Some(State::Arriving | State::Sending(_)));
        if task.writes.iter().any(is_under_way) {
            return Err(format!("`{}` writes over what is on its way", name()));
        }
        match task.act {
            Act::Start(site) => {
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
            Act::Wait(site) => {
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
            Act::Compute(..) | Act::Loop { .. } => {
                states.extend(task.writes.iter().map(|at| (*at, State::Ready)));
            }
        }
    }
    let is_written = |output: usize| states.contains_key(&Address { base: Base::Output(output as u32), offset: 0 });
    match code.outputs.iter().enumerate().find(|(i, at)| matches!(at, Output::Own(..)) && !is_written(*i)) {
        Some((output, _)) => Err(format!("nobody writes its output {output}")),
        None if open.is_empty() => Ok(()),
        None => Err("what it began is not awaited".into()),
    }
}
