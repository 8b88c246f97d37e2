//! Tuned limits of the search: how closely layouts and stages are looked for, and how large a step may be.

/// Limits beside those that a user sets with [`Effort`](crate::Effort).
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
