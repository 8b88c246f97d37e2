//! The devices of an executable, and the tensors that cross its boundary.

use crate::code::Output;
use crate::devices::{Happened, Seat, Shards, Warm, run};
use crate::scatter::{scatter, whole};
use crate::shared::Limits;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::mesh::Mesh;
use partita_ir::program::{Name, Value};
use partita_ir::tensor::Tensor;
use std::ops::Range;
use std::sync::Arc;

/// The output shards of each device, and what each device did when.
pub(crate) type Recorded = (Vec<Shards>, Vec<Vec<Happened>>);

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
    /// Returns whether devices hold the same shards of both tensors.
    pub(crate) fn is_laid_out_as(&self, other: &StageTensor) -> bool {
        self.value.ty == other.value.ty && self.value.layout == other.value.layout
    }
}

/// The devices of one mesh, and the tensors that their code takes and gives, in its order.
pub(crate) struct StageInterface {
    /// Arrangement of the devices.
    pub(crate) mesh: Arc<Mesh>,
    /// Their ranks.
    pub(crate) ranks: Range<usize>,
    /// Inputs of the step. A tensor that two chunks of the stage read is listed twice.
    pub(crate) inputs: Vec<StageTensor>,
    /// Outputs of the step.
    pub(crate) outputs: Vec<StageTensor>,
}

impl StageInterface {
    /// The shard of an input for each device of the stage. Devices with the same shard share it.
    pub(crate) fn scatter(&self, input: usize, tensor: &Tensor) -> Result<Shards, Diagnostic> {
        let StageTensor { name, value, .. } = &self.inputs[input];
        scatter(tensor, value, &self.mesh, name)
    }

    /// The global tensor of an input, from the shard of each device of the stage.
    pub(crate) fn gather_input(&self, input: usize, shards: &Shards) -> Result<Tensor, Diagnostic> {
        let StageTensor { name, value, .. } = &self.inputs[input];
        whole(shards, value, &self.mesh, name)
    }

    /// The global tensor of an output, from the output shards of all devices of the executable.
    pub(crate) fn gather_output(&self, output: usize, shards: &[Shards]) -> Result<Tensor, Diagnostic> {
        let of_stage: Shards =
            shards[self.ranks.clone()].iter().filter_map(|of_device| of_device.get(output).cloned()).collect();
        let StageTensor { name, value, .. } = &self.outputs[output];
        whole(&of_stage, value, &self.mesh, name)
    }
}

/// All devices of an executable, in the order of their ranks.
pub struct DeviceSet {
    pub(crate) seats: Vec<Seat>,
    pub(crate) stages: Vec<StageInterface>,
    /// Number of inputs of the step.
    pub(crate) input_count: usize,
    /// By output of the step, the first stage that gives it, and the position there.
    pub(crate) outputs: Vec<(usize, usize)>,
    pub(crate) limits: Limits,
}

impl DeviceSet {
    /// The devices of stages, for a step with so many inputs and with outputs of these names.
    ///
    /// # Errors
    /// `R004` when no stage gives an output.
    pub(crate) fn new<'n>(
        seats: Vec<Seat>,
        stages: Vec<StageInterface>,
        input_count: usize,
        output_names: impl Iterator<Item = &'n Name>,
    ) -> Result<DeviceSet, Diagnostic> {
        let giver = |(position, name): (usize, &Name)| {
            let in_stage = |stage: &StageInterface| stage.outputs.iter().position(|o| o.position == position);
            let found = stages.iter().enumerate().find_map(|(number, stage)| Some((number, in_stage(stage)?)));
            found.ok_or_else(|| Diagnostic::new(ErrorCode::R004, format!("no stage gives `{name}`")))
        };
        let outputs = output_names.enumerate().map(giver).collect::<Result<_, _>>()?;
        Ok(DeviceSet { seats, stages, input_count, outputs, limits: Limits::default() })
    }

    /// Number of devices, of all stages together.
    pub fn device_count(&self) -> usize {
        self.seats.len()
    }

    /// Returns an error unless the step has so many inputs.
    pub(crate) fn expect_inputs(&self, given: usize) -> Result<(), Diagnostic> {
        let wanted = self.input_count;
        if wanted == given {
            return Ok(());
        }
        Err(Diagnostic::new(ErrorCode::R002, format!("the program has {wanted} inputs, {given} were given")))
    }

    /// The input shards of each device, from the global inputs of the step.
    ///
    /// # Errors
    /// `R002` when they do not fit the program.
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

    /// The global outputs of the step, from the output shards of each device.
    ///
    /// # Errors
    /// `R003` when devices that should hold the same shard of an output do not.
    pub(crate) fn gather(&self, outputs: &[Shards]) -> Result<Vec<Tensor>, Diagnostic> {
        (0..self.outputs.len()).map(|output| self.gather_output(output, outputs)).collect()
    }

    /// One global output of the step, from the output shards of each device.
    ///
    /// # Errors
    /// As [`DeviceSet::gather`].
    pub(crate) fn gather_output(&self, output: usize, outputs: &[Shards]) -> Result<Tensor, Diagnostic> {
        let (stage, output) = self.outputs[output];
        self.stages[stage].gather_output(output, outputs)
    }

    /// The inputs of a stage that outputs are written over.
    pub(crate) fn written_over(&self, stage: &StageInterface) -> impl Iterator<Item = usize> {
        let code = self.seats[stage.ranks.clone()].first().map(|seat| &seat.code.outputs);
        let outputs = code.into_iter().flatten();
        outputs.filter_map(|output| if let Output::Over(input) = *output { Some(input) } else { None })
    }

    /// The device that computes a device's shard of an output.
    pub(crate) fn computes_for(&self, rank: usize, output: usize) -> usize {
        let Seat { code, mesh, place, .. } = &self.seats[rank];
        match code.outputs[output] {
            Output::Own(_, duty) => rank - place + duty.of(mesh, *place),
            Output::Over(_) => rank,
        }
    }

    /// Runs all devices on their input shards, and returns the output shards of each device. Memory of a run is taken
    /// from `warm` and put there again.
    pub(crate) fn run(&self, inputs: Vec<Shards>, warm: &mut Warm) -> Result<Vec<Shards>, Diagnostic> {
        Ok(self.carry_out(inputs, warm, false)?.0)
    }

    /// [`DeviceSet::run`], and by device, what it did when.
    pub(crate) fn run_recorded(&self, inputs: Vec<Shards>, warm: &mut Warm) -> Result<Recorded, Diagnostic> {
        self.carry_out(inputs, warm, true)
    }

    fn carry_out(&self, inputs: Vec<Shards>, warm: &mut Warm, records: bool) -> Result<Recorded, Diagnostic> {
        let ended = run(&self.seats, inputs, warm, records, self.limits)?;
        // What one device computed for others is theirs, too.
        let shard = |rank: usize, output: usize| ended.outputs[self.computes_for(rank, output)][output].clone();
        let none = || Diagnostic::new(ErrorCode::R004, "a device ended without a result");
        let shards = |(rank, seat): (usize, &Seat)| {
            (0..seat.code.outputs.len()).map(|output| shard(rank, output).ok_or_else(none)).collect()
        };
        let outputs = self.seats.iter().enumerate().map(shards).collect::<Result<_, _>>()?;
        Ok((outputs, ended.happened))
    }
}
