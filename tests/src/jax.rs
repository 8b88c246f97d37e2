//! Comparison of models with JAX: loss, gradients, and the parameters after one step.

use crate::agree::join_diagnostics;
use crate::matrix::{PartitionedModel, run};
use crate::models::{Argument, JaxResults, Models, Module, Role};
use crate::plans::{mesh_name, plan};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::{self, widen, widen_tensors};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::{Scalar, Tensor};
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;

/// Meshes on which steps are checked in addition to one device: one with even and one with uneven sharding.
const CHECKED_MESHES: [&[(&str, u32)]; 2] = [&[("data", 2), ("model", 4)], &[("data", 3), ("model", 2)]];

/// Allowed difference of losses and parameters, relative to the largest element or 1. In `f64` only the values of JAX
/// are rounded to `f32`.
const TOLERANCE: f64 = 1e-4;
const TOLERANCE_F64: f64 = 1e-5;
/// Allowed difference of gradients, relative to the largest element; gradients are checked in `f64` only.
const TOLERANCE_GRADIENT: f64 = 1e-4;
/// Magnitude below which gradients are rounding noise of `f32`. Adam divides by the gradient's magnitude, so that its
/// parameter update is noise, too.
const NOISE_THRESHOLD: f64 = 1e-8;
/// Number of consecutive steps on one batch whose losses are recorded.
const TRAJECTORY_STEPS: usize = 6;
/// Weight of a new gradient in Adam's first moment, `1 - beta1`.
const ADAM_GRADIENT_WEIGHT: f64 = 0.1;

/// Checks a module without annotations, a loss or a training step that JAX exported, on one device and partitioned.
///
/// # Errors
/// The differing outputs.
pub fn check(models: &Models, golden: &JaxResults, module: &Module) -> Result<(), String> {
    let program = module.import()?;
    let arguments = models.arguments(module, program.inputs().len())?;
    let step = Step::read(golden, module, &program, &arguments)?;
    let wide = widen_tensors(&step.inputs);
    let at = |place: &str, why: String| format!("{place}: {why}");
    step.check(&interp::run(&program, step.inputs.clone())?, TOLERANCE).map_err(|e| at("one device", e))?;
    step.check(&interp::run(&widen(&program), wide.clone())?, TOLERANCE_F64).map_err(|e| at("one device, f64", e))?;
    for mesh in CHECKED_MESHES {
        let place = mesh_name(mesh);
        let plan = plan(&program, &arguments, mesh).map_err(|e| e.to_string())?;
        let local = PartitionedModel::new(&program, plan)?.local;
        step.check(&run(&local, &step.inputs)?, TOLERANCE).map_err(|e| at(&place, e))?;
        step.check(&run(&widen(&local), &wide)?, TOLERANCE_F64).map_err(|e| at(&format!("{place}, f64"), e))?;
    }
    Ok(())
}

/// Trains a forward module with the training step that this compiler derives. Checks the first step on one device and
/// partitioned, and the losses of further steps on the same batch.
///
/// # Errors
/// The differing outputs.
pub fn check_training(models: &Models, golden: &JaxResults, module: &Module) -> Result<(), String> {
    let forward = module.import()?;
    let arguments = models.arguments(module, forward.inputs().len())?;
    let has = |kind: &str| golden.names().map(|names| names.iter().any(|name| name.starts_with(kind)));
    for optimizer in ["sgd", "adam"] {
        if !has(optimizer)? {
            continue;
        }
        let rate = if module.model().starts_with("cnn") { 0.01 } else { 0.1 };
        // The data uses Adam's default parameters.
        let how = if optimizer == "sgd" { format!("sgd?lr={rate}") } else { optimizer.to_owned() };
        let at = |place: &str, why: String| format!("{how}, {place}: {why}");
        let program = training_step(&forward, Plan::default().train(&how))?;
        let step = Step::from_forward(golden, &program, &arguments, optimizer, rate)?;
        let wide = widen_tensors(&step.inputs);
        step.check(&interp::run(&program, step.inputs.clone())?, TOLERANCE).map_err(|e| at("one device", e))?;
        step.check(&interp::run(&widen(&program), wide.clone())?, TOLERANCE_F64).map_err(|e| at("f64", e))?;
        for mesh in CHECKED_MESHES {
            let place = mesh_name(mesh);
            let plan = plan(&program, &arguments, mesh).map_err(|e| e.to_string())?;
            let local = PartitionedModel::new(&program, plan)?.local;
            step.check(&run(&local, &step.inputs)?, TOLERANCE).map_err(|e| at(&place, e))?;
            step.check(&run(&widen(&local), &wide)?, TOLERANCE_F64).map_err(|e| at(&format!("{place}, f64"), e))?;
        }
        if optimizer == "sgd" && rate == 0.1 {
            check_trajectory(golden, &program, wide).map_err(|e| at("later steps", e))?;
        }
    }
    Ok(())
}

/// Returns the training step of a model for a plan with an optimizer.
fn training_step(forward: &Program, plan: Plan) -> Result<Program, String> {
    let mut program = forward.clone();
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    pipelines::build_step(&mut program, &input, &mut findings).map_err(|errors| join_diagnostics(&errors))?;
    Ok(program)
}

/// Checks the losses of consecutive steps on one batch in `f64`.
fn check_trajectory(golden: &JaxResults, program: &Program, inputs: Vec<Tensor>) -> Result<(), String> {
    let ty = Type::new(DType::F32, [TRAJECTORY_STEPS]);
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
            if let Some(at) = main.inputs.iter().position(|&input| Some(input) == output.replaces) {
                inputs[at] = new;
            }
        }
    }
    Ok(())
}

/// Inputs of one training step or one loss evaluation, with the expected outputs.
struct Step {
    inputs: Vec<Tensor>,
    wanted: Vec<ExpectedOutput>,
}

/// Expected value of one output from JAX.
struct ExpectedOutput {
    name: String,
    output: usize,
    reading: Interpretation,
    tensor: Vec<f64>,
    /// True for elements that are rounding noise.
    exempt: Vec<bool>,
}

/// Quantity that is computed from an output and compared.
enum Interpretation {
    /// The output.
    Value,
    /// The gradient: the output minus `origin`, multiplied by `factor`.
    Gradient { origin: Vec<f64>, factor: f64 },
}

impl Step {
    fn read(golden: &JaxResults, module: &Module, program: &Program, arguments: &[Argument]) -> Result<Step, String> {
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
        step.expect_output("loss", 0, Interpretation::Value, loss, Vec::new());
        if program.outputs().len() == 1 {
            return Ok(step);
        }
        let adam = module.program() == "adam";
        let params = || arguments.iter().zip(&types).enumerate().filter(|(_, (a, _))| a.role == Role::Param);
        let count = params().count();
        for (at, (argument, ty)) in params() {
            let gradient = floats(&fetch("grad", argument, ty)?);
            let updated = floats(&fetch(if adam { "adam" } else { "sgd" }, argument, ty)?);
            let exempt = gradient.iter().map(|g| adam && g.abs() < NOISE_THRESHOLD).collect();
            // Results are the loss, then the arguments without the batch: parameters, first moments, ...
            let (output, reading) = if adam {
                let origin = vec![0.0; gradient.len()];
                (1 + count + at, Interpretation::Gradient { origin, factor: 1.0 / ADAM_GRADIENT_WEIGHT })
            } else {
                let origin = floats(&step.inputs[at]);
                (1 + at, Interpretation::Gradient { origin, factor: -1.0 / module.learning_rate() })
            };
            step.expect_output(&format!("gradient of {}", argument.name), output, reading, gradient, Vec::new());
            step.expect_output(&format!("updated {}", argument.name), 1 + at, Interpretation::Value, updated, exempt);
        }
        Ok(step)
    }

    /// Returns the step that this compiler derives from a forward module, with the expected outputs of JAX.
    fn from_forward(
        golden: &JaxResults,
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
                None => interp::initial_optimizer_state(program, value).ok_or("an input that is not an argument")?,
            });
        }
        let loss = floats(&fetch("loss", "", &Type::new(DType::F32, [1]))?);
        let mut step = Step { inputs, wanted: Vec::new() };
        step.expect_output("loss", 0, Interpretation::Value, loss, Vec::new());
        let replacement = |input: ValueId| main.outputs.iter().position(|o| o.replaces == Some(input));
        for (i, (argument, &value)) in arguments.iter().zip(&main.inputs).enumerate() {
            if argument.role != Role::Param {
                continue;
            }
            let (name, ty) = (&argument.name, program.ty(value));
            let param = program.param_of(value).ok_or_else(|| format!("{name} is not a parameter"))?;
            let output = replacement(value).ok_or_else(|| format!("{name} is not trained"))?;
            let gradient = floats(&fetch("grad", name, ty)?);
            let updated = floats(&fetch(optimizer, name, ty)?);
            let adam = optimizer == "adam";
            let exempt = gradient.iter().map(|g| adam && g.abs() < NOISE_THRESHOLD).collect();
            let (from, reading) = if adam {
                // The first state of a parameter is the first moment.
                let mean = program.params.values().find(|p| p.parent == Some(param));
                let mean = mean.and_then(|mean| replacement(mean.value));
                let origin = vec![0.0; gradient.len()];
                (mean.ok_or("no state")?, Interpretation::Gradient { origin, factor: 1.0 / ADAM_GRADIENT_WEIGHT })
            } else {
                (output, Interpretation::Gradient { origin: floats(&step.inputs[i]), factor: -1.0 / rate })
            };
            step.expect_output(&format!("gradient of {name}"), from, reading, gradient, Vec::new());
            step.expect_output(&format!("updated {name}"), output, Interpretation::Value, updated, exempt);
        }
        Ok(step)
    }

    fn expect_output(
        &mut self,
        name: &str,
        output: usize,
        reading: Interpretation,
        tensor: Vec<f64>,
        exempt: Vec<bool>,
    ) {
        self.wanted.push(ExpectedOutput { name: name.into(), output, reading, tensor, exempt });
    }

    /// Compares the outputs of a run.
    fn check(&self, outputs: &[Tensor], tolerance: f64) -> Result<(), String> {
        let off: Vec<String> = self.wanted.iter().filter_map(|w| w.check(outputs, tolerance).err()).collect();
        if off.is_empty() { Ok(()) } else { Err(off.join(", ")) }
    }
}

impl ExpectedOutput {
    fn check(&self, outputs: &[Tensor], tolerance: f64) -> Result<(), String> {
        let output = outputs.get(self.output).ok_or_else(|| format!("{} is missing", self.name))?;
        let got = floats(output);
        let largest = self.tensor.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        let (got, allowed) = match &self.reading {
            Interpretation::Value => (got, tolerance * largest.max(1.0)),
            // A difference of parameters rounded to f32 is too inaccurate for the gradient.
            Interpretation::Gradient { .. } if output.ty.dtype != DType::F64 => return Ok(()),
            Interpretation::Gradient { origin, factor } => {
                let gradient = got.iter().zip(origin).map(|(x, o)| (x - o) * factor).collect();
                (gradient, (TOLERANCE_GRADIENT * largest).max(NOISE_THRESHOLD))
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
