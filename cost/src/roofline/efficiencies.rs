//! Assumptions about kernels that the user can state instead of those of the machine file.

use partita_ir::dtype::DType;
use partita_ir::program::Phase;
use partita_machine::DeviceKind;
use partita_machine::profile::{AchievedLink, AchievedRates};

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
    /// Seconds of the host per kernel. `None` for those of the machine.
    pub issue: Option<f64>,
    /// Generation of the libraries.
    pub software: Software,
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

/// Time of the host to issue a kernel of a gradient, relative to that of a kernel of the model, in an eager framework:
/// PyTorch's engine for gradients is native code.
const GRADIENT_ISSUE: f64 = 0.5;

/// Generation of the libraries that provide products and attention.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Software {
    /// Libraries with the rates of the table `achieved` of the machine file.
    Current,
    /// Libraries with the rates of the table `earlier`, or of `achieved` without such a table.
    Earlier,
}

impl Software {
    /// All generations.
    pub const ALL: [Software; 2] = [Software::Current, Software::Earlier];

    /// Returns the name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Software::Current => "current",
            Software::Earlier => "earlier",
        }
    }
}

/// Generation of attention kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttentionKernels {
    /// Matrix products and softmax as separate kernels, which write the scores to memory.
    Written,
    /// FlashAttention (Dao et al. 2022), with half the rate of its successor (Dao 2023, section 4), which is that of
    /// earlier software.
    Flash1,
    /// The kernels whose achieved rate the machine file states.
    Tiled,
    /// FlashAttention-3 (Shah et al. 2024), on Hopper 1.75 times as fast as its predecessor in earlier software.
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

    /// Returns the rate relative to that of tiled attention in earlier software, or `None` for the kernels of the
    /// software in use.
    fn relative_rate(self) -> Option<f64> {
        match self {
            AttentionKernels::Written | AttentionKernels::Tiled => None,
            AttentionKernels::Flash1 => Some(0.57),
            AttentionKernels::Flash3 => Some(1.75),
        }
    }
}

/// Fusion of elementwise ops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fusion {
    /// With each other and into matrix products, as this compiler does.
    Products,
    /// With each other only, as `torch.compile` does. A bias is added by the product.
    Loops,
    /// Chains of elementwise ops with each other, as the kernels of Megatron-LM do. Norms and gradients are kernels.
    Chains,
    /// Not at all, as in eager frameworks. The gradient of an op is one kernel.
    None,
}

impl Fusion {
    /// All kinds of fusion.
    pub const ALL: [Fusion; 4] = [Fusion::Products, Fusion::Loops, Fusion::Chains, Fusion::None];

    /// Returns true if the device waits for the host between kernels. The host of a compiler for frameworks issues many
    /// kernels per call, so that only the time of all kernels together is known.
    pub fn waits_for_each_kernel(self) -> bool {
        match self {
            Fusion::Products | Fusion::Loops => false,
            Fusion::Chains | Fusion::None => true,
        }
    }

    /// Returns the name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Fusion::Products => "products",
            Fusion::Loops => "loops",
            Fusion::Chains => "chains",
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
            issue: None,
            software: Software::Current,
            attention: AttentionKernels::Tiled,
            fusion: Fusion::Products,
            prefetches_gathers: false,
        }
    }
}

impl Efficiencies {
    /// Returns the fractions that the software in use reaches.
    fn achieved<'k>(&self, kind: &'k DeviceKind) -> &'k AchievedRates {
        match self.software {
            Software::Current => &kind.achieved,
            Software::Earlier => kind.earlier_rates(),
        }
    }

    /// Returns the rate of large matrix products in operations per second.
    pub fn product_rate(&self, kind: &DeviceKind, dtype: DType) -> f64 {
        let achieved = self.achieved(kind);
        kind.rate(dtype) * achieved.clock * self.matmul.unwrap_or_else(|| achieved.products_of(dtype))
    }

    /// Returns the rate of tiled attention with 128 features per head in operations per second.
    pub fn attention_rate(&self, kind: &DeviceKind, dtype: DType, is_gradient: bool) -> f64 {
        let share = |rates: &AchievedRates| if is_gradient { rates.attention_grad } else { rates.attention };
        let in_use = self.achieved(kind);
        let relative = self.attention.relative_rate();
        let achieved = relative.map_or_else(|| share(in_use), |relative| relative * share(kind.earlier_rates()));
        kind.rate(dtype) * in_use.clock * achieved.min(1.0)
    }

    /// Returns the memory bandwidth of kernels with large operands in bytes per second.
    pub fn memory_rate(&self, kind: &DeviceKind) -> f64 {
        kind.bandwidth * self.memory.unwrap_or(self.achieved(kind).memory)
    }

    /// Returns the seconds that the host needs to issue a kernel of a phase. A compiled program issues no kernels one
    /// by one, and an eager framework computes gradients without its interpreter.
    pub fn issue_seconds(&self, kind: &DeviceKind, phase: Phase) -> f64 {
        let issue = self.issue.unwrap_or(kind.kernels.issue);
        match (self.fusion, phase) {
            (Fusion::Products, _) => 0.0,
            (Fusion::Chains | Fusion::None, Phase::BackwardInput | Phase::BackwardWeight) => GRADIENT_ISSUE * issue,
            (Fusion::Loops | Fusion::Chains | Fusion::None, _) => issue,
        }
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
