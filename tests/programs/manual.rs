//! Collectives of programs with `shard_map` after partitioning: each device sends what the program sends, without
//! gathers.

use filetests::agree::{join_diagnostics, partition_by};
use partita_ir::plan::Plan;
use std::path::Path;

/// Returns the names of the collectives of one device for a manual computation over the axis `s` of the given size,
/// from shards of rows to shards of rows.
fn collectives(devices: usize, collective: &str) -> Vec<&'static str> {
    let (rows, columns) = (devices * devices, 6);
    let (own, all) = (format!("tensor<{devices}x{columns}xf32>"), format!("tensor<{rows}x{columns}xf32>"));
    let text = format!(
        r#"module @m {{
  sdy.mesh @mesh = <["s"={devices}]>
  func.func public @main(%arg0: {all}) -> tensor<?xf32> {{
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{{"s"}}, {{}}]>] out_shardings=[<@mesh, [{{"s"}}, {{}}]>] manual_axes={{"s"}} (%a: {own}) {{
      {collective}
      sdy.return %r : RESULT
    }} : ({all}) -> GLOBAL
    return %0 : GLOBAL
  }}
}}
"#
    );
    let (result, global) = match collective.contains("reduce_scatter") {
        true => (format!("tensor<1x{columns}xf32>"), format!("tensor<{devices}x{columns}xf32>")),
        false => (own, all),
    };
    collectives_of(&text.replace("RESULT", &result).replace("GLOBAL", &global).replace("tensor<?xf32>", &global))
}

/// Returns the names of the collectives of one device.
fn collectives_of(text: &str) -> Vec<&'static str> {
    let program =
        partita_stablehlo::import("m.mlir", text).unwrap_or_else(|errors| panic!("{}", join_diagnostics(&errors)));
    let partitioned =
        partition_by(&program, Plan::default()).unwrap_or_else(|errors| panic!("{}", join_diagnostics(&errors)));
    let ops = partitioned.local.model_ops();
    ops.iter().filter(|at| at.op.kind.is_collective()).map(|at| at.op.kind.name()).collect()
}

fn permute(devices: usize, pairs: &str) -> Vec<&'static str> {
    let ty = format!("tensor<{devices}x6xf32>");
    let count = pairs.matches("[").count() - 1;
    collectives(
        devices,
        &format!(
            r#"%r = "stablehlo.collective_permute"(%a) <{{source_target_pairs = dense<{pairs}> : tensor<{count}x2xi64>}}> : ({ty}) -> {ty}"#
        ),
    )
}

#[test]
fn rotations_are_permutes() {
    assert_eq!(permute(4, "[[0, 1], [1, 2], [2, 3], [3, 0]]"), ["permute", "permute"]);
    assert_eq!(permute(4, "[[1, 0], [2, 1], [3, 2], [0, 3]]"), ["permute", "permute"]);
    assert_eq!(permute(4, "[[0, 1], [1, 2], [2, 3]]"), ["permute"]);
    assert_eq!(permute(4, "[[0, 2], [1, 3]]"), ["permute"]);
    assert_eq!(permute(2, "[[0, 1], [1, 0]]"), ["permute"]);
}

#[test]
fn scattered_sums_are_one_collective() {
    let scattered = r#"%r = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x6xf32>) -> tensor<1x6xf32>"#;
    assert_eq!(collectives(4, scattered), ["reduce_scatter"]);
    let largest = scattered.replace("stablehlo.add", "stablehlo.maximum");
    assert_eq!(collectives(4, &largest), ["reduce_scatter"]);
}

/// Values that are the same along some axes are not gathered along them: all collectives are sums.
#[test]
fn values_that_are_the_same_along_an_axis_are_not_gathered() {
    for name in ["manual_training", "manual_residuals", "manual_while"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/checked").join(format!("{name}.mlir"));
        let names = collectives_of(&std::fs::read_to_string(path).unwrap());
        assert!(names.len() > 1 && names.iter().all(|name| *name == "all_reduce"), "{name}: {names:?}");
    }
}
