#![allow(unsafe_code)]
//! Choice between Partita's own collectives and those of the transport, by measured cost.
//!
//! Before the first run of an executable, the processes execute each distinct collective with both on memory of their
//! own. The time of a repetition is that of the slowest process, which all processes exchange, so that all choose the
//! same.

use super::device_processes::DeviceProcesses;
use crate::code::CommunicationSite;
use crate::collective_exec::native::{NativeCollective, NativeLayout};
use crate::collective_exec::remote::RemoteCollective;
use crate::collective_exec::{CollectiveExec, MemberBuffers};
use crate::group::Group;
use crate::memory::Buffer;
use crate::processes::native::{CollectiveChoice, NativeGroup, NativeOp};
use crate::processes::{FailureSink, PacketKey};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Limits of the measurement before a run. Its duration is not that of a step, and should not be noticed.
struct MeasurementLimits {
    /// Seconds after which no further repetition starts.
    seconds: f64,
    /// Repetitions after the first, which does not count unless it is the only one.
    repetitions: usize,
    /// Largest operand or result of a measured collective, in bytes, between processes of one host. A larger
    /// `all_reduce` is measured with fewer elements, since its time is proportional to them.
    local_bytes: usize,
    /// The same between hosts: an `all_reduce` of 8 MiB takes 0.1 s at 1 Gbit/s.
    remote_bytes: usize,
}

const LIMITS: MeasurementLimits =
    MeasurementLimits { seconds: 0.6, repetitions: 3, local_bytes: 16 << 20, remote_bytes: 8 << 20 };

/// Bytes of operands in measurements: ones in `f32`, and normal numbers in other types of floats.
const WORD: [u8; 4] = 1f32.to_ne_bytes();

/// Collective of the transport for one operand of a collective.
#[derive(Clone)]
pub(crate) struct NativeChoice {
    pub(crate) layout: Arc<NativeLayout>,
    /// `None` in processes outside of the group.
    group: Option<Arc<NativeGroup>>,
}

/// Collective of the transport, its group, and the turn of a call.
pub(crate) type ReservedTurn = (Arc<NativeLayout>, Arc<NativeGroup>, u64);

impl NativeChoice {
    /// Reserves the turn of a call by this process.
    pub(crate) fn reserve(&self) -> Option<ReservedTurn> {
        let group = self.group.clone()?;
        let turn = group.reserve();
        Some((self.layout.clone(), group, turn))
    }
}

/// Address of the execution plans of a collective, the index of an operand, and the members.
type ChoiceKey = (usize, usize, Arc<[usize]>);

/// Collectives for which the transport is used, each with the execution plans that the address in its key belongs to.
pub(crate) type Selection = FxHashMap<ChoiceKey, (Arc<[CollectiveExec]>, NativeChoice)>;

/// Operand of a collective of all groups of a site that the transport supports.
struct Candidate {
    execs: Arc<[CollectiveExec]>,
    operand: usize,
    /// A group of the site.
    group: Group,
    groups: Vec<(Arc<[usize]>, NativeChoice)>,
}

impl Candidate {
    fn exec(&self) -> &CollectiveExec {
        &self.execs[self.operand]
    }

    /// Returns the description of the collective.
    fn choice(&self) -> Option<CollectiveChoice> {
        let (_, NativeChoice { layout, .. }) = self.groups.first()?;
        Some(CollectiveChoice {
            collective: layout.op.name(),
            monoid: layout.monoid(),
            dtype: self.exec().operand().dtype,
            bytes: self.exec().operand().bytes(),
            groups: self.groups.iter().map(|(members, _)| members.clone()).collect(),
            ranks: layout.processes.len(),
            seconds: None,
        })
    }

    /// Returns the larger of operand and result, in bytes.
    fn bytes(&self) -> usize {
        self.exec().operand().bytes().max(self.exec().result().bytes()) as usize
    }

    /// Returns the candidate with at most `bytes` bytes; `None` if a smaller collective says nothing about this one.
    fn limited_to(self, bytes: usize) -> Option<Candidate> {
        if self.bytes() <= bytes {
            return Some(self);
        }
        let (_, NativeChoice { layout, .. }) = self.groups.first()?;
        let NativeOp::AllReduce(monoid, dtype) = layout.op else { return None };
        let ty = Type::new(dtype, [bytes / dtype.bytes() as usize]);
        let exec = CollectiveExec::all_reduce(monoid, &ty, &self.group).ok()?;
        let layout = |choice: &NativeChoice| {
            let part_bytes = exec.operand().bytes() as usize;
            NativeChoice { layout: Arc::new(choice.layout.with_part_bytes(part_bytes)), group: choice.group.clone() }
        };
        let groups = self.groups.iter().map(|(members, choice)| (members.clone(), layout(choice))).collect();
        Some(Candidate { execs: Arc::new([exec]), operand: 0, groups, ..self })
    }
}

impl DeviceProcesses {
    /// Chooses the collectives of programs, given by their sites, that the transport executes.
    ///
    /// # Errors
    /// `R005` when a process fails.
    pub(crate) fn select_collectives<'s>(
        &self,
        programs: impl Iterator<Item = &'s [CommunicationSite]>,
    ) -> Result<(), Diagnostic> {
        let processes = self.processes();
        if self.selection.get().is_some() || processes.native_collectives().is_none() {
            return Ok(());
        }
        let mut selection = Selection::default();
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut seen: Vec<*const CommunicationSite> = Vec::new();
        for sites in programs {
            if seen.contains(&sites.as_ptr()) {
                continue;
            }
            seen.push(sites.as_ptr());
            for site in sites {
                candidates.extend((0..site.execs.len()).map(|operand| self.candidate(site, operand)));
            }
        }
        // The order is the same in all processes. If the time does not suffice, small collectives are not measured.
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.bytes()));
        let mut measurement = Measurement::new(self);
        for candidate in candidates {
            let Some(mut choice) = candidate.choice() else { continue };
            let (execs, operand, groups) = (candidate.execs.clone(), candidate.operand, candidate.groups.clone());
            if processes.choice_like(&choice).is_none() {
                let is_supported = groups.iter().all(|(_, native)| self.is_supported(native));
                let measured = if is_supported { candidate.limited_to(measurement.max_bytes) } else { None };
                choice.seconds = measured.map_or(Ok(None), |candidate| measurement.seconds(&candidate))?;
                processes.add_choice(choice.clone());
            }
            if processes.choice_like(&choice).is_some_and(|choice| choice.is_native()) {
                for (members, native) in groups {
                    selection.insert((execs.as_ptr().addr(), operand, members), (execs.clone(), native));
                }
            }
        }
        measurement.end();
        let _ = self.selection.set(selection);
        Ok(())
    }

    /// Returns the collective of the transport, if it is chosen for an operand of a collective.
    pub(crate) fn native_choice(
        &self,
        execs: &Arc<[CollectiveExec]>,
        operand: usize,
        members: &Arc<[usize]>,
    ) -> Option<&NativeChoice> {
        let selection = self.selection.get().filter(|selection| !selection.is_empty())?;
        selection.get(&(execs.as_ptr().addr(), operand, members.clone())).map(|(_, choice)| choice)
    }

    fn is_supported(&self, native: &NativeChoice) -> bool {
        let NativeLayout { op, part_bytes, .. } = *native.layout;
        self.processes().native_collectives().is_some_and(|collectives| collectives.supports(op, part_bytes))
    }

    /// Returns the groups of a site for which the transport may have a collective.
    fn candidate(&self, site: &CommunicationSite, operand: usize) -> Candidate {
        let mut groups: Vec<(Arc<[usize]>, NativeChoice)> = Vec::new();
        for group in site.groups.iter() {
            let members = group.members();
            if groups.iter().any(|(known, _)| known == members) {
                continue;
            }
            let process_of: Vec<usize> = members.iter().map(|&member| self.process_of(member)).collect();
            let Some(layout) = NativeLayout::new(&site.execs[operand], &process_of) else { continue };
            if let Some(group) = self.processes().native_group(&layout.processes, members) {
                groups.push((members.clone(), NativeChoice { layout: Arc::new(layout), group }));
            }
        }
        Candidate { execs: site.execs.clone(), operand, group: site.groups[0].clone(), groups }
    }
}

/// Operand and result of a member in a measurement.
struct MeasuredBuffers {
    operand: Buffer,
    result: Buffer,
}

impl MeasuredBuffers {
    fn new(exec: &CollectiveExec) -> MeasuredBuffers {
        let [mut operand, mut result] = [exec.operand(), exec.result()].map(|ty| Buffer::zeroed(ty.bytes() as usize));
        for buffer in [&mut operand, &mut result] {
            buffer.as_mut_slice().as_chunks_mut().0.fill(WORD);
        }
        MeasuredBuffers { operand, result }
    }
}

/// Measurements of all processes, which execute the same ones.
struct Measurement<'d> {
    devices: &'d DeviceProcesses,
    waiter: Arc<Waiter>,
    run: u64,
    started: Instant,
    /// Seconds since the start, as agreed by all processes.
    spent: f64,
    number: u64,
    max_bytes: usize,
}

impl<'d> Measurement<'d> {
    fn new(devices: &'d DeviceProcesses) -> Measurement<'d> {
        let processes = devices.processes();
        let waiter = Arc::new(Waiter::default());
        let failures: Arc<dyn FailureSink> = waiter.clone();
        let run = processes.begin_run(Arc::downgrade(&failures));
        let is_local = (0..processes.count()).all(|process| processes.is_on_this_host(process));
        let max_bytes = if is_local { LIMITS.local_bytes } else { LIMITS.remote_bytes };
        Measurement { devices, waiter, run, started: Instant::now(), spent: 0.0, number: 0, max_bytes }
    }

    /// Ends the delivery of packets.
    fn end(self) {
        self.devices.processes().end_run();
    }

    /// Returns the median times of Partita's own collective and of the transport's. Returns `None` if no time is left.
    fn seconds(&mut self, candidate: &Candidate) -> Result<Option<[f64; 2]>, Diagnostic> {
        if self.spent > LIMITS.seconds {
            return Ok(None);
        }
        let local = |members: &Arc<[usize]>| {
            let is_local = |&&member: &&usize| self.devices.local().contains(&member);
            members.iter().filter(is_local).map(|_| MeasuredBuffers::new(candidate.exec())).collect()
        };
        let mut buffers: Vec<Vec<MeasuredBuffers>> =
            candidate.groups.iter().map(|(members, _)| local(members)).collect();
        let seconds = self.repeat(candidate, &mut buffers);
        if self.devices.processes().lends_memory() {
            // A process has failed, and a transport still accesses the buffers.
            std::mem::forget(buffers);
        }
        seconds.map(|seconds| Some(seconds.map(median_of_later)))
    }

    /// Returns the times of repetitions of both collectives, that of the slowest process each.
    fn repeat(
        &mut self,
        candidate: &Candidate,
        buffers: &mut [Vec<MeasuredBuffers>],
    ) -> Result<[Vec<f64>; 2], Diagnostic> {
        self.agree(0.0)?;
        let mut seconds: [Vec<f64>; 2] = Default::default();
        for repetition in 0..=LIMITS.repetitions {
            let before = self.spent;
            for (is_native, seconds) in [false, true].into_iter().zip(&mut seconds) {
                let own = self.execute(candidate, buffers, is_native)?;
                seconds.push(self.agree(own)?);
            }
            let last = self.spent - before;
            if repetition < LIMITS.repetitions && self.spent + last > LIMITS.seconds {
                break;
            }
        }
        Ok(seconds)
    }

    /// Returns the largest number of all processes, which wait for each other.
    fn agree(&mut self, seconds: f64) -> Result<f64, Diagnostic> {
        let own = [seconds, self.started.elapsed().as_secs_f64()];
        let all = self.devices.processes().all_gather(bytemuck::cast_slice(&own))?;
        let largest = |at: usize| {
            let numbers = all.iter().filter_map(|bytes| bytes.as_chunks::<8>().0.get(at));
            numbers.map(|number| f64::from_ne_bytes(*number)).fold(0.0, f64::max)
        };
        self.spent = largest(1);
        Ok(largest(0))
    }

    /// Executes the collective of all groups once. Returns the seconds of this process.
    fn execute(
        &mut self,
        candidate: &Candidate,
        buffers: &mut [Vec<MeasuredBuffers>],
        is_native: bool,
    ) -> Result<f64, Diagnostic> {
        let started = Instant::now();
        let processes = self.devices.processes();
        for (number, ((members, native), buffers)) in candidate.groups.iter().zip(buffers).enumerate() {
            self.number += 1;
            if buffers.is_empty() {
                continue;
            }
            let key = PacketKey { run: self.run, collective: self.number, name: number as u64 };
            let mut local = buffers.iter_mut();
            let member = |member: &usize| {
                let of_process = if self.devices.local().contains(member) { local.next() } else { None };
                of_process.map(|MeasuredBuffers { operand, result }| MemberBuffers {
                    input: operand.start(),
                    output: result.start(),
                })
            };
            let buffers = members.iter().map(member).collect();
            let execs = (candidate.execs.clone(), candidate.operand);
            self.waiter.lock().outstanding += 1;
            let waiter = self.waiter.clone();
            let complete = Box::new(move || waiter.finish());
            if !is_native {
                let distribution = self.devices.distribution(&candidate.execs, candidate.operand, members)?;
                // SAFETY: this function does not return before the collective is complete or closed.
                unsafe { RemoteCollective::start(processes, key, execs, distribution, buffers, complete) };
            } else if let Some(turn) = native.reserve() {
                // SAFETY: as above.
                unsafe { NativeCollective::start(processes, key, execs, turn, buffers, complete) };
            }
        }
        match self.waiter.wait() {
            Ok(()) => Ok(started.elapsed().as_secs_f64()),
            Err(why) => {
                processes.end_run();
                Err(why)
            }
        }
    }
}

/// Returns the median of all numbers but the first, or the only number.
fn median_of_later(mut seconds: Vec<f64>) -> f64 {
    if seconds.len() > 1 {
        seconds.remove(0);
    }
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or_default()
}

/// Collectives that a measurement waits for.
#[derive(Default)]
struct Waiter {
    state: Mutex<WaiterState>,
    changed: Condvar,
}

#[derive(Default)]
struct WaiterState {
    outstanding: usize,
    fault: Option<Diagnostic>,
}

impl Waiter {
    fn finish(&self) {
        self.lock().outstanding -= 1;
        self.changed.notify_all();
    }

    fn wait(&self) -> Result<(), Diagnostic> {
        let mut state = self.lock();
        loop {
            match &state.fault {
                Some(why) => return Err(why.clone()),
                None if state.outstanding == 0 => return Ok(()),
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, WaiterState> {
        // No code panics while the state is inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FailureSink for Waiter {
    fn fail_from_outside(&self, why: Diagnostic) {
        self.lock().fault.get_or_insert(why);
        self.changed.notify_all();
    }
}
