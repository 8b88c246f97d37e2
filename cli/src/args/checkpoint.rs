//! Arguments of `checkpoint`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand, Debug)]
pub(crate) enum CheckpointCommand {
    /// List step, files and tensors of a checkpoint, with the extents of shards, and verify all checksums. Exit code 1
    /// if a file is missing or damaged.
    Show(ShowArgs),
    /// Write a checkpoint with global tensors, as one safetensors file or several with an index.
    Merge(MergeArgs),
    /// Write a sharded checkpoint, with a block of rows of every tensor in each file.
    Split(SplitArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// Checkpoint, or a folder whose newest checkpoint is used.
    pub(crate) path: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct MergeArgs {
    /// Checkpoint, or a folder whose newest checkpoint is used.
    pub(crate) path: PathBuf,
    /// A file, if the name ends in `.safetensors`; otherwise a new folder with files and
    /// `model.safetensors.index.json`, as Hugging Face libraries read them.
    #[arg(long, value_name = "FILE.safetensors|DIR")]
    pub(crate) output: PathBuf,
    /// Maximum size of the tensors in a file of a folder. A larger tensor has a file of its own.
    #[arg(long, value_name = "BYTES", default_value = "5GiB", value_parser = super::bytes)]
    pub(crate) max_bytes: u64,
}

#[derive(Args, Debug)]
pub(crate) struct SplitArgs {
    /// Checkpoint, or a folder whose newest checkpoint is used.
    pub(crate) path: PathBuf,
    /// Number of files. Training resumes on any number of ranks.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) ranks: u32,
    /// A new folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,
}
