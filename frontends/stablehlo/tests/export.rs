//! Export of programs as StableHLO.

use crate::common;
use expect_test::{Expect, expect};
use partita_ir::interp;
use partita_ir::tensor::{Data, Tensor};
use partita_stablehlo::export;

fn check(pir: &str, expected: Expect) {
    let exported = export(&common::parsed(pir));
    expected.assert_eq(&exported.unwrap_or_else(|errors| errors.iter().map(|e| format!("{e}\n")).collect()));
}

#[test]
fn layouts() {
    check(
        "form planned
mesh @mesh = [data=2, model=4]
param %w \"up.weight\" : f32[16@model:(2)2, 8]
input %x : f32[8@data, 16@model:(1)2] all(model:(2)2)
  %h = matmul %x, %w : f32[8@data, 8] sum(model:(1)2+model:(2)2)
  %n = reduce sum [1] %h : f32[8@data] sum(model)
  %y = constrain %h : f32[8, 8@model+data]
output %y \"out0\"
output %n \"out1\"
output %w \"out2\" -> \"up.weight\"
",
        expect![[r#"
            module @main attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
              sdy.mesh @mesh = <["data"=2, "model"=4]>
              func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model":(2)2}, {}]>, tf.aliasing_output = 2 : i32}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model":(1)2}], replicated={"model":(2)2}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model", "data"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}], unreduced={"model"}>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model":(2)2}, {}]>}) {
                %0 = "stablehlo.dot_general"(%arg1, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}], unreduced={"model"}>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
                %1 = "stablehlo.constant"() <{value = dense<0.0e0> : tensor<f32>}> : () -> tensor<f32>
                %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 1>}> ({
                ^bb0(%3: tensor<f32>, %4: tensor<f32>):
                  %5 = "stablehlo.add"(%3, %4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
                  stablehlo.return %5 : tensor<f32>
                }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}], unreduced={"model"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
                %6 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{}, {"model", "data"}]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
                return %6, %2, %arg0 : tensor<8x8xf32>, tensor<8xf32>, tensor<16x8xf32>
              }
            }
        "#]],
    );
}

/// Gathers that fill with zero out of range, which StableHLO lacks: with scalar indices and with index vectors of
/// length two.
#[test]
fn exported_gather_with_fill_has_the_same_results() {
    let ops = [
        ("f32[3, 2]", "offset [1] collapsed [0] map [0] vector 1 sizes [1, 2] fill", "i32[5]", "f32[5, 2]"),
        ("f32[3, 4]", "offset [0] collapsed [0] map [0, 1] vector 1 sizes [1, 2] fill", "i32[5, 2]", "f32[2, 5]"),
    ];
    for (table, attributes, at, out) in ops {
        let program = common::parsed(&format!(
            "form traced
input %t : {table}
input %i : {at}
  %y = gather {attributes} %t, %i : {out}
output %y \"out0\"
"
        ));
        let text = export(&program).unwrap();
        let again = common::program("again.mlir", &text);
        let inputs = |indices: &[i64]| {
            let ty = |i: usize| program.ty(program.inputs()[i]).clone();
            let numbers = (1..=ty(0).shape.count()).map(|n| n as f32).collect();
            let indices = indices.iter().copied().cycle().take(ty(1).shape.count()).collect();
            vec![Tensor { ty: ty(0), data: Data::F32(numbers) }, Tensor { ty: ty(1), data: Data::Int(indices) }]
        };
        for indices in [[0, 2, 1, -1, 3], [1, 1, 3, 0, -2], [i64::from(i32::MAX), i64::from(i32::MIN), 0, 2, 1]] {
            let want = interp::run(&program, inputs(&indices)).unwrap();
            assert!(want[0].scalars().any(|x| x.is_zero()), "nothing is out of range");
            assert_eq!(interp::run(&again, inputs(&indices)).unwrap(), want, "{indices:?}:\n{text}");
        }
    }
}

/// A program with collectives before the `local` form, where they only change layouts.
#[test]
fn collectives_before_the_local_form() {
    check(
        "form explicit
mesh @mesh = [data=2]
input %x : f32[4, 8@data]
input %w : f32[8@data, 2]
  %p = matmul %x, %w : f32[4, 2] sum(data)
  %y = all_reduce sum over data %p : f32[4, 2] whole
output %y \"out0\"
",
        expect![[r#"
            module @main attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
              sdy.mesh @mesh = <["data"=2]>
              func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}, %arg1: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
                %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"data"}>]>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
                %1 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{}, {}]>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
                return %1 : tensor<4x2xf32>
              }
            }
        "#]],
    );
}

#[test]
fn composites_become_their_decomposition() {
    check(
        "form traced
input %x : f32[2, 3]
  %s = softmax dim 1 %x : f32[2, 3]
  %r = relu %s : f32[2, 3]
  %n = is_nan %r : bool[2, 3]
output %n \"out0\"
",
        expect![[r#"
            module @main attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
              func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
                %0 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
                %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 1>}> ({
                ^bb0(%2: tensor<f32>, %3: tensor<f32>):
                  %4 = "stablehlo.maximum"(%2, %3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
                  stablehlo.return %4 : tensor<f32>
                }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
                %5 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2x3xf32>
                %6 = "stablehlo.subtract"(%arg0, %5) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
                %7 = "stablehlo.exponential"(%6) : (tensor<2x3xf32>) -> tensor<2x3xf32>
                %8 = "stablehlo.constant"() <{value = dense<0.0e0> : tensor<f32>}> : () -> tensor<f32>
                %9 = "stablehlo.reduce"(%7, %8) <{dimensions = array<i64: 1>}> ({
                ^bb0(%10: tensor<f32>, %11: tensor<f32>):
                  %12 = "stablehlo.add"(%10, %11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
                  stablehlo.return %12 : tensor<f32>
                }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
                %13 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2x3xf32>
                %14 = "stablehlo.divide"(%7, %13) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
                %15 = "stablehlo.constant"() <{value = dense<0.0e0> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
                %16 = "stablehlo.maximum"(%14, %15) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
                %17 = "stablehlo.compare"(%16, %16) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
                return %17 : tensor<2x3xi1>
              }
            }
        "#]],
    );
}

#[test]
fn regions() {
    check(
        "form traced
func @body(%i: i32[], %x: f32[4]) {
  %one = constant 1 : i32[]
  %j = add %i, %one : i32[]
  %y = mul %x, %x : f32[4]
  return %j \"out0\", %y \"out1\"
}
func @less(%a: f32[], %b: f32[]) {
  %c = compare lt total %a, %b : bool[]
  return %c \"out0\"
}
input %i : i32[]
input %x : f32[4]
input %u : f32[1]
input %at : i32[1, 1]
  %j, %y = loop 3 of @body %i, %x : i32[], f32[4]
  %s = sort dim 0 stable by @less %y : f32[4]
  %t = scatter set window [] inserted [0] map [0] vector 1 %s, %at, %u : f32[4]
  %p = reduce prod [0] %t : f32[]
output %p \"out0\"
output %j \"out1\"
",
        expect![[r#"
            module @main attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
              func.func public @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>, %arg2: tensor<1xf32>, %arg3: tensor<1x1xi32>) -> (tensor<f32>, tensor<i32>) {
                %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
                %1, %2, %3 = "stablehlo.while"(%arg0, %arg1, %0) ({
                ^bb0(%4: tensor<i32>, %5: tensor<4xf32>, %6: tensor<i64>):
                  %7 = "stablehlo.constant"() <{value = dense<3> : tensor<i64>}> : () -> tensor<i64>
                  %8 = "stablehlo.compare"(%6, %7) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
                  stablehlo.return %8 : tensor<i1>
                }, {
                ^bb0(%9: tensor<i32>, %10: tensor<4xf32>, %11: tensor<i64>):
                  %12 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
                  %13 = "stablehlo.add"(%9, %12) : (tensor<i32>, tensor<i32>) -> tensor<i32>
                  %14 = "stablehlo.multiply"(%10, %10) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
                  %15 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
                  %16 = "stablehlo.add"(%11, %15) : (tensor<i64>, tensor<i64>) -> tensor<i64>
                  stablehlo.return %13, %14, %16 : tensor<i32>, tensor<4xf32>, tensor<i64>
                }) : (tensor<i32>, tensor<4xf32>, tensor<i64>) -> (tensor<i32>, tensor<4xf32>, tensor<i64>)
                %17 = "stablehlo.sort"(%2) <{dimension = 0 : i64, is_stable = true}> ({
                ^bb0(%18: tensor<f32>, %19: tensor<f32>):
                  %20 = "stablehlo.compare"(%18, %19) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
                  stablehlo.return %20 : tensor<i1>
                }) : (tensor<4xf32>) -> tensor<4xf32>
                %21 = "stablehlo.scatter"(%17, %arg3, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
                ^bb0(%22: tensor<f32>, %23: tensor<f32>):
                  stablehlo.return %23 : tensor<f32>
                }) : (tensor<4xf32>, tensor<1x1xi32>, tensor<1xf32>) -> tensor<4xf32>
                %24 = "stablehlo.constant"() <{value = dense<1.0e0> : tensor<f32>}> : () -> tensor<f32>
                %25 = "stablehlo.reduce"(%21, %24) <{dimensions = array<i64: 0>}> ({
                ^bb0(%26: tensor<f32>, %27: tensor<f32>):
                  %28 = "stablehlo.multiply"(%26, %27) : (tensor<f32>, tensor<f32>) -> tensor<f32>
                  stablehlo.return %28 : tensor<f32>
                }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
                return %25, %1 : tensor<f32>, tensor<i32>
              }
            }
        "#]],
    );
}

#[test]
fn unsupported_exports() {
    check(
        "form traced\ninput %k : u32[2]\n  %r = random uniform %k : f32[4]\noutput %r \"out0\"\n",
        expect![[r#"
        error[F003]: `random` has no counterpart in StableHLO
          = note: it comes from line 3 of the model
    "#]],
    );
    check(
        "form local\nmesh @mesh = [data=2]\ninput %x : f32[4@data]\n  %y = neg %x : f32[2]\noutput %y \"out0\"\n",
        expect![[r#"
            error[F003]: a program in the form `local` cannot be exported to StableHLO
              = help: export the program before it is partitioned: in the form `traced`, `planned` or `explicit`
        "#]],
    );
}

#[test]
fn exported_modules_can_be_imported() {
    for file in common::data_files() {
        let (name, text) = common::read(&file);
        let exported = export(&common::program(&name, &text)).unwrap_or_else(|e| panic!("{}", e[0]));
        let again = common::program(&name, &exported);
        // The modules of the test data have no loop. The counter of an exported loop would be different each time.
        assert!(export(&again).is_ok_and(|text| text == exported), "{name}");
    }
}
