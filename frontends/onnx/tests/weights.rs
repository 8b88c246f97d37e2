//! Classification of initializers as parameters, and sizes of symbolic dimensions.

use crate::common::{FLOAT, INT64, float_tensor, int, int_tensor, model, run};
use expect_test::expect;
use partita_ir::op::OpKind;
use partita_ir::tensor::Tensor;
use partita_onnx::proto::{StringStringEntryProto, ValueInfoProto};

#[test]
fn weights_have_their_names_and_shapes_are_folded() {
    let mlp = model(17)
        .input("x", FLOAT, &["batch", "2"])
        .weight("layers.0.weight", &[2, 2], &[1.0, 2.0, 3.0, 4.0])
        .weight("onnx::MatMul_7", &[2, 1], &[1.0, -1.0])
        .weight("bias", &[1], &[0.5])
        .weight("scale", &[], &[2.0])
        .weight("unused.weight", &[2], &[0.0, 0.0])
        .ints("shape", &[2], &[-1, 2])
        .node("MatMul x, layers.0.weight -> h", vec![])
        .node("Mul h, scale -> h2", vec![])
        .node("Reshape h2, shape -> h3", vec![])
        .node("Gemm h3, onnx::MatMul_7, bias -> y", vec![]);
    let imported = mlp.import("m.onnx?batch=3").unwrap();
    expect![[r#"
        form traced forward
        param %layers.0.weight "layers.0.weight" : f32[2, 2]
        param %onnx__MatMul_7 "onnx::MatMul_7" : f32[2, 1]
        param %bias "bias" : f32[1]
        input %x : f32[3, 2]
          %matmul = matmul %x, %layers.0.weight : f32[3, 2]
          %c = constant 2.0 : f32[3, 2]
          %mul = mul %matmul, %c : f32[3, 2]
          %matmul.1 = matmul %mul, %onnx__MatMul_7 : f32[3, 1]
          %broadcast = broadcast [1] %bias : f32[3, 1]
          %add = add %matmul.1, %broadcast : f32[3, 1]
        output %add "y"
    "#]]
    .assert_eq(&partita_ir::text::print(&imported.program));
    let out = run(&imported, &[float_tensor([3, 2], &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0])]);
    assert_eq!(out, [float_tensor([3, 1], &[-1.5, -1.5, -3.5])]);
}

/// Returns an entry of metadata.
fn metadata(key: &str, value: &str) -> StringStringEntryProto {
    StringStringEntryProto { key: key.into(), value: value.into() }
}

#[test]
fn linear_weights_of_torch_have_their_names_and_orientation() {
    // `torch.onnx.export(model, dynamo=True)` of an embedding with the tied weight `head(emb(x)) * table`.
    let mut tied = model(20)
        .input("x", INT64, &["2"])
        .weight("emb.weight", &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        .weight("val_1", &[2, 3], &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0])
        .weight("val_2", &[3], &[1.0, 1.0, 2.0])
        .weight("scale", &[3], &[1.0, 1.0, 1.0])
        .node("Gather emb.weight, x -> embedding", vec![])
        .node("MatMul embedding, val_1 -> linear", vec![])
        .node("Mul linear, val_2 -> mul", vec![])
        .node("Mul mul, scale -> mul_1", vec![]);
    let graph = tied.graph();
    let signature = "\n# inputs\np_emb_weight: PARAMETER target='emb.weight'\nb_scale: BUFFER target='scale' \
                     persistent=True\nx: USER_INPUT\n";
    graph.metadata_props = vec![metadata("pkg.torch.export.ExportedProgram.graph_signature", signature)];
    let folded = |name: &str, from: &str| ValueInfoProto {
        name: name.into(),
        metadata_props: vec![metadata("pkg.onnxscript.optimizer.folded_from", from)],
        ..Default::default()
    };
    graph.value_info = vec![folded("val_1", "['emb.weight']"), folded("val_2", "['emb.weight', 'val_0']")];
    graph.node[1].metadata_props = vec![
        metadata("pkg.torch.onnx.name_scopes", "['', 'decoder', 'decoder.head', 'linear']"),
        metadata(
            "pkg.torch.onnx.fx_node",
            "%linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%embedding, %w))",
        ),
    ];
    let imported = tied.import("m.onnx").unwrap();
    expect![[r#"
        form traced forward
        param %emb.weight "emb.weight" : f32[3, 2]
        param %val_2 "val_2" const : f32[3]
        param %scale "scale" const : f32[3]
        input %x : i64[2]
          %transpose = transpose [1, 0] %emb.weight : f32[2, 3]
          %c = constant 0 : i64[2]
          %lt = compare lt %x, %c : bool[2]
          %c.1 = constant 3 : i64[2]
          %add = add %x, %c.1 : i64[2]
          %select = select %lt, %add, %x : i64[2]
          %take = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 2] %emb.weight, %select : f32[2, 2]
          %matmul = matmul %take, %transpose : f32[2, 3]
          %broadcast = broadcast [1] %val_2 : f32[2, 3]
          %mul = mul %matmul, %broadcast : f32[2, 3]
          %broadcast.1 = broadcast [1] %scale : f32[2, 3]
          %mul.1 = mul %mul, %broadcast.1 : f32[2, 3]
        output %mul.1 "mul_1"
    "#]]
    .assert_eq(&partita_ir::text::print(&imported.program));
    assert_eq!(imported.weights["emb.weight"], float_tensor([3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let head = imported.program.ops.values().find(|op| matches!(op.kind, OpKind::DotGeneral(_))).unwrap();
    assert_eq!(&*head.origin.scope, "decoder.head");
    let out = run(&imported, &[int_tensor([2], &[0, 2])]);
    assert_eq!(out, [float_tensor([2, 3], &[5.0, 11.0, 34.0, 17.0, 39.0, 122.0])]);
}

#[test]
fn masks_are_constants_and_statistics_are_state() {
    let masked = model(17)
        .input("x", FLOAT, &["2"])
        .weight("mask", &[2], &[0.0, f32::NEG_INFINITY])
        .node("Add x, mask -> y", vec![]);
    assert!(masked.text().contains(r#"param %mask "mask" const : f32[2]"#), "{}", masked.text());
    let norm = ["s", "b", "m", "v"]
        .iter()
        .fold(model(15).input("x", FLOAT, &["1", "2"]), |norm, name| norm.weight(name, &[2], &[1.0, 2.0]));
    let text = norm.node("BatchNormalization x, s, b, m, v -> y", vec![]).text();
    for line in [r#"param %b "b" : f32[2]"#, r#"param %m "m" state : f32[2]"#, r#"param %v "v" state : f32[2]"#] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn a_loss_replaces_the_results() {
    let scores = model(17).input("x", FLOAT, &["2", "2"]).node("LogSoftmax x -> y", vec![int("axis", 1)]);
    let imported = scores.import("m.onnx?loss=cross_entropy").unwrap();
    let out = run(&imported, &[float_tensor([2, 2], &[0.0, 0.0, 0.0, 0.0]), int_tensor([2], &[0, 1])]);
    assert!((out[0].get(0).to_f64() - 2f64.ln()).abs() < 1e-6);
    let imported = scores.import("m.onnx?loss=mse").unwrap();
    let log = 0.5f64.ln();
    let out = run(&imported, &[float_tensor([2, 2], &[0.0; 4]), float_tensor([2, 2], &[log + 1.0; 4])]);
    assert!((out[0].get(0).to_f64() - 1.0).abs() < 1e-6);
}

#[test]
fn the_negative_log_likelihood_of_a_log_softmax_is_the_cross_entropy() {
    let of = |scores: &str| {
        let graph = model(13).input("x", FLOAT, &["1", "2"]).input("l", INT64, &["1"]);
        let graph = graph.node("LogSoftmax x -> p", vec![]);
        graph.node(&format!("NegativeLogLikelihoodLoss {scores}, l -> y"), vec![])
    };
    assert!(of("p").text().contains("cross_entropy %x, %l"), "{}", of("p").text());
    let raw = of("x").run(&[float_tensor([1, 2], &[3.0, 5.0]), int_tensor([1], &[1])]);
    assert_eq!(raw, [(vec![], vec![-5.0])]);
}

/// Inputs have the names of the file, which program text quotes if necessary.
#[test]
fn inputs_have_their_exact_names() {
    let named = model(17)
        .input("0", FLOAT, &["2"])
        .input("input/x:0", FLOAT, &["2"])
        .input("a \"b\"", FLOAT, &["2"])
        .weight("input_x_0", &[2], &[1.0, 2.0])
        .node("Sum 0, input/x:0, a \"b\", input_x_0 -> y", vec![]);
    let imported = named.import("m.onnx").unwrap();
    let text = partita_ir::text::print(&imported.program);
    expect![[r#"
        form traced forward
        param %input_x_0 "input_x_0" : f32[2]
        input %0 : f32[2]
        input %"input/x:0" : f32[2]
        input %"a _b_" : f32[2]
          %add = add %0, %"input/x:0" : f32[2]
          %add.1 = add %add, %"a _b_" : f32[2]
          %add.2 = add %add.1, %input_x_0 : f32[2]
        output %add.2 "y"
    "#]]
    .assert_eq(&text);
    let parsed = partita_ir::text::parse(&partita_ir::diag::Source::new("m.pir", text.as_str())).unwrap();
    assert_eq!(partita_ir::text::print(&parsed), text);
}

/// Inputs that a constant operand depends on are fixed to the values that the user supplies.
#[test]
fn inputs_that_determine_shapes_are_fixed() {
    let reshaped = model(17)
        .input("x", FLOAT, &["2", "3"])
        .input("rows", INT64, &["1"])
        .ints("first", &[], &[0])
        .node("Shape x -> sizes", vec![])
        .node("Gather sizes, first -> size", vec![])
        .ints("axes", &[1], &[0])
        .node("Unsqueeze size, axes -> columns", vec![])
        .node("Concat rows, columns -> shape", vec![int("axis", 0)])
        .node("Reshape x, shape -> y", vec![]);
    let import = |rows: Option<Tensor>| {
        let value = |name: &str| if name == "rows" { rows.clone() } else { panic!("`{name}` is not needed") };
        partita_onnx::import_model(&reshaped.0, "m.onnx", &value)
    };
    let imported = import(Some(int_tensor([1], &[3]))).unwrap();
    expect![[r#"
        form traced
        param none
        input %x : f32[2, 3]
          %reshape = reshape %x : f32[3, 2]
        output %reshape "y"
    "#]]
    .assert_eq(&partita_ir::text::print(&imported.program));
    let fixed: Vec<_> = imported.fixed.iter().map(|(name, input)| (name.as_str(), &*input.op, input.operand)).collect();
    assert_eq!(fixed, [("rows", "Reshape", "shape")]);
    let errors = |rows| import(rows).err().unwrap().iter().map(|error| format!("{error}\n")).collect::<String>();
    expect![[r#"
        error[F003]: ONNX operation `Reshape` computes its shape at run time, but shapes are static
          = note: node `/net/Reshape`, domain `ai.onnx`, opset 17
          = help: if inputs of the model determine it, supply their values: `partita run MODEL --input FILE`
    "#]]
    .assert_eq(&errors(None));
    expect![[r#"
        error[R002]: input `rows` is i64[1], but its value is i64[2]
          = note: its value is fixed, because `Reshape` needs constant shape
    "#]]
    .assert_eq(&errors(Some(int_tensor([2], &[3, 2]))));
}

/// A dimension of size 0 is a size.
#[test]
fn dimensions_may_be_empty() {
    let empty = model(17).input("x", FLOAT, &["0", "2"]).node("Relu x -> y", vec![]);
    assert_eq!(empty.run(&[float_tensor([0, 2], &[])]), [(vec![0, 2], vec![])]);
}

/// Results of the types of initializers are neither gradients nor new values of them, unless a node updates them.
#[test]
fn results_of_a_forward_model_replace_no_initializers() {
    let masked = model(17).input("x", FLOAT, &["2", "2"]).weight("mask", &[2, 2], &[1.0, 0.0, 1.0, 0.5]);
    let masked = masked.node("Mul x, mask -> y", vec![]).node("Add y, mask -> z", vec![]).results(&["y", "z"]);
    let imported = masked.import("m.onnx").unwrap();
    assert!(imported.program.is_forward);
    let text = partita_ir::text::print(&imported.program);
    assert!(text.starts_with("form traced forward\nparam %mask"), "{text}");

    let mut trained = model(17).input("x", FLOAT, &["4", "2"]);
    for name in ["scale", "shift", "mean", "variance"] {
        trained = trained.weight(name, &[2], &[1.0, 2.0]);
    }
    let trained =
        trained.node("BatchNormalization x, scale, shift, mean, variance -> y, m, v", vec![int("training_mode", 1)]);
    assert!(!trained.import("m.onnx").unwrap().program.is_forward);
}
