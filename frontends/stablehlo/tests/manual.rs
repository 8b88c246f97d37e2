//! Manual computations: the bodies of `shard_map`.

use crate::common::{self, imported, refused};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&refused(text));
}

#[test]
fn invalid_manual_computations() {
    let computation = |axes: &str, body: &str| {
        format!(
            "module @m {{
  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>
  func.func public @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {{
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{{\"x\"}}, {{}}]>] out_shardings=[<@mesh, [{{\"x\"}}, {{}}]>] \
             manual_axes={{{axes}}} (%a: tensor<4x8xf32>) {{
{body}
    }} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }}
}}
"
        )
    };
    check(
        &computation(
            "\"x\"",
            "      %1 = stablehlo.negate %arg0 : tensor<8x8xf32>\n      sdy.return %a : tensor<4x8xf32>\n      sdy.return %a : tensor<4x8xf32>",
        ),
        expect![[r#"
            error[F002]: `sdy.return` is not the last operation of its region
              --> m.mlir:6:7
        "#]],
    );
    check(
        &computation("\"z\"", "      sdy.return %a : tensor<4x8xf32>"),
        expect![[r#"
        error[F002]: the manual axis `z` is not an axis of the mesh `@mesh`
          --> m.mlir:4:10
    "#]],
    );
    check(
        &computation("\"y\"", "      sdy.return %a : tensor<4x8xf32>"),
        expect![[r#"
        error[V001]: `sdy.manual_computation` does not divide f32[8, 8] into shards f32[4, 8]
          --> m.mlir:4:10
    "#]],
    );
    check(
        &computation(
            "\"x\", \"y\"",
            "      %1 = \"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[0, 5], [1, 4], [2, 3], [6, 7]]> : tensor<4x2xi64>}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      sdy.return %1 : tensor<4x8xf32>",
        ),
        expect![[r#"
            error[F003]: `stablehlo.all_reduce` in a manual computation is over groups of devices that are not those along some manual axes
              --> m.mlir:5:13
        "#]],
    );
    check(
        &computation(
            "\"x\"",
            "      %n = stablehlo.partition_id : tensor<ui32>
      %1 = stablehlo.while(%i = %n) : tensor<ui32> cond {
        %c = stablehlo.compare LT, %i, %i : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        stablehlo.return %i : tensor<ui32>
      }
      sdy.return %a : tensor<4x8xf32>",
        ),
        expect![[r#"
            error[F003]: `stablehlo.while` in a manual computation has a condition that differs between devices
              --> m.mlir:6:12
        "#]],
    );
}

#[test]
fn collectives_outside_of_manual_computations() {
    let body = "    %n = stablehlo.partition_id : tensor<ui32>
    %r = stablehlo.constant dense<0.0> : tensor<f32>
    return %r : tensor<f32>";
    check(
        &common::module("", body),
        expect![[r#"
            error[F001]: `stablehlo.partition_id` is outside of a manual computation
              --> m.mlir:3:10
              = help: the module is already partitioned: lower the function for global tensors, or with `shard_map` instead of `pmap`
        "#]],
    );
}

#[test]
fn every_group_of_a_collective_is_checked() {
    let text = |groups: &str| {
        format!(
            "module @m {{
  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {{
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{{\"x\", \"y\"}}]>] \
             out_shardings=[<@mesh, [{{\"x\", \"y\"}}]>] manual_axes={{\"x\", \"y\"}} (%a: tensor<1xf32>) {{
      %1 = \"stablehlo.all_reduce\"(%a) <{{replica_groups = dense<{groups}> : tensor<2x2xi64>}}> ({{
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}) : (tensor<1xf32>) -> tensor<1xf32>
      sdy.return %1 : tensor<1xf32>
    }} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }}
}}
"
        )
    };
    for groups in ["[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]", "[[2, 3], [0, 1]]"] {
        assert!(imported(&text(groups)).starts_with("form traced"), "{groups}");
    }
    for groups in ["[[0, 1], [3, 2]]", "[[0, 1], [1, 3]]", "[[0, 1], [0, 1]]", "[[0, 3], [1, 2]]", "[[0, 1], [2, 7]]"] {
        assert!(refused(&text(groups)).contains("not those along some manual axes"), "{groups}");
    }
}

#[test]
fn devices_have_the_numbers_of_the_mesh_and_one_replica() {
    let text = "module @m {
  sdy.mesh @mesh = <[\"x\"=3], device_ids=[2, 0, 1]>
  func.func public @main() -> (tensor<3xui32>, tensor<ui32>) {
    %0:2 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{\"x\"}]>, <@mesh, []>] manual_axes={\"x\"} () {
      %n = stablehlo.partition_id : tensor<ui32>
      %1 = stablehlo.reshape %n : (tensor<ui32>) -> tensor<1xui32>
      %r = stablehlo.replica_id : tensor<ui32>
      sdy.return %1, %r : tensor<1xui32>, tensor<ui32>
    } : () -> (tensor<3xui32>, tensor<ui32>)
    return %0#0, %0#1 : tensor<3xui32>, tensor<ui32>
  }
}
";
    let program = imported(text);
    assert!(program.contains("constant [2, 0, 1] : u32[3]"), "{program}");
    assert!(program.contains("constant 0 : u32[]"), "{program}");
}

#[test]
fn conditions_of_loops_are_the_same_on_all_devices() {
    // A loop that carries a condition, another scalar and the shard of a device.
    let text = |next: &str| {
        let all_reduce = |name: &str, groups: &str| {
            format!(
                "%{name} = \"stablehlo.all_reduce\"(%own) <{{replica_groups = dense<{groups}>}}> ({{
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}) : (tensor<f32>) -> tensor<f32>"
            )
        };
        let over_both = all_reduce("over_both", "[[0, 1, 2, 3]]> : tensor<1x4xi64");
        let over_x = all_reduce("over_x", "[[0, 2], [1, 3]]> : tensor<2x2xi64");
        format!(
            "module @m {{
  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>
  func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {{
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{{\"x\", \"y\"}}]>] \
             out_shardings=[<@mesh, [{{\"x\", \"y\"}}]>] manual_axes={{\"x\", \"y\"}} (%a: tensor<2xf32>) {{
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %1:3 = stablehlo.while(%i = %one, %j = %one, %b = %a) : tensor<f32>, tensor<f32>, tensor<2xf32> cond {{
        %small = stablehlo.constant dense<0.1> : tensor<f32>
        %c = stablehlo.compare GT, %i, %small : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }} do {{
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %own = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
        {over_both}
        {over_x}
        %half = stablehlo.multiply %b, %b : tensor<2xf32>
        stablehlo.return {next}, %half : tensor<f32>, tensor<f32>, tensor<2xf32>
      }}
      sdy.return %1#2 : tensor<2xf32>
    }} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }}
}}
"
        )
    };
    for next in ["%over_both, %own", "%j, %over_both", "%j, %i"] {
        let program = imported(&text(next));
        assert!(program.starts_with("form traced"), "{next}: {program}");
    }
    // The second scalar differs after the first iteration, the condition after the second.
    for next in ["%own, %one", "%over_x, %one", "%j, %own", "%j, %over_x"] {
        let refusal = refused(&text(next));
        assert!(refusal.contains("has a condition that differs between devices"), "{next}: {refusal}");
    }
}
