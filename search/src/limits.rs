//! Limits of a search: the effort set by the user, and tuned constants.

/// Effort of the layout selection on one mesh.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    /// Maximum entries of a cost table. An elimination that needs a larger table is approximate, with a lower bound.
    pub max_table_entries: usize,
    /// Maximum number of cost table entries computed in total.
    pub max_work: u64,
    /// Relative gap between cost and lower bound at which a solution is accepted.
    pub gap: f64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { max_table_entries: 1 << 18, max_work: 1 << 24, gap: 2e-3 }
    }
}

/// Tuned limits of individual search stages, in addition to the user's [`Effort`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchLimits {
    /// Maximum number of ops of a step for which lowering variants are compared. Above this, lowering one variant takes
    /// longer than it saves.
    pub max_autotuned_ops: usize,
    /// Minimum relative reduction of the step time for a variant to be selected. Above the rounding error of
    /// predictions and below any real improvement.
    pub min_saving: f64,
    /// Minimum relative reduction of the step time by a plan on more devices than another one.
    pub min_saving_of_devices: f64,
    /// Relative tolerance of the step time in stage assignment. Bounds on the slowest stage that differ by less are
    /// tried once.
    pub stage_gap: f64,
    /// Cost of moving a byte in floating-point operations, used to partition a model into layers of equal cost. Of the
    /// order of a GPU's ratio of arithmetic to bandwidth; only the boundaries of layers depend on it.
    pub flops_per_byte: f64,
    /// Relative gap at which no further interpolations of overlap assumptions are tried.
    pub interpolation_gap: f64,
    /// Maximum rounds of dual price updates. Most searches converge after a few.
    pub max_price_rounds: usize,
    /// Relative rounding error of costs.
    pub rounding: f64,
    /// Maximum dual price of a limit in units of cost, above the price of any limit that can be satisfied.
    pub max_price: f64,
    /// Minimum number of dimensions of a parameter with a separate storage layout. Parameters with fewer dimensions are
    /// small.
    pub min_stored_dims: usize,
    /// Maximum rounds in which entries are added to a plan to correct the result of propagation. Remaining differences
    /// are accepted.
    pub max_plan_rounds: usize,
    /// Maximum number of times a plan is applied again to check the result of propagation.
    pub max_plan_applications: usize,
    /// Minimum size in bytes of a transfer between two plans that is divided among several senders.
    pub min_split_transfer_bytes: u64,
}

impl SearchLimits {
    /// The limits in use.
    pub const TUNED: SearchLimits = SearchLimits {
        max_autotuned_ops: 4_000,
        min_saving: 1e-6,
        min_saving_of_devices: 0.002,
        stage_gap: 2e-3,
        flops_per_byte: 100.0,
        interpolation_gap: 5e-3,
        max_price_rounds: 60,
        rounding: 1e-9,
        max_price: 1e6,
        min_stored_dims: 2,
        max_plan_rounds: 16,
        max_plan_applications: 4,
        min_split_transfer_bytes: 4096,
    };
}

/// Limits of the enumerated configurations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ConfigLimits {
    /// Maximum number of pipeline stages.
    pub(crate) max_stages: usize,
    /// Minimum micro-batches per stage, if the batch is divisible accordingly. Fewer micro-batches cause large bubbles.
    pub(crate) min_micro_batches: u64,
    /// Maximum micro-batches per stage.
    pub(crate) max_micro_batches: u64,
    /// Maximum size of the inner axis of a two-dimensional mesh, whose devices are in the same node or close to each
    /// other.
    pub(crate) max_inner_axis: u32,
    /// Maximum number of mesh axes for which all orders on the machine are considered.
    pub(crate) max_ordered_axes: usize,
}

impl ConfigLimits {
    /// The limits in use.
    pub(crate) const TUNED: ConfigLimits = ConfigLimits {
        max_stages: 64,
        min_micro_batches: 4,
        max_micro_batches: 32,
        max_inner_axis: 64,
        max_ordered_axes: 3,
    };
}

/// Limits of pricing configurations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PricingLimits {
    /// Total number of ops of all configurations above which only configurations near good ones are priced.
    pub(crate) exhaustive_ops: usize,
    /// Maximum factor over the best mesh at which further meshes in the same direction are priced.
    pub(crate) mesh_slack: f64,
    /// Maximum factor over the best number of stages, on the usual mesh, at which other meshes of a number of stages
    /// are priced.
    pub(crate) stages_slack: f64,
    /// Chunks per stage of the schedule with the smallest bubble.
    pub(crate) min_bubble_chunks: f64,
    /// Approximate number of layers of a step that is partitioned into unequal stages.
    pub(crate) layers: usize,
    /// Maximum total number of ops on all submeshes for which unequal stages are considered.
    pub(crate) max_submesh_ops: usize,
    /// Maximum number of devices for which unequal stages are considered.
    pub(crate) max_submesh_devices: usize,
    /// Maximum number of micro-batch counts for which unequal stages are considered.
    pub(crate) max_submesh_micro_batches: usize,
}

impl PricingLimits {
    /// The limits in use.
    pub(crate) const TUNED: PricingLimits = PricingLimits {
        exhaustive_ops: 150_000,
        mesh_slack: 1.15,
        stages_slack: 2.0,
        min_bubble_chunks: 4.0,
        layers: 32,
        max_submesh_ops: 200_000,
        max_submesh_devices: 32,
        max_submesh_micro_batches: 2,
    };
}

/// Limits of the refinement of plans by simulation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct RefinementLimits {
    /// Maximum factor over the best estimate at which a plan is simulated in advance. For a small model, also the
    /// maximum factor over the best simulated time at which a plan is simulated at all.
    pub(crate) price_slack: f64,
    /// Fraction of the smallest ratio of simulated to estimated seconds that other plans are expected to reach.
    pub(crate) price_trust: f64,
    /// Maximum factor over the fastest plan at which a plan is refined.
    pub(crate) time_slack: f64,
    /// Ops of simulated steps: a fixed number, and a number for each priced configuration. The simulation budget is
    /// used up when more ops than their total have been simulated, and the number of plans according to `plans`.
    pub(crate) ops: (usize, usize),
    /// Plans that are simulated even if they exceed `ops`: a fixed number in addition to one for each priced
    /// configuration, and the maximum of this sum.
    pub(crate) plans: (usize, usize),
    /// Fraction of the budget for the first plan of each configuration. The rest refines the best plans.
    pub(crate) first_share: f64,
    /// Factor over the memory limit above which a plan is expected not to fit with any recomputation.
    pub(crate) memory_slack: f64,
    /// Fraction of the memory limit for layouts after a plan did not fit.
    pub(crate) memory_margin: f64,
    /// Maximum number of configurations with refined layouts.
    pub(crate) max_refined_configs: usize,
    /// Number of assumptions used to refine layouts of a large model.
    pub(crate) large_model_assumptions: usize,
    /// Maximum number of single-stage plans that are also simulated with a schedule.
    pub(crate) max_scheduled_plans: usize,
    /// Maximum number of plans that are simulated with several sizes of buckets.
    pub(crate) max_bucketed_plans: usize,
    /// Maximum number of plans lowered in several variants.
    pub(crate) max_autotuned_plans: usize,
    /// Number of ops of a step above which lowering variants are not compared.
    pub(crate) large_ops: usize,
    /// Factor over its estimate above which a plan lowered in full is also tried with the stages of the estimate.
    pub(crate) estimate_slack: f64,
    /// Factor over the step time by which stages may be slower that begin where a parameter is first read, rather than
    /// at the ops before.
    pub(crate) stage_slack: f64,
    /// Total number of ops of the steps of the best plans that are lowered in full.
    pub(crate) exact_ops: usize,
    /// Number of the best plans that are lowered in full in any case: the chosen one and the runner-up.
    pub(crate) min_exact_plans: usize,
    /// Maximum number of configurations whose memory is reported if nothing fits.
    pub(crate) max_reported_configs: usize,
    /// Size of the smallest bucket of gradients that is tried, in bytes.
    pub(crate) min_bucket: u64,
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
        max_refined_configs: 4,
        large_model_assumptions: 1,
        max_scheduled_plans: 4,
        max_bucketed_plans: 3,
        max_autotuned_plans: 8,
        large_ops: 4_000,
        estimate_slack: 1.01,
        stage_slack: 1.002,
        exact_ops: 20_000,
        min_exact_plans: 2,
        max_reported_configs: 8,
        min_bucket: 64 << 10,
    };
}

/// Limits of the exploration of compositions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ExploreLimits {
    /// Number of expansions without improvement after which the exploration ends.
    pub(crate) patience: usize,
    /// Maximum number of compositions that are evaluated.
    pub(crate) max_compositions: usize,
    /// Number of compositions that are evaluated between two checks of the deadline.
    pub(crate) batch: usize,
    /// Factor over the memory limit above which a composition is expected not to fit with less recomputation either.
    pub(crate) recompute_slack: f64,
    /// Minimum number of buckets for the gradients of a device.
    pub(crate) min_buckets: u64,
    /// Maximum factor over the best starting point at which compositions with one stage, or with several, are explored.
    pub(crate) group_slack: f64,
    /// Maximum factor over the best composition at which a change of a decision is tried, if its effect on the step
    /// time is known from others.
    pub(crate) change_slack: f64,
    /// Relative reduction of the best step time after which the neighbours of the new best composition are evaluated
    /// before the rest.
    pub(crate) improvement: f64,
    /// Maximum factor over the best composition at which layouts are solved for a configuration.
    pub(crate) solve_slack: f64,
    /// Number of ops of the steps for which layouts are solved.
    pub(crate) solved_ops: usize,
    /// Minimum and maximum number of configurations for which layouts are solved.
    pub(crate) solved_configs: (usize, usize),
}

impl ExploreLimits {
    /// The limits in use.
    pub(crate) const TUNED: ExploreLimits = ExploreLimits {
        patience: 4,
        max_compositions: 400,
        batch: 8,
        recompute_slack: 1.25,
        min_buckets: 4,
        group_slack: 1.5,
        change_slack: 1.05,
        improvement: 0.01,
        solve_slack: 1.3,
        solved_ops: 8_000,
        solved_configs: (2, 12),
    };
}

/// Limits of the lower bound of the step time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct BoundLimits {
    /// Maximum number of mesh axes of a stage for which communication is part of the bound. The number of layouts of a
    /// value grows exponentially with it.
    pub(crate) max_axes: usize,
    /// Maximum number of mesh axes of a stage that are distinct even if their sizes are equal.
    pub(crate) max_distinct_axes: usize,
    /// Maximum number of devices to which the fastest route is searched for.
    pub(crate) max_routes: usize,
    /// Maximum number of ops for which layouts and communication are part of the bound.
    pub(crate) max_ops: usize,
    /// Maximum number of micro-batches whose kernels are part of the bound. If they are parts of sequences, each
    /// attention of their step has a ring with as many members.
    pub(crate) max_micro_batches: u64,
    /// Maximum number of weighted means for which layouts are optimised.
    pub(crate) rounds: usize,
    /// Maximum number of weighted means for a part of the layouts.
    pub(crate) part_rounds: usize,
    /// Maximum number of costs of collectives in all minimisations of weighted means together.
    pub(crate) max_entries: usize,
    /// Maximum number of table entries computed in all minimisations of weighted means together.
    pub(crate) max_work: u64,
    /// Maximum number of reshards whose costs are computed for a number of devices and of micro-batches.
    pub(crate) max_reshards: usize,
    /// Number of layouts whose strategies are compared for the division into parts.
    pub(crate) compared_layouts: usize,
    /// Relative improvement below which no further weights are tried.
    pub(crate) gap: f64,
    /// Relative difference below which a plan does not contradict the bound.
    pub(crate) tolerance: f64,
}

impl BoundLimits {
    /// The limits in use.
    pub(crate) const TUNED: BoundLimits = BoundLimits {
        max_axes: 3,
        max_distinct_axes: 2,
        max_routes: 64,
        max_ops: 3_000,
        max_micro_batches: 32,
        rounds: 40,
        part_rounds: 10,
        max_entries: 1_000_000,
        max_work: 300_000_000,
        max_reshards: 20_000,
        compared_layouts: 8,
        gap: 5e-3,
        tolerance: 1e-6,
    };
}
