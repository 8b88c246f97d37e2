//! Kernel launches of one device for a function, modelled on a GPU backend: contractions with epilogues, fused
//! elementwise loops, and collectives.
//!
//! Ops over the same iteration space form one fused loop, which reads and writes only the values that enter and leave
//! the loop. Reductions over rows and ops on their broadcast results are fused as well. Elementwise ops on the result
//! of a contraction become its epilogue. Ops that only move elements become views of their operand.
//!
//! Launches have depths: a launch reads only results of launches with a lower depth. An op can join a launch if all its
//! other operands come from lower depths, or if no launch reads the results yet, so that the depth of the launch can
//! still grow. One pass over the ops suffices.

mod grouping;

use super::arithmetic::Arithmetic;
use super::efficiencies::Fusion;
use grouping::Grouping;
pub use grouping::{begins_launch, has_kernel};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::program::Program;
use smallvec::SmallVec;
use std::collections::BinaryHeap;

/// Kind of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaunchKind {
    /// Matrix product, attention or convolution, with its epilogue.
    Contraction,
    /// Fused elementwise loop.
    FusedLoop,
    /// Single op that is not fused.
    Standalone,
    /// Collective.
    Collective(OpId),
    /// Loop: repeated execution of its body.
    Loop {
        /// Loop body.
        body: FuncId,
        /// Number of iterations.
        trip: u64,
    },
}

/// One kernel launch, collective, or loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    /// Kind of the launch.
    pub kind: LaunchKind,
    /// Ops in program order.
    pub ops: Vec<OpId>,
    /// Matrix products and attention.
    pub arithmetic: SmallVec<[Arithmetic; 1]>,
    /// Kernels of a launch without fusion, except for a product. `None` if the launch is one kernel.
    pub separate: Option<SeparateKernels>,
    /// Inputs of the function, values of other launches, and views of either, with the bytes read.
    pub reads: Vec<(ValueId, u64)>,
    /// Values in memory that the entries of `reads` are, or are views of.
    pub uses: Vec<ValueId>,
    /// Values that other launches read or that are outputs, with the bytes written.
    pub writes: Vec<(ValueId, u64)>,
    /// Indices of the launches that must finish first.
    pub needs: Vec<usize>,
}

/// Kernels of elementwise ops of a launch that are not fused.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SeparateKernels {
    /// Number of kernels.
    pub kernels: u32,
    /// Bytes that they read and write.
    pub bytes: u64,
}

impl Launch {
    /// Returns a lower bound of the bytes read and written.
    pub fn bytes(&self) -> u64 {
        self.reads.iter().chain(&self.writes).map(|(_, bytes)| *bytes).fold(0, u64::saturating_add)
    }

    /// Returns the body of a loop.
    pub fn loop_body(&self) -> Option<FuncId> {
        match self.kind {
            LaunchKind::Loop { body, .. } => Some(body),
            LaunchKind::Contraction | LaunchKind::FusedLoop | LaunchKind::Standalone | LaunchKind::Collective(_) => {
                None
            }
        }
    }
}

/// Launches of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Launches {
    /// All launches.
    pub all: Vec<Launch>,
    /// Indices of the launches in execution order: the program order, as far as dependencies allow.
    pub order: Vec<usize>,
    /// For each output of the function, the value in memory that it is, or is a view of, if the function computes it.
    pub outputs: Vec<Option<ValueId>>,
}

impl Launches {
    /// Computes the launches of a function of a program in local form. Without fusion, the launches are those of fused
    /// loops, with the kernels that they consist of.
    pub fn new(program: &Program, func: FuncId, fusion: Fusion) -> Launches {
        Grouping::new(program, func, fusion, 1).finish(func)
    }

    /// Computes the launches of a function whose values may be in up to `shards` shards, which are fused where operands
    /// of the whole size would not be read again: not more launches than with any layouts.
    pub fn of_shards(program: &Program, func: FuncId, fusion: Fusion, shards: u64) -> Launches {
        Grouping::new(program, func, fusion, shards).finish(func)
    }
}

/// Returns the order of execution: ascending `positions`, as far as dependencies allow. `positions` contains the
/// position of each launch in the program. A launch with a reader at an earlier position runs before this reader.
fn execution_order(all: &[Launch], positions: &[usize]) -> Vec<usize> {
    // Backwards: a launch is placed after all its readers have been placed.
    let mut readers: Vec<usize> = vec![0; all.len()];
    all.iter().flat_map(|launch| &launch.needs).for_each(|&need| readers[need] += 1);
    let free = (0..all.len()).filter(|&number| readers[number] == 0);
    let mut ready: BinaryHeap<(usize, usize)> = free.map(|number| (positions[number], number)).collect();
    let mut order = Vec::with_capacity(all.len());
    while let Some((_, number)) = ready.pop() {
        order.push(number);
        for &need in &all[number].needs {
            readers[need] -= 1;
            if readers[need] == 0 {
                ready.push((positions[need], need));
            }
        }
    }
    order.reverse();
    order
}
