module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<12x3xf32>, %arg3: tensor<12xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]['scale']"}, tensor<f32> {jax.result_info = "result[1]['variance']"}) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [0, 2] : (tensor<12x3xf32>) -> tensor<12x1x3xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1, 2] : (tensor<12x3xf32>) -> tensor<1x12x3xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<12x1x3xf32>) -> tensor<12x12x3xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x12x3xf32>) -> tensor<12x12x3xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<12x12x3xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<12x12x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<12x12x3xf32>, tensor<f32>) -> tensor<12x12xf32>
    %7 = stablehlo.exponential %arg0 : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %9 = stablehlo.multiply %6, %8 : tensor<12x12xf32>
    %10 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %11 = stablehlo.subtract %10, %9 : tensor<12x12xf32>
    %12 = stablehlo.exponential %11 : tensor<12x12xf32>
    %13 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %14 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %16 = stablehlo.add %13, %15 : tensor<12x12xi32>
    %17 = stablehlo.compare EQ, %16, %14, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %18 = stablehlo.convert %17 : (tensor<12x12xi1>) -> tensor<12x12xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<12x12xf32>
    %21 = stablehlo.add %12, %20 : tensor<12x12xf32>
    %22:5 = call @cholesky(%21) : (tensor<12x12xf32>) -> (tensor<12x12xf32>, tensor<12x12xf32>, tensor<12x12xi1>, tensor<12x12xf32>, tensor<12x12xi1>)
    %23:3 = call @_solve_triangular(%22#0, %arg3) : (tensor<12x12xf32>, tensor<12xf32>) -> (tensor<12xf32>, tensor<12x12xi1>, tensor<12x1xf32>)
    %24 = stablehlo.multiply %23#0, %23#0 : tensor<12xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %26 = stablehlo.divide %25, %cst_2 : tensor<f32>
    %27:4 = call @_diag(%22#0) : (tensor<12x12xf32>) -> (tensor<12xf32>, tensor<i32>, tensor<12x12xf32>, tensor<12x2xi32>)
    %28 = stablehlo.log %27#0 : tensor<12xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<f32>
    %30 = stablehlo.add %26, %29 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %32 = stablehlo.divide %31, %27#0 : tensor<12xf32>
    %33 = call @_diag_0(%27#1, %27#2, %27#3, %32) : (tensor<i32>, tensor<12x12xf32>, tensor<12x2xi32>, tensor<12xf32>) -> tensor<12x12xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %34 = stablehlo.divide %cst_5, %cst_6 : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %36 = stablehlo.multiply %23#0, %35 : tensor<12xf32>
    %37 = stablehlo.multiply %35, %23#0 : tensor<12xf32>
    %38 = stablehlo.add %36, %37 : tensor<12xf32>
    %39 = call @_solve_triangular_2(%23#1, %23#2, %22#0, %38) : (tensor<12x12xi1>, tensor<12x1xf32>, tensor<12x12xf32>, tensor<12xf32>) -> tensor<12x12xf32>
    %40 = stablehlo.add %33, %39 : tensor<12x12xf32>
    %41 = call @cholesky_3(%22#1, %22#2, %22#3, %22#4, %40) : (tensor<12x12xf32>, tensor<12x12xi1>, tensor<12x12xf32>, tensor<12x12xi1>, tensor<12x12xf32>) -> tensor<12x12xf32>
    %42 = stablehlo.multiply %41, %12 : tensor<12x12xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%42 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x12xf32>, tensor<f32>) -> tensor<f32>
    %44 = stablehlo.negate %42 : tensor<12x12xf32>
    %45 = stablehlo.multiply %6, %44 : tensor<12x12xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x12xf32>, tensor<f32>) -> tensor<f32>
    %47 = stablehlo.multiply %46, %7 : tensor<f32>
    return %30, %47, %43 : tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.func private @cholesky(%arg0: tensor<12x12xf32>) -> (tensor<12x12xf32>, tensor<12x12xf32>, tensor<12x12xi1>, tensor<12x12xf32>, tensor<12x12xi1>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<12x12xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %3 = stablehlo.divide %1, %2 : tensor<12x12xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=12, j=12, k=12, l=12}, custom>} : (tensor<12x12xf32>) -> (tensor<12x12xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<12x12xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<12x12xi1>, tensor<12x12xf32>
    %11 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %13 = stablehlo.add %11, %12 : tensor<12x12xi32>
    %14 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %17 = stablehlo.select %15, %10, %16 : tensor<12x12xi1>, tensor<12x12xf32>
    %18 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %20 = stablehlo.add %18, %19 : tensor<12x12xi32>
    %21 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %22 = stablehlo.compare GE, %20, %21, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %23 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %25 = stablehlo.add %23, %24 : tensor<12x12xi32>
    %26 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %27 = stablehlo.compare EQ, %25, %26, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %28 = stablehlo.convert %27 : (tensor<12x12xi1>) -> tensor<12x12xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %30 = stablehlo.add %29, %28 : tensor<12x12xf32>
    %31 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %33 = stablehlo.add %31, %32 : tensor<12x12xi32>
    %34 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %35 = stablehlo.compare GE, %33, %34, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %37 = stablehlo.select %35, %17, %36 : tensor<12x12xi1>, tensor<12x12xf32>
    return %37, %17, %22, %30, %35 : tensor<12x12xf32>, tensor<12x12xf32>, tensor<12x12xi1>, tensor<12x12xf32>, tensor<12x12xi1>
  }
  func.func private @_solve_triangular(%arg0: tensor<12x12xf32>, %arg1: tensor<12xf32>) -> (tensor<12xf32>, tensor<12x12xi1>, tensor<12x1xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %1 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %0) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=12, j=12, k=12, l=1, m=12, n=1}, custom>} : (tensor<12x12xf32>, tensor<12x1xf32>) -> tensor<12x1xf32>
    %2 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %4 = stablehlo.add %2, %3 : tensor<12x12xi32>
    %5 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %7 = stablehlo.reshape %1 : (tensor<12x1xf32>) -> tensor<12xf32>
    return %7, %6, %1 : tensor<12xf32>, tensor<12x12xi1>, tensor<12x1xf32>
  }
  func.func private @_diag(%arg0: tensor<12x12xf32>) -> (tensor<12xf32>, tensor<i32>, tensor<12x12xf32>, tensor<12x2xi32>) {
    %0:4 = call @diagonal(%arg0) : (tensor<12x12xf32>) -> (tensor<12xf32>, tensor<i32>, tensor<12x12xf32>, tensor<12x2xi32>)
    return %0#0, %0#1, %0#2, %0#3 : tensor<12xf32>, tensor<i32>, tensor<12x12xf32>, tensor<12x2xi32>
  }
  func.func private @diagonal(%arg0: tensor<12x12xf32>) -> (tensor<12xf32>, tensor<i32>, tensor<12x12xf32>, tensor<12x2xi32>) {
    %0 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %1 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %3 = stablehlo.add %0, %2 : tensor<12x12xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %5 = stablehlo.convert %4 : (tensor<12x12xi1>) -> tensor<12x12xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = "stablehlo.case"(%c_0) ({
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %7:3 = "stablehlo.case"(%6) ({
      %8 = stablehlo.iota dim = 0 : tensor<12xi32>
      %9 = stablehlo.iota dim = 0 : tensor<12xi32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<12xi32>
      %11 = stablehlo.compare LT, %8, %10, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
      %c_2 = stablehlo.constant dense<12> : tensor<i32>
      %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12xi32>
      %13 = stablehlo.add %8, %12 : tensor<12xi32>
      %14 = stablehlo.select %11, %13, %8 : tensor<12xi1>, tensor<12xi32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<12xi32>
      %16 = stablehlo.compare LT, %9, %15, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
      %c_4 = stablehlo.constant dense<12> : tensor<i32>
      %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<12xi32>
      %18 = stablehlo.add %9, %17 : tensor<12xi32>
      %19 = stablehlo.select %16, %18, %9 : tensor<12xi1>, tensor<12xi32>
      %20 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
      %21 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
      %22 = stablehlo.concatenate %20, %21, dim = 1 : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x2xi32>
      %23 = "stablehlo.gather"(%arg0, %22) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<12x12xf32>, tensor<12x2xi32>) -> tensor<12xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
      stablehlo.return %23, %24, %22 : tensor<12xf32>, tensor<12x12xf32>, tensor<12x2xi32>
    }) : (tensor<i32>) -> (tensor<12xf32>, tensor<12x12xf32>, tensor<12x2xi32>)
    return %7#0, %c_0, %7#1, %7#2 : tensor<12xf32>, tensor<i32>, tensor<12x12xf32>, tensor<12x2xi32>
  }
  func.func private @_diag_0(%arg0: tensor<i32>, %arg1: tensor<12x12xf32>, %arg2: tensor<12x2xi32>, %arg3: tensor<12xf32>) -> tensor<12x12xf32> {
    %0 = call @diagonal_1(%arg0, %arg1, %arg2, %arg3) : (tensor<i32>, tensor<12x12xf32>, tensor<12x2xi32>, tensor<12xf32>) -> tensor<12x12xf32>
    return %0 : tensor<12x12xf32>
  }
  func.func private @diagonal_1(%arg0: tensor<i32>, %arg1: tensor<12x12xf32>, %arg2: tensor<12x2xi32>, %arg3: tensor<12xf32>) -> tensor<12x12xf32> {
    %0 = "stablehlo.case"(%arg0) ({
      %c = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }, {
      %c = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
      %3 = "stablehlo.scatter"(%2, %arg2, %arg3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %4 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }) : (tensor<12x12xf32>, tensor<12x2xi32>, tensor<12xf32>) -> tensor<12x12xf32>
      stablehlo.return %3 : tensor<12x12xf32>
    }) : (tensor<i32>) -> tensor<12x12xf32>
    return %1 : tensor<12x12xf32>
  }
  func.func private @_solve_triangular_2(%arg0: tensor<12x12xi1>, %arg1: tensor<12x1xf32>, %arg2: tensor<12x12xf32>, %arg3: tensor<12xf32>) -> tensor<12x12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %1 = stablehlo.custom_call @lapack_strsm_ffi(%arg2, %0) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=12, j=12, k=12, l=1, m=12, n=1}, custom>} : (tensor<12x12xf32>, tensor<12x1xf32>) -> tensor<12x1xf32>
    %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<12x1xf32>, tensor<12x1xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.negate %2 : tensor<12x12xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %5 = stablehlo.select %arg0, %3, %4 : tensor<12x12xi1>, tensor<12x12xf32>
    return %5 : tensor<12x12xf32>
  }
  func.func private @cholesky_3(%arg0: tensor<12x12xf32>, %arg1: tensor<12x12xi1>, %arg2: tensor<12x12xf32>, %arg3: tensor<12x12xi1>, %arg4: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %1 = stablehlo.select %arg3, %arg4, %0 : tensor<12x12xi1>, tensor<12x12xf32>
    %2 = stablehlo.dot_general %1, %arg0, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %4 = stablehlo.divide %3, %arg2 : tensor<12x12xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %6 = stablehlo.select %arg1, %4, %5 : tensor<12x12xi1>, tensor<12x12xf32>
    %7 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %6) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=12, j=12, k=12, l=12, m=12, n=12}, custom>} : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
    %8 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %7) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=12, j=12, k=12, l=12, m=12, n=12}, custom>} : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %10 = stablehlo.divide %8, %9 : tensor<12x12xf32>
    %11 = stablehlo.transpose %10, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %12 = stablehlo.add %10, %11 : tensor<12x12xf32>
    return %12 : tensor<12x12xf32>
  }
}
