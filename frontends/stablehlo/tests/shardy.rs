//! Annotations of Shardy other than shardings of values: edges, barriers, groups, meshes and rules of calls.

use crate::common::{self, imported, refused};
use expect_test::{Expect, expect};

const MESH: &str = "sdy.mesh @m = <[\"a\"=2, \"b\"=4]>";

/// Checks the imported program of a module with the given arguments and body.
fn check(args: &str, body: &str, expected: Expect) {
    let text = format!("{MESH}\nfunc.func @main({args}) -> tensor<8x4xf32> {{\n{body}\n}}\n");
    expected.assert_eq(&imported(&text));
}

#[test]
fn edges_state_shardings() {
    check(
        "%x: tensor<8x4xf32>",
        "  %0 = sdy.data_flow_edge %x sharding=<@m, [{\"a\", ?}, {}]> : tensor<8x4xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8x4xf32>
  %2 = sdy.func_data_flow_edge %1 sharding=<@m, [{?}, {?}]> : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>",
        expect![[r#"
            form traced
            mesh @m = [a=2, b=4]
            input %arg0 : f32[8, 4]
              %0 = constrain %arg0 : f32[8@a?, 4]
              %2 = constrain %0 : f32[8?, 4?]
            output %2 "out0"
        "#]],
    );
}

#[test]
fn barriers_state_directions() {
    check(
        "%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"a\"}, {}]>}",
        "  %0 = sdy.propagation_barrier %x allowed_direction=BACKWARD : tensor<8x4xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>",
        expect![[r#"
            form traced
            mesh @m = [a=2, b=4]
            input %arg0 : f32[8@a, 4]
              %0 = constrain flow backward %arg0 : f32[8, 4]
              %1 = constrain flow blocked %0 : f32[8, 4]
            output %1 "out0"
        "#]],
    );
    let text = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.propagation_barrier %x allowed_direction=SIDEWAYS : tensor<8xf32>
  return %0 : tensor<8xf32>
}";
    expect![[r#"
        error[F002]: `sdy.propagation_barrier`: `allowed_direction` `SIDEWAYS` is none of `NONE`, `FORWARD`, `BACKWARD`, `BOTH`
          --> m.mlir:2:8
    "#]].assert_eq(&refused(text));
}

#[test]
fn members_of_a_group_are_sharded_alike() {
    check(
        "%x: tensor<8x4xf32>, %y: tensor<8x4xf32>",
        "  %0 = stablehlo.negate %y : tensor<8x4xf32>
  %1 = stablehlo.abs %0 : tensor<8x4xf32>
  sdy.sharding_group %x group_id=7 : tensor<8x4xf32>
  sdy.sharding_group %0 group_id=7 : tensor<8x4xf32>
  sdy.sharding_group %1 group_id=8 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>",
        expect![[r#"
            form traced
            mesh @m = [a=2, b=4]
            input %arg0 : f32[8, 4]
            input %arg1 : f32[8, 4]
              %0 = neg %arg1 : f32[8, 4]
              %0.1 = constrain %0, %arg0 : f32[8, 4]
              %1 = abs %0.1 : f32[8, 4]
            output %1 "out0"
        "#]],
    );
    let text = "func.func @main(%x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  sdy.sharding_group %y group_id=0 : tensor<4xf32>
  return %x : tensor<8xf32>
}";
    expect![[r#"
        error[V001]: `sdy.sharding_group` has a value of type f32[4] in the group 0 of f32[8]
          --> m.mlir:3:3
    "#]]
    .assert_eq(&refused(text));
}

#[test]
fn tokens_become_no_values() {
    let text = "sdy.mesh @m = <[\"a\"=2]>
func.func @main(%t: !stablehlo.token, %x: tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"a\"}]>}) {
  %0 = stablehlo.after_all %t, %t : !stablehlo.token
  %1:2 = func.call @g(%0, %x) : (!stablehlo.token, tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>)
  return %1#0, %1#1 : !stablehlo.token, tensor<8xf32>
}
func.func private @g(%t: !stablehlo.token, %x: tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier %t, %x : !stablehlo.token, tensor<8xf32>
  return %0#0, %0#1 : !stablehlo.token, tensor<8xf32>
}
";
    expect![[r#"
        form traced
        mesh @m = [a=2]
        input %arg1 : f32[8]
          %arg1.1 = constrain %arg1 : f32[8@a]
        output %arg1.1 "out1"
    "#]]
    .assert_eq(&imported(text));
}

#[test]
fn unknown_functions_have_the_stated_rule() {
    check(
        "%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"a\"}, {}]>}",
        "  %0 = stablehlo.custom_call @kernel(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} need_replication={j}, custom>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @other(%0) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.custom_call @MoveToHost(%1) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  stablehlo.custom_call @log(%2) {has_side_effect = true} : (tensor<8x4xf32>) -> ()
  return %2 : tensor<8x4xf32>",
        expect![[r#"
            form traced
            mesh @m = [a=2, b=4]
            input %arg0 : f32[8@a, 4]
              %0 = custom_call "kernel" sizes [8, 4] operands [[[0], [1]]] results [[[0], [1]]] replicated [1] %arg0 : f32[8, 4]
              %1 = custom_call "other" %0 : f32[8, 4]
            output %1 "out0"
        "#]],
    );
    let text = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @kernel(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([k]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}";
    expect![[r#"
        error[F002]: `([i])->([k]) {i=8}, custom` is not a sharding rule
          --> m.mlir:2:8
          = help: write it like `([i, j])->([i, j]) {i=8, j=4}`
    "#]]
    .assert_eq(&refused(text));
    expect![[r#"
        error[V001]: `stablehlo.custom_call` does not fit its operands: has a sharding rule for 2 dimensions of result 0, not 1
          --> m.mlir:2:8
    "#]].assert_eq(&refused(&text.replace("([k])", "([i, i])")));
}

#[test]
fn halves_of_integers_are_combined() {
    let text = "func.func @main(%l: tensor<2xui32>, %h: tensor<2xui32>) -> (tensor<2xui64>, tensor<2xui32>) {
  %0 = stablehlo.custom_call @X64Combine(%l, %h) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui64>
  %1 = stablehlo.custom_call @X64SplitHigh(%0) : (tensor<2xui64>) -> tensor<2xui32>
  return %0, %1 : tensor<2xui64>, tensor<2xui32>
}";
    let program = common::program("m.mlir", text);
    let u32s = |values: &[i64]| {
        let ty = partita_ir::dtype::Type::new(partita_ir::dtype::DType::U32, [values.len()]);
        partita_ir::tensor::Tensor::from_ints(ty, values.to_vec())
    };
    let (low, high) = (u32s(&[7, 0xffff_ffff]), u32s(&[1, 0x8000_0000]));
    let results = partita_ir::interp::run(&program, vec![low, high.clone()]).unwrap_or_default();
    let wide: Vec<i64> = (0..2).map(|i| results[0].get(i).to_i64()).collect();
    assert_eq!(wide, [(1 << 32) + 7, (0x8000_0000_ffff_ffff_u64).cast_signed()]);
    assert_eq!(results[1], high);
}

#[test]
fn meshes_may_be_inline_maximal_or_unused() {
    let text = "sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @small = <[\"a\"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<mesh<[\"a\"=2, \"b\"=2]>, [{\"a\"}, {\"b\"}]>}, %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> tensor<8x4xf32> {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@small, [{?}, {}]>]>} : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
";
    expect![[r#"
        form traced
        mesh @mesh = [a=2, b=2]
        input %arg0 : f32[8@a, 4@b]
        input %arg1 : f32[8, 4] whole
          %0 = add %arg0, %arg1 : f32[8?, 4]
        output %0 "out0"
    "#]]
    .assert_eq(&imported(text));
    let text = "sdy.mesh @m = <[\"a\"=2]>\nfunc.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n";
    expect![[r#"
        form traced
        mesh @m = [a=2]
        input %arg0 : f32[8]
        output %arg0 "out0"
    "#]]
    .assert_eq(&imported(text));
}

#[test]
fn called_functions_and_branches_state_shardings() {
    let text = "sdy.mesh @m = <[\"a\"=2, \"b\"=4]>
func.func @main(%x: tensor<8x4xf32>, %i: tensor<i32>) -> tensor<8x4xf32> {
  %0 = call @g(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = \"stablehlo.case\"(%i) ({
    stablehlo.return %0 : tensor<8x4xf32>
  }, {
    stablehlo.return %x : tensor<8x4xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {\"b\"}]>]>} : (tensor<i32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
func.func private @g(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"a\"}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"b\"}, {}]>}) {
  return %x : tensor<8x4xf32>
}
";
    expect![[r#"
        form traced
        mesh @m = [a=2, b=4]
        input %arg0 : f32[8, 4]
        input %arg1 : i32[]
          %arg0.1 = constrain %arg0 : f32[8@a, 4?]
          %arg0.1.1 = constrain %arg0.1 : f32[8@b, 4]
          %c = constant 0 : i32[]
          %chosen = compare eq %arg1, %c : bool[]
          %selected = select %chosen, %arg0.1.1, %arg0 : f32[8, 4]
          %selected.1 = constrain %selected : f32[8, 4@b]
        output %selected.1 "out0"
    "#]]
    .assert_eq(&imported(text));
}

#[test]
fn products_without_dimension_numbers_contract_the_inner_dimensions() {
    let text = "func.func @main(%x: tensor<8x4xf32>, %y: tensor<4x2xf32>) -> tensor<8x2xf32> {
  %c = sdy.constant dense<1.0> : tensor<8x2xf32>
  %0 = stablehlo.dot %x, %y, precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.add %0, %c : tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}
";
    expect![[r#"
        form traced
        input %arg0 : f32[8, 4]
        input %arg1 : f32[4, 2]
          %c = constant 1.0 : f32[8, 2]
          %0 = matmul %arg0, %arg1 : f32[8, 2]
          %1 = add %0, %c : f32[8, 2]
        output %1 "out0"
    "#]]
    .assert_eq(&imported(text));
}

#[test]
fn shardings_in_manual_computations_are_of_the_other_axes() {
    check(
        "%x: tensor<8x4xf32>",
        "  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{\"a\", ?}, {}]>] out_shardings=[<@m, [{\"a\", ?}, {?}]>] manual_axes={\"a\"} (%s: tensor<4x4xf32>) {
    %1 = stablehlo.negate %s {sdy.sharding = #sdy.sharding_per_value<[<@m, [{\"b\", ?}, {?}]>]>} : tensor<4x4xf32>
    %2 = stablehlo.custom_call @kernel(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    sdy.return %2 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>",
        expect![[r#"
            form traced
            mesh @m = [a=2, b=4]
            input %arg0 : f32[8, 4]
              %0 = constrain %arg0 : f32[8@a?, 4]
              %0.1 = reshape %0 : f32[2, 4, 4]
              %0.2 = constrain %0.1 : f32[2@a, 4?, 4]
              %1 = neg %0.2 : f32[2@a, 4@b?, 4?]
              %2 = custom_call "kernel" sizes [2] operands [[[0], [], []]] results [[[0], [], []]] %1 : f32[2, 4, 4]
              %0.3 = reshape %2 : f32[8, 4]
              %0.4 = constrain %0.3 : f32[8@a?, 4?]
            output %0.4 "out0"
        "#]],
    );
}

#[test]
fn collectives_change_shardings() {
    check(
        "%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"a\", \"b\"}, {}]>}",
        "  %0 = sdy.all_gather [{\"b\"}, {}] %x out_sharding=<@m, [{\"a\"}, {}]> : tensor<8x4xf32>
  %1 = sdy.all_to_all [{\"a\"}: 0->1] %0 out_sharding=<@m, [{}, {\"a\"}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>",
        expect![[r#"
            form traced
            mesh @m = [a=2, b=4]
            input %arg0 : f32[8@a+b, 4]
              %0 = constrain %arg0 : f32[8@a, 4]
              %1 = constrain %0 : f32[8, 4@a]
            output %1 "out0"
        "#]],
    );
}
