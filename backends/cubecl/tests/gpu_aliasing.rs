//! Kernels that overwrite their operands declare no pointer as `restrict`ed that aliases another one. Covers all
//! kernels of the built-in models.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita::prelude::*;
use partita_gpu::aliasing::check;
use partita_gpu::{Module, Target};
use partita_ir::verify::verify;

const MODELS: [&str; 5] = [
    "mlp?layers=2&width=9&hidden=15&batch=8",
    "mnist-cnn?image=8&batch=4",
    "gpt?layers=1&width=16&heads=4&hidden=16&seq=8&vocab=31&batch=4",
    "bert?layers=1&width=12&heads=4&hidden=15&seq=7&vocab=31&batch=4",
    "moe?layers=1&width=9&hidden=11&experts=4&seq=7&batch=8",
];

/// Compiles a model with several plans: inference and each optimizer, in `f32` and 16-bit floats, on one device and on
/// several.
fn modules(model: &str, target: Target) -> Vec<Module> {
    let one = || Plan::new(Mesh::new([("one", 1)]).unwrap());
    let several = || Plan::new(Mesh::new([("data", 2), ("model", 2)]).unwrap()).preset("data").preset("megatron");
    let narrow = |plan: Plan| plan.precision("**", "bf16");
    let plans = [
        one(),
        narrow(several()),
        one().train("adamw"),
        narrow(several()).train("adamw"),
        one().train("sgd"),
        narrow(one()).train("momentum"),
    ];
    let program = partita::load(&format!("zoo:{model}")).unwrap();
    let module = |plan: &Plan| {
        let part = program.partition(plan).unwrap();
        partita_cubecl::compile(verify(part.local().unwrap()).unwrap().into_form().unwrap(), target).unwrap()
    };
    plans.iter().map(module).collect()
}

#[test]
fn overwritten_operands_are_not_restricted() {
    for target in [Target::Cuda { arch: 80 }, Target::Hip] {
        let mut count = 0;
        for model in MODELS {
            for module in modules(model, target) {
                count += check(&module).unwrap_or_else(|e| panic!("{model} for {target}: {e}"));
            }
        }
        // The check applies to a minimum number of kernels.
        assert!(count >= 20, "{count} kernels for {target} write over operands");
    }
}
