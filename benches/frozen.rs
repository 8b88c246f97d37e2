//! Seconds of an epoch with the front of a model frozen and what it gives kept, next to training everything, in turn.
//!
//! ```sh
//! cargo bench --bench frozen
//! ```
//!
//! prints the fastest of several epochs behind the first, their ratio; and fails if what is kept changed any parameter.

mod short;

use indexmap::IndexMap;
use partita::prelude::*;
use partita::{Budget, Dataset, Trained, Trainer};
use partita_ir::dtype::{DType, Type};
use short::is_short;

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Samples of a batch, and of the data set.
const BATCH: usize = 256;
const SAMPLES: usize = 2560;
/// Numbers of a sample, and of what every layer but the last gives.
const WIDTH: usize = 512;
/// Epochs of a run, the first one included, which fills the cache.
const EPOCHS: u64 = 4;
/// How often each is trained.
const TURNS: usize = 3;

/// Four equal layers and a narrow end: the front two are half of it.
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

/// Samples of three classes.
fn data() -> partita::Result<Dataset> {
    let number =
        |i: usize| ((i * 2_654_435_761) % 1009) as f64 / 1009.0 + if i % 3 == i / WIDTH % 3 { 1.0 } else { 0.0 };
    let features =
        Tensor::from_floats(Type::new(DType::F32, [SAMPLES, WIDTH]), (0..SAMPLES * WIDTH).map(number).collect());
    let labels = Tensor::from_ints(Type::new(DType::I64, [SAMPLES]), (0..SAMPLES as i64).map(|i| i % 3).collect());
    Dataset::tensors("samples", IndexMap::from([("features".to_owned(), features), ("label".to_owned(), labels)]))
}

/// Seconds of the fastest epoch behind the first.
fn fastest(trained: &Trained) -> f64 {
    let seconds = |epoch: u64| -> f64 {
        trained.records.iter().filter(|r| r.epoch == epoch).map(|r| BATCH as f64 / r.throughput).sum()
    };
    (2..=EPOCHS).map(seconds).fold(f64::INFINITY, f64::min)
}

fn main() -> partita::Result<()> {
    let (turns, epochs) = if is_short() { (1, 2) } else { (TURNS, EPOCHS) };
    let (model, data) = (partita::parse("model.pir", &model())?, data()?);
    let whole = Plan::new(Mesh::new([("data", 2)])?).preset("data").train("adamw");
    let frozen = whole.clone().freeze("layers.0.*").freeze("layers.1.*");
    let budget = Budget { memory: 64 << 20, disk: 0, folder: None };
    let train = |plan: &Plan| Trainer::new(&model, plan, data.clone()).epochs(epochs);
    let mut least = [f64::INFINITY; 3];
    for _ in 0..turns {
        let everything = train(&whole).run(&mut |_| ())?;
        let computed = train(&frozen).run(&mut |_| ())?;
        let kept = train(&frozen).cache(budget.clone()).run(&mut |_| ())?;
        assert!(computed.parameters == kept.parameters, "what is kept changed parameters");
        for (least, trained) in least.iter_mut().zip([&everything, &computed, &kept]) {
            *least = least.min(fastest(trained));
        }
    }
    let [everything, computed, kept] = least;
    println!("an epoch: everything trained {everything:.4} s, the front frozen {computed:.4} s, and kept {kept:.4} s");
    println!("kept, it is {:.2} times as fast as with everything trained", everything / kept);
    println!("parameters are equal to the last bit with and without what is kept");
    Ok(())
}
