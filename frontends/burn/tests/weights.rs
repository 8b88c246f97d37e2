//! Parameters of modules as tensors by path, and back.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, Tensor};
use partita_burn::{read_weights, trace, write_weights};
use partita_ir::diag::Diagnostic;
use partita_ir::interp;
use partita_ir::tensor::{Tensor as Value, Weights};

/// A module with square weights, so that shapes do not reveal a wrong transpose.
#[derive(Module, Debug)]
struct Net {
    conv: Conv2d,
    norm: BatchNorm,
    layers: Vec<Linear>,
    frozen: Option<Linear>,
    tied: [Param<Tensor<2>>; 2],
}

const WIDTH: usize = 16;

impl Net {
    fn new(device: &Device) -> Net {
        let linear = || LinearConfig::new(WIDTH, WIDTH).init(device);
        let first: Param<Tensor<2>> = burn::nn::Initializer::Zeros.init([WIDTH, WIDTH], device);
        Net {
            conv: Conv2dConfig::new([2, 4], [3, 3]).init(device),
            norm: BatchNormConfig::new(4).init(device),
            layers: vec![linear(), linear()],
            frozen: Some(linear().no_grad()),
            tied: [first.clone(), first],
        }
    }

    /// Returns a module with random parameters.
    fn random() -> Net {
        Net::new(&Device::flex()).map(&mut Randomise)
    }

    fn forward(&self, x: Tensor<4>) -> Tensor<2> {
        let x = self.norm.forward(self.conv.forward(x)).reshape([-1, WIDTH as i32]);
        let x = self.layers.iter().chain(&self.frozen).fold(x, |x, layer| layer.forward(x).tanh());
        x.matmul(self.tied[0].val()).matmul(self.tied[1].val().transpose())
    }
}

/// Returns values between -1 and 1 that have no pattern of the period of a dimension.
fn wave(count: usize, frequency: f32, device: &Device) -> Tensor<1> {
    (Tensor::<1, burn::tensor::Int>::arange(0..count as i64, device).float() * frequency).sin()
}

/// Mapper that sets parameters to distinct values: those of matrices around zero, so that `tanh` does not saturate, and
/// those of vectors above zero, since some are variances. Fields that share a parameter get the same values.
struct Randomise;

impl ModuleMapper for Randomise {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let count = param.shape().num_elements();
        let offset = if D == 1 { 0.4 } else { 0.0 };
        param.map(|t| (wave(count, 0.7 + 1.0 / count as f32, &t.device()) * 0.3 + offset).reshape(t.shape()))
    }
}

fn input() -> Tensor<4> {
    wave(3 * 2 * 6 * 6, 1.3, &Device::flex()).reshape([3, 2, 6, 6])
}

/// Returns the largest difference between Burn's forward pass and the interpreted program with the given weights.
fn difference(net: &Net, weights: &Weights) -> f64 {
    let x = input();
    let program = trace(Net::new, Net::forward, [3, 2, 6, 6]).unwrap();
    let inputs = program.inputs().iter().map(|&v| match program.param_of(v) {
        Some(_) => weights[program.path_of(v)].clone(),
        None => Value::from_floats(program.ty(v).clone(), x.to_data().iter::<f64>().collect()),
    });
    let got = interp::run(&program, inputs.collect()).unwrap();
    let want = net.forward(x).into_data();
    got[0].scalars().zip(want.iter::<f64>()).map(|(a, b)| (a.to_f64() - b).abs()).fold(0.0, f64::max)
}

fn text(errors: Vec<Diagnostic>) -> String {
    errors.iter().map(|e| format!("{e}\n")).collect()
}

/// Returns a matrix with its dimensions exchanged.
fn transposed(weight: &Value) -> Value {
    let [rows, columns] = weight.ty.shape[..] else { panic!("{}", weight.ty) };
    let mut ty = weight.ty.clone();
    (ty.shape[0], ty.shape[1]) = (columns, rows);
    let items = (0..columns * rows).map(|i| weight.get(i % rows * columns + i / rows).to_f64());
    Value::from_floats(ty, items.collect())
}

#[test]
fn weights_have_the_paths_and_types_of_a_traced_program() {
    let program = trace(Net::new, Net::forward, [3, 2, 6, 6]).unwrap();
    let traced: Vec<_> = program.params.values().map(|p| (p.path.clone(), program.ty(p.value).clone())).collect();
    let weights = read_weights(&Net::random()).unwrap();
    let read: Vec<_> = weights.iter().map(|(path, weight)| (path.clone(), weight.ty.clone())).collect();
    assert_eq!(read, traced);
    assert!(weights.contains_key("tied.0") && !weights.contains_key("tied.1"), "{:?}", weights.keys());
}

#[test]
fn burn_and_the_program_agree_on_a_modules_weights() {
    let net = Net::random();
    let mut weights = read_weights(&net).unwrap();
    assert!(difference(&net, &weights) < 1e-4, "{}", difference(&net, &weights));
    // A wrong transpose is detected.
    weights["layers.1.weight"] = transposed(&weights["layers.1.weight"]);
    assert!(difference(&net, &weights) > 1e-2, "{}", difference(&net, &weights));
}

#[test]
fn weights_are_written_into_another_module() {
    let mut weights = read_weights(&Net::random()).unwrap();
    weights.insert("optimizer.m.conv.weight".into(), weights["conv.weight"].clone());
    let net = write_weights(Net::new(&Device::flex()), &weights).unwrap();
    assert!(difference(&net, &weights) < 1e-4, "{}", difference(&net, &weights));
    weights.shift_remove("optimizer.m.conv.weight");
    assert_eq!(read_weights(&net).unwrap(), weights);
    // Parameters are trained or frozen as before, and tied parameters stay tied.
    let mut flags = Flags::default();
    net.clone().train().visit(&mut flags);
    let mut expected = Flags::default();
    Net::new(&Device::flex()).train().visit(&mut expected);
    assert_eq!(flags.0, expected.0);
    assert_eq!(net.tied[0].id, net.tied[1].id);
    let difference = (net.tied[0].val() - net.tied[1].val()).abs().max().into_scalar::<f32>();
    assert_eq!(difference, 0.0);
}

/// For each parameter, true if it is trained.
#[derive(Default)]
struct Flags(Vec<bool>);

impl ModuleVisitor for Flags {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.push(param.val().is_require_grad());
    }
}

#[test]
fn missing_and_mismatched_weights_are_errors() {
    let mut weights = read_weights(&Net::random()).unwrap();
    weights.shift_remove("norm.running_mean");
    weights["conv.weight"].ty.shape[0] = 5;
    let shape = Value::zeros(partita_ir::dtype::Type::new(partita_ir::dtype::DType::F32, [WIDTH + 1, WIDTH]));
    weights["layers.0.weight"] = shape;
    expect_test::expect![[r#"
        error[R002]: `conv.weight` is f32[4, 2, 3, 3] in the module, but f32[5, 2, 3, 3] in the weights
          = help: load the weights of the same module
        error[R001]: the weights do not contain the parameter `norm.running_mean` of the module
          = help: load the weights of the same module
        error[R002]: `layers.0.weight` is f32[16, 16] in the module, but f32[17, 16] in the weights
          = help: load the weights of the same module
    "#]]
    .assert_eq(&text(write_weights(Net::new(&Device::flex()), &weights).unwrap_err()));

    let linear = |inputs, outputs| LinearConfig::new(inputs, outputs).init(&Device::flex());
    let weights = read_weights(&linear(4, 6)).unwrap();
    expect_test::expect![[r#"
        error[R002]: `weight` is f32[6, 4] in the module, but f32[4, 6] in the weights
          = help: transpose `weight`: Burn stores the weight of a linear layer as [inputs, outputs]
        error[R002]: `bias` is f32[4] in the module, but f32[6] in the weights
          = help: load the weights of the same module
    "#]]
    .assert_eq(&text(write_weights(linear(6, 4), &weights).unwrap_err()));
}
