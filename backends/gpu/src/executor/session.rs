//! Device memory of a program over several steps. Outputs of a step may become inputs of the next without leaving the
//! devices.

use super::faults::Launches;
use super::tasks::{Invocation, Launcher, Ports};
use super::{Executable, upload_words};
use crate::device::{Device, DevicePtr};
use crate::module::Module;
use crate::partitioned::{Port, Stage};
use crate::words;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::tensor::Tensor;
use partita_runtime::code::Output;
use partita_runtime::distributed_gather::gather_across;
use partita_runtime::memory::Buffer;
use partita_runtime::shard::{gather, shards_of};
use std::sync::Arc;

/// Device memory of an executable over several steps, and its pending launches.
pub struct Session<'e, D: Device> {
    pub(super) executable: &'e Executable<D>,
    /// Memory of each rank of this process.
    ranks: Vec<RankMemory<D::Memory>>,
    pub(super) launches: Launches,
}

/// Memory of one rank.
pub(super) struct RankMemory<M> {
    pub(super) inputs: Vec<DevicePtr<M>>,
    /// For each input, the first rank that shares its memory on this device.
    owners: Vec<usize>,
    pub(super) outputs: Vec<Option<M>>,
    pub(super) frame: M,
    /// Staging buffer for network calls.
    pub(super) staged: Option<M>,
}

/// For each device of a stage in this process, a pointer to its shard and the first rank that shares this memory.
type UploadedShards<M> = Vec<(DevicePtr<M>, usize)>;

impl<D: Device> Executable<D> {
    /// Uploads global inputs, in the order of the main function, and allocates all other memory.
    ///
    /// # Errors
    /// `R002` if the inputs do not match the program, `R004` for elements that the GPU cannot represent, `A006` if
    /// memory is insufficient.
    pub fn begin(&self, inputs: &[Tensor]) -> Result<Session<'_, D>, Diagnostic> {
        let Module { program, code, .. } = &*self.module;
        let wanted = program.inputs.len();
        if wanted != inputs.len() {
            let title = format!("the program has {wanted} inputs, {} were given", inputs.len());
            return Err(Diagnostic::new(Code::R002, title));
        }
        // Uploaded shards of each stage and input.
        let mut shards: Vec<Vec<UploadedShards<D::Memory>>> =
            program.stages.iter().map(|stage| vec![Vec::new(); stage.inputs.len()]).collect();
        for (input, tensor) in program.inputs.iter().zip(inputs) {
            for &(stage, at) in &input.stage_ports {
                shards[stage][at] = self.upload_input(stage, at, tensor)?;
            }
        }
        let (mut rank_memory, staged) = (Vec::with_capacity(self.local.len()), self.staging_bytes());
        for ((stage, code), shards) in code.iter().enumerate().zip(shards) {
            for (position, rank) in self.ranks_of(stage).enumerate() {
                let device = &self.context(rank).device;
                let own = |output: &Output| match *output {
                    Output::Buffer(bytes, replica_owner) if self.executing_rank(replica_owner, rank) == rank => {
                        device.allocate(bytes).map(Some)
                    }
                    Output::Buffer(..) | Output::InPlace(_) => Ok(None),
                };
                let outputs = code.outputs.iter().map(own).collect::<Result<_, _>>()?;
                let staged = (staged > 0).then(|| device.allocate(staged)).transpose()?;
                let (inputs, owners) = shards.iter().filter_map(|input| input.get(position).cloned()).unzip();
                rank_memory.push(RankMemory {
                    inputs,
                    owners,
                    outputs,
                    frame: device.allocate(code.frame_bytes())?,
                    staged,
                });
            }
        }
        Ok(Session { executable: self, ranks: rank_memory, launches: Launches::default() })
    }

    /// Uploads an input of a stage. Returns the shard of each device of this process.
    fn upload_input(
        &self,
        stage: usize,
        input: usize,
        tensor: &Tensor,
    ) -> Result<UploadedShards<D::Memory>, Diagnostic> {
        let Module { program, target, code, .. } = &*self.module;
        let Stage { devices, inputs, .. } = &program.stages[stage];
        let Port { name, value, .. } = &inputs[input];
        if value.ty != tensor.ty {
            let title = format!("`{name}` is {}, {} was given", value.ty, tensor.ty);
            return Err(Diagnostic::new(Code::R002, title));
        }
        // Ranks on one device share the memory of equal shards, unless an output is written over the input.
        let is_shared = self.network.is_none() && !code[stage].outputs.contains(&Output::InPlace(input));
        let mut uploaded: Vec<(Arc<Tensor>, DevicePtr<D::Memory>, usize)> = Vec::new();
        let ranks = self.ranks_of(stage);
        let first = devices.first_rank.min(ranks.start);
        let positions = ranks.start - first..ranks.end - first;
        for (rank, shard_tensor) in ranks.zip(shards_of(tensor, value.layout.as_deref(), &devices.mesh, positions)) {
            let existing = uploaded.iter().find(|(tensor, ..)| is_shared && Arc::ptr_eq(tensor, &shard_tensor));
            let (ptr, owner_rank) = match existing {
                Some((_, ptr, owner_rank)) => (ptr.clone(), *owner_rank),
                None => (
                    DevicePtr::new(upload_words(
                        &self.context(rank).device,
                        &words::from_input(&shard_tensor, *target, name)?,
                    )?),
                    rank,
                ),
            };
            uploaded.push((shard_tensor, ptr, owner_rank));
        }
        Ok(uploaded.into_iter().map(|(_, ptr, owner_rank)| (ptr, owner_rank)).collect())
    }
}

impl<D: Device> Session<'_, D> {
    /// Runs the program once.
    ///
    /// # Errors
    /// `R004` if a device is lost or a kernel fails, `R005` if stages wait for each other or start different transfers.
    pub fn step(&mut self) -> Result<(), Diagnostic> {
        self.step_with(&mut |_, device, kernel, ptrs| device.launch(kernel, ptrs))
    }

    /// Runs the program once with a custom launcher, for example one that measures time.
    ///
    /// # Errors
    /// The errors of [`Session::step`], and of the launcher.
    pub fn step_with(&mut self, launcher: Launcher<'_, D>) -> Result<(), Diagnostic> {
        let mut stages = self.initial_progress();
        let done = self.run(&mut stages, launcher);
        // Memory is freed in the order of the compute queue, so that it must wait for pending communication.
        let mut stages = stages.iter_mut().enumerate();
        let ended = stages.try_for_each(|(stage, progress)| self.wait_for_all(stage, &mut progress.pending));
        let done = done.and(ended).and_then(|()| self.executable.devices().try_for_each(Device::flush));
        done.map_err(|e| self.explain_failure(e))
    }

    /// Returns the call of the main function of a stage.
    pub(super) fn main(&self, stage: usize) -> Invocation<D::Memory> {
        let ports = |rank_memory: &RankMemory<D::Memory>| Ports {
            inputs: rank_memory.inputs.clone(),
            outputs: rank_memory.outputs.iter().map(|output| output.clone().map(DevicePtr::new)).collect(),
        };
        let ranks = self.executable.ranks_of(stage);
        Invocation { stage, frame: 0, ports: ranks.map(|rank| ports(self.memory(rank))).collect() }
    }

    /// Adds the possible causes to an error, and aborts all collectives so that devices do not wait for each other.
    fn explain_failure(&self, error: Diagnostic) -> Diagnostic {
        if let Some(network) = &self.executable.network {
            network.abort();
        }
        // The cause of a failure of another process is elsewhere.
        if error.code == Code::R005 { error } else { self.launches.explain(&self.executable.module, error) }
    }

    /// Replaces an input for the next steps.
    ///
    /// # Errors
    /// `R002` if there is no such input, and as [`Executable::begin`].
    pub fn set_input(&mut self, input: usize, tensor: &Tensor) -> Result<(), Diagnostic> {
        let program = &self.executable.module.program;
        check_index("input", input, program.inputs.len())?;
        for &(stage, at) in &program.inputs[input].stage_ports {
            let ptrs = self.executable.upload_input(stage, at, tensor)?;
            for (rank, (ptr, owner_rank)) in self.executable.ranks_of(stage).zip(ptrs) {
                let rank_memory = self.memory_mut(rank);
                (rank_memory.inputs[at], rank_memory.owners[at]) = (ptr, owner_rank);
            }
        }
        Ok(())
    }

    /// Makes an output of the last step an input of the next one. The data is not copied if layout and size agree.
    ///
    /// # Errors
    /// The errors of [`Session::output`] and [`Session::set_input`].
    pub fn feed_back(&mut self, input: usize, output: usize) -> Result<(), Diagnostic> {
        let program = &self.executable.module.program;
        check_index("input", input, program.inputs.len())?;
        check_index("output", output, program.outputs.len())?;
        let (output_ports, input_ports) = (&program.outputs[output].stage_ports, &program.inputs[input].stage_ports);
        let pairs: Vec<_> = output_ports.iter().copied().zip(input_ports.iter().copied()).collect();
        let can_feed_back = |&((stage, output), (input_stage, input)): &((usize, usize), (usize, usize))| {
            stage == input_stage && self.can_feed_back(stage, output, input)
        };
        if output_ports.len() != input_ports.len() || !pairs.iter().all(can_feed_back) {
            return self.set_input(input, &self.output(output)?);
        }
        pairs.into_iter().try_for_each(|((stage, output), (_, input))| self.swap_buffers(stage, output, input))
    }

    /// Returns true if an output of a stage can become its input without a copy.
    fn can_feed_back(&self, number: usize, output: usize, input: usize) -> bool {
        let Module { program, target, code, .. } = &*self.executable.module;
        let stage = &program.stages[number];
        let (from, to) = (&stage.outputs[output].value, &stage.inputs[input].value);
        // Values of an `i64` that may grow from step to step are range-checked at every step, which needs a download.
        let has_same_layout = from.ty == to.ty && from.layout == to.layout && to.ty.dtype != DType::I64;
        has_same_layout
            && match code[number].outputs[output] {
                Output::InPlace(over) => over == input,
                Output::Buffer(bytes, _) => bytes <= target.words(&to.local_type()) * 4,
            }
    }

    /// Swaps the memory of an output of a stage with that of an input, on each of its devices.
    fn swap_buffers(&mut self, number: usize, output: usize, input: usize) -> Result<(), Diagnostic> {
        let Output::Buffer(bytes, replica_owner) = self.executable.module.code[number].outputs[output] else {
            return Ok(());
        };
        let ranks = self.executable.ranks_of(number);
        let executing_ranks: Vec<usize> =
            ranks.clone().map(|rank| self.executable.executing_rank(replica_owner, rank)).collect();
        let results = executing_ranks.iter().map(|&executing| self.memory(executing).outputs[output].clone());
        let none = || Diagnostic::new(Code::R004, "a device has no result");
        let results = results.collect::<Option<Vec<D::Memory>>>().ok_or_else(none)?;
        let inputs = ranks.clone().map(|rank| Some(self.memory(rank).inputs[input].memory.clone()));
        let mut free: Vec<Option<D::Memory>> = inputs.collect();
        for (rank, (memory, executing)) in ranks.clone().zip(results.into_iter().zip(executing_ranks)) {
            let executable = self.executable;
            let rank_memory = self.memory_mut(rank);
            let owner_rank = rank_memory.owners[input];
            (rank_memory.inputs[input], rank_memory.owners[input]) = (DevicePtr::new(memory), executing);
            // The input's old memory is reused for the next output; memory shared by several ranks is reused by one.
            if executing == rank {
                rank_memory.outputs[output] = match free[owner_rank - ranks.start].take() {
                    Some(memory) => Some(memory),
                    None => Some(executable.context(rank).device.allocate(bytes)?),
                };
            }
        }
        Ok(())
    }

    /// Downloads and gathers a global output of the last step.
    ///
    /// # Errors
    /// `R002` if there is no such output, `R003` if replicas of a shard differ, `R004` if a device is lost, a kernel
    /// fails or collectives exceed their time limit.
    pub fn output(&self, number: usize) -> Result<Tensor, Diagnostic> {
        let Module { program, target, code, .. } = &*self.executable.module;
        check_index("output", number, program.outputs.len())?;
        // Stages with the same output agree on its value.
        let none = || Diagnostic::new(Code::R004, "no stage produces an output");
        let &(stage, number) = program.outputs[number].stage_ports.first().ok_or_else(none)?;
        let (Stage { devices, outputs, .. }, code) = (&program.stages[stage], &code[stage]);
        let Port { name, value, .. } = &outputs[number];
        let (ty, ranks) = (value.local_type(), self.executable.ranks_of(stage));
        let owner = |rank: usize| match code.outputs[number] {
            Output::Buffer(_, replica_owner) => self.executable.executing_rank(replica_owner, rank),
            Output::InPlace(_) => rank,
        };
        let ptr = |rank: usize| match code.outputs[number] {
            Output::Buffer(..) => {
                let none = || Diagnostic::new(Code::R004, "a device has no result");
                Ok(DevicePtr::new(self.memory(owner(rank)).outputs[number].clone().ok_or_else(none)?))
            }
            Output::InPlace(input) => Ok(self.memory(rank).inputs[input].clone()),
        };
        let ptrs = ranks.clone().map(ptr).collect::<Result<Vec<_>, Diagnostic>>()?;
        let waited = self.executable.wait_for_devices();
        let owner_of = |at: usize| owner(ranks.start + at);
        let read = waited.and_then(|()| self.executable.download(ptrs, target.words(&ty), owner_of));
        let read = read.map_err(|e| self.explain_failure(e))?;
        // A download waits for all work launched before on its device.
        ranks.clone().for_each(|rank| self.launches.remove_completed(self.executable.context_index(owner(rank))));
        let shards = read.iter().map(|words| words::to_tensor(&ty, *target, words));
        let Some(processes) = &self.executable.processes else {
            return gather(&shards.map(Arc::new).collect::<Vec<_>>(), value, &devices.mesh, name);
        };
        let elsewhere = Arc::new(Buffer::zeroed(0));
        let mut all = vec![elsewhere; devices.mesh.device_count()];
        ranks.zip(shards).for_each(|(rank, shard)| {
            all[rank - devices.first_rank] = Arc::new(Buffer::from_tensor(&shard));
        });
        let process_of = |position: usize| processes.process_of(devices.first_rank + position);
        let gathered = gather_across(&all, (value, &devices.mesh, name), processes.processes(), &process_of);
        gathered.map_err(|e| self.explain_failure(e))
    }

    /// Returns the memory of a rank of this process.
    pub(super) fn memory(&self, rank: usize) -> &RankMemory<D::Memory> {
        &self.ranks[rank - self.executable.local.start]
    }

    fn memory_mut(&mut self, rank: usize) -> &mut RankMemory<D::Memory> {
        &mut self.ranks[rank - self.executable.local.start]
    }

    /// Downloads and gathers all global outputs of the last step.
    ///
    /// # Errors
    /// The errors of [`Session::output`].
    pub fn outputs(&self) -> Result<Vec<Tensor>, Diagnostic> {
        (0..self.executable.module.program.outputs.len()).map(|number| self.output(number)).collect()
    }
}

/// Checks that an input or output exists.
fn check_index(what: &str, number: usize, count: usize) -> Result<(), Diagnostic> {
    let title = || format!("there is no {what} {number}: the program has {count}");
    if number < count { Ok(()) } else { Err(Diagnostic::new(Code::R002, title())) }
}
