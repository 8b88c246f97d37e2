//! Flags of `compile`, `inspect` and `doctor`.

use super::{DumpFlag, PlanFlags};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct CompileArgs {
    /// A `.mlir`, `.onnx` or `.pir` file (`gpt.onnx?batch=8` sizes a dimension), or a built-in model:
    /// `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// For which devices: `wgsl` (whatever has Vulkan, Metal or DirectX 12), `cuda:sm_90`; several with commas.
    #[arg(long, value_name = "TARGETS", value_delimiter = ',', required = true)]
    pub(crate) target: Vec<String>,
    /// Where to keep it.
    #[arg(short, long, value_name = "FILE.partita")]
    pub(crate) output: PathBuf,
    /// Put weights into it: those of the model, those of a file, or random ones: `seed=0`.
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
    /// What `compile` made.
    #[arg(value_name = "FILE.partita")]
    pub(crate) file: PathBuf,
    /// Print one JSON object.
    #[arg(long, conflicts_with_all = ["kernel", "program", "plan"])]
    pub(crate) json: bool,
    /// Print the text of this kernel.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["program", "plan"])]
    pub(crate) kernel: Option<String>,
    /// Print one device's program.
    #[arg(long, conflicts_with = "plan")]
    pub(crate) program: bool,
    /// Print the plan that was compiled.
    #[arg(long)]
    pub(crate) plan: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}
