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
    /// Directly before the ops that need the reduced value, regardless of the cost, and after the loops that write
    /// partial sums to slices of a stack. With the other placements these are reduced in each iteration, and overlap
    /// with later ones.
    AtReader,
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
