module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xf32>, %arg1: tensor<6x6xf32>, %arg2: tensor<6x4xf32>) {
    %0:2 = call @function(%arg0) : (tensor<6x4xf32>) -> (tensor<6x6xf32>, tensor<6x4xf32>)
    check.expect_almost_eq %0#0, %arg1, tolerance = 5.0e-04 : f64 : tensor<6x6xf32>
    check.expect_almost_eq %0#1, %arg2, tolerance = 5.0e-04 : f64 : tensor<6x4xf32>
    return
  }
  func.func private @function(%arg0: tensor<6x4xf32>) -> (tensor<6x6xf32> {jax.result_info = "result[0]"}, tensor<6x4xf32> {jax.result_info = "result[1]"}) {
    %0:2 = call @qr(%arg0) : (tensor<6x4xf32>) -> (tensor<6x6xf32>, tensor<6x4xf32>)
    return %0#0, %0#1 : tensor<6x6xf32>, tensor<6x4xf32>
  }
  func.func private @qr(%arg0: tensor<6x4xf32>) -> (tensor<6x6xf32>, tensor<6x4xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=6, j=4, k=6, l=4, m=4}, custom>} : (tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4xf32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0#0, %cst, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x6xf32>
    %2 = stablehlo.custom_call @lapack_sorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=6, j=6, k=4, l=6, m=6}, custom>} : (tensor<6x6xf32>, tensor<4xf32>) -> tensor<6x6xf32>
    %3 = stablehlo.iota dim = 0 : tensor<6x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<6x4xi64>
    %5 = stablehlo.add %3, %4 : tensor<6x4xi64>
    %6 = stablehlo.iota dim = 1 : tensor<6x4xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x4xi64>, tensor<6x4xi64>) -> tensor<6x4xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<6x4xi1>, tensor<6x4xf32>
    return %2, %9 : tensor<6x6xf32>, tensor<6x4xf32>
  }
}
