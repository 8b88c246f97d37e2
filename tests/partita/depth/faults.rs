//! Irregular layers, and layers that are not in the order of their parameters.

use super::{assert_is, program, reduce};
use partita_passes::planning::reduce_depth::RepeatedLayers;
use std::fmt::Write;

/// A model of equal layers, which tests modify.
struct Layers {
    count: usize,
    /// Text before the first layer.
    before: String,
    /// Returns the text of a layer, which computes `%x{i+1}` from `%x{i}` and `%w{i}`.
    layer: Box<dyn Fn(usize) -> String>,
    /// Type and mark of a parameter.
    param: Box<dyn Fn(usize) -> String>,
    /// Text after the last layer.
    after: String,
    outputs: String,
}

/// Returns the text of a regular layer with an additional op before the residual addition.
fn layer(i: usize, extra: &str) -> String {
    format!(
        "%h{i} = matmul %x{i}, %w{i} : f32[4, 4]\n%r{i} = relu %h{i} : f32[4, 4]\n{extra}\
         %x{} = add %x{i}, %r{i} : f32[4, 4]\n",
        i + 1
    )
}

impl Layers {
    fn new(count: usize) -> Layers {
        Layers {
            count,
            before: String::new(),
            layer: Box::new(|i| layer(i, "")),
            param: Box::new(|i| format!("param %w{i} \"layers.{i}.w\" : f32[4, 4]\n")),
            after: format!("%y = tanh %x{count} : f32[4, 4]\n"),
            outputs: "output %y \"y\"\n".into(),
        }
    }

    fn with_layer(self, layer: impl Fn(usize) -> String + 'static) -> Layers {
        Layers { layer: Box::new(layer), ..self }
    }

    fn text(&self) -> String {
        let mut text = "form traced\n".to_owned();
        (0..self.count).for_each(|i| text.push_str(&(self.param)(i)));
        let _ = writeln!(text, "input %x0 : f32[4, 4]\n{}", self.before);
        (0..self.count).for_each(|i| text.push_str(&(self.layer)(i)));
        text + &self.after + &self.outputs
    }

    /// Returns the number of repetitions, 0 if there are none.
    fn repetitions(&self) -> usize {
        RepeatedLayers::find(&program(&self.text())).map_or(0, |layers| layers.count())
    }
}

/// Reduces the model of 12 layers, and compares it with models of fewer layers.
fn assert_reducible(repetitions: usize, model: impl Fn(usize) -> Layers) {
    let full = program(&model(12).text());
    for kept in 1..repetitions {
        let reduced = reduce(&full, kept);
        assert_eq!(reduced.full, repetitions);
        assert_is(&reduced, &program(&model(12 - repetitions + kept).text()));
    }
}

#[test]
fn equal_layers_are_reducible() {
    assert_reducible(12, Layers::new);
}

#[test]
fn a_layer_with_another_attribute_ends_the_repetitions() {
    let other = |i: usize| if i == 4 { layer(i, "").replace("relu", "tanh") } else { layer(i, "") };
    assert_eq!(Layers::new(12).with_layer(other).repetitions(), 7);
    let alternating = |i: usize| if i.is_multiple_of(2) { layer(i, "").replace("relu", "tanh") } else { layer(i, "") };
    assert_eq!(Layers::new(12).with_layer(alternating).repetitions(), 6);
}

#[test]
fn a_layer_of_another_shape_ends_the_repetitions() {
    let wide = |i: usize| match i {
        7 => "%wide = concatenate dim 1 %w7, %w7 : f32[4, 8]\n%back = concatenate dim 0 %w7, %w7 : f32[8, 4]\n\
              %h7 = matmul %x7, %wide : f32[4, 8]\n%r7 = matmul %h7, %back : f32[4, 4]\n\
              %x8 = add %x7, %r7 : f32[4, 4]\n"
            .into(),
        _ => layer(i, ""),
    };
    let model = Layers::new(12).with_layer(wide);
    assert_eq!(model.repetitions(), 7);
}

#[test]
fn a_value_from_before_the_layers_is_shared() {
    let shared = |i: usize| {
        layer(i, &format!("%s{i} = mul %r{i}, %x0 : f32[4, 4]\n"))
            .replace(&format!("add %x{i}, %r{i}"), &format!("add %x{i}, %s{i}"))
    };
    assert_reducible(12, |count| Layers::new(count).with_layer(shared));
}

#[test]
fn a_value_of_the_first_layer_is_shared_by_the_others() {
    let shared = |i: usize| match i {
        0 => layer(0, ""),
        _ => layer(i, &format!("%s{i} = mul %r{i}, %r0 : f32[4, 4]\n"))
            .replace(&format!("add %x{i}, %r{i}"), &format!("add %x{i}, %s{i}")),
    };
    assert_reducible(11, |count| Layers::new(count).with_layer(shared));
}

#[test]
fn values_of_the_layer_before_the_previous_one_stay_connected() {
    let skipping = |i: usize| match i {
        0 | 1 => layer(i, ""),
        _ => layer(i, &format!("%s{i} = mul %r{i}, %h{} : f32[4, 4]\n", i - 2))
            .replace(&format!("add %x{i}, %r{i}"), &format!("add %x{i}, %s{i}")),
    };
    let model = |count: usize| Layers::new(count).with_layer(skipping);
    let full = program(&model(12).text());
    let reduced = reduce(&full, 3);
    assert!(reduced.full >= 8, "{}", reduced.full);
    assert_is(&reduced, &program(&model(12 - reduced.full + 3).text()));
}

#[test]
fn one_connection_between_distant_layers_ends_the_repetitions() {
    let skipping = |i: usize| match i {
        7 => layer(i, "%s = mul %r7, %r5 : f32[4, 4]\n").replace("add %x7, %r7", "add %x7, %s"),
        _ => layer(i, ""),
    };
    let model = Layers::new(12).with_layer(skipping);
    // Layers 0 to 5: an op outside reads the last one of them.
    assert_eq!(model.repetitions(), 6);
    let reduced = reduce(&program(&model.text()), 2);
    let text = partita_ir::text::print(&reduced.program);
    assert!(text.contains("mul %r7, %r1"), "{text}");
}

#[test]
fn another_operand_in_the_middle_ends_the_repetitions() {
    for (irregular, expected) in [(6, 6), (2, 9), (10, 10)] {
        let other = move |i: usize| match i == irregular {
            true => layer(i, "").replace(&format!("add %x{i},"), "add %x0,"),
            false => layer(i, ""),
        };
        assert_eq!(Layers::new(12).with_layer(other).repetitions(), expected, "{irregular}");
    }
}

#[test]
fn a_stack_of_all_hidden_states_has_no_smaller_counterpart() {
    let mut model = Layers::new(12);
    let states = (1..=12).map(|i| format!("%x{i}")).collect::<Vec<_>>().join(", ");
    model.after = format!("%y = concatenate dim 0 {states} : f32[48, 4]\n");
    assert_eq!(model.repetitions(), 0);
}

#[test]
fn sums_and_outputs_of_all_hidden_states_are_reduced_with_the_layers() {
    let model = |count: usize| {
        let mut model = Layers::new(count);
        model.after = "%s0 = tanh %x0 : f32[4, 4]\n".into();
        for i in 0..count {
            let _ = writeln!(model.after, "%s{} = add %s{i}, %x{} : f32[4, 4]", i + 1, i + 1);
            let _ = writeln!(model.outputs, "output %r{i} \"r{i}\"");
        }
        model.outputs = model.outputs.replace("%y", &format!("%s{count}"));
        model
    };
    assert_reducible(12, model);
}

#[test]
fn an_output_of_a_layer_in_the_middle_ends_the_repetitions() {
    let mut model = Layers::new(12);
    model.outputs += "output %r4 \"r4\"\n";
    // The output reads the first one of layers 4 to 11.
    assert_eq!(model.repetitions(), 8);
    let reduced = reduce(&program(&model.text()), 2);
    assert_eq!(reduced.program.outputs().len(), 2);
}

#[test]
fn frozen_and_initialized_parameters_must_be_alike() {
    let mut model = Layers::new(12);
    model.param = Box::new(|i| {
        let kind = if i < 3 { " frozen" } else { "" };
        format!("param %w{i} \"layers.{i}.w\"{kind} : f32[4, 4]\n")
    });
    assert_eq!(model.repetitions(), 9);
    model.param = Box::new(|i| {
        let init = if i < 8 { "0.5" } else { "0.25" };
        format!("param %w{i} \"layers.{i}.w\" starts {init} : f32[4, 4]\n")
    });
    assert_eq!(model.repetitions(), 8);
}

#[test]
fn layers_with_a_common_parameter_are_not_reducible() {
    let tied = |i: usize| if i == 7 { layer(i, "").replace("%w7", "%w3") } else { layer(i, "") };
    assert_eq!(Layers::new(12).with_layer(tied).repetitions(), 0);
}

#[test]
fn one_parameter_of_all_layers_is_shared() {
    let tied = |i: usize| layer(i, "").replace(&format!("%w{i} "), "%w0 ");
    let model = |count: usize| {
        let mut model = Layers::new(count).with_layer(tied);
        model.param = Box::new(|i| if i == 0 { "param %w0 \"w\" : f32[4, 4]\n".into() } else { String::new() });
        model
    };
    assert_reducible(12, model);
}

#[test]
fn parameters_may_be_in_another_order_and_converted_before_the_layers() {
    // The order of `layers.10`, `layers.11`, `layers.2` in a dictionary with sorted keys.
    let model = |count: usize| {
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|i| i.to_string());
        let mut model = Layers::new(count).with_layer(|i| layer(i, "").replace(&format!("%w{i} "), &format!("%c{i} ")));
        let numbers = order.clone();
        model.param = Box::new(move |i| {
            let i = numbers[i];
            format!("param %w{i} \"layers.{i}.w\" : bf16[4, 4]\n")
        });
        order.iter().for_each(|i| {
            let _ = writeln!(model.before, "%c{i} = convert %w{i} : f32[4, 4]");
        });
        model
    };
    assert_reducible(12, model);
}

#[test]
fn numbers_of_dense_constants_may_differ_and_scalars_may_not() {
    let with = |number: fn(usize) -> String| {
        move |i: usize| {
            layer(i, &format!("%c{i} = constant {} : f32[4, 4]\n%s{i} = mul %r{i}, %c{i} : f32[4, 4]\n", number(i)))
                .replace(&format!("add %x{i}, %r{i}"), &format!("add %x{i}, %s{i}"))
        }
    };
    let dense = |i: usize| format!("[{}]", vec![format!("{i}.0"); 16].join(", "));
    assert_reducible(12, |count| Layers::new(count).with_layer(with(dense)));
    assert_reducible(12, |count| Layers::new(count).with_layer(with(|_| "0.5".into())));
    let one_differs = with(|i| if i == 5 { "0.25".into() } else { "0.5".into() });
    assert_eq!(Layers::new(12).with_layer(one_differs).repetitions(), 6);
}

#[test]
fn a_loop_over_layers_is_left_alone() {
    let text = "form traced
        func @layer(%x: f32[4, 4], %w: f32[4, 4]) {
          %h = matmul %x, %w : f32[4, 4]
          %y = tanh %h : f32[4, 4]
          return %y \"y\", %w \"w\"
        }
        param %w \"w\" : f32[4, 4]
        input %x : f32[4, 4]
          %y, %same = loop 12 of @layer %x, %w : f32[4, 4], f32[4, 4]
        output %y \"y\"";
    assert!(RepeatedLayers::find(&program(text)).is_none());
}

#[test]
fn short_and_empty_programs_have_no_repetitions() {
    assert!(RepeatedLayers::find(&partita_ir::program::Program::default()).is_none());
    for count in 1..4 {
        assert_eq!(Layers::new(count).repetitions(), 0);
    }
    assert_eq!(Layers::new(4).repetitions(), 4);
}
