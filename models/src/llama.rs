//! `zoo:llama`: a decoder-only language model after Touvron et al. 2023: norms by the root mean square, rotary
//! positions, heads that may share keys and values, and a gated feed-forward. Token ids in, logits over the vocabulary
//! or their cross-entropy out.

use crate::builder::ModelBuilder;
use crate::layers::{Embedding, cross_entropy, projection, rms_norm, silu};
use crate::options::{Entry, Kind, Opt, Options};
use crate::transformer::{add_dropped, fused_attention, join_heads, split_heads};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Shape};
use partita_ir::ops::{BinaryOp, UnaryOp};

/// The base of the wavelengths of positions.
const THETA: f32 = 10_000.0;

/// The sizes of one block.
#[derive(Clone, Copy, Debug)]
pub struct LlamaConfig {
    /// Features of the residual stream.
    pub width: usize,
    /// Heads of queries; they divide `width` into even numbers of features.
    pub heads: usize,
    /// Heads of keys and values; they divide `heads`.
    pub kv_heads: usize,
    /// Features inside the feed-forward.
    pub hidden: usize,
    /// Probability of dropout before each residual addition.
    pub dropout: f64,
}

impl LlamaConfig {
    /// The block that `width`, `heads`, `kv_heads`, `hidden` and `dropout` ask for.
    ///
    /// # Errors
    /// Heads that do not divide the width into even numbers of features, heads of keys that do not divide those of
    /// queries.
    fn from_options(options: &Options) -> Result<LlamaConfig, Vec<Diagnostic>> {
        let [width, heads] = options.width_and_heads()?;
        let features = width / heads;
        if !features.is_multiple_of(2) {
            let title = format!("a head of {features} features cannot be turned by its position");
            let error = Diagnostic::new(Code::F004, title).note(format!(
                "{width} / {heads} = {features}: positions turn pairs of features, so there is an even number of them"
            ));
            let given = ["width", "heads"].into_iter().filter_map(|name| options.span(name));
            let error = given.fold(error, |e, span| e.at(span.clone(), ""));
            return Err(vec![error.help(format!("take `width={}`", 2 * width))]);
        }
        let kv_heads = options.size_or("kv_heads", heads);
        if !heads.is_multiple_of(kv_heads) {
            let below = (1..=kv_heads.min(heads)).rev().find(|n| heads.is_multiple_of(*n)).unwrap_or(1);
            let title = format!("{kv_heads} heads of keys do not divide {heads} heads of queries");
            let error = Diagnostic::new(Code::F004, title).note(format!(
                "{heads} = {kv_heads} x {} + {}: every head of keys serves the same number of heads of queries",
                heads / kv_heads,
                heads % kv_heads
            ));
            return Err(vec![match options.span("kv_heads") {
                Some(span) => {
                    error.at(span.clone(), "").fix(format!("{below} heads of keys do"), span.clone(), below.to_string())
                }
                None => error,
            }]);
        }
        let hidden = options.size_or("hidden", 3 * width);
        Ok(LlamaConfig { width, heads, kv_heads, hidden, dropout: options.probability("dropout") })
    }

    /// Features of a head.
    pub fn features(&self) -> usize {
        self.width / self.heads
    }
}

const KV_HEADS: Opt = Opt::new("kv_heads", "heads", Kind::SIZE, "heads of keys and values; they divide `heads`");
const HIDDEN: Opt = Opt::new("hidden", "3 x width", Kind::SIZE, "features inside the feed-forward");

pub(crate) const ENTRY: Entry = Entry {
    name: "llama",
    about: "decoder-only transformer with rotary positions and gated feed-forwards; cross-entropy of the next token",
    options: &[
        Opt::LAYERS,
        Opt::WIDTH,
        Opt::HEADS,
        KV_HEADS,
        HIDDEN,
        Opt::SEQ,
        Opt::VOCAB,
        Opt::BATCH,
        Opt::DROPOUT,
        Opt::LOSS,
    ],
    build,
};

fn build(options: &Options, m: &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>> {
    let [layers, seq, vocab, batch] = options.sizes(["layers", "seq", "vocab", "batch"]);
    let config = LlamaConfig::from_options(options)?;
    let ids = m.input(DType::I64, [batch, seq]);
    let targets = options.flag("loss").then(|| m.input(DType::I64, [batch, seq]));

    let rotation = Rotation::new(m, seq, config.features());
    let tokens = Embedding::new(m, "tokens", vocab, config.width);
    let x = tokens.look_up(m, ids);
    let x = m.modules("blocks", layers, x, |m, _, x| block(m, &config, &rotation, x));
    let x = rms_norm(m, "norm", x);
    let logits = projection(m, "head", x, vocab);
    let result = match targets {
        Some(targets) => cross_entropy(m, logits, targets),
        None => logits,
    };
    m.output(result);
    Ok(())
}

/// By position and feature, how far a query or key is turned (Su et al. 2021): features `i` and `i + features / 2` are
/// one point.
struct Rotation {
    /// `[1, 1, seq, features]`
    cos: ValueId,
    /// `[1, 1, seq, features]`
    sin: ValueId,
}

impl Rotation {
    fn new(m: &mut ModelBuilder<'_>, seq: usize, features: usize) -> Rotation {
        let number = numbers(m, features / 2);
        let exponent = m.scalar(BinaryOp::Mul, number, f64::from(-2.0 * THETA.ln() / features as f32));
        let rate = m.b.unary(UnaryOp::Exp, exponent);
        let position = numbers(m, seq);
        let (position, rate) = (m.b.unsqueeze(position, 1), m.b.unsqueeze(rate, 0));
        let angle = m.broadcast(BinaryOp::Mul, position, rate);
        let angle = m.b.concatenate(&[angle, angle], 1);
        let angle = m.b.reshape(angle, [1, 1, seq, features]);
        Rotation { cos: m.b.unary(UnaryOp::Cos, angle), sin: m.b.unary(UnaryOp::Sin, angle) }
    }

    /// `x: [batch, heads, seq, features]` turned.
    fn turn(&self, m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
        let [_, _, _, features] = m.dims(x);
        let half = features / 2;
        let (first, second) = (m.b.cut(x, 3, 0, half), m.b.cut(x, 3, half, features));
        let along = m.broadcast(BinaryOp::Mul, x, self.cos);
        let negated = m.b.unary(UnaryOp::Neg, second);
        let across = m.b.concatenate(&[negated, first], 3);
        let across = m.broadcast(BinaryOp::Mul, across, self.sin);
        m.b.binary(BinaryOp::Add, along, across)
    }
}

/// The numbers `0, 1, ..., end - 1`.
fn numbers(m: &mut ModelBuilder<'_>, end: usize) -> ValueId {
    let numbers = m.b.arange(DType::I64, end);
    m.b.convert(numbers, DType::F32)
}

/// The result of a pre-norm transformer block for `x: [batch, seq, width]`, in the same shape.
fn block(m: &mut ModelBuilder<'_>, config: &LlamaConfig, rotation: &Rotation, x: ValueId) -> ValueId {
    let normed = rms_norm(m, "norm1", x);
    let attended = m.module("attention", |m| attention(m, config, rotation, normed));
    let x = add_dropped(m, x, attended, config.dropout);
    let normed = rms_norm(m, "norm2", x);
    // A feed-forward whose hidden features are gated by others (Shazeer 2020, SwiGLU).
    let fed = m.module("feed_forward", |m| {
        let gate = projection(m, "gate", normed, config.hidden);
        let gate = silu(m, gate);
        let up = projection(m, "up", normed, config.hidden);
        let hidden = m.b.binary(BinaryOp::Mul, gate, up);
        projection(m, "down", hidden, config.width)
    });
    add_dropped(m, x, fed, config.dropout)
}

/// Causal self-attention on `x: [batch, seq, width]`, where groups of heads share their keys and values (Ainslie et al.
/// 2023).
fn attention(m: &mut ModelBuilder<'_>, config: &LlamaConfig, rotation: &Rotation, x: ValueId) -> ValueId {
    let [query, key, value] =
        [("query", config.heads), ("key", config.kv_heads), ("value", config.kv_heads)].map(|(name, heads)| {
            let x = projection(m, name, x, heads * config.features());
            let x = split_heads(m, x, heads);
            if name == "value" { x } else { rotation.turn(m, x) }
        });
    let (key, value) = (repeat_heads(m, key, config.heads), repeat_heads(m, value, config.heads));
    let attended = fused_attention(m, query, key, value, true);
    let joined = join_heads(m, attended);
    projection(m, "output", joined, config.width)
}

/// Keys or values `[batch, kv_heads, seq, features]` once for each of so many heads, those of a group next to each
/// other.
fn repeat_heads(m: &mut ModelBuilder<'_>, shared: ValueId, heads: usize) -> ValueId {
    let [batch, kv_heads, seq, features] = m.dims(shared);
    if kv_heads == heads {
        return shared;
    }
    let shared = m.b.unsqueeze(shared, 2);
    let repeated = m.b.expand(shared, &Shape::from([batch, kv_heads, heads / kv_heads, seq, features]));
    m.b.reshape(repeated, [batch, heads, seq, features])
}
