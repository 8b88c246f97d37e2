//! Phases of the inference of a decoder, and its cache of keys and values.
//!
//! A model with `phase=prefill` computes a prompt of `seq` tokens and returns the keys and values of all layers. With
//! `phase=decode` it computes one token at a position, which all sequences of the batch share: its keys and values are
//! written into the cache, and attention reads the cache up to this position (Pope et al., Efficiently Scaling
//! Transformer Inference, 2022). Parameters are those of the model without phase.
//!
//! The caches are inputs and outputs of the same names, `blocks.0.attention.cache.key` and `.value`, of the shape
//! `[batch, key heads, context, features of a head]`.

use crate::attention::{fused_attention, repeat_heads};
use crate::builder::ModelBuilder;
use crate::layers::Embedding;
use crate::options::{ModelOption, ModelOptions, OptionKind};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{Attention, Direction, DynamicSlice, DynamicUpdateSlice, Pad};
use partita_ir::tensor::Scalar;

/// Values of the option `phase`.
const PHASES: &[&str] = &["full", "prefill", "decode"];

/// The option `phase`.
pub(crate) const PHASE: ModelOption = ModelOption::new(
    "phase",
    "full",
    OptionKind::Choice(PHASES),
    "`prefill` a KV cache with a prompt, `decode` one token with it, or a `full` model without a cache",
);

/// The option `context`.
pub(crate) const CONTEXT: ModelOption =
    ModelOption::new("context", "seq", OptionKind::LENGTH, "positions of the KV cache of a `phase`");

/// Tokens that a decoder computes, and its cache.
pub(crate) struct Phase {
    kind: PhaseKind,
    /// Tokens of each sequence that the model computes.
    tokens: usize,
    /// Largest number of positions of a sequence.
    context: usize,
    /// Caches after the step, by name.
    caches: Vec<(String, ValueId)>,
}

/// Source of the keys and values that attention reads.
#[derive(Clone, Copy)]
enum PhaseKind {
    /// The tokens of the step. No cache is returned.
    Full,
    /// The tokens of the step. Their keys and values are returned.
    Prefill,
    /// A cache, and the token of the step.
    Decode {
        /// Position of the token, `i64[]`.
        position: ValueId,
        /// The same, `i64[1]`.
        positions: ValueId,
        /// Positions of the cache that the token attends to, `bool[1, context]`.
        visible: ValueId,
    },
}

impl Phase {
    /// Declares the token ids `i64[batch, tokens]` and, for decoding, the position `i64[]`. Returns the phase and the
    /// ids.
    ///
    /// # Errors
    /// Returns errors for options without effect in the phase, and for a prompt that is larger than the cache.
    pub(crate) fn new(options: &ModelOptions, m: &mut ModelBuilder<'_>) -> Result<(Phase, ValueId), Vec<Diagnostic>> {
        let [seq, batch] = options.sizes(["seq", "batch"]);
        let context = options.size_or("context", seq);
        let errors = errors(options, seq, context);
        if !errors.is_empty() {
            return Err(errors);
        }
        let is_decode = options.choice("phase") == "decode";
        let tokens = if is_decode { 1 } else { seq };
        let ids = m.input(DType::I64, [batch, tokens]);
        let kind = match options.choice("phase") {
            "decode" => decode(m, context),
            "prefill" => PhaseKind::Prefill,
            _ => PhaseKind::Full,
        };
        Ok((Phase { kind, tokens, context, caches: Vec::new() }, ids))
    }

    /// Returns true if the model returns the logits of the last token, and never a loss.
    pub(crate) fn is_inference(&self) -> bool {
        match self.kind {
            PhaseKind::Full => false,
            PhaseKind::Prefill | PhaseKind::Decode { .. } => true,
        }
    }

    /// Returns the positions of the tokens, `i64[tokens]`.
    pub(crate) fn positions(&self, m: &mut ModelBuilder<'_>) -> ValueId {
        match self.kind {
            PhaseKind::Full | PhaseKind::Prefill => m.b.arange(DType::I64, self.tokens),
            PhaseKind::Decode { positions, .. } => positions,
        }
    }

    /// Adds an embedding of each position to the tokens `x: [batch, tokens, width]`.
    pub(crate) fn add_positions(&self, m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
        let [_, _, width] = m.dims(x);
        let table = Embedding::new(m, "positions", self.context, width);
        match self.kind {
            PhaseKind::Full => table.add_to(m, x),
            PhaseKind::Prefill => table.add_rows_to(m, x, |m, rows| m.b.slice_dim(rows, 0, 0, self.tokens)),
            PhaseKind::Decode { position, .. } => table.add_rows_to(m, x, |m, rows| {
                let zero = m.b.splat(Type::new(DType::I64, []), Scalar::Int(0));
                let slice = DynamicSlice { sizes: [1, width].into_iter().collect() };
                m.b.op("row", slice, &[rows, position, zero], Type::new(DType::F32, [1, width]))
            }),
        }
    }

    /// Applies causal attention of the current module to queries `[batch, heads, tokens, features]`, and keys and
    /// values `[batch, key heads, tokens, features]`. Groups of query heads share keys and values (Ainslie et al.
    /// 2023).
    pub(crate) fn attention(
        &mut self,
        m: &mut ModelBuilder<'_>,
        query: ValueId,
        [key, value]: [ValueId; 2],
    ) -> ValueId {
        let [batch, heads, tokens, features] = m.dims(query);
        match self.kind {
            PhaseKind::Decode { position, visible, .. } => {
                let [_, kv_heads, _, _] = m.dims(key);
                let shape = [batch, kv_heads, self.context, features];
                let [key, value] = [("cache.key", key), ("cache.value", value)].map(|(name, new)| {
                    let cache = m.donated_input(name, DType::F32, shape);
                    let cache = write(m, cache, new, position);
                    self.caches.push((m.path_of(name), cache));
                    cache
                });
                // The query heads of a group are rows of one attention, so that the cache is read once.
                let rows = m.b.reshape(query, [batch, kv_heads, heads / kv_heads * tokens, features]);
                let attention = Attention::new(false, 1.0 / (features as f64).sqrt());
                let ty = m.b.ty(rows);
                let attended = m.b.op("attention", attention, &[rows, key, value, visible], ty);
                m.b.reshape(attended, [batch, heads, tokens, features])
            }
            PhaseKind::Prefill | PhaseKind::Full => {
                if let PhaseKind::Prefill = self.kind {
                    for (name, new) in [("cache.key", key), ("cache.value", value)] {
                        let cache = extend(m, new, self.context);
                        self.caches.push((m.path_of(name), cache));
                    }
                }
                let [key, value] = [key, value].map(|shared| repeat_heads(m, shared, heads));
                fused_attention(m, query, key, value, true)
            }
        }
    }

    /// Returns the last token of `x: [batch, tokens, width]`, `[batch, 1, width]`, or all tokens of a full model.
    pub(crate) fn last_tokens(&self, m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
        match self.kind {
            PhaseKind::Prefill => m.b.slice_dim(x, 1, self.tokens - 1, self.tokens),
            PhaseKind::Full | PhaseKind::Decode { .. } => x,
        }
    }

    /// Declares the result `output.0` and the caches as outputs.
    pub(crate) fn finish(self, m: &mut ModelBuilder<'_>, result: ValueId) {
        m.output(result);
        for (name, cache) in self.caches {
            m.b.program.output(name, cache);
        }
    }
}

/// Declares the position of a token, and computes the positions of the cache that the token attends to.
fn decode(m: &mut ModelBuilder<'_>, context: usize) -> PhaseKind {
    let position = m.donated_input("position", DType::I64, []);
    let positions = m.b.reshape(position, [1]);
    let columns = m.b.arange(DType::I64, context);
    let rows = m.b.broadcast(positions, &[0], [context]);
    let visible = m.b.compare(columns, Direction::Le, rows);
    PhaseKind::Decode { position, positions, visible: m.b.unsqueeze(visible, 0) }
}

/// Writes a token's keys or values `[batch, heads, 1, features]` into a cache at a position.
fn write(m: &mut ModelBuilder<'_>, cache: ValueId, new: ValueId, position: ValueId) -> ValueId {
    let zero = m.b.splat(Type::new(DType::I64, []), Scalar::Int(0));
    let ty = m.b.ty(cache);
    m.b.op("cache", DynamicUpdateSlice {}, &[cache, new, zero, zero, position, zero], ty)
}

/// Extends keys or values `[batch, heads, tokens, features]` with zeros to `context` tokens.
fn extend(m: &mut ModelBuilder<'_>, new: ValueId, context: usize) -> ValueId {
    let [batch, heads, tokens, features] = m.dims(new);
    if tokens == context {
        return new;
    }
    let zero = m.b.splat(Type::new(DType::F32, []), Scalar::Float(0.0));
    let pad = Pad { low: Vec::new(), high: vec![0, 0, (context - tokens) as i64, 0], interior: Default::default() };
    m.b.op("cache", pad, &[new, zero], Type::new(DType::F32, Shape::from([batch, heads, context, features])))
}

/// Returns errors for options without effect, and for a prompt that is larger than the cache.
fn errors(options: &ModelOptions, seq: usize, context: usize) -> Vec<Diagnostic> {
    let phase = options.choice("phase");
    let no_effect = |name: &str, why: &str, help: &str| {
        let span = options.span(name)?;
        let error = Diagnostic::new(Code::F004, format!("`{name}` has no effect on `phase={phase}`"));
        Some(error.label(span.clone(), why).help(help))
    };
    let mut errors = Vec::new();
    if phase == "full" {
        let why = "a model without a phase has no cache";
        errors.extend(no_effect("context", why, "add `phase=prefill` or `phase=decode`, or leave `context` out"));
        return errors;
    }
    if options.flag("loss") {
        let help = "leave `loss` out: `prefill` and `decode` imply `loss=false`";
        errors.extend(no_effect("loss", "the result is the logits of the last token", help));
    }
    if options.probability("dropout") > 0.0 {
        errors.extend(no_effect("dropout", "inference drops nothing", "leave `dropout` out"));
    }
    if phase == "decode" && options.span("context").is_some() {
        let why = "one token is computed, and the cache has the positions that `context` states";
        errors.extend(no_effect("seq", why, "leave `seq` out"));
    }
    if phase == "prefill" && context < seq {
        let title = format!("a prompt of {seq} tokens does not fit into a cache of {context} positions");
        let mut error = Diagnostic::new(Code::F004, title);
        if let Some(span) = options.span("context") {
            error = error.label(span.clone(), "").fix("the smallest cache", span.clone(), seq.to_string());
        }
        errors.push(error);
    }
    errors
}
