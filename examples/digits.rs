//! Trains the convolutional network of Wang's book on UCI's handwritten digits, on four devices: `cargo run --example
//! digits`.
//!
//! A fifth of the digits is held out; the network must classify 97% of them correctly.

mod data;

use partita::prelude::*;
use partita::{Dataset, Trainer, TrainingResult};

fn train(epochs: u64) -> partita::Result<TrainingResult> {
    let net = partita::load("zoo:mnist-cnn?image=8&batch=64&dropout=0.25")?;
    let plan = Plan::new(Mesh::new([("data", 4)])?).preset("data").train("adamw?lr=2e-3");
    let digits = Dataset::read(data::file("digits.csv"), &net)?;
    let trainer = Trainer::new(&net, &plan, digits).scale(16.0).validate(0.2).epochs(epochs);
    trainer.run(&mut |event| {
        if let TrainingEvent::Step(record) = event
            && let (Some(loss), Some(accuracy)) = (record.validation_loss, record.accuracy)
        {
            let percent = 100.0 * accuracy;
            println!(
                "epoch {:>2}: loss {:.4}; validation loss {loss:.4}, accuracy {percent:.2}%",
                record.epoch, record.loss
            );
        }
    })
}

/// Returns the accuracy on held-out digits.
fn accuracy(trained: &TrainingResult) -> f64 {
    trained.validation.and_then(|score| score.accuracy).unwrap_or_default()
}

fn main() -> partita::Result<()> {
    let trained = train(15)?;
    println!("validation accuracy {:.2}%, {:.0} samples/s", 100.0 * accuracy(&trained), trained.throughput);
    assert!(accuracy(&trained) >= 0.97);
    Ok(())
}

#[test]
fn reaches_97_percent_accuracy() -> partita::Result<()> {
    assert!(accuracy(&train(8)?) >= 0.97);
    Ok(())
}
