//! Flags of `compile`, `inspect` and `doctor`.

use super::{DumpFlag, PlanFlags};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct CompileArgs {
    /// A `.mlir`, `.onnx`, `.pt2` or `.pir` file (`gpt.onnx?batch=8` sets the size of a dimension), or a built-in
    /// model: `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Targets, separated by commas: `wgsl` (Vulkan, Metal or DirectX 12), `cuda:sm_90`.
    #[arg(long, value_name = "TARGETS", value_delimiter = ',', required = true)]
    pub(crate) target: Vec<String>,
    /// Write the compiled model to this file.
    #[arg(short, long, value_name = "FILE.partita")]
    pub(crate) output: PathBuf,
    /// Include weights: those of the model, those of a file, or random ones with `seed=0`.
    #[arg(long, value_name = "FILE.safetensors|seed=N", num_args = 0..=1)]
    pub(crate) weights: Option<Option<String>>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) dump: DumpFlag,
}

#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// A file written by `compile`.
    #[arg(value_name = "FILE.partita")]
    pub(crate) file: PathBuf,
    /// Print one JSON object.
    #[arg(long, conflicts_with_all = ["kernel", "program", "plan"])]
    pub(crate) json: bool,
    /// Print the source text of this kernel.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["program", "plan"])]
    pub(crate) kernel: Option<String>,
    /// Print the program of one device.
    #[arg(long, conflicts_with = "plan")]
    pub(crate) program: bool,
    /// Print the plan of the model.
    #[arg(long)]
    pub(crate) plan: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}
