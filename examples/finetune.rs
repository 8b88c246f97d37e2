//! Fine-tunes an encoder from an ONNX file on two devices, with its first half frozen, to restore characters that were
//! masked in an English text: `cargo run --example finetune`.
//!
//! Every seventh character is masked, and the loss is the mean over all characters. A predictor that copies the visible
//! characters and only knows the character frequencies has a loss of a seventh of the entropy of these frequencies. The
//! encoder must do better on held-out sequences. It attends in both directions, so that next-character prediction would
//! be trivial.
//!
//! The embedding and block 0 are frozen. Their outputs are cached per sequence, so that they are computed in the first
//! epoch only.

mod data;
#[path = "data/entropy.rs"]
mod entropy;

use partita::prelude::*;
use partita::{Budget, Dataset, Trainer, TrainingResult, Weights};

/// An encoder with two blocks and random weights, exported by PyTorch, for batches of 4 sequences of 32 characters from
/// a vocabulary of 256.
const ENCODER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/encoder2l.onnx?loss=cross_entropy");

/// Parameters of the embedding and block 0. The norms of block 1 are included, because the export shares the weights of
/// equal norms. The export names a transposed matrix after its node: 255 (queries), 271, 272, 277, 278 and 279 belong
/// to block 0, numbers from 280 on to block 1.
const FROZEN: [&str; 5] = ["te.weight", "pe", "b.0.**", "onnx::MatMul_255", "onnx::MatMul_27*"];

/// Masking period in characters.
const MASK_PERIOD: usize = 7;

/// Mask token, a number that does not occur in the text.
const MASK_TOKEN: i64 = 255;

const EPOCHS: u64 = 6;

/// Returns the masked text as input and the original text as labels.
fn masked_dataset(text: &Tensor) -> partita::Result<Dataset> {
    let masked = text.scalars().enumerate().map(|(i, c)| if i % MASK_PERIOD == 0 { MASK_TOKEN } else { c.to_i64() });
    let input = Tensor::from_ints(text.ty.clone(), masked.collect());
    let fields = [("input".to_owned(), input), ("labels".to_owned(), text.clone())];
    Dataset::tensors("a masked text", fields.into_iter().collect())
}

/// Trains the encoder and returns the result, the initial weights, and the loss of a predictor that only knows the
/// frequencies.
fn train() -> partita::Result<(TrainingResult, Weights, f64)> {
    let (encoder, weights) = partita::load_with_weights(ENCODER)?;
    let plan = Plan::new(Mesh::new([("data", 2)])?)
        .preset("data")
        .train("adamw?lr=4e-3&warmup=100&schedule=cosine&steps=1482");
    let plan = FROZEN.into_iter().fold(plan, Plan::freeze);
    let text = Dataset::read(data::file("text.txt"), &encoder)?;
    let text = &text.field("tokens")?;
    let trainer =
        Trainer::new(&encoder, &plan, masked_dataset(text)?).weights(weights.clone()).validate(0.1).epochs(EPOCHS);
    let trained = trainer.cache(Budget { memory: 64 << 20, ..Budget::default() }).run(&mut |event| {
        if let TrainingEvent::Step(record) = event
            && let Some(loss) = record.validation_loss
        {
            println!("epoch {:>2}: loss {:.4}; validation loss {loss:.4}", record.epoch, record.loss);
        }
    })?;
    Ok((trained, weights, entropy::entropy(text) / MASK_PERIOD as f64))
}

/// Checks the loss, the parameters that must be unchanged, and the cache.
fn check(trained: &TrainingResult, weights: &Weights, frequencies: f64) {
    let first = trained.records[0].loss;
    let loss = trained.validation.map_or(f64::NAN, |score| score.loss);
    println!(
        "{loss:.3} nats per character, {first:.1} in the first step; character frequencies alone: {frequencies:.3}"
    );
    assert!(loss < frequencies && loss < first / 10.0);

    let (same, changed): (Vec<_>, Vec<_>) = weights.iter().partition(|(name, t)| trained.parameters[*name] == **t);
    println!("{} parameters are bitwise unchanged, {} changed", same.len(), changed.len());
    let is_later = |name: &str| name.starts_with("b.1.") || ("onnx::MatMul_280"..="onnx::MatMul_305").contains(&name);
    assert!(same.iter().all(|(name, _)| !is_later(name)) && changed.iter().all(|(name, _)| is_later(name)));

    let cached = trained.cached.unwrap_or_default();
    println!(
        "block 0 was computed for {} sequences, and its cached output was used {} times",
        cached.missed, cached.memory
    );
    // Batches are complete, so each epoch looks up each sequence exactly once.
    assert_eq!(cached.memory, (EPOCHS - 1) * cached.missed);
    assert_eq!(cached.missed + cached.memory, trained.steps * 4);
}

fn main() -> partita::Result<()> {
    let (trained, weights, frequencies) = train()?;
    check(&trained, &weights, frequencies);
    Ok(())
}

#[test]
fn loss_beats_frequencies_and_frozen_layers_are_cached() -> partita::Result<()> {
    main()
}
