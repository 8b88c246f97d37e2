//! What runs on devices of this process, whichever way it was put on them.

use crate::error::Result;
use crate::partition::Partition;
use crate::pipeline::Pipeline;
use crate::session::Session;
use indexmap::IndexMap;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::footprint::Footprint;

/// A program on devices: partitioned on one mesh, or in stages of a pipeline.
pub(crate) trait OnDevices {
    /// What all devices together take and give, whole; with layouts where one mesh has all of it.
    fn program(&self) -> &Program;
    /// The same as one device would compute it.
    fn model(&self) -> &Program;
    /// How many devices there are.
    fn device_count(&self) -> usize;
    /// What the device takes of memory that takes most.
    ///
    /// # Errors
    /// `R004` when it does not fit into memory.
    fn footprint(&self) -> Result<Footprint>;
    /// Puts parameters, and what else a run leaves for the next, on the devices: by path or name.
    ///
    /// # Errors
    /// `R001` when one is missing, `R002` when one is not of the model's type.
    fn start(&self, held: &IndexMap<String, Tensor>) -> Result<Session>;
}

/// Puts a program on devices as the plan says.
///
/// # Errors
/// What is wrong with the plan.
pub(crate) fn on_devices(program: &Program, plan: &Plan) -> Result<Box<dyn OnDevices>> {
    Ok(match plan.pipelined()? {
        Some(_) => Box::new(Pipeline::new(program, plan)?),
        None => Box::new(Partition::new(program, plan)?),
    })
}

impl OnDevices for Partition {
    fn program(&self) -> &Program {
        self.planned()
    }

    fn model(&self) -> &Program {
        Partition::model(self)
    }

    fn device_count(&self) -> usize {
        Partition::device_count(self)
    }

    fn footprint(&self) -> Result<Footprint> {
        Partition::footprint(self)
    }

    fn start(&self, held: &IndexMap<String, Tensor>) -> Result<Session> {
        Partition::start(self, held)
    }
}

impl OnDevices for Pipeline {
    fn program(&self) -> &Program {
        self.step()
    }

    fn model(&self) -> &Program {
        self.step()
    }

    fn device_count(&self) -> usize {
        Pipeline::device_count(self)
    }

    fn footprint(&self) -> Result<Footprint> {
        Ok(self.footprints()?.into_iter().max_by_key(Footprint::total).unwrap_or_default())
    }

    fn start(&self, held: &IndexMap<String, Tensor>) -> Result<Session> {
        Pipeline::start(self, held)
    }
}
