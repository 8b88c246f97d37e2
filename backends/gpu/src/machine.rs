//! Devices of this machine, and the choice of a module for them.

#[cfg(feature = "cuda")]
use crate::cuda::network::{load_distributed, load_on_process, own_gpus};
#[cfg(feature = "cuda")]
use crate::cuda::{Cuda, detect::detect};
#[cfg(feature = "cuda")]
use crate::cuda_environment::{CudaEnvironment, KernelSet, RankPlacement, without_driver};
use crate::device::Device;
use crate::executor::{Executable, Session};
use crate::module::Module;
#[cfg(feature = "cuda")]
use crate::nvrtc::Nvrtc;
#[cfg(feature = "wgsl")]
use crate::target::Target;
#[cfg(any(feature = "wgsl", feature = "cuda"))]
use crate::trial;
#[cfg(feature = "wgsl")]
use crate::webgpu::WebGpu;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use partita_runtime::finding::Finding;
use partita_runtime::processes::Processes;
#[cfg(feature = "cuda")]
use partita_runtime::shared::DeviceProcesses;
use std::sync::Arc;

/// A module loaded on one or more devices, independent of the device type.
pub trait LoadedModule {
    /// Returns the name of the device in messages.
    fn device(&self) -> &str;

    /// Returns the loaded module.
    fn module(&self) -> &Module;

    /// Returns the notes for the user on how the module was loaded.
    fn notes(&self) -> Vec<String>;

    /// Runs the program on global inputs, and returns the global outputs.
    ///
    /// # Errors
    /// The errors of [`Executable::run`].
    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic>;

    /// Uploads global inputs, to run several steps.
    ///
    /// # Errors
    /// The errors of [`Executable::begin`].
    fn begin<'r>(&'r self, inputs: &[Tensor]) -> Result<Box<dyn StepSession + 'r>, Diagnostic>;
}

/// A program that runs step by step: a [`Session`] of any device type.
pub trait StepSession {
    /// Runs the program once.
    ///
    /// # Errors
    /// The errors of [`Session::step`].
    fn step(&mut self) -> Result<(), Diagnostic>;

    /// Replaces an input for the next steps.
    ///
    /// # Errors
    /// The errors of [`Session::set_input`].
    fn set_input(&mut self, input: usize, tensor: &Tensor) -> Result<(), Diagnostic>;

    /// Makes an output of the last step an input of the next one.
    ///
    /// # Errors
    /// The errors of [`Session::feed_back`].
    fn feed_back(&mut self, input: usize, output: usize) -> Result<(), Diagnostic>;

    /// Returns a global output of the last step.
    ///
    /// # Errors
    /// The errors of [`Session::output`].
    fn output(&self, number: usize) -> Result<Tensor, Diagnostic>;

    /// Returns all global outputs of the last step.
    ///
    /// # Errors
    /// The errors of [`Session::outputs`].
    fn outputs(&self) -> Result<Vec<Tensor>, Diagnostic>;
}

impl<D: Device> StepSession for Session<'_, D> {
    fn step(&mut self) -> Result<(), Diagnostic> {
        Session::step(self)
    }

    fn set_input(&mut self, input: usize, tensor: &Tensor) -> Result<(), Diagnostic> {
        Session::set_input(self, input, tensor)
    }

    fn feed_back(&mut self, input: usize, output: usize) -> Result<(), Diagnostic> {
        Session::feed_back(self, input, output)
    }

    fn output(&self, number: usize) -> Result<Tensor, Diagnostic> {
        Session::output(self, number)
    }

    fn outputs(&self) -> Result<Vec<Tensor>, Diagnostic> {
        Session::outputs(self)
    }
}

impl<D: Device> LoadedModule for Executable<D> {
    fn device(&self) -> &str {
        Executable::device(self).name()
    }

    fn module(&self) -> &Module {
        Executable::module(self)
    }

    fn notes(&self) -> Vec<String> {
        Executable::notes(self)
    }

    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        Executable::run(self, inputs)
    }

    fn begin<'r>(&'r self, inputs: &[Tensor]) -> Result<Box<dyn StepSession + 'r>, Diagnostic> {
        Ok(Box::new(Executable::begin(self, inputs)?))
    }
}

/// Loads one of an artefact's modules on this machine: on NVIDIA GPUs if it has kernels for them, else on a device with
/// WebGPU. `model` is for messages.
///
/// # Errors
/// `A003` if no device runs any of the modules, and as [`Executable::load`].
pub fn load(model: &str, modules: &[Arc<Module>]) -> Result<Box<dyn LoadedModule>, Diagnostic> {
    #[cfg_attr(
        not(feature = "cuda"),
        expect(unused_mut, reason = "only GPUs of NVIDIA are refused before others are tried")
    )]
    let mut why: Option<Diagnostic> = None;
    #[cfg(feature = "cuda")]
    {
        let modules: Vec<&Arc<Module>> = modules.iter().filter(|module| module.target.has_machine_code()).collect();
        if let Some(first) = modules.first() {
            let kernel_sets: Vec<KernelSet> = modules.iter().map(|module| KernelSet::from(&***module)).collect();
            match detect().choose_kernels(model, &kernel_sets, first.program.device_count()) {
                Ok((at, RankPlacement::Shared)) => {
                    return Ok(Box::new(Executable::load(modules[at].clone(), Cuda::open(0)?)?));
                }
                Ok((at, RankPlacement::Separate)) => return Ok(Box::new(load_distributed(modules[at].clone())?)),
                Err(e) => why = Some(e),
            }
        }
    }
    #[cfg(feature = "wgsl")]
    if let Some(module) = modules.iter().find(|module| module.target == Target::Wgsl) {
        let with_reason = |e: Diagnostic| why.iter().fold(e, |e, why| e.note(why.title.clone()));
        let running = Executable::load(module.clone(), WebGpu::open().map_err(with_reason)?)?;
        // The artefact has kernels for CUDA that cannot run on this machine.
        let note = |why: &Diagnostic| format!("using the kernels for WebGPU instead of those for CUDA: {}", why.title);
        return Ok(Box::new(why.iter().fold(running, |running, why| running.with_note(note(why)))));
    }
    Err(why.unwrap_or_else(|| {
        let has: Vec<String> = modules.iter().map(|module| module.target.to_string()).collect();
        let title = format!("`{model}` has kernels for {}, which this build cannot run", has.join(", "));
        Diagnostic::new(Code::A003, title).help("compile the model for any GPU: --target wgsl")
    }))
}

/// Loads one of an artefact's modules on the NVIDIA GPUs of several processes. All of them call the function; `model`
/// is for messages.
///
/// # Errors
/// `A003` if this process has not enough GPUs, or they run none of the modules, and as [`Executable::load_on_process`].
pub fn load_on_processes(
    model: &str,
    modules: &[Arc<Module>],
    processes: &Arc<Processes>,
) -> Result<Box<dyn LoadedModule>, Diagnostic> {
    let modules: Vec<&Arc<Module>> = modules.iter().filter(|module| module.target.has_machine_code()).collect();
    let Some(first) = modules.first() else {
        return Err(Diagnostic::new(Code::A003, format!("`{model}` has no kernels for CUDA"))
            .note("several processes communicate over NCCL, which connects NVIDIA GPUs")
            .help("compile the model for them: --target cuda:sm_90"));
    };
    #[cfg(feature = "cuda")]
    {
        let environment = detect();
        if let Err(why) = &environment.driver {
            return Err(without_driver(why));
        }
        let processes = DeviceProcesses::new(processes.clone(), first.program.device_count())?;
        let gpus = own_gpus(&processes, environment.gpus.len())?;
        let kernel_sets: Vec<KernelSet> = modules.iter().map(|module| KernelSet::from(&***module)).collect();
        let at = environment.choose_kernels_for(model, &kernel_sets, &environment.gpus[gpus.clone()])?;
        Ok(Box::new(load_on_process(modules[at].clone(), processes, gpus)?))
    }
    #[cfg(not(feature = "cuda"))]
    {
        let title = format!("{} ranks with kernels for {} need a build with CUDA", processes.count(), first.target);
        Err(Diagnostic::new(Code::A003, title).help("build with the feature `gpu`"))
    }
}

/// Returns the devices and libraries of this machine for each target, and the results of compiling and running a trial
/// kernel.
pub fn findings() -> Vec<Finding> {
    let all: [Vec<Finding>; _] = [
        #[cfg(feature = "wgsl")]
        {
            let mut found = WebGpu::findings();
            if found.iter().any(|found| found.kind == "device") {
                let outcome = WebGpu::open().and_then(|device| trial::run(&device, &trial::kernel(trial::WGSL)));
                found.push(Finding::trial("wgsl", "a kernel in WGSL runs".into(), outcome, "update the GPU driver"));
            }
            found
        },
        #[cfg(feature = "cuda")]
        {
            let environment = detect();
            let mut found = environment.findings();
            found.extend(cuda_trials(&environment));
            found
        },
    ];
    all.concat()
}

/// Compiles the trial kernel for each GPU's architecture, or for the most common ones if there is no GPU, and runs it
/// on each GPU.
#[cfg(feature = "cuda")]
fn cuda_trials(environment: &CudaEnvironment) -> Vec<Finding> {
    let mut archs: Vec<u32> = environment.gpus.iter().map(|gpu| gpu.arch).collect();
    archs.sort_unstable();
    archs.dedup();
    if archs.is_empty() {
        archs = vec![80, 90];
    }
    let mut found = Vec::new();
    if let Ok(nvrtc) = Nvrtc::open() {
        for arch in archs {
            let outcome = nvrtc.compile(trial::ENTRY, trial::CUDA, arch).map(drop);
            let about = format!("NVRTC compiles for sm_{arch}");
            found.push(Finding::trial(
                "cuda",
                about,
                outcome,
                &format!("install all of NVRTC: {}", nvrtc.install_help()),
            ));
        }
    }
    for (number, gpu) in environment.gpus.iter().enumerate().filter(|_| environment.nvrtc.is_ok()) {
        let outcome = Cuda::open(number).and_then(|device| trial::run(&device, &trial::kernel(trial::CUDA)));
        let help = format!("install a newer driver, or an older compiler: {}", crate::nvrtc::INSTALL_HELP);
        found.push(Finding::trial("cuda", format!("a kernel runs on {} ({number})", gpu.name), outcome, &help));
    }
    found
}
