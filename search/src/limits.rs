//! Limits of a search: the effort that a user sets, and tuned numbers.

use std::fmt;

/// Effort of the choice of layouts on one mesh.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    /// Entries of the largest cost table. A choice that needs a larger one is approximate, with a bound.
    pub widest: usize,
    /// Entries of cost tables that are computed in all.
    pub work: u64,
    /// Share of its cost by which a choice may be above the bound.
    pub gap: f64,
    /// Solver of the linear programs that price limits.
    pub solver: Solver,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { widest: 1 << 18, work: 1 << 24, gap: 2e-3, solver: Solver::default() }
    }
}

/// Solver of linear programs. All solvers find the same value.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Solver {
    /// microlp, in Rust without dependencies: fast for programs as small as these.
    #[default]
    Microlp,
    /// HiGHS (Huangfu and Hall 2018), on one thread: its build needs CMake, a C++ compiler and libclang.
    #[cfg(feature = "highs")]
    Highs,
}

impl Solver {
    /// All solvers of this build.
    pub const BUILT: &[Solver] = &[
        Solver::Microlp,
        #[cfg(feature = "highs")]
        Solver::Highs,
    ];
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Solver::Microlp => "microlp",
            #[cfg(feature = "highs")]
            Solver::Highs => "highs",
        })
    }
}

/// Limits of single stages of a search, beside those that a user sets with [`Effort`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchLimits {
    /// Ops of the largest step for which variants are compared. Planning one variant of more ops takes longer than is
    /// gained.
    pub autotuned_ops: usize,
    /// Share of a step's seconds that a variant must save. It is above the rounding of predictions, and below any real
    /// saving.
    pub least_saving: f64,
    /// Share by which a step may be longer than the shortest one: bounds on the slowest stage that are closer are tried
    /// as one.
    pub stage_gap: f64,
    /// Cost of moving a byte in operations, for the cut of a model into layers of equal cost. It is of the order of a
    /// GPU's ratio of arithmetic to bandwidth; only the ends of layers depend on it.
    pub flops_per_byte: f64,
    /// Share of its cost by which a choice may be above the bound, so that no more mixtures of reductions and backward
    /// pass are tried.
    pub mixture_gap: f64,
    /// Rounds in which prices of limits are looked for. Most searches end after a few, when the bound stops rising.
    pub price_rounds: usize,
    /// Share of a cost that counts as rounding.
    pub rounding: f64,
    /// Price of a limit, in units of costs, above that of any limit that can be kept.
    pub highest_price: f64,
    /// Dimensions of a parameter from which on it may be stored otherwise than it is used: those of fewer are small.
    pub stored_dims: usize,
    /// Rounds in which entries are added to a plan for what propagation finds otherwise; what is left after them is
    /// left to it.
    pub plan_rounds: usize,
    /// Times that a plan is read again, to see what propagation makes of it.
    pub plan_readings: usize,
    /// Bytes of a transfer between two plans that is not divided among several senders.
    pub least_transfer: u64,
}

impl SearchLimits {
    /// The limits in use.
    pub const TUNED: SearchLimits = SearchLimits {
        autotuned_ops: 4_000,
        least_saving: 1e-6,
        stage_gap: 2e-3,
        flops_per_byte: 100.0,
        mixture_gap: 5e-3,
        price_rounds: 60,
        rounding: 1e-9,
        highest_price: 1e6,
        stored_dims: 2,
        plan_rounds: 16,
        plan_readings: 4,
        least_transfer: 4096,
    };
}

/// Limits of the configurations that are considered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ConfigLimits {
    /// Stages of a pipeline.
    pub(crate) stages: usize,
    /// Micro-batches per stage at least, if the batch can be divided into so many: with fewer, stages are often idle.
    pub(crate) least_micro_batches: u64,
    /// Micro-batches per stage at most.
    pub(crate) most_micro_batches: u64,
    /// Size of the inner axis of a mesh of two: devices within a node, or close to it.
    pub(crate) inner_axis: u32,
    /// Axes of a mesh whose orders on the machine are all considered.
    pub(crate) ordered_axes: usize,
}

impl ConfigLimits {
    /// The limits in use.
    pub(crate) const TUNED: ConfigLimits =
        ConfigLimits { stages: 64, least_micro_batches: 4, most_micro_batches: 32, inner_axis: 64, ordered_axes: 3 };
}

/// Limits of pricing configurations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PricingLimits {
    /// Ops of all configurations together from which on only configurations near good ones are priced.
    pub(crate) exhaustive_ops: usize,
    /// Factor by which a mesh may be slower than the best one, so that meshes behind it are priced, too.
    pub(crate) mesh_slack: f64,
    /// Factor by which a number of stages may be slower than the best one on the usual mesh, so that other meshes are
    /// priced.
    pub(crate) stages_slack: f64,
    /// Chunks of a stage by the schedule that lets stages wait least.
    pub(crate) most_chunks: f64,
    /// Layers of a step that is cut into unequal stages, about.
    pub(crate) layers: usize,
    /// Ops of a step on all submeshes together above which stages are equal.
    pub(crate) submesh_ops: usize,
    /// Devices above which stages are equal.
    pub(crate) submesh_devices: usize,
    /// Numbers of micro-batches for which unequal stages are considered.
    pub(crate) submesh_micro_batches: usize,
}

impl PricingLimits {
    /// The limits in use.
    pub(crate) const TUNED: PricingLimits = PricingLimits {
        exhaustive_ops: 150_000,
        mesh_slack: 1.15,
        stages_slack: 2.0,
        most_chunks: 4.0,
        layers: 32,
        submesh_ops: 200_000,
        submesh_devices: 32,
        submesh_micro_batches: 2,
    };
}

/// Limits of the refinement of plans by simulation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct RefinementLimits {
    /// Factor by which a price may be above the best one, so that its plan is simulated ahead of time; for a small
    /// model, by which it may be above the best simulated time at all.
    pub(crate) price_slack: f64,
    /// Share of the least ratio of simulated to priced seconds that other plans are expected to reach.
    pub(crate) price_trust: f64,
    /// Factor by which a plan may be slower than the best one, so that it is refined.
    pub(crate) time_slack: f64,
    /// Ops of all simulated programs, and as many more for each priced configuration.
    pub(crate) ops: (usize, usize),
    /// Plans that are simulated however many ops they have, and at most for many configurations.
    pub(crate) plans: (usize, usize),
    /// Share of these for the first plan of each configuration; the rest refines the best.
    pub(crate) first_share: f64,
    /// Factor over the memory limit beyond which a plan is far from fitting, whatever is recomputed.
    pub(crate) memory_slack: f64,
    /// Share of the memory limit that layouts may fill where a plan did not fit.
    pub(crate) memory_margin: f64,
    /// Configurations whose layouts are refined.
    pub(crate) refined_configs: usize,
    /// Sets of assumptions for which layouts of a large model are refined.
    pub(crate) large_assumptions: usize,
    /// Plans of a single stage that are also simulated with a schedule.
    pub(crate) scheduled_plans: usize,
    /// Plans that are lowered in several variants.
    pub(crate) autotuned_plans: usize,
    /// Configurations whose memory is reported where nothing fits.
    pub(crate) smallest_configs: usize,
}

impl RefinementLimits {
    /// The limits in use.
    pub(crate) const TUNED: RefinementLimits = RefinementLimits {
        price_slack: 1.3,
        price_trust: 0.9,
        time_slack: 1.1,
        ops: (60_000, 6_000),
        plans: (4, 16),
        first_share: 0.5,
        memory_slack: 2.0,
        memory_margin: 0.97,
        refined_configs: 4,
        large_assumptions: 1,
        scheduled_plans: 4,
        autotuned_plans: 8,
        smallest_configs: 8,
    };
}
