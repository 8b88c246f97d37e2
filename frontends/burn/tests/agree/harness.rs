//! Comparison of a module on Burn's CPU backend with the imported program in the reference interpreter.

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::kind::Basic;
use burn::tensor::{Device, Distribution, Int, Tensor, TensorData};
use partita_burn::capture::{Mode, capture};
use partita_burn::import::{import, weights};
use partita_burn::tensors::{Inputs, Outputs};
use partita_ir::dtype::{DType, Type};
use partita_ir::interp;
use partita_ir::program::{Form, Program};
use partita_ir::tensor::Tensor as Value;
use partita_ir::verify::verify;
use partita_passes::driver::{Findings, Input, Pipeline};
use partita_passes::import::canonicalise::Canonicalise;
use partita_passes::optimising::dce::Dce;
use std::collections::BTreeMap;

/// Largest difference allowed, relative to the largest magnitude of a tensor or to 1.
const TOLERANCE: f64 = 1e-4;

/// One or more tensors with data.
pub trait Data: Clone {
    fn data(&self, into: &mut Vec<TensorData>);
    fn copy_to(&self, device: &Device) -> Self;
}

/// Inputs with data.
pub trait Sample: Inputs + Data {
    fn shapes(&self) -> Self::Shapes;
}

impl<const D: usize, K: Basic> Data for Tensor<D, K> {
    fn data(&self, into: &mut Vec<TensorData>) {
        into.push(self.to_data());
    }
    fn copy_to(&self, device: &Device) -> Self {
        self.clone().to_device(device)
    }
}

impl<T: Data> Data for Vec<T> {
    fn data(&self, into: &mut Vec<TensorData>) {
        self.iter().for_each(|t| t.data(into));
    }
    fn copy_to(&self, device: &Device) -> Self {
        self.iter().map(|t| t.copy_to(device)).collect()
    }
}

impl<const D: usize, K: Basic> Sample for Tensor<D, K> {
    fn shapes(&self) -> [usize; D] {
        self.dims()
    }
}

macro_rules! tuples {
    ($($name:ident . $i:tt),+) => {
        impl<$($name: Data),+> Data for ($($name,)+) {
            fn data(&self, into: &mut Vec<TensorData>) {
                $(self.$i.data(into);)+
            }
            fn copy_to(&self, device: &Device) -> Self {
                ($(self.$i.copy_to(device),)+)
            }
        }
        impl<$($name: Sample),+> Sample for ($($name,)+) {
            fn shapes(&self) -> Self::Shapes {
                ($(self.$i.shapes(),)+)
            }
        }
    };
}
tuples!(A.0, B.1);
tuples!(A.0, B.1, C.2);
tuples!(A.0, B.1, C.2, E.3);

/// A module without parameters.
#[derive(Module, Debug)]
pub struct NoParams;

/// Compares a function of tensors and returns its canonical program.
pub fn function<I: Sample, O: Outputs + Data>(f: impl Fn(I) -> O, inputs: I) -> Program {
    module(NoParams, |_, x| f(x), inputs)
}

/// Compares a module with random parameters and returns its canonical program.
pub fn module<M: Module, I: Sample, O: Outputs + Data>(module: M, forward: impl Fn(&M, I) -> O, inputs: I) -> Program {
    module_in(Mode::Inference, module, forward, inputs)
}

/// Like [`module`], but traced in the given mode.
pub fn module_in<M: Module, I: Sample, O: Outputs + Data>(
    mode: Mode,
    module: M,
    forward: impl Fn(&M, I) -> O,
    inputs: I,
) -> Program {
    let module = module.map(&mut Randomise);
    let mut want = Vec::new();
    forward(&module, inputs.clone()).data(&mut want);

    let init = |device: &Device| module.clone().to_device(device);
    let captured = capture(mode, init, &forward, inputs.shapes()).unwrap();
    let mut program = import(&captured, "test").unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut bindings: BTreeMap<String, Value> = weights(&captured).into_iter().collect();
    let mut given = Vec::new();
    inputs.data(&mut given);
    bindings.extend(given.iter().enumerate().map(|(i, data)| (format!("input.{i}"), value(data))));

    verify(&program).unwrap_or_else(|errors| panic!("{}\n{}", errors[0], partita_ir::text::print(&program)));
    compare(&program, &bindings, &want);
    let pipeline = Pipeline::new(vec![Box::new(Canonicalise), Box::new(Dce(Form::Traced))]).unwrap();
    let ran = pipeline.run(&mut program, &Input::default(), &mut Findings::default(), &mut |_| Ok(()));
    ran.unwrap_or_else(|errors| panic!("{}\n{}", errors[0], partita_ir::text::print(&program)));
    compare(&program, &bindings, &want);
    program
}

fn compare(program: &Program, bindings: &BTreeMap<String, Value>, want: &[TensorData]) {
    let text = || partita_ir::text::print(program);
    let inputs = program.inputs().iter().map(|&v| bindings[program.path_of(v)].clone()).collect();
    let got = interp::run(program, inputs).unwrap_or_else(|e| panic!("{e}\n{}", text()));
    assert_eq!(got.len(), want.len());
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert_eq!(got.ty.shape[..], want.shape().as_slice()[..], "shape of output {i}");
        let want = value(want);
        let largest = want.scalars().map(|x| x.to_f64().abs()).filter(|x| x.is_finite()).fold(1.0, f64::max);
        for (j, (a, b)) in got.scalars().zip(want.scalars()).enumerate() {
            let (a, b) = (a.to_f64(), b.to_f64());
            let same = a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= TOLERANCE * largest;
            assert!(same, "output {i}, element {j}: {a} instead of {b}\n{}", text());
        }
    }
}

/// Converts Burn's data to the interpreter's. Integers become `i64`, as in a trace, whatever type Burn's CPU backend
/// prefers.
pub fn value(data: &TensorData) -> Value {
    let (shape, dtype) = (data.shape().as_slice(), data.dtype());
    if dtype.is_float() {
        return Value::from_floats(Type::new(DType::F32, shape), data.iter::<f64>().collect());
    }
    let kind = if dtype.is_bool() { DType::Bool } else { DType::I64 };
    Value::from_ints(Type::new(kind, shape), data.iter::<i64>().collect())
}

/// Mapper that sets parameters to positive random values, so that variances are valid and scales have an effect.
struct Randomise;

impl ModuleMapper for Randomise {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|t| t.random_like(Distribution::Uniform(0.1, 1.0)))
    }
}

/// Returns random floats in `[-2, 2)`.
pub fn floats<const D: usize>(shape: [usize; D]) -> Tensor<D> {
    Tensor::random(shape, Distribution::Uniform(-2.0, 2.0), &Device::flex())
}

/// Returns random integers in `[0, below)`.
pub fn ints<const D: usize>(shape: [usize; D], below: i64) -> Tensor<D, Int> {
    Tensor::random(shape, Distribution::Uniform(0.0, below as f64), &Device::flex())
}
