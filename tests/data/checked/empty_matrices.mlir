module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x0x0xf32>, %arg1: tensor<0x3x3xf32>, %arg2: tensor<2x0x0xf32>, %arg3: tensor<2xf32>, %arg4: tensor<0x3x3xf32>, %arg5: tensor<0x3x3xcomplex<f32>>) {
    %0:4 = call @function(%arg0, %arg1) : (tensor<2x0x0xf32>, tensor<0x3x3xf32>) -> (tensor<2x0x0xf32>, tensor<2xf32>, tensor<0x3x3xf32>, tensor<0x3x3xcomplex<f32>>)
    check.expect_almost_eq %0#0, %arg2, tolerance = 5.0e-04 : f64 : tensor<2x0x0xf32>
    check.expect_almost_eq %0#1, %arg3, tolerance = 5.0e-04 : f64 : tensor<2xf32>
    check.expect_almost_eq %0#2, %arg4, tolerance = 5.0e-04 : f64 : tensor<0x3x3xf32>
    check.expect_almost_eq %0#3, %arg5, tolerance = 5.0e-04 : f64 : tensor<0x3x3xcomplex<f32>>
    return
  }
  func.func private @function(%arg0: tensor<2x0x0xf32>, %arg1: tensor<0x3x3xf32>) -> (tensor<2x0x0xf32> {jax.result_info = "result[0]"}, tensor<2xf32> {jax.result_info = "result[1]"}, tensor<0x3x3xf32> {jax.result_info = "result[2]"}, tensor<0x3x3xcomplex<f32>> {jax.result_info = "result[3]"}) {
    %0 = call @inv(%arg0) : (tensor<2x0x0xf32>) -> tensor<2x0x0xf32>
    %1 = call @det(%arg0) : (tensor<2x0x0xf32>) -> tensor<2xf32>
    %2 = call @cholesky(%arg1) : (tensor<0x3x3xf32>) -> tensor<0x3x3xf32>
    %3 = call @fft(%arg1) : (tensor<0x3x3xf32>) -> tensor<0x3x3xcomplex<f32>>
    return %0, %1, %2, %3 : tensor<2x0x0xf32>, tensor<2xf32>, tensor<0x3x3xf32>, tensor<0x3x3xcomplex<f32>>
  }
  func.func private @inv(%arg0: tensor<2x0x0xf32>) -> tensor<2x0x0xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<0x0xi64>
    %1 = stablehlo.iota dim = 1 : tensor<0x0xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<0x0xi64>
    %3 = stablehlo.add %0, %2 : tensor<0x0xi64>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<0x0xi64>, tensor<0x0xi64>) -> tensor<0x0xi1>
    %5 = stablehlo.convert %4 : (tensor<0x0xi1>) -> tensor<0x0xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [1, 2] : (tensor<0x0xf32>) -> tensor<2x0x0xf32>
    %7 = call @solve(%arg0, %6) : (tensor<2x0x0xf32>, tensor<2x0x0xf32>) -> tensor<2x0x0xf32>
    return %7 : tensor<2x0x0xf32>
  }
  func.func private @solve(%arg0: tensor<2x0x0xf32>, %arg1: tensor<2x0x0xf32>) -> tensor<2x0x0xf32> {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=2, j=0, k=0, l=0, m=0, n=0}, custom>} : (tensor<2x0x0xf32>) -> (tensor<2x0x0xf32>, tensor<2x0xi32>, tensor<2xi32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x0xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<2x0xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x0x0xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x0x0xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<2x0x0xi1>, tensor<2x0x0xf32>
    %9 = stablehlo.iota dim = 1 : tensor<2x0xi32>
    %10 = stablehlo.transpose %arg1, dims = [0, 2, 1] : (tensor<2x0x0xf32>) -> tensor<2x0x0xf32>
    %11 = call @_lu_solve(%8, %9, %10) : (tensor<2x0x0xf32>, tensor<2x0xi32>, tensor<2x0x0xf32>) -> tensor<2x0xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 2] : (tensor<2x0xf32>) -> tensor<2x0x0xf32>
    %13 = stablehlo.transpose %12, dims = [0, 2, 1] : (tensor<2x0x0xf32>) -> tensor<2x0x0xf32>
    return %13 : tensor<2x0x0xf32>
  }
  func.func private @_lu_solve(%arg0: tensor<2x0x0xf32>, %arg1: tensor<2x0xi32>, %arg2: tensor<2x0x0xf32>) -> tensor<2x0xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<2x0x0xf32>) -> tensor<2x0x0x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x0xi32>
    %2 = stablehlo.compare LT, %arg1, %1, SIGNED : (tensor<2x0xi32>, tensor<2x0xi32>) -> tensor<2x0xi1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x0xi32>
    %4 = stablehlo.add %arg1, %3 : tensor<2x0xi32>
    %5 = stablehlo.select %2, %4, %arg1 : tensor<2x0xi1>, tensor<2x0xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<2x0xi32>) -> tensor<2x0x1xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<0x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<0x1xf32>) -> tensor<2x0x1xf32>
    %9 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %8) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=0, k=0, l=0, m=1, n=0, o=1}, custom>} : (tensor<2x0x0xf32>, tensor<2x0x1xf32>) -> tensor<2x0x1xf32>
    %10 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %9) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=0, k=0, l=0, m=1, n=0, o=1}, custom>} : (tensor<2x0x0xf32>, tensor<2x0x1xf32>) -> tensor<2x0x1xf32>
    %11 = stablehlo.reshape %10 : (tensor<2x0x1xf32>) -> tensor<2x0xf32>
    return %11 : tensor<2x0xf32>
  }
  func.func private @det(%arg0: tensor<2x0x0xf32>) -> tensor<2xf32> {
    %0:2 = call @slogdet(%arg0) : (tensor<2x0x0xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %1 = stablehlo.exponential %0#1 : tensor<2xf32>
    %2 = stablehlo.multiply %0#0, %1 : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
  func.func private @slogdet(%arg0: tensor<2x0x0xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=2, j=0, k=0, l=0, m=0, n=0}, custom>} : (tensor<2x0x0xf32>) -> (tensor<2x0x0xf32>, tensor<2x0xi32>, tensor<2xi32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x0xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<2x0xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x0x0xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x0x0xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<2x0x0xi1>, tensor<2x0x0xf32>
    %9 = stablehlo.iota dim = 1 : tensor<2x0xi32>
    %10 = call @diagonal(%8) : (tensor<2x0x0xf32>) -> tensor<2x0xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x0xf32>
    %12 = stablehlo.compare EQ, %10, %11, FLOAT : (tensor<2x0xf32>, tensor<2x0xf32>) -> tensor<2x0xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_2) applies stablehlo.or across dimensions = [1] : (tensor<2x0xi1>, tensor<i1>) -> tensor<2xi1>
    %14 = stablehlo.iota dim = 0 : tensor<0xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [1] : (tensor<0xi32>) -> tensor<1x0xi32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<1x0xi32>) -> tensor<2x0xi32>
    %17 = stablehlo.compare NE, %2, %16, SIGNED : (tensor<2x0xi32>, tensor<2x0xi32>) -> tensor<2x0xi1>
    %18 = call @count_nonzero(%17) : (tensor<2x0xi1>) -> tensor<2xi64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x0xf32>
    %20 = stablehlo.compare LT, %10, %19, FLOAT : (tensor<2x0xf32>, tensor<2x0xf32>) -> tensor<2x0xi1>
    %21 = call @count_nonzero(%20) : (tensor<2x0xi1>) -> tensor<2xi64>
    %22 = stablehlo.add %18, %21 : tensor<2xi64>
    %c_4 = stablehlo.constant dense<2> : tensor<i64>
    %23 = call @remainder(%22, %c_4) : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
    %c_5 = stablehlo.constant dense<-2> : tensor<i64>
    %24 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %25 = stablehlo.multiply %24, %23 : tensor<2xi64>
    %c_6 = stablehlo.constant dense<1> : tensor<i64>
    %26 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %27 = stablehlo.add %25, %26 : tensor<2xi64>
    %28 = stablehlo.convert %27 : (tensor<2xi64>) -> tensor<2xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %30 = stablehlo.multiply %29, %28 : tensor<2xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = call @_where_0(%13, %cst_8, %30) : (tensor<2xi1>, tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
    %32 = stablehlo.abs %10 : tensor<2x0xf32>
    %33 = stablehlo.log %32 : tensor<2x0xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<2x0xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %35 = call @_where_0(%13, %cst_10, %34) : (tensor<2xi1>, tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
    return %31, %35 : tensor<2xf32>, tensor<2xf32>
  }
  func.func private @diagonal(%arg0: tensor<2x0x0xf32>) -> tensor<2x0xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<0xi64>
    %1 = stablehlo.iota dim = 0 : tensor<0xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<0xi64>
    %3 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<0xi64>, tensor<0xi64>) -> tensor<0xi1>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<0xi64>
    %5 = stablehlo.add %0, %4 : tensor<0xi64>
    %6 = stablehlo.select %3, %5, %0 : tensor<0xi1>, tensor<0xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<0xi64>
    %8 = stablehlo.compare LT, %1, %7, SIGNED : (tensor<0xi64>, tensor<0xi64>) -> tensor<0xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<0xi64>
    %10 = stablehlo.add %1, %9 : tensor<0xi64>
    %11 = stablehlo.select %8, %10, %1 : tensor<0xi1>, tensor<0xi64>
    %12 = stablehlo.convert %6 : (tensor<0xi64>) -> tensor<0xi32>
    %13 = stablehlo.convert %11 : (tensor<0xi64>) -> tensor<0xi32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<0xi32>) -> tensor<0x1xi32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<0xi32>) -> tensor<0x1xi32>
    %16 = stablehlo.concatenate %14, %15, dim = 1 : (tensor<0x1xi32>, tensor<0x1xi32>) -> tensor<0x2xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x0xf32>
    return %17 : tensor<2x0xf32>
  }
  func.func private @count_nonzero(%arg0: tensor<2x0xi1>) -> tensor<2xi64> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<2x0xi1>
    %1 = stablehlo.compare NE, %arg0, %0, UNSIGNED : (tensor<2x0xi1>, tensor<2x0xi1>) -> tensor<2x0xi1>
    %2 = stablehlo.convert %1 : (tensor<2x0xi1>) -> tensor<2x0xi32>
    %3 = stablehlo.convert %2 : (tensor<2x0xi32>) -> tensor<2x0xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.reduce(%3 init: %c_0) applies stablehlo.add across dimensions = [1] : (tensor<2x0xi64>, tensor<i64>) -> tensor<2xi64>
    return %4 : tensor<2xi64>
  }
  func.func private @remainder(%arg0: tensor<2xi64>, %arg1: tensor<i64>) -> tensor<2xi64> {
    %0 = stablehlo.convert %arg1 : tensor<i64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %4 = stablehlo.remainder %arg0, %3 : tensor<2xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<2xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
    %12 = stablehlo.and %11, %6 : tensor<2xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %14 = stablehlo.add %4, %13 : tensor<2xi64>
    %15 = stablehlo.select %12, %14, %4 : tensor<2xi1>, tensor<2xi64>
    return %15 : tensor<2xi64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<i64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i64>
    return %0 : tensor<i64>
  }
  func.func private @_where_0(%arg0: tensor<2xi1>, %arg1: tensor<f32>, %arg2: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<2xi1>, tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @cholesky(%arg0: tensor<0x3x3xf32>) -> tensor<0x3x3xf32> {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<0x3x3xf32>) -> tensor<0x3x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<0x3x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<0x3x3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<0x3x3xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=0, j=3, k=3, l=3, m=3}, custom>} : (tensor<0x3x3xf32>) -> (tensor<0x3x3xf32>, tensor<0xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<0xi32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<0xi32>, tensor<0xi32>) -> tensor<0xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<0xi1>) -> tensor<0x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<0x3x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<0x1x1xi1>) -> tensor<0x3x3xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<0x3x3xi1>, tensor<0x3x3xf32>
    %11 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %13 = stablehlo.add %11, %12 : tensor<3x3xi64>
    %14 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<0x3x3xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<0x3x3xf32>
    %18 = stablehlo.select %16, %10, %17 : tensor<0x3x3xi1>, tensor<0x3x3xf32>
    return %18 : tensor<0x3x3xf32>
  }
  func.func private @fft(%arg0: tensor<0x3x3xf32>) -> tensor<0x3x3xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<0x3x3xf32>) -> tensor<0x3x3xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [3] : (tensor<0x3x3xcomplex<f32>>) -> tensor<0x3x3xcomplex<f32>>
    return %1 : tensor<0x3x3xcomplex<f32>>
  }
}
