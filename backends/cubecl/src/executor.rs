//! Running a program's devices on one GPU, in step: each task on all of them, then the next.
//!
//! Collectives go through the memory of the host, where the runtime's proven exchanges perform them.

use crate::spec::{Arg, Launch, Spec};
use crate::text;
use crate::webgpu::{Pipeline, Place, WebGpu};
use crate::words;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::tensor::Tensor;
use partita_runtime::code::{Act, Address, Base, Output, Site, Task};
use partita_runtime::compile::Compiled;
use partita_runtime::exchange::Exchange;
use partita_runtime::shard::{gather, shard};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wgpu::{Buffer, CommandEncoder};

/// A compiled program on a GPU.
pub struct Executable {
    compiled: Compiled<Launch>,
    gpu: WebGpu,
    pipelines: FxHashMap<Spec, Pipeline>,
    constants: Vec<Buffer>,
}

/// What one device holds.
struct Device {
    inputs: Vec<Place>,
    outputs: Vec<Option<Buffer>>,
    frame: Buffer,
}

impl Executable {
    /// Makes every kernel of the program ready.
    ///
    /// # Errors
    /// `R004` without a GPU, and for kernels that it refuses.
    pub fn new(compiled: Compiled<Launch>) -> Result<Executable, Diagnostic> {
        let gpu = WebGpu::open()?;
        let mut pipelines = FxHashMap::default();
        for task in compiled.code.bodies.iter().flat_map(|body| &body.tasks) {
            let Act::Compute(launch, _) = &task.act else { continue };
            for dispatch in &launch.dispatches {
                if !pipelines.contains_key(&dispatch.spec) {
                    let text = text::wgsl(&dispatch.spec)?;
                    let pipeline = gpu.pipeline(&text, dispatch.args.len(), dispatch.spec.cubes())?;
                    pipelines.insert(dispatch.spec.clone(), pipeline);
                }
            }
        }
        let constant = |tensor: &Tensor| Ok(gpu.memory_with(&words::of(tensor, "a constant")?));
        let constants = compiled.code.constants.iter().map(constant).collect::<Result<_, Diagnostic>>()?;
        Ok(Executable { compiled, gpu, pipelines, constants })
    }

    /// How many kernels there are, each counted once.
    pub fn kernel_count(&self) -> usize {
        self.pipelines.len()
    }

    /// Runs the program on whole inputs, in the order of the main function, and returns the whole outputs.
    ///
    /// # Errors
    /// `R002` when the inputs do not fit the program, `R003` when devices that should hold the same piece of an output do
    /// not, `R004` for elements that the GPU cannot hold, or when it is lost.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let Compiled { program, mesh, code } = &self.compiled;
        let wanted = &program.main().inputs;
        if wanted.len() != inputs.len() {
            let title = format!("the program has {} inputs, {} were given", wanted.len(), inputs.len());
            return Err(Diagnostic::new(ErrorCode::R002, title));
        }
        let count = mesh.device_count();
        let mut pieces: Vec<Vec<Place>> = vec![Vec::new(); count];
        for (input, (&value, tensor)) in wanted.iter().zip(inputs).enumerate() {
            let (path, value) = (program.path_of(value), &program.values[value]);
            if value.ty != tensor.ty {
                let title = format!("`{path}` is {}, {} was given", value.ty, tensor.ty);
                return Err(Diagnostic::new(ErrorCode::R002, title));
            }
            let is_written = code.outputs.contains(&Output::Over(input));
            let mut made: Vec<(Arc<Tensor>, Buffer)> = Vec::new();
            for (pieces, piece) in pieces.iter_mut().zip(shard(tensor, value.layout.as_deref(), mesh)) {
                // Devices with the same piece share it, unless it is written over.
                let known = made.iter().find(|(tensor, _)| !is_written && Arc::ptr_eq(tensor, &piece));
                let buffer = match known {
                    Some((_, buffer)) => buffer.clone(),
                    None => self.gpu.memory_with(&words::of(&piece, path)?),
                };
                made.push((piece, buffer.clone()));
                pieces.push(Place { buffer, offset: 0 });
            }
        }
        let own = |rank: usize| {
            let of = |output: &Output| match *output {
                Output::Own(bytes, duty) if duty.of(mesh, rank) == rank => Some(self.gpu.memory(bytes)),
                Output::Own(..) | Output::Over(_) => None,
            };
            code.outputs.iter().map(of).collect()
        };
        let frame_bytes = code.bodies.last().map_or(0, |main| main.frame_bytes);
        let devices = pieces.into_iter().enumerate().map(|(rank, inputs)| Device {
            inputs,
            outputs: own(rank),
            frame: self.gpu.memory(frame_bytes),
        });
        let mut run = Run { executable: self, devices: devices.collect(), commands: self.gpu.commands() };
        let main_inputs: Vec<Vec<Place>> = run.devices.iter().map(|device| device.inputs.clone()).collect();
        run.body(code.bodies.len() - 1, 0, &main_inputs)?;
        run.flush();
        run.outputs()
    }
}

/// A run of all devices.
struct Run<'e> {
    executable: &'e Executable,
    devices: Vec<Device>,
    /// What is to be done since the last time that the host needed a result.
    commands: CommandEncoder,
}

impl Run<'_> {
    /// Runs a function on frames that begin at that byte, and inputs by device.
    fn body(&mut self, body: usize, frame: usize, inputs: &[Vec<Place>]) -> Result<(), Diagnostic> {
        let executable = self.executable;
        for task in &executable.compiled.code.bodies[body].tasks {
            match &task.act {
                Act::Compute(launch, scratch) => self.compute(task, launch, frame + scratch, frame, inputs)?,
                Act::Start(site) => self.meet(task, &executable.compiled.code.sites[*site], frame, inputs)?,
                // What all devices come to at once is complete.
                Act::Wait(_) => {}
                Act::Loop { trip, body, frame: inner } => {
                    let places = |rank: usize| -> Result<Vec<Place>, Diagnostic> {
                        task.reads.iter().map(|&at| self.place(rank, at, frame, &inputs[rank])).collect()
                    };
                    let places = (0..self.devices.len()).map(places).collect::<Result<Vec<_>, _>>()?;
                    for _ in 0..*trip {
                        self.body(*body, frame + inner, &places)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Where an address is on a device.
    fn place(&self, rank: usize, at: Address, frame: usize, inputs: &[Place]) -> Result<Place, Diagnostic> {
        let device = &self.devices[rank];
        let (buffer, start) = match at.base {
            Base::Frame => (Some(&device.frame), frame),
            Base::Input(i) => {
                (inputs.get(i as usize).map(|p| &p.buffer), inputs.get(i as usize).map_or(0, |p| p.offset))
            }
            Base::Output(i) => (device.outputs[i as usize].as_ref(), 0),
            Base::Constant(i) => (self.executable.constants.get(i as usize), 0),
        };
        let none = || Diagnostic::new(ErrorCode::R004, format!("device {rank} has no memory for a value"));
        Ok(Place { buffer: buffer.ok_or_else(none)?.clone(), offset: start + at.offset })
    }

    fn compute(
        &mut self,
        task: &Task<Launch>,
        launch: &Launch,
        scratch: usize,
        frame: usize,
        inputs: &[Vec<Place>],
    ) -> Result<(), Diagnostic> {
        let executable = self.executable;
        for (rank, inputs) in inputs.iter().enumerate() {
            if task.duty.of(&executable.compiled.mesh, rank) != rank {
                continue;
            }
            for dispatch in &launch.dispatches {
                let Some(pipeline) = executable.pipelines.get(&dispatch.spec) else { continue };
                let place = |arg: &Arg| match *arg {
                    Arg::Read(i) => self.place(rank, task.reads[i], frame, inputs),
                    Arg::Write(i) => self.place(rank, task.writes[i], frame, inputs),
                    Arg::Scratch(offset) => {
                        Ok(Place { buffer: self.devices[rank].frame.clone(), offset: scratch + offset })
                    }
                };
                let places = dispatch.args.iter().map(place).collect::<Result<Vec<_>, _>>()?;
                executable.gpu.note(&mut self.commands, pipeline, &places);
            }
        }
        Ok(())
    }

    fn flush(&mut self) {
        let commands = std::mem::replace(&mut self.commands, self.executable.gpu.commands());
        self.executable.gpu.submit(commands);
    }

    /// Performs a collective on the host.
    fn meet(
        &mut self,
        task: &Task<Launch>,
        site: &Site,
        frame: usize,
        inputs: &[Vec<Place>],
    ) -> Result<(), Diagnostic> {
        self.flush();
        let gpu = &self.executable.gpu;
        for (operand, exchange) in site.exchanges.iter().enumerate() {
            let (from, to) = (exchange.operand(), exchange.result());
            let place = |rank: usize, at| self.place(rank, at, frame, &inputs[rank]);
            let ranks = 0..self.devices.len();
            let reads = ranks.clone().map(|rank| Ok((place(rank, task.reads[operand])?, from.shape.count())));
            let brought = gpu.read(&reads.collect::<Result<Vec<_>, Diagnostic>>()?)?;
            for rank in ranks {
                let group = &site.groups[rank];
                if group.position() != 0 {
                    continue;
                }
                let members = group.members();
                let operands: Vec<&[u32]> = members.iter().map(|&m| &brought[m][..]).collect();
                let results = exchanged(exchange, &operands, (from, to))?;
                for (&member, words) in members.iter().zip(results) {
                    gpu.write(&place(member, task.writes[operand])?, &words);
                }
            }
        }
        Ok(())
    }

    /// The whole outputs.
    fn outputs(&self) -> Result<Vec<Tensor>, Diagnostic> {
        let Compiled { program, mesh, code } = &self.executable.compiled;
        let mut whole = Vec::new();
        for (i, output) in program.main().outputs.iter().enumerate() {
            let value = &program.values[output.value];
            let ty = value.local_type();
            let place = |rank: usize| match code.outputs[i] {
                Output::Own(_, duty) => {
                    let buffer = self.devices[duty.of(mesh, rank)].outputs[i].clone();
                    let none = || Diagnostic::new(ErrorCode::R004, "a device ended without a result");
                    Ok(Place { buffer: buffer.ok_or_else(none)?, offset: 0 })
                }
                Output::Over(input) => Ok(self.devices[rank].inputs[input].clone()),
            };
            let places = (0..self.devices.len()).map(|rank| Ok((place(rank)?, ty.shape.count())));
            let read = self.executable.gpu.read(&places.collect::<Result<Vec<_>, Diagnostic>>()?)?;
            let pieces: Vec<Arc<Tensor>> = read.iter().map(|words| Arc::new(words::tensor(&ty, words))).collect();
            whole.push(gather(&pieces, value, mesh, &output.name)?);
        }
        Ok(whole)
    }
}

/// What each member gets of an exchange, as words.
fn exchanged(
    exchange: &Exchange,
    operands: &[&[u32]],
    (from, to): (&Type, &Type),
) -> Result<Vec<Vec<u32>>, Diagnostic> {
    let words = |bytes: u64| vec![0u64; bytes.div_ceil(8) as usize];
    let operand = |held: &&[u32]| {
        let mut buffer = words(from.bytes());
        let bytes = words::tensor(from, held).to_bytes();
        bytemuck::cast_slice_mut::<u64, u8>(&mut buffer)[..bytes.len()].copy_from_slice(&bytes);
        buffer
    };
    let operands: Vec<Vec<u64>> = operands.iter().map(operand).collect();
    let mut results: Vec<Vec<u64>> = operands.iter().map(|_| words(to.bytes())).collect();
    let inputs: Vec<&[u64]> = operands.iter().map(Vec::as_slice).collect();
    let mut outputs: Vec<&mut [u64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    exchange.run(&inputs, &mut outputs, 1)?;
    let held = |result: &Vec<u64>| {
        let bytes = &bytemuck::cast_slice::<u64, u8>(result)[..to.bytes() as usize];
        words::of(&Tensor::from_bytes(to.clone(), bytes), "what a collective gave")
    };
    results.iter().map(held).collect()
}
