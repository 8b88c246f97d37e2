//! Messages for unsupported and invalid modules.

use crate::common::{module, refused};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&refused(text));
}

fn check_body(body: &str, expected: Expect) {
    let body = format!("{body}\n    %r = stablehlo.constant dense<0.0> : tensor<f32>\n    return %r : tensor<f32>");
    check(&module("%arg0: tensor<4x8xf32>, %arg1: tensor<i32>", &body), expected);
}

#[test]
fn text_that_is_not_a_module() {
    check(
        "",
        expect![[r#"
        error[F002]: there is no function in the file
          --> m.mlir:1:1
          = help: write the module with `jax.jit(f).lower(..).as_text()`
    "#]],
    );
    check(
        "PK\u{3}\u{4}\0\0 binary \u{fffd}",
        expect![[r#"
        error[F002]: expected a module of StableHLO, found `PK`
          --> m.mlir:1:1
          = help: write the module with `jax.jit(f).lower(..).as_text()`
    "#]],
    );
    check(
        "{\"version\": 1}",
        expect![[r#"
        error[F002]: expected a function or a mesh, found `{"version": 1}`
          --> m.mlir:1:1
    "#]],
    );
    check(
        "form traced\ninput %x : f32[4]",
        expect![[r#"
        error[F002]: expected a module of StableHLO, found `form`
          --> m.mlir:1:1
          = help: write the module with `jax.jit(f).lower(..).as_text()`
    "#]],
    );
    check(
        "module {\n}\n",
        expect![[r#"
        error[F002]: there is no function in the file
          --> m.mlir:1:1
          = help: write the module with `jax.jit(f).lower(..).as_text()`
    "#]],
    );
}

#[test]
fn truncated_modules() {
    let whole =
        module("%arg0: tensor<f32>", "    %0 = stablehlo.add %arg0, %arg0 : tensor<f32>\n    return %0 : tensor<f32>");
    for end in ["public @ma", "main(%arg0: tensor<f3", "stablehlo.add %arg0,", ": tensor<f32>\n    return", "}\n"] {
        let end = whole.find(end).unwrap() + end.len() - 1;
        println!("{}", refused(&whole[..end]));
    }
    check(
        &whole[..whole.find(", %arg0 :").unwrap()],
        expect![[r#"
        error[F002]: the text ends where `:` and the types of the operation is expected
          --> m.mlir:3:29 ends here
          = help: the file is truncated: write it again
    "#]],
    );
    check(
        "module { func.func @main() { %0 = stablehlo.constant dense<[1.0, 2.0",
        expect![[r#"
        error[F002]: the text ends before this literal is closed
          --> m.mlir:1:59 opened here
          = help: the file is truncated: write it again
    "#]],
    );
    check(
        "module { func.func @main(%arg0: tensor<f32> {a = \"b",
        expect![[r#"
        error[F002]: a string is not closed
          --> m.mlir:1:50 opened here
    "#]],
    );
}

#[test]
fn unsupported_operations() {
    check_body(
        "    %0 = stablehlo.infeed %arg0 : (tensor<4x8xf32>) -> tensor<4x8xf32>",
        expect![[r#"
        error[F001]: the operation `stablehlo.infeed` is not supported
          --> m.mlir:3:10
          = help: rewrite the model without it, or lower it to operations of StableHLO
    "#]],
    );
    check_body(
        r#"    %0 = "stablehlo.outfeed"(%arg1) : (tensor<i32>) -> tensor<4xf32>"#,
        expect![[r#"
            error[F001]: the operation `stablehlo.outfeed` is not supported
              --> m.mlir:3:11
              = help: rewrite the model without it, or lower it to operations of StableHLO
        "#]],
    );
    check_body(
        "    %0 = stablehlo.reshape %arg1 : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.constant dense<0> : tensor<1xi32>
    %3 = stablehlo.iota dim = 0 : tensor<4xf32>
    %4 = stablehlo.dynamic_pad %3, %1, %0, %2, %2 : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xf32>",
        expect![[r#"
            error[F003]: `%0` of `stablehlo.dynamic_pad` is not computed from constants
              --> m.mlir:7:10
              = help: trace the function with concrete shapes
        "#]],
    );
    check_body(
        "    %0 = stablehlo.constant dense<[8, 3]> : tensor<2xi32>
    %1 = stablehlo.dynamic_reshape %arg0, %0 : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<8x4xf32>",
        expect![[r#"
            error[V001]: `stablehlo.dynamic_reshape` to the shape [8, 3] does not return tensor<8x4xf32>
              --> m.mlir:4:10
        "#]],
    );
    check_body(
        "    %0 = stablehlo.custom_call @lapack_sgees_ffi(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>",
        expect![[r#"
            error[F001]: the call target `@lapack_sgees_ffi` of `stablehlo.custom_call` is not supported
              --> m.mlir:3:10
              = help: the supported routines of LAPACK are `*potrf_ffi`, `*trsm_ffi`, `*gtsv_ffi`, `*getrf_ffi`, `*geqrf_ffi`, `*orgqr_ffi`, `*ungqr_ffi`, `*ormqr_ffi`, `*unmqr_ffi`, `*gehrd_ffi`, `*gesdd_ffi`, `*syevd_ffi`, `*heevd_ffi` and `*geev_ffi`: leave others out of the function, or export it with a newer version of JAX if the name does not end in `_ffi`
        "#]],
    );
    check_body(
        "    %0 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>",
        expect![[r#"
            error[F003]: `stablehlo.custom_call` of `@SPMDFullToShardShape` is a manual computation
              --> m.mlir:3:10
              = help: this is the body of a `shard_map` in the form of GSPMD: lower the function with Shardy, `jax.config.update("jax_use_shardy_partitioner", True)`
        "#]],
    );
    check_body(
        "    %0 = call @gone(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>",
        expect![[r#"
        error[F002]: the function `@gone` is called, but not defined
          --> m.mlir:3:10
    "#]],
    );
}

#[test]
fn unsupported_types() {
    check_body(
        "    %0 = stablehlo.negate %arg0 : tensor<?x8xf32>",
        expect![[r#"
        error[F003]: `stablehlo.negate` has a dynamic shape `tensor<?x8xf32>`
          --> m.mlir:3:35 a dimension without a size
          = help: trace the function with concrete shapes: dynamic shapes are not supported
    "#]],
    );
    check_body(
        "    %0 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xcomplex<f16>>",
        expect![[r#"
            error[F003]: `stablehlo.convert` has elements of type `complex<f16>`
              --> m.mlir:3:57 this element type is not supported
              = note: element types are f64, f32, f16, bf16, f8E5M2, f8E5M2FNUZ, f8E4M3, f8E4M3FN, f8E4M3FNUZ, f8E4M3B11FNUZ, f8E3M4, f8E8M0FNU, f6E3M2FN, f6E2M3FN, f4E2M1FN, i64, i32, i16, i8, i4, i2, ui64, ui32, ui16, ui8, ui4, ui2, i1, complex<f32>, complex<f64> and !quant.uniform
              = help: cast to a supported element type before lowering
        "#]],
    );
    check_body(
        "    %0 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xf80>",
        expect![[r#"
            error[F003]: `stablehlo.convert` has elements of type `f80`
              --> m.mlir:3:57 this element type is not supported
              = note: element types are f64, f32, f16, bf16, f8E5M2, f8E5M2FNUZ, f8E4M3, f8E4M3FN, f8E4M3FNUZ, f8E4M3B11FNUZ, f8E3M4, f8E8M0FNU, f6E3M2FN, f6E2M3FN, f4E2M1FN, i64, i32, i16, i8, i4, i2, ui64, ui32, ui16, ui8, ui4, ui2, i1, complex<f32>, complex<f64> and !quant.uniform
              = help: cast to a supported element type before lowering
        "#]],
    );
    check_body(
        "    %0 = stablehlo.negate %arg0 : !stablehlo.token",
        expect![[r#"
            error[V001]: `stablehlo.negate` takes `%arg0` as !stablehlo.token, but it is tensor<4x8xf32>
              --> m.mlir:3:35 `%arg0` is written as !stablehlo.token
              --> m.mlir:2:26 defined here, as tensor<4x8xf32>
              = help: write tensor<4x8xf32>, or convert `%arg0` first
        "#]],
    );
    check_body(
        "    %0 = stablehlo.iota dim = 0 : tensor<9999999999x9999999999xf32>",
        expect![[r#"
            error[T004]: `stablehlo.iota` has a tensor `tensor<9999999999x9999999999xf32>` too large to count
              --> m.mlir:3:35
              = note: the number of elements must be at most 1152921504606846975
        "#]],
    );
    check_body(
        "    %0 = stablehlo.iota dim = 0 : tensor<99999999999999999999999xf32>",
        expect![[r#"
            error[T004]: `stablehlo.iota` has a tensor `tensor<99999999999999999999999xf32>` too large to count
              --> m.mlir:3:35
              = note: the number of elements must be at most 1152921504606846975
        "#]],
    );
    check(
        &module("%arg0: tensor<*xf32>", ""),
        expect![[r#"
        error[F003]: argument `%arg0` has a dynamic shape `tensor<*xf32>`
          --> m.mlir:2:33 a dimension without a size
          = help: trace the function with concrete shapes: dynamic shapes are not supported
    "#]],
    );
    check_body(
        &format!("    %0 = stablehlo.iota dim = 0 : tensor<{}f32>", "1x".repeat(100)),
        expect![[r#"
        error[T004]: `stablehlo.iota` has a tensor of more than 32 dimensions
          --> m.mlir:3:35
    "#]],
    );
}

#[test]
fn operations_with_invalid_operands() {
    check_body(
        "    %0 = stablehlo.add %arg0, %arg9 : tensor<4x8xf32>",
        expect![[r#"
        error[F002]: `%arg9` is used before it is defined
          --> m.mlir:3:31
    "#]],
    );
    check_body(
        "    %arg0 = stablehlo.add %arg0, %arg0 : tensor<4x8xf32>\n    %1 = stablehlo.negate %1 : tensor<f32>",
        expect![[r#"
        error[F002]: `%arg0` is defined twice
          --> m.mlir:3:5
    "#]],
    );
    check_body(
        "    %0 = stablehlo.negate %arg0 : tensor<4x8xf32>\n    %0 = stablehlo.negate %arg0 : tensor<4x8xf32>",
        expect![[r#"
        error[F002]: `%0` is defined twice
          --> m.mlir:4:5
    "#]],
    );
    check_body(
        "    %0:2 = stablehlo.negate %arg0 : tensor<4x8xf32>",
        expect![[r#"
        error[F002]: `stablehlo.negate` names 2 results and has types for 1
          --> m.mlir:3:12
    "#]],
    );
    check_body(
        "    %0 = stablehlo.negate %arg0#1 : tensor<4x8xf32>",
        expect![[r#"
        error[F002]: `%arg0#1` is used, but `%arg0` has 1 result
          --> m.mlir:3:27
    "#]],
    );
    check_body(
        "    %0 = stablehlo.transpose %arg0, dims = [1, -1] : (tensor<4x8xf32>) -> tensor<8x4xf32>",
        expect![[r#"
        error[F002]: `stablehlo.transpose`: `permutation` is not a list of sizes
          --> m.mlir:3:10
    "#]],
    );
    check_body(
        "    %0 = stablehlo.transpose %arg0 : (tensor<4x8xf32>) -> tensor<8x4xf32>",
        expect![[r#"
        error[F002]: `stablehlo.transpose`: `permutation` is missing: a list of sizes
          --> m.mlir:3:10
    "#]],
    );
    check_body(
        "    %0 = stablehlo.slice %arg0 [0:99999999999999999999] : (tensor<4x8xf32>) -> tensor<8xf32>",
        expect![[r#"
        error[F002]: `99999999999999999999` is not a 64-bit integer
          --> m.mlir:3:35
    "#]],
    );
}

#[test]
fn literals_of_the_wrong_shape() {
    for (literal, ty) in [
        ("[1.0, 2.0]", "3xf32"),
        ("[[1.0, 2.0], [3.0]]", "2x2xf32"),
        ("[[1.0], [2.0]]", "2xf32"),
        ("[1.0, 2.0]", "2x1xf32"),
        ("[1.0, 2.0", "2xf32"),
        ("[1.0, , 2.0]", "2xf32"),
        ("[1.0]]", "1xf32"),
        ("", "2xf32"),
        ("[1.0, x]", "2xf32"),
        ("300", "2xi8"),
        ("0xFF800000FF", "f32"),
        ("\"0x0000803F00\"", "2xf32"),
        ("\"0x0000803Z\"", "2xf32"),
        ("1.0", "i32"),
        ("[]", "4611686018427387904xf32"),
    ] {
        println!("{}", refused(&module("", &format!("    %0 = stablehlo.constant dense<{literal}> : tensor<{ty}>"))));
    }
    check_body(
        "    %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0]]> : tensor<2x2xf32>",
        expect![[r#"
        error[F002]: a literal does not have the shape [2, 2] of its type
          --> m.mlir:3:52 1 item along dimension 1, not 2
    "#]],
    );
    check_body(
        "    %0 = stablehlo.constant dense<\"0x0000803F00\"> : tensor<2xf32>",
        expect![[r#"
        error[F002]: a literal does not have the shape [2] of its type
          --> m.mlir:3:35 10 hexadecimal digits
          = note: 2 elements of 4 bytes are 16 digits
    "#]],
    );
    check_body(
        "    %0 = stablehlo.constant dense<[1.0, oops]> : tensor<2xf32>",
        expect![[r#"
        error[F002]: `oops` is not a literal of type f32
          --> m.mlir:3:41
    "#]],
    );
    check_body(
        "    %0 = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>",
        expect![[r#"
        error[F003]: a literal was elided from the file
          --> m.mlir:3:29 placeholder for elided data
          = help: print the module with `lowered.as_text()`, which elides no literals
    "#]],
    );
}

/// Returns a module with the given mesh and the given sharding of an argument `tensor<8x16xf32>`.
fn sharded(mesh: &str, sharding: &str) -> String {
    format!(
        "module {{\n  sdy.mesh @mesh = <{mesh}>\n  func.func @main(%arg0: tensor<8x16xf32> {{sdy.sharding = \
         #sdy.sharding<{sharding}>}}) -> tensor<8x16xf32> {{\n    return %arg0 : tensor<8x16xf32>\n  }}\n}}\n"
    )
}

#[test]
fn shardings_that_contradict_the_mesh() {
    let mesh = "[\"data\"=2, \"model\"=4]";
    check(
        &sharded(mesh, "@mesh, [{\"modle\"}, {}]"),
        expect![[r#"
        error[L001]: the mesh has no axis `modle`
          --> m.mlir:3:82 not an axis of this mesh
          = help: there is an axis with a similar name: `model`
    "#]],
    );
    check(
        &sharded(mesh, "@mesh, [{\"model\"}, {\"model\"}]"),
        expect![[r#"
        error[L002]: axis `model` is used twice in one sharding
          --> m.mlir:3:93 and again here
          --> m.mlir:3:82 first here
          = note: a device has one position along an axis, so it can store only one shard along it
    "#]],
    );
    check(
        &sharded(mesh, "@mesh, [{\"model\"}]"),
        expect![[r#"
        error[L009]: a sharding of 1 dimension for f32[8, 16], which has 2
          --> m.mlir:3:72
          = help: write one `{}` for each replicated dimension
    "#]],
    );
    check(
        &sharded(mesh, "@mash, [{\"model\"}, {}]"),
        expect![[r#"
        error[L007]: the mesh `@mash` is not declared
          --> m.mlir:3:72
          = help: there is a mesh with a similar name: `@mesh`
    "#]],
    );
    check(
        &sharded(mesh, "@mesh, [{\"model\":(1)3}, {}]"),
        expect![[r#"
        error[L001]: axis `model` has 4 devices, which do not split as (1)3
          --> m.mlir:3:82
    "#]],
    );
    check(
        &sharded("[\"data\"=0]", "@mesh, [{}, {}]"),
        expect![[r#"
        error[L007]: the mesh `@mesh` has axis `data` of size 0
          --> m.mlir:2:12
          = note: an axis has at least one device
    "#]],
    );
    check(
        &sharded("[\"data\"=1000000, \"model\"=1000000]", "@mesh, [{}, {}]"),
        expect![[r#"
        error[L007]: the mesh `@mesh` has 1000000000000 devices
          --> m.mlir:2:12
          = note: at most 65536 are supported
    "#]],
    );
    check(
        &sharded("[\"a\"=2, \"a\"=2]", "@mesh, [{}, {}]"),
        expect![[r#"
        error[L007]: the mesh `@mesh` has two axes `a`
          --> m.mlir:2:12
    "#]],
    );
    check(
        &sharded("[\"a\"=2], device_ids=[0, 0]", "@mesh, [{}, {}]"),
        expect![[r#"
        error[L007]: the mesh `@mesh` needs 2 distinct devices, and lists 2
          --> m.mlir:2:12
    "#]],
    );
    let two = sharded("[\"a\"=2]> sdy.mesh @other = <[\"b\"=2]", "@mesh, [{\"a\"}, {}]");
    let result = ") -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@other, [{\"b\"}, {}]>})";
    check(
        &two.replace(") -> tensor<8x16xf32>", result),
        expect![[r#"
            error[F003]: shardings refer to two meshes, `@mesh` and `@other`
              --> m.mlir:3:145
              = help: use one mesh with all axes, and leave out the axes that a tensor is not split by
        "#]],
    );
}

#[test]
fn gspmd_shardings_without_a_common_mesh() {
    let text = |a: &str, b: &str| {
        format!(
            "module {{\n  func.func @main(%arg0: tensor<8x16xf32> {{mhlo.sharding = \"{a}\"}}, %arg1: tensor<8x16xf32> \
             {{mhlo.sharding = \"{b}\"}}) -> tensor<8x16xf32> {{\n    return %arg0 : tensor<8x16xf32>\n  }}\n}}\n"
        )
    };
    check(
        &text("{devices=[2,3]<=[6]}", "{devices=[3,2]<=[6]}"),
        expect![[r#"
        error[F003]: the shardings of the module do not fit one mesh
          --> m.mlir:2:61 divides the devices into runs of 3
          --> m.mlir:2:127 divides them into runs of 2
          = help: lower the function with Shardy, which names its mesh: `jax_use_shardy_partitioner`
    "#]],
    );
    check(
        &text("{devices=[2,3]<=[6]}", "{devices=[2,2]<=[4]}"),
        expect![[r#"
        error[L007]: the sharding `{devices=[2,2]<=[4]}` is for 4 devices, others are for 6
          --> m.mlir:2:127
    "#]],
    );
    check(
        &text("{devices=[2,2]1,0,3,2}", "{replicated}"),
        expect![[r#"
        error[F003]: the sharding `{devices=[2,2]1,0,3,2}` permutes devices
          --> m.mlir:2:61
          = note: its devices are not in the order of a mesh
          = help: lower the function with Shardy, which names its mesh: `jax_use_shardy_partitioner`
    "#]],
    );
    check(
        &text("{devices=[2,2,2]<=[8]}", "{replicated}"),
        expect![[r#"
        error[L009]: the sharding `{devices=[2,2,2]<=[8]}` tiles 3 dimensions of f32[8, 16]
          --> m.mlir:2:19
    "#]],
    );
    check(
        &text("{manual}", "{replicated}"),
        expect![[r#"
            error[F003]: a value has the sharding `{manual}`
              --> m.mlir:2:61
              = help: this is the body of a `shard_map` in the form of GSPMD: lower the function with Shardy, `jax.config.update("jax_use_shardy_partitioner", True)`
        "#]],
    );
    check(
        &text("{devices=oops}", "{replicated}"),
        expect![[r#"
        error[F002]: `{devices=oops}` is not a sharding
          --> m.mlir:2:61
          = note: a sharding is written as in `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`
    "#]],
    );
}

#[test]
fn recursive_and_exponential_calls() {
    let f = |name: &str, body: &str| {
        format!(
            "  func.func {name}(%arg0: tensor<f32>) -> tensor<f32> {{\n    {body}\n    return %0 : tensor<f32>\n  }}\n"
        )
    };
    let call = |name: &str| format!("%0 = call @{name}(%arg0) : (tensor<f32>) -> tensor<f32>");
    check(
        &(f("@main", &call("a")) + &f("private @a", &call("b")) + &f("private @b", &call("a"))),
        expect![[r#"
        error[F003]: the function `@a` calls itself
          --> m.mlir:10:10
    "#]],
    );
    // Each function calls the next one twice.
    let mut text = f("@main", &call("f0"));
    for i in 0..40 {
        let next =
            format!("{}\n    {}", call(&format!("f{}", i + 1)), call(&format!("f{}", i + 1)).replace("%0", "%1"));
        text += &f(&format!("private @f{i}"), &next);
    }
    text += &f("private @f40", "%0 = stablehlo.negate %arg0 : tensor<f32>");
    check(
        &text,
        expect![[r#"
        error[T004]: inlining the functions of this module produces more than 1048576 operations
          --> m.mlir:196:10
    "#]],
    );
    let mut text = f("@main", &call("f0"));
    (0..100).for_each(|i| text += &f(&format!("private @f{i}"), &call(&format!("f{}", i + 1))));
    text += &f("private @f100", "%0 = stablehlo.negate %arg0 : tensor<f32>");
    check(
        &text,
        expect![[r#"
        error[T004]: functions call each other 64 levels deep
          --> m.mlir:258:10
    "#]],
    );
    check(
        &(f("@main", &call("a")) + &f("private @a", "") + &f("private @a", "")),
        expect![[r#"
        error[F002]: `%0` is used before it is defined
          --> m.mlir:7:12
    "#]],
    );
    check_body(
        "    %0 = call @main(%arg0, %arg1) : (tensor<4x8xf32>, tensor<i32>) -> tensor<f32>",
        expect![[r#"
        error[F003]: the function `@main` calls itself
          --> m.mlir:3:10
    "#]],
    );
}

#[test]
fn unsupported_regions() {
    check_body(
        r#"    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %arg1, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>"#,
        expect![[r#"
            error[F003]: the region of `stablehlo.sort` uses a value from outside of it
              --> m.mlir:3:11
              = help: only constants may be used from outside
        "#]],
    );
    check_body(
        r#"    %0 = "stablehlo.sort"(%arg0) <{dimension = 2 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>"#,
        expect![[r#"
            error[V001]: `stablehlo.sort` sorts along dimension 2 of a tensor of rank 2
              --> m.mlir:3:11
        "#]],
    );
    check_body(
        r#"    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg0) <{scatter_dimension_numbers = #stablehlo.scatter<>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<i32>, tensor<4x8xf32>) -> tensor<4x8xf32>"#,
        expect![[r#"
            error[V001]: `stablehlo.scatter` does not fit its operands: index vectors of i32[] have 1 component, but 0 are mapped
              --> m.mlir:3:11
        "#]],
    );
}
