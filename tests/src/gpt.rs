//! Program text of GPTs: embeddings, blocks with norms before attention and feed-forward, a head that shares the
//! embedding, and the cross-entropy of the next token. Equivalent to `zoo:gpt`, but without the frontend.

use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::schedule::ScheduleKind;
use partita_ir::text::parse;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self};
use partita_passes::pipelining::stages::pipeline;
use std::fmt::Write;

/// Sizes of a GPT.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gpt {
    /// Number of blocks.
    pub layers: usize,
    /// Features of the residual stream.
    pub width: usize,
    /// Number of attention heads, which divides the width.
    pub heads: usize,
    /// Sequence length.
    pub sequence: usize,
    /// Vocabulary size.
    pub vocabulary: usize,
    /// Batch size in sequences.
    pub batch: usize,
    /// True if attention is decomposed with explicit scores, and dropout of a tenth is applied to attention weights and
    /// residual branches.
    pub dropout: bool,
}

impl Gpt {
    /// Returns the model, whose output is its loss.
    ///
    /// # Errors
    /// Incompatible sizes.
    pub fn program(&self) -> Result<Program, Vec<Diagnostic>> {
        let mut text = GptText { gpt: self, params: String::new(), ops: String::new(), mask_count: 0 };
        text.model();
        parse(&Source::new("gpt.pir", format!("form traced\n{}{}", text.params, text.ops)))
    }
}

/// Converts a model to a pipeline of its training step.
///
/// # Errors
/// An invalid plan.
pub fn training_pipeline(
    step: &mut Program,
    plan: &Plan,
    stages: usize,
    kind: ScheduleKind,
) -> Result<Pipeline, Vec<Diagnostic>> {
    let plan = plan.clone().pipeline(stages.to_string()).schedule(kind.to_string());
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    pipelines::build_step(step, &input, &mut findings)?;
    let none = || vec![Diagnostic::new(Code::G001, "no pipeline")];
    let how = plan.pipeline_config().map_err(|e| vec![e])?.ok_or_else(none)?;
    pipeline(step, &how, &input, &mut findings, &mut |_| Ok(()))
}

/// Program text under construction.
struct GptText<'g> {
    gpt: &'g Gpt,
    params: String,
    ops: String,
    /// Number of dropout masks.
    mask_count: usize,
}

impl GptText<'_> {
    fn model(&mut self) {
        let Gpt { layers, width, sequence: s, vocabulary: v, batch: b, .. } = *self.gpt;
        self.param("tokens", "tokens.weight", &format!("{v}, {width}"));
        self.param("positions", "positions.weight", &format!("{s}, {width}"));
        let stream = format!("f32[{b}, {s}, {width}]");
        self.op(
            "looked",
            &format!("gather offset [2] collapsed [0] map [0] vector 2 sizes [1, {width}] %tokens, %ids"),
            &stream,
        );
        self.op("placed", "broadcast [1, 2] %positions", &stream);
        self.op("x0", "add %looked, %placed", &stream);
        let mut x = self.dropout("x0", &stream);
        for layer in 0..layers {
            x = self.block(layer, &x);
        }
        let normed = self.norm("last", "norm", &x);
        self.op("head", "transpose [1, 0] %tokens", &format!("f32[{width}, {v}]"));
        self.op("logits", &format!("matmul %{normed}, %head"), &format!("f32[{b}, {s}, {v}]"));
        self.op("losses", "cross_entropy %logits, %targets", &format!("f32[{b}, {s}]"));
        self.op("sum", "reduce sum [0, 1] %losses", "f32[]");
        self.op("count", &format!("constant {}.0", b * s), "f32[]");
        self.op("loss", "div %sum, %count", "f32[]");
        let _ = writeln!(self.params, "    input %ids : i32[{b}, {s}]\n    input %targets : i32[{b}, {s}]");
        if self.mask_count > 0 {
            let _ = writeln!(self.params, "    input %key : u32[2]");
        }
        self.ops += "    output %loss \"loss\"\n";
    }

    /// Appends a block on the value `x`. Returns the name of its result.
    fn block(&mut self, layer: usize, x: &str) -> String {
        let Gpt { width, heads, sequence: s, batch: b, .. } = *self.gpt;
        let (stream, wide) = (format!("f32[{b}, {s}, {width}]"), format!("f32[{b}, {s}, {}]", 4 * width));
        let name = |what: &str| format!("{what}{layer}");
        let path = |what: &str| format!("blocks.{layer}.{what}");
        let normed = self.norm(&name("n"), &path("norm1"), x);
        let by_head = format!("f32[{b}, {heads}, {s}, {}]", width / heads);
        for part in ["query", "key", "value"] {
            let given = self.linear(&name(part), &path(part), &normed, (width, width), &stream);
            self.op(
                &name(&format!("{part}.r")),
                &format!("reshape %{given}"),
                &format!("f32[{b}, {s}, {heads}, {}]", width / heads),
            );
            self.op(
                &name(&format!("{part}.t")),
                &format!("transpose [0, 2, 1, 3] %{}", name(&format!("{part}.r"))),
                &by_head,
            );
        }
        let scale = 1.0 / ((width / heads) as f64).sqrt();
        let [q, k, v] = ["query.t", "key.t", "value.t"].map(name);
        if self.gpt.dropout {
            let scores = format!("f32[{b}, {heads}, {s}, {s}]");
            self.op(
                &name("scores"),
                &format!("dot_general contract [3] x [3] batch [0, 1] x [0, 1] %{q}, %{k}"),
                &scores,
            );
            self.op(&name("softmax"), &format!("softmax dim 3 %{}", name("scores")), &scores);
            let weights = self.dropout(&name("softmax"), &scores);
            self.op(
                &name("heads"),
                &format!("dot_general contract [3] x [2] batch [0, 1] x [0, 1] %{weights}, %{v}"),
                &by_head,
            );
        } else {
            self.op(&name("heads"), &format!("attention causal scale {scale} %{q}, %{k}, %{v}"), &by_head);
        }
        self.op(
            &name("heads.t"),
            &format!("transpose [0, 2, 1, 3] %{}", name("heads")),
            &format!("f32[{b}, {s}, {heads}, {}]", width / heads),
        );
        self.op(&name("joined"), &format!("reshape %{}", name("heads.t")), &stream);
        let attended = self.linear(&name("output"), &path("output"), &name("joined"), (width, width), &stream);
        let attended = self.dropout(&attended, &stream);
        self.op(&name("mid"), &format!("add %{x}, %{attended}"), &stream);
        let normed = self.norm(&name("m"), &path("norm2"), &name("mid"));
        let up = self.linear(&name("up"), &path("up"), &normed, (width, 4 * width), &wide);
        self.op(&name("gelu"), &format!("gelu %{up}"), &wide);
        let down = self.linear(&name("down"), &path("down"), &name("gelu"), (4 * width, width), &stream);
        let down = self.dropout(&down, &stream);
        self.op(&name("x."), &format!("add %{}, %{down}", name("mid")), &stream);
        name("x.")
    }

    fn norm(&mut self, name: &str, path: &str, x: &str) -> String {
        let Gpt { width, sequence: s, batch: b, .. } = *self.gpt;
        self.param(&format!("{name}.gamma"), &format!("{path}.gamma"), &width.to_string());
        self.param(&format!("{name}.beta"), &format!("{path}.beta"), &width.to_string());
        let normed = format!("layer_norm eps 1e-5 %{x}, %{name}.gamma, %{name}.beta");
        self.op(&format!("{name}.normed"), &normed, &format!("f32[{b}, {s}, {width}]"));
        format!("{name}.normed")
    }

    fn linear(&mut self, name: &str, path: &str, x: &str, (rows, columns): (usize, usize), ty: &str) -> String {
        self.param(&format!("{name}.w"), &format!("{path}.weight"), &format!("{rows}, {columns}"));
        self.param(&format!("{name}.b"), &format!("{path}.bias"), &columns.to_string());
        self.op(&format!("{name}.p"), &format!("matmul %{x}, %{name}.w"), ty);
        self.op(&format!("{name}.bb"), &format!("broadcast [2] %{name}.b"), ty);
        self.op(&format!("{name}.y"), &format!("add %{name}.p, %{name}.bb"), ty);
        format!("{name}.y")
    }

    /// Appends dropout of a tenth of a value. Returns the name of its result.
    fn dropout(&mut self, x: &str, ty: &str) -> String {
        if !self.gpt.dropout {
            return x.into();
        }
        let (at, shape) = (self.mask_count, &ty[3..]);
        self.mask_count += 1;
        let key = format!("key{at}");
        self.op(&format!("{key}.n"), &format!("constant {at}"), "u32[2]");
        self.op(&key, &format!("add %key, %{key}.n"), "u32[2]");
        self.op(&format!("drawn{at}"), &format!("random uniform %{key}"), ty);
        self.op(&format!("rate{at}"), "constant 0.1", ty);
        self.op(&format!("stays{at}"), &format!("compare ge %drawn{at}, %rate{at}"), &format!("bool{shape}"));
        self.op(&format!("none{at}"), "constant 0.0", ty);
        self.op(&format!("left{at}"), &format!("select %stays{at}, %{x}, %none{at}"), ty);
        self.op(&format!("up{at}"), "constant 1.1111111", ty);
        self.op(&format!("scaled{at}"), &format!("mul %left{at}, %up{at}"), ty);
        format!("scaled{at}")
    }

    fn param(&mut self, name: &str, path: &str, shape: &str) {
        let _ = writeln!(self.params, "    param %{name} \"{path}\" : f32[{shape}]");
    }

    fn op(&mut self, name: &str, what: &str, ty: &str) {
        let _ = writeln!(self.ops, "      %{name} = {what} : {ty}");
    }
}
