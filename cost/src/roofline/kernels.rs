//! What one device launches for a function, as a GPU would: products with what follows them, fused loops, collectives.
//!
//! Ops that go over the same elements are one loop, which reads and writes only what enters and leaves it; so are
//! reductions over rows, with what their results are broadcast to. Elementwise ops on what a product gives belong to
//! the product. What only moves elements is a view of what it moves.
//!
//! Launches have depths: one reads only what those of lesser depth make. So an op may join a launch if all else that it
//! reads lies less deep, or if nobody reads what the launch makes yet, which then may sink. Going over the ops once is
//! enough.

mod grouping;

use grouping::Grouping;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::program::Program;
use smallvec::SmallVec;
use std::collections::BinaryHeap;

/// What a launch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A product of matrices, attention or a convolution, with its epilogue.
    Product,
    /// A loop over elements.
    Fused,
    /// An op for itself.
    Alone,
    /// A collective.
    Collective(OpId),
    /// A function so many times.
    Loop {
        /// The function.
        body: FuncId,
        /// How often.
        trip: u64,
    },
}

/// Something that is launched.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    /// What.
    pub what: What,
    /// Its ops, in order.
    pub ops: Vec<OpId>,
    /// Arithmetic of products, by type of the factors.
    pub flops: SmallVec<[(DType, u64); 1]>,
    /// Bytes of the scores, if it is attention.
    pub scores: Option<Scores>,
    /// What it reads of others: values, or views of them, and bytes.
    pub reads: Vec<(ValueId, u64)>,
    /// The values in memory that these are, or are views of.
    pub uses: Vec<ValueId>,
    /// What it gives others, and bytes.
    pub writes: Vec<(ValueId, u64)>,
    /// The launches that must be done before.
    pub needs: Vec<usize>,
}

/// The scores of an attention, which need not ever be in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scores {
    /// Bytes of all of them.
    pub bytes: u64,
    /// Whether it is gradients that are computed.
    pub is_gradient: bool,
}

impl Launch {
    /// What it reads and writes at least.
    pub fn bytes(&self) -> u64 {
        self.reads.iter().chain(&self.writes).map(|(_, bytes)| *bytes).fold(0, u64::saturating_add)
    }
}

/// What is launched for a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Launches {
    /// All launches.
    pub all: Vec<Launch>,
    /// In which order: that of the program, as far as what they need allows.
    pub order: Vec<usize>,
    /// Values in memory that each output of the function is, or is a view of, if the function makes it.
    pub outputs: Vec<Option<ValueId>>,
}

impl Launches {
    /// Those of a function of a program in form local.
    pub fn of(program: &Program, func: FuncId) -> Launches {
        Grouping::of(program, func).finish(func)
    }
}

/// The order of the program, as far as needs allow. `stands` says by launch where it stands in the program: it is
/// launched there, or in front of its first reader.
fn order(all: &[Launch], stands: &[usize]) -> Vec<usize> {
    // From behind: a launch may be placed once all that read it are.
    let mut readers: Vec<usize> = vec![0; all.len()];
    all.iter().flat_map(|launch| &launch.needs).for_each(|&need| readers[need] += 1);
    let free = (0..all.len()).filter(|&number| readers[number] == 0);
    let mut ready: BinaryHeap<(usize, usize)> = free.map(|number| (stands[number], number)).collect();
    let mut order = Vec::with_capacity(all.len());
    while let Some((_, number)) = ready.pop() {
        order.push(number);
        for &need in &all[number].needs {
            readers[need] -= 1;
            if readers[need] == 0 {
                ready.push((stands[need], need));
            }
        }
    }
    order.reverse();
    order
}
