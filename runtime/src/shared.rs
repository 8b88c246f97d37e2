//! Communicator of the devices in this process.
//!
//! The state of every device is tracked, so that a deadlock is detected as soon as it occurs: no device computes, and
//! at least one waits. The last member that arrives at a collective executes it on the memory of all members with all
//! available threads, and then wakes up the waiting members. No function in this module waits for another device.
//!
//! Some devices may be in other processes. The last member of this process that arrives at a collective with such a
//! device starts the exchange of packets (`RemoteCollective`), which completes the collective later.
#![allow(unsafe_code, reason = "collectives access the memory of devices")]

mod device_processes;
mod selection;

use crate::collective_exec::native::NativeCollective;
use crate::collective_exec::remote::RemoteCollective;
use crate::collective_exec::{CollectiveExec, MemberBuffers};
use crate::communicator::{CollectiveCall, CollectiveHandle, Communicator, Contribution};
use crate::processes::FailureSink;
pub use device_processes::DeviceProcesses;
use device_processes::RunProcesses;
use partita_ir::diag::{Code, Diagnostic};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use selection::ReservedTurn;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Deadline and number of cores of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum time that a device waits in a collective. Deadlocks are reported immediately; the deadline detects
    /// devices that compute forever.
    pub deadline: Duration,
    /// Number of threads, which limits the number of devices that compute concurrently.
    pub cores: usize,
}

impl Default for Limits {
    /// Returns a deadline of one hour on all cores of the machine.
    fn default() -> Self {
        Limits { deadline: Duration::from_secs(3600), cores: cores() }
    }
}

/// Returns the number of cores of the machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// State of a device.
#[derive(Clone, PartialEq, Debug)]
enum DeviceState {
    /// Computing, or ready to compute when a core is free.
    Computing,
    /// Waiting for a collective since the given time.
    Waiting(CollectiveHandle, Instant),
    /// Finished; starts no more collectives.
    Finished,
    /// Executed by another process.
    Elsewhere,
}

/// Incomplete collective.
struct PendingCollective {
    name: String,
    execs: Arc<[CollectiveExec]>,
    /// Contributions of the members that arrived, in the order of the group.
    contributions: Vec<Option<Vec<Contribution>>>,
    /// True if all members in this process have arrived, and packets are exchanged with other processes.
    in_exchange: bool,
}

/// Members and channel of a sequence of collectives.
type ChannelKey = (Arc<[usize]>, u32);

/// State shared by the devices of a run.
pub struct World {
    state: Mutex<WorldState>,
    /// True after a failure; lets computing devices check without a lock.
    failed: AtomicBool,
    /// Callback with the rank of a device that waited and may continue.
    wake: Box<dyn Fn(usize) + Send + Sync>,
    /// Processes of the devices, if there are several.
    processes: Option<RunProcesses>,
}

struct WorldState {
    device_states: Vec<DeviceState>,
    /// Number of collectives started by each device, for each set of members and channel.
    started: Vec<FxHashMap<ChannelKey, u64>>,
    pending: FxHashMap<CollectiveHandle, PendingCollective>,
    fault: Option<Diagnostic>,
}

impl World {
    /// Creates the state of devices that are all computing. `wake` is called for a device that waited and may continue.
    pub fn new(devices: usize, wake: impl Fn(usize) + Send + Sync + 'static) -> World {
        let state = WorldState {
            device_states: vec![DeviceState::Computing; devices],
            started: vec![FxHashMap::default(); devices],
            pending: FxHashMap::default(),
            fault: None,
        };
        World { state: Mutex::new(state), failed: AtomicBool::new(false), wake: Box::new(wake), processes: None }
    }

    /// Creates the state of the devices of this process and of others, and begins a run of all processes.
    pub(crate) fn on_processes(devices: &DeviceProcesses, wake: impl Fn(usize) + Send + Sync + 'static) -> Arc<World> {
        Arc::new_cyclic(|world: &Weak<World>| {
            let mut new = World::new(devices.placement.device_count(), wake);
            let states = &mut new.state.get_mut().unwrap_or_else(PoisonError::into_inner).device_states;
            let local = devices.local();
            states.iter_mut().enumerate().filter(|(rank, _)| !local.contains(rank)).for_each(|(_, state)| {
                *state = DeviceState::Elsewhere;
            });
            new.processes = Some(devices.begin_run(world.clone()));
            new
        })
    }

    /// Ends a run of several processes: no packet is written to the memory of devices any more.
    pub(crate) fn end(&self) {
        if let Some(run) = &self.processes {
            run.end();
        }
    }

    /// Returns the communicator of one device.
    pub fn member(&self, rank: usize) -> Member<'_> {
        Member { world: self, rank }
    }

    /// Makes every device fail; the first reason is reported.
    pub fn abort(&self, why: Diagnostic) {
        self.fail(self.lock(), why);
    }

    /// Returns an error if any device failed.
    ///
    /// # Errors
    /// The first reason given.
    pub fn check(&self) -> Result<(), Diagnostic> {
        if self.failed.load(Ordering::Acquire) { self.lock().check() } else { Ok(()) }
    }

    /// Marks a device as finished: it starts no more collectives.
    pub fn finish(&self, rank: usize) {
        let mut state = self.lock();
        state.device_states[rank] = DeviceState::Finished;
        self.detect_deadlock(state);
    }

    /// Fails all devices if one has waited for `deadline`. Otherwise returns the time until the next deadline, or
    /// `deadline` if no device waits.
    pub fn check_deadline(&self, deadline: Duration) -> Duration {
        let state = self.lock();
        let waits = state.device_states.iter().enumerate().filter_map(|(rank, device_state)| match device_state {
            DeviceState::Waiting(_, since) => Some((since.elapsed(), rank)),
            DeviceState::Computing | DeviceState::Finished | DeviceState::Elsewhere => None,
        });
        let Some((longest, rank)) = waits.max() else { return deadline };
        if let Some(left) = deadline.checked_sub(longest).filter(|left| !left.is_zero()) {
            return left;
        }
        if let Some(fault) = state.missing_arrival(rank, &format!("within {deadline:?}")) {
            self.fail(state, fault);
        }
        deadline
    }

    fn lock(&self) -> MutexGuard<'_, WorldState> {
        // No code panics while the state is inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a failure, in every process.
    fn fail(&self, state: MutexGuard<'_, WorldState>, why: Diagnostic) {
        if let Some(run) = &self.processes {
            run.abort(&why);
        }
        self.record_failure(state, why);
    }

    /// Records a failure and wakes up all waiting devices, which then observe the failure.
    fn record_failure(&self, mut state: MutexGuard<'_, WorldState>, why: Diagnostic) {
        state.fault.get_or_insert(why);
        self.failed.store(true, Ordering::Release);
        let waiting: Vec<usize> = (0..state.device_states.len()).filter(|&r| state.resume(r)).collect();
        drop(state);
        waiting.into_iter().for_each(&self.wake);
    }

    /// Detects a deadlock and reports it: if no device computes and no packets are exchanged, no device will arrive at
    /// the incomplete collectives.
    fn detect_deadlock(&self, state: MutexGuard<'_, WorldState>) {
        if state.fault.is_none()
            && !state.device_states.contains(&DeviceState::Computing)
            && !state.pending.values().any(|collective| collective.in_exchange)
            && let Some(fault) =
                (0..state.device_states.len()).find_map(|rank| state.missing_arrival(rank, "and never will"))
        {
            self.fail(state, fault);
        }
    }

    /// Executes a collective at which all members have arrived.
    fn perform(collective: &PendingCollective) {
        for (i, exec) in collective.execs.iter().enumerate() {
            let buffers: Vec<MemberBuffers> =
                collective.contributions.iter().flatten().map(|contributions| contributions[i].buffers).collect();
            // SAFETY: all members have arrived, each has checked that its operands match the collective, and none
            // accesses its memory until the collective is complete. Items write disjoint memory.
            let perform = |item: usize| unsafe { exec.perform(&buffers, item) };
            match exec.items() {
                1 => perform(0),
                items => (0..items).into_par_iter().for_each(perform),
            }
        }
    }
}

impl World {
    /// Exchanges the packets of a collective at which all members of this process have arrived.
    fn exchange(
        &self,
        run: &RunProcesses,
        handle: &CollectiveHandle,
        collective: &PendingCollective,
        turns: Vec<Option<ReservedTurn>>,
    ) -> Result<(), Diagnostic> {
        let outstanding = Arc::new(AtomicUsize::new(collective.execs.len()));
        for (operand, turn) in turns.into_iter().enumerate() {
            let contributions = collective.contributions.iter();
            let buffers = contributions.map(|all| all.as_ref().map(|all| all[operand].buffers)).collect();
            let key = run.key(handle, operand, &collective.name);
            let (world, completed, outstanding) = (run.world(), handle.clone(), outstanding.clone());
            let complete = move || {
                if outstanding.fetch_sub(1, Ordering::AcqRel) == 1
                    && let Some(world) = world.upgrade()
                {
                    world.complete(&completed);
                }
            };
            let execs = (collective.execs.clone(), operand);
            let complete = Box::new(complete);
            match turn {
                // SAFETY: all members of this process have arrived, each has checked that its operands match the
                // collective, and none accesses its memory until the collective is complete or the run has ended.
                Some(turn) => unsafe {
                    NativeCollective::start(run.processes(), key, execs, turn, buffers, complete);
                },
                None => {
                    let distribution = run.distribution(&collective.execs, operand, &handle.members)?;
                    // SAFETY: as above.
                    unsafe { RemoteCollective::start(run.processes(), key, execs, distribution, buffers, complete) };
                }
            }
        }
        Ok(())
    }

    /// Wakes up the members that wait for a collective, which is complete.
    fn complete(&self, handle: &CollectiveHandle) {
        let mut state = self.lock();
        // A collective without an entry is complete.
        state.pending.remove(handle);
        let waits = |state: &DeviceState| matches!(state, DeviceState::Waiting(awaited, _) if awaited == handle);
        let waiting: Vec<usize> = handle.members.iter().copied().filter(|&m| waits(&state.device_states[m])).collect();
        waiting.iter().for_each(|&rank| {
            state.resume(rank);
        });
        drop(state);
        waiting.into_iter().for_each(&self.wake);
    }
}

impl FailureSink for World {
    fn fail_from_outside(&self, why: Diagnostic) {
        self.record_failure(self.lock(), why);
    }
}

/// Copies the addresses that a member contributes.
fn clone_contributions(contributions: &Option<Vec<Contribution>>) -> Option<Vec<Contribution>> {
    let copy = |one: &Contribution| Contribution { buffers: one.buffers, bytes: one.bytes };
    contributions.as_ref().map(|all| all.iter().map(copy).collect())
}

impl WorldState {
    fn check(&self) -> Result<(), Diagnostic> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// Marks a waiting device as computing; returns true if the device was waiting.
    fn resume(&mut self, rank: usize) -> bool {
        let waits = matches!(self.device_states[rank], DeviceState::Waiting(..));
        if waits {
            self.device_states[rank] = DeviceState::Computing;
        }
        waits
    }

    /// Returns an error that names the members missing at the collective for which the device waits; `None` if the
    /// device does not wait.
    fn missing_arrival(&self, rank: usize, when: &str) -> Option<Diagnostic> {
        let DeviceState::Waiting(handle, _) = &self.device_states[rank] else { return None };
        let collective = self.pending.get(handle)?;
        let present = |member: &usize| collective.contributions[position(&handle.members, *member)].is_some();
        let (there, absent): (Vec<usize>, Vec<usize>) = handle.members.iter().partition(|m| present(m));
        let fault = Diagnostic::new(
            Code::R005,
            format!("{} did not arrive at `{}` {when}", format_devices(&absent), collective.name),
        )
        .note(format!("{} there", format_waiting(&there)));
        Some(absent.iter().take(4).fold(fault, |fault, &rank| fault.note(self.describe_device(rank))))
    }

    fn describe_device(&self, rank: usize) -> String {
        match &self.device_states[rank] {
            DeviceState::Computing => format!("device {rank} is still computing"),
            DeviceState::Waiting(handle, _) => {
                format!("device {rank} waits at `{}`", self.pending.get(handle).map_or("", |m| &m.name))
            }
            DeviceState::Finished => format!("device {rank} has finished"),
            DeviceState::Elsewhere => format!("device {rank} is executed by another rank"),
        }
    }
}

/// Communicator of one device of a [`World`].
#[derive(Clone, Copy)]
pub struct Member<'w> {
    world: &'w World,
    rank: usize,
}

impl Communicator for Member<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn start(
        &self,
        call: CollectiveCall<'_>,
        contributions: Vec<Contribution>,
    ) -> Result<CollectiveHandle, Diagnostic> {
        let mut guard = self.world.lock();
        guard.check()?;
        let state = &mut *guard;
        let members = call.group.members();
        let channel = call.group.channel();
        let count = state.started[self.rank].entry((members.clone(), channel)).or_default();
        let handle = CollectiveHandle { members: members.clone(), channel, number: *count };
        *count += 1;
        let new = || PendingCollective {
            name: call.name.to_owned(),
            execs: call.execs.clone(),
            contributions: members.iter().map(|_| None).collect(),
            in_exchange: false,
        };
        let collective = state.pending.entry(handle.clone()).or_insert_with(new);
        let wrong = mismatch(self.rank, call, collective, &contributions);
        if let Some(why) = wrong {
            self.world.fail(guard, why.clone());
            return Err(why);
        }
        collective.contributions[call.group.position()] = Some(contributions);
        let is_elsewhere = |member: usize| state.device_states[member] == DeviceState::Elsewhere;
        let mut arrived = collective.contributions.iter().zip(members.iter());
        if !arrived.all(|(contribution, &member)| contribution.is_some() || is_elsewhere(member)) {
            return Ok(handle);
        }
        let exchange = self.world.processes.as_ref().filter(|_| members.iter().any(|&member| is_elsewhere(member)));
        collective.in_exchange = exchange.is_some();
        let collective = PendingCollective {
            name: call.name.to_owned(),
            execs: collective.execs.clone(),
            contributions: match exchange {
                // They are listed if the exchange does not end before the deadline.
                Some(_) => collective.contributions.iter().map(clone_contributions).collect(),
                None => std::mem::take(&mut collective.contributions),
            },
            in_exchange: exchange.is_some(),
        };
        // Turns are in the order of the collectives of a group, which all processes execute.
        let turns = exchange.map(|run| run.reserve_turns(&collective.execs, members));
        drop(guard);
        match exchange.zip(turns) {
            Some((run, turns)) => self.world.exchange(run, &handle, &collective, turns)?,
            None => {
                World::perform(&collective);
                self.world.complete(&handle);
            }
        }
        Ok(handle)
    }

    fn poll(&self, handle: &CollectiveHandle) -> Result<bool, Diagnostic> {
        let mut state = self.world.lock();
        state.check()?;
        if !state.pending.contains_key(handle) {
            return Ok(true);
        }
        state.device_states[self.rank] = DeviceState::Waiting(handle.clone(), Instant::now());
        self.world.detect_deadlock(state);
        Ok(false)
    }

    fn abort(&self, why: Diagnostic) {
        self.world.abort(why);
    }

    fn check(&self) -> Result<(), Diagnostic> {
        self.world.check()
    }
}

/// Returns the error if a device's contribution does not match the collective or the contributions of other members.
fn mismatch(
    rank: usize,
    call: CollectiveCall<'_>,
    collective: &PendingCollective,
    contributions: &[Contribution],
) -> Option<Diagnostic> {
    let members = call.group.members();
    let mut others =
        collective.contributions.iter().zip(members.iter()).filter_map(|(b, &member)| Some((b.as_ref()?, member)));
    if collective.name != call.name {
        let there: Vec<usize> = others.map(|(_, member)| member).collect();
        let fault = Diagnostic::new(Code::R005, format!("device {rank} did not arrive at `{}`", collective.name))
            .note(format!("{} there", format_waiting(&there)))
            .note(format!("device {rank} is at `{}` with the same devices", call.name));
        return Some(fault);
    }
    let sizes = |contributions: &[Contribution]| contributions.iter().map(|b| b.bytes).collect::<Vec<_>>();
    let mine = sizes(contributions);
    let expected_sizes = |position: usize| call.execs.iter().map(|e| e.operand_bytes(position)).collect::<Vec<_>>();
    let wanted = expected_sizes(call.group.position());
    let title = if mine != wanted {
        format!("device {rank} has operands of {}, expected {}", format_byte_counts(&mine), format_byte_counts(&wanted))
    } else {
        let differs =
            |(theirs, peer): &(&Vec<Contribution>, usize)| sizes(theirs) != expected_sizes(position(members, *peer));
        let (theirs, peer) = others.find(differs)?;
        format!(
            "device {rank} has operands of {}, but device {peer} of {}",
            format_byte_counts(&mine),
            format_byte_counts(&sizes(theirs))
        )
    };
    Some(Diagnostic::new(Code::R004, format!("`{}`: {title}", call.name)))
}

/// Formats numbers of bytes, such as `12 bytes` or `12 and 40 bytes`.
fn format_byte_counts(bytes: &[usize]) -> String {
    let list: Vec<String> = bytes.iter().map(usize::to_string).collect();
    format!("{} bytes", list.join(" and "))
}

fn position(members: &[usize], rank: usize) -> usize {
    members.iter().position(|&m| m == rank).unwrap_or(0)
}

/// Formats devices, such as `device 3` or `devices 0, 1`, with the number of those not listed.
fn format_devices(ranks: &[usize]) -> String {
    const SHOWN: usize = 8;
    let list: Vec<String> = ranks.iter().take(SHOWN).map(|r| r.to_string()).collect();
    let more = if ranks.len() > SHOWN { format!(" and {} more", ranks.len() - SHOWN) } else { String::new() };
    format!("device{} {}{more}", if ranks.len() == 1 { "" } else { "s" }, list.join(", "))
}

/// Formats waiting devices, such as `device 3 waits` or `devices 0, 1 wait`.
fn format_waiting(ranks: &[usize]) -> String {
    format!("{} {}", format_devices(ranks), if ranks.len() == 1 { "waits" } else { "wait" })
}
