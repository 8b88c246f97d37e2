//! Modules: programs compiled for one target.

use crate::partitioned::{PartitionedProgram, Port, Stage};
use crate::target::Target;
use partita_runtime::code::{Code, Output, TaskAction};
use partita_runtime::footprint::Footprint;
use serde::{Deserialize, Serialize};
use std::iter::Sum;
use std::ops::Add;
use std::sync::Arc;

/// Alignment of values, in bytes: the strictest minimum offset alignment of storage buffers in WebGPU.
pub const ALIGN: usize = 256;

/// A partitioned program, compiled for a target.
pub struct Module {
    /// The partitioned program.
    pub program: Arc<PartitionedProgram>,
    /// The target of the kernels.
    pub target: Target,
    /// Names and versions of the code generator and compilers.
    pub toolchain: String,
    /// The tasks of each stage, which all its devices execute.
    pub code: Vec<Code<Launch>>,
    /// The kernels, without duplicates.
    pub kernels: Vec<Kernel>,
    /// Machine code of [the collective kernel](crate::collective::KERNEL), if the kernels have machine code.
    pub collective: Option<Vec<u8>>,
}

impl Module {
    /// Returns the memory of a run on each device, for each stage.
    pub fn footprints(&self) -> Vec<Footprint> {
        let bytes = |port: &Port| self.target.bytes(&port.value.local_type()) as u64;
        let own = |output: &Output| match output {
            Output::Buffer(bytes, _) => *bytes as u64,
            Output::InPlace(_) => 0,
        };
        let stages = self.program.stages.iter().zip(&self.code);
        let footprint = |(stage, code): (&Stage, &Code<Launch>)| Footprint {
            inputs: stage.inputs.iter().map(bytes).fold(0, u64::saturating_add),
            frame: code.frame_bytes() as u64,
            outputs: code.outputs.iter().map(own).fold(0, u64::saturating_add),
        };
        stages.map(footprint).collect()
    }

    /// Returns true if devices communicate.
    pub fn has_communication(&self) -> bool {
        self.code.iter().any(|code| !code.sites.is_empty())
    }

    /// Returns the size of all machine code in bytes, or `None` if some kernel has no machine code and must be compiled
    /// before a run.
    pub fn machine_code_bytes(&self) -> Option<u64> {
        let kernels = self.kernels.iter().map(|kernel| kernel.binary.as_ref());
        let collective = self.has_communication().then_some(self.collective.as_ref());
        let bytes = kernels.chain(collective).map(|code| Some(code?.len() as u64));
        bytes.sum::<Option<u64>>().filter(|_| self.target.has_machine_code())
    }

    /// Returns the number of launches of each kernel in a run: those of one device of a stage, summed over stages.
    pub fn launch_counts(&self) -> Vec<u64> {
        let mut launches = vec![0u64; self.kernels.len()];
        for (kernel, times) in self.code.iter().flat_map(stage_launches) {
            launches[kernel] = launches[kernel].saturating_add(times);
        }
        launches
    }

    /// Returns the number of executions of each collective or transfer in a run, for each stage and site.
    pub fn communication_counts(&self) -> Vec<Vec<u64>> {
        let of_stage = |code: &Code<Launch>| {
            let mut counts = vec![0u64; code.sites.len()];
            for (body, calls) in code.bodies.iter().zip(calls(code)) {
                for task in &body.tasks {
                    if let TaskAction::Start(site) = task.action {
                        counts[site] = counts[site].saturating_add(calls);
                    }
                }
            }
            counts
        };
        self.code.iter().map(of_stage).collect()
    }
}

/// Returns kernels that a device of a stage launches, with the number of launches in a run; a kernel appears once for
/// each of its dispatches.
fn stage_launches(code: &Code<Launch>) -> impl Iterator<Item = (usize, u64)> {
    code.bodies.iter().zip(calls(code)).flat_map(|(body, calls)| {
        let launches = body.tasks.iter().filter_map(|task| match &task.action {
            TaskAction::Compute(launch, _) => Some(launch),
            TaskAction::Start(_) | TaskAction::Wait(_) | TaskAction::Loop { .. } => None,
        });
        launches.flat_map(move |launch| launch.dispatches.iter().map(move |dispatch| (dispatch.kernel, calls)))
    })
}

/// Returns the number of calls of each function in a run.
fn calls(code: &Code<Launch>) -> Vec<u64> {
    let mut calls = vec![0u64; code.bodies.len()];
    calls.last_mut().into_iter().for_each(|main| *main = 1);
    for (number, body) in code.bodies.iter().enumerate().rev() {
        for task in &body.tasks {
            if let TaskAction::Loop { trip, body, .. } = task.action {
                calls[body] = calls[body].saturating_add(calls[number].saturating_mul(trip));
            }
        }
    }
    calls
}

/// A kernel. Its parameters are buffers of 32-bit words (inputs, then outputs) and `info`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Name of the kernel and of its entry point, unique in the module: ops, numbers and sizes.
    pub name: String,
    /// Source in the language of the target.
    pub source: String,
    /// Machine code for the target, if the target supports it and the kernel was compiled ahead of time.
    pub binary: Option<Vec<u8>>,
    /// Number of buffers that are read; their parameters come first.
    pub reads: usize,
    /// Number of buffers that are written.
    pub writes: usize,
    /// The last parameter: buffer metadata of CubeCL. Only kernels of CubeK read it.
    pub info: Vec<u32>,
    /// Grid size, in thread blocks.
    pub cubes: [u32; 3],
    /// Block size, in threads.
    pub units: [u32; 3],
    /// Shared memory of a block, in bytes.
    pub shared_bytes: usize,
    /// Arithmetic operations and memory traffic of a launch.
    pub work: Work,
    /// Origin of the kernel in the program, for reports.
    pub purpose: Purpose,
}

impl Kernel {
    /// Returns the number of buffers, without `info`.
    pub fn buffers(&self) -> usize {
        self.reads + self.writes
    }
}

/// Arithmetic operations and memory traffic of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Minimum memory traffic in bytes.
    pub bytes: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Floating-point operations on tensor cores, included in `flops`.
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

/// Origin of a kernel in the program, for reports.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Purpose {
    /// Ops that the kernel computes, by kind and in program order, such as `matmul` or `2 add`. For a kernel that is
    /// launched by several tasks, those of the first one.
    pub ops: Vec<String>,
    /// Positions of the ops in the model: names of modules, or else lines.
    pub places: Vec<String>,
    /// Reason why the op was not fused with others; `None` for fused ops and for contractions.
    #[serde(rename = "alone", default, skip_serializing_if = "Option::is_none")]
    pub unfused_reason: Option<String>,
    /// True if the kernel could have been fused with an adjacent kernel over the same elements.
    #[serde(rename = "missed", default, skip_serializing_if = "std::ops::Not::not")]
    pub missed_fusion: bool,
}

/// Kernels of a task, executed in order.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The kernels with their buffers.
    pub dispatches: Vec<Dispatch>,
}

/// A kernel with its buffers.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Dispatch {
    /// Index into [`Module::kernels`].
    pub kernel: usize,
    /// Buffers that are read, then buffers that are written.
    pub args: Vec<Arg>,
}

/// Memory of a task that is passed as a kernel's buffer.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Arg {
    /// Operand of this index.
    Read(usize),
    /// Result of this index.
    Write(usize),
    /// Scratch memory from this byte offset.
    Scratch(usize),
    /// The device's coordinates in the mesh, one word per axis in the order of the mesh. Read only.
    #[serde(rename = "place")]
    Coordinates,
}
