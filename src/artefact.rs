//! The third stage: a partition compiled for GPUs, which is kept in a file and run from there.

use crate::check::{Check, ROUNDING_SEED, limits};
use crate::error::{Result, failed, without_emulator};
use crate::made::Local;
use crate::partition::Partition;
use crate::steps::{Step, Steps};
use partita_gpu::binaries;
use partita_gpu::machine::{Running, open};
use partita_gpu::nvrtc::Nvrtc;
use partita_gpu::{Artefact, Module, Target};
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::interp::{self, widen, widen_tensors};
use partita_ir::tensor::Tensor;
use partita_ir::verify::verify;
use partita_runtime::check::{OneDevice, compare, compare_rounding};
use partita_runtime::footprint::Footprint;
use std::sync::Arc;

/// The targets of those names, in order and each once.
///
/// # Errors
/// `A005` for a name that is none.
pub fn targets<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Vec<Target>> {
    let all = partita_cubecl::TARGETS;
    let unknown = |why: String| {
        let built_in: Vec<String> = all.iter().map(|name| format!("`{name}`")).collect();
        Diagnostic::new(Code::A005, why).help(format!("this build compiles for {}", built_in.join(", ")))
    };
    let mut targets = Vec::new();
    for name in names {
        let near = |error: Diagnostic| match nearest(name.trim(), all.iter().copied()) {
            Some(near) => error.help(format!("say --target {near}")),
            None => error,
        };
        let target: Target = name.trim().parse().map_err(|why| near(unknown(why)))?;
        if !partita_cubecl::prints(target) {
            return Err(unknown(format!("this build does not compile for `{target}`")).into());
        }
        targets.push(target);
    }
    targets.sort_unstable();
    targets.dedup();
    if targets.is_empty() { Err(unknown("no target is named".into()).into()) } else { Ok(targets) }
}

/// For what kernels are compiled that are emulated, unless the user says.
pub const EMULATED: Target = Target::Cuda { arch: 80 };

/// Is told how far compiling has come.
pub(crate) type Watch<'w> = &'w (dyn Fn(Target, Option<(usize, usize)>) + Sync);

/// The compiler of machine code, if one of the targets takes that and it is at hand.
fn nvrtc(targets: &[Target]) -> Option<Nvrtc> {
    targets.iter().any(|target| target.has_code()).then(|| Nvrtc::open().ok()).flatten()
}

impl Partition {
    /// Compiles the programs of all stages for GPUs: `wgsl`, `cuda:sm_90`. What comes of it is kept in a file and run
    /// from there. Kernels for CUDA have machine code beside their text where NVRTC is at hand.
    ///
    /// ```no_run
    /// use partita::prelude::*;
    /// use partita::Artefact;
    /// use std::path::Path;
    ///
    /// # fn main() -> partita::Result<()> {
    /// let plan = Plan::new(Mesh::new([("data", 2)])?).preset("data");
    /// let part = partita::load("model.mlir")?.partition(&plan)?;
    /// part.compile(&["wgsl"])?.save(Path::new("model.partita"))?;
    ///
    /// // On any machine: nothing is planned or compiled any more.
    /// let artefact = Artefact::load(Path::new("model.partita"))?;
    /// let outputs = artefact.open()?.run(&part.random_inputs(0)?)?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `A005` for a target that is not known or not built in, `R004` for what has no kernel, and for kernels that NVRTC
    /// refuses.
    pub fn compile(&self, names: &[&str]) -> Result<Artefact> {
        let targets = targets(names.iter().copied())?;
        self.compile_for(&targets, &|_, _| ())
    }

    /// The same; `watch` is told which target comes next, and how many of how many of its kernels have machine code.
    pub fn compile_for(&self, targets: &[Target], watch: Watch<'_>) -> Result<Artefact> {
        self.compile_by(targets, nvrtc(targets).as_ref(), watch)
    }

    /// The same, with kernels as text alone.
    pub fn compile_text(&self, targets: &[Target], watch: Watch<'_>) -> Result<Artefact> {
        self.compile_by(targets, None, watch)
    }

    fn compile_by(&self, targets: &[Target], nvrtc: Option<&Nvrtc>, watch: Watch<'_>) -> Result<Artefact> {
        let mut modules: Vec<Arc<Module>> = Vec::new();
        for &target in targets {
            watch(target, None);
            let mut module = self.module(target)?;
            // Whatever their target, modules are compiled from the same programs.
            if let Some(first) = modules.first() {
                module.program = first.program.clone();
            }
            if let Some(nvrtc) = nvrtc {
                binaries::add(&mut module, nvrtc, &|done, all| watch(target, Some((done, all))))?;
            }
            modules.push(Arc::new(module));
        }
        let none = || Diagnostic::new(Code::A005, "no target is named");
        Ok(Artefact {
            version: env!("CARGO_PKG_VERSION").into(),
            model: self.model().source.to_string(),
            program: modules.first().ok_or_else(none)?.program.clone(),
            made: (!self.made.came_local()).then(|| self.model().clone()),
            plan: self.plan().to_toml(),
            modules,
            weights: None,
        })
    }

    /// The kernels of all stages for a target, as text, and what launches them.
    ///
    /// # Errors
    /// `R004` for what has no kernel.
    pub(crate) fn module(&self, target: Target) -> Result<Module> {
        Ok(match &self.made.local {
            Local::Whole { program, .. } => partita_cubecl::compile(verify(program)?.of()?, target)?,
            Local::Stages { pipeline, .. } => partita_cubecl::compile_pipeline(pipeline, self.planned(), target)?,
        })
    }
}

/// An artefact on this machine's device.
pub struct OnDevice<'a> {
    artefact: &'a Artefact,
    running: Box<dyn Running>,
}

impl<'a> OnDevice<'a> {
    /// Opens the module for that target, or the best one for this machine.
    pub fn open(artefact: &'a Artefact, target: Option<Target>) -> Result<OnDevice<'a>> {
        let running = match target {
            Some(target) => open(&artefact.model, std::slice::from_ref(artefact.module(target)?))?,
            None => artefact.open()?,
        };
        Ok(OnDevice { artefact, running })
    }

    /// Refuses to emulate other kernels than those for CUDA, and to do so without the emulator.
    pub fn check_emulated(target: Option<Target>) -> Result<()> {
        if !cfg!(feature = "emulate") {
            return Err(without_emulator().into());
        }
        match target {
            Some(other) if !matches!(other, Target::Cuda { .. }) => {
                let title = format!("kernels for {other} are not emulated, only those for CUDA");
                Err(Diagnostic::new(Code::A003, title)
                    .help(format!("leave `--target` out, or say --target {EMULATED}"))
                    .into())
            }
            _ => Ok(()),
        }
    }

    /// Runs the kernels for CUDA on this machine's CPU. Those of a file must be those that this version makes of the
    /// program in it: on the CPU they could do whatever its user may do.
    #[cfg(feature = "emulate")]
    pub fn emulated(artefact: &'a Artefact, target: Option<Target>, is_file: bool) -> Result<OnDevice<'a>> {
        let is_good = |module: &&Arc<Module>| match module.target {
            Target::Cuda { .. } => target.is_none_or(|target| target == module.target),
            Target::Wgsl | Target::Hip | Target::Metal | Target::Spirv => false,
        };
        let Some(module) = artefact.modules.iter().find(is_good) else {
            let wanted = target.unwrap_or(EMULATED);
            let none =
                Diagnostic::new(Code::A003, format!("`{}` has no kernels for {wanted} to emulate", artefact.model));
            return Err(none.help(format!("compile the model for it: --target {wanted}")).into());
        };
        if is_file && !partita_cubecl::has_own_kernels(module)? {
            let title = "the kernels in the file are not those that this version of Partita makes of its program";
            return Err(Diagnostic::new(Code::A004, title)
                .note("on the CPU, kernels that somebody else wrote could do whatever you may do")
                .help("compile the model again, or emulate the model itself")
                .into());
        }
        let emulator = partita_gpu::emulator::Emulator::of(module)?;
        let running = Box::new(partita_gpu::Executable::load(module.clone(), emulator)?);
        Ok(OnDevice { artefact, running })
    }

    /// There is no emulator in this build.
    #[cfg(not(feature = "emulate"))]
    pub fn emulated(_: &'a Artefact, target: Option<Target>, _: bool) -> Result<OnDevice<'a>> {
        OnDevice::check_emulated(target).and(Err(Diagnostic::new(Code::A007, "there is no emulator").into()))
    }

    /// What the user should know of how it came to run there.
    pub fn notes(&self) -> Vec<String> {
        self.running.notes()
    }

    /// By stage, memory of each of its devices.
    pub fn footprints(&self) -> Vec<Footprint> {
        self.running.module().footprints()
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        self.running.device()
    }

    /// Runs it several times: what a training step gives replaces what it took.
    pub fn run_steps(&self, inputs: &[Tensor], steps: Steps, seen: &mut dyn FnMut(Step)) -> Result<Vec<Tensor>> {
        let program = self.artefact.described();
        steps.run_on(program, inputs.to_vec(), &*self.running, |outputs| seen(Step::new(outputs, None)))
    }

    /// Compares with one device, on which the interpreter computes in the model's element types and in `f64`.
    ///
    /// # Errors
    /// `P001` for a model that came in form local.
    pub fn check_steps(&self, inputs: &[Tensor], steps: Steps, next: &mut dyn FnMut(&str)) -> Result<Check> {
        let Some(made) = &self.artefact.made else {
            let title =
                format!("`{}` came as one device's program: nothing tells what it should compute", self.artefact.model);
            return Err(Diagnostic::new(Code::P001, title).help("compile the program that it was made from").into());
        };
        next("running on the device");
        let outputs = self.run_steps(inputs, steps, &mut |_| ())?;
        let on_one = |inputs: &[Tensor], run: &dyn Fn(Vec<Tensor>) -> std::result::Result<Vec<Tensor>, String>| {
            let run = |inputs: &[Tensor]| Ok(run(inputs.to_vec()).map_err(failed)?);
            steps.run(made, inputs.to_vec(), run)
        };
        next("running one device");
        let of_one = on_one(inputs, &|inputs| interp::run(made, inputs))?;
        next("running one device in f64");
        let (wide, wide_inputs) = (widen(made), widen_tensors(inputs));
        let exact = on_one(&wide_inputs, &|inputs| interp::run(&wide, inputs))?;
        next("running one device with random rounding");
        let perturbed = on_one(&wide_inputs, &|inputs| interp::run_perturbed(made, inputs, ROUNDING_SEED))?;
        let names = || made.outputs().iter().map(|o| o.name.as_str());
        let limits = limits(made);
        let one = OneDevice { native: &of_one, perturbed: &perturbed, exact: &exact };
        let native = compare_rounding(names(), &outputs, one, limits);
        let wide = compare(names(), &widen_tensors(&outputs), &exact, f64::INFINITY);
        let devices = self.artefact.program.device_count();
        Ok(Check { devices, native, wide, limits, tolerance_wide: None, outputs })
    }
}
