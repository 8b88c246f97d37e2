//! Tests of models on meshes: each case is partitioned, and must agree with one device in `f64` and in the model's
//! element types.

use crate::agree::{compare_outputs, join_diagnostics};
use crate::models::{Models, Module};
use crate::plans::{IMAGE_MESHES, MESHES, mesh_name, plan};
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

/// Allowed differences in `f64` and in the model's element types, as measured by [`partita_runtime::check::compare`].
const TOLERANCE_F64: f64 = 1e-9;
const TOLERANCE: f64 = 1e-4;

/// Minimum fraction of the contraction FLOPs that a plan of this crate must shard, except on meshes with the axis
/// `height`.
const MIN_SHARDED_SHARE: f64 = 0.9;

/// A model partitioned by a plan.
pub struct PartitionedModel {
    /// Program in explicit form, in which every value has its global type.
    explicit: Program,
    /// The local program.
    pub local: Program,
    /// Gathers of ops that could not be sharded.
    fallbacks: Vec<Fallback>,
}

impl PartitionedModel {
    /// Partitions a program.
    ///
    /// # Errors
    /// Errors of the passes and of the verifier.
    pub fn new(program: &Program, plan: Plan) -> Result<PartitionedModel, String> {
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
            .map_err(|errors| join_diagnostics(&errors))?;
        Ok(PartitionedModel { explicit, local, fallbacks: findings.fallbacks })
    }

    /// Returns the number of devices.
    pub fn device_count(&self) -> usize {
        self.local.mesh().map_or(1, |(_, mesh)| mesh.device_count())
    }

    /// Returns the fraction of the contraction FLOPs that is sharded. A contraction counts as sharded if a device
    /// computes less than `2 / device_count()` of its FLOPs. An unused axis at least doubles the FLOPs of a device,
    /// while padding costs less.
    pub fn sharded_share(&self) -> f64 {
        let (mut all, mut split) = (0, 0);
        for func in self.explicit.funcs_with_layouts() {
            let one = contraction_flops(&self.explicit, func, |v| v.ty.clone());
            let each = contraction_flops(&self.local, func, Value::local_type);
            for (out, whole) in one {
                let piece = each.get(&out).copied().unwrap_or(whole);
                all += whole;
                split += if piece * (self.device_count() as u64) < 2 * whole { whole } else { 0 };
            }
        }
        if all == 0 { 1.0 } else { split as f64 / all as f64 }
    }

    /// Returns the number of fallback gathers by description.
    pub fn fallbacks(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for f in &self.fallbacks {
            let what = format!("{}, dimension {} of {}: {}", f.kind, f.dim, f.ty, f.why);
            *counts.entry(what).or_default() += 1;
        }
        counts
    }
}

/// Returns the FLOPs of each contraction (dot product or convolution) of a function, keyed by its result, where `ty`
/// returns the type of a value.
fn contraction_flops(program: &Program, func: FuncId, ty: impl Fn(&Value) -> Type) -> BTreeMap<ValueId, u64> {
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

/// A model with random inputs, and its outputs on one device in the model's element types and in `f64`.
pub struct Reference {
    program: Program,
    native: ReferenceRun,
    wide: ReferenceRun,
}

/// Inputs and outputs of a run on one device.
struct ReferenceRun {
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
}

impl Reference {
    /// Runs a model on one device.
    ///
    /// # Errors
    /// Errors of the interpreter.
    pub fn new(program: Program) -> Result<Reference, String> {
        let inputs = interp::random_inputs(&program, 1)?;
        let wide = ReferenceRun {
            inputs: widen_tensors(&inputs),
            outputs: interp::run(&widen(&program), widen_tensors(&inputs))?,
        };
        let native = ReferenceRun { outputs: interp::run(&program, inputs.clone())?, inputs };
        Ok(Reference { program, native, wide })
    }

    /// Returns the model.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Checks that the outputs of a partitioned run agree with those of one device.
    ///
    /// # Errors
    /// Errors of the run, and the outputs that differ.
    pub fn check(&self, parts: &PartitionedModel) -> Result<(), String> {
        let exact = vec![false; self.native.outputs.len()];
        let wide = run(&widen(&parts.local), &self.wide.inputs)?;
        compare_outputs(&self.program, &wide, &self.wide.outputs, &exact, TOLERANCE_F64)
            .map_err(|e| format!("in f64: {e}"))?;
        let native = run(&parts.local, &self.native.inputs)?;
        compare_outputs(&self.program, &native, &self.native.outputs, &exact, TOLERANCE)
    }
}

/// Runs a local program on the devices of its mesh.
///
/// # Errors
/// Errors of the verifier and of the runtime.
pub fn run(local: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
    let proof = verify(local).map_err(|errors| join_diagnostics(&errors))?.into_form().map_err(|e| e.to_string())?;
    Cpu.compile(proof).and_then(|executable| executable.run(inputs)).map_err(|e| e.to_string())
}

/// Selection of meshes on which a module without annotations is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeshSelection {
    /// Every third mesh of [`MESHES`] and [`IMAGE_MESHES`].
    Few,
    /// All meshes.
    All,
}

/// Returns the plans with which a module is checked, with their names. A module with annotations is checked with these
/// alone, any other module with the plans of this crate.
///
/// # Errors
/// An index of arguments that does not match the module.
pub fn cases(
    models: &Models,
    module: &Module,
    program: &Program,
    extent: MeshSelection,
) -> Result<Vec<(String, Plan)>, String> {
    if !module.is_plain() {
        return Ok(vec![("as annotated".into(), Plan::default())]);
    }
    let arguments = models.arguments(module, program.inputs().len())?;
    let has_image = arguments.iter().zip(program.inputs()).any(|(a, &v)| a.is_image(program.ty(v)));
    let step = if extent == MeshSelection::All { 1 } else { 3 };
    let image_meshes = IMAGE_MESHES.iter().step_by(step).filter(|_| has_image);
    let meshes = MESHES.iter().step_by(step).chain(image_meshes);
    let planned = meshes.map(|mesh| Ok((mesh_name(mesh), plan(program, &arguments, mesh).map_err(|e| e.to_string())?)));
    planned.collect()
}

/// Checks a module with all its plans. Returns a description of each case.
///
/// # Errors
/// The failing cases, each with its reason.
pub fn check(models: &Models, module: &Module, extent: MeshSelection) -> Result<Vec<String>, String> {
    let reference = Reference::new(module.import()?)?;
    let (mut output, mut failed) = (Vec::new(), Vec::new());
    for (name, plan) in cases(models, module, &reference.program, extent)? {
        match case(&reference, module, plan) {
            Ok(what) => output.push(format!("{name}: {what}")),
            Err(why) => failed.push(format!("{name}: {why}")),
        }
    }
    if failed.is_empty() { Ok(output) } else { Err(failed.join("\n")) }
}

fn case(reference: &Reference, module: &Module, plan: Plan) -> Result<String, String> {
    let parts = PartitionedModel::new(&reference.program, plan)?;
    let share = parts.sharded_share();
    reference.check(&parts)?;
    let at_height = parts.local.mesh().is_some_and(|(_, mesh)| mesh.axis("height").is_some());
    if module.is_plain() && !at_height && share < MIN_SHARDED_SHARE {
        return Err(format!("shards only {:.1} % of the contraction FLOPs", 100.0 * share));
    }
    let gathered = parts.fallbacks().into_iter().map(|(what, count)| format!("\n    gathers {count} x {what}"));
    Ok(format!("{} devices agree, {:.1} % split{}", parts.device_count(), 100.0 * share, gathered.collect::<String>()))
}
