module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xi32>, %arg1: tensor<4x6xi32>, %arg2: tensor<4x6xi32>) {
    %0:2 = call @function(%arg0) : (tensor<4x6xi32>) -> (tensor<4x6xi32>, tensor<4x6xi32>)
    check.expect_eq %0#0, %arg1 : tensor<4x6xi32>
    check.expect_eq %0#1, %arg2 : tensor<4x6xi32>
    return
  }
  func.func private @function(%arg0: tensor<4x6xi32>) -> (tensor<4x6xi32> {jax.result_info = "result[0]"}, tensor<4x6xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<4x6xi32>) -> tensor<4x6xi4>
    %c = stablehlo.constant dense<3> : tensor<i4>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i4>) -> tensor<4x6xi4>
    %2 = stablehlo.add %0, %1 : tensor<4x6xi4>
    %3 = stablehlo.convert %2 : (tensor<4x6xi4>) -> tensor<4x6xi32>
    %4 = stablehlo.convert %arg0 : (tensor<4x6xi32>) -> tensor<4x6xui4>
    %5 = stablehlo.convert %4 : (tensor<4x6xui4>) -> tensor<4x6xi32>
    return %3, %5 : tensor<4x6xi32>, tensor<4x6xi32>
  }
}
