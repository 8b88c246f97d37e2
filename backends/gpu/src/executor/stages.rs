//! Interleaving of stages: each runs until it waits for a transfer that has not started, then the next one runs.
//!
//! A transfer starts when both of its stages have reached it. A program with one stage is executed in one pass over its
//! tasks.

use super::communication::{PendingOps, TransferSide};
use super::session::Session;
use super::tasks::{Invocation, Launcher};
use crate::device::Device;
use crate::module::Launch;
use indexmap::IndexMap;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::pipeline::events::TransferId;
use partita_runtime::code::{CommunicationOrigin, Task, TaskAction};
use rustc_hash::FxBuildHasher;

/// Progress of a stage in its main function.
pub(super) struct StageProgress<D: Device> {
    call: Invocation<D::Memory>,
    /// Index of the next task.
    next: usize,
    pub(super) pending: PendingOps<D>,
}

/// Transfers that only one of two stages has reached.
type StartedTransfers<D> = IndexMap<TransferId, TransferSide<D>, FxBuildHasher>;

impl<D: Device> Session<'_, D> {
    /// Returns all stages at the first task of their main functions.
    pub(super) fn initial_progress(&self) -> Vec<StageProgress<D>> {
        let stages = 0..self.executable.module.program.stages.len();
        stages.map(|stage| StageProgress { call: self.main(stage), next: 0, pending: PendingOps::default() }).collect()
    }

    /// Runs all stages to the end of their main functions.
    pub(super) fn run(&self, stages: &mut [StageProgress<D>], launcher: Launcher<'_, D>) -> Result<(), Diagnostic> {
        let mut started = StartedTransfers::<D>::default();
        loop {
            let before: usize = stages.iter().map(|progress| progress.next).sum();
            for stage in 0..stages.len() {
                self.advance(stage, stages, &mut started, launcher)?;
            }
            let mut waiting = stages.iter().enumerate().filter_map(|(stage, progress)| {
                let task = self.tasks(stage).get(progress.next)?;
                let name = self.executable.module.code[stage].names.get(task.name as usize);
                Some(format!("stage {stage} waits for {}", name.map_or("a transfer", String::as_str)))
            });
            match (waiting.next(), started.first()) {
                (None, None) => return Ok(()),
                (None, Some((_, side))) => return Err(one_sided(&side.name)),
                (Some(_), _) if stages.iter().map(|progress| progress.next).sum::<usize>() > before => {}
                (Some(first), _) => {
                    let stuck = Diagnostic::new(ErrorCode::R005, "deadlock: all stages wait for transfers");
                    return Err(waiting.fold(stuck.note(first), Diagnostic::note));
                }
            }
        }
    }

    fn tasks(&self, stage: usize) -> &[Task<Launch>] {
        self.executable.module.code[stage].bodies.last().map_or(&[], |main| &main.tasks[..])
    }

    /// Executes the tasks of a stage up to the end, or to a wait for a transfer that has not started.
    fn advance(
        &self,
        stage: usize,
        stages: &mut [StageProgress<D>],
        started: &mut StartedTransfers<D>,
        launcher: Launcher<'_, D>,
    ) -> Result<(), Diagnostic> {
        let sites = &self.executable.module.code[stage].sites;
        let message = |site: usize| match sites[site].origin {
            CommunicationOrigin::Transfer(message) => Some(message),
            CommunicationOrigin::Collective { .. } => None,
        };
        while let Some(task) = self.tasks(stage).get(stages[stage].next) {
            match task.action {
                TaskAction::Start(site) if message(site).is_some() => {
                    self.reach_transfer(stage, site, task, stages, started)?;
                }
                TaskAction::Wait(site) if message(site).is_some_and(|message| started.contains_key(&message)) => {
                    return Ok(());
                }
                _ => {
                    let StageProgress { call, pending, .. } = &mut stages[stage];
                    self.task(task, call, pending, launcher)?;
                }
            }
            stages[stage].next += 1;
        }
        Ok(())
    }

    /// Executes a stage's start of a transfer. The transfer starts once both of its stages have reached it, at once if
    /// they are the same stage.
    fn reach_transfer(
        &self,
        stage: usize,
        site_index: usize,
        task: &Task<Launch>,
        stages: &mut [StageProgress<D>],
        started: &mut StartedTransfers<D>,
    ) -> Result<(), Diagnostic> {
        let module = &self.executable.module;
        let site = &module.code[stage].sites[site_index];
        let CommunicationOrigin::Transfer(message) = site.origin else { return Ok(()) };
        let side = self.transfer_side(site_index, task, &stages[stage].call)?;
        let transfer = module.program.transfers.get(message.transfer).ok_or_else(|| one_sided(&site.name))?;
        let all = match started.swap_remove(&message) {
            None if transfer.from.stage != transfer.to.stage => {
                started.insert(message, side);
                return Ok(());
            }
            None => vec![side],
            Some(other) => vec![other, side],
        };
        let done = self.start_transfer(&all);
        // A transfer that failed halfway must be awaited, too.
        for TransferSide { stage, site_index, .. } in all {
            stages[stage].pending.add(site_index, self.communication_ends(stage)?);
        }
        done
    }
}

/// Returns the error for a transfer that only one stage starts.
fn one_sided(name: &str) -> Diagnostic {
    Diagnostic::new(ErrorCode::R005, format!("only one stage started the transfer {name}"))
}
