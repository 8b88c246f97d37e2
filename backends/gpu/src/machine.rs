//! What this machine has to run modules on, and which of them it runs.

#[cfg(feature = "cuda")]
use crate::cards::{Cards, Offer, Seats};
#[cfg(feature = "cuda")]
use crate::cuda::{Cuda, look::look, network::apart};
use crate::device::Device;
use crate::executor::{Executable, Session};
use crate::finding::Finding;
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
use std::sync::Arc;

/// A module on some device, or on several.
pub trait Running {
    /// What messages call the device.
    fn device(&self) -> &str;

    /// What runs there.
    fn module(&self) -> &Module;

    /// What the user should know of how it came to run there.
    fn notes(&self) -> Vec<String>;

    /// Runs the program on whole inputs, and returns the whole outputs.
    ///
    /// # Errors
    /// As [`Executable::run`].
    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic>;

    /// Brings whole inputs to the device, to run several steps.
    ///
    /// # Errors
    /// As [`Executable::begin`].
    fn begin<'r>(&'r self, inputs: &[Tensor]) -> Result<Box<dyn Stepping + 'r>, Diagnostic>;
}

/// A program that runs step by step: a [`Session`].
pub trait Stepping {
    /// Runs it once.
    ///
    /// # Errors
    /// As [`Session::step`].
    fn step(&mut self) -> Result<(), Diagnostic>;

    /// Gives the next step another input.
    ///
    /// # Errors
    /// As [`Session::put`].
    fn put(&mut self, input: usize, tensor: &Tensor) -> Result<(), Diagnostic>;

    /// Makes an output of the last step an input of the next one.
    ///
    /// # Errors
    /// As [`Session::replace`].
    fn replace(&mut self, input: usize, output: usize) -> Result<(), Diagnostic>;

    /// A whole output of the last step.
    ///
    /// # Errors
    /// As [`Session::output`].
    fn output(&self, number: usize) -> Result<Tensor, Diagnostic>;

    /// The whole outputs of the last step.
    ///
    /// # Errors
    /// As [`Session::outputs`].
    fn outputs(&self) -> Result<Vec<Tensor>, Diagnostic>;
}

impl<D: Device> Stepping for Session<'_, D> {
    fn step(&mut self) -> Result<(), Diagnostic> {
        Session::step(self)
    }

    fn put(&mut self, input: usize, tensor: &Tensor) -> Result<(), Diagnostic> {
        Session::put(self, input, tensor)
    }

    fn replace(&mut self, input: usize, output: usize) -> Result<(), Diagnostic> {
        Session::replace(self, input, output)
    }

    fn output(&self, number: usize) -> Result<Tensor, Diagnostic> {
        Session::output(self, number)
    }

    fn outputs(&self) -> Result<Vec<Tensor>, Diagnostic> {
        Session::outputs(self)
    }
}

impl<D: Device> Running for Executable<D> {
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

    fn begin<'r>(&'r self, inputs: &[Tensor]) -> Result<Box<dyn Stepping + 'r>, Diagnostic> {
        Ok(Box::new(Executable::begin(self, inputs)?))
    }
}

/// Puts one of an artefact's modules on this machine: on GPUs of NVIDIA if there are kernels for those that there are,
/// else on what has WebGPU. `model` is what messages call it.
///
/// # Errors
/// `A003` without a device for any of them, and as [`Executable::load`].
pub fn open(model: &str, modules: &[Arc<Module>]) -> Result<Box<dyn Running>, Diagnostic> {
    #[cfg_attr(
        not(feature = "cuda"),
        expect(unused_mut, reason = "only GPUs of NVIDIA are refused before others are tried")
    )]
    let mut why: Option<Diagnostic> = None;
    #[cfg(feature = "cuda")]
    {
        let modules: Vec<&Arc<Module>> = modules.iter().filter(|module| module.target.has_code()).collect();
        if let Some(first) = modules.first() {
            let offers: Vec<Offer> = modules.iter().map(|module| Offer::from(&***module)).collect();
            match look().place(model, &offers, first.program.device_count()) {
                Ok((at, Seats::One)) => return Ok(Box::new(Executable::load(modules[at].clone(), Cuda::open(0)?)?)),
                Ok((at, Seats::Each)) => return Ok(Box::new(apart(modules[at].clone())?)),
                Err(e) => why = Some(e),
            }
        }
    }
    #[cfg(feature = "wgsl")]
    if let Some(module) = modules.iter().find(|module| module.target == Target::Wgsl) {
        let noted = |e: Diagnostic| why.iter().fold(e, |e, why| e.note(why.title.clone()));
        let running = Executable::load(module.clone(), WebGpu::open().map_err(noted)?)?;
        // There are kernels for CUDA, which nothing here runs.
        let told = |why: &Diagnostic| format!("kernels for WebGPU run, not those for CUDA: {}", why.title);
        return Ok(Box::new(why.iter().fold(running, |running, why| running.noted(told(why)))));
    }
    Err(why.unwrap_or_else(|| {
        let has: Vec<String> = modules.iter().map(|module| module.target.to_string()).collect();
        let title = format!("`{model}` has kernels for {}, which this build runs nowhere", has.join(", "));
        Diagnostic::new(Code::A003, title).help("compile the model for GPUs of any make: --target wgsl")
    }))
}

/// What there is on this machine, target by target, and whether a trial kernel is compiled and runs there.
pub fn found() -> Vec<Finding> {
    let all: [Vec<Finding>; _] = [
        #[cfg(feature = "wgsl")]
        {
            let mut found = WebGpu::found();
            if found.iter().any(|found| found.what == "device") {
                let outcome = WebGpu::open().and_then(|device| trial::run(&device, &trial::kernel(trial::WGSL)));
                found.push(Finding::trial(
                    "wgsl",
                    "a kernel in WGSL runs".into(),
                    outcome,
                    "update the driver of its GPU",
                ));
            }
            found
        },
        #[cfg(feature = "cuda")]
        {
            let cards = look();
            let mut found = cards.found();
            found.extend(cuda_trials(&cards));
            found
        },
    ];
    all.concat()
}

/// Compiles the trial kernel for each GPU, or for those that kernels are usually compiled for where there is none; and
/// runs it.
#[cfg(feature = "cuda")]
fn cuda_trials(cards: &Cards) -> Vec<Finding> {
    let mut archs: Vec<u32> = cards.cards.iter().map(|card| card.arch).collect();
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
            found.push(Finding::trial("cuda", about, outcome, &format!("install all of NVRTC: {}", nvrtc.wheels())));
        }
    }
    for (number, card) in cards.cards.iter().enumerate().filter(|_| cards.nvrtc.is_ok()) {
        let outcome = Cuda::open(number).and_then(|device| trial::run(&device, &trial::kernel(trial::CUDA)));
        let help = format!("install a newer driver, or an older compiler: {}", crate::nvrtc::WHEELS);
        found.push(Finding::trial("cuda", format!("a kernel runs on {} ({number})", card.name), outcome, &help));
    }
    found
}
