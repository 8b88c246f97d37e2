//! `megatron`: pairs of layers, the first by columns and the second by rows, over the axis `model` ([Shoeybi et al.
//! 2019](https://arxiv.org/abs/1909.08053)).
//!
//! A dimension can be split between a pair of parameters when one gives it to activations (its columns) and another one
//! sums over it (its rows): hidden units of a feed-forward, heads of an attention from the queries, keys and values to
//! the output, channels of two convolutions. What lies between computes on pieces, and the pair communicates once,
//! where the sum is. What is normalised between (the residual stream, a softmax's classes) cannot be such a dimension.
//! A parameter is split in one dimension only, so that pairs are taken in program order as long as they do not meet.
//! The vocabulary is split, too: an embedding answers for its own rows, and the loss is computed on pieces of the
//! logits.

use super::Cx;
use super::model::Stem;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::mesh::AxisRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// The dimensions that are split, and what splits each.
pub type Cuts = FxHashMap<Stem, AxisRef>;

/// Lays out the parameters of each pair.
pub fn expand(cx: &mut Cx<'_>) -> Result<(), Diagnostic> {
    let Some(axis) = cx.axis("model") else { return Ok(()) };
    let cuts = cuts(cx, axis, true);
    cx.pairs = cuts.keys().copied().collect();
    if cuts.is_empty() {
        return Err(cx.nothing(
            "pairs of parameters of which the first gives activations a dimension that the second one sums over, and \
             for a vocabulary",
        ));
    }
    for param in cx.model.params.clone() {
        lay_out(cx, param, &cuts);
    }
    Ok(())
}

/// Splits the dimension of a parameter or input that is cut.
pub fn lay_out(cx: &mut Cx<'_>, value: ValueId, cuts: &Cuts) {
    let found = cx.model.dims(value).find_map(|(dim, stem)| Some((dim, *cuts.get(&stem)?)));
    if let Some((dim, axis)) = found {
        cx.split(value, dim, axis);
    }
}

/// Who gives a dimension to activations, and who sums over it.
#[derive(Default)]
struct Candidate {
    columns: Vec<ValueId>,
    rows: Vec<ValueId>,
}

impl Candidate {
    /// Whether there are two parameters to it.
    fn is_pair(&self) -> bool {
        self.columns.iter().any(|c| self.rows.iter().any(|r| r != c))
    }
}

/// The dimensions that are split over `model`, chosen in program order of what gives them. With `pairs`, only those
/// that a second parameter sums over.
pub fn cuts(cx: &Cx<'_>, axis: AxisRef, pairs: bool) -> Cuts {
    let model = &cx.model;
    let mut candidates: IndexMap<Stem, Candidate> = IndexMap::new();
    for product in model.contractions.iter().filter(|c| model.is_forward(c.op)) {
        for &stem in &product.gives {
            candidates.entry(stem).or_default().columns.push(product.param);
        }
        for &stem in &product.over {
            candidates.entry(stem).or_default().rows.push(product.param);
        }
    }
    // Those that nobody gives come first in no pair.
    candidates.retain(|_, c| !c.columns.is_empty());
    let vocabulary = vocabulary(cx, &candidates);
    // The parameters that have each stem, once for each dimension.
    let mut having: FxHashMap<Stem, Vec<ValueId>> = FxHashMap::default();
    for &param in &model.params {
        model.dims(param).for_each(|(_, stem)| having.entry(stem).or_default().push(param));
    }
    let mut taken: FxHashSet<ValueId> = FxHashSet::default();
    let mut cuts = Cuts::default();
    let mut take = |stem: Stem| {
        let members = having.get(&stem).map_or(&[][..], Vec::as_slice);
        let is_twice = members.windows(2).any(|w| w[0] == w[1]);
        if is_twice || members.iter().any(|param| taken.contains(param)) {
            return;
        }
        if let Some(axis) = fitting(axis, model.least(stem)) {
            taken.extend(members);
            cuts.insert(stem, axis);
        }
    };
    let is_first =
        |stem: Stem, c: &Candidate| vocabulary.contains(&stem) || c.is_pair() && !model.stiff.contains(&stem);
    vocabulary.iter().filter(|stem| !candidates.contains_key(*stem)).for_each(|&stem| take(stem));
    candidates.iter().filter(|(s, c)| is_first(**s, c)).for_each(|(&stem, _)| take(stem));
    if !pairs {
        let is_left = |stem: Stem, c: &Candidate| !is_first(stem, c) && !model.stiff.contains(&stem);
        candidates.iter().filter(|(s, c)| is_left(**s, c)).for_each(|(&stem, _)| take(stem));
    }
    cuts
}

/// As much of the axis as a dimension has pieces for; `None` when there is nothing to split.
fn fitting(axis: AxisRef, pieces: usize) -> Option<AxisRef> {
    if pieces >= axis.size as usize {
        return Some(axis);
    }
    let part = (1..=pieces as u32).rev().find(|n| axis.size.is_multiple_of(*n))?;
    axis.split(part).map(|(major, _)| major).filter(|a| a.size > 1)
}

/// The rows of the largest embedding, and classes of a loss: of logits, or as many as an embedding has rows.
fn vocabulary(cx: &Cx<'_>, candidates: &IndexMap<Stem, Candidate>) -> Vec<Stem> {
    let model = &cx.model;
    let lookups = model.lookups.iter().filter(|l| model.is_forward(l.op));
    let largest = lookups.max_by_key(|l| (l.count, std::cmp::Reverse(l.op)));
    let mut stems: Vec<Stem> = largest.iter().map(|l| l.rows).collect();
    for (&stem, candidate) in candidates {
        let is_lookup = model.lookups.iter().any(|l| l.rows == stem);
        let has_as_many = !candidate.is_pair() && largest.is_some_and(|l| l.count == model.least(stem));
        if (is_lookup || has_as_many || model.classes.contains(&stem)) && !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    stems
}
