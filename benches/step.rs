//! Seconds of one step of a model on the devices of its mesh, after warm-up, with parameters resident on the devices.
//!
//! ```sh
//! cargo bench --bench step -- FILE.mlir...
//! ```
//!
//! The benchmark prints one line of JSON per model: the median and the minimum of 20 steps after three warm-up steps,
//! the matrix products of a step, and the bytes that its other kernels move. A model without a mesh runs on one device.
//! `benches/peers` alternates this program with JAX, and computes the roofline from the products and bytes.

mod short;

use indexmap::IndexMap;
use partita::machine::host::{Product, Work};
use partita::prelude::*;
use partita_passes::training::phases::declare_params;
use serde_json::{Value, json};
use short::is_short;
use std::time::Instant;

/// Measured steps.
const STEPS: usize = 20;

fn main() -> partita::Result<()> {
    let steps = if is_short() { 1 } else { STEPS };
    for model in std::env::args().skip(1).filter(|arg| !arg.starts_with("--")) {
        let mut program = partita::load(&model)?;
        // Weights that an imported function takes as arguments stay on the devices, too.
        declare_params(&mut program);
        let annotated = !program.meshes.is_empty();
        let plan = if annotated { Plan::default() } else { Plan::new(Mesh::new([("one", 1)])?) };
        let part = program.partition(&plan)?;
        let inputs = part.random_inputs(0)?;
        let names = part.planned().inputs().iter().map(|&v| part.planned().path_of(v).to_owned());
        let named: IndexMap<String, Tensor> = names.zip(inputs).collect();
        let mut session = part.start(&named)?;
        let batch: Vec<Tensor> = session.batch_inputs().iter().map(|port| named[&port.name].clone()).collect();
        let mut seconds = Vec::new();
        for step in 0..steps + 3 {
            let started = Instant::now();
            session.run(&batch)?;
            if step >= 3 {
                seconds.push(started.elapsed().as_secs_f64());
            }
        }
        seconds.sort_by(f64::total_cmp);
        let (products, bytes) = work(&part.works()?);
        let line = json!({
            "model": model,
            "devices": part.device_count(),
            "median": seconds[steps / 2],
            "least": seconds[0],
            "products": products,
            "bytes": bytes,
        });
        println!("{line}");
    }
    Ok(())
}

/// Returns the matrix products of a step with their storage orders and counts, and the bytes that kernels without
/// products read and write.
fn work(works: &[Work]) -> (Vec<Value>, f64) {
    let mut counts: IndexMap<Product, f64> = IndexMap::new();
    let mut bytes = 0.0;
    for work in works {
        work.products.iter().for_each(|(product, times)| *counts.entry(*product).or_default() += times);
        if work.products.is_empty() {
            bytes += work.accesses.iter().map(|(_, bytes)| bytes).sum::<f64>();
        }
    }
    let row = |(product, count): (Product, f64)| json!({ "size": product.size, "rows": [product.order.0, product.order.1], "count": count });
    (counts.into_iter().map(row).collect(), bytes)
}
