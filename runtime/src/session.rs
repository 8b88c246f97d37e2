//! Repeated runs of a training or inference step whose parameters and optimizer state are stored as shards on the
//! devices.

use crate::devices::{RunState, Shards};
use crate::executor::{DeviceSet, Executable, StageInterface};
use crate::memory::Buffer;
use crate::processes::Processes;
use crate::source::{TensorSource, TensorsInMemory, missing, read_global};
use crate::state::{State, StateTensor};
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::tensor::Tensor;
use std::sync::Arc;

/// Executable with its persistent inputs: parameters and optimizer state, which remain on the devices between runs.
pub struct Session {
    executable: Arc<dyn Executable>,
    /// Name and type of each persistent input of the step.
    persistent: Vec<Option<PersistentInput>>,
    /// Shards of the persistent inputs, by device and input of its stage; `None` for inputs that are passed to every
    /// run.
    shards: Vec<Vec<Option<Arc<Buffer>>>>,
    /// Persistent inputs that no stage reads, by input of the step.
    unread: Vec<Option<StateTensor>>,
    /// Outputs that become inputs of stages in the next run.
    carried_inputs: Vec<CarriedInput>,
    /// Outputs that become inputs that no stage reads: pairs of an output and an input of the step.
    unread_carried: Vec<(usize, usize)>,
    /// Numbers of the outputs that runs return.
    returned: Vec<usize>,
    /// Memory reused by the next run.
    state: RunState,
}

/// Persistent input of a step.
#[derive(Clone, PartialEq, Debug)]
pub struct PersistentInput {
    /// Name in the source of the initial values, and of the state.
    pub name: String,
    /// Global type.
    pub ty: Type,
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
    /// Output of the step, by number, whose shards are divided again.
    Resharded(usize),
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
        let tensors = persistent.iter().enumerate().filter_map(|(i, tensor)| Some((i.to_string(), tensor.clone()?)));
        let tensors: IndexMap<String, Tensor> = tensors.collect();
        let input = |(i, tensor): (usize, &Option<Tensor>)| {
            tensor.as_ref().map(|tensor| PersistentInput { name: i.to_string(), ty: tensor.ty.clone() })
        };
        let persistent = persistent.iter().enumerate().map(input).collect();
        Session::start_from(executable, persistent, carried, &TensorsInMemory(&tensors))
    }

    /// [`Session::start`] with persistent inputs that are read from a source, by name. Each process reads the shards of
    /// its devices.
    ///
    /// # Errors
    /// `R001` or `R002` when the source does not have a tensor of the same name and type, and errors of the source.
    pub fn start_from(
        executable: Arc<dyn Executable>,
        persistent: Vec<Option<PersistentInput>>,
        carried: &[(usize, usize)],
        source: &dyn TensorSource,
    ) -> Result<Session, Diagnostic> {
        let devices = executable.devices();
        devices.expect_inputs(persistent.len())?;
        let mut shards: Vec<Vec<Option<Arc<Buffer>>>> = Vec::with_capacity(devices.device_count());
        let mut is_read = vec![false; persistent.len()];
        for stage in &devices.stages {
            shards.resize(stage.ranks.end, vec![None; stage.inputs.len()]);
            for (i, input) in stage.inputs.iter().enumerate() {
                is_read[input.position] = true;
                let Some(stored) = &persistent[input.position] else { continue };
                let local = devices.read_input(stage, i, &stored.name, source)?;
                shards[stage.ranks.clone()].iter_mut().zip(local).for_each(|(device, shard)| device[i] = Some(shard));
            }
        }
        let carried_inputs = carried_inputs(&devices.stages, carried);
        let is_unread = |&&(_, input): &&(usize, usize)| !is_read[input];
        let unread_carried = carried.iter().filter(is_unread).copied().collect();
        let mut unread = vec![None; persistent.len()];
        for (i, stored) in persistent.iter().enumerate().filter(|(i, _)| !is_read[*i]) {
            if let Some(PersistentInput { name, ty }) = stored {
                unread[i] = Some(StateTensor::read_rows(source, name, ty, processes_of(devices))?);
            }
        }
        let is_returned = |output: &usize| carried.iter().all(|(carried, _)| carried != output);
        let returned = (0..devices.outputs.len()).filter(is_returned).collect();
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
        let count = self.persistent.iter().filter(|persistent| persistent.is_none()).count();
        if count != given.len() {
            let title = format!("a run takes {count} inputs, {} were given", given.len());
            return Err(Diagnostic::new(Code::R002, title));
        }
        let mut given = given.iter();
        let global: Vec<Option<&Tensor>> =
            self.persistent.iter().map(|stored| if stored.is_none() { given.next() } else { None }).collect();
        self.run_with(&|devices, stage, input| match global[stage.inputs[input].position] {
            Some(tensor) => devices.scatter_input(stage, input, tensor),
            None => Err(missing(&stage.inputs[input].name)),
        })
    }

    /// [`Session::run`] on inputs that are read from a source, by the names of the step. Each process reads the shards
    /// of its devices.
    ///
    /// # Errors
    /// Same as [`Session::run`], and errors of the source.
    pub fn run_from(&mut self, source: &dyn TensorSource) -> Result<Vec<Tensor>, Diagnostic> {
        self.run_with(&|devices, stage, input| devices.read_input(stage, input, &stage.inputs[input].name, source))
    }

    fn run_with(&mut self, given: GivenInput<'_>) -> Result<Vec<Tensor>, Diagnostic> {
        let inputs = self.inputs(given)?;
        let executable = self.executable.clone();
        let devices = executable.devices();
        let outputs = devices.run(inputs, &mut self.state)?;
        let carried =
            self.carried_inputs.iter().map(|input| input.shards(devices, &outputs)).collect::<Result<Vec<_>, _>>()?;
        let unread = self.unread_carried.iter().map(|&(output, _)| {
            let source = carried_source(devices, output, &outputs)?;
            let ty = source.tensors[CARRIED].ty.clone();
            StateTensor::read_rows(&source, CARRIED, &ty, processes_of(devices))
        });
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
    fn inputs(&mut self, given: GivenInput<'_>) -> Result<Vec<Shards>, Diagnostic> {
        let devices = self.executable.devices();
        let mut inputs = vec![Shards::new(); devices.device_count()];
        for stage in &devices.stages {
            for (i, input) in stage.inputs.iter().enumerate() {
                let shards = match &self.persistent[input.position] {
                    None => given(devices, stage, i)?,
                    Some(_) => self.persistent_shards(stage, i)?,
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
        let mut tensors = vec![None; self.persistent.len()];
        let devices = self.executable.devices();
        for (tensor, unread) in tensors.iter_mut().zip(&self.unread) {
            let Some(unread) = unread else { continue };
            *tensor = match devices.processes() {
                None => unread.to_tensor(),
                Some(_) => Some(read_global(&self.carried_state(unread.clone()), CARRIED, processes_of(devices))?),
            };
        }
        for stage in &devices.stages {
            for (i, input) in stage.inputs.iter().enumerate() {
                if self.persistent[input.position].is_some() && tensors[input.position].is_none() {
                    let tensor = devices.gather_input(stage, i, &self.persistent_shards(stage, i)?)?;
                    tensors[input.position] = Some(tensor);
                }
            }
        }
        Ok(tensors)
    }

    /// Returns the persistent inputs as the state that processes store together. Must be dropped before the next run,
    /// which reuses the memory.
    ///
    /// # Errors
    /// `R004` for an input that was lost when a run failed.
    pub fn persistent_state(&self) -> Result<State, Diagnostic> {
        let mut tensors = IndexMap::new();
        let devices = self.executable.devices();
        for (position, stored) in self.persistent.iter().enumerate() {
            let Some(PersistentInput { name, .. }) = stored else { continue };
            let in_stage = |stage: &StageInterface| stage.inputs.iter().position(|input| input.position == position);
            let read = devices.stages.iter().find_map(|stage| Some((stage, in_stage(stage)?)));
            let tensor = match (read, &self.unread[position]) {
                (Some((stage, input)), _) => {
                    devices.state_tensor(stage, &stage.inputs[input], &self.persistent_shards(stage, input)?)?
                }
                (None, Some(unread)) => unread.clone(),
                (None, None) => continue,
            };
            tensors.insert(name.clone(), tensor);
        }
        Ok(State { tensors, processes: devices.processes().cloned() })
    }

    /// Returns a state with a single tensor.
    fn carried_state(&self, tensor: StateTensor) -> State {
        let processes = self.executable.devices().processes().cloned();
        State { tensors: IndexMap::from([(CARRIED.to_owned(), tensor)]), processes }
    }
}

/// Supplies the shards of an input that is not persistent.
type GivenInput<'g> = &'g dyn Fn(&DeviceSet, &StageInterface, usize) -> Result<Shards, Diagnostic>;

/// Name of the only tensor of a source.
const CARRIED: &str = "carried";

/// Returns the processes of devices, if there are several.
fn processes_of(devices: &DeviceSet) -> Option<&Processes> {
    devices.processes().map(|processes| &**processes)
}

/// Returns a source with an output of the step.
fn carried_source(devices: &DeviceSet, output: usize, outputs: &[Shards]) -> Result<State, Diagnostic> {
    let tensors = IndexMap::from([(CARRIED.to_owned(), devices.output_state(output, outputs)?)]);
    Ok(State { tensors, processes: devices.processes().cloned() })
}

impl CarriedInput {
    /// Returns the shards of the input, given the output shards of all devices.
    fn shards(&self, devices: &DeviceSet, outputs: &[Shards]) -> Result<Shards, Diagnostic> {
        let stage = &devices.stages[self.stage];
        match self.source {
            CarriedSource::Local(output) => {
                Ok(outputs[stage.ranks.clone()].iter().map(|shards| shards[output].clone()).collect())
            }
            CarriedSource::Resharded(output) => {
                devices.read_input(stage, self.input, CARRIED, &carried_source(devices, output, outputs)?)
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
            let source = local.map_or(CarriedSource::Resharded(output), CarriedSource::Local);
            carried_inputs.push(CarriedInput { stage: number, input: i, source });
        }
    }
    carried_inputs
}
