//! Tuned limits of the choice of recomputation policies.

/// Precision with which a memory budget is used, and prices of recomputation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct RematLimits {
    /// Number of bisections of the chain's budget. Ten find it to a thousandth of the bytes.
    pub(super) halvings: usize,
    /// Number of steps into which the budget of a chain is quantised. Time and memory of the choice are proportional to
    /// it.
    pub(super) budget_steps: usize,
    /// Minimum ratio of the bytes of an activation to those of all other live activations, for a layer to end at it.
    pub(super) boundary_ratio: u64,
    /// FLOPs that take as long as one byte of memory traffic, in the order of recomputation. Accelerators of the last
    /// generations have 150 to 300 in 16 bits: an H100 with 989 TFLOP/s and 3.35 TB/s, of which products reach 70 %.
    pub(super) flops_per_byte: u64,
    /// Bytes of memory traffic that take as long as one byte of a result that is reduced over devices, in the order of
    /// recomputation: two passes over links of an eighth of the memory bandwidth.
    pub(super) reduction_cost: u64,
}

impl RematLimits {
    /// Limits in use.
    pub(super) const TUNED: RematLimits =
        RematLimits { halvings: 10, budget_steps: 512, boundary_ratio: 64, flops_per_byte: 200, reduction_cost: 16 };
}
