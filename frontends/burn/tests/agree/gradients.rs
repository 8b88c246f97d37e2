//! Gradients of the built-in models, compared with Burn's autodiff.

use super::harness::{Sample, floats, ints, value};
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Distribution, Gradients, Int, Tensor};
use partita_burn::capture::{Mode, capture};
use partita_burn::import::{import, weights};
use partita_burn::zoo::bert::Bert;
use partita_burn::zoo::gpt::Gpt;
use partita_burn::zoo::loss::{cross_entropy, mean_squared_error};
use partita_burn::zoo::mlp::Mlp;
use partita_burn::zoo::mnist_cnn::MnistCnn;
use partita_burn::zoo::moe::{Moe, MoeConfig};
use partita_burn::zoo::transformer::BlockConfig;
use partita_ir::arena::ValueId;
use partita_ir::interp;
use partita_ir::program::{Form, ParamKind, Program};
use partita_ir::tensor::Tensor as Value;
use partita_ir::verify::verify;
use partita_passes::driver::{Findings, Input, Pass, Pipeline};
use partita_passes::import::canonicalise::Canonicalise;
use partita_passes::import::raise::Raise;
use partita_passes::optimising::dce::Dce;
use partita_passes::training::differentiate::gradients;
use std::collections::BTreeMap;

/// Largest difference allowed, relative to the largest element of a gradient.
const TOLERANCE: f64 = 1e-3;

const BLOCK: BlockConfig = BlockConfig { width: 8, heads: 2, hidden: 16, dropout: 0.0, causal: true };
type Ids = Tensor<2, Int>;

/// Mapper that sets parameters to small random values of both signs.
struct Randomise;

impl ModuleMapper for Randomise {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|t| t.random_like(Distribution::Uniform(-0.7, 0.7)))
    }
}

/// Visitor that collects Burn's gradients by parameter path.
struct GradientCollector<'g> {
    path: Vec<String>,
    gradients: &'g Gradients,
    found: BTreeMap<String, Value>,
}

impl ModuleVisitor for GradientCollector<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = param.base().grad(self.gradients) {
            self.found.insert(self.path.join("."), value(&gradient.to_data()));
        }
    }
}

/// Compares the gradient of each parameter, with and without raised composites.
fn check<M: Module, I: Sample>(module: M, loss: impl Fn(&M, I) -> Tensor<1>, inputs: I) {
    let module = module.map(&mut Randomise);
    let learning = module.clone().train();
    let gradients = loss(&learning, inputs.copy_to(&Device::flex().autodiff())).backward();
    let mut want = GradientCollector { path: vec![], gradients: &gradients, found: BTreeMap::new() };
    learning.visit(&mut want);

    let init = |device: &Device| module.clone().to_device(device);
    let captured = capture(Mode::Inference, init, &loss, inputs.shapes()).unwrap();
    let program = import(&captured, "test").unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut bindings: BTreeMap<String, Value> = weights(&captured).into_iter().collect();
    let mut given = Vec::new();
    inputs.data(&mut given);
    bindings.extend(given.iter().enumerate().map(|(i, data)| (format!("input.{i}"), value(data))));
    compare(program.clone(), &bindings, &want.found, vec![Box::new(Canonicalise), Box::new(Dce(Form::Traced))]);
    let raised: Vec<Box<dyn Pass>> = vec![Box::new(Canonicalise), Box::new(Raise), Box::new(Dce(Form::Traced))];
    compare(program, &bindings, &want.found, raised);
}

fn compare(
    mut program: Program,
    bindings: &BTreeMap<String, Value>,
    want: &BTreeMap<String, Value>,
    passes: Vec<Box<dyn Pass>>,
) {
    let pipeline = Pipeline::new(passes).unwrap();
    let ran = pipeline.run(&mut program, &Input::default(), &mut Findings::default(), &mut |_| Ok(()));
    ran.unwrap_or_else(|errors| panic!("{}\n{}", errors[0], partita_ir::text::print(&program)));
    let trained = program.params.values().filter(|p| p.kind == ParamKind::Trainable);
    let (paths, wrt): (Vec<String>, Vec<ValueId>) = trained.map(|p| (p.path.clone(), p.value)).unzip();
    let loss = program.outputs()[0].value;
    let found = gradients(&mut program, loss, &wrt)
        .unwrap_or_else(|errors| panic!("{}\n{}", errors[0], partita_ir::text::print(&program)));
    program.outputs_mut().clear();
    let with: Vec<(String, ValueId)> = paths.into_iter().zip(found).filter_map(|(path, v)| Some((path, v?))).collect();
    with.iter().for_each(|(path, gradient)| program.output(path.as_str(), *gradient));
    let text = || partita_ir::text::print(&program);
    verify(&program).unwrap_or_else(|errors| panic!("{}\n{}", errors[0], text()));
    let inputs = program.inputs().iter().map(|&v| bindings[program.path_of(v)].clone()).collect();
    let got = interp::run(&program, inputs).unwrap_or_else(|e| panic!("{e}\n{}", text()));
    assert!(want.keys().eq(with.iter().map(|(path, _)| path).collect::<std::collections::BTreeSet<_>>()));
    for ((path, _), got) in with.iter().zip(got) {
        let want = &want[path];
        assert_eq!(got.ty, want.ty, "{path}");
        let largest = want.scalars().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
        for (i, (a, b)) in got.scalars().zip(want.scalars()).enumerate() {
            let (a, b) = (a.to_f64(), b.to_f64());
            let close = (a - b).abs() <= TOLERANCE * largest + 1e-7;
            assert!(close, "element {i} of the gradient of {path}: {a} instead of {b}\n{}", text());
        }
    }
}

#[test]
fn mlp() {
    let loss = |m: &Mlp, (x, y): (Tensor<2>, Tensor<2>)| mean_squared_error(m.forward(x), y);
    check(Mlp::new(4, 6, 9, 0.0, &Device::flex()), loss, (floats([5, 6]), floats([5, 6])));
}

#[test]
fn mnist_cnn() {
    let loss = |m: &MnistCnn, (x, y): (Tensor<4>, Ids)| cross_entropy(m.forward(x), y);
    let images = floats([3, 1, 10, 10]);
    check(MnistCnn::new(10, 7, 0.0, false, &Device::flex()), loss, (images, ints([3, 1], 7)));
}

#[test]
fn gpt() {
    for tied in [true, false] {
        let gpt = Gpt::new(2, &BLOCK, 5, 11, tied, &Device::flex());
        let loss = |m: &Gpt, (x, y): (Ids, Ids)| cross_entropy(m.forward(x), y.unsqueeze_dim(2));
        check(gpt, loss, (ints([2, 5], 11), ints([2, 5], 11)));
    }
}

#[test]
fn bert() {
    let config = BlockConfig { causal: false, ..BLOCK };
    let bert = Bert::new(2, &config, 5, 11, true, &Device::flex());
    let loss = |m: &Bert, (x, s, y): (Ids, Ids, Ids)| cross_entropy(m.forward(x, s), y.unsqueeze_dim(2));
    check(bert, loss, (ints([2, 5], 11), ints([2, 5], 2), ints([2, 5], 11)));
}

#[test]
fn moe() {
    let config = MoeConfig { experts: 3, width: 8, hidden: 12, capacity: 2, dropout: 0.0 };
    let moe = Moe::new(2, &config, &Device::flex());
    let loss = |m: &Moe, (x, y): (Tensor<3>, Tensor<3>)| {
        let (out, balance) = m.forward(x);
        mean_squared_error(out, y) + Tensor::cat(balance, 0).sum() * 0.01
    };
    check(moe, loss, (floats([2, 6, 8]), floats([2, 6, 8])));
}
