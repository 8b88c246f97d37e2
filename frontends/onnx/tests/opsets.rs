//! Operations that changed between opsets 11 and 21, in each of their forms, compared with results computed by hand.

use crate::common::{self, FLOAT, float, float_tensor, floats, int, int_tensor, list, model, string, tensor};

/// Asserts the shape and elements of the first result.
fn gives(results: Vec<(Vec<usize>, Vec<f64>)>, shape: &[usize], items: &[f64]) {
    assert_eq!(results[0].0, shape);
    for (got, want) in results[0].1.iter().zip(items) {
        assert!((got - want).abs() < 1e-5, "{:?} is not {items:?}", results[0].1);
    }
}

#[test]
fn softmax_flattens_dimensions_up_to_opset_12() {
    let zeros = float_tensor([1, 2, 2], &[0.0; 4]);
    let softmax = |opset| model(opset).input("x", FLOAT, &["1", "2", "2"]).node("Softmax x -> y", vec![int("axis", 1)]);
    gives(softmax(12).run(std::slice::from_ref(&zeros)), &[1, 2, 2], &[0.25; 4]);
    gives(softmax(13).run(&[zeros]), &[1, 2, 2], &[0.5; 4]);
    // The default axis is 1 up to opset 12 and the last dimension afterwards.
    let rows = float_tensor([1, 2, 2], &[0.0, 0.0, 3f64.ln(), 0.0]);
    let softmax = |opset| model(opset).input("x", FLOAT, &["1", "2", "2"]).node("Softmax x -> y", vec![]);
    gives(softmax(11).run(std::slice::from_ref(&rows)), &[1, 2, 2], &[1.0 / 6.0, 1.0 / 6.0, 0.5, 1.0 / 6.0]);
    gives(softmax(21).run(&[rows]), &[1, 2, 2], &[0.5, 0.5, 0.75, 0.25]);
}

#[test]
fn axes_are_attributes_or_operands() {
    let data = float_tensor([1, 2, 1], &[3.0, 4.0]);
    let of = |opset| model(opset).input("x", FLOAT, &["1", "2", "1"]);
    for (name, old, new, shape) in [
        ("Squeeze", vec![list("axes", &[0])], [0], vec![2, 1]),
        ("Unsqueeze", vec![list("axes", &[-1])], [-1], vec![1, 2, 1, 1]),
    ] {
        gives(of(12).node(&format!("{name} x -> y"), old).run(std::slice::from_ref(&data)), &shape, &[3.0, 4.0]);
        let now = of(13).ints("axes", &[1], &new).node(&format!("{name} x, axes -> y"), vec![]);
        gives(now.run(std::slice::from_ref(&data)), &shape, &[3.0, 4.0]);
    }
    let sum = of(11).node("ReduceSum x -> y", vec![list("axes", &[1]), int("keepdims", 0)]);
    gives(sum.run(std::slice::from_ref(&data)), &[1, 1], &[7.0]);
    let sum = of(13).ints("axes", &[1], &[1]).node("ReduceSum x, axes -> y", vec![]);
    gives(sum.run(std::slice::from_ref(&data)), &[1, 1, 1], &[7.0]);
    let mean = of(17).node("ReduceMean x -> y", vec![list("axes", &[-2])]);
    gives(mean.run(std::slice::from_ref(&data)), &[1, 1, 1], &[3.5]);
    let mean = of(18).ints("axes", &[1], &[-2]).node("ReduceMean x, axes -> y", vec![int("keepdims", 0)]);
    gives(mean.run(std::slice::from_ref(&data)), &[1, 1], &[3.5]);
    let nothing = of(18).ints("axes", &[0], &[]).node("ReduceMax x, axes -> y", vec![int("noop_with_empty_axes", 1)]);
    gives(nothing.run(std::slice::from_ref(&data)), &[1, 2, 1], &[3.0, 4.0]);
    let norm = of(13).node("ReduceL2 x -> y", vec![int("keepdims", 0)]);
    gives(norm.run(&[data]), &[], &[5.0]);
}

#[test]
fn split_in_its_three_forms() {
    let data = float_tensor([3], &[1.0, 2.0, 3.0]);
    let of = |opset| model(opset).input("x", FLOAT, &["3"]);
    let parts = [
        of(11).node("Split x -> a, b", vec![list("split", &[1, 2])]),
        of(13).ints("s", &[2], &[1, 2]).node("Split x, s -> a, b", vec![]),
    ];
    for part in parts {
        let results = part.run(std::slice::from_ref(&data));
        assert_eq!(results, [(vec![1], vec![1.0]), (vec![2], vec![2.0, 3.0])]);
    }
    let uneven = of(18).node("Split x -> a, b", vec![int("num_outputs", 2)]);
    assert_eq!(uneven.run(&[data]), [(vec![2], vec![1.0, 2.0]), (vec![1], vec![3.0])]);
}

#[test]
fn pad_gets_axes_and_clip_bounds() {
    let data = float_tensor([1, 2], &[1.0, 2.0]);
    let of = |opset| model(opset).input("x", FLOAT, &["1", "2"]);
    let pad = of(11).ints("p", &[4], &[0, 1, 0, 0]).node("Pad x, p -> y", vec![]);
    gives(pad.run(std::slice::from_ref(&data)), &[1, 3], &[0.0, 1.0, 2.0]);
    let pad = of(18).ints("p", &[2], &[1, 0]).weight("v", &[], &[9.0]).ints("a", &[1], &[-1]);
    gives(pad.node("Pad x, p, v, a -> y", vec![]).run(std::slice::from_ref(&data)), &[1, 3], &[9.0, 1.0, 2.0]);
    let mirror = of(11).ints("p", &[4], &[0, 1, 0, 1]).node("Pad x, p -> y", vec![string("mode", "reflect")]);
    gives(mirror.run(std::slice::from_ref(&data)), &[1, 4], &[2.0, 1.0, 2.0, 1.0]);
    let clip = of(11).weight("high", &[], &[1.5]).node("Clip x, , high -> y", vec![]);
    gives(clip.run(std::slice::from_ref(&data)), &[1, 2], &[1.0, 1.5]);
}

#[test]
fn dropout_and_batch_norm_in_inference_mode() {
    let data = float_tensor([1, 2], &[1.0, 2.0]);
    let of = |opset| model(opset).input("x", FLOAT, &["1", "2"]);
    let old = of(11).node("Dropout x -> y", vec![float("ratio", 0.5)]);
    gives(old.run(std::slice::from_ref(&data)), &[1, 2], &[1.0, 2.0]);
    let new = of(13).weight("r", &[], &[0.5]).node("Dropout x, r -> y", vec![]);
    gives(new.run(std::slice::from_ref(&data)), &[1, 2], &[1.0, 2.0]);
    for opset in [11, 14, 15] {
        // Computes (x - mean) / sqrt(var + 0) * scale + bias.
        let norm =
            of(opset).weight("s", &[2], &[2.0, 1.0]).weight("b", &[2], &[0.0, 1.0]).weight("m", &[2], &[0.0, 1.0]);
        let norm = norm.weight("v", &[2], &[4.0, 0.25]);
        let norm = norm.node("BatchNormalization x, s, b, m, v -> y", vec![float("epsilon", 0.0)]);
        gives(norm.run(std::slice::from_ref(&data)), &[1, 2], &[1.0, 3.0]);
    }
}

#[test]
fn reshape_copies_or_allows_zeros() {
    let data = float_tensor([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let of = |opset| model(opset).input("x", FLOAT, &["2", "3"]);
    let reshape = of(13).ints("s", &[3], &[0, -1, 1]).node("Reshape x, s -> y", vec![]);
    gives(reshape.run(std::slice::from_ref(&data)), &[2, 3, 1], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let none = of(14).ints("s", &[2], &[0, 3]).node("Reshape x, s -> y", vec![int("allowzero", 1)]);
    assert!(none.import_errors().contains("cannot reshape [2, 3] to [0, 3]"), "{}", none.import_errors());
}

#[test]
fn casts_of_nonzero_elements_are_true() {
    let data = float_tensor([3], &[0.5, 0.0, -2.0]);
    for opset in [13, 19] {
        let cast = model(opset).input("x", FLOAT, &["3"]).node("Cast x -> y", vec![int("to", 9)]);
        gives(cast.run(std::slice::from_ref(&data)), &[3], &[1.0, 0.0, 1.0]);
    }
    let text = model(19).input("x", FLOAT, &["3"]).node("Cast x -> y", vec![int("to", 8)]);
    assert!(text.import_errors().contains("string"), "{}", text.import_errors());
}

#[test]
fn group_norm_has_weights_per_group_or_per_channel() {
    // Two groups of one channel of two elements: the elements are normalised to -1 and 1.
    let data = float_tensor([1, 2, 2], &[0.0, 2.0, 10.0, 20.0]);
    for opset in [18, 21] {
        let norm = model(opset).input("x", FLOAT, &["1", "2", "2"]).weight("s", &[2], &[1.0, 2.0]);
        let norm = norm.weight("b", &[2], &[0.0, 1.0]);
        let attrs = vec![int("num_groups", 2), float("epsilon", 0.0)];
        let norm = norm.node("GroupNormalization x, s, b -> y", attrs);
        gives(norm.run(std::slice::from_ref(&data)), &[1, 2, 2], &[-1.0, 1.0, -1.0, 3.0]);
    }
}

#[test]
fn shape_arithmetic_is_folded() {
    // Shape -> Gather -> Unsqueeze -> Concat -> Reshape, the export of `x.view(x.size(0), -1)`.
    let view = model(13)
        .input("x", FLOAT, &["2", "3", "1"])
        .ints("zero", &[], &[0])
        .ints("axes", &[1], &[0])
        .ints("rest", &[1], &[-1])
        .node("Shape x -> s", vec![])
        .node("Gather s, zero -> b", vec![])
        .node("Unsqueeze b, axes -> b1", vec![])
        .node("Concat b1, rest -> shape", vec![int("axis", 0)])
        .node("Reshape x, shape -> y", vec![]);
    expect_test::expect![[r#"
        form traced
        param none
        input %x : f32[2, 3, 1]
          %reshape = reshape %x : f32[2, 3]
        output %reshape "y"
    "#]]
    .assert_eq(&view.text());
    let fill =
        model(11).ints("s", &[1], &[3]).node("ConstantOfShape s -> y", vec![tensor("value", floats("", &[1], &[2.5]))]);
    gives(fill.run(&[]), &[3], &[2.5; 3]);
    let range = model(11).ints("a", &[], &[7]).ints("b", &[], &[0]).ints("c", &[], &[-3]);
    gives(range.node("Range a, b, c -> y", vec![]).run(&[]), &[3], &[7.0, 4.0, 1.0]);
}

#[test]
fn negative_indices_count_from_the_end() {
    let gather = model(13).input("x", FLOAT, &["3"]).input("i", common::INT64, &["2"]).node("Gather x, i -> y", vec![]);
    gives(gather.run(&[float_tensor([3], &[1.0, 2.0, 3.0]), int_tensor([2], &[-1, 0])]), &[2], &[3.0, 1.0]);
    let cut = model(13).input("x", FLOAT, &["3"]).ints("i", &[], &[-2]).node("Gather x, i -> y", vec![]);
    gives(cut.run(&[float_tensor([3], &[1.0, 2.0, 3.0])]), &[], &[2.0]);
}
