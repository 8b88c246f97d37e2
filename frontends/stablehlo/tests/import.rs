//! StableHLO snippets and the programs that they are imported as.

use crate::common::{self, imported};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&imported(text));
}

/// Checks a function with the given arguments and body, including its return.
fn check_body(args: &str, body: &str, expected: Expect) {
    check(&common::module(args, body), expected);
}

#[test]
fn layouts_of_shardy() {
    check(
        r#"
module @jit_f attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]> {stablehlo.mesh = {axes = []}}
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}p1]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model":(1)2}, {"model":(2)2, ?}], replicated={"data"}>, tf.aliasing_output = 0 : i32}) -> (tensor<16x16xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<8x16xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"data", "model"}, {}]> : tensor<8x16xf32>
    %2 = stablehlo.add %1, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"model"}>]>} : tensor<8x16xf32>
    return %arg1, %2 : tensor<16x16xf32>, tensor<8x16xf32>
  }
}"#,
        expect![[r#"
            form traced
            mesh @mesh = [data=2, model=4]
            input %arg0 : f32[8@data, 16?!1]
            input %arg1 : f32[16@model:(1)2, 16@model:(2)2?] all(data)
              %0 = matmul %arg0, %arg1 : f32[8, 16]
              %1 = constrain %0 : f32[8@data+model, 16]
              %2 = add %1, %1 : f32[8, 16] sum(model)
              %arg1.1 = constrain %arg1 : f32[16@model, 16]
            output %arg1.1 "out0" -> %arg1
            output %2 "out1"
        "#]],
    );
}

#[test]
fn closed_dimensions_on_a_mesh_without_axes_are_replicated() {
    let module = |meshes: &str, other: &str| {
        format!(
            r#"
module @m {{
  sdy.mesh @empty = <[]>
  sdy.mesh @maximal = <[], device_ids=[0]>
{meshes}
  func.func public @main(%arg0: tensor<8x16xf32> {{sdy.sharding = #sdy.sharding<@empty, [{{}}, {{}}]>}}, %arg1: tensor<8x16xf32> {{{other}}}) -> (tensor<8x16xf32> {{sdy.sharding = #sdy.sharding<@maximal, [{{}}, {{?}}]>}}) {{
    %0 = sdy.sharding_constraint %arg1 <@empty, [{{?}}, {{?}}]> : tensor<8x16xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }}
}}"#
        )
    };
    check(
        &module("", ""),
        expect![[r#"
            form traced
            mesh @empty = [one=1]
            input %arg0 : f32[8, 16] whole
            input %arg1 : f32[8, 16]
              %1 = add %arg0, %arg1 : f32[8, 16?]
            output %1 "out0"
        "#]],
    );
    check(
        &module(
            r#"  sdy.mesh @mesh = <["data"=2, "model"=4]>"#,
            r#"sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>"#,
        ),
        expect![[r#"
            form traced
            mesh @mesh = [data=2, model=4]
            input %arg0 : f32[8, 16] whole
            input %arg1 : f32[8@data, 16?]
              %1 = add %arg0, %arg1 : f32[8, 16?]
            output %1 "out0"
        "#]],
    );
}

#[test]
fn layouts_of_gspmd() {
    check(
        r#"
module @jit_f attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(%arg0: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,2]<=[2,2,2]T(0,2,1)}"}, %arg1: tensor<8x8xf32> {mhlo.sharding = "{devices=[1,2,4]<=[8] last_tile_dim_replicate}"}, %arg2: tensor<f32> {mhlo.sharding = "{replicated}"}) -> (tensor<8x8xf32> {mhlo.sharding = "{devices=[1,8]<=[2,2,2]T(2,1,0)}"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{devices=[1,4,2]<=[2,2,2]T(2,0,1) last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}"#,
        expect![[r#"
            form traced
            mesh @mesh = [axis0=2, axis1=2, axis2=2]
            input %arg0 : f32[8@axis0+axis2, 8@axis1]
            input %arg1 : f32[8, 8@axis0]
            input %arg2 : f32[] whole
              %0 = add %arg0, %arg1 : f32[8, 8]
              %1 = constrain %0 : f32[8?, 8@axis2+axis0]
              %1.1 = constrain %1 : f32[8, 8@axis2+axis1+axis0]
            output %1.1 "out0"
        "#]],
    );
}

#[test]
fn private_functions_are_inlined() {
    check(
        r#"
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @twice(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = func.call @both(%0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %2 = call @twice(%1#1) : (tensor<4xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func private @twice(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32> loc("f"("g.py":1:2))
    return %0 : tensor<4xf32>
  }
  func.func private @both(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = call @twice(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
    return %arg0, %0 : tensor<4xf32>, tensor<4xf32>
  }
}"#,
        expect![[r#"
            form traced
            input %arg0 : f32[4]
              %twice.0 = add %arg0, %arg0 : f32[4]
              %twice.0.1 = add %arg0, %arg0 : f32[4]
              %twice.0.2 = add %twice.0.1, %twice.0.1 : f32[4]
            output %twice.0.2 "out0"
        "#]],
    );
}

#[test]
fn branches_are_computed_and_selected() {
    check(
        r#"
module @jit_f {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>, %arg2: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = "stablehlo.case"(%arg0) ({
      %5 = stablehlo.negate %arg1 : tensor<4xf32>
      stablehlo.return %5 : tensor<4xf32>
    }, {
      %5 = stablehlo.sine %arg1 : tensor<4xf32>
      stablehlo.return %5 : tensor<4xf32>
    }, {
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %1 = "stablehlo.if"(%arg2) ({
      stablehlo.return %0 : tensor<4xf32>
    }, {
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %2 = stablehlo.composite "my.twice" %1 {composite_attributes = {n = 1 : i64}, decomposition = @twice} : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @twice(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}"#,
        expect![[r#"
            form traced
            input %arg0 : i32[]
            input %arg1 : f32[4]
            input %arg2 : bool[]
              %c = constant 0 : i32[]
              %chosen = compare eq %arg0, %c : bool[]
              %c.1 = constant 1 : i32[]
              %chosen.1 = compare eq %arg0, %c.1 : bool[]
              %5 = sin %arg1 : f32[4]
              %selected = select %chosen.1, %5, %arg1 : f32[4]
              %5.1 = neg %arg1 : f32[4]
              %selected.1 = select %chosen, %5.1, %selected : f32[4]
              %selected.2 = select %arg2, %selected.1, %arg1 : f32[4]
              %twice.0 = add %selected.2, %selected.2 : f32[4]
            output %selected.1 "out0"
            output %selected.2 "out1"
            output %twice.0 "out2"
        "#]],
    );
}

#[test]
fn reductions_that_are_monoids_and_others() {
    check_body(
        "%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi1>, %arg2: tensor<f32>",
        "%z = stablehlo.constant dense<0.0> : tensor<f32>
         %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
         %t = stablehlo.constant dense<true> : tensor<i1>
         %0 = stablehlo.reduce(%arg0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
         %1 = stablehlo.reduce(%arg0 init: %m) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
         %2 = stablehlo.reduce(%arg1 init: %t) applies stablehlo.and across dimensions = [0] : (tensor<4x8xi1>, tensor<i1>) -> tensor<8xi1>
         %3 = stablehlo.reduce(%arg0 init: %arg2) applies stablehlo.multiply across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
         %4 = stablehlo.reduce(%arg0 init: %z) across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
          reducer(%a: tensor<f32>, %b: tensor<f32>)  {
           %5 = stablehlo.minimum %b, %a : tensor<f32>
           stablehlo.return %5 : tensor<f32>
         }
         %6:2 = stablehlo.reduce(%arg0 init: %z), (%arg1 init: %t) across dimensions = [0] : (tensor<4x8xf32>, tensor<4x8xi1>, tensor<f32>, tensor<i1>) -> (tensor<8xf32>, tensor<8xi1>)
          reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i1>, %d: tensor<i1>)  {
           %7 = stablehlo.subtract %a, %b : tensor<f32>
           %8 = stablehlo.xor %c, %d : tensor<i1>
           stablehlo.return %7, %8 : tensor<f32>, tensor<i1>
         }
         return %1 : tensor<f32>",
        expect![[r#"
            form traced
            func @reducer1(%a: f32[], %c: bool[], %b: f32[], %d: bool[]) {
              %7 = sub %a, %b : f32[]
              %8 = xor %c, %d : bool[]
              return %7 "out0", %8 "out1"
            }
            input %arg0 : f32[4, 8]
            input %arg1 : bool[4, 8]
            input %arg2 : f32[]
              %z = constant 0.0 : f32[]
              %t = constant 1 : bool[]
              %0 = reduce sum [1] %arg0 : f32[4]
              %1 = reduce max [0, 1] %arg0 : f32[]
              %2 = reduce and [0] %arg1 : bool[8]
              %prod = reduce prod [0] %arg0 : f32[8]
              %init = broadcast [] %arg2 : f32[8]
              %3 = mul %prod, %init : f32[8]
              %min = reduce min [0] %arg0 : f32[8]
              %init.1 = broadcast [] %z : f32[8]
              %4 = min %min, %init.1 : f32[8]
              %6.0, %6.1 = reduce_func [0] with @reducer1 %arg0, %arg1, %z, %t : f32[8], bool[8]
            output %1 "out0"
        "#]],
    );
}

#[test]
fn windows_and_sorting() {
    check_body(
        "%arg0: tensor<2x9x9x4xf32>, %arg1: tensor<2x4x4x4xf32>, %arg2: tensor<16x8xf32>",
        r#"%z = stablehlo.constant dense<0.0> : tensor<f32>
         %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
         %i = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> tensor<f32>
         %0 = "stablehlo.reduce_window"(%arg0, %i) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
         ^bb0(%a: tensor<f32>, %b: tensor<f32>):
           %1 = stablehlo.maximum %a, %b : tensor<f32>
           stablehlo.return %1 : tensor<f32>
         }) : (tensor<2x9x9x4xf32>, tensor<f32>) -> tensor<2x4x4x4xf32>
         %2 = "stablehlo.select_and_scatter"(%arg0, %arg1, %z) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
         ^bb0(%a: tensor<f32>, %b: tensor<f32>):
           %1 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
           stablehlo.return %1 : tensor<i1>
         }, {
         ^bb0(%a: tensor<f32>, %b: tensor<f32>):
           %1 = stablehlo.add %a, %b : tensor<f32>
           stablehlo.return %1 : tensor<f32>
         }) : (tensor<2x9x9x4xf32>, tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<2x9x9x4xf32>
         %3 = "stablehlo.reduce_window"(%arg2, %z) <{padding = dense<[[15, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 16, 1>}> ({
         ^bb0(%a: tensor<f32>, %b: tensor<f32>):
           %1 = stablehlo.add %a, %b : tensor<f32>
           stablehlo.return %1 : tensor<f32>
         }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
         %k = stablehlo.iota dim = 1 : tensor<16x8xi32>
         %4:2 = "stablehlo.sort"(%arg2, %k) <{dimension = -1 : i64, is_stable = true}> ({
         ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
           %5 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
           stablehlo.return %5 : tensor<i1>
         }) : (tensor<16x8xf32>, tensor<16x8xi32>) -> (tensor<16x8xf32>, tensor<16x8xi32>)
         %values, %indices = chlo.top_k(%arg2, k = 3) : tensor<16x8xf32> -> (tensor<16x3xf32>, tensor<16x3xi32>)
         return %z : tensor<f32>"#,
        expect![[r#"
            form traced
            func @comparator1(%a: f32[], %b: f32[], %c: i32[], %d: i32[]) {
              %5 = compare lt total %a, %b : bool[]
              return %5 "out0"
            }
            input %arg0 : f32[2, 9, 9, 4]
            input %arg1 : f32[2, 4, 4, 4]
            input %arg2 : f32[16, 8]
              %z = constant 0.0 : f32[]
              %0 = reduce_window max [(1), (3 stride 2), (3 stride 2), (1)] %arg0 : f32[2, 4, 4, 4]
              %2 = select_and_scatter max [(1), (3 stride 2), (3 stride 2), (1)] %arg0, %arg1 : f32[2, 9, 9, 4]
              %3 = reduce_window sum [(16 pad 15 0), (1)] %arg2 : f32[16, 8]
              %k = iota dim 1 : i32[16, 8]
              %4.0, %4.1 = sort dim 1 stable by @comparator1 %arg2, %k : f32[16, 8], i32[16, 8]
              %values, %indices = top_k 3 %arg2 : f32[16, 3], i32[16, 3]
            output %z "out0"
        "#]],
    );
}

#[test]
fn products() {
    check_body(
        "%arg0: tensor<2x4x8xbf16>, %arg1: tensor<2x8x5xbf16>, %arg2: tensor<2x8x8x4xf32>, %arg3: tensor<3x3x1x8xf32>",
        "%0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST], algorithm = <lhs_precision_type = tf32> : (tensor<2x4x8xbf16>, tensor<2x8x5xbf16>) -> tensor<2x4x5xf32>
         %1 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [2, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x4xf32>, tensor<3x3x1x8xf32>) -> tensor<2x4x6x8xf32>
         %2 = stablehlo.constant dense<0.0> : tensor<f32>
         return %2 : tensor<f32>",
        expect![[r#"
            form traced
            input %arg0 : bf16[2, 4, 8]
            input %arg1 : bf16[2, 8, 5]
            input %arg2 : f32[2, 8, 8, 4]
            input %arg3 : f32[3, 3, 1, 8]
              %wide = convert %arg0 : f32[2, 4, 8]
              %wide.1 = convert %arg1 : f32[2, 8, 5]
              %0 = matmul %wide, %wide.1 : f32[2, 4, 5]
              %1 = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3 stride 2 pad 0 1), (3 pad 2 0 dilate 2)] reverse [1] groups 4 %arg2, %arg3 : f32[2, 4, 6, 8]
              %2 = constant 0.0 : f32[]
            output %2 "out0"
        "#]],
    );
}

#[test]
fn indices() {
    check_body(
        "%arg0: tensor<3x16x8xf32>, %arg1: tensor<3x4x1xi32>, %arg2: tensor<3x4x8xf32>, %arg3: tensor<i32>",
        r#"%0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x16x8xf32>, tensor<3x4x1xi32>) -> tensor<3x4x8xf32>
         %1 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
         ^bb0(%a: tensor<f32>, %b: tensor<f32>):
           stablehlo.return %b : tensor<f32>
         }) : (tensor<3x16x8xf32>, tensor<3x4x1xi32>, tensor<3x4x8xf32>) -> tensor<3x16x8xf32>
         %2 = stablehlo.dynamic_slice %arg0, %arg3, %arg3, %arg3, sizes = [1, 2, 8] : (tensor<3x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
         %3 = stablehlo.dynamic_update_slice %arg0, %2, %arg3, %arg3, %arg3 : (tensor<3x16x8xf32>, tensor<1x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x8xf32>
         %4 = stablehlo.constant dense<0.0> : tensor<f32>
         return %4 : tensor<f32>"#,
        expect![[r#"
            form traced
            input %arg0 : f32[3, 16, 8]
            input %arg1 : i32[3, 4, 1]
            input %arg2 : f32[3, 4, 8]
            input %arg3 : i32[]
              %0 = gather offset [2] collapsed [1] operand_batch [0] index_batch [0] map [1] vector 2 sizes [1, 1, 8] %arg0, %arg1 : f32[3, 4, 8]
              %1 = scatter set window [2] inserted [1] operand_batch [0] index_batch [0] map [1] vector 2 %arg0, %arg1, %arg2 : f32[3, 16, 8]
              %2 = dynamic_slice [1, 2, 8] %arg0, %arg3, %arg3, %arg3 : f32[1, 2, 8]
              %3 = dynamic_update_slice %arg0, %2, %arg3, %arg3, %arg3 : f32[3, 16, 8]
              %4 = constant 0.0 : f32[]
            output %4 "out0"
        "#]],
    );
}

#[test]
fn movement_and_types() {
    check_body(
        "%arg0: tensor<4x8xf32>, %arg1: tensor<2x2xui32>, %arg2: tensor<2xui64>",
        "%c = stablehlo.constant dense<1.0> : tensor<f32>
         %0 = stablehlo.slice %arg0 [1:4:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
         %1 = stablehlo.pad %arg0, %c, low = [1, 0], high = [-2, 0], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<6x8xf32>
         %2 = stablehlo.concatenate %0, %arg0, dim = 0 : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
         %3 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<4x8xf32>
         %4 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
         %5 = stablehlo.reduce_precision %arg0, format = e8m7 : tensor<4x8xf32>
         %6 = stablehlo.bitcast_convert %arg1 : (tensor<2x2xui32>) -> tensor<2xui64>
         %7 = stablehlo.bitcast_convert %arg2 : (tensor<2xui64>) -> tensor<2x2xui32>
         %8 = stablehlo.bitcast_convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xi32>
         %9:2 = stablehlo.optimization_barrier %arg0, %4 : tensor<4x8xf32>, tensor<8x4xf32>
         %10 = chlo.square %9#1 : tensor<8x4xf32> -> tensor<8x4xf32>
         %11 = stablehlo.compare GE, %arg0, %3, TOTALORDER : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
         %12 = stablehlo.select %11, %arg0, %3 : tensor<4x8xi1>, tensor<4x8xf32>
         %13 = stablehlo.clamp %c, %arg0, %c : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
         %state, %bits = stablehlo.rng_bit_generator %arg2, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
         return %c : tensor<f32>",
        expect![[r#"
            form traced
            input %arg0 : f32[4, 8]
            input %arg1 : u32[2, 2]
            input %arg2 : u64[2]
              %c = constant 1.0 : f32[]
              %0 = slice [1, 0] to [4, 8] by [2, 1] %arg0 : f32[2, 8]
              %1 = pad low [1, 0] high [-2, 0] interior [1, 0] %arg0, %c : f32[6, 8]
              %2 = concatenate dim 0 %0, %arg0 : f32[6, 8]
              %3 = reverse [0, 1] %arg0 : f32[4, 8]
              %4 = transpose [1, 0] %arg0 : f32[8, 4]
              %narrow = convert %arg0 : bf16[4, 8]
              %5 = convert %narrow : f32[4, 8]
              %wide = convert %arg1 : u64[2, 2]
              %half = slice [0, 0] to [2, 1] %wide : u64[2, 1]
              %half.1 = reshape %half : u64[2]
              %half.2 = slice [0, 1] to [2, 2] %wide : u64[2, 1]
              %half.3 = reshape %half.2 : u64[2]
              %c.1 = constant 32 : u64[2]
              %high = shl %half.3, %c.1 : u64[2]
              %6 = or %half.1, %high : u64[2]
              %c.2 = constant 32 : u64[2]
              %high.1 = shr_logical %arg2, %c.2 : u64[2]
              %half.4 = convert %arg2 : u32[2]
              %half.5 = reshape %half.4 : u32[2, 1]
              %half.6 = convert %high.1 : u32[2]
              %half.7 = reshape %half.6 : u32[2, 1]
              %7 = concatenate dim 1 %half.5, %half.7 : u32[2, 2]
              %8 = bitcast %arg0 : i32[4, 8]
              %10 = mul %4, %4 : f32[8, 4]
              %11 = compare ge total %arg0, %3 : bool[4, 8]
              %12 = select %11, %arg0, %3 : f32[4, 8]
              %13 = clamp %c, %arg0, %c : f32[4, 8]
              %state, %bits = rng_bits threefry %arg2 : u64[2], u32[3]
            output %c "out0"
        "#]],
    );
}

#[test]
fn literals() {
    check_body(
        "",
        r#"%0 = stablehlo.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>
         %1 = stablehlo.constant dense<"0x0000803F000000C0"> : tensor<2xf32>
         %2 = stablehlo.constant dense<"0x01000100"> : tensor<4xi1>
         %3 = stablehlo.constant dense<0x7FC0> : tensor<3xbf16>
         %4 = stablehlo.constant dense<18446744073709551615> : tensor<1000000x1000000xui64>
         %5 = stablehlo.constant dense<> : tensor<0x4xf32>
         %6 = stablehlo.constant dense<[[true], [false]]> : tensor<2x1xi1>
         %7 = stablehlo.constant dense<[9.99999974E-6, 0xFF800000]> : tensor<2xf32>
         %8 = stablehlo.constant {mhlo.frontend_attributes = {a = "}"}} dense<0.5> : tensor<f32>
         return %8 : tensor<f32>"#,
        expect![[r#"
            form traced
              %0 = constant [1, -2, 3, 4] : i8[2, 2]
              %1 = constant [1.0, -2.0] : f32[2]
              %2 = constant [1, 0, 1, 0] : bool[4]
              %5 = constant [] : f32[0, 4]
              %6 = constant [1, 0] : bool[2, 1]
              %7 = constant [9.999999747378752e-6, -inf] : f32[2]
              %8 = constant 0.5 : f32[]
            output %8 "out0"
        "#]],
    );
}

#[test]
fn generic_form_is_equivalent() {
    let pretty = common::module(
        "%arg0: tensor<4x8xf32> loc(\"x\")",
        "%cst = stablehlo.constant dense<0.0> : tensor<f32>
         %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
         %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
         %2 = stablehlo.slice %1 [0:2, 1:4:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
         %3 = stablehlo.compare LT, %2, %2, FLOAT : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
         %4 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
         return %4 : tensor<f32>",
    );
    let generic = r#"
"builtin.module"() <{sym_name = "jit_f"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x8xf32>) -> tensor<f32>, res_attrs = [{}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4x8xf32> loc("x")):
    %cst = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %1 = "stablehlo.dot_general"(%arg0, %0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>]}> : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %2 = "stablehlo.slice"(%1) <{limit_indices = array<i64: 2, 4>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<4x4xf32>) -> tensor<2x2xf32>
    %3 = "stablehlo.compare"(%2, %2) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
    %4 = "stablehlo.reduce"(%2, %cst) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %5 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%5) : (tensor<f32>) -> ()
    }) : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%4) : (tensor<f32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32} : () -> ()
"#;
    assert_eq!(imported(generic), imported(&pretty));
    assert!(imported(generic).starts_with("form traced"), "{}", imported(generic));
}

/// The module has key paths as JAX writes them for a dictionary of Flax, a state of Optax, a complex leaf and an array.
/// The other arguments have a location in a file, or none.
#[test]
fn arguments_are_named_by_key_paths() {
    check(
        r##"
#loc1 = loc("params['Dense_0']['kernel']")
#loc2 = loc("opt_state[0].mu['Dense_0']['kernel']")
#loc3 = loc("params['phase'][0]")
module @jit_step {
  func.func public @main(%arg0: tensor<2x3xf32> {tf.aliasing_output = 0 : i32} loc("params['Dense_0']['kernel']"), %arg1: tensor<2x3xf32> loc(#loc2), %arg2: tensor<2xcomplex<f32>> loc(#loc3), %arg3: tensor<2x3xf32> loc("x"), %arg4: tensor<2x3xf32> loc("model.py":3:7), %scale: tensor<2x3xf32>, %6: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %7 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
    %8 = stablehlo.add %arg3, %arg4 : tensor<2x3xf32>
    %9 = stablehlo.add %scale, %6 : tensor<2x3xf32>
    %10 = stablehlo.add %8, %9 : tensor<2x3xf32>
    return %7, %10 : tensor<2x3xf32>, tensor<2x3xf32>
  }
}"##,
        expect![[r#"
            form traced
            input %params.Dense_0.kernel : f32[2, 3]
            input %opt_state.0.mu.Dense_0.kernel : f32[2, 3]
            input %params.phase.0.re : f32[2]
            input %params.phase.0.im : f32[2]
            input %x : f32[2, 3]
            input %arg4 : f32[2, 3]
            input %arg5 : f32[2, 3]
            input %arg6 : f32[2, 3]
              %7 = add %params.Dense_0.kernel, %opt_state.0.mu.Dense_0.kernel : f32[2, 3]
              %8 = add %x, %arg4 : f32[2, 3]
              %9 = add %arg5, %arg6 : f32[2, 3]
              %10 = add %8, %9 : f32[2, 3]
            output %7 "out0" -> %params.Dense_0.kernel
            output %10 "out1"
        "#]],
    );
}

#[test]
fn locations_become_origins() {
    let text = r#"
#loc1 = loc("x")
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32> loc("x")) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32> loc(#loc5)
    %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32> loc(#loc5)
    %2 = stablehlo.add %1, %1 : tensor<4xf32> loc(fused[#loc3, #loc5])
    return %2 : tensor<4xf32> loc(#loc)
  } loc(#loc)
  func.func private @twice(%arg0: tensor<4xf32> loc(unknown)) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32> loc(#loc)
    return %0 : tensor<4xf32>
  }
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("/src/f.py":3:4 to :5)
#loc3 = loc("jit(f)/block/add"(callsite(#loc2 at #loc2)))
#loc4 = loc(callsite(#loc3 at #loc2))
#loc5 = loc(#loc4)
"#;
    let program = common::program("m.mlir", text);
    let origins = program.ops.values().map(|op| &op.origin);
    let origins: Vec<_> = origins.map(|origin| (origin.file.as_str(), origin.line, origin.scope.as_str())).collect();
    assert_eq!(
        origins,
        [("/src/f.py", 3, "jit(f)/block/add"), ("", 11, "twice"), ("/src/f.py", 3, "jit(f)/block/add")]
    );
}

/// Comments may follow every token, such as the type at the end of a literal or a signature.
#[test]
fn comments_change_nothing() {
    let text = common::module(
        "%arg0: tensor<f32>",
        "    %0 = stablehlo.constant dense<1.0> : tensor<f32>\n    %1 = stablehlo.add %arg0, %0 : tensor<f32>\n    \
         check.expect_eq_const %0, dense<1.0> : tensor<f32>\n    return %1 : tensor<f32>",
    );
    let commented: String = text.lines().map(|line| format!("{line} // of {line}\n")).collect();
    assert_eq!(common::imported(&commented), common::imported(&text));
}
