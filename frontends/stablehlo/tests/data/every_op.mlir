module @every_op {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  func.func public @elementwise(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %i: tensor<4x8xi32>, %j: tensor<4x8xi32>, %p: tensor<4x8xi1>) -> (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xi1>) {
    %0 = stablehlo.abs %x : tensor<4x8xf32>
    %1 = stablehlo.add %0, %y : tensor<4x8xf32>
    %2 = stablehlo.atan2 %1, %y : tensor<4x8xf32>
    %3 = stablehlo.cbrt %2 : tensor<4x8xf32>
    %4 = stablehlo.ceil %3 : tensor<4x8xf32>
    %5 = stablehlo.cosine %4 : tensor<4x8xf32>
    %6 = stablehlo.divide %5, %y : tensor<4x8xf32>
    %7 = stablehlo.exponential %6 : tensor<4x8xf32>
    %8 = stablehlo.exponential_minus_one %7 : tensor<4x8xf32>
    %9 = stablehlo.floor %8 : tensor<4x8xf32>
    %10 = stablehlo.log %9 : tensor<4x8xf32>
    %11 = stablehlo.log_plus_one %10 : tensor<4x8xf32>
    %12 = stablehlo.logistic %11 : tensor<4x8xf32>
    %13 = stablehlo.maximum %12, %y : tensor<4x8xf32>
    %14 = stablehlo.minimum %13, %y : tensor<4x8xf32>
    %15 = stablehlo.multiply %14, %y : tensor<4x8xf32>
    %16 = stablehlo.negate %15 : tensor<4x8xf32>
    %17 = stablehlo.power %16, %y : tensor<4x8xf32>
    %18 = stablehlo.remainder %17, %y : tensor<4x8xf32>
    %19 = stablehlo.round_nearest_afz %18 : tensor<4x8xf32>
    %20 = stablehlo.round_nearest_even %19 : tensor<4x8xf32>
    %21 = stablehlo.rsqrt %20 : tensor<4x8xf32>
    %22 = stablehlo.sign %21 : tensor<4x8xf32>
    %23 = stablehlo.sine %22 : tensor<4x8xf32>
    %24 = stablehlo.sqrt %23 : tensor<4x8xf32>
    %25 = stablehlo.subtract %24, %y : tensor<4x8xf32>
    %26 = stablehlo.tan %25 : tensor<4x8xf32>
    %27 = stablehlo.tanh %26 : tensor<4x8xf32>
    %28 = chlo.acos %27 : tensor<4x8xf32> -> tensor<4x8xf32>
    %29 = chlo.acosh %28 : tensor<4x8xf32> -> tensor<4x8xf32>
    %30 = chlo.asin %29 : tensor<4x8xf32> -> tensor<4x8xf32>
    %31 = chlo.asinh %30 : tensor<4x8xf32> -> tensor<4x8xf32>
    %32 = chlo.atan %31 : tensor<4x8xf32> -> tensor<4x8xf32>
    %33 = chlo.atanh %32 : tensor<4x8xf32> -> tensor<4x8xf32>
    %34 = chlo.cosh %33 : tensor<4x8xf32> -> tensor<4x8xf32>
    %35 = chlo.digamma %34 : tensor<4x8xf32> -> tensor<4x8xf32>
    %36 = chlo.erf %35 : tensor<4x8xf32> -> tensor<4x8xf32>
    %37 = chlo.erf_inv %36 : tensor<4x8xf32> -> tensor<4x8xf32>
    %38 = chlo.erfc %37 : tensor<4x8xf32> -> tensor<4x8xf32>
    %39 = chlo.lgamma %38 : tensor<4x8xf32> -> tensor<4x8xf32>
    %40 = chlo.next_after %39, %y : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    %41 = chlo.sinh %40 : tensor<4x8xf32> -> tensor<4x8xf32>
    %42 = chlo.square %41 : tensor<4x8xf32> -> tensor<4x8xf32>
    %43 = stablehlo.and %i, %j : tensor<4x8xi32>
    %44 = stablehlo.or %43, %j : tensor<4x8xi32>
    %45 = stablehlo.xor %44, %j : tensor<4x8xi32>
    %46 = stablehlo.not %45 : tensor<4x8xi32>
    %47 = stablehlo.count_leading_zeros %46 : tensor<4x8xi32>
    %48 = stablehlo.popcnt %47 : tensor<4x8xi32>
    %49 = stablehlo.shift_left %48, %j : tensor<4x8xi32>
    %50 = stablehlo.shift_right_arithmetic %49, %j : tensor<4x8xi32>
    %51 = stablehlo.shift_right_logical %50, %j : tensor<4x8xi32>
    %52 = stablehlo.is_finite %42 : (tensor<4x8xf32>) -> tensor<4x8xi1>
    %53 = chlo.is_inf %42 : tensor<4x8xf32> -> tensor<4x8xi1>
    %54 = stablehlo.compare LT, %42, %y, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %55 = stablehlo.and %52, %53 : tensor<4x8xi1>
    %56 = stablehlo.or %54, %55 : tensor<4x8xi1>
    %57 = stablehlo.select %p, %42, %y : tensor<4x8xi1>, tensor<4x8xf32>
    %58 = stablehlo.clamp %x, %57, %y : tensor<4x8xf32>
    %low = stablehlo.constant dense<0.0> : tensor<f32>
    %high = stablehlo.constant dense<1.0> : tensor<f32>
    %59 = stablehlo.clamp %low, %58, %high : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %60 = stablehlo.reduce_precision %59, format = e8m7 : tensor<4x8xf32>
    %61:2 = stablehlo.optimization_barrier %60, %51 : tensor<4x8xf32>, tensor<4x8xi32>
    %62 = sdy.sharding_constraint %61#0 <@mesh, [{"data"}, {?}]> : tensor<4x8xf32>
    %63 = sdy.reshard %62 <@mesh, [{}, {"model"}]> : tensor<4x8xf32>
    return %63, %61#1, %56 : tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xi1>
  }
  func.func public @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %i: tensor<4x8xi32>, %p: tensor<4x8xi1>, %index: tensor<4x1xi32>, %at: tensor<i32>, %which: tensor<i32>, %test: tensor<i1>, %state: tensor<2xui64>, %image: tensor<2x6x6x3xf32>, %kernel: tensor<3x3x3x4xf32>) -> (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xi1>, tensor<f32>, tensor<2xui64>, tensor<2x6x6x3xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %weights = "stablehlo.constant"() <{value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %e:3 = call @elementwise(%x, %y, %i, %i, %p) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi1>) -> (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xi1>)
    %c = stablehlo.composite "my.twice" %e#0 {decomposition = @twice, version = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %0 = stablehlo.slice %c [0:2, 0:8:4] : (tensor<4x8xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.dot_general %0, %weights, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = stablehlo.pad %1, %zero, low = [1, 2], high = [1, 4], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<4x8xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.reverse %4, dims = [1] : tensor<4x8xf32>
    %6 = stablehlo.concatenate %5, %y, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %7 = stablehlo.dynamic_slice %6, %at, %at, sizes = [4, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %8 = stablehlo.dynamic_update_slice %6, %7, %at, %at : (tensor<8x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
    %9 = "stablehlo.gather"(%8, %index) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<8x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
    %10 = "stablehlo.scatter"(%8, %index, %9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %11 = stablehlo.slice %10 [0:4, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %12 = stablehlo.convert %i : (tensor<4x8xi32>) -> tensor<4x8xf32>
    %13 = stablehlo.add %11, %12 : tensor<4x8xf32>
    %14 = stablehlo.bitcast_convert %13 : (tensor<4x8xf32>) -> tensor<4x8xi32>
    %15 = stablehlo.iota dim = 1 : tensor<4x8xi32>
    %16 = stablehlo.add %14, %15 : tensor<4x8xi32>
    %17:2 = "stablehlo.sort"(%13, %16) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %m: tensor<i32>, %n: tensor<i32>):
      %s = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
    %18, %19 = chlo.top_k(%17#0, k = 8) : tensor<4x8xf32> -> (tensor<4x8xf32>, tensor<4x8xi32>)
    %20 = stablehlo.xor %17#1, %19 : tensor<4x8xi32>
    %21 = stablehlo.reduce(%18 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %22 = stablehlo.reduce(%18 init: %lowest) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
     reducer(%a: tensor<f32>, %b: tensor<f32>)  {
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %24 = "stablehlo.case"(%which) ({
      stablehlo.return %18 : tensor<4x8xf32>
    }, {
      %s = stablehlo.negate %23 : tensor<4x8xf32>
      stablehlo.return %s : tensor<4x8xf32>
    }) : (tensor<i32>) -> tensor<4x8xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %25 = "stablehlo.case"(%one) ({
      %s = stablehlo.reshape %24 : (tensor<4x8xf32>) -> tensor<32xf32>
      %t = stablehlo.reshape %s : (tensor<32xf32>) -> tensor<4x8xf32>
      stablehlo.return %t : tensor<4x8xf32>
    }, {
      stablehlo.return %24 : tensor<4x8xf32>
    }) : (tensor<i32>) -> tensor<4x8xf32>
    %26 = "stablehlo.if"(%test) ({
      stablehlo.return %25 : tensor<4x8xf32>
    }, {
      %s = stablehlo.tanh %23 : tensor<4x8xf32>
      stablehlo.return %s : tensor<4x8xf32>
    }) : (tensor<i1>) -> tensor<4x8xf32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    %27:2 = stablehlo.while(%k = %start, %v = %26) : tensor<i32>, tensor<4x8xf32>
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %s = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    } do {
      %n = stablehlo.constant dense<1> : tensor<i32>
      %s = stablehlo.add %k, %n : tensor<i32>
      %t = func.call @twice(%v) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %s, %t : tensor<i32>, tensor<4x8xf32>
    }
    %28, %29 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x8xui32>)
    %30 = stablehlo.bitcast_convert %29 : (tensor<4x8xui32>) -> tensor<4x8xi32>
    %31 = stablehlo.or %20, %30 : tensor<4x8xi32>
    %32 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x6x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x4x4x4xf32>
    %33 = "stablehlo.reduce_window"(%32, %lowest) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<2x2x2x4xf32>
    %34 = "stablehlo.select_and_scatter"(%32, %33, %zero) <{padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x4x4x4xf32>, tensor<2x2x2x4xf32>, tensor<f32>) -> tensor<2x4x4x4xf32>
    %35 = stablehlo.slice %34 [0:2, 0:4, 0:4, 0:3] : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x3xf32>
    %36 = stablehlo.pad %35, %21, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x4x4x3xf32>, tensor<f32>) -> tensor<2x6x6x3xf32>
    %37 = stablehlo.add %36, %image : tensor<2x6x6x3xf32>
    %38 = stablehlo.custom_call @Sharding(%27#1) {backend_config = "unspecified_dims=[1]"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %39 = stablehlo.convert %e#1 : tensor<4x8xi32>
    %40 = stablehlo.xor %31, %39 : tensor<4x8xi32>
    %41 = stablehlo.broadcast_in_dim %27#0, dims = [] : (tensor<i32>) -> tensor<4x8xi32>
    %42 = stablehlo.add %40, %41 : tensor<4x8xi32>
    %43 = stablehlo.complex %38, %38 : tensor<4x8xcomplex<f32>>
    %44 = chlo.conj %43 : tensor<4x8xcomplex<f32>> -> tensor<4x8xcomplex<f32>>
    %45 = stablehlo.real %44 : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xf32>
    %46 = stablehlo.imag %44 : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xf32>
    %47 = stablehlo.uniform_quantize %45 : (tensor<4x8xf32>) -> tensor<4x8x!quant.uniform<i8:f32, 0.5:-3>>
    %48 = stablehlo.add %47, %47 : tensor<4x8x!quant.uniform<i8:f32, 0.5:-3>>
    %49 = stablehlo.uniform_dequantize %48 : (tensor<4x8x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<4x8xf32>
    %50 = "stablehlo.map"(%49, %46) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.multiply %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %51 = chlo.tan %50 : tensor<4x8xf32> -> tensor<4x8xf32>
    %52 = chlo.bessel_i1e %51 : tensor<4x8xf32> -> tensor<4x8xf32>
    %53 = chlo.mulhi %42, %40 : tensor<4x8xi32>, tensor<4x8xi32> -> tensor<4x8xi32>
    %54 = stablehlo.custom_call @check.eq(%53, %42) : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<i1>
    check.expect_eq %53, %42 : tensor<4x8xi32>
    check.expect_eq_const %54, dense<true> : tensor<i1>
    check.expect_almost_eq %52, %51, tolerance = 0.001 : f64 : tensor<4x8xf32>
    check.expect_almost_eq_const %52, dense<0.0> : tensor<4x8xf32>
    check.expect_close %52, %51, max_ulp_difference = 3 : tensor<4x8xf32>, tensor<4x8xf32>
    %60 = sdy.manual_computation(%38) in_shardings=[<@mesh, [{"data"}, {"model"}]>] out_shardings=[<@mesh, [{"data"}, {"model"}]>] manual_axes={"data", "model"} (%shard: tensor<2x2xf32>) {
      %n = stablehlo.partition_id : tensor<ui32>
      %r = stablehlo.replica_id : tensor<ui32>
      %m = stablehlo.add %n, %r : tensor<ui32>
      %f = stablehlo.convert %m : (tensor<ui32>) -> tensor<f32>
      %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %h = "stablehlo.all_reduce"(%shard) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %k = "stablehlo.all_gather"(%h) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<4x2xf32>
      %l = "stablehlo.reduce_scatter"(%k) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.maximum %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
      %o = "stablehlo.all_to_all"(%l) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x2xf32>) -> tensor<1x4xf32>
      %q = stablehlo.reshape %o : (tensor<1x4xf32>) -> tensor<2x2xf32>
      %t = "stablehlo.collective_permute"(%q) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 4], [4, 0]]> : tensor<2x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %v = "stablehlo.collective_broadcast"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %u = stablehlo.add %v, %g : tensor<2x2xf32>
      sdy.return %u : tensor<2x2xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    check.expect_eq %60, %38 : tensor<4x8xf32>
    %55 = stablehlo.fft %27#1, type = RFFT, length = [4, 8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
    %56 = stablehlo.fft %55, type = IRFFT, length = [8] : (tensor<4x5xcomplex<f32>>) -> tensor<4x8xf32>
    %57 = stablehlo.dot_general %56, %56, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
    %58 = stablehlo.cholesky %57, lower = true : tensor<4x4xf32>
    %59 = "stablehlo.triangular_solve"(%58, %38) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %sizes = stablehlo.constant dense<[4, 8]> : tensor<2xi32>
    %none = stablehlo.constant dense<0> : tensor<2xi32>
    %ones = stablehlo.constant dense<1> : tensor<2xi32>
    %61 = stablehlo.dynamic_reshape %59, %sizes : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<4x8xf32>
    %62 = stablehlo.dynamic_broadcast_in_dim %21, %sizes, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<4x8xf32>
    %63 = stablehlo.dynamic_iota %sizes, dim = 1 : (tensor<2xi32>) -> tensor<4x8xf32>
    %64 = stablehlo.dynamic_pad %61, %21, %ones, %none, %none : (tensor<4x8xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5x9xf32>
    %65 = stablehlo.real_dynamic_slice %64, %none, %sizes, %ones : (tensor<5x9xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x8xf32>
    %66 = stablehlo.get_dimension_size %65, dim = 0 : (tensor<4x8xf32>) -> tensor<i32>
    %67 = stablehlo.reshape %66 : (tensor<i32>) -> tensor<1xi32>
    %68 = stablehlo.constant dense<1> : tensor<1xi32>
    %69 = stablehlo.concatenate %67, %68, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %70 = "stablehlo.dynamic_gather"(%65, %none, %69) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0, 1]>, indices_are_sorted = true}> : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x1xf32>
    %71 = stablehlo.constant dense<[[1, 1], [1, 1]]> : tensor<2x2xi32>
    %72 = stablehlo.constant dense<1.0> : tensor<3x3x3x3xf32>
    %73 = stablehlo.dynamic_conv(%37, %72, %71) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x3xf32>, tensor<3x3x3x3xf32>, tensor<2x2xi32>) -> tensor<2x6x6x3xf32>
    %74 = stablehlo.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]> : tensor<3x1x2xf32>
    %75 = stablehlo.constant dense<[1, 0, 2]> : tensor<3xi32>
    %76 = "chlo.ragged_dot"(%70, %74, %75) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x1xf32>, tensor<3x1x2xf32>, tensor<3xi32>) -> tensor<4x2xf32>
    %77 = chlo.zeta %62, %63 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    %78 = chlo.polygamma %77, %65 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    check.expect_eq %78, %77 : tensor<4x8xf32>
    check.expect_eq %73, %37 : tensor<2x6x6x3xf32>
    check.expect_eq %76, %76 : tensor<4x2xf32>
    %tok = stablehlo.after_all : !stablehlo.token
    %81 = sdy.data_flow_edge %59 sharding=<@mesh, [{"data", ?}, {?}]> : tensor<4x8xf32>
    %82 = sdy.propagation_barrier %81 allowed_direction=FORWARD : tensor<4x8xf32>
    sdy.sharding_group %82 group_id=0 : tensor<4x8xf32>
    return %82, %42, %e#2, %21, %28, %37 : tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xi1>, tensor<f32>, tensor<2xui64>, tensor<2x6x6x3xf32>
  }
  func.func private @twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.add %x, %x : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @never_called(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
