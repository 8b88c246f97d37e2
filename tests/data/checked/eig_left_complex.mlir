module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x3xcomplex<f32>>, %arg1: tensor<2x3x3xf32>, %arg2: tensor<2x3x3xf32>, %arg3: tensor<2x3x3xf32>, %arg4: tensor<2x3x3xf32>, %arg5: tensor<2x3xf32>) {
    %0:5 = call @function(%arg0) : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3xf32>)
    check.expect_almost_eq %0#0, %arg1, tolerance = 2.0e-05 : f64 : tensor<2x3x3xf32>
    check.expect_almost_eq %0#1, %arg2, tolerance = 2.0e-05 : f64 : tensor<2x3x3xf32>
    check.expect_almost_eq %0#2, %arg3, tolerance = 2.0e-05 : f64 : tensor<2x3x3xf32>
    check.expect_almost_eq %0#3, %arg4, tolerance = 2.0e-05 : f64 : tensor<2x3x3xf32>
    check.expect_almost_eq %0#4, %arg5, tolerance = 2.0e-05 : f64 : tensor<2x3xf32>
    return
  }
  func.func private @function(%arg0: tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3x3xf32> {jax.result_info = "result[0]"}, tensor<2x3x3xf32> {jax.result_info = "result[1]"}, tensor<2x3x3xf32> {jax.result_info = "result[2]"}, tensor<2x3x3xf32> {jax.result_info = "result[3]"}, tensor<2x3xf32> {jax.result_info = "result[4]"}) {
    %0:4 = stablehlo.custom_call @lapack_cgeev_ffi(%arg0) {backend_config = "", mhlo.backend_config = {compute_left = 86 : ui8, compute_right = 86 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l], [i, m, n], [i, o, p], [i]) {i=2, j=3, k=3, l=3, m=3, n=3, o=3, p=3}, custom>} : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#3, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x3xcomplex<f32>>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %6 = stablehlo.select %5, %0#0, %4 : tensor<2x3xi1>, tensor<2x3xcomplex<f32>>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %10 = stablehlo.select %9, %0#1, %8 : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_1 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %14 = stablehlo.select %13, %0#2, %12 : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
    %15 = stablehlo.transpose %10, dims = [0, 2, 1] : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %16 = stablehlo.real %15 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %17 = stablehlo.imag %15 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %18 = stablehlo.negate %17 : tensor<2x3x3xf32>
    %19 = stablehlo.complex %16, %18 : tensor<2x3x3xcomplex<f32>>
    %20 = stablehlo.dot_general %19, %arg0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %21 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<2x3xcomplex<f32>>) -> tensor<2x3x1xcomplex<f32>>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<2x3x1xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %23 = stablehlo.multiply %22, %19 : tensor<2x3x3xcomplex<f32>>
    %24 = stablehlo.subtract %20, %23 : tensor<2x3x3xcomplex<f32>>
    %25 = stablehlo.dot_general %arg0, %14, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %26 = stablehlo.broadcast_in_dim %6, dims = [0, 2] : (tensor<2x3xcomplex<f32>>) -> tensor<2x1x3xcomplex<f32>>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<2x1x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %28 = stablehlo.multiply %14, %27 : tensor<2x3x3xcomplex<f32>>
    %29 = stablehlo.subtract %25, %28 : tensor<2x3x3xcomplex<f32>>
    %30 = stablehlo.abs %10 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %31 = stablehlo.multiply %30, %30 : tensor<2x3x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %33 = stablehlo.real %24 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %34 = stablehlo.imag %24 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %35 = stablehlo.real %29 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %36 = stablehlo.imag %29 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    return %33, %34, %35, %36, %32 : tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3xf32>
  }
}
