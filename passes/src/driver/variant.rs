//! Ways to one device's program that compute the same.

/// Which of equally cheap places are taken.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum When {
    /// The latest: what is pending at the end stays so until there.
    #[default]
    Latest,
    /// The earliest, so that reductions have begun while there is still something to compute.
    Earliest,
    /// Where sums arise, whatever that costs: what is left to later passes then.
    AtOnce,
}

/// What is done otherwise on the way to one device's program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Variant {
    /// Whether what nobody needs is taken away before anything is laid out, by `simplify`.
    pub is_simplified: bool,
    /// When partial sums are reduced.
    pub when: When,
    /// Whether collectives are rearranged, by `collectives`.
    pub is_rearranged: bool,
}
