//! Collectives on GPUs. Ranks that share a GPU execute the row transfers of the runtime's [`CollectiveExec`] by
//! launches of one kernel. Ranks with one GPU each communicate over a [`Network`], by [`calls`].

pub mod calls;

use calls::{ElementType, ReduceOp, Request};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_runtime::collective_exec::CollectiveExec;
use partita_runtime::collective_exec::row_transfers::{self, RowTransfer};

/// Communication between GPUs, if each rank runs on a separate one.
pub trait Network<D> {
    /// Issues calls of all ranks of this process together, on the communication queues of `devices`, which are those of
    /// its ranks, in order.
    ///
    /// # Errors
    /// `R004` if the network reports a failure.
    fn issue(&self, devices: &[&D], calls: &[RankCall<'_>]) -> Result<(), Diagnostic>;

    /// Checks for asynchronous failures since the last call.
    ///
    /// # Errors
    /// `R004` with the network's error.
    fn check(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// Reports that the devices have finished all issued calls.
    fn finish(&self) {}

    /// Aborts all calls, so that no device waits for another. Later calls fail.
    fn abort(&self) {}
}

/// A call of one rank, on device addresses.
#[derive(Clone, Copy, Debug)]
pub struct RankCall<'g> {
    /// Ranks of the group, by position.
    pub members: &'g [usize],
    /// Position of the calling rank.
    pub position: usize,
    /// The call and its buffers.
    pub request: Request<u64>,
    /// Element type.
    pub element: ElementType,
    /// Reduction operation.
    pub combine: ReduceOp,
}

/// Source of the collective kernel, in CUDA C++. One launch executes one row transfer.
pub const KERNEL: &str = include_str!("collective/row_transfer.cu");

/// Name of the kernel's entry point, which differs from all kernels of modules: those are named after ops and sizes.
pub const ENTRY: &str = "partita_collective";

/// Threads per block of the collective kernel.
#[cfg(any(feature = "cuda", feature = "emulator"))]
pub(crate) const THREADS_PER_BLOCK: u32 = 256;

/// Maximum number of ranks of a collective on one device: the array length in the kernel's parameter.
const MAX_RANKS: usize = 64;

/// Smallest code of an element type with two bytes per element.
#[cfg(feature = "emulator")]
const FIRST_HALF_DTYPE: u32 = 3;

/// Maximum number of kernel launches of a collective. Collectives with more row transfers run in host memory.
const MAX_ROW_TRANSFERS: usize = 4096;

/// Returns the row transfers of a collective, or `None` if the collective kernel cannot execute them.
pub(crate) fn kernel_row_transfers(exec: &CollectiveExec) -> Option<Vec<RowTransfer>> {
    let is_supported =
        |row_transfers: &Vec<RowTransfer>| row_transfers.len() <= MAX_ROW_TRANSFERS && exec.members() <= MAX_RANKS;
    exec.row_transfers().filter(is_supported)
}

/// Parameter of the collective kernel, with the memory layout that the kernel declares.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CollectiveParams {
    from: Side,
    to: Side,
    rows: u32,
    /// Number of contiguous elements of a row.
    run: u32,
    /// Code of the reduction.
    monoid: u32,
    /// Code of the element type.
    dtype: u32,
}

/// Sources or targets of a row transfer.
#[repr(C)]
#[derive(Clone, Copy)]
struct Side {
    /// Device addresses of the buffers.
    at: [u64; MAX_RANKS],
    /// Offset of the first row in each buffer, in elements.
    start: [u32; MAX_RANKS],
    /// Distance between the starts of consecutive rows in each buffer, in elements.
    pitch: [u32; MAX_RANKS],
    /// Number of buffers.
    count: u32,
}

impl CollectiveParams {
    /// Creates the parameter for a row transfer of a collective; `addresses` are the device addresses of each member's
    /// operand and result.
    ///
    /// # Errors
    /// `R004` if a count exceeds 32 bits.
    pub(crate) fn new(
        exec: &CollectiveExec,
        row_transfer: &RowTransfer,
        addresses: &[(u64, u64)],
    ) -> Result<CollectiveParams, Diagnostic> {
        let word = |n: usize| {
            u32::try_from(n)
                .map_err(|_| Diagnostic::new(Code::R004, format!("a collective moves {n} elements at once")))
        };
        let rows = &row_transfer.rows;
        let side = |buffers: &[row_transfers::MemberBuffer]| {
            let mut side =
                Side { at: [0; MAX_RANKS], start: [0; MAX_RANKS], pitch: [0; MAX_RANKS], count: word(buffers.len())? };
            for (i, buffer) in buffers.iter().enumerate().take(MAX_RANKS) {
                let (at, (start, pitch)) = match *buffer {
                    row_transfers::MemberBuffer::Operand(member) => (addresses[member].0, rows.operand),
                    row_transfers::MemberBuffer::Result(member) => (addresses[member].1, rows.result),
                };
                (side.at[i], side.start[i], side.pitch[i]) = (at, word(start)?, word(pitch)?);
            }
            Ok::<Side, Diagnostic>(side)
        };
        Ok(CollectiveParams {
            from: side(&row_transfer.from)?,
            to: side(&row_transfer.to)?,
            rows: word(rows.count)?,
            run: word(rows.run)?,
            monoid: exec.monoid().map_or(0, |monoid| reduction_number(monoid, exec.operand().dtype)),
            dtype: match exec.operand().dtype {
                DType::F32 => 0,
                DType::I32 | DType::I64 => 1,
                DType::BF16 => 3,
                DType::F16 => 4,
                _ => 2,
            },
        })
    }

    /// Returns the number of thread blocks of the launch.
    #[cfg(any(feature = "cuda", feature = "emulator"))]
    pub(crate) fn blocks(&self) -> u32 {
        let blocks = (u64::from(self.rows) * u64::from(self.run)).div_ceil(THREADS_PER_BLOCK.into());
        blocks.clamp(1, 65535) as u32
    }

    /// Returns the memory ranges that are written: for each result, the address of the first element and the number of
    /// bytes up to the end of the last one.
    #[cfg(feature = "emulator")]
    pub(crate) fn written_ranges(&self) -> Vec<[u64; 2]> {
        let width = if self.dtype < FIRST_HALF_DTYPE { 4 } else { 2 };
        let of = |i: usize| {
            let elements = u64::from(self.rows.saturating_sub(1)) * u64::from(self.to.pitch[i]) + u64::from(self.run);
            [self.to.at[i] + u64::from(self.to.start[i]) * width, elements * width]
        };
        (0..self.to.count as usize).map(of).collect()
    }
}

/// Returns the kernel's code for a reduction.
fn reduction_number(monoid: Monoid, dtype: DType) -> u32 {
    match monoid {
        // The sum of booleans is a logical or.
        Monoid::Sum if dtype == DType::Bool => 5,
        Monoid::Sum => 0,
        Monoid::Prod => 1,
        Monoid::Max => 2,
        Monoid::Min => 3,
        Monoid::And => 4,
        Monoid::Or => 5,
    }
}
