//! Errors for files that are inconsistent or violate the definitions of operations.

use crate::common::{self, BOOL, FLOAT, INT64, Model, float, int, list, model, string, tensor};
use expect_test::{Expect, expect};
use partita_onnx::proto::{
    AttributeProto, DimensionProto, NodeProto, OperatorSetIdProto, TensorShapeProto, TensorTypeProto, TypeProto,
    ValueInfoProto,
};

/// Returns valid models with attributes of every type, in the last and the first opset.
fn valid_models() -> Vec<Model> {
    let image = |opset| model(opset).input("x", FLOAT, &["1", "4", "6", "6"]);
    vec![
        image(21)
            .weight("w", &[2, 4, 3, 3], &[0.5; 72])
            .node("Conv x, w -> c", vec![string("auto_pad", "VALID"), list("strides", &[1, 1]), int("group", 1)])
            .node("LeakyRelu c -> r", vec![float("alpha", 0.1)])
            .node("Transpose r -> t", vec![list("perm", &[0, 2, 3, 1])])
            .node("Softmax t -> y", vec![int("axis", -1)]),
        image(11)
            .node("ReduceMean x -> m", vec![list("axes", &[2, 3]), int("keepdims", 0)])
            .node("ConstantOfShape s -> k", vec![tensor("value", common::floats("", &[1], &[2.0]))])
            .ints("s", &[2], &[1, 4])
            .node("Add m, k -> y", vec![]),
    ]
}

fn declared(name: &str, elem_type: i32, dims: &[i64]) -> ValueInfoProto {
    let dim = dims.iter().map(|&n| DimensionProto { dim_value: Some(n), dim_param: None }).collect();
    let tensor_type = Some(TensorTypeProto { elem_type, shape: Some(TensorShapeProto { dim }) });
    ValueInfoProto {
        name: name.into(),
        r#type: Some(TypeProto { tensor_type, ..Default::default() }),
        ..Default::default()
    }
}

#[test]
fn valid_models_are_imported() {
    for model in valid_models() {
        model.text();
    }
}

/// Each change of the attributes of each node is an error that names the attribute.
#[test]
fn undefined_attributes_are_errors() {
    type Change = fn(&mut Vec<AttributeProto>, usize);
    let changes: [Change; 5] = [
        // Unknown name.
        |all, _| all.push(int("axis_of_nothing", 1)),
        // Misspelt name.
        |all, at| all[at].name.push('s'),
        // Duplicate.
        |all, at| all.push(all[at].clone()),
        // Wrong type tag, wrong type of value.
        |all, at| all[at].r#type = if all[at].r#type == 1 { 2 } else { 1 },
        |all, at| {
            let name = all[at].name.clone();
            all[at] = if all[at].f.is_some() { int(&name, 1) } else { float(&name, 1.0) };
        },
    ];
    let mut rejected = 0;
    for which in 0..valid_models().len() {
        let nodes = valid_models()[which].graph().node.len();
        for (node, change) in (0..nodes).flat_map(|node| changes.iter().map(move |change| (node, change))) {
            let attributes = valid_models()[which].graph().node[node].attribute.len();
            for at in 0..attributes {
                let mut model = valid_models().remove(which);
                change(&mut model.graph().node[node].attribute, at);
                assert!(model.import_errors().contains("attribute `"), "{}", model.import_errors());
                rejected += 1;
            }
        }
    }
    assert!(rejected > 40, "{rejected}");
}

fn check(model: &Model, expected: Expect) {
    expected.assert_eq(&model.import_errors());
}

#[test]
fn attributes_of_other_opsets_are_errors() {
    let of = |opset| model(opset).input("x", FLOAT, &["2", "3"]);
    check(
        &of(13).node("ReduceSum x -> y", vec![list("axes", &[1])]),
        expect![[r#"
        error[F002]: ONNX operation `ReduceSum`: has the attribute `axes` up to opset 12
          = note: node `/net/ReduceSum`, domain `ai.onnx`, opset 13
    "#]],
    );
    check(
        &of(13).node("Softmax x -> y", vec![int("axs", 1)]),
        expect![[r#"
        error[F002]: ONNX operation `Softmax`: has no attribute `axs`; there is `axis`
          = note: node `/net/Softmax`, domain `ai.onnx`, opset 13
    "#]],
    );
    check(
        &of(10).node("TopK x -> y, i", vec![int("largest", 0)]),
        expect![[r#"
        error[F002]: ONNX operation `TopK`: has the attribute `largest` from opset 11 on
          = note: node `/net/TopK`, domain `ai.onnx`, opset 10
    "#]],
    );
    check(
        &of(18).node("Gelu x -> y", vec![string("approximate", "tanh")]),
        expect![[r#"
        error[F002]: ONNX operation `Gelu`: is defined from opset 20 on
          = note: node `/net/Gelu`, domain `ai.onnx`, opset 18
    "#]],
    );
    check(
        &of(13).node("Concat x, x -> y", vec![]),
        expect![[r#"
        error[F002]: ONNX operation `Concat`: lacks its attribute `axis`
          = note: node `/net/Concat`, domain `ai.onnx`, opset 13
    "#]],
    );
    check(
        &of(10).ints("p", &[4], &[0; 4]).node("Pad x, p -> y", vec![list("pads", &[0; 4])]),
        expect![[r#"
        error[F002]: ONNX operation `Pad`: has 2 inputs; opset 10 defines 1
          = note: node `/net/Pad`, domain `ai.onnx`, opset 10
    "#]],
    );
    // Nodes that no result depends on are checked, too.
    let mut unread = of(13).node("Relu x -> z", vec![int("alpha", 1)]);
    let relu =
        NodeProto { op_type: "Relu".into(), input: vec!["x".into()], output: vec!["y".into()], ..Default::default() };
    unread.graph().node.push(relu);
    unread.graph().output = vec![declared("y", FLOAT, &[2, 3])];
    check(
        &unread,
        expect![[r#"
        error[F002]: ONNX operation `Relu`: has no attribute `alpha`
          = note: node `/net/Relu`, domain `ai.onnx`, opset 13
    "#]],
    );
}

#[test]
fn duplicate_names_are_errors() {
    let of = || model(13).input("x", FLOAT, &["2", "3"]).weight("w", &[3], &[1.0; 3]).node("Add x, w -> y", vec![]);
    let mut twice = of();
    let again = twice.graph().input[0].clone();
    twice.graph().input.push(again);
    check(
        &twice,
        expect![[r#"
        error[F002]: the name `x` is used for an input and for another one
    "#]],
    );
    check(
        &of().weight("w", &[3], &[2.0; 3]),
        expect![[r#"
        error[F002]: the name `w` is used for an initializer and for another one
    "#]],
    );
    check(
        &of().weight("y", &[3], &[2.0; 3]),
        expect![[r#"
        error[F002]: the name `y` is used for an initializer and for a result of node `/net/Add`
    "#]],
    );
    check(
        &of().node("Relu y -> y", vec![]),
        expect![[r#"
        error[F002]: the name `y` is used for a result of node `/net/Add` and for a result of node `/net/Relu`
    "#]],
    );
    check(
        &of().node("Relu y -> x", vec![]),
        expect![[r#"
        error[F002]: the name `x` is used for an input and for a result of node `/net/Relu`
    "#]],
    );
    let mut nodes = of().node("Relu y -> z", vec![]);
    nodes.graph().node[1].name = "/net/Add".into();
    check(
        &nodes,
        expect![[r#"
        error[F002]: the name `/net/Add` is used for a node `Add` and for a node `Relu`
    "#]],
    );
    let mut results = of();
    let again = results.graph().output[0].clone();
    results.graph().output.push(again);
    check(
        &results,
        expect![[r#"
        error[F002]: the name `y` is used for a result of the graph and for another one
    "#]],
    );
    // An input may have an initializer.
    let mut default = of();
    default.graph().input.push(declared("w", FLOAT, &[3]));
    default.text();
}

#[test]
fn a_domain_has_one_opset() {
    let mut twice = model(13).input("x", FLOAT, &["2"]).node("Relu x -> y", vec![]);
    twice.0.opset_import.push(OperatorSetIdProto { domain: "ai.onnx".into(), version: 17 });
    check(
        &twice,
        expect![[r#"
        error[F002]: domain `ai.onnx` is imported as opset 13 and as opset 17
    "#]],
    );
    twice.0.opset_import[1].domain = "ai.onnx.ml".into();
    twice.text();
}

#[test]
fn declared_types_are_those_of_the_values() {
    let of = || {
        model(13)
            .input("x", FLOAT, &["2", "3"])
            .weight("w", &[3], &[1.0; 3])
            .node("Add x, w -> z", vec![])
            .node("Relu z -> y", vec![])
    };
    let with = |info: ValueInfoProto| {
        let mut model = of();
        model.graph().value_info.push(info);
        model
    };
    for name in ["z", "y"] {
        with(declared(name, FLOAT, &[2, 3])).text();
        for (elem_type, dims) in
            [(INT64, &[2, 3][..]), (BOOL, &[2, 3]), (FLOAT, &[3, 2]), (FLOAT, &[2]), (FLOAT, &[2, 3, 1])]
        {
            let shown = with(declared(name, elem_type, dims)).import_errors();
            assert!(shown.contains(&format!("the file declares `{name}` as")), "{shown}");
        }
    }
    for name in ["w", "x"] {
        assert!(with(declared(name, FLOAT, &[4])).import_errors().contains(&format!("the file declares `{name}` as")));
    }
    let mut result = of();
    result.graph().output = vec![declared("y", FLOAT, &[2, 4])];
    check(
        &result,
        expect![[r#"
        error[F002]: the file declares `y` as f32[2, 4], but it is f32[2, 3]
          = help: rewrite the file with `onnx.shape_inference.infer_shapes(model, strict_mode=True)`
    "#]],
    );
    // Symbolic dimensions match any size.
    let mut symbolic = declared("z", FLOAT, &[2, 3]);
    let tensor = symbolic.r#type.as_mut().unwrap().tensor_type.as_mut().unwrap();
    tensor.shape.as_mut().unwrap().dim[0] = DimensionProto { dim_value: None, dim_param: Some("batch".into()) };
    with(symbolic).text();
}
