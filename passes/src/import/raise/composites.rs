//! Patterns of composite ops, by the op that their decomposition ends in.
//!
//! Recogniser: a composite in another form stays decomposed, which is equivalent.

use super::attention::attention;
use super::batched::{batched_gather, batched_scatter};
use super::gelu::gelu;
use super::loss::{cross_entropy, log_likelihood, negative_log_likelihood, negative_loss, positive_loss};
use super::norm::{batch_norm, layer_norm, rms_norm, shifted_norm};
use super::pattern::{Match, OperandDims, Term};
use super::softmax::{log_softmax, softmax};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Transpose, UnaryOp};
use partita_ir::program::Values;
use partita_ir::syntax::attr::Dims;

/// Replacement of matched ops.
pub struct Composite {
    /// Operands of the replacement.
    pub args: Values,
    /// Ops of the replacement.
    pub body: Body,
}

/// Ops of a replacement.
pub enum Body {
    /// A single op on the operands.
    One(Box<OpKind>),
    /// The composite with ops before and after it. The last op defines the result.
    Several(Box<dyn FnOnce(&mut Builder<'_>)>),
}

impl Composite {
    /// Returns a replacement by a single op of the terms' values.
    pub fn one(kind: impl Into<OpKind>, args: impl IntoIterator<Item = Term>) -> Composite {
        Composite { args: args.into_iter().map(|term| term.value).collect(), body: Body::One(Box::new(kind.into())) }
    }

    /// Returns a replacement by several ops that read `args`.
    pub fn several(
        args: impl IntoIterator<Item = ValueId>,
        build: impl FnOnce(&mut Builder<'_>) + 'static,
    ) -> Composite {
        Composite { args: args.into_iter().collect(), body: Body::Several(Box::new(build)) }
    }
}

/// Declares the raised composites: a variant with its pattern each.
macro_rules! raises {
    ($($(#[$doc:meta])* $name:ident = $pattern:ident,)*) => {
        /// Kind of a raised composite.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum CompositeKind {
            $($(#[$doc])* $name,)*
        }

        impl CompositeKind {
            /// All kinds.
            pub const ALL: &[CompositeKind] = &[$(CompositeKind::$name),*];

            /// Matches the composite that defines the root of the match.
            pub(super) fn find(self, m: &mut Match<'_>) -> Option<Composite> {
                match self {
                    $(CompositeKind::$name => $pattern(m),)*
                }
            }
        }
    };
}

raises! {
    /// Softmax.
    Softmax = softmax,
    /// Log-softmax.
    LogSoftmax = log_softmax,
    /// Layer norm with `gamma`.
    LayerNorm = layer_norm,
    /// Layer norm with `gamma` and `beta`.
    ShiftedNorm = shifted_norm,
    /// RMS norm.
    RmsNorm = rms_norm,
    /// Batch norm.
    BatchNorm = batch_norm,
    /// Gelu.
    Gelu = gelu,
    /// Cross-entropy of logits minus their maximum.
    CrossEntropy = cross_entropy,
    /// Cross-entropy of unmodified logits.
    LogLikelihood = log_likelihood,
    /// Cross-entropy of a log-softmax.
    NegativeLogLikelihood = negative_log_likelihood,
    /// Negative cross-entropy of a log-softmax.
    NegativeLoss = negative_loss,
    /// Negation of a [`CompositeKind::NegativeLoss`].
    PositiveLoss = positive_loss,
    /// Attention.
    Attention = attention,
    /// Gather at positions in a dimension of the indices.
    BatchedGather = batched_gather,
    /// Scatter at positions in a dimension of the indices.
    BatchedScatter = batched_scatter,
}

/// Returns the composites whose decomposition may end in an op of this kind.
pub fn patterns(kind: &OpKind) -> &'static [CompositeKind] {
    match kind {
        OpKind::Binary(b) => match b.op {
            BinaryOp::Div => &[CompositeKind::Softmax, CompositeKind::LayerNorm, CompositeKind::RmsNorm],
            BinaryOp::Sub => &[CompositeKind::LogSoftmax, CompositeKind::CrossEntropy, CompositeKind::LogLikelihood],
            BinaryOp::Mul => &[CompositeKind::LayerNorm, CompositeKind::RmsNorm, CompositeKind::Gelu],
            BinaryOp::Add => &[CompositeKind::ShiftedNorm, CompositeKind::BatchNorm],
            _ => &[],
        },
        OpKind::Unary(u) if u.op == UnaryOp::Neg => {
            &[CompositeKind::NegativeLogLikelihood, CompositeKind::PositiveLoss]
        }
        OpKind::Select(_) => &[CompositeKind::NegativeLoss],
        OpKind::DotGeneral(_) => &[CompositeKind::Attention],
        OpKind::Gather(_) => &[CompositeKind::BatchedGather],
        OpKind::Scatter(_) => &[CompositeKind::BatchedScatter],
        _ => &[],
    }
}

/// Returns the term's value with its dimensions in the order of `target`. Dimensions of only one of the two have size
/// 1.
pub fn arrange(b: &mut Builder<'_>, term: &Term, target: &[Option<usize>]) -> ValueId {
    let Type { shape, dtype } = b.ty(term.value);
    let position = |along: &Option<usize>| along.and_then(|_| term.along.iter().position(|a| a == along));
    let positions: OperandDims = target.iter().map(position).collect();
    let mut used_dims: Dims = positions.iter().copied().flatten().collect();
    let wanted = positions.iter().map(|position| position.map_or(1, |d| shape[d])).collect();
    let mut value = term.value;
    if !used_dims.is_sorted() {
        let order = used_dims.clone();
        used_dims.sort_unstable();
        value = reshape(b, value, Type { shape: used_dims.iter().map(|&d| shape[d]).collect(), dtype });
        let perm = order.iter().filter_map(|d| used_dims.binary_search(d).ok()).collect();
        let shape = order.iter().map(|&d| shape[d]).collect();
        value = b.op("transpose", Transpose { perm }, &[value], Type { shape, dtype });
    }
    reshape(b, value, Type { shape: wanted, dtype })
}

fn reshape(b: &mut Builder<'_>, x: ValueId, ty: Type) -> ValueId {
    if b.ty(x) == ty { x } else { b.reshape(x, ty.shape) }
}
