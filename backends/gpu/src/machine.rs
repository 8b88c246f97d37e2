//! What this machine has to run modules on.

#[cfg(feature = "cuda")]
use crate::cuda::Cuda;
use crate::device::Device;
use crate::executor::Executable;
use crate::module::Module;
use crate::target::Target;
#[cfg(feature = "wgsl")]
use crate::webgpu::WebGpu;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use serde::Serialize;
use std::sync::Arc;

/// A module on some device.
pub trait Running {
    /// What messages call the device.
    fn device(&self) -> &str;

    /// Runs the program on whole inputs, and returns the whole outputs.
    ///
    /// # Errors
    /// As [`Executable::run`].
    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic>;
}

impl<D: Device> Running for Executable<D> {
    fn device(&self) -> &str {
        Executable::device(self).name()
    }

    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        Executable::run(self, inputs)
    }
}

/// The targets whose devices this build can run, best first.
pub const RUNS: &[Target] = &[
    #[cfg(feature = "wgsl")]
    Target::Wgsl,
    #[cfg(feature = "cuda")]
    Target::Cuda { arch: 90 },
    #[cfg(feature = "cuda")]
    Target::Cuda { arch: 80 },
];

/// Puts a module on this machine's device for its target.
///
/// # Errors
/// `A003` without such a device, and as [`Executable::load`].
pub fn open(module: Arc<Module>) -> Result<Box<dyn Running>, Diagnostic> {
    match module.target {
        #[cfg(feature = "wgsl")]
        Target::Wgsl => Ok(Box::new(Executable::load(module, WebGpu::open()?)?)),
        #[cfg(feature = "cuda")]
        Target::Cuda { .. } => Ok(Box::new(Executable::load(module, Cuda::open(0)?)?)),
        target => Err(Diagnostic::new(Code::A003, format!("this build runs nothing for {target}"))),
    }
}

/// A device or library that modules run on, or what is missing of it.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Found {
    /// The target that needs it.
    pub target: String,
    /// What it is: `device`, `driver` or `compiler`.
    pub what: &'static str,
    /// What it calls itself; nothing when it is missing.
    pub name: Option<String>,
    /// Its kind, driver and version.
    pub about: String,
    /// What to install, when it is missing.
    pub help: Option<String>,
}

/// What there is on this machine, target by target.
pub fn found() -> Vec<Found> {
    let all: [Vec<Found>; _] = [
        #[cfg(feature = "wgsl")]
        WebGpu::found(),
        #[cfg(feature = "cuda")]
        Cuda::found(),
    ];
    all.concat()
}
