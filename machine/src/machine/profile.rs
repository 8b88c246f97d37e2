//! Achieved performance of a kind of device: the fractions of its data-sheet rates that kernels reach, fixed costs of
//! kernels, and memory that holds no tensor.
//!
//! The defaults are those of recent GPUs. Their sources are in `docs/simulation.md`.

use indexmap::IndexMap;
use partita_ir::dtype::DType;

/// Achieved fractions of data-sheet rates, each in `(0, 1]`.
#[derive(Clone, PartialEq, Debug)]
pub struct AchievedRates {
    /// Fraction of the matrix rate that large products reach, for the dtypes whose fraction is stated.
    pub products: IndexMap<DType, f64>,
    /// Fraction of the matrix rate that tiled attention with 128 features per head reaches.
    pub attention: f64,
    /// Fraction of the matrix rate that the gradient of tiled attention with 128 features per head reaches.
    pub attention_grad: f64,
    /// Fraction of the memory bandwidth that kernels with large operands reach.
    pub memory: f64,
    /// Fraction of the boost clock under sustained load, for example because of a power limit.
    pub clock: f64,
}

impl AchievedRates {
    /// Fraction of the matrix rate that large products of other dtypes reach.
    pub const PRODUCTS: f64 = 0.75;

    /// Returns the fraction of the matrix rate that large products of a dtype reach.
    pub fn products_of(&self, dtype: DType) -> f64 {
        self.products.get(&dtype).copied().unwrap_or(AchievedRates::PRODUCTS)
    }
}

impl Default for AchievedRates {
    fn default() -> AchievedRates {
        AchievedRates { products: IndexMap::new(), attention: 0.55, attention_grad: 0.45, memory: 0.85, clock: 1.0 }
    }
}

/// Fixed costs and granularity of kernels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KernelCosts {
    /// Number of multiprocessors, each of which computes one tile of a matrix product at a time. Zero for a device
    /// whose products are not tiled.
    pub units: u32,
    /// Seconds from the end of one kernel to the start of the next, if the host has already issued the next.
    pub launch: f64,
    /// Seconds that the host needs to issue one kernel.
    pub issue: f64,
    /// Fraction of the device that an overlapping collective takes from the kernels.
    pub overlap: f64,
}

impl Default for KernelCosts {
    fn default() -> KernelCosts {
        KernelCosts { units: 0, launch: 2e-6, issue: 5e-6, overlap: 0.0 }
    }
}

/// Memory of a device that holds no tensor.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct ReservedMemory {
    /// Bytes of the driver's context and the loaded kernels.
    pub context: u64,
    /// Bytes of the workspaces of matrix products.
    pub workspace: u64,
    /// Bytes of the buffers of one communicator. Each set of mesh axes that communicates has a communicator.
    pub communicator: u64,
    /// Fraction of the tensors' peak that the allocator holds in addition, because freed blocks are not contiguous.
    pub fragmentation: f64,
}

/// Achieved performance of a link or a network port.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AchievedLink {
    /// Fraction of the bandwidth that large messages reach.
    pub bandwidth: f64,
    /// Seconds of a collective before the first byte is sent and after the last one has arrived: launch of its kernel
    /// and synchronisation of the devices.
    pub setup: f64,
}

impl Default for AchievedLink {
    fn default() -> AchievedLink {
        AchievedLink { bandwidth: 0.8, setup: 10e-6 }
    }
}

impl AchievedLink {
    /// Returns the lower bandwidth fraction and the longer setup of two links that a collective uses.
    #[must_use]
    pub fn combined(self, other: AchievedLink) -> AchievedLink {
        AchievedLink { bandwidth: self.bandwidth.min(other.bandwidth), setup: self.setup.max(other.setup) }
    }
}
