//! Execution of collectives and transfers: over the network between separate GPUs, on the device that all ranks share,
//! or in host memory.

use super::Executable;
use super::session::Session;
use super::tasks::Invocation;
use crate::collective::calls::{BufferOffset, CallPlan, ElementType, Request};
use crate::collective::{CollectiveParams, Network, RankCall, kernel_row_transfers};
use crate::device::{Device, DevicePtr, Queue};
use crate::module::{ALIGN, Launch};
use crate::target::Target;
use crate::words;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::tensor::Tensor;
use partita_runtime::code::{Address, CommunicationSite, Task};
use partita_runtime::collective_exec::CollectiveExec;
use partita_runtime::collective_exec::row_transfers::MemberBuffer::{Operand, Result as ResultOf};
use partita_runtime::collective_exec::row_transfers::RowTransfer;
use std::sync::Arc;

/// Pending collectives and transfers of a stage: the index of the communication site, and on each device of the stage
/// an event at the end of the operation.
pub(super) struct PendingOps<D: Device>(Vec<(usize, Vec<D::Event>)>);

impl<D: Device> PendingOps<D> {
    /// Adds an operation that was started at a site; `ends` are the events at its end.
    pub(super) fn add(&mut self, site: usize, ends: Vec<D::Event>) {
        self.0.push((site, ends));
    }
}

impl<D: Device> Default for PendingOps<D> {
    fn default() -> PendingOps<D> {
        PendingOps(Vec::new())
    }
}

/// Device pointers to an operand and to its result, for each rank; `None` for ranks that do not send or do not receive,
/// and for those of other processes.
type OperandResultPtrs<M> = (Vec<Option<DevicePtr<M>>>, Vec<Option<DevicePtr<M>>>);

/// One stage's side of a transfer, which the stage has started.
pub(super) struct TransferSide<D: Device> {
    pub(super) stage: usize,
    /// Index of the transfer's site in the code of the stage.
    pub(super) site_index: usize,
    /// Name of the transfer in messages.
    pub(super) name: String,
    /// True if the stage sends the value.
    is_sender: bool,
    /// Device pointers to the sent value and to the received value, for each device of the stage in this process;
    /// `None` if the stage does not send or does not receive.
    reads: Vec<Option<DevicePtr<D::Memory>>>,
    writes: Vec<Option<DevicePtr<D::Memory>>>,
    /// Event at the end of the work launched before the transfer, for each device of the stage in this process.
    ready: Vec<D::Event>,
}

impl<D: Device> Session<'_, D> {
    /// Starts a collective, which waits for work launched before. Work launched afterwards does not wait for it.
    pub(super) fn start(
        &self,
        task: &Task<Launch>,
        site_index: usize,
        call: &Invocation<D::Memory>,
        pending: &mut PendingOps<D>,
    ) -> Result<(), Diagnostic> {
        let pairs = task.reads.iter().zip(&task.writes).map(|(&read, &write)| {
            let ranks = self.executable.module.program.device_count();
            let (mut reads, mut writes) = (vec![None; ranks], vec![None; ranks]);
            for position in 0..call.ports.len() {
                let rank = self.rank(call.stage, position);
                reads[rank] = Some(self.resolve(position, read, call)?);
                writes[rank] = Some(self.resolve(position, write, call)?);
            }
            Ok((reads, writes))
        });
        let pairs: Vec<OperandResultPtrs<D::Memory>> = pairs.collect::<Result<_, Diagnostic>>()?;
        for device in self.executable.devices_of(call.stage) {
            let ready = device.record_event(Queue::Compute)?;
            device.wait_event(Queue::Communication, &ready)?;
        }
        let started = self.execute_site(call.stage, site_index, pairs);
        // A collective that failed halfway must be awaited, too.
        pending.add(site_index, self.communication_ends(call.stage)?);
        started
    }

    /// Records an event at the current end of the communication queue of each device of a stage.
    pub(super) fn communication_ends(&self, stage: usize) -> Result<Vec<D::Event>, Diagnostic> {
        self.executable.devices_of(stage).map(|device| device.record_event(Queue::Communication)).collect()
    }

    /// Executes the collective or transfer of a site, with device pointers for each operand.
    fn execute_site(
        &self,
        stage: usize,
        site_index: usize,
        pairs: Vec<OperandResultPtrs<D::Memory>>,
    ) -> Result<(), Diagnostic> {
        let Executable { module, plans, network, .. } = self.executable;
        let site = &module.code[stage].sites[site_index];
        match (network, &plans[stage][site_index]) {
            (Some(network), Some(plans)) => self.execute_over_network(&**network, site, plans, &pairs),
            _ => site.execs.iter().zip(pairs).try_for_each(|(exec, (reads, writes))| {
                if self.execute_on_device(site, exec, &reads, &writes)? {
                    return Ok(());
                }
                self.execute_on_host(site, exec, reads, &writes)
            }),
        }
    }

    /// Records one stage's side of a transfer, with events at the end of the work launched before.
    pub(super) fn transfer_side(
        &self,
        site_index: usize,
        task: &Task<Launch>,
        call: &Invocation<D::Memory>,
    ) -> Result<TransferSide<D>, Diagnostic> {
        let devices = 0..call.ports.len();
        let resolve = |addresses: &[Address]| -> Result<Vec<Option<DevicePtr<D::Memory>>>, Diagnostic> {
            let first = addresses.first();
            devices.clone().map(|position| first.map(|&at| self.resolve(position, at, call)).transpose()).collect()
        };
        let events = self.executable.devices_of(call.stage).map(|device| device.record_event(Queue::Compute));
        Ok(TransferSide {
            stage: call.stage,
            site_index,
            name: self.executable.module.code[call.stage].sites[site_index].name.clone(),
            is_sender: !task.reads.is_empty(),
            reads: resolve(&task.reads)?,
            writes: resolve(&task.writes)?,
            ready: events.collect::<Result<_, _>>()?,
        })
    }

    /// Starts a transfer between the given sides, which waits for work launched before by their stages.
    pub(super) fn start_transfer(&self, all: &[TransferSide<D>]) -> Result<(), Diagnostic> {
        let ranks = self.executable.module.program.device_count();
        let (mut reads, mut writes) = (vec![None; ranks], vec![None; ranks]);
        for side in all {
            for (position, (read, write)) in side.reads.iter().zip(&side.writes).enumerate() {
                let rank = self.rank(side.stage, position);
                (reads[rank], writes[rank]) = (read.clone(), write.clone());
            }
            for (device, ready) in self.executable.devices_of(side.stage).zip(&side.ready) {
                device.wait_event(Queue::Communication, ready)?;
            }
        }
        // Only the sender's site contains the group entry of position 0, by which `groups` finds the group.
        match all.iter().find(|side| side.is_sender) {
            Some(TransferSide { stage, site_index, .. }) => {
                self.execute_site(*stage, *site_index, vec![(reads, writes)])
            }
            None => Ok(()),
        }
    }

    /// Makes work that a stage launches from now on wait for the collective or transfer of a site. Has no effect if the
    /// operation is not pending.
    pub(super) fn wait(&self, stage: usize, site_index: usize, pending: &mut PendingOps<D>) -> Result<(), Diagnostic> {
        let Some(at) = pending.0.iter().position(|(site, _)| *site == site_index) else { return Ok(()) };
        let (_, ends) = pending.0.remove(at);
        self.executable
            .devices_of(stage)
            .zip(&ends)
            .try_for_each(|(device, end)| device.wait_event(Queue::Compute, end))
    }

    /// Makes work that a stage launches from now on wait for all pending operations.
    pub(super) fn wait_for_all(&self, stage: usize, pending: &mut PendingOps<D>) -> Result<(), Diagnostic> {
        let mut ended = Ok(());
        while let Some((site_index, _)) = pending.0.first() {
            ended = ended.and(self.wait(stage, *site_index, pending));
        }
        ended
    }

    /// Executes the operands of a site by network calls between ranks on separate devices: packs strided rows, issues
    /// the calls, and unpacks the results.
    fn execute_over_network(
        &self,
        network: &dyn Network<D>,
        site: &CommunicationSite,
        plans: &[CallPlan],
        pairs: &[OperandResultPtrs<D::Memory>],
    ) -> Result<(), Diagnostic> {
        let devices: Vec<&D> = self.executable.devices().collect();
        let local = &self.executable.local;
        let address = |rank: usize, ptr: Option<&DevicePtr<D::Memory>>| {
            // Ranks that send or receive nothing have no pointer; their calls ignore the address.
            let Some(ptr) = ptr else { return Ok(0) };
            let device = &self.executable.context(rank).device;
            let none = || Diagnostic::new(ErrorCode::R004, format!("{} has no device addresses", device.name()));
            device.address(ptr).ok_or_else(none)
        };
        let (mut rank_calls, mut unpacking, mut offset) = (Vec::new(), Vec::new(), 0);
        for ((exec, plan), (reads, writes)) in site.execs.iter().zip(plans).zip(pairs) {
            let mut buffers = Vec::with_capacity(devices.len());
            for rank in local.clone() {
                let (read, write) = (&reads[rank], &writes[rank]);
                let staged = self.memory(rank).staged.clone().map(|memory| DevicePtr { memory, offset });
                let (operand, result) = (address(rank, read.as_ref())?, address(rank, write.as_ref())?);
                buffers.push(RankBuffers { operand, result, staged: address(rank, staged.as_ref())? });
            }
            let buffers: Arc<[RankBuffers]> = buffers.into();
            offset += staging_bytes(plan);
            for members in groups(site).filter(|members| members.iter().any(|rank| local.contains(rank))) {
                self.launch_row_transfers(exec, &plan.local, members, |rank| {
                    (buffers[rank - local.start].operand, buffers[rank - local.start].result)
                })?;
                self.launch_row_transfers(exec, &plan.pack, members, |rank| {
                    (buffers[rank - local.start].operand, buffers[rank - local.start].staged)
                })?;
                let calls = plan.requests.iter().zip(members).enumerate();
                for (position, (requests, &rank)) in calls.filter(|(_, (_, rank))| local.contains(rank)) {
                    let at = |offset| buffers[rank - local.start].address(offset, plan.element);
                    rank_calls.extend(requests.iter().map(|&Request { call, count, from, to }| RankCall {
                        members,
                        position,
                        request: Request { call, count, from: at(from), to: at(to) },
                        element: plan.element,
                        combine: plan.combine,
                    }));
                }
                unpacking.push((exec, plan, members, buffers.clone()));
            }
        }
        network.issue(&devices, &rank_calls)?;
        unpacking.into_iter().try_for_each(|(exec, plan, members, buffers)| {
            self.launch_row_transfers(exec, &plan.unpack, members, |rank| {
                (buffers[rank - local.start].staged, buffers[rank - local.start].result)
            })
        })
    }

    /// Executes a collective or transfer of one operand by the collective kernel, on the device that all ranks share.
    /// Returns false if there are several devices, or the device or the kernel does not support the operation.
    fn execute_on_device(
        &self,
        site: &CommunicationSite,
        exec: &CollectiveExec,
        reads: &[Option<DevicePtr<D::Memory>>],
        writes: &[Option<DevicePtr<D::Memory>>],
    ) -> Result<bool, Diagnostic> {
        let (None, [context]) = (&self.executable.network, &self.executable.contexts[..]) else { return Ok(false) };
        let Some(row_transfers) = kernel_row_transfers(exec) else { return Ok(false) };
        let address = |ptr: &Option<DevicePtr<D::Memory>>| match ptr {
            Some(ptr) => context.device.address(ptr),
            None => Some(0),
        };
        let addresses = reads.iter().zip(writes).map(|(from, to)| Some((address(from)?, address(to)?)));
        let Some(addresses) = addresses.collect::<Option<Vec<_>>>() else { return Ok(false) };
        groups(site)
            .try_for_each(|members| self.launch_row_transfers(exec, &row_transfers, members, |rank| addresses[rank]))?;
        Ok(true)
    }

    /// Launches the collective kernel for the row transfers of a group, each on the device of its first target; `ends`
    /// returns the source and target addresses of a rank of this process. Row transfers of other processes are skipped.
    fn launch_row_transfers(
        &self,
        exec: &CollectiveExec,
        row_transfers: &[RowTransfer],
        members: &[usize],
        ends: impl Fn(usize) -> (u64, u64),
    ) -> Result<(), Diagnostic> {
        let local = &self.executable.local;
        let ends = |&rank: &usize| if local.contains(&rank) { ends(rank) } else { (0, 0) };
        let ends: Vec<(u64, u64)> = members.iter().map(ends).collect();
        row_transfers.iter().try_for_each(|row_transfer| {
            let Some(&(Operand(member) | ResultOf(member))) = row_transfer.to.first() else { return Ok(()) };
            if !local.contains(&members[member]) {
                return Ok(());
            }
            self.executable.context(members[member]).device.launch_collective(&CollectiveParams::new(
                exec,
                row_transfer,
                &ends,
            )?)
        })
    }

    /// Executes a collective or transfer of one operand in host memory: downloads operands, computes, and uploads
    /// results.
    fn execute_on_host(
        &self,
        site: &CommunicationSite,
        exec: &CollectiveExec,
        reads: Vec<Option<DevicePtr<D::Memory>>>,
        writes: &[Option<DevicePtr<D::Memory>>],
    ) -> Result<(), Diagnostic> {
        let target = self.executable.module.target;
        let (from, to) = (exec.operand(), exec.result());
        let present = reads.into_iter().enumerate().filter_map(|(rank, ptr)| Some((rank, ptr?)));
        let (ranks, ptrs): (Vec<usize>, Vec<DevicePtr<D::Memory>>) = present.unzip();
        let brought = self.executable.download(ptrs, target.words(from), |at| ranks[at])?;
        let mut operands: Vec<Vec<u32>> = vec![vec![0; target.words(from)]; writes.len()];
        for (rank, words) in self.executable.of_all_processes(ranks, brought)? {
            operands[rank] = words;
        }
        for members in groups(site) {
            let operands: Vec<&[u32]> = members.iter().map(|&member| &operands[member][..]).collect();
            let results = collective_on_host(exec, &operands, (from, to), target)?;
            for (&member, words) in members.iter().zip(results) {
                // Other ranks receive nothing, or belong to other processes.
                let Some(ptr) = &writes[member] else { continue };
                self.executable.context(member).device.upload(ptr, &words)?;
            }
        }
        Ok(())
    }
}

impl<D: Device> Executable<D> {
    /// Returns the words of some ranks of each process, given those of this process. All processes call the function at
    /// the same site, also those without a rank there.
    fn of_all_processes(&self, ranks: Vec<usize>, words: Vec<Vec<u32>>) -> Result<Vec<(usize, Vec<u32>)>, Diagnostic> {
        let own = ranks.into_iter().zip(words);
        let Some(processes) = &self.processes else { return Ok(own.collect()) };
        let message = |(rank, words): (usize, Vec<u32>)| [vec![rank as u32, words.len() as u32], words].concat();
        let sent: Vec<u32> = own.flat_map(message).collect();
        let mut all = Vec::new();
        for bytes in processes.processes().all_gather(bytemuck::cast_slice(&sent))? {
            let received = bytemuck::pod_collect_to_vec::<u8, u32>(&bytes);
            let mut unread = &received[..];
            while let [rank, count, rest @ ..] = unread {
                let incomplete = || Diagnostic::new(ErrorCode::R005, format!("rank {rank} sent an incomplete operand"));
                let (words, rest) = rest.split_at_checked(*count as usize).ok_or_else(incomplete)?;
                all.push((*rank as usize, words.to_vec()));
                unread = rest;
            }
        }
        Ok(all)
    }

    /// Downloads `words` words at each pointer; `rank_of` returns the rank whose device contains the pointer of an
    /// index.
    pub(super) fn download(
        &self,
        ptrs: Vec<DevicePtr<D::Memory>>,
        words: usize,
        rank_of: impl Fn(usize) -> usize,
    ) -> Result<Vec<Vec<u32>>, Diagnostic> {
        if let (None, [context]) = (&self.network, &self.contexts[..]) {
            let ptrs: Vec<_> = ptrs.into_iter().map(|ptr| (ptr, words)).collect();
            return context.device.download(&ptrs);
        }
        let one = |(index, ptr)| Ok(self.context(rank_of(index)).device.download(&[(ptr, words)])?.swap_remove(0));
        ptrs.into_iter().enumerate().map(one).collect()
    }
}

/// Device addresses of a rank's operand, result and staging buffer; 0 for absent ones.
struct RankBuffers {
    operand: u64,
    result: u64,
    staged: u64,
}

impl RankBuffers {
    /// Returns the device address of an element.
    fn address(&self, offset: BufferOffset, element: ElementType) -> u64 {
        let (base, at) = match offset {
            BufferOffset::Operand(at) => (self.operand, at),
            BufferOffset::Result(at) => (self.result, at),
            BufferOffset::Staged(at) => (self.staged, at),
        };
        base + (at * width(element)) as u64
    }
}

/// Returns each group of a site once, as ranks in the order of their positions.
fn groups(site: &CommunicationSite) -> impl Iterator<Item = &[usize]> {
    site.groups.iter().filter(|group| group.position() == 0).map(|group| &group.members()[..])
}

/// Returns the size of an element in device memory, in bytes.
fn width(element: ElementType) -> usize {
    match element {
        ElementType::F32 | ElementType::I32 | ElementType::U32 => 4,
        ElementType::F16 | ElementType::Bf16 => 2,
    }
}

/// Returns the size of a plan's staging buffer on each rank, in bytes.
pub(super) fn staging_bytes(plan: &CallPlan) -> usize {
    (plan.staging_len * width(plan.element)).next_multiple_of(ALIGN)
}

/// Computes a collective or transfer on the host; operands and results are 32-bit words of device buffers. Returns the
/// result of each member.
fn collective_on_host(
    exec: &CollectiveExec,
    operands: &[&[u32]],
    (from, to): (&Type, &Type),
    target: Target,
) -> Result<Vec<Vec<u32>>, Diagnostic> {
    let zeroed = |bytes: u64| vec![0u64; bytes.div_ceil(8) as usize];
    let operand = |words: &&[u32]| {
        let mut buffer = zeroed(from.bytes());
        let bytes = words::to_tensor(from, target, words).to_bytes();
        bytemuck::cast_slice_mut::<u64, u8>(&mut buffer)[..bytes.len()].copy_from_slice(&bytes);
        buffer
    };
    let operands: Vec<Vec<u64>> = operands.iter().map(operand).collect();
    let mut results: Vec<Vec<u64>> = operands.iter().map(|_| zeroed(to.bytes())).collect();
    let inputs: Vec<&[u64]> = operands.iter().map(Vec::as_slice).collect();
    let mut outputs: Vec<&mut [u64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    exec.run(&inputs, &mut outputs, 1)?;
    let to_words = |result: &Vec<u64>| {
        let bytes = &bytemuck::cast_slice::<u64, u8>(result)[..to.bytes() as usize];
        words::from_tensor(&Tensor::from_bytes(to.clone(), bytes), target, "the result of a collective")
    };
    results.iter().map(to_words).collect()
}
