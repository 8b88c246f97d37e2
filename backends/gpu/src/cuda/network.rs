//! Ranks on separate GPUs, which communicate over NCCL. In one process, rank i runs on GPU i; each of several processes
//! has its share of the GPUs of its host.

use super::Cuda;
use crate::collective::calls::{Call, ElementType, ReduceOp};
use crate::collective::{Network, RankCall};
use crate::device::{Device, DevicePtr, Queue};
use crate::executor::Executable;
use crate::executor::deadline::deadline;
use crate::module::Module;
use crate::nccl::assignment::{HostRanks, check_distinct, gpus_of_process};
use crate::nccl::functions::{CommunicationDevice, StreamAddress};
use crate::nccl::process_network::{ProcessNetwork, agree_on_module};
use crate::nccl::{CommunicatorGroup, Nccl};
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::group::Group;
use partita_runtime::shared::DeviceProcesses;
use std::ops::Range;
use std::sync::Arc;

/// Communicators of all groups of a module.
pub struct Communicators {
    nccl: Arc<Nccl>,
    groups: Vec<(Arc<[usize]>, CommunicatorGroup)>,
}

impl Communicators {
    /// Opens a communicator for each group of ranks of a module's collectives and transfers.
    ///
    /// # Errors
    /// `R004` if NCCL is missing, or cannot connect the GPUs.
    pub fn for_module(module: &Module) -> Result<Communicators, Diagnostic> {
        let nccl = Arc::new(Nccl::open()?);
        let mut groups: Vec<(Arc<[usize]>, CommunicatorGroup)> = Vec::new();
        for members in
            module.code.iter().flat_map(|code| &code.sites).flat_map(|site| site.groups.iter().map(Group::members))
        {
            if !groups.iter().any(|(ranks, _)| ranks == members) {
                groups.push((members.clone(), CommunicatorGroup::new(nccl.clone(), members)?));
            }
        }
        Ok(Communicators { nccl, groups })
    }
}

/// Loads a module on as many GPUs as its stages have devices.
///
/// # Errors
/// The errors of [`Communicators::for_module`], [`Cuda::open`] and [`Executable::load_distributed`].
pub fn load_distributed(module: Arc<Module>) -> Result<Executable<Cuda>, Diagnostic> {
    let devices = (0..module.program.device_count()).map(Cuda::open_with_peer_access).collect::<Result<Vec<_>, _>>()?;
    let communicators = Communicators::for_module(&module)?;
    Executable::load_distributed(module, devices, Box::new(communicators))
}

/// Returns the CUDA device numbers of the ranks of this process, which sees the given number of GPUs.
///
/// # Errors
/// The errors of [`gpus_of_process`].
pub fn own_gpus(processes: &DeviceProcesses, gpus: usize) -> Result<Range<usize>, Diagnostic> {
    let own = processes.processes().index();
    let ranks_on_host = |of: Range<usize>| {
        let here = of.filter(|&process| processes.processes().is_on_this_host(process));
        here.map(|process| processes.devices_of(process).len()).sum()
    };
    let (before, all) = (ranks_on_host(0..own), ranks_on_host(0..processes.processes().count()));
    gpus_of_process(HostRanks { before, own: processes.local().len(), all }, gpus)
}

/// Loads the ranks of one of several processes on its GPUs. All processes call the function.
///
/// # Errors
/// The errors of [`Cuda::open`], [`ProcessNetwork::connect`] and [`Executable::load_on_process`]; `A003` if two ranks
/// have the same GPU.
pub fn load_on_process(
    module: Arc<Module>,
    processes: DeviceProcesses,
    gpus: Range<usize>,
) -> Result<Executable<Cuda>, Diagnostic> {
    let functions = Nccl::open()?.for_processes()?;
    let devices = gpus.map(Cuda::open_with_peer_access).collect::<Result<Vec<_>, _>>()?;
    let ids = devices.iter().map(Cuda::id).collect::<Result<Vec<_>, _>>()?;
    let all = processes.processes().all_gather(&ids.concat())?;
    check_distinct(&all.iter().map(|bytes| bytes.as_chunks::<16>().0.to_vec()).collect::<Vec<_>>())?;
    agree_on_module(processes.processes(), &module)?;
    let network = ProcessNetwork::connect(functions, &processes, &module, &devices, deadline()?)?;
    Executable::load_on_process(module, devices, Box::new(network), processes)
}

impl CommunicationDevice for Cuda {
    fn make_current(&self) -> Result<(), Diagnostic> {
        self.bind()
    }

    fn communication_stream(&self) -> StreamAddress {
        self.communication.cu_stream().addr()
    }
}

impl Network<Cuda> for Communicators {
    fn check(&self) -> Result<(), Diagnostic> {
        self.groups.iter().try_for_each(|(_, group)| group.check())
    }

    fn abort(&self) {
        self.groups.iter().for_each(|(_, group)| group.abort());
    }

    fn issue(&self, devices: &[&Cuda], rank_calls: &[RankCall<'_>]) -> Result<(), Diagnostic> {
        self.nccl.group(|| {
            for &RankCall { members, position, request, element, combine } in rank_calls {
                let group = self.groups.iter().find(|(ranks, _)| **ranks == *members);
                let none = || Diagnostic::new(Code::R004, "a group of GPUs has no communicator");
                let (_, group) = group.ok_or_else(none)?;
                let stream = devices[members[position]].communication.cu_stream().cast();
                let (call, addresses) = ((request.call, request.count), (request.from, request.to));
                // SAFETY: the addresses are in the ranks' memory, which lives until the collective is awaited.
                unsafe { group.call(position, call, (element, combine), addresses, stream)? };
            }
            Ok(())
        })
    }
}

/// Runs every NCCL call on a group of one GPU. Returns the names of the calls, and true for those that preserved the
/// data.
///
/// # Errors
/// `R004` if NCCL is missing or fails.
pub fn self_test(device: &Cuda) -> Result<Vec<(&'static str, bool)>, Diagnostic> {
    const WORDS: usize = 1 << 20;
    let nccl = Arc::new(Nccl::open()?);
    let group = CommunicatorGroup::new(nccl.clone(), &[0])?;
    let input: Vec<u32> = (0..WORDS as u32).map(|i| (i as f32).to_bits()).collect();
    let calls = [
        ("all_reduce", vec![Call::AllReduce]),
        ("all_gather", vec![Call::AllGather]),
        ("reduce_scatter", vec![Call::ReduceScatter]),
        ("broadcast", vec![Call::Broadcast { root: 0 }]),
        ("reduce", vec![Call::Reduce { root: 0 }]),
        ("send and receive", vec![Call::Send { to: 0 }, Call::Receive { from: 0 }]),
    ];
    let mut results = Vec::new();
    for (name, calls) in calls {
        let [from, to] = [device.allocate(WORDS * 4)?, device.allocate(WORDS * 4)?].map(DevicePtr::new);
        device.upload(&from, &input)?;
        let addresses = (device.device_address(&from, WORDS * 4)?, device.device_address(&to, WORDS * 4)?);
        let ready = device.record_event(Queue::Compute)?;
        device.wait_event(Queue::Communication, &ready)?;
        nccl.group(|| {
            calls.iter().try_for_each(|&call| {
                let (kind, stream) = ((ElementType::F32, ReduceOp::Sum), device.communication.cu_stream().cast());
                // SAFETY: this many words follow both addresses, and the memory lives until it is read below.
                unsafe { group.call(0, (call, WORDS), kind, addresses, stream) }
            })
        })?;
        device.wait_event(Queue::Compute, &device.record_event(Queue::Communication)?)?;
        results.push((name, device.download(&[(to, WORDS)])?[0] == input));
    }
    Ok(results)
}
