//! Annotating a model with a mesh: dimension names, their mesh axes, and a proof that the partitioned program is equal
//! to the original.

use partita::prelude::*;

const MODEL: &str = r#"form traced
param %up "up.weight" : f32[64, 512]
param %down "down.weight" : f32[512, 64]
input %x : f32[32, 64]
  %h = matmul %x, %up : f32[32, 512]
  %r = relu %h : f32[32, 512]
  %y = matmul %r, %down : f32[32, 64]
output %y "y"
"#;

fn main() -> partita::Result<()> {
    let program = partita::parse("mlp.pir", MODEL)?;
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 4)])?)
        .name("x", "batch, _")
        .name("up.weight", "_, hidden")
        .rules("batch:data; hidden:model");
    let partition = Compiler::new(&program).plan(&plan).budget(gib(1)).partition()?;
    println!("{partition}");
    println!("{}", partition.explain("down.weight")?);

    let report = partition.report();
    assert_eq!(report.collectives.len(), 1, "the sum over the axis `model`");
    assert!(partition.check(&partition.random_inputs(0)?)?.ok());
    Ok(())
}
