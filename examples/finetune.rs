//! An encoder from an ONNX file, fine-tuned on two devices to restore characters that were struck out of an English
//! text, with its first half frozen: `cargo run --example finetune`.
//!
//! Every seventh character is struck out, and the loss is the mean over all of them. Whoever copies what is there, and
//! of the rest knows only how often each character occurs, needs a seventh of the entropy of these frequencies. The
//! encoder must do with less on sequences that it was not trained on; it looks in both directions, so that to tell the
//! next character would be to copy it.
//!
//! Embedding and block 0 are frozen. What they give for a sequence is kept, so that they run in the first epoch only.

mod data;
#[path = "data/entropy.rs"]
mod entropy;

use partita::prelude::*;
use partita::{Budget, Dataset, Trained, Trainer, Weights};

/// An encoder of two blocks as PyTorch exports it, with random weights: sequences of 32 of 256 characters, four at
/// once.
const ENCODER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/encoder2l.onnx?loss=cross_entropy");

/// What the embedding and block 0 read, and so the norms of block 1, whose weights the export shares with it. The
/// export names a transposed matrix after a node: those of block 0 are 255 for the queries, 271, 272, 277, 278 and 279;
/// block 1 begins with 280.
const FROZEN: [&str; 5] = ["te.weight", "pe", "b.0.**", "onnx::MatMul_255", "onnx::MatMul_27*"];

/// Every so many characters one is struck out.
const EVERY: usize = 7;

/// What stands for it: a number that no character of the text has.
const STRUCK: i64 = 255;

const EPOCHS: u64 = 6;

/// The text with characters struck out, and the whole text to be told.
fn gaps(text: &Tensor) -> partita::Result<Dataset> {
    let struck = text.scalars().enumerate().map(|(i, c)| if i % EVERY == 0 { STRUCK } else { c.to_i64() });
    let input = Tensor::from_ints(text.ty.clone(), struck.collect());
    let fields = [("input".to_owned(), input), ("labels".to_owned(), text.clone())];
    Dataset::tensors("a text with gaps", fields.into_iter().collect())
}

/// What came of training, the weights that it began with, and the loss that frequencies alone come to.
fn train() -> partita::Result<(Trained, Weights, f64)> {
    let (encoder, weights) = partita::load_with_weights(ENCODER)?;
    let plan = Plan::new(Mesh::new([("data", 2)])?)
        .preset("data")
        .train("adamw?lr=4e-3&warmup=100&schedule=cosine&steps=1482");
    let plan = FROZEN.into_iter().fold(plan, Plan::freeze);
    let text = Dataset::read(data::file("text.txt"), &encoder)?;
    let text = &text.fields()["tokens"];
    let trainer = Trainer::new(&encoder, &plan, gaps(text)?).weights(weights.clone()).validate(0.1).epochs(EPOCHS);
    let trained = trainer.cache(Budget { memory: 64 << 20, ..Budget::default() }).run(&mut |event| {
        if let Event::Step(record) = event
            && let Some(loss) = record.validation_loss
        {
            println!("epoch {:>2}: loss {:.4}; held out: {loss:.4}", record.epoch, record.loss);
        }
    })?;
    Ok((trained, weights, entropy::entropy(text) / EVERY as f64))
}

/// Asserts what must have come of it.
fn check(trained: &Trained, weights: &Weights, frequencies: f64) {
    let first = trained.records[0].loss;
    let loss = trained.validation.map_or(f64::NAN, |score| score.loss);
    println!("{loss:.3} nats a character, {first:.1} before; frequencies alone need {frequencies:.3}");
    assert!(loss < frequencies && loss < first / 10.0);

    let (same, changed): (Vec<_>, Vec<_>) = weights.iter().partition(|(name, t)| trained.parameters[*name] == **t);
    println!("{} parameters are as they were, to the last bit, and {} changed", same.len(), changed.len());
    let is_later = |name: &str| name.starts_with("b.1.") || ("onnx::MatMul_280"..="onnx::MatMul_305").contains(&name);
    assert!(same.iter().all(|(name, _)| !is_later(name)) && changed.iter().all(|(name, _)| is_later(name)));

    let cached = trained.cached.unwrap_or_default();
    println!("block 0 ran for {} sequences, and {} times what it gave was known", cached.missed, cached.memory);
    // They come in whole batches of four, so that an epoch asks for each of them once.
    assert_eq!(cached.memory, (EPOCHS - 1) * cached.missed);
    assert_eq!(cached.missed + cached.memory, trained.steps * 4);
}

fn main() -> partita::Result<()> {
    let (trained, weights, frequencies) = train()?;
    check(&trained, &weights, frequencies);
    Ok(())
}

#[test]
fn it_ends_well() -> partita::Result<()> {
    main()
}
