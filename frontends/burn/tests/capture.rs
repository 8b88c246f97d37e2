//! Captured parameters, scopes and names of Burn modules, and errors of a trace.

use burn::module::{Module, Param};
use burn::nn::interpolate::Interpolate2dConfig;
use burn::nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
use burn::nn::{BatchNorm, BatchNormConfig, Initializer, Linear, LinearConfig};
use burn::tensor::{Device, Int, Tensor};
use partita_burn::capture::Mode;
use partita_burn::{trace, trace_in};
use partita_ir::diag::Diagnostic;
use partita_ir::initializer::Initializer as Init;
use partita_ir::program::{ParamKind, Program};

#[derive(Module, Debug)]
struct Net {
    linear: Linear,
    frozen: Linear,
    norm: BatchNorm,
}

impl Net {
    fn new(device: &Device) -> Self {
        Self {
            linear: LinearConfig::new(4, 6).init(device),
            frozen: LinearConfig::new(6, 6).init(device).no_grad(),
            norm: BatchNormConfig::new(6).init(device),
        }
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.norm.forward(self.frozen.forward(self.linear.forward(x)))
    }
}

fn count(program: &Program, name: &str) -> usize {
    program.funcs[program.entry()].ops().iter().filter(|&&op| program.ops[op].kind.name() == name).count()
}

fn text(errors: Vec<Diagnostic>) -> String {
    errors.iter().map(|e| format!("{e}\n")).collect()
}

#[test]
fn frozen_parameters_and_running_statistics_have_different_kinds() {
    for mode in [Mode::Inference, Mode::Training] {
        // Burn's batch norm cannot be recorded in training mode.
        let program = trace_in(mode, Net::new, |m, x| m.frozen.forward(m.linear.forward(x)), [3, 4]).unwrap();
        let kinds: Vec<_> = program.params.values().map(|p| (p.path.as_str(), p.kind)).collect();
        assert_eq!(
            kinds,
            [
                ("linear.weight", ParamKind::Trainable),
                ("linear.bias", ParamKind::Trainable),
                ("frozen.weight", ParamKind::Frozen),
                ("frozen.bias", ParamKind::Frozen),
                ("norm.gamma", ParamKind::Trainable),
                ("norm.beta", ParamKind::Trainable),
                ("norm.running_mean", ParamKind::State),
                ("norm.running_var", ParamKind::State),
            ]
        );
    }
}

#[test]
fn ops_have_the_scope_of_their_module() {
    let program = trace(Net::new, |m, x| m.forward(x), [3, 4]).unwrap();
    let scopes: Vec<_> = program.entry_ops().map(|at| at.op).filter(|op| op.kind.name() == "matmul").collect();
    assert_eq!(scopes.iter().map(|op| op.origin.scope.as_str()).collect::<Vec<_>>(), ["linear", "frozen"]);
}

#[test]
fn burns_own_dropout_drops_in_training_mode_only() {
    let init = |device: &Device| TransformerEncoderConfig::new(8, 16, 2, 2).with_dropout(0.1).init(device);
    let forward = |m: &TransformerEncoder, x: Tensor<3>| m.forward(TransformerEncoderInput::new(x));
    let inference = trace(init, forward, [2, 3, 8]).unwrap();
    let training = trace_in(Mode::Training, init, forward, [2, 3, 8]).unwrap();
    assert_eq!(count(&inference, "random"), 0);
    assert!(count(&training, "random") >= 4, "{}", count(&training, "random"));
}

#[test]
fn a_tensor_in_two_fields_is_one_parameter() {
    #[derive(Module, Debug)]
    struct Tied {
        embed: Param<Tensor<2>>,
        head: Param<Tensor<2>>,
    }
    let init = |device: &Device| {
        let embed: Param<Tensor<2>> = burn::nn::Initializer::Zeros.init([5, 4], device);
        Tied { head: embed.clone(), embed }
    };
    let program =
        trace(init, |m, x: Tensor<2>| x.matmul(m.embed.val()).matmul(m.head.val().transpose()), [2, 5]).unwrap();
    assert_eq!(program.params.values().map(|p| p.path.as_str()).collect::<Vec<_>>(), ["embed"]);
}

#[test]
fn several_inputs_and_results_have_names() {
    let add = |_: &Net, (x, i): (Tensor<2>, Tensor<1, Int>)| (x.clone().select(0, i), vec![x.clone(), x]);
    let program = trace(Net::new, add, ([3, 4], [2])).unwrap();
    let inputs: Vec<_> =
        program.inputs().iter().map(|&v| program.path_of(v)).filter(|p| p.starts_with("input")).collect();
    assert_eq!(inputs, ["input.0", "input.1"]);
    let outputs: Vec<_> = program.outputs().iter().map(|o| o.name.as_str()).collect();
    assert_eq!(outputs, ["output.0", "output.1", "output.2"]);
}

#[test]
fn unsupported_operations_are_reported_with_name_and_module() {
    let forward = |m: &Net, x: Tensor<2>| {
        let x = m.linear.forward(x).reshape([3, 1, 2, 3]);
        Interpolate2dConfig::new().with_output_size(Some([4, 6])).init().forward(x).exp()
    };
    let errors = trace(Net::new, forward, [3, 4]).unwrap_err();
    expect_test::expect![[r#"
        error[F001]: Burn operation `Interpolate` cannot be lowered
          = note: recorded in `linear`, or between it and the next module with parameters
    "#]]
    .assert_eq(&text(errors));
}

#[test]
fn element_types_are_those_of_burn() {
    let cast = |m: &Net, x: Tensor<2>| m.forward(x).cast(burn::tensor::DType::F64).int().cast(burn::tensor::DType::I16);
    let program = trace(Net::new, cast, [3, 4]).unwrap();
    assert_eq!(program.ty(program.outputs()[0].value).to_string(), "i16[3, 6]");
}

#[test]
fn a_module_that_reads_values_is_an_error() {
    let errors = trace(Net::new, |m, x: Tensor<2>| m.forward(x.clone()) * x.into_scalar::<f32>(), [3, 4]).unwrap_err();
    let text = text(errors);
    assert!(text.starts_with("error[F002]: the module panicked during the trace\n"), "{text}");
    assert!(
        text.contains("has no concrete value") && text.contains("= help: a trace has shapes but no values"),
        "{text}"
    );
    // A failed trace releases the capture device.
    trace(Net::new, |m, x| m.forward(x), [3, 4]).unwrap();
}

#[test]
fn a_tensor_from_another_device_is_an_error() {
    let errors = trace(Net::new, |_, _: Tensor<2>| Tensor::<1>::zeros([1], &Device::flex()), [3, 4]).unwrap_err();
    expect_test::expect![[r#"
        error[F002]: result 0 of the traced function is not computed in the trace
          = help: compute it from the inputs, or create it on the device that is passed to `init`
    "#]]
    .assert_eq(&text(errors));
}

#[derive(Module, Debug)]
struct InitializerNet {
    linear: Linear,
    norm: BatchNorm,
    normal: Linear,
    constant: Linear,
    scaled: Param<Tensor<2>>,
    orthogonal: Linear,
}

/// The initializers that Burn documents: weight and bias of a linear layer are uniform up to `1 / sqrt(inputs)`.
#[test]
fn parameters_have_the_initializers_of_their_modules() {
    let uniform = |bound: f64| Some(Init::Uniform { low: -bound, high: bound });
    let init = |device: &Device| {
        let linear = |how| LinearConfig::new(4, 6).with_initializer(how).with_bias(false).init(device);
        InitializerNet {
            linear: LinearConfig::new(4, 6).init(device),
            norm: BatchNormConfig::new(6).init(device),
            normal: linear(Initializer::Normal { mean: 0.5, std: 2.0 }),
            constant: linear(Initializer::Constant { value: -3.0 }),
            scaled: Initializer::Uniform { min: 0.0, max: 2.0 }.init([4, 6], device).map(|w| w * -2.0 + 1.0),
            orthogonal: linear(Initializer::Orthogonal { gain: 1.0 }),
        }
    };
    for mode in [Mode::Inference, Mode::Training] {
        let program = trace_in(mode, init, |m, x: Tensor<2>| m.linear.forward(x), [3, 4]).unwrap();
        let found: Vec<_> = program.params.values().map(|p| (p.path.as_str(), p.init)).collect();
        assert_eq!(
            found,
            [
                ("linear.weight", uniform(0.5)),
                ("linear.bias", uniform(0.5)),
                ("norm.gamma", Some(Init::Constant(1.0))),
                ("norm.beta", Some(Init::Constant(0.0))),
                ("norm.running_mean", Some(Init::Constant(0.0))),
                ("norm.running_var", Some(Init::Constant(1.0))),
                ("normal.weight", Some(Init::Normal { mean: 0.5, deviation: 2.0 })),
                ("constant.weight", Some(Init::Constant(-3.0))),
                ("scaled", Some(Init::Uniform { low: -3.0, high: 1.0 })),
                // An orthogonal initializer is computed from a normal matrix and is not recognised.
                ("orthogonal.weight", None),
            ]
        );
    }
}
