//! Warnings for plan options that have no effect on a model, each with a way to resolve it.
//!
//! An imported training step contains its own update. Freezing, recomputation, precision and gradient buckets apply to
//! it as to a step that `train` builds, and have an effect without `train`. A function that returns gradients has all
//! of these but an update.

use crate::import::updates::replacements;
use crate::partitioning::overlap_matmul::{is_overlapping_exchange, names_collectives};
use crate::precision::quantise::INT8;
use partita_ir::arena::{AxisId, Id};
use partita_ir::class::Collective;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::mesh::DeviceMesh;
use partita_ir::pipeline::BOUNDARY_PREFIX;
use partita_ir::plan::{Plan, PlanEntry, SourceText, stated_layouts};
use partita_ir::program::{Output, Phase, Program};
use rustc_hash::FxHashSet;

/// A plan together with the programs that it led to.
#[derive(Clone, Copy, Debug)]
pub struct AppliedPlan<'a> {
    /// The plan as written, before presets are applied.
    pub plan: &'a Plan,
    /// The programs before they are partitioned, one for each chunk of a pipeline.
    pub global: &'a [&'a Program],
    /// The local programs, one for each chunk of a pipeline.
    pub local: &'a [&'a Program],
    /// True if a machine is given.
    pub has_machine: bool,
}

impl AppliedPlan<'_> {
    /// Returns a warning for each option that has no effect.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        self.warn_training_options(&mut warnings);
        if let Some(bucket) = self.bucket().filter(|_| self.has_gradients() && !self.reduces_gradients()) {
            let title = "`bucket` has no effect: no gradient is reduced over devices by an `all_reduce`";
            warnings
                .push(no_effect(title, bucket).help("split the batch over devices, `--preset data`, or leave it out"));
        }
        self.warn_precision(&mut warnings);
        if let Some(path) =
            self.plan.hold.first().filter(|_| self.plan.stores.is_empty() && self.plan.presets.is_empty())
        {
            let title = "`hold` has no effect: no value is stored in another layout than it is used in";
            warnings.push(
                no_effect(title, path).help("state the stored layout, `--store PATH=LAYOUT`, or leave `hold` out"),
            );
        }
        if let Some(entry) = self.plan.attention.first().filter(|_| !self.shards_attention()) {
            let title = "`attention` has no effect: no attention has a sharded sequence";
            let help = "shard the sequence, `--mesh context=2 --preset context`, or leave it out";
            warnings.push(no_effect(title, &entry.text).help(help));
        }
        if let Some(overlap) = self.plan.overlap.as_ref().filter(|overlap| !self.overlaps(overlap)) {
            let title = "`overlap` has no effect: no such collective is beside a matrix product";
            let help = "shard the sequence between layers, `--preset megatron,sequence`, or leave it out";
            warnings.push(no_effect(title, overlap).help(help));
        }
        if let Some(map) = self.plan.map.as_ref().filter(|map| !self.has_machine && is_flag(map)) {
            let title = "`map` has no effect: it places the mesh on a machine, and no machine is given";
            warnings.push(no_effect(title, map).help("name the machine: `plan` and `simulate` accept `--machine`"));
        }
        // A plan with a mesh resolves the layouts of the model.
        if let Some((_, written)) = self.global.iter().find_map(|program| stated_layouts(program).into_iter().next()) {
            let title = "layouts in the model have no effect: the plan has no mesh";
            warnings.push(no_effect(title, written).help("declare one with the axes of the layouts: `--mesh data=2`"));
        }
        self.warn_unused_axes(&mut warnings);
        warnings
    }

    /// Returns true if parameters are updated, or would be if they were not frozen: an output is then its parameter.
    fn has_update(&self) -> bool {
        let is_unchanged = |program: &Program, output: &Output| {
            !output.name.starts_with(BOUNDARY_PREFIX) && program.inputs().contains(&output.value)
        };
        let has_update = |program: &&Program| {
            !replacements(program).is_empty() || program.outputs().iter().any(|output| is_unchanged(program, output))
        };
        self.plan.train.is_some() || self.global.iter().any(has_update)
    }

    /// Returns true if the program has a backward pass.
    fn has_gradients(&self) -> bool {
        let is_backward = |phase: Phase| matches!(phase, Phase::BackwardInput | Phase::BackwardWeight);
        self.global.iter().any(|program| program.model_ops().iter().any(|at| is_backward(at.op.phase)))
    }

    /// Returns true if a device has a shard of the rows of an attention.
    fn shards_attention(&self) -> bool {
        let rows = |program: &Program| -> Vec<usize> {
            let attentions = program.model_ops().into_iter().filter(|at| at.op.kind.class().attention().is_some());
            attentions.filter_map(|at| program.ty(at.op.args[0]).shape.iter().rev().nth(1).copied()).collect()
        };
        let global: Vec<usize> = self.global.iter().flat_map(|program| rows(program)).collect();
        self.local.iter().any(|program| rows(program).iter().any(|n| !global.contains(n)))
    }

    /// Returns true if a collective overlaps with products, or if the plan requests no overlap.
    fn overlaps(&self, overlap: &SourceText) -> bool {
        let has_exchange = |program: &&Program| program.model_ops().iter().any(|at| is_overlapping_exchange(at.op));
        !names_collectives(overlap) || self.local.iter().any(has_exchange)
    }

    fn bucket(&self) -> Option<&SourceText> {
        self.plan.bucket.as_ref().filter(|bucket| bucket.text.trim() != "none")
    }

    fn reduces_gradients(&self) -> bool {
        let of = |program: &Program| {
            program.model_ops().iter().any(|at| {
                let can_join = at.op.kind.collective().is_some_and(Collective::is_variadic);
                can_join && !matches!(at.op.phase, Phase::Forward | Phase::Recompute)
            })
        };
        self.local.iter().any(|program| of(program))
    }

    /// Adds warnings for options of training steps on a model that is not trained.
    fn warn_training_options(&self, warnings: &mut Vec<Diagnostic>) {
        let remat = self.plan.remat.iter().find(|entry| entry.text.text.trim() != "none").map(|entry| &entry.text);
        let (has_update, has_gradients) = (self.has_update(), self.has_gradients());
        let options = [
            ("freeze", self.plan.freeze.first().filter(|_| !has_update), "nothing is trained"),
            ("train_only", self.plan.train_only.first().filter(|_| !has_update), "nothing is trained"),
            ("remat", remat.filter(|_| !has_gradients), "without a backward pass nothing is recomputed"),
            ("bucket", self.bucket().filter(|_| !has_gradients), "there are no gradients to reduce"),
        ];
        for (option, written, why) in options {
            let Some(written) = written else { continue };
            let warning = no_effect(&format!("`{option}` has no effect: {why}"), written);
            warnings.push(warning.help("build a training step, `--train adam`, or leave it out"));
        }
    }

    /// Adds warnings for element types in which nothing is computed or stored.
    fn warn_precision(&self, warnings: &mut Vec<Diagnostic>) {
        let last_entry =
            |dtype: &str| self.plan.precision.iter().rfind(|entry: &&PlanEntry| entry.text.text.trim() == dtype);
        let results = |program: &Program| -> Vec<DType> {
            program.model_ops().iter().flat_map(|at| &at.op.outs).map(|&out| program.ty(out).dtype).collect()
        };
        let computed: FxHashSet<DType> = self.global.iter().flat_map(|program| results(program)).collect();
        let params =
            || self.global.iter().flat_map(|&program| program.params.values().map(move |p| (program, p.value)));
        let has_param = |dtype: DType| params().any(|(program, value)| program.ty(value).dtype == dtype);
        if let Some(entry) = last_entry(INT8).filter(|_| !has_param(DType::I8)) {
            let title = "`int8` has no effect: no weight with two or more dimensions is named";
            let warning = no_effect(title, &entry.text);
            warnings.push(match params().next().is_none() {
                true => warning
                    .note("the model does not declare which inputs are weights; StableHLO never does")
                    .help("export it as ONNX with its weights, declare them as `param` in `.pir`, or leave `int8` out"),
                false => warning.help("name weights of `f32`; biases and other vectors keep their type"),
            });
        }
        for (name, dtype) in [("bf16", DType::BF16), ("f16", DType::F16)] {
            if let Some(entry) = last_entry(name).filter(|_| !computed.contains(&dtype)) {
                let title = format!("`{name}` has no effect: no op computes in it");
                let help = "losses, sums and what the plan sets to `f32` stay in `f32`: name a layer with a product";
                warnings.push(no_effect(&title, &entry.text).help(help));
            }
        }
        if let Some(entry) = last_entry("f32")
            && [INT8, "bf16", "f16"].into_iter().all(|narrow| last_entry(narrow).is_none())
        {
            let title = "`f32` has no effect: the plan selects no narrower type";
            warnings.push(no_effect(title, &entry.text).help("add `--precision bf16`, or leave it out"));
        }
    }

    /// Adds warnings for mesh axes that shard nothing.
    fn warn_unused_axes(&self, warnings: &mut Vec<Diagnostic>) {
        let Some(mesh) = self.local.iter().find_map(|program| Some(program.mesh()?.1)) else { return };
        for axis in mesh.axis_ids().filter(|&axis| mesh.size(axis) > 1) {
            if self.local.iter().any(|program| uses_axis(program, axis)) {
                continue;
            }
            let (name, size) = (&mesh.axes[axis.index()].name, mesh.size(axis));
            let title =
                format!("no dimension is sharded over axis `{name}`: its {size} devices compute identical values");
            let warning = Diagnostic::warning(Code::L018, title);
            let (warning, without) = match &self.plan.mesh {
                Some(declared) => (
                    warning.label(declared.place.span(), "declared here"),
                    format!("leave it out: {}", mesh_flag_without(mesh, axis)),
                ),
                None => (warning, "remove it from the mesh of the model".to_owned()),
            };
            warnings.push(warning.help(format!(
                "shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:{name}` or a preset, or {without}"
            )));
        }
    }
}

/// Returns the mesh without one axis, as a command-line flag.
fn mesh_flag_without(mesh: &DeviceMesh, axis: AxisId) -> String {
    let others = mesh.axis_ids().filter(|&other| other != axis);
    let axes: Vec<String> = others.map(|a| format!("{}={}", mesh.axes[a.index()].name, mesh.size(a))).collect();
    if axes.is_empty() { "`--mesh data=1`".into() } else { format!("`--mesh {}`", axes.join(",")) }
}

/// Returns true if a device's program depends on its coordinate along an axis.
fn uses_axis(program: &Program, axis: AxisId) -> bool {
    let main = &program.funcs[program.entry()];
    let ports = main.inputs.iter().copied().chain(main.outputs.iter().map(|o| o.value));
    let layouts = ports.filter_map(|value| program.values[value].layout.as_deref());
    layouts.flat_map(|layout| layout.split_axes()).any(|a| a.axis == axis)
        || program.model_ops().iter().filter_map(|at| at.op.kind.named_axes()).flatten().any(|a| a.axis == axis)
}

fn no_effect(title: &str, written: &SourceText) -> Diagnostic {
    Diagnostic::warning(Code::L018, title).label(written.span(), "")
}

/// Returns true if the option was given on the command line. One in a plan file may be meant for another command.
fn is_flag(written: &SourceText) -> bool {
    written.span().source.name.starts_with("--")
}
