//! Compiled programs on the devices of this process.
//!
//! Inputs and outputs are global tensors in the order of the step; each device receives its shards of the inputs, and
//! the outputs are assembled from the shards of all devices. A device is a list of tasks and the place in it: when a
//! collective that it needs is not complete, the thread goes on with another device, so that there are never more
//! threads than cores. The first error on any device, a panic included, stops them all and is what the run returns.
//!
//! [`Direct`] runs one program on the devices of one mesh. [`Scheduled`](crate::pipeline::Scheduled) runs the stages of
//! a pipeline, whose tasks are ordered by a schedule.

mod device_set;
mod direct;

use crate::devices::Warm;
use crate::footprint::Footprint;
use crate::forecast::Forecast;
pub use device_set::DeviceSet;
pub(crate) use device_set::{StageInterface, StageTensor};
pub use direct::Direct;
use partita_ir::diag::Diagnostic;
use partita_ir::tensor::Tensor;
use partita_machine::host::Host;
use partita_machine::timeline::Timeline;

/// A compiled program that can be run any number of times.
pub trait Executable: Send + Sync {
    /// The devices, and what they take and give.
    fn devices(&self) -> &DeviceSet;

    /// Memory of one device in a run, by stage.
    fn footprints(&self) -> Vec<Footprint>;

    /// Predicted duration of a run on a host, and what each device would do when.
    fn forecast(&self, host: &Host) -> (Forecast, Timeline);

    /// [`Executable::run`], and what each device did when.
    ///
    /// # Errors
    /// As [`Executable::run`].
    fn run_recorded(&self, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Timeline), Diagnostic>;

    /// Runs once on the global inputs of the step, in its order, and returns its global outputs, in its order.
    ///
    /// # Errors
    /// `R002` when the inputs do not fit the program, `R003` when devices that should hold the same shard of an output
    /// do not, `R004` and `R005` when a device fails or does not come to a collective.
    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let devices = self.devices();
        devices.gather(&devices.run(devices.scatter(inputs)?, &mut Warm::default())?)
    }

    /// Number of devices, of all stages together.
    fn device_count(&self) -> usize {
        self.devices().device_count()
    }
}
