//! Partitions a feed-forward network with explicit layouts, and compares eight devices with one: `cargo run --example
//! mlp_by_hand`.

use partita::prelude::*;

const MLP: &str = r#"form traced
param %w1 "up.weight"   : f32[64, 512]
param %b1 "up.bias"     : f32[512]
param %w2 "down.weight" : f32[512, 64]
param %b2 "down.bias"   : f32[64]
input %x : f32[32, 64]
  %h = matmul %x, %w1       : f32[32, 512]
  %c1 = broadcast [1] %b1   : f32[32, 512]
  %a = add %h, %c1          : f32[32, 512]
  %r = relu %a              : f32[32, 512]
  %p = matmul %r, %w2       : f32[32, 64]
  %c2 = broadcast [1] %b2   : f32[32, 64]
  %y = add %p, %c2          : f32[32, 64]
output %y "y"
"#;

fn main() -> partita::Result<()> {
    let program = partita::parse("mlp.pir", MLP)?;
    // Megatron's pair: column-parallel first layer, row-parallel second layer, one all-reduce at the end.
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 4)])?)
        .shard("x", "data, _")
        .shard("up.weight", "_, model")
        .shard("down.weight", "model, _");
    let part = program.partition(&plan)?;
    println!("{part}");
    println!("{}", part.explain("up.bias")?);

    let inputs = part.random_inputs(0)?;
    let check = part.check(&inputs)?;
    println!("{check}");
    assert!(check.ok());
    // Propagation shards the bias without an annotation, and the network needs one all-reduce over `model` only.
    let report = part.report();
    assert_eq!(report.params[1].layout, "model");
    assert_eq!(report.collectives.len(), 1);
    Ok(())
}

#[test]
fn eight_devices_agree_with_one() -> partita::Result<()> {
    main()
}
