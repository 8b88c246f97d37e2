module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<6xf32>) {
    %0:2 = call @function(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>)
    check.expect_almost_eq %0#0, %arg1, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    check.expect_almost_eq %0#1, %arg2, tolerance = 5.0e-04 : f64 : tensor<6xf32>
    return
  }
  sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]> {stablehlo.mesh = {axes = [], device_ids = dense<0> : tensor<1xi64>}}
  func.func private @function(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<9.900000e+01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %2:2 = call @branched_error_if_impl(%arg0, %1) : (tensor<4x6xf32>, tensor<4x6xi1>) -> (tensor<i64>, tensor<4x6xf32>)
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %4 = stablehlo.multiply %2#1, %3 : tensor<4x6xf32>
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %6 = stablehlo.reduce(%5 init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x6xi1>, tensor<i1>) -> tensor<i1>
    %7:2 = call @branched_error_if_impl_0(%arg0, %6) : (tensor<4x6xf32>, tensor<i1>) -> (tensor<i64>, tensor<4x6xf32>)
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7#1 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
    return %4, %8 : tensor<4x6xf32>, tensor<6xf32>
  }
  func.func private @branched_error_if_impl(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xi1>) -> (tensor<i64>, tensor<4x6xf32>) {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x6xi1>, tensor<i1>) -> tensor<i1>
    %1 = stablehlo.convert %0 : (tensor<i1>) -> tensor<i32>
    %2 = "stablehlo.case"(%1) ({
      stablehlo.return %arg0 : tensor<4x6xf32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %3 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%c_1) {backend_config = "", mhlo.backend_config = {index = 0 : ui64}, operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>], sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<i64>) -> tensor<4x6xf32>
      %c_2 = stablehlo.constant dense<0> : tensor<i64>
      %4 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%3, %c_2) {backend_config = "", mhlo.backend_config = {index = 1 : ui64}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>], sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<4x6xf32>, tensor<i64>) -> tensor<4x6xf32>
      stablehlo.return %4 : tensor<4x6xf32>
    }) : (tensor<i32>) -> tensor<4x6xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    return %c_0, %2 : tensor<i64>, tensor<4x6xf32>
  }
  func.func private @branched_error_if_impl_0(%arg0: tensor<4x6xf32>, %arg1: tensor<i1>) -> (tensor<i64>, tensor<4x6xf32>) {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.or across dimensions = [] : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %1 = stablehlo.convert %0 : (tensor<i1>) -> tensor<i32>
    %2 = "stablehlo.case"(%1) ({
      stablehlo.return %arg0 : tensor<4x6xf32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %3 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%c_1) {backend_config = "", mhlo.backend_config = {index = 2 : ui64}, operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>], sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<i64>) -> tensor<4x6xf32>
      %c_2 = stablehlo.constant dense<0> : tensor<i64>
      %4 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%3, %c_2) {backend_config = "", mhlo.backend_config = {index = 3 : ui64}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>], sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<4x6xf32>, tensor<i64>) -> tensor<4x6xf32>
      stablehlo.return %4 : tensor<4x6xf32>
    }) : (tensor<i32>) -> tensor<4x6xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    return %c_0, %2 : tensor<i64>, tensor<4x6xf32>
  }
}
