//! Tuned limits of the choice of recomputation policies.

/// Precision with which a memory budget is used.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct RematLimits {
    /// Number of bisections of the chain's budget. Ten find it to a thousandth of the bytes.
    pub(super) halvings: usize,
    /// Number of steps into which the budget of a chain is quantised. Time and memory of the choice are proportional to
    /// it.
    pub(super) budget_steps: usize,
    /// Minimum ratio of the bytes of an activation to those of all other live activations, for a layer to end at it.
    pub(super) boundary_ratio: u64,
}

impl RematLimits {
    /// Limits in use.
    pub(super) const TUNED: RematLimits = RematLimits { halvings: 10, budget_steps: 512, boundary_ratio: 64 };
}
