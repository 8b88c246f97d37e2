//! Models times meshes: each case is partitioned, and must agree with one device in `f64` and in the model's element
//! types.

use crate::agree::{agree, join};
use crate::models::{Models, Module};
use crate::plans::{IMAGE_MESHES, MESHES, name, plan};
use partita_cpu::Cpu;
use partita_ir::arena::{FuncId, ValueId};
use partita_ir::dtype::Type;
use partita_ir::interp::{self, widen, widen_tensors};
use partita_ir::op::OpKind;
use partita_ir::plan::Plan;
use partita_ir::program::{Form, Program, Value};
use partita_ir::tensor::Tensor;
use partita_ir::verify::verify;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Fallback, Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use std::collections::BTreeMap;

/// Differences allowed, as [`partita_runtime::check::compare`] measures them.
const TOLERANCE_F64: f64 = 1e-9;
const TOLERANCE: f64 = 1e-4;

/// The part of the arithmetic of contractions that a plan of ours must split.
const MUST_SPLIT: f64 = 0.9;

/// A model by a plan.
pub struct Parts {
    /// Before the last step: every value with its global type.
    explicit: Program,
    /// One device's program.
    pub local: Program,
    /// What was gathered.
    fallbacks: Vec<Fallback>,
}

impl Parts {
    /// Partitions a program.
    ///
    /// # Errors
    /// Those of the passes and of the verifier.
    pub fn of(program: &Program, plan: Plan) -> Result<Parts, String> {
        let (input, mut findings) = (Input::with_plan(plan), Findings::default());
        let (mut local, mut explicit) = (program.clone(), program.clone());
        let run = |pipeline: partita_passes::driver::Pipeline| {
            pipeline.run(&mut local, &input, &mut findings, &mut |ran| {
                if ran.program.form == Form::Explicit {
                    explicit = ran.program.clone();
                }
                Ok(())
            })
        };
        pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default())
            .map_err(|e| vec![e])
            .and_then(run)
            .map_err(|errors| join(&errors))?;
        Ok(Parts { explicit, local, fallbacks: findings.fallbacks })
    }

    /// How many devices there are.
    pub fn devices(&self) -> usize {
        self.local.mesh().map_or(1, |(_, mesh)| mesh.device_count())
    }

    /// The part of the contractions' arithmetic that is done in pieces: by operations of which a device does less than
    /// twice its share. (Where an axis is not used it does at least twice its share; padding costs less.)
    pub fn split_share(&self) -> f64 {
        let (mut all, mut split) = (0, 0);
        for func in self.explicit.laid_out_funcs() {
            let one = contractions(&self.explicit, func, |v| v.ty.clone());
            let each = contractions(&self.local, func, Value::local_type);
            for (out, whole) in one {
                let piece = each.get(&out).copied().unwrap_or(whole);
                all += whole;
                split += if piece * (self.devices() as u64) < 2 * whole { whole } else { 0 };
            }
        }
        if all == 0 { 1.0 } else { split as f64 / all as f64 }
    }

    /// What was gathered because an op could not split it, in words, and how often.
    pub fn fallbacks(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for f in &self.fallbacks {
            let what = format!("{}, dimension {} of {}: {}", f.kind, f.dim, f.ty, f.why);
            *counts.entry(what).or_default() += 1;
        }
        counts
    }
}

/// The arithmetic of each contraction of a function, by its result, on the types that values have.
fn contractions(program: &Program, func: FuncId, ty: impl Fn(&Value) -> Type) -> BTreeMap<ValueId, u64> {
    let mut found = BTreeMap::new();
    for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
        if !matches!(op.kind, OpKind::DotGeneral(_) | OpKind::Convolution(_)) {
            continue;
        }
        let types = |values: &[ValueId]| values.iter().map(|&v| ty(&program.values[v])).collect::<Vec<_>>();
        let (args, outs) = (types(&op.args), types(&op.outs));
        let flops = op.kind.flops(&args.iter().collect::<Vec<_>>(), &outs.iter().collect::<Vec<_>>());
        found.extend(op.outs.first().map(|&out| (out, flops)));
    }
    found
}

/// A model with random data, and what one device makes of it.
pub struct Reference {
    program: Program,
    native: Runs,
    wide: Runs,
}

/// Inputs and outputs.
struct Runs {
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
}

impl Reference {
    /// Runs a model on one device.
    ///
    /// # Errors
    /// Those of the interpreter.
    pub fn of(program: Program) -> Result<Reference, String> {
        let inputs = interp::random_inputs(&program, 1)?;
        let wide =
            Runs { inputs: widen_tensors(&inputs), outputs: interp::run(&widen(&program), widen_tensors(&inputs))? };
        let native = Runs { outputs: interp::run(&program, inputs.clone())?, inputs };
        Ok(Reference { program, native, wide })
    }

    /// Whether all devices agree with one.
    ///
    /// # Errors
    /// Those of the run, and the outputs that differ.
    pub fn check(&self, parts: &Parts) -> Result<(), String> {
        let exact = vec![false; self.native.outputs.len()];
        let wide = run(&widen(&parts.local), &self.wide.inputs)?;
        agree(&self.program, &wide, &self.wide.outputs, &exact, TOLERANCE_F64).map_err(|e| format!("in f64: {e}"))?;
        let native = run(&parts.local, &self.native.inputs)?;
        agree(&self.program, &native, &self.native.outputs, &exact, TOLERANCE)
    }
}

/// Runs a local program on the devices of its mesh.
///
/// # Errors
/// Those of the verifier and of the runtime.
pub fn run(local: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
    let proof = verify(local).map_err(|errors| join(&errors))?.of().map_err(|e| e.to_string())?;
    Cpu.compile(proof).and_then(|executable| executable.run(inputs)).map_err(|e| e.to_string())
}

/// Which meshes a plain module is checked on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// A few that are unlike each other.
    Few,
    /// All.
    All,
}

/// The plans by which a module is checked, with their names: only its annotations or, if it is plain, plans of our own.
///
/// # Errors
/// The index does not fit the module.
pub fn cases(
    models: &Models,
    module: &Module,
    program: &Program,
    extent: Extent,
) -> Result<Vec<(String, Plan)>, String> {
    if !module.is_plain() {
        return Ok(vec![("as annotated".into(), Plan::default())]);
    }
    let arguments = models.arguments(module, program.inputs().len())?;
    let has_image = arguments.iter().zip(program.inputs()).any(|(a, &v)| a.is_image(program.ty(v)));
    let step = if extent == Extent::All { 1 } else { 3 };
    let image_meshes = IMAGE_MESHES.iter().step_by(step).filter(|_| has_image);
    let meshes = MESHES.iter().step_by(step).chain(image_meshes);
    let planned = meshes.map(|mesh| Ok((name(mesh), plan(program, &arguments, mesh).map_err(|e| e.to_string())?)));
    planned.collect()
}

/// Checks a module as it is annotated or, if it is plain, by plans of our own. What was found in words, case by case.
///
/// # Errors
/// The cases that fail, each with its reason.
pub fn check(models: &Models, module: &Module, extent: Extent) -> Result<Vec<String>, String> {
    let reference = Reference::of(module.import()?)?;
    let (mut told, mut failed) = (Vec::new(), Vec::new());
    for (name, plan) in cases(models, module, &reference.program, extent)? {
        match case(&reference, module, plan) {
            Ok(what) => told.push(format!("{name}: {what}")),
            Err(why) => failed.push(format!("{name}: {why}")),
        }
    }
    if failed.is_empty() { Ok(told) } else { Err(failed.join("\n")) }
}

fn case(reference: &Reference, module: &Module, plan: Plan) -> Result<String, String> {
    let parts = Parts::of(&reference.program, plan)?;
    let share = parts.split_share();
    reference.check(&parts)?;
    let at_height = parts.local.mesh().is_some_and(|(_, mesh)| mesh.axis("height").is_some());
    if module.is_plain() && !at_height && share < MUST_SPLIT {
        return Err(format!("splits only {:.1} % of the contractions", 100.0 * share));
    }
    let gathered = parts.fallbacks().into_iter().map(|(what, count)| format!("\n    gathers {count} x {what}"));
    Ok(format!("{} devices agree, {:.1} % split{}", parts.devices(), 100.0 * share, gathered.collect::<String>()))
}
