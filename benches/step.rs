//! Seconds of one step of a model on the devices of its mesh, after warm-up, with parameters resident on the devices.
//!
//! ```sh
//! cargo bench --bench step -- FILE.mlir...
//! ```
//!
//! The benchmark prints one line of JSON per model: the median and the minimum of 20 steps after three warm-up steps,
//! and the memory use of a device. A model without a mesh runs on one device. `benches/peers` alternates this program
//! with JAX.

mod short;

use indexmap::IndexMap;
use partita::prelude::*;
use partita_passes::training::phases::declare_params;
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
        println!(
            "{{\"model\": \"{model}\", \"devices\": {}, \"median\": {:.6}, \"least\": {:.6}}}",
            part.device_count(),
            seconds[steps / 2],
            seconds[0]
        );
    }
    Ok(())
}
