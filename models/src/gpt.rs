//! `zoo:gpt`: a decoder-only language model. Input: token ids. Outputs: logits over the vocabulary or their
//! cross-entropy.

use crate::builder::ModelBuilder;
use crate::layers::{Embedding, cross_entropy, layer_norm, projection};
use crate::options::{BuiltInModel, ModelOption, ModelOptions};
use crate::transformer::block;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;

pub(crate) const ENTRY: BuiltInModel = BuiltInModel {
    name: "gpt",
    about: "decoder-only transformer on token ids; cross-entropy of the next token",
    options: ModelOption::TRANSFORMER,
    build,
};

fn build(options: &ModelOptions, m: &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>> {
    let [layers, seq, vocab, batch] = options.sizes(["layers", "seq", "vocab", "batch"]);
    let config = options.block(true)?;
    let ids = m.input(DType::I64, [batch, seq]);
    let targets = options.flag("loss").then(|| m.input(DType::I64, [batch, seq]));

    let tokens = Embedding::new(m, "tokens", vocab, config.width);
    let positions = Embedding::new(m, "positions", seq, config.width);
    let x = tokens.look_up(m, ids);
    let x = positions.add_to(m, x);
    let x = m.dropout(x, config.dropout);
    let x = m.modules("blocks", layers, x, |m, _, x| block(m, &config, x));
    let x = layer_norm(m, "norm", x);
    let logits = match options.flag("tied") {
        true => tokens.scores(m, x),
        false => projection(m, "head", x, vocab),
    };
    let result = match targets {
        Some(targets) => cross_entropy(m, logits, targets),
        None => logits,
    };
    m.output(result);
    Ok(())
}
