//! Ahead-of-time compilation of a partition for GPUs: artefacts, which are saved to files and run from them.

use crate::check::{Check, ROUNDING_SEED, rounding_limits};
use crate::compile_results::LocalPrograms;
use crate::error::{Result, interpreter_error, missing_emulator};
use crate::partition::Partition;
use crate::steps::{StepResult, Steps};
use partita_gpu::binaries;
#[cfg(feature = "emulate")]
use partita_gpu::emulator::nccl::load_on_process;
use partita_gpu::machine::{LoadedModule, load, load_on_processes};
use partita_gpu::nvrtc::Nvrtc;
use partita_gpu::{Artefact, Module, Target};
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::interp::{self, widen, widen_tensors};
use partita_ir::tensor::Tensor;
use partita_ir::verify::verify;
use partita_runtime::check::{OneDevice, compare, compare_rounding};
use partita_runtime::footprint::Footprint;
use partita_runtime::processes::Processes;
#[cfg(feature = "emulate")]
use partita_runtime::shared::DeviceProcesses;
use std::sync::Arc;

/// Parses target names, sorts the targets and removes duplicates.
///
/// # Errors
/// `A005` for an unknown target, a target that this build does not support, or an empty list.
pub fn parse_targets<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Vec<Target>> {
    let all = partita_cubecl::TARGETS;
    let unknown = |why: String| {
        let built_in: Vec<String> = all.iter().map(|name| format!("`{name}`")).collect();
        Diagnostic::new(Code::A005, why).help(format!("this build compiles for {}", built_in.join(", ")))
    };
    let mut targets = Vec::new();
    for name in names {
        let near = |error: Diagnostic| match nearest(name.trim(), all.iter().copied()) {
            Some(near) => error.help(format!("use `--target {near}`")),
            None => error,
        };
        let target: Target = name.trim().parse().map_err(|why| near(unknown(why)))?;
        if !partita_cubecl::supports_target(target) {
            return Err(unknown(format!("this build does not compile for `{target}`")).into());
        }
        targets.push(target);
    }
    targets.sort_unstable();
    targets.dedup();
    if targets.is_empty() { Err(unknown("no target is given".into()).into()) } else { Ok(targets) }
}

/// Default target of the kernels that the CPU emulator runs.
pub const DEFAULT_EMULATED_TARGET: Target = Target::Cuda { arch: 80 };

/// Progress callback of compilation: the target, and the compiled and total number of kernels once machine code is
/// generated.
pub(crate) type CompileProgress<'w> = &'w (dyn Fn(Target, Option<(usize, usize)>) + Sync);

/// Returns the NVRTC compiler if a target has machine code and NVRTC is installed.
fn open_nvrtc(targets: &[Target]) -> Option<Nvrtc> {
    targets.iter().any(|target| target.has_machine_code()).then(|| Nvrtc::open().ok()).flatten()
}

impl Partition {
    /// Compiles the programs of all stages for GPU targets such as `wgsl` and `cuda:sm_90`. The artefact can be saved
    /// to a file and run from it. CUDA kernels contain machine code besides source text if NVRTC is installed.
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
    /// `A005` for an unknown or unsupported target, `R004` for an operation without a kernel, and errors of NVRTC.
    pub fn compile(&self, names: &[&str]) -> Result<Artefact> {
        let targets = parse_targets(names.iter().copied())?;
        self.compile_for(&targets, &|_, _| ())
    }

    /// Compiles for parsed targets and reports progress to `watch`.
    ///
    /// # Errors
    /// `R004` for an operation without a kernel, and errors of NVRTC.
    pub fn compile_for(&self, targets: &[Target], watch: CompileProgress<'_>) -> Result<Artefact> {
        self.compile_with(targets, open_nvrtc(targets).as_ref(), watch)
    }

    /// Compiles for parsed targets to source text only, without NVRTC.
    ///
    /// # Errors
    /// `R004` for an operation without a kernel.
    pub fn compile_text(&self, targets: &[Target], watch: CompileProgress<'_>) -> Result<Artefact> {
        self.compile_with(targets, None, watch)
    }

    fn compile_with(&self, targets: &[Target], nvrtc: Option<&Nvrtc>, watch: CompileProgress<'_>) -> Result<Artefact> {
        let mut modules: Vec<Arc<Module>> = Vec::new();
        for &target in targets {
            watch(target, None);
            let mut module = self.module(target)?;
            // Modules of all targets share one program.
            if let Some(first) = modules.first() {
                module.program = first.program.clone();
            }
            if let Some(nvrtc) = nvrtc {
                binaries::add(&mut module, nvrtc, &|done, all| watch(target, Some((done, all))))?;
            }
            modules.push(Arc::new(module));
        }
        let none = || Diagnostic::new(Code::A005, "no target is given");
        Ok(Artefact {
            version: env!("CARGO_PKG_VERSION").into(),
            model: self.model().source.to_string(),
            program: modules.first().ok_or_else(none)?.program.clone(),
            unpartitioned: (!self.results.is_given_local()).then(|| self.model().clone()),
            plan: self.plan().to_toml(),
            modules,
            weights: None,
        })
    }

    /// Returns the source text of the kernels of all stages for a target, and their launches.
    ///
    /// # Errors
    /// `R004` for an operation without a kernel.
    pub(crate) fn module(&self, target: Target) -> Result<Module> {
        Ok(match &self.results.local {
            LocalPrograms::OneMesh { program, .. } => partita_cubecl::compile(verify(program)?.into_form()?, target)?,
            LocalPrograms::Stages { pipeline, .. } => {
                partita_cubecl::compile_pipeline(pipeline, self.planned(), target)?
            }
        })
    }
}

/// An artefact opened on a device of this machine.
pub struct LoadedArtefact<'a> {
    artefact: &'a Artefact,
    running: Box<dyn LoadedModule>,
}

impl<'a> LoadedArtefact<'a> {
    /// Opens the artefact's module for `target`, or the best one for this machine. With `processes`, all of which open
    /// the same artefact, each has a block of the devices on its own GPUs.
    pub fn open(
        artefact: &'a Artefact,
        target: Option<Target>,
        processes: Option<&Arc<Processes>>,
    ) -> Result<LoadedArtefact<'a>> {
        let modules = match target {
            Some(target) => std::slice::from_ref(artefact.module(target)?),
            None => &artefact.modules[..],
        };
        let running = match processes {
            Some(processes) => load_on_processes(&artefact.model, modules, processes)?,
            None => load(&artefact.model, modules)?,
        };
        Ok(LoadedArtefact { artefact, running })
    }

    /// Returns an error if the build has no emulator (`A007`) or if `target` is not a CUDA target (`A003`).
    pub fn check_emulation(target: Option<Target>) -> Result<()> {
        if !cfg!(feature = "emulate") {
            return Err(missing_emulator().into());
        }
        match target {
            Some(other) if !matches!(other, Target::Cuda { .. }) => {
                let title = format!("kernels for {other} are not emulated, only those for CUDA");
                Err(Diagnostic::new(Code::A003, title)
                    .help(format!("leave `--target` out, or use `--target {DEFAULT_EMULATED_TARGET}`"))
                    .into())
            }
            _ => Ok(()),
        }
    }

    /// Opens the CUDA kernels on the CPU emulator. Kernels from a file must equal those that this version generates for
    /// the file's program, since kernels on the CPU run with the user's permissions. With `processes`, each has a block
    /// of the devices.
    ///
    /// # Errors
    /// `A003` for an artefact without CUDA kernels for `target`, `A004` for kernels in a file that differ from the
    /// generated ones.
    #[cfg(feature = "emulate")]
    pub fn open_emulated(
        artefact: &'a Artefact,
        target: Option<Target>,
        is_from_file: bool,
        processes: Option<&Arc<Processes>>,
    ) -> Result<LoadedArtefact<'a>> {
        let is_emulable = |module: &&Arc<Module>| match module.target {
            Target::Cuda { .. } => target.is_none_or(|target| target == module.target),
            Target::Wgsl | Target::Hip | Target::Metal | Target::Spirv => false,
        };
        let Some(module) = artefact.modules.iter().find(is_emulable) else {
            let wanted = target.unwrap_or(DEFAULT_EMULATED_TARGET);
            let none =
                Diagnostic::new(Code::A003, format!("`{}` has no kernels for {wanted} to emulate", artefact.model));
            return Err(none.help(format!("compile the model for it: --target {wanted}")).into());
        };
        if is_from_file && !partita_cubecl::has_own_kernels(module)? {
            let title =
                "the kernels in the file differ from those that this version of Partita generates for its program";
            return Err(Diagnostic::new(Code::A004, title)
                .note("on the CPU, kernels run with your permissions")
                .help("compile the model again, or emulate the model itself")
                .into());
        }
        let emulator = partita_gpu::emulator::Emulator::from_module(module)?;
        let running = match processes {
            None => partita_gpu::Executable::load(module.clone(), emulator)?,
            Some(processes) => {
                let processes = DeviceProcesses::new(processes.clone(), module.program.device_count())?;
                load_on_process(module.clone(), emulator, processes)?
            }
        };
        let running = Box::new(running);
        Ok(LoadedArtefact { artefact, running })
    }

    /// Returns the error `A003` or `A007` of a build without the emulator.
    #[cfg(not(feature = "emulate"))]
    pub fn open_emulated(
        _: &'a Artefact,
        target: Option<Target>,
        _: bool,
        _: Option<&Arc<Processes>>,
    ) -> Result<LoadedArtefact<'a>> {
        LoadedArtefact::check_emulation(target).and(Err(Diagnostic::new(Code::A007, "there is no emulator").into()))
    }

    /// Notes for the user on the choice of device and module.
    pub fn notes(&self) -> Vec<String> {
        self.running.notes()
    }

    /// Memory of one device of each stage.
    pub fn footprints(&self) -> Vec<Footprint> {
        self.running.module().footprints()
    }

    /// Name of the device.
    pub fn name(&self) -> &str {
        self.running.device()
    }

    /// Runs several steps. Outputs of a training step replace the inputs of the next one.
    pub fn run_steps(&self, inputs: &[Tensor], steps: Steps, seen: &mut dyn FnMut(StepResult)) -> Result<Vec<Tensor>> {
        let program = self.artefact.interface_program();
        steps.run_on(program, inputs.to_vec(), &*self.running, |outputs| seen(StepResult::new(outputs, None)))
    }

    /// Compares the device with the interpreter on one device, in the model's element types and in `f64`.
    ///
    /// # Errors
    /// `P001` for a model that was loaded in local form, since the original program is unknown.
    pub fn check_steps(&self, inputs: &[Tensor], steps: Steps, next: &mut dyn FnMut(&str)) -> Result<Check> {
        let Some(original) = &self.artefact.unpartitioned else {
            let title = format!("`{}` is in local form: the original program is not available", self.artefact.model);
            return Err(Diagnostic::new(Code::P001, title).help("compile the original program").into());
        };
        next("running on the device");
        let outputs = self.run_steps(inputs, steps, &mut |_| ())?;
        let run_on_one = |inputs: &[Tensor], run: &dyn Fn(Vec<Tensor>) -> std::result::Result<Vec<Tensor>, String>| {
            let run = |inputs: &[Tensor]| Ok(run(inputs.to_vec()).map_err(interpreter_error)?);
            steps.run(original, inputs.to_vec(), run)
        };
        next("running one device");
        let one_device_outputs = run_on_one(inputs, &|inputs| interp::run(original, inputs))?;
        next("running one device in f64");
        let (wide, wide_inputs) = (widen(original), widen_tensors(inputs));
        let exact = run_on_one(&wide_inputs, &|inputs| interp::run(&wide, inputs))?;
        next("running one device with random rounding");
        let perturbed = run_on_one(&wide_inputs, &|inputs| interp::run_perturbed(original, inputs, ROUNDING_SEED))?;
        let names = || original.outputs().iter().map(|o| o.name.as_str());
        let limits = rounding_limits(original);
        let one = OneDevice { native: &one_device_outputs, perturbed: &perturbed, exact: &exact };
        let native = compare_rounding(names(), &outputs, one, limits);
        let wide = compare(names(), &widen_tensors(&outputs), &exact, f64::INFINITY);
        let devices = self.artefact.program.device_count();
        Ok(Check { devices, native, wide, limits, tolerance_wide: None, outputs })
    }
}
