//! `zoo:bert`: an encoder that predicts each token of a sequence. Inputs: token and segment ids. Outputs: logits or
//! their cross-entropy.

use crate::builder::ModelBuilder;
use crate::layers::{Embedding, cross_entropy, gelu, layer_norm, linear, projection};
use crate::options::{BuiltInModel, ModelOption, ModelOptions};
use crate::transformer::{BlockConfig, block};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;
use partita_ir::initializer::Initializer;
use partita_ir::ops::BinaryOp;

/// Number of segments that tokens of a sequence may belong to.
const SEGMENTS: usize = 2;

pub(crate) const ENTRY: BuiltInModel = BuiltInModel {
    name: "bert",
    about: "transformer encoder on token and segment ids; cross-entropy of every token",
    options: &[
        ModelOption::LAYERS,
        ModelOption::WIDTH,
        ModelOption::HEADS,
        ModelOption::HIDDEN,
        ModelOption::SEQ,
        ModelOption::VOCAB,
        ModelOption::BATCH,
        ModelOption::DROPOUT,
        ModelOption::TIED,
        ModelOption::LOSS,
    ],
    build,
};

fn build(options: &ModelOptions, m: &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>> {
    let [layers, seq, vocab, batch] = options.sizes(["layers", "seq", "vocab", "batch"]);
    let config = BlockConfig::from_options(options, false)?;
    let [ids, segment_ids] = [(); 2].map(|()| m.input(DType::I64, [batch, seq]));
    let targets = options.flag("loss").then(|| m.input(DType::I64, [batch, seq]));

    let tokens = Embedding::new(m, "tokens", vocab, config.width);
    let positions = Embedding::new(m, "positions", seq, config.width);
    let segments = Embedding::new(m, "segments", SEGMENTS, config.width);
    let (token, segment) = (tokens.look_up(m, ids), segments.look_up(m, segment_ids));
    let x = m.b.binary(BinaryOp::Add, token, segment);
    let x = positions.add_to(m, x);
    let x = layer_norm(m, "norm", x);
    let x = m.dropout(x, config.dropout);
    let x = m.modules("blocks", layers, x, |m, _, x| block(m, &config, None, x));
    let x = linear(m, "dense", x, config.width);
    let x = gelu(m, x);
    let x = layer_norm(m, "head_norm", x);
    let logits = match options.flag("tied") {
        true => tokens.scores(m, x),
        false => projection(m, "head", x, vocab),
    };
    let bias = m.param("head_bias", [vocab], Initializer::Constant(0.0));
    let logits = m.broadcast(BinaryOp::Add, logits, bias);
    let result = match targets {
        Some(targets) => cross_entropy(m, logits, targets),
        None => logits,
    };
    m.output(result);
    Ok(())
}
