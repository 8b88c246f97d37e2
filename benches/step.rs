//! Seconds of one step of a model on the devices of its mesh, after warm-up, with parameters resident on the devices.
//!
//! ```sh
//! cargo bench --bench step -- FILE.mlir... [--plan PLAN.toml [--divided]]
//! ```
//!
//! The benchmark prints one line of JSON per model: the median and the minimum of 20 steps after three warm-up steps,
//! the processor time of a step on all threads, the matrix products of a step, and the bytes that its other kernels
//! move. A model without a mesh and a plan runs on one device. With `--divided`, devices are as on ranks: none computes
//! for another one or reads its memory. `benches/peers` alternates this program with JAX, and computes the roofline
//! from the products and bytes.

mod short;

use indexmap::IndexMap;
use partita::machine::host::{Product, Work};
use partita::prelude::*;
use partita_ir::diag::Source;
use partita_ir::input_file::read_text;
use partita_passes::training::phases::declare_params;
use partita_runtime::processes::Processes;
use partita_runtime::processes::threads::ThreadWire;
use serde_json::{Value, json};
use short::is_short;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measured steps.
const STEPS: usize = 20;

fn main() -> partita::Result<()> {
    let steps = if is_short() { 1 } else { STEPS };
    let (mut models, mut given, mut divided) = (Vec::new(), None, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--plan" => given = args.next(),
            "--divided" => divided = true,
            // Options of `cargo bench`.
            _ if arg.starts_with("--") => {}
            _ => models.push(arg),
        }
    }
    let read = |path: String| Plan::from_toml(&Source::new(path.clone(), read_text(path.as_ref())?));
    let given = given.map(read).transpose()?;
    for model in models {
        let mut program = partita::load(&model)?;
        // Weights that an imported function takes as arguments stay on the devices, too.
        declare_params(&mut program);
        let plan = match &given {
            Some(plan) => plan.clone(),
            None if program.meshes.is_empty() => Plan::new(Mesh::new([("one", 1)])?),
            None => Plan::default(),
        };
        let mut part = program.partition(&plan)?;
        if divided {
            let wires = ThreadWire::connected(1).into_iter();
            let processes = wires.map(|wire| Processes::new(Arc::new(wire), Duration::MAX));
            part = processes.fold(part, Partition::on_processes);
        }
        let inputs = part.random_inputs(0)?;
        let names = part.planned().inputs().iter().map(|&v| part.planned().path_of(v).to_owned());
        let named: IndexMap<String, Tensor> = names.zip(inputs).collect();
        let mut session = part.start(&named)?;
        let batch: Vec<Tensor> = session.batch_inputs().iter().map(|port| named[&port.name].clone()).collect();
        let mut seconds = Vec::new();
        let mut processor_start = 0.0;
        for step in 0..steps + 3 {
            if step == 3 {
                processor_start = processor_seconds();
            }
            let started = Instant::now();
            session.run(&batch)?;
            if step >= 3 {
                seconds.push(started.elapsed().as_secs_f64());
            }
        }
        let processor = (processor_seconds() - processor_start) / steps as f64;
        seconds.sort_by(f64::total_cmp);
        let (products, bytes) = work(&part.works()?);
        let line = json!({
            "model": model,
            "devices": part.device_count(),
            "median": seconds[steps / 2],
            "least": seconds[0],
            "processor": processor,
            "products": products,
            "bytes": bytes,
        });
        println!("{line}");
    }
    Ok(())
}

/// Returns the seconds that all threads of this process have run so far, as Linux counts them; elsewhere 0.
fn processor_seconds() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let counters = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok());
    let nanoseconds = counters.filter_map(|counters| counters.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.sum::<f64>() * 1e-9
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
    let row = |(product, count): (Product, f64)| {
        let rows = [product.order.0, product.order.1];
        json!({ "size": product.size, "rows": rows, "count": count })
    };
    (counts.into_iter().map(row).collect(), bytes)
}
