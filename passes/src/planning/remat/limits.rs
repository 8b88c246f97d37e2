//! Tuned limits of the choice of what is computed again.

/// How closely a budget of memory is used.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct RematLimits {
    /// Times that the budget of a chain is halved between what fits and what does not: it is found to a thousandth of
    /// the bytes.
    pub(super) halvings: usize,
    /// Steps in which the budget of a chain is counted. Time and memory of the choice grow with them.
    pub(super) budget_steps: usize,
    /// Ratio of bytes of an activation to those of all others alive from which on a layer may end at it.
    pub(super) boundary_ratio: u64,
}

impl RematLimits {
    /// The limits in use.
    pub(super) const TUNED: RematLimits = RematLimits { halvings: 10, budget_steps: 512, boundary_ratio: 64 };
}
