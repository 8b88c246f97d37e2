//! Options of a plan that have no effect on a model. Each is reported with what to do about it, so that nobody counts
//! on what was not done.
//!
//! An imported training step carries its own update: freezing, recomputation, precision and buckets apply to it as to a
//! step that was made here, and have an effect without `train`.

use crate::import::updates::replaced;
use crate::precision::quantise::INT8;
use partita_ir::arena::{AxisId, Id};
use partita_ir::class::Collective;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::mesh::Mesh;
use partita_ir::plan::{Entry, Plan, Written};
use partita_ir::program::{Phase, Program};

/// A plan and what became of it.
#[derive(Clone, Copy, Debug)]
pub struct Applied<'a> {
    /// The plan as it was written, before presets.
    pub plan: &'a Plan,
    /// What is computed, as one device would.
    pub made: &'a Program,
    /// The programs of devices, one for each chunk of a pipeline.
    pub local: &'a [&'a Program],
    /// Whether it is applied for a machine.
    pub has_machine: bool,
}

impl Applied<'_> {
    /// A warning for each option that has no effect.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        if !self.trains() {
            self.of_training(&mut warnings);
        } else if let Some(bucket) = self.bucket().filter(|_| !self.reduces_gradients()) {
            let title = "`bucket` has no effect: no gradient is reduced over devices by an `all_reduce`";
            warnings
                .push(no_effect(title, bucket).help("split the batch over devices, `--preset data`, or leave it out"));
        }
        self.of_precision(&mut warnings);
        if let Some(path) =
            self.plan.hold.first().filter(|_| self.plan.stores.is_empty() && self.plan.presets.is_empty())
        {
            let title = "`hold` has no effect: no value is stored in another layout than it is used in";
            warnings
                .push(no_effect(title, path).help("say how it is stored, `--store PATH=LAYOUT`, or leave `hold` out"));
        }
        if let Some(map) = self.plan.map.as_ref().filter(|map| !self.has_machine && is_flag(map)) {
            let title = "`map` has no effect: it says how the mesh is placed on a machine, and there is none";
            warnings.push(no_effect(title, map).help("name the machine: `plan` and `simulate` take `--machine`"));
        }
        self.of_axes(&mut warnings);
        warnings
    }

    fn trains(&self) -> bool {
        self.plan.train.is_some() || !replaced(self.made).is_empty()
    }

    fn bucket(&self) -> Option<&Written> {
        self.plan.bucket.as_ref().filter(|bucket| bucket.text.trim() != "none")
    }

    fn reduces_gradients(&self) -> bool {
        let of = |program: &Program| {
            program.model_ops().iter().any(|at| {
                let can_join = at.op.kind.collective().is_some_and(Collective::takes_several);
                can_join && !matches!(at.op.phase, Phase::Forward | Phase::Recompute)
            })
        };
        self.local.iter().any(|program| of(program))
    }

    /// Options of training steps, where nothing is trained.
    fn of_training(&self, warnings: &mut Vec<Diagnostic>) {
        let remat = self.plan.remat.iter().find(|entry| entry.text.text.trim() != "none").map(|entry| &entry.text);
        let options = [
            ("freeze", self.plan.freeze.first(), "nothing is trained"),
            ("train_only", self.plan.train_only.first(), "nothing is trained"),
            ("remat", remat, "without a backward pass nothing is computed again"),
            ("bucket", self.bucket(), "there are no gradients to reduce"),
        ];
        for (option, written, why) in options {
            let Some(written) = written else { continue };
            let warning = no_effect(&format!("`{option}` has no effect: {why}"), written);
            warnings.push(warning.help("make a training step, `--train adam`, or leave it out"));
        }
    }

    /// Element types that nothing is computed or stored in.
    fn of_precision(&self, warnings: &mut Vec<Diagnostic>) {
        let said = |dtype: &str| self.plan.precision.iter().rfind(|entry: &&Entry| entry.text.text.trim() == dtype);
        let ops = self.made.model_ops();
        let has = |dtype: DType| ops.iter().flat_map(|at| &at.op.outs).any(|&out| self.made.ty(out).dtype == dtype);
        let has_param = |dtype: DType| self.made.params.values().any(|p| self.made.ty(p.value).dtype == dtype);
        if let Some(entry) = said(INT8).filter(|_| !has_param(DType::I8)) {
            let title = "`int8` has no effect: no weight with two or more dimensions is named";
            let warning = no_effect(title, &entry.text);
            warnings.push(match self.made.params.is_empty() {
                true => warning
                    .note("the model does not say which of its inputs are weights, as StableHLO never does")
                    .help("export it as ONNX with its weights, declare them as `param` in `.pir`, or leave `int8` out"),
                false => warning.help("name weights of `f32`; biases and other vectors keep their type"),
            });
        }
        for (name, dtype) in [("bf16", DType::BF16), ("f16", DType::F16)] {
            if let Some(entry) = said(name).filter(|_| !has(dtype)) {
                let title = format!("`{name}` has no effect: nothing computes in it");
                let help = "`f32` stays in losses, sums and what the plan keeps in `f32`: name a layer with a product";
                warnings.push(no_effect(&title, &entry.text).help(help));
            }
        }
        if let Some(entry) = said("f32")
            && [INT8, "bf16", "f16"].into_iter().all(|narrow| said(narrow).is_none())
        {
            let title = "`f32` has no effect: the plan has nothing computed in a narrower type";
            warnings.push(no_effect(title, &entry.text).help("write `--precision bf16` besides, or leave it out"));
        }
    }

    /// Axes that split nothing.
    fn of_axes(&self, warnings: &mut Vec<Diagnostic>) {
        let Some(mesh) = self.local.iter().find_map(|program| Some(program.mesh()?.1)) else { return };
        for axis in mesh.axis_ids().filter(|&axis| mesh.size(axis) > 1) {
            if self.local.iter().any(|program| uses(program, axis)) {
                continue;
            }
            let (name, size) = (&mesh.axes[axis.index()].name, mesh.size(axis));
            let title = format!("axis `{name}` splits nothing: its {size} devices compute the same");
            let warning = match &self.plan.mesh {
                Some(declared) => Diagnostic::warning(Code::L018, title).at(declared.place.span(), "declared here"),
                None => Diagnostic::warning(Code::L018, title),
            };
            warnings.push(warning.help(format!(
                "split something over it, `--shard PATH=LAYOUT`, `--rules DIM:{name}` or a preset, or leave it out: {}",
                without(mesh, axis)
            )));
        }
    }
}

/// The mesh without an axis, as a flag.
fn without(mesh: &Mesh, axis: AxisId) -> String {
    let others = mesh.axis_ids().filter(|&other| other != axis);
    let axes: Vec<String> = others.map(|a| format!("{}={}", mesh.axes[a.index()].name, mesh.size(a))).collect();
    if axes.is_empty() { "`--mesh data=1`".into() } else { format!("`--mesh {}`", axes.join(",")) }
}

/// Whether a device's program depends on its position along an axis.
fn uses(program: &Program, axis: AxisId) -> bool {
    let main = &program.funcs[program.entry()];
    let ports = main.inputs.iter().copied().chain(main.outputs.iter().map(|o| o.value));
    let layouts = ports.filter_map(|value| program.values[value].layout.as_deref());
    layouts.flat_map(|layout| layout.split_axes()).any(|a| a.axis == axis)
        || program.model_ops().iter().filter_map(|at| at.op.kind.named_axes()).flatten().any(|a| a.axis == axis)
}

fn no_effect(title: &str, written: &Written) -> Diagnostic {
    Diagnostic::warning(Code::L018, title).at(written.span(), "")
}

/// Whether it was written on the command line, for this command alone: a plan file serves several commands.
fn is_flag(written: &Written) -> bool {
    written.span().source.name.starts_with("--")
}
