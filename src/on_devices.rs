//! What runs on devices of this process, whichever way it was put on them.

use crate::check::Check;
use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::pipeline::Pipeline;
use crate::session::Session;
use crate::steps::{Step, Steps};
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_machine::timeline::Timeline;
use partita_runtime::footprint::Footprint;

/// A program on devices: partitioned on one mesh, or in stages of a pipeline.
pub trait OnDevices {
    /// What all devices together take and give, whole; with layouts where one mesh has all of it.
    fn program(&self) -> &Program;
    /// The same as one device would compute it.
    fn model(&self) -> &Program;
    /// Warnings, such as options of the plan that have no effect.
    fn warnings(&self) -> &[Diagnostic];
    /// How many devices there are.
    fn device_count(&self) -> usize;
    /// What a device takes of memory, of each stage where there are several.
    ///
    /// # Errors
    /// `R004` when it does not fit into memory.
    fn footprints(&self) -> Result<Vec<Footprint>>;
    /// What the device takes that takes most.
    ///
    /// # Errors
    /// As [`OnDevices::footprints`].
    fn footprint(&self) -> Result<Footprint> {
        Ok(self.footprints()?.into_iter().max_by_key(Footprint::total).unwrap_or_default())
    }
    /// Runs all devices several times; `seen` is told what each step came to.
    ///
    /// # Errors
    /// `R002` when the inputs do not fit, `R003` to `R005` when the run fails.
    fn run_steps(&self, inputs: &[Tensor], steps: Steps, seen: &mut dyn FnMut(Step)) -> Result<Vec<Tensor>>;
    /// Runs one device and all devices and compares; says what it does next.
    ///
    /// # Errors
    /// As [`OnDevices::run_steps`].
    fn check_steps(&self, inputs: &[Tensor], steps: Steps, next: &mut dyn FnMut(&str)) -> Result<Check>;
    /// What each device did when in one run.
    ///
    /// # Errors
    /// As [`OnDevices::run_steps`], and `G001` where there are no stages.
    fn recorded(&self, inputs: &[Tensor]) -> Result<Timeline>;
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
    Ok(match plan.staged()? {
        Some(_) => Box::new(Compiler::new(program).plan(plan).pipeline()?),
        None => Box::new(Compiler::new(program).plan(plan).partition()?),
    })
}

/// What is said where there are no stages to be recorded.
pub fn nothing_to_record() -> Diagnostic {
    let error = Diagnostic::new(Code::G001, "`--trace` records the stages of a pipeline, and there is none");
    error.help("say how many stages: `--pipeline 2`")
}

impl OnDevices for Partition {
    fn warnings(&self) -> &[Diagnostic] {
        Partition::warnings(self)
    }

    fn program(&self) -> &Program {
        self.planned()
    }

    fn model(&self) -> &Program {
        Partition::model(self)
    }

    fn device_count(&self) -> usize {
        Partition::device_count(self)
    }

    fn footprints(&self) -> Result<Vec<Footprint>> {
        Ok(vec![Partition::footprint(self)?])
    }

    fn run_steps(&self, inputs: &[Tensor], steps: Steps, seen: &mut dyn FnMut(Step)) -> Result<Vec<Tensor>> {
        Partition::run_steps(self, inputs, steps, seen)
    }

    fn check_steps(&self, inputs: &[Tensor], steps: Steps, next: &mut dyn FnMut(&str)) -> Result<Check> {
        Partition::check_steps(self, inputs, steps, next)
    }

    fn recorded(&self, _: &[Tensor]) -> Result<Timeline> {
        Err(nothing_to_record().into())
    }

    fn start(&self, held: &IndexMap<String, Tensor>) -> Result<Session> {
        Partition::start(self, held)
    }
}

impl OnDevices for Pipeline {
    fn warnings(&self) -> &[Diagnostic] {
        Pipeline::warnings(self)
    }

    fn program(&self) -> &Program {
        self.step()
    }

    fn model(&self) -> &Program {
        self.step()
    }

    fn device_count(&self) -> usize {
        Pipeline::device_count(self)
    }

    fn footprints(&self) -> Result<Vec<Footprint>> {
        Pipeline::footprints(self)
    }

    fn run_steps(&self, inputs: &[Tensor], steps: Steps, seen: &mut dyn FnMut(Step)) -> Result<Vec<Tensor>> {
        Pipeline::run_steps(self, inputs, steps, seen)
    }

    fn check_steps(&self, inputs: &[Tensor], steps: Steps, next: &mut dyn FnMut(&str)) -> Result<Check> {
        Pipeline::check_steps(self, inputs, steps, next)
    }

    fn recorded(&self, inputs: &[Tensor]) -> Result<Timeline> {
        Ok(self.run_recorded(inputs)?.1)
    }

    fn start(&self, held: &IndexMap<String, Tensor>) -> Result<Session> {
        Pipeline::start(self, held)
    }
}
