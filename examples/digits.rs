//! The convolutional net of Wang's book on the handwritten digits of UCI, on four devices: `cargo run --example
//! digits`.
//!
//! A fifth of the digits is held out; the net must tell 97% of them.

mod data;

use partita::prelude::*;
use partita::{Dataset, Trained, Trainer};

fn train(epochs: u64) -> partita::Result<Trained> {
    let net = partita::load("zoo:mnist-cnn?image=8&batch=64&dropout=0.25")?;
    let plan = Plan::new(Mesh::new([("data", 4)])?).preset("data").train("adamw?lr=2e-3");
    let digits = Dataset::read(data::file("digits.csv"), &net)?;
    let trainer = Trainer::new(&net, &plan, digits).scale(16.0).validate(0.2).epochs(epochs);
    trainer.run(&mut |event| {
        if let Event::Step(record) = event
            && let (Some(loss), Some(share)) = (record.validation_loss, record.accuracy)
        {
            let right = 100.0 * share;
            println!("epoch {:>2}: loss {:.4}; held out: {loss:.4}, {right:.2}% right", record.epoch, record.loss);
        }
    })
}

/// The share of digits that were held out and are told right.
fn share(trained: &Trained) -> f64 {
    trained.validation.and_then(|score| score.accuracy).unwrap_or_default()
}

fn main() -> partita::Result<()> {
    let trained = train(15)?;
    println!("{:.2}% of the digits held out are right, {:.0} samples/s", 100.0 * share(&trained), trained.throughput);
    assert!(share(&trained) >= 0.97);
    Ok(())
}

#[test]
fn it_ends_well() -> partita::Result<()> {
    assert!(share(&train(8)?) >= 0.97);
    Ok(())
}
