module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) {
    %0 = call @function(%arg0, %arg1) : (tensor<i32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    check.expect_almost_eq %0, %arg2, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    return
  }
  sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]> {stablehlo.mesh = {axes = [], device_ids = dense<0> : tensor<1xi64>}}
  func.func private @function(%arg0: tensor<i32>, %arg1: tensor<4x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.clamp %c, %arg0, %c_0 : tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %2 = stablehlo.sine %arg1 : tensor<4x6xf32>
      stablehlo.return %2 : tensor<4x6xf32>
    }, {
      %2 = stablehlo.cosine %arg1 : tensor<4x6xf32>
      stablehlo.return %2 : tensor<4x6xf32>
    }, {
      %2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg1) {backend_config = "", mhlo.backend_config = {index = 0 : ui64}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>], sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
      stablehlo.return %2 : tensor<4x6xf32>
    }) : (tensor<i32>) -> tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
}
