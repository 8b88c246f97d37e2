//! `zoo:gpt`: a decoder-only language model. Input: token ids. Outputs: logits over the vocabulary or their
//! cross-entropy; in a phase of inference (option `phase`), the logits of the last token and the KV cache.

use crate::builder::ModelBuilder;
use crate::layers::{Embedding, cross_entropy, layer_norm, projection};
use crate::options::{BuiltInModel, ModelOption, ModelOptions};
use crate::phase::{CONTEXT, PHASE, Phase};
use crate::transformer::{BlockConfig, block};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;

pub(crate) const ENTRY: BuiltInModel = BuiltInModel {
    name: "gpt",
    about: "decoder-only transformer on token ids; cross-entropy of the next token",
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
        PHASE,
        CONTEXT,
    ],
    build,
};

fn build(options: &ModelOptions, m: &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>> {
    let [layers, seq, vocab, batch] = options.sizes(["layers", "seq", "vocab", "batch"]);
    let config = BlockConfig::from_options(options, true)?;
    let (mut phase, ids) = Phase::new(options, m)?;
    let has_loss = options.flag("loss") && !phase.is_inference();
    let targets = has_loss.then(|| m.input(DType::I64, [batch, seq]));

    let tokens = Embedding::new(m, "tokens", vocab, config.width);
    let x = tokens.look_up(m, ids);
    let x = phase.add_positions(m, x);
    let x = m.dropout(x, config.dropout);
    let x = m.modules("blocks", layers, x, |m, _, x| block(m, &config, Some(&mut phase), x));
    let x = phase.last_tokens(m, x);
    let x = layer_norm(m, "norm", x);
    let logits = match options.flag("tied") {
        true => tokens.scores(m, x),
        false => projection(m, "head", x, vocab),
    };
    let result = match targets {
        Some(targets) => cross_entropy(m, logits, targets),
        None => logits,
    };
    phase.finish(m, result);
    Ok(())
}
