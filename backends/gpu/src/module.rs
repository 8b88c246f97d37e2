//! A program that is ready for GPUs of one kind: tasks that launch kernels, and the kernels.

use crate::target::Target;
use partita_ir::mesh::Mesh;
use partita_ir::program::Program;
use partita_runtime::code::{Act, Code};
use std::sync::Arc;

/// Values begin at multiples of so many bytes: where every device with WebGPU can bind a buffer.
pub const ALIGN: usize = 256;

/// What a kernel's entry point is called.
pub const ENTRY: &str = "main";

/// One device's program, compiled for a target.
pub struct Module {
    /// The program in form local.
    pub program: Arc<Program>,
    /// The mesh that it runs on.
    pub mesh: Arc<Mesh>,
    /// For what its kernels are printed.
    pub target: Target,
    /// Each device's tasks.
    pub code: Code<Launch>,
    /// The kernels, each of them once.
    pub kernels: Vec<Kernel>,
}

impl Module {
    /// How many kernels are launched when the program runs once, those of a loop's body counted once.
    pub fn launches(&self) -> usize {
        let tasks = self.code.bodies.iter().flat_map(|body| &body.tasks);
        let launched =
            tasks.map(|task| if let Act::Compute(launch, _) = &task.act { launch.dispatches.len() } else { 0 });
        launched.sum()
    }
}

/// A kernel. Its parameters are buffers of words of 32 bits: those that it reads, those that it writes, and `info`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Its name among those of its module: what it does, and a number.
    pub name: String,
    /// Its text in the language of the target.
    pub source: String,
    /// What a compiler made of it already, for devices that take that.
    pub binary: Option<Vec<u8>>,
    /// How many buffers it reads; they come first.
    pub reads: usize,
    /// How many buffers it writes.
    pub writes: usize,
    /// Words of its last parameter, which CubeCL declares and these kernels do not read.
    pub info_words: usize,
    /// The grid, in cubes.
    pub cubes: [u32; 3],
    /// Units of a cube.
    pub units: u32,
    /// Bytes of memory that the units of a cube share.
    pub shared_bytes: usize,
}

impl Kernel {
    /// How many buffers it has, `info` aside.
    pub fn buffers(&self) -> usize {
        self.reads + self.writes
    }
}

/// What a step computes: kernels, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The kernels and their buffers.
    pub dispatches: Vec<Dispatch>,
}

/// A kernel and its buffers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// The kernel, by position in [`Module::kernels`].
    pub kernel: usize,
    /// First what it reads, then what it writes.
    pub args: Vec<Arg>,
}

/// Which memory of a step a kernel's buffer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
