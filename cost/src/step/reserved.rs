//! Memory of a device that holds no tensor: context, workspaces, buffers of communicators, and fragmentation.

use crate::placement::Placement;
use crate::stage_memory::StageMemory;
use crate::traffic::collectives;
use partita_ir::mesh::Axes;
use partita_ir::pipeline::Pipeline;
use partita_ir::program::Program;
use partita_machine::profile::ReservedMemory;
use partita_machine::{DeviceKind, Machine};

/// Bytes of one device that hold no tensor.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReservedBytes {
    /// Context of the driver and loaded kernels.
    pub context: u64,
    /// Workspaces of matrix products.
    pub workspace: u64,
    /// Buffers of communicators.
    pub communicators: u64,
    /// Freed blocks that the allocator holds.
    pub fragmentation: u64,
}

impl ReservedBytes {
    /// Returns the reserved memory of one device that runs the given programs. A device has a communicator for each set
    /// of mesh axes along which the programs communicate, and one for transfers between stages, if there are any.
    /// `tensor_bytes` is the peak memory of tensors.
    pub fn new<'p>(
        reserved: ReservedMemory,
        programs: impl Iterator<Item = &'p Program>,
        has_transfers: bool,
        tensor_bytes: u64,
    ) -> ReservedBytes {
        let ReservedMemory { context, workspace, communicator, fragmentation } = reserved;
        let mut groups: Vec<Axes> = Vec::new();
        for collective in programs.flat_map(collectives) {
            if !groups.contains(&collective.axes) {
                groups.push(collective.axes);
            }
        }
        let count = groups.len() as u64 + u64::from(has_transfers);
        ReservedBytes {
            context,
            workspace,
            communicators: count.saturating_mul(communicator),
            fragmentation: (fragmentation * tensor_bytes as f64) as u64,
        }
    }

    /// Returns the reserved memory of one device of a pipeline stage.
    pub fn of_stage(reserved: ReservedMemory, pipeline: &Pipeline, stage: usize, tensor_bytes: u64) -> ReservedBytes {
        let tasks = pipeline.chunks_of(stage).flat_map(|chunk| &pipeline.chunks[chunk].tasks);
        let programs = tasks.map(|task| &task.program);
        ReservedBytes::new(reserved, programs, pipeline.schedule.stages > 1, tensor_bytes)
    }

    /// Returns the sum.
    pub fn total(&self) -> u64 {
        self.by_purpose().iter().map(|(_, bytes)| bytes).fold(0, |all: u64, &bytes| all.saturating_add(bytes))
    }

    /// Returns the bytes with the name of their purpose.
    pub fn by_purpose(&self) -> [(&'static str, u64); 4] {
        [
            ("context", self.context),
            ("workspaces", self.workspace),
            ("communicators", self.communicators),
            ("fragmentation", self.fragmentation),
        ]
    }
}

/// Returns the reserved memory of one device of each stage.
pub(super) fn reserved_bytes(
    pipeline: &Pipeline,
    machine: &Machine,
    placement: &Placement,
    memory: &[StageMemory],
) -> Vec<ReservedBytes> {
    let stages = memory.iter().zip(&placement.stages).enumerate();
    let of_stage = |(stage, (memory, devices)): (usize, (&StageMemory, &Vec<usize>))| {
        let kind = machine.slowest_kind(devices.iter().copied());
        let reserved = |kind: &DeviceKind| ReservedBytes::of_stage(kind.reserved, pipeline, stage, memory.peak);
        kind.map_or_else(ReservedBytes::default, reserved)
    };
    stages.map(of_stage).collect()
}
