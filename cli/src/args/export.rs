//! Arguments of `export`.

use super::PlanFlags;
use clap::Args;
use partita::search::Target;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// A `.mlir`, `.onnx` or `.pir` file, or a built-in model: `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    /// Framework: `jax` and `dtensor` (PyTorch) are files of Python with the layouts of all parameters, `tp-plan`
    /// (Transformers) is a dictionary of modules, and the others are launch options.
    #[arg(long, value_name = "TARGET", value_parser = Target::ALL.map(Target::name))]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Machine that predicts the step times of a plan that the framework cannot express and of the nearest one, as in
    /// `simulate`.
    #[arg(long, value_name = "FILE.toml|NAME")]
    pub(crate) machine: Option<String>,
    /// If the framework cannot express the plan, export the nearest one, and print the changes to standard error.
    #[arg(long)]
    pub(crate) nearest: bool,
    /// Print JSON instead of Python. Launch options have one form only.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
