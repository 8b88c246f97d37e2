//! Words for predictions.

use super::PlanFlags;
use clap::Args;
use std::path::PathBuf;

/// Which trained model, and how it is laid out.
#[derive(Args, Debug)]
pub(crate) struct TrainedFlags {
    /// The model that was trained; the one that the checkpoint names, when not given.
    pub(crate) model: Option<String>,
    /// A checkpoint, or a folder of them, of which the newest counts. Its plan counts too, unless `--plan` or `--mesh` is given.
    #[arg(long, value_name = "PATH")]
    pub(crate) checkpoint: PathBuf,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
}

#[derive(Args, Debug)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) trained: TrainedFlags,
    /// Examples: a tensor for each input, whose first dimension counts them. They may be as many as you like.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) input: PathBuf,
    /// Where to keep the answers.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) output: Option<PathBuf>,
}
