//! Compiling ahead of time: a training step becomes one file of kernels, which is inspected without the model.

use partita::Artefact;
use partita::prelude::*;

fn main() -> partita::Result<()> {
    let program = partita::load("zoo:mlp?width=64&hidden=128&batch=16")?;
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 2)])?).preset("data,megatron").train("adamw?lr=1e-3");
    let mut passes = Vec::new();
    let partition = Compiler::new(&program)
        .plan(&plan)
        .on_pass(|ran| {
            passes.push(ran.info.name);
            Ok(())
        })
        .partition()?;
    let artefact = partition.compile(&["cuda:sm_90", "wgsl"])?;
    let bytes = artefact.to_bytes()?;
    println!("{} passes, {} bytes for {} targets", passes.len(), bytes.len(), artefact.modules.len());

    let read = Artefact::from_bytes("step.partita".as_ref(), &bytes)?;
    assert_eq!(read.to_bytes()?, bytes);
    println!("{}", partition.explain_kernels("cuda:sm_90", None)?);
    Ok(())
}
