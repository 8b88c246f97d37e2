//! Annotations of tensors in a forward function: recording, propagation, and errors at the user's line.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Distribution, Int, Tensor, TensorData};
use partita_burn::capture::Mode;
use partita_burn::{Annotate, trace, trace_in};
use partita_ir::diag::{Diagnostic, Source, Span};
use partita_ir::interp;
use partita_ir::plan::{Plan, layout_text};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor as Value;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{Milestone, pipeline};

#[derive(Module, Debug)]
struct Mlp {
    up: Linear,
    down: Linear,
}

impl Mlp {
    fn new(device: &Device) -> Mlp {
        Mlp { up: LinearConfig::new(64, 512).init(device), down: LinearConfig::new(512, 64).init(device) }
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let hidden = self.up.forward(x.named("batch, _")).tanh().named("_, hidden");
        self.down.forward(hidden).sharded("data, _")
    }
}

/// Returns the program after the passes up to propagation, with a mesh of the axes `data` and `model`.
fn planned(program: &Program, toml: &str) -> Result<(Program, Findings), Vec<Diagnostic>> {
    let text = format!("mesh = {{ data = 2, model = 4 }}\n{toml}");
    let plan = Plan::from_toml(&Source::new("plan.toml", text)).unwrap();
    let (mut program, mut findings) = (program.clone(), Findings::default());
    let passes = pipeline(Milestone::Model, Milestone::LaidOut, Variant::default()).unwrap();
    passes.run(&mut program, &Input::with_plan(plan), &mut findings, &mut |_| Ok(()))?;
    Ok((program, findings))
}

/// Returns the layout of a parameter or input in the syntax of plans.
fn layout(program: &Program, path: &str) -> String {
    let value = program.inputs().iter().copied().find(|&v| program.path_of(v) == path).unwrap();
    layout_text(program.values[value].layout.as_deref().unwrap(), program.mesh().unwrap().1)
}

/// Returns the texts of the `constrain` ops.
fn constraints(program: &Program) -> Vec<String> {
    let text = partita_ir::text::print(program);
    let lines = text.lines().filter_map(|line| line.trim().split_once(" = constrain "));
    lines.map(|(_, constraint)| constraint.to_owned()).collect()
}

/// Returns the text of a span of this file, with its line.
fn marked(span: &Span) -> (&str, u32) {
    assert!(span.source.name.ends_with("annotate.rs"), "{}", span.source.name);
    (&span.source.text[span.range.clone()], span.line_column().0 as u32)
}

/// Returns the text that the first label of the only error marks, with its line and the title of the error.
fn error(errors: &[Diagnostic]) -> (String, u32, String) {
    let [error] = errors else { panic!("{errors:?}") };
    let (text, line) = marked(&error.labels.iter().find(|label| label.primary).unwrap().span);
    (text.to_owned(), line, format!("{}: {}", error.code, error.title))
}

#[test]
fn annotations_are_constraints_in_both_modes() {
    for mode in [Mode::Inference, Mode::Training] {
        let program = trace_in(mode, Mlp::new, Mlp::forward, [32, 64]).unwrap();
        let found = constraints(&program);
        let [batch, hidden, result] = &found[..] else { panic!("{found:?}") };
        assert_eq!(batch, "names \"batch, _\" %input.0 : f32[32, 64]");
        assert!(hidden.starts_with("names \"_, hidden\" %") && hidden.ends_with(" : f32[32, 512]"), "{hidden}");
        assert!(result.starts_with("sharding \"data, _\" %") && result.ends_with(" : f32[32, 64]"), "{result}");
        // Program text, too, states them.
        let text = partita_ir::text::print(&program);
        let parsed = partita_ir::text::parse(&Source::new("mlp.pir", text.as_str())).unwrap();
        assert_eq!(partita_ir::text::print(&parsed), text);
    }
}

#[test]
fn names_propagate_to_parameters_and_inputs() {
    let program = trace(Mlp::new, Mlp::forward, [32, 64]).unwrap();
    let (planned, _) = planned(&program, "rules = 'batch:data; hidden:model'").unwrap();
    assert_eq!(layout(&planned, "up.weight"), "_, model");
    assert_eq!(layout(&planned, "down.weight"), "model, _");
    assert_eq!(layout(&planned, "input.0"), "data, _");
    assert!(constraints(&planned).iter().all(|text| !text.contains('"')), "{:?}", constraints(&planned));
}

#[test]
fn a_requested_layout_propagates_and_is_explained_by_its_line() {
    let line = line!() + 1;
    let forward = |m: &Mlp, x: Tensor<2>| m.down.forward(m.up.forward(x).tanh().sharded("data, model"));
    let program = trace(Mlp::new, forward, [32, 64]).unwrap();
    let (planned, findings) = planned(&program, "").unwrap();
    assert_eq!(layout(&planned, "input.0"), "data, _");
    assert_eq!(layout(&planned, "up.weight"), "_, model");
    let weight = planned.params.values().find(|p| p.path == "up.weight").unwrap().value;
    let axis = planned.values[weight].layout.as_ref().unwrap().dims[1].axes[0];
    let why = findings.provenance.explain(&planned, weight, 1, axis);
    assert!(why.contains("you wrote `data, model`") && why.contains(&format!("annotate.rs:{line}:")), "{why}");
}

/// Both layouts are respected, with a reshard between them, as with JAX's `with_sharding_constraint`.
#[test]
fn two_layouts_of_one_tensor_are_two_values() {
    let forward = |_: &Mlp, x: Tensor<2>| {
        let x = x.tanh();
        (x.clone().sharded("data, _"), x.sharded("_, data"))
    };
    let program = trace(Mlp::new, forward, [32, 64]).unwrap();
    let (planned, _) = planned(&program, "").unwrap();
    let mesh = planned.mesh().unwrap().1;
    let outputs = planned.outputs().iter().map(|o| planned.values[o.value].layout.as_deref().unwrap());
    assert_eq!(outputs.map(|layout| layout_text(layout, mesh)).collect::<Vec<_>>(), ["data, _", "_, data"]);
}

#[test]
fn a_plan_that_contradicts_a_layout_in_the_model_names_both_places() {
    let line = line!() + 1;
    let program = trace(Mlp::new, |_, x: Tensor<2>| x.tanh().sharded("data, _"), [32, 64]).unwrap();
    let errors = planned(&program, "shard.'%sharded' = 'model, _'").err().unwrap();
    assert_eq!(errors[0].code.to_string(), "L004");
    let [plan, model] = &errors[0].labels[..] else { panic!("{}", errors[0]) };
    assert_eq!(plan.span.source.name, "plan.toml");
    assert_eq!(marked(&model.span), ("data, _", line));
}

#[test]
fn errors_of_a_trace_point_at_the_annotation() {
    let line = line!() + 1;
    let errors = trace(Mlp::new, |_, x: Tensor<2>| x.named("batch"), [32, 64]).err().unwrap();
    let title = "L009: `%input.0` has 2 dimensions, but 1 is named";
    assert_eq!(error(&errors), ("batch".into(), line, title.into()));

    let line = line!() + 1;
    let errors = trace(Mlp::new, |_, x: Tensor<2>| x.sharded("data, _, model"), [32, 64]).err().unwrap();
    let title = "L009: `%input.0` has 2 dimensions, but this layout has 3 entries";
    assert_eq!(error(&errors), ("data, _, model".into(), line, title.into()));

    let line = line!() + 1;
    let errors = trace(Mlp::new, |_, x: Tensor<2>| x.sharded("data; _"), [32, 64]).err().unwrap();
    let title = "L008: expected `,`, `sum(...)` or `all(...)`, found `;`";
    assert_eq!(error(&errors), (";".into(), line, title.into()));
}

#[test]
fn errors_of_a_plan_point_at_the_annotation() {
    let line = line!() + 1;
    let program = trace(Mlp::new, |_, x: Tensor<2>| x.sharded("data, modle"), [32, 64]).unwrap();
    let title = "L001: mesh has no axis `modle`";
    assert_eq!(error(&planned(&program, "").err().unwrap()), ("modle".into(), line, title.into()));

    let line = line!() + 1;
    let program = trace(Mlp::new, |_, x: Tensor<2>| x.sharded("model, data+model"), [32, 64]).unwrap();
    let errors = planned(&program, "").err().unwrap();
    let (text, at, title) = error(&errors);
    assert_eq!((text.as_str(), at), ("model", line));
    assert!(title.starts_with("L002: axis `model` splits two dimensions"), "{title}");

    let line = line!() + 1;
    let program = trace(Mlp::new, |_, x: Tensor<2>| x.named("rows, rows"), [32, 64]).unwrap();
    let errors = planned(&program, "rules = 'rows:data'").err().unwrap();
    assert!(errors[0].title.starts_with("axis `data` splits two dimensions"), "{}", errors[0]);
    let named = errors[0].labels.iter().find(|label| !label.primary).unwrap();
    assert_eq!(marked(&named.span), ("rows, rows", line));
}

#[test]
fn integers_and_empty_tensors_can_be_annotated() {
    let forward = |_: &Mlp, (i, x): (Tensor<1, Int>, Tensor<2>)| {
        (i.named("rows").sharded("data"), x.clone().equal_elem(0.0).sharded("_, _"), x.sharded("whole"))
    };
    let program = trace(Mlp::new, forward, ([8], [0, 3])).unwrap();
    let types: Vec<_> = program.outputs().iter().map(|o| program.ty(o.value).to_string()).collect();
    assert_eq!(types, ["i64[8]", "bool[0, 3]", "f32[0, 3]"]);
    assert_eq!(constraints(&program).len(), 4);
}

#[test]
fn annotations_have_no_effect_on_values_or_gradients() {
    let annotated = |x: Tensor<2>| x.named("a, b").exp().sharded("no, mesh").named("wrong, number, of names");
    let x = Tensor::<2>::random([3, 4], Distribution::Default, &Device::flex());
    let want = x.clone().exp().into_data();
    annotated(x.clone()).into_data().assert_eq(&want, true);

    let learning = x.autodiff().require_grad();
    let gradients = annotated(learning.clone()).sum().backward();
    learning.grad(&gradients).unwrap().into_data().assert_eq(&want, true);

    let program = trace(Mlp::new, |_, x: Tensor<2>| x.named("a, b").exp().sharded("data, _"), [3, 4]).unwrap();
    let values: Vec<f64> = x_values(&want).iter().map(|y| y.ln()).collect();
    let inputs = program.inputs().iter().map(|&v| match program.param_of(v) {
        Some(_) => Value::zeros(program.ty(v).clone()),
        None => Value::from_floats(program.ty(v).clone(), values.clone()),
    });
    let got = interp::run(&program, inputs.collect()).unwrap();
    for (got, want) in got[0].scalars().zip(x_values(&want)) {
        assert!((got.to_f64() - want).abs() < 1e-5, "{} instead of {want}", got.to_f64());
    }
}

fn x_values(data: &TensorData) -> Vec<f64> {
    data.iter::<f64>().collect()
}

#[test]
fn annotations_on_other_threads_are_recorded() {
    let forward = |_: &Mlp, x: Tensor<2>| {
        std::thread::scope(|scope| scope.spawn(|| x.named("batch, _")).join()).unwrap_or_else(|_| panic!("a panic"))
    };
    let program = trace(Mlp::new, forward, [32, 64]).unwrap();
    assert_eq!(constraints(&program), ["names \"batch, _\" %input.0 : f32[32, 64]"]);
}
