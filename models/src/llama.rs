//! `zoo:llama`: a decoder-only language model (Touvron et al. 2023) with RMS norm, rotary position embeddings,
//! grouped-query attention and a SwiGLU feed-forward. Input: token ids. Outputs: logits over the vocabulary or their
//! cross-entropy; in a phase of inference (option `phase`), the logits of the last token and the KV cache.

use crate::attention::{join_heads, split_heads};
use crate::builder::ModelBuilder;
use crate::layers::{Embedding, cross_entropy, projection, rms_norm, silu};
use crate::options::{BuiltInModel, ModelOption, ModelOptions, OptionKind};
use crate::phase::{CONTEXT, PHASE, Phase};
use crate::transformer::add_residual;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, UnaryOp};

/// Base of the wavelengths of the rotary position embedding (`rope_theta`).
const ROPE_THETA: f32 = 10_000.0;

/// Sizes and dropout of one block.
#[derive(Clone, Copy, Debug)]
pub struct LlamaConfig {
    /// Features of the residual stream.
    pub width: usize,
    /// Number of query heads. `width / heads` must be an even integer.
    pub heads: usize,
    /// Number of key and value heads, a divisor of `heads`.
    pub kv_heads: usize,
    /// Hidden features of the feed-forward.
    pub hidden: usize,
    /// Probability of dropout before each residual addition.
    pub dropout: f64,
}

impl LlamaConfig {
    /// Reads the options `width`, `heads`, `kv_heads`, `hidden` and `dropout`.
    ///
    /// # Errors
    /// Returns an error if `width / heads` is not an even integer, or if the key and value heads do not divide the
    /// query heads.
    fn from_options(options: &ModelOptions) -> Result<LlamaConfig, Vec<Diagnostic>> {
        let [width, heads] = options.width_and_heads()?;
        let features = width / heads;
        if !features.is_multiple_of(2) {
            let title = format!("a head of {features} features cannot be rotated by its position");
            let error = Diagnostic::new(Code::F004, title).note(format!(
                "{width} / {heads} = {features}: rotary positions rotate pairs of features, so the number must be even"
            ));
            let given = ["width", "heads"].into_iter().filter_map(|name| options.span(name));
            let error = given.fold(error, |e, span| e.label(span.clone(), ""));
            return Err(vec![error.help(format!("take `width={}`", 2 * width))]);
        }
        let kv_heads = options.size_or("kv_heads", heads);
        if !heads.is_multiple_of(kv_heads) {
            let below = (1..=kv_heads.min(heads)).rev().find(|n| heads.is_multiple_of(*n)).unwrap_or(1);
            let title = format!("{kv_heads} key heads do not divide {heads} query heads");
            let error = Diagnostic::new(Code::F004, title).note(format!(
                "{heads} = {kv_heads} x {} + {}: each key head serves the same number of query heads",
                heads / kv_heads,
                heads % kv_heads
            ));
            return Err(vec![match options.span("kv_heads") {
                Some(span) => {
                    error.label(span.clone(), "").fix(format!("{below} key heads do"), span.clone(), below.to_string())
                }
                None => error,
            }]);
        }
        let hidden = options.size_or("hidden", 3 * width);
        Ok(LlamaConfig { width, heads, kv_heads, hidden, dropout: options.probability("dropout") })
    }

    /// Returns the number of features of one head.
    pub fn features(&self) -> usize {
        self.width / self.heads
    }
}

const KV_HEADS: ModelOption =
    ModelOption::new("kv_heads", "heads", OptionKind::SIZE, "key and value heads; they divide `heads`");
const HIDDEN: ModelOption =
    ModelOption::new("hidden", "3 x width", OptionKind::SIZE, "hidden features of the feed-forward");

pub(crate) const ENTRY: BuiltInModel = BuiltInModel {
    name: "llama",
    about: "decoder-only transformer with rotary positions and gated feed-forwards; cross-entropy of the next token",
    options: &[
        ModelOption::LAYERS,
        ModelOption::WIDTH,
        ModelOption::HEADS,
        KV_HEADS,
        HIDDEN,
        ModelOption::SEQ,
        ModelOption::VOCAB,
        ModelOption::BATCH,
        ModelOption::DROPOUT,
        ModelOption::LOSS,
        PHASE,
        CONTEXT,
    ],
    build,
};

fn build(options: &ModelOptions, m: &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>> {
    let [layers, seq, vocab, batch] = options.sizes(["layers", "seq", "vocab", "batch"]);
    let config = LlamaConfig::from_options(options)?;
    let (mut phase, ids) = Phase::new(options, m)?;
    let has_loss = options.flag("loss") && !phase.is_inference();
    let targets = has_loss.then(|| m.input(DType::I64, [batch, seq]));

    let rotation = Rotation::new(m, &phase, config.features());
    let tokens = Embedding::new(m, "tokens", vocab, config.width);
    let x = tokens.look_up(m, ids);
    let x = m.modules("blocks", layers, x, |m, _, x| block(m, &config, &rotation, &mut phase, x));
    let x = phase.last_tokens(m, x);
    let x = rms_norm(m, "norm", x);
    let logits = projection(m, "head", x, vocab);
    let result = match targets {
        Some(targets) => cross_entropy(m, logits, targets),
        None => logits,
    };
    phase.finish(m, result);
    Ok(())
}

/// Cosines and sines of the rotary position embedding (Su et al. 2021), by position and feature. A rotated pair
/// consists of the features `i` and `i + features / 2`.
struct Rotation {
    /// Cosines `[1, 1, tokens, features]`.
    cos: ValueId,
    /// Sines `[1, 1, tokens, features]`.
    sin: ValueId,
}

impl Rotation {
    /// Computes the rotation of the tokens of a phase.
    fn new(m: &mut ModelBuilder<'_>, phase: &Phase, features: usize) -> Rotation {
        let number = m.b.arange(DType::I64, features / 2);
        let number = m.b.convert(number, DType::F32);
        let exponent = m.scalar(BinaryOp::Mul, number, f64::from(-2.0 * ROPE_THETA.ln() / features as f32));
        let rate = m.b.unary(UnaryOp::Exp, exponent);
        let position = phase.positions(m);
        let [tokens] = m.dims(position);
        let position = m.b.convert(position, DType::F32);
        let (position, rate) = (m.b.unsqueeze(position, 1), m.b.unsqueeze(rate, 0));
        let angle = m.broadcast(BinaryOp::Mul, position, rate);
        let angle = m.b.concatenate(&[angle, angle], 1);
        let angle = m.b.reshape(angle, [1, 1, tokens, features]);
        Rotation { cos: m.b.unary(UnaryOp::Cos, angle), sin: m.b.unary(UnaryOp::Sin, angle) }
    }

    /// Rotates `x: [batch, heads, seq, features]`.
    fn rotate(&self, m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
        let [_, _, _, features] = m.dims(x);
        let half = features / 2;
        let (first, second) = (m.b.slice_dim(x, 3, 0, half), m.b.slice_dim(x, 3, half, features));
        let along = m.broadcast(BinaryOp::Mul, x, self.cos);
        let negated = m.b.unary(UnaryOp::Neg, second);
        let across = m.b.concatenate(&[negated, first], 3);
        let across = m.broadcast(BinaryOp::Mul, across, self.sin);
        m.b.binary(BinaryOp::Add, along, across)
    }
}

/// Applies a pre-norm transformer block to `x: [batch, seq, width]`; the shape is unchanged.
fn block(
    m: &mut ModelBuilder<'_>,
    config: &LlamaConfig,
    rotation: &Rotation,
    phase: &mut Phase,
    x: ValueId,
) -> ValueId {
    let normed = rms_norm(m, "norm1", x);
    let attended = m.module("attention", |m| attention(m, config, rotation, phase, normed));
    let x = add_residual(m, x, attended, config.dropout);
    let normed = rms_norm(m, "norm2", x);
    // SwiGLU feed-forward (Shazeer 2020).
    let fed = m.module("feed_forward", |m| {
        let gate = projection(m, "gate", normed, config.hidden);
        let gate = silu(m, gate);
        let up = projection(m, "up", normed, config.hidden);
        let hidden = m.b.binary(BinaryOp::Mul, gate, up);
        projection(m, "down", hidden, config.width)
    });
    add_residual(m, x, fed, config.dropout)
}

/// Applies causal grouped-query attention to `x: [batch, seq, width]` (Ainslie et al. 2023): groups of query heads
/// share keys and values.
fn attention(
    m: &mut ModelBuilder<'_>,
    config: &LlamaConfig,
    rotation: &Rotation,
    phase: &mut Phase,
    x: ValueId,
) -> ValueId {
    let [query, key, value] =
        [("query", config.heads), ("key", config.kv_heads), ("value", config.kv_heads)].map(|(name, heads)| {
            let x = projection(m, name, x, heads * config.features());
            let x = split_heads(m, x, heads);
            if name == "value" { x } else { rotation.rotate(m, x) }
        });
    let attended = phase.attention(m, query, [key, value]);
    let joined = join_heads(m, attended);
    projection(m, "output", joined, config.width)
}
