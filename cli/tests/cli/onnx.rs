//! ONNX files as models: their weights are the initial parameters of a run.

use crate::support::{Folder, data, partita};
use crate::train::MODEL;
use expect_test::{Expect, expect};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use partita_onnx::proto::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};
use partita_runtime::io::write_tensors;
use prost::Message;

/// `y = x w^T + b` with a symbolic batch: `[batch, 2]` to `[batch, 3]`.
pub fn linear() -> Vec<u8> {
    let dim = |dim_value, dim_param: Option<&str>| DimensionProto { dim_value, dim_param: dim_param.map(Into::into) };
    let shape = Some(TensorShapeProto { dim: vec![dim(None, Some("batch")), dim(Some(2), None)] });
    let tensor_type = Some(TensorTypeProto { elem_type: 1, shape });
    let weight = |name: &str, dims: &[i64], items: &[f32]| TensorProto {
        name: name.into(),
        data_type: 1,
        dims: dims.into(),
        float_data: items.into(),
        ..TensorProto::default()
    };
    let gemm = NodeProto {
        name: "/fc/Gemm".into(),
        op_type: "Gemm".into(),
        input: ["x", "fc.weight", "fc.bias"].map(String::from).into(),
        output: vec!["y".into()],
        attribute: vec![AttributeProto { name: "transB".into(), i: Some(1), r#type: 2, ..AttributeProto::default() }],
        ..NodeProto::default()
    };
    let graph = GraphProto {
        node: vec![gemm],
        initializer: vec![
            weight("fc.weight", &[3, 2], &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
            weight("fc.bias", &[3], &[0.0, 0.0, 10.0]),
        ],
        input: vec![ValueInfoProto {
            name: "x".into(),
            r#type: Some(TypeProto { tensor_type, ..TypeProto::default() }),
            ..Default::default()
        }],
        output: vec![ValueInfoProto { name: "y".into(), ..Default::default() }],
        ..GraphProto::default()
    };
    let opset = OperatorSetIdProto { version: 17, ..OperatorSetIdProto::default() };
    ModelProto { ir_version: 8, opset_import: vec![opset], graph: Some(graph), ..ModelProto::default() }.encode_to_vec()
}

/// Writes named floats, each with its shape.
fn write(folder: &Folder, file: &str, tensors: &[(&str, &[usize], &[f64])]) {
    let tensor = |shape: &[usize], items: &[f64]| Tensor::from_floats(Type::new(DType::F32, shape), items.to_vec());
    let tensors: Vec<_> = tensors.iter().map(|(name, shape, items)| (*name, tensor(shape, items))).collect();
    let named = tensors.iter().map(|(name, tensor)| ((*name).to_owned(), tensor));
    write_tensors(&folder.path.join(file), named).expect("the file is written");
}

/// Returns the floats with a name in a file.
fn floats(folder: &Folder, file: &str, name: &str) -> Vec<f32> {
    let (_, _, bytes) = folder.tensors(file).remove(name).expect("the tensor exists");
    bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
}

#[test]
fn run_starts_from_the_weights_of_the_file() {
    let folder = Folder::new("onnx-weights");
    folder.write("m.onnx", linear());
    write(&folder, "x.safetensors", &[("x", &[2, 2], &[1.0, 2.0, 3.0, 4.0])]);
    let run = |input: &str| {
        let args = ["run", "m.onnx?batch=2", "--mesh", "data=2", "--shard", "x=data, _", "--check"];
        let ended = partita(&folder, args.into_iter().chain(["--input", input, "--output", "y.safetensors"]));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        floats(&folder, "y.safetensors", "y")
    };
    assert_eq!(run("x.safetensors"), [1.0, 2.0, 13.0, 3.0, 4.0, 17.0]);
    // A parameter in the input file overrides the model's weight.
    write(&folder, "b.safetensors", &[("x", &[2, 2], &[0.0; 4]), ("fc.bias", &[3], &[7.0, 8.0, 9.0])]);
    assert_eq!(run("b.safetensors"), [7.0, 8.0, 9.0, 7.0, 8.0, 9.0]);
}

#[test]
fn loss_is_added_to_a_model_without_one() {
    let folder = Folder::new("onnx-training");
    folder.write("m.onnx", linear());
    // With zeros for x, the result is the bias.
    write(&folder, "x.safetensors", &[("x", &[2, 2], &[0.0; 4]), ("targets", &[2, 3], &[0.0; 6])]);
    let args = ["run", "m.onnx?batch=2&loss=mse", "--mesh", "data=2", "--preset", "data", "--train", "sgd?lr=0.1"];
    let more = ["--freeze", "fc.weight", "--check", "--input", "x.safetensors", "--output", "y.safetensors"];
    let ended = partita(&folder, ["plan", "m.onnx?batch=2", "--mesh", "data=2", "--train", "sgd"]);
    assert!(ended.err.contains("add a loss: `'m.onnx?batch=2&loss=cross_entropy'`, or `loss=mse`"), "{}", ended.err);
    let ended = partita(&folder, args.into_iter().chain(more));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    // The loss is the mean of six squares, two of them of 10; the gradient of that bias is 2 x 10 x 2 / 6.
    assert_eq!(floats(&folder, "y.safetensors", "loss"), [200.0 / 6.0]);
    assert_eq!(floats(&folder, "y.safetensors", "fc.bias"), [0.0, 0.0, 10.0 - 0.1 * 40.0 / 6.0]);
    assert_eq!(floats(&folder, "y.safetensors", "fc.weight"), [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
}

/// Inputs and results have the names of the file. An input that determines a shape is fixed to its value, and a note
/// names it.
#[test]
fn inputs_have_their_names_and_determine_shapes() {
    let info = |name: &str, elem_type, dims: &[i64]| {
        let dim = dims.iter().map(|&n| DimensionProto { dim_value: Some(n), dim_param: None }).collect();
        let tensor_type = Some(TensorTypeProto { elem_type, shape: Some(TensorShapeProto { dim }) });
        ValueInfoProto {
            name: name.into(),
            r#type: Some(TypeProto { tensor_type, ..TypeProto::default() }),
            ..Default::default()
        }
    };
    let reshape = NodeProto {
        op_type: "Reshape".into(),
        input: vec!["0".into(), "shape:0".into()],
        output: vec!["y/1".into()],
        ..NodeProto::default()
    };
    let graph = GraphProto {
        node: vec![reshape],
        input: vec![info("0", 1, &[2, 3]), info("shape:0", 7, &[2])],
        output: vec![ValueInfoProto { name: "y/1".into(), ..Default::default() }],
        ..GraphProto::default()
    };
    let opset = OperatorSetIdProto { version: 25, ..OperatorSetIdProto::default() };
    let model = ModelProto { ir_version: 8, opset_import: vec![opset], graph: Some(graph), ..ModelProto::default() };
    let folder = Folder::new("onnx-names");
    folder.write("m.onnx", model.encode_to_vec());
    let x = Tensor::from_floats(Type::new(DType::F32, [2, 3]), (0..6).map(f64::from).collect());
    let shape = Tensor::from_ints(Type::new(DType::I64, [2]), vec![3, -1]);
    let tensors = [("0".to_owned(), &x), ("shape:0".to_owned(), &shape)];
    write_tensors(&folder.path.join("x.safetensors"), tensors).expect("the file is written");
    let args = ["run", "m.onnx", "--mesh", "data=2", "--shard", "0=data, _", "--check", "--input", "x.safetensors"];
    let ended = partita(&folder, args.into_iter().chain(["--output", "y.safetensors"]));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    expect![[r#"
        note: input `shape:0` is fixed: `Reshape` needs constant shape
    "#]]
    .assert_eq(&ended.err);
    assert_eq!(floats(&folder, "y.safetensors", "y/1"), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let ended = partita(&folder, ["run", "m.onnx", "--mesh", "data=1", "--input", "missing.safetensors"]);
    assert!(ended.err.starts_with("error[C001]: cannot read `missing.safetensors`"), "{}", ended.transcript());
    let ended = partita(&folder, ["plan", "m.onnx", "--mesh", "data=2"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[F003]: ONNX operation `Reshape` computes its shape at run time, but shapes are static
          |
          = note: the node that computes `y/1`, domain `ai.onnx`, opset 25
          = help: if inputs of the model determine it, supply their values: `partita run MODEL --input FILE`
    "#]]
    .assert_eq(&ended.err);
}

/// Operations that are lowered to several ops have the recorded results on several devices, too.
#[test]
fn operations_are_sharded() {
    let folder = Folder::new("onnx-sharded");
    let ops = data().join("onnx/ops");
    for (name, shard) in [
        ("attention_23", "in0=_, d, _, _"),
        ("cross_entropy_13", "in0=_, d"),
        ("einsum_three_12", "in1=d, _"),
        ("gather_nd_12", "in0=d, _, _"),
        ("grid_sample_20", "in0=_, d, _, _"),
        ("gru_14", "in0=_, d, _"),
        ("layer_norm_17", "in0=_, d, _"),
        ("lstm_both_14", "in0=_, d, _"),
        ("max_pool_8", "in0=_, d, _, _"),
        ("ms_group_query", "in0=d, _, _"),
        ("qlinear_conv_10", "in3=d, _, _, _"),
        ("resize_13", "in0=_, d, _, _"),
        ("roi_align_16", "in0=_, d, _, _"),
        ("rotary_23", "in0=_, d, _, _"),
        ("topk_11", "in0=_, d"),
    ] {
        let file = |ending: &str| ops.join(format!("{name}.{ending}")).display().to_string();
        let recorded = file("io.safetensors");
        let args = ["run", &file("onnx"), "--mesh", "d=2", "--shard", shard, "--input", &recorded];
        let ended = partita(&folder, args.into_iter().chain(["--output", "y.safetensors"]));
        assert_eq!(ended.code, Some(0), "{name}: {}", ended.transcript());
        folder.write("recorded.safetensors", std::fs::read(&recorded).expect("the file exists"));
        let mut recorded = folder.tensors("recorded.safetensors");
        for (output, (dtype, shape, bytes)) in folder.tensors("y.safetensors") {
            let (want_dtype, want_shape, want) = recorded.remove(&output).expect("it is recorded");
            assert_eq!((dtype, &shape), (want_dtype, &want_shape), "{name}: {output}");
            if dtype != safetensors::Dtype::F32 {
                assert_eq!(bytes, want, "{name}: {output}");
                continue;
            }
            let numbers =
                |bytes: &[u8]| -> Vec<f32> { bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect() };
            for (got, want) in numbers(&bytes).into_iter().zip(numbers(&want)) {
                assert!((got - want).abs() < 1e-4 * want.abs().max(1.0), "{name}: {output}: {got} is not {want}");
            }
        }
    }
}

#[test]
fn onnx_model_predicts_with_its_weights() {
    let folder = Folder::new("onnx-predict");
    folder.write("m.onnx", linear());
    write(&folder, "x.safetensors", &[("x", &[3, 2], &[1.0, 2.0, 3.0, 4.0, 0.0, 0.0])]);
    let predict = ["predict", "m.onnx?batch=2", "--input", "x.safetensors", "--output", "y.safetensors"];
    for (plan, devices) in
        [(&[][..], "1 device"), (&["--mesh", "model=3", "--shard", "fc.weight=model, _"], "3 devices")]
    {
        let ended = partita(&folder, predict.iter().chain(plan));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        assert!(ended.out.starts_with(&format!("m.onnx?batch=2: 3 examples on {devices} in ")), "{}", ended.out);
        let expected = [1.0, 2.0, 13.0, 3.0, 4.0, 17.0, 0.0, 0.0, 10.0];
        assert_eq!(floats(&folder, "y.safetensors", "y"), expected, "{plan:?}");
    }
}

/// Exported models predict the outputs that PyTorch recorded.
#[test]
fn exported_models_predict_what_was_recorded() {
    let data = data();
    let folder = Folder::new("onnx-recorded");
    for name in ["mlp", "mnist_cnn", "encoder2l"] {
        let file = |ending: &str| data.join("onnx").join(format!("{name}.{ending}")).display().to_string();
        let recorded = file("io.safetensors");
        let words = ["predict", &file("onnx"), "--input", &recorded, "--output", "y.safetensors"];
        let ended = partita(&folder, words);
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        folder.write("recorded.safetensors", std::fs::read(&recorded).expect("the file exists"));
        let (got, want) =
            (floats(&folder, "y.safetensors", "output"), floats(&folder, "recorded.safetensors", "output"));
        assert_eq!(got.len(), want.len(), "{name}");
        let largest = want.iter().fold(1.0f32, |most, x| most.max(x.abs()));
        for (got, want) in got.into_iter().zip(want) {
            assert!((got - want).abs() / largest < 1e-5, "{name}: {got} is not {want}");
        }
    }
}

#[test]
fn model_without_weights_needs_a_checkpoint() {
    let folder = Folder::new("onnx-no-weights");
    folder.write("model.pir", MODEL);
    let check = |words: &[&str], expected: Expect| {
        let ended = partita(&folder, ["predict"].iter().chain(words).chain(&["--input", "x.safetensors"]));
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        expected.assert_eq(&ended.err);
    };
    check(
        &["model.pir"],
        expect![[r#"
            error[I001]: `model.pir` has no weights to predict with
              |
              = note: the parameter `layers.0.weight` and 2 more have no data; an `.onnx` or `.pt2` file contains it
              = help: name a checkpoint: `--checkpoint DIR`, as `partita train model.pir --data FILE --save DIR` writes them
        "#]],
    );
    check(
        &[],
        expect![[r#"
        error[F004]: neither a model nor a checkpoint is given
          |
          = help: name an `.onnx` or `.pt2` file, or what `partita train` saved: `--checkpoint PATH`
    "#]],
    );
}

#[test]
fn symbolic_dimensions_are_required_and_values_explained() {
    let folder = Folder::new("onnx-explain");
    folder.write("m.onnx", linear());
    let ended = partita(&folder, ["plan", "m.onnx", "--mesh", "data=2"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[F004]: dimension `batch` has no size
          |
          = note: `batch` is dimension 0 of `x`
          = help: shapes are static, so specify the sizes: `partita plan 'm.onnx?batch=8'`
    "#]]
    .assert_eq(&ended.err);
    let ended = partita(
        &folder,
        ["explain", "fc.bias", "m.onnx?batch=4", "--mesh", "model=3", "--shard", "fc.weight=model, _"],
    );
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    expect![[r#"
        `fc.bias` is f32[3@model]

        fc.bias dim 0 is split by `model`:
          fc.weight dim 0                  you wrote `model, _` (--shard:1:11)
          %matmul dim 1                    from fc.weight dim 0 through `dot_general %matmul`
          %broadcast dim 1                 from %matmul dim 1 through `add %add`
          fc.bias dim 0                    from %broadcast dim 1 through `broadcast %broadcast`

        each device stores f32[1], 4 B
    "#]]
    .assert_eq(&ended.out);
}

/// Stages that store weights of 8 bits, or only read their scales, quantise them along the same channels.
#[test]
fn weights_of_8_bits_in_stages() {
    let (folder, model) = (Folder::new("onnx-stages"), data().join("onnx/encoder2l.onnx"));
    let model = model.to_str().expect("a UTF-8 path");
    let args = ["run", model, "--mesh", "data=1", "--precision", "int8", "--pipeline", "4", "--check"];
    let ended = partita(&folder, args);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert!(ended.out.contains("4 devices agree with one on every output"), "{}", ended.transcript());
}
