//! Stages at work: each goes on until it waits for a transfer that has not begun, and then the next one does.
//!
//! A transfer begins when both of its stages have started it. Of a single stage all of this is one pass over its tasks.

use super::meeting::{Arrived, Meetings};
use super::session::Session;
use super::tasks::{Call, Launcher};
use crate::device::Device;
use crate::module::Launch;
use indexmap::IndexMap;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::pipeline::events::Sent;
use partita_runtime::code::{Act, Meeting, Task};
use rustc_hash::FxBuildHasher;

/// A stage in its main function.
pub(super) struct Running<D: Device> {
    call: Call<D::Memory>,
    /// The next task.
    next: usize,
    pub(super) meetings: Meetings<D>,
}

/// Transfers that one of two stages has started.
type Begun<D> = IndexMap<Sent, Arrived<D>, FxBuildHasher>;

impl<D: Device> Session<'_, D> {
    /// All stages at the first task of their main functions.
    pub(super) fn running(&self) -> Vec<Running<D>> {
        let stages = 0..self.executable.module.program.stages.len();
        stages.map(|stage| Running { call: self.main(stage), next: 0, meetings: Meetings::default() }).collect()
    }

    /// Runs all stages to the end of their main functions.
    pub(super) fn run(&self, stages: &mut [Running<D>], launcher: Launcher<'_, D>) -> Result<(), Diagnostic> {
        let mut begun = Begun::<D>::default();
        loop {
            let before: usize = stages.iter().map(|running| running.next).sum();
            for stage in 0..stages.len() {
                self.advance(stage, stages, &mut begun, launcher)?;
            }
            let mut waiting = stages.iter().enumerate().filter_map(|(stage, running)| {
                let task = self.tasks(stage).get(running.next)?;
                let name = self.executable.module.code[stage].names.get(task.name as usize);
                Some(format!("stage {stage} waits for {}", name.map_or("a transfer", String::as_str)))
            });
            match (waiting.next(), begun.first()) {
                (None, None) => return Ok(()),
                (None, Some((_, arrived))) => return Err(unmet(&arrived.name)),
                (Some(_), _) if stages.iter().map(|running| running.next).sum::<usize>() > before => {}
                (Some(first), _) => {
                    let stuck = Diagnostic::new(ErrorCode::R005, "no stage can go on");
                    return Err(waiting.fold(stuck.note(first), Diagnostic::note));
                }
            }
        }
    }

    fn tasks(&self, stage: usize) -> &[Task<Launch>] {
        self.executable.module.code[stage].bodies.last().map_or(&[], |main| &main.tasks[..])
    }

    /// Carries out the tasks of a stage up to the end, or to a transfer that has not begun.
    fn advance(
        &self,
        stage: usize,
        stages: &mut [Running<D>],
        begun: &mut Begun<D>,
        launcher: Launcher<'_, D>,
    ) -> Result<(), Diagnostic> {
        let sites = &self.executable.module.code[stage].sites;
        let message = |site: usize| match sites[site].meeting {
            Meeting::Transfer(message) => Some(message),
            Meeting::Collective { .. } => None,
        };
        while let Some(task) = self.tasks(stage).get(stages[stage].next) {
            match task.act {
                Act::Start(site) if message(site).is_some() => self.arrive(stage, site, task, stages, begun)?,
                Act::Wait(site) if message(site).is_some_and(|message| begun.contains_key(&message)) => return Ok(()),
                _ => {
                    let Running { call, meetings, .. } = &mut stages[stage];
                    self.task(task, call, meetings, launcher)?;
                }
            }
            stages[stage].next += 1;
        }
        Ok(())
    }

    /// Starts a stage's part of a transfer, which begins with the second one.
    fn arrive(
        &self,
        stage: usize,
        number: usize,
        task: &Task<Launch>,
        stages: &mut [Running<D>],
        begun: &mut Begun<D>,
    ) -> Result<(), Diagnostic> {
        let module = &self.executable.module;
        let site = &module.code[stage].sites[number];
        let Meeting::Transfer(message) = site.meeting else { return Ok(()) };
        let arrived = self.arrived(number, task, &stages[stage].call)?;
        let transfer = module.program.transfers.get(message.transfer).ok_or_else(|| unmet(&site.name))?;
        let all = match begun.swap_remove(&message) {
            None if transfer.from.stage != transfer.to.stage => {
                begun.insert(message, arrived);
                return Ok(());
            }
            None => vec![arrived],
            Some(other) => vec![other, arrived],
        };
        let done = self.transfer(&all);
        // What was begun of it is waited for, even if it was not all.
        for Arrived { stage, number, .. } in all {
            stages[stage].meetings.add(number, self.ends(stage)?);
        }
        done
    }
}

/// The error for a transfer that another stage does not start.
fn unmet(name: &str) -> Diagnostic {
    Diagnostic::new(ErrorCode::R005, format!("only one stage came to the transfer {name}"))
}
