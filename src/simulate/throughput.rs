//! Examples and tokens that a step processes.

use partita_ir::dtype::{DType, Type};
use partita_ir::program::{Form, Program};
use partita_passes::planning::name_dims::DimClasses;
use partita_passes::planning::presets::model::ModelStructure;

/// Minimum bits of token indices. Narrower integers are pixels, masks or quantised values.
const MIN_TOKEN_BITS: u32 = 16;

/// Number of examples and tokens of a step.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct BatchSize {
    /// Size of the batch dimension. `None` if it is unknown.
    pub(super) examples: Option<u64>,
    /// Elements of an integer input `[batch, sequence]`. `None` for a model without tokens.
    pub(super) tokens: Option<u64>,
}

impl BatchSize {
    /// Returns the batch of a model. The batch dimension is the one that presets infer.
    pub(super) fn new(model: &Program) -> BatchSize {
        if model.form != Form::Traced {
            return BatchSize::default();
        }
        let classes = DimClasses::new(model);
        let structure = ModelStructure::new(model, &classes);
        let data = structure.data.iter().map(|&value| (model.ty(value), structure.examples_dim(value)));
        let (tokens, others): (Vec<_>, Vec<_>) = data.partition(|&(ty, batch)| has_tokens(ty, batch));
        match tokens.into_iter().max_by_key(|(ty, _)| ty.shape.count()) {
            Some((ty, _)) => {
                let (count, sequence) = (ty.shape.count() as u64, ty.shape[ty.shape.rank() - 1] as u64);
                BatchSize { examples: Some(count / sequence.max(1)), tokens: Some(count) }
            }
            None => {
                let examples = others.into_iter().filter_map(|(ty, batch)| examples(ty, batch?)).max();
                BatchSize { examples, tokens: None }
            }
        }
    }
}

/// Returns true for indices of tokens: integers `[batch, sequence]`, possibly of several micro-batches. `batch` is the
/// batch dimension, which a batch of one example does not have.
fn has_tokens(ty: &Type, batch: Option<usize>) -> bool {
    let (rank, is_index) = (ty.shape.rank(), ty.dtype.is_int() && ty.dtype.bits() >= MIN_TOKEN_BITS);
    let leads = match batch {
        Some(dim) => dim + 1 < rank || is_single(ty),
        None => is_single(ty),
    };
    // Keys of random numbers are of this type.
    is_index && ty.dtype != DType::U32 && (2..=3).contains(&rank) && leads
}

/// Returns the size of the batch dimension of an input. In a batch of one example, presets may shard another dimension.
fn examples(ty: &Type, batch: usize) -> Option<u64> {
    let size = if is_single(ty) { Some(&1) } else { ty.shape.get(batch) };
    size.map(|&size| size as u64)
}

/// Returns true if the leading dimension of a tensor has one element.
fn is_single(ty: &Type) -> bool {
    ty.shape.rank() > 1 && ty.shape.first() == Some(&1)
}
