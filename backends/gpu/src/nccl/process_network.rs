//! Communicators between the GPUs of several processes.
//!
//! Rank 0 draws the identifier of the world, which the existing connection between the processes distributes. The world
//! is split once for each set of mesh axes that a collective uses, and once for the stages of each transfer. A watchdog
//! polls the communicators and the connection: any error, and any collective that exceeds the time limit, aborts all
//! communicators of the process, so that no GPU waits for another.

#![allow(unsafe_code, reason = "calls are made on addresses")]

mod shared;

use super::functions::{
    CallArguments, CommunicationDevice, CommunicatorAddress, Functions, NO_COLOR, UNIQUE_ID_BYTES, UniqueId,
};
use crate::collective::{Network, RankCall};
use crate::module::Module;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::group::Group;
use partita_runtime::processes::Processes;
use partita_runtime::processes::agreement::{Item, agree};
use partita_runtime::shared::DeviceProcesses;
use shared::{Shared, Slot};
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two looks of the watchdog at the communicators and the connection.
const WATCH_INTERVAL: Duration = Duration::from_millis(50);

/// Groups of devices that do not overlap: those of a set of mesh axes.
type Partition = Vec<Arc<[usize]>>;

/// Communicators of the ranks of this process.
pub struct ProcessNetwork {
    shared: Arc<Shared>,
    /// Communicators of each group, by position; `None` for ranks of other processes.
    communicators: IndexMap<Arc<[usize]>, Vec<Option<Slot>>>,
    /// First rank of this process.
    first_rank: usize,
    watchdog: Option<(Sender<()>, JoinHandle<()>)>,
}

impl ProcessNetwork {
    /// Opens the communicators of all groups of a module's collectives and transfers; `devices` are those of the ranks
    /// of this process. All processes call the function.
    ///
    /// # Errors
    /// `R004` if NCCL reports an error or exceeds the time limit, `R005` if another process fails.
    pub fn connect<D: CommunicationDevice>(
        functions: Arc<dyn Functions>,
        processes: &DeviceProcesses,
        module: &Module,
        devices: &[D],
        deadline: Option<Duration>,
    ) -> Result<ProcessNetwork, Diagnostic> {
        let shared = Arc::new(Shared::new(functions, processes.processes().clone(), deadline));
        let first_rank = processes.local().start;
        let watchdog = Some(start_watchdog(&shared));
        let mut network = ProcessNetwork { shared, communicators: IndexMap::new(), first_rank, watchdog };
        network.shared.begin(|| "opening communicators".to_owned());
        let world = network.open_world(processes, module.program.device_count(), devices)?;
        for partition in partitions(module) {
            network.split(&world, &partition)?;
        }
        network.shared.finish();
        Ok(network)
    }

    /// Opens the communicator of all ranks, once for each rank of this process.
    fn open_world<D: CommunicationDevice>(
        &self,
        processes: &DeviceProcesses,
        count: usize,
        devices: &[D],
    ) -> Result<Vec<Slot>, Diagnostic> {
        let Shared { functions, .. } = &*self.shared;
        let mut id = UniqueId([0; UNIQUE_ID_BYTES]);
        let is_first = processes.processes().index() == 0;
        if is_first {
            self.shared.accept(functions.unique_id(&mut id))?;
        }
        let sent = processes.processes().all_gather(if is_first { &id.0 } else { &[] })?;
        let received = sent.first().and_then(|bytes| bytes.as_slice().try_into().ok());
        let id = UniqueId(received.ok_or_else(|| Diagnostic::new(Code::R005, "rank 0 has sent no NCCL identifier"))?);
        let world: Vec<Slot> = devices.iter().map(|_| self.shared.add_slot()).collect();
        self.shared.group(|| {
            devices.iter().zip(&world).zip(processes.local()).try_for_each(|((device, slot), rank)| {
                device.make_current()?;
                // SAFETY: the slot lives until all communicators have been closed.
                self.shared.accept(unsafe { functions.init_rank(slot, count, &id, rank) })
            })
        })?;
        self.shared.wait_for(&world)?;
        Ok(world)
    }

    /// Splits the world into the groups of a partition.
    fn split(&mut self, world: &[Slot], partition: &Partition) -> Result<(), Diagnostic> {
        let ranks = self.first_rank..self.first_rank + world.len();
        // Color, and position in the group of the color.
        let place_of = |rank: usize| {
            let found = partition.iter().enumerate().find_map(|(color, members)| {
                Some((color as c_int, members.iter().position(|&member| member == rank)?))
            });
            found.unwrap_or((NO_COLOR, 0))
        };
        let children: Vec<Slot> = ranks.clone().map(|_| self.shared.add_slot()).collect();
        self.shared.group(|| {
            ranks.clone().zip(world.iter().zip(&children)).try_for_each(|(rank, (parent, child))| {
                let ((color, position), parent) = (place_of(rank), open_handle(parent)?);
                // SAFETY: the parent is open, and the child's slot lives until all communicators have been closed.
                self.shared.accept(unsafe { self.shared.functions.split(parent, color, position as c_int, child) })
            })
        })?;
        self.shared.wait_for(world)?;
        for (rank, child) in ranks.zip(children) {
            let (color, position) = place_of(rank);
            let Some(members) = usize::try_from(color).ok().and_then(|color| partition.get(color)) else { continue };
            self.shared.wait_for(std::slice::from_ref(&child))?;
            let of_group = self.communicators.entry(members.clone()).or_insert_with(|| vec![None; members.len()]);
            of_group[position] = Some(child);
        }
        Ok(())
    }

    fn slot(&self, members: &[usize], position: usize) -> Result<&Slot, Diagnostic> {
        let found = self.communicators.get(members).and_then(|slots| slots.get(position)?.as_ref());
        found.ok_or_else(|| Diagnostic::new(Code::R004, format!("the devices {members:?} have no communicator")))
    }
}

/// Checks that all processes have the same kernels.
///
/// # Errors
/// `R005` with the rank whose kernels differ.
pub fn agree_on_module(processes: &Processes, module: &Module) -> Result<(), Diagnostic> {
    let sources: Vec<&str> = module.kernels.iter().map(|kernel| kernel.source.as_str()).collect();
    let items = [Item::new("target", &module.target.to_string()), Item::new("text of kernels", &sources.concat())];
    agree(processes, &items)
}

/// Returns the groups of the collectives and transfers of a module, in the same order on all processes.
fn partitions(module: &Module) -> Vec<Partition> {
    let mut all: Vec<Partition> = Vec::new();
    for site in module.code.iter().flat_map(|code| &code.sites) {
        let mut partition = Partition::new();
        for members in site.groups.iter().map(Group::members) {
            if !partition.contains(members) {
                partition.push(members.clone());
            }
        }
        if !all.contains(&partition) {
            all.push(partition);
        }
    }
    all
}

fn open_handle(slot: &Slot) -> Result<CommunicatorAddress, Diagnostic> {
    match slot.load(Ordering::Acquire) {
        0 => Err(shared::closed()),
        handle => Ok(handle),
    }
}

/// Starts the thread that aborts all communicators at the first error.
fn start_watchdog(shared: &Arc<Shared>) -> (Sender<()>, JoinHandle<()>) {
    let ((stop, stopped), shared) = (mpsc::channel(), shared.clone());
    let watch = move || {
        while stopped.recv_timeout(WATCH_INTERVAL) == Err(RecvTimeoutError::Timeout) {
            if let Err(why) = shared.check() {
                return shared.abort(why);
            }
        }
    };
    (stop, std::thread::spawn(watch))
}

impl<D: CommunicationDevice> Network<D> for ProcessNetwork {
    fn issue(&self, devices: &[&D], calls: &[RankCall<'_>]) -> Result<(), Diagnostic> {
        let Some(last) = calls.last() else { return Ok(()) };
        self.shared.begin(|| format!("{} among devices {:?}", last.request.call.name(), last.members));
        let mut used: Vec<Slot> = Vec::new();
        self.shared.group(|| {
            for &RankCall { members, position, request, element, combine } in calls {
                let slot = self.slot(members, position)?;
                let stream = devices[members[position] - self.first_rank].communication_stream();
                let arguments = CallArguments {
                    call: request.call,
                    count: request.count,
                    element,
                    combine,
                    from: request.from,
                    to: request.to,
                };
                // SAFETY: the addresses are in the rank's memory, which lives until the collective is awaited.
                self.shared.accept(unsafe { self.shared.functions.call(open_handle(slot)?, &arguments, stream) })?;
                if !used.iter().any(|known| Arc::ptr_eq(known, slot)) {
                    used.push(slot.clone());
                }
            }
            Ok(())
        })?;
        self.shared.wait_for(&used)
    }

    fn check(&self) -> Result<(), Diagnostic> {
        self.shared.check()
    }

    fn finish(&self) {
        self.shared.finish();
    }

    fn abort(&self) {
        self.shared.abort(shared::closed());
    }
}

impl Drop for ProcessNetwork {
    fn drop(&mut self) {
        if let Some((stop, watchdog)) = self.watchdog.take() {
            drop(stop);
            // The watchdog does not panic.
            let _ = watchdog.join();
        }
        self.shared.close();
    }
}
