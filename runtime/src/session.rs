//! Repeated runs of an executable: parameters and optimizer state stay on the devices, in shards.

use crate::devices::{Shards, Warm};
use crate::executor::{DeviceSet, Executable, StageInterface};
use crate::memory::Buffer;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use std::sync::Arc;

/// An executable with the inputs that stay between its runs: parameters, and the state of an optimizer.
pub struct Session {
    executable: Arc<dyn Executable>,
    /// By input of the step, whether it stays.
    stays: Vec<bool>,
    /// By device and its input, the shard that stays; nothing for an input that every run is given anew.
    held: Vec<Vec<Option<Arc<Buffer>>>>,
    /// By input of the step, the global tensor of an input that stays and that no stage reads.
    unread: Vec<Option<Tensor>>,
    /// Outputs that become inputs of the next run.
    moves: Vec<Move>,
    /// Outputs that become inputs that no stage reads, with these inputs.
    unread_moves: Vec<(usize, usize)>,
    /// Outputs that are returned.
    returned: Vec<usize>,
    /// Memory that one run leaves for the next.
    warm: Warm,
}

/// An output that becomes an input of a stage in the next run.
struct Move {
    stage: usize,
    /// Position among the inputs of the stage.
    input: usize,
    source: Source,
}

/// The output that becomes an input of a stage.
enum Source {
    /// An output of the same stage, laid out as the input: its shards are the input.
    Local(usize),
    /// An output of the step, which is gathered and scattered.
    Gathered(usize),
}

impl Session {
    /// Puts the inputs that stay on the devices: by input of the step its global tensor, or nothing for an input that
    /// every run is given. `carried` are outputs of the step by position, each with the input that it becomes.
    ///
    /// # Errors
    /// `R002` when a tensor is not what the program takes.
    pub fn start(
        executable: Arc<dyn Executable>,
        stays: &[Option<Tensor>],
        carried: &[(usize, usize)],
    ) -> Result<Session, Diagnostic> {
        let devices = executable.devices();
        devices.expect_inputs(stays.len())?;
        let mut held: Vec<Vec<Option<Arc<Buffer>>>> = Vec::with_capacity(devices.device_count());
        let mut is_read = vec![false; stays.len()];
        for stage in &devices.stages {
            held.resize(stage.ranks.end, vec![None; stage.inputs.len()]);
            for (i, input) in stage.inputs.iter().enumerate() {
                is_read[input.position] = true;
                let Some(tensor) = &stays[input.position] else { continue };
                let shards = stage.scatter(i, tensor)?;
                held[stage.ranks.clone()].iter_mut().zip(shards).for_each(|(held, shard)| held[i] = Some(shard));
            }
        }
        let moves = moves(&devices.stages, carried);
        let is_unread = |&&(_, input): &&(usize, usize)| !is_read[input];
        let unread_moves = carried.iter().filter(is_unread).copied().collect();
        let unread = stays.iter().zip(&is_read).map(|(tensor, is_read)| tensor.as_ref().filter(|_| !is_read).cloned());
        let unread = unread.collect();
        let is_returned = |output: &usize| carried.iter().all(|(carried, _)| carried != output);
        let returned = (0..devices.outputs.len()).filter(is_returned).collect();
        let stays = stays.iter().map(Option::is_some).collect();
        Ok(Session { stays, held, unread, moves, unread_moves, returned, warm: Warm::default(), executable })
    }

    /// Runs once on the inputs that do not stay, in their order, and returns the outputs that are not carried, in
    /// theirs.
    ///
    /// # Errors
    /// As [`Executable::run`]. When the devices fail, inputs that outputs are written over are lost, and every later
    /// run fails; all other inputs are as they were before.
    pub fn run(&mut self, given: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let inputs = self.inputs(given)?;
        let executable = self.executable.clone();
        let devices = executable.devices();
        let outputs = devices.run(inputs, &mut self.warm)?;
        let moved = self.moves.iter().map(|of| of.shards(devices, &outputs)).collect::<Result<Vec<_>, _>>()?;
        let unread = self.unread_moves.iter().map(|&(output, _)| devices.gather_output(output, &outputs));
        let unread = unread.collect::<Result<Vec<_>, _>>()?;
        let returned = self.returned.iter().map(|&output| devices.gather_output(output, &outputs));
        let returned = returned.collect::<Result<_, _>>()?;
        // Nothing fails from here on, so that all inputs come from the same run.
        for (Move { stage, input, source }, shards) in self.moves.iter().zip(moved) {
            for (rank, shard) in devices.stages[*stage].ranks.clone().zip(shards) {
                let replaced = self.held[rank][*input].replace(shard).and_then(Arc::into_inner);
                // The device that computes the next value takes the memory of the old one.
                if let Source::Local(output) = source {
                    self.warm.spare[devices.computes_for(rank, *output)].buffers.extend(replaced);
                }
            }
        }
        self.unread_moves.iter().zip(unread).for_each(|(&(_, input), tensor)| self.unread[input] = Some(tensor));
        Ok(returned)
    }

    /// The input shards of each device for a run. Shards that outputs are written over are no longer held.
    fn inputs(&mut self, given: &[Tensor]) -> Result<Vec<Shards>, Diagnostic> {
        let count = self.stays.iter().filter(|stays| !**stays).count();
        if count != given.len() {
            let title = format!("a run takes {count} inputs, {} were given", given.len());
            return Err(Diagnostic::new(Code::R002, title));
        }
        let devices = self.executable.devices();
        let mut given = given.iter();
        let global: Vec<Option<&Tensor>> =
            self.stays.iter().map(|&stays| if stays { None } else { given.next() }).collect();
        let mut inputs = vec![Shards::new(); devices.device_count()];
        for stage in &devices.stages {
            for (i, input) in stage.inputs.iter().enumerate() {
                let shards = match global[input.position] {
                    Some(tensor) => stage.scatter(i, tensor)?,
                    None => self.held_shards(stage, i)?,
                };
                inputs[stage.ranks.clone()].iter_mut().zip(shards).for_each(|(inputs, shard)| inputs.push(shard));
            }
        }
        for stage in &devices.stages {
            for input in devices.written_over(stage) {
                self.held[stage.ranks.clone()].iter_mut().for_each(|held| held[input] = None);
            }
        }
        Ok(inputs)
    }

    /// The shards of an input that stays, of each device of a stage.
    fn held_shards(&self, stage: &StageInterface, input: usize) -> Result<Shards, Diagnostic> {
        let shards = self.held[stage.ranks.clone()].iter().map(|held| held[input].clone());
        let lost = || {
            let title = format!("`{}` was lost when an earlier run failed", stage.inputs[input].name);
            Diagnostic::new(Code::R004, title).note("the run had begun to write the new value over it")
        };
        shards.collect::<Option<Shards>>().ok_or_else(lost)
    }

    /// Seconds in which the devices computed in the last run.
    pub fn seconds(&self) -> f64 {
        self.warm.seconds()
    }

    /// Bytes of the inputs that stay, by device.
    pub fn held_bytes(&self) -> Vec<u64> {
        let bytes = |held: &Vec<Option<Arc<Buffer>>>| held.iter().flatten().map(|shard| shard.len() as u64).sum();
        self.held.iter().map(bytes).collect()
    }

    /// The global tensors of the inputs that stay, by input of the step; nothing for an input that every run is given.
    ///
    /// # Errors
    /// `R003` when devices that should hold the same shard do not, `R004` for an input that was lost when a run failed.
    pub fn held(&self) -> Result<Vec<Option<Tensor>>, Diagnostic> {
        let mut tensors = self.unread.clone();
        for stage in &self.executable.devices().stages {
            for (i, input) in stage.inputs.iter().enumerate() {
                if self.stays[input.position] && tensors[input.position].is_none() {
                    let tensor = stage.gather_input(i, &self.held_shards(stage, i)?)?;
                    tensors[input.position] = Some(tensor);
                }
            }
        }
        Ok(tensors)
    }
}

impl Move {
    /// The shards of the input, from the output shards of all devices.
    fn shards(&self, devices: &DeviceSet, outputs: &[Shards]) -> Result<Shards, Diagnostic> {
        let stage = &devices.stages[self.stage];
        match self.source {
            Source::Local(output) => {
                Ok(outputs[stage.ranks.clone()].iter().map(|shards| shards[output].clone()).collect())
            }
            Source::Gathered(output) => stage.scatter(self.input, &devices.gather_output(output, outputs)?),
        }
    }
}

/// Returns the moves of outputs of the step to the inputs of stages that they become.
fn moves(stages: &[StageInterface], carried: &[(usize, usize)]) -> Vec<Move> {
    let mut moves = Vec::new();
    for (number, stage) in stages.iter().enumerate() {
        for (i, input) in stage.inputs.iter().enumerate() {
            let Some(&(output, _)) = carried.iter().find(|(_, carried)| *carried == input.position) else { continue };
            let local = stage.outputs.iter().position(|o| o.position == output && o.is_laid_out_as(input));
            let source = local.map_or(Source::Gathered(output), Source::Local);
            moves.push(Move { stage: number, input: i, source });
        }
    }
    moves
}
