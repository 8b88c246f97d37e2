//! Inputs that are too large, too deep, too long, or not text: complete messages, exit code 1, and prompt termination.

use crate::support::{Folder, partita};
use expect_test::{Expect, expect};

/// Plans a model in the folder, which must be rejected.
fn refused(folder: &Folder, model: &str, expected: Expect) {
    let ended = partita(folder, ["plan", model, "--mesh", "data=2"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.out.is_empty(), "{}", ended.transcript());
    expected.assert_eq(&ended.err);
}

/// Plans a file with the given name and content, which must be rejected.
fn file(name: &str, content: impl AsRef<[u8]>, expected: Expect) {
    let folder = Folder::new(&format!("limits-{name}"));
    folder.write(name, content);
    refused(&folder, name, expected);
}

#[test]
fn files_that_are_not_text() {
    file(
        "binary.pir",
        [0, 1, 2, 0xff, 0xfe],
        expect![[r#"
        error[F002]: `binary.pir` is not text
          |
          = note: byte 3, on line 1, is not UTF-8
    "#]],
    );
    file(
        "binary.mlir",
        [b'm', b'o', 0x80],
        expect![[r#"
        error[F002]: `binary.mlir` is not text
          |
          = note: byte 2, on line 1, is not UTF-8
    "#]],
    );
    file(
        "zeros.pir",
        [0; 64],
        expect![[r#"
        error[T001]: expected `form`, found `␀`
         --> zeros.pir:1:1
          |
        1 | ␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀
          | ^
    "#]],
    );
    file(
        "empty.pir",
        "",
        expect![[r#"
        error[T001]: expected `form`, the text ends here
         --> empty.pir:1:1
          |
        1 |
          | ^
    "#]],
    );
    file(
        "empty.mlir",
        "",
        expect![[r#"
        error[F002]: there is no function in the file
         --> empty.mlir:1:1
          |
        1 |
          | ^
          |
          = help: write the module with `jax.jit(f).lower(..).as_text()`
    "#]],
    );
}

#[test]
fn folder_as_model() {
    let folder = Folder::new("limits-folder");
    std::fs::create_dir(folder.path.join("model.mlir")).expect("the folder is created");
    refused(
        &folder,
        "model.mlir",
        expect![[r#"
        error[C001]: cannot read `model.mlir`: it is a directory
    "#]],
    );
}

#[test]
fn very_long_line() {
    let long = "x".repeat(1 << 20);
    file(
        "name.pir",
        format!("form traced\ninput %{long} : f33[4]\n"),
        expect![[r#"
        error[T001]: `f33` is not an element type
          |
        2 | ... xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx : f33[4]
          |                                                     ^^^
         ::: name.pir:2:1048587
          |
        help: there is an element type with a similar name
          |
        2 - ... xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx : f33[4]
        2 + ... xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx : f32[4]
          |
    "#]],
    );
    file(
        "name.mlir",
        format!("module @{long} {{ func.func @main() {{ {long} }} }}"),
        expect![[r#"
        error[F001]: the operation `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...` is not supported
          |
        1 | ...c.func @main() { xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
          |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
         ::: name.mlir:1:1048608
          = help: rewrite the model without it, or lower it to operations of StableHLO
    "#]],
    );
    file(
        "dims.pir",
        format!("form traced\ninput %x : f32[{}]\n", "4, ".repeat(100_000)),
        expect![[r#"
        error[T004]: a shape has at most 32 dimensions
          |
        2 | ... 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4 ...
          |                                                     ^
         ::: dims.pir:2:112
    "#]],
    );
    let list = "1.0, ".repeat(100_000);
    let function = |body: String| format!("module {{ func.func public @main() -> tensor<4xf32> {{ {body} }} }}");
    file(
        "list.mlir",
        function(format!("%0 = stablehlo.constant dense<[{list}]> : tensor<4xf32> return %0 : tensor<4xf32>")),
        expect![[r#"
            error[F002]: the lists of a literal are not balanced
              |
            1 | ... 0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, ]> : tensor<4xf32> return %0 : tensor<4xf32> } }
              |                                                     ^
             ::: list.mlir:1:500085
        "#]],
    );
}

#[test]
fn deep_nesting() {
    let deep = |what: &str| what.repeat(100_000);
    let main = "func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {";
    file(
        "parens.pir",
        format!("form traced\ninput %x : {}", deep("(")),
        expect![[r#"
        error[T001]: expected a type, such as `f32[2, 3]`, found `(`
         --> parens.pir:2:12
          |
        2 | input %x : ((((((((((((((((((((((((((((((((((((((((((((((((( ...
          |            ^
    "#]],
    );
    file(
        "modules.mlir",
        deep("module { "),
        expect![[r#"
        error[F002]: expected a module of StableHLO, found `module`
         --> modules.mlir:1:10
          |
        1 | module { module { module { module { module { module { module {  ...
          |          ^^^^^^
          |
          = help: write the module with `jax.jit(f).lower(..).as_text()`
    "#]],
    );
    file(
        "attributes.mlir",
        format!("module attributes {{a = {}", deep("[")),
        expect![[r#"
        error[T004]: nested deeper than 64 levels
          |
        1 | ... attributes {a = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ ...
          |                                                     ^ here
         ::: attributes.mlir:1:56
    "#]],
    );
    file(
        "regions.mlir",
        format!("module {{ {main} {}", deep("\"stablehlo.while\"(%arg0) ({ ")),
        expect![[r#"
        error[T004]: nested deeper than 64 levels
          |
        1 | ... lo.while"(%arg0) ({ "stablehlo.while"(%arg0) ({ "stablehlo.while"(%arg0) ({ "stablehlo.while"(%ar ...
          |                                                     ^ here
         ::: regions.mlir:1:1866
    "#]],
    );
    file(
        "types.mlir",
        format!("module {{ func.func public @main(%arg0: {}", deep("tuple<")),
        expect![[r#"
        error[F002]: the text ends before this `<` is closed
         --> types.mlir:1:45
          |
        1 | module { func.func public @main(%arg0: tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple< ...
          |                                             ^ opened here
    "#]],
    );
    file(
        "lists.mlir",
        format!("module {{ {main} %0 = stablehlo.constant dense<{}", deep("[")),
        expect![[r#"
        error[F002]: the text ends before this literal is closed
          |
        1 | ... -> tensor<4xf32> { %0 = stablehlo.constant dense<[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ ...
          |                                                     ^ opened here
         ::: lists.mlir:1:103
          = help: the file is truncated: write it again
    "#]],
    );
}

#[test]
fn shapes_that_overflow() {
    let (size, half) = (1u64 << 63, 1u64 << 62);
    file(
        "count.pir",
        format!("form traced\ninput %x : f32[{size}]\noutput %x\n"),
        expect![[r#"
            error[T004]: this shape has more elements than can be counted
             --> count.pir:2:15
              |
            2 | input %x : f32[9223372036854775808]
              |               ^
              |
              = note: 9223372036854775808 is more than 1152921504606846975
        "#]],
    );
    file(
        "bytes.pir",
        format!("form traced\ninput %x : f32[{half}]\n  %y = relu %x : f32[{half}]\noutput %y\n"),
        expect![[r#"
            error[T004]: this shape has more elements than can be counted
             --> bytes.pir:2:15
              |
            2 | input %x : f32[4611686018427387904]
              |               ^
              |
              = note: 4611686018427387904 is more than 1152921504606846975

            error[T004]: this shape has more elements than can be counted
             --> bytes.pir:3:21
              |
            3 |   %y = relu %x : f32[4611686018427387904]
              |                     ^
              |
              = note: 4611686018427387904 is more than 1152921504606846975
        "#]],
    );
    let identity =
        |ty: &str| format!("module {{ func.func public @main(%arg0: {ty}) -> {ty} {{\n  return %arg0 : {ty}\n}} }}");
    file(
        "count.mlir",
        identity(&format!("tensor<{size}xf32>")),
        expect![[r#"
            error[T004]: argument `%arg0` has a tensor `tensor<9223372036854775808xf32>` too large to count
             --> count.mlir:1:40
              |
            1 | module { func.func public @main(%arg0: tensor<9223372036854775808xf32>) -> tensor<9223372036854775808xf32> {
              |                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: the number of elements must be at most 1152921504606846975
        "#]],
    );
    file(
        "bytes.mlir",
        identity(&format!("tensor<{half}xf32>")),
        expect![[r#"
        error[T004]: argument `%arg0` has a tensor `tensor<4611686018427387904xf32>` too large to count
         --> bytes.mlir:1:40
          |
        1 | module { func.func public @main(%arg0: tensor<4611686018427387904xf32>) -> tensor<4611686018427387904xf32> {
          |                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = note: the number of elements must be at most 1152921504606846975
    "#]],
    );
    file(
        "dynamic.mlir",
        identity("tensor<?xf32>"),
        expect![[r#"
        error[F003]: argument `%arg0` has a dynamic shape `tensor<?xf32>`
         --> dynamic.mlir:1:40
          |
        1 | module { func.func public @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
          |                                        ^^^^^^^^^^^^^ a dimension without a size
          |
          = help: trace the function with concrete shapes: dynamic shapes are not supported
    "#]],
    );
}

#[test]
fn meshes_out_of_range() {
    let folder = Folder::new("limits-mesh");
    folder.write("model.pir", "form traced\ninput %x : f32[4]\n  %y = neg %x : f32[4]\noutput %y\n");
    let check = |mesh: &str, expected: Expect| {
        let ended = partita(&folder, ["plan", "model.pir", "--mesh", mesh]);
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        expected.assert_eq(&ended.err);
    };
    check(
        "data=4294967296",
        expect![[r#"
        error[L007]: 4294967296 devices are more than the limit of 65536
         --> --mesh:1:1
          |
        1 | data=4294967296
          | ^^^^^^^^^^^^^^^
    "#]],
    );
    check(
        "data=1000,model=1000000",
        expect![[r#"
        error[L007]: 1000 x 1000000 devices are more than the limit of 65536
         --> --mesh:1:1
          |
        1 | data=1000,model=1000000
          | ^^^^^^^^^^^^^^^^^^^^^^^ the mesh
          |
          = help: a mesh is one or more axes with a size each: `data=2,model=4`
    "#]],
    );
    check(
        "data=-1",
        expect![[r#"
        error[L007]: `data=-1` is not an axis of a mesh
         --> --mesh:1:1
          |
        1 | data=-1
          | ^^^^^^^
          |
          = help: an axis is a name and a size: `--mesh data=2,model=4`
    "#]],
    );
    check(
        "data=2,data=2",
        expect![[r#"
        error[L007]: axis `data` is declared twice
         --> --mesh:1:1
          |
        1 | data=2,data=2
          | ^^^^^^^^^^^^^ the mesh
          |
          = help: a mesh is one or more axes with a size each: `data=2,model=4`
    "#]],
    );
    check(
        "",
        expect![[r#"
        error[L007]: a mesh has at least one axis
         --> --mesh:1:1
          |
        1 |
          | ^ the mesh
          |
          = help: a mesh is one or more axes with a size each: `data=2,model=4`
    "#]],
    );
}

#[test]
fn oversized_random_inputs() {
    let folder = Folder::new("limits-inputs");
    let model = "form traced\nmesh @m = [data=2]\ninput %x : f32[1000000000000]\noutput %x \"y\"\n";
    folder.write("large.pir", model);
    let ended = partita(&folder, ["run", "large.pir", "--check"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        warning[L018]: no dimension is sharded over axis `data`: its 2 devices compute identical values
          |
          = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:data` or a preset, or remove it from the mesh of the model

        error[R004]: random inputs need 4000000000000 bytes; the limit is 17179869184
    "#]]
    .assert_eq(&ended.err);
}
