//! Memory of a device that holds no tensor: context, workspaces, buffers of communicators, and fragmentation.

use crate::placement::Placement;
use crate::stage_memory::StageMemory;
use crate::traffic::collectives;
use partita_ir::mesh::Axes;
use partita_ir::pipeline::Pipeline;
use partita_machine::Machine;
use partita_machine::profile::ReservedMemory;

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

/// Returns the reserved memory of one device of each stage. A device has a communicator for each set of mesh axes along
/// which it communicates, and one for the transfers between stages.
pub(super) fn reserved_bytes(
    pipeline: &Pipeline,
    machine: &Machine,
    placement: &Placement,
    memory: &[StageMemory],
) -> Vec<ReservedBytes> {
    let stages = memory.iter().zip(&placement.stages).enumerate();
    let of_stage = |(stage, (memory, devices)): (usize, (&StageMemory, &Vec<usize>))| {
        let Some(kind) = machine.slowest_kind(devices.iter().copied()) else { return ReservedBytes::default() };
        let ReservedMemory { context, workspace, communicator, fragmentation } = kind.reserved;
        let mut groups: Vec<Axes> = Vec::new();
        for task in pipeline.chunks_of(stage).flat_map(|chunk| &pipeline.chunks[chunk].tasks) {
            for collective in collectives(&task.program) {
                if !groups.contains(&collective.axes) {
                    groups.push(collective.axes);
                }
            }
        }
        let count = groups.len() as u64 + u64::from(pipeline.schedule.stages > 1);
        ReservedBytes {
            context,
            workspace,
            communicators: count.saturating_mul(communicator),
            fragmentation: (fragmentation * memory.peak as f64) as u64,
        }
    };
    stages.map(of_stage).collect()
}
