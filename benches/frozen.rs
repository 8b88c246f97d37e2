//! Time of an epoch with a frozen prefix and cached activations, next to training all layers.
//!
//! ```sh
//! cargo bench --bench frozen
//! ```
//!
//! The benchmark prints the fastest of several epochs after the first, and their ratio. It fails if the cache changes
//! any parameter.

mod short;

use indexmap::IndexMap;
use partita::prelude::*;
use partita::{Budget, Dataset, Trainer, TrainingResult};
use partita_ir::dtype::{DType, Type};
use short::is_short;

/// The allocator of the `partita` binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Samples of a batch, and samples of the data set.
const BATCH: usize = 256;
const SAMPLES: usize = 2560;
/// Features of a sample and of the activations of every layer but the last.
const WIDTH: usize = 512;
/// Epochs of a run, including the first, which fills the cache.
const EPOCHS: u64 = 4;
/// Repetitions of each run.
const REPETITIONS: usize = 3;

/// Returns a model of four equal layers and a narrow output layer; the first two layers are half of its arithmetic.
fn model() -> String {
    let layers = [(WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, 3)];
    let mut text = "form traced\n".to_owned();
    for (i, (from, to)) in layers.iter().enumerate() {
        text += &format!("param %w{i} \"layers.{i}.weight\" : f32[{from}, {to}]\n");
    }
    text += &format!("input %features : f32[{BATCH}, {WIDTH}]\ninput %label : i64[{BATCH}]\n");
    let mut x = "features".to_owned();
    for (i, (_, to)) in layers.iter().enumerate() {
        text +=
            &format!("  %h{i} = matmul %{x}, %w{i} : f32[{BATCH}, {to}]\n  %r{i} = relu %h{i} : f32[{BATCH}, {to}]\n");
        x = format!("r{i}");
    }
    text += &format!("  %e = cross_entropy %h4, %label : f32[{BATCH}]\n  %s = reduce sum [0] %e : f32[]\n");
    text + &format!("  %n = constant {BATCH}.0 : f32[]\n  %loss = div %s, %n : f32[]\noutput %loss \"loss\"\n")
}

/// Returns samples of three classes.
fn data() -> partita::Result<Dataset> {
    let number =
        |i: usize| ((i * 2_654_435_761) % 1009) as f64 / 1009.0 + if i % 3 == i / WIDTH % 3 { 1.0 } else { 0.0 };
    let features =
        Tensor::from_floats(Type::new(DType::F32, [SAMPLES, WIDTH]), (0..SAMPLES * WIDTH).map(number).collect());
    let labels = Tensor::from_ints(Type::new(DType::I64, [SAMPLES]), (0..SAMPLES as i64).map(|i| i % 3).collect());
    Dataset::tensors("samples", IndexMap::from([("features".to_owned(), features), ("label".to_owned(), labels)]))
}

/// Returns the seconds of the fastest epoch after the first.
fn fastest(trained: &TrainingResult) -> f64 {
    let seconds = |epoch: u64| -> f64 {
        trained.records.iter().filter(|r| r.epoch == epoch).map(|r| BATCH as f64 / r.throughput).sum()
    };
    (2..=EPOCHS).map(seconds).fold(f64::INFINITY, f64::min)
}

fn main() -> partita::Result<()> {
    let (turns, epochs) = if is_short() { (1, 2) } else { (REPETITIONS, EPOCHS) };
    let (model, data) = (partita::parse("model.pir", &model())?, data()?);
    let whole = Plan::new(Mesh::new([("data", 2)])?).preset("data").train("adamw");
    let frozen = whole.clone().freeze("layers.0.*").freeze("layers.1.*");
    let budget = Budget { memory: 64 << 20, disk: 0, folder: None };
    let train = |plan: &Plan| Trainer::new(&model, plan, data.clone()).epochs(epochs);
    let mut fastest_seconds = [f64::INFINITY; 3];
    for _ in 0..turns {
        let everything = train(&whole).run(&mut |_| ())?;
        let computed = train(&frozen).run(&mut |_| ())?;
        let cached = train(&frozen).cache(budget.clone()).run(&mut |_| ())?;
        assert!(computed.parameters == cached.parameters, "the activation cache changed parameters");
        for (fastest_seconds, trained) in fastest_seconds.iter_mut().zip([&everything, &computed, &cached]) {
            *fastest_seconds = fastest_seconds.min(fastest(trained));
        }
    }
    let [everything, computed, cached] = fastest_seconds;
    println!(
        "epoch: full training {everything:.4} s, frozen prefix {computed:.4} s, with cached activations {cached:.4} s"
    );
    println!("cached activations: {:.2} times as fast as full training", everything / cached);
    println!("parameters are bit-identical with and without the cache");
    Ok(())
}
