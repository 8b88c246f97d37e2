//! Branches, loops, sequences and functions: the structure of the imported programs, and messages.

use crate::common::{BOOL, FLOAT, INT64, Model, float_tensor, graph, int, int_tensor, model};
use expect_test::{Expect, expect};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use partita_onnx::import_model;
use partita_onnx::proto::{FunctionProto, OperatorSetIdProto, TypeProto};

fn check(model: &Model, expected: Expect) {
    expected.assert_eq(&model.import_errors());
}

fn truth(value: bool) -> Tensor {
    Tensor::from_ints(Type::new(DType::Bool, []), vec![value.into()])
}

/// The body of a loop that adds `x` to its carried value, and ends if `done` says so.
fn adds(done: &str) -> Model {
    let body = model(16).input("i", INT64, &[]).input("go", BOOL, &[]).input("s", FLOAT, &["2"]);
    body.node("Add s, x -> t", vec![]).node(done, vec![])
}

/// A loop of `adds` with the number of iterations `n`, which also collects its carried values.
fn collecting(n: Model) -> Model {
    let body = adds("Identity go -> next").node("Neg t -> o", vec![]).results(&["next", "t", "o"]);
    n.input("x", FLOAT, &["2"]).node("Loop n, , x -> y, all", vec![graph("body", body)])
}

#[test]
fn a_known_number_of_iterations_is_a_counted_loop() {
    let looped = collecting(model(16).ints("n", &[], &[3]));
    expect![[r#"
        form traced
        param none
        func @loop_1(%carried: i64[], %carried.1: f32[2], %carried.2: f32[2], %carried.3: f32[3, 2]) {
          %add = add %carried.1, %carried.2 : f32[2]
          %neg = neg %add : f32[2]
          %c = constant 1 : i64[]
          %add.1 = add %carried, %c : i64[]
          %reshape = reshape %neg : f32[1, 2]
          %c.1 = constant 0 : i64[]
          %updated = dynamic_update_slice %carried.3, %reshape, %carried, %c.1 : f32[3, 2]
          return %add.1 "o0", %add "o1", %carried.2 "o2", %updated "o3"
        }
        input %x : f32[2]
          %c = constant 0 : i64[]
          %c.2 = constant 0 : f32[3, 2]
          %loop, %loop.1, %loop.2, %loop.3 = loop 3 of @loop_1 %c, %x, %x, %c.2 : i64[], f32[2], f32[2], f32[3, 2]
        output %loop.1 "y"
        output %loop.3 "all"
    "#]]
    .assert_eq(&looped.text());
    let results = looped.run(&[float_tensor([2], &[1.0, 2.0])]);
    assert_eq!(results[0], (vec![2], vec![4.0, 8.0]));
    assert_eq!(results[1], (vec![3, 2], vec![-2.0, -4.0, -3.0, -6.0, -4.0, -8.0]));
}

#[test]
fn a_loop_without_iterations_returns_its_operands() {
    let results = collecting(model(16).ints("n", &[], &[0])).run(&[float_tensor([2], &[1.0, 2.0])]);
    assert_eq!(results, [(vec![2], vec![1.0, 2.0]), (vec![0, 2], vec![])]);
}

#[test]
fn a_condition_at_run_time_is_a_while_loop() {
    let done = adds("Not stop -> next").results(&["next", "t"]);
    let looped = model(16).input("x", FLOAT, &["2"]).input("stop", BOOL, &[]).ints("n", &[], &[3]);
    let looped = looped.node("Loop n, , x -> y", vec![graph("body", done)]);
    expect![[r#"
        form traced
        param none
        func @loop_1(%carried.4: bool[], %carried: i64[], %carried.1: f32[2], %carried.2: f32[2], %carried.3: bool[]) {
          %add = add %carried.1, %carried.2 : f32[2]
          %not = not %carried.3 : bool[]
          %c = constant 1 : i64[]
          %add.1 = add %carried, %c : i64[]
          %c.1 = constant 3 : i64[]
          %lt = compare lt %add.1, %c.1 : bool[]
          %and = and %not, %lt : bool[]
          return %and "o0", %add.1 "o1", %add "o2", %carried.2 "o3", %carried.3 "o4"
        }
        input %x : f32[2]
        input %stop : bool[]
          %c = constant 0 : i64[]
          %c.1 = constant 1 : bool[]
          %loop, %loop.1, %loop.2, %loop.3, %loop.4 = loop 3 of @loop_1 while 3 %c.1, %c, %x, %x, %stop : bool[], i64[], f32[2], f32[2], bool[]
        output %loop.2 "y"
    "#]].assert_eq(&looped.text());
    let data = float_tensor([2], &[1.0, 2.0]);
    assert_eq!(looped.run(&[data.clone(), truth(false)]), [(vec![2], vec![4.0, 8.0])]);
    assert_eq!(looped.run(&[data, truth(true)]), [(vec![2], vec![2.0, 4.0])]);
}

#[test]
fn a_number_of_iterations_at_run_time_is_a_while_loop() {
    let body = adds("Identity go -> next").results(&["next", "t"]);
    let looped = model(16).input("n", INT64, &[]).input("x", FLOAT, &["2"]);
    let looped = looped.node("Loop n, , x -> y", vec![graph("body", body)]);
    for (n, want) in [(-1, [1.0, 2.0]), (0, [1.0, 2.0]), (1, [2.0, 4.0]), (4, [5.0, 10.0])] {
        let results = looped.run(&[int_tensor([], &[n]), float_tensor([2], &[1.0, 2.0])]);
        assert_eq!(results, [(vec![2], want.to_vec())], "{n}");
    }
}

#[test]
fn a_loop_of_constants_is_evaluated() {
    // Computes 2^5 as a shape.
    let body = model(16).input("i", INT64, &[]).input("go", BOOL, &[]).input("s", INT64, &["1"]);
    let body = body.node("Add s, s -> t", vec![]).node("Less t, limit -> l", vec![]).ints("none", &[0], &[]);
    let body = body.node("Reshape l, none -> next", vec![]).results(&["next", "t"]);
    let fill = model(16).ints("one", &[1], &[1]).ints("limit", &[1], &[20]);
    let fill = fill.node("Loop , , one -> n", vec![graph("body", body)]).node("ConstantOfShape n -> y", vec![]);
    assert_eq!(fill.run(&[])[0].0, [32]);
}

#[test]
fn large_nested_loops_of_constants_are_loops_of_the_program() {
    let mut nested = model(16).input("i", INT64, &[]).input("go", BOOL, &[]).input("s", INT64, &[]);
    nested = nested.node("Add s, one -> t", vec![]).node("Identity go -> next", vec![]).results(&["next", "t"]);
    for _ in 0..2 {
        let around = model(16).input("i", INT64, &[]).input("go", BOOL, &[]).input("s", INT64, &[]);
        let around = around.node("Loop n, , s -> t", vec![graph("body", nested)]);
        nested = around.node("Identity go -> next", vec![]).results(&["next", "t"]);
    }
    let looped = model(16).ints("n", &[], &[50]).ints("one", &[], &[1]).ints("zero", &[], &[0]);
    let looped = looped.node("Loop n, , zero -> y", vec![graph("body", nested)]);
    assert!(looped.text().contains("loop 50 of"), "{}", looped.text());
    assert_eq!(looped.run(&[]), [(vec![], vec![125_000.0])]);
}

#[test]
fn names_of_nested_graphs_hide_outer_names() {
    let branch = |op: &str| model(16).node(&format!("{op} x -> h"), vec![]).node("Exp h -> o", vec![]);
    let both = model(16).input("c", BOOL, &[]).input("x", FLOAT, &["1"]).node("Neg x -> h", vec![]);
    let branches = vec![graph("then_branch", branch("Abs")), graph("else_branch", branch("Sqrt"))];
    let both = both.node("If c -> b", branches).node("Sub b, h -> y", vec![]);
    for (c, want) in [(true, 4f64.exp()), (false, 2f64.exp())] {
        let results = both.run(&[truth(c), float_tensor([1], &[4.0])]);
        assert!((results[0].1[0] - want - 4.0).abs() < 1e-4, "{results:?}");
    }
}

#[test]
fn weights_of_branches_are_parameters() {
    let branch = |items: &[f32]| model(16).weight("w", &[2, 2], items).node("MatMul x, w -> o", vec![]);
    let (yes, no) = (branch(&[1.0, 0.0, 0.0, 1.0]), branch(&[0.0, 1.0, 1.0, 0.0]));
    let both = model(16).input("c", BOOL, &[]).input("x", FLOAT, &["1", "2"]);
    let both = both.node("If c -> y", vec![graph("then_branch", yes), graph("else_branch", no)]);
    let imported = both.import("m.onnx").unwrap_or_else(|e| panic!("{e}"));
    let paths: Vec<String> = imported.weights.keys().map(|path| path.to_string()).collect();
    assert_eq!(paths, ["w", "w.1"]);
    let data = float_tensor([1, 2], &[3.0, 5.0]);
    assert_eq!(both.run(&[truth(true), data.clone()])[0].1, [3.0, 5.0]);
    assert_eq!(both.run(&[truth(false), data])[0].1, [5.0, 3.0]);
}

#[test]
fn weights_of_a_loop_body_are_parameters() {
    let body = model(16).input("i", INT64, &[]).input("go", BOOL, &[]).input("s", FLOAT, &["1", "2"]);
    let body = body.weight("w", &[2, 2], &[0.0, 2.0, 1.0, 0.0]).node("MatMul s, w -> t", vec![]);
    let body = body.node("Identity go -> next", vec![]).results(&["next", "t"]);
    let looped = model(16).input("x", FLOAT, &["1", "2"]).ints("n", &[], &[2]);
    let looped = looped.node("Loop n, , x -> y", vec![graph("body", body)]);
    assert_eq!(looped.run(&[float_tensor([1, 2], &[3.0, 5.0])])[0].1, [6.0, 10.0]);
}

#[test]
fn optionals_are_resolved() {
    let of = || model(18).input("x", FLOAT, &["2"]);
    let full = of().node("Optional x -> o", vec![]).node("OptionalHasElement o -> y", vec![]);
    assert_eq!(full.run(&[float_tensor([2], &[1.0, 2.0])])[0].1, [1.0]);
    let empty = of().node("Optional -> o", vec![]).node("OptionalHasElement o -> y", vec![]);
    assert_eq!(empty.run(&[float_tensor([2], &[1.0, 2.0])])[0].1, [0.0]);
    check(
        &of().node("Optional -> o", vec![]).node("OptionalGetElement o -> y", vec![]),
        expect![[r#"
        error[F002]: ONNX operation `OptionalGetElement`: reads an optional without a value
          = note: node `/net/OptionalGetElement`, domain `ai.onnx`, opset 18
    "#]],
    );
    check(
        &of().node("Optional -> y", vec![]),
        expect![[r#"
        error[F003]: the result `y` is an optional without a value
    "#]],
    );
}

#[test]
fn elements_of_a_resulting_sequence_are_results() {
    let split = model(16).input("x", FLOAT, &["2"]).node("SplitToSequence x -> y", vec![int("keepdims", 0)]);
    let imported = split.import("m.onnx").unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<String> = imported.program.outputs().iter().map(|output| output.name.to_string()).collect();
    assert_eq!(names, ["y.0", "y.1"]);
    let results = split.run(&[float_tensor([2], &[7.0, 8.0])]);
    assert_eq!(results, [(vec![], vec![7.0]), (vec![], vec![8.0])]);
}

#[test]
fn control_flow_without_static_shapes_is_an_error() {
    let branch = |op: &str| model(16).ints("axes", &[1], &[0]).node(&format!("{op} -> o"), vec![]);
    let branches = vec![graph("then_branch", branch("Identity x")), graph("else_branch", branch("Unsqueeze x, axes"))];
    let both = model(16).input("c", BOOL, &[]).input("x", FLOAT, &["2"]).node("If c -> y", branches);
    check(
        &both,
        expect![[r#"
        error[F003]: ONNX operation `If` returns f32[2] or f32[1, 2] at run time, but shapes are static
          = note: node `/net/If`, domain `ai.onnx`, opset 16
          = help: if inputs of the model determine it, supply their values: `partita run MODEL --input FILE`
    "#]],
    );
    check(
        &collecting(model(16).input("n", INT64, &[])),
        expect![[r#"
        error[F003]: ONNX operation `Loop` computes its number of iterations at run time, but shapes are static
          = note: node `/net/Loop`, domain `ai.onnx`, opset 16
          = help: if inputs of the model determine it, supply their values: `partita run MODEL --input FILE`
    "#]],
    );
    let body = adds("Identity go -> next").results(&["next", "t"]);
    let endless = model(16).input("x", FLOAT, &["2"]).node("Loop , , x -> y", vec![graph("body", body)]);
    check(
        &endless,
        expect![[r#"
        error[F002]: ONNX operation `Loop`: never ends: it has no number of iterations, and its condition is always true
          = note: node `/net/Loop`, domain `ai.onnx`, opset 16
    "#]],
    );
    let at = model(16).input("x", FLOAT, &["2"]).input("i", INT64, &[]).node("SplitToSequence x -> s", vec![]);
    check(
        &at.node("SequenceAt s, i -> y", vec![]),
        expect![[r#"
        error[F003]: ONNX operation `SequenceAt` computes its position at run time, but shapes are static
          = note: node `/net/SequenceAt`, domain `ai.onnx`, opset 16
          = help: if inputs of the model determine it, supply their values: `partita run MODEL --input FILE`
    "#]],
    );
    let body = adds("Identity go -> next").node("Missing t -> u", vec![]).results(&["next", "u"]);
    let nested = model(16).input("x", FLOAT, &["2"]).ints("n", &[], &[3]);
    check(
        &nested.node("Loop n, , x -> y", vec![graph("body", body)]),
        expect![[r#"
        error[F001]: ONNX operation `Missing` cannot be lowered
          = note: node `/net/Missing`, domain `ai.onnx`, opset 16
    "#]],
    );
    let mut sequence = model(16).input("s", FLOAT, &["2"]).node("SequenceLength s -> y", vec![]);
    let element = sequence.graph().input[0].r#type.take().map(Box::new);
    let sequence_type = Some(Box::new(partita_onnx::proto::ElementTypeProto { elem_type: element }));
    sequence.graph().input[0].r#type = Some(TypeProto { sequence_type, ..TypeProto::default() });
    check(
        &sequence,
        expect![[r#"
        error[F003]: input `s` is not a tensor
          = note: the length of a sequence that is an input is not static
    "#]],
    );
}

/// Creates a function `f(x) = g(x)` of the domain `local`.
fn function(opset: i64, node: &str) -> FunctionProto {
    let mut body = model(opset).node(node, vec![]).0.graph.expect("there is a graph");
    let opset_import = vec![OperatorSetIdProto { domain: String::new(), version: opset }];
    body.node[0].domain = if node.starts_with('f') { "local".into() } else { String::new() };
    FunctionProto {
        name: "f".into(),
        domain: "local".into(),
        input: vec!["x".into()],
        output: vec!["y".into()],
        node: body.node,
        opset_import,
        ..FunctionProto::default()
    }
}

#[test]
fn functions_are_inlined() {
    let called = |function: FunctionProto| {
        let mut called = model(16).input("x", FLOAT, &["1"]).node("f x -> h", vec![]).node("f h -> y", vec![]);
        called.graph().node.iter_mut().for_each(|node| node.domain = "local".into());
        called.0.functions.push(function);
        called
    };
    let negated = called(function(16, "Neg x -> y"));
    let imported = import_model(&negated.0, "m.onnx", &|_| None).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(partita_ir::text::print(&imported.program).matches(" neg ").count(), 2);
    check(
        &called(function(15, "Neg x -> y")),
        expect![[r#"
        error[F003]: the function `f` uses opset 15, and the model opset 16
          = help: inline it: `onnx.inliner.inline_local_functions(model, True)` in Python
    "#]],
    );
    check(
        &called(function(16, "f x -> y")),
        expect![[r#"
        error[T004]: functions call each other 32 levels deep
          = note: at a call of `f`
    "#]],
    );
}

#[test]
fn nodes_are_sorted() {
    let mut disordered =
        model(13).input("x", FLOAT, &["2"]).node("Relu x -> later", vec![]).node("Neg later -> y", vec![]);
    disordered.graph().node.reverse();
    assert_eq!(disordered.run(&[float_tensor([2], &[-1.0, 2.0])]), [(vec![2], vec![0.0, -2.0])]);

    // The graph of a node reads a result of a later node, and its own nodes are disordered.
    let mut branch = model(13).node("Neg later -> t", vec![]).node("Exp t -> u", vec![]);
    branch.graph().node.reverse();
    let other = model(13).node("Identity later -> v", vec![]);
    let nodes = model(13).input("x", FLOAT, &["2"]).input("c", BOOL, &[]).node("Relu x -> later", vec![]);
    let mut nodes = nodes.node("If c -> y", vec![graph("then_branch", branch), graph("else_branch", other)]);
    nodes.graph().node.reverse();
    let x = float_tensor([2], &[-1.0, 2.0]);
    assert_eq!(nodes.run(&[x.clone(), truth(true)]), [(vec![2], vec![1.0, f64::from((-2.0_f32).exp())])]);
    assert_eq!(nodes.run(&[x, truth(false)]), [(vec![2], vec![0.0, 2.0])]);

    // Inputs that determine shapes are found through later nodes.
    let mut shaped = model(13).input("x", FLOAT, &["2"]).input("s", INT64, &["1"]).node("Abs s -> n", vec![]);
    shaped = shaped.node("Expand x, n -> y", vec![]);
    shaped.graph().node.reverse();
    let size = int_tensor([1], &[-2]);
    let imported = import_model(&shaped.0, "m.onnx", &|name| (name == "s").then(|| size.clone()));
    let imported = imported.unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(imported.fixed.keys().collect::<Vec<_>>(), ["s"]);
}
