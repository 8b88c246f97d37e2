//! A program that is ready for GPUs of one kind: tasks that launch kernels, and the kernels.

use crate::partitioned::{PartitionedProgram, Port, Stage};
use crate::target::Target;
use partita_runtime::code::{Act, Code, Output};
use partita_runtime::footprint::Footprint;
use serde::{Deserialize, Serialize};
use std::iter::Sum;
use std::ops::Add;
use std::sync::Arc;

/// Values begin at multiples of so many bytes: where every device with WebGPU can bind a buffer.
pub const ALIGN: usize = 256;

/// A partitioned program, compiled for a target.
pub struct Module {
    /// The program.
    pub program: Arc<PartitionedProgram>,
    /// For what its kernels are printed.
    pub target: Target,
    /// What printed and compiled its kernels, with versions.
    pub toolchain: String,
    /// By stage, the tasks of each of its devices.
    pub code: Vec<Code<Launch>>,
    /// The kernels, each of them once.
    pub kernels: Vec<Kernel>,
    /// Machine code of [the kernel](crate::collective::KERNEL) that moves what collectives move, if there is any of the
    /// kernels.
    pub collective: Option<Vec<u8>>,
}

impl Module {
    /// By stage, what a run takes of memory on each of its devices.
    pub fn footprints(&self) -> Vec<Footprint> {
        let bytes = |port: &Port| self.target.bytes(&port.value.local_type()) as u64;
        let own = |output: &Output| match output {
            Output::Own(bytes, _) => *bytes as u64,
            Output::Over(_) => 0,
        };
        let stages = self.program.stages.iter().zip(&self.code);
        let footprint = |(stage, code): (&Stage, &Code<Launch>)| Footprint {
            inputs: stage.inputs.iter().map(bytes).fold(0, u64::saturating_add),
            frame: code.frame_bytes() as u64,
            outputs: code.outputs.iter().map(own).fold(0, u64::saturating_add),
        };
        stages.map(footprint).collect()
    }

    /// Returns whether devices communicate.
    pub fn has_sites(&self) -> bool {
        self.code.iter().any(|code| !code.sites.is_empty())
    }

    /// Bytes of machine code. Nothing when a kernel has none, so that whoever runs it must have a compiler.
    pub fn code_bytes(&self) -> Option<u64> {
        let kernels = self.kernels.iter().map(|kernel| kernel.binary.as_ref());
        let collective = self.has_sites().then_some(self.collective.as_ref());
        let bytes = kernels.chain(collective).map(|code| Some(code?.len() as u64));
        bytes.sum::<Option<u64>>().filter(|_| self.target.has_code())
    }

    /// By kernel, how often a run launches it: for each device of a stage, summed over stages.
    pub fn launches(&self) -> Vec<u64> {
        let mut launches = vec![0u64; self.kernels.len()];
        for (kernel, times) in self.code.iter().flat_map(stage_launches) {
            launches[kernel] = launches[kernel].saturating_add(times);
        }
        launches
    }

    /// By stage and site, how often a run comes there.
    pub fn meetings(&self) -> Vec<Vec<u64>> {
        let of_stage = |code: &Code<Launch>| {
            let mut meetings = vec![0u64; code.sites.len()];
            for (body, calls) in code.bodies.iter().zip(calls(code)) {
                for task in &body.tasks {
                    if let Act::Start(site) = task.act {
                        meetings[site] = meetings[site].saturating_add(calls);
                    }
                }
            }
            meetings
        };
        self.code.iter().map(of_stage).collect()
    }
}

/// Kernels that a device of a stage launches in a run, and how often; a kernel is listed for each of its dispatches.
fn stage_launches(code: &Code<Launch>) -> impl Iterator<Item = (usize, u64)> {
    code.bodies.iter().zip(calls(code)).flat_map(|(body, calls)| {
        let launches = body.tasks.iter().filter_map(|task| match &task.act {
            Act::Compute(launch, _) => Some(launch),
            Act::Start(_) | Act::Wait(_) | Act::Loop { .. } => None,
        });
        launches.flat_map(move |launch| launch.dispatches.iter().map(move |dispatch| (dispatch.kernel, calls)))
    })
}

/// By function, how often a run calls it.
fn calls(code: &Code<Launch>) -> Vec<u64> {
    let mut calls = vec![0u64; code.bodies.len()];
    calls.last_mut().into_iter().for_each(|main| *main = 1);
    for (number, body) in code.bodies.iter().enumerate().rev() {
        for task in &body.tasks {
            if let Act::Loop { trip, body, .. } = task.act {
                calls[body] = calls[body].saturating_add(calls[number].saturating_mul(trip));
            }
        }
    }
    calls
}

/// A kernel. Its parameters are buffers of words of 32 bits: those that it reads, those that it writes, and `info`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Its name among those of its module, and that of its entry point: ops, numbers and sizes.
    pub name: String,
    /// Its text in the language of the target.
    pub source: String,
    /// Machine code for the target, if its devices take that and the compiler was at hand.
    pub binary: Option<Vec<u8>>,
    /// How many buffers it reads; they come first.
    pub reads: usize,
    /// How many buffers it writes.
    pub writes: usize,
    /// Its last parameter: what CubeCL tells a kernel about its buffers. Only kernels of CubeK read it.
    pub info: Vec<u32>,
    /// The grid, in cubes.
    pub cubes: [u32; 3],
    /// A cube, in units.
    pub units: [u32; 3],
    /// Bytes of memory that the units of a cube share.
    pub shared_bytes: usize,
    /// What it has to do.
    pub work: Work,
    /// What it is there for.
    pub purpose: Purpose,
}

impl Kernel {
    /// How many buffers it has, `info` aside.
    pub fn buffers(&self) -> usize {
        self.reads + self.writes
    }
}

/// What a kernel has to do when it is launched.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// The least that it must read and write.
    pub bytes: u64,
    /// What it computes, in operations on floats.
    pub flops: u64,
    /// How many of these are done on tensor cores.
    pub tensor_flops: u64,
}

impl Add for Work {
    type Output = Work;

    fn add(self, other: Work) -> Work {
        Work {
            bytes: self.bytes.saturating_add(other.bytes),
            flops: self.flops.saturating_add(other.flops),
            tensor_flops: self.tensor_flops.saturating_add(other.tensor_flops),
        }
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Work>>(all: I) -> Work {
        all.fold(Work::default(), Work::add)
    }
}

/// What a kernel is there for, in words.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Purpose {
    /// The ops of the program that it computes, by kind and in their order: `matmul`, `2 add`. Of a kernel that several
    /// places of the program share, those of the first one.
    pub ops: Vec<String>,
    /// Where in the model they stand: modules, or else lines.
    pub places: Vec<String>,
    /// Why it computes one op that no other kernel took; nothing for what is fused, and for contractions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<String>,
    /// Whether it stands between two kernels that go over the same elements and could have taken it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missed: bool,
}

/// What a step computes: kernels, one after the other.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The kernels and their buffers.
    pub dispatches: Vec<Dispatch>,
}

/// A kernel and its buffers.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Dispatch {
    /// The kernel, by position in [`Module::kernels`].
    pub kernel: usize,
    /// First what it reads, then what it writes.
    pub args: Vec<Arg>,
}

/// Which memory of a step a kernel's buffer is.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Arg {
    /// The operand of that number.
    Read(usize),
    /// The result of that number.
    Write(usize),
    /// Scratch memory, from that byte on.
    Scratch(usize),
    /// Where the device is in the mesh: a word for each axis, in the mesh's order. It is only read.
    Place,
}
