//! Ranks with a GPU each: rank 0 has GPU 0, and so on. They meet over NCCL.

use super::Cuda;
use crate::collective::calls::{Call, Combine, Element};
use crate::collective::{Issue, Network};
use crate::device::{Device, Place, Queue};
use crate::executor::Executable;
use crate::module::Module;
use crate::nccl::{Clique, Nccl};
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::group::Group;
use std::sync::Arc;

/// The GPUs of all groups of a module.
pub struct World {
    nccl: Arc<Nccl>,
    cliques: Vec<(Arc<[usize]>, Clique)>,
}

impl World {
    /// Opens a communicator for each group of ranks that meet in a module.
    ///
    /// # Errors
    /// `R004` without NCCL, and for GPUs that it cannot let meet.
    pub fn of(module: &Module) -> Result<World, Diagnostic> {
        let nccl = Arc::new(Nccl::open()?);
        let mut cliques: Vec<(Arc<[usize]>, Clique)> = Vec::new();
        for members in
            module.code.iter().flat_map(|code| &code.sites).flat_map(|site| site.groups.iter().map(Group::members))
        {
            if !cliques.iter().any(|(known, _)| known == members) {
                cliques.push((members.clone(), Clique::new(nccl.clone(), members)?));
            }
        }
        Ok(World { nccl, cliques })
    }
}

/// Puts a module on as many GPUs as its stages have devices.
///
/// # Errors
/// As [`World::of`], [`Cuda::open`] and [`Executable::apart`].
pub fn apart(module: Arc<Module>) -> Result<Executable<Cuda>, Diagnostic> {
    let devices = (0..module.program.device_count()).map(Cuda::among_others).collect::<Result<Vec<_>, _>>()?;
    let world = World::of(&module)?;
    Executable::apart(module, devices, Box::new(world))
}

impl Network<Cuda> for World {
    fn check(&self) -> Result<(), Diagnostic> {
        self.cliques.iter().try_for_each(|(_, clique)| clique.check())
    }

    fn abort(&self) {
        self.cliques.iter().for_each(|(_, clique)| clique.abort());
    }

    fn meet(&self, devices: &[&Cuda], issues: &[Issue<'_>]) -> Result<(), Diagnostic> {
        self.nccl.together(|| {
            for &Issue { members, position, request, element, combine } in issues {
                let clique = self.cliques.iter().find(|(known, _)| **known == *members);
                let none = || Diagnostic::new(Code::R004, "GPUs meet that were not introduced to each other");
                let (_, clique) = clique.ok_or_else(none)?;
                let stream = devices[members[position]].meeting.cu_stream().cast();
                let (call, places) = ((request.call, request.count), (request.from, request.to));
                // SAFETY: addresses are those of ranks' memory, which lives until the collective is awaited.
                unsafe { clique.call(position, call, (element, combine), places, stream)? };
            }
            Ok(())
        })
    }
}

/// Lets a GPU meet itself by every call of NCCL, and says which of them gave what it was given.
///
/// # Errors
/// `R004` without NCCL, and with what it says.
pub fn meet_alone(device: &Cuda) -> Result<Vec<(&'static str, bool)>, Diagnostic> {
    const WORDS: usize = 1 << 20;
    let nccl = Arc::new(Nccl::open()?);
    let clique = Clique::new(nccl.clone(), &[0])?;
    let given: Vec<u32> = (0..WORDS as u32).map(|i| (i as f32).to_bits()).collect();
    let calls = [
        ("all_reduce", vec![Call::AllReduce]),
        ("all_gather", vec![Call::AllGather]),
        ("reduce_scatter", vec![Call::ReduceScatter]),
        ("broadcast", vec![Call::Broadcast { root: 0 }]),
        ("reduce", vec![Call::Reduce { root: 0 }]),
        ("send and receive", vec![Call::Send { to: 0 }, Call::Receive { from: 0 }]),
    ];
    let mut seen = Vec::new();
    for (name, calls) in calls {
        let [from, to] = [device.memory(WORDS * 4)?, device.memory(WORDS * 4)?].map(Place::whole);
        device.upload(&from, &given)?;
        let places = (device.at(&from, WORDS * 4)?, device.at(&to, WORDS * 4)?);
        let ready = device.mark(Queue::Compute)?;
        device.follow(Queue::Meet, &ready)?;
        nccl.together(|| {
            calls.iter().try_for_each(|&call| {
                let (kind, stream) = ((Element::F32, Combine::Sum), device.meeting.cu_stream().cast());
                // SAFETY: both places have so many words, and live until they are read below.
                unsafe { clique.call(0, (call, WORDS), kind, places, stream) }
            })
        })?;
        device.follow(Queue::Compute, &device.mark(Queue::Meet)?)?;
        seen.push((name, device.download(&[(to, WORDS)])?[0] == given));
    }
    Ok(seen)
}
