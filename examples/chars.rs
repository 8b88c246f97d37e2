//! Trains a character-level language model on English text, on two by two devices: `cargo run --example chars`.
//!
//! A predictor that only knows the character frequencies has a loss equal to the entropy of these frequencies. On
//! held-out sequences the loss of the model must be at most three quarters of that entropy.

mod data;
#[path = "data/entropy.rs"]
mod entropy;

use partita::prelude::*;
use partita::{Dataset, Trainer};

/// Trains the model and returns the validation loss and the entropy of the character frequencies, in nats per
/// character.
fn train(epochs: u64) -> partita::Result<[f64; 2]> {
    let gpt = partita::load("zoo:gpt?layers=2&width=64&heads=4&seq=64&vocab=96&batch=16")?;
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 2)])?)
        .preset("data, megatron")
        .train("adamw?lr=4e-3&warmup=20&clip=1");
    let text = Dataset::read(data::file("text.txt"), &gpt)?;
    let entropy = entropy::entropy(&text.field("tokens")?);
    let trained = Trainer::new(&gpt, &plan, text).validate(0.1).epochs(epochs).run(&mut |event| {
        if let TrainingEvent::Step(record) = event
            && let (Some(loss), Some(accuracy)) = (record.validation_loss, record.accuracy)
        {
            let percent = 100.0 * accuracy;
            println!(
                "epoch {:>2}: loss {:.4}; validation loss {loss:.4}, accuracy {percent:.2}%",
                record.epoch, record.loss
            );
        }
    })?;
    Ok([trained.validation.map_or(f64::NAN, |score| score.loss), entropy])
}

fn main() -> partita::Result<()> {
    let [loss, entropy] = train(12)?;
    println!("{loss:.3} nats per character; character frequencies alone: {entropy:.3}");
    assert!(loss < 0.75 * entropy);
    Ok(())
}

#[test]
fn loss_is_below_the_entropy_of_frequencies() -> partita::Result<()> {
    let [loss, entropy] = train(3)?;
    assert!(loss < 0.95 * entropy, "{loss} {entropy}");
    Ok(())
}
