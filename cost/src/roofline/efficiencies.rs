//! Assumptions about kernels that the user can state instead of those of the machine file.

use partita_ir::dtype::DType;
use partita_machine::DeviceKind;
use partita_machine::profile::AchievedLink;

/// Properties of the kernels in use, and achieved fractions that replace those of the machine. Fractions are in
/// `(0, 1]`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Efficiencies {
    /// Fraction of the peak matrix product rate of every kind of device. `None` for that of the machine.
    pub matmul: Option<f64>,
    /// Fraction of the memory bandwidth of every kind of device. `None` for that of the machine.
    pub memory: Option<f64>,
    /// Fraction of the bandwidth of every link. `None` for that of the machine.
    pub link: Option<f64>,
    /// Attention kernels.
    pub attention: AttentionKernels,
    /// Fusion of elementwise ops.
    pub fusion: Fusion,
    /// True if an all-gather starts before the ops that precede it have finished, [`PREFETCHED_GATHERS`] gathers ahead,
    /// as in implementations of fully sharded data parallelism.
    pub prefetches_gathers: bool,
}

/// Number of gathers that prefetching runs ahead of the ops that read them: the parameters of a transformer block.
pub const PREFETCHED_GATHERS: usize = 16;

/// Generation of attention kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttentionKernels {
    /// Matrix products and softmax as separate kernels, which write the scores to memory.
    Written,
    /// FlashAttention (Dao et al. 2022), with half the rate of its successor (Dao 2023, section 4).
    Flash1,
    /// The kernels whose achieved rate the machine file states.
    Tiled,
    /// FlashAttention-3 (Shah et al. 2024), on Hopper 1.75 times as fast as its predecessor.
    Flash3,
}

impl AttentionKernels {
    /// All kernels.
    pub const ALL: [AttentionKernels; 4] =
        [AttentionKernels::Written, AttentionKernels::Flash1, AttentionKernels::Tiled, AttentionKernels::Flash3];

    /// Returns the name in options.
    pub const fn name(self) -> &'static str {
        match self {
            AttentionKernels::Written => "written",
            AttentionKernels::Flash1 => "flash1",
            AttentionKernels::Tiled => "tiled",
            AttentionKernels::Flash3 => "flash3",
        }
    }

    /// Returns the rate relative to that of the machine file.
    fn relative_rate(self) -> f64 {
        match self {
            AttentionKernels::Written | AttentionKernels::Tiled => 1.0,
            AttentionKernels::Flash1 => 0.57,
            AttentionKernels::Flash3 => 1.75,
        }
    }
}

/// Fusion of elementwise ops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fusion {
    /// With each other and into matrix products, as this compiler does.
    Products,
    /// With each other only, as `torch.compile` and the kernels of Megatron do. A bias is added by the product.
    Loops,
    /// Not at all, as in eager frameworks. The gradient of an op is one kernel.
    None,
}

impl Fusion {
    /// All kinds of fusion.
    pub const ALL: [Fusion; 3] = [Fusion::Products, Fusion::Loops, Fusion::None];

    /// Returns the name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Fusion::Products => "products",
            Fusion::Loops => "loops",
            Fusion::None => "none",
        }
    }
}

impl Default for Efficiencies {
    fn default() -> Efficiencies {
        Efficiencies {
            matmul: None,
            memory: None,
            link: None,
            attention: AttentionKernels::Tiled,
            fusion: Fusion::Products,
            prefetches_gathers: false,
        }
    }
}

impl Efficiencies {
    /// Returns the rate of large matrix products in operations per second.
    pub fn product_rate(&self, kind: &DeviceKind, dtype: DType) -> f64 {
        kind.rate(dtype) * kind.achieved.clock * self.matmul.unwrap_or_else(|| kind.achieved_products(dtype))
    }

    /// Returns the rate of tiled attention with 128 features per head in operations per second.
    pub fn attention_rate(&self, kind: &DeviceKind, dtype: DType, is_gradient: bool) -> f64 {
        let achieved = if is_gradient { kind.achieved.attention_grad } else { kind.achieved.attention };
        kind.rate(dtype) * kind.achieved.clock * (achieved * self.attention.relative_rate()).min(1.0)
    }

    /// Returns the memory bandwidth of kernels with large operands in bytes per second.
    pub fn memory_rate(&self, kind: &DeviceKind) -> f64 {
        kind.bandwidth * self.memory.unwrap_or(kind.achieved.memory)
    }

    /// Returns the fraction of a link's bandwidth that large messages reach.
    pub fn link_share(&self, link: AchievedLink) -> f64 {
        self.link.unwrap_or(link.bandwidth)
    }

    /// Returns the seconds of a collective, given those at the full bandwidth of the data sheet.
    pub fn collective_seconds(&self, link: AchievedLink, seconds: f64) -> f64 {
        if seconds > 0.0 { link.setup + seconds / self.link_share(link) } else { 0.0 }
    }
}
