//! Ranks on separate GPUs, which communicate over NCCL. Rank i runs on GPU i.

use super::Cuda;
use crate::collective::calls::{Call, ElementType, ReduceOp};
use crate::collective::{Network, RankCall};
use crate::device::{Device, DevicePtr, Queue};
use crate::executor::Executable;
use crate::module::Module;
use crate::nccl::{CommunicatorGroup, Nccl};
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::group::Group;
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
