//! Devices of an executable and the tensors at its interface.

use crate::code::Output;
use crate::devices::{DeviceProgram, Interval, RunState, Shards, run};
use crate::scatter::{gather_shards, scatter};
use crate::shared::Limits;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::{Name, Value};
use partita_ir::tensor::Tensor;
use std::ops::Range;
use std::sync::Arc;

/// Output shards and recorded intervals of each device.
pub(crate) type Recorded = (Vec<Shards>, Vec<Vec<Interval>>);

/// An input or output of the step on the devices of one stage.
pub(crate) struct StageTensor {
    /// Position among the inputs or outputs of the step.
    pub(crate) position: usize,
    /// Path of a parameter, or name of an input or output.
    pub(crate) name: Name,
    /// Global type, and layout on the mesh of the stage.
    pub(crate) value: Value,
}

impl StageTensor {
    /// Returns true if both tensors have the same type and layout.
    pub(crate) fn is_laid_out_as(&self, other: &StageTensor) -> bool {
        self.value.ty == other.value.ty && self.value.layout == other.value.layout
    }
}

/// Devices of one mesh and the inputs and outputs of their code, in its order.
pub(crate) struct StageInterface {
    /// Mesh of the devices.
    pub(crate) mesh: Arc<DeviceMesh>,
    /// Ranks of the devices.
    pub(crate) ranks: Range<usize>,
    /// Inputs of the step. A tensor that two model chunks of the stage read occurs twice.
    pub(crate) inputs: Vec<StageTensor>,
    /// Outputs of the step.
    pub(crate) outputs: Vec<StageTensor>,
}

impl StageInterface {
    /// Returns the shard of an input for each device of the stage. Devices with identical shards share a buffer.
    pub(crate) fn scatter(&self, input: usize, tensor: &Tensor) -> Result<Shards, Diagnostic> {
        let StageTensor { name, value, .. } = &self.inputs[input];
        scatter(tensor, value, &self.mesh, name)
    }

    /// Returns the global tensor of an input, assembled from the shard of each device of the stage.
    pub(crate) fn gather_input(&self, input: usize, shards: &Shards) -> Result<Tensor, Diagnostic> {
        let StageTensor { name, value, .. } = &self.inputs[input];
        gather_shards(shards, value, &self.mesh, name)
    }

    /// Returns the global tensor of an output, assembled from the output shards of all devices of the executable.
    pub(crate) fn gather_output(&self, output: usize, shards: &[Shards]) -> Result<Tensor, Diagnostic> {
        let of_stage: Shards =
            shards[self.ranks.clone()].iter().filter_map(|of_device| of_device.get(output).cloned()).collect();
        let StageTensor { name, value, .. } = &self.outputs[output];
        gather_shards(&of_stage, value, &self.mesh, name)
    }
}

/// Devices of an executable, in the order of their ranks.
pub struct DeviceSet {
    pub(crate) programs: Vec<DeviceProgram>,
    pub(crate) stages: Vec<StageInterface>,
    /// Number of inputs of the step.
    pub(crate) input_count: usize,
    /// For each output of the step, the first stage that computes it and its index in that stage.
    pub(crate) outputs: Vec<(usize, usize)>,
    pub(crate) limits: Limits,
}

impl DeviceSet {
    /// Creates the devices of stages for a step with `input_count` inputs and outputs of the given names.
    ///
    /// # Errors
    /// `R004` when no stage computes an output.
    pub(crate) fn new<'n>(
        programs: Vec<DeviceProgram>,
        stages: Vec<StageInterface>,
        input_count: usize,
        output_names: impl Iterator<Item = &'n Name>,
    ) -> Result<DeviceSet, Diagnostic> {
        let source = |(position, name): (usize, &Name)| {
            let in_stage = |stage: &StageInterface| stage.outputs.iter().position(|o| o.position == position);
            let found = stages.iter().enumerate().find_map(|(number, stage)| Some((number, in_stage(stage)?)));
            found.ok_or_else(|| Diagnostic::new(ErrorCode::R004, format!("no stage computes `{name}`")))
        };
        let outputs = output_names.enumerate().map(source).collect::<Result<_, _>>()?;
        Ok(DeviceSet { programs, stages, input_count, outputs, limits: Limits::default() })
    }

    /// Returns the number of devices of all stages.
    pub fn device_count(&self) -> usize {
        self.programs.len()
    }

    /// Returns an error unless `given` is the number of inputs of the step.
    pub(crate) fn expect_inputs(&self, given: usize) -> Result<(), Diagnostic> {
        let wanted = self.input_count;
        if wanted == given {
            return Ok(());
        }
        Err(Diagnostic::new(ErrorCode::R002, format!("the program has {wanted} inputs, {given} were given")))
    }

    /// Returns the input shards of each device for the global inputs of the step.
    ///
    /// # Errors
    /// `R002` when the inputs do not match the program.
    pub(crate) fn scatter(&self, inputs: &[Tensor]) -> Result<Vec<Shards>, Diagnostic> {
        self.expect_inputs(inputs.len())?;
        let mut shards = vec![Shards::new(); self.device_count()];
        for stage in &self.stages {
            for (i, input) in stage.inputs.iter().enumerate() {
                let devices = shards[stage.ranks.clone()].iter_mut();
                devices.zip(stage.scatter(i, &inputs[input.position])?).for_each(|(all, shard)| all.push(shard));
            }
        }
        Ok(shards)
    }

    /// Returns the global outputs of the step, assembled from the output shards of each device.
    ///
    /// # Errors
    /// `R003` when replicas of an output shard differ.
    pub(crate) fn gather(&self, outputs: &[Shards]) -> Result<Vec<Tensor>, Diagnostic> {
        (0..self.outputs.len()).map(|output| self.gather_output(output, outputs)).collect()
    }

    /// Returns one global output of the step, assembled from the output shards of each device.
    ///
    /// # Errors
    /// Same as [`DeviceSet::gather`].
    pub(crate) fn gather_output(&self, output: usize, outputs: &[Shards]) -> Result<Tensor, Diagnostic> {
        let (stage, output) = self.outputs[output];
        self.stages[stage].gather_output(output, outputs)
    }

    /// Returns the inputs of a stage that are overwritten by outputs.
    pub(crate) fn overwritten_inputs(&self, stage: &StageInterface) -> impl Iterator<Item = usize> {
        let code = self.programs[stage.ranks.clone()].first().map(|program| &program.code.outputs);
        let outputs = code.into_iter().flatten();
        outputs.filter_map(|output| if let Output::InPlace(input) = *output { Some(input) } else { None })
    }

    /// Returns the device that computes a device's shard of an output.
    pub(crate) fn computing_device(&self, rank: usize, output: usize) -> usize {
        let DeviceProgram { code, mesh, position, .. } = &self.programs[rank];
        match code.outputs[output] {
            Output::Buffer(_, owner) => rank - position + owner.device_for(mesh, *position),
            Output::InPlace(_) => rank,
        }
    }

    /// Runs all devices on their input shards and returns the output shards of each device. Reuses memory in `state`
    /// and returns it there.
    pub(crate) fn run(&self, inputs: Vec<Shards>, state: &mut RunState) -> Result<Vec<Shards>, Diagnostic> {
        Ok(self.run_all(inputs, state, false)?.0)
    }

    /// [`DeviceSet::run`] with the recorded intervals of each device.
    pub(crate) fn run_recorded(&self, inputs: Vec<Shards>, state: &mut RunState) -> Result<Recorded, Diagnostic> {
        self.run_all(inputs, state, true)
    }

    fn run_all(&self, inputs: Vec<Shards>, state: &mut RunState, record: bool) -> Result<Recorded, Diagnostic> {
        let result = run(&self.programs, inputs, state, record, self.limits)?;
        // Replicas share the output of the device that computed it.
        let shard = |rank: usize, output: usize| result.outputs[self.computing_device(rank, output)][output].clone();
        let none = || Diagnostic::new(ErrorCode::R004, "a device ended without a result");
        let shards = |(rank, program): (usize, &DeviceProgram)| {
            (0..program.code.outputs.len()).map(|output| shard(rank, output).ok_or_else(none)).collect()
        };
        let outputs = self.programs.iter().enumerate().map(shards).collect::<Result<_, _>>()?;
        Ok((outputs, result.intervals))
    }
}
