//! Runs of a program on the devices of several processes.

use super::World;
use super::selection::{ReservedTurn, Selection};
use crate::collective_exec::CollectiveExec;
use crate::collective_exec::distributed::Distribution;
use crate::communicator::CollectiveHandle;
use crate::processes::{PacketKey, Placement, Processes};
use partita_ir::diag::{Code, Diagnostic};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Address of the execution plans of a collective, the index of an operand, and the members.
type DistributionKey = (usize, usize, Arc<[usize]>);

/// Distributions of collectives, each with the execution plans that the address in its key belongs to.
type Distributions = FxHashMap<DistributionKey, (Arc<[CollectiveExec]>, Arc<Distribution>)>;

/// Devices of an executable, and the processes that execute them.
#[derive(Clone)]
pub struct DeviceProcesses {
    processes: Arc<Processes>,
    pub(crate) placement: Placement,
    distributions: Arc<Mutex<Distributions>>,
    /// Collectives that the transport executes, after the first run.
    pub(super) selection: Arc<OnceLock<Selection>>,
}

impl DeviceProcesses {
    /// Divides the devices of an executable among processes.
    ///
    /// # Errors
    /// `R004` for more processes than devices.
    pub fn new(processes: Arc<Processes>, devices: usize) -> Result<DeviceProcesses, Diagnostic> {
        let placement = Placement::new(devices, processes.count())?;
        Ok(DeviceProcesses { processes, placement, distributions: Arc::default(), selection: Arc::default() })
    }

    /// Returns the processes.
    pub fn processes(&self) -> &Arc<Processes> {
        &self.processes
    }

    /// Returns the devices of this process.
    pub fn local(&self) -> Range<usize> {
        self.placement.devices_of(self.processes.index())
    }

    /// Returns the devices of a process.
    pub fn devices_of(&self, process: usize) -> Range<usize> {
        self.placement.devices_of(process)
    }

    /// Returns the process that executes a device.
    pub fn process_of(&self, device: usize) -> usize {
        self.placement.process_of(device)
    }

    /// Returns the division of a collective among processes.
    ///
    /// # Errors
    /// `R004` for an algorithm that combines partial results.
    pub(crate) fn distribution(
        &self,
        execs: &Arc<[CollectiveExec]>,
        operand: usize,
        members: &Arc<[usize]>,
    ) -> Result<Arc<Distribution>, Diagnostic> {
        let key = (execs.as_ptr().addr(), operand, members.clone());
        let mut known = self.distributions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, distribution)) = known.get(&key) {
            return Ok(distribution.clone());
        }
        let process_of = members.iter().map(|&member| self.placement.process_of(member)).collect();
        let unsupported = || {
            Diagnostic::new(Code::R004, "a collective algorithm with partial results needs all devices in one process")
        };
        let distribution = Arc::new(Distribution::new(&execs[operand], process_of).ok_or_else(unsupported)?);
        known.insert(key, (execs.clone(), distribution.clone()));
        Ok(distribution)
    }

    pub(crate) fn begin_run(&self, world: Weak<World>) -> RunProcesses {
        let number = self.processes.begin_run(world.clone());
        RunProcesses { devices: self.clone(), world, number }
    }
}

/// A run on several processes.
pub(crate) struct RunProcesses {
    devices: DeviceProcesses,
    world: Weak<World>,
    number: u64,
}

impl RunProcesses {
    pub(crate) fn processes(&self) -> &Arc<Processes> {
        &self.devices.processes
    }

    /// Returns the state of the devices of this process.
    pub(crate) fn world(&self) -> Weak<World> {
        self.world.clone()
    }

    /// Returns the identity of an operand of a collective among all processes.
    pub(crate) fn key(&self, handle: &CollectiveHandle, operand: usize, name: &str) -> PacketKey {
        let CollectiveHandle { members, channel, number } = handle;
        let collective = hash(&(&members[..], channel, number, operand));
        PacketKey { run: self.number, collective, name: hash(&name) }
    }

    /// Returns the division of a collective among processes.
    ///
    /// # Errors
    /// `R004` for an algorithm that combines partial results.
    pub(crate) fn distribution(
        &self,
        execs: &Arc<[CollectiveExec]>,
        operand: usize,
        members: &Arc<[usize]>,
    ) -> Result<Arc<Distribution>, Diagnostic> {
        self.devices.distribution(execs, operand, members)
    }

    /// Reserves the turns of a collective for its operands; `None` for those that the transport does not execute.
    pub(crate) fn reserve_turns(
        &self,
        execs: &Arc<[CollectiveExec]>,
        members: &Arc<[usize]>,
    ) -> Vec<Option<ReservedTurn>> {
        let turn = |operand| self.devices.native_choice(execs, operand, members)?.reserve();
        (0..execs.len()).map(turn).collect()
    }

    /// Makes every other process fail.
    pub(crate) fn abort(&self, why: &Diagnostic) {
        self.devices.processes.abort(why);
    }

    /// Ends the run.
    pub(crate) fn end(&self) {
        self.devices.processes.end_run();
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
