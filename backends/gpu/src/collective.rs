//! Collectives on GPUs. Ranks that share one carry out the runtime's exchanges by launches of a kernel that moves and
//! combines elements where they lie. Ranks with a GPU each meet over a [`Network`], by [`calls`].

pub mod calls;

use calls::{Combine, Element, Request};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_runtime::exchange::Exchange;
use partita_runtime::exchange::motion::{self, Motion};

/// What GPUs meet over when each rank has one of its own.
pub trait Network<D> {
    /// Makes calls of all ranks together, on the queues for collectives of their devices, which are given by rank.
    ///
    /// # Errors
    /// `R004` when the network does not do it.
    fn meet(&self, devices: &[&D], issues: &[Issue<'_>]) -> Result<(), Diagnostic>;

    /// Checks what the network has noticed since it was called.
    ///
    /// # Errors
    /// `R004` with what it says.
    fn check(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// Ends all calls, so that no device waits for another one any more. Later calls fail.
    fn abort(&self) {}
}

/// A call of one rank, on addresses.
#[derive(Clone, Copy, Debug)]
pub struct Issue<'g> {
    /// The ranks that meet, by position.
    pub members: &'g [usize],
    /// The position of the one that calls.
    pub position: usize,
    /// What it calls.
    pub request: Request<u64>,
    /// What elements are.
    pub element: Element,
    /// How they are combined.
    pub combine: Combine,
}

/// The kernel, in CUDA C++.
pub const KERNEL: &str = include_str!("collective/motion.cu");

/// The name of its entry point. Names of a module's kernels are ops and sizes.
pub const ENTRY: &str = "partita_collective";

/// Threads of a block.
#[cfg(any(feature = "cuda", feature = "emulator"))]
pub(crate) const UNITS: u32 = 256;

/// Most ranks that meet on one device: what fits into the kernel's parameter.
const MOST: usize = 64;

/// From this number on, the kernel's types have two bytes.
#[cfg(feature = "emulator")]
const NARROW: u32 = 3;

/// From so many launches on, an exchange goes through the host.
const MOST_MOTIONS: usize = 4096;

/// The motions of an exchange that are good for the kernel.
pub(crate) fn motions(exchange: &Exchange) -> Option<Vec<Motion>> {
    let is_good = |motions: &Vec<Motion>| motions.len() <= MOST_MOTIONS && exchange.members() <= MOST;
    exchange.motions().filter(is_good)
}

/// The kernel's parameter, laid out as the kernel declares it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Parameter {
    from: Side,
    to: Side,
    rows: u32,
    run: u32,
    monoid: u32,
    dtype: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Side {
    at: [u64; MOST],
    start: [u32; MOST],
    pitch: [u32; MOST],
    count: u32,
}

impl Parameter {
    /// A motion of an exchange, with the addresses of operands and results by member.
    ///
    /// # Errors
    /// `R004` for more elements than the kernel counts.
    pub(crate) fn new(exchange: &Exchange, motion: &Motion, addresses: &[(u64, u64)]) -> Result<Parameter, Diagnostic> {
        let word = |n: usize| {
            u32::try_from(n)
                .map_err(|_| Diagnostic::new(Code::R004, format!("a collective moves {n} elements at once")))
        };
        let rows = &motion.rows;
        let side = |places: &[motion::Place]| {
            let mut side = Side { at: [0; MOST], start: [0; MOST], pitch: [0; MOST], count: word(places.len())? };
            for (i, place) in places.iter().enumerate().take(MOST) {
                let (at, (start, pitch)) = match *place {
                    motion::Place::Operand(member) => (addresses[member].0, rows.operand),
                    motion::Place::Result(member) => (addresses[member].1, rows.result),
                };
                (side.at[i], side.start[i], side.pitch[i]) = (at, word(start)?, word(pitch)?);
            }
            Ok::<Side, Diagnostic>(side)
        };
        Ok(Parameter {
            from: side(&motion.from)?,
            to: side(&motion.to)?,
            rows: word(rows.count)?,
            run: word(rows.run)?,
            monoid: exchange.monoid().map_or(0, |monoid| number(monoid, exchange.operand().dtype)),
            dtype: match exchange.operand().dtype {
                DType::F32 => 0,
                DType::I32 | DType::I64 => 1,
                DType::BF16 => 3,
                DType::F16 => 4,
                _ => 2,
            },
        })
    }

    /// How many blocks of threads carry it out.
    #[cfg(any(feature = "cuda", feature = "emulator"))]
    pub(crate) fn blocks(&self) -> u32 {
        let blocks = (u64::from(self.rows) * u64::from(self.run)).div_ceil(UNITS.into());
        blocks.clamp(1, 65535) as u32
    }

    /// The memory of results: for each, the address of the first element that is written, and bytes up to the end of
    /// the last one.
    #[cfg(feature = "emulator")]
    pub(crate) fn written(&self) -> Vec<[u64; 2]> {
        let width = if self.dtype < NARROW { 4 } else { 2 };
        let of = |i: usize| {
            let elements = u64::from(self.rows.saturating_sub(1)) * u64::from(self.to.pitch[i]) + u64::from(self.run);
            [self.to.at[i] + u64::from(self.to.start[i]) * width, elements * width]
        };
        (0..self.to.count as usize).map(of).collect()
    }
}

/// What the kernel calls it.
fn number(monoid: Monoid, dtype: DType) -> u32 {
    match monoid {
        // One and one is one.
        Monoid::Sum if dtype == DType::Bool => 5,
        Monoid::Sum => 0,
        Monoid::Prod => 1,
        Monoid::Max => 2,
        Monoid::Min => 3,
        Monoid::And => 4,
        Monoid::Or => 5,
    }
}
