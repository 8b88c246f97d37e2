//! Repeated runs of a training or inference step whose parameters and optimizer state are stored as shards on the
//! devices.

use crate::devices::{RunState, Shards};
use crate::executor::{DeviceSet, Executable, StageInterface};
use crate::memory::Buffer;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use std::sync::Arc;

/// Executable with its persistent inputs: parameters and optimizer state, which remain on the devices between runs.
pub struct Session {
    executable: Arc<dyn Executable>,
    /// True for each input of the step that is persistent.
    persistent: Vec<bool>,
    /// Shards of the persistent inputs, by device and input of its stage; `None` for inputs that are passed to every
    /// run.
    shards: Vec<Vec<Option<Arc<Buffer>>>>,
    /// Global tensors of the persistent inputs that no stage reads, by input of the step.
    unread: Vec<Option<Tensor>>,
    /// Outputs that become inputs of stages in the next run.
    carried_inputs: Vec<CarriedInput>,
    /// Outputs that become inputs that no stage reads: pairs of an output and an input of the step.
    unread_carried: Vec<(usize, usize)>,
    /// Numbers of the outputs that runs return.
    returned: Vec<usize>,
    /// Memory reused by the next run.
    state: RunState,
}

/// Output that becomes an input of a stage in the next run.
struct CarriedInput {
    /// Index of the stage.
    stage: usize,
    /// Index of the input in the stage.
    input: usize,
    source: CarriedSource,
}

/// Source of a carried input.
enum CarriedSource {
    /// Output of the same stage, by number in the stage, with the layout of the input: the output's shards become the
    /// input.
    Local(usize),
    /// Output of the step, by number, whose global tensor is gathered and scattered again.
    Gathered(usize),
}

impl Session {
    /// Creates a session and places the persistent inputs on the devices. `persistent` contains the global tensor of
    /// each persistent input of the step, and `None` for inputs that are passed to every run. `carried` contains pairs
    /// of an output and the input that it becomes in the next run.
    ///
    /// # Errors
    /// `R002` when a tensor does not match the program.
    pub fn start(
        executable: Arc<dyn Executable>,
        persistent: &[Option<Tensor>],
        carried: &[(usize, usize)],
    ) -> Result<Session, Diagnostic> {
        let devices = executable.devices();
        devices.expect_inputs(persistent.len())?;
        let mut shards: Vec<Vec<Option<Arc<Buffer>>>> = Vec::with_capacity(devices.device_count());
        let mut is_read = vec![false; persistent.len()];
        for stage in &devices.stages {
            shards.resize(stage.ranks.end, vec![None; stage.inputs.len()]);
            for (i, input) in stage.inputs.iter().enumerate() {
                is_read[input.position] = true;
                let Some(tensor) = &persistent[input.position] else { continue };
                let local = devices.scatter_input(stage, i, tensor)?;
                shards[stage.ranks.clone()].iter_mut().zip(local).for_each(|(device, shard)| device[i] = Some(shard));
            }
        }
        let carried_inputs = carried_inputs(&devices.stages, carried);
        let is_unread = |&&(_, input): &&(usize, usize)| !is_read[input];
        let unread_carried = carried.iter().filter(is_unread).copied().collect();
        let unread =
            persistent.iter().zip(&is_read).map(|(tensor, is_read)| tensor.as_ref().filter(|_| !is_read).cloned());
        let unread = unread.collect();
        let is_returned = |output: &usize| carried.iter().all(|(carried, _)| carried != output);
        let returned = (0..devices.outputs.len()).filter(is_returned).collect();
        let persistent = persistent.iter().map(Option::is_some).collect();
        Ok(Session {
            persistent,
            shards,
            unread,
            carried_inputs,
            unread_carried,
            returned,
            state: RunState::default(),
            executable,
        })
    }

    /// Runs the step once on the inputs that are not persistent. Returns the outputs that are not carried. Inputs and
    /// outputs are in the order of the step.
    ///
    /// # Errors
    /// Same as [`Executable::run`]. When the devices fail, inputs that outputs overwrite in place are lost, and every
    /// later run fails; all other inputs are unchanged.
    pub fn run(&mut self, given: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let inputs = self.inputs(given)?;
        let executable = self.executable.clone();
        let devices = executable.devices();
        let outputs = devices.run(inputs, &mut self.state)?;
        let carried =
            self.carried_inputs.iter().map(|input| input.shards(devices, &outputs)).collect::<Result<Vec<_>, _>>()?;
        let unread = self.unread_carried.iter().map(|&(output, _)| devices.gather_output(output, &outputs));
        let unread = unread.collect::<Result<Vec<_>, _>>()?;
        let returned = self.returned.iter().map(|&output| devices.gather_output(output, &outputs));
        let returned = returned.collect::<Result<_, _>>()?;
        // The remaining code cannot fail, so all inputs come from the same run.
        for (CarriedInput { stage, input, source }, shards) in self.carried_inputs.iter().zip(carried) {
            for (rank, shard) in devices.stages[*stage].ranks.clone().zip(shards) {
                let replaced = self.shards[rank][*input].replace(shard).and_then(Arc::into_inner);
                // The device that computes the next value reuses the memory of the old one.
                if let CarriedSource::Local(output) = source {
                    self.state.memory[devices.computing_device(rank, *output)].buffers.extend(replaced);
                }
            }
        }
        self.unread_carried.iter().zip(unread).for_each(|(&(_, input), tensor)| self.unread[input] = Some(tensor));
        Ok(returned)
    }

    /// Returns the input shards of each device for a run, and releases the persistent inputs that outputs overwrite in
    /// place.
    fn inputs(&mut self, given: &[Tensor]) -> Result<Vec<Shards>, Diagnostic> {
        let count = self.persistent.iter().filter(|persistent| !**persistent).count();
        if count != given.len() {
            let title = format!("a run takes {count} inputs, {} were given", given.len());
            return Err(Diagnostic::new(Code::R002, title));
        }
        let devices = self.executable.devices();
        let mut given = given.iter();
        let global: Vec<Option<&Tensor>> =
            self.persistent.iter().map(|&persistent| if persistent { None } else { given.next() }).collect();
        let mut inputs = vec![Shards::new(); devices.device_count()];
        for stage in &devices.stages {
            for (i, input) in stage.inputs.iter().enumerate() {
                let shards = match global[input.position] {
                    Some(tensor) => devices.scatter_input(stage, i, tensor)?,
                    None => self.persistent_shards(stage, i)?,
                };
                inputs[stage.ranks.clone()].iter_mut().zip(shards).for_each(|(inputs, shard)| inputs.push(shard));
            }
        }
        for stage in &devices.stages {
            for input in devices.overwritten_inputs(stage) {
                self.shards[stage.ranks.clone()].iter_mut().for_each(|shards| shards[input] = None);
            }
        }
        Ok(inputs)
    }

    /// Returns the shards of a persistent input on the devices of a stage.
    fn persistent_shards(&self, stage: &StageInterface, input: usize) -> Result<Shards, Diagnostic> {
        let shards = self.shards[stage.ranks.clone()].iter().map(|shards| shards[input].clone());
        let lost = || {
            let title = format!("`{}` was lost when an earlier run failed", stage.inputs[input].name);
            Diagnostic::new(Code::R004, title).note("the failed run had started to overwrite it")
        };
        shards.collect::<Option<Shards>>().ok_or_else(lost)
    }

    /// Returns the duration of the last run in seconds.
    pub fn seconds(&self) -> f64 {
        self.state.seconds()
    }

    /// Returns the size of the persistent inputs on each device, in bytes.
    pub fn persistent_bytes(&self) -> Vec<u64> {
        let bytes = |shards: &Vec<Option<Arc<Buffer>>>| shards.iter().flatten().map(|shard| shard.len() as u64).sum();
        self.shards.iter().map(bytes).collect()
    }

    /// Returns the global tensors of the persistent inputs, by input of the step; `None` for inputs that are passed to
    /// every run.
    ///
    /// # Errors
    /// `R003` when replicas of a shard differ, `R004` for an input that was lost when a run failed.
    pub fn persistent_inputs(&self) -> Result<Vec<Option<Tensor>>, Diagnostic> {
        let mut tensors = self.unread.clone();
        let devices = self.executable.devices();
        for stage in &devices.stages {
            for (i, input) in stage.inputs.iter().enumerate() {
                if self.persistent[input.position] && tensors[input.position].is_none() {
                    let tensor = devices.gather_input(stage, i, &self.persistent_shards(stage, i)?)?;
                    tensors[input.position] = Some(tensor);
                }
            }
        }
        Ok(tensors)
    }
}

impl CarriedInput {
    /// Returns the shards of the input, given the output shards of all devices.
    fn shards(&self, devices: &DeviceSet, outputs: &[Shards]) -> Result<Shards, Diagnostic> {
        let stage = &devices.stages[self.stage];
        match self.source {
            CarriedSource::Local(output) => {
                Ok(outputs[stage.ranks.clone()].iter().map(|shards| shards[output].clone()).collect())
            }
            CarriedSource::Gathered(output) => {
                devices.scatter_input(stage, self.input, &devices.gather_output(output, outputs)?)
            }
        }
    }
}

/// Returns the inputs of stages that the carried outputs become.
fn carried_inputs(stages: &[StageInterface], carried: &[(usize, usize)]) -> Vec<CarriedInput> {
    let mut carried_inputs = Vec::new();
    for (number, stage) in stages.iter().enumerate() {
        for (i, input) in stage.inputs.iter().enumerate() {
            let Some(&(output, _)) = carried.iter().find(|(_, carried)| *carried == input.position) else { continue };
            let local = stage.outputs.iter().position(|o| o.position == output && o.is_laid_out_as(input));
            let source = local.map_or(CarriedSource::Gathered(output), CarriedSource::Local);
            carried_inputs.push(CarriedInput { stage: number, input: i, source });
        }
    }
    carried_inputs
}
