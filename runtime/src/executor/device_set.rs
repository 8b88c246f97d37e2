//! Devices of an executable and the tensors at its interface.

use crate::code::Output;
use crate::devices::{DeviceProgram, Interval, RunState, Shards, run};
use crate::distributed_gather::gather_across;
use crate::extent::{Extent, distinct};
use crate::memory::Buffer;
use crate::processes::Processes;
use crate::scatter::{gather_shards, scatter};
use crate::shared::{DeviceProcesses, Limits};
use crate::source::{Destination, TensorSource, TensorsInMemory, Wanted, missing, read_global};
use crate::state::{ShardData, StateShard, StateTensor};
use indexmap::IndexMap;
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
    /// Returns the positions in the mesh of the devices that this process executes.
    fn local(&self, processes: Option<&DeviceProcesses>) -> Range<usize> {
        let Range { start, end } = self.ranks;
        let local = processes.map_or(start..end, DeviceProcesses::local);
        local.start.clamp(start, end) - start..local.end.clamp(start, end) - start
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
    /// Processes of the devices, if there are several.
    processes: Option<DeviceProcesses>,
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
        Ok(DeviceSet { programs, stages, input_count, outputs, limits: Limits::default(), processes: None })
    }

    /// Divides the devices among processes.
    ///
    /// # Errors
    /// `R004` for more processes than devices.
    pub(crate) fn on_processes(self, processes: Arc<Processes>) -> Result<DeviceSet, Diagnostic> {
        let cores = (self.limits.cores / processes.local_count().max(1)).max(1);
        let devices = DeviceProcesses::new(processes, self.device_count())?;
        Ok(DeviceSet { processes: Some(devices), limits: Limits { cores, ..self.limits }, ..self })
    }

    /// Returns the ranks of the devices in this process.
    pub(crate) fn local(&self) -> Range<usize> {
        self.processes.as_ref().map_or(0..self.device_count(), DeviceProcesses::local)
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
                devices
                    .zip(self.scatter_input(stage, i, &inputs[input.position])?)
                    .for_each(|(all, shard)| all.push(shard));
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

    /// Returns the shard of an input for each device of a stage; those of devices in other processes are empty. Devices
    /// with identical shards share a buffer.
    ///
    /// # Errors
    /// `R002` when the tensor does not match the program.
    pub(crate) fn scatter_input(
        &self,
        stage: &StageInterface,
        input: usize,
        tensor: &Tensor,
    ) -> Result<Shards, Diagnostic> {
        let StageTensor { name, value, .. } = &stage.inputs[input];
        scatter(tensor, value, (&stage.mesh, stage.local(self.processes.as_ref())), name)
    }

    /// Returns the shard of an input for each device of a stage, read from a source by the name `name`; those of
    /// devices in other processes are empty. Devices with identical shards share a buffer.
    ///
    /// # Errors
    /// `R002` when the source has a tensor of another type, and errors of the source.
    pub(crate) fn read_input(
        &self,
        stage: &StageInterface,
        input: usize,
        name: &str,
        source: &dyn TensorSource,
    ) -> Result<Shards, Diagnostic> {
        let StageTensor { name: path, value, .. } = &stage.inputs[input];
        let ty = source.ty(name).ok_or_else(|| missing(path))?;
        if ty != value.ty {
            let title = format!("`{path}` is {}, {ty} was given", value.ty);
            return Err(Diagnostic::new(ErrorCode::R002, title));
        }
        let processes = self.processes.as_ref().map(DeviceProcesses::processes);
        let layout = value.layout.as_deref();
        if layout.is_some_and(|layout| !layout.partial.is_empty()) {
            return self.scatter_input(stage, input, &read_global(source, name, processes.map(|p| &**p))?);
        }
        let extent = |position| Extent::of_device(&ty.shape, layout, &stage.mesh, position);
        let extents = self.extents_by_process(stage, &extent);
        let process = processes.map_or(0, |processes| processes.index());
        let own = &extents[process];
        let local_type = value.local_type();
        let mut buffers: Vec<Buffer> = own.iter().map(|_| Buffer::zeroed(local_type.bytes() as usize)).collect();
        let destination = |(extent, buffer): (&Extent, _)| {
            let bytes = Buffer::as_mut_slice(buffer);
            Destination { extent: extent.clone(), shape: local_type.shape.clone(), dtype: ty.dtype, bytes }
        };
        let mut to: Vec<Destination<'_>> = own.iter().zip(&mut buffers).map(destination).collect();
        source.read(&Wanted { name, ty: &ty, extents: &extents, process }, &mut to)?;
        let buffers: Vec<Arc<Buffer>> = buffers.into_iter().map(Arc::new).collect();
        let elsewhere = Arc::new(Buffer::zeroed(0));
        let mut shards = vec![elsewhere; stage.mesh.device_count()];
        for position in stage.local(self.processes.as_ref()) {
            let extent = extent(position);
            if let Some(at) = own.iter().position(|own| *own == extent) {
                shards[position] = buffers[at].clone();
            }
        }
        Ok(shards)
    }

    /// Returns the distinct extents of the devices of each process, given the extent of a position in the mesh of a
    /// stage.
    fn extents_by_process(&self, stage: &StageInterface, extent: &dyn Fn(usize) -> Extent) -> Vec<Vec<Extent>> {
        let count = self.processes.as_ref().map_or(1, |devices| devices.processes().count());
        let mut extents = vec![Vec::new(); count];
        for position in 0..stage.mesh.device_count() {
            extents[self.process_of(stage, position)].push(extent(position));
        }
        extents.into_iter().map(distinct).collect()
    }

    /// Returns the process of a position in the mesh of a stage.
    fn process_of(&self, stage: &StageInterface, position: usize) -> usize {
        self.processes.as_ref().map_or(0, |devices| devices.placement.process_of(stage.ranks.start + position))
    }

    /// Returns an input or output of a stage as a tensor that processes store together, given the shard of each device.
    ///
    /// # Errors
    /// `R003` when replicas of a shard in this process differ, and for a partial value the errors of
    /// [`DeviceSet::gather_output`].
    pub(crate) fn state_tensor(
        &self,
        stage: &StageInterface,
        tensor: &StageTensor,
        shards: &Shards,
    ) -> Result<StateTensor, Diagnostic> {
        let StageTensor { name, value, .. } = tensor;
        let layout = value.layout.as_deref();
        let processes = self.processes.as_ref().map(DeviceProcesses::processes);
        if layout.is_some_and(|layout| !layout.partial.is_empty()) {
            let global = IndexMap::from([(name.to_string(), self.gather_tensor(stage, tensor, shards)?)]);
            return StateTensor::read_rows(&TensorsInMemory(&global), name, &value.ty, processes.map(|p| &**p));
        }
        let mut state: IndexMap<Extent, StateShard> = IndexMap::new();
        let local = stage.local(self.processes.as_ref());
        for (position, buffer) in shards.iter().enumerate() {
            let extent = Extent::of_device(&value.ty.shape, layout, &stage.mesh, position);
            let is_only = value.ty.shape.contains(&0) && position == 0;
            if extent.is_empty() && !is_only {
                continue;
            }
            let empty = || StateShard { extent: extent.clone(), processes: Vec::new(), replicas: Vec::new() };
            let shard = state.entry(extent.clone()).or_insert_with(empty);
            let process = self.process_of(stage, position);
            if !shard.processes.contains(&process) {
                shard.processes.push(process);
            }
            let data = ShardData::new(buffer.clone(), value.local_type().shape);
            if local.contains(&position) && !shard.replicas.iter().any(|other| other.is_same(&data)) {
                shard.replicas.push(data);
            }
        }
        Ok(StateTensor { ty: value.ty.clone(), shards: state.into_values().collect() })
    }

    /// Returns the processes that execute the devices, if there are several.
    pub(crate) fn processes(&self) -> Option<&Arc<Processes>> {
        self.processes.as_ref().map(DeviceProcesses::processes)
    }

    /// Returns the global tensor of an input, assembled from the shard of each device of a stage.
    ///
    /// # Errors
    /// `R003` when replicas of a shard differ, `R005` when another process fails.
    pub(crate) fn gather_input(
        &self,
        stage: &StageInterface,
        input: usize,
        shards: &Shards,
    ) -> Result<Tensor, Diagnostic> {
        self.gather_tensor(stage, &stage.inputs[input], shards)
    }

    /// Returns one global output of the step, assembled from the output shards of each device.
    ///
    /// # Errors
    /// `R003` when replicas of a shard differ, `R005` when another process fails.
    pub(crate) fn gather_output(&self, output: usize, outputs: &[Shards]) -> Result<Tensor, Diagnostic> {
        let (stage, output) = self.outputs[output];
        let stage = &self.stages[stage];
        let shards: Shards =
            outputs[stage.ranks.clone()].iter().filter_map(|of_device| of_device.get(output).cloned()).collect();
        self.gather_tensor(stage, &stage.outputs[output], &shards)
    }

    /// Returns the state of an output of the step, given the output shards of each device.
    pub(crate) fn output_state(&self, output: usize, outputs: &[Shards]) -> Result<StateTensor, Diagnostic> {
        let (stage, output) = self.outputs[output];
        let stage = &self.stages[stage];
        let shards: Shards =
            outputs[stage.ranks.clone()].iter().filter_map(|of_device| of_device.get(output).cloned()).collect();
        self.state_tensor(stage, &stage.outputs[output], &shards)
    }

    /// Returns the global tensor of the shards of a stage.
    fn gather_tensor(
        &self,
        stage: &StageInterface,
        tensor: &StageTensor,
        shards: &Shards,
    ) -> Result<Tensor, Diagnostic> {
        let StageTensor { name, value, .. } = tensor;
        let Some(devices) = &self.processes else { return gather_shards(shards, value, &stage.mesh, name) };
        let process_of = |position: usize| devices.placement.process_of(stage.ranks.start + position);
        gather_across(shards, (value, &stage.mesh, name), devices.processes(), &process_of)
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
        if let Some(devices) = &self.processes {
            devices.select_collectives(self.programs.iter().map(|program| &program.code.sites[..]))?;
        }
        let result = run(&self.programs, inputs, state, record, (self.limits, self.processes.as_ref()))?;
        // Replicas share the output of the device that computed it.
        let shard = |rank: usize, output: usize| result.outputs[self.computing_device(rank, output)][output].clone();
        let none = || Diagnostic::new(ErrorCode::R004, "a device ended without a result");
        let local = self.local();
        let elsewhere = Arc::new(Buffer::zeroed(0));
        let shards = |(rank, program): (usize, &DeviceProgram)| {
            let outputs = 0..program.code.outputs.len();
            match local.contains(&rank) {
                true => outputs.map(|output| shard(rank, output).ok_or_else(none)).collect(),
                false => Ok(outputs.map(|_| elsewhere.clone()).collect()),
            }
        };
        let outputs = self.programs.iter().enumerate().map(shards).collect::<Result<_, _>>()?;
        let intervals = if record { self.share_intervals(result.intervals)? } else { result.intervals };
        Ok((outputs, intervals))
    }

    /// Returns the intervals of all devices, given those of this process. Their times count from the start of the run
    /// in each process.
    fn share_intervals(&self, own: Vec<Vec<Interval>>) -> Result<Vec<Vec<Interval>>, Diagnostic> {
        let Some(devices) = &self.processes else { return Ok(own) };
        let words = |of_device: &Vec<Interval>| {
            let intervals = of_device.iter().flat_map(|i| [i.task as u64, i.start.to_bits(), i.end.to_bits()]);
            [of_device.len() as u64].into_iter().chain(intervals).collect::<Vec<_>>()
        };
        let sent: Vec<u64> = own[devices.local()].iter().flat_map(words).collect();
        let received = devices.processes().all_gather(bytemuck::cast_slice(&sent))?;
        let mut words =
            received.iter().flat_map(|bytes| bytes.as_chunks::<8>().0).map(|word| u64::from_ne_bytes(*word));
        let mut next = || words.next().unwrap_or_default();
        let mut all = Vec::with_capacity(self.device_count());
        for _ in 0..self.device_count() {
            let of_device = (0..next()).map(|_| [next(), next(), next()]);
            let interval = |[task, start, end]: [u64; 3]| Interval {
                task: task as usize,
                start: f64::from_bits(start),
                end: f64::from_bits(end),
            };
            all.push(of_device.map(interval).collect());
        }
        Ok(all)
    }
}
