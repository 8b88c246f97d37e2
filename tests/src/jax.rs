//! Models against what JAX computed: loss, gradients, and the parameters after one step.

use crate::agree::join;
use crate::matrix::{Parts, run};
use crate::models::{Argument, Golden, Models, Module, Role};
use crate::plans::{name, plan};
use partita_ir::arena::ParamId;
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::{self, widen, widen_tensors};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::{Scalar, Tensor};
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;

/// Where steps are checked besides one device: an even mesh and an uneven one.
const MESHES: [&[(&str, u32)]; 2] = [&[("data", 2), ("model", 4)], &[("data", 3), ("model", 2)]];

/// Difference allowed to losses and parameters, relative to the larger of 1 and the largest; in `f64` only JAX rounds.
const TOLERANCE: f64 = 1e-4;
const TOLERANCE_F64: f64 = 1e-5;
/// Difference allowed to gradients, relative to the largest; they are looked at in `f64` only.
const TOLERANCE_GRADIENT: f64 = 1e-4;
/// What is below this is noise of `f32`, and so is the step of Adam, which divides by the gradient's size.
const NOISE: f64 = 1e-8;
/// How many losses of steps on one batch there are.
const STEPS: usize = 6;
/// The weight of a new gradient in Adam's mean of them.
const ADAM_MEAN: f64 = 0.1;

/// Checks a plain module on one device and partitioned.
///
/// # Errors
/// What differs.
pub fn check(models: &Models, golden: &Golden, module: &Module) -> Result<(), String> {
    let program = module.import()?;
    let arguments = models.arguments(module, program.inputs().len())?;
    let step = Step::read(golden, module, &program, &arguments)?;
    let wide = widen_tensors(&step.inputs);
    let at = |place: &str, why: String| format!("{place}: {why}");
    step.check(&interp::run(&program, step.inputs.clone())?, TOLERANCE).map_err(|e| at("one device", e))?;
    step.check(&interp::run(&widen(&program), wide.clone())?, TOLERANCE_F64).map_err(|e| at("one device, f64", e))?;
    for mesh in MESHES {
        let place = name(mesh);
        let plan = plan(&program, &arguments, mesh).map_err(|e| e.to_string())?;
        let local = Parts::of(&program, plan)?.local;
        step.check(&run(&local, &step.inputs)?, TOLERANCE).map_err(|e| at(&place, e))?;
        step.check(&run(&widen(&local), &wide)?, TOLERANCE_F64).map_err(|e| at(&format!("{place}, f64"), e))?;
    }
    Ok(())
}

/// Trains a forward module by steps of our own making, and checks the first one on one device and partitioned, and the
/// losses of those that follow on the same batch.
///
/// # Errors
/// What differs.
pub fn check_training(models: &Models, golden: &Golden, module: &Module) -> Result<(), String> {
    let forward = module.import()?;
    let arguments = models.arguments(module, forward.inputs().len())?;
    let has = |kind: &str| golden.names().map(|names| names.iter().any(|name| name.starts_with(kind)));
    for optimizer in ["sgd", "adam"] {
        if !has(optimizer)? {
            continue;
        }
        let rate = if module.model().starts_with("cnn") { 0.01 } else { 0.1 };
        // Adam's defaults are those of the data.
        let how = if optimizer == "sgd" { format!("sgd?lr={rate}") } else { optimizer.to_owned() };
        let at = |place: &str, why: String| format!("{how}, {place}: {why}");
        let program = made(&forward, Plan::default().train(&how))?;
        let step = Step::made(golden, &program, &arguments, optimizer, rate)?;
        let wide = widen_tensors(&step.inputs);
        step.check(&interp::run(&program, step.inputs.clone())?, TOLERANCE).map_err(|e| at("one device", e))?;
        step.check(&interp::run(&widen(&program), wide.clone())?, TOLERANCE_F64).map_err(|e| at("f64", e))?;
        for mesh in MESHES {
            let place = name(mesh);
            let plan = plan(&program, &arguments, mesh).map_err(|e| e.to_string())?;
            let local = Parts::of(&program, plan)?.local;
            step.check(&run(&local, &step.inputs)?, TOLERANCE).map_err(|e| at(&place, e))?;
            step.check(&run(&widen(&local), &wide)?, TOLERANCE_F64).map_err(|e| at(&format!("{place}, f64"), e))?;
        }
        if optimizer == "sgd" && rate == 0.1 {
            trajectory(golden, &program, wide).map_err(|e| at("later steps", e))?;
        }
    }
    Ok(())
}

/// The training step of a model.
fn made(forward: &Program, plan: Plan) -> Result<Program, String> {
    let mut program = forward.clone();
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    pipelines::make_step(&mut program, &input, &mut findings).map_err(|errors| join(&errors))?;
    Ok(program)
}

/// The losses of steps on one batch.
fn trajectory(golden: &Golden, program: &Program, inputs: Vec<Tensor>) -> Result<(), String> {
    let ty = Type::new(DType::F32, [STEPS]);
    let wanted = golden.tensors([("sgd_loss_trajectory".to_owned(), ty)])?;
    let (program, mut inputs) = (widen(program), inputs);
    let main = &program.funcs[program.entry()];
    for (step, wanted) in wanted.iter().flat_map(floats).enumerate() {
        let outputs = interp::run(&program, inputs.clone())?;
        let loss = outputs[0].get(0).to_f64();
        if (loss - wanted).abs() > TOLERANCE * wanted.abs().max(1.0) {
            return Err(format!("the loss of step {step} is {loss}, not {wanted}"));
        }
        for (output, new) in main.outputs.iter().zip(outputs) {
            let replaced = output.alias.and_then(|p| main.inputs.iter().position(|&v| v == program.params[p].value));
            if let Some(at) = replaced {
                inputs[at] = new;
            }
        }
    }
    Ok(())
}

/// One step of training, or one loss.
struct Step {
    inputs: Vec<Tensor>,
    wanted: Vec<Wanted>,
}

/// What JAX says about one output.
struct Wanted {
    name: String,
    output: usize,
    reading: Reading,
    tensor: Vec<f64>,
    /// Elements that are noise.
    exempt: Vec<bool>,
}

/// What an output says.
enum Reading {
    /// The value itself.
    Value,
    /// The gradient, once the origin is taken away and the rest multiplied.
    Gradient { origin: Vec<f64>, factor: f64 },
}

impl Step {
    fn read(golden: &Golden, module: &Module, program: &Program, arguments: &[Argument]) -> Result<Step, String> {
        let types: Vec<&Type> = program.inputs().iter().map(|&v| program.ty(v)).collect();
        let fetch = |kind: &str, argument: &Argument, ty: &Type| -> Result<Tensor, String> {
            golden.tensors([(format!("{kind}{}", argument.name), ty.clone())])?.pop().ok_or_else(|| "nothing".into())
        };
        let inputs = arguments.iter().zip(&types).map(|(argument, ty)| match argument.role {
            Role::Param => fetch("param", argument, ty),
            Role::Batch => fetch("batch", argument, ty),
            Role::Moment | Role::Step => Ok(Tensor::zeros((*ty).clone())),
        });
        let inputs: Vec<Tensor> = inputs.collect::<Result<_, _>>()?;
        let loss = Argument { role: Role::Batch, name: String::new() };
        let loss = floats(&fetch("loss", &loss, &Type::new(DType::F32, [1]))?);
        let mut step = Step { inputs, wanted: Vec::new() };
        step.want("loss", 0, Reading::Value, loss, Vec::new());
        if program.outputs().len() == 1 {
            return Ok(step);
        }
        let adam = module.program() == "adam";
        let params = || arguments.iter().zip(&types).enumerate().filter(|(_, (a, _))| a.role == Role::Param);
        let count = params().count();
        for (at, (argument, ty)) in params() {
            let gradient = floats(&fetch("grad", argument, ty)?);
            let updated = floats(&fetch(if adam { "adam" } else { "sgd" }, argument, ty)?);
            let exempt = gradient.iter().map(|g| adam && g.abs() < NOISE).collect();
            // Results are the loss, then the arguments without the batch: parameters, means of gradients, ...
            let (output, reading) = if adam {
                let origin = vec![0.0; gradient.len()];
                (1 + count + at, Reading::Gradient { origin, factor: 1.0 / ADAM_MEAN })
            } else {
                let origin = floats(&step.inputs[at]);
                (1 + at, Reading::Gradient { origin, factor: -1.0 / module.rate() })
            };
            step.want(&format!("gradient of {}", argument.name), output, reading, gradient, Vec::new());
            step.want(&format!("updated {}", argument.name), 1 + at, Reading::Value, updated, exempt);
        }
        Ok(step)
    }

    /// A step of our own making.
    fn made(
        golden: &Golden,
        program: &Program,
        arguments: &[Argument],
        optimizer: &str,
        rate: f64,
    ) -> Result<Step, String> {
        let main = &program.funcs[program.entry()];
        let fetch = |kind: &str, name: &str, ty: &Type| -> Result<Tensor, String> {
            golden.tensors([(format!("{kind}{name}"), ty.clone())])?.pop().ok_or_else(|| "nothing".into())
        };
        let mut inputs = Vec::new();
        for (i, &value) in main.inputs.iter().enumerate() {
            inputs.push(match arguments.get(i) {
                Some(a) if a.role == Role::Param => fetch("param", &a.name, program.ty(value))?,
                Some(a) => fetch("batch", &a.name, program.ty(value))?,
                None => interp::starting_state(program, value).ok_or("an input that is no argument")?,
            });
        }
        let loss = floats(&fetch("loss", "", &Type::new(DType::F32, [1]))?);
        let mut step = Step { inputs, wanted: Vec::new() };
        step.want("loss", 0, Reading::Value, loss, Vec::new());
        let replaces = |param: ParamId| main.outputs.iter().position(|o| o.alias == Some(param));
        for (i, (argument, &value)) in arguments.iter().zip(&main.inputs).enumerate() {
            if argument.role != Role::Param {
                continue;
            }
            let (name, ty) = (&argument.name, program.ty(value));
            let param = program.param_of(value).ok_or_else(|| format!("{name} is no parameter"))?;
            let output = replaces(param).ok_or_else(|| format!("{name} is not trained"))?;
            let gradient = floats(&fetch("grad", name, ty)?);
            let updated = floats(&fetch(optimizer, name, ty)?);
            let adam = optimizer == "adam";
            let exempt = gradient.iter().map(|g| adam && g.abs() < NOISE).collect();
            let (from, reading) = if adam {
                // The first of its states is the mean of gradients.
                let mean = program.params.iter().find(|(_, p)| p.of == Some(param)).and_then(|(id, _)| replaces(id));
                let origin = vec![0.0; gradient.len()];
                (mean.ok_or("no state")?, Reading::Gradient { origin, factor: 1.0 / ADAM_MEAN })
            } else {
                (output, Reading::Gradient { origin: floats(&step.inputs[i]), factor: -1.0 / rate })
            };
            step.want(&format!("gradient of {name}"), from, reading, gradient, Vec::new());
            step.want(&format!("updated {name}"), output, Reading::Value, updated, exempt);
        }
        Ok(step)
    }

    fn want(&mut self, name: &str, output: usize, reading: Reading, tensor: Vec<f64>, exempt: Vec<bool>) {
        self.wanted.push(Wanted { name: name.into(), output, reading, tensor, exempt });
    }

    /// Compares the outputs of a run.
    fn check(&self, outputs: &[Tensor], tolerance: f64) -> Result<(), String> {
        let off: Vec<String> = self.wanted.iter().filter_map(|w| w.check(outputs, tolerance).err()).collect();
        if off.is_empty() { Ok(()) } else { Err(off.join(", ")) }
    }
}

impl Wanted {
    fn check(&self, outputs: &[Tensor], tolerance: f64) -> Result<(), String> {
        let output = outputs.get(self.output).ok_or_else(|| format!("{} is missing", self.name))?;
        let got = floats(output);
        let largest = self.tensor.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        let (got, allowed) = match &self.reading {
            Reading::Value => (got, tolerance * largest.max(1.0)),
            // A difference of parameters that were rounded to f32 says little about the gradient.
            Reading::Gradient { .. } if output.ty.dtype != DType::F64 => return Ok(()),
            Reading::Gradient { origin, factor } => {
                let gradient = got.iter().zip(origin).map(|(x, o)| (x - o) * factor).collect();
                (gradient, (TOLERANCE_GRADIENT * largest).max(NOISE))
            }
        };
        if got.len() != self.tensor.len() {
            return Err(format!("{} has {} elements, not {}", self.name, got.len(), self.tensor.len()));
        }
        let exempt = |i: usize| self.exempt.get(i).copied().unwrap_or(false);
        let pairs = got.iter().zip(&self.tensor).enumerate().filter(|(i, _)| !exempt(*i));
        let off = pairs
            .map(|(_, (a, b))| (a - b).abs())
            .fold(0.0, |worst: f64, d| if d > worst || d.is_nan() { d } else { worst });
        if off <= allowed { Ok(()) } else { Err(format!("{} is off by {off:e}, allowed {allowed:e}", self.name)) }
    }
}

fn floats(tensor: &Tensor) -> Vec<f64> {
    tensor.scalars().map(Scalar::to_f64).collect()
}
