//! Variants of the lowering to one device's program, which compute the same results.

/// Placement of the reductions of partial sums. `Latest` and `Earliest` select among the cheapest placements.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ReductionPlacement {
    /// The latest of the cheapest placements: a value that is still partial at an output is reduced there.
    #[default]
    Latest,
    /// The earliest of the cheapest placements, so that reductions overlap with later computation.
    Earliest,
    /// Directly after the op that produces the partial sum, regardless of the cost. Later passes then move the
    /// reduction.
    AtProducer,
}

/// Options of the lowering to one device's program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Variant {
    /// True if `simplify` removes redundant ops before layouts are assigned.
    pub is_simplified: bool,
    /// Placement of the reductions of partial sums.
    pub reductions: ReductionPlacement,
    /// True if the pass `collectives` rearranges collectives.
    pub is_rearranged: bool,
}
