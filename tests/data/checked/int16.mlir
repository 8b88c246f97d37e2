module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xi16>, %arg1: tensor<4x6xi16>, %arg2: tensor<4x6xi16>, %arg3: tensor<4x6xi16>, %arg4: tensor<4x6xi16>, %arg5: tensor<4xi64>, %arg6: tensor<4x6xi1>, %arg7: tensor<4x6xui16>) {
    %0:6 = call @function(%arg0, %arg1) : (tensor<4x6xi16>, tensor<4x6xi16>) -> (tensor<4x6xi16>, tensor<4x6xi16>, tensor<4x6xi16>, tensor<4xi64>, tensor<4x6xi1>, tensor<4x6xui16>)
    check.expect_eq %0#0, %arg2 : tensor<4x6xi16>
    check.expect_eq %0#1, %arg3 : tensor<4x6xi16>
    check.expect_eq %0#2, %arg4 : tensor<4x6xi16>
    check.expect_eq %0#3, %arg5 : tensor<4xi64>
    check.expect_eq %0#4, %arg6 : tensor<4x6xi1>
    check.expect_eq %0#5, %arg7 : tensor<4x6xui16>
    return
  }
  func.func private @function(%arg0: tensor<4x6xi16>, %arg1: tensor<4x6xi16>) -> (tensor<4x6xi16> {jax.result_info = "result[0]"}, tensor<4x6xi16> {jax.result_info = "result[1]"}, tensor<4x6xi16> {jax.result_info = "result[2]"}, tensor<4xi64> {jax.result_info = "result[3]"}, tensor<4x6xi1> {jax.result_info = "result[4]"}, tensor<4x6xui16> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4x6xi16>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<4x6xi16>
    %c = stablehlo.constant dense<3> : tensor<i64>
    %2 = call @floor_divide(%arg0, %c) : (tensor<4x6xi16>, tensor<i64>) -> tensor<4x6xi16>
    %3 = stablehlo.convert %arg0 : (tensor<4x6xi16>) -> tensor<4x6xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.reduce(%3 init: %c_0) applies stablehlo.add across dimensions = [1] : (tensor<4x6xi64>, tensor<i64>) -> tensor<4xi64>
    %5 = stablehlo.compare GT, %arg0, %arg1, SIGNED : (tensor<4x6xi16>, tensor<4x6xi16>) -> tensor<4x6xi1>
    %6 = stablehlo.convert %arg0 : (tensor<4x6xi16>) -> tensor<4x6xui16>
    return %0, %1, %2, %4, %5, %6 : tensor<4x6xi16>, tensor<4x6xi16>, tensor<4x6xi16>, tensor<4xi64>, tensor<4x6xi1>, tensor<4x6xui16>
  }
  func.func private @floor_divide(%arg0: tensor<4x6xi16>, %arg1: tensor<i64>) -> tensor<4x6xi16> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i16>) -> tensor<4x6xi16>
    %2 = stablehlo.divide %arg0, %1 : tensor<4x6xi16>
    %3 = stablehlo.sign %arg0 : tensor<4x6xi16>
    %4 = stablehlo.sign %0 : tensor<i16>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i16>) -> tensor<4x6xi16>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<4x6xi16>, tensor<4x6xi16>) -> tensor<4x6xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i16>) -> tensor<4x6xi16>
    %8 = stablehlo.remainder %arg0, %7 : tensor<4x6xi16>
    %c = stablehlo.constant dense<0> : tensor<i16>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i16>) -> tensor<4x6xi16>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<4x6xi16>, tensor<4x6xi16>) -> tensor<4x6xi1>
    %11 = stablehlo.and %6, %10 : tensor<4x6xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i16>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i16>) -> tensor<4x6xi16>
    %13 = stablehlo.subtract %2, %12 : tensor<4x6xi16>
    %14 = call @_where(%11, %13, %2) : (tensor<4x6xi1>, tensor<4x6xi16>, tensor<4x6xi16>) -> tensor<4x6xi16>
    return %14 : tensor<4x6xi16>
  }
  func.func private @_where(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xi16>, %arg2: tensor<4x6xi16>) -> tensor<4x6xi16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xi16>
    return %0 : tensor<4x6xi16>
  }
}
