//! What composites look like to those who do not know them: how each may be written, by the op that it ends in.
//!
//! Recogniser: a composite in another spelling stays decomposed, which means the same.

use super::attention::attention;
use super::gelu::gelu;
use super::loss::{cross_entropy, log_likelihood, negative_log_likelihood, negative_loss, positive_loss};
use super::norm::{batch_norm, layer_norm, rms_norm, shifted_norm};
use super::pattern::{Along, Match, Term};
use super::softmax::{log_softmax, softmax};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Transpose, UnaryOp};
use partita_ir::program::Values;
use partita_ir::syntax::attr::Dims;

/// What takes the place of ops that matched.
pub struct Composite {
    /// The values that it is computed from.
    pub args: Values,
    /// How it is computed.
    pub body: Body,
}

/// How a composite is computed.
pub enum Body {
    /// As one op of the operands.
    One(Box<OpKind>),
    /// With ops before and after it. The last one gives the result.
    Several(Box<dyn FnOnce(&mut Builder<'_>)>),
}

impl Composite {
    /// One op of terms whose dimensions are those of its operands.
    pub fn one(kind: impl Into<OpKind>, args: impl IntoIterator<Item = Term>) -> Composite {
        Composite { args: args.into_iter().map(|term| term.value).collect(), body: Body::One(Box::new(kind.into())) }
    }

    /// Several ops that read those values.
    pub fn several(
        args: impl IntoIterator<Item = ValueId>,
        build: impl FnOnce(&mut Builder<'_>) + 'static,
    ) -> Composite {
        Composite { args: args.into_iter().collect(), body: Body::Several(Box::new(build)) }
    }
}

/// Declares the raises: a variant each, and the pattern that it finds.
macro_rules! raises {
    ($($(#[$doc:meta])* $name:ident = $pattern:ident,)*) => {
        /// What is raised.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Raised {
            $($(#[$doc])* $name,)*
        }

        impl Raised {
            /// Every raise.
            pub const ALL: &[Raised] = &[$(Raised::$name),*];

            /// The composite, when it is what gives the root of the match.
            pub(super) fn find(self, m: &mut Match<'_>) -> Option<Composite> {
                match self {
                    $(Raised::$name => $pattern(m),)*
                }
            }
        }
    };
}

raises! {
    /// A softmax.
    Softmax = softmax,
    /// A log-softmax.
    LogSoftmax = log_softmax,
    /// A layer norm with `gamma`.
    LayerNorm = layer_norm,
    /// A layer norm with `gamma` and `beta`.
    ShiftedNorm = shifted_norm,
    /// An RMS norm.
    RmsNorm = rms_norm,
    /// A batch norm.
    BatchNorm = batch_norm,
    /// A gelu.
    Gelu = gelu,
    /// A cross-entropy, by logits below their maximum.
    CrossEntropy = cross_entropy,
    /// A cross-entropy, by logits as they are.
    LogLikelihood = log_likelihood,
    /// A cross-entropy, by a log-softmax.
    NegativeLogLikelihood = negative_log_likelihood,
    /// A cross-entropy with the other sign, by a log-softmax.
    NegativeLoss = negative_loss,
    /// The negative of that.
    PositiveLoss = positive_loss,
    /// An attention.
    Attention = attention,
}

/// What may end in such an op.
pub fn patterns(kind: &OpKind) -> &'static [Raised] {
    match kind {
        OpKind::Binary(b) => match b.op {
            BinaryOp::Div => &[Raised::Softmax, Raised::LayerNorm, Raised::RmsNorm],
            BinaryOp::Sub => &[Raised::LogSoftmax, Raised::CrossEntropy, Raised::LogLikelihood],
            BinaryOp::Mul => &[Raised::LayerNorm, Raised::RmsNorm, Raised::Gelu],
            BinaryOp::Add => &[Raised::ShiftedNorm, Raised::BatchNorm],
            _ => &[],
        },
        OpKind::Unary(u) if u.op == UnaryOp::Neg => &[Raised::NegativeLogLikelihood, Raised::PositiveLoss],
        OpKind::Select(_) => &[Raised::NegativeLoss],
        OpKind::DotGeneral(_) => &[Raised::Attention],
        _ => &[],
    }
}

/// The term's value with dimensions along `target`. Dimensions that only one of them has are of one element.
pub fn arrange(b: &mut Builder<'_>, term: &Term, target: &[Option<usize>]) -> ValueId {
    let Type { shape, dtype } = b.ty(term.value);
    let place = |along: &Option<usize>| along.and_then(|_| term.along.iter().position(|a| a == along));
    let places: Along = target.iter().map(place).collect();
    let mut kept: Dims = places.iter().copied().flatten().collect();
    let wanted = places.iter().map(|place| place.map_or(1, |d| shape[d])).collect();
    let mut value = term.value;
    if !kept.is_sorted() {
        let order = kept.clone();
        kept.sort_unstable();
        value = reshape(b, value, Type { shape: kept.iter().map(|&d| shape[d]).collect(), dtype });
        let perm = order.iter().filter_map(|d| kept.binary_search(d).ok()).collect();
        let shape = order.iter().map(|&d| shape[d]).collect();
        value = b.op("transpose", Transpose { perm }, &[value], Type { shape, dtype });
    }
    reshape(b, value, Type { shape: wanted, dtype })
}

fn reshape(b: &mut Builder<'_>, x: ValueId, ty: Type) -> ValueId {
    if b.ty(x) == ty { x } else { b.reshape(x, ty.shape) }
}
