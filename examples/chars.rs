//! A language model of characters on an English text, on two by two devices: `cargo run --example chars`.
//!
//! Whoever knows how often each character occurs, and nothing else, needs the entropy of these frequencies for a
//! character. The model must do with three quarters of it on sequences that it was not trained on.

mod data;
#[path = "data/entropy.rs"]
mod entropy;

use partita::prelude::*;
use partita::{Dataset, Trainer};

/// The loss on what was held out, and the entropy that it is measured by.
fn train(epochs: u64) -> partita::Result<[f64; 2]> {
    let gpt = partita::load("zoo:gpt?layers=2&width=64&heads=4&seq=64&vocab=96&batch=16")?;
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 2)])?)
        .preset("data, megatron")
        .train("adamw?lr=4e-3&warmup=20&clip=1");
    let text = Dataset::read(data::file("text.txt"), &gpt)?;
    let entropy = entropy::entropy(&text.fields()["tokens"]);
    let trained = Trainer::new(&gpt, &plan, text).validate(0.1).epochs(epochs).run(&mut |event| {
        if let Event::Step(record) = event
            && let (Some(loss), Some(share)) = (record.validation_loss, record.accuracy)
        {
            let right = 100.0 * share;
            println!("epoch {:>2}: loss {:.4}; held out: {loss:.4}, {right:.2}% right", record.epoch, record.loss);
        }
    })?;
    Ok([trained.validation.map_or(f64::NAN, |score| score.loss), entropy])
}

fn main() -> partita::Result<()> {
    let [loss, entropy] = train(12)?;
    println!("{loss:.3} nats a character; frequencies alone need {entropy:.3}");
    assert!(loss < 0.75 * entropy);
    Ok(())
}

#[test]
fn it_ends_well() -> partita::Result<()> {
    let [loss, entropy] = train(3)?;
    assert!(loss < 0.95 * entropy, "{loss} {entropy}");
    Ok(())
}
