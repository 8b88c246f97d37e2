//! Execution of compiled programs on the devices of this process.
//!
//! Inputs and outputs are global tensors in the order of the step. Each device receives its shards of the inputs, and
//! the outputs are assembled from the shards of all devices. When a device waits for an incomplete collective, its
//! thread continues with another device, so that the number of threads never exceeds the number of cores. The first
//! error on any device, including a panic, stops all of them and is returned.
//!
//! [`Direct`] runs one program on the devices of one mesh. [`Scheduled`](crate::pipeline::Scheduled) runs the stages of
//! a pipeline, whose tasks are ordered by a schedule.

mod device_set;
mod direct;

use crate::devices::RunState;
use crate::footprint::Footprint;
use crate::prediction::{RunPrediction, works};
pub use device_set::DeviceSet;
pub(crate) use device_set::{StageInterface, StageTensor};
pub use direct::Direct;
use partita_ir::diag::Diagnostic;
use partita_ir::tensor::Tensor;
use partita_machine::host::{Host, Work};
use partita_machine::timeline::Timeline;

/// Compiled program that can be run repeatedly.
pub trait Executable: Send + Sync {
    /// Returns the devices with their inputs and outputs.
    fn devices(&self) -> &DeviceSet;

    /// Returns the memory footprint of one device of each stage.
    fn footprints(&self) -> Vec<Footprint>;

    /// Returns the predicted duration and timeline of a run on a host.
    fn predict(&self, host: &Host) -> (RunPrediction, Timeline);

    /// Returns the work of each kernel call and collective of one run of all devices.
    fn works(&self) -> Vec<Work> {
        works(&self.devices().programs)
    }

    /// [`Executable::run`] with a measured timeline.
    ///
    /// # Errors
    /// Same as [`Executable::run`].
    fn run_recorded(&self, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Timeline), Diagnostic>;

    /// Runs the program once on the global inputs of the step and returns its global outputs, both in the order of the
    /// step.
    ///
    /// # Errors
    /// `R002` when the inputs do not match the program, `R003` when replicas of an output shard differ, `R004` and
    /// `R005` when a device fails or does not arrive at a collective.
    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let devices = self.devices();
        devices.gather(&devices.run(devices.scatter(inputs)?, &mut RunState::default())?)
    }

    /// Returns the number of devices of all stages.
    fn device_count(&self) -> usize {
        self.devices().device_count()
    }
}
