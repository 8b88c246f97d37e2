//! Complete messages for unsupported and invalid files.

use crate::common::{self, FLOAT, INT64, int, list, model, tensor};
use expect_test::{Expect, expect};
use partita_onnx::proto::{StringStringEntryProto, TensorProto};
use prost::Message;
use std::fs;
use std::path::{Path, PathBuf};

fn check(model: &common::Model, expected: Expect) {
    expected.assert_eq(&model.import_errors());
}

/// Temporary folder of one test, removed when dropped.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new(test: &str) -> TempFolder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", std::process::id()));
        fs::create_dir_all(path.join("model")).expect("the folder is made");
        TempFolder(path)
    }

    /// Imports a file of the folder. Messages are returned without the path of the folder.
    fn import(&self, name: &str) -> Result<partita_onnx::Imported, String> {
        let path = self.0.join(name).display().to_string();
        partita_onnx::import(&path).map_err(|errors| {
            let output: String = errors.iter().map(|e| format!("{e}\n")).collect();
            output.replace(&format!("{}/", self.0.display()), "")
        })
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn unsupported_operations_are_errors() {
    let of = |opset| model(opset).input("x", FLOAT, &["1", "3", "4", "4"]);
    check(
        &of(20).node("ImageDecoder x -> y", vec![]),
        expect![[r#"
            error[F001]: ONNX operation `ImageDecoder` cannot be lowered
              = note: node `/net/ImageDecoder`, domain `ai.onnx`, opset 20
              = note: sizes of an encoded image are not static: decode images before the model
        "#]],
    );
    check(
        &of(16).node("Unique x -> y", vec![]),
        expect![[r#"
            error[F003]: ONNX operation `Unique` computes its operand at run time, but shapes are static
              = note: node `/net/Unique`, domain `ai.onnx`, opset 16
              = help: if inputs of the model determine it, supply their values: `partita run MODEL --input FILE`
        "#]],
    );
    let mut foreign = of(17).node("FusedConv x -> y", vec![]);
    foreign.graph().node[0].domain = "com.microsoft".into();
    foreign.graph().node[0].name = String::new();
    check(
        &foreign,
        expect![[r#"
            error[F002]: ONNX operation `FusedConv`: lacks input 1
              = note: the node that computes `y`, domain `com.microsoft`
        "#]],
    );
    let indices = of(12).node("MaxPool x -> y, i", vec![list("kernel_shape", &[64, 64]), list("pads", &[30; 4])]);
    check(
        &indices,
        expect![[r#"
        error[F001]: ONNX operation `MaxPool` cannot be lowered with its second result, the indices, in windows of 4096 elements
          = note: node `/net/MaxPool`, domain `ai.onnx`, opset 12
    "#]],
    );
    let dynamic = of(13).input("s", INT64, &["2"]).node("Reshape x, s -> y", vec![]);
    check(
        &dynamic,
        expect![[r#"
            error[F003]: ONNX operation `Reshape` computes its shape at run time, but shapes are static
              = note: node `/net/Reshape`, domain `ai.onnx`, opset 13
              = help: if inputs of the model determine it, supply their values: `partita run MODEL --input FILE`
        "#]],
    );
}

#[test]
fn malformed_nodes_are_errors() {
    let of = |opset| model(opset).input("x", FLOAT, &["2", "3"]);
    check(
        &of(13).node("Transpose x -> y", vec![list("perm", &[0, 2])]),
        expect![[r#"
            error[F002]: ONNX operation `Transpose`: there is no dimension 2 in a tensor of rank 2
              = note: node `/net/Transpose`, domain `ai.onnx`, opset 13
        "#]],
    );
    check(
        &of(13).input("z", FLOAT, &["4"]).node("Add x, z -> y", vec![]),
        expect![[r#"
            error[F002]: ONNX operation `Add`: [2, 3] and [4] do not broadcast
              = note: node `/net/Add`, domain `ai.onnx`, opset 13
        "#]],
    );
    check(
        &of(13).input("z", INT64, &["3"]).node("Mul x, z -> y", vec![]),
        expect![[r#"
            error[F002]: ONNX operation `Mul`: operands must have the same type, not f32[2, 3] and i64[2, 3]
              = note: node `/net/Mul`, domain `ai.onnx`, opset 13
        "#]],
    );
    check(
        &of(13).node("MatMul x -> y", vec![]),
        expect![[r#"
            error[F002]: ONNX operation `MatMul`: lacks input 1
              = note: node `/net/MatMul`, domain `ai.onnx`, opset 13
        "#]],
    );
    check(
        &of(13).node("Relu later -> y", vec![]),
        expect![[r#"
            error[F002]: ONNX operation `Relu`: reads `later`, which no node computes
              = note: node `/net/Relu`, domain `ai.onnx`, opset 13
        "#]],
    );
    let huge = of(13).ints("s", &[3], &[1 << 39, 1 << 39, 0]).node("Expand x, s -> y", vec![]);
    check(
        &huge,
        expect![[r#"
            error[F002]: ONNX operation `Expand`: [2, 3] and [549755813888, 549755813888, 0] do not broadcast
              = note: node `/net/Expand`, domain `ai.onnx`, opset 13
        "#]],
    );
    let huge = model(13).ints("s", &[2], &[1 << 31, 1 << 31]).node("ConstantOfShape s -> y", vec![]);
    check(
        &huge,
        expect![[r#"
            error[F002]: ONNX operation `ConstantOfShape`: has the shape [2147483648, 2147483648], whose element count overflows
              = note: node `/net/ConstantOfShape`, domain `ai.onnx`, opset 13
        "#]],
    );
    let text = TensorProto { data_type: 8, ..TensorProto::default() };
    check(
        &model(13).node("Constant -> y", vec![tensor("value", text)]),
        expect![[r#"
            error[F002]: ONNX operation `Constant`: its value has the element type string, which is not supported
              = note: node `/net/Constant`, domain `ai.onnx`, opset 13
        "#]],
    );
}

#[test]
fn opsets_out_of_range() {
    check(
        &model(0).input("x", FLOAT, &["2"]).node("Relu x -> y", vec![]),
        expect![[r#"
            error[F003]: the model uses opset 0; supported are 1 to 28
              = help: convert it: `onnx.version_converter.convert_version(model, 28)` in Python
        "#]],
    );
    check(
        &model(29).input("x", FLOAT, &["2"]).node("Relu x -> y", vec![]),
        expect![[r#"
            error[F003]: the model uses opset 29; supported are 1 to 28
              = help: convert it: `onnx.version_converter.convert_version(model, 28)` in Python
        "#]],
    );
    let mut without = model(21).input("x", FLOAT, &["2"]).node("Relu x -> y", vec![]);
    without.0.opset_import.clear();
    check(
        &without,
        expect![[r#"
        error[F002]: the model does not specify its opset
          = help: add it: `model.opset_import.append(onnx.helper.make_opsetid("", 21))` in Python
    "#]],
    );
    // Only nodes of `ai.onnx` need its opset.
    without.graph().node[0].domain = "com.microsoft".into();
    without.graph().node[0].op_type = "QuickGelu".into();
    assert!(without.import("m.onnx").is_ok());
}

#[test]
fn dimensions_without_a_size() {
    let open = model(13).input("ids", INT64, &["batch", "seq"]).input("x", FLOAT, &["batch", "?"]);
    let open = open.node("Relu x -> y", vec![]);
    let output = |name: &str| open.import(name).err().unwrap_or_default();
    expect![[r#"
        error[F004]: dimensions `batch`, `seq`, `x.1` have no sizes
          = note: `batch` is dimension 0 of `ids`, 0 of `x`
          = note: `seq` is dimension 1 of `ids`
          = note: `x.1` is dimension 1 of `x`
          = help: shapes are static, so specify the sizes: `partita plan 'm.onnx?batch=8&seq=8&x.1=8'`
    "#]]
    .assert_eq(&output("m.onnx"));
    expect![[r#"
        error[F004]: dimension `x.1` has no size
          = note: `x.1` is dimension 1 of `x`
          = help: shapes are static, so specify the sizes: `partita plan 'm.onnx?batch=4&seq=2&x.1=8'`
    "#]]
    .assert_eq(&output("m.onnx?batch=4&seq=2"));
    expect![[r#"
        error[F004]: dimension `seq` has no size
          = note: `seq` is dimension 1 of `ids`
          = help: shapes are static, so specify the sizes: `partita plan 'm.onnx?batch=4&seq=8&x.1=3'`
        error[F004]: the model has no symbolic dimension `sec`
          --> MODEL:1:16 not a dimension of its inputs
          = help: there is a dimension `seq`
    "#]]
    .assert_eq(&output("m.onnx?batch=4&sec=2&x.1=3"));
    expect![[r#"
        error[F004]: dimension `batch` cannot be `0`
          --> MODEL:1:14 expected a whole number from 1 to 2147483648
        error[F004]: dimension `seq` is given twice
          --> MODEL:1:16 first here
          --> MODEL:1:22 and again here
    "#]]
    .assert_eq(&output("m.onnx?batch=0&seq=2&seq=3"));
    assert_eq!(output("m.onnx?batch=4&seq=2&x.1=3"), "");
}

#[test]
fn damaged_files() {
    let folder = TempFolder::new("damaged");
    let whole = model(13).input("x", FLOAT, &["2"]).node("Relu x -> y", vec![int("unused", 1)]);
    let bytes = whole.0.encode_to_vec();
    fs::write(folder.0.join("cut.onnx"), &bytes[..bytes.len() - 7]).unwrap();
    expect![[r#"
        error[F002]: `cut.onnx` is truncated, or not an ONNX file
          = note: failed to decode Protobuf message: ModelProto.graph: buffer underflow
    "#]]
    .assert_eq(&folder.import("cut.onnx").err().unwrap());
    fs::write(folder.0.join("empty.onnx"), []).unwrap();
    expect![[r#"
        error[F002]: `empty.onnx` contains no graph
    "#]]
    .assert_eq(&folder.import("empty.onnx").err().unwrap());
    expect![[r#"
        error[C001]: cannot read `none.onnx`: there is no such file or folder
    "#]]
    .assert_eq(&folder.import("none.onnx").err().unwrap());
    let short = model(13).weight("w", &[2, 2], &[1.0; 3]).node("Relu w -> y", vec![]);
    check(
        &short,
        expect![[r#"
        error[F002]: initializer `w` has 3 numbers, but its type needs 4
    "#]],
    );
    let mut wide = model(13).weight("w", &[2], &[1.0; 2]).node("Relu w -> y", vec![]);
    wide.graph().initializer[0].raw_data = Some(vec![0; 9].into());
    check(
        &wide,
        expect![[r#"
        error[F002]: initializer `w` has 9 bytes, but its type needs 8
    "#]],
    );
    let many = [0x3a, 0x80, 0x80, 0x80, 0x08].into_iter().chain([0x0a, 0x00].repeat(1 << 23)).collect::<Vec<u8>>();
    let error = partita_onnx::decode(many.into(), "many.onnx").unwrap_err().to_string();
    expect!["error[T004]: `many.onnx` has more than 8388608 nodes, names and numbers"].assert_eq(&error);
}

/// Writes a model whose weight `w` of two floats is stored in the external file `location`.
fn write_model_with_external_weight(folder: &TempFolder, name: &str, location: &str, more: &[(&str, &str)]) {
    let mut model = model(13).weight("w", &[2], &[]).input("x", FLOAT, &["2"]).node("Add x, w -> y", vec![]);
    let entry = |(key, value): (&str, &str)| StringStringEntryProto { key: key.into(), value: value.into() };
    let weight = &mut model.graph().initializer[0];
    weight.data_location = 1;
    weight.external_data = [("location", location)].into_iter().chain(more.iter().copied()).map(entry).collect();
    fs::write(folder.0.join("model").join(name), model.0.encode_to_vec()).unwrap();
}

#[test]
fn external_weights() {
    let folder = TempFolder::new("external");
    let data = folder.0.join("model");
    fs::create_dir_all(data.join("deep")).unwrap();
    fs::write(data.join("deep/w.bin"), [[0u8; 4], 1f32.to_le_bytes(), 2f32.to_le_bytes()].concat()).unwrap();
    fs::write(folder.0.join("secret.bin"), [0; 64]).unwrap();
    write_model_with_external_weight(&folder, "good.onnx", "deep/w.bin", &[("offset", "4"), ("length", "8")]);
    let good = folder.import("model/good.onnx").unwrap();
    assert_eq!(good.weights["w"], common::float_tensor([2], &[1.0, 2.0]));

    let check_external = |location: &str, more: &[(&str, &str)], expected: Expect| {
        write_model_with_external_weight(&folder, "bad.onnx", location, more);
        expected.assert_eq(&folder.import("model/bad.onnx").err().unwrap_or_default());
    };
    check_external(
        "none.bin",
        &[],
        expect![[r#"
        error[C001]: cannot read `model/none.bin`: there is no such file or folder
          = note: initializer `w` is stored in this file
    "#]],
    );
    check_external(
        "deep/w.bin",
        &[("offset", "8")],
        expect![[r#"
        error[F002]: `model/deep/w.bin` ends before initializer `w` does
          = note: it has 12 bytes, and 8 are needed from byte 8 on
    "#]],
    );
    check_external(
        "deep/w.bin",
        &[("offset", "18446744073709551615")],
        expect![[r#"
        error[F002]: `model/deep/w.bin` ends before initializer `w` does
          = note: it has 12 bytes, and 8 are needed from byte 18446744073709551615 on
    "#]],
    );
    check_external(
        "deep/w.bin",
        &[("length", "4")],
        expect![[r#"
        error[F002]: initializer `w` has 4 bytes, but its type needs 8
    "#]],
    );
    check_external(
        "deep/w.bin",
        &[("offset", "-4")],
        expect![[r#"
        error[F002]: initializer `w` has the offset `-4` in `deep/w.bin`, which is not a number
    "#]],
    );
    check_external(
        "deep",
        &[],
        expect![[r#"
            error[C001]: cannot read `model/deep`: it is a directory
              = note: initializer `w` is stored in this file
        "#]],
    );
    check_external(
        "../secret.bin",
        &[],
        expect![[r#"
            error[F003]: initializer `w` is stored in `../secret.bin`, outside of the model's folder
              = note: a location is a path below the model's folder, without `..`
              = help: move the file into the folder of the model, and save the model with the new location
        "#]],
    );
    check_external(
        "deep/../../secret.bin",
        &[],
        expect![[r#"
            error[F003]: initializer `w` is stored in `deep/../../secret.bin`, outside of the model's folder
              = note: a location is a path below the model's folder, without `..`
              = help: move the file into the folder of the model, and save the model with the new location
        "#]],
    );
    check_external(
        "/etc/passwd",
        &[],
        expect![[r#"
            error[F003]: initializer `w` is stored in `/etc/passwd`, outside of the model's folder
              = note: a location is a path below the model's folder, without `..`
              = help: move the file into the folder of the model, and save the model with the new location
        "#]],
    );
    check_external(
        "",
        &[],
        expect![[r#"
            error[F003]: initializer `w` is stored in ``, outside of the model's folder
              = note: a location is a path below the model's folder, without `..`
              = help: move the file into the folder of the model, and save the model with the new location
        "#]],
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.0.join("secret.bin"), data.join("link.bin")).unwrap();
        check_external(
            "link.bin",
            &[],
            expect![[r#"
                error[F003]: initializer `w` is stored in `link.bin`, outside of the model's folder
                  = note: it is a link that leads out of the folder
                  = help: move the file into the folder of the model, and save the model with the new location
            "#]],
        );
        std::os::unix::fs::symlink(data.join("deep/w.bin"), data.join("own.bin")).unwrap();
        check_external("own.bin", &[("offset", "4")], expect![""]);
    }
}

#[test]
fn cycles_are_errors() {
    let of = || model(13).input("x", FLOAT, &["2"]);
    check(
        &of().node("Relu y -> y", vec![]),
        expect![[r#"
            error[F002]: the nodes of the graph form a cycle
              = note: each reads a result of the next one: node `/net/Relu`, node `/net/Relu`
        "#]],
    );
    let mut unnamed = of().node("Relu x -> a", vec![]).node("Add a, d -> b", vec![]).node("Exp b -> c", vec![]);
    unnamed = unnamed.node("Neg c -> d", vec![]);
    unnamed.graph().node.iter_mut().for_each(|node| node.name.clear());
    check(
        &unnamed,
        expect![[r#"
            error[F002]: the nodes of the graph form a cycle
              = note: each reads a result of the next one: the node that computes `b`, the node that computes `d`, the node that computes `c`, the node that computes `b`
        "#]],
    );
    let mut long = of();
    for i in 0..12 {
        long = long.node(&format!("Relu v{i} -> v{}", (i + 1) % 12), vec![]);
    }
    let error = long.import_errors();
    assert!(error.contains("node `/net/Relu_5`, and 4 more\n"), "{error}");
}
