//! Preset `megatron`: tensor parallelism over the axis `model`, with a column-parallel layer followed by a row-parallel
//! one ([Shoeybi et al. 2019](https://arxiv.org/abs/1909.08053)).
//!
//! A dimension can be sharded between two parameters if one produces it in activations (column parallel) and the other
//! contracts it (row parallel): hidden units of a feed-forward, attention heads from queries, keys and values to the
//! output projection, channels of two convolutions. Ops in between compute on shards, and the pair needs one reduction,
//! at the contraction. Dimensions that are normalised in between (the residual stream, the classes of a softmax) are
//! excluded. A parameter is sharded along one dimension only, so pairs are chosen greedily in program order. The
//! vocabulary is sharded too: each device looks up its own rows of an embedding, and the loss is computed on shards of
//! the logits.

use super::PresetContext;
use super::model::{EmbeddingLookup, Stem};
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::mesh::AxisRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// Sharded dimensions, each with its axis.
pub type ShardedDims = FxHashMap<Stem, AxisRef>;

/// Expands `megatron`: shards the parameters of each pair, and the vocabulary.
///
/// # Errors
/// `L014` if the model has no such pair and no vocabulary.
pub fn expand(cx: &mut PresetContext<'_>) -> Result<(), Diagnostic> {
    let Some(axis) = cx.axis("model") else { return Ok(()) };
    let sharded_dims = sharded_dims(cx, axis, true);
    cx.megatron_dims = sharded_dims.keys().copied().collect();
    if sharded_dims.is_empty() {
        return Err(cx.pattern_not_found(
            "two parameters, of which the first produces a dimension of activations that the second contracts, or a \
             vocabulary",
        ));
    }
    for param in cx.model.params.clone() {
        shard_matching_dim(cx, param, &sharded_dims);
    }
    Ok(())
}

/// Shards the dimension of a parameter or input that `sharded_dims` contains.
pub fn shard_matching_dim(cx: &mut PresetContext<'_>, value: ValueId, sharded_dims: &ShardedDims) {
    let found = cx.model.dims(value).find_map(|(dim, stem)| Some((dim, *sharded_dims.get(&stem)?)));
    if let Some((dim, axis)) = found {
        cx.shard(value, dim, axis);
    }
}

/// Parameters that produce a dimension in activations (`columns`) and that contract it (`rows`).
#[derive(Default)]
struct Candidate {
    columns: Vec<ValueId>,
    rows: Vec<ValueId>,
}

impl Candidate {
    /// Returns true if the dimension connects two parameters.
    fn is_pair(&self) -> bool {
        self.columns.iter().any(|c| self.rows.iter().any(|r| r != c))
    }
}

/// Returns the dimensions to shard over `model`, chosen in program order of the parameters that produce them. With
/// `pairs`, a second parameter must contract each dimension.
pub fn sharded_dims(cx: &PresetContext<'_>, axis: AxisRef, pairs: bool) -> ShardedDims {
    let model = &cx.model;
    let mut candidates: IndexMap<Stem, Candidate> = IndexMap::new();
    let products = || model.contractions.iter().filter(|c| model.is_forward(c.op));
    for product in products() {
        for &stem in &product.produced {
            candidates.entry(stem).or_default().columns.push(product.param);
        }
    }
    // A pair needs a parameter that produces the dimension.
    for product in products() {
        for stem in &product.contracted {
            candidates.get_mut(stem).into_iter().for_each(|candidate| candidate.rows.push(product.param));
        }
    }
    let vocabulary = vocabulary(cx, &candidates);
    // For each stem, the parameters that have it, repeated for each dimension.
    let mut params_with_stem: FxHashMap<Stem, Vec<ValueId>> = FxHashMap::default();
    for &param in &model.params {
        model.dims(param).for_each(|(_, stem)| params_with_stem.entry(stem).or_default().push(param));
    }
    let mut taken: FxHashSet<ValueId> = FxHashSet::default();
    let mut sharded_dims = ShardedDims::default();
    let mut take = |stem: Stem| {
        let members = params_with_stem.get(&stem).map_or(&[][..], Vec::as_slice);
        let is_twice = members.windows(2).any(|w| w[0] == w[1]);
        if is_twice || members.iter().any(|param| taken.contains(param)) {
            return;
        }
        if let Some(axis) = largest_sub_axis(axis, model.min_size(stem)) {
            taken.extend(members);
            sharded_dims.insert(stem, axis);
        }
    };
    let is_first =
        |stem: Stem, c: &Candidate| vocabulary.contains(&stem) || c.is_pair() && !model.costly_stems.contains(&stem);
    vocabulary.iter().filter(|stem| !candidates.contains_key(*stem)).for_each(|&stem| take(stem));
    candidates.iter().filter(|(s, c)| is_first(**s, c)).for_each(|(&stem, _)| take(stem));
    if !pairs {
        let is_left = |stem: Stem, c: &Candidate| !is_first(stem, c) && !model.costly_stems.contains(&stem);
        candidates.iter().filter(|(s, c)| is_left(**s, c)).for_each(|(&stem, _)| take(stem));
    }
    sharded_dims
}

/// Returns the largest part of the axis with at most `max_shards` devices; `None` if that is a single device.
fn largest_sub_axis(axis: AxisRef, max_shards: usize) -> Option<AxisRef> {
    if max_shards >= axis.size as usize {
        return Some(axis);
    }
    let part = (1..=max_shards as u32).rev().find(|n| axis.size.is_multiple_of(*n))?;
    axis.split(part).map(|(major, _)| major).filter(|a| a.size > 1)
}

/// Returns the rows of the largest embeddings, such as those of a model and its reference model, and the classes of a
/// loss: those of logits, or as many as the embedding has rows.
fn vocabulary(cx: &PresetContext<'_>, candidates: &IndexMap<Stem, Candidate>) -> Vec<Stem> {
    let model = &cx.model;
    let lookups = || model.lookups.iter().filter(|l| model.is_forward(l.op));
    // Tables of positions may have as many rows, but narrower ones.
    let table = |l: &EmbeddingLookup| (l.count, model.program.ty(model.program.ops[l.op].args[0]).shape.count());
    let largest_table = lookups().map(table).max();
    let largest = largest_table.map(|(rows, _)| rows);
    let mut stems: Vec<Stem> = Vec::new();
    for lookup in lookups().filter(|l| Some(table(l)) == largest_table) {
        if !stems.contains(&lookup.rows) {
            stems.push(lookup.rows);
        }
    }
    for (&stem, candidate) in candidates {
        let is_lookup = model.lookups.iter().any(|l| l.rows == stem);
        let has_as_many = !candidate.is_pair() && largest == Some(model.min_size(stem));
        if (is_lookup || has_as_many || model.classes.contains(&stem)) && !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    stems
}
